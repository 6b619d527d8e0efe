/** Words of the printed pages and of the gift page, in one language. */
import { FluentBundle, FluentResource, type FluentVariable } from "@fluent/bundle";
import type { Language } from "./languages.ts";

export { firstLanguage, isLanguage, type Language, LANGUAGES } from "./languages.ts";

/** The messages of one language (Project Fluent), with its dates and numbers. */
export class Speech {
  /** BCP 47, for dates and numbers; digits are those of addresses and amounts. */
  readonly locale: string;
  private readonly bundle: FluentBundle;

  /** `catalogues`: text of `.ftl` files. `local`: the reader's own variety, as `en-GB`. */
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

/** Base units as a decimal number, every digit: 1500000 of 6 decimals is `1.5`. */
export function decimalWords(units: bigint, decimals: number, locale: string): string {
  const whole = units / 10n ** BigInt(decimals);
  const part = (units % 10n ** BigInt(decimals)).toString().padStart(decimals, "0").replace(/0+$/, "");
  return whole.toLocaleString(locale) + (decimals > 0 && part !== "" ? decimalMark(locale) + part : "");
}

/** `.` or `,`; a point where it is another one. */
export function decimalMark(locale: string): "." | "," {
  return new Intl.NumberFormat(locale).format(0.5).includes(",") ? "," : ".";
}
