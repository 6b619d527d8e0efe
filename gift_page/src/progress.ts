/** The way from a signature to a gift received, for eyes and for screen readers. */
import { follow, type RelayRequest } from "reminder-worker-client";
import { Refused, Unreachable, worker } from "./api.ts";
import { redrawCard } from "./card.ts";
import { around, askUs, button, fill, make, part } from "./dom.ts";
import { type Facts, fetchFacts, isClaimed } from "./facts.ts";
import { phrase } from "./phrases.ts";
import { CLAIM_PROBLEMS, DESTINATION_PROBLEMS } from "./problems.ts";
import { inTheWay, nowWords, NOT_SENT, TROUBLE, WELL } from "./relay_states.ts";
import { type Failure, type Relayed, remember, rememberFailure, type Step, type Way } from "./remembered.ts";
import { markSteps, transactionLink } from "./steps.ts";
import type { GiftWithdrawRequest } from "./withdraw_auth.ts";
import { amounts, inWords, localTime, shortly } from "./words.ts";

/** What to do with it now. */
const ADVICE: Record<Way, string> = { paper: "received-paper", email: "received-email", wallet: "received-wallet" };
const STEPS = ["step-signed", "step-handed", "step-confirmed"];
/** Time after the deadline until the service ends a request. An open request is abandoned after that: the
 * service's wallet was replaced. */
const ENDED_WITHIN_SECONDS = 30 * 60;
const PASSING = ["rate_limited", "chain_unavailable", "indexer_unavailable", "unavailable"];
const NOT_PAID_FOR = [
  "daily_cap_reached",
  "daily_cap_reserved",
  "signer_paused",
  "relay_stopped",
  "not_configured",
  "router_version_unsupported",
];
/** View of a gift on its way; `what` names the arriving assets in words. */
export class Progress {
  private readonly told = make("p", { className: "told", attributes: { role: "status" } });
  private readonly link = make("p", { className: "dim" });
  private readonly more = make("div", { className: "choices" });
  private readonly steps = STEPS.map((step) => make("li", {}, phrase(step)));
  private readonly heading: HTMLElement;

  constructor(
    private readonly place: HTMLElement,
    private readonly facts: Facts,
    private readonly what: string,
    heading: string = "on-its-way",
  ) {
    this.heading = make("h2", { tabIndex: -1 }, phrase(heading));
    for (const input of place.querySelectorAll("input")) input.value = ""; // a key that was typed, and not needed
    const list = make("ol", { className: "steps" }, ...this.steps);
    fill(place, make("div", { className: "panel" }, this.heading, list, this.told, this.link, this.more));
    this.heading.focus();
  }

  /** `step` is under way; the ones before it are done. `wayOut`: a button. */
  at(step: Step, words: string, wayOut: HTMLElement | null = null): void {
    markSteps(this.steps, step);
    this.say(words);
    if (this.more.firstChild !== wayOut) fill(this.more, wayOut); // the same one keeps the focus
  }

  transaction(hash: string | null): void {
    if (hash === null) return;
    const shown = transactionLink(hash, this.facts.explorerUrl);
    if (this.link.textContent !== shown.textContent) fill(this.link, shown);
  }

  /** It did not work; `again` is offered, in the words `action`. Until then, a reload shows the failure again. */
  failed(words: string, again: () => void, action: string = phrase("try-again")): void {
    const step = this.steps.findIndex(({ className }) => className === "now");
    rememberFailure(this.facts, { words, step: step as Step, action });
    for (const item of this.steps) if (item.className === "now") item.className = "failed";
    this.heading.textContent = phrase("not-yet");
    this.say(words);
    const goOn = (): void => {
      rememberFailure(this.facts, null);
      again();
    };
    fill(this.more, button(action, goOn));
  }

  /** `payTo`: the destination that was named; `isOurs`: this request opened the gift, and no other device did. */
  done(way: Way, payTo?: string, isOurs: boolean = true): void {
    const { chainId, timelockId, recipient, domain } = this.facts;
    const account = payTo ?? recipient;
    const isSure = isOurs || domain.version === "1"; // from version 2 on, another device may have named a wallet
    const known = payTo === undefined ? ADVICE[way] : "received-own";
    const told = phrase(isSure ? known : "received-either", { site: location.host });
    fill(part("state"), make("p", { className: "when" }, phrase("you-opened")));
    fill(part("advice"));
    const arrived = make("p", { className: "arrived", attributes: { role: "status" } });
    const seal = make("div", { className: "seal", attributes: { "aria-hidden": "true" } }, "✓");
    const heading = make("h2", { tabIndex: -1 }, phrase("it-is-yours"));
    const more = make("div");
    fill(
      this.place,
      make("div", { className: "panel received" }, seal, heading, arrived, make("p", {}, told), more, this.link),
    );
    const isKept = payTo === undefined && isSure;
    // Only a withdrawn gift tells when it was opened, and what was sent.
    void fetchFacts(chainId, timelockId).then(
      (facts) => fill(more, ...afterwards(facts, isKept ? way : "wallet")),
      () => undefined,
    );
    const gift = this.what;
    if (!isSure) arrived.append(phrase("was-paid-out", { gift }));
    else
      arrived.append(...around("arrived-at", "account", make("code", { title: account }, shortly(account)), { gift }));
    void redrawCard(true);
    heading.focus();
  }

  private say(words: string): void {
    if (this.told.textContent !== words) this.told.textContent = words;
  }
}

/** Fee, days and the way to give something oneself, of a gift that was received. */
function afterwards({ assets, sealedAt, openedAt, createPath }: Facts, way: Way): (HTMLElement | false)[] {
  const isKnown =
    assets.length > 0 && assets.every(({ asEther, soldForEther }) => asEther !== null && soldForEther !== null);
  const hasEther = assets.some(({ asEther, soldForEther }) => asEther === true || soldForEther === true);
  return [
    way !== "wallet" && isKnown && make("p", {}, phrase(hasEther ? "fee-from-gift" : "fee-needs-ether")),
    make("dl", {}, ...row(phrase("fact-sealed"), sealedAt), ...row(phrase("fact-opened"), openedAt)),
    way === "email" && askUs() !== "" && make("p", {}, askUs()),
    createPath !== null &&
      make("p", {}, make("a", { className: "button quiet", href: createPath }, phrase("seal-forward"))),
  ];
}

/** Of the list of days; nothing while the index does not know the day. */
function row(name: string, moment: string | null): HTMLElement[] {
  if (moment === null) return [];
  return [make("div", {}, make("dt", {}, name), make("dd", {}, localTime(new Date(moment))))];
}

/** Hands a signed withdrawal in and follows it. `again`: from the start, when it has to be signed anew. */
export async function sponsored(
  place: HTMLElement,
  facts: Facts,
  request: GiftWithdrawRequest,
  way: Way,
  again: () => void,
): Promise<void> {
  const what = amounts(facts.assets, request.skipSwap);
  const progress = new Progress(place, facts, what);
  const problems = request.payTo === undefined ? CLAIM_PROBLEMS : DESTINATION_PROBLEMS;
  progress.at(1, phrase("sending-signature"));
  try {
    const { deadline, payTo } = request;
    const { id } = await worker.post("/sponsor/gift-withdraw", request);
    const sent: Relayed = { id, way, what, deadline, ...(payTo === undefined ? {} : { payTo }) };
    remember(facts, sent);
    await followed(progress, facts, sent, again);
  } catch (error) {
    const sameAgain = (): void => void sponsored(place, facts, request, way, again);
    if (isPassing(error)) progress.failed(inWords(error, problems), sameAgain);
    else if (isNotPaidFor(error))
      progress.failed(`${inWords(error, problems)} ${phrase("nothing-sent")}`, again, phrase("see-what-works"));
    else progress.failed(inWords(error, problems), again);
  }
}

/** Whether the same signature may be taken a little later. */
function isPassing(error: unknown): boolean {
  return error instanceof Unreachable || (error instanceof Refused && PASSING.includes(error.code));
}

/** Whether the service does not pay the fee now: then the other ways are there still. */
function isNotPaidFor(error: unknown): boolean {
  return error instanceof Refused && NOT_PAID_FOR.includes(error.code);
}

/** The request whose sender looks at other ways meanwhile; a page that is loaded again follows it. */
let left: string | null = null;

export function isLeft({ id }: Relayed): boolean {
  return id === left;
}

/** A request that this tab handed in before it was reloaded, or before its sender looked at other ways. */
export function resumed(place: HTMLElement, facts: Facts, request: Relayed, again: () => void): void {
  left = null;
  const progress = new Progress(place, facts, request.what);
  progress.at(1, phrase("looking-where"));
  void followed(progress, facts, request, again).catch(again);
}

/** Shows what did not work before this tab was reloaded. */
export function resumedFailure(
  place: HTMLElement,
  facts: Facts,
  { words, step, action }: Failure,
  again: () => void,
): void {
  const progress = new Progress(place, facts, "");
  progress.at(step, words);
  progress.failed(words, again, action);
}

async function followed(
  progress: Progress,
  facts: Facts,
  { id, way, deadline = Infinity, payTo }: Relayed,
  again: () => void,
): Promise<void> {
  const forget = (): void => remember(facts, null);
  let isOver = false;
  const leave = (): void => {
    isOver = true;
    left = id; // not forgotten: signed once more it would be refused
    again();
  };
  // A visitor with ether need not wait for the service. After a broadcast there is no way out: its fee would be wasted.
  const wayOut = way === "wallet" ? button(phrase("choose-another-way"), leave, "button quiet") : null;
  let isTooLate = false;
  /** Whether the gift itself says that it is over. */
  const isSettled = async (): Promise<boolean> => {
    const gift = await fetchFacts(facts.chainId, facts.timelockId).catch(() => null);
    isTooLate = gift?.state === "open" && Date.parse(gift.asOf) / 1000 > deadline + ENDED_WITHIN_SECONDS;
    return isTooLate || gift?.state === "claimed";
  };
  let ended: RelayRequest | null;
  try {
    ended = await follow(worker, id, async (now) => {
      if (isOver) return true;
      if (now === null) {
        progress.at(1, phrase("service-silent"));
        return isSettled();
      }
      progress.transaction(now.txHash);
      const why = inTheWay(now);
      const words = why ?? nowWords(now);
      const isNotSent = NOT_SENT.includes(now.status);
      if (words !== undefined) {
        progress.at(
          ["broadcast", "mined"].includes(now.status) ? 2 : 1,
          words,
          isNotSent && why !== null ? wayOut : null,
        );
      }
      return (isNotSent || now.waitsFor === "paused") && isSettled();
    });
  } catch (error) {
    if (isOver) return;
    forget();
    throw error;
  }
  if (isOver) return;
  forget();
  if (isTooLate) return progress.failed(phrase("trouble-expired"), again);
  if (ended === null || WELL.includes(ended.status) || (await isClaimed(facts))) {
    return progress.done(way, payTo, ended?.status === "confirmed");
  }
  progress.failed(phrase(TROUBLE[ended.status] ?? "trouble-unknown"), again);
}
