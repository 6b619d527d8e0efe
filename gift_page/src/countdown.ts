/** How long until the gift opens. What ticks is for the eye; others are told once, and when the day has come. */
import { type ChainClock, parts } from "./clock.ts";
import { fill, make } from "./dom.ts";

const UNITS = ["days", "hours", "minutes", "seconds"] as const;

/** Ticks in `place` until it is over, then calls `over` once. */
export function countDown(place: HTMLElement, until: Date, clock: ChainClock, over: () => void): void {
  const digits = UNITS.map(() => make("b"));
  const names = UNITS.map((unit) => make("span", {}, unit));
  const cells = UNITS.map((_, index) => make("div", {}, digits[index] ?? null, names[index] ?? null));
  const spoken = make("p", { className: "unseen" });
  fill(place, make("div", { className: "countdown", attributes: { "aria-hidden": "true" } }, ...cells), spoken);

  const tick = (): void => {
    const milliseconds = until.getTime() - clock.now();
    const left = parts(milliseconds);
    UNITS.forEach((unit, index) => {
      const [digit, name] = [digits[index], names[index]];
      if (digit === undefined || name === undefined) return;
      const text = unit === "days" ? left.days.toLocaleString("en") : String(left[unit]).padStart(2, "0");
      if (digit.textContent !== text) digit.textContent = text;
      const word = left[unit] === 1 ? unit.slice(0, -1) : unit;
      if (name.textContent !== word) name.textContent = word;
    });
    const words = `It opens in ${count(left.days, "day")}, ${count(left.hours, "hour")} and ${count(left.minutes, "minute")}.`;
    if (spoken.textContent !== words) spoken.textContent = words;
    if (milliseconds <= 0) over();
    else setTimeout(tick, 1000 - (Math.floor(clock.now()) % 1000));
  };
  tick();
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
