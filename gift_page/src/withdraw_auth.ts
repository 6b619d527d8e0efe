/** The recipient's permission to have a gift paid out to them: WithdrawAuth, whoever signs it and however. */
import {
  type Bodies,
  LIFE_TIME_SECONDS,
  signGiftWithdraw,
  type TypedMessage,
  type Wallet,
} from "reminder-worker-client";
import type { Facts } from "./facts.ts";

/** A browser wallet, a paper key in memory, or the wallet of an email address. */
export interface GiftSigner {
  /** EIP-55 or lower case. */
  address: string;
  /** 0x and hex. */
  sign(message: TypedMessage): Promise<string>;
}

export type GiftWithdrawRequest = Bodies["GiftWithdrawBody"];

/** The signer is not whom the gift was sealed for: nothing was signed. */
export class WrongAccount extends Error {}

/** `facts` just fetched: the nonce and the chain's clock are in them. `skipSwap`: the token it is kept in, not ETH.
 * `payTo`: the destination, with version 2 only. */
export async function signWithdrawAuth(
  facts: Facts,
  signer: GiftSigner,
  skipSwap: boolean = false,
  payTo: string | null = null,
): Promise<GiftWithdrawRequest> {
  if (signer.address.toLowerCase() !== facts.recipient.toLowerCase()) throw new WrongAccount();
  const { domain, router, timelockId, recipient, sponsorNonce } = facts;
  const deadline = BigInt(Math.floor(Date.parse(facts.asOf) / 1000) + LIFE_TIME_SECONDS);
  const chain = { routerTerms: async () => ({ domain, nonce: BigInt(sponsorNonce), deadline }) };
  const wallet: Wallet = { address: async () => recipient, sign: (message) => signer.sign(message) };
  return signGiftWithdraw(wallet, chain, router, BigInt(timelockId), skipSwap, payTo ?? undefined);
}
