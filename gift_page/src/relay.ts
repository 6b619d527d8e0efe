/** Whether the network fee is paid by the service now. */
import { Refused, Unreachable, worker } from "./api.ts";

/** Null when withdrawals of gifts, or claims and check-ins of legacies, are relayed on this chain now. Else the reason
 * as a code. */
export async function whyNotRelayed(chainId: number, lane: "gift" | "legacy" = "gift"): Promise<string | null> {
  try {
    const { chains } = await worker.get("/sponsor/status");
    const found = chains.find((each) => each.chainId === chainId);
    return found === undefined ? "not_configured" : found[lane] ? null : (found.reason ?? "unavailable");
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return "unavailable";
    throw error;
  }
}
