/** Sharing the page: the message is in the link, and goes along only when that is wanted. */
import { button, fill, make, setTitle } from "./dom.ts";
import { phrase } from "./phrases.ts";

/** Nothing leaves the address bar unless the person asks for it here. `title`: the page's own, which names nobody. */
export function offerSharing(place: HTMLElement, title: string): void {
  const whole = location.href;
  const told = make("p", { className: "told", attributes: { role: "status" } });
  const tell = (text: string): void => fill(told, text);
  const copyWhole = button(
    phrase("share-copy-whole"),
    () => copy(whole, phrase("share-copied-whole"), tell),
    "button quiet",
  );
  const hide = button(
    phrase("share-take-out"),
    () => {
      history.replaceState(history.state, "", location.pathname + location.search);
      setTitle(title); // the history keeps it, and a phone shares it beside the link
      hide.disabled = true;
      tell(phrase("share-taken-out"));
    },
    "button quiet",
  );
  const copyBare = button(
    phrase("share-copy-bare"),
    () => copy(location.origin + location.pathname + location.search, phrase("share-copied-bare"), tell),
    "button quiet",
  );
  const choices = make("div", { className: "choices" }, copyWhole, copyBare, hide);
  fill(
    place,
    make("details", {}, make("summary", {}, phrase("share")), make("p", {}, phrase("share-words")), choices, told),
  );
}

async function copy(text: string, done: string, tell: (text: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    tell(phrase("share-not-allowed"));
  }
}
