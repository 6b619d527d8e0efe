/** What the chain says of a gift before it is reviewed: nothing is printed or signed for one that cannot be sealed. */
import type { Abi } from "viem";
import { plainAmount } from "./amount.ts";
import { isBareContract, isContract } from "./contract_account.ts";
import type { Wish } from "./create_form.ts";
import type { GiverWallet, Token } from "./create_wallet.ts";
import { Wrong } from "./field_errors.ts";
import { phrase } from "./phrases.ts";

const READS: Abi = [
  {
    type: "function",
    name: "balanceOf",
    stateMutability: "view",
    inputs: [{ type: "address" }],
    outputs: [{ type: "uint256" }],
  },
  {
    type: "function",
    name: "isPremium",
    stateMutability: "view",
    inputs: [{ type: "address" }],
    outputs: [{ type: "bool" }],
  },
];
/** More than sealing takes, and than the two approvals that some tokens need. */
const SEALING_GAS = 700_000n;
const APPROVALS_GAS = 150_000n;
const ETHER_DECIMALS = 18;
const SHOWN_DECIMALS = 6;

/** Throws `Wrong` when the wallet has not enough for the gift and the fee. */
export async function checkFunds(wallet: GiverWallet, { token, units }: Wish): Promise<void> {
  const { signer } = wallet;
  const fee = await feeOf(wallet, token);
  const ether = await signer.balance();
  const names = { fee: shown(fee, ETHER_DECIMALS), has: shown(ether, ETHER_DECIMALS) };
  if (token.isEther) {
    if (ether >= units + fee) return;
    const needs = plainAmount(units + fee, ETHER_DECIMALS);
    throw new Wrong(phrase("form-too-little-ether", { ...names, needs }), "amount");
  }
  const has = await signer.read<bigint>(token.address, READS, "balanceOf", signer.account);
  if (has < units) {
    throw new Wrong(phrase("form-too-little", { has: shown(has, token.decimals), symbol: token.symbol }), "amount");
  }
  if (ether < fee) throw new Wrong(phrase("form-no-fee", names), "amount");
}

/** At most, in wei, rounded up. Of a smart wallet somebody else may pay it: it is not asked of its account. */
async function feeOf({ signer }: GiverWallet, token: Token): Promise<bigint> {
  if (isContract(await signer.ask<string>("eth_getCode", signer.account, "latest"))) return 0n;
  const gas = token.isEther ? SEALING_GAS : SEALING_GAS + APPROVALS_GAS;
  const fee = gas * (await signer.gasPrice());
  const step = stepOf(ETHER_DECIMALS);
  return ((fee + step - 1n) / step) * step;
}

/** Without the digits that nobody compares. */
function shown(units: bigint, decimals: number): string {
  return plainAmount(units - (units % stepOf(decimals)), decimals);
}

function stepOf(decimals: number): bigint {
  return 10n ** BigInt(Math.max(decimals - SHOWN_DECIMALS, 0));
}

/** Whether the service makes a recipient's wallet for this giver: one who has sent a transaction, or is Premium. */
export async function mayGiveByEmail({ chain, signer }: GiverWallet): Promise<boolean> {
  if ((await signer.transactionCount()) > 0) return true;
  return signer.read<boolean>(chain.premiumSetting, READS, "isPremium", signer.account);
}

/** Sentences about an address that may be right, and is asked about once more. */
export async function doubtsAbout({ signer }: GiverWallet, address: string): Promise<string[]> {
  if (address === signer.account) return [phrase("doubt-own")];
  const isBare = await isBareContract((method, params) => signer.ask(method, ...params), address);
  return isBare ? [phrase("destination-bare-contract")] : [];
}
