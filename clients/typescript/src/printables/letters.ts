/** Fonts of the scripts that Lora and Source Sans 3 lack; each is fetched only for words in it, and of it only the
 * parts with their letters (Noto Sans, SIL Open Font License 1.1). */
import type { Language } from "../languages.ts";

const FONTS = {
  "Noto Sans Arabic Variable": () => import("@fontsource-variable/noto-sans-arabic"),
  "Noto Sans JP Variable": () => import("@fontsource-variable/noto-sans-jp"),
  "Noto Sans KR Variable": () => import("@fontsource-variable/noto-sans-kr"),
  "Noto Sans SC Variable": () => import("@fontsource-variable/noto-sans-sc"),
} as const;
type Family = keyof typeof FONTS;

/** Declares the families that `text` needs. Returns their names, the best one first. Throws when they cannot be
 * fetched. */
export async function loadLetters(text: string, language: Language): Promise<Family[]> {
  const families = familiesOf(text, language);
  await Promise.all(families.map((family) => FONTS[family]()));
  return families;
}

function familiesOf(text: string, language: Language): Family[] {
  const isJapanese = language === "ja" || /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text);
  const isKorean = language === "ko" || /\p{Script=Hangul}/u.test(text);
  // Chinese, Japanese and Korean fonts draw the same Chinese letter in different ways.
  const isChinese = language === "zh-Hans" || (/\p{Script=Han}/u.test(text) && !isJapanese && !isKorean);
  const found: [Family, boolean][] = [
    ["Noto Sans Arabic Variable", /\p{Script=Arabic}/u.test(text)],
    ["Noto Sans SC Variable", isChinese],
    ["Noto Sans JP Variable", isJapanese],
    ["Noto Sans KR Variable", isKorean],
  ];
  const families = found.filter(([, isNeeded]) => isNeeded).map(([family]) => family);
  const own = { "zh-Hans": "SC", ja: "JP", ko: "KR" }[language as "ja"];
  return families.sort((a, b) => Number(b.includes(` ${own} `)) - Number(a.includes(` ${own} `)));
}
