/** Opening a gift with a wallet of this browser: free when the service pays the fee, or at one's own. */
import { around, button, fill, make } from "./dom.ts";
import { type Facts, fetchFacts } from "./facts.ts";
import { phrase } from "./phrases.ts";
import { resumed, sponsored } from "./progress.ts";
import { remember, remembered } from "./remembered.ts";
import { selfPaid } from "./self_paid.ts";
import { appLinks } from "./wallet_apps.ts";
import { connect, discover, sendWithdrawal, type Wallet } from "./wallets.ts";
import { signWithdrawAuth } from "./withdraw_auth.ts";
import { amounts, inWords, shortly } from "./words.ts";

/** `whyNot`: why the service does not pay the fee now, in words; null when it does. */
export function offerWallets(
  facts: Facts,
  place: HTMLElement,
  ways: HTMLElement,
  whyNot: string | null,
  again: () => void,
): void {
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const asking = make("p", { className: "told", attributes: { role: "status" } });
  const list = make("div", { className: "wallets" });
  const wrapped = make("input", { type: "checkbox" });
  const instead = facts.assets.find((asset) => asset.asEther === true || asset.soldForEther === true);
  const kept =
    instead?.asEther === true
      ? phrase("wallet-keep-weth")
      : instead?.symbol
        ? phrase("wallet-keep-token", { symbol: instead.symbol })
        : phrase("wallet-keep-tokens");
  const option = make("label", { className: "option", hidden: true }, wrapped, ` ${kept}`);
  fill(
    place,
    make(
      "p",
      {},
      ...around("wallet-sealed-for", "account", make("code", { title: facts.recipient }, shortly(facts.recipient))),
    ),
    whyNot !== null && make("p", { className: "notice" }, `${whyNot} ${phrase("wallet-self-paid-works")}`),
    list,
    asking,
    told,
    option,
  );
  none(list, facts);

  const run = async (wallet: Wallet, work: () => Promise<void>): Promise<void> => {
    if (list.getAttribute("aria-busy") === "true") {
      fill(told, phrase("wallet-busy"));
      return;
    }
    list.setAttribute("aria-busy", "true");
    fill(told);
    fill(asking, phrase("wallet-asks", { wallet: wallet.name }));
    try {
      await work();
    } catch (error) {
      fill(told, inWords(error));
    }
    fill(asking);
    list.removeAttribute("aria-busy");
  };
  const free = (wallet: Wallet): Promise<void> =>
    run(wallet, async () => {
      const sent = remembered(facts);
      if (sent !== null && "id" in sent) return resumed(ways, facts, sent, again); // it waits, and goes on by itself
      const signer = await connect(wallet, facts);
      const fresh = await fetchFacts(facts.chainId, facts.timelockId);
      const request = await signWithdrawAuth(fresh, signer, wrapped.checked);
      void sponsored(ways, fresh, request, "wallet", again);
    });
  const paid = (wallet: Wallet): Promise<void> =>
    run(wallet, async () => {
      const { address } = await connect(wallet, facts);
      const skipSwap = wrapped.checked;
      const what = amounts(facts.assets, skipSwap);
      const before = remembered(facts);
      remember(facts, { hash: null, what }); // the wallet's question outlives a reload of this page
      const hash = await sendWithdrawal(wallet, facts, address, skipSwap).catch((error: unknown) => {
        remember(facts, before);
        throw error;
      });
      void selfPaid(ways, facts, { hash, what }, () => [wallet], again);
    });
  discover((wallets) => {
    option.hidden = instead === undefined;
    fill(list, ...wallets.map((wallet) => row(wallet, whyNot === null, free, paid)));
  });
}

function none(list: HTMLElement, { recipient }: Facts): void {
  const marks = new URLSearchParams(location.search);
  const isForWallet = !["paper", "email"].some((way) => marks.get(way) === "1");
  const account = make("code", { title: recipient }, shortly(recipient));
  const lost = isForWallet && make("p", {}, ...around("wallet-lost", "account", account));
  fill(list, make("p", { className: "dim" }, phrase("wallet-none")), lost, ...appLinks());
}

function row(
  wallet: Wallet,
  isSponsored: boolean,
  free: (wallet: Wallet) => Promise<void>,
  paid: (wallet: Wallet) => Promise<void>,
): HTMLElement {
  const icon = wallet.icon !== "" && make("img", { src: wallet.icon, alt: "", width: 32, height: 32 });
  const own = button(phrase("wallet-pay-fee"), () => paid(wallet), isSponsored ? "button quiet" : "button");
  own.setAttribute("aria-label", phrase("wallet-pay-fee-with", { wallet: wallet.name }));
  const gratis = isSponsored && button(phrase("wallet-open-free", { wallet: wallet.name }), () => free(wallet));
  return make(
    "div",
    { className: "wallet" },
    make("p", { className: "name" }, icon, wallet.name),
    make("div", { className: "choices" }, gratis, own),
  );
}
