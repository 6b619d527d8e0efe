/** What the page says, in one language: the messages of `gift_page/languages`, dates and numbers. */
import type { FluentVariable } from "@fluent/bundle";
import { Speech } from "reminder-worker-client/speech";

let spoken: Speech = new Speech("en", []);

/** From now on the page speaks so. */
export function speak(speech: Speech): void {
  spoken = speech;
  document.documentElement.lang = speech.language;
  document.documentElement.dir = speech.isLeftwards ? "rtl" : "ltr";
}

/** How the page speaks. */
export function speech(): Speech {
  return spoken;
}

/** A sentence of the page. */
export function phrase(id: string, values?: Record<string, FluentVariable>): string {
  return spoken.say(id, values);
}
