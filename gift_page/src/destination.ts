/**
 * "Where should it land?": in a wallet that the recipient names, or in the gift wallet that it was sealed for. Nothing
 * of the link is read here, and what was named is shown once more, in full, before anything is signed.
 */
import { BadDestination, destinationIn, isOneCase } from "./address_typed.ts";
import { canScan, scan } from "./camera.ts";
import { isBareContract } from "./contract_account.ts";
import { askUs, button, fill, make } from "./dom.ts";
import type { Facts } from "./facts.ts";
import { phrase } from "./phrases.ts";
import type { Way } from "./remembered.ts";
import { accountOf, discover, type Wallet } from "./wallets.ts";
import { inWords } from "./words.ts";

const KEPT: Partial<Record<Way, string>> = {
  paper: "destination-kept-paper",
  email: "destination-kept-email",
};

/** `go` signs for this destination, or for the gift wallet (null); it answers why nothing was signed. */
export function askDestination(
  place: HTMLElement,
  facts: Facts,
  way: Way,
  go: (payTo: string | null) => Promise<string | null>,
): void {
  let found: readonly Wallet[] = [];
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
      fill(problem, phrase(error.message));
      input.focus();
    }
  };
  const form = make(
    "form",
    { className: "ask", noValidate: true, autocomplete: "off" },
    make("label", { htmlFor: input.id }, phrase("destination-label")),
    input,
    problem,
    make("button", { type: "submit", className: "button" }, phrase("destination-look")),
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    take(input.value);
  });
  const camera = make("div", { className: "camera" });
  const connected = make("div", { className: "choices" });
  const heading = make("h2", { tabIndex: -1 }, phrase("destination"));
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const keep = button(phrase("destination-keep"), () => run(keep, told, null), "button quiet");

  function ask(): void {
    fill(
      place,
      heading,
      make("h3", {}, phrase("destination-own")),
      make("p", {}, phrase("destination-own-words")),
      make("p", {}, phrase("destination-none", { keep: phrase("destination-keep") })),
      connected,
      camera,
      form,
      make("h3", {}, phrase("destination-gift-wallet")),
      make(
        "p",
        {},
        phrase(KEPT[way] ?? "destination-gift-wallet", { site: location.host }) + (way === "email" ? askUs() : ""),
      ),
      keep,
      told,
    );
    heading.focus();
  }

  function confirm(address: string, isUnchecked: boolean): void {
    const failed = make("p", { className: "problem", attributes: { role: "alert" } });
    const yes = button(phrase("destination-yes"), () => run(yes, failed, address));
    const title = make("h2", { tabIndex: -1 }, phrase("destination-confirm"));
    const doubt = make(
      "p",
      { className: "notice", hidden: true, attributes: { role: "status" } },
      phrase("destination-bare-contract"),
    );
    fill(
      place,
      title,
      make("p", { className: "destination" }, make("code", { dir: "ltr" }, address)),
      make("p", {}, phrase("destination-compare")),
      isUnchecked && make("p", { className: "notice" }, phrase("destination-unchecked")),
      doubt,
      make("p", { className: "notice" }, phrase("destination-final")),
      failed,
      make("p", { className: "choices" }, yes, button(phrase("destination-another"), ask, "button quiet")),
    );
    title.focus();
    void isDoubtful(found, facts, address).then((isBare) => (doubt.hidden = !isBare));
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
  discover((wallets) => {
    found = wallets;
    fill(
      connected,
      ...wallets.map((each) =>
        button(phrase("destination-use-wallet", { wallet: each.name }), () => useWallet(each), "button quiet"),
      ),
    );
  });
  void offerCamera(camera, problem, (text) => take(text));
}

/** Whether a wallet of this browser that is on the gift's network says so; without one nobody here can tell. */
async function isDoubtful(wallets: readonly Wallet[], { chainId }: Facts, address: string): Promise<boolean> {
  for (const { provider } of wallets) {
    try {
      const isHere = Number(await provider.request({ method: "eth_chainId" })) === chainId;
      if (isHere) return await isBareContract((method, params) => provider.request({ method, params }), address);
    } catch {
      continue; // this one does not tell
    }
  }
  return false;
}

async function offerCamera(place: HTMLElement, problem: HTMLElement, take: (text: string) => void): Promise<void> {
  if (!(await canScan())) return;
  const start = button(phrase("destination-scan"), () => void show(), "button quiet");
  const show = async (): Promise<void> => {
    const stop = new AbortController();
    const video = make("video", {
      muted: true,
      playsInline: true,
      attributes: { "aria-label": phrase("camera-picture") },
    });
    window.addEventListener("pagehide", () => stop.abort(), { once: true });
    fill(
      place,
      video,
      button(phrase("camera-stop"), () => stop.abort(), "button quiet"),
    );
    let seen: string | null = null;
    try {
      await scan(video, stop.signal, (text) => {
        seen = text;
        return true;
      });
    } catch {
      fill(problem, phrase("destination-no-camera"));
    }
    fill(place, start);
    if (seen !== null) take(seen);
  };
  fill(place, start);
}
