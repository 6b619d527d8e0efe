/** The gift record: the facts of a gift for the giver's papers, headlined by its value on the day it was sealed. */
import type { Valuation } from "../valuation.ts";
import { type Brush, broken, drawQr, EDGE, fillBox, newPage, PAGE, useFont, write, writeFitted, writeLines } from "./canvas.ts";
import { amountWords, dollarWords, utcWords } from "./words.ts";

export interface GiftRecord {
  chainName: string;
  chainId: number;
  timelockId: string;
  /** Addresses with their checksums. */
  router: string;
  giver: string;
  recipient: string;
  transaction: string;
  /** Of a block explorer; null where none is known. */
  explorerUrl: string | null;
  assets: readonly { symbol: string; units: bigint; decimals: number }[];
  sealedAt: Date;
  opensOn: Date;
  to: string;
  from: string;
  value: Valuation;
}

const LEFT = EDGE + 75;
const WIDTH = PAGE.width - 2 * LEFT;
const INK = "#1b1f24";
const DIM = "#59636e";
const LINE = "#c9cfd6";
const CODE_SIDE = 200;
/** The most that a code of that size holds for phones. */
const CODE_BYTES = 120;
const NO_PRICE_SOURCE = "No price source";
const DISCLAIMER =
  "This record is not tax advice, nor is it an appraisal. It states what is on the public chain and, where there was " +
  "a price source, a value computed from it. How a gift is valued and reported, by whom and when, depends on the law " +
  "that applies to you: ask a professional.";

export async function drawGiftRecord(record: GiftRecord): Promise<HTMLCanvasElement> {
  const [canvas, brush] = await newPage([record.to, record.from]);
  fillBox(brush, { x: LEFT, y: 150, width: WIDTH, height: 8 }, INK);
  write(brush, "Gift record", LEFT, 258, { face: "serifBold", size: 84, colour: INK });
  write(brush, "For the giver's papers", LEFT, 318, { face: "sans", size: 36, colour: DIM });
  const link = linkOf(record);
  const text = link !== null && link.length <= CODE_BYTES ? link : record.transaction;
  drawQr(brush, text, { x: LEFT + WIDTH - CODE_SIDE, y: 170, width: CODE_SIDE, height: CODE_SIDE });
  drawValue(brush, record);
  let y = 825;
  for (const [name, words, face] of rows(record)) {
    write(brush, name, LEFT, y, { face: "sans", size: 33, colour: DIM });
    writeFitted(brush, words, LEFT + 350, y, WIDTH - 350, { face, size: face === "mono" ? 30 : 35, colour: INK });
    y += 30;
    fillBox(brush, { x: LEFT, y, width: WIDTH, height: 2 }, LINE);
    y += 56;
  }
  drawFoot(brush);
  return canvas;
}

function drawValue(brush: Brush, record: GiftRecord): void {
  const box = { x: LEFT, y: 380, width: WIDTH, height: 350 };
  fillBox(brush, box, "#f4f6f8", 20);
  const x = LEFT + 48;
  write(brush, `Fair market value on ${dayOf(record.sealedAt)}, the day of sealing`, x, 452, { face: "sans", size: 36, colour: DIM });
  const headline = record.value.source === "none" ? NO_PRICE_SOURCE : `US$ ${dollarWords(record.value.usdCents)}`;
  writeFitted(brush, headline, x, 572, WIDTH - 96, { face: "serifBold", size: 104, colour: INK });
  useFont(brush, "sans", 30);
  const lines = broken(brush, basis(record), WIDTH - 96);
  writeLines(brush, lines, x, 640, { face: "sans", size: 30, colour: INK }, 1.35);
}

function dayOf(moment: Date): string | undefined {
  return utcWords(moment).split(",")[0];
}

function basis({ value, assets, sealedAt }: GiftRecord): string {
  if (value.source === "none") {
    const symbols = assets.map(({ symbol }) => symbol).join(", ");
    return (
      `There was no trustworthy price of ${symbols} for that day when this was printed. ` +
      "The value has to be found elsewhere."
    );
  }
  const used = value.prices.map(
    ({ symbol, usd, roundId, updatedAt }) =>
      `1 ${symbol} = US$ ${usd} (Chainlink round ${roundId}, ${utcWords(updatedAt)})`,
  );
  return `${howKnown(value, sealedAt)}: ${used.join("; ")}.`;
}

/** The newest round may be of the day before: then the record says so. */
function howKnown({ source, prices }: Exclude<Valuation, { source: "none" }>, sealedAt: Date): string {
  const isOfThatDay = prices.every(({ updatedAt }) => dayOf(updatedAt) === dayOf(sealedAt));
  if (source === "historical") {
    return isOfThatDay ? "Price recorded for that day" : "Newest price when it was sealed, of another day";
  }
  return `Price at the time of printing, ${isOfThatDay ? "on the same day" : "of another day"}`;
}

/** The sealing transaction at the explorer. */
function linkOf({ explorerUrl, transaction }: GiftRecord): string | null {
  return explorerUrl === null ? null : `${explorerUrl.replace(/\/$/, "")}/tx/${transaction}`;
}

function rows(record: GiftRecord): (readonly [string, string, "sans" | "mono"])[] {
  const link = linkOf(record);
  const amounts = record.assets.map(({ symbol, units, decimals }) => `${amountWords(units, decimals)} ${symbol}`);
  return [
    ["Given", amounts.join(", "), "sans"],
    ["Sealed", utcWords(record.sealedAt), "sans"],
    ["Opens", utcWords(record.opensOn), "sans"],
    ...(record.from === "" ? [] : [["Given by", record.from, "sans"] as const]),
    ["Giver's account", record.giver, "mono"],
    ...(record.to === "" ? [] : [["Given to", record.to, "sans"] as const]),
    ["Sealed for", record.recipient, "mono"],
    ["Network", `${record.chainName} (chain ${record.chainId})`, "sans"],
    ["Gift number", record.timelockId, "sans"],
    ["Contract", record.router, "mono"],
    ["Transaction (code)", record.transaction, "mono"],
    ...(link === null ? [] : [["To be seen at", link, "mono"] as const]),
  ];
}

function drawFoot(brush: Brush): void {
  useFont(brush, "sans", 29);
  const lines = broken(brush, DISCLAIMER, WIDTH);
  writeLines(brush, lines, LEFT, 1960, { face: "sans", size: 29, colour: INK }, 1.4);
}
