/**
 * A withdrawal whose fee the recipient pays: from the wallet's transaction to the gift received, also after a reload.
 */
import { button } from "./dom.ts";
import { type Facts, isClaimed } from "./facts.ts";
import { phrase } from "./phrases.ts";
import { Progress } from "./progress.ts";
import { type Paid, remember } from "./remembered.ts";
import { discover, outcome, type Wallet } from "./wallets.ts";

const FIRST_MILLISECONDS = 1_500;
const MOST_MILLISECONDS = 8_000;
/** Resume a transaction sent before a reload of this tab; only its own wallet here knows the transaction. */
export function resumedPaid(place: HTMLElement, facts: Facts, sent: Paid, again: () => void): void {
  let wallets: Wallet[] = [];
  discover((found) => {
    wallets = found;
  });
  void selfPaid(place, facts, sent, () => wallets, again, sent.hash === null ? "wallet-was-asked" : "wallet-still");
}

/** `wallets`: who may know what became of it; the gift itself tells, too. `words`: name of a phrase. */
export async function selfPaid(
  place: HTMLElement,
  facts: Facts,
  sent: Paid,
  wallets: () => Wallet[],
  again: () => void,
  words: string = "now-broadcast",
): Promise<void> {
  let isGivenUp = false;
  let isSilent = false;
  const anew = button(phrase("start-again"), giveUp, "button quiet");
  const { hash, what } = sent;
  const progress = new Progress(place, facts, what, hash === null ? "wallet-look" : undefined);
  remember(facts, sent);
  progress.transaction(hash);
  for (let pause = FIRST_MILLISECONDS; ; pause = Math.min(pause * 1.4, MOST_MILLISECONDS)) {
    const isLong = words !== "now-broadcast" || pause === MOST_MILLISECONDS;
    const now = isLong && words === "now-broadcast" ? "wallet-still" : words;
    progress.at(hash === null ? 0 : 2, phrase(isSilent ? "wallet-silent" : now), isLong ? anew : null);
    await new Promise((resolve) => setTimeout(resolve, pause));
    const ask = (wallet: Wallet, sent: string) =>
      outcome(wallet, sent, facts.timelockId).catch(() => "silent" as const);
    const outcomes = await Promise.all(hash === null ? [] : wallets().map((wallet) => ask(wallet, hash)));
    isSilent = outcomes.length > 0 && outcomes.every((each) => each === "silent");
    // A wallet that sped up has sent a new transaction: only the gift itself shows the result then.
    const isDone = outcomes.includes(true) || (await isClaimed(facts));
    if (isGivenUp) return;
    if (!isDone && !outcomes.includes(false)) continue;
    remember(facts, null);
    if (isDone) return progress.done("wallet");
    return progress.failed(phrase("trouble-refused"), again);
  }

  function giveUp(): void {
    isGivenUp = true;
    remember(facts, null);
    again();
  }
}
