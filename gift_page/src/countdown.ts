/** How long until the gift opens. What ticks is for the eye; others are told once, and when the day has come. */
import { type ChainClock, parts } from "./clock.ts";
import { fill, make } from "./dom.ts";
import { phrase, speech } from "./phrases.ts";
import { duration, unitName } from "./words.ts";

const UNITS = ["day", "hour", "minute", "second"] as const;

/** Ticks in `place` until it is over, then calls `over` once. */
export function countDown(place: HTMLElement, until: Date, clock: ChainClock, over: () => void): void {
  const digits = UNITS.map(() => make("b"));
  const names = UNITS.map(() => make("span"));
  const cells = UNITS.map((_, index) => make("div", {}, digits[index] ?? null, names[index] ?? null));
  const spoken = make("p", { className: "unseen" });
  fill(place, make("div", { className: "countdown", attributes: { "aria-hidden": "true" } }, ...cells), spoken);

  const tick = (): void => {
    const milliseconds = until.getTime() - clock.now();
    const left = parts(milliseconds);
    UNITS.forEach((unit, index) => {
      const [digit, name] = [digits[index], names[index]];
      if (digit === undefined || name === undefined) return;
      const count = left[`${unit}s`];
      const text = unit === "day" ? count.toLocaleString(speech().locale) : String(count).padStart(2, "0");
      if (digit.textContent !== text) digit.textContent = text;
      const word = unitName(count, unit);
      if (name.textContent !== word) name.textContent = word;
    });
    const words = phrase("opens-in", {
      days: duration(left.days, "day"),
      hours: duration(left.hours, "hour"),
      minutes: duration(left.minutes, "minute"),
    });
    if (spoken.textContent !== words) spoken.textContent = words;
    if (milliseconds <= 0) over();
    else setTimeout(tick, 1000 - (Math.floor(clock.now()) % 1000));
  };
  tick();
}
