/** What this tab keeps until a request has ended, so that a reload finds it: never a key, a signature or a message. */

/** By what a gift is opened. */
export type Way = "paper" | "email" | "wallet";

export interface Remembered {
  id: string;
  way: Way;
  skipSwap: boolean;
}

interface Gift {
  chainId: number;
  timelockId: string;
}

/** Null forgets it. */
export function remember(gift: Gift, request: Remembered | null): void {
  try {
    if (request === null) sessionStorage.removeItem(keyOf(gift));
    else sessionStorage.setItem(keyOf(gift), JSON.stringify(request));
  } catch {
    // A browser that stores nothing: after a reload the gift itself tells what became of it.
  }
}

export function remembered(gift: Gift): Remembered | null {
  try {
    return JSON.parse(sessionStorage.getItem(keyOf(gift)) ?? "null") as Remembered | null;
  } catch {
    return null;
  }
}

function keyOf({ chainId, timelockId }: Gift): string {
  return `gift-request:${chainId}:${timelockId}`;
}
