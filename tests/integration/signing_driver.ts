/** Run by test_typescript_client.py: reads a JSON list of steps from standard input, prints what each answered. */
import { readFileSync } from "node:fs";
import { JsonRpcProvider, Wallet as EthersWallet } from "ethers";
import * as worker from "reminder-worker-client";
import * as byEthers from "reminder-worker-client/ethers";
import * as byViem from "reminder-worker-client/viem";
import { createPublicClient, http } from "viem";
import { privateKeyToAccount } from "viem/accounts";

interface Step {
  call:
    | (
        | "ingest"
        | "read"
        | "rehearse"
        | "erase"
        | "sendInstructions"
        | "claim"
        | "checkIn"
        | "withdraw"
        | "request"
        | "status"
      )
    | ("giftEmailWallet" | "giftNotify" | "giftNotifyErase" | "eraseRecipient");
  key: `0x${string}`;
  id?: string;
  payTo?: string;
  assets?: string[];
  recipients?: worker.Recipient[];
  email?: string;
  notice?: worker.GiftNotice;
  deadline?: number;
}
interface Input {
  library: "ethers" | "viem";
  /** Only sign: print the bodies. */
  isDry: boolean;
  baseUrl: string;
  chainId: number;
  legacy: string;
  rpcUrl: string;
  legacyRouter: string;
  timeLockRouter: string;
  steps: Step[];
}

const input = JSON.parse(readFileSync(0, "utf8")) as Input;
const { chainId, legacy, legacyRouter, timeLockRouter, isDry } = input;
const service = new worker.ReminderWorker(input.baseUrl);
const provider = new JsonRpcProvider(input.rpcUrl, chainId, { staticNetwork: true });
const isViem = input.library === "viem";
const chain = isViem
  ? byViem.chainOf(createPublicClient({ transport: http(input.rpcUrl) }))
  : byEthers.chainOf(provider);
const walletOf = (key: `0x${string}`): worker.Wallet =>
  isViem ? byViem.walletOf(privateKeyToAccount(key)) : byEthers.walletOf(new EthersWallet(key));
// What is signed must not depend on chance where two libraries are compared.
if (isDry) crypto.getRandomValues = (array) => array;
// A frontend signs several writes within a second: all deadlines are named before the first request, and the clock
// stands.
const now = Date.now();
Date.now = () => now;
const deadlines: bigint[] = [];
for (const { deadline } of input.steps) {
  deadlines.push(deadline === undefined ? await service.deadline() : BigInt(deadline));
}

type Posted = Parameters<worker.ReminderWorker["post"]>[0];

async function run(step: Step, deadline: bigint): Promise<unknown> {
  const { call, key, id = "0", payTo, assets = [], recipients = [], ...more } = step;
  const wallet = walletOf(key);
  const about = [wallet, chainId, legacy] as const;
  const send = async <P extends Posted>(path: P, body: Parameters<typeof service.post<P>>[1]): Promise<unknown> =>
    isDry ? body : service.post(path, body);
  switch (call) {
    case "ingest":
      return send("/ingest-legacy", await worker.signIngest(...about, deadline, recipients));
    case "read":
      return send("/recipients", await worker.signRead(...about, deadline));
    case "rehearse":
      return send("/rehearsal", await worker.signRehearsal(...about, deadline, true));
    case "erase":
      return send("/erase-legacy", await worker.signErase(...about, deadline));
    case "eraseRecipient":
      return send("/erase-recipient", await worker.signEraseRecipient(...about, deadline));
    case "sendInstructions":
      return send("/send-instructions", await worker.signSendInstructions(...about, deadline));
    case "claim":
      return send("/sponsor/claim", await worker.signClaim(wallet, chain, legacyRouter, BigInt(id), assets, true));
    case "checkIn":
      return send("/sponsor/check-in", await worker.signCheckIn(wallet, chain, legacyRouter, BigInt(id)));
    case "withdraw": {
      const body = await worker.signGiftWithdraw(wallet, chain, timeLockRouter, BigInt(id), false, payTo);
      return send("/sponsor/gift-withdraw", body);
    }
    case "giftEmailWallet": {
      const body = await worker.signGiftEmailWallet(wallet, chainId, more.email ?? "", deadline);
      return send("/gift/recipient-wallet", body);
    }
    case "giftNotify": {
      if (more.notice === undefined) throw new Error("nothing to tell");
      return send("/gift/notify", await worker.signGiftNotify(wallet, chainId, more.notice, deadline));
    }
    case "giftNotifyErase":
      return send("/gift/notify/erase", await worker.signGiftNotifyErase(wallet, chainId, id, deadline));
    case "request":
      return service.get("/sponsor/requests/{id}", { path: { id } });
    case "status":
      return service.get("/sponsor/status");
  }
}

const answers: unknown[] = [];
for (const [place, step] of input.steps.entries()) {
  try {
    answers.push(await run(step, deadlines[place] ?? 0n));
  } catch (error) {
    if (!(error instanceof worker.Refused)) throw error;
    answers.push({ refused: error.code, retryAfter: error.retryAfter });
  }
}
console.log(JSON.stringify(answers));
provider.destroy();
