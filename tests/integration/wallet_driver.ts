/** Run by test_wallet_answers.py: for each JSON line, the digits of a printed key, or the phrase about a wallet's
 * error. */
import { createInterface } from "node:readline";
import { parse } from "reminder-worker-client/paper-keys";
import { goToChain } from "../../gift_page/src/wallets.ts";

interface Given {
  key?: string;
  error?: object;
}

async function answered({ key, error }: Given): Promise<string | null> {
  if (key !== undefined) return parse(key);
  const provider = {
    async request({ method }: { method: string }): Promise<unknown> {
      if (method === "eth_chainId") return "0x1";
      throw error;
    },
  };
  try {
    await goToChain({ name: "Wallet", icon: "", provider }, { chainId: 31337, chainName: "Local" });
    return null;
  } catch (told) {
    return told instanceof Error ? told.message : null;
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  console.log(JSON.stringify(await answered(JSON.parse(line) as Given)));
}
