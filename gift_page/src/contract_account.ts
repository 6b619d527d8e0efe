/** Whether an address is of a program that nobody acts for, as far as the chain tells. */

/** A read of the chain by a wallet's node, as EIP-1193 has it. */
export type AskChain = (method: string, params: unknown[]) => Promise<unknown>;

/** The code of an account with a key that lets a contract act for it (EIP-7702), before the contract's address. */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i;
/** The arguments of isValidSignature(bytes32,bytes) of ERC-1271, with a signature of no bytes. */
const NO_SIGNATURE = `${"0".repeat(64)}${"40".padStart(64, "0")}${"0".repeat(64)}`;
const IS_VALID_SIGNATURE = "0x1626ba7e";
/** A function that no contract has. */
const UNKNOWN = "0x9c4a17d3";
const REASON = /0x[0-9a-f]{8,}/i;

/** Return true if a contract alone acts for the address of this code, and no key. */
export function isContract(code: string): boolean {
  return code !== "0x" && !DELEGATED.test(code);
}

/** Return true for a contract without ERC-1271. An address without code is not doubted, for a smart wallet may get its
 * code at its first use. Throws where the chain does not tell whether there is code. */
export async function isBareContract(ask: AskChain, address: string): Promise<boolean> {
  if (!isContract(String(await ask("eth_getCode", [address, "latest"])))) return false;
  const call = (selector: string): Promise<unknown> =>
    ask("eth_call", [{ to: address, data: selector + NO_SIGNATURE }, "latest"]);
  try {
    const answer = String(await call(IS_VALID_SIGNATURE));
    return answer.length !== 66; // one word, yes or no
  } catch (error) {
    const reason = reasonOf(error, address, IS_VALID_SIGNATURE);
    if (reason === null) return true;
    // A contract without the function may refuse with a reason, too: the same for every unknown function.
    return call(UNKNOWN).then(
      () => false,
      (other: unknown) => reasonOf(other, address, UNKNOWN) === reason,
    );
  }
}

/** Return the data that a contract refused a call with, without what the caller sent. Null if there is none: a smart
 * wallet refuses a bad signature with a reason. */
function reasonOf(error: unknown, address: string, selector: string): string | null {
  const said = JSON.stringify([error, String(error)], (_, value: unknown) =>
    typeof value === "bigint" ? `${value}` : value,
  );
  const ours = [selector + NO_SIGNATURE, selector.slice(2), address, address.toLowerCase()];
  return REASON.exec(ours.reduce((text, each) => text.replaceAll(each, ""), said))?.[0] ?? null;
}
