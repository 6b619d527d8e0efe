/** The link of a gift, with the ways in which the giver takes it along: shared, copied, or as a file. */
import { button, fill, make } from "./dom.ts";
import { saveFile } from "./hand_out.ts";
import { phrase } from "./phrases.ts";

/** `isNew`: asks the giver to take the link along. `handOver` hears when that was done. */
export function linkBox(link: string, number: string, isNew: boolean, handOver: () => void): HTMLElement {
  const asked = make("p", { className: "notice", hidden: !isNew }, phrase("link-hand-over"));
  const told = make("span", { className: "hint", attributes: { role: "status" } });
  const done = (words: string): void => {
    fill(told, words);
    asked.hidden = true;
    handOver();
  };
  const share = async (): Promise<void> => {
    try {
      await navigator.share({ url: link });
      done(phrase("link-taken"));
    } catch {
      fill(told, phrase("out-not-shared"));
    }
  };
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(link);
      done(phrase("link-copied"));
    } catch {
      fill(told, phrase("link-not-allowed"));
    }
  };
  const save = (): void => {
    saveFile(new File([`${link}\n`], `gift-link-${number}.txt`, { type: "text/plain" }));
    // No browser tells whether it saved: only the giver sees the file.
    fill(
      told,
      phrase("link-saved"),
      " ",
      button(phrase("link-is-there"), () => done(phrase("link-taken")), ""),
    );
  };
  return make(
    "div",
    {},
    asked,
    make("p", {}, phrase("link-words")),
    make("p", { className: "link", id: "claim-link" }, make("a", { href: link, rel: "noreferrer" }, link)),
    make(
      "div",
      { className: "row" },
      typeof navigator.share === "function" && button(phrase("link-share"), share, "main"),
      button(phrase("link-copy"), copy, ""),
      button(phrase("link-save"), save, ""),
      told,
    ),
  );
}
