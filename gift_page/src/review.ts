/** The last look before a gift is sealed: the same facts, whatever way it is opened in. No wallet was asked until then. */
import { plainAmount } from "./amount.ts";
import { group, type Wish } from "./create_form.ts";
import { make } from "./dom.ts";
import { localTime } from "./words.ts";

/** `actions`: the buttons below it. */
export function review(wish: Wish, chainName: string, ...actions: HTMLElement[]): HTMLElement {
  const { token, units, opensOn } = wish;
  return group(
    "Please read this once more",
    make(
      "dl",
      { className: "review" },
      ...row("The gift", `${plainAmount(units, token.decimals)} ${token.symbol}, on ${chainName}`),
      ...row("For", recipient(wish)),
      ...row("Opens", `${localTime(opensOn)}, in your time zone`),
      ...row("Network fee", "You pay it in ETH. Your wallet shows how much it is before you agree."),
    ),
    make(
      "p",
      { className: "notice" },
      "Once it is sealed, nothing of this can be changed. Nobody can take the gift back, and nobody can open it earlier: not " +
        "you, and not us.",
    ),
    make("div", { className: "row" }, ...actions),
  );
}

function recipient({ mode, address, email }: Wish): string {
  if (mode === "paper") return "Whoever has the printed sheet. Please keep it as you would keep cash.";
  if (mode === "email") return `Whoever reads the mailbox ${email}. A wallet is made for it if it has none yet.`;
  return `The wallet ${address}. Only it can open the gift.`;
}

function row(name: string, value: string): HTMLElement[] {
  return [make("dt", {}, name), make("dd", { dir: "auto" }, value)];
}
