/** The recipient's permission to have a gift paid out to them: WithdrawAuth, whoever signs it and however. */
import type { TypedDataDomain, TypedDataField } from "ethers";
import type { Facts } from "./facts.ts";

/** A browser wallet, a paper key in memory, or the wallet of an email address. */
export interface GiftSigner {
  /** EIP-55 or lower case. */
  address: string;
  /** 0x and hex. */
  signTypedData(
    domain: TypedDataDomain,
    types: Record<string, TypedDataField[]>,
    value: Record<string, unknown>,
  ): Promise<string>;
}

/** Body of POST /sponsor/gift-withdraw. */
export interface GiftWithdrawRequest {
  chainId: number;
  timelockId: string;
  skipSwap: boolean;
  recipient: string;
  nonce: string;
  /** Unix seconds by the chain's clock. */
  deadline: number;
  signature: string;
  /** Who is paid; the recipient where it is left out. */
  payTo?: string;
}

/** The signer is not whom the gift was sealed for: nothing was signed. */
export class WrongAccount extends Error {}

export const LIFE_TIME_SECONDS = 50 * 60;
const WITHDRAW_AUTH: TypedDataField[] = [
  { name: "recipient", type: "address" },
  { name: "timelockId", type: "uint256" },
  { name: "skipSwap", type: "bool" },
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
];
/** Of version 2 of the router, in which a destination can be named. */
const WITHDRAW_TO_AUTH: TypedDataField[] = [
  { name: "recipient", type: "address" },
  { name: "payTo", type: "address" },
  ...WITHDRAW_AUTH.slice(1),
];
const THE_RECIPIENT = "0x0000000000000000000000000000000000000000";

/** `facts` just fetched: the nonce and the chain's clock are in them. `skipSwap`: the token it is kept in, not ETH. `payTo`: the
 * destination, with version 2 only. */
export async function signWithdrawAuth(
  facts: Facts,
  signer: GiftSigner,
  skipSwap: boolean = false,
  payTo: string | null = null,
): Promise<GiftWithdrawRequest> {
  if (signer.address.toLowerCase() !== facts.recipient.toLowerCase()) throw new WrongAccount();
  const { chainId, timelockId, recipient, sponsorNonce: nonce } = facts;
  const deadline = Math.floor(Date.parse(facts.asOf) / 1000) + LIFE_TIME_SECONDS;
  const message = { recipient, timelockId, skipSwap, nonce, deadline };
  if (facts.domain.version === "1") {
    if (payTo !== null) throw new Error("this router pays the recipient only");
    const signature = await signer.signTypedData(facts.domain, { WithdrawAuth: WITHDRAW_AUTH }, message);
    return { chainId, timelockId, skipSwap, recipient, nonce, deadline, signature };
  }
  const named = { ...message, payTo: payTo ?? THE_RECIPIENT };
  const signature = await signer.signTypedData(facts.domain, { WithdrawAuth: WITHDRAW_TO_AUTH }, named);
  return { chainId, timelockId, skipSwap, recipient, nonce, deadline, signature, ...(payTo === null ? {} : { payTo }) };
}
