/** The picture at the top of the page in another language than English: as the server's, with words of the page's. */
import { make } from "./dom.ts";
import { occasionOf } from "reminder-worker-client/occasions";
import { phrase, speech } from "./phrases.ts";
import { broken, drawMotif, fillBox } from "reminder-worker-client/printables";

const SIZE = { width: 1200, height: 630 };
const TEXT = { left: 562, width: 568 };

/** `line`: the name of the phrase below the greeting. */
export function drawCard(name: string | undefined, line: "card-subline" | "card-opened"): HTMLCanvasElement {
  const { id, palette, motif } = occasionOf(name);
  const canvas = make("canvas", { ...SIZE, className: "card" });
  const brush = canvas.getContext("2d");
  if (brush === null) throw new Error("this browser cannot draw");
  const { isLeftwards } = speech();
  const across = (x: number): number => (isLeftwards ? SIZE.width - x : x);
  fillBox(brush, { x: 0, y: 0, ...SIZE }, palette.ground);
  fillBox(brush, { x: 34, y: 34, width: SIZE.width - 68, height: SIZE.height - 68 }, palette.panel, 28);
  drawMotif(brush, motif, palette, across(296), SIZE.height / 2, 200);
  brush.fillStyle = palette.ink;
  brush.direction = isLeftwards ? "rtl" : "ltr";
  brush.textAlign = "start";
  const write = (words: string, y: number): void => brush.fillText(words, across(TEXT.left), y);
  const greeting = phrase(`greeting-${id}`);
  let size = 92;
  let lines: string[] = [];
  for (; size >= 40; size -= 4) {
    brush.font = `${size}px system-ui, sans-serif`;
    lines = broken(brush, greeting, TEXT.width);
    const isWhole = greeting.split(" ").every((word) => brush.measureText(word).width <= TEXT.width);
    if (lines.length <= 2 && isWhole) break;
  }
  const first = SIZE.height / 2 - ((lines.length - 1) * size * 1.16) / 2;
  lines.forEach((line, number) => write(line, first + number * size * 1.16));
  const below = first + (lines.length - 1) * size * 1.16 + 60;
  fillBox(
    brush,
    { x: isLeftwards ? across(TEXT.left) - 90 : TEXT.left, y: below, width: 90, height: 6 },
    palette.accent,
    3,
  );
  brush.fillStyle = palette.ink;
  for (let small = 34; small >= 22; small -= 2) {
    brush.font = `${small}px system-ui, sans-serif`;
    if (brush.measureText(phrase(line)).width <= TEXT.width) break;
  }
  write(phrase(line), below + 60);
  return canvas;
}
