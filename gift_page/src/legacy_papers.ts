/** The claim card and the cover sheet of a legacy. Their code and their fonts are large: they are loaded by a click. */
import { drawClaimCard, drawEstateSheet, type PrintedLegacy } from "reminder-worker-client/printables";
import { make } from "./dom.ts";
import type { LegacyFacts } from "./legacy_facts.ts";
import { phrase, speech } from "./phrases.ts";
import { shown } from "./printed_page.ts";

/** Both pages with their buttons. Needs the words of estate.ftl and give.ftl. Throws where they cannot be drawn. */
export async function drawPapers(facts: LegacyFacts): Promise<HTMLElement> {
  const { chainName, chainId, router, legacy, legacyId, kind, explorerUrl } = facts;
  const printed: PrintedLegacy = {
    chainName,
    chainId,
    router,
    contract: legacy,
    legacyId,
    isOfSafe: kind === "safe",
    explorerUrl,
    words: speech(),
  };
  const [card, sheet] = await Promise.all([drawClaimCard(printed), drawEstateSheet(printed)]);
  const show = (title: string, name: string, page: HTMLCanvasElement): HTMLElement =>
    shown(phrase(title), `${name}-${legacyId}.png`, page, phrase("legacy-papers-way-out"), location.href);
  return make(
    "div",
    { className: "pages" },
    show("estate-card-title", "claim-card", card),
    show("estate-title", "cover-sheet", sheet),
  );
}
