/**
 * How a frontend talks to the recipient, relay and gift endpoints of the Reminder Worker (ethers 6).
 *
 * Every request carries an EIP-712 message signed by the legacy's on-chain `creator()`; a recipient may sign to be
 * erased (`signEraseRecipient`). A message works once and until its deadline, at most an hour ahead. If two messages write the same legacy (ingest, erase), the later deadline
 * wins and an equal deadline is refused: sign writes in order, with the same life time.
 *
 * Safe and other smart wallets: `signature` is any value that their ERC-1271 `isValidSignature` accepts. `0x` stands
 * for an approval on chain and reads no recipients. Two wallets cannot sign: a wallet before its deployment (no ERC-6492),
 * and a Safe before 1.3.0 or without its fallback handler.
 *
 * The relay's authorizations (`signClaim`, `signCheckIn`, `signGiftWithdraw`) are for the routers, not for the service.
 * The router gives their domain and nonce. The chain's clock judges their deadline.
 *
 * A giver's messages (`signGiftEmailWallet`, `signGiftNotify`, `signGiftNotifyErase`) are for the service again. If two
 * concern the same gift, the later deadline wins, as above.
 */
import { Contract, concat, hexlify, keccak256, randomBytes, sha256, toUtf8Bytes, ZeroAddress, zeroPadValue } from "ethers";
import type { Provider, Signer, TypedDataDomain, TypedDataField } from "ethers";

/** The role decides the words of the email only; the recipients are read on chain. */
export type Role = "owner" | "cosigner" | "beneficiary" | "second_line" | "third_line";

export interface Recipient {
  /** Address of the person's wallet, unique in the set. */
  recipient: string;
  role: Role;
  email: string;
  /** At most 60 characters, may be empty; no web address and no telephone number. */
  name: string;
  /** Language of this person's emails; English without. */
  language?: Language;
}

export type Language = "en" | "es" | "fr" | "de" | "pt" | "it" | "ja" | "ko" | "zh-Hans" | "ar";

/** What the emails may say about a legacy. Both follow the rules of a recipient's name. */
export interface LegacyWords {
  /** Who made the plan: heirs then read whose it is. */
  ownerName?: string;
  /** Shown instead of the legacy's number, also in subjects: choose words that anybody may read. */
  title?: string;
}

/** Body of /recipients, /erase-legacy and /send-instructions. */
export interface SignedRequest {
  chainId: number;
  /** Address of the legacy's contract. */
  legacy: string;
  /** Unix seconds. */
  deadline: number;
  /** 0x and hex. */
  signature: string;
}

/** Body of /erase-recipient. */
export interface EraseRecipientRequest extends SignedRequest {
  /** Address of the wallet that signs, and is to be erased. */
  recipient: string;
}

/** Body of /ingest-legacy. */
export interface IngestRequest extends SignedRequest {
  /** JSON text. The signature covers the exact UTF-8 bytes: send the text unchanged, without parsing. */
  payload: string;
}

/** RFC 9457, the body of every refusal. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  /** For programs: signer_mismatch, premium_required, already_used, expired, rate_limited, ... */
  code: string;
  /** The bad fields by JSON pointer, for example /payload/recipients/3/email. */
  errors?: { pointer: string; detail: string }[];
}

export class Refused extends Error {
  constructor(
    readonly problem: Problem,
    /** Seconds to wait (429 and 503), if the server sends them. */
    readonly retryAfter: number | undefined,
  ) {
    super(problem.detail);
  }
}

/** 50 minutes: within the hour even if this clock is ahead of the server's. */
export const LIFE_TIME_SECONDS = 50 * 60;

const ABOUT_A_LEGACY: TypedDataField[] = [
  { name: "legacy", type: "address" },
  { name: "deadline", type: "uint256" },
];
const INGEST: TypedDataField[] = [
  { name: "legacy", type: "address" },
  { name: "payloadHash", type: "bytes32" },
  { name: "deadline", type: "uint256" },
];

/** The domain has no verifying contract: the message is for the service, not for a contract. */
function domain(chainId: number): TypedDataDomain {
  return { name: "Reminder Worker", version: "1", chainId };
}

export function newDeadline(): number {
  return Math.floor(Date.now() / 1000) + LIFE_TIME_SECONDS;
}

/** The random salt prevents guessing emails from the hash that a wallet shows and stores. */
export function makePayload(recipients: Recipient[], words: LegacyWords = {}): string {
  return JSON.stringify({ salt: hexlify(randomBytes(32)), recipients, ...words });
}

/** SHA-256 of the payload's UTF-8 bytes, as 0x hex. */
export function payloadHash(payload: string): string {
  return sha256(toUtf8Bytes(payload));
}

/** Save the complete set: other recipients are deleted. A single signature covers the set. */
export async function signIngest(
  signer: Signer,
  chainId: number,
  legacy: string,
  recipients: Recipient[],
  deadline: number = newDeadline(),
  words: LegacyWords = {},
): Promise<IngestRequest> {
  const payload = makePayload(recipients, words);
  const message = { legacy, payloadHash: payloadHash(payload), deadline };
  const signature = await signer.signTypedData(domain(chainId), { IngestLegacy: INGEST }, message);
  return { chainId, legacy, payload, deadline, signature };
}

/** Read the set back, to show or edit it. */
export function signRead(signer: Signer, chainId: number, legacy: string, deadline?: number): Promise<SignedRequest> {
  return signAboutLegacy(signer, "ReadRecipients", chainId, legacy, deadline);
}

/** Delete the whole set for good. */
export function signErase(signer: Signer, chainId: number, legacy: string, deadline?: number): Promise<SignedRequest> {
  return signAboutLegacy(signer, "EraseLegacy", chainId, legacy, deadline);
}

/** Delete the signer's own email and name from one legacy. The zero address stands for all legacies of the chain. */
export async function signEraseRecipient(
  signer: Signer,
  chainId: number,
  legacy: string,
  deadline: number = newDeadline(),
): Promise<EraseRecipientRequest> {
  const recipient = await signer.getAddress();
  const types = { EraseRecipient: [{ name: "recipient", type: "address" }, ...ABOUT_A_LEGACY] };
  const signature = await signer.signTypedData(domain(chainId), types, { recipient, legacy, deadline });
  return { chainId, recipient, legacy, deadline, signature };
}

/** Email the instructions to all recipients. The creator must also be the owner. */
export function signSendInstructions(
  signer: Signer,
  chainId: number,
  legacy: string,
  deadline?: number,
): Promise<SignedRequest> {
  return signAboutLegacy(signer, "SendInstructions", chainId, legacy, deadline);
}

async function signAboutLegacy(
  signer: Signer,
  primaryType: "ReadRecipients" | "EraseLegacy" | "SendInstructions",
  chainId: number,
  legacy: string,
  deadline: number = newDeadline(),
): Promise<SignedRequest> {
  const types = { [primaryType]: ABOUT_A_LEGACY };
  const signature = await signer.signTypedData(domain(chainId), types, { legacy, deadline });
  return { chainId, legacy, deadline, signature };
}

/** Fields of all three sponsored requests. Ids and nonces are decimal strings. */
interface SponsorRequest {
  chainId: number;
  nonce: string;
  deadline: number;
  signature: string;
}

/** Body of /sponsor/claim. */
export interface ClaimRequest extends SponsorRequest {
  router: string;
  legacyId: string;
  assets: string[];
  isETH: boolean;
  beneficiary: string;
}

/** Body of /sponsor/check-in. */
export interface CheckInRequest extends SponsorRequest {
  router: string;
  legacyId: string;
  owner: string;
}

/** Body of /sponsor/gift-withdraw. */
export interface GiftWithdrawRequest extends SponsorRequest {
  timelockId: string;
  skipSwap: boolean;
  recipient: string;
  /** The signed payee; absent: the recipient. Only for a router of version 2. */
  payTo?: string;
}

/** A relayed request. Sending an authorization again returns the same request. */
export interface Accepted {
  id: string;
  status: string;
  txHash: string | null;
}

export interface RelayRequest extends Accepted {
  lane: "claim" | "check_in" | "gift_withdraw";
  /** The known reason why an open request is not in a block yet. docs/relay.md explains each. */
  waitsFor: "fees" | "balance" | "daily_cap" | "chain" | "earlier" | "paused" | "would_fail" | null;
  blockNumber: number | null;
  error: { code: string; detail: string } | null;
  createdAt: string;
  updatedAt: string;
}

export interface SponsorStatus {
  gift: boolean;
  giftEmail: boolean;
  legacy: boolean;
  /** `giftPayTo`: a withdrawal may name its payee. */
  chains: { chainId: number; gift: boolean; giftPayTo: boolean; legacy: boolean; reason: string | null }[];
}

const ROUTER_ABI = [
  "function eip712Domain() view returns (bytes1, string, string, uint256, address, bytes32, uint256[])",
  "function sponsorNonce(address) view returns (uint256)",
];
const NONCE_AND_DEADLINE: TypedDataField[] = [
  { name: "nonce", type: "uint256" },
  { name: "deadline", type: "uint256" },
];
const CLAIM: TypedDataField[] = [
  { name: "beneficiary", type: "address" },
  { name: "legacyId", type: "uint256" },
  { name: "assetsHash", type: "bytes32" },
  { name: "isETH", type: "bool" },
  ...NONCE_AND_DEADLINE,
];
const CHECK_IN: TypedDataField[] = [
  { name: "owner", type: "address" },
  { name: "legacyId", type: "uint256" },
  ...NONCE_AND_DEADLINE,
];
const WITHDRAW: TypedDataField[] = [
  { name: "recipient", type: "address" },
  { name: "timelockId", type: "uint256" },
  { name: "skipSwap", type: "bool" },
  ...NONCE_AND_DEADLINE,
];
/** For version 2. */
const WITHDRAW_TO: TypedDataField[] = [
  { name: "recipient", type: "address" },
  { name: "payTo", type: "address" },
  ...WITHDRAW.slice(1),
];

/** Terms of a router: the domain of its authorizations, and the nonce of the signer's next authorization. */
export interface RouterTerms {
  domain: TypedDataDomain & { chainId: number; version: string };
  nonce: bigint;
  /** Unix seconds by the chain's clock; a check-in takes one hour at most. */
  deadline: number;
}

/** Read the terms from any provider of the chain; the signer needs no ether. `known`: versions of the domain. */
export async function routerTerms(
  provider: Provider,
  router: string,
  signer: string,
  known: string[] = ["1"],
): Promise<RouterTerms> {
  const contract = new Contract(router, ROUTER_ABI, provider);
  const [found, nonce, head] = await Promise.all([
    contract.getFunction("eip712Domain").staticCall(),
    contract.getFunction("sponsorNonce").staticCall(signer) as Promise<bigint>,
    provider.getBlock("latest"),
  ]);
  if (head === null) throw new Error("the chain does not answer");
  const [, name, version, chainId, verifyingContract] = found as [string, string, string, bigint, string];
  if (!known.includes(version)) throw new Error(`what is signed for version ${version} is not known here`);
  const domain = { name, version, chainId: Number(chainId), verifyingContract };
  return { domain, nonce, deadline: head.timestamp + LIFE_TIME_SECONDS };
}

/** keccak256 of the addresses as 32-byte words (Solidity: abi.encodePacked(address[])). */
export function assetsHash(assets: string[]): string {
  return keccak256(concat(assets.map((asset) => zeroPadValue(asset, 32))));
}

/** A beneficiary's claim of whitelisted tokens, and of ether with `isETH`. `router`: the TransferEOALegacyRouter. */
export async function signClaim(
  signer: Signer,
  provider: Provider,
  router: string,
  legacyId: bigint,
  assets: string[],
  isETH: boolean,
): Promise<ClaimRequest> {
  const beneficiary = await signer.getAddress();
  const terms = await routerTerms(provider, router, beneficiary);
  const message = { beneficiary, legacyId, assetsHash: assetsHash(assets), isETH };
  const signed = await signForRouter(signer, terms, { ClaimAuth: CLAIM }, message);
  return { ...signed, router, legacyId: legacyId.toString(), assets, isETH, beneficiary };
}

/** The owner's check-in; Premium. `router`: the TransferEOALegacyRouter. */
export async function signCheckIn(
  signer: Signer,
  provider: Provider,
  router: string,
  legacyId: bigint,
): Promise<CheckInRequest> {
  const owner = await signer.getAddress();
  const terms = await routerTerms(provider, router, owner);
  const signed = await signForRouter(signer, terms, { CheckInAuth: CHECK_IN }, { owner, legacyId });
  return { ...signed, router, legacyId: legacyId.toString(), owner };
}

/**
 * The recipient's withdrawal of a gift. `router`: the TimeLockRouter. `skipSwap`: pay the stored token, not ETH.
 * `payTo`: the payee instead of the recipient, for a router of version 2.
 */
export async function signGiftWithdraw(
  signer: Signer,
  provider: Provider,
  router: string,
  timelockId: bigint,
  skipSwap: boolean = false,
  payTo: string = ZeroAddress,
): Promise<GiftWithdrawRequest> {
  const recipient = await signer.getAddress();
  const terms = await routerTerms(provider, router, recipient, ["1", "2"]);
  const request = { timelockId: timelockId.toString(), skipSwap, recipient };
  if (terms.domain.version === "1") {
    if (payTo !== ZeroAddress) throw new Error("this router pays the recipient only");
    return { ...(await signForRouter(signer, terms, { WithdrawAuth: WITHDRAW }, request)), ...request };
  }
  const message = { ...request, payTo };
  return { ...(await signForRouter(signer, terms, { WithdrawAuth: WITHDRAW_TO }, message)), ...message };
}

async function signForRouter(
  signer: Signer,
  { domain, nonce, deadline }: RouterTerms,
  types: Record<string, TypedDataField[]>,
  message: Record<string, unknown>,
): Promise<SponsorRequest> {
  const signature = await signer.signTypedData(domain, types, { ...message, nonce, deadline });
  return { chainId: domain.chainId, nonce: nonce.toString(), deadline, signature };
}

/** Fields of all requests of a giver. */
interface GiverRequest {
  chainId: number;
  giver: string;
  /** Unix seconds. */
  deadline: number;
  signature: string;
}

/** Body of /gift/recipient-wallet. */
export interface GiftEmailWalletRequest extends GiverRequest {
  email: string;
}

/** Body of /gift/notify. */
export interface GiftNotifyRequest extends GiverRequest {
  /** JSON text. The signature covers the exact UTF-8 bytes: send the text unchanged, without parsing. */
  payload: string;
}

/** Body of /gift/notify/erase. */
export interface GiftNotifyEraseRequest extends GiverRequest {
  timelockId: string;
}

/** Notification of a gift's recipient. */
export interface GiftNotice {
  /** Decimal digits. */
  timelockId: string;
  recipientEmail: string;
  /** Names as in `Recipient`. */
  recipientName: string;
  giverName: string;
  /** The whole link with its fragment. */
  claimLink: string;
  /** Every mode emails on opening day; `immediate` and `scheduled` also before. */
  timing: "immediate" | "scheduled" | "none";
  /** Only with `scheduled`: RFC 3339 with the giver's offset, before the gift opens. */
  notifyAt?: string;
  /** Language of the emails; English without. */
  language?: Language;
}

const EMAIL_WALLET: TypedDataField[] = [
  { name: "emailHash", type: "bytes32" },
  { name: "deadline", type: "uint256" },
];
const NOTIFY: TypedDataField[] = [
  { name: "payloadHash", type: "bytes32" },
  { name: "deadline", type: "uint256" },
];
const NOTIFY_ERASE: TypedDataField[] = [
  { name: "timelockId", type: "uint256" },
  { name: "deadline", type: "uint256" },
];

/** An email as the server hashes it: trimmed, NFC, lower case, an ASCII domain (`xn--`). */
export function normaliseEmail(email: string): string {
  const text = email.trim().normalize("NFC").toLowerCase().normalize("NFC");
  const at = text.lastIndexOf("@");
  return text.slice(0, at + 1) + new URL(`https://${text.slice(at + 1)}`).hostname;
}

/** Sign for the wallet of an email, as the recipient of a gift. */
export async function signGiftEmailWallet(
  signer: Signer,
  chainId: number,
  email: string,
  deadline: number = newDeadline(),
): Promise<GiftEmailWalletRequest> {
  const message = { emailHash: sha256(toUtf8Bytes(normaliseEmail(email))), deadline };
  return { ...(await signAsGiver(signer, chainId, { GiftEmailWallet: EMAIL_WALLET }, message)), email };
}

/** Register an email to the recipient of a gift, replacing an earlier registration. Only the giver may sign. */
export async function signGiftNotify(
  signer: Signer,
  chainId: number,
  notice: GiftNotice,
  deadline: number = newDeadline(),
): Promise<GiftNotifyRequest> {
  const payload = JSON.stringify({ salt: hexlify(randomBytes(32)), ...notice });
  const message = { payloadHash: payloadHash(payload), deadline };
  return { ...(await signAsGiver(signer, chainId, { GiftNotify2: NOTIFY }, message)), payload };
}

/** Cancel all emails of a gift. */
export async function signGiftNotifyErase(
  signer: Signer,
  chainId: number,
  timelockId: string,
  deadline: number = newDeadline(),
): Promise<GiftNotifyEraseRequest> {
  const types = { GiftNotifyErase: NOTIFY_ERASE };
  return { ...(await signAsGiver(signer, chainId, types, { timelockId, deadline })), timelockId };
}

async function signAsGiver(
  signer: Signer,
  chainId: number,
  types: Record<string, TypedDataField[]>,
  message: Record<string, unknown> & { deadline: number },
): Promise<GiverRequest> {
  const signature = await signer.signTypedData(domain(chainId), types, message);
  return { chainId, giver: await signer.getAddress(), deadline: message.deadline, signature };
}

/** The calls themselves. Each throws `Refused` with the server's problem. */
export class ReminderWorker {
  constructor(private readonly baseUrl: string) {}

  ingest(request: IngestRequest): Promise<{ saved: number; shredded: number; erasedThemselves: string[] }> {
    return this.post("/ingest-legacy", request);
  }

  async recipients(request: SignedRequest): Promise<Recipient[]> {
    return (await this.post<{ recipients: Recipient[] }>("/recipients", request)).recipients;
  }

  erase(request: SignedRequest): Promise<{ shredded: number }> {
    return this.post("/erase-legacy", request);
  }

  eraseRecipient(request: EraseRecipientRequest): Promise<{ erased: number }> {
    return this.post("/erase-recipient", request);
  }

  sendInstructions(request: SignedRequest): Promise<{ queued: number }> {
    return this.post("/send-instructions", request);
  }

  /**
   * `Refused` with `daily_cap_reached`, `daily_cap_reserved`, `not_configured`, `relay_stopped` or
   * `router_version_unsupported`: paying one's own fee still works.
   */
  sponsorClaim(request: ClaimRequest): Promise<Accepted> {
    return this.post("/sponsor/claim", request);
  }

  sponsorCheckIn(request: CheckInRequest): Promise<Accepted> {
    return this.post("/sponsor/check-in", request);
  }

  sponsorGiftWithdraw(request: GiftWithdrawRequest): Promise<Accepted> {
    return this.post("/sponsor/gift-withdraw", request);
  }

  /** Poll every few seconds until `confirmed` or an `error`; `waitsFor` gives the reason of a delay. */
  sponsorRequest(id: string): Promise<RelayRequest> {
    return this.ask(`/sponsor/requests/${id}`, {});
  }

  /** Check this before offering sponsored requests. */
  sponsorStatus(): Promise<SponsorStatus> {
    return this.ask("/sponsor/status", {});
  }

  /** Seal the gift to this address. An email without a wallet may take more than a minute. */
  async giftEmailWallet(request: GiftEmailWalletRequest): Promise<string> {
    return (await this.post<{ address: string }>("/gift/recipient-wallet", request)).address;
  }

  giftNotify(request: GiftNotifyRequest): Promise<{ timing: string; notifyAt: string | null; unlockAt: string }> {
    return this.post("/gift/notify", request);
  }

  giftNotifyErase(request: GiftNotifyEraseRequest): Promise<{ erased: boolean }> {
    return this.post("/gift/notify/erase", request);
  }

  private post<T>(path: string, body: SignedRequest | SponsorRequest | GiverRequest): Promise<T> {
    const headers = { "Content-Type": "application/json" };
    return this.ask(path, { method: "POST", headers, body: JSON.stringify(body) });
  }

  private async ask<T>(path: string, options: RequestInit): Promise<T> {
    const response = await fetch(this.baseUrl + path, { ...options, cache: "no-store" });
    if (response.ok) return (await response.json()) as T;
    const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
    throw new Refused(await problemOf(response), Number.isFinite(wait) ? wait : undefined);
  }
}

/** A proxy in front of the service answers in its own format. */
async function problemOf(response: Response): Promise<Problem> {
  const { status, headers } = response;
  if (headers.get("Content-Type")?.startsWith("application/problem+json")) return (await response.json()) as Problem;
  const code = { 413: "body_too_large", 429: "rate_limited" }[status] ?? (status < 500 ? "refused" : "unavailable");
  const detail = `The service cannot be reached: what is before it answers with the status ${status}.`;
  return { type: "about:blank", title: response.statusText, status, detail, code };
}
