/** What anybody may know of a legacy: GET /legacies/facts/{chainId}/{legacy}. */
import type { Bodies } from "reminder-worker-client";
import { worker } from "./api.ts";

/** `legacy`: the address of the contract. */
export interface Place {
  chainId: number;
  legacy: string;
}

export type LegacyFacts = Bodies["LegacyAnswer"] & Place;
export type ClaimPreview = Bodies["ClaimPreviewAnswer"];

/** Throws `Refused` (`not_found`, `chain_unavailable`, ...) and `Unreachable`. */
export async function fetchLegacy({ chainId, legacy }: Place): Promise<LegacyFacts> {
  const path = { chain_id: chainId, legacy };
  return { ...(await worker.get("/legacies/facts/{chain_id}/{legacy}", { path })), chainId };
}

/** What a claim would bring this account. Throws as `fetchLegacy`, and `Refused` for an account that may not claim. */
export function previewClaim({ chainId, legacy }: Place, account: string): Promise<ClaimPreview> {
  return worker.post("/legacies/claim-preview", { chainId, legacy, account });
}
