/** Run by test_sealing.py: reads what a transaction logged as JSON, prints what a frontend takes to be sealed by it. */
import { readFileSync } from "node:fs";
import { sealedIn } from "reminder-worker-client/ethers";

interface Input {
  logs: { address: string; topics: string[]; data: string }[];
  vault: string;
  recipient?: string;
}

const { logs, vault, recipient } = JSON.parse(readFileSync(0, "utf8")) as Input;
try {
  const { timelockId, giver } = sealedIn(logs, vault, recipient);
  console.log(JSON.stringify({ timelockId, giver }));
} catch (error) {
  console.log(JSON.stringify({ thrown: String(error) }));
}
