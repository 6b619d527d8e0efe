/** The two questions of an email gift: which address, and which code was sent there. Loaded with `email_code.ts`. */
import { button, fill, make } from "./dom.ts";
import { normaliseEmail } from "./email_address.ts";
import { EmailCodeError, sendCode, signIn, type SentCode } from "./email_code.ts";
import type { Facts } from "./facts.ts";
import { phrase } from "./phrases.ts";
import { rememberCode, rememberedCode } from "./remembered.ts";
import { asAscii, digitsForLookAlikes } from "reminder-worker-client/paper-keys";
import type { GiftSigner } from "./withdraw_auth.ts";
import { inWords } from "./words.ts";

/** Asks in `place` until the gift's recipient has signed in; keeps nothing that was typed. `problem`: told at first. */
export function askEmail(facts: Facts, place: HTMLElement, problem?: string): Promise<GiftSigner> {
  return new Promise((resolve) => {
    const finish = (signer: GiftSigner): void => {
      rememberCode(facts, null);
      resolve(signer);
    };
    const awaited = problem === undefined ? rememberedCode(facts) : null;
    if (awaited !== null) askCode(facts, place, finish, { email: null, ...awaited });
    else askAddress(facts, place, finish, problem ?? "");
  });
}

type Finish = (signer: GiftSigner) => void;

function askAddress(facts: Facts, place: HTMLElement, finish: Finish, problem: string | null = null): void {
  rememberCode(facts, null);
  const input = field("gift-email", { type: "email", autocomplete: "email", inputMode: "email" });
  const form = question(phrase("email-words"), phrase("email-label"), input, phrase("email-send-code"), async () => {
    const email = normaliseEmail(input.value.replace(/[\s.]+$/, "")); // two spaces on a phone make a full stop
    if (email === null) return phrase("email-none");
    return send(facts, place, finish, email);
  });
  show(place, form, input, problem);
}

function askCode(facts: Facts, place: HTMLElement, finish: Finish, sent: SentCode): void {
  const input = field("gift-code", { type: "text", autocomplete: "one-time-code", inputMode: "text" });
  input.autocapitalize = "characters";
  input.spellcheck = false;
  const { email } = sent;
  const words = email === null ? phrase("code-words-reloaded") : phrase("code-words", { email });
  const form = question(words, phrase("code-label"), input, phrase("open-my-gift"), async () => {
    const code = tidyCode(input.value);
    if (code === "") return phrase("code-none");
    try {
      finish(await signIn(facts, sent, code));
    } catch (error) {
      if (!isWrongEmail(error)) return inWords(error);
      askAddress(facts, place, finish, inWords(error));
    }
    return null;
  });
  const elsewhere = (): void => {
    if (!form.isBusy()) askAddress(facts, place, finish); // else what comes back would take it away again
  };
  const others = make(
    "p",
    { className: "choices" },
    email !== null &&
      button(phrase("code-another"), () => form.run(() => send(facts, place, finish, email)), "button quiet"),
    button(phrase(email === null ? "code-another-reloaded" : "email-another"), elsewhere, "button quiet"),
  );
  form.element.append(others);
  show(place, form, input);
}

/** The provider's codes are digits, or Crockford's Base32: capitals, without the letters that look like digits. */
function tidyCode(text: string): string {
  return digitsForLookAlikes(asAscii(text).toUpperCase().replace(/[\s-]/g, ""));
}

/** The problem, when none was sent. */
async function send(facts: Facts, place: HTMLElement, finish: Finish, email: string): Promise<string | null> {
  try {
    const sent = await sendCode(facts.identityProvider, email);
    const { otpId, targetBundle } = sent;
    if (facts.identityProvider?.subOrganizationId) rememberCode(facts, { otpId, targetBundle });
    askCode(facts, place, finish, sent);
    return null;
  } catch (error) {
    return isWrongEmail(error) ? phrase("email-none") : inWords(error);
  }
}

function isWrongEmail(error: unknown): boolean {
  return error instanceof EmailCodeError && error.trouble === "wrong_email";
}

interface Question {
  element: HTMLFormElement;
  isBusy(): boolean;
  tell(problem: string): void;
  /** Waits with the form at rest; tells the problem that comes back. */
  run(work: () => Promise<string | null>): Promise<void>;
}

function question(
  words: string,
  name: string,
  input: HTMLInputElement,
  action: string,
  work: () => Promise<string | null>,
): Question {
  const problem = make("p", { className: "problem", id: `${input.id}-problem`, attributes: { role: "alert" } });
  const submit = make("button", { type: "submit", className: "button" }, action);
  const label = make("label", { htmlFor: input.id }, name);
  const element = make(
    "form",
    { className: "ask", noValidate: true },
    make("p", { id: `${input.id}-words` }, words),
    label,
    input,
    problem,
    submit,
  );
  const tell = (text: string): void => {
    fill(problem, text);
    input.setAttribute("aria-invalid", "true");
    input.focus();
  };
  const isBusy = (): boolean => element.getAttribute("aria-busy") === "true";
  const run = async (work: () => Promise<string | null>): Promise<void> => {
    if (isBusy()) return;
    element.setAttribute("aria-busy", "true");
    fill(problem);
    fill(submit, phrase("one-moment"));
    const told = await work();
    element.removeAttribute("aria-busy");
    fill(submit, action);
    if (told !== null) tell(told);
  };
  element.addEventListener("submit", (event) => {
    event.preventDefault();
    void run(work);
  });
  return { element, isBusy, tell, run };
}

function field(id: string, properties: Partial<HTMLInputElement>): HTMLInputElement {
  const input = make("input", { id, className: "field", required: true });
  Object.assign(input, properties);
  input.setAttribute("aria-describedby", `${id}-words ${id}-problem`);
  return input;
}

/** `problem`: empty at the beginning, when nobody has asked for this question and the focus stays where it is. */
function show(place: HTMLElement, form: Question, input: HTMLInputElement, problem: string | null = null): void {
  fill(place, form.element);
  if (problem === null) input.focus();
  else if (problem !== "") form.tell(problem);
}
