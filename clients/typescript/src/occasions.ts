/** The one set of occasions, shared with the server. */
import data from "./generated/occasions.json" with { type: "json" };

export type Occasion = (typeof data.occasions)[number];
export type Palette = Occasion["palette"];

export const occasions: readonly Occasion[] = data.occasions;

/** Return the occasion of a name, or the default for an unknown name. */
export function occasionOf(name: string | null | undefined): Occasion {
  const found = occasions.find(({ id }) => id === name) ?? occasions.find(({ id }) => id === data.default);
  if (found === undefined) throw new Error("the set of occasions has no default");
  return found;
}
