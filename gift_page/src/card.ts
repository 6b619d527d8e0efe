/** The picture at the top of the page. The server's has English words; for other languages it is drawn here. */
import { part } from "./dom.ts";
import { speech } from "./phrases.ts";

export async function redrawCard(isOpened: boolean): Promise<void> {
  const card = (): HTMLElement | null => document.querySelector<HTMLElement>(".card");
  const old = card();
  if (old === null || speech().language === "en") return;
  if (old instanceof HTMLImageElement) old.style.visibility = "hidden";
  try {
    const { drawCard } = await import("./card_picture.ts");
    card()?.replaceWith(drawCard(part("page").dataset["occasion"], isOpened ? "card-opened" : "card-subline"));
  } catch {
    old.style.visibility = "";
  }
}
