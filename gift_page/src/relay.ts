/** A withdrawal whose network fee the service pays: handed in, and followed to its end. */
import { ask, Refused, Unreachable } from "./api.ts";
import type { GiftWithdrawRequest } from "./withdraw_auth.ts";

export interface RelayRequest {
  id: string;
  status:
    | "queued"
    | "waiting_predecessor"
    | "deferred_fee"
    | "signed"
    | "broadcast"
    | "mined"
    | "confirmed"
    | "reverted"
    | "expired"
    | "satisfied_elsewhere"
    | "superseded"
    | "cancelled_by_user";
  /** Why an open one is not in a block yet; null where nobody knows. */
  waitsFor: "fees" | "balance" | "daily_cap" | "chain" | "earlier" | "paused" | "would_fail" | null;
  txHash: string | null;
  error: { code: string; detail: string } | null;
}

interface SponsorStatus {
  chains: { chainId: number; gift: boolean; reason: string | null }[];
}

const ENDED = ["confirmed", "reverted", "expired", "satisfied_elsewhere", "superseded", "cancelled_by_user"];
const FIRST_MILLISECONDS = 1_000;
const MOST_MILLISECONDS = 8_000;
/** Twice as long as the service is ever silent. */
const SILENT_MILLISECONDS = 30_000;

/** Null when withdrawals of gifts are relayed on this chain now, else the reason as a code. */
export async function whyNotRelayed(chainId: number): Promise<string | null> {
  try {
    const { chains } = await ask<SponsorStatus>("/sponsor/status");
    const found = chains.find((each) => each.chainId === chainId);
    return found === undefined ? "not_configured" : found.gift ? null : (found.reason ?? "unavailable");
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return "unavailable";
    throw error;
  }
}

/** The same request again has the same answer, and is relayed once. Throws `Refused`, `Unreachable`. */
export async function handIn(request: GiftWithdrawRequest): Promise<string> {
  return (await ask<{ id: string }>("/sponsor/gift-withdraw", request)).id;
}

/** Hears of every state until the request has ended; `tell` gets each of them, some again, and null during silence.
 *
 * Return null when `tell` ends the wait. Throws `Refused` for an unknown request. */
export async function follow(id: string, tell: (now: RelayRequest | null) => Promise<boolean>): Promise<RelayRequest | null> {
  const heard = await listen(id, tell);
  return heard === undefined ? poll(id, tell) : heard;
}

/** By server-sent events. Undefined when they stop coming: some proxies hold them back, and not everybody finds a place. */
function listen(id: string, tell: (now: RelayRequest) => Promise<boolean>): Promise<RelayRequest | null | undefined> {
  return new Promise((resolve, reject) => {
    const source = new EventSource(`/sponsor/requests/${encodeURIComponent(id)}/events`);
    let last: RelayRequest | undefined;
    let told: Promise<void> = Promise.resolve();
    let silence = setTimeout(() => finish(undefined), SILENT_MILLISECONDS);
    const finish = (end: RelayRequest | null | undefined): void => {
      clearTimeout(silence);
      source.close();
      resolve(end);
    };
    const hear = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => finish(undefined), SILENT_MILLISECONDS);
      const now = last;
      if (now === undefined) return;
      told = told.then(async () => {
        if (await tell(now)) finish(null);
        else if (ENDED.includes(now.status)) finish(now);
      });
      told.catch(reject);
    };
    source.addEventListener("state", ({ data }: MessageEvent<string>) => {
      last = JSON.parse(data) as RelayRequest;
      hear();
    });
    source.addEventListener("alive", hear);
    source.addEventListener("error", () => void told.then(() => finish(undefined), () => undefined));
  });
}

/** Asks with growing pauses. */
async function poll(id: string, tell: (now: RelayRequest | null) => Promise<boolean>): Promise<RelayRequest | null> {
  for (let pause = FIRST_MILLISECONDS; ; pause = Math.min(pause * 1.4, MOST_MILLISECONDS)) {
    let seconds = 0;
    try {
      const now = await ask<RelayRequest>(`/sponsor/requests/${encodeURIComponent(id)}`);
      if (await tell(now)) return null;
      if (ENDED.includes(now.status)) return now;
    } catch (error) {
      if (error instanceof Refused && error.code === "not_found") throw error;
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
      seconds = error instanceof Refused ? (error.retryAfter ?? 0) : 0;
      // Of a family behind one address each asks too often soon: what was said last is so still.
      if (!(error instanceof Refused && error.code === "rate_limited") && (await tell(null))) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(pause, seconds * 1000)));
  }
}
