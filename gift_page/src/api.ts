/** The service that this page came from. */
import { ReminderWorker } from "reminder-worker-client";

export { Refused, Unreachable } from "reminder-worker-client";

export const worker = new ReminderWorker("");

/** As `AbortSignal.timeout`, which iPhones before iOS 16 do not know. */
export function endsAfter(milliseconds: number): AbortSignal {
  const end = new AbortController();
  setTimeout(() => end.abort(), milliseconds);
  return end.signal;
}
