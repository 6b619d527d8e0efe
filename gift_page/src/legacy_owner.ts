/** The owner of a legacy: "I am well", by a signature or a transaction, and two pages for their papers. */
import { signCheckIn } from "reminder-worker-client";
import { worker } from "./api.ts";
import { speakTo } from "./catalogues.ts";
import { button, fill, make } from "./dom.ts";
import type { LegacyFacts } from "./legacy_facts.ts";
import { working } from "./legacy_heir.ts";
import { checkingIn, dayAfterCheckIn, termsOf } from "./legacy_people.ts";
import { followOwn, followRelayed } from "./legacy_progress.ts";
import { nameShown, type Visit } from "./legacy_ways.ts";
import { phrase, speech } from "./phrases.ts";
import { whyNotRelayed } from "./relay.ts";
import { InWords, localTime, whyNotSponsored } from "./words.ts";

export async function showOwner(visit: Visit): Promise<HTMLElement> {
  const { facts, chain } = visit;
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-yours"));
  if (facts.state === "claimed") {
    return make("div", { className: "panel" }, heading, make("p", {}, phrase("legacy-yours-claimed")));
  }
  const day = await dayAfterCheckIn(chain, facts.legacy);
  const { asks, told, choices, run } = working(visit);
  const checkIn = (work: (visit: Visit, day: Date | null) => Promise<void>) => async (): Promise<void> => {
    try {
      await work(visit, day);
    } catch (error) {
      own.textContent = phrase("legacy-well-own"); // it works where the service does not
      throw error;
    }
  };
  const whyNot = await whyNotFree(visit);
  const free = button(phrase("legacy-well"), () => run(checkIn(checkInFree)));
  const own = button(phrase(whyNot === null ? "legacy-well-own" : "legacy-well"), () => run(checkIn(checkInPaid)));
  if (whyNot === null) own.className = "button quiet";
  fill(choices, whyNot === null && free, own);
  return make(
    "div",
    { className: "panel" },
    heading,
    make(
      "p",
      {},
      day === null ? phrase("legacy-well-no-day") : phrase("legacy-well-words", { moment: localTime(day) }),
    ),
    make("p", { className: "dim" }, whyNot ?? `${phrase("legacy-well-free")} ${nameShown()}`),
    choices,
    asks,
    told,
  );
}

/** Null when the service pays the fee of this check-in, else the reason in words. */
async function whyNotFree({ facts }: Visit): Promise<string | null> {
  if (facts.kind === "safe") return phrase("legacy-well-safe");
  if (!facts.checkInsSponsored) return `${phrase("legacy-needs-premium")} ${phrase("legacy-fee-is-yours")}`;
  const reason = await whyNotRelayed(facts.chainId, "legacy");
  return reason === null ? null : `${whyNotSponsored(reason)} ${phrase("legacy-fee-is-yours")}`;
}

async function checkInFree({ facts, chain, ways, again }: Visit, day: Date | null): Promise<void> {
  const body = await signCheckIn(chain, termsOf(chain), facts.router, BigInt(facts.legacyId));
  const { id } = await worker.post("/sponsor/check-in", body);
  const deed = { kind: "check-in" as const, account: chain.account, id, day: day?.toISOString() };
  void followRelayed(ways, facts, deed, again);
}

async function checkInPaid({ facts, chain, people, ways, again }: Visit, day: Date | null): Promise<void> {
  const since = await chain.newest();
  const hash = await chain.send({ ...checkingIn(facts, people), value: 0n });
  const deed = { kind: "check-in" as const, account: chain.account, hash, since, day: day?.toISOString() };
  void followOwn(ways, facts, deed, chain, again);
}

/** A card for the heirs, and a cover sheet for a lawyer's file. */
export function offerPapers(visit: Visit): HTMLElement {
  const { asks, told, choices, run } = working(visit, "one-moment");
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-papers"));
  const words = make("p", {}, phrase("legacy-papers-words"));
  const panel = make("div", { className: "panel" }, heading, words, choices, asks, told);
  const show = async (): Promise<void> => {
    fill(panel, heading, words, await loadPapers(visit.facts));
    heading.focus();
  };
  fill(
    choices,
    button(phrase("legacy-papers-show"), () => run(show), "button quiet"),
  );
  return panel;
}

/** Throws `InWords`. */
async function loadPapers(facts: LegacyFacts): Promise<HTMLElement> {
  try {
    const { drawPapers } = await import("./legacy_papers.ts");
    await speakTo(speech().language, ["legacy", "claim", "estate", "give"]);
    return await drawPapers(facts);
  } catch {
    throw new InWords(phrase("went-wrong"));
  }
}
