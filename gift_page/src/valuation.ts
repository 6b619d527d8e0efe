/** What a gift was worth on the day it was sealed, by the service's own prices (GET /stats/prices), or nothing. */
import { ask, Refused, Unreachable } from "./api.ts";

export interface Valued {
  /** As in the gift's facts; ether for wrapped ether that is paid out as ether. */
  symbol: string;
  units: bigint;
  decimals: number;
}

/** Of one whole token. */
export interface UsedPrice {
  symbol: string;
  /** Decimal, US dollars. */
  usd: string;
  /** When the price feed said it. */
  updatedAt: Date;
  roundId: string;
}

/** `live`: sealed today, at the present price. `historical`: at the price the service recorded on that day. */
export type Valuation =
  | { source: "live" | "historical"; usdCents: bigint; prices: UsedPrice[] }
  | { source: "none" };

interface Prices {
  prices: {
    chainId: number;
    symbol: string | null;
    usd: string;
    updatedAt: string;
    roundId: string;
    stale: boolean;
  }[];
}

/** A feed answers at least once a day: a price further from the sealing is one of another time. */
const NEAR_MS = 2 * 86_400_000;

/** `now` by the chain's clock, as `sealedAt`. There is no value without a price of that time for every asset: a sum of some of
 * them would be a wrong number on a document. */
export async function valueOf(
  chainId: number,
  assets: readonly Valued[],
  sealedAt: Date,
  now: Date,
): Promise<Valuation> {
  const source = sealedAt.getTime() >= startOfDay(now) ? "live" : "historical";
  const moment = source === "live" ? "" : `?at=${encodeURIComponent(sealedAt.toISOString())}`;
  let answer: Prices;
  try {
    answer = await ask<Prices>(`/stats/prices${moment}`);
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return { source: "none" };
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
    if (found === undefined) return { source: "none" };
    usdCents += cents(asset, String(found.usd));
    const { usd, updatedAt, roundId } = found;
    prices.set(asset.symbol, { symbol: asset.symbol, usd: String(usd), updatedAt: new Date(updatedAt), roundId });
  }
  return prices.size === 0 ? { source: "none" } : { source, usdCents, prices: [...prices.values()] };
}

/** A day is one of UTC, as on the record. */
function startOfDay(moment: Date): number {
  return Date.UTC(moment.getUTCFullYear(), moment.getUTCMonth(), moment.getUTCDate());
}

/** To the nearest cent, a half up. */
function cents({ units, decimals }: Valued, usd: string): bigint {
  const [whole = "0", part = ""] = usd.split(".");
  const scale = 10n ** BigInt(decimals + part.length);
  return (units * BigInt(whole + part) * 200n + scale) / (2n * scale);
}
