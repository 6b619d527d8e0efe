/** Loads the messages of one language. The files of the others are not fetched. */
import { firstLanguage, type Language, Speech } from "reminder-worker-client/speech";
import { speak } from "./phrases.ts";

type Catalogue = "claim" | "give" | "estate" | "legacy";
const FILES = import.meta.glob<string>("../languages/*/*.ftl", { query: "?raw", import: "default" });

/** The first catalogue that has a message counts. Throws when the files cannot be fetched. */
export async function loadSpeech(language: Language, names: readonly Catalogue[], local?: string): Promise<Speech> {
  const texts = names.map((name) => fetchText(`../languages/${language}/${name}.ftl`));
  return new Speech(language, await Promise.all(texts), local);
}

async function fetchText(path: string): Promise<string> {
  const load = FILES[path];
  if (load === undefined) throw new Error(`there is no ${path}`);
  return load();
}

/** Speaks `wanted`, else the visitor's own language. */
export async function speakTo(wanted: Language | undefined, names: readonly Catalogue[]): Promise<void> {
  const language = wanted ?? firstLanguage(navigator.languages);
  speak(await loadSpeech(language, names, localVariety(language)));
}

/** As the visitor has it. Some browsers name a language that is none to themselves: `en-US@posix`. */
function localVariety(language: Language): string | undefined {
  try {
    const [tag] = Intl.getCanonicalLocales(navigator.language);
    return tag !== undefined && firstLanguage([tag]) === language && tag.startsWith(language.slice(0, 2))
      ? tag
      : undefined;
  } catch {
    return undefined;
  }
}
