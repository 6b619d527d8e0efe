/** What people read: times in the visitor's own zone, amounts, addresses, and why something did not work. */
import { Refused, Unreachable } from "./api.ts";
import type { GiftAsset } from "./facts.ts";

/** The page is in English. Some browsers name a language that is none to themselves: `en-US@posix`. */
function language(): string {
  try {
    return Intl.getCanonicalLocales(navigator.language).find((each) => each.startsWith("en")) ?? "en-GB";
  } catch {
    return "en-GB";
  }
}

const LANGUAGE = language();

/** `Friday 1 May 2027 at 11:00 CEST`. */
export function localTime(moment: Date): string {
  const day: Intl.DateTimeFormatOptions = { weekday: "long", day: "numeric", month: "long", year: "numeric" };
  const time: Intl.DateTimeFormatOptions = { hour: "numeric", minute: "2-digit", timeZoneName: "short" };
  return new Intl.DateTimeFormat(LANGUAGE, { ...day, ...time }).format(moment);
}

/** The next 00:00 UTC, when the daily budgets are new, as `01:00`. */
function nextBudget(): string {
  const midnight = new Date(Math.ceil(Date.now() / 86_400_000) * 86_400_000);
  return new Intl.DateTimeFormat(LANGUAGE, { hour: "numeric", minute: "2-digit" }).format(midnight);
}

/** `1.5 ETH and 250 USDC`; every digit, nothing rounded. How much ether a sale fetched is not known here. */
export function amounts(assets: readonly GiftAsset[], skipSwap: boolean = false): string {
  const parts = assets.map((asset) => {
    const isSold = asset.soldForEther === true && !skipSwap;
    const words = asset.symbol === null ? "tokens" : `${amount(BigInt(asset.amount), asset.decimals)} ${symbol(asset, skipSwap)}`;
    return isSold ? `${words} (paid out in ETH)` : words;
  });
  return parts.length === 0 ? "The gift" : new Intl.ListFormat("en").format(parts);
}

function symbol(asset: GiftAsset, skipSwap: boolean): string | null {
  return asset.asEther === true && !skipSwap ? "ETH" : asset.symbol;
}

function amount(units: bigint, decimals: number | null): string {
  if (decimals === null || decimals > 36) return `${units.toLocaleString("en")} base units of`;
  const whole = units / 10n ** BigInt(decimals);
  const part = (units % 10n ** BigInt(decimals)).toString().padStart(decimals, "0").replace(/0+$/, "");
  return whole.toLocaleString("en") + (decimals > 0 && part !== "" ? `.${part}` : "");
}

/** `0x1234…abcd`. */
export function shortly(address: string): string {
  return `${address.slice(0, 6)}…${address.slice(-4)}`;
}

/** Why the service pays nobody's fee now, by the reason of GET /sponsor/status. */
export function whyNotSponsored(reason: string | null): string {
  switch (reason) {
    case "daily_cap_reached":
      return `Today's budget for paying the network fees of gifts is used up. There is a new one at ${nextBudget()}.`;
    case "daily_cap_reserved":
      return "Today's budget for paying the network fees of gifts is reserved by those under way. Please try again in twenty minutes.";
    case "not_configured":
    case "chain_refused":
      return "Network fees are not paid for recipients here.";
    case "stopped":
    case "low_balance":
    case "relay_stopped":
    case "router_version_unsupported":
      return "Paying the network fees for recipients is paused at the moment. Please try again later.";
    default:
      return "Whether the network fee can be paid for you cannot be told at the moment. Please try again in a few minutes.";
  }
}

export const LOCKED = "The gift is still locked by the network's clock. Please try again in a minute.";
export const ALREADY_OPENED = "This gift has been opened already.";
const TOO_LATE = "It took too long until this was sent. Nothing has happened: please try again.";
const OURS: Record<string, string> = {
  daily_cap_reached: whyNotSponsored("daily_cap_reached"),
  daily_cap_reserved: whyNotSponsored("daily_cap_reserved"),
  relay_stopped: whyNotSponsored("relay_stopped"),
  not_configured: whyNotSponsored("not_configured"),
  router_version_unsupported: whyNotSponsored("router_version_unsupported"),
  signer_paused: "A withdrawal of this wallet failed on the network today: no more fees are paid for it until tomorrow.",
  nonce_mismatch:
    "Another gift of this wallet is on its way, or this one is already. Please wait a minute, then try again.",
  already_used: "This was sent before. Please try again: the page then looks where the gift is.",
  expired: TOO_LATE,
  version_mismatch: TOO_LATE,
  signer_mismatch:
    "The signature is not taken for that of the wallet this gift was sealed for. Nothing has happened. With a smart wallet " +
    "you can pay the fee yourself.",
  not_found: "The gift is not found any more. Please reload the page.",
  timelock_not_live: ALREADY_OPENED,
  chain_unavailable: "The network cannot be reached at the moment. Nothing is lost: please try again in a few minutes.",
  would_fail:
    "The network would refuse this right now, or it needs more than is paid for here, so it was not sent. Please try again " +
    "later. With a smart wallet you can pay the fee yourself.",
};

/** Of anything that was thrown; no stranger's words are repeated. */
export function inWords(error: unknown): string {
  if (error instanceof Refused) {
    if (error.code === "rate_limited") {
      return `That was tried too often. Please wait ${waiting(error.retryAfter ?? 60)}, then try again.`;
    }
    return OURS[error.code] ?? error.problem.detail;
  }
  if (error instanceof Unreachable) {
    return "The service does not answer. Are you connected to the internet? Nothing is lost: please try again soon.";
  }
  if (error instanceof InWords) return error.message;
  return "Something on this page went wrong. Nothing has happened to the gift: please reload the page and try again.";
}

/** An error whose message is a sentence for people. */
export class InWords extends Error {}

function waiting(seconds: number): string {
  return seconds < 120 ? `${Math.ceil(seconds)} seconds` : `${Math.ceil(seconds / 60)} minutes`;
}
