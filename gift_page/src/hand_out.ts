/**
 * A file goes from the page to a person. Browsers inside wallet apps neither print nor save, and say nothing: then the
 * page says what else can be done.
 */
import { button, fill, make } from "./dom.ts";
import { phrase } from "./phrases.ts";

export interface HandOut {
  /** Makes the file anew. Throws where it cannot be made. */
  file: () => File | Promise<File>;
  /** What else can be done, in words. */
  advice: string;
  /** Of the page where another browser makes the same file; null where no other browser can. */
  address: string | null;
}

/** A download; whether it worked no browser tells. */
export function saveFile(file: File): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = file.name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000); // the download has begun by then
}

/** Fills `place` with what to do where printing or saving did nothing. `why` begins it; `type` is the file's. */
export function showWayOut(place: HTMLElement, why: string, type: string, { file, advice, address }: HandOut): void {
  const told = make("span", { className: "hint", attributes: { role: "status" } });
  const tell = (words: string): void => fill(told, words);
  const share = button(phrase("out-share"), () => shareFile(file, tell), "button quiet");
  const copy = address !== null && button(phrase("out-copy"), () => copyAddress(address, tell), "button quiet");
  fill(
    place,
    make("p", {}, why),
    make("p", {}, advice),
    address !== null &&
      make("p", {}, phrase("out-elsewhere"), " ", make("bdi", { className: "address" }, address.split("#")[0] ?? "")),
    make("div", { className: "row choices" }, canShare(type) && share, copy, told),
  );
}

function canShare(type: string): boolean {
  return (
    navigator.canShare?.({ files: [new File(["-"], type === "image/png" ? "page.png" : "gift.ics", { type })] }) ??
    false
  );
}

async function shareFile(make: HandOut["file"], tell: (words: string) => void): Promise<void> {
  try {
    await navigator.share({ files: [await make()] });
    tell("");
  } catch {
    tell(phrase("out-not-shared"));
  }
}

async function copyAddress(address: string, tell: (words: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(address);
    tell(phrase("out-copied"));
  } catch {
    tell(phrase("out-not-copied"));
  }
}
