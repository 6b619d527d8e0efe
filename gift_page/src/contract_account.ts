/** Whether an address is of a program that nobody acts for, as far as the chain tells. */

/** A read of the chain by a wallet's node, as EIP-1193 has it. */
export type AskChain = (method: string, params: unknown[]) => Promise<unknown>;

/** The code of an account with a key that lets a contract act for it (EIP-7702), before the contract's address. */
const DELEGATED = /^0xef0100[0-9a-f]{40}$/i;
/** isValidSignature(bytes32,bytes) of ERC-1271, with a signature of no bytes. */
const IS_VALID_SIGNATURE = `0x1626ba7e${"0".repeat(64)}${"40".padStart(64, "0")}${"0".repeat(64)}`;
const REASON = /0x[0-9a-f]{8,}/i;

/** Return true for a contract without ERC-1271. An address without code is not doubted, for a smart wallet may get its
 * code at its first use. Throws where the chain does not tell whether there is code. */
export async function isBareContract(ask: AskChain, address: string): Promise<boolean> {
  const code = String(await ask("eth_getCode", [address, "latest"]));
  if (code === "0x" || DELEGATED.test(code)) return false;
  try {
    const answer = String(await ask("eth_call", [{ to: address, data: IS_VALID_SIGNATURE }, "latest"]));
    return answer.length !== 66; // one word, yes or no
  } catch (error) {
    return !refusesInWords(error, address);
  }
}

/** A smart wallet refuses a bad signature with a reason. Without that function a contract refuses with none. */
function refusesInWords(error: unknown, address: string): boolean {
  const said = JSON.stringify([error, String(error)], (_, value: unknown) => (typeof value === "bigint" ? `${value}` : value));
  const ours = [IS_VALID_SIGNATURE, address].flatMap((each) => [each, each.toLowerCase()]);
  return REASON.test(ours.reduce((text, each) => text.replaceAll(each, ""), said));
}
