/** Run by test_sealing.py: prints the calls that seal a gift, or what a transaction's logs say was sealed. */
import { readFileSync } from "node:fs";
import { encode, sealedIn } from "reminder-worker-client/ethers";
import { approvals, type NewGift, sealing } from "reminder-worker-client/sealing";

interface Logs {
  logs: { address: string; topics: string[]; data: string }[];
  vault: string;
  recipient?: string;
}
interface Gift {
  router: string;
  recipient: string;
  duration: string;
  deadline: string;
  wrappedEther?: string;
  token?: string;
  amount: string;
  allowance: string;
}

function read({ logs, vault, recipient }: Logs): unknown {
  try {
    const { timelockId, giver } = sealedIn(logs, vault, recipient);
    return { timelockId, giver };
  } catch (error) {
    return { thrown: String(error) };
  }
}

function calls({ wrappedEther, token = "", ...given }: Gift): unknown {
  const amount = BigInt(given.amount);
  const asset: NewGift["asset"] =
    wrappedEther === undefined ? { token, amount, allowance: BigInt(given.allowance) } : { wrappedEther, wei: amount };
  const { router, recipient } = given;
  const gift = { router, recipient, asset, duration: BigInt(given.duration), deadline: BigInt(given.deadline) };
  const made = [...approvals(gift), sealing(gift)].map(encode);
  return made.map(({ to, data, value }) => ({ to, data, value: `${value}` }));
}

const given = JSON.parse(readFileSync(0, "utf8")) as Logs | Gift[];
console.log(JSON.stringify(Array.isArray(given) ? given.map(calls) : read(given)));
