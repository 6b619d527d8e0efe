/** The gift card as it will be printed, small: in the form while the giver writes, and in the review. */
import { make, fill } from "./dom.ts";
import { phrase } from "./phrases.ts";
import { DoesNotFit, drawGiftCard, type GiftCard, wipe } from "reminder-worker-client/printables";

const WIDTH = 510; // of 1700 dots
const PAUSE_MILLISECONDS = 400;

/** Draws it. Throws what `drawGiftCard` throws. */
export async function smallCard(card: GiftCard): Promise<HTMLCanvasElement> {
  const printed = await drawGiftCard(card);
  const height = Math.round((printed.height * WIDTH) / printed.width);
  const label = phrase("page-as-printed", { page: phrase("page-card") });
  const attributes = { role: "img", "aria-label": label };
  const small = make("canvas", { width: WIDTH, height, className: "small-card", attributes });
  const brush = small.getContext("2d");
  if (brush === null) throw new Error("this browser cannot draw");
  brush.imageSmoothingQuality = "high";
  brush.drawImage(printed, 0, 0, WIDTH, height);
  wipe(printed);
  return small;
}

/** A figure that is drawn again when the giver pauses. */
export class CardPreview {
  readonly element = make("figure", { className: "preview" });
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** `card` returns the card to draw; null keeps the picture. */
  constructor(private readonly card: () => GiftCard | null) {}

  refresh(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.draw(), PAUSE_MILLISECONDS);
  }

  private async draw(): Promise<void> {
    const { timer, element } = this;
    const isHidden = element.closest("[hidden]") !== null;
    const card = isHidden ? null : this.card();
    if (card === null) return;
    const title = make("figcaption", {}, phrase("page-as-printed", { page: phrase("page-card") }));
    const shown = await smallCard(card).catch(inPlace);
    if (timer === this.timer) fill(element, title, shown);
  }
}

/** Why there is no picture. */
function inPlace(error: unknown): HTMLElement {
  const words = error instanceof DoesNotFit ? phrase(error.phrase, error.limits) : phrase("fonts-missing");
  return make("p", { className: "hint" }, words);
}
