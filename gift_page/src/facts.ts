/** What anybody may know of a gift: GET /gift/{chainId}/{timelockId}. */
import { ask } from "./api.ts";

export interface GiftAsset {
  /** Address, EIP-55. */
  token: string;
  /** Null when it has none that may be shown. */
  symbol: string | null;
  decimals: number | null;
  /** Base units, decimal. */
  amount: string;
  /** Wrapped ether that the recipient receives as ether, unless `skipSwap`; of a withdrawn gift: whether ether was sent,
   * null while nobody knows. */
  asEther: boolean | null;
  /** Another token that is sold for ether at the withdrawal, unless `skipSwap`; withdrawn: as above. */
  soldForEther: boolean | null;
}

export interface Facts {
  chainId: number;
  timelockId: string;
  chainName: string;
  /** Of a block explorer; null where none is known. */
  explorerUrl: string | null;
  state: "sealed" | "open" | "claimed";
  /** The only account that can ever receive it. */
  recipient: string;
  /** RFC 3339, UTC. */
  unlockAt: string;
  /** RFC 3339, UTC; null while the index does not know it. */
  sealedAt: string | null;
  /** The same of the withdrawal. */
  openedAt: string | null;
  /** Path of the page that seals gifts; null where none is served. */
  createPath: string | null;
  /** The chain's clock when this was read, RFC 3339, UTC. */
  asOf: string;
  assets: GiftAsset[];
  /** The TimeLockRouter. */
  router: string;
  /** EIP-712 domain of WithdrawAuth. */
  domain: { name: string; version: string; chainId: number; verifyingContract: string };
  /** Of the recipient's next WithdrawAuth, decimal. */
  sponsorNonce: string;
  /** Whether this service relays withdrawals of gifts. */
  sponsored: boolean;
  /** With what a page talks to the identity provider; null where there is none. */
  identityProvider: IdentityProvider | null;
}

export interface IdentityProvider {
  organizationId: string;
  authProxyConfigId: string;
  authProxyUrl: string;
  apiUrl: string;
  /** Of the recipient's wallet; null when it was not made here for an email, or too long ago. */
  subOrganizationId: string | null;
  /** Null but on the local stack, whose stand-in for the provider has a key of its own. */
  codeSigningKey: string | null;
}

/** Whether it was withdrawn; false, too, while nobody says so. */
export async function isClaimed({ chainId, timelockId }: Facts): Promise<boolean> {
  return fetchFacts(chainId, timelockId).then(({ state }) => state === "claimed", () => false);
}

/** Throws `Refused` (`not_found`, `chain_unavailable`, ...) and `Unreachable`. */
export async function fetchFacts(chainId: number, timelockId: string): Promise<Facts> {
  const facts = await ask<Omit<Facts, "chainId" | "timelockId">>(`/gift/${chainId}/${timelockId}`);
  return { ...facts, chainId, timelockId };
}

/** Of a page that was open while the service was updated the rest is there no more: only a new page has one. Without a
 * connection it stays and asks `again`, for a reload would end on the browser's own page. */
export async function renew(chainId: number, timelockId: string, again: () => unknown): Promise<void> {
  const isThere = await fetchFacts(chainId, timelockId).then(() => true, () => false);
  if (isThere) location.reload();
  else again();
}
