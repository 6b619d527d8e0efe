/** The list of what the giver's wallet sealed: GET /timelocks, the newest first, page by page. */
import type { Bodies } from "reminder-worker-client";
import { worker } from "./api.ts";
import type { GiverWallet } from "./create_wallet.ts";
import { make } from "./dom.ts";
import type { GiftAsset } from "./facts.ts";
import type { Keepsake } from "./keepsake.ts";
import type { Sealed } from "reminder-worker-client/sealing";
import { phrase } from "./phrases.ts";
import { amounts, localTime } from "./words.ts";

export type SealedLock = Bodies["TimelockAnswer"];

export class GiftList {
  readonly locks: SealedLock[] = [];
  /** Whether the last page that was asked for did not come. */
  isBroken = false;
  private next: string | null | undefined;

  constructor(private readonly wallet: GiverWallet) {}

  get isWhole(): boolean {
    return this.next === null;
  }

  has({ chainId, timelockId }: Keepsake): boolean {
    return chainId === this.wallet.chain.chainId && this.hasLock(timelockId);
  }

  private hasLock(timelockId: string): boolean {
    return this.locks.some((lock) => lock.timelockId === timelockId);
  }

  /** Puts a gift first that was sealed just now: the service lists it a little later. */
  add({ timelockId, recipient, unlockAt, assets }: Sealed): void {
    const named = assets.map(({ token, units }) => {
      const known = this.wallet.tokens.find(({ address }) => address === token);
      return {
        token,
        tokenId: null,
        amount: `${units}`,
        symbol: known?.symbol ?? null,
        decimals: known?.decimals ?? null,
      };
    });
    this.locks.unshift({
      type: "gift",
      state: "sealed",
      timelockId,
      recipient,
      unlockAt: unlockAt.toISOString(),
      sealedAt: new Date().toISOString(),
      assets: named,
      assetCount: named.length,
    });
  }

  get chainId(): number {
    return this.wallet.chain.chainId;
  }

  /** Asks for one more page. Never throws: the device's own list is there without it. */
  async readOn(): Promise<void> {
    const before = this.next ?? undefined;
    const query = { owner: this.wallet.signer.account, chainId: this.chainId, ...(before !== undefined && { before }) };
    try {
      const page = await worker.get("/timelocks", { query });
      this.locks.push(...page.timelocks.filter(({ timelockId }) => !this.hasLock(timelockId)));
      this.next = page.next;
      this.isBroken = false;
    } catch {
      this.isBroken = true;
    }
  }

  /** Amounts, state and opening day. */
  facts({ type, state, unlockAt, assets, assetCount }: SealedLock): HTMLElement {
    const named = assets.map((asset): GiftAsset => {
      const isEther = this.wallet.tokens.some((token) => token.isEther && token.address === asset.token);
      return { ...asset, asEther: type === "gift" && isEther, soldForEther: false };
    });
    const more = assetCount > assets.length ? " …" : "";
    const what = named.length > 0 && make("span", { className: "amounts" }, amounts(named) + more);
    return make("span", { className: "facts hint" }, what, make("span", {}, stateWords(state, unlockAt)));
  }
}

function stateWords(state: SealedLock["state"], unlockAt: string | null): string {
  if (state === "ended") return phrase("list-ended");
  if (unlockAt === null) return phrase("list-sealed");
  const moment = localTime(new Date(unlockAt));
  return phrase(state === "open" ? "list-open" : "list-sealed-until", { moment });
}
