/** The way from a signature to a gift received, for eyes and for screen readers. */
import { Refused, Unreachable } from "./api.ts";
import { button, fill, make, part } from "./dom.ts";
import { type Facts, fetchFacts, isClaimed } from "./facts.ts";
import { follow, handIn, type RelayRequest } from "./relay.ts";
import { type Relayed, remember, type Way } from "./remembered.ts";
import type { GiftWithdrawRequest } from "./withdraw_auth.ts";
import { amounts, inWords, localTime, shortly } from "./words.ts";

type Step = 0 | 1 | 2 | 3;

/** What to do with it now. */
const ADVICE: Record<Way, string> = {
  paper:
    "It is now in the wallet that the key on your sheet belongs to. Keep the sheet safe: you need its key to move the " +
    "gift to a wallet of your own, by importing it in a wallet app whenever you like.",
  email:
    "It is now in the wallet of your email address, which the sign-in provider Turnkey keeps for you. Anybody who can read " +
    "your emails can use that wallet, so keep your mailbox safe. This page only opens gifts. To move it on, you sign in to " +
    "that wallet elsewhere: ask the giver where, and never tell anybody a code from your emails.",
  wallet: "It is in your wallet now.",
};
const FEE_FROM_GIFT = "Moving it later costs a small network fee, which is paid from the ETH that arrived.";
const FEE_NEEDS_ETHER = "Moving it later costs a small network fee, so that wallet needs a little ETH first.";

const IN_OWN_WALLET = "It is in the wallet that you named. You need the gift wallet no more.";
/** The gift was opened, and this page does not know by which permission. */
const IN_EITHER = "Please look in the wallet that you named, and in the gift wallet: it is in one of them.";

const STEPS = ["Signed on this device", "Handed to the network", "Confirmed by the network"];
const NOT_SENT = ["queued", "waiting_predecessor", "deferred_fee"];
const WELL = ["confirmed", "satisfied_elsewhere"];
const TOO_LATE = "It could not be sent in time, so nothing was moved. The gift is still there: please try again.";
/** Time after the deadline until the service ends a request. An open request is abandoned after that: the
 * service's wallet was replaced. */
const ENDED_WITHIN_SECONDS = 30 * 60;
const TROUBLE: Record<string, string> = {
  reverted: "The network refused the transaction. Nothing was moved: the gift is still there.",
  expired: TOO_LATE,
  superseded: "Something else was sent for this wallet first. The gift may still be there: please look again.",
  cancelled_by_user: "This was cancelled by the wallet it is for. The gift is still there.",
};
const NOTHING_LOST = "Nothing was sent: the gift is still there.";
const PASSING = ["rate_limited", "chain_unavailable", "indexer_unavailable", "unavailable"];
const NOT_PAID_FOR = [
  "daily_cap_reached",
  "daily_cap_reserved",
  "signer_paused",
  "relay_stopped",
  "not_configured",
  "router_version_unsupported",
];
export const ON_ITS_WAY = "It is on its way. The network usually takes less than a minute…";
const NOW: Record<string, string> = {
  queued: "Your signature has arrived. It is being sent to the network…",
  waiting_predecessor: "Another gift of yours goes first. This one follows by itself…",
  deferred_fee: "Your signature has arrived. It is being sent to the network…",
  signed: "It is being sent to the network…",
  broadcast: ON_ITS_WAY,
  mined: "Your gift has arrived! The network is making it final…",
};
const FAILED =
  "The network refused the transaction. This is being made final, which takes about a quarter of an hour. " +
  "After that you can try again.";
/** Explanations of a delay, by the reason of the service. */
const WHY: Record<string, string> = {
  fees: "The network is very busy and its fees are high right now. Your gift goes on as soon as they fall.",
  balance: "The service's own wallet, which pays the network fee, has to be filled first. Your gift goes on by itself then.",
  daily_cap: "Today's budget for network fees has no room right now. Your gift goes on by itself when it has.",
  chain: "The network does not answer right now. Your gift goes on by itself when it does.",
  earlier: "Others are sent to the network before yours. It follows by itself.",
  paused: "Paying the network fees is paused at the moment. Your gift goes on by itself after that.",
  would_fail: "The network would refuse this right now. It is tried again by itself.",
};
const MEANWHILE = " You may leave this page open, or come back later. After an hour you are asked to open it once more.";

/** View of a gift on its way; `what` names the arriving assets in words. */
export class Progress {
  private readonly told = make("p", { className: "told", attributes: { role: "status" } });
  private readonly link = make("p", { className: "dim" });
  private readonly more = make("div", { className: "choices" });
  private readonly steps = STEPS.map((text) => make("li", {}, text));
  private readonly heading: HTMLElement;

  constructor(
    private readonly place: HTMLElement,
    private readonly facts: Facts,
    private readonly what: string,
    heading: string = "Your gift is on its way",
  ) {
    this.heading = make("h2", { tabIndex: -1 }, heading);
    for (const input of place.querySelectorAll("input")) input.value = ""; // a key that was typed, and not needed
    const list = make("ol", { className: "steps" }, ...this.steps);
    fill(place, make("div", { className: "panel" }, this.heading, list, this.told, this.link, this.more));
    this.heading.focus();
  }

  /** `step` is under way; the ones before it are done. `wayOut`: a button. */
  at(step: Step, words: string, wayOut: HTMLElement | null = null): void {
    this.steps.forEach((item, index) => {
      item.className = index < step ? "done" : index === step ? "now" : "";
      if (index === step) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    this.say(words);
    if (this.more.firstChild !== wayOut) fill(this.more, wayOut); // the same one keeps the focus
  }

  transaction(hash: string | null): void {
    if (hash === null) return;
    const { explorerUrl } = this.facts;
    const words = `transaction ${hash.slice(0, 10)}…${hash.slice(-6)}`;
    const href = explorerUrl === null ? null : `${explorerUrl.replace(/\/$/, "")}/tx/${hash}`;
    const shown =
      href === null
        ? make("code", { title: hash }, words)
        : make("a", { href, target: "_blank", rel: "noopener noreferrer" }, `See the ${words}`);
    if (this.link.textContent !== shown.textContent) fill(this.link, shown);
  }

  /** It did not work; `again` is offered, in the words `what`. */
  failed(words: string, again: () => void, what: string = "Try again"): void {
    for (const item of this.steps) if (item.className === "now") item.className = "failed";
    this.heading.textContent = "That did not work yet";
    this.say(words);
    fill(this.more, button(what, again));
  }

  /** `payTo`: the destination that was named; `isCertain`: that it was paid there. */
  done(way: Way, payTo?: string, isCertain: boolean = true): void {
    const { chainId, timelockId, recipient } = this.facts;
    const account = payTo ?? recipient;
    const told = payTo === undefined ? ADVICE[way] : isCertain ? IN_OWN_WALLET : IN_EITHER;
    fill(part("state"), make("p", { className: "when" }, "You have opened this gift."));
    fill(part("advice"));
    const arrived = make("p", { className: "arrived", attributes: { role: "status" } });
    const seal = make("div", { className: "seal", attributes: { "aria-hidden": "true" } }, "✓");
    const heading = make("h2", { tabIndex: -1 }, "It is yours");
    const more = make("div");
    fill(this.place, make("div", { className: "panel received" }, seal, heading, arrived, make("p", {}, told), more, this.link));
    const isKept = payTo === undefined;
    // Only a withdrawn gift tells when it was opened, and what was sent.
    void fetchFacts(chainId, timelockId).then((facts) => fill(more, ...afterwards(facts, isKept ? way : "wallet")), () => undefined);
    if (!isKept && !isCertain) arrived.append(`${this.what} was paid out.`);
    else arrived.append(`${this.what} arrived at `, make("code", { title: account }, shortly(account)), ".");
    heading.focus();
  }

  private say(words: string): void {
    if (this.told.textContent !== words) this.told.textContent = words;
  }
}

/** Fee, days and the way to give something oneself, of a gift that was received. */
function afterwards({ assets, sealedAt, openedAt, createPath }: Facts, way: Way): (HTMLElement | false)[] {
  const isKnown = assets.length > 0 && assets.every(({ asEther, soldForEther }) => asEther !== null && soldForEther !== null);
  const hasEther = assets.some(({ asEther, soldForEther }) => asEther === true || soldForEther === true);
  return [
    way !== "wallet" && isKnown && make("p", {}, hasEther ? FEE_FROM_GIFT : FEE_NEEDS_ETHER),
    make("dl", {}, ...row("Sealed", sealedAt), ...row("Opened", openedAt)),
    createPath !== null && make("p", {}, make("a", { className: "button quiet", href: createPath }, "Seal one forward")),
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
  progress.at(1, "Your signature is being sent…");
  try {
    const { deadline, payTo } = request;
    const sent: Relayed = { id: await handIn(request), way, what, deadline, ...(payTo === undefined ? {} : { payTo }) };
    remember(facts, sent);
    await followed(progress, facts, sent, again);
  } catch (error) {
    const sameAgain = (): void => void sponsored(place, facts, request, way, again);
    if (isPassing(error)) progress.failed(inWords(error), sameAgain);
    else if (isNotPaidFor(error)) progress.failed(`${inWords(error)} ${NOTHING_LOST}`, again, "See what works now");
    else progress.failed(inWords(error), again);
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
  progress.at(1, "Looking where your gift is…");
  void followed(progress, facts, request, again).catch(again);
}

/** Null when nothing is, or nothing beyond the usual: many are under way at once. */
function inTheWay({ status, waitsFor }: RelayRequest): string | null {
  const why = waitsFor === "earlier" && !["queued", "deferred_fee"].includes(status) ? undefined : WHY[waitsFor ?? ""];
  return why === undefined ? null : why + MEANWHILE;
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
  const wayOut = way === "wallet" ? button("Choose another way", leave, "button quiet") : null;
  let isTooLate = false;
  /** Whether the gift itself says that it is over. */
  const isSettled = async (): Promise<boolean> => {
    const gift = await fetchFacts(facts.chainId, facts.timelockId).catch(() => null);
    isTooLate = gift?.state === "open" && Date.parse(gift.asOf) / 1000 > deadline + ENDED_WITHIN_SECONDS;
    return isTooLate || gift?.state === "claimed";
  };
  let ended: RelayRequest | null;
  try {
    ended = await follow(id, async (now) => {
      if (isOver) return true;
      if (now === null) {
        progress.at(1, "The service does not answer right now; it is asked again…");
        return isSettled();
      }
      progress.transaction(now.txHash);
      const why = inTheWay(now);
      const isFailed = now.status === "mined" && now.error !== null;
      const words = why ?? (isFailed ? FAILED : NOW[now.status]);
      const isNotSent = NOT_SENT.includes(now.status);
      if (words !== undefined) {
        progress.at(["broadcast", "mined"].includes(now.status) ? 2 : 1, words, isNotSent && why !== null ? wayOut : null);
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
  if (isTooLate) return progress.failed(TOO_LATE, again);
  if (ended === null || WELL.includes(ended.status) || (await isClaimed(facts))) {
    return progress.done(way, payTo, ended?.status === "confirmed");
  }
  progress.failed(TROUBLE[ended.status] ?? "It has ended without your gift: please look again.", again);
}
