/** A person who is named in a legacy: the day, what a claim would bring, and the claim itself. */
import { type Bodies, signClaim } from "reminder-worker-client";
import { worker } from "./api.ts";
import { offerCalendar } from "./calendar.ts";
import { button, fill, make } from "./dom.ts";
import { type ClaimPreview, type LegacyFacts, previewClaim } from "./legacy_facts.ts";
import { claimed, claiming, type Line, termsOf } from "./legacy_people.ts";
import { followOwn, followRelayed } from "./legacy_progress.ts";
import { nameShown, troubleWords, type Visit } from "./legacy_ways.ts";
import { phrase, speech } from "./phrases.ts";
import { whyNotRelayed } from "./relay.ts";
import { amountWords, localTime, whyNotSponsored } from "./words.ts";

/** For each line the role and the day, as the emails about that day name them. */
const ROLES: Record<Line, [role: string, day: string]> = {
  1: ["beneficiary", "activation"],
  2: ["second_line", "layer2"],
  3: ["third_line", "layer3"],
};
const NOTHING: ClaimPreview = { assets: [], hasMore: false };

export async function showHeir(visit: Visit, line: Line): Promise<HTMLElement> {
  const { facts } = visit;
  const panel = make("div", { className: "panel" });
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-named"));
  const opensAt = dayOf(facts, line);
  if (opensAt !== null && Date.parse(opensAt) > Date.parse(facts.asOf)) {
    fill(panel, heading, ...waiting(facts, line, new Date(opensAt)));
  } else if (facts.kind === "safe") {
    if (facts.state === "claimed") fill(panel, heading, make("p", {}, phrase("legacy-handed-over")));
    else offerTakeover(visit, panel, heading, opensAt !== null);
  } else {
    offerPreview(visit, panel, heading, opensAt !== null);
  }
  return panel;
}

/** RFC 3339; null for a day that nobody can name: then the network decides. */
export function dayOf({ opensAt, secondLineAt, thirdLineAt }: LegacyFacts, line: Line): string | null {
  return { 1: opensAt, 2: secondLineAt, 3: thirdLineAt }[line];
}

function waiting({ chainId, legacy }: LegacyFacts, line: Line, day: Date): HTMLElement[] {
  const [role, window] = ROLES[line];
  const uid = `legacy-${chainId}-${legacy.toLowerCase()}-${role}-${window}`;
  return [
    make("p", {}, phrase("legacy-named-from", { moment: localTime(day) })),
    make("p", { className: "dim" }, phrase("legacy-day-moves")),
    offerCalendar(uid, day, phrase("legacy-calendar-title"), "legacy.ics"),
  ];
}

/** For a shared wallet: the heirs become signers, by a transaction of a single heir. */
function offerTakeover(visit: Visit, panel: HTMLElement, heading: HTMLElement, isDayKnown: boolean): void {
  const { asks, told, choices, run } = working(visit);
  const take = button(phrase("legacy-take-over"), () => run(() => claimPaid(visit, NOTHING, "takeover")));
  fill(choices, take);
  const unknown = `${phrase("legacy-day-unknown")} ${phrase("legacy-fee-is-yours")}`;
  fill(panel, heading, make("p", {}, isDayKnown ? phrase("legacy-take-over-words") : unknown), choices, asks, told);
}

function offerPreview(visit: Visit, panel: HTMLElement, heading: HTMLElement, isDayKnown: boolean): void {
  const { asks, told, choices, run } = working(visit, "legacy-looking");
  const look = button(phrase("legacy-what"), () =>
    run(async () => {
      const { account } = visit.chain;
      const [preview, whyNot] = await Promise.all([previewClaim(visit.facts, account), whyNotFree(visit.facts)]);
      showPreview(visit, panel, preview, whyNot);
    }),
  );
  fill(choices, look);
  const words = phrase(isDayKnown ? "legacy-what-words" : "legacy-day-unknown");
  fill(panel, heading, make("p", {}, words), choices, asks, told);
}

function showPreview(visit: Visit, panel: HTMLElement, preview: ClaimPreview, whyNot: string | null): void {
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-would-get"));
  if (preview.assets.length === 0) {
    const none = make("p", {}, phrase("legacy-nothing"));
    fill(panel, heading, none, ...assetsOf(preview), button(phrase("look-again"), visit.again, "button quiet"));
  } else {
    const { asks, told, choices, run } = working(visit);
    const what = previewWords(preview);
    const free = button(phrase("legacy-claim-free"), () => run(() => claimFree(visit, preview, what), own));
    const own = button(phrase("legacy-claim-own"), () => run(() => claimPaid(visit, preview, "claim", what)));
    if (whyNot === null) own.className = "button quiet";
    fill(choices, whyNot === null && free, own);
    fill(
      panel,
      heading,
      ...assetsOf(preview),
      make("p", {}, whyNot ?? `${phrase("legacy-claim-free-words")} ${nameShown()}`),
      choices,
      asks,
      told,
    );
  }
  heading.focus();
}

/** What would arrive, and whether there is more. */
export function assetsOf({ assets, hasMore }: ClaimPreview): HTMLElement[] {
  const items = assets.map((asset) => make("li", {}, assetWords(asset)));
  const list = make("ul", { className: "amounts" }, ...items);
  const terms = make("p", { className: "dim" }, phrase("legacy-after-fees"));
  const rest = make("p", { className: "dim" }, phrase("legacy-has-more"));
  return [...(assets.length > 0 ? [list, terms] : []), ...(hasMore ? [rest] : [])];
}

/** `250 USDC`; the name alone where no node can compute how much. */
function assetWords({ symbol, decimals, amount }: Bodies["ClaimableAssetAnswer"]): string {
  if (amount === null) return symbol ?? phrase("asset-without-name");
  return amountWords(amount, decimals, symbol);
}

/** Amounts keep their own direction between Arabic words. */
function previewWords({ assets }: ClaimPreview): string {
  const { isLeftwards, locale } = speech();
  const amounts = assets.map(assetWords).map((each) => (isLeftwards ? `\u2066${each}\u2069` : each));
  return new Intl.ListFormat(locale).format(amounts);
}

/** Null when the service pays the fee of a claim, else the reason in words. */
async function whyNotFree(facts: LegacyFacts): Promise<string | null> {
  if (!facts.claimsSponsored) return `${phrase("legacy-no-free-claims")} ${phrase("legacy-fee-is-yours")}`;
  const reason = await whyNotRelayed(facts.chainId, "legacy");
  return reason === null ? null : `${whyNotSponsored(reason)} ${phrase("legacy-fee-is-yours")}`;
}

/** Elements for questions and errors; `run` does one thing at a time. `also`: another button, focused after an error. */
export function working(
  visit: Visit,
  asking: string = "wallet-asks",
): {
  asks: HTMLElement;
  told: HTMLElement;
  choices: HTMLElement;
  run: (work: () => Promise<void>, also?: HTMLElement) => Promise<void>;
} {
  const asks = make("p", { className: "told", attributes: { role: "status" } });
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const choices = make("div", { className: "choices" });
  const run = async (work: () => Promise<void>, also?: HTMLElement): Promise<void> => {
    if (choices.getAttribute("aria-busy") === "true") return;
    choices.setAttribute("aria-busy", "true");
    fill(told);
    fill(asks, phrase(asking, { wallet: visit.wallet.name }));
    try {
      await work();
    } catch (error) {
      fill(told, troubleWords(visit.wallet, error));
      also?.focus();
    }
    fill(asks);
    choices.removeAttribute("aria-busy");
  };
  return { asks, told, choices, run };
}

async function claimFree({ facts, chain, ways, again }: Visit, preview: ClaimPreview, what: string): Promise<void> {
  const { tokens, hasEther } = claimed(preview);
  const body = await signClaim(chain, termsOf(chain), facts.router, BigInt(facts.legacyId), tokens, hasEther);
  const { id } = await worker.post("/sponsor/claim", body);
  void followRelayed(ways, facts, { kind: "claim", account: chain.account, id, what }, again);
}

async function claimPaid(
  { facts, chain, ways, again }: Visit,
  preview: ClaimPreview,
  kind: "claim" | "takeover",
  what: string = "",
): Promise<void> {
  const since = await chain.newest();
  const hash = await chain.send({ ...claiming(facts, preview), value: 0n });
  void followOwn(ways, facts, { kind, account: chain.account, hash, since, what }, chain, again);
}
