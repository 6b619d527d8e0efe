/** The service's part in sealing a gift, on the page for givers. */
import { type GiftNotice, signGiftEmailWallet, signGiftNotify, type Wallet } from "reminder-worker-client";
import { worker } from "./api.ts";

/** For three questions of the service to the identity provider, 25 seconds each at most, and what it asks the chain. */
const WALLET_MILLISECONDS = 100_000;

/** Whether gifts to an email address may be offered now: the service can, and this build is for it. */
export async function offersEmailGifts(): Promise<boolean> {
  if (import.meta.env.VITE_FEATURE_GIFT_EMAIL !== "on") return false;
  return (await worker.get("/sponsor/status")).giftEmail;
}

/** The address to seal a gift to that is meant for an email address: one that has none yet may take more than a minute.
 * Throws `Refused` and `Unreachable`. */
export async function emailWallet(signer: Wallet, chainId: number, email: string): Promise<string> {
  const body = await signGiftEmailWallet(signer, chainId, email, await worker.deadline());
  return (await worker.post("/gift/recipient-wallet", body, WALLET_MILLISECONDS)).address;
}

/** Have the recipient told of a sealed gift. Throws `Refused` and `Unreachable`. */
export async function registerNotify(signer: Wallet, chainId: number, notice: GiftNotice): Promise<void> {
  await worker.post("/gift/notify", await signGiftNotify(signer, chainId, notice, await worker.deadline()));
}
