/**
 * The claim page behind a claim link. It extends the server's page, which shows the facts without scripts, in English.
 */
import "./style.css";
import { Refused, Unreachable } from "./api.ts";
import { offerCalendar } from "./calendar.ts";
import { redrawCard } from "./card.ts";
import { ChainClock } from "./clock.ts";
import { countDown } from "./countdown.ts";
import { button, fill, make, part } from "./dom.ts";
import { type Facts, fetchFacts, renew } from "./facts.ts";
import { showLetter } from "./letter_view.ts";
import { letterOf, restoredLink } from "reminder-worker-client/claim-links";
import { phrase, speech } from "./phrases.ts";
import { lookAgain, speakPage } from "./page_start.ts";
import { remembered } from "./remembered.ts";
import { offerSharing } from "./share.ts";
import { decimalWords } from "reminder-worker-client/speech";
import { translatePage } from "./server_words.ts";
import { inWords, localTime } from "./words.ts";

const LOOK_AGAIN_MILLISECONDS = 4_000;
const [, , chain, timelockId] = location.pathname.split("/");
const chainId = Number(chain);

const letter = letterOf(location.hash);

function greet(): void {
  const heading = document.querySelector("h1");
  const { title } = document;
  if (heading !== null) showLetter(part("letter"), heading, letter);
  if (location.hash !== "") offerSharing(part("share"), title);
}

/** Says what the server wrote in the reader's language, with times of their zone. */
function translate(): void {
  translatePage();
  for (const item of document.querySelectorAll<HTMLElement>("li[data-units]")) {
    const { units = "0", decimals = "0", symbol = "", sold } = item.dataset;
    const amount = `${decimalWords(BigInt(units), Number(decimals), speech().locale)} ${symbol}`;
    item.textContent = sold === undefined ? amount : phrase("asset-paid-out", { amount });
  }
  void redrawCard(page.dataset["state"] === "claimed");
}

/** Sealed: counts down, then asks until the chain agrees. */
function wait(unlockAt: string, asOf: string): void {
  const place = make("div");
  const clock = new ChainClock(asOf);
  part("state").append(
    place,
    offerCalendar(`gift-${chainId}-${timelockId}`, new Date(unlockAt), phrase("calendar-title")),
  );
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) void catchUp(clock); // the device and its clock may have slept
  });
  countDown(place, new Date(unlockAt), clock, awaitOpening);
}

let returns = 0;

/** Asks until there is an answer, or until the next return to the page asks: who has just woken up has no connection
 * yet. */
async function catchUp(clock: ChainClock): Promise<void> {
  returns += 1;
  const own = returns;
  while (own === returns && !document.hidden) {
    try {
      const { asOf } = await fetchFacts(chainId, timelockId ?? "");
      return clock.set(asOf);
    } catch (error) {
      if (error instanceof Refused && error.code === "not_found") return;
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MILLISECONDS));
  }
}

/** Wait after opening time: the chain, or the node that answered, may be late. */
function awaitOpening(): void {
  fill(part("ways"));
  for (const early of document.querySelectorAll("[data-phrase^=check-]")) early.remove();
  say(phrase("day-has-come"));
  void until((facts) => facts.state !== "sealed");
}

/** Write into the existing line: screen readers ignore a new line with its words. */
function say(words: string): void {
  const [line, ...others] = part("state").children;
  for (const other of others) other.remove();
  if (line !== undefined) line.textContent = words;
}

/** Poll every few seconds until `enough`, then show the state. */
async function until(enough: (facts: Facts) => boolean): Promise<void> {
  for (;;) {
    try {
      const facts = await fetchFacts(chainId, timelockId ?? "");
      if (enough(facts)) return show(facts);
    } catch (error) {
      if (error instanceof Refused && error.code === "not_found") return location.reload();
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MILLISECONDS));
  }
}

function show(facts: Facts): void {
  if (facts.state === "claimed") {
    const { openedAt } = facts;
    const marks = new URLSearchParams(location.search);
    const advice = ["paper", "email"].filter((way) => marks.get(way) === "1");
    fill(part("ways"));
    const suffix = facts.domain.version === "1" ? "" : "-or-named"; // from version 2 on, a gift may be paid elsewhere
    fill(
      part("advice"),
      ...advice.map((way) => make("p", {}, phrase(`claimed-${way}${suffix}`, { site: location.host }))),
    );
    say(openedAt === null ? phrase("when-claimed") : phrase("opened-on", { moment: localTime(new Date(openedAt)) }));
    void redrawCard(true);
  } else if (facts.state === "open") {
    say(phrase("when-open"));
    void open(facts);
  } else {
    awaitOpening();
  }
}

/** Show the ways to open the gift; their code is loaded only now. */
async function open(found: Facts | null): Promise<void> {
  const place = part("ways");
  const wasHere = place.contains(document.activeElement); // on a button that is gone now
  fill(place, make("p", { className: "dim busy looking" }, phrase("looking-for-way")));
  try {
    const [facts, { offerWays }] = await Promise.all([
      found ?? fetchFacts(chainId, timelockId ?? ""),
      import("./ways.ts"),
    ]);
    await offerWays(facts, place, show, () => void open(null));
    if (wasHere && document.activeElement === document.body) place.querySelector("h2")?.focus();
  } catch (error) {
    const isAnswer = error instanceof Refused || error instanceof Unreachable;
    const again = button(phrase("try-again"), () =>
      isAnswer ? open(null) : renew(chainId, timelockId ?? "", () => open(null)),
    );
    fill(place, make("p", { className: "problem", attributes: { role: "alert" } }, inWords(error)), again);
    if (wasHere) again.focus();
  }
}

/** The language is the letter's, else the visitor's own. */
async function start(): Promise<void> {
  const { kind, state, unlockAt, asOf } = page.dataset;
  const restored = kind === "rewritten" ? restoredLink(location) : null;
  if (restored !== null) return location.replace(restored);
  const wanted = letter === null || letter === "damaged" ? undefined : letter.language;
  if (!(await speakPage(page, wanted, ["claim"], translate))) return;
  const isGiftsPath = /^[1-9]\d*$/.test(chain ?? "");
  if (kind === "waiting") return lookAgain(isGiftsPath ? () => fetchFacts(chainId, timelockId ?? "") : null);
  if (kind !== "gift") return;
  greet();
  if (state === "sealed" && unlockAt && asOf) wait(unlockAt, asOf);
  const isUnderWay = remembered({ chainId, timelockId: timelockId ?? "" }) !== null;
  if (state === "open" || (state === "claimed" && isUnderWay)) void open(null);
}

const page = part("page");
window.addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // what was entered is gone, and the state may be another
});
window.addEventListener("hashchange", () => location.reload()); // the whole link, pasted over a damaged one
void start();
