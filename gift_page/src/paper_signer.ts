/** A printed key signs on this device. */
import { addressOf, signDigest } from "reminder-worker-client/paper-keys";
import { typedDataHash } from "./typed_data.ts";
import type { GiftSigner } from "./withdraw_auth.ts";

export function paperSigner(key: string): GiftSigner {
  return {
    address: addressOf(key),
    sign: async (message) => signDigest(key, typedDataHash(message)),
  };
}
