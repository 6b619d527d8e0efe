/** A relayed request, followed to its end. */
import { type Bodies, type ReminderWorker, Refused, Unreachable } from "./client.ts";

export type RelayRequest = Bodies["RequestAnswer"];

const ENDED: readonly string[] = [
  "confirmed",
  "reverted",
  "expired",
  "satisfied_elsewhere",
  "superseded",
  "cancelled_by_user",
];
const FIRST_MILLISECONDS = 1_000;
const MOST_MILLISECONDS = 8_000;
/** Twice as long as the service is ever silent. */
const SILENT_MILLISECONDS = 30_000;

/** Hears of every state until the request has ended; `tell` gets each of them, some again, and null during silence.
 *
 * Return null when `tell` ends the wait by returning true. Throws `Refused` for an unknown request. */
export async function follow(
  worker: ReminderWorker,
  id: string,
  tell: (now: RelayRequest | null) => Promise<boolean> | boolean,
): Promise<RelayRequest | null> {
  const heard = typeof EventSource === "undefined" ? undefined : await listen(worker, id, tell);
  return heard === undefined ? poll(worker, id, tell) : heard;
}

/** By server-sent events. Undefined when they stop coming: some proxies hold them back, and not everybody finds a
 * place. */
function listen(
  worker: ReminderWorker,
  id: string,
  tell: (now: RelayRequest) => Promise<boolean> | boolean,
): Promise<RelayRequest | null | undefined> {
  return new Promise((resolve, reject) => {
    const source = new EventSource(`${worker.baseUrl}/sponsor/requests/${encodeURIComponent(id)}/events`);
    let last: RelayRequest | undefined;
    let told: Promise<void> = Promise.resolve();
    let silence = setTimeout(() => finish(undefined), SILENT_MILLISECONDS);
    const finish = (end: RelayRequest | null | undefined): void => {
      clearTimeout(silence);
      source.close();
      resolve(end);
    };
    const hear = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => finish(undefined), SILENT_MILLISECONDS);
      const now = last;
      if (now === undefined) return;
      told = told.then(async () => {
        if (await tell(now)) finish(null);
        else if (ENDED.includes(now.status)) finish(now);
      });
      told.catch(reject);
    };
    source.addEventListener("state", ({ data }: MessageEvent<string>) => {
      last = JSON.parse(data) as RelayRequest;
      hear();
    });
    source.addEventListener("alive", hear);
    source.addEventListener(
      "error",
      () =>
        void told.then(
          () => finish(undefined),
          () => undefined,
        ),
    );
  });
}

/** Asks with growing pauses. */
async function poll(
  worker: ReminderWorker,
  id: string,
  tell: (now: RelayRequest | null) => Promise<boolean> | boolean,
): Promise<RelayRequest | null> {
  for (let pause = FIRST_MILLISECONDS; ; pause = Math.min(pause * 1.4, MOST_MILLISECONDS)) {
    let seconds = 0;
    try {
      const now = await worker.get("/sponsor/requests/{id}", { path: { id } });
      if (await tell(now)) return null;
      if (ENDED.includes(now.status)) return now;
    } catch (error) {
      if (error instanceof Refused && error.code === "not_found") throw error;
      if (!(error instanceof Refused || error instanceof Unreachable)) throw error;
      seconds = error instanceof Refused ? (error.retryAfter ?? 0) : 0;
      // Of a family behind one address each asks too often soon: what was said last is so still.
      if (!(error instanceof Refused && error.code === "rate_limited") && (await tell(null))) return null;
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(pause, seconds * 1000)));
  }
}
