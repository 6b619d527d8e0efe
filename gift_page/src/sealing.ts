/**
 * What a frontend needs to seal a gift: its link and sheet, the calls of the giver's wallet, and the service's part.
 * `README.md` beside this folder shows the whole way; `create.ts` is a page that goes it.
 *
 * Nothing here stores anything or sends a key: a paper key exists in the variable it was generated into, and on paper.
 */
import { Interface, type Log, type Signer } from "ethers";
import {
  type GiftNotice,
  LIFE_TIME_SECONDS,
  signGiftEmailWallet,
  signGiftNotify,
  signGiftNotifyErase,
} from "../../docs/signing.ts";
import { ask, serverNow } from "./api.ts";

export { forget, keep, type Keepsake, keepsakeOf, keepsakes, linkOf } from "./keepsake.ts";
export { checkLetter, claimLink, encodeLetter, entryLink, type Letter } from "./link.ts";
export { generate as newPaperKey, groups as paperGroups, type PaperKey } from "./paper_key.ts";
export { type GiftNotice, signGiftEmailWallet, signGiftNotify, signGiftNotifyErase };

/** The only name that a gift has on chain: names and messages are for the recipient, not for everybody for ever. */
const NAME_ON_CHAIN = "Gift";
const GIFT = 2; // the lock's type
const NOBODY = "0x0000000000000000000000000000000000000000";
/** For three questions of the service to the identity provider, 25 seconds each at most, and what it asks the chain. */
const WALLET_MILLISECONDS = 100_000;

const ABI = new Interface([
  "function createTimelockedGift(((address storageToken, uint256 amountOutMin, uint256 deadline) timelockETHSwap," +
    " (address tokenAddress, uint256 amount)[] timelockERC20, (address tokenAddress, uint256 id)[] timelockERC721," +
    " (address tokenAddress, uint256 id, uint256 amount)[] timelockERC1155, uint256 duration, address recipient," +
    " string name, string giftName) gift) payable",
  "function approve(address spender, uint256 amount) returns (bool)",
  "event TimelockCreated(uint256 indexed timelockId, address indexed owner, address indexed recipient," +
    " address[] tokenAddresses, uint256[] amounts, uint256 unlockTime, uint256 bufferTime, uint8 lockType," +
    " string name)",
]);

/** A transaction of the giver's wallet; `value` in wei. */
export interface Call {
  to: string;
  data: string;
  value: bigint;
}

export interface NewGift {
  /** The TimeLockRouter. */
  router: string;
  recipient: string;
  /** Seconds from the block the gift is sealed in until it opens. */
  duration: bigint;
  /** Ether is kept as wrapped ether, and paid out as ether; of a token the allowance that the router has now. */
  asset: { wrappedEther: string; wei: bigint } | { token: string; amount: bigint; allowance: bigint };
  /** Unix seconds by the chain's clock: after it the transaction is refused. */
  deadline: bigint;
}

/** Sent first and mined one after the other: none for ether, for a token an approval of exactly the amount. Some tokens
 * (USDT) change an allowance only from or to nothing. */
export function approvalCalls({ router, asset }: Pick<NewGift, "router" | "asset">): Call[] {
  if ("wei" in asset || asset.allowance === asset.amount) return [];
  const amounts = asset.allowance === 0n ? [asset.amount] : [0n, asset.amount];
  return amounts.map((amount) => ({
    to: asset.token,
    data: ABI.encodeFunctionData("approve", [router, amount]),
    value: 0n,
  }));
}

/** Call it after the approvals are mined: `duration` and `deadline` count from that time. */
export function sealingCall(gift: NewGift): Call {
  const { router, recipient, duration, asset, deadline } = gift;
  const isEther = "wei" in asset;
  const swap = isEther ? [asset.wrappedEther, asset.wei, deadline] : [NOBODY, 0n, deadline];
  const tokens = isEther ? [] : [[asset.token, asset.amount]];
  const terms = [swap, tokens, [], [], duration, recipient, NAME_ON_CHAIN, ""];
  const data = ABI.encodeFunctionData("createTimelockedGift", [terms]);
  return { to: router, data, value: isEther ? asset.wei : 0n };
}

export interface Sealed {
  /** Decimal digits. */
  timelockId: string;
  giver: string;
  recipient: string;
  unlockAt: Date;
  assets: { token: string; units: bigint }[];
}

/**
 * What logs say was sealed in the ERC-20 vault (TimelockERC20). Of a transaction name the `recipient`: a smart wallet's may
 * hold gifts of strangers too, whom the same bundler serves, or several of the giver's own. Throws when there is no gift.
 */
export function sealedIn(
  logs: readonly Pick<Log, "address" | "topics" | "data">[],
  vault: string,
  recipient?: string,
): Sealed {
  for (const log of logs) {
    const event = log.address.toLowerCase() === vault.toLowerCase() ? ABI.parseLog(log) : null;
    if (event?.name !== "TimelockCreated" || Number(event.args["lockType"]) !== GIFT) continue;
    const { timelockId, owner, recipient: whose, tokenAddresses, amounts, unlockTime } = event.args.toObject();
    if (recipient !== undefined && String(whose).toLowerCase() !== recipient.toLowerCase()) continue;
    const assets = [...tokenAddresses].map((token: string, place) => ({ token, units: BigInt(amounts[place]) }));
    const unlockAt = new Date(Number(unlockTime) * 1000);
    return { timelockId: String(timelockId), giver: owner, recipient: whose, unlockAt, assets };
  }
  throw new Error("the transaction sealed no gift");
}

/** For `eth_getLogs`: where a gift was sealed. */
export function sealedTopics(timelockId: string): string[] {
  return ABI.encodeFilterTopics("TimelockCreated", [BigInt(timelockId)]).flat().filter((topic) => topic !== null);
}

// -- the service's part

/** Whether gifts to an email address may be offered now: the service can, and this build is for it. */
export async function offersEmailGifts(): Promise<boolean> {
  if (import.meta.env.VITE_FEATURE_GIFT_EMAIL !== "on") return false;
  return (await ask<{ giftEmail: boolean }>("/sponsor/status")).giftEmail;
}

/** The address to seal a gift to that is meant for an email address: one that has none yet may take more than a minute.
 * Throws `Refused` and `Unreachable`. */
export async function emailWallet(signer: Signer, chainId: number, email: string): Promise<string> {
  const request = await signGiftEmailWallet(signer, chainId, email, newDeadline());
  return (await ask<{ address: string }>("/gift/recipient-wallet", request, WALLET_MILLISECONDS)).address;
}

/** Have the recipient told of a sealed gift. Throws `Refused` and `Unreachable`. */
export async function registerNotify(signer: Signer, chainId: number, notice: GiftNotice): Promise<void> {
  await ask("/gift/notify", await signGiftNotify(signer, chainId, notice, newDeadline()));
}

/** By the service's clock, which is known as soon as it was asked anything: the giver's may be wrong. */
function newDeadline(): number {
  return Math.floor(serverNow() / 1000) + LIFE_TIME_SECONDS;
}
