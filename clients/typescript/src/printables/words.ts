/** Dates, amounts and names as the printables say them. */

import type { Speech } from "../speech.ts";
import { decimalMark, decimalWords } from "../speech.ts";

/** "24 December 2027", in the time zone of who prints. */
export function dayWords(moment: Date, { locale }: Speech): string {
  return moment.toLocaleDateString(locale, { day: "numeric", month: "long", year: "numeric" });
}

/** "24 December 2027", the day in UTC. */
export function utcDayWords(moment: Date, { locale }: Speech): string {
  return moment.toLocaleDateString(locale, { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
}

/** "24 December 2027, 09:30 UTC": for a document. */
export function utcWords(moment: Date, words: Speech): string {
  return words.say("record-moment", { day: utcDayWords(moment, words), time: moment.toISOString().slice(11, 16) });
}

/** "1,234.50" */
export function dollarWords(cents: bigint, { locale }: Speech): string {
  return `${decimalWords(cents / 100n, 0, locale)}${decimalMark(locale)}${(cents % 100n).toString().padStart(2, "0")}`;
}

/** "2,508.84" for "2508.84000000": cents, and what further digits are not zeros at the end. */
export function priceWords(usd: string, { locale }: Speech): string {
  const [whole = "0", part = ""] = usd.split(".");
  return BigInt(whole).toLocaleString(locale) + decimalMark(locale) + part.replace(/0+$/, "").padEnd(2, "0");
}

// The blocks of letters that are written from right to left (UAX #9, 3.2).
const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Return a name for a line of ours. A name in the other direction is isolated: its first and last characters stay.
 */
export function nameWords(name: string): string {
  return LEFTWARDS.test(name) ? `\u2068${name}\u2069` : name;
}
