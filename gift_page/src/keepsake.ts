/**
 * What the giver's own browser remembers of the gifts sealed in it: enough to build a gift's link and card again, and
 * nowhere else. Never a key, an amount or an email address.
 */
import { claimLink, decodeLetter, type GiftPlace, type Letter } from "reminder-worker-client/claim-links";

/** How the recipient comes to the gift: a wallet of their own, a printed key, an email address. */
export type CardMode = "wallet" | "paper" | "email";

export interface Keepsake {
  chainId: number;
  /** Decimal digits. */
  timelockId: string;
  /** The letter as links carry it. */
  payload: string;
  /** Id of an occasion. */
  occasion: string;
  card: CardMode;
}

const KEY = /^gift-keepsake:([1-9][0-9]{0,15}):([1-9][0-9]{0,18})$/;
const CARDS: readonly unknown[] = ["wallet", "paper", "email"] satisfies CardMode[];

/** Replaces what was kept of the same gift. Throws when the browser stores nothing (it is full, or told not to). */
export function keep(kept: Keepsake): void {
  const { payload, occasion, card } = kept;
  localStorage.setItem(keyOf(kept.chainId, kept.timelockId), JSON.stringify({ payload, occasion, card }));
}

/** All of this browser, the newest gifts of each chain first; what cannot be read is left out. None where the browser
 * stores nothing. */
export function keepsakes(): Keepsake[] {
  const found = keys().flatMap((key) => read(key) ?? []);
  return found.sort((a, b) => a.chainId - b.chainId || Number(BigInt(b.timelockId) - BigInt(a.timelockId)));
}

/** Undefined when this browser knows nothing of the gift. */
export function keepsakeOf(chainId: number, timelockId: string): Keepsake | undefined {
  return read(keyOf(chainId, timelockId));
}

/** The link is then gone unless it is elsewhere: no server has it. */
export function forget(chainId: number, timelockId: string): void {
  localStorage.removeItem(keyOf(chainId, timelockId));
}

/** The name of the sentence about how long this browser keeps links. */
export type Memory = "kept-for-good" | "kept-for-now" | "kept-nothing";

export async function memory(): Promise<Memory> {
  if (!canKeep()) return "kept-nothing";
  return (await isTrue(() => navigator.storage.persisted())) ? "kept-for-good" : "kept-for-now";
}

/** Asks the browser not to clear it by itself. Some ask the person. */
export async function askForMemory(): Promise<Memory> {
  if (!canKeep()) return "kept-nothing";
  return (await isTrue(() => navigator.storage.persist())) ? "kept-for-good" : "kept-for-now";
}

function canKeep(): boolean {
  try {
    localStorage.setItem("gift-keepsake", "");
    localStorage.removeItem("gift-keepsake");
    return true;
  } catch {
    return false;
  }
}

/** False, too, where the browser does not know the question. */
async function isTrue(question: () => Promise<boolean>): Promise<boolean> {
  try {
    return await question();
  } catch {
    return false;
  }
}

export function letterIn(kept: Keepsake): Letter {
  return decodeLetter(kept.payload);
}

/** The claim link, as it was when the gift was sealed. */
export function linkOf(place: GiftPlace, kept: Keepsake): string {
  const marks = { occasion: kept.occasion, paper: kept.card === "paper", email: kept.card === "email" };
  return claimLink(place, kept.chainId, kept.timelockId, marks, letterIn(kept));
}

function keyOf(chainId: number, timelockId: string): string {
  return `gift-keepsake:${chainId}:${timelockId}`;
}

function keys(): string[] {
  try {
    return Object.keys(localStorage);
  } catch {
    return [];
  }
}

function read(key: string): Keepsake | undefined {
  const [, chainId, timelockId] = KEY.exec(key) ?? [];
  if (chainId === undefined || timelockId === undefined) return undefined;
  try {
    const text = localStorage.getItem(key);
    if (text === null) return undefined;
    const { payload, occasion, card } = JSON.parse(text) as Record<string, unknown>;
    if (typeof payload !== "string" || typeof occasion !== "string" || !CARDS.includes(card)) return undefined;
    decodeLetter(payload);
    return { chainId: Number(chainId), timelockId, payload, occasion, card: card as CardMode };
  } catch {
    return undefined;
  }
}
