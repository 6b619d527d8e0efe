/**
 * What the giver's wallet sends to seal a gift. Nothing here sends or stores anything. `reminder-worker-client/ethers`
 * and `/viem` encode the calls and read the receipt.
 */
import { NOBODY } from "./messages.ts";

/** The only name that a gift has on chain: names and messages are for the recipient, not for everybody for ever. */
const NAME_ON_CHAIN = "Gift";
const GIFT = 2; // the lock's type

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

/** A call of a contract, in the words of its ABI; `value` in wei. */
export interface ContractCall {
  to: string;
  functionName: "approve" | "createTimelockedGift";
  args: readonly unknown[];
  value: bigint;
}

/** Sent first and mined one after the other: none for ether, for a token an approval of exactly the amount. Some tokens
 * (USDT) change an allowance only from or to nothing. */
export function approvals({ router, asset }: Pick<NewGift, "router" | "asset">): ContractCall[] {
  if ("wei" in asset || asset.allowance === asset.amount) return [];
  const amounts = asset.allowance === 0n ? [asset.amount] : [0n, asset.amount];
  return amounts.map((amount) => ({ to: asset.token, functionName: "approve", args: [router, amount], value: 0n }));
}

/** Make it after the approvals are mined: `duration` and `deadline` count from that time. Send it with the chain's id:
 * on another chain, ether for this address is lost. */
export function sealing({ router, recipient, duration, asset, deadline }: NewGift): ContractCall {
  const isEther = "wei" in asset;
  const gift = {
    timelockETHSwap: {
      storageToken: isEther ? asset.wrappedEther : NOBODY,
      amountOutMin: isEther ? asset.wei : 0n,
      deadline,
    },
    timelockERC20: isEther ? [] : [{ tokenAddress: asset.token, amount: asset.amount }],
    timelockERC721: [],
    timelockERC1155: [],
    duration,
    recipient,
    name: NAME_ON_CHAIN,
    giftName: "",
  };
  return { to: router, functionName: "createTimelockedGift", args: [gift], value: isEther ? asset.wei : 0n };
}

export interface Sealed {
  /** Decimal digits. */
  timelockId: string;
  giver: string;
  recipient: string;
  unlockAt: Date;
  assets: { token: string; units: bigint }[];
}

/** The values of a `TimelockCreated` event. */
export interface TimelockCreated {
  timelockId: bigint;
  owner: string;
  recipient: string;
  tokenAddresses: readonly string[];
  amounts: readonly bigint[];
  unlockTime: bigint;
  lockType: bigint | number;
}

/** The first gift among the events. With `recipient`, the first gift for this address. */
export function giftAmong(events: Iterable<TimelockCreated>, recipient: string | undefined): Sealed {
  for (const event of events) {
    if (Number(event.lockType) !== GIFT) continue;
    if (recipient !== undefined && event.recipient.toLowerCase() !== recipient.toLowerCase()) continue;
    return {
      timelockId: `${event.timelockId}`,
      giver: event.owner,
      recipient: event.recipient,
      unlockAt: new Date(Number(event.unlockTime) * 1000),
      assets: event.tokenAddresses.map((token, place) => ({ token, units: event.amounts[place] ?? 0n })),
    };
  }
  throw new Error("the transaction sealed no gift");
}
