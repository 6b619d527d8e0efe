/** Calls of this service's own HTTP API. */

/** RFC 9457, the body of every refusal. */
export interface Problem {
  status: number;
  /** For people. */
  detail: string;
  /** For programs: daily_cap_reached, nonce_mismatch, not_found, ... */
  code: string;
}

/** The service said no. */
export class Refused extends Error {
  constructor(
    readonly problem: Problem,
    /** Seconds to wait, when the server says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(problem.detail);
  }

  get code(): string {
    return this.problem.code;
  }
}

/** No answer, or none of the service's: a network that is down, a proxy's page. */
export class Unreachable extends Error {}

const MOST_MILLISECONDS = 20_000;
let ahead = 0;

/** Milliseconds since 1970 by the server's clock, to the second: the visitor's may be wrong. */
export function serverNow(): number {
  return Date.now() + ahead;
}

/** Throws `Refused`, and `Unreachable` when there is no answer within `milliseconds`. */
export async function ask<T>(path: string, body?: unknown, milliseconds: number = MOST_MILLISECONDS): Promise<T> {
  const options: RequestInit = { cache: "no-store", credentials: "omit", referrerPolicy: "no-referrer" };
  if (body !== undefined) {
    options.method = "POST";
    options.headers = { "Content-Type": "application/json" };
    options.body = JSON.stringify(body);
  }
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(path, { ...options, signal: endsAfter(milliseconds) });
    const said = Date.parse(response.headers.get("Date") ?? "");
    if (Number.isFinite(said)) ahead = said - Date.now();
    answer = await response.json();
  } catch {
    throw new Unreachable("The service does not answer.");
  }
  if (response.ok) return answer as T;
  if (!isProblem(answer)) throw new Unreachable("The service does not answer.");
  const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
  throw new Refused(answer, Number.isFinite(wait) ? wait : undefined);
}

/** As `AbortSignal.timeout`, which iPhones before iOS 16 do not know. */
export function endsAfter(milliseconds: number): AbortSignal {
  const end = new AbortController();
  setTimeout(() => end.abort(), milliseconds);
  return end.signal;
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === "object" && answer !== null && "code" in answer && "detail" in answer;
}
