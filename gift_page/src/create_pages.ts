/** The card and the record of a gift with its link, and the list of what the giver sealed. */
import { loadSpeech } from "./catalogues.ts";
import type { GiverWallet } from "./create_wallet.ts";
import { around, button, make } from "./dom.ts";
import { fetchFacts } from "./facts.ts";
import { GiftList, type SealedLock } from "./gift_list.ts";
import {
  askForMemory,
  forget,
  keep,
  type Keepsake,
  keepsakeOf,
  keepsakes,
  letterIn,
  linkOf,
  type Memory,
  memory,
} from "./keepsake.ts";
import type { Language, Speech } from "reminder-worker-client/speech";
import type { GiftPlace } from "reminder-worker-client/claim-links";
import { occasionOf } from "reminder-worker-client/occasions";
import { phrase, speech } from "./phrases.ts";
import { linkBox } from "./link_box.ts";
import type { Sealed } from "reminder-worker-client/sealing";
import { DoesNotFit, drawGiftCard, drawGiftRecord, wipe } from "reminder-worker-client/printables";
import { shown } from "./printed_page.ts";
import { valueOf } from "./valuation.ts";

/** Link, card and, once the giver's wallet can ask the chain, the record of a kept gift. The link is there also when a
 * page cannot be drawn. `isNew`: nobody has the link yet; `handOver` hears when the giver has taken it. */
export async function rebuilt(
  place: GiftPlace,
  kept: Keepsake,
  wallet: GiverWallet | undefined,
  isNew: boolean,
  handOver: () => void,
): Promise<HTMLElement> {
  const link = linkOf(place, kept);
  const card = await drawn(phrase("page-card"), `gift-card-${kept.timelockId}.png`, () => cardOf(kept, link));
  const record =
    wallet?.chain.chainId === kept.chainId
      ? await drawn(phrase("page-record"), `gift-record-${kept.timelockId}.png`, () => recordOf(wallet, kept))
      : make("p", { className: "hint" }, phrase("record-needs-wallet"));
  return make(
    "div",
    { className: "result" },
    linkBox(link, kept.timelockId, isNew, handOver),
    make("div", { className: "pages" }, card, record),
  );
}

async function drawn(title: string, fileName: string, draw: () => Promise<HTMLCanvasElement>): Promise<HTMLElement> {
  try {
    return shown(title, fileName, await draw());
  } catch (error) {
    const why = error instanceof DoesNotFit && phrase(error.phrase, error.limits);
    const words = why ? phrase("page-does-not-fit", { page: title, why }) : phrase("page-not-drawn", { page: title });
    return make("p", { className: "hint" }, words);
  }
}

/** What is printed for the recipient speaks the gift's language. */
export async function speechOf(language: Language | undefined): Promise<Speech> {
  return language === undefined || language === speech().language ? speech() : loadSpeech(language, ["claim", "give"]);
}

async function cardOf(kept: Keepsake, link: string): Promise<HTMLCanvasElement> {
  const { unlockAt } = await fetchFacts(kept.chainId, kept.timelockId);
  const occasion = occasionOf(kept.occasion);
  const letter = letterIn(kept);
  const words = await speechOf(letter.language);
  return drawGiftCard({ ...letter, link, occasion, opensOn: new Date(unlockAt), words });
}

async function recordOf(wallet: GiverWallet, kept: Keepsake): Promise<HTMLCanvasElement> {
  const sealed = await wallet.sealed(kept.timelockId);
  const { chainId, chainName, router, explorerUrl } = wallet.chain;
  const { to, from } = letterIn(kept);
  const assets = wallet.named(sealed);
  const today = new Date(Date.now() + wallet.clockAhead); // by the chain's clock, as the day of sealing
  const value = await valueOf(chainId, assets, sealed.sealedAt, today);
  const { unlockAt: opensOn, ...rest } = sealed;
  return drawGiftRecord({
    ...rest,
    chainId,
    chainName,
    router,
    explorerUrl,
    assets,
    opensOn,
    to,
    from,
    value,
    words: speech(),
  });
}

const LOCK_NAMES = { gift: "kept-gift", regular: "list-regular", soft: "list-soft" } as const;

/** The list of what was sealed: what the chain has, once a wallet is connected, and the keepsakes of this browser;
 * `open` shows one. */
export class Kept {
  readonly element = make("fieldset", {});
  private sealed: GiftList | undefined;
  /** The sentence about how long this browser keeps the links. */
  private memory: Memory = "kept-for-now";

  constructor(private readonly open: (kept: Keepsake) => void) {
    this.refresh();
    void this.learn(memory());
  }

  /** Shows a gift that was sealed just now. False where the browser stores nothing. */
  add(kept: Keepsake, sealed: Sealed): boolean {
    this.sealed?.add(sealed);
    const isKept = stored(kept);
    this.refresh();
    void this.learn(askForMemory());
    return isKept;
  }

  private async learn(memory: Promise<Memory>): Promise<void> {
    this.memory = await memory;
    this.refresh();
  }

  /** From now on with what this wallet sealed. */
  async connected(wallet: GiverWallet): Promise<void> {
    const sealed = new GiftList(wallet);
    await sealed.readOn();
    this.sealed = sealed;
    this.refresh();
  }

  private refresh(): void {
    const { sealed } = this;
    const all = keepsakes();
    const rest = all.filter((kept) => !sealed?.has(kept));
    this.element.replaceChildren(
      make("legend", {}, phrase(sealed ? "list-title" : "kept-title")),
      make("p", { className: "hint" }, phrase(this.memory)),
      ...(sealed ? this.onChain(sealed, rest.length > 0) : []),
      make("ul", { className: "kept" }, ...rest.map((kept) => this.item(kept))),
    );
  }

  private onChain(sealed: GiftList, hasRest: boolean): HTMLElement[] {
    const { locks, isBroken, isWhole } = sealed;
    const unread = phrase(locks.length > 0 ? "list-broken" : "list-unread");
    const readOn = button(phrase(isBroken ? "try-again" : "list-more"), () => this.readOn(sealed, readOn), "");
    return [
      make("ul", { className: "kept" }, ...locks.map((lock) => this.row(sealed, lock))),
      make("p", { hidden: !isWhole || locks.length > 0 || hasRest }, phrase("list-none")),
      make("p", { className: "bad", hidden: !isBroken, attributes: { role: "alert" } }, unread),
      make("div", { className: "row", hidden: isWhole }, readOn),
      make("p", { className: "hint", hidden: !hasRest || locks.length === 0 }, phrase("list-rest")),
    ];
  }

  private async readOn(sealed: GiftList, pressed: HTMLButtonElement): Promise<void> {
    pressed.disabled = true;
    await sealed.readOn();
    this.refresh();
    this.element.querySelector<HTMLButtonElement>(":scope > .row button")?.focus(); // the new one
  }

  private row(sealed: GiftList, lock: SealedLock): HTMLElement {
    const facts = sealed.facts(lock);
    const kept = keepsakeOf(sealed.chainId, lock.timelockId);
    if (kept !== undefined) return this.item(kept, facts);
    return make(
      "li",
      {},
      make("span", {}, make("span", {}, phrase(LOCK_NAMES[lock.type], { number: lock.timelockId })), facts),
    );
  }

  private item(kept: Keepsake, facts: HTMLElement | null = null): HTMLElement {
    const { to } = letterIn(kept);
    const values = { occasion: phrase(`occasion-${occasionOf(kept.occasion).id}`), number: kept.timelockId };
    const named =
      to === "" ? [phrase("kept-item", values)] : around("kept-item-for", "name", make("bdi", {}, to), values);
    const name = make("span", {}, ...named);
    const show = button(phrase("kept-show"), () => this.open(kept), "");
    show.setAttribute("aria-label", phrase("kept-show-item", { item: name.textContent ?? "" }));
    const remove = button(phrase("kept-forget"), () => this.ask(kept, remove), "");
    remove.setAttribute("aria-label", phrase("kept-forget-item", { item: name.textContent ?? "" }));
    return make("li", {}, make("span", {}, name, facts), show, remove);
  }

  /** The second press does it: the link may be nowhere else. */
  private ask(kept: Keepsake, remove: HTMLButtonElement): void {
    if (remove.dataset["asked"] === undefined) {
      remove.dataset["asked"] = "";
      remove.textContent = phrase("kept-forget-sure");
      return;
    }
    forget(kept.chainId, kept.timelockId);
    this.refresh();
  }
}

function stored(kept: Keepsake): boolean {
  try {
    keep(kept);
    return true;
  } catch {
    return false;
  }
}

/** Takes a sheet with a key off the screen and out of memory. */
export function takeAway(element: HTMLElement): void {
  for (const canvas of element.querySelectorAll("canvas")) wipe(canvas);
  element.replaceChildren();
}
