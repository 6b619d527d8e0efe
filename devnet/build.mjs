// Compiles every contract of ./contracts, and those of OpenZeppelin that the protocol deploys unmodified, into one
// JSON file: {name: {abi, bytecode, deployedBytecode}}.
// Usage: node devnet/build.mjs OUTPUT
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

const home = dirname(fileURLToPath(import.meta.url));
const directory = join(home, "contracts");
const openZeppelin = [
  "@openzeppelin/contracts/governance/TimelockController.sol",
  "@openzeppelin/contracts/proxy/transparent/ProxyAdmin.sol",
  "@openzeppelin/contracts/proxy/transparent/TransparentUpgradeableProxy.sol",
];
const fromPackage = (path) => readFileSync(join(home, "..", "node_modules", path), "utf8");
const sources = {};
for (const file of readdirSync(directory)
  .filter((name) => name.endsWith(".sol"))
  .sort()) {
  sources[file] = { content: readFileSync(join(directory, file), "utf8") };
}
for (const path of openZeppelin) sources[path] = { content: fromPackage(path) };

const answer = JSON.parse(
  solc.compile(
    JSON.stringify({
      language: "Solidity",
      sources,
      settings: {
        evmVersion: "prague",
        optimizer: { enabled: true, runs: 200 },
        outputSelection: { "*": { "*": ["abi", "evm.bytecode.object", "evm.deployedBytecode.object"] } },
      },
    }),
    { import: (path) => ({ contents: fromPackage(path) }) },
  ),
);
const problems = (answer.errors ?? []).filter((problem) => problem.severity === "error");
if (problems.length > 0) {
  console.error(problems.map((problem) => problem.formattedMessage).join("\n"));
  process.exit(1);
}

const contracts = {};
for (const [path, file] of Object.entries(answer.contracts)) {
  for (const [name, contract] of Object.entries(file)) {
    if (path.startsWith("@") && !(openZeppelin.includes(path) && path.endsWith(`/${name}.sol`))) continue;
    contracts[name] = {
      abi: contract.abi,
      bytecode: "0x" + contract.evm.bytecode.object,
      deployedBytecode: "0x" + contract.evm.deployedBytecode.object,
    };
  }
}
writeFileSync(process.argv[2], JSON.stringify({ contracts }));
