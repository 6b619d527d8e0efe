/**
 * Claim links: `{origin}/{prefix}/{chainId}/{timelockId}?o=<occasion>&paper=1&email=1#g=<letter>`.
 *
 * The letter is in the fragment, which browsers send to nobody. It is read by exactly the server's rules
 * (`reminder_worker/gifts/claim_link.py`): whatever one side refuses, the other refuses too.
 */
import { isLanguage, type Language } from "./languages.ts";

/** What only the link's holders read. */
export interface Letter {
  /** The recipient's name, may be empty. */
  to: string;
  /** The giver's name, may be empty. */
  from: string;
  /** The personal message, may be empty. */
  note: string;
  /** Of the page and the printed pages; without it the reader's own. */
  language?: Language;
}

/** Fields in the query of a link, visible to servers. */
export interface Marks {
  occasion?: string | undefined;
  paper?: boolean;
  email?: boolean;
}

export interface GiftPlace {
  /** Scheme, host and port. */
  origin: string;
  prefix: string;
}

export const MOST_NAME_CHARACTERS = 60;
const MOST_GIVEN_CHARACTERS = 4 * MOST_NAME_CHARACTERS; // NFC joins at most four
export const MOST_NOTE_CHARACTERS = 500;
/** As JSON: in base64url, with the rest of the link, it fits a QR code of level M. */
export const MOST_LETTER_BYTES = 1600;

/**
 * What a letter may not be. The message echoes nothing of the input; `fault` names the giver's sentence in `give.ftl`.
 */
export class BadLetter extends Error {
  constructor(
    message: string,
    readonly fault: "long-name" | "long-note" | "hidden" | "address" | "marks" | "too-long" = "too-long",
  ) {
    super(message);
  }
}

const LINE_ENDS = /\s|%(?:20|0a|0d)/gi;
const FRAGMENT = /^g(?:=|%3d)([A-Za-z0-9_-]+)/i;
const PLACE = /^\/[a-z0-9-]+\/(?:[1-9]\d*\/[1-9]\d*|for\/0x[0-9a-f]{40})(?=[/?#&]|$)/i;
const MARK = /[?&](?:o=[a-z][a-z0-9-]{0,31}|paper=1|email=1)(?=[?&#]|$)/g;
const LETTER = /[?#&=]g=([A-Za-z0-9_-]+)/;
const BASE64URL = /^[A-Za-z0-9_-]+$/;
const NOT_A_NAME = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/u;
const NOT_A_NOTE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
// Line ends, soft hyphens, the space of Khmer keyboards, the joiners of words and emoji, marks of direction, and the
// flags of England, Scotland and Wales; not what turns the words around it.
const IN_A_NOTE = /[\n\u00ad\u061c\u200b-\u200f]|\u{1f3f4}[\u{e0061}-\u{e007a}]{5}\u{e007f}/gu;
const JOINERS = /[\u200c\u200d]/g; // part of words and of emoji
const PICTURES = /[\u{1f000}-\u{1faff}]/gu; // an emoji may be younger than a device's tables
// As ideographs may be: two planes are kept for them alone, and the yearly additions are letters of people's names.
const IDEOGRAPHS = /[\u{20000}-\u{2fffd}\u{30000}-\u{3fffd}]/gu;
const KNOWN_IDEOGRAPH = "\u4e00";
const PILED_MARKS = /[\p{Mn}\p{Me}]{5}/u; // drawn over the lines around a name
// What a reader sees nothing of, or reads past.
const UNREAD =
  /[\u0300-\u036f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u1ab0-\u1aff\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe00-\ufe0f\ufe20-\ufe2f\u{e0100}-\u{e01ef}]/gu;
// Marks left upon Latin, Greek and Cyrillic letters or dots are another script's: some are not drawn, none is read.
const MARKS_OF_OTHERS = /(^|[\0-\u052f\u1e00-\u1fff])\p{M}+/gu;
const BLANK = /\u2800/g;
const DOTS = /[\u3002\uff0e\uff61\u2024\ufe52]/g; // what a browser or a reader takes for a dot
const WORD = "[\\p{L}\\p{N}_]";
/** Begin of a word; no lookbehind, which stops the whole page on iPhones before iOS 16.4. */
const BEGIN = "(?:^|[^\\p{L}\\p{N}_])";
const READS_AS_URL = new RegExp(
  `://|//|\\\\\\\\|@|${BEGIN}www\\s*\\.` +
    `|${BEGIN}(?:https?|ftp|mailto|javascript|data|tel)\\s*:` +
    `|(?:${WORD}|-)\\.(?:[\\p{L}\\p{Nl}\\p{No}]{2,}|xn--)` +
    `|${BEGIN}\\p{Nd}{1,3}(?:\\.\\p{Nd}{1,3}){3}(?!${WORD})`,
  "iu",
);

/** Unpadded base64url of `{"v":1,"to":...,"from":...,"note":...,"language":...}`, where the language may be left out.
 * Throws `BadLetter` beyond the limits. */
export function encodeLetter(letter: Letter): string {
  checkLetter(letter);
  const { to, from, note, language } = letter;
  const raw = new TextEncoder().encode(JSON.stringify({ v: 1, to, from, note, ...(language && { language }) }));
  if (raw.length > MOST_LETTER_BYTES) throw new BadLetter("is too long for a link");
  return toBase64Url(raw);
}

/** Throws `BadLetter` for another version or shape, text beyond the limits, and base64 not in its one form. A language
 * that is not one of ours is left out: the message counts more. */
export function decodeLetter(text: string): Letter {
  if (text.length > Math.floor((MOST_LETTER_BYTES * 4) / 3) + 1) throw new BadLetter("is too long");
  const letter = shaped(parsed(text));
  checkLetter(letter);
  return letter;
}

/** Return the letter in `location.hash`, null without one, "damaged" for an unreadable letter. Line ends inside the
 * link, and a bracket or full stop after it, are removed. */
export function letterOf(hash: string): Letter | null | "damaged" {
  const fragment = hash.replace(/^#/, "").replace(LINE_ENDS, "");
  if (fragment === "") return null;
  try {
    const [, letter = ""] = FRAGMENT.exec(fragment) ?? [];
    return decodeLetter(letter);
  } catch (error) {
    if (error instanceof BadLetter) return "damaged";
    throw error;
  }
}

/**
 * Return the path, query and fragment of a link whose signs a mail gateway encoded or moved. Return null where the
 * gift's place is lost. A lost letter leaves an empty one, which the page reports.
 */
export function restoredLink(link: { pathname: string; search: string; hash: string }): string | null {
  const text = decoded(link.pathname + link.search).replace(/\s/g, "");
  const [place] = PLACE.exec(text) ?? [];
  if (place === undefined) return null;
  const marks = [...text.matchAll(MARK)].map(([mark]) => mark.slice(1));
  // A letter in its place stays.
  const [, letter = ""] = FRAGMENT.exec(link.hash.slice(1)) ?? LETTER.exec(text) ?? [];
  return `${place}${marks.length > 0 ? "?" : ""}${marks.join("&")}#g=${letter}`;
}

/** Decode the signs of a claim link only: an added parameter may hold any other sign, also one that is not valid. */
function decoded(text: string): string {
  return text.replace(/%(?:25)*(23|26|2f|3d|3f|0a|0d|20)/gi, (_, sign: string) =>
    String.fromCharCode(parseInt(sign, 16)),
  );
}

/** The canonical claim link; without a letter it has no fragment. */
export function claimLink(
  place: GiftPlace,
  chainId: number,
  timelockId: string,
  marks: Marks,
  letter?: Letter,
): string {
  return `${place.origin}/${place.prefix}/${chainId}/${timelockId}${query(marks)}${fragment(letter)}`;
}

/** Return the link of a printed sheet. It works before the gift exists and leads to the newest gift of the address. */
export function entryLink(place: GiftPlace, address: string, marks: Marks, letter?: Letter): string {
  return `${place.origin}/${place.prefix}/for/${address}${query(marks)}${fragment(letter)}`;
}

/** Throws `BadLetter` with what is wrong with a name or the note. A space stands for what is taken out: two halves of a
 * character around it must not become one. */
export function checkLetter(letter: Letter): void {
  checkName(letter.to);
  checkName(letter.from);
  if ([...letter.note].length > MOST_NOTE_CHARACTERS) {
    throw new BadLetter(`has a message of more than ${MOST_NOTE_CHARACTERS} characters`, "long-note");
  }
  if (NOT_A_NOTE.test(letter.note.replace(IN_A_NOTE, " "))) {
    throw new BadLetter("has a message with a control or invisible character", "hidden");
  }
}

function checkName(text: string): void {
  if ([...text].length > MOST_GIVEN_CHARACTERS) {
    throw new BadLetter(`has a name of more than ${MOST_NAME_CHARACTERS} characters`, "long-name");
  }
  if (NOT_A_NAME.test(text.replace(JOINERS, " ").replace(PICTURES, " ").replace(IDEOGRAPHS, " "))) {
    throw new BadLetter("has a name with a control or invisible character", "hidden");
  }
  const name = text.normalize("NFC").split(/\s+/u).filter(Boolean).join(" ");
  if (name.includes("=?")) throw new BadLetter("has a name that holds what a mail program would decode", "address");
  if ([...name].length > MOST_NAME_CHARACTERS) {
    throw new BadLetter(`has a name of more than ${MOST_NAME_CHARACTERS} characters`, "long-name");
  }
  if (PILED_MARKS.test(name)) throw new BadLetter("has a name that piles marks upon a letter", "marks");
  const read = name.replace(IDEOGRAPHS, KNOWN_IDEOGRAPH); // a letter, also where this device's tables do not know it
  const seen = read.normalize("NFKC").replace(DOTS, ".").replace(BLANK, " ").replace(UNREAD, "");
  const plain = seen.replace(MARKS_OF_OTHERS, "$1");
  if (READS_AS_URL.test(read) || READS_AS_URL.test(plain)) {
    throw new BadLetter("has a name that reads as a web or email address", "address");
  }
}

function parsed(text: string): unknown {
  if (!BASE64URL.test(text)) throw new BadLetter("cannot be read");
  try {
    const raw = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (byte) => byte.charCodeAt(0));
    if (toBase64Url(raw) !== text) throw new BadLetter("cannot be read");
    return JSON.parse(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(raw));
  } catch {
    throw new BadLetter("cannot be read");
  }
}

function shaped(value: unknown): Letter {
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw new BadLetter("cannot be read");
  const { v, to, from, note, language = "", ...more } = value as Record<string, unknown>;
  if (v !== 1 || [to, from, note, language].some((each) => typeof each !== "string"))
    throw new BadLetter("cannot be read");
  if (Object.keys(more).length > 0) throw new BadLetter("cannot be read");
  const letter = { to, from, note } as Letter;
  return isLanguage(language) ? { ...letter, language } : letter;
}

function toBase64Url(raw: Uint8Array): string {
  const text = btoa(Array.from(raw, (byte) => String.fromCharCode(byte)).join(""));
  return text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

function query({ occasion, paper, email }: Marks): string {
  const parts = [occasion ? `o=${occasion}` : "", paper ? "paper=1" : "", email ? "email=1" : ""].filter(Boolean);
  return parts.length > 0 ? `?${parts.join("&")}` : "";
}

function fragment(letter: Letter | undefined): string {
  return letter ? `#g=${encodeLetter(letter)}` : "";
}
