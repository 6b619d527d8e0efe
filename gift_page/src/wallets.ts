/**
 * The wallets of this browser (EIP-6963, EIP-1193). What is read of the chain is read by the wallet's own connection.
 */
import type { Facts } from "./facts.ts";
import { phrase } from "./phrases.ts";
import { typedDataJson } from "./typed_data.ts";
import type { GiftSigner } from "./withdraw_auth.ts";
import { InWords, shortly } from "./words.ts";

interface Provider {
  request(call: { method: string; params?: unknown[] }): Promise<unknown>;
}

export interface Wallet {
  name: string;
  /** A `data:` URI; empty when there is none that may be shown. */
  icon: string;
  provider: Provider;
}

interface Announcement {
  info?: { uuid?: unknown; name?: unknown; icon?: unknown };
  provider?: Provider;
}

const MOST_NAME_CHARACTERS = 40;
/** When `window.ethereum` is looked at: the browsers inside wallet apps may bring it late, and say nothing. */
const ALONE_MILLISECONDS = [400, 1_500, 5_000];
/** How long a wallet may take to show the network that it has switched to. */
const SWITCH_MILLISECONDS = 2_000;
const LOOK_MILLISECONDS = 50;
const WITHDRAW = "0x38d07436"; // withdraw(uint256,bool)
const FUNDS_WITHDRAWN = "0x6141b54b56b8a52a8c6f5cd2a857f6117b18ffbf4d46bd3106f300a839cbf5ea"; // (uint256,address)
export const DECLINED = 4001;
const UNKNOWN_CHAIN = 4902;
const PENDING = -32002;

/** Call `tell` with all known wallets whenever a new wallet appears, however late. */
export function discover(tell: (wallets: Wallet[]) => void): void {
  const found = new Map<string, Wallet>();
  window.addEventListener("eip6963:announceProvider", (event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail ?? {};
    if (typeof provider?.request !== "function" || typeof info?.name !== "string") return;
    const icon =
      typeof info.icon === "string" && /^data:image\/(png|svg\+xml|webp|jpeg)[;,]/.test(info.icon) ? info.icon : "";
    found.delete(""); // the same wallet, most likely, by its older door
    found.set(String(info.uuid), { name: info.name.slice(0, MOST_NAME_CHARACTERS), icon, provider });
    tell([...found.values()]);
  });
  window.dispatchEvent(new Event("eip6963:requestProvider"));
  const lookForAlone = (): void => {
    const { ethereum } = window as { ethereum?: Provider }; // older ones, and the browsers inside wallet apps
    if (found.size > 0 || typeof ethereum?.request !== "function") return;
    found.set("", { name: phrase("wallet-of-browser"), icon: "", provider: ethereum });
    tell([...found.values()]);
  };
  window.addEventListener("ethereum#initialized", lookForAlone);
  for (const pause of ALONE_MILLISECONDS) setTimeout(lookForAlone, pause);
}

/** Connects; the account has to be the recipient's, and the wallet on the gift's network. Throws `InWords`. */
export async function connect(wallet: Wallet, facts: Facts): Promise<GiftSigner> {
  const answer = await call(wallet, "eth_requestAccounts");
  const accounts = (Array.isArray(answer) ? answer : []).map(String);
  const address = accounts.find((each) => each.toLowerCase() === facts.recipient.toLowerCase());
  if (address === undefined) {
    const [account] = accounts;
    const names = { wallet: wallet.name, recipient: shortly(facts.recipient) };
    throw new InWords(
      account === undefined
        ? phrase("wallet-no-account", names)
        : phrase("wallet-other-account", { ...names, account: shortly(account) }),
    );
  }
  await goToChain(wallet, facts);
  return {
    address,
    sign: async (message) => (await call(wallet, "eth_signTypedData_v4", [address, typedDataJson(message)])) as string,
  };
}

/** The account that it uses now. Throws `InWords`. */
export async function accountOf(wallet: Wallet): Promise<string> {
  const answer = await call(wallet, "eth_requestAccounts");
  const account: unknown = Array.isArray(answer) ? answer[0] : undefined;
  if (typeof account !== "string") throw new InWords(phrase("wallet-names-none", { wallet: wallet.name }));
  return account;
}

/** The recipient's own transaction, whose fee they pay. Its hash. Throws `InWords`. */
export async function sendWithdrawal(wallet: Wallet, facts: Facts, from: string, skipSwap: boolean): Promise<string> {
  const data = WITHDRAW + word(facts.timelockId) + word(skipSwap ? 1 : 0);
  const transaction = { from, to: facts.router, data, value: "0x0" };
  await call(wallet, "eth_call", [transaction, "latest"]);
  // The wallet may be taken to another chain while it asks, where this does nothing and succeeds: it refuses by this.
  const chainId = `0x${facts.chainId.toString(16)}`;
  return (await call(wallet, "eth_sendTransaction", [{ ...transaction, chainId }])) as string;
}

interface Receipt {
  status?: string;
  logs?: { topics: string[] }[];
}

/**
 * Return whether the transaction paid out the gift, null before it is mined. A success without the gift is null, too:
 * for a smart wallet only the outer call succeeded, and the gift itself shows the result.
 */
export async function outcome(wallet: Wallet, hash: string, timelockId: string): Promise<boolean | null> {
  const receipt = (await call(wallet, "eth_getTransactionReceipt", [hash])) as Receipt | null;
  if (receipt === null) return null;
  if (receipt.status === "0x0") return false;
  const id = `0x${word(timelockId)}`;
  const isPaid = receipt.logs?.some(({ topics: [event, which] }) => event === FUNDS_WITHDRAWN && which === id) ?? false;
  return isPaid ? true : null;
}

/** 32 bytes as 64 hex digits. */
function word(number: string | number): string {
  return BigInt(number).toString(16).padStart(64, "0");
}

/** Throws `InWords`. */
export async function goToChain(wallet: Wallet, chain: { chainId: number; chainName: string }): Promise<void> {
  const wanted = `0x${chain.chainId.toString(16)}`;
  if (Number(await call(wallet, "eth_chainId")) === chain.chainId) return;
  const names = { wallet: wallet.name, network: chain.chainName, number: String(chain.chainId) };
  try {
    await wallet.provider.request({ method: "wallet_switchEthereumChain", params: [{ chainId: wanted }] });
  } catch (error) {
    throw new InWords(
      phrase(codeOf(error) === UNKNOWN_CHAIN ? "wallet-unknown-network" : "wallet-other-network", names),
    );
  }
  if (!(await isShown(wallet, chain.chainId))) throw new InWords(phrase("wallet-choose-network", names));
}

/** Whether the wallet shows this network within two seconds. While it switches, it may answer with an error. */
async function isShown(wallet: Wallet, chainId: number): Promise<boolean> {
  const end = performance.now() + SWITCH_MILLISECONDS;
  for (;;) {
    const shown = await call(wallet, "eth_chainId").catch(() => null);
    if (Number(shown) === chainId) return true;
    if (performance.now() > end) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MILLISECONDS));
  }
}

async function call(wallet: Wallet, method: string, params: unknown[] = []): Promise<unknown> {
  try {
    return await wallet.provider.request({ method, params });
  } catch (error) {
    throw new InWords(whatWentWrong(wallet, error));
  }
}

// Selectors of the vaults' own errors.
const REVERTS: Record<string, string> = {
  "0xc201b252": "locked",
  "0x22d4f125": "already-opened",
  "0xea8e4eb5": "wallet-wrong-recipient",
  "0x67e3990d": "wallet-empty-gift",
};

/** Return the reason in words of the page; no stranger's words are repeated. */
export function whatWentWrong(wallet: Wallet, error: unknown): string {
  const code = codeOf(error);
  const names = { wallet: wallet.name };
  if (code === DECLINED) return phrase("wallet-declined", names);
  if (code === PENDING) return phrase("wallet-pending", names);
  const said = wordsOf(error);
  const selector = Object.keys(REVERTS).find((each) => said.includes(each));
  if (selector !== undefined) return phrase(REVERTS[selector] ?? "");
  if (/insufficient funds/i.test(said)) return phrase("wallet-no-ether");
  return phrase("wallet-failed", names);
}

/** Return all text of a wallet's error, from every part of the error. */
export function wordsOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error);
  try {
    return JSON.stringify([error, message]);
  } catch {
    return message; // it holds a bigint, or itself
  }
}

/** Return an error's code. MetaMask on phones has the wallet's own code inside of a general one. */
export function codeOf(error: unknown): number | undefined {
  const { code, data } = (error ?? {}) as {
    code?: unknown;
    data?: { originalError?: { code?: unknown } | null } | null;
  };
  return [data?.originalError?.code, code].find((each) => typeof each === "number");
}
