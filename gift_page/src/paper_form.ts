/**
 * Asks for the printed key: by camera, or typed in its groups. The key is in the fields and in one variable only; the
 * fields are emptied as soon as it has signed, and when the page is left.
 */
import { canScan, scan } from "./camera.ts";
import { button, fill, make } from "./dom.ts";
import type { Facts } from "./facts.ts";
import { addressOf, digitsOf, parse, paperSigner } from "./paper_key.ts";
import type { GiftSigner } from "./withdraw_auth.ts";

const GROUPS = 16;
const DIGITS = 4;
const WRONG = "This is not the key of this gift.";
const TYPED = `${WRONG} Please compare each group with your sheet: a letter or a number differs.`;
const SCANNED = `${WRONG} Is it the sheet of another gift?`;
const NO_KEY = "That code is not the key. Scan the one on the white panel, which is inside the folded sheet.";

/** Calls `use` with who signs, once the key is the right one. It answers why nothing was signed, or null: then the key
 * is forgotten. */
export function askPaperKey(facts: Facts, place: HTMLElement, use: (signer: GiftSigner) => Promise<string | null>): void {
  let isBusy = false;
  const problem = make("p", { className: "problem", id: "key-problem", attributes: { role: "alert" } });
  const fields = Array.from({ length: GROUPS }, (_, index) => field(index));
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
      return tell(key === null ? NO_KEY : wrong);
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

  const submit = make("button", { type: "submit", className: "button" }, "Open my gift");
  const grid = make("div", { className: "groups" }, ...fields);
  const form = make(
    "form",
    { className: "ask", noValidate: true, autocomplete: "off" },
    make(
      "fieldset",
      { attributes: { "aria-describedby": "key-problem" } },
      make("legend", {}, "The key, as it is printed: 16 groups of 4"),
      grid,
    ),
    problem,
    submit,
  );
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const short = fields.findIndex((each) => !/^[0-9a-f]{4}$/.test(each.value));
    if (short < 0) void take(fields.map((each) => each.value).join(""), TYPED);
    else tell(whatIsWrong(short, fields[short]?.value ?? ""), fields[short]);
  });
  fields.forEach((each, index) => spread(fields, each, index));

  const camera = make("div", { className: "camera" });
  fill(
    place,
    make(
      "p",
      {},
      "Unfold your sheet: the key is on its white panel. It stays on this device and is never sent to anybody; it signs " +
        "here, and is forgotten at once.",
    ),
    camera,
    form,
  );
  void offerCamera(camera, (text) => take(text, SCANNED));
}

function whatIsWrong(index: number, text: string): string {
  if (/[^0-9a-f]/.test(text)) return `Group ${index + 1} has a letter that no key has: only 0 to 9 and a to f.`;
  return `Group ${index + 1} needs 4 characters.`;
}

function field(index: number): HTMLInputElement {
  return make("input", {
    className: "field",
    type: "text",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
    required: true,
    attributes: {
      "aria-label": `Group ${index + 1} of ${GROUPS}`,
      "aria-describedby": "key-problem",
      autocorrect: "off",
      "data-1p-ignore": "",
      "data-lpignore": "true",
      "data-bwignore": "true",
    },
  });
}

/** What is typed or pasted flows on into the fields after it; but who mends a digit in the middle does not lose others. */
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
  const start = button("Scan it with the camera", () => void show(), "button");
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const show = async (): Promise<void> => {
    const stop = new AbortController();
    const video = make("video", { muted: true, playsInline: true, attributes: { "aria-label": "Picture of the camera" } });
    const words = make("p", { className: "dim" }, "Hold the square code of the white panel before the camera.");
    window.addEventListener("pagehide", () => stop.abort(), { once: true });
    fill(place, video, words, button("Stop the camera", () => stop.abort(), "button quiet"));
    let seen: string | null = null;
    try {
      await scan(video, stop.signal, (text) => {
        seen = text;
        return true;
      });
      fill(told);
    } catch {
      fill(told, "The camera cannot be used here. Please type the key instead.");
    }
    fill(place, start, told, make("p", { className: "or" }, "or type it"));
    if (seen !== null) await take(seen);
  };
  fill(place, start, told, make("p", { className: "or" }, "or type it"));
}
