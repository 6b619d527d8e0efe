/** The picture at the top of the page. Its drawing is loaded only where the server's picture has other words. */
import { part } from "./dom.ts";

export async function redrawCard(isOpened: boolean): Promise<void> {
  const card = (): HTMLElement | null => document.querySelector<HTMLElement>(".card");
  const old = card();
  if (old === null) return;
  if (old instanceof HTMLImageElement) old.style.visibility = "hidden";
  try {
    const { drawCard } = await import("./card_picture.ts");
    card()?.replaceWith(drawCard(part("page").dataset["occasion"], isOpened ? "card-opened" : "card-subline"));
  } catch {
    old.style.visibility = "";
  }
}
