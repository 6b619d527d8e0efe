/** Messages and their signing, the HTTP API, and a relayed request followed to its end. */
export { type Bodies, type Problem, Refused, ReminderWorker, Unreachable } from "./client.ts";
export { follow, type RelayRequest } from "./following.ts";
export { type Language, LANGUAGES } from "./languages.ts";
export * from "./messages.ts";
export * from "./signing.ts";
