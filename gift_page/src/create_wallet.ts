/** The giver's wallet and what the create page reads through it: tokens, the chain's clock, what was sealed. */
import {
  BrowserProvider,
  Contract,
  isError,
  type JsonRpcSigner,
  type TransactionReceipt,
  type TransactionRequest,
  type TransactionResponse,
} from "ethers";
import { Wrong } from "./field_errors.ts";
import { phrase } from "./phrases.ts";
import { encode, sealedIn, sealedTopics } from "reminder-worker-client/ethers";
import { approvals, type ContractCall, type NewGift, type Sealed, sealing } from "reminder-worker-client/sealing";
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

const TOKEN_ABI = [
  "function symbol() view returns (string)",
  "function decimals() view returns (uint8)",
  "function allowance(address owner, address spender) view returns (uint256)",
];
const ROUTER_ABI = [
  "function eip712Domain() view returns (bytes1, string, string version, uint256, address, bytes32, uint256[])",
];
const WHITE_LIST_ABI = ["function getWhitelist() view returns (address[])"];
const WRAPPED_ETHER = "WETH";
const MINUTES_TO_SEAL = 60n;
const ASK_AGAIN_MILLISECONDS = 2_000;

export class GiverWallet {
  private constructor(
    readonly chain: Chain,
    readonly signer: JsonRpcSigner,
    readonly tokens: readonly Token[],
    /** How far the chain's clock is ahead of this device's, in milliseconds: on a local chain, months. */
    readonly clockAhead: number,
    /** True for version 2 of the router: a recipient may name another wallet. */
    readonly asksWhere: boolean,
  ) {}

  static async connect(wallet: Wallet, chain: Chain): Promise<GiverWallet> {
    await new BrowserProvider(wallet.provider).send("eth_requestAccounts", []);
    await goToChain(wallet, chain);
    // Nothing is answered from memory: before and after an approval the chain's clock is another.
    const provider = new BrowserProvider(wallet.provider, chain.chainId, { staticNetwork: true, cacheTimeout: -1 });
    provider.pollingInterval = 1000;
    const tokens = await tokensOf(provider, chain);
    const head = await latest(provider);
    const router = new Contract(chain.router, ROUTER_ABI, provider);
    const { version } = (await router.getFunction("eip712Domain").staticCall()) as { version: string };
    return new GiverWallet(chain, await provider.getSigner(), tokens, head * 1000 - Date.now(), version === "2");
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
    const carryOut = async (call: ContractCall, number: number): Promise<TransactionReceipt | null> => {
      const which = { number, all: before.length + 1 };
      said(phrase("sealing-confirm", which));
      // The wallet may be on another chain by now, where ether sent to this address is lost: it refuses by this.
      const sent = await this.send({ ...encode(call), chainId: this.chain.chainId });
      said(phrase("sealing-on-its-way", which));
      return typeof sent === "string" ? receiptOf(this.signer.provider, sent) : mined(sent);
    };
    for (const [index, approval] of before.entries()) await carryOut(approval, index + 1);
    const last = sealing({ ...gift, ...(await this.terms(opensAt)) });
    const receipt = await carryOut(last, before.length + 1);
    if (receipt === null) throw new Error("The transaction was not seen on the chain.");
    return sealedIn(receipt.logs, this.chain.vault, recipient);
  }

  /** From now on, by the chain's clock. */
  private async terms(opensAt: Date): Promise<Pick<NewGift, "duration" | "deadline">> {
    const now = BigInt(await latest(this.signer.provider));
    const duration = BigInt(Math.ceil(opensAt.getTime() / 1000)) - now;
    if (duration <= 0n) throw new Wrong(phrase("sealing-too-late"));
    return { duration, deadline: now + MINUTES_TO_SEAL * 60n };
  }

  /** Looks up a gift that was sealed before. */
  async sealed(timelockId: string): Promise<SealedOnChain> {
    const logs = await this.signer.provider.getLogs({
      address: this.chain.vault,
      topics: sealedTopics(timelockId),
      fromBlock: 0,
    });
    const [log] = logs;
    if (log === undefined) throw new Error("The chain knows no such gift.");
    const found = await this.signer.provider.getBlock(log.blockNumber);
    if (found === null) throw new Error("The chain does not answer.");
    const sealedAt = new Date(found.timestamp * 1000);
    return { ...sealedIn(logs, this.chain.vault), transaction: log.transactionHash, sealedAt };
  }

  /** Its assets as they are named on a record: of a token that is whitelisted no more the base units. */
  named(sealed: Sealed): { symbol: string; units: bigint; decimals: number }[] {
    return sealed.assets.map(({ token, units }) => {
      const known = this.tokens.find(({ address }) => address.toLowerCase() === token.toLowerCase());
      return { symbol: known?.symbol ?? phrase("record-base-units", { token }), decimals: known?.decimals ?? 0, units };
    });
  }

  /** Its hash alone, where the wallet's node does not show it well: it is under way all the same. */
  private async send(transaction: TransactionRequest): Promise<TransactionResponse | string> {
    try {
      return await this.signer.sendTransaction(transaction);
    } catch (error) {
      const hash = (error as { info?: { sendTransactionHash?: string } } | null)?.info?.sendTransactionHash;
      if (hash === undefined) throw error;
      return hash;
    }
  }

  private async asset(token: Token, units: bigint): Promise<NewGift["asset"]> {
    if (token.isEther) return { wrappedEther: token.address, wei: units };
    const contract = new Contract(token.address, TOKEN_ABI, this.signer.provider);
    const allowance = (await contract.getFunction("allowance")(this.signer.address, this.chain.router)) as bigint;
    return { token: token.address, amount: units, allowance };
  }
}

/** Asks however long it takes: what was sent is under way also while nobody answers, and not to be sent again. */
async function mined(sent: TransactionResponse): Promise<TransactionReceipt | null> {
  for (;;) {
    try {
      return await sent.wait();
    } catch (error) {
      // A wallet that was asked to hurry has sent the same once more.
      if (isError(error, "TRANSACTION_REPLACED") && error.reason === "repriced") return error.receipt;
      if (isError(error, "TRANSACTION_REPLACED") || isError(error, "CALL_EXCEPTION")) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MILLISECONDS));
  }
}

/** Wait like `mined`, for a transaction known by its hash. */
async function receiptOf(provider: JsonRpcSigner["provider"], hash: string): Promise<TransactionReceipt> {
  for (;;) {
    const receipt = await provider.getTransactionReceipt(hash).catch(() => null);
    if (receipt?.status === 0) throw new Wrong(phrase("sealing-refused"));
    if (receipt !== null) return receipt;
    await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MILLISECONDS));
  }
}

async function latest(provider: BrowserProvider | JsonRpcSigner["provider"]): Promise<number> {
  const block = await provider.getBlock("latest");
  if (block === null) throw new Error("The chain does not answer.");
  return block.timestamp;
}

/** Those a gift may be made of, ether first; tokens that do not tell a name are left out. */
async function tokensOf(provider: BrowserProvider, chain: Chain): Promise<Token[]> {
  const list = new Contract(chain.tokenWhiteList, WHITE_LIST_ABI, provider);
  const addresses = [...((await list.getFunction("getWhitelist")()) as string[])];
  const found = await Promise.all(addresses.map((address) => tokenAt(provider, address)));
  const tokens = found.filter((token) => token !== undefined);
  return tokens.sort((a, b) => Number(b.isEther) - Number(a.isEther));
}

async function tokenAt(provider: BrowserProvider, address: string): Promise<Token | undefined> {
  const contract = new Contract(address, TOKEN_ABI, provider);
  try {
    const [symbol, decimals] = await Promise.all([
      contract.getFunction("symbol")() as Promise<string>,
      contract.getFunction("decimals")() as Promise<bigint>,
    ]);
    const isEther = symbol === WRAPPED_ETHER && decimals === 18n;
    return { address, symbol: isEther ? "ETH" : symbol, decimals: Number(decimals), isEther };
  } catch {
    return undefined;
  }
}
