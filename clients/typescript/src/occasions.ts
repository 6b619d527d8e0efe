/** The one set of occasions, shared with the server. */
import data from "./generated/occasions.json" with { type: "json" };

/** Colours as `#0f5b4f`. */
export interface Palette {
  ground: string;
  panel: string;
  ink: string;
  accent: string;
  soft: string;
}

/** `name`, `greeting` and `messages` in English; `years` until the day that the page proposes. */
export interface Occasion {
  id: string;
  name: string;
  greeting: string;
  years: number;
  motif: string;
  palette: Palette;
  messages: string[];
}

export const occasions: readonly Occasion[] = data.occasions;

/** Return the occasion of a name, or the default for an unknown name. */
export function occasionOf(name: string | null | undefined): Occasion {
  const found = occasions.find(({ id }) => id === name) ?? occasions.find(({ id }) => id === data.default);
  if (found === undefined) throw new Error("the set of occasions has no default");
  return found;
}
