/** The ways to open a gift whose day has come; loaded only then. */
import { button, fill, make } from "./dom.ts";
import { type Facts, fetchFacts, renew } from "./facts.ts";
import { askPaperKey } from "./paper_form.ts";
import { phrase } from "./phrases.ts";
import { isLeft, resumed, resumedFailure, sponsored } from "./progress.ts";
import { whyNotRelayed } from "./relay.ts";
import { remembered, rememberedFailure, type Way } from "./remembered.ts";
import { resumedPaid } from "./self_paid.ts";
import { offerWallets } from "./wallet_form.ts";
import { type GiftSigner, signWithdrawAuth } from "./withdraw_auth.ts";
import { inWords, whyNotSponsored } from "./words.ts";

const NAMES: Record<Way, string> = { paper: "way-paper", email: "way-email", wallet: "way-wallet" };

/** First what this tab has under way. `show` is called with newer facts when the gift turns out not to be open; `again`
 * begins anew. */
export async function offerWays(
  facts: Facts,
  place: HTMLElement,
  show: (facts: Facts) => void,
  again: () => void,
): Promise<void> {
  const marks = new URLSearchParams(location.search);
  const byEmail = marks.get("email") === "1";
  const sent = remembered(facts);
  if (sent !== null && "hash" in sent) return resumedPaid(place, facts, sent, again);
  if (sent !== null && !isLeft(sent)) return resumed(place, facts, sent, again);
  if (facts.state !== "open") return show(facts);
  const failure = rememberedFailure(facts);
  if (failure !== null) return resumedFailure(place, facts, failure, again);
  // A link that lost its mark on the way: only with it the server lets the page talk to the provider.
  if (!byEmail && typeof facts.identityProvider?.subOrganizationId === "string") return goOnByEmail();
  const reason = await whyNotRelayed(facts.chainId);
  const whyNot = reason === null ? null : whyNotSponsored(reason);
  const order: Way[] = byEmail
    ? ["email", "wallet", "paper"]
    : marks.get("paper") === "1"
      ? ["paper", "wallet"]
      : ["wallet", "paper"];
  const panels = order.map((way, index) => panel(way, index === 0));
  fill(
    place,
    make("h2", { tabIndex: -1 }, phrase("open-your-gift")),
    whyNot === null && make("p", { className: "dim" }, phrase("costs-nothing")),
    ...panels.map(({ element }) => element),
  );
  for (const { way, body } of panels) fillWay(way, body);

  function fillWay(way: Way, body: HTMLElement): void {
    if (way === "wallet") return offerWallets(facts, body, place, whyNot, again);
    const isDown = way === "email" && facts.identityProvider === null;
    if (isDown || whyNot !== null) {
      const advice = phrase(isDown ? "stays-where" : "stays-self-paid");
      const look = button(phrase("look-again"), again, "button quiet");
      return fill(
        body,
        make("p", { className: "notice" }, isDown ? phrase("no-codes") : whyNot),
        make("p", {}, advice),
        look,
      );
    }
    if (way === "paper") askPaperKey(facts, body, (signer) => withdraw(signer, "paper"));
    else void askByEmail(body);
  }

  /** `problem`: why it did not work before. */
  async function askByEmail(body: HTMLElement, problem?: string): Promise<void> {
    try {
      const { askEmail } = await import("./email_form.ts");
      await openByEmail(body, await askEmail(facts, body, problem));
    } catch (error) {
      const again = button(phrase("try-again"), () => renew(facts.chainId, facts.timelockId, () => askByEmail(body)));
      fill(body, make("p", { className: "problem", attributes: { role: "alert" } }, inWords(error)), again);
    }
  }

  /** Who has signed in needs no other code because the service did not answer before anything was signed. */
  async function openByEmail(body: HTMLElement, signer: GiftSigner): Promise<void> {
    fill(body, make("p", { className: "dim busy", attributes: { role: "status" } }, phrase("wallet-signs")));
    let isAsked = false;
    const sign: GiftSigner["sign"] = (message) => {
      isAsked = true;
      return signer.sign(message);
    };
    const trouble = await withdraw({ ...signer, sign }, "email");
    if (trouble === null) return;
    if (isAsked) return askByEmail(body, trouble);
    const again = button(phrase("try-again"), () => openByEmail(body, signer));
    fill(body, make("p", { className: "problem", attributes: { role: "alert" } }, trouble), again);
    again.focus();
  }

  /** Signs with facts that are new: the nonce and the chain's clock are in them. Answers why nothing was signed. */
  async function withdraw(signer: GiftSigner, way: Way): Promise<string | null> {
    try {
      const fresh = await fetchFacts(facts.chainId, facts.timelockId);
      if (fresh.state === "sealed") return phrase("locked"); // a node may lag behind the node that opened the gift
      if (fresh.state === "claimed") show(fresh);
      else if (fresh.domain.version === "1")
        void sponsored(place, fresh, await signWithdrawAuth(fresh, signer), way, again);
      else await ask(fresh, signer, way);
      return null;
    } catch (error) {
      return inWords(error);
    }
  }

  /** The answer may take long: what is signed is read anew after it. */
  async function ask(found: Facts, signer: GiftSigner, way: Way): Promise<void> {
    const { askDestination } = await import("./destination.ts");
    askDestination(place, found, way, async (payTo) => {
      try {
        const fresh = await fetchFacts(facts.chainId, facts.timelockId);
        if (fresh.state === "claimed") show(fresh);
        else void sponsored(place, fresh, await signWithdrawAuth(fresh, signer, false, payTo), way, again);
        return null;
      } catch (error) {
        return inWords(error);
      }
    });
  }
}

function goOnByEmail(): void {
  const link = new URL(location.href);
  link.searchParams.set("email", "1");
  location.replace(link);
}

function panel(way: Way, isOpen: boolean): { way: Way; element: HTMLElement; body: HTMLElement } {
  const body = make("div", { className: "way-body" });
  const element = make("details", { className: "way", open: isOpen }, make("summary", {}, phrase(NAMES[way])), body);
  element.setAttribute("name", "way");
  return { way, element, body };
}
