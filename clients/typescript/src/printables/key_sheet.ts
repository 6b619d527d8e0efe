/**
 * The key sheet: one page, folded to a packet. The secret is on the top panel, which is folded behind the cover first;
 * the bottom panel is folded over it, and reads upright on the packet's back because it is printed upside down.
 */
import type { Occasion, Palette } from "../occasions.ts";
import type { Speech } from "../speech.ts";
import { qrCapacity } from "./qr.ts";
import {
  across,
  type Box,
  type Brush,
  DoesNotFit,
  drawQr,
  EDGE,
  fillBox,
  isMirrored,
  newPage,
  PAGE,
  SMALLEST_MODULE,
  useFont,
  write,
  writeFitted,
  writeLines,
  writeParagraph,
  broken,
} from "./canvas.ts";
import { drawMotif } from "./motifs.ts";
import { dayWords, nameWords } from "./words.ts";

export interface KeySheet {
  /** The private key, 0x and 64 hex digits. It goes nowhere but onto the secret panel. */
  key: string;
  /** The key's digits as a person types them: 16 groups of 4. */
  groups: readonly string[];
  /** Of the gift wallet, with its checksum. */
  address: string;
  /** The entry by address with the letter in its fragment: what the cover's code says. */
  entry: string;
  occasion: Occasion;
  to: string;
  from: string;
  opensOn: Date;
  /** In the language of the gift. */
  words: Speech;
}

/** The first folded panel is a millimetre shorter, to lie flat inside. */
const PANELS = {
  secret: { x: 0, y: 0, width: PAGE.width, height: 728 },
  cover: { x: 0, y: 728, width: PAGE.width, height: 736 },
  back: { x: 0, y: 1464, width: PAGE.width, height: 736 },
} as const satisfies Record<string, Box>;

const COVER_CODE: Box = { x: 1030, y: 806, width: 556, height: 556 };
const INK = "#1b1f24";
const DIM = "#59636e";

/** The most bytes of a letter (UTF-8, as JSON) that the cover's code holds behind this beginning of the link. */
export function roomForLetter(entryWithoutLetter: string): number {
  const bytes = qrCapacity(Math.floor(COVER_CODE.width / SMALLEST_MODULE)) - entryWithoutLetter.length;
  return Math.floor((bytes * 3) / 4);
}

/** What is written on each sheet: its fonts are fetched first. */
const PHRASES = [
  "sheet-key",
  "sheet-key-words",
  "sheet-closing",
  "sheet-how",
  "sheet-no-camera",
  "sheet-safety",
  "sheet-look",
  "sheet-look-words",
  "sheet-wait",
  "sheet-wait-words",
  "sheet-open",
  "sheet-open-words",
  "sheet-keep",
  "sheet-keep-words",
  "sheet-opens-for",
  "print-for",
  "print-from",
  "print-opens",
  "print-scan",
];

function greetingOf({ words, occasion }: KeySheet): string {
  return words.say(`greeting-${occasion.id}`);
}

/** Draws it. Throws `DoesNotFit` when the names and the message are too long for the cover's code. */
export async function drawKeySheet(sheet: KeySheet): Promise<HTMLCanvasElement> {
  const [canvas, brush] = await newPage(sheet.words, [
    sheet.to,
    sheet.from,
    ...PHRASES.map((name) => sheet.words.say(name)),
    greetingOf(sheet),
  ]);
  drawCover(brush, sheet);
  drawBack(brush, sheet);
  drawSecret(brush, sheet);
  return canvas;
}

// -- the secret panel

function drawSecret(brush: Brush, sheet: KeySheet): void {
  const { say } = sheet.words;
  const left = EDGE + 515;
  drawQr(brush, sheet.key, { x: EDGE, y: 118, width: 470, height: 470 });
  writeFitted(brush, say("sheet-key"), left, 158, PAGE.width - EDGE - left, {
    face: "serifBold",
    size: 54,
    colour: INK,
  });
  const room = { width: PAGE.width - EDGE - left, height: 100 }; // the key's first line is close below
  writeParagraph(brush, say("sheet-key-words"), left, 212, room, { face: "sans", colour: DIM }, [30, 20], 1.3);
  sheet.groups.forEach((group, number) => {
    const [place, row] = [number % 4, Math.floor(number / 4)];
    const column = isMirrored(brush) ? 3 - place : place; // digits are read from the left everywhere
    write(brush, group, left + column * 262, 352 + row * 70, { face: "mono", size: 62, colour: INK });
  });
  const foot = { face: "sans", size: 25, colour: DIM } as const;
  writeFitted(brush, say("sheet-opens-for", { address: sheet.address }), left, 626, room.width, foot);
  writeFitted(brush, say("sheet-closing"), EDGE, 690, PAGE.width - 2 * EDGE, foot);
}

// -- the cover

function drawCover(brush: Brush, sheet: KeySheet): void {
  const { palette, motif } = sheet.occasion;
  const panel = PANELS.cover;
  fillBox(brush, panel, palette.ground);
  const inner = { x: 48, y: panel.y + 42, width: PAGE.width - 96, height: panel.height - 84 };
  fillBox(brush, inner, palette.panel, 28);
  const middle = panel.y + panel.height / 2;
  drawMotif(brush, motif, palette, across(brush, 260), middle, 165);
  drawGreeting(brush, greetingOf(sheet), sheet, { x: 462, y: inner.y, width: 500, height: inner.height });
  drawCode(brush, sheet, palette);
}

function drawGreeting(brush: Brush, greeting: string, sheet: KeySheet, box: Box): void {
  const { palette } = sheet.occasion;
  const { say } = sheet.words;
  const size = [78, 72, 66, 60, 54].find((one) => {
    useFont(brush, "serifBold", one);
    const words = greeting.split(" ").every((word) => brush.measureText(word).width <= box.width);
    return words && broken(brush, greeting, box.width).length <= 2;
  });
  const ink = { face: "serifBold", size: size ?? 48, colour: palette.ink } as const;
  useFont(brush, ink.face, ink.size);
  const lines = broken(brush, greeting, box.width);
  const [to, from] = [
    sheet.to && say("print-for", { name: nameWords(sheet.to) }),
    sheet.from && say("print-from", { name: nameWords(sheet.from) }),
  ];
  const names = [to, from].filter((name) => name !== "");
  const height = lines.length * ink.size * 1.2 + 52 + names.length * 54 + 60;
  let y = writeLines(brush, lines, box.x, box.y + (box.height - height) / 2 + ink.size * 0.8, ink, 1.2);
  fillBox(brush, { x: box.x, y: y - ink.size * 0.55, width: 90, height: 6 }, palette.accent, 3);
  y += 40;
  for (const name of names) {
    writeFitted(brush, name, box.x, y, box.width, { face: "serifItalic", size: 42, colour: palette.ink });
    y += 54;
  }
  writeFitted(brush, say("print-opens", { day: dayWords(sheet.opensOn, sheet.words) }), box.x, y + 16, box.width, {
    face: "sans",
    size: 32,
    colour: palette.ink,
  });
}

function drawCode(brush: Brush, { entry, words }: KeySheet, palette: Palette): void {
  let square: Box;
  try {
    square = drawQr(brush, entry, COVER_CODE, 16);
  } catch (error) {
    const room = roomForLetter(entry.slice(0, entry.indexOf("#g=") + 3));
    throw new DoesNotFit("print-letter-too-long", { room }, { cause: error });
  }
  const [x, y] = [COVER_CODE.x + COVER_CODE.width / 2, square.y + square.height + 27];
  writeFitted(brush, words.say("print-scan"), x, y, COVER_CODE.width, {
    face: "sansBold",
    size: 27,
    colour: palette.ink,
    align: "center",
  });
}

// -- the back, upside down on the page

const STEPS = ["sheet-look", "sheet-wait", "sheet-open", "sheet-keep"];

function drawBack(brush: Brush, sheet: KeySheet): void {
  const { palette } = sheet.occasion;
  const { say } = sheet.words;
  const { width, height, y } = PANELS.back;
  brush.save();
  brush.translate(width, y + height);
  brush.rotate(Math.PI);
  fillBox(brush, { x: 0, y: 0, width, height }, palette.panel);
  fillBox(brush, { x: 0, y: 0, width, height: 24 }, palette.ground);
  writeFitted(brush, say("sheet-how"), EDGE, 128, PAGE.width - 2 * EDGE, {
    face: "serifBold",
    size: 60,
    colour: palette.ink,
  });
  fillBox(brush, { x: EDGE, y: 156, width: 90, height: 6 }, palette.accent, 3);
  STEPS.forEach((step, number) => drawStep(brush, palette, number, say(step), say(`${step}-words`)));
  drawWithoutCamera(brush, sheet);
  brush.restore();
}

function drawStep(brush: Brush, palette: Palette, number: number, title: string, words: string): void {
  const x = EDGE + (number % 2) * 790;
  const y = 250 + Math.floor(number / 2) * 190;
  brush.fillStyle = palette.ground;
  brush.beginPath();
  brush.arc(across(brush, x + 34), y + 6, 34, 0, 2 * Math.PI);
  brush.fill();
  const figure = { face: "sansBold", size: 40, colour: palette.panel, align: "center" } as const;
  write(brush, String(number + 1), x + 34, y + 20, figure);
  writeFitted(brush, title, x + 92, y + 14, 650, { face: "sansBold", size: 38, colour: palette.ink });
  const ink = { face: "sans", colour: palette.ink } as const;
  writeParagraph(brush, words, x + 92, y + 56, { width: 650, height: 118 }, ink, [29, 20], 1.28);
}

function drawWithoutCamera(brush: Brush, sheet: KeySheet): void {
  const { palette } = sheet.occasion;
  const { say } = sheet.words;
  const plain = sheet.entry.slice(0, sheet.entry.indexOf("?"));
  const ink = { face: "sansBold", size: 27, colour: palette.ink } as const;
  writeFitted(brush, say("sheet-no-camera"), EDGE, 640, 520, ink);
  useFont(brush, ink.face, ink.size);
  const before = Math.min(520, brush.measureText(say("sheet-no-camera")).width) + 20;
  const link = { face: "mono", size: 27, colour: palette.ink } as const;
  writeFitted(brush, `${plain}?paper=1`, EDGE + before, 640, PAGE.width - 2 * EDGE - before, link);
  writeFitted(brush, say("sheet-safety"), EDGE, 684, PAGE.width - 2 * EDGE, {
    face: "sans",
    size: 27,
    colour: palette.ink,
  });
}
