/** A field for one group of a printed key: no browser and no password manager keeps or mends what is typed there. */
import { make } from "./dom.ts";
import { phrase } from "./phrases.ts";

export const GROUPS = 16;
export const DIGITS = 4;

/** `index` counts from 0; `described`: ids of the elements that say more of it. */
export function groupField(index: number, described: string): HTMLInputElement {
  return make("input", {
    className: "field",
    type: "text",
    autocomplete: "off",
    autocapitalize: "none",
    spellcheck: false,
    required: true,
    attributes: {
      "aria-label": phrase("paper-group", { number: index + 1, groups: GROUPS }),
      "aria-describedby": described,
      autocorrect: "off",
      "data-1p-ignore": "",
      "data-lpignore": "true",
      "data-bwignore": "true",
    },
  });
}
