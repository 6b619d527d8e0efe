/**
 * The page of a legacy. It extends the server's page, which shows state and days without scripts, in English.
 */
import "./style.css";
import { button, fill, make, part } from "./dom.ts";
import { fetchLegacy, type Place } from "./legacy_facts.ts";
import { lookAgain, speakPage } from "./page_start.ts";
import { phrase } from "./phrases.ts";
import { translatePage } from "./server_words.ts";

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

/** How to look for the legacy of the page's path; null if none can be there. */
function legacyInPath(): (() => Promise<unknown>) | null {
  const [, , chain, legacy = ""] = location.pathname.split("/");
  if (!/^0x[0-9a-f]{40}$/i.test(legacy)) return null;
  return () => fetchLegacy({ chainId: Number(chain), legacy });
}

async function start(): Promise<void> {
  const { kind, state, chainId, legacy = "" } = page.dataset;
  if (!(await speakPage(page, undefined, ["legacy", "claim"], translatePage))) return;
  if (kind === "waiting") return lookAgain(legacyInPath());
  if (kind !== "legacy") return;
  if (state === "ended") return fill(part("ways"));
  await offer({ chainId: Number(chainId), legacy });
}

const page = part("page");
window.addEventListener("hashchange", () => location.reload()); // another person's link, pasted over this one
void start();
