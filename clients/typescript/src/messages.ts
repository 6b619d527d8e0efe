/**
 * The EIP-712 messages of the Reminder Worker, as values: what a wallet shows and signs.
 *
 * The messages about legacies and gifts are for the service: their domain has no verifying contract. The three
 * authorizations (claim, check-in, withdrawal) are for the protocol's routers, which give their domain and nonce.
 */
import { keccak_256 } from "@noble/hashes/sha3";
import { sha256 } from "@noble/hashes/sha2";
import { bytesToHex, concatBytes, hexToBytes, randomBytes, utf8ToBytes } from "@noble/hashes/utils";
import type { Language } from "./languages.ts";

export interface Field {
  name: string;
  type: string;
}

export interface Domain {
  name: string;
  version: string;
  chainId: number;
  verifyingContract?: string;
}

/** EIP-712, without the type of the domain. */
export interface TypedMessage {
  domain: Domain;
  primaryType: string;
  types: Record<string, readonly Field[]>;
  message: Record<string, unknown>;
}

/** What a router says of itself and of the signer's next authorization. */
export interface RouterTerms {
  domain: Domain & { verifyingContract: string };
  nonce: bigint;
  /** Unix seconds by the chain's clock; a check-in takes one hour at most. */
  deadline: bigint;
}

/** The role decides the words of the email only; the recipients are read on chain. */
export const ROLES = ["owner", "cosigner", "beneficiary", "second_line", "third_line"] as const;
export type Role = (typeof ROLES)[number];

export interface Recipient {
  /** Address of the person's wallet, unique in the set. */
  recipient: string;
  role: Role;
  email: string;
  /** At most 60 characters, may be empty; no web address and no telephone number. */
  name: string;
  /** Language of this person's emails; English without. */
  language?: Language;
  /** IANA name, for example `Europe/Berlin`: emails show the day there, UTC beside; UTC only without. */
  timeZone?: string;
}

/** What the emails may say about a legacy. Both follow the rules of a recipient's name. */
export interface LegacyWords {
  /** Who made the plan: heirs then read whose it is. */
  ownerName?: string;
  /** Shown instead of the legacy's number, also in subjects: choose words that anybody may read. */
  title?: string;
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
  /** Reminds the recipient 30, 90 and 365 days after the opening day while the gift is not opened; not without. */
  remindAfterOpening?: boolean;
  /** The giver's own address. We tell it what becomes of the gift, and of the emails to the recipient. */
  giverEmail?: string;
  /** Language of the emails to the giver; English without. */
  giverLanguage?: Language;
}

/** 50 minutes: within the hour even if this clock is ahead of the server's. */
export const LIFE_TIME_SECONDS = 50 * 60;
export const NOBODY = "0x0000000000000000000000000000000000000000";

const DEADLINE: Field = { name: "deadline", type: "uint256" };
const ABOUT_A_LEGACY: Field[] = [{ name: "legacy", type: "address" }, DEADLINE];
const NONCE_AND_DEADLINE: Field[] = [{ name: "nonce", type: "uint256" }, DEADLINE];
const WITHDRAW_AFTER_RECIPIENT: Field[] = [
  { name: "timelockId", type: "uint256" },
  { name: "skipSwap", type: "bool" },
  ...NONCE_AND_DEADLINE,
];

export const TYPES = {
  IngestLegacy: [{ name: "legacy", type: "address" }, { name: "payloadHash", type: "bytes32" }, DEADLINE],
  ReadRecipients: ABOUT_A_LEGACY,
  RehearseLegacy: ABOUT_A_LEGACY,
  EraseLegacy: ABOUT_A_LEGACY,
  SendInstructions: ABOUT_A_LEGACY,
  EraseRecipient: [{ name: "recipient", type: "address" }, ...ABOUT_A_LEGACY],
  GiftEmailWallet: [{ name: "emailHash", type: "bytes32" }, DEADLINE],
  GiftNotify2: [{ name: "payloadHash", type: "bytes32" }, DEADLINE],
  GiftNotifyErase: [{ name: "timelockId", type: "uint256" }, DEADLINE],
  ClaimAuth: [
    { name: "beneficiary", type: "address" },
    { name: "legacyId", type: "uint256" },
    { name: "assetsHash", type: "bytes32" },
    { name: "isETH", type: "bool" },
    ...NONCE_AND_DEADLINE,
  ],
  CheckInAuth: [{ name: "owner", type: "address" }, { name: "legacyId", type: "uint256" }, ...NONCE_AND_DEADLINE],
} as const satisfies Record<string, readonly Field[]>;

/** Of both versions of the TimeLockRouter. In the second, the recipient may name another payee. */
export const WITHDRAW_AUTH: Record<"1" | "2", readonly Field[]> = {
  "1": [{ name: "recipient", type: "address" }, ...WITHDRAW_AFTER_RECIPIENT],
  "2": [{ name: "recipient", type: "address" }, { name: "payTo", type: "address" }, ...WITHDRAW_AFTER_RECIPIENT],
};

/** A message for the service. */
export function forService(
  chainId: number,
  primaryType: Exclude<keyof typeof TYPES, "ClaimAuth" | "CheckInAuth">,
  message: Record<string, unknown> & { deadline: bigint },
): TypedMessage {
  const domain = { name: "Reminder Worker", version: "1", chainId };
  return { domain, primaryType, types: { [primaryType]: TYPES[primaryType] }, message };
}

/** An authorization for the TransferEOALegacyRouter. */
export function forLegacyRouter(
  { domain, nonce, deadline }: RouterTerms,
  primaryType: "ClaimAuth" | "CheckInAuth",
  message: Record<string, unknown>,
): TypedMessage {
  return {
    domain,
    primaryType,
    types: { [primaryType]: TYPES[primaryType] },
    message: { ...message, nonce, deadline },
  };
}

/** What the recipient of a gift allows. `skipSwap`: pay the stored token, not ETH. `payTo`: the payee, if it is
 * another. */
export interface Withdrawal {
  recipient: string;
  timelockId: bigint;
  skipSwap: boolean;
  payTo?: string;
}

/** An authorization for the TimeLockRouter. Throws for a version of the router that is not known here. */
export function forTimeLockRouter({ domain, nonce, deadline }: RouterTerms, withdrawal: Withdrawal): TypedMessage {
  const { payTo = NOBODY, ...rest } = withdrawal;
  const { version } = domain;
  if (version !== "1" && version !== "2") throw new Error(`what is signed for version ${version} is not known here`);
  if (version === "1" && payTo !== NOBODY) throw new Error("this router pays the recipient only");
  const message = { ...rest, ...(version === "2" && { payTo }), nonce, deadline };
  return { domain, primaryType: "WithdrawAuth", types: { WithdrawAuth: WITHDRAW_AUTH[version] }, message };
}

/** SHA-256 of the text's UTF-8 bytes, as 0x hex: `payloadHash` and `emailHash`. */
export function textHash(text: string): string {
  return `0x${bytesToHex(sha256(utf8ToBytes(text)))}`;
}

/** keccak256 of the addresses as 32-byte words (Solidity: abi.encodePacked(address[])). */
export function assetsHash(assets: readonly string[]): string {
  const words = assets.map((asset) => hexToBytes(asset.slice(2).toLowerCase().padStart(64, "0")));
  return `0x${bytesToHex(keccak_256(concatBytes(...words)))}`;
}

/** JSON with a random salt, which prevents guessing emails from the hash that a wallet shows and stores. */
export function saltedJson(content: object): string {
  return JSON.stringify({ salt: `0x${bytesToHex(randomBytes(32))}`, ...content });
}

/** An email as the server hashes it: trimmed, NFC, lower case, an ASCII domain (`xn--`). */
export function normaliseEmail(email: string): string {
  const text = email.trim().normalize("NFC").toLowerCase().normalize("NFC");
  const at = text.lastIndexOf("@");
  return text.slice(0, at + 1) + new URL(`https://${text.slice(at + 1)}`).hostname;
}
