/** The chain and the account behind a wallet, by the wallet's own connection (EIP-1193); nothing is kept in memory. */
import "./old_phones.ts";
import { type Abi, decodeFunctionResult, encodeFunctionData, getAddress, type Hex, type RpcLog } from "viem";
import type { Wallet as Signing } from "reminder-worker-client";
import { Wrong } from "./field_errors.ts";
import { phrase } from "./phrases.ts";
import { typedDataJson } from "./typed_data.ts";
import { codeOf, DECLINED, type Wallet, wordsOf } from "./wallets.ts";

interface Block {
  timestamp: Hex;
  baseFeePerGas?: Hex;
}

interface Sent {
  hash: string;
  from: string;
  to: string | null;
  nonce: Hex;
  input: string;
  value: Hex;
}

export interface Receipt {
  /** Of the transaction that took the first one's place, if one did. */
  transactionHash: string;
  status: Hex;
  blockNumber: Hex;
  logs: RpcLog[];
}

const ASK_AGAIN_MILLISECONDS = 2_000;
const USUAL_TIP = 1_000_000_000n;

/** Names of messages: why a transaction was not sent, or did nothing. */
export interface SendWords {
  tooLittle: string;
  wouldFail: string;
  failed: string;
}

const GIVER_WORDS: SendWords = { tooLittle: "giver-too-little", wouldFail: "giver-refused", failed: "sealing-refused" };

export class WalletChain implements Signing {
  private constructor(
    private readonly wallet: Wallet,
    private readonly chainId: number,
    /** EIP-55. */
    readonly account: string,
    private readonly words: SendWords,
  ) {}

  /** The wallet is on this chain already, and connected. */
  static async open(wallet: Wallet, chainId: number, words: SendWords = GIVER_WORDS): Promise<WalletChain> {
    const [account] = (await wallet.provider.request({ method: "eth_accounts" })) as string[];
    if (account === undefined) throw new Error("The wallet names no account.");
    return new WalletChain(wallet, chainId, getAddress(account), words);
  }

  ask<T>(method: string, ...params: unknown[]): Promise<T> {
    return this.wallet.provider.request({ method, params }) as Promise<T>;
  }

  async address(): Promise<string> {
    return this.account;
  }

  sign(message: Parameters<Signing["sign"]>[0]): Promise<string> {
    return this.ask("eth_signTypedData_v4", this.account.toLowerCase(), typedDataJson(message));
  }

  async read<T>(contract: string, abi: Abi, functionName: string, ...args: unknown[]): Promise<T> {
    const call = { to: contract, data: encodeFunctionData({ abi, functionName, args }) };
    const data = await this.ask<Hex>("eth_call", call, "latest");
    return decodeFunctionResult({ abi, functionName, args, data }) as T;
  }

  /** Unix seconds of the newest block. */
  async now(): Promise<number> {
    return Number((await this.block("latest")).timestamp);
  }

  /** The number of the newest final block; -1 while nobody says, and while the wallet is on another chain. */
  async finalBlock(): Promise<number> {
    const block = await this.ask<{ number: Hex } | null>("eth_getBlockByNumber", "finalized", false).catch(() => null);
    return block !== null && (await this.isHere()) ? Number(block.number) : -1;
  }

  private isHere(): Promise<boolean> {
    return this.ask<Hex>("eth_chainId").then(
      (id) => Number(id) === this.chainId,
      () => false,
    );
  }

  /** The number of the newest block. */
  async newest(): Promise<number> {
    return Number(await this.ask<Hex>("eth_blockNumber"));
  }

  async block(number: string): Promise<Block> {
    const block = await this.ask<Block | null>("eth_getBlockByNumber", number, false);
    if (block === null) throw new Error("The chain does not answer.");
    return block;
  }

  async balance(): Promise<bigint> {
    return BigInt(await this.ask<Hex>("eth_getBalance", this.account, "latest"));
  }

  /** How many transactions of an account are mined. */
  async transactionCount(account: string = this.account): Promise<number> {
    return Number(await this.ask<Hex>("eth_getTransactionCount", account, "latest"));
  }

  /** The most that a unit of gas may cost, in wei. */
  async gasPrice(): Promise<bigint> {
    const { baseFeePerGas } = await this.block("latest");
    if (baseFeePerGas === undefined) return BigInt(await this.ask<Hex>("eth_gasPrice"));
    const tip = await this.ask<Hex>("eth_maxPriorityFeePerGas").then(BigInt, () => USUAL_TIP);
    return 2n * BigInt(baseFeePerGas) + tip;
  }

  /** Return the hash. Throws `Wrong` before the wallet asks anybody when the chain would refuse it. The wallet may be on
   * another chain by now, where ether sent to this address is lost: it refuses by the chain's id. */
  async send({ to, data, value }: { to: string; data: string; value: bigint }): Promise<string> {
    const transaction = { from: this.account, to, data, value: hex(value), chainId: hex(this.chainId) };
    try {
      const gas = await this.ask<Hex>("eth_estimateGas", transaction);
      return await this.ask<string>("eth_sendTransaction", { ...transaction, gas });
    } catch (error) {
      throw refused(error, this.words);
    }
  }

  /**
   * Wait for the transaction, however long it takes: it is under way also while nobody answers. The wallet may have sent
   * it once more for a higher fee: this one is found by its number. `since`: the number of a block before it was sent.
   * Throws `Wrong` for a transaction that the chain refused. Throws `Error` for another in its place.
   */
  async mined(hash: string, since: number): Promise<Receipt> {
    let sent: Sent | null = null;
    for (;;) {
      const receipt = await this.receipt(hash);
      if (receipt !== null) return receipt;
      sent ??= await this.ask<Sent | null>("eth_getTransactionByHash", hash).catch(() => null);
      const other = sent === null ? null : await this.inPlaceOf(sent, since).catch(() => null);
      if (sent !== null && other !== null && other.hash !== hash) {
        if (!isSame(sent, other)) throw new Error("Another transaction took its place.");
        hash = other.hash;
      } else {
        await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MILLISECONDS));
      }
    }
  }

  /** Return null before it is mined and without an answer. Throws `Wrong` when the chain refused it. */
  private async receipt(hash: string): Promise<Receipt | null> {
    const receipt = await this.ask<Receipt | null>("eth_getTransactionReceipt", hash).catch(() => null);
    if (receipt !== null && Number(receipt.status) === 0) throw new Wrong(phrase(this.words.failed));
    return receipt;
  }

  /** The mined transaction of the same account with the same number. */
  private async inPlaceOf(sent: Sent, since: number): Promise<Sent | null> {
    if (!(await this.isHere())) return null;
    if ((await this.transactionCount(sent.from)) <= Number(sent.nonce)) return null;
    const newest = await this.newest();
    for (let number = newest; number >= since; number -= 1) {
      const block = await this.ask<{ transactions: Sent[] } | null>("eth_getBlockByNumber", hex(number), true);
      const found = block?.transactions.find((each) => isFrom(each, sent.from) && each.nonce === sent.nonce);
      if (found !== undefined) return found;
    }
    return null;
  }
}

function isFrom(transaction: Sent, account: string): boolean {
  return transaction.from.toLowerCase() === account.toLowerCase();
}

function isSame(one: Sent, other: Sent): boolean {
  return one.to?.toLowerCase() === other.to?.toLowerCase() && one.input === other.input && one.value === other.value;
}

/** Return the error to throw: with a sentence for people for a known reason. */
function refused(error: unknown, words: SendWords): unknown {
  const said = wordsOf(error);
  if (codeOf(error) === DECLINED) return error;
  if (/insufficient funds/i.test(said)) return new Wrong(phrase(words.tooLittle), undefined, { cause: error });
  if (/revert/i.test(said)) return new Wrong(phrase(words.wouldFail), undefined, { cause: error });
  return error;
}

function hex(number: number | bigint): Hex {
  return `0x${number.toString(16)}`;
}
