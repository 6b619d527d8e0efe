/** The start of a page that the server made: the reader's language, and further looks where the server had no facts. */
import { speakTo } from "./catalogues.ts";
import { button, fill, part } from "./dom.ts";
import { phrase } from "./phrases.ts";

const SLOW_MILLISECONDS = 15_000;
const MOST_TRIES = 40;

/** Return whether the page speaks the reader's language now; else it stays as the server made it. */
export async function speakPage(
  page: HTMLElement,
  wanted: Parameters<typeof speakTo>[0],
  catalogues: Parameters<typeof speakTo>[1],
  translate: () => void,
): Promise<boolean> {
  page.hidden = true; // else its words would change, and move, before their eyes
  try {
    await speakTo(wanted, catalogues);
    translate();
    return true;
  } catch {
    fill(
      part("ways"),
      button("Try again", () => location.reload()),
    );
    return false;
  } finally {
    page.hidden = false;
  }
}

/** Reload the page once the service answers, for some minutes. `fetchFacts` throws until then; null for a path without
 * facts. */
export async function lookAgain(fetchFacts: (() => Promise<unknown>) | null): Promise<void> {
  fill(
    part("ways"),
    button(phrase("try-again"), () => location.reload()),
  );
  if (fetchFacts === null) return;
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MILLISECONDS));
    const isThere = await fetchFacts().then(
      () => true,
      () => false,
    );
    if (isThere) return location.reload();
  }
}
