/** What the three printables share: a Letter page of 200 dots an inch, its fonts, text that fits or is refused, PNG. */
import type { Speech } from "../speech.ts";
import { qrModules } from "./qr.ts";
import { loadLetters } from "./letters.ts";
import "./fonts.css";

export const DOTS_PER_INCH = 200;
export const PAGE = { width: 8.5 * DOTS_PER_INCH, height: 11 * DOTS_PER_INCH } as const;
/** Most printers leave so much of an edge blank: nothing that matters lies there. */
export const EDGE = 75;
/** Half a millimetre: below it, phones do not read a printed code reliably. */
export const SMALLEST_MODULE = 4;

/** `*`: the fonts of other letters than Latin, Greek and Cyrillic. */
const FACES = {
  serif: '400 #px "Lora"*, serif',
  serifItalic: 'italic 400 #px "Lora"*, serif',
  serifBold: '600 #px "Lora"*, serif',
  sans: '400 #px "Source Sans 3"*, sans-serif',
  sansBold: '600 #px "Source Sans 3"*, sans-serif',
  mono: '500 #px "JetBrains Mono"*, monospace',
} as const;
export type Face = keyof typeof FACES;
export type Brush = CanvasRenderingContext2D;
export interface Box {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Not on a graphics card: what was drawn there some browsers (WebKitGTK's) print black. */
export const IN_MEMORY: CanvasRenderingContext2DSettings = { willReadFrequently: true };

/** Something is too long to be printed well. `phrase` names the giver's sentence in `give.ftl`, `limits` are in it. */
export class DoesNotFit extends Error {
  constructor(
    readonly phrase: "print-code-too-long" | "print-note-too-long" | "print-letter-too-long",
    readonly limits: Record<string, number> = {},
    options?: ErrorOptions,
  ) {
    super(`does not fit the page: ${phrase} ${JSON.stringify(limits)}`, options);
  }
}

/** Nothing is drawn without its fonts. */
export class FontsMissing extends Error {}

/** How a page is set. What has no entry is set as English is. */
interface Setting {
  /** Families behind the first one, each with its comma. */
  families: string;
  /** Whether it is written from the right: what stands left elsewhere stands right. */
  isMirrored: boolean;
}
const settings = new WeakMap<Brush, Setting>();

/** An empty page, once the fonts that `texts` needs are there. Throws when they cannot be loaded. */
export async function newPage(words: Speech, texts: readonly string[]): Promise<[HTMLCanvasElement, Brush]> {
  const text = texts.join("") + "a";
  const canvas = document.createElement("canvas");
  canvas.width = PAGE.width;
  canvas.height = PAGE.height;
  const brush = canvas.getContext("2d", IN_MEMORY);
  if (brush === null) throw new Error("this browser cannot draw");
  try {
    const families = (await loadLetters(text, words.language)).map((family) => `, "${family}"`).join("");
    settings.set(brush, { families, isMirrored: words.isLeftwards });
    await Promise.all(Object.keys(FACES).map((face) => document.fonts.load(font(brush, face as Face, 40), text)));
  } catch (error) {
    throw new FontsMissing("The fonts of the printed pages cannot be loaded.", { cause: error });
  }
  fillBox(brush, { x: 0, y: 0, ...PAGE }, "#ffffff");
  return [canvas, brush];
}

/** Where a point or, with its width, a box stands on this page. */
export function across(brush: Brush, x: number, width: number = 0): number {
  return isMirrored(brush) ? PAGE.width - x - width : x;
}

export function isMirrored(brush: Brush): boolean {
  return settings.get(brush)?.isMirrored ?? false;
}

export function fillBox(brush: Brush, box: Box, colour: string, roundBy = 0): void {
  brush.fillStyle = colour;
  brush.beginPath();
  alongBox(brush, { ...box, x: across(brush, box.x, box.width) }, roundBy);
  brush.fill();
}

export function frame(brush: Brush, box: Box, colour: string, width: number, roundBy = 0): void {
  brush.strokeStyle = colour;
  brush.lineWidth = width;
  brush.beginPath();
  alongBox(brush, { ...box, x: across(brush, box.x, box.width) }, roundBy);
  brush.stroke();
}

/** As `roundRect`, which iPhones before iOS 16 do not know. */
export function alongBox(path: CanvasPath, { x, y, width, height }: Box, roundBy: number): void {
  const [right, bottom] = [x + width, y + height];
  path.moveTo(x + roundBy, y);
  path.arcTo(right, y, right, bottom, roundBy);
  path.arcTo(right, bottom, x, bottom, roundBy);
  path.arcTo(x, bottom, x, y, roundBy);
  path.arcTo(x, y, right, y, roundBy);
  path.closePath();
}

/** A black code on a white square of whole pixels a module, as large as fits, in the middle of the box; the square is
 * `around` pixels larger on each side. Throws `DoesNotFit` where a phone could not read the modules from paper. */
export function drawQr(brush: Brush, text: string, box: Box, around: number = 0): Box {
  const modules = qrModules(text);
  const size = Math.floor(Math.min(box.width, box.height) / modules.length);
  if (size < SMALLEST_MODULE) throw new DoesNotFit("print-code-too-long");
  const side = size * modules.length;
  const [left, top] = [Math.round(box.x + (box.width - side) / 2), Math.round(box.y + (box.height - side) / 2)];
  const square = { x: left - around, y: top - around, width: side + 2 * around, height: side + 2 * around };
  fillBox(brush, square, "#ffffff", around);
  brush.fillStyle = "#000000";
  const first = across(brush, left, side);
  modules.forEach((row, y) => {
    row.forEach((dark, x) => dark && brush.fillRect(first + x * size, top + y * size, size, size));
  });
  return square;
}

// -- text

export function useFont(brush: Brush, face: Face, size: number): void {
  brush.font = font(brush, face, size);
}

function font(brush: Brush, face: Face, size: number): string {
  const families = settings.get(brush)?.families ?? "";
  const made = FACES[face].replace("#", String(size)).replace("*", families);
  return families === "" ? made : made.replace("italic ", ""); // those letters have no italic
}

export interface Ink {
  face: Face;
  size: number;
  colour: string;
  align?: "left" | "center" | "right";
}

/** One line whose baseline is at `y`. */
export function write(brush: Brush, words: string, x: number, y: number, ink: Ink): void {
  useFont(brush, ink.face, ink.size);
  brush.fillStyle = ink.colour;
  const { align = "left" } = ink;
  const other = align === "left" ? "right" : align === "right" ? "left" : "center";
  brush.textAlign = isMirrored(brush) ? other : align;
  brush.direction = isRightToLeft(words) ? "rtl" : "ltr";
  brush.fillText(words, across(brush, x), y);
}

/** Decide by the first letter, or by a mark before the first letter. */
function isRightToLeft(words: string): boolean {
  const [first = ""] = /[\p{L}\u061c\u200e\u200f]/u.exec(words) ?? [];
  return /[\u200f\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}]/u.test(first);
}

/** Broken lines below each other, `leading` apart in sizes; returns the baseline after the last. */
export function writeLines(
  brush: Brush,
  lines: readonly string[],
  x: number,
  y: number,
  ink: Ink,
  leading = 1.4,
): number {
  lines.forEach((line, number) => write(brush, line, x, y + number * ink.size * leading, ink));
  return y + lines.length * ink.size * leading;
}

/** Broken between words, and within a word only where it is wider than the line; the giver's own line ends are kept. A
 * line that begins with a word of the other direction has a mark of its paragraph's. */
export function broken(brush: Brush, words: string, width: number): string[] {
  return words.split("\n").flatMap((paragraph) => {
    const isLeftwards = isRightToLeft(paragraph);
    const marked = (line: string): string => (isLeftwards ? "\u200f" : "\u200e") + line;
    const lines = brokenParagraph(brush, paragraph, width);
    return lines.map((line) => (isRightToLeft(line) === isLeftwards ? line : marked(line)));
  });
}

/** Not at the beginning of a line, in languages that have no spaces. */
const NOT_FIRST = /^[、。，．！？：；」』）”’…ー]/u;
const WITHOUT_SPACES = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;

function brokenParagraph(brush: Brush, words: string, width: number): string[] {
  const wide = (text: string): boolean => brush.measureText(text).width > width;
  const lines: string[] = [];
  let line = "";
  for (const word of words.split(" ")) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (!wide(longer)) {
      line = longer;
      continue;
    }
    const isSpaced = !WITHOUT_SPACES.test(word);
    if (line !== "" && isSpaced) lines.push(line);
    line = line !== "" && !isSpaced ? `${line} ` : "";
    const parts = isSpaced ? letters(word) : letters(word).reduce<string[]>(joinLatin, []);
    for (const part of parts.flatMap((each) => (wide(each) ? letters(each) : [each]))) {
      if (line !== "" && wide(line + part) && !NOT_FIRST.test(part)) {
        lines.push(line.trimEnd());
        line = "";
      }
      line += part;
    }
  }
  return [...lines, line];
}

/** Between letters that stand alone a word in Latin letters stays whole. */
function joinLatin(parts: string[], letter: string): string[] {
  const [last, isLatin] = [parts.at(-1) ?? "", /^[!-~]+$/u];
  return isLatin.test(letter) && isLatin.test(last) ? [...parts.slice(0, -1), last + letter] : [...parts, letter];
}

/** What a reader takes for one letter: an emoji of several parts is not torn. */
function letters(word: string): string[] {
  return [...new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(word)].map(({ segment }) => segment);
}

export interface Fitted {
  size: number;
  lines: string[];
}

/** The largest size from `sizes[0]` down to `sizes[1]` at which the words fill no more than the box; else undefined. */
export function fit(
  brush: Brush,
  face: Face,
  words: string,
  box: Pick<Box, "width" | "height">,
  sizes: readonly [number, number],
  leading = 1.4,
): Fitted | undefined {
  for (let size = sizes[0]; size >= sizes[1]; size -= 2) {
    useFont(brush, face, size);
    const lines = broken(brush, words, box.width);
    if (lines.length * size * leading <= box.height) return { size, lines };
  }
  return undefined;
}

/** As large as fits the box, from `sizes[0]` down to `sizes[1]`; the first baseline is at `y`. */
export function writeParagraph(
  brush: Brush,
  words: string,
  x: number,
  y: number,
  box: Pick<Box, "width" | "height">,
  ink: Omit<Ink, "size">,
  sizes: readonly [number, number],
  leading: number,
): void {
  const { size, lines } = fit(brush, ink.face, words, box, sizes, leading) ?? {
    size: sizes[1],
    lines: broken(brush, words, box.width),
  };
  writeLines(brush, lines, x, y, { ...ink, size }, leading);
}

/** One line, smaller when it is long, and cut with an ellipsis when it is longer still. */
export function writeFitted(brush: Brush, words: string, x: number, y: number, width: number, ink: Ink): void {
  for (let size = ink.size; size >= ink.size * 0.55; size -= 2) {
    useFont(brush, ink.face, size);
    if (brush.measureText(words).width <= width) return write(brush, words, x, y, { ...ink, size });
  }
  const cut = letters(words);
  while (brush.measureText(`${cut.join("")}…`).width > width) cut.pop();
  write(brush, `${cut.join("")}…`, x, y, { ...ink, size: Math.ceil(ink.size * 0.55) });
}

// -- PNG

/** The browser keeps from pages what they have drawn; it can be printed all the same. */
export class Withheld extends Error {}

/** Return a PNG marked with 200 dots an inch, for printing at true size. Throws `Withheld`. */
export async function toPng(canvas: HTMLCanvasElement): Promise<Blob> {
  if (!givesBack()) throw new Withheld("This browser keeps the picture from the page, against tracking.");
  // Not `toBlob`: while nothing moves on a page, Chromium puts that off for up to seven seconds.
  const [head, drawn = ""] = canvas.toDataURL("image/png").split(",");
  if (head !== "data:image/png;base64") throw new Error("this browser cannot make a PNG");
  const bytes = Uint8Array.from(atob(drawn), (letter) => letter.charCodeAt(0));
  const afterHeader = 8 + 4 + 4 + 13 + 4; // the signature, and the IHDR chunk, which is always the first
  return new Blob([bytes.slice(0, afterHeader), physicalSize(), bytes.slice(afterHeader)], { type: "image/png" });
}

/** Against tracking some browsers (Tor's, LibreWolf) hand out another picture than was drawn, and say nothing. */
function givesBack(): boolean {
  const brush = document.createElement("canvas").getContext("2d");
  if (brush === null) return false;
  fillBox(brush, { x: 0, y: 0, width: 8, height: 8 }, "#000000");
  return brush.getImageData(0, 0, 8, 8).data.every((value, place) => (place % 4 === 3 ? value > 247 : value < 8));
}

function physicalSize(): Uint8Array<ArrayBuffer> {
  const chunk = new DataView(new ArrayBuffer(4 + 4 + 9 + 4));
  const dotsPerMetre = Math.round(DOTS_PER_INCH / 0.0254);
  chunk.setUint32(0, 9);
  "pHYs".split("").forEach((letter, place) => chunk.setUint8(4 + place, letter.charCodeAt(0)));
  chunk.setUint32(8, dotsPerMetre);
  chunk.setUint32(12, dotsPerMetre);
  chunk.setUint8(16, 1); // the unit is the metre
  chunk.setUint32(17, crc32(new Uint8Array(chunk.buffer, 4, 13)));
  return new Uint8Array(chunk.buffer);
}

function crc32(bytes: Uint8Array): number {
  let remainder = 0xffffffff;
  for (const byte of bytes) {
    remainder ^= byte;
    for (let bit = 0; bit < 8; bit++) remainder = (remainder >>> 1) ^ (remainder & 1 ? 0xedb88320 : 0);
  }
  return ~remainder >>> 0;
}

/** Also for a page with a secret on it: what was drawn is gone from memory as far as a page can make it. */
export function wipe(canvas: HTMLCanvasElement): void {
  canvas.width = canvas.height = 0;
}
