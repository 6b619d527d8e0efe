// Compiles every contract of ./contracts into one JSON file: {name: {abi, bytecode, deployedBytecode}}.
// Usage: node devnet/build.mjs OUTPUT
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import solc from "solc";

const directory = join(dirname(fileURLToPath(import.meta.url)), "contracts");
const sources = {};
for (const file of readdirSync(directory).filter((name) => name.endsWith(".sol")).sort()) {
  sources[file] = { content: readFileSync(join(directory, file), "utf8") };
}

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
  ),
);
const problems = (answer.errors ?? []).filter((problem) => problem.severity === "error");
if (problems.length > 0) {
  console.error(problems.map((problem) => problem.formattedMessage).join("\n"));
  process.exit(1);
}

const contracts = {};
for (const file of Object.values(answer.contracts)) {
  for (const [name, contract] of Object.entries(file)) {
    contracts[name] = {
      abi: contract.abi,
      bytecode: "0x" + contract.evm.bytecode.object,
      deployedBytecode: "0x" + contract.evm.deployedBytecode.object,
    };
  }
}
writeFileSync(process.argv[2], JSON.stringify({ contracts }));
