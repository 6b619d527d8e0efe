/**
 * How a frontend talks to the recipient endpoints of the Reminder Worker (ethers 6).
 *
 * Every request carries an EIP-712 message signed by the legacy's on-chain `creator()`. A message works once and
 * until its deadline, at most an hour ahead. Of two writes of one legacy (ingest, erase) the later deadline wins and
 * an equal one is refused: sign writes with the same life time, one after the other.
 *
 * Safe and other smart wallets: `signature` is whatever their ERC-1271 `isValidSignature` takes.
 */
import { hexlify, randomBytes, sha256, toUtf8Bytes } from "ethers";
import type { Signer, TypedDataDomain, TypedDataField } from "ethers";

/** Words the email; who is written to is read on chain. */
export type Role = "owner" | "cosigner" | "beneficiary" | "second_line" | "third_line";

export interface Recipient {
  /** Address of the person's wallet, unique in the set. */
  recipient: string;
  role: Role;
  email: string;
  /** At most 60 characters, may be empty; nothing that reads as a web address. */
  name: string;
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

/** Body of /ingest-legacy. */
export interface IngestRequest extends SignedRequest {
  /** JSON text. Its exact UTF-8 bytes are what was signed: send it as it is, never parse and serialise it again. */
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
    /** Seconds to wait (429 and 503), when the server says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(problem.detail);
  }
}

/** 50 minutes: within the hour also when this clock is ahead of the server's. */
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

/** The random salt keeps anybody from guessing emails by the hash that a wallet shows and stores. */
export function makePayload(recipients: Recipient[]): string {
  return JSON.stringify({ salt: hexlify(randomBytes(32)), recipients });
}

/** SHA-256 of the payload's UTF-8 bytes, as 0x hex. */
export function payloadHash(payload: string): string {
  return sha256(toUtf8Bytes(payload));
}

/** Save the complete set: recipients that are not in it are deleted. One signature covers them all. */
export async function signIngest(
  signer: Signer,
  chainId: number,
  legacy: string,
  recipients: Recipient[],
  deadline: number = newDeadline(),
): Promise<IngestRequest> {
  const payload = makePayload(recipients);
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

/** Have the instructions emailed to all recipients; only for a creator who is the owner too. */
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

/** The calls themselves. Each throws `Refused` with the server's problem. */
export class ReminderWorker {
  constructor(private readonly baseUrl: string) {}

  ingest(request: IngestRequest): Promise<{ saved: number; shredded: number }> {
    return this.post("/ingest-legacy", request);
  }

  async recipients(request: SignedRequest): Promise<Recipient[]> {
    return (await this.post<{ recipients: Recipient[] }>("/recipients", request)).recipients;
  }

  erase(request: SignedRequest): Promise<{ shredded: number }> {
    return this.post("/erase-legacy", request);
  }

  sendInstructions(request: SignedRequest): Promise<{ queued: number }> {
    return this.post("/send-instructions", request);
  }

  private async post<T>(path: string, body: SignedRequest): Promise<T> {
    const response = await fetch(this.baseUrl + path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      cache: "no-store",
    });
    if (response.ok) return (await response.json()) as T;
    const wait = response.headers.get("Retry-After");
    throw new Refused((await response.json()) as Problem, wait === null ? undefined : Number(wait));
  }
}
