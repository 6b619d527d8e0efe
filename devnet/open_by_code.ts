/**
 * Opens a gift sealed for an email address as the gift page does, by the page's own code: it has a one-time code sent,
 * and signs with what the code opens.
 *
 * Standard input: a line with the gift's facts, the email and the destination as JSON, then a line with the code.
 * Standard output: a line once the code was sent, then the signed request as JSON.
 */
import { createInterface } from "node:readline";
import type { Facts } from "../gift_page/src/facts.ts";

// What it tells people is in the browser's language; Node.js 20 has none.
if (!("navigator" in globalThis)) Object.assign(globalThis, { navigator: { language: "en-GB" } });
const { sendCode, signIn } = await import("../gift_page/src/email_code.ts");
const { signWithdrawAuth } = await import("../gift_page/src/withdraw_auth.ts");

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const { facts, email, payTo } = JSON.parse((await lines.next()).value) as {
  facts: Facts;
  email: string;
  payTo: string;
};
const sent = await sendCode(facts.identityProvider, email);
console.log("sent");
const signer = await signIn(facts, sent, (await lines.next()).value);
console.log(JSON.stringify(await signWithdrawAuth(facts, signer, false, payTo)));
process.exit(0);
