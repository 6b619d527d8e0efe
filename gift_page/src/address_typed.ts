/** The address of a wallet as it is typed, pasted or scanned. */
import { getAddress, type Hex, isAddress } from "viem";
import type { Facts } from "./facts.ts";
import { asAscii } from "reminder-worker-client/paper-keys";

/** Its message is the name of a phrase for the recipient. */
export class BadDestination extends Error {}

const NO_KEY_BELOW = 0x10000n;
const DEAD = "0x000000000000000000000000000000000000dEaD";

/** Where the gift's recipient wants it, in EIP-55. Throws `BadDestination`. */
export function destinationIn(typed: string, { chainId, contracts, recipient, assets }: Facts): string {
  const address = addressIn(typed, chainId, [...contracts, ...assets.map(({ token }) => token)]);
  if (address.toLowerCase() === recipient.toLowerCase()) {
    throw new BadDestination("destination-same");
  }
  return address;
}

/** Whoever a gift is for, and wherever it lands, in EIP-55. Text of a code may be `ethereum:0x…@1` (EIP-681).
 * `contracts` hand nothing out. Throws `BadDestination`. */
export function addressIn(typed: string, chainId: number, contracts: readonly string[]): string {
  const text = asAscii(typed).trim();
  const [, found, chain] = /^(?:ethereum:(?:pay-)?)?(0x[0-9a-f]{40})(?:@(\d+))?$/i.exec(text) ?? [];
  if (found === undefined) throw new BadDestination("destination-no-address");
  if (chain !== undefined && Number(chain) !== chainId) {
    throw new BadDestination("destination-other-network");
  }
  const written: Hex = `0x${isOneCase(found) ? found.slice(2).toLowerCase() : found.slice(2)}`;
  if (!isAddress(written)) throw new BadDestination("destination-mistake"); // `getAddress` alone checks no capitals
  const address = getAddress(written);
  if (BigInt(address) < NO_KEY_BELOW || address === DEAD) {
    throw new BadDestination("destination-nobody");
  }
  if (contracts.some((each) => each.toLowerCase() === address.toLowerCase())) {
    throw new BadDestination("destination-contract");
  }
  return address;
}

/** Without capitals, or with nothing else, it has no check letters. */
export function isOneCase(address: string): boolean {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}
