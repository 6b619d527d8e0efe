/** View of the personal message as a letter, or of a damaged message. Text stays text. */
import { fill, make } from "./dom.ts";
import type { Letter } from "./link.ts";

export function showLetter(place: HTMLElement, title: HTMLElement, letter: Letter | "damaged" | null): void {
  if (letter === null) return;
  if (letter === "damaged") {
    place.className = "notice";
    fill(
      place,
      make("h2", {}, "The message did not arrive whole"),
      make(
        "p",
        {},
        "Part of the link was lost on its way, so the personal message cannot be read. The gift itself is safe, and it " +
          "can be opened all the same. Ask whoever sent it to send you the whole link once more.",
      ),
    );
  } else {
    const { to, from, note } = letter;
    if (to !== "") {
      document.title = `${title.textContent}, ${to}`;
      title.append(", ", make("bdi", {}, to)); // whose own direction sets it
    }
    if (from === "" && note === "") return;
    place.className = "letter";
    fill(
      place,
      note !== "" && make("p", { className: "note", dir: "auto" }, note),
      from !== "" && make("p", { className: "from" }, note === "" ? "From " : "", make("span", { dir: "auto" }, from)),
    );
    place.setAttribute("aria-label", "Personal message");
    place.setAttribute("role", "group");
  }
  place.hidden = false;
}
