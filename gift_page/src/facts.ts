/** What anybody may know of a gift: GET /gift/{chainId}/{timelockId}. */
import type { Bodies } from "reminder-worker-client";
import { worker } from "./api.ts";

export type Facts = Bodies["GiftAnswer"] & { chainId: number; timelockId: string };
export type GiftAsset = Bodies["GiftAssetAnswer"];
export type IdentityProvider = Bodies["IdentityProviderAnswer"];

/** Whether it was withdrawn; false, too, while nobody says so. */
export async function isClaimed({ chainId, timelockId }: Facts): Promise<boolean> {
  return fetchFacts(chainId, timelockId).then(
    ({ state }) => state === "claimed",
    () => false,
  );
}

/** Throws `Refused` (`not_found`, `chain_unavailable`, ...) and `Unreachable`. */
export async function fetchFacts(chainId: number, timelockId: string): Promise<Facts> {
  const path = { chain_id: chainId, timelock_id: timelockId };
  const facts = await worker.get("/gift/{chain_id}/{timelock_id}", { path });
  return { ...facts, chainId, timelockId };
}

/** Of a page that was open while the service was updated the rest is there no more: only a new page has one. Without a
 * connection it stays and asks `again`, for a reload would end on the browser's own page. */
export async function renew(chainId: number, timelockId: string, again: () => unknown): Promise<void> {
  const isThere = await fetchFacts(chainId, timelockId).then(
    () => true,
    () => false,
  );
  if (isThere) location.reload();
  else again();
}
