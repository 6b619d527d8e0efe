/**
 * A simple page to seal a gift with, on the local stack: what a frontend does with `sealing.ts`, step by step.
 *
 * A paper key is made here and drawn onto the sheet, which stays on the page until the gift is sealed: the key is never
 * stored, and no request carries it.
 */
import "./create.css";
import { Refused, Unreachable } from "./api.ts";
import { speakTo } from "./catalogues.ts";
import { Form, group, labelled, LONGEST_ID, type Wish } from "./create_form.ts";
import { Kept, rebuilt, speechOf, takeAway } from "./create_pages.ts";
import { smallCard } from "./card_preview.ts";
import { type Chain, GiverWallet } from "./create_wallet.ts";
import { button, fill, make, part, setTitle } from "./dom.ts";
import { keepAsked, keepDraft, wasAsked } from "./draft.ts";
import { normaliseEmail } from "./email_address.ts";
import { emailAgain, mailHint } from "./email_fields.ts";
import { fetchFacts } from "./facts.ts";
import { clearErrors, tellAt, Wrong } from "./field_errors.ts";
import { checkFunds, doubtsAbout, mayGiveByEmail } from "./giver_checks.ts";
import { type Keepsake, linkOf, letterIn } from "./keepsake.ts";
import { encodeLetter, entryLink, type GiftPlace } from "reminder-worker-client/claim-links";
import { generate, groups } from "reminder-worker-client/paper-keys";
import { phrase, speech } from "./phrases.ts";
import { shown } from "./printed_page.ts";
import { askTwoGroups } from "./typed_groups.ts";
import { DoesNotFit, drawKeySheet, FontsMissing } from "reminder-worker-client/printables";
import { GIVER_PROBLEMS } from "./problems.ts";
import { review, whereEmailGiftsLand } from "./review.ts";
import type { Sealed } from "reminder-worker-client/sealing";
import { emailWallet, offersEmailGifts, registerNotify } from "./sealing.ts";
import { appLinks } from "./wallet_apps.ts";
import { codeOf, DECLINED, discover, type Wallet } from "./wallets.ts";
import { InWords, inWords, localTime } from "./words.ts";

interface Setup extends GiftPlace {
  chains: Chain[];
}

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
/** The gift that was sealed last, until its giver has taken the link along. */
let untaken: Keepsake | undefined;

// -- what is said

function say(words: string, isBad: boolean = false): void {
  status.textContent = words;
  status.className = isBad ? "bad" : "";
  if (isBad) status.scrollIntoView({ block: "nearest" }); // it stands below the form
}

/** Runs what a button began and says what went wrong, in words that name nothing of the gift. */
async function attempt(work: () => Promise<void> | void): Promise<void> {
  say("");
  clearErrors(root);
  try {
    await work();
  } catch (error) {
    if (error instanceof Wrong && tellAt(root, error)) return;
    say(explained(error), true);
  }
}

function explained(error: unknown): string {
  if (error instanceof Refused || error instanceof Unreachable) return inWords(error, GIVER_PROBLEMS);
  if (error instanceof DoesNotFit) return phrase(error.phrase, error.limits);
  if (error instanceof FontsMissing) return phrase("fonts-missing");
  if ([Wrong, InWords].some((kind) => error instanceof kind)) return (error as Error).message;
  return phrase(codeOf(error) === DECLINED ? "giver-declined" : "giver-failed");
}

// -- the wallet

function walletPicker(form: Form): HTMLElement {
  const picker = make(
    "div",
    { className: "row" },
    make("span", { className: "hint" }, phrase("giver-no-wallet")),
    ...appLinks(),
  );
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
  const account = phrase("giver-account", {
    wallet: chosen.name,
    account: wallet.signer.account,
    network: chain.chainName,
  });
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
    const card = await cardOf(wish);
    await checkFunds(giver(), wish);
    if (wish.mode === "email" && !(await mayGiveByEmail(giver())))
      throw new Wrong(phrase("form-email-account"), "email");
    const doubts = wish.mode === "wallet" ? await doubtsAbout(giver(), wish.address) : [];
    if (doubts.length > 0) askAboutAddress(form, wish, doubts, card);
    else if (wish.mode === "paper") await drawSheet(form, wish, card);
    else lookOnceMore(form, wish, card);
  } catch (error) {
    form.blocked = null;
    throw error;
  }
}

/** The card as it will be, small. Throws `DoesNotFit` before anything is sealed. */
async function cardOf(wish: Wish): Promise<HTMLCanvasElement> {
  const { letter, occasion, opensOn } = wish;
  const link = linkOf(place, keepsakeFor(wish, LONGEST_ID));
  return smallCard({ ...letter, link, occasion, opensOn, words: await speechOf(letter.language) });
}

function keepsakeFor({ letter, occasion, mode }: Wish, timelockId: string): Keepsake {
  const { chainId } = giver().chain;
  return { chainId, timelockId, payload: encodeLetter(letter), occasion: occasion.id, card: mode };
}

async function drawSheet(form: Form, wish: Wish, card: HTMLCanvasElement): Promise<void> {
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
  showSheet(form, wish, card, canvas, paper.address, groups(paper.key));
}

function askAboutAddress(form: Form, wish: Wish, doubts: string[], card: HTMLCanvasElement): void {
  const yes = button(phrase("doubt-yes"), () => lookOnceMore(form, wish, card), "main");
  const back = button(phrase("review-change"), () => startOver(form), "");
  const said = doubts.map((each) => make("p", { className: "notice" }, each));
  const address = make("p", {}, make("code", { dir: "ltr" }, wish.address));
  showSteps(form, group(phrase("doubt"), address, ...said, make("div", { className: "row" }, yes, back)));
}

function lookOnceMore(form: Form, wish: Wish, card: HTMLCanvasElement): void {
  const go = button(phrase("review-seal"), () => attempt(() => seal(form, wish)), "main");
  const back = button(phrase("review-change"), () => startOver(form), "");
  const again = wish.mode === "email" ? [emailAgain(wish.email, go)] : [];
  showSteps(form, review(wish, giver(), card, ...again, go, back));
}

/**
 * The sheet leaves the screen while two of the key's groups are typed from the paper; shown again, others are asked.
 */
function showSheet(
  form: Form,
  wish: Wish,
  card: HTMLCanvasElement,
  canvas: HTMLCanvasElement,
  address: string,
  key: readonly string[],
): void {
  const done = make("input", { type: "checkbox", name: "printed" });
  const go = button(phrase("review-seal"), () => attempt(() => seal(form, wish, address)), "main");
  const whyNot = make("span", { className: "hint", id: "not-printed" }, phrase("sheet-not-printed"));
  go.setAttribute("aria-describedby", whyNot.id);
  go.disabled = true;
  const page = `${location.origin}${location.pathname}`;
  const pages = make(
    "div",
    { className: "pages" },
    shown(phrase("page-sheet"), "key-sheet.png", canvas, phrase("sheet-way-out"), page),
  );
  const typed = make("div");
  const allow = (isAllowed: boolean): void => {
    go.disabled = !isAllowed;
    whyNot.hidden = isAllowed;
  };
  done.addEventListener("change", () => {
    pages.hidden = done.checked;
    allow(false);
    fill(typed, done.checked && askTwoGroups(key, allow));
    typed.querySelector("input")?.focus();
  });
  const back = button(phrase("review-change"), () => throwAway(form), "");
  const sheet = group(
    phrase("sheet-first"),
    make("p", {}, phrase("sheet-first-words")),
    pages,
    make("label", { className: "choice" }, done, phrase("sheet-printed")),
    typed,
  );
  showSteps(form, sheet, review(wish, giver(), card, go, back, whyNot));
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
  let sealed: Sealed;
  try {
    const recipient = paper ?? (await recipientOf(wish));
    isSealing = true;
    keepAsked(true);
    sealed = await giver().seal(recipient, wish.token, wish.units, wish.opensOn, say);
  } catch (error) {
    for (const one of controls) one.disabled = false;
    throw error;
  } finally {
    isSealing = false;
    keepAsked(false);
  }
  keepDraft(null);
  const { timelockId, unlockAt } = sealed;
  const keepsake = keepsakeFor(wish, timelockId);
  startOver(form);
  form.element.hidden = true;
  const isKept = kept.add(keepsake, sealed);
  untaken = keepsake;
  const another = button(phrase("seal-another"), () => startOver(form), "");
  another.hidden = true;
  await present(keepsake, wish.email, another);
  const told = phrase("sealed", { number: timelockId, moment: localTime(unlockAt) });
  say(isKept ? told : `${told} ${phrase("sealed-not-kept")}`, !isKept);
}

// -- afterwards

/** `another`: a button that waits until the link was taken along. */
async function present(
  keepsake: Keepsake,
  email: string = "",
  another: HTMLButtonElement | null = null,
): Promise<void> {
  asked = keepsake;
  const isNew = untaken !== undefined && isSame(untaken, keepsake);
  const handOver = (): void => {
    if (isNew) untaken = undefined;
    if (another !== null) another.hidden = false;
  };
  const pages = await rebuilt(place, keepsake, wallet, isNew, handOver);
  if (asked !== keepsake) return; // another keepsake was opened meanwhile, with its own form
  const isMoved = keepsake.card === "email" && wallet !== undefined; // the wallet knows the version of the router
  const moving = isMoved ? make("p", { className: "notice" }, whereEmailGiftsLand(giver().asksWhere)) : null;
  const title = phrase("kept-gift", { number: keepsake.timelockId });
  fill(result, group(title, pages), moving, notifyForm(keepsake, email), another);
  result.scrollIntoView({ block: "start" });
}

function isSame(one: Keepsake, other: Keepsake): boolean {
  return one.chainId === other.chainId && one.timelockId === other.timelockId;
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
  const remind = make("input", { type: "checkbox", name: "remindAfterOpening" });
  const own = make("input", { name: "giverEmail", type: "email", autocomplete: "email" });
  const work = (): Promise<void> =>
    notify(keepsake, email.value, timing.value, day.value, remind.checked, own.value.trim());
  const tell = button(phrase("notify-go"), () => attempt(work), "main");
  return group(
    phrase("notify"),
    make(
      "div",
      { className: "side" },
      labelled(phrase("notify-email"), email),
      labelled(phrase("notify-when"), timing),
      dayLabel,
    ),
    mailHint(email),
    make("label", { className: "choice" }, remind, phrase("notify-remind")),
    labelled(phrase("notify-giver-email"), own),
    mailHint(own),
    make("p", { className: "hint" }, phrase("notify-giver-hint")),
    make("p", { className: "hint" }, phrase("notify-privacy")),
    make("div", { className: "row" }, tell),
  );
}

async function notify(
  keepsake: Keepsake,
  email: string,
  timing: string,
  day: string,
  remindAfterOpening: boolean,
  giverEmail: string,
): Promise<void> {
  const { to, from, language } = letterIn(keepsake);
  const isScheduled = timing === "scheduled";
  if (normaliseEmail(email) === null) throw new Wrong(phrase("notify-no-email"), "notifyEmail");
  if (giverEmail !== "" && normaliseEmail(giverEmail) === null) {
    throw new Wrong(phrase("notify-bad-giver-email"), "giverEmail");
  }
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
    ...(remindAfterOpening ? { remindAfterOpening } : {}),
    ...(giverEmail === "" ? {} : { giverEmail, giverLanguage: speech().language }),
  });
  say(sayWhen ? phrase("notify-done-on", { moment: localTime(sayWhen) }) : phrase("notify-done"));
}

/** What was chosen, in this device's time zone: before the gift opens, by the chain's clock. */
async function dayOf({ chainId, timelockId }: Keepsake, day: string): Promise<Date> {
  const chosen = new Date(day);
  if (Number.isNaN(chosen.getTime())) throw new Wrong(phrase("notify-no-day"), "notifyAt");
  const { asOf, unlockAt } = await fetchFacts(chainId, timelockId);
  if (chosen <= new Date(asOf) || chosen >= new Date(unlockAt)) {
    throw new Wrong(phrase("notify-bad-day", { moment: localTime(new Date(unlockAt)) }), "notifyAt");
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
  if (title !== null) title.textContent = phrase("seal-a-gift");
  setTitle(phrase("seal-a-gift"));
  kept = new Kept((keepsake) => attempt(() => present(keepsake)));
  const offersEmail = await offersEmailGifts().catch(() => false);
  const form = new Form(offersEmail, place, () => void attempt(() => prepare(form)));
  form.blocked = phrase("giver-connect-above");
  const intro = ["intro-what", "intro-costs", "intro-final"].map((name) => make("p", {}, phrase(name)));
  fill(
    root,
    ...intro,
    group(phrase("your-wallet"), walletPicker(form)),
    form.element,
    steps,
    status,
    result,
    kept.element,
  );
  if (wasAsked()) say(phrase("giver-was-asked"), true);
}

addEventListener("pagehide", () => takeAway(steps));
addEventListener("pageshow", (event) => {
  if (event.persisted) location.reload(); // the sheet is gone
});
addEventListener("beforeunload", (event) => {
  // What was sent goes on, and its letter would be nowhere; and no browser keeps a link for certain.
  if (isSealing || untaken !== undefined) event.preventDefault();
});
void start();
