/**
 * The page of a legacy. It extends the server's page, which shows state and days without scripts, in English.
 */
import "./style.css";
import { speakTo } from "./catalogues.ts";
import { button, fill, make, part } from "./dom.ts";
import { fetchLegacy, type Place } from "./legacy_facts.ts";
import { phrase } from "./phrases.ts";
import { translatePage } from "./server_words.ts";

const SLOW_MILLISECONDS = 15_000;
const MOST_TRIES = 40;

/** Show the ways for owners and heirs; their code is loaded only now. */
async function offer(place: Place): Promise<void> {
  const ways = part("ways");
  fill(ways, make("p", { className: "dim busy looking" }, phrase("one-moment")));
  try {
    const { offerWays } = await import("./legacy_ways.ts");
    await offerWays(ways, place);
  } catch {
    const again = button(phrase("try-again"), () => location.reload());
    fill(ways, make("p", { className: "problem", attributes: { role: "alert" } }, phrase("service-away")), again);
  }
}

/** The server could not show the legacy: looks by itself, for some minutes, whether it can be shown now. */
async function lookAgain(): Promise<void> {
  fill(
    part("ways"),
    button(phrase("try-again"), () => location.reload()),
  );
  const [, , chain, legacy = ""] = location.pathname.split("/");
  if (!/^0x[0-9a-f]{40}$/i.test(legacy)) return; // no legacy's own path
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    await new Promise((resolve) => setTimeout(resolve, SLOW_MILLISECONDS));
    const isThere = await fetchLegacy({ chainId: Number(chain), legacy }).then(
      () => true,
      () => false,
    );
    if (isThere) return location.reload();
  }
}

async function start(): Promise<void> {
  const { kind, state, chainId, legacy = "" } = page.dataset;
  page.hidden = true; // else its words would change, and move, before their eyes
  try {
    await speakTo(undefined, ["legacy", "claim"]);
    translatePage();
  } catch {
    // The page stays as the server made it.
    return fill(
      part("ways"),
      button("Try again", () => location.reload()),
    );
  } finally {
    page.hidden = false;
  }
  if (kind === "waiting") return lookAgain();
  if (kind !== "legacy") return;
  if (state === "ended") return fill(part("ways"));
  await offer({ chainId: Number(chainId), legacy });
}

const page = part("page");
window.addEventListener("hashchange", () => location.reload()); // another person's link, pasted over this one
void start();
