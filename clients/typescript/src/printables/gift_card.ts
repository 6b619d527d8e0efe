/** The gift card: a certificate with the letter and the claim link's code. Neither key nor amount can be on it: it is
 * given neither. */
import type { Occasion } from "../occasions.ts";
import type { Speech } from "../speech.ts";
import { qrModules } from "./qr.ts";
import {
  type Brush,
  DoesNotFit,
  drawQr,
  fillBox,
  fit,
  frame,
  newPage,
  PAGE,
  SMALLEST_MODULE,
  writeFitted,
  writeLines,
} from "./canvas.ts";
import { drawMotif } from "./motifs.ts";
import { dayWords, nameWords } from "./words.ts";

export interface GiftCard {
  /** The claim link with the letter in its fragment. */
  link: string;
  occasion: Occasion;
  to: string;
  from: string;
  note: string;
  opensOn: Date;
  /** In the language of the gift. */
  words: Speech;
}

const CENTRE = PAGE.width / 2;
const TEXT_WIDTH = 1340;
const CODE_BOTTOM = 1975;
const SIZES = [54, 26] as const; // of the message, in pixels: 19 to 9 points
const LEADING = 1.42;

/** Draws it. Throws `DoesNotFit` when the message has more lines than the card. */
export async function drawGiftCard(card: GiftCard): Promise<HTMLCanvasElement> {
  const { words } = card;
  const greeting = words.say(`greeting-${card.occasion.id}`);
  const printed = ["print-for", "print-from", "print-scan-opens"].map((name) => words.say(name));
  const [canvas, brush] = await newPage(words, [card.to, card.from, card.note, greeting, ...printed]);
  const { palette, motif } = card.occasion;
  const code = Math.max(500, qrModules(card.link).length * SMALLEST_MODULE);
  const radius = code > 600 ? 110 : 190;
  drawGround(brush, card.occasion);
  drawMotif(brush, motif, palette, CENTRE, 190 + radius, radius);
  let y = 190 + 2 * radius + 130;
  writeFitted(brush, greeting, CENTRE, y, TEXT_WIDTH, middle("serifBold", 96, palette.ink));
  fillBox(brush, { x: CENTRE - 60, y: y + 46, width: 120, height: 6 }, palette.accent, 3);
  y += 130;
  if (card.to !== "") {
    writeFitted(
      brush,
      words.say("print-for", { name: nameWords(card.to) }),
      CENTRE,
      y,
      TEXT_WIDTH,
      middle("serif", 56, palette.ink),
    );
  }
  drawNote(brush, card, y + 40, CODE_BOTTOM - code - 70);
  drawCode(brush, card, code);
  return canvas;
}

function middle(face: "serif" | "serifBold" | "serifItalic" | "sans", size: number, colour: string) {
  return { face, size, colour, align: "center" } as const;
}

function drawGround(brush: Brush, { palette }: Occasion): void {
  fillBox(brush, { x: 0, y: 0, ...PAGE }, palette.ground);
  fillBox(brush, { x: 70, y: 70, width: PAGE.width - 140, height: PAGE.height - 140 }, palette.panel, 36);
  frame(brush, { x: 100, y: 100, width: PAGE.width - 200, height: PAGE.height - 200 }, palette.soft, 5, 24);
}

/** The message and who it is from, in the middle of the room between the names above and the code below. */
function drawNote(brush: Brush, card: GiftCard, top: number, bottom: number): void {
  const { palette } = card.occasion;
  const below = card.from === "" ? 0 : 90;
  const box = { width: TEXT_WIDTH, height: bottom - top - below };
  const nothing = { size: SIZES[0], lines: [] };
  const fitted = card.note === "" ? nothing : fit(brush, "serifItalic", card.note, box, SIZES, LEADING);
  if (fitted === undefined) {
    const most = Math.floor(box.height / (SIZES[1] * LEADING));
    throw new DoesNotFit("print-note-too-long", { most });
  }
  const height = fitted.lines.length * fitted.size * LEADING;
  const first = top + (box.height - height) / 2 + fitted.size;
  const y = writeLines(brush, fitted.lines, CENTRE, first, middle("serifItalic", fitted.size, palette.ink), LEADING);
  if (card.from !== "") {
    writeFitted(
      brush,
      card.words.say("print-from", { name: nameWords(card.from) }),
      CENTRE,
      y + 40,
      TEXT_WIDTH,
      middle("serif", 46, palette.ink),
    );
  }
}

function drawCode(brush: Brush, card: GiftCard, side: number): void {
  const { palette } = card.occasion;
  const box = { x: CENTRE - side / 2, y: CODE_BOTTOM - side, width: side, height: side };
  drawQr(brush, card.link, box, 18);
  const words = card.words.say("print-scan-opens", { day: dayWords(card.opensOn, card.words) });
  writeFitted(brush, words, CENTRE, CODE_BOTTOM + 70, TEXT_WIDTH, middle("sans", 36, palette.ink));
}
