/**
 * Before a gift is sealed to a printed key: two of its groups are typed from the paper. Only then is the key on paper.
 */
import { fill, make } from "./dom.ts";
import { DIGITS, groupField, GROUPS } from "./key_group.ts";
import { digitsOf } from "reminder-worker-client/paper-keys";
import { phrase } from "./phrases.ts";

/** How many groups of the key stand in a row of the sheet. */
const IN_A_ROW = 4;

/** Asks for two groups chosen at random. `key`: its 16 groups; `tell` hears whether both are right. */
export function askTwoGroups(key: readonly string[], tell: (areRight: boolean) => void): HTMLElement {
  const problem = make("p", { className: "bad", id: "groups-problem", attributes: { role: "alert" } });
  const asked = twoAtRandom().map((index) => ({ index, field: groupField(index, `${placeId(index)} ${problem.id}`) }));
  const isRight = ({ index, field }: (typeof asked)[number]): boolean => digitsOf(field.value) === key[index];
  const check = (): void => {
    const wrong = asked.find((one) => one.field.value.trim().length >= DIGITS && !isRight(one));
    for (const one of asked) one.field.setAttribute("aria-invalid", String(one === wrong));
    fill(problem, wrong ? phrase("sheet-type-wrong", { number: wrong.index + 1 }) : "");
    tell(asked.every(isRight));
  };
  const labels = asked.map(({ index, field }) => {
    field.addEventListener("input", check);
    const place = { row: Math.floor(index / IN_A_ROW) + 1, place: (index % IN_A_ROW) + 1 };
    const where = make("span", { className: "hint", id: placeId(index) }, phrase("sheet-type-place", place));
    return make("label", {}, phrase("paper-group", { number: index + 1, groups: GROUPS }), where, field);
  });
  return make(
    "div",
    { className: "typed" },
    make("p", {}, phrase("sheet-type-words")),
    make("div", { className: "side" }, ...labels),
    problem,
  );
}

function placeId(index: number): string {
  return `group-${index}-place`;
}

/** Two different places, in the order of the sheet. */
function twoAtRandom(): number[] {
  const [first, step] = [randomBelow(GROUPS), 1 + randomBelow(GROUPS - 1)];
  return [first, (first + step) % GROUPS].sort((a, b) => a - b);
}

/** Not biased: `limit` is at most 256, and bytes beyond its last multiple are drawn again. */
function randomBelow(limit: number): number {
  const most = 256 - (256 % limit);
  for (;;) {
    const [byte = 0] = crypto.getRandomValues(new Uint8Array(1));
    if (byte < most) return byte % limit;
  }
}
