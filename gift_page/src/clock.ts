/** The chain's clock, which alone decides when a gift opens: also where the visitor's is wrong. */

export class ChainClock {
  private ahead = 0;

  /** `asOf`: RFC 3339, what the chain's clock was just now. */
  constructor(asOf: string) {
    this.set(asOf);
  }

  set(asOf: string): void {
    this.ahead = Date.parse(asOf) - performance.now();
  }

  /** Milliseconds since 1970. */
  now(): number {
    return this.ahead + performance.now();
  }
}

/** Whole parts of a time that is left, for `milliseconds` of it; never negative. */
export function parts(milliseconds: number): { days: number; hours: number; minutes: number; seconds: number } {
  const left = Math.max(0, Math.ceil(milliseconds / 1000));
  return {
    days: Math.floor(left / 86_400),
    hours: Math.floor(left / 3600) % 24,
    minutes: Math.floor(left / 60) % 60,
    seconds: left % 60,
  };
}
