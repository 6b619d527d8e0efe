/**
 * What a giver has filled in, kept by this tab until the gift is sealed: on a phone a page that is out of sight may be
 * loaded anew. It ends with the tab, and never has a key.
 */

/** By the names of the fields. */
export type Draft = Record<string, string>;

const FILLED = "gift-draft";
const ASKED = "gift-draft-asked";

/** Null forgets it. */
export function keepDraft(draft: Draft | null): void {
  put(FILLED, draft && JSON.stringify(draft));
}

export function keptDraft(): Draft {
  try {
    return JSON.parse(get(FILLED) ?? "{}") as Draft;
  } catch {
    return {};
  }
}

/** Whether the wallet is asked to seal it: its answer no page hears that is loaded meanwhile. */
export function keepAsked(isAsked: boolean): void {
  put(ASKED, isAsked ? "yes" : null);
}

export function wasAsked(): boolean {
  return get(ASKED) !== null;
}

function put(name: string, text: string | null): void {
  try {
    if (text === null) sessionStorage.removeItem(name);
    else sessionStorage.setItem(name, text);
  } catch {
    // A browser that stores nothing: after a reload the form is empty.
  }
}

function get(name: string): string | null {
  try {
    return sessionStorage.getItem(name);
  } catch {
    return null;
  }
}
