/** The giver's wallet and what the create page reads through it: tokens, the chain's clock, what was sealed. */
import type { Abi, Log, RpcLog } from "viem";
import { Wrong } from "./field_errors.ts";
import { phrase } from "./phrases.ts";
import { encode, sealedIn, sealedTopics } from "reminder-worker-client/viem";
import { approvals, type ContractCall, type NewGift, type Sealed, sealing } from "reminder-worker-client/sealing";
import { type Receipt, WalletChain } from "./wallet_chain.ts";
import { goToChain, type Wallet } from "./wallets.ts";

/** What the server tells the page. */
export interface Chain {
  chainId: number;
  chainName: string;
  router: string;
  vault: string;
  tokenWhiteList: string;
  premiumSetting: string;
  /** Of the protocol: what is sealed for them is lost. */
  contracts: string[];
  explorerUrl: string | null;
}

export interface Token {
  address: string;
  /** `ETH` where wrapped ether is meant: it is given and received as ether. */
  symbol: string;
  decimals: number;
  isEther: boolean;
}

/** A sealed gift with the place it has on chain. */
export interface SealedOnChain extends Sealed {
  transaction: string;
  sealedAt: Date;
}

const view = (name: string, inputs: string[], outputs: string[]): Abi[number] => ({
  type: "function",
  name,
  stateMutability: "view",
  inputs: inputs.map((type) => ({ type })),
  outputs: outputs.map((type) => ({ type })),
});
const READS: Abi = [
  view("symbol", [], ["string"]),
  view("decimals", [], ["uint8"]),
  view("allowance", ["address", "address"], ["uint256"]),
  view("getWhitelist", [], ["address[]"]),
  view("eip712Domain", [], ["bytes1", "string", "string", "uint256", "address", "bytes32", "uint256[]"]),
];
const WRAPPED_ETHER = "WETH";
const MINUTES_TO_SEAL = 60n;

export class GiverWallet {
  private constructor(
    readonly chain: Chain,
    readonly signer: WalletChain,
    readonly tokens: readonly Token[],
    /** How far the chain's clock is ahead of this device's, in milliseconds: on a local chain, months. */
    readonly clockAhead: number,
    /** True for version 2 of the router: a recipient may name another wallet. */
    readonly asksWhere: boolean,
  ) {}

  static async connect(wallet: Wallet, chain: Chain): Promise<GiverWallet> {
    await wallet.provider.request({ method: "eth_requestAccounts" });
    await goToChain(wallet, chain);
    const signer = await WalletChain.open(wallet, chain.chainId);
    const tokens = await tokensOf(signer, chain);
    const ahead = (await signer.now()) * 1000 - Date.now();
    const [, , version] = await signer.read<string[]>(chain.router, READS, "eip712Domain");
    return new GiverWallet(chain, signer, tokens, ahead, version === "2");
  }

  /** Seals it; `said` is told what the wallet is about to ask. Throws `Wrong` when the gift would be open at once:
   * asked before anything is sent, and once more when it is approved, which may take long. */
  async seal(
    recipient: string,
    token: Token,
    units: bigint,
    opensAt: Date,
    said: (step: string) => void,
  ): Promise<Sealed> {
    await this.terms(opensAt);
    const gift = { router: this.chain.router, recipient, asset: await this.asset(token, units) };
    const before = approvals(gift);
    const carryOut = async (call: ContractCall, number: number): Promise<Receipt> => {
      const which = { number, all: before.length + 1 };
      said(phrase("sealing-confirm", which));
      const since = await this.signer.newest();
      const hash = await this.signer.send(encode(call));
      said(phrase("sealing-on-its-way", which));
      return this.signer.mined(hash, since);
    };
    for (const [index, approval] of before.entries()) await carryOut(approval, index + 1);
    const last = sealing({ ...gift, ...(await this.terms(opensAt)) });
    const receipt = await carryOut(last, before.length + 1);
    return sealedIn(read(receipt.logs), this.chain.vault, recipient);
  }

  /** From now on, by the chain's clock. */
  private async terms(opensAt: Date): Promise<Pick<NewGift, "duration" | "deadline">> {
    const now = BigInt(await this.signer.now());
    const duration = BigInt(Math.ceil(opensAt.getTime() / 1000)) - now;
    if (duration <= 0n) throw new Wrong(phrase("sealing-too-late"));
    return { duration, deadline: now + MINUTES_TO_SEAL * 60n };
  }

  /** Looks up a gift that was sealed before. */
  async sealed(timelockId: string): Promise<SealedOnChain> {
    const filter = { address: this.chain.vault, topics: sealedTopics(timelockId), fromBlock: "0x0" };
    const logs = await this.signer.ask<RpcLog[]>("eth_getLogs", filter);
    const [log] = logs;
    if (log?.blockNumber == null) throw new Error("The chain knows no such gift.");
    const { timestamp } = await this.signer.block(log.blockNumber);
    const sealedAt = new Date(Number(timestamp) * 1000);
    return { ...sealedIn(read(logs), this.chain.vault), transaction: log.transactionHash ?? "", sealedAt };
  }

  /** Its assets as they are named on a record: of a token that is whitelisted no more the base units. */
  named(sealed: Sealed): { symbol: string; units: bigint; decimals: number }[] {
    return sealed.assets.map(({ token, units }) => {
      const known = this.tokens.find(({ address }) => address.toLowerCase() === token.toLowerCase());
      return { symbol: known?.symbol ?? phrase("record-base-units", { token }), decimals: known?.decimals ?? 0, units };
    });
  }

  private async asset(token: Token, units: bigint): Promise<NewGift["asset"]> {
    if (token.isEther) return { wrappedEther: token.address, wei: units };
    const { account } = this.signer;
    const allowance = await this.signer.read<bigint>(token.address, READS, "allowance", account, this.chain.router);
    return { token: token.address, amount: units, allowance };
  }
}

/** Logs as a node answers them; `sealedIn` reads numbers as hex, too. */
function read(logs: RpcLog[]): Log[] {
  return logs as unknown as Log[];
}

/** Those a gift may be made of, ether first; tokens that do not tell a name are left out. */
async function tokensOf(chain: WalletChain, { tokenWhiteList }: Chain): Promise<Token[]> {
  const addresses = await chain.read<string[]>(tokenWhiteList, READS, "getWhitelist");
  const found = await Promise.all(addresses.map((address) => tokenAt(chain, address)));
  const tokens = found.filter((token) => token !== undefined);
  return tokens.sort((a, b) => Number(b.isEther) - Number(a.isEther));
}

async function tokenAt(chain: WalletChain, address: string): Promise<Token | undefined> {
  try {
    const [symbol, decimals] = await Promise.all([
      chain.read<string>(address, READS, "symbol"),
      chain.read<number>(address, READS, "decimals"),
    ]);
    const isEther = symbol === WRAPPED_ETHER && decimals === 18;
    return { address, symbol: isEther ? "ETH" : symbol, decimals, isEther };
  } catch {
    return undefined;
  }
}
