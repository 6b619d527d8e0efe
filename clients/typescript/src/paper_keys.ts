/**
 * A printed key: 64 hex digits in 16 groups of 4. It lives in memory only; whoever holds one drops it after use.
 */
import { secp256k1 } from "@noble/curves/secp256k1";
import { keccak_256 } from "@noble/hashes/sha3";
import { bytesToHex, hexToBytes, utf8ToBytes } from "@noble/hashes/utils";
import { asAscii, digitsForLookAlikes } from "./typed.ts";

export { asAscii, digitsForLookAlikes } from "./typed.ts";

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
  const key = `0x${bytesToHex(secp256k1.utils.randomPrivateKey())}`;
  return { key, address: addressOf(key) };
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
 * Return the letters and digits of a key, in lower case. A letter that looks like a digit becomes it: a key has neither
 * o nor l nor i. Spaces, dashes, punctuation and invisible characters are left out, and so is `ethereum:0x`.
 */
export function digitsOf(text: string): string {
  const plain = asAscii(text)
    .toLowerCase()
    .replace(/\u30fc/g, "") // a long dash
    .replace(/[^\p{L}\p{N}]/gu, "");
  return digitsForLookAlikes(plain.replace(/^(?:ethereum)?0x(?=.{4})|^ethereum/, ""));
}

/** EIP-55 address of a key that `parse` or `generate` gave. */
export function addressOf(key: string): string {
  return addressOfPoint(secp256k1.getPublicKey(key.slice(2), false));
}

function addressOfPoint(point: Uint8Array): string {
  const address = bytesToHex(keccak_256(point.slice(1)).slice(12));
  const marks = bytesToHex(keccak_256(utf8ToBytes(address)));
  const isUpper = (place: number) => parseInt(marks[place] ?? "0", 16) > 7;
  return `0x${[...address].map((digit, place) => (isUpper(place) ? digit.toUpperCase() : digit)).join("")}`;
}

/** Signs a digest of 32 bytes (0x and hex), as `ethers` and `viem` do: r, s and v as 0x hex. */
export function signDigest(key: string, digest: string): string {
  const signature = secp256k1.sign(digest.slice(2), key.slice(2));
  return `0x${signature.toCompactHex()}${(27 + signature.recovery).toString(16)}`;
}

/** Return the EIP-55 address of the key that signed the digest. Throws when no key can have made the signature. */
export function signerOf(digest: string, signature: string): string {
  const recovery = Number(`0x${signature.slice(130)}`) - 27;
  const made = secp256k1.Signature.fromCompact(signature.slice(2, 130)).addRecoveryBit(recovery);
  return addressOfPoint(made.recoverPublicKey(digest.slice(2)).toRawBytes(false));
}

/** From 1 to below the order of secp256k1. */
function isKey(key: string): boolean {
  return secp256k1.utils.isValidPrivateKey(hexToBytes(key.slice(2)));
}
