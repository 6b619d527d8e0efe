/** The gift record: the facts of a gift for the giver's papers, headlined by its value on the day it was sealed. */
import type { Speech } from "../speech.ts";
import { type Brush, drawQr, EDGE, fillBox, newPage, PAGE, writeFitted, writeParagraph } from "./canvas.ts";
import { decimalWords } from "../speech.ts";
import { dollarWords, priceWords, utcDayWords, utcWords } from "./words.ts";

/** Of one whole token. */
export interface UsedPrice {
  symbol: string;
  /** Decimal, US dollars. */
  usd: string;
  /** When the price feed said it. */
  updatedAt: Date;
  roundId: string;
}

/** `live`: sealed today, at today's price. `historical`: at the price valid at the sealing. */
export type Valuation = { source: "live" | "historical"; usdCents: bigint; prices: UsedPrice[] } | { source: "none" };

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
  /** In the giver's language. */
  words: Speech;
}

const LEFT = EDGE + 75;
const WIDTH = PAGE.width - 2 * LEFT;
const INK = "#1b1f24";
const DIM = "#59636e";
const LINE = "#c9cfd6";
const CODE_SIDE = 200;
/** The most that a code of that size holds for phones. */
const CODE_BYTES = 120;
const SENTENCES = [
  "record-title",
  "record-subtitle",
  "record-value",
  "record-no-source",
  "record-no-price",
  "record-disclaimer",
];

export async function drawGiftRecord(record: GiftRecord): Promise<HTMLCanvasElement> {
  const { words } = record;
  const [canvas, brush] = await newPage(words, [
    record.to,
    record.from,
    ...rows(record).flat(),
    ...SENTENCES.map((name) => words.say(name)),
  ]);
  fillBox(brush, { x: LEFT, y: 150, width: WIDTH, height: 8 }, INK);
  writeFitted(brush, words.say("record-title"), LEFT, 258, WIDTH - CODE_SIDE - 40, {
    face: "serifBold",
    size: 84,
    colour: INK,
  });
  writeFitted(brush, words.say("record-subtitle"), LEFT, 318, WIDTH - CODE_SIDE - 40, {
    face: "sans",
    size: 36,
    colour: DIM,
  });
  const link = linkOf(record);
  const text = link !== null && link.length <= CODE_BYTES ? link : record.transaction;
  drawQr(brush, text, { x: LEFT + WIDTH - CODE_SIDE, y: 170, width: CODE_SIDE, height: CODE_SIDE });
  drawValue(brush, record);
  let y = 825;
  for (const [name, said, face] of rows(record)) {
    writeFitted(brush, words.say(name), LEFT, y, 330, { face: "sans", size: 33, colour: DIM });
    writeFitted(brush, said, LEFT + 350, y, WIDTH - 350, { face, size: face === "mono" ? 30 : 35, colour: INK });
    y += 30;
    fillBox(brush, { x: LEFT, y, width: WIDTH, height: 2 }, LINE);
    y += 56;
  }
  drawFoot(brush, words);
  return canvas;
}

function drawValue(brush: Brush, record: GiftRecord): void {
  const box = { x: LEFT, y: 380, width: WIDTH, height: 350 };
  fillBox(brush, box, "#f4f6f8", 20);
  const x = LEFT + 48;
  const { words } = record;
  writeFitted(brush, words.say("record-value", { day: utcDayWords(record.sealedAt, words) }), x, 452, WIDTH - 96, {
    face: "sans",
    size: 36,
    colour: DIM,
  });
  const headline =
    record.value.source === "none" ? words.say("record-no-source") : `US$ ${dollarWords(record.value.usdCents, words)}`;
  writeFitted(brush, headline, x, 572, WIDTH - 96, { face: "serifBold", size: 104, colour: INK });
  const room = { width: WIDTH - 96, height: 85 };
  writeParagraph(brush, basis(record), x, 640, room, { face: "sans", colour: INK }, [30, 18], 1.35);
}

function basis({ value, assets, sealedAt, words }: GiftRecord): string {
  if (value.source === "none") {
    return words.say("record-no-price", { symbols: assets.map(({ symbol }) => symbol).join(", ") });
  }
  const used = value.prices.map(({ symbol, usd, roundId, updatedAt }) =>
    words.say("record-price", {
      symbol,
      price: priceWords(usd, words),
      round: roundId,
      moment: utcWords(updatedAt, words),
    }),
  );
  return words.say("record-basis", { how: words.say(howKnown(value, sealedAt)), prices: used.join("; ") });
}

/** The newest round may be of the day before: then the record says so. */
function howKnown({ source, prices }: Exclude<Valuation, { source: "none" }>, sealedAt: Date): string {
  const isOfThatDay = prices.every(({ updatedAt }) => utcDay(updatedAt) === utcDay(sealedAt));
  if (source === "historical") return isOfThatDay ? "record-price-recorded" : "record-price-older";
  return isOfThatDay ? "record-price-now" : "record-price-now-older";
}

function utcDay(moment: Date): string {
  return moment.toISOString().slice(0, 10);
}

/** The sealing transaction at the explorer. */
function linkOf({ explorerUrl, transaction }: GiftRecord): string | null {
  return explorerUrl === null ? null : `${explorerUrl.replace(/\/$/, "")}/tx/${transaction}`;
}

/** Each has the name of a phrase, its words and their face. */
function rows(record: GiftRecord): (readonly [string, string, "sans" | "mono"])[] {
  const { words } = record;
  const link = linkOf(record);
  const amounts = record.assets.map(
    ({ symbol, units, decimals }) => `${decimalWords(units, decimals, words.locale)} ${symbol}`,
  );
  return [
    ["record-given", amounts.join(", "), "sans"],
    ["record-sealed", utcWords(record.sealedAt, words), "sans"],
    ["record-opens", utcWords(record.opensOn, words), "sans"],
    ...(record.from === "" ? [] : [["record-given-by", record.from, "sans"] as const]),
    ["record-giver", record.giver, "mono"],
    ...(record.to === "" ? [] : [["record-given-to", record.to, "sans"] as const]),
    ["record-sealed-for", record.recipient, "mono"],
    [
      "record-network",
      words.say("record-network-words", { network: record.chainName, number: String(record.chainId) }),
      "sans",
    ],
    ["record-number", record.timelockId, "sans"],
    ["record-contract", record.router, "mono"],
    ["record-transaction", record.transaction, "mono"],
    ...(link === null ? [] : [["record-seen-at", link, "mono"] as const]),
  ];
}

function drawFoot(brush: Brush, words: Speech): void {
  const room = { width: WIDTH, height: 170 };
  writeParagraph(brush, words.say("record-disclaimer"), LEFT, 1960, room, { face: "sans", colour: INK }, [29, 18], 1.4);
}
