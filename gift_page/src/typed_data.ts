/** Typed data (EIP-712) as wallets take it, and as a key signs it. */
import "./old_phones.ts";
import { getTypesForEIP712Domain, hashTypedData, serializeTypedData } from "viem";
import type { TypedMessage } from "reminder-worker-client";

/** For `eth_signTypedData_v4`. */
export function typedDataJson({ domain, types, primaryType, message }: TypedMessage): string {
  const all = { EIP712Domain: getTypesForEIP712Domain({ domain: domain as never }), ...types };
  return serializeTypedData({ domain, types: all, primaryType, message } as never);
}

/** 32 bytes as 0x and hex. */
export function typedDataHash({ domain, types, primaryType, message }: TypedMessage): string {
  return hashTypedData({ domain, types, primaryType, message } as never);
}
