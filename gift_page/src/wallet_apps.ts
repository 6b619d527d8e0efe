/**
 * Links that open this page in the browser of a wallet app, by the forms that the makers of the apps publish.
 *
 * The servers of these makers read the links. No link holds the fragment of this page, because the letter is in it.
 */
import { make } from "./dom.ts";
import { phrase } from "./phrases.ts";

const PHONE = /android|iphone|ipad|ipod/i;

const APPS: Record<string, (page: URL) => string> = {
  // https://docs.metamask.io/sdk/guides/use-deeplinks
  MetaMask: ({ host, pathname, search }) => `https://link.metamask.io/dapp/${host}${pathname}${search}`,
  // https://developer.trustwallet.com/developer/develop-for-trust/deeplinking
  "Trust Wallet": ({ href }) => `https://link.trustwallet.com/open_url?coin_id=60&url=${encodeURIComponent(href)}`,
  // https://docs.cdp.coinbase.com/coinbase-wallet/developer-guidance/mobile-dapp-integration
  "Coinbase Wallet": ({ href }) => `https://go.cb-w.com/dapp?cb_url=${encodeURIComponent(href)}`,
};

/** Elements for a phone without a wallet in this browser; none elsewhere. `hasLetter`: the page has one, which stays. */
export function appLinks(hasLetter: boolean = location.hash !== ""): HTMLElement[] {
  if (!PHONE.test(navigator.userAgent)) return [];
  const page = new URL(location.pathname + location.search, location.origin);
  const links = Object.entries(APPS).map(([name, link]) =>
    make("a", { className: "button quiet", href: link(page), rel: "noreferrer" }, name),
  );
  const parts = [make("p", {}, phrase("wallet-apps")), make("p", { className: "choices" }, ...links)];
  if (hasLetter) parts.push(make("p", { className: "dim" }, phrase("wallet-apps-letter")));
  return parts;
}
