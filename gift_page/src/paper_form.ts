/**
 * Asks for the printed key: by camera, or typed in its groups. The key is in the fields and in one variable only; the
 * fields are emptied as soon as it has signed, and when the page is left.
 */
import { canScan, scan } from "./camera.ts";
import { button, fill, make } from "./dom.ts";
import type { Facts } from "./facts.ts";
import { DIGITS, groupField, GROUPS } from "./key_group.ts";
import { addressOf, digitsOf, parse } from "reminder-worker-client/paper-keys";
import { paperSigner } from "./paper_signer.ts";
import { phrase } from "./phrases.ts";
import type { GiftSigner } from "./withdraw_auth.ts";

/** Calls `use` with who signs, once the key is the right one. It answers why nothing was signed, or null: then the key
 * is forgotten. */
export function askPaperKey(
  facts: Facts,
  place: HTMLElement,
  use: (signer: GiftSigner) => Promise<string | null>,
): void {
  let isBusy = false;
  const problem = make("p", { className: "problem", id: "key-problem", attributes: { role: "alert" } });
  const fields = Array.from({ length: GROUPS }, (_, index) => groupField(index, "key-problem"));
  const clear = (): void => {
    for (const each of fields) each.value = "";
  };
  window.addEventListener("pagehide", clear);

  const tell = (words: string, at?: HTMLInputElement): void => {
    fill(problem, words);
    for (const each of fields) each.setAttribute("aria-invalid", String(each === at));
    at?.focus();
  };
  const take = async (text: string, wrong: string): Promise<void> => {
    const key = parse(text);
    if (isBusy) return;
    if (key === null || addressOf(key).toLowerCase() !== facts.recipient.toLowerCase()) {
      return tell(phrase(key === null ? "paper-no-key" : wrong));
    }
    tell("");
    isBusy = true;
    form.setAttribute("aria-busy", "true");
    const trouble = await use(paperSigner(key));
    isBusy = false;
    form.removeAttribute("aria-busy");
    if (trouble === null) clear();
    else tell(trouble);
  };

  const submit = make("button", { type: "submit", className: "button" }, phrase("open-my-gift"));
  const grid = make("div", { className: "groups" }, ...fields);
  const form = make(
    "form",
    { className: "ask", noValidate: true, autocomplete: "off" },
    make(
      "fieldset",
      { attributes: { "aria-describedby": "key-problem" } },
      make("legend", {}, phrase("paper-legend")),
      grid,
    ),
    problem,
    submit,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const short = fields.findIndex((each) => !/^[0-9a-f]{4}$/.test(each.value));
    if (short < 0) void take(fields.map((each) => each.value).join(""), "paper-typed-wrong");
    else tell(whatIsWrong(short, fields[short]?.value ?? ""), fields[short]);
  });
  fields.forEach((each, index) => spread(fields, each, index));

  const camera = make("div", { className: "camera" });
  fill(place, make("p", {}, phrase("paper-words")), camera, form);
  void offerCamera(camera, (text) => take(text, "paper-scanned-wrong"));
}

function whatIsWrong(index: number, text: string): string {
  return phrase(/[^0-9a-f]/.test(text) ? "paper-bad-letter" : "paper-too-short", { number: index + 1 });
}

/**
 * What is typed or pasted flows on into the fields after it; but who mends a digit in the middle does not lose others.
 */
function spread(fields: HTMLInputElement[], own: HTMLInputElement, index: number): void {
  own.addEventListener("beforeinput", (event) => {
    const whole = digitsOf(event.data ?? "");
    if (whole.length !== GROUPS * DIGITS) return;
    event.preventDefault(); // beside what is in a group already it would shift every digit
    fields.forEach((each, place) => (each.value = whole.slice(place * DIGITS, (place + 1) * DIGITS)));
  });
  own.addEventListener("input", (event) => {
    const text = digitsOf(own.value);
    const isPasted = (event as InputEvent).inputType === "insertFromPaste";
    if (!isPasted && text.length === DIGITS + 1 && fields[index + 1]?.value !== "") {
      own.value = text;
      return;
    }
    own.value = text.slice(0, DIGITS);
    let rest = text.slice(DIGITS);
    let last = index;
    while (rest !== "" && last + 1 < fields.length) {
      last += 1;
      const next = fields[last];
      if (next !== undefined) next.value = rest.slice(0, DIGITS);
      rest = rest.slice(DIGITS);
    }
    if ((fields[last]?.value.length ?? 0) === DIGITS && own === document.activeElement) fields[last + 1]?.focus();
  });
  own.addEventListener("keydown", (event) => {
    if (event.key === "Backspace" && own.value === "" && index > 0) {
      fields[index - 1]?.focus();
      event.preventDefault();
    }
  });
  own.addEventListener("focus", () => own.select());
}

async function offerCamera(place: HTMLElement, take: (text: string) => Promise<void>): Promise<void> {
  if (!(await canScan())) return;
  const start = button(phrase("camera-scan-key"), () => void show(), "button");
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const show = async (): Promise<void> => {
    const stop = new AbortController();
    const video = make("video", {
      muted: true,
      playsInline: true,
      attributes: { "aria-label": phrase("camera-picture") },
    });
    const words = make("p", { className: "dim" }, phrase("camera-hold"));
    window.addEventListener("pagehide", () => stop.abort(), { once: true });
    fill(
      place,
      video,
      words,
      button(phrase("camera-stop"), () => stop.abort(), "button quiet"),
    );
    let seen: string | null = null;
    try {
      await scan(video, stop.signal, (text) => {
        seen = text;
        return true;
      });
      fill(told);
    } catch {
      fill(told, phrase("camera-unusable-key"));
    }
    fill(place, start, told, make("p", { className: "or" }, phrase("camera-or-type")));
    if (seen !== null) await take(seen);
  };
  fill(place, start, told, make("p", { className: "or" }, phrase("camera-or-type")));
}
