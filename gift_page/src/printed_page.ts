/** A page for paper, shown with its buttons: print, and save as PNG. Needs the words of give.ftl and claim.ftl. */
import "./printed_page.css";
import { button, make } from "./dom.ts";
import { type HandOut, saveFile, showWayOut } from "./hand_out.ts";
import { phrase } from "./phrases.ts";
import { printPage, toPng, Withheld } from "reminder-worker-client/printables";

/** Show a drawn page with its buttons. `advice` and `address`: where this browser neither prints nor saves it. */
export function shown(
  title: string,
  fileName: string,
  canvas: HTMLCanvasElement,
  advice: string = phrase("page-way-out"),
  address: string | null = null,
): HTMLElement {
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", phrase("page-as-printed", { page: title }));
  const told = make("span", { className: "hint", attributes: { role: "status" } });
  const wayOut = make("div", { className: "way-out", attributes: { role: "status" } });
  const file = async (): Promise<File> => new File([await toPng(canvas)], fileName, { type: "image/png" });
  const out: HandOut = { file, advice, address };
  const print = async (): Promise<void> => {
    wayOut.replaceChildren();
    if (!(await printPage(canvas))) showWayOut(wayOut, phrase("out-cannot-print"), "image/png", out);
  };
  const save = async (): Promise<void> => {
    wayOut.replaceChildren();
    try {
      saveFile(await file());
      told.textContent = "";
      showWayOut(wayOut, phrase("out-saved"), "image/png", out);
    } catch (error) {
      told.textContent = phrase(error instanceof Withheld ? "page-withheld" : "page-not-saved");
    }
  };
  return make(
    "figure",
    {},
    make("figcaption", {}, make("strong", {}, title)),
    canvas,
    make(
      "div",
      { className: "row choices" },
      button(phrase("page-print"), print, "button main"),
      button(phrase("page-save"), save, "button quiet"),
      told,
    ),
    wayOut,
  );
}
