/** From a drawn page to paper or to a file. */
import { toPng } from "./canvas.ts";
import "./output.css";

/** Opens the print dialog for this page alone, at its true size; what was copied for it is gone afterwards. */
export function printPage(canvas: HTMLCanvasElement): void {
  for (const old of document.querySelectorAll(".print-page")) old.remove(); // of a browser that tells of no end
  const copy = document.createElement("canvas");
  [copy.width, copy.height] = [canvas.width, canvas.height];
  copy.getContext("2d")?.drawImage(canvas, 0, 0);
  const sheet = document.createElement("div");
  sheet.className = "print-page";
  sheet.append(copy);
  document.body.append(sheet);
  addEventListener(
    "afterprint",
    () => {
      sheet.remove();
      copy.width = copy.height = 0;
    },
    { once: true },
  );
  print();
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
