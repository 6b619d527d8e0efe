/** The states of a relayed request, in words of the page. */
import type { RelayRequest } from "reminder-worker-client";
import { phrase } from "./phrases.ts";

export const NOT_SENT = ["queued", "waiting_predecessor", "deferred_fee"];
export const WELL = ["confirmed", "satisfied_elsewhere"];
/** Why a request ended without what it was for. */
export const TROUBLE: Record<string, string> = {
  reverted: "trouble-reverted",
  expired: "trouble-expired",
  superseded: "trouble-superseded",
  cancelled_by_user: "trouble-cancelled",
};
const NOW: Record<string, string> = {
  queued: "now-arrived",
  waiting_predecessor: "now-predecessor",
  deferred_fee: "now-arrived",
  signed: "now-sending",
  broadcast: "now-broadcast",
  mined: "now-mined",
};
/** Explanations of a delay, by the reason of the service. */
const WHY: Record<string, string> = {
  fees: "why-fees",
  balance: "why-balance",
  daily_cap: "why-daily-cap",
  chain: "why-chain",
  earlier: "why-earlier",
  paused: "why-paused",
  would_fail: "why-would-fail",
};

/** Undefined for a state that a newer service has. */
export function nowWords({ status, error }: RelayRequest): string | undefined {
  const id = status === "mined" && error !== null ? "now-failed" : NOW[status];
  return id && phrase(id);
}

/** Null when nothing is, or nothing beyond the usual: many are under way at once. */
export function inTheWay({ status, waitsFor }: RelayRequest): string | null {
  const why = waitsFor === "earlier" && !["queued", "deferred_fee"].includes(status) ? undefined : WHY[waitsFor ?? ""];
  return why === undefined ? null : `${phrase(why)} ${phrase("meanwhile")}`;
}
