/**
 * "Where should it land?": in a wallet that the recipient names, or in the gift wallet that it was sealed for. Nothing of
 * the link is read here, and what was named is shown once more, in full, before anything is signed.
 */
import { BadDestination, destinationIn, isOneCase } from "./address_typed.ts";
import { canScan, scan } from "./camera.ts";
import { button, fill, make } from "./dom.ts";
import type { Facts } from "./facts.ts";
import type { Way } from "./remembered.ts";
import { accountOf, discover, type Wallet } from "./wallets.ts";
import { inWords } from "./words.ts";

const KEPT: Partial<Record<Way, string>> = {
  paper: "It stays with the key on your sheet. To move it later, you import the key in a wallet app and pay a network fee.",
  email: "It stays in the wallet of your email address. To move it later, you sign in there and pay a network fee.",
};

/** `go` signs for this destination, or for the gift wallet (null); it answers why nothing was signed. */
export function askDestination(
  place: HTMLElement,
  facts: Facts,
  way: Way,
  go: (payTo: string | null) => Promise<string | null>,
): void {
  const problem = make("p", { className: "problem", id: "destination-problem", attributes: { role: "alert" } });
  const input = make("input", {
    id: "destination",
    className: "field",
    type: "text",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
    attributes: { "aria-describedby": problem.id },
  });
  const take = (typed: string, isTyped: boolean = true): void => {
    try {
      confirm(destinationIn(typed, facts), isTyped && isOneCase(typed.trim().slice(-42)));
    } catch (error) {
      if (!(error instanceof BadDestination)) throw error;
      fill(problem, error.message);
      input.focus();
    }
  };
  const form = make(
    "form",
    { className: "ask", noValidate: true, autocomplete: "off" },
    make("label", { htmlFor: input.id }, "The address of your wallet"),
    input,
    problem,
    make("button", { type: "submit", className: "button" }, "Look at it once more"),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take(input.value);
  });
  const camera = make("div", { className: "camera" });
  const connected = make("div", { className: "choices" });
  const heading = make("h2", { tabIndex: -1 }, "Where should it land?");
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const keep = button("Keep it in the gift wallet", () => run(keep, told, null), "button quiet");

  function ask(): void {
    fill(
      place,
      heading,
      make("h3", {}, "In a wallet of your own"),
      make("p", {}, "It arrives there at once, and you pay no fee."),
      connected,
      camera,
      form,
      make("h3", {}, "In the gift wallet"),
      make("p", {}, KEPT[way] ?? ""),
      keep,
      told,
    );
    heading.focus();
  }

  function confirm(address: string, isUnchecked: boolean): void {
    const failed = make("p", { className: "problem", attributes: { role: "alert" } });
    const yes = button("Yes, send it there", () => run(yes, failed, address));
    const title = make("h2", { tabIndex: -1 }, "Is this your wallet?");
    fill(
      place,
      title,
      make("p", { className: "destination" }, make("code", { dir: "ltr" }, address)),
      make("p", {}, "Compare every letter with the address that your wallet app shows. Some programs swap an address while it is copied."),
      isUnchecked && make("p", { className: "notice" }, "This address has no check letters: a mistake in it would not be noticed."),
      make("p", { className: "notice" }, "What lands in a wrong wallet cannot be brought back."),
      failed,
      make("p", { className: "choices" }, yes, button("Use another one", ask, "button quiet")),
    );
    title.focus();
  }

  async function run(pressed: HTMLButtonElement, failed: HTMLElement, payTo: string | null): Promise<void> {
    const buttons = [...place.querySelectorAll("button")];
    for (const each of buttons) each.disabled = true; // a second press would sign for another place
    fill(failed);
    const trouble = await go(payTo);
    for (const each of buttons) each.disabled = false;
    if (trouble === null) return;
    fill(failed, trouble);
    pressed.focus();
  }

  async function useWallet(wallet: Wallet): Promise<void> {
    try {
      take(await accountOf(wallet), false);
    } catch (error) {
      fill(problem, inWords(error));
    }
  }

  ask();
  discover((wallets) => fill(connected, ...wallets.map((each) => button(`Use ${each.name}`, () => useWallet(each), "button quiet"))));
  void offerCamera(camera, problem, (text) => take(text));
}

async function offerCamera(place: HTMLElement, problem: HTMLElement, take: (text: string) => void): Promise<void> {
  if (!(await canScan())) return;
  const start = button("Scan its code with the camera", () => void show(), "button quiet");
  const show = async (): Promise<void> => {
    const stop = new AbortController();
    const video = make("video", { muted: true, playsInline: true, attributes: { "aria-label": "Picture of the camera" } });
    window.addEventListener("pagehide", () => stop.abort(), { once: true });
    fill(place, video, button("Stop the camera", () => stop.abort(), "button quiet"));
    let seen: string | null = null;
    try {
      await scan(video, stop.signal, (text) => {
        seen = text;
        return true;
      });
    } catch {
      fill(problem, "The camera cannot be used here. Please type the address instead.");
    }
    fill(place, start);
    if (seen !== null) take(seen);
  };
  fill(place, start);
}
