/**
 * A day as a file for the visitor's own calendar (RFC 5545), made here: nobody is asked for it. It has the
 * form of the file in an email (`mail_service/calendar_file.py`), so a calendar keeps one entry of both.
 */
import { button, make } from "./dom.ts";
import { saveFile, showWayOut } from "./hand_out.ts";
import { phrase } from "./phrases.ts";

const HOUR = 3_600_000;
/** Years of calendar files have four digits. */
const LAST_YEAR = 9999;
const START = Date.UTC(2026, 0, 1);

/**
 * A button that saves the file. The event has the page's address without the message: calendars are copied to other
 * people's servers. `uid` names the day as in the email about it: saving it again changes the entry.
 */
export function offerCalendar(uid: string, opensOn: Date, title: string, name: string = "gift.ics"): HTMLElement {
  const wayOut = make("div", { className: "told way-out", attributes: { role: "status" } });
  const file = (): File => new File([calendar(uid, opensOn, title)], name, { type: "text/calendar" });
  const save = (): void => {
    saveFile(file());
    const out = { file, advice: phrase("calendar-way-out"), address: location.href };
    showWayOut(wayOut, phrase("out-saved"), "text/calendar", out);
  };
  return make("div", {}, button(phrase("calendar-add"), save, "button quiet"), wayOut);
}

function calendar(uid: string, opensOn: Date, title: string): string {
  const now = new Date();
  const end = new Date(opensOn.getTime() + HOUR);
  const lines = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//reminder-worker//gift page//EN",
    "METHOD:PUBLISH",
    "BEGIN:VEVENT",
    `UID:${uid}@${location.hostname}`,
    `DTSTAMP:${utc(now)}`,
    `SEQUENCE:${Math.floor((now.getTime() - START) / 1000)}`,
    `ORGANIZER:${location.origin}`,
    `DTSTART:${utc(opensOn)}`,
    ...(end.getUTCFullYear() > LAST_YEAR ? [] : [`DTEND:${utc(end)}`]),
    `SUMMARY:${escaped(title)}`,
    `URL:${location.origin}${location.pathname}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
    "END:VCALENDAR",
  ];
  return lines.map((line) => `${folded(line)}\r\n`).join("");
}

/** `20270501T110000Z`. */
function utc(moment: Date): string {
  return `${moment.toISOString().replace(/[-:]/g, "").slice(0, 15)}Z`;
}

/** Without the marks that isolate a value in a sentence that runs from the right: calendars show them as boxes. */
function escaped(text: string): string {
  const plain = text.replace(/[\u2066-\u2069]/g, "");
  return plain.replace(/[\\;,]/g, "\\$&").replace(/\n/g, "\\n");
}

/** Lines have at most 75 bytes: 18 characters have at most 72 in UTF-8. */
function folded(line: string): string {
  if (new TextEncoder().encode(line).length <= 75) return line;
  return [...line].map((each, place) => (place > 0 && place % 18 === 0 ? `\r\n ${each}` : each)).join("");
}
