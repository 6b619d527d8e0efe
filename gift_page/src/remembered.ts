/** What this tab keeps of a gift under way, so that a reload finds it: never a key, a signature or a message. */

/** By what a gift is opened. */
export type Way = "paper" | "email" | "wallet";

/** A request that the service relays. */
export interface Relayed {
  id: string;
  way: Way;
  skipSwap: boolean;
}

/** The recipient's own transaction, by its public hash; null while the wallet asks whether to send it. */
export interface Paid {
  hash: string | null;
  skipSwap: boolean;
}

interface Gift {
  chainId: number;
  timelockId: string;
}

/** Null forgets it. */
export function remember(gift: Gift, request: Relayed | Paid | null): void {
  try {
    if (request === null) sessionStorage.removeItem(keyOf(gift));
    else sessionStorage.setItem(keyOf(gift), JSON.stringify(request));
  } catch {
    // A browser that stores nothing: after a reload the gift itself tells what became of it.
  }
}

export function remembered(gift: Gift): Relayed | Paid | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(gift)) ?? "null") as Relayed | Paid | null;
  } catch {
    return null;
  }
}

function keyOf({ chainId, timelockId }: Gift): string {
  return `gift-request:${chainId}:${timelockId}`;
}
