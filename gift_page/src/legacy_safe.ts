/** A signer of a Safe: the exact call that the Safe has to make, copied in one click. */
import { around, button, fill, make } from "./dom.ts";
import { assetsOf, dayOf, working } from "./legacy_heir.ts";
import { previewClaim } from "./legacy_facts.ts";
import { type Call, checkingIn, claiming, lineOf, type SafeTask } from "./legacy_people.ts";
import type { Visit } from "./legacy_ways.ts";
import { phrase } from "./phrases.ts";
import { localTime, shortly } from "./words.ts";

export async function showSafe(visit: Visit, { safe, isOwner }: SafeTask): Promise<HTMLElement> {
  const { facts, people } = visit;
  const panel = make("div", { className: "panel" });
  const heading = make("h2", { tabIndex: -1 }, phrase("legacy-safe"));
  const whose = make("p", {}, ...around("legacy-safe-signer", "account", make("code", { title: safe }, shortly(safe))));
  const line = lineOf(people, safe);
  if (isOwner && facts.state !== "claimed") {
    const purpose = make("p", {}, phrase(facts.kind === "safe" ? "legacy-safe-well" : "legacy-safe-check-in"));
    fill(panel, heading, whose, purpose, ...callToCopy(checkingIn(facts, people)));
  } else if (isOwner) {
    fill(panel, heading, whose, make("p", {}, phrase("legacy-yours-claimed")));
  } else if (line !== null) {
    const day = dayOf(facts, line);
    const isEarly = day !== null && Date.parse(day) > Date.parse(facts.asOf);
    const from = day === null ? "" : phrase("legacy-safe-from", { moment: localTime(new Date(day)) });
    const rest = isEarly ? [make("p", {}, from)] : claimToCopy(visit, safe);
    fill(panel, heading, whose, ...rest);
  }
  return panel;
}

function claimToCopy(visit: Visit, safe: string): HTMLElement[] {
  const { facts } = visit;
  if (facts.kind === "safe") return [make("p", {}, phrase("legacy-safe-claim")), ...callToCopy(claiming(facts, NONE))];
  const { asks, told, choices, run } = working(visit, "legacy-looking");
  const place = make("div", {}, make("p", {}, phrase("legacy-what-words")), choices, asks, told);
  const look = button(phrase("legacy-what"), () =>
    run(async () => {
      const preview = await previewClaim(facts, safe);
      const isNothing = preview.assets.length === 0;
      const call = isNothing
        ? []
        : [make("p", {}, phrase("legacy-safe-claim")), ...callToCopy(claiming(facts, preview))];
      const heading = make("h3", { tabIndex: -1 }, phrase(isNothing ? "legacy-nothing" : "legacy-would-get"));
      fill(place, heading, ...assetsOf(preview), ...call);
      heading.focus();
    }),
  );
  fill(choices, look);
  return [place];
}

const NONE = { assets: [], hasMore: false };

/** The three fields of Safe's form, and a button that copies them. */
function callToCopy({ to, data }: Call): HTMLElement[] {
  const rows: [string, string][] = [
    [phrase("legacy-safe-to"), to],
    [phrase("legacy-safe-value"), "0"],
    [phrase("legacy-safe-data"), data],
  ];
  const told = make("span", { className: "hint", attributes: { role: "status" } });
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(rows.map(([name, value]) => `${name}: ${value}`).join("\n"));
      fill(told, phrase("legacy-safe-copied"));
    } catch {
      fill(told, phrase("legacy-safe-not-copied"));
    }
  };
  const list = rows.map(([name, value]) =>
    make("div", {}, make("dt", {}, name), make("dd", {}, make("code", { className: "call" }, value))),
  );
  return [
    make("p", {}, phrase("legacy-safe-how")),
    make("dl", {}, ...list),
    make("div", { className: "choices" }, button(phrase("legacy-safe-copy"), copy), told),
  ];
}
