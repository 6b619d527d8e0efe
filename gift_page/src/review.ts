/** The last look before a gift is sealed: the same facts, whatever way it is opened in. No wallet was asked until then. */
import { plainAmount } from "./amount.ts";
import { group, type Wish } from "./create_form.ts";
import type { GiverWallet } from "./create_wallet.ts";
import { make } from "./dom.ts";
import { phrase } from "./phrases.ts";
import { localTime } from "./words.ts";

/** `actions`: the buttons below it. */
export function review(wish: Wish, { chain, asksWhere }: GiverWallet, ...actions: HTMLElement[]): HTMLElement {
  const { token, units, opensOn } = wish;
  return group(
    phrase("review"),
    make(
      "dl",
      { className: "review" },
      ...row(phrase("review-gift"), phrase("review-amount", { gift: `${plainAmount(units, token.decimals)} ${token.symbol}`, network: chain.chainName })),
      ...row(phrase("review-for"), recipient(wish)),
      ...row(phrase("review-opens"), phrase("review-moment", { moment: localTime(opensOn) })),
      ...(wish.mode === "email" ? row(phrase("review-lands"), whereEmailGiftsLand(asksWhere)) : []),
      ...row(phrase("review-fee"), phrase("review-fee-words")),
    ),
    make("p", { className: "notice" }, phrase("review-final")),
    make("div", { className: "row" }, ...actions),
  );
}

/** `asksWhere`: whether the recipient is asked for another wallet. */
export function whereEmailGiftsLand(asksWhere: boolean): string {
  return phrase(asksWhere ? "review-lands-own" : "review-lands-email", { site: location.host });
}

function recipient({ mode, address, email }: Wish): string {
  if (mode === "paper") return phrase("review-for-paper");
  if (mode === "email") return phrase("review-for-email", { email });
  return phrase("review-for-wallet", { address });
}

function row(name: string, value: string): HTMLElement[] {
  return [make("dt", {}, name), make("dd", { dir: "auto" }, value)];
}
