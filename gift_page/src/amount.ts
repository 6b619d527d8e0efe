/** Amounts as people type and read them, with the decimal mark of their language and no mark for thousands. */
import { formatUnits } from "viem";
import { phrase, speech } from "./phrases.ts";
import { asAscii } from "reminder-worker-client/paper-keys";
import { decimalMark } from "reminder-worker-client/speech";

/** What was typed, with a point; null where it is no amount. Throws `TwoReadings`. */
export function decimalOf(typed: string): string | null {
  const text = asAscii(typed.trim()).replace("٫", ".");
  const [, whole, part] = /^(\d*)(?:[.,](\d*))?$/.exec(text) ?? [];
  if (whole === undefined || whole + (part ?? "") === "") return null;
  if (part?.length === 3 && /^[1-9]\d{0,2}$/.test(whole)) throw new TwoReadings(text, whole, part);
  return `${whole || "0"}.${part || "0"}`;
}

/** Base units of a number that `decimalOf` read. Throws `RangeError` for more decimals than the token has. */
export function unitsOf(amount: string, decimals: number): bigint {
  const [whole = "", part = ""] = amount.split(".");
  if (/[1-9]/.test(part.slice(decimals))) throw new RangeError("more decimals than the token has");
  return BigInt(whole + part.slice(0, decimals).padEnd(decimals, "0"));
}

/** `1,000` is a thousand to some people, and one to others. */
export class TwoReadings extends Error {
  constructor(typed: string, thousands: string, part: string) {
    const small = `${thousands}${decimalMark(speech().locale)}${part}0`;
    super(phrase("form-two-readings", { typed, thousands: thousands + part, small }));
  }
}

/** Every digit, nothing rounded, no mark for thousands: as it may be typed. */
export function plainAmount(units: bigint, decimals: number): string {
  return formatUnits(units, decimals).replace(".", decimalMark(speech().locale));
}
