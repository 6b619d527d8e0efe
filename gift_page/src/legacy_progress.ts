/** The way from a signature or a transaction to the final block, for eyes and for screen readers. */
import { follow } from "reminder-worker-client";
import { worker } from "./api.ts";
import { around, button, fill, make, part } from "./dom.ts";
import { Wrong } from "./field_errors.ts";
import { fetchLegacy, type LegacyFacts } from "./legacy_facts.ts";
import { openingDay } from "./legacy_people.ts";
import { phrase } from "./phrases.ts";
import { LEGACY_PROBLEMS } from "./problems.ts";
import { inTheWay, NOT_SENT, nowWords, TROUBLE, WELL } from "./relay_states.ts";
import { keep, kept } from "./remembered.ts";
import { markSteps, transactionLink } from "./steps.ts";
import type { WalletChain } from "./wallet_chain.ts";
import { inWords, localTime, shortly } from "./words.ts";

/** What is under way: a claim, the takeover of a shared wallet, or a sign of life. A reload of the tab knows it. */
export interface Deed {
  kind: "claim" | "takeover" | "check-in";
  account: string;
  /** The id of a relayed request, or the hash of the visitor's own transaction. */
  id?: string;
  hash?: string;
  /** The number of a block before the transaction was sent. */
  since?: number;
  /** What a claim brings, in words. */
  what?: string;
  /** The day that a check-in moves the legacy to, RFC 3339. */
  day?: string | undefined;
}

const STEPS = ["step-signed", "step-handed", "step-confirmed", "legacy-step-final"];
const HEADINGS: Record<Deed["kind"], string> = {
  claim: "legacy-claim-under-way",
  takeover: "legacy-claim-under-way",
  "check-in": "legacy-well-under-way",
};
const ASK_AGAIN_MILLISECONDS = 4_000;
/** Reasons of the service to wait that a transaction of one's own does not know. */
const SHORT_OF_FEES = ["fees", "balance", "daily_cap", "paused"];
const PATIENCE_MILLISECONDS = 6_000;

const keyOf = ({ chainId, legacy }: LegacyFacts): string => `legacy-deed:${chainId}:${legacy.toLowerCase()}`;

export function rememberedDeed(facts: LegacyFacts): Deed | null {
  return kept(keyOf(facts));
}

/** Follow a relayed request to its end. `again` begins anew. */
export async function followRelayed(
  place: HTMLElement,
  facts: LegacyFacts,
  deed: Deed,
  again: () => void,
): Promise<void> {
  keep(keyOf(facts), deed);
  const view = new DeedView(place, facts, deed);
  view.at(1, phrase("now-arrived"));
  try {
    const ended = await follow(worker, deed.id ?? "", (now) => {
      if (view.isLeft) return true;
      if (now === null) {
        view.at(1, phrase("service-silent"));
        return false;
      }
      view.transaction(now.txHash);
      const words = inTheWay(now) ?? nowWords(now);
      const step = now.status === "mined" ? 3 : now.status === "broadcast" ? 2 : 1;
      if (words !== undefined) view.at(step, words);
      view.offerOwn(NOT_SENT.includes(now.status) && SHORT_OF_FEES.includes(now.waitsFor ?? ""), again);
      return false;
    });
    if (view.isLeft) return;
    keep(keyOf(facts), null);
    if (ended !== null && WELL.includes(ended.status)) return await view.done(() => newDay(facts, deed));
    view.failed(phrase(TROUBLE[ended?.status ?? ""] ?? "trouble-unknown"), again);
  } catch (error) {
    if (view.isLeft) return;
    keep(keyOf(facts), null);
    view.failed(inWords(error, LEGACY_PROBLEMS), again);
  }
}

/** Follow the visitor's own transaction to the final block, through their own wallet. */
export async function followOwn(
  place: HTMLElement,
  facts: LegacyFacts,
  deed: Deed,
  chain: WalletChain,
  again: () => void,
): Promise<void> {
  keep(keyOf(facts), deed);
  const view = new DeedView(place, facts, deed);
  const hash = deed.hash ?? "";
  view.offerToLeave(again);
  view.transaction(hash);
  view.at(2, phrase("now-broadcast"));
  try {
    let receipt = await chain.mined(hash, deed.since ?? 0);
    if (view.isLeft) return;
    view.at(3, phrase("now-mined"));
    if (deed.kind === "check-in") view.showDay(await openingDay(chain, facts.legacy).catch(() => null));
    for (;;) {
      const final = await chain.finalBlock();
      receipt = await chain.mined(receipt.transactionHash, deed.since ?? 0); // it may be in another block by now
      if (view.isLeft) return;
      if (Number(receipt.blockNumber) <= final) break;
      await new Promise((resolve) => setTimeout(resolve, ASK_AGAIN_MILLISECONDS));
    }
    keep(keyOf(facts), null);
    await view.done(() => openingDay(chain, facts.legacy));
  } catch (error) {
    if (view.isLeft) return;
    keep(keyOf(facts), null);
    view.failed(error instanceof Wrong ? error.message : phrase("trouble-refused"), again);
  }
}

/** After some seconds: a wallet may be gone, and what some name for a shared wallet is no transaction. */
export function offerToLeave(place: HTMLElement, facts: LegacyFacts, leave: () => void): void {
  const choose = leavingButton(facts, leave);
  setTimeout(() => {
    if (place.childElementCount === 0) fill(place, choose);
  }, PATIENCE_MILLISECONDS);
}

/** The deed goes on; this page forgets it. */
function leavingButton(facts: LegacyFacts, leave: () => void): HTMLElement {
  const choose = (): void => {
    keep(keyOf(facts), null);
    leave();
  };
  return button(phrase("legacy-choose-again"), choose, "button quiet");
}

/** Return the service's day unless it is older than the expected one: the service keeps an answer for some seconds. */
async function newDay(facts: LegacyFacts, { day }: Deed): Promise<Date | null> {
  const { opensAt } = await fetchLegacy(facts);
  const isNew = opensAt !== null && (day === undefined || Date.parse(opensAt) >= Date.parse(day));
  return asDay(isNew ? opensAt : day);
}

function asDay(day: string | undefined): Date | null {
  return day === undefined ? null : new Date(day);
}

/** View of a deed under way. */
class DeedView {
  /** The visitor has chosen something else: this view has no place any more. */
  isLeft = false;
  private readonly told = make("p", { className: "told", attributes: { role: "status" } });
  private readonly day = make("p", { className: "when", hidden: true });
  private readonly link = make("p", { className: "dim" });
  private readonly more = make("div", { className: "choices" });
  private readonly steps = STEPS.map((step) => make("li", {}, phrase(step)));
  private readonly heading: HTMLElement;
  private readonly stateBefore = part("state").cloneNode(true);

  constructor(
    private readonly place: HTMLElement,
    private readonly facts: LegacyFacts,
    private readonly deed: Deed,
  ) {
    this.heading = make("h2", { tabIndex: -1 }, phrase(HEADINGS[deed.kind]));
    const list = make("ol", { className: "steps" }, ...this.steps);
    const parts = [this.heading, this.day, list, this.told, this.link, this.more];
    fill(place, make("div", { className: "panel" }, ...parts));
    this.showDay(asDay(deed.day));
    this.heading.focus();
  }

  /** Step `now` is under way; the ones before it are done. */
  at(now: number, words: string): void {
    markSteps(this.steps, now);
    if (this.told.textContent !== words) this.told.textContent = words;
  }

  /** The day that a check-in leads to, while it is not final. */
  showDay(day: Date | null): void {
    if (day === null || this.isLeft) return;
    const words = phrase("legacy-new-day", { moment: localTime(day) });
    this.day.hidden = false;
    if (this.day.textContent !== words) this.day.textContent = words;
    sayState("legacy-moving-to", { moment: localTime(day) });
    showLaterLines(false);
  }

  transaction(hash: string | null): void {
    if (hash === null) return;
    const shown = transactionLink(hash, this.facts.explorerUrl);
    if (this.link.textContent !== shown.textContent) fill(this.link, shown);
  }

  offerToLeave(again: () => void): void {
    offerToLeave(this.more, this.facts, this.leaver(again));
  }

  /** A way to a transaction of one's own, only while the service cannot pay. */
  offerOwn(isShort: boolean, again: () => void): void {
    if (!isShort) return fill(this.more);
    if (this.more.childElementCount > 0) return;
    const words = make("p", { className: "dim" }, phrase("legacy-fee-is-yours"));
    fill(this.more, words, leavingButton(this.facts, this.leaver(again)));
  }

  private leaver(again: () => void): () => void {
    return () => {
      this.isLeft = true;
      this.restoreDays();
      again();
    };
  }

  /** The days at the top of the page, and of later lines, as they were before this deed. */
  private restoreDays(): void {
    part("state").replaceWith(this.stateBefore);
    showLaterLines(true);
  }

  failed(words: string, again: () => void): void {
    for (const item of this.steps) if (item.className === "now") item.className = "failed";
    this.heading.textContent = phrase("not-yet");
    this.day.hidden = true;
    this.restoreDays();
    fill(this.told, words);
    const goOn = button(phrase("try-again"), again);
    fill(this.more, goOn);
    goOn.focus();
  }

  /** It is final. `readDay` gives the day after a check-in. */
  async done(readDay: () => Promise<Date | null>): Promise<void> {
    const { kind, account, what = "", day } = this.deed;
    const seal = make("div", { className: "seal", attributes: { "aria-hidden": "true" } }, "✓");
    const heading = make("h2", { tabIndex: -1 }, phrase(DONE[kind]));
    const told = make("p", { className: "arrived", attributes: { role: "status" } });
    fill(this.place, make("div", { className: "panel received" }, seal, heading, told, this.link));
    showLaterLines(false);
    if (kind === "check-in") {
      const moved = await readDay().catch(() => asDay(day));
      const moment = moved && localTime(moved);
      told.append(moment === null ? phrase("legacy-well-final") : phrase("legacy-day-final", { moment }));
      if (moment !== null) sayState("legacy-opens-on", { moment });
    } else if (kind === "takeover") {
      told.append(phrase("legacy-taken-over"));
      sayState("legacy-you-claimed");
    } else {
      told.append(
        ...around("arrived-at", "account", make("code", { title: account }, shortly(account)), { gift: what }),
      );
      sayState("legacy-you-claimed");
    }
    heading.focus();
  }
}

const DONE: Record<Deed["kind"], string> = {
  claim: "it-is-yours",
  takeover: "legacy-takeover-done",
  "check-in": "legacy-well-done",
};

/** The days of later lines, which the server's page names. A sign of life or a claim moves them. */
function showLaterLines(isShown: boolean): void {
  const lines = document.getElementById("lines");
  if (lines !== null) lines.hidden = !isShown;
}

/** Say the state anew at the top of the page. */
function sayState(id: string, values: Record<string, string> = {}): void {
  const [line, ...others] = part("state").children;
  for (const other of others) other.remove();
  const words = phrase(id, values);
  if (line !== undefined && line.textContent !== words) line.textContent = words;
}
