/** Built into a page of its own: the drawing code for the tests, which call it by `window.printables`. */
import { occasionOf } from "reminder-worker-client/occasions";
import {
  DoesNotFit,
  drawClaimCard,
  drawEstateSheet,
  drawGiftCard,
  drawGiftRecord,
  drawKeySheet,
  qrModules,
  roomForLetter,
  toPng,
} from "reminder-worker-client/printables";
import { loadSpeech } from "../../gift_page/src/catalogues.ts";
import { phrase, speak } from "../../gift_page/src/phrases.ts";
import { offersEmailGifts } from "../../gift_page/src/sealing.ts";
import { valueOf } from "../../gift_page/src/valuation.ts";

type Given = Record<string, any>; // what JSON of the test is, with moments as milliseconds and integers as text

async function draw(kind: string, given: Given): Promise<string> {
  speak(await loadSpeech("en", ["claim", "give"]));
  const words = await loadSpeech(given.language ?? "en", ["claim", "give", "estate"]);
  if (kind === "claim card") return await base64(await drawClaimCard({ ...given, words } as never));
  if (kind === "estate sheet") return await base64(await drawEstateSheet({ ...given, words } as never));
  const common = { ...given, words, opensOn: new Date(given.opensOn), occasion: occasionOf(given.occasion) };
  try {
    if (kind === "sheet") return await base64(await drawKeySheet(common as never));
    if (kind === "card") return await base64(await drawGiftCard(common as never));
    const assets = given.assets.map((asset: Given) => ({ ...asset, units: BigInt(asset.units) }));
    const value = given.value.source === "none" ? given.value : valued(given.value);
    return await base64(
      await drawGiftRecord({ ...common, assets, value, sealedAt: new Date(given.sealedAt) } as never),
    );
  } catch (error) {
    if (error instanceof DoesNotFit) return `refused: ${phrase(error.phrase, error.limits)}`;
    return `refused: ${error instanceof Error ? error.message : error}`;
  }
}

function valued(value: Given): Given {
  const prices = value.prices.map((price: Given) => ({ ...price, updatedAt: new Date(price.updatedAt) }));
  return { ...value, usdCents: BigInt(value.usdCents), prices };
}

async function base64(canvas: HTMLCanvasElement): Promise<string> {
  const bytes = new Uint8Array(await (await toPng(canvas)).arrayBuffer());
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
}

async function value(chainId: number, assets: Given[], sealedAt: number, now: number): Promise<string> {
  const units = assets.map((asset) => ({ ...asset, units: BigInt(asset.units) })) as never;
  const found = await valueOf(chainId, units, new Date(sealedAt), new Date(now));
  return found.source === "none" ? "none" : `${found.source} ${found.usdCents}`;
}

const fonts = (): string[] => [...document.fonts].filter((face) => face.status === "loaded").map((face) => face.family);

Object.assign(window, { printables: { draw, roomForLetter, qrModules, fonts, value, offersEmailGifts } });
