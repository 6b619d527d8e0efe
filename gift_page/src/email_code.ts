/**
 * The wallet of an email address: a one-time code proves the address, then the identity provider's enclave signs.
 *
 * Loaded only for gifts sealed for an email. The code leaves this page encrypted to a key that the provider's enclave
 * has signed. The session's key cannot be exported, and ends with the page. The login names the recipient's own
 * sub-organization, because the provider does not find it before the first login. This page never signs anybody up.
 * Whatever the provider answers, only a signature of the gift's recipient counts.
 */
import { p256 } from "@noble/curves/nist";
import { secp256k1 } from "@noble/curves/secp256k1";
import { compressRawPublicKey, encryptOtpCodeToBundle } from "@turnkey/crypto";
import { signerOf } from "reminder-worker-client/paper-keys";
import { endsAfter, worker } from "./api.ts";
import type { Facts, IdentityProvider as Provider } from "./facts.ts";
import { phrase } from "./phrases.ts";
import type { AwaitedCode } from "./remembered.ts";
import { typedDataHash } from "./typed_data.ts";
import type { GiftSigner } from "./withdraw_auth.ts";
import { InWords } from "./words.ts";

/** `wrong_code`: not this one, or not any more; `wrong_email`: the address opens another wallet, or none. */
export type Trouble = "wrong_code" | "wrong_email" | "too_many" | "unreachable";

const WORDS: Record<Trouble, string> = {
  wrong_code: "code-wrong",
  wrong_email: "email-wrong",
  too_many: "code-too-many",
  unreachable: "provider-away",
};

/** Nothing was signed. Says nothing of what was typed. */
export class EmailCodeError extends InWords {
  constructor(readonly trouble: Trouble) {
    super(phrase(WORDS[trouble]));
  }
}

/** A code that is on its way. `targetBundle` is JSON: the key to encrypt it to, signed by the provider's enclave. */
export interface SentCode extends AwaitedCode {
  /** Null after a reload, which no address outlives: then the provider's `subOrganizationId` is known. */
  email: string | null;
}

const MOST_MILLISECONDS = 20_000;
const POLLS = 20;
const POLL_MILLISECONDS = 1000;
const UNDER_WAY = ["ACTIVITY_STATUS_CREATED", "ACTIVITY_STATUS_PENDING"];

/** `email` as `normaliseEmail` gives it. Throws `EmailCodeError`. */
export async function sendCode(provider: Provider | null, email: string): Promise<SentCode> {
  if (provider === null) throw new EmailCodeError("unreachable");
  const body = { otpType: "OTP_TYPE_EMAIL", contact: email };
  const answer = await askProxy<{ otpId: string; otpEncryptionTargetBundle: string }>(
    provider,
    "/v1/otp_init_v2",
    body,
    "wrong_email",
  );
  return { email, otpId: answer.otpId, targetBundle: answer.otpEncryptionTargetBundle };
}

/** Who signs for the gift's recipient. Throws `EmailCodeError`; after `wrong_code` the same code's email may be
 * retried. */
export async function signIn(facts: Facts, sent: SentCode, code: string): Promise<GiftSigner> {
  const provider = facts.identityProvider;
  if (provider === null) throw new EmailCodeError("unreachable");
  const session = await Session.open(provider, sent, code);
  const address = await session.findAccount(facts.recipient);
  return {
    address,
    async sign(message) {
      const digest = typedDataHash(message);
      const signature = await session.signDigest(address, digest);
      const signer = signerOf(digest, signature);
      if (signer.toLowerCase() !== facts.recipient.toLowerCase()) throw new EmailCodeError("wrong_email");
      return signature;
    },
  };
}

interface Activity {
  id: string;
  status: string;
  result?: { signRawPayloadResult?: { r: string; s: string; v: string } };
}

/** A login at the provider, whose key lives in this object alone. */
class Session {
  private constructor(
    private readonly provider: Provider,
    private readonly organizationId: string,
    private readonly key: CryptoKey,
    private readonly publicKey: string,
  ) {}

  static async open(provider: Provider, sent: SentCode, code: string): Promise<Session> {
    const pair = await crypto.subtle.generateKey({ name: "ECDSA", namedCurve: "P-256" }, false, ["sign"]);
    const point = new Uint8Array(await crypto.subtle.exportKey("raw", pair.publicKey));
    const publicKey = hex(compressRawPublicKey(point));
    const token = await verify(provider, sent, code, publicKey);
    const organizationId = provider.subOrganizationId ?? (await findOrganization(provider, sent.email, token));
    const message = JSON.stringify({ login: { publicKey }, tokenId: tokenId(token), type: "USAGE_TYPE_LOGIN" });
    const clientSignature = {
      publicKey,
      scheme: "CLIENT_SIGNATURE_SCHEME_API_P256",
      message,
      signature: await sign(pair.privateKey, message),
    };
    const body = { verificationToken: token, publicKey, clientSignature, organizationId };
    await askProxy(provider, "/v1/otp_login_v2", body, "wrong_email");
    return new Session(provider, organizationId, pair.privateKey, publicKey);
  }

  /** The recipient's address, once the wallet is seen to have it. */
  async findAccount(recipient: string): Promise<string> {
    const question = { organizationId: this.organizationId };
    const path = "/public/v1/query/list_wallet_accounts";
    const { accounts } = await this.ask<{ accounts: { address: string }[] }>(path, question);
    const found = accounts.find(({ address }) => address.toLowerCase() === recipient.toLowerCase());
    if (found === undefined) throw new EmailCodeError("wrong_email");
    return found.address;
  }

  /** `digest` as 0x hex; the signature too. */
  async signDigest(signWith: string, digest: string): Promise<string> {
    let { activity } = await this.ask<{ activity: Activity }>("/public/v1/submit/sign_raw_payload", {
      type: "ACTIVITY_TYPE_SIGN_RAW_PAYLOAD_V2",
      timestampMs: String(worker.now()), // refused when it is minutes off
      organizationId: this.organizationId,
      parameters: {
        signWith,
        payload: digest.slice(2),
        encoding: "PAYLOAD_ENCODING_HEXADECIMAL",
        hashFunction: "HASH_FUNCTION_NO_OP",
      },
    });
    for (let polls = 0; polls < POLLS && UNDER_WAY.includes(activity.status); polls++) {
      await new Promise((resolve) => setTimeout(resolve, POLL_MILLISECONDS));
      const question = { organizationId: this.organizationId, activityId: activity.id };
      ({ activity } = await this.ask<{ activity: Activity }>("/public/v1/query/get_activity", question));
    }
    const made = activity.result?.signRawPayloadResult;
    if (activity.status !== "ACTIVITY_STATUS_COMPLETED" || made === undefined) throw new EmailCodeError("unreachable");
    const { r, s, v } = made;
    if (secp256k1.Signature.fromCompact(r + s).hasHighS()) throw new EmailCodeError("unreachable");
    return `0x${r}${s}${(27 + Number(`0x${v}`)).toString(16)}`;
  }

  private async ask<T>(path: string, question: object): Promise<T> {
    const body = JSON.stringify(question);
    const signed = p256.Signature.fromCompact(await sign(this.key, body));
    // The provider's package keeps leading zeros in a stamp of 256: these numbers are not DER.
    const signature = signed.toDERHex();
    const stamp = { publicKey: this.publicKey, scheme: "SIGNATURE_SCHEME_TK_API_P256", signature };
    const header = btoa(JSON.stringify(stamp)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
    return post<T>(this.provider.apiUrl + path, body, { "X-Stamp": header }, "unreachable");
  }
}

/** The token that proves the address, bound to our key. */
async function verify(provider: Provider, sent: SentCode, code: string, publicKey: string): Promise<string> {
  const signedBy = provider.codeSigningKey ?? undefined; // undefined: the provider's own, which its package pins
  let encryptedOtpBundle: string;
  try {
    encryptedOtpBundle = await encryptOtpCodeToBundle(code, sent.targetBundle, publicKey, signedBy);
  } catch {
    throw new EmailCodeError("unreachable"); // whoever answered is not the provider: it learns no code
  }
  const body = { otpId: sent.otpId, encryptedOtpBundle };
  return (await askProxy<{ verificationToken: string }>(provider, "/v1/otp_verify_v2", body, "wrong_code"))
    .verificationToken;
}

/** For wallets made before the service could say which they are. */
async function findOrganization(provider: Provider, email: string | null, verificationToken: string): Promise<string> {
  const body = { filterType: "EMAIL", filterValue: email, verificationToken };
  const found = await askProxy<{ organizationId?: string | null }>(provider, "/v1/account", body, "wrong_email");
  if (!found.organizationId) throw new EmailCodeError("wrong_email");
  return found.organizationId;
}

function tokenId(token: string): string {
  try {
    const payload = token.split(".")[1] ?? "";
    return (JSON.parse(atob(payload.replace(/-/g, "+").replace(/_/g, "/"))) as { id: string }).id;
  } catch {
    throw new EmailCodeError("unreachable");
  }
}

/** ECDSA over SHA-256 of the text: r and s, 64 bytes as hex. */
async function sign(key: CryptoKey, text: string): Promise<string> {
  const algorithm = { name: "ECDSA", hash: "SHA-256" };
  return hex(new Uint8Array(await crypto.subtle.sign(algorithm, key, new TextEncoder().encode(text))));
}

function askProxy<T>(provider: Provider, path: string, body: object, refusal: Trouble): Promise<T> {
  const headers = { "X-Auth-Proxy-Config-ID": provider.authProxyConfigId };
  return post<T>(provider.authProxyUrl + path, JSON.stringify(body), headers, refusal);
}

/** `refusal`: what it means when the provider says no (4xx). */
async function post<T>(url: string, body: string, headers: Record<string, string>, refusal: Trouble): Promise<T> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      headers: { "Content-Type": "application/json", ...headers },
      body,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: endsAfter(MOST_MILLISECONDS),
    });
    if (response.ok) return (await response.json()) as T;
  } catch {
    throw new EmailCodeError("unreachable");
  }
  if (response.status === 429) throw new EmailCodeError("too_many");
  throw new EmailCodeError(response.status < 500 ? refusal : "unreachable");
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
