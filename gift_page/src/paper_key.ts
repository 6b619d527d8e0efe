/**
 * A printed key: 64 hex digits in 16 groups of 4. It lives in memory only; whoever holds one drops it after use.
 */
import { SigningKey, TypedDataEncoder, computeAddress, hexlify, randomBytes } from "ethers";
import { asAscii, digitsForLookAlikes } from "./typed.ts";
import type { GiftSigner } from "./withdraw_auth.ts";

export interface PaperKey {
  /** 0x and 64 lower-case hex digits. */
  key: string;
  /** EIP-55. */
  address: string;
}

const DIGITS = 64;
const GROUP = 4;

/** A new one, of the browser's own randomness. */
export function generate(): PaperKey {
  for (;;) {
    const key = hexlify(randomBytes(DIGITS / 2));
    if (isKey(key)) return { key, address: addressOf(key) };
  }
}

/** As printed. */
export function groups(key: string): string[] {
  return key.replace(/^0x/, "").match(new RegExp(`.{${GROUP}}`, "g")) ?? [];
}

/** Return the key in text that was typed, pasted or scanned. Return null when it cannot be a key. */
export function parse(text: string): string | null {
  const digits = digitsOf(text);
  const key = `0x${digits}`;
  return digits.length === DIGITS && /^[0-9a-f]+$/.test(digits) && isKey(key) ? key : null;
}

/**
 * Return the letters and digits of a key, in lower case. A letter that looks like a digit becomes it: a key has neither o
 * nor l nor i. Spaces, dashes, punctuation and invisible characters are left out, and so is `ethereum:0x`.
 */
export function digitsOf(text: string): string {
  const plain = asAscii(text).toLowerCase().replace(/\u30fc/g, "").replace(/[^\p{L}\p{N}]/gu, ""); // U+30FC: a long dash
  return digitsForLookAlikes(plain.replace(/^(?:ethereum)?0x(?=.{4})|^ethereum/, ""));
}

/** EIP-55 address of a key that `parse` or `generate` gave. */
export function addressOf(key: string): string {
  return computeAddress(key);
}

/** Signs on this device. */
export function paperSigner(key: string): GiftSigner {
  return {
    address: addressOf(key),
    signTypedData: async (domain, types, value) =>
      new SigningKey(key).sign(TypedDataEncoder.hash(domain, types, value)).serialized,
  };
}

/** From 1 to below the order of secp256k1. */
function isKey(key: string): boolean {
  const number = BigInt(key);
  return number > 0n && number < 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
}
