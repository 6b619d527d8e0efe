/**
 * The key sheet: one page, folded to a packet. The secret is on the top panel, which is folded behind the cover first;
 * the bottom panel is folded over it, and reads upright on the packet's back because it is printed upside down.
 */
import type { Occasion, Palette } from "../occasions.ts";
import { qrCapacity } from "../qr.ts";
import {
  type Box,
  type Brush,
  DoesNotFit,
  drawQr,
  EDGE,
  fillBox,
  newPage,
  PAGE,
  SMALLEST_MODULE,
  useFont,
  write,
  writeFitted,
  writeLines,
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

/** Draws it. Throws `DoesNotFit` when the names and the message are too long for the cover's code. */
export async function drawKeySheet(sheet: KeySheet): Promise<HTMLCanvasElement> {
  const [canvas, brush] = await newPage([sheet.to, sheet.from, sheet.occasion.greeting]);
  drawCover(brush, sheet);
  drawBack(brush, sheet);
  drawSecret(brush, sheet);
  return canvas;
}

// -- the secret panel

function drawSecret(brush: Brush, sheet: KeySheet): void {
  const left = EDGE + 515;
  drawQr(brush, sheet.key, { x: EDGE, y: 118, width: 470, height: 470 });
  write(brush, "The key to this gift", left, 158, { face: "serifBold", size: 54, colour: INK });
  const advice =
    "Whoever reads this key can take the gift. Show it to nobody, and enter it only on the page that the code on the " +
    "cover opens, on the day or later.";
  useFont(brush, "sans", 30);
  const lines = broken(brush, advice, PAGE.width - EDGE - left);
  writeLines(brush, lines, left, 212, { face: "sans", size: 30, colour: DIM }, 1.3);
  sheet.groups.forEach((group, number) => {
    const [column, row] = [number % 4, Math.floor(number / 4)];
    write(brush, group, left + column * 262, 352 + row * 70, { face: "mono", size: 62, colour: INK });
  });
  const foot = { face: "sans", size: 25, colour: DIM } as const;
  write(brush, `It opens what is sealed for ${sheet.address}`, left, 626, foot);
  const closing = "To close: fold this panel behind the cover, then the bottom panel over it; seal the edge.";
  write(brush, closing, EDGE, 690, foot);
}

// -- the cover

function drawCover(brush: Brush, sheet: KeySheet): void {
  const { palette, motif, greeting } = sheet.occasion;
  const panel = PANELS.cover;
  fillBox(brush, panel, palette.ground);
  const inner = { x: 48, y: panel.y + 42, width: PAGE.width - 96, height: panel.height - 84 };
  fillBox(brush, inner, palette.panel, 28);
  const middle = panel.y + panel.height / 2;
  drawMotif(brush, motif, palette, 260, middle, 165);
  drawGreeting(brush, greeting, sheet, { x: 462, y: inner.y, width: 500, height: inner.height });
  drawCode(brush, sheet.entry, palette);
}

function drawGreeting(brush: Brush, greeting: string, sheet: KeySheet, box: Box): void {
  const { palette } = sheet.occasion;
  const size = [78, 72, 66, 60, 54].find((one) => {
    useFont(brush, "serifBold", one);
    const words = greeting.split(" ").every((word) => brush.measureText(word).width <= box.width);
    return words && broken(brush, greeting, box.width).length <= 2;
  });
  const ink = { face: "serifBold", size: size ?? 48, colour: palette.ink } as const;
  useFont(brush, ink.face, ink.size);
  const lines = broken(brush, greeting, box.width);
  const [to, from] = [sheet.to && `for ${nameWords(sheet.to)}`, sheet.from && `from ${nameWords(sheet.from)}`];
  const names = [to, from].filter((name) => name !== "");
  const height = lines.length * ink.size * 1.2 + 52 + names.length * 54 + 60;
  let y = writeLines(brush, lines, box.x, box.y + (box.height - height) / 2 + ink.size * 0.8, ink, 1.2);
  fillBox(brush, { x: box.x, y: y - ink.size * 0.55, width: 90, height: 6 }, palette.accent, 3);
  y += 40;
  for (const name of names) {
    writeFitted(brush, name, box.x, y, box.width, { face: "serifItalic", size: 42, colour: palette.ink });
    y += 54;
  }
  write(brush, `Opens on ${dayWords(sheet.opensOn)}`, box.x, y + 16, { face: "sans", size: 32, colour: palette.ink });
}

function drawCode(brush: Brush, entry: string, palette: Palette): void {
  let square: Box;
  try {
    square = drawQr(brush, entry, COVER_CODE, 16);
  } catch (error) {
    const room = roomForLetter(entry.slice(0, entry.indexOf("#g=") + 3));
    throw new DoesNotFit(
      `The names and the message are too long for the code on the sheet, which holds ${room} bytes of them ` +
        "(a plain letter takes one, others two to four).",
      { cause: error },
    );
  }
  const [x, y] = [COVER_CODE.x + COVER_CODE.width / 2, square.y + square.height + 27];
  write(brush, "Scan to see your gift", x, y, { face: "sansBold", size: 27, colour: palette.ink, align: "center" });
}

// -- the back, upside down on the page

const STEPS: readonly (readonly [string, string])[] = [
  ["Look", "Scan the code on the cover with your phone. The page shows what is inside, and when it opens."],
  ["Wait", "Keep this packet closed and safe, like cash. Nobody can replace it, not even the one who gave it."],
  [
    "Open",
    "On the day or later, unfold the packet and open the page again. Scan the key there, or type it.",
  ],
  [
    "Keep",
    "The gift is then in the wallet of this key. Keep the sheet until you have moved it to a wallet of your own.",
  ],
];

function drawBack(brush: Brush, sheet: KeySheet): void {
  const { palette } = sheet.occasion;
  const { width, height, y } = PANELS.back;
  brush.save();
  brush.translate(width, y + height);
  brush.rotate(Math.PI);
  fillBox(brush, { x: 0, y: 0, width, height }, palette.panel);
  fillBox(brush, { x: 0, y: 0, width, height: 24 }, palette.ground);
  write(brush, "How to open your gift", EDGE, 128, { face: "serifBold", size: 60, colour: palette.ink });
  fillBox(brush, { x: EDGE, y: 156, width: 90, height: 6 }, palette.accent, 3);
  STEPS.forEach(([title, words], number) => drawStep(brush, palette, number, title, words));
  drawWithoutCamera(brush, sheet);
  brush.restore();
}

function drawStep(brush: Brush, palette: Palette, number: number, title: string, words: string): void {
  const x = EDGE + (number % 2) * 790;
  const y = 250 + Math.floor(number / 2) * 190;
  brush.fillStyle = palette.ground;
  brush.beginPath();
  brush.arc(x + 34, y + 6, 34, 0, 2 * Math.PI);
  brush.fill();
  const figure = { face: "sansBold", size: 40, colour: palette.panel, align: "center" } as const;
  write(brush, String(number + 1), x + 34, y + 20, figure);
  write(brush, title, x + 92, y + 14, { face: "sansBold", size: 38, colour: palette.ink });
  useFont(brush, "sans", 29);
  const ink = { face: "sans", size: 29, colour: palette.ink } as const;
  writeLines(brush, broken(brush, words, 650), x + 92, y + 56, ink, 1.28);
}

function drawWithoutCamera(brush: Brush, sheet: KeySheet): void {
  const { palette } = sheet.occasion;
  const plain = sheet.entry.slice(0, sheet.entry.indexOf("?"));
  write(brush, "Without a camera, go to", EDGE, 640, { face: "sansBold", size: 27, colour: palette.ink });
  const link = { face: "mono", size: 27, colour: palette.ink } as const;
  writeFitted(brush, `${plain}?paper=1`, EDGE + 290, 640, PAGE.width - 2 * EDGE - 290, link);
  const safety = "No one who helps you needs the key. Do not photograph, send or dictate it, whoever asks.";
  write(brush, safety, EDGE, 684, { face: "sans", size: 27, colour: palette.ink });
}
