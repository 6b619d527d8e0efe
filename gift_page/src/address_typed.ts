/** The address of a wallet as it is typed, pasted or scanned. */
import { getAddress } from "ethers";
import type { Facts } from "./facts.ts";
import { asAscii } from "./typed.ts";

/** Throws with a sentence for the recipient. */
export class BadDestination extends Error {}

const NO_KEY_BELOW = 0x10000n;
const DEAD = "0x000000000000000000000000000000000000dEaD";
const NO_ADDRESS = "This is not the address of a wallet. It begins with 0x, and 40 letters and digits follow.";

/** In EIP-55. Text of a code may be `ethereum:0x…@1` (EIP-681). */
export function destinationIn(typed: string, { chainId, router, recipient, assets }: Facts): string {
  const text = asAscii(typed).trim();
  const [, found, chain] = /^(?:ethereum:(?:pay-)?)?(0x[0-9a-f]{40})(?:@(\d+))?$/i.exec(text) ?? [];
  if (found === undefined) throw new BadDestination(NO_ADDRESS);
  if (chain !== undefined && Number(chain) !== chainId) {
    throw new BadDestination("This code is for another network. Please use an address for the network of this gift.");
  }
  let address: string;
  try {
    address = getAddress(`0x${isOneCase(found) ? found.slice(2).toLowerCase() : found.slice(2)}`);
  } catch {
    throw new BadDestination("A letter or a digit of this address is wrong. Please copy it from your wallet once more.");
  }
  if (BigInt(address) < NO_KEY_BELOW || address === DEAD) {
    throw new BadDestination("Nobody has the key to this address: what is sent there is lost.");
  }
  const contracts = [router, ...assets.map(({ token }) => token)].map((each) => each.toLowerCase());
  if (contracts.includes(address.toLowerCase())) {
    throw new BadDestination("This is the address of a contract, not of a wallet: what is sent there is lost.");
  }
  if (address.toLowerCase() === recipient.toLowerCase()) {
    throw new BadDestination("This is the gift wallet itself. To leave the gift in it, choose so below.");
  }
  return address;
}

/** Without capitals, or with nothing else, it has no check letters. */
export function isOneCase(address: string): boolean {
  const digits = address.slice(2);
  return digits === digits.toLowerCase() || digits === digits.toUpperCase();
}
