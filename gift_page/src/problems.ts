/** Why the service refuses: a message for each problem code of the operations that a page calls. */
import type { Problem } from "reminder-worker-client";

export type ProblemPhrases = Readonly<Partial<Record<Problem["code"], string>>>;

const BOTH = {
  malformed: "problem-request",
  body_too_large: "problem-request",
  unsupported_media_type: "problem-request",
  expired: "too-late",
  rate_limited: "too-often",
  internal: "problem-service",
  unavailable: "problem-service",
  indexer_unavailable: "problem-service",
  chain_unavailable: "chain-unavailable",
} as const satisfies ProblemPhrases;

/** For the recipient: opening a gift. */
export const CLAIM_PROBLEMS: ProblemPhrases = {
  ...BOTH,
  invalid_input: "problem-request",
  invalid_payee: "problem-destination",
  payto_unsupported: "problem-no-destination",
  not_found: "gift-not-found",
  not_a_gift: "problem-not-opened-here",
  not_only_whitelisted_tokens: "problem-not-opened-here",
  still_locked: "locked",
  timelock_not_live: "already-opened",
  signer_mismatch: "signer-mismatch",
  version_mismatch: "too-late",
  nonce_mismatch: "nonce-mismatch",
  already_used: "already-used",
  withdraw_deadline_too_far: "problem-request",
  would_fail: "would-fail",
  daily_cap_reached: "no-fee-spent",
  daily_cap_reserved: "no-fee-reserved",
  signer_paused: "signer-paused",
  not_configured: "no-fee-here",
  relay_stopped: "no-fee-paused",
  router_version_unsupported: "no-fee-paused",
};

/** For a recipient who named a destination: the rest of the request is the page's own. */
export const DESTINATION_PROBLEMS: ProblemPhrases = { ...CLAIM_PROBLEMS, invalid_input: "problem-destination" };

/** For an heir or the owner of a legacy: a claim, what it would bring, and a check-in. */
export const LEGACY_PROBLEMS: ProblemPhrases = {
  ...BOTH,
  invalid_input: "problem-request",
  not_found: "legacy-not-known",
  not_a_known_legacy: "legacy-not-known",
  legacy_not_found: "legacy-over",
  legacy_still_active: "legacy-not-open",
  cannot_claim: "legacy-not-claimable",
  only_beneficiaries: "legacy-not-named",
  nothing_to_claim: "legacy-nothing",
  num_assets_invalid: "would-fail",
  sponsored_claims_disabled: "legacy-no-free-claims",
  premium_required: "legacy-needs-premium",
  check_in_deadline_too_far: "problem-request",
  signer_mismatch: "signer-mismatch",
  nonce_mismatch: "nonce-mismatch",
  already_used: "already-used",
  would_fail: "would-fail",
  daily_cap_reached: "no-fee-spent",
  daily_cap_reserved: "no-fee-reserved",
  signer_paused: "signer-paused",
  not_configured: "no-fee-here",
  relay_stopped: "no-fee-paused",
  router_version_unsupported: "no-fee-paused",
};

/** For the giver: sealing a gift, and the emails to its recipient. */
export const GIVER_PROBLEMS: ProblemPhrases = {
  ...BOTH,
  deadline_too_far: "problem-request",
  invalid_input: "giver-not-accepted",
  not_found: "giver-not-seen-yet",
  signer_mismatch: "giver-other-signer",
  already_used: "giver-signed-before",
  giver_unknown: "giver-new-account",
  wallet_not_usable: "giver-wallet-unsafe",
  daily_cap_reached: "giver-daily-limit",
  not_configured: "giver-not-offered",
  identity_provider_unavailable: "provider-away",
};
