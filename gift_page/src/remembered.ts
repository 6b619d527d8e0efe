/**
 * Memory of this tab about a gift in progress, for a reload: never a key, a signature, an email address or a
 * message.
 */
import { phrase } from "./phrases.ts";

/** By what a gift is opened. */
export type Way = "paper" | "email" | "wallet";

/** A request that the service relays. `what` it brings, in words: of a gift that was paid out no chain tells any more.
 * `deadline` of what was signed, unix seconds by the chain's clock; a page from before an update kept none. */
export interface Relayed {
  id: string;
  way: Way;
  what: string;
  deadline?: number;
  /** The destination that was named. */
  payTo?: string;
}

/**
 * The recipient's own transaction, by its public hash; null while the wallet asks whether to send it. `what` as above.
 */
export interface Paid {
  hash: string | null;
  what: string;
}

/** The provider's id of a sent code: worthless without the code itself. */
export interface AwaitedCode {
  otpId: string;
  targetBundle: string;
}

/** Place in the list of steps of a gift on its way. */
export type Step = 0 | 1 | 2 | 3;

/** An attempt that did not work, in the words of the page. `step` failed; `action` is the button that goes on. */
export interface Failure {
  words: string;
  step: Step;
  action: string;
}

interface Gift {
  chainId: number;
  timelockId: string;
}

/** Null forgets it. */
export function remember(gift: Gift, request: Relayed | Paid | null): void {
  put("gift-request", gift, request);
}

export function remembered(gift: Gift): Relayed | Paid | null {
  const sent = get<Relayed | Paid>("gift-request", gift);
  // A page from before an update may not have kept the gift's words.
  return sent && { ...sent, what: sent.what ?? phrase("the-gift") };
}

/** Null forgets it. It stays for a reload until the visitor goes on. */
export function rememberFailure(gift: Gift, failure: Failure | null): void {
  put("gift-failure", gift, failure);
}

export function rememberedFailure(gift: Gift): Failure | null {
  return get("gift-failure", gift);
}

/** Null forgets it. While somebody looks for the code in their mail, a phone may put the page out of its memory. */
export function rememberCode(gift: Gift, code: AwaitedCode | null): void {
  put("gift-code", gift, code);
}

export function rememberedCode(gift: Gift): AwaitedCode | null {
  return get("gift-code", gift);
}

function put(name: string, { chainId, timelockId }: Gift, value: object | null): void {
  keep(`${name}:${chainId}:${timelockId}`, value);
}

function get<T>(name: string, { chainId, timelockId }: Gift): T | null {
  return kept(`${name}:${chainId}:${timelockId}`);
}

/** Null forgets it. */
export function keep(key: string, value: object | null): void {
  try {
    if (value === null) sessionStorage.removeItem(key);
    else sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // The browser stores nothing: after a reload the state comes from the gift itself.
  }
}

export function kept<T>(key: string): T | null {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as T | null;
  } catch {
    return null;
  }
}
