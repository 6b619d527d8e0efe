/** Amounts as people type and read them, with the decimal mark of their language and no mark for thousands. */
import { formatUnits } from "ethers";
import { asAscii } from "./typed.ts";

/** `.` or `,`, by the device's language; a point where that is another one. */
export function decimalMark(): "." | "," {
  try {
    return new Intl.NumberFormat(navigator.language).format(0.5).includes(",") ? "," : ".";
  } catch {
    return "."; // some browsers name a language that is none
  }
}

/** What was typed, with a point; null where it is no amount. Throws `TwoReadings`. */
export function decimalOf(typed: string): string | null {
  const text = asAscii(typed.trim()).replace("٫", ".");
  const [, whole, part] = /^(\d*)(?:[.,](\d*))?$/.exec(text) ?? [];
  if (whole === undefined || whole + (part ?? "") === "") return null;
  if (part?.length === 3 && /^[1-9]\d{0,2}$/.test(whole)) throw new TwoReadings(text, whole, part);
  return `${whole || "0"}.${part || "0"}`;
}

/** `1,000` is a thousand to some people, and one to others. */
export class TwoReadings extends Error {
  constructor(text: string, whole: string, part: string) {
    const small = `${whole}${decimalMark()}${part}0`;
    super(`“${text}” can be read in two ways. Please write ${whole}${part} if you mean thousands, or ${small} if you do not.`);
  }
}

/** Every digit, nothing rounded, no mark for thousands. */
export function plainAmount(units: bigint, decimals: number): string {
  return formatUnits(units, decimals).replace(/\.0$/, "").replace(".", decimalMark());
}
