/** What is said, in one language: the messages of `gift_page/languages` (Project Fluent), dates and numbers. */
import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import type { Language } from "./languages.ts";

/** A page has one; printed pages may have another, of their reader. */
export class Speech {
  /** BCP 47, for dates and numbers; digits are those of addresses and amounts. */
  readonly locale: string;
  private readonly bundle: FluentBundle;

  /** `catalogues`: text of `.ftl` files. `local`: the visitor's own variety, as `en-GB`. */
  constructor(
    readonly language: Language,
    catalogues: readonly string[],
    local: string = language === "en" ? "en-GB" : language,
  ) {
    this.locale = language === "ar" ? `${local}-u-nu-latn` : local;
    // Amounts and addresses between Arabic words keep their own direction.
    this.bundle = new FluentBundle(this.locale, { useIsolating: this.isLeftwards });
    for (const text of catalogues) this.bundle.addResource(new FluentResource(text));
  }

  get isLeftwards(): boolean {
    return this.language === "ar";
  }

  /** The message of this name, which each catalogue has; the name itself where a catalogue could not be read. */
  readonly say = (id: string, values: Record<string, FluentVariable> = {}): string => {
    const message = this.bundle.getMessage(id);
    return message?.value ? this.bundle.formatPattern(message.value, values, []) : id;
  };
}

let spoken: Speech = new Speech("en", []);

/** From now on the page speaks so. */
export function speak(speech: Speech): void {
  spoken = speech;
  document.documentElement.lang = speech.language;
  document.documentElement.dir = speech.isLeftwards ? "rtl" : "ltr";
}

/** How the page speaks. */
export function speech(): Speech {
  return spoken;
}

/** A sentence of the page. */
export function phrase(id: string, values?: Record<string, FluentVariable>): string {
  return spoken.say(id, values);
}
