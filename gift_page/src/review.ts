/** The review of the whole gift before it is sealed. No wallet was asked until then. */
import { plainAmount } from "./amount.ts";
import { group, type Wish } from "./create_form.ts";
import type { GiverWallet } from "./create_wallet.ts";
import { around, askUs, fill, make } from "./dom.ts";
import { phrase, speech } from "./phrases.ts";
import { valueOf } from "./valuation.ts";
import { duration, localTime } from "./words.ts";

const YEAR_MILLISECONDS = 365.25 * 86_400_000;

type Row = readonly [name: string, ...value: (Node | string)[]];

/** `card`: its picture, as it will be printed. `actions`: the buttons below it. */
export function review(
  wish: Wish,
  wallet: GiverWallet,
  card: HTMLCanvasElement,
  ...actions: HTMLElement[]
): HTMLElement {
  const { letter, opensOn } = wish;
  const worth = make("p", { className: "hint" });
  void showWorth(worth, wish, wallet);
  const rows: Row[] = [
    [phrase("page-card"), card],
    [phrase("form-to"), written(letter.to)],
    [phrase("form-from"), written(letter.from), make("p", { className: "hint" }, phrase("review-tell"))],
    [phrase("form-note"), written(letter.note)],
    [phrase("review-gift"), amountWords(wish, wallet.chain.chainName), worth],
    [
      phrase("review-opens"),
      ...sealedFor(opensOn, wallet),
      phrase("review-moment", { moment: localTime(opensOn, "long") }),
    ],
    [phrase("review-who"), ...recipient(wish)],
    [phrase("review-fee"), phrase("review-fee-words")],
  ];
  if (wish.mode === "email") rows.push([phrase("review-lands"), whereEmailGiftsLand(wallet.asksWhere)]);
  return group(
    phrase("review"),
    make("dl", { className: "review" }, ...rows.flatMap(drawRow)),
    make("p", { className: "notice" }, phrase("review-final")),
    make("div", { className: "row" }, ...actions),
  );
}

/**
 * Return how many years the gift stays sealed, to a tenth: a wrong digit in the year shows here. Nothing below a year.
 */
function sealedFor(opensOn: Date, { clockAhead }: GiverWallet): HTMLElement[] {
  const years = (opensOn.getTime() - Date.now() - clockAhead) / YEAR_MILLISECONDS;
  const length = Math.round(years * 10) / 10;
  return length < 1 ? [] : [make("p", {}, phrase("review-sealed-for", { length: duration(length, "year") }))];
}

/** `asksWhere`: whether the recipient is asked for another wallet. */
export function whereEmailGiftsLand(asksWhere: boolean): string {
  return asksWhere ? phrase("review-lands-own") : phrase("review-lands-email", { site: location.host }) + askUs();
}

function drawRow([name, ...value]: Row): HTMLElement[] {
  return [make("dt", {}, name), make("dd", {}, ...value)];
}

/** In its own direction, with its lines. */
function written(text: string): HTMLElement {
  if (text === "") return make("span", { className: "hint" }, phrase("review-empty"));
  return make("span", { className: "written", dir: "auto" }, text);
}

function amountWords({ token, units }: Wish, network: string): string {
  return phrase("review-amount", { gift: `${plainAmount(units, token.decimals)} ${token.symbol}`, network });
}

/** In US dollars; nothing without a price. */
async function showWorth(
  place: HTMLElement,
  { token, units }: Wish,
  { chain, clockAhead }: GiverWallet,
): Promise<void> {
  const now = new Date(Date.now() + clockAhead); // by the chain's clock
  const asset = { symbol: token.symbol, units, decimals: token.decimals };
  const value = await valueOf(chain.chainId, [asset], now, now);
  if (value.source === "none") return;
  const dollars = new Intl.NumberFormat(speech().locale, { style: "currency", currency: "USD" });
  fill(place, phrase("review-worth", { value: dollars.format(Number(value.usdCents) / 100) }));
}

function recipient({ mode, address, email }: Wish): (Node | string)[] {
  if (mode === "paper") return [phrase("review-for-paper")];
  if (mode === "email") return around("review-for-email", "email", make("bdi", {}, email));
  return around("review-for-wallet", "address", make("bdi", {}, address));
}
