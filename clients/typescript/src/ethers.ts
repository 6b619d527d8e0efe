/** Signs and reads by ethers 6. */
import { Contract, Interface, type Log, type Provider, type Signer, type TypedDataField } from "ethers";
import { ROUTER_ABI, SEALING_ABI } from "./abi.ts";
import { type Domain, LIFE_TIME_SECONDS } from "./messages.ts";
import { type ContractCall, giftAmong, type Sealed, type TimelockCreated } from "./sealing.ts";
import type { Chain, Wallet } from "./signing.ts";

const SEALING = new Interface(SEALING_ABI);

export function walletOf(signer: Signer): Wallet {
  return {
    address: () => signer.getAddress(),
    sign: ({ domain, types, message }) =>
      signer.signTypedData(domain, types as Record<string, TypedDataField[]>, message),
  };
}

export function chainOf(provider: Provider): Chain {
  return {
    async routerTerms(router, signer) {
      const contract = new Contract(router, ROUTER_ABI, provider);
      const [found, nonce, head] = await Promise.all([
        contract.getFunction("eip712Domain").staticCall(),
        contract.getFunction("sponsorNonce").staticCall(signer) as Promise<bigint>,
        provider.getBlock("latest"),
      ]);
      if (head === null) throw new Error("the chain does not answer");
      const [, name, version, chainId, verifyingContract] = found as [string, string, string, bigint, string];
      const domain: Domain & { verifyingContract: string } = {
        name,
        version,
        chainId: Number(chainId),
        verifyingContract,
      };
      return { domain, nonce, deadline: BigInt(head.timestamp + LIFE_TIME_SECONDS) };
    },
  };
}

/** A transaction for `signer.sendTransaction`; add the `chainId`. */
export function encode({ to, functionName, args, value }: ContractCall): { to: string; data: string; value: bigint } {
  return { to, data: SEALING.encodeFunctionData(functionName, args), value };
}

/**
 * What logs say was sealed in the ERC-20 vault (TimelockERC20). Of a transaction name the `recipient`: a smart wallet's
 * may hold gifts of strangers too, whom the same bundler serves, or several of the giver's own. Throws when there is no
 * gift.
 */
export function sealedIn(
  logs: readonly Pick<Log, "address" | "topics" | "data">[],
  vault: string,
  recipient?: string,
): Sealed {
  const events = logs.flatMap((log): TimelockCreated[] => {
    const event = log.address.toLowerCase() === vault.toLowerCase() ? SEALING.parseLog(log) : null;
    return event?.name === "TimelockCreated" ? [event.args.toObject() as TimelockCreated] : [];
  });
  return giftAmong(events, recipient);
}

/** For `eth_getLogs`: where a gift was sealed. */
export function sealedTopics(timelockId: string): string[] {
  return SEALING.encodeFilterTopics("TimelockCreated", [BigInt(timelockId)])
    .flat()
    .filter((topic) => topic !== null);
}
