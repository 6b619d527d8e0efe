/** The people of a legacy, read by the visitor's own wallet, and the calls of the legacy's contracts. */
import { type Abi, encodeFunctionData, getAddress, type Hex } from "viem";
import type { Chain } from "reminder-worker-client";
import { LIFE_TIME_SECONDS } from "reminder-worker-client";
import type { ClaimPreview, LegacyFacts } from "./legacy_facts.ts";
import type { WalletChain } from "./wallet_chain.ts";

/** In a contract's order: the beneficiaries, then the persons of the second and the third line, if there are any. */
export interface People {
  creator: string;
  /** Whose assets are passed on: the creator, or a Safe. */
  owner: string;
  lines: [string[], string[], string[]];
}

export type Line = 1 | 2 | 3;

/** A transaction without ether. */
export interface Call {
  to: string;
  data: Hex;
}

/** A Safe with the visitor among its signers. `isOwner`: it shows the signs of life. */
export interface SafeTask {
  safe: string;
  isOwner: boolean;
}

const define = (name: string, inputs: string[], outputs: string[], stateMutability = "view"): Abi[number] =>
  ({
    type: "function",
    name,
    stateMutability,
    inputs: inputs.map((type) => ({ type })),
    outputs: outputs.map((type) => ({ type })),
  }) as Abi[number];
const READS: Abi = [
  define("creator", [], ["address"]),
  define("getLegacyOwner", [], ["address"]),
  define("getLegacyBeneficiaries", [], ["address[]", "address", "address"]),
  define("getActivationTrigger", [], ["uint256"]),
  define("getTriggerActivationTimestamp", [], ["uint256", "uint256", "uint256"]),
  define("isOwner", ["address"], ["bool"]),
  define("eip712Domain", [], ["bytes1", "string", "string", "uint256", "address", "bytes32", "uint256[]"]),
  define("sponsorNonce", ["address"], ["uint256"]),
];
const ACCOUNT_WRITES: Abi = [
  define("activeLegacy", ["uint256", "address[]", "bool"], [], "nonpayable"),
  define("activeAlive", ["uint256"], [], "nonpayable"),
];
const SAFE_WRITES: Abi = [define("activeLegacy", ["uint256"], [], "nonpayable")];
const YEAR_10000 = 253_402_300_800n;
const NOBODY = /^0x0{40}$/;

export async function peopleOf(chain: WalletChain, legacy: string): Promise<People> {
  const [creator, owner, [first, second, third]] = await Promise.all([
    chain.read<string>(legacy, READS, "creator"),
    chain.read<string>(legacy, READS, "getLegacyOwner"),
    chain.read<[string[], string, string]>(legacy, READS, "getLegacyBeneficiaries"),
  ]);
  const later = (person: string): string[] => (NOBODY.test(person) ? [] : [person]);
  return { creator, owner, lines: [first, later(second), later(third)] };
}

/** The first line that names an account; null for none. */
export function lineOf({ lines }: People, account: string): Line | null {
  const index = lines.findIndex((line) => line.some((each) => isSame(each, account)));
  return index < 0 ? null : ((index + 1) as Line);
}

/** Who shows the signs of life: of a Safe legacy the Safe, whoever created it. */
export function ownerOf({ kind }: LegacyFacts, { creator, owner }: People): string {
  return kind === "safe" ? owner : creator;
}

export function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** Every person whose address is a Safe with the visitor among its signers. */
export async function safesOf(chain: WalletChain, facts: LegacyFacts, people: People): Promise<SafeTask[]> {
  const owner = ownerOf(facts, people);
  const named = [owner, ...people.lines.flat()];
  const unique = named.filter((each, index) => named.findIndex((other) => isSame(other, each)) === index);
  const answers = await Promise.all(
    unique.map((each) => chain.read<boolean>(each, READS, "isOwner", chain.account).catch(() => false)),
  );
  const safes = unique.filter((_, index) => answers[index] === true);
  return safes.map((safe) => ({ safe: getAddress(safe), isOwner: isSame(safe, owner) }));
}

/** The day at which a legacy would open after a check-in in the next block; null for a day without a name. */
export async function dayAfterCheckIn(chain: WalletChain, legacy: string): Promise<Date | null> {
  if ((await openingDay(chain, legacy)) === null) return null;
  const [now, period] = await Promise.all([chain.now(), chain.read<bigint>(legacy, READS, "getActivationTrigger")]);
  return dayAt(BigInt(now) + period);
}

/** The day from which on the first line may claim, at the newest block; null for a day without a name. */
export async function openingDay(chain: WalletChain, legacy: string): Promise<Date | null> {
  const [first = 0n] = await chain.read<bigint[]>(legacy, READS, "getTriggerActivationTimestamp");
  return dayAt(first);
}

/** Of unix seconds. Null for 0, which legacies of an old build say, and for years of more than four digits. */
function dayAt(seconds: bigint): Date | null {
  return seconds > 0n && seconds < YEAR_10000 ? new Date(Number(seconds) * 1000) : null;
}

/** What a signed message needs of a router, for the functions of the package. */
export function termsOf(chain: WalletChain): Chain {
  return {
    async routerTerms(router, signer) {
      const [found, nonce, now] = await Promise.all([
        chain.read<[string, string, string, bigint, string]>(router, READS, "eip712Domain"),
        chain.read<bigint>(router, READS, "sponsorNonce", signer),
        chain.now(),
      ]);
      const [, name, version, chainId, verifyingContract] = found;
      const domain = { name, version, chainId: Number(chainId), verifyingContract };
      return { domain, nonce, deadline: BigInt(now + LIFE_TIME_SECONDS) };
    },
  };
}

/** A sign of life of the owner. A Safe shows one by any transaction: here to itself, of nothing. */
export function checkingIn({ kind, router, legacyId }: LegacyFacts, { owner }: People): Call {
  if (kind === "safe") return { to: owner, data: "0x" };
  return {
    to: router,
    data: encodeFunctionData({ abi: ACCOUNT_WRITES, functionName: "activeAlive", args: [BigInt(legacyId)] }),
  };
}

/** A claim; of a Safe legacy nothing is named. */
export function claiming({ kind, router, legacyId }: LegacyFacts, preview: ClaimPreview): Call {
  const id = BigInt(legacyId);
  if (kind === "safe") {
    return { to: router, data: encodeFunctionData({ abi: SAFE_WRITES, functionName: "activeLegacy", args: [id] }) };
  }
  const { tokens, hasEther } = claimed(preview);
  const args = [id, tokens, hasEther];
  return { to: router, data: encodeFunctionData({ abi: ACCOUNT_WRITES, functionName: "activeLegacy", args }) };
}

/** The tokens of a claim in the order of the preview, and whether ether is claimed with them. */
export function claimed({ assets }: ClaimPreview): { tokens: string[]; hasEther: boolean } {
  const tokens = assets.map(({ token }) => token).filter((token) => token !== null);
  return { tokens, hasEther: tokens.length < assets.length };
}
