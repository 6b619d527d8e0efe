/** Sharing the page: the message is in the link, and goes along only when that is wanted. */
import { button, fill, make } from "./dom.ts";

const WORDS =
  "Whoever has the link can see this gift; only its recipient can open it. The personal message is part of the link " +
  "in your address bar. Take it out there before you share this page or show it to others: it is then gone when the " +
  "page is reloaded, so keep the whole link for yourself first.";

/** Nothing leaves the address bar unless the person asks for it here. `title`: the page's own, which names nobody. */
export function offerSharing(place: HTMLElement, title: string): void {
  const whole = location.href;
  const told = make("p", { className: "told", attributes: { role: "status" } });
  const tell = (text: string): void => fill(told, text);
  const copyWhole = button("Copy the whole link", () => copy(whole, "The whole link is copied.", tell), "button quiet");
  const hide = button(
    "Take the message out",
    () => {
      history.replaceState(history.state, "", location.pathname + location.search);
      document.title = title; // the history keeps it, and a phone shares it beside the link
      hide.disabled = true;
      tell("The message is out of the address bar. The link there now can be shared without it.");
    },
    "button quiet",
  );
  const copyBare = button(
    "Copy the link without it",
    () => copy(location.origin + location.pathname + location.search, "The link without the message is copied.", tell),
    "button quiet",
  );
  const choices = make("div", { className: "choices" }, copyWhole, copyBare, hide);
  fill(
    place,
    make("details", {}, make("summary", {}, "Share or hide the message"), make("p", {}, WORDS), choices, told),
  );
}

async function copy(text: string, done: string, tell: (text: string) => void): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
    tell(done);
  } catch {
    tell("Your browser did not allow that. Copy the link from the address bar.");
  }
}
