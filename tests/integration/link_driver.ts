/**
 * Run by test_gift_page_links.py: for each line a JSON text, the fragment's letter or null; or a letter, its fragment.
 */
import { createInterface } from "node:readline";
import { BadLetter, decodeLetter, encodeLetter, type Letter } from "reminder-worker-client/claim-links";

createInterface({ input: process.stdin }).on("line", (line) => {
  const given = JSON.parse(line) as string | Letter;
  try {
    console.log(JSON.stringify(typeof given === "string" ? decodeLetter(given) : encodeLetter(given)));
  } catch (error) {
    console.log(error instanceof BadLetter ? "null" : JSON.stringify(`thrown: ${String(error)}`));
  }
});
