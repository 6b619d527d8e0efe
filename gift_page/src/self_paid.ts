/** A withdrawal whose fee the recipient pays: from the wallet's transaction to the gift received, also after a reload. */
import { button } from "./dom.ts";
import { type Facts, isClaimed } from "./facts.ts";
import { ON_ITS_WAY, Progress } from "./progress.ts";
import { type Paid, remember } from "./remembered.ts";
import { discover, outcome, type Wallet } from "./wallets.ts";

const FIRST_MILLISECONDS = 1_500;
const MOST_MILLISECONDS = 8_000;
const NOBODY = "It is on its way, but nobody answers right now. It is asked again…";
const STILL =
  "It is on its way, as far as this page knows. If you stopped it in your wallet, you can start again; nothing can be " +
  "opened twice.";
const ASKED =
  "Your wallet was asked before this page was loaded again. If you agreed there, your gift is on its way; if you did not, " +
  "start again. Nothing can be opened twice.";

/** Resume a transaction sent before a reload of this tab; only its own wallet here knows the transaction. */
export function resumedPaid(place: HTMLElement, facts: Facts, sent: Paid, again: () => void): void {
  let wallets: Wallet[] = [];
  discover((found) => {
    wallets = found;
  });
  void selfPaid(place, facts, sent, () => wallets, again, sent.hash === null ? ASKED : STILL);
}

/** `wallets`: who may know what became of it; the gift itself tells, too. */
export async function selfPaid(
  place: HTMLElement,
  facts: Facts,
  sent: Paid,
  wallets: () => Wallet[],
  again: () => void,
  words: string = ON_ITS_WAY,
): Promise<void> {
  let isGivenUp = false;
  let isSilent = false;
  const anew = button("Start again", giveUp, "button quiet");
  const { hash, what } = sent;
  const progress = new Progress(place, facts, what, hash === null ? "Please look in your wallet" : undefined);
  remember(facts, sent);
  progress.transaction(hash);
  for (let pause = FIRST_MILLISECONDS; ; pause = Math.min(pause * 1.4, MOST_MILLISECONDS)) {
    const isLong = words !== ON_ITS_WAY || pause === MOST_MILLISECONDS;
    const now = isLong && words === ON_ITS_WAY ? STILL : words;
    progress.at(hash === null ? 0 : 2, isSilent ? NOBODY : now, isLong ? anew : null);
    await new Promise((resolve) => setTimeout(resolve, pause));
    const ask = (wallet: Wallet, sent: string) => outcome(wallet, sent, facts.timelockId).catch(() => "silent" as const);
    const outcomes = await Promise.all(hash === null ? [] : wallets().map((wallet) => ask(wallet, hash)));
    isSilent = outcomes.length > 0 && outcomes.every((each) => each === "silent");
    // A wallet that sped up has sent a new transaction: only the gift itself shows the result then.
    const isDone = outcomes.includes(true) || (await isClaimed(facts));
    if (isGivenUp) return;
    if (!isDone && !outcomes.includes(false)) continue;
    remember(facts, null);
    if (isDone) return progress.done("wallet");
    return progress.failed("The network refused the transaction. The gift is still there.", again);
  }

  function giveUp(): void {
    isGivenUp = true;
    remember(facts, null);
    again();
  }
}
