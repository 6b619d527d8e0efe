/** What people read: times in the visitor's own zone, amounts, addresses, and why something did not work. */
import { decimalWords } from "reminder-worker-client/speech";
import { Refused, Unreachable } from "./api.ts";
import type { GiftAsset } from "./facts.ts";
import { phrase, speech } from "./phrases.ts";
import { CLAIM_PROBLEMS, type ProblemPhrases } from "./problems.ts";

/** `Friday 1 May 2027 at 11:00 CEST`; with `long`, `Central European Summer Time`. */
export function localTime(moment: Date, timeZoneName: "short" | "long" = "short"): string {
  const day: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
  const time: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit", timeZoneName };
  return new Intl.DateTimeFormat(speech().locale, { ...day, ...time }).format(moment);
}

/** The next 00:00 UTC, when the daily budgets are new, as `01:00`. */
function nextBudget(): string {
  const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
  return new Intl.DateTimeFormat(speech().locale, { hour: "numeric", minute: "2-digit" }).format(midnight);
}

/** `1.5 ETH and 250 USDC`; every digit, nothing rounded. How much ether a sale fetched is not known here. */
export function amounts(assets: readonly GiftAsset[], skipSwap: boolean = false): string {
  const parts = assets.map((asset) => {
    const isSold = asset.soldForEther === true && !skipSwap;
    const words = asset.symbol === null ? phrase("asset-without-name") : amount(asset, skipSwap);
    return isSold ? phrase("asset-paid-out", { amount: words }) : words;
  });
  return parts.length === 0 ? phrase("the-gift") : new Intl.ListFormat(speech().locale).format(parts);
}

function amount(asset: GiftAsset, skipSwap: boolean): string {
  const symbol = asset.asEther === true && !skipSwap ? "ETH" : (asset.symbol ?? "");
  return amountWords(asset.amount, asset.decimals, symbol);
}

/** `250 USDC`; base units where the decimals are not known. `amount`: base units, decimal. */
export function amountWords(amount: string, decimals: number | null, symbol: string | null): string {
  const units = BigInt(amount);
  const name = symbol ?? phrase("asset-without-name");
  if (decimals === null || decimals > 36) {
    return phrase("asset-base-units", { units: units.toLocaleString(speech().locale), symbol: name });
  }
  return `${decimalWords(units, decimals, speech().locale)} ${name}`;
}

/** `0x1234…abcd`, which no line breaks: in a line from the right, the dots would stand on the wrong side. */
export function shortly(address: string, first: number = 6, last: number = 4): string {
  return `${address.slice(0, first)}\u2060…\u2060${address.slice(-last)}`;
}

/** Why the service pays nobody's fee now, by the reason of GET /sponsor/status. */
export function whyNotSponsored(reason: string | null): string {
  switch (reason) {
    case "daily_cap_reached":
      return phrase("no-fee-spent", { time: nextBudget() });
    case "daily_cap_reserved":
      return phrase("no-fee-reserved");
    case "not_configured":
    case "chain_refused":
      return phrase("no-fee-here");
    case "stopped":
    case "low_balance":
    case "relay_stopped":
    case "router_version_unsupported":
      return phrase("no-fee-paused");
    default:
      return phrase("no-fee-unknown");
  }
}

/** Of anything that was thrown; no stranger's words are repeated. `problems`: those of the page that asks. */
export function inWords(error: unknown, problems: ProblemPhrases = CLAIM_PROBLEMS): string {
  if (error instanceof Refused) return refusal(error, problems);
  if (error instanceof Unreachable) return phrase("service-away");
  if (error instanceof InWords) return error.message;
  return phrase("went-wrong");
}

/** An error whose message is a sentence for people. */
export class InWords extends Error {}

/** A newer service may have codes that this page does not know. */
function refusal({ code, retryAfter = 60 }: Refused, problems: ProblemPhrases): string {
  const id = problems[code];
  return id === undefined
    ? phrase("problem-unknown", { code })
    : phrase(id, { wait: waiting(retryAfter), time: nextBudget() });
}

function waiting(seconds: number): string {
  return seconds < 120 ? duration(Math.ceil(seconds), "second") : duration(Math.ceil(seconds / 60), "minute");
}

type Unit = "year" | "day" | "hour" | "minute" | "second";

/** `3 days`, in the page's language. */
export function duration(count: number, unit: Unit): string {
  return unitFormat(unit).format(count);
}

/** The unit alone, in the form that goes with the number above it: `days`. The Arabic word for "two days" contains the
 * number, so the plural stands below a 2. */
export function unitName(count: number, unit: Unit): string {
  const parts = unitFormat(unit).formatToParts(count);
  const isDual = count === 2 && !parts.some(({ type }) => type === "integer");
  if (isDual) return unitName(3, unit);
  return parts.find(({ type }) => type === "unit")?.value ?? "";
}

function unitFormat(unit: Unit): Intl.NumberFormat {
  return new Intl.NumberFormat(speech().locale, { style: "unit", unit, unitDisplay: "long" });
}
