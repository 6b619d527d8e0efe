/** The languages of the gift page and its printed pages, by their BCP 47 tags, each with its own name. */
export const LANGUAGES = {
  en: "English",
  es: "Español",
  fr: "Français",
  de: "Deutsch",
  pt: "Português",
  it: "Italiano",
  ja: "日本語",
  ko: "한국어",
  "zh-Hans": "简体中文",
  ar: "العربية",
} as const;

export type Language = keyof typeof LANGUAGES;

export function isLanguage(name: unknown): name is Language {
  return (Object.keys(LANGUAGES) as unknown[]).includes(name);
}

/** The first of a visitor's languages that we have; `zh-TW` is `zh-Hans`, `pt-BR` is `pt`. */
export function firstLanguage(wanted: readonly string[]): Language {
  const found = wanted
    .map((tag) => tag.toLowerCase().split("-")[0] ?? "")
    .map((tag) => (tag === "zh" ? "zh-Hans" : tag));
  return found.find(isLanguage) ?? "en";
}
