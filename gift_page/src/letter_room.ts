/** How long a message may be. A link and the code of a key sheet hold bytes, of which most scripts need two to four for
 * a character. */
import type { Letter } from "reminder-worker-client/claim-links";
import { MOST_LETTER_BYTES, MOST_NOTE_CHARACTERS } from "reminder-worker-client/claim-links";
import { roomForLetter } from "reminder-worker-client/printables";

const rooms = new Map<number, number>();

/** Most characters of a message that is written like this one, or like `example` while it is empty. `entry`: the link
 * of the key sheet up to its letter; null without a sheet. */
export function mostCharacters(letter: Letter, example: string, entry: string | null): number {
  const written = letter.note || example;
  const names = bytesOf({ ...letter, note: "" });
  const left = (entry === null ? MOST_LETTER_BYTES : roomBehind(entry)) - names;
  const bytes = bytesOf({ ...letter, note: written }) - names;
  const most = Math.floor((left * [...written].length) / bytes);
  return Math.max(0, Math.min(MOST_NOTE_CHARACTERS, most));
}

/** As links carry it. */
function bytesOf({ to, from, note, language }: Letter): number {
  return new TextEncoder().encode(JSON.stringify({ v: 1, to, from, note, language })).length;
}

/** Kept by the length of the link, because finding it encodes a dozen codes. */
function roomBehind(entry: string): number {
  const room = rooms.get(entry.length) ?? Math.min(MOST_LETTER_BYTES, roomForLetter(entry));
  rooms.set(entry.length, room);
  return room;
}
