/** Letters and digits of a key or a code as they are typed on other keyboards than a Latin one, in ASCII. */

// Cyrillic letters with the look of Latin letters: a reader cannot see the mistake.
const LOOK_ALIKES = "АВСЕНКМОРТХасеорх";
const LATIN = "ABCEHKMOPTXaceopx";

/** Digits of any script (Arabic, Devanagari, full width, ...) by their value; all else is left as it is. */
export function asAscii(text: string): string {
  return [...text.normalize("NFKC")].map((each) => LATIN[LOOK_ALIKES.indexOf(each)] ?? digit(each) ?? each).join("");
}

/** Where o, l and i are no letters, as in a key and in Crockford's Base32: the digits that they are mistaken for. */
export function digitsForLookAlikes(text: string): string {
  return text.replace(/o/gi, "0").replace(/[il]/gi, "1");
}

/** Every script's ten are in a row. */
function digit(letter: string): string | undefined {
  const point = letter.codePointAt(0) ?? 0;
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(point - before))) before += 1;
  return before === 0 ? undefined : String((before - 1) % 10);
}
