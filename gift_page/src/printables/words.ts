/** Dates, amounts and names as the printables say them. */

/** "24 December 2027", in the time zone of who prints. */
export function dayWords(moment: Date): string {
  return moment.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
}

/** "24 December 2027, 09:30 UTC": for a document. */
export function utcWords(moment: Date): string {
  const options = { day: "numeric", month: "long", year: "numeric", timeZone: "UTC" } as const;
  return `${moment.toLocaleDateString("en-GB", options)}, ${moment.toISOString().slice(11, 16)} UTC`;
}

/** Smallest units as a decimal number without needless zeros: 1500000 of 6 decimals is "1.5". */
export function amountWords(units: bigint, decimals: number): string {
  const digits = units.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals).replace(/\B(?=(\d{3})+$)/g, ",");
  const rest = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "");
  return rest === "" ? whole : `${whole}.${rest}`;
}

/** "1,234.50" */
export function dollarWords(cents: bigint): string {
  const digits = cents.toString().padStart(3, "0");
  return `${digits.slice(0, -2).replace(/\B(?=(\d{3})+$)/g, ",")}.${digits.slice(-2)}`;
}

// The blocks of letters that are written from right to left (UAX #9, 3.2).
const LEFTWARDS = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

/** Return a name for a line of ours. A name in the other direction is isolated: its first and last characters stay.
 */
export function nameWords(name: string): string {
  return LEFTWARDS.test(name) ? `\u2068${name}\u2069` : name;
}
