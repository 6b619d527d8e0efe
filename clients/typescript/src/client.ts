/** The service's HTTP API. Paths, bodies and answers are typed by its OpenAPI document. */
import createClient, { type Client } from "openapi-fetch";
import type { PathsWithMethod, RequestBodyJSON, SuccessResponseJSON } from "openapi-typescript-helpers";
import type { components, paths } from "./generated/schema.ts";
import { LIFE_TIME_SECONDS } from "./messages.ts";

export type Bodies = components["schemas"];
/** RFC 9457, the body of every refusal. `code` is for programs, `detail` for people. */
export type Problem = Bodies["Problem"];
type Posted = PathsWithMethod<paths, "post">;
type Got = PathsWithMethod<paths, "get">;

/** The service said no. */
export class Refused extends Error {
  constructor(
    readonly problem: Problem,
    /** Seconds to wait, when the server says so. */
    readonly retryAfter: number | undefined,
  ) {
    super(problem.detail);
  }

  get code(): Problem["code"] {
    return this.problem.code;
  }
}

/**
 * No answer, or none of the service's: a network that is down, a proxy's page, or an origin missing in `CORS_ORIGINS`.
 */
export class Unreachable extends Error {}

const MOST_MILLISECONDS = 20_000;

export class ReminderWorker {
  private readonly client: Client<paths>;
  /** Milliseconds that the service's clock is ahead of the device's. */
  private ahead: number | undefined;
  private lastDeadline = 0n;

  /** `baseUrl`: scheme, host and port of the service; empty for a page's own origin. */
  constructor(readonly baseUrl: string) {
    this.client = createClient<paths>({
      baseUrl,
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  }

  /** Milliseconds since 1970 by the service's clock, to the second, once it was asked anything: the device's may be
   * wrong. */
  now(): number {
    return Date.now() + (this.ahead ?? 0);
  }

  /** For the next message: unix seconds in 50 minutes by the service's clock, each later than the one before. Throws
   * `Unreachable`. */
  async deadline(): Promise<bigint> {
    if (this.ahead === undefined) await this.get("/health/live");
    const wanted = BigInt(Math.floor(this.now() / 1000) + LIFE_TIME_SECONDS);
    this.lastDeadline = wanted > this.lastDeadline ? wanted : this.lastDeadline + 1n;
    return this.lastDeadline;
  }

  /** Throws `Refused`, and `Unreachable` when there is no answer within `milliseconds`. */
  post<P extends Posted>(
    path: P,
    body: RequestBodyJSON<paths[P]["post"]>,
    milliseconds: number = MOST_MILLISECONDS,
  ): Promise<SuccessResponseJSON<paths[P]["post"]>> {
    return this.ask((signal) => this.client.POST(path as Posted, { body, signal } as never), milliseconds);
  }

  /** As `post`. `parameters`: of the path and the query, under their names in the OpenAPI document. */
  get<P extends Got>(
    path: P,
    parameters: Pick<paths[P]["get"]["parameters"], "path" | "query"> = {} as never,
    milliseconds: number = MOST_MILLISECONDS,
  ): Promise<SuccessResponseJSON<paths[P]["get"]>> {
    return this.ask((signal) => this.client.GET(path as Got, { params: parameters, signal } as never), milliseconds);
  }

  private async ask<T>(
    call: (signal: AbortSignal) => Promise<{ data?: unknown; error?: unknown; response: Response }>,
    milliseconds: number,
  ): Promise<T> {
    const end = new AbortController(); // not AbortSignal.timeout, which iPhones before iOS 16 do not know
    const timer = setTimeout(() => end.abort(), milliseconds);
    try {
      const { data, error, response } = await call(end.signal).catch((cause: unknown) => {
        throw new Unreachable("The service does not answer.", { cause });
      });
      const said = Date.parse(response.headers.get("Date") ?? "");
      if (Number.isFinite(said)) this.ahead = said - Date.now();
      if (response.ok) return data as T;
      if (!isProblem(error)) throw new Unreachable("The service does not answer.");
      const wait = Number(response.headers.get("Retry-After") ?? Number.NaN);
      throw new Refused(error, Number.isFinite(wait) ? wait : undefined);
    } finally {
      clearTimeout(timer);
    }
  }
}

function isProblem(answer: unknown): answer is Problem {
  return typeof answer === "object" && answer !== null && "code" in answer && "detail" in answer;
}
