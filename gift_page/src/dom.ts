/** Elements made of text: nothing that a person or a link wrote is ever read as markup. */
import { phrase } from "./phrases.ts";

type Child = Node | string | null | false;
type Properties<K extends keyof HTMLElementTagNameMap> = Partial<
  Omit<HTMLElementTagNameMap[K], "attributes" | "style" | "innerHTML" | "outerHTML" | "insertAdjacentHTML">
> & {
  /** Attributes that are no properties: aria-*, role, data-*, for, ... */
  attributes?: Record<string, string>;
};

/** `make("p", { className: "dim" }, "text", element)`; strings become text nodes, null and false nothing. */
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  { attributes, ...properties }: Properties<K> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  Object.assign(element, properties);
  for (const [name, value] of Object.entries(attributes ?? {})) element.setAttribute(name, value);
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

export function button(text: string, onClick: () => unknown, className: string = "button"): HTMLButtonElement {
  const made = make("button", { type: "button", className }, text);
  made.addEventListener("click", () => void onClick());
  return made;
}

/** Throws where the server's page has no such element. */
export function part(id: string): HTMLElement {
  const found = document.getElementById(id);
  if (found === null) throw new Error(`the page has no part ${id}`);
  return found;
}

/** Replaces what is in it. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren(...children.filter((child) => child !== null && child !== false));
}

/** The title of the tab, without the marks of direction that a sentence may hold: some browsers draw them as boxes. */
export function setTitle(words: string): void {
  document.title = words.replace(/[\u2066-\u2069]/g, "");
}

/** Return a sentence to go on with: the foot of this page says how to reach the organisation. Empty if it has its name
 * alone, or nothing. */
export function askUs(): string {
  return document.querySelectorAll("footer bdi").length > 1 ? ` ${phrase("ask-us")}` : "";
}

/** A phrase with an element in the place of one of its values. */
export function around(
  id: string,
  name: string,
  element: Node,
  values: Record<string, string> = {},
): (Node | string)[] {
  const mark = "\u0000";
  const [before = "", after = ""] = phrase(id, { ...values, [name]: mark }).split(mark);
  return [before, element, after];
}
