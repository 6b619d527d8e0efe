/** Whether the network fee of a withdrawal is paid by the service now. */
import { Refused, Unreachable, worker } from "./api.ts";

/** Null when withdrawals of gifts are relayed on this chain now, else the reason as a code. */
export async function whyNotRelayed(chainId: number): Promise<string | null> {
  try {
    const { chains } = await worker.get("/sponsor/status");
    const found = chains.find((each) => each.chainId === chainId);
    return found === undefined ? "not_configured" : found.gift ? null : (found.reason ?? "unavailable");
  } catch (error) {
    if (error instanceof Refused || error instanceof Unreachable) return "unavailable";
    throw error;
  }
}
