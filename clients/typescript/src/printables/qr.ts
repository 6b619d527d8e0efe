/** QR codes as the printables carry them: error correction M and a margin of 2 modules, which is part of the square. */
import encodeQR from "qr";

const MARGIN = 2;

/** Rows of modules, true is dark, margin included. Throws what `qr` throws when the text is beyond version 40. */
export function qrModules(text: string): boolean[][] {
  return encodeQR(text, "raw", { ecc: "medium", border: MARGIN });
}

/** How many bytes of text a code of at most so many modules a side holds; 0 when none does. */
export function qrCapacity(modules: number): number {
  let [fits, fails] = [0, 2332]; // beyond version 40
  while (fails - fits > 1) {
    const middle = (fits + fails) >> 1;
    if (qrModules("a".repeat(middle)).length <= modules) fits = middle;
    else fails = middle;
  }
  return fits;
}
