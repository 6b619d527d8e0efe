/** What a gift was worth on the day it was sealed, by the service's own prices (GET /stats/prices), or nothing. */
import type { Bodies } from "reminder-worker-client";
import type { UsedPrice, Valuation } from "reminder-worker-client/printables";
import { Refused, Unreachable, worker } from "./api.ts";

export interface Valued {
  /** As in the gift's facts; ether for wrapped ether that is paid out as ether. */
  symbol: string;
  units: bigint;
  decimals: number;
}

/** A feed answers at least once a day: a price further from the sealing is one of another time. */
const NEAR_MS = 2 * 86_400_000;

/** The live price counts only where gift and price are of today, by dates of UTC as on the record; `now` is by the
 * chain's clock, as `sealedAt`. Otherwise it is the price that was valid at the sealing, which may be of the day
 * before: the record says so. There is no value without a price for every asset: a sum of some would be a wrong number
 * on a document. */
export async function valueOf(
  chainId: number,
  assets: readonly Valued[],
  sealedAt: Date,
  now: Date,
): Promise<Valuation> {
  if (dayOf(sealedAt) === dayOf(now)) {
    const live = await valueBy({}, chainId, assets, sealedAt);
    if (live !== null && live.prices.every(({ updatedAt }) => dayOf(updatedAt) === dayOf(sealedAt))) {
      return { source: "live", ...live };
    }
  }
  const past = await valueBy({ at: sealedAt.toISOString() }, chainId, assets, sealedAt);
  return past === null ? { source: "none" } : { source: "historical", ...past };
}

async function valueBy(
  query: { at?: string },
  chainId: number,
  assets: readonly Valued[],
  sealedAt: Date,
): Promise<{ usdCents: bigint; prices: UsedPrice[] } | null> {
  let answer: Bodies["PricesAnswer"];
  try {
    answer = await worker.get("/stats/prices", { query });
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return null;
    throw error;
  }
  const prices = new Map<string, UsedPrice>();
  let usdCents = 0n;
  for (const asset of assets) {
    const found = answer.prices.find(
      (one) =>
        one.chainId === chainId &&
        one.symbol === asset.symbol &&
        !one.stale &&
        Math.abs(Date.parse(one.updatedAt) - sealedAt.getTime()) <= NEAR_MS,
    );
    if (found === undefined) return null;
    usdCents += cents(asset, String(found.usd));
    const { usd, updatedAt, roundId } = found;
    prices.set(asset.symbol, { symbol: asset.symbol, usd: String(usd), updatedAt: new Date(updatedAt), roundId });
  }
  return prices.size === 0 ? null : { usdCents, prices: [...prices.values()] };
}

/** A date of UTC. */
function dayOf(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** To the nearest cent, a half up. */
function cents({ units, decimals }: Valued, usd: string): bigint {
  const [whole = "0", part = ""] = usd.split(".");
  const scale = 10n ** BigInt(decimals + part.length);
  return (units * BigInt(whole + part) * 200n + scale) / (2n * scale);
}
