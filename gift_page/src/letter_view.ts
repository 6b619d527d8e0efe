/** View of the personal message as a letter, or of a damaged message. Text stays text. */
import { around, fill, make, setTitle } from "./dom.ts";
import type { Letter } from "reminder-worker-client/claim-links";
import { phrase } from "./phrases.ts";

export function showLetter(place: HTMLElement, title: HTMLElement, letter: Letter | "damaged" | null): void {
  if (letter === null) return;
  if (letter === "damaged") {
    place.className = "notice";
    fill(place, make("h2", {}, phrase("letter-damaged")), make("p", {}, phrase("letter-damaged-1")));
  } else {
    const { to, from, note } = letter;
    if (to !== "") {
      const greeting = title.textContent ?? "";
      setTitle(phrase("greeting-to", { greeting, name: to }));
      // The name's own direction sets it.
      fill(title, ...around("greeting-to", "name", make("bdi", {}, to), { greeting }));
    }
    const ask = from === "" ? [] : [" ", ...around("letter-ask", "name", make("bdi", {}, from))];
    if (to + from + note !== "") place.after(make("p", { className: "dim" }, phrase("letter-unchecked"), ...ask));
    if (from === "" && note === "") return;
    place.className = "letter";
    fill(
      place,
      note !== "" && make("p", { className: "note", dir: "auto" }, note),
      from !== "" && make("p", { className: "from" }, ...signed(from, note === "")),
    );
    place.setAttribute("aria-label", phrase("letter-label"));
    place.setAttribute("role", "group");
  }
  place.hidden = false;
}

function signed(from: string, isAlone: boolean): (Node | string)[] {
  const name = make("span", { dir: "auto" }, from);
  return isAlone ? around("letter-from", "name", name) : [name];
}
