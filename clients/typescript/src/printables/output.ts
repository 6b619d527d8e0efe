/** From a drawn page to paper or to a file. */
import { IN_MEMORY, toPng, wipe } from "./canvas.ts";
import "./output.css";

const USE = ["click", "keydown", "pagehide"] as const;
/** So long a browser may take to begin with a print dialog. */
const DIALOG_MILLISECONDS = 2_000;

/** Opens the print dialog for this page alone, at its true size. What was copied for it is gone as soon as the page is
 * used again. Not when printing has ended: some browsers tell of no end, and iPhones of one before a printer is chosen,
 * for which they draw the page anew. Returns false where no dialog opened: browsers inside wallet apps print nothing,
 * and say nothing. */
export function printPage(canvas: HTMLCanvasElement): Promise<boolean> {
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext("2d", IN_MEMORY)?.drawImage(canvas, 0, 0);
  const sheet = document.createElement("div");
  sheet.className = "print-page";
  sheet.append(copy);
  document.body.prepend(sheet);
  const takeAway = (): void => {
    sheet.remove();
    wipe(copy);
    for (const each of USE) removeEventListener(each, takeAway, true);
  };
  for (const each of USE) addEventListener(each, takeAway, true);
  const hasBegun = printingBegins();
  if (typeof window.print === "function") window.print();
  return hasBegun;
}

function printingBegins(): Promise<boolean> {
  return new Promise((resolve) => {
    const begin = (): void => {
      clearTimeout(late);
      resolve(true);
    };
    const late = setTimeout(() => {
      removeEventListener("beforeprint", begin);
      resolve(false);
    }, DIALOG_MILLISECONDS);
    addEventListener("beforeprint", begin, { once: true });
  });
}

/** As a PNG of 200 dots an inch, into the browser's downloads. */
export async function savePage(canvas: HTMLCanvasElement, fileName: string): Promise<void> {
  const address = URL.createObjectURL(await toPng(canvas));
  const link = document.createElement("a");
  link.href = address;
  link.download = fileName;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000); // the download has begun by then
}
