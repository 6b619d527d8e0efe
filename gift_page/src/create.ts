/**
 * A simple page to seal a gift with, on the local stack: what a frontend does with `sealing.ts`, step by step.
 *
 * A paper key is made here and drawn onto the sheet, which stays on the page until the gift is sealed: the key is never
 * stored, and no request carries it.
 */
import "./create.css";
import { Refused, Unreachable } from "./api.ts";
import { speakTo } from "./catalogues.ts";
import { Form, group, labelled, type Wish, Wrong } from "./create_form.ts";
import { Kept, rebuilt, shown, speechOf, takeAway } from "./create_pages.ts";
import { type Chain, GiverWallet } from "./create_wallet.ts";
import { button, fill, make, part } from "./dom.ts";
import { keepAsked, keepDraft, wasAsked } from "./draft.ts";
import { normaliseEmail } from "./email_address.ts";
import { fetchFacts } from "./facts.ts";
import { type Keepsake, linkOf, letterIn } from "./keepsake.ts";
import { encodeLetter, entryLink, type GiftPlace } from "reminder-worker-client/claim-links";
import { generate, groups } from "reminder-worker-client/paper-keys";
import { phrase } from "./phrases.ts";
import { DoesNotFit, drawGiftCard, drawKeySheet, FontsMissing, wipe } from "reminder-worker-client/printables";
import { review, whereEmailGiftsLand } from "./review.ts";
import { emailWallet, offersEmailGifts, registerNotify } from "./sealing.ts";
import { appLinks } from "./wallet_apps.ts";
import { discover, type Wallet } from "./wallets.ts";
import { InWords, inWords, localTime } from "./words.ts";

interface Setup extends GiftPlace {
  chains: Chain[];
}

const LONGEST_ID = "9".repeat(19);
const root = part("create");
const setup = JSON.parse(root.dataset["setup"] ?? "{}") as Setup;
const place: GiftPlace = { origin: setup.origin, prefix: setup.prefix };
const status = make("p", { attributes: { role: "status" } });
const steps = make("div", { id: "steps" });
const result = make("div", { id: "result" });
let kept: Kept;
let wallet: GiverWallet | undefined;
let isSealing = false;
let asked: Keepsake | undefined;

// -- what is said

function say(words: string, isBad: boolean = false): void {
  status.textContent = words;
  status.className = isBad ? "bad" : "";
  if (isBad) status.scrollIntoView({ block: "nearest" }); // it stands below the form
}

/** Runs what a button began and says what went wrong, in words that name nothing of the gift. */
async function attempt(work: () => Promise<void> | void): Promise<void> {
  say("");
  try {
    await work();
  } catch (error) {
    say(explained(error), true);
  }
}

function explained(error: unknown): string {
  if (error instanceof Refused || error instanceof Unreachable) return inWords(error);
  if (error instanceof DoesNotFit) return phrase(error.phrase, error.limits);
  if (error instanceof FontsMissing) return phrase("fonts-missing");
  if ([Wrong, InWords].some((kind) => error instanceof kind)) return (error as Error).message;
  const code = (error as { code?: unknown } | null)?.code;
  return phrase(FAULTS.get(code) ?? "giver-failed");
}

const FAULTS = new Map<unknown, string>([
  ["ACTION_REJECTED", "giver-declined"],
  [4001, "giver-declined"],
  ["CALL_EXCEPTION", "giver-refused"],
  ["INSUFFICIENT_FUNDS", "giver-too-little"],
]);

// -- the wallet

function walletPicker(form: Form): HTMLElement {
  const picker = make("div", { className: "row" }, make("span", { className: "hint" }, phrase("giver-no-wallet")), ...appLinks());
  discover((wallets) => {
    if (wallet !== undefined) return;
    const choices = wallets.map((each) =>
      button(phrase("giver-connect", { wallet: each.name }), () => attempt(() => connect(each, form, picker)), "main"),
    );
    fill(picker, ...choices);
  });
  return picker;
}

async function connect(chosen: Wallet, form: Form, picker: HTMLElement): Promise<void> {
  const [chain] = setup.chains;
  if (chain === undefined) throw new Wrong(phrase("giver-no-chain"));
  wallet = await GiverWallet.connect(chosen, chain);
  const account = phrase("giver-account", { wallet: chosen.name, account: wallet.signer.address, network: chain.chainName });
  fill(picker, make("span", { className: "account" }, account));
  form.connected(wallet);
  form.blocked = null;
  await kept.connected(wallet);
}

function giver(): GiverWallet {
  if (wallet === undefined) throw new Wrong(phrase("giver-connect-first"));
  return wallet;
}

// -- sealing

async function prepare(form: Form): Promise<void> {
  const wish = form.read();
  takeAway(steps);
  fill(result);
  form.blocked = phrase("one-moment");
  try {
    await checkCard(wish);
    if (wish.mode === "paper") await drawSheet(form, wish);
    else lookOnceMore(form, wish);
  } catch (error) {
    form.blocked = null;
    throw error;
  }
}

/** Throws `DoesNotFit` before anything is sealed. */
async function checkCard(wish: Wish): Promise<void> {
  const { letter, occasion, opensOn } = wish;
  wipe(await drawGiftCard({ ...letter, link: linkOf(place, keepsakeFor(wish, LONGEST_ID)), occasion, opensOn, words: await speechOf(letter.language) }));
}

function keepsakeFor({ letter, occasion, mode }: Wish, timelockId: string): Keepsake {
  const { chainId } = giver().chain;
  return { chainId, timelockId, payload: encodeLetter(letter), occasion: occasion.id, card: mode };
}

async function drawSheet(form: Form, wish: Wish): Promise<void> {
  const paper = generate();
  const marks = { occasion: wish.occasion.id, paper: true };
  const canvas = await drawKeySheet({
    key: paper.key,
    groups: groups(paper.key),
    address: paper.address,
    entry: entryLink(place, paper.address, marks, wish.letter),
    occasion: wish.occasion,
    to: wish.letter.to,
    from: wish.letter.from,
    opensOn: wish.opensOn,
    words: await speechOf(wish.letter.language),
  });
  showSheet(form, wish, canvas, paper.address);
}

function lookOnceMore(form: Form, wish: Wish): void {
  const go = button(phrase("review-seal"), () => attempt(() => seal(form, wish)), "main");
  const back = button(phrase("review-change"), () => startOver(form), "");
  showSteps(form, review(wish, giver(), go, back));
}

function showSheet(form: Form, wish: Wish, canvas: HTMLCanvasElement, address: string): void {
  const done = make("input", { type: "checkbox", name: "printed" });
  const go = button(phrase("review-seal"), () => attempt(() => seal(form, wish, address)), "main");
  const whyNot = make("span", { className: "hint", id: "not-printed" }, phrase("sheet-not-printed"));
  go.setAttribute("aria-describedby", whyNot.id);
  go.disabled = true;
  done.addEventListener("change", () => (whyNot.hidden = !(go.disabled = !done.checked)));
  const back = button(phrase("review-change"), () => throwAway(form), "");
  const sheet = group(
    phrase("sheet-first"),
    make("p", {}, phrase("sheet-first-words")),
    make("div", { className: "pages" }, shown(phrase("page-sheet"), "key-sheet.png", canvas)),
    make("label", { className: "choice" }, done, phrase("sheet-printed")),
  );
  showSteps(form, sheet, review(wish, giver(), go, back, whyNot));
}

function showSteps(form: Form, ...parts: HTMLElement[]): void {
  form.element.hidden = true;
  fill(steps, ...parts);
  steps.scrollIntoView({ block: "start" });
}

/** One sheet looks like another: the giver might hand over the one that no gift is sealed to. */
function throwAway(form: Form): void {
  startOver(form);
  say(phrase("sheet-throw-away"));
}

function startOver(form: Form): void {
  takeAway(steps);
  fill(result);
  form.blocked = null;
  form.element.hidden = false;
}

async function recipientOf(wish: Wish): Promise<string> {
  if (wish.mode === "wallet") return wish.address;
  say(phrase("sealing-sign-recipient"));
  return emailWallet(giver().signer, giver().chain.chainId, wish.email);
}

/** `paper`: the address of the printed key. */
async function seal(form: Form, wish: Wish, paper?: string): Promise<void> {
  const controls = steps.querySelectorAll<HTMLButtonElement | HTMLInputElement>("button, input");
  for (const one of controls) one.disabled = true; // also the checkbox, or a click could seal a second gift
  let timelockId: string;
  let unlockAt: Date;
  try {
    const recipient = paper ?? (await recipientOf(wish));
    isSealing = true;
    keepAsked(true);
    ({ timelockId, unlockAt } = await giver().seal(recipient, wish.token, wish.units, wish.opensOn, say));
  } catch (error) {
    for (const one of controls) one.disabled = false;
    throw error;
  } finally {
    isSealing = false;
    keepAsked(false);
  }
  keepDraft(null);
  const keepsake = keepsakeFor(wish, timelockId);
  startOver(form);
  form.element.hidden = true;
  const isKept = kept.add(keepsake);
  await present(keepsake, wish.email);
  result.append(button(phrase("seal-another"), () => startOver(form), ""));
  const told = phrase("sealed", { number: timelockId, moment: localTime(unlockAt) });
  say(isKept ? told : `${told} ${phrase("sealed-not-kept")}`, !isKept);
}

// -- afterwards

async function present(keepsake: Keepsake, email: string = ""): Promise<void> {
  asked = keepsake;
  const pages = await rebuilt(place, keepsake, wallet);
  if (asked !== keepsake) return; // another keepsake was opened meanwhile, with its own form
  const isMoved = keepsake.card === "email" && wallet !== undefined; // the wallet knows the version of the router
  const moving = isMoved ? make("p", { className: "notice" }, whereEmailGiftsLand(giver().asksWhere)) : null;
  fill(result, group(phrase("kept-gift", { number: keepsake.timelockId }), pages), moving, notifyForm(keepsake, email));
  result.scrollIntoView({ block: "start" });
}

function notifyForm(keepsake: Keepsake, known: string): HTMLElement {
  const email = make("input", { name: "notifyEmail", type: "email", value: known, autocomplete: "off" });
  const timing = make(
    "select",
    { name: "timing" },
    make("option", { value: "immediate" }, phrase("notify-now")),
    make("option", { value: "scheduled" }, phrase("notify-scheduled")),
    make("option", { value: "none" }, phrase("notify-opening")),
  );
  const day = make("input", { name: "notifyAt", type: "datetime-local" });
  const dayLabel = labelled(phrase("notify-day"), day);
  dayLabel.hidden = true;
  timing.addEventListener("change", () => (dayLabel.hidden = timing.value !== "scheduled"));
  const work = (): Promise<void> => notify(keepsake, email.value, timing.value, day.value);
  const tell = button(phrase("notify-go"), () => attempt(work), "main");
  return group(
    phrase("notify"),
    make("div", { className: "side" }, labelled(phrase("notify-email"), email), labelled(phrase("notify-when"), timing), dayLabel),
    make(
      "p",
      { className: "hint" },
      phrase("notify-privacy"),
    ),
    make("div", { className: "row" }, tell),
  );
}

async function notify(keepsake: Keepsake, email: string, timing: string, day: string): Promise<void> {
  const { to, from, language } = letterIn(keepsake);
  const isScheduled = timing === "scheduled";
  if (normaliseEmail(email) === null) throw new Wrong(phrase("notify-no-email"));
  const sayWhen = isScheduled ? await dayOf(keepsake, day) : undefined;
  await registerNotify(giver().signer, keepsake.chainId, {
    timelockId: keepsake.timelockId,
    recipientEmail: email.trim(),
    recipientName: to,
    giverName: from,
    claimLink: linkOf(place, keepsake),
    timing: timing as "immediate" | "scheduled" | "none",
    ...(sayWhen ? { notifyAt: sayWhen.toISOString() } : {}),
    ...(language ? { language } : {}),
  });
  say(sayWhen ? phrase("notify-done-on", { moment: localTime(sayWhen) }) : phrase("notify-done"));
}

/** What was chosen, in this device's time zone: before the gift opens, by the chain's clock. */
async function dayOf({ chainId, timelockId }: Keepsake, day: string): Promise<Date> {
  const chosen = new Date(day);
  if (Number.isNaN(chosen.getTime())) throw new Wrong(phrase("notify-no-day"));
  const { asOf, unlockAt } = await fetchFacts(chainId, timelockId);
  if (chosen <= new Date(asOf) || chosen >= new Date(unlockAt)) {
    throw new Wrong(phrase("notify-bad-day", { moment: localTime(new Date(unlockAt)) }));
  }
  return chosen;
}

// -- the page

/** The server's words, for browsers that the script does not run in, stay until it has taken over. */
async function start(): Promise<void> {
  const page = part("page");
  page.hidden = true; // else these words would be seen for a moment
  try {
    await open();
  } catch {
    root.append(button("Try again", () => location.reload()));
  } finally {
    page.hidden = false;
  }
}

async function open(): Promise<void> {
  await speakTo(undefined, ["claim", "give"]);
  const title = document.querySelector("h1");
  if (title !== null) document.title = title.textContent = phrase("seal-a-gift");
  kept = new Kept((keepsake) => attempt(() => present(keepsake)));
  const offersEmail = await offersEmailGifts().catch(() => false);
  const form = new Form(offersEmail, () => void attempt(() => prepare(form)));
  form.blocked = phrase("giver-connect-above");
  fill(root, group(phrase("your-wallet"), walletPicker(form)), form.element, steps, status, result, kept.element);
  if (wasAsked()) say(phrase("giver-was-asked"), true);
}

addEventListener("pagehide", () => takeAway(steps));
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // the sheet is gone
});
addEventListener("beforeunload", (event) => {
  if (isSealing) event.preventDefault(); // what was sent goes on, and its letter would be nowhere
});
void start();

