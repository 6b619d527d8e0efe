/** What the server wrote on a page, in the reader's language. */
import { setTitle } from "./dom.ts";
import { phrase } from "./phrases.ts";
import { localTime } from "./words.ts";

/** Translates each sentence with the name of its message, and shows times in the reader's zone. */
export function translatePage(): void {
  for (const element of document.querySelectorAll<HTMLElement>("[data-phrase]")) {
    const { phrase: name = "", moment, ...values } = element.dataset;
    const known = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, value ?? ""]));
    element.textContent = phrase(
      name,
      moment === undefined ? known : { ...known, moment: localTime(new Date(moment)) },
    );
  }
  for (const time of document.querySelectorAll("time")) time.textContent = localTime(new Date(time.dateTime));
  setTitle(document.querySelector("h1")?.textContent ?? document.title);
}
