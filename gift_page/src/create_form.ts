/** What a giver fills in. Reading it throws `Wrong` with a sentence for the giver. */
import { addressIn, BadDestination } from "./address_typed.ts";
import { decimalOf, TwoReadings, unitsOf } from "./amount.ts";
import { loadSpeech } from "./catalogues.ts";
import { CardPreview } from "./card_preview.ts";
import type { GiverWallet, Token } from "./create_wallet.ts";
import { make } from "./dom.ts";
import { keepDraft, keptDraft } from "./draft.ts";
import { normaliseEmail } from "./email_address.ts";
import { mailHint } from "./email_fields.ts";
import { Wrong } from "./field_errors.ts";
import { mayGiveByEmail } from "./giver_checks.ts";
import type { CardMode } from "./keepsake.ts";
import { mostCharacters } from "./letter_room.ts";
import { decimalMark, type Language, LANGUAGES } from "reminder-worker-client/speech";
import {
  BadLetter,
  checkLetter,
  claimLink,
  encodeLetter,
  entryLink,
  type GiftPlace,
  type Letter,
  MOST_NAME_CHARACTERS,
  MOST_NOTE_CHARACTERS,
} from "reminder-worker-client/claim-links";
import { type Occasion, occasionOf, occasions } from "reminder-worker-client/occasions";
import { phrase, speech } from "./phrases.ts";
import { drawMotif, type GiftCard } from "reminder-worker-client/printables";
import { localTime } from "./words.ts";

export interface Wish {
  occasion: Occasion;
  letter: Letter;
  token: Token;
  units: bigint;
  opensOn: Date;
  mode: CardMode;
  /** Of the recipient's wallet, with `wallet`. */
  address: string;
  /** With `email`. */
  email: string;
}

const MOST_YEARS = 100;
const NO_ADDRESS = `0x${"0".repeat(40)}`;
export const LONGEST_ID = "9".repeat(19);
const MODES: readonly (readonly [CardMode, string])[] = [
  ["paper", "form-paper"],
  ["wallet", "form-wallet"],
  ["email", "form-email"],
];

export class Form {
  readonly element = make("form", { noValidate: true });
  private readonly occasion = make("select", { name: "occasion" });
  private readonly picture = make("canvas", { width: 176, height: 176, attributes: { role: "img", "aria-label": "" } });
  private readonly language = make("select", { name: "language" });
  private readonly to = make("input", { name: "to", autocomplete: "off", dir: "auto" });
  private readonly from = make("input", { name: "from", autocomplete: "off", dir: "auto" });
  private readonly note = make("textarea", { name: "note", rows: 4, dir: "auto" });
  private readonly room = make("span", { className: "hint", id: "room" });
  private readonly templates = make("div", { className: "row" });
  private readonly card = new CardPreview(() => this.cardNow());
  private readonly asset = make("select", { name: "asset" });
  private readonly amount = make("input", { name: "amount", inputMode: "decimal", autocomplete: "off" });
  private readonly opensOn = make("input", { name: "opensOn", type: "datetime-local" });
  private readonly clock = make("p", { className: "hint" });
  private readonly address = make("input", { name: "address", autocomplete: "off", spellcheck: false });
  private readonly email = make("input", { name: "email", type: "email", autocomplete: "off" });
  private readonly whyNot = make("span", { className: "hint", id: "why-not" });
  private readonly modes: HTMLInputElement[];
  /** In the language of the gift. */
  private words = speech();
  private proposed = "";
  private wallet: GiverWallet | undefined;
  private readonly noEmailWay = make("p", { className: "notice", hidden: true, attributes: { "aria-live": "polite" } });
  private tokens: readonly Token[] = [];
  private clockAhead = 0;

  constructor(
    offersEmail: boolean,
    private readonly place: GiftPlace,
    onContinue: () => void,
  ) {
    const offered = MODES.filter(([mode]) => mode !== "email" || offersEmail);
    this.modes = offered.map(([mode], place) =>
      make("input", { type: "radio", name: "mode", value: mode, checked: place === 0 }),
    );
    this.occasion.append(...occasions.map(({ id }) => make("option", { value: id }, phrase(`occasion-${id}`))));
    const names = Object.entries(LANGUAGES).map(([value, name]) => make("option", { value, lang: value }, name));
    this.language.append(...names);
    this.language.value = speech().language;
    const addressLabel = labelled(phrase("form-wallet-address"), this.address);
    const emailHint = mailHint(this.email);
    const emailLabel = labelled(phrase("form-email-address"), this.email);
    const choices = this.modes.map((radio, place) =>
      make("label", { className: "choice" }, radio, phrase(offered[place]?.[1] ?? "")),
    );
    this.note.setAttribute("aria-describedby", "room");
    const goOn = make("button", { type: "submit", className: "main" }, phrase("form-continue"));
    goOn.setAttribute("aria-describedby", "why-not");
    this.element.append(
      group(
        phrase("form-gift"),
        make("div", { className: "look" }, this.picture, labelled(phrase("form-occasion"), this.occasion)),
        labelled(phrase("form-language"), this.language),
        make(
          "div",
          { className: "side" },
          labelled(phrase("form-to"), this.to),
          labelled(phrase("form-from"), this.from),
        ),
        labelled(phrase("form-note"), this.note, this.room),
        this.templates,
        this.card.element,
      ),
      group(
        phrase("form-inside"),
        make(
          "div",
          { className: "side" },
          labelled(phrase("form-asset"), this.asset),
          labelled(phrase("form-amount"), this.amount),
        ),
        labelled(phrase("form-opens"), this.opensOn, this.clock),
      ),
      group(phrase("form-how"), ...choices, this.noEmailWay, addressLabel, emailLabel, emailHint),
      make("div", { className: "row" }, goOn, this.whyNot),
    );
    const refresh = (): void => {
      addressLabel.hidden = this.mode !== "wallet";
      emailLabel.hidden = emailHint.hidden = this.mode !== "email";
      this.countRoom();
      this.card.refresh();
    };
    this.proposeDay();
    this.refill();
    this.element.addEventListener("input", () => {
      refresh();
      keepDraft(Object.fromEntries([...new FormData(this.element)].map(([name, value]) => [name, String(value)])));
    });
    this.occasion.addEventListener("change", () => {
      this.dress();
      this.proposeDay();
      this.card.refresh();
    });
    for (const radio of this.modes) radio.addEventListener("change", () => void this.lookAtEmailWay());
    this.language.addEventListener("change", () => void this.translate());
    this.element.addEventListener("submit", (event) => {
      event.preventDefault();
      onContinue();
    });
    this.dress();
    refresh();
    void this.translate();
  }

  /** Of a language that cannot be fetched now the messages stay as they were. */
  private async translate(): Promise<void> {
    const wanted = this.language.value as Language;
    if (wanted === this.words.language) return;
    const words = await loadSpeech(wanted, ["claim", "give"]).catch(() => null);
    if (words === null || wanted !== this.language.value) return;
    this.words = words;
    this.fillTemplates();
    this.countRoom();
    this.card.refresh();
  }

  private get letter(): Letter {
    const language = this.language.value as Language;
    return { to: this.to.value.trim(), from: this.from.value.trim(), note: this.note.value.trim(), language };
  }

  private countRoom(): void {
    const { letter, mode, place } = this;
    const marks = { occasion: this.occasion.value, paper: true };
    const entry = mode === "paper" ? `${entryLink(place, NO_ADDRESS, marks)}#g=` : null;
    const most = mostCharacters(letter, this.words.say("gift-1"), entry);
    this.room.textContent = phrase("form-room", { used: [...letter.note].length, most });
  }

  /**
   * The card of what is filled in now; null while its letter is refused. Its code leads nowhere: there is no gift yet.
   */
  private cardNow(): GiftCard | null {
    const { letter, words, mode } = this;
    const opensOn = new Date(this.opensOn.value);
    if (Number.isNaN(opensOn.getTime())) return null;
    const marks = { occasion: this.occasion.value, paper: mode === "paper", email: mode === "email" };
    try {
      const link = claimLink(this.place, 1, LONGEST_ID, marks, letter);
      return { ...letter, link, occasion: occasionOf(this.occasion.value), opensOn, words };
    } catch (error) {
      if (error instanceof BadLetter) return null;
      throw error;
    }
  }

  /** What may be given with this wallet, and when it may open at the earliest. */
  connected(wallet: GiverWallet): void {
    const { tokens, clockAhead } = wallet;
    this.wallet = wallet;
    this.tokens = tokens;
    this.clockAhead = clockAhead;
    this.asset.replaceChildren(...tokens.map(({ address, symbol }) => make("option", { value: address }, symbol)));
    const now = Date.now() + clockAhead;
    this.opensOn.min = forInput(new Date(now));
    this.proposeDay();
    this.refill();
    void this.lookAtEmailWay();
    const isAhead = Math.abs(clockAhead) > 3_600_000;
    this.countRoom();
    this.card.refresh();
    this.clock.textContent = isAhead ? phrase("form-chain-clock", { moment: localTime(new Date(now)) }) : "";
  }

  /** Say at once that the service makes no recipient's wallet for this account, and what does work. */
  private async lookAtEmailWay(): Promise<void> {
    this.noEmailWay.hidden = true;
    if (this.mode !== "email" || this.wallet === undefined) return;
    const isOpen = await mayGiveByEmail(this.wallet).catch(() => true); // asked once more before the review
    this.noEmailWay.textContent = isOpen ? "" : phrase("form-email-account");
    this.noEmailWay.hidden = isOpen || this.mode !== "email";
  }

  /** Fill in this tab's draft, as far as its choices are still offered. */
  private refill(): void {
    const kept = keptDraft();
    for (const field of this.element.querySelectorAll<HTMLInputElement | HTMLSelectElement>("[name]")) {
      const value = kept[field.name];
      if (value === undefined) continue;
      const isThere = !(field instanceof HTMLSelectElement) || [...field.options].some((each) => each.value === value);
      if (field.type === "radio") (field as HTMLInputElement).checked ||= field.value === value;
      else if (isThere) field.value = value;
    }
  }

  /** Why nobody can go on now, in a sentence that is shown; null when they can. */
  set blocked(why: string | null) {
    this.whyNot.textContent = why ?? "";
    for (const control of this.element.querySelectorAll<HTMLFieldSetElement | HTMLButtonElement>("fieldset, button")) {
      control.disabled = why !== null;
    }
  }

  /** Throws `Wrong`. */
  read(): Wish {
    const token = this.tokens.find(({ address }) => address === this.asset.value);
    if (token === undefined) throw new Wrong(phrase("giver-connect-first"));
    const { letter } = this;
    try {
      checkLetter(letter);
      encodeLetter(letter);
    } catch (error) {
      if (error instanceof BadLetter)
        throw new Wrong(
          phrase(`letter-${error.fault}`, {
            most: error.fault === "long-note" ? MOST_NOTE_CHARACTERS : MOST_NAME_CHARACTERS,
          }),
          badPart(letter),
          { cause: error },
        );
      throw error;
    }
    const opensOn = new Date(this.opensOn.value);
    if (Number.isNaN(opensOn.getTime())) throw new Wrong(phrase("form-no-day"), "opensOn");
    const now = Date.now() + this.clockAhead;
    if (opensOn.getTime() <= now) throw new Wrong(phrase("form-future"), "opensOn");
    if (opensOn.getTime() > now + MOST_YEARS * 365.25 * 86_400_000) {
      throw new Wrong(phrase("form-too-far", { years: MOST_YEARS }), "opensOn");
    }
    const common = { occasion: occasionOf(this.occasion.value), letter, token, opensOn, mode: this.mode };
    return { ...common, units: this.units(token), address: this.recipient(), email: this.emailAddress() };
  }

  private get mode(): CardMode {
    return this.modes.find(({ checked }) => checked)?.value as CardMode;
  }

  private units(token: Token): bigint {
    let units = 0n;
    try {
      const amount = decimalOf(this.amount.value);
      if (amount === null) throw new RangeError("no number");
      units = unitsOf(amount, token.decimals);
    } catch (error) {
      if (error instanceof TwoReadings) throw new Wrong(error.message, "amount", { cause: error });
      const { symbol, decimals } = token;
      if (decimals === 0) throw new Wrong(phrase("form-whole-amount", { symbol }), "amount");
      const example = `1${decimalMark(speech().locale)}5`;
      throw new Wrong(phrase("form-bad-amount", { symbol, example, decimals }), "amount");
    }
    if (units <= 0n) throw new Wrong(phrase("form-no-amount"), "amount");
    return units;
  }

  private recipient(): string {
    if (this.mode !== "wallet" || this.wallet === undefined) return "";
    const { chainId, contracts } = this.wallet.chain;
    try {
      return addressIn(this.address.value, chainId, [...contracts, ...this.tokens.map(({ address }) => address)]);
    } catch (error) {
      if (error instanceof BadDestination) throw new Wrong(phrase(error.message), "address", { cause: error });
      throw error;
    }
  }

  private emailAddress(): string {
    const text = this.email.value.trim();
    if (this.mode === "email" && normaliseEmail(text) === null) throw new Wrong(phrase("form-no-email"), "email");
    return text;
  }

  /** The day that the occasion proposes, as long as the giver has chosen no other. */
  private proposeDay(): void {
    if (this.opensOn.value !== this.proposed) return;
    const day = new Date(Date.now() + this.clockAhead);
    day.setFullYear(day.getFullYear() + occasionOf(this.occasion.value).years);
    this.proposed = forInput(day);
    this.opensOn.value = this.proposed;
  }

  private dress(): void {
    const occasion = occasionOf(this.occasion.value);
    const brush = this.picture.getContext("2d");
    brush?.clearRect(0, 0, 176, 176);
    if (brush) drawMotif(brush, occasion.motif, occasion.palette, 88, 88, 88);
    this.picture.setAttribute("aria-label", phrase(`greeting-${occasion.id}`));
    this.fillTemplates();
  }

  /** Messages to start from, in the language of the gift. */
  private fillTemplates(): void {
    const { id } = occasionOf(this.occasion.value);
    const texts = [1, 2, 3].map((number) => this.words.say(`${id}-${number}`));
    this.templates.lang = this.words.language;
    this.templates.replaceChildren(
      ...texts.map((text) => {
        const use = make("button", { type: "button", className: "template", dir: "auto" }, text);
        use.addEventListener("click", () => {
          this.note.value = text;
          this.note.dispatchEvent(new Event("input", { bubbles: true }));
        });
        return use;
      }),
    );
  }
}

/** The name of the field that a letter is bad for by itself; the message where only all of it together is too long. */
function badPart(letter: Letter): string {
  const parts = ["to", "from", "note"] as const;
  const isBad = (name: (typeof parts)[number]): boolean => {
    try {
      checkLetter({ ...letter, to: "", from: "", note: "", [name]: letter[name] });
      return false;
    } catch {
      return true;
    }
  };
  return parts.find(isBad) ?? "note";
}

export function labelled(text: string, control: HTMLElement, ...more: HTMLElement[]): HTMLLabelElement {
  return make("label", {}, text, control, ...more);
}

export function group(legend: string, ...parts: HTMLElement[]): HTMLFieldSetElement {
  return make("fieldset", {}, make("legend", {}, legend), ...parts);
}

/** As `datetime-local` has it: this device's time, to the minute. */
function forInput(moment: Date): string {
  return new Date(moment.getTime() - moment.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
