/** The service's HTTP API. Paths, bodies and answers are typed by its OpenAPI document. */
import createClient, { type Client } from "openapi-fetch";
import type { PathsWithMethod, RequestBodyJSON, SuccessResponseJSON } from "openapi-typescript-helpers";
import type { components, paths } from "./generated/schema.ts";

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

/** No answer, or none of the service's: a network that is down, a proxy's page. */
export class Unreachable extends Error {}

const MOST_MILLISECONDS = 20_000;

export class ReminderWorker {
  private readonly client: Client<paths>;
  private ahead = 0;

  /** `baseUrl`: scheme, host and port of the service; empty for a page's own origin. */
  constructor(readonly baseUrl: string) {
    this.client = createClient<paths>({
      baseUrl,
      cache: "no-store",
      credentials: "omit",
      referrerPolicy: "no-referrer",
    });
  }

  /** Milliseconds since 1970 by the service's clock, to the second, once it told its time: the device's may be wrong. */
  now(): number {
    return Date.now() + this.ahead;
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
