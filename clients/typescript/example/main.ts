/** Saves the recipients of a legacy and seals a gift: a page with a browser wallet, viem and the package. */
import {
  type Bodies,
  Refused,
  ReminderWorker,
  signIngest,
  signRead,
  signRehearsal,
  Unreachable,
  type Wallet,
} from "reminder-worker-client";
import { claimLink } from "reminder-worker-client/claim-links";
import { sealing } from "reminder-worker-client/sealing";
import { encode, sealedIn, walletOf } from "reminder-worker-client/viem";
import {
  type Account,
  createPublicClient,
  createWalletClient,
  custom,
  defineChain,
  type EIP1193Provider,
  parseEther,
  type WalletClient,
} from "viem";

// Of the local stack: copy its `.local/frontend.env` to `.env` beside this file.
const {
  VITE_API = "http://127.0.0.1:8080",
  VITE_CHAIN_ID = "31337",
  VITE_TIME_LOCK_ROUTER = "",
  VITE_TIMELOCK_ERC20 = "",
  VITE_WRAPPED_ETHER = "",
} = import.meta.env;

const chain = defineChain({
  id: Number(VITE_CHAIN_ID),
  name: "The protocol's chain",
  nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
  rpcUrls: { default: { http: [] } }, // everything goes by the wallet's own connection
});
const worker = new ReminderWorker(VITE_API);

async function connect(): Promise<WalletClient & { account: Account }> {
  const provider = await firstProvider();
  const [account] = await provider.request({ method: "eth_requestAccounts" });
  if (account === undefined) throw new Error("The wallet gives no account.");
  return createWalletClient({ account, chain, transport: custom(provider) });
}

/** By EIP-6963. */
function firstProvider(): Promise<EIP1193Provider> {
  return new Promise((resolve, reject) => {
    window.addEventListener("eip6963:announceProvider", (event) => {
      resolve((event as CustomEvent<{ provider: EIP1193Provider }>).detail.provider);
    });
    window.dispatchEvent(new Event("eip6963:requestProvider"));
    setTimeout(() => reject(new Error("This browser has no wallet.")), 1000);
  });
}

async function saveRecipients(form: FormData): Promise<string> {
  const signer = await connect();
  const wallet = walletOf(signer);
  const legacy = text(form, "legacy");
  const owner = { recipient: signer.account.address, role: "owner", email: text(form, "owner"), name: "" } as const;
  const heir = { recipient: text(form, "heir"), role: "beneficiary", email: text(form, "email"), name: "" } as const;
  // What is not in the set is deleted, and so are the owner's words: read them, and hand them back.
  const { ownerName, title } = await read(wallet, legacy);
  const deadline = await worker.deadline();
  const body = await signIngest(wallet, chain.id, legacy, deadline, [owner, heir], { ownerName, title });
  await worker.post("/ingest-legacy", body);
  const { recipients } = await read(wallet, legacy);
  return `Saved: ${recipients
    .map(({ email }) => email)
    .sort()
    .join(" and ")}.`;
}

/** What became of the last emails to each person, the newest first. */
async function readReceipts(form: FormData): Promise<string> {
  const { recipients } = await read(walletOf(await connect()), text(form, "legacy"));
  const lines = recipients.map(({ email, lastEmails }) => {
    const said = lastEmails.map(({ day, kind, outcome, why }) => `${day} ${kind} ${outcome}${why ? ` (${why})` : ""}`);
    return `${email}: ${said.join(", ") || "no email so far"}.`;
  });
  return lines.sort().join(" ");
}

async function read(wallet: Wallet, legacy: string): Promise<Bodies["RecipientsAnswer"]> {
  return worker.post("/recipients", await signRead(wallet, chain.id, legacy, await worker.deadline()));
}

/** Lists the emails to come, and the reasons for missing emails. */
async function rehearse(form: FormData): Promise<string> {
  const wallet = walletOf(await connect());
  const body = await signRehearsal(wallet, chain.id, text(form, "legacy"), await worker.deadline(), true);
  const { people, windows } = await worker.post("/rehearsal", body);
  const rows = windows.flatMap(({ emailsAt, people }) =>
    people.map(({ recipient, reasons, email }) => {
      const row = document.createElement("li");
      row.textContent = `${emailsAt.slice(0, 10)} ${recipient}: ${email?.subject ?? reasons.join(", ")}`;
      row.title = email?.text ?? "";
      return row;
    }),
  );
  document.querySelector("#windows")?.replaceChildren(...rows);
  const silent = people.filter(({ willBeTold }) => !willBeTold);
  return silent.length === 0
    ? "Everybody will be told."
    : `Will not be told: ${silent.map(({ recipient, reasons }) => `${recipient} (${reasons.join(", ")})`).join("; ")}.`;
}

async function sealGift(form: FormData): Promise<string> {
  const signer = await connect();
  const reader = createPublicClient({ chain, transport: custom(signer.transport) });
  const recipient = text(form, "recipient");
  const opensAt = BigInt(Date.parse(text(form, "day")) / 1000);
  const { timestamp } = await reader.getBlock();
  const call = sealing({
    router: VITE_TIME_LOCK_ROUTER,
    recipient,
    asset: { wrappedEther: VITE_WRAPPED_ETHER, wei: parseEther(text(form, "ether")) },
    duration: opensAt - timestamp,
    deadline: timestamp + 3600n,
  });
  const hash = await signer.sendTransaction({ ...encode(call), account: signer.account, chain });
  const { logs } = await reader.waitForTransactionReceipt({ hash });
  const { timelockId } = sealedIn(logs, VITE_TIMELOCK_ERC20, recipient);
  const letter = { to: text(form, "to"), from: "", note: "" };
  const place = { origin: VITE_API, prefix: "gifts" };
  return `Sealed: ${claimLink(place, chain.id, timelockId, { occasion: "birthday" }, letter)}`;
}

function text(form: FormData, name: string): string {
  return String(form.get(name)).trim();
}

function listen(id: string, work: (form: FormData) => Promise<string>): void {
  document.querySelector<HTMLFormElement>(`#${id}`)?.addEventListener("submit", (event) => {
    event.preventDefault();
    void show(work(new FormData(event.currentTarget as HTMLFormElement)));
  });
}

async function show(work: Promise<string>): Promise<void> {
  const said = document.querySelector("#said");
  if (said) said.textContent = "Your wallet asks …";
  const words = await work.catch(explain);
  if (said) said.textContent = words;
}

function explain(error: unknown): string {
  if (error instanceof Refused) return `Refused (${error.code}): ${error.problem.detail}`;
  if (error instanceof Unreachable) return "The service does not answer.";
  return error instanceof Error ? error.message : "That did not work.";
}

listen("recipients", saveRecipients);
document.querySelector<HTMLButtonElement>("#rehearse")?.addEventListener("click", ({ currentTarget }) => {
  const { form } = currentTarget as HTMLButtonElement;
  if (form) void show(rehearse(new FormData(form)));
});
listen("receipts", readReceipts);
listen("gift", sealGift);
