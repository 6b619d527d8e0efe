/** Steps and transaction of something under way, as the pages of a gift and of a legacy show them. */
import { make } from "./dom.ts";
import { phrase } from "./phrases.ts";
import { shortly } from "./words.ts";

/** Step `now` is under way; the ones before it are done. */
export function markSteps(steps: readonly HTMLElement[], now: number): void {
  steps.forEach((item, index) => {
    item.className = index < now ? "done" : index === now ? "now" : "";
    if (index === now) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
}

/** A link to the chain's block explorer; without one the hash alone. */
export function transactionLink(hash: string, explorerUrl: string | null): HTMLElement {
  const short = { hash: shortly(hash, 10, 6) };
  const href = explorerUrl === null ? null : `${explorerUrl.replace(/\/$/, "")}/tx/${hash}`;
  return href === null
    ? make("code", { title: hash }, phrase("transaction", short))
    : make("a", { href, target: "_blank", rel: "noopener noreferrer" }, phrase("see-transaction", short));
}
