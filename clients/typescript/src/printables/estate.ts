/** Two pages about a legacy: the claim card for an heir, and the cover sheet of a lawyer's file. Both hold public facts
 * only. Neither the owner's address nor a person can be on them: they are given none. */
import type { Speech } from "../speech.ts";
import {
  broken,
  type Brush,
  drawQr,
  EDGE,
  type Face,
  fillBox,
  isMirrored,
  newPage,
  PAGE,
  useFont,
  write,
  writeFitted,
} from "./canvas.ts";

export interface PrintedLegacy {
  chainName: string;
  chainId: number;
  /** Addresses with their checksums: of the router, and of the legacy's own contract. */
  router: string;
  contract: string;
  /** The number of the legacy at its router. */
  legacyId: string;
  /** Whether a Safe owns the legacy. Its router is then the MultisigLegacyRouter. */
  isOfSafe: boolean;
  /** Of a block explorer; null where none is known. */
  explorerUrl: string | null;
  /** In the reader's language. */
  words: Speech;
}

/** A part of a page, from top to bottom. `field`: a line to be filled in by hand. */
type Block =
  | { kind: "heading" | "text" | "field"; text: string }
  | { kind: "step"; text: string; number: number }
  | { kind: "row"; text: string; value: string; face: "sans" | "mono" };
interface PlacedLine {
  text: string;
  x: number;
  y: number;
  face: Face;
  size: number;
  colour: string;
}

const LEFT = EDGE + 75;
const WIDTH = PAGE.width - 2 * LEFT;
const TOP = 460;
const BOTTOM = PAGE.height - 120;
const LABELS = 400;
const NUMBERS = 64;
const INK = "#1b1f24";
const DIM = "#59636e";
const LINE = "#c9cfd6";
const CODE_SIDE = 240;
/** The most that a code of that size holds for phones. */
const CODE_BYTES = 120;
const SIZES = [36, 22] as const; // in pixels: 13 to 8 points
const LEADING = 1.38;

/** For an heir: what to call, where, and how, without any service. */
export async function drawClaimCard(legacy: PrintedLegacy): Promise<HTMLCanvasElement> {
  const { words, legacyId, isOfSafe } = legacy;
  const named = [row("legacyId", legacyId)];
  if (!isOfSafe) {
    named.push(row("assets", words.say("estate-assets"), "sans"));
    named.push(row("isETH", words.say("estate-ether"), "sans"));
  }
  return drawDocument(legacy, words.say("estate-card-title"), words.say("estate-card-subtitle"), [
    heading(words.say("estate-where")),
    ...listPlace(legacy),
    heading(words.say("estate-day")),
    { kind: "text", text: words.say("estate-day-words") },
    heading(words.say("estate-steps")),
    ...listSteps([
      words.say("estate-step-explorer", { network: legacy.chainName }),
      words.say("estate-step-wallet"),
      words.say("estate-step-call"),
    ]),
    heading(words.say("estate-arguments")),
    ...named,
    ...(isOfSafe ? [{ kind: "text", text: words.say("estate-safe-after") } as const] : []),
    heading(words.say("estate-careful")),
    { kind: "text", text: words.say("estate-careful-words") },
  ]);
}

/** For a lawyer's file: what exists, where, and how it is claimed if everybody else is gone. */
export async function drawEstateSheet(legacy: PrintedLegacy): Promise<HTMLCanvasElement> {
  const { words } = legacy;
  const exists = legacy.isOfSafe ? "estate-exists-safe" : "estate-exists-wallet";
  const call = legacy.isOfSafe ? "estate-how-call-safe" : "estate-how-call"; // the first call ends a Safe's legacy
  const fields = ["estate-field-owner", "estate-field-people", "estate-field-wallets", "estate-field-signed"];
  return drawDocument(legacy, words.say("estate-title"), words.say("estate-subtitle"), [
    heading(words.say("estate-exists")),
    { kind: "text", text: words.say(exists, { network: legacy.chainName }) },
    heading(words.say("estate-where")),
    ...listPlace(legacy),
    heading(words.say("estate-how")),
    ...listSteps([
      words.say("estate-how-wallet"),
      words.say("estate-day-words"),
      words.say(call, { network: legacy.chainName }),
      words.say("estate-how-careful"),
    ]),
    heading(words.say("estate-by-hand")),
    ...fields.map((name) => ({ kind: "field", text: words.say(name) }) as const),
    { kind: "text", text: words.say("estate-disclaimer") },
  ]);
}

function heading(text: string): Block {
  return { kind: "heading", text };
}

function row(text: string, value: string, face: "sans" | "mono" = "mono"): Block {
  return { kind: "row", text, value, face };
}

function listSteps(steps: readonly string[]): Block[] {
  return steps.map((text, place) => ({ kind: "step", text, number: place + 1 }));
}

function listPlace(legacy: PrintedLegacy): Block[] {
  const { words } = legacy;
  const network = { network: legacy.chainName, number: String(legacy.chainId) };
  const claims = legacy.isOfSafe
    ? "activeLegacy(uint256 legacyId)"
    : "activeLegacy(uint256 legacyId, address[] assets, bool isETH)";
  return [
    row(words.say("estate-network"), words.say("estate-network-words", network), "sans"),
    row(words.say("estate-router"), legacy.router),
    row(words.say("estate-function"), claims),
    row(words.say("estate-number"), legacy.legacyId),
    row(words.say("estate-contract"), legacy.contract),
  ];
}

async function drawDocument(
  legacy: PrintedLegacy,
  title: string,
  subtitle: string,
  blocks: readonly Block[],
): Promise<HTMLCanvasElement> {
  const texts = blocks.map((block) => (block.kind === "row" ? block.text + block.value : block.text));
  const [canvas, brush] = await newPage(legacy.words, [title, subtitle, ...texts]);
  const room = WIDTH - CODE_SIDE - 40;
  fillBox(brush, { x: LEFT, y: 150, width: WIDTH, height: 8 }, INK);
  writeFitted(brush, title, LEFT, 268, room, { face: "serifBold", size: 84, colour: INK });
  writeFitted(brush, subtitle, LEFT, 334, room, { face: "sans", size: 36, colour: DIM });
  const link = `${legacy.explorerUrl?.replace(/\/$/, "")}/address/${legacy.router}`;
  const code = legacy.explorerUrl !== null && link.length <= CODE_BYTES ? link : legacy.router;
  drawQr(brush, code, { x: LEFT + WIDTH - CODE_SIDE, y: 170, width: CODE_SIDE, height: CODE_SIDE });
  drawBlocks(brush, blocks);
  return canvas;
}

/** In the largest letters with which all of it fits the page. */
function drawBlocks(brush: Brush, blocks: readonly Block[]): void {
  let size: number = SIZES[0];
  while (size > SIZES[1] && placeBlocks(brush, blocks, size).end > BOTTOM) size -= 1;
  const { lines, rules } = placeBlocks(brush, blocks, size);
  for (const y of rules) fillBox(brush, { x: LEFT, y, width: WIDTH, height: 2 }, LINE);
  for (const { text, x, y, ...ink } of lines) write(brush, text, x, y, ink);
}

function placeBlocks(
  brush: Brush,
  blocks: readonly Block[],
  size: number,
): { lines: PlacedLine[]; rules: number[]; end: number } {
  const lines: PlacedLine[] = [];
  const rules: number[] = [];
  let y = TOP;
  const place = (text: string, x: number, face: Face, of = size, colour = INK, width = LEFT + WIDTH - x): number => {
    useFont(brush, face, of);
    const found = broken(brush, text, width);
    found.forEach((line, number) =>
      lines.push({ text: line, x, y: y + number * of * LEADING, face, size: of, colour }),
    );
    return found.length * of * LEADING;
  };
  const codeSize = (code: string): number => {
    useFont(brush, "mono", size);
    return size * Math.min(0.86, (0.99 * (WIDTH - LABELS)) / brush.measureText(code).width);
  };
  for (const block of blocks) {
    if (block.kind === "heading") {
      y += size * 0.8;
      y += place(block.text, LEFT, "serifBold", size * 1.3) + size * 0.15;
    } else if (block.kind === "row") {
      const label = place(block.text, LEFT, "sans", size * 0.92, DIM, LABELS - 20);
      const value = place(block.value, LEFT + LABELS, block.face, block.face === "mono" ? codeSize(block.value) : size);
      rules.push(y + Math.max(label, value) - size * 0.75);
      y += Math.max(label, value) + size * 0.5;
    } else if (block.kind === "field") {
      y += place(block.text, LEFT, "sans", size * 0.92, DIM) + size * 1.1;
      rules.push(y);
      y += size * 1.5;
    } else {
      const x = block.kind === "step" ? LEFT + NUMBERS : LEFT;
      if (block.kind === "step") place(`${isMirrored(brush) ? "\u200f" : ""}${block.number}.`, LEFT, "sansBold");
      y += place(block.text, x, "sans") + size * 0.3;
    }
  }
  return { lines, rules, end: y };
}
