/** What a visitor with a wallet can do on the page of a legacy; loaded only then. */
import { Refused, Unreachable } from "./api.ts";
import { around, button, fill, make } from "./dom.ts";
import { Wrong } from "./field_errors.ts";
import { fetchLegacy, type LegacyFacts, type Place } from "./legacy_facts.ts";
import { showHeir } from "./legacy_heir.ts";
import { offerPapers, showOwner } from "./legacy_owner.ts";
import { isSame, lineOf, ownerOf, type People, peopleOf, safesOf } from "./legacy_people.ts";
import { type Deed, followOwn, followRelayed, offerToLeave, rememberedDeed } from "./legacy_progress.ts";
import { showSafe } from "./legacy_safe.ts";
import { phrase } from "./phrases.ts";
import { LEGACY_PROBLEMS } from "./problems.ts";
import { type SendWords, WalletChain } from "./wallet_chain.ts";
import { appLinks } from "./wallet_apps.ts";
import { discover, goToChain, type Wallet, whatWentWrong } from "./wallets.ts";
import { inWords, InWords, shortly } from "./words.ts";

/** A connected wallet on the page of a legacy. */
export interface Visit {
  facts: LegacyFacts;
  wallet: Wallet;
  chain: WalletChain;
  people: People;
  /** Where what is under way is shown, in the place of everything else. */
  ways: HTMLElement;
  /** From the start, with newer facts. */
  again: () => void;
}

const WORDS: SendWords = { tooLittle: "wallet-no-ether", wouldFail: "trouble-refused", failed: "trouble-refused" };
/** The link of an email carries the end of its recipient's address, which no server sees. */
const ENDING = /^#wallet=([0-9a-f]{4})$/i;

/** The name that the wallet shows when it asks for a signature: visitors have met it nowhere else. */
export function nameShown(): string {
  return phrase("legacy-wallet-names", { contract: "10102 Legacy Sponsored" });
}

/** First what this tab has under way. Throws `Refused` and `Unreachable`. */
export async function offerWays(ways: HTMLElement, place: Place): Promise<void> {
  const facts = await fetchLegacy(place);
  const again = (): void => void offerWays(ways, place).catch((error: unknown) => showTrouble(ways, error, again));
  const deed = rememberedDeed(facts);
  if (deed?.id !== undefined) return followRelayed(ways, facts, deed, again);
  if (deed?.hash !== undefined) return resumeOwn(ways, facts, deed, again);
  askForWallet(ways, facts, again);
}

function showTrouble(ways: HTMLElement, error: unknown, again: () => void): void {
  const words = make("p", { className: "problem", attributes: { role: "alert" } }, inWords(error, LEGACY_PROBLEMS));
  fill(ways, words, button(phrase("try-again"), again));
}

/** A transaction that was sent before a reload of this tab: the wallet that sent it knows it. */
function resumeOwn(ways: HTMLElement, facts: LegacyFacts, deed: Deed, again: () => void): void {
  let isFound = false;
  const more = make("div", { className: "choices" });
  fill(ways, make("p", { className: "dim busy" }, phrase("one-moment")), more);
  offerToLeave(more, facts, () => {
    isFound = true; // no wallet is looked for any more
    again();
  });
  discover((wallets) => {
    for (const wallet of wallets) {
      void WalletChain.open(wallet, facts.chainId, WORDS).then(
        (chain) => {
          if (isFound || !isSame(chain.account, deed.account)) return;
          isFound = true;
          void followOwn(ways, facts, deed, chain, again);
        },
        () => undefined, // it is not connected
      );
    }
  });
}

function askForWallet(ways: HTMLElement, facts: LegacyFacts, again: () => void): void {
  const list = make("div", { className: "wallets" });
  const asking = make("p", { className: "told", attributes: { role: "status" } });
  const told = make("p", { className: "problem", attributes: { role: "alert" } });
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-connect"));
  fill(ways, heading, make("p", {}, phrase("legacy-connect-words")), list, asking, told);
  fill(list, make("p", { className: "dim" }, phrase("wallet-none")), ...appLinks(false));
  const connect = async (wallet: Wallet): Promise<void> => {
    if (list.getAttribute("aria-busy") === "true") return fill(told, phrase("wallet-busy"));
    list.setAttribute("aria-busy", "true");
    fill(told);
    fill(asking, phrase("wallet-asks", { wallet: wallet.name }));
    try {
      await wallet.provider.request({ method: "eth_requestAccounts" });
      await goToChain(wallet, facts);
      const chain = await WalletChain.open(wallet, facts.chainId, WORDS);
      const people = await peopleOf(chain, facts.legacy);
      await showPerson({ facts, wallet, chain, people, ways, again });
    } catch (error) {
      fill(told, troubleWords(wallet, error));
    }
    fill(asking);
    list.removeAttribute("aria-busy");
  };
  discover((wallets) => {
    const rows = wallets.map((wallet) => {
      const icon = wallet.icon !== "" && make("img", { src: wallet.icon, alt: "", width: 32, height: 32 });
      const name = make("p", { className: "name" }, icon, wallet.name);
      const choose = button(phrase("legacy-connect-wallet", { wallet: wallet.name }), () => connect(wallet));
      return make("div", { className: "wallet" }, name, make("div", { className: "choices" }, choose));
    });
    fill(list, ...rows);
  });
}

/** Why a wallet, the network or the service did not do something. */
export function troubleWords(wallet: Wallet, error: unknown): string {
  if (error instanceof Wrong) return error.message;
  const isKnown = error instanceof Refused || error instanceof Unreachable || error instanceof InWords;
  return isKnown ? inWords(error, LEGACY_PROBLEMS) : whatWentWrong(wallet, error);
}

/** Show what the connected account can do: as the owner, as an heir, or as a signer of a Safe that is one of them. */
async function showPerson(visit: Visit): Promise<void> {
  const { facts, chain, people, ways, again } = visit;
  const { account } = chain;
  const panels: HTMLElement[] = [];
  const tasks = await safesOf(chain, facts, people);
  const isOwner = isSame(account, ownerOf(facts, people));
  if (isOwner) panels.push(await showOwner(visit));
  const line = lineOf(people, account);
  if (line !== null) panels.push(await showHeir(visit, line));
  for (const task of tasks) panels.push(await showSafe(visit, task));
  const isHandedOver = facts.kind === "safe" && facts.state === "claimed";
  if ((isOwner || tasks.some((task) => task.isOwner)) && !isHandedOver) panels.push(offerPapers(visit));
  const other = button(phrase("legacy-other-wallet"), again, "button quiet");
  const is = make("p", { className: "dim" }, ...around("legacy-connected", "account", codeOf(account)));
  fill(ways, ...(panels.length > 0 ? panels : [describeStranger(account)]), is, other);
  ways.querySelector("h2")?.focus();
}

function codeOf(account: string): HTMLElement {
  return make("code", { title: account }, shortly(account));
}

/** The end of the right address stays in the fragment of the link: it is compared here. */
function describeStranger(account: string): HTMLElement {
  const ending = ENDING.exec(location.hash)?.[1]?.toLowerCase();
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-not-this-wallet"));
  const isAnother = ending !== undefined && !account.toLowerCase().endsWith(ending);
  const words = isAnother
    ? around("legacy-wallet-ends", "ending", make("code", {}, `…\u2060${ending}`))
    : [phrase("legacy-not-named")];
  const advice = make("p", {}, phrase("legacy-find-wallet"));
  return make("div", { className: "panel" }, heading, make("p", {}, ...words), advice);
}
