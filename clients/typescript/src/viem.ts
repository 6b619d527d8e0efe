/** Signs and reads by viem 2. */
import {
  type Account,
  encodeFunctionData,
  encodeEventTopics,
  type Hex,
  type LocalAccount,
  type Log,
  parseEventLogs,
  type PublicClient,
  type WalletClient,
} from "viem";
import { ROUTER_ABI, SEALING_ABI } from "./abi.ts";
import { LIFE_TIME_SECONDS } from "./messages.ts";
import { type ContractCall, giftAmong, type Sealed } from "./sealing.ts";
import type { Chain, Wallet } from "./signing.ts";

/** The signer is a wallet client with its account, or a local account. */
export function walletOf(signer: LocalAccount | (WalletClient & { account: Account })): Wallet {
  const address = "account" in signer ? signer.account.address : signer.address;
  return {
    address: () => Promise.resolve(address),
    sign: ({ domain, types, primaryType, message }) => {
      const typed = { domain, types, primaryType, message } as never; // viem's types know only literal ones
      return "account" in signer ? signer.signTypedData(typed) : signer.signTypedData(typed);
    },
  };
}

export function chainOf(client: PublicClient): Chain {
  return {
    async routerTerms(router, signer) {
      const contract = { address: router as Hex, abi: ROUTER_ABI };
      const [found, nonce, head] = await Promise.all([
        client.readContract({ ...contract, functionName: "eip712Domain" }),
        client.readContract({ ...contract, functionName: "sponsorNonce", args: [signer as Hex] }),
        client.getBlock(),
      ]);
      const [, name, version, chainId, verifyingContract] = found;
      const domain = { name, version, chainId: Number(chainId), verifyingContract };
      return { domain, nonce, deadline: head.timestamp + BigInt(LIFE_TIME_SECONDS) };
    },
  };
}

/** A transaction for a wallet client's `sendTransaction`. */
export function encode({ to, functionName, args, value }: ContractCall): { to: Hex; data: Hex; value: bigint } {
  return { to: to as Hex, data: encodeFunctionData({ abi: SEALING_ABI, functionName, args } as never), value };
}

/**
 * What logs say was sealed in the ERC-20 vault (TimelockERC20). Of a transaction name the `recipient`: a smart wallet's
 * may hold gifts of strangers too, whom the same bundler serves, or several of the giver's own. Throws when there is no
 * gift.
 */
export function sealedIn(logs: readonly Log[], vault: string, recipient?: string): Sealed {
  const ofVault = logs.filter((log) => log.address.toLowerCase() === vault.toLowerCase());
  const events = parseEventLogs({ abi: SEALING_ABI, eventName: "TimelockCreated", logs: ofVault });
  return giftAmong(
    events.map(({ args }) => args),
    recipient,
  );
}

/** For `eth_getLogs`: where a gift was sealed. */
export function sealedTopics(timelockId: string): Hex[] {
  const topics = encodeEventTopics({
    abi: SEALING_ABI,
    eventName: "TimelockCreated",
    args: { timelockId: BigInt(timelockId) },
  });
  return topics.flat().filter((topic): topic is Hex => topic !== null);
}
