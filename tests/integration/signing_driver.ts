/** Run by test_signing_snippet.py: reads a JSON list of steps from standard input, prints what each answered. */
import { readFileSync } from "node:fs";
import { JsonRpcProvider, Wallet } from "ethers";
import * as signing from "../../docs/signing.ts";

interface Step {
  call:
    | ("ingest" | "read" | "erase" | "sendInstructions" | "claim" | "checkIn" | "withdraw" | "request" | "status")
    | ("giftEmailWallet" | "giftNotify" | "giftNotifyErase" | "eraseRecipient");
  key: string;
  id?: string;
  payTo?: string;
  assets?: string[];
  recipients?: signing.Recipient[];
  email?: string;
  notice?: signing.GiftNotice;
  deadline?: number;
}
interface Input {
  baseUrl: string;
  chainId: number;
  legacy: string;
  rpcUrl: string;
  legacyRouter: string;
  timeLockRouter: string;
  steps: Step[];
}

const input = JSON.parse(readFileSync(0, "utf8")) as Input;
const worker = new signing.ReminderWorker(input.baseUrl);
const provider = new JsonRpcProvider(input.rpcUrl, input.chainId, { staticNetwork: true });

async function run({ call, key, id = "0", payTo, assets = [], recipients = [], deadline, ...gift }: Step): Promise<unknown> {
  const signer = new Wallet(key);
  const about = [signer, input.chainId, input.legacy] as const;
  switch (call) {
    case "ingest":
      return worker.ingest(await signing.signIngest(...about, recipients, deadline));
    case "read":
      return worker.recipients(await signing.signRead(...about, deadline));
    case "erase":
      return worker.erase(await signing.signErase(...about, deadline));
    case "eraseRecipient":
      return worker.eraseRecipient(await signing.signEraseRecipient(...about, deadline));
    case "sendInstructions":
      return worker.sendInstructions(await signing.signSendInstructions(...about, deadline));
    case "claim": {
      const { legacyRouter } = input;
      return worker.sponsorClaim(await signing.signClaim(signer, provider, legacyRouter, BigInt(id), assets, true));
    }
    case "checkIn":
      return worker.sponsorCheckIn(await signing.signCheckIn(signer, provider, input.legacyRouter, BigInt(id)));
    case "withdraw": {
      const about = [signer, provider, input.timeLockRouter, BigInt(id)] as const;
      return worker.sponsorGiftWithdraw(await signing.signGiftWithdraw(...about, false, payTo));
    }
    case "giftEmailWallet":
      return worker.giftEmailWallet(await signing.signGiftEmailWallet(signer, input.chainId, gift.email ?? ""));
    case "giftNotify": {
      if (gift.notice === undefined) throw new Error("nothing to tell");
      return worker.giftNotify(await signing.signGiftNotify(signer, input.chainId, gift.notice, deadline));
    }
    case "giftNotifyErase":
      return worker.giftNotifyErase(await signing.signGiftNotifyErase(signer, input.chainId, id, deadline));
    case "request":
      return worker.sponsorRequest(id);
    case "status":
      return worker.sponsorStatus();
  }
}

const answers: unknown[] = [];
for (const step of input.steps) {
  try {
    answers.push(await run(step));
  } catch (error) {
    if (!(error instanceof signing.Refused)) throw error;
    answers.push({ refused: error.problem.code, retryAfter: error.retryAfter });
  }
}
console.log(JSON.stringify(answers));
provider.destroy();
