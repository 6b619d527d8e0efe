/** A printed key signs on this device. */
import { TypedDataEncoder } from "ethers";
import { addressOf, signDigest } from "reminder-worker-client/paper-keys";
import type { GiftSigner } from "./withdraw_auth.ts";

export function paperSigner(key: string): GiftSigner {
  return {
    address: addressOf(key),
    signTypedData: async (domain, types, value) => signDigest(key, TypedDataEncoder.hash(domain, types, value)),
  };
}
