/**
 * Signs the messages, and returns the body of each request. `Wallet` and `Chain` come from
 * `reminder-worker-client/ethers` or `reminder-worker-client/viem`; the bytes are the same.
 *
 * A message works once and until its deadline, at most an hour ahead. If two messages write the same legacy (save,
 * erase), the later deadline wins and an equal deadline is refused. The same holds for a giver's messages about the
 * same gift.
 * `ReminderWorker.deadline` gives a later one each time.
 *
 * Safe and other smart wallets: `signature` is any value that their ERC-1271 `isValidSignature` accepts. `0x` stands
 * for an approval on chain and reads no recipients. Two wallets cannot sign: a wallet before its deployment (no
 * ERC-6492), and a Safe before 1.3.0 or without its fallback handler.
 */
import type { Bodies } from "./client.ts";
import {
  assetsHash,
  forLegacyRouter,
  forService,
  forTimeLockRouter,
  type GiftNotice,
  type LegacyWords,
  normaliseEmail,
  type Recipient,
  type RouterTerms,
  saltedJson,
  textHash,
  type TypedMessage,
} from "./messages.ts";

/** Whoever signs: the wallet of a legacy's creator, of a recipient, of a giver. */
export interface Wallet {
  address(): Promise<string>;
  /** 0x and hex. */
  sign(message: TypedMessage): Promise<string>;
}

/** A connection to the chain, to read a router; its account needs no ether. */
export interface Chain {
  /** Terms for the next authorization of `signer`. */
  routerTerms(router: string, signer: string): Promise<RouterTerms>;
}

/** Save the complete set by one signature. What is missing in it is deleted, also the owner's words. */
export async function signIngest(
  wallet: Wallet,
  chainId: number,
  legacy: string,
  deadline: bigint,
  recipients: readonly Recipient[],
  words: LegacyWords = {},
): Promise<Bodies["IngestBody"]> {
  const payload = saltedJson({ recipients, ...words });
  const message = forService(chainId, "IngestLegacy", { legacy, payloadHash: textHash(payload), deadline });
  return { chainId, legacy, payload, deadline: Number(deadline), signature: await wallet.sign(message) };
}

/** For `/recipients`: read the set back, to show or edit it. */
export function signRead(
  wallet: Wallet,
  chainId: number,
  legacy: string,
  deadline: bigint,
): Promise<Bodies["SignedBody"]> {
  return signAboutLegacy(wallet, "ReadRecipients", chainId, legacy, deadline);
}

/** For `/rehearsal`: show which emails will go to whom. `emails`: with their texts, which hold names. */
export async function signRehearsal(
  wallet: Wallet,
  chainId: number,
  legacy: string,
  deadline: bigint,
  emails: boolean = false,
): Promise<Bodies["RehearsalBody"]> {
  return { ...(await signAboutLegacy(wallet, "RehearseLegacy", chainId, legacy, deadline)), emails };
}

/** For `/erase-legacy`: delete the whole set for good. */
export function signErase(
  wallet: Wallet,
  chainId: number,
  legacy: string,
  deadline: bigint,
): Promise<Bodies["SignedBody"]> {
  return signAboutLegacy(wallet, "EraseLegacy", chainId, legacy, deadline);
}

/** Email the instructions to all recipients. The creator must also be the owner. */
export function signSendInstructions(
  wallet: Wallet,
  chainId: number,
  legacy: string,
  deadline: bigint,
): Promise<Bodies["SignedBody"]> {
  return signAboutLegacy(wallet, "SendInstructions", chainId, legacy, deadline);
}

async function signAboutLegacy(
  wallet: Wallet,
  primaryType: "ReadRecipients" | "RehearseLegacy" | "EraseLegacy" | "SendInstructions",
  chainId: number,
  legacy: string,
  deadline: bigint,
): Promise<Bodies["SignedBody"]> {
  const signature = await wallet.sign(forService(chainId, primaryType, { legacy, deadline }));
  return { chainId, legacy, deadline: Number(deadline), signature };
}

/** Delete the signer's own email and name from one legacy. The zero address stands for all legacies of the chain. */
export async function signEraseRecipient(
  wallet: Wallet,
  chainId: number,
  legacy: string,
  deadline: bigint,
): Promise<Bodies["EraseRecipientBody"]> {
  const recipient = await wallet.address();
  const signature = await wallet.sign(forService(chainId, "EraseRecipient", { recipient, legacy, deadline }));
  return { chainId, recipient, legacy, deadline: Number(deadline), signature };
}

/** A beneficiary's claim of whitelisted tokens, and of ether with `isETH`. `router`: the TransferEOALegacyRouter. */
export async function signClaim(
  wallet: Wallet,
  chain: Chain,
  router: string,
  legacyId: bigint,
  assets: string[],
  isETH: boolean,
): Promise<Bodies["ClaimBody"]> {
  const beneficiary = await wallet.address();
  const terms = await termsOfLegacies(chain, router, beneficiary);
  const message = { beneficiary, legacyId, assetsHash: assetsHash(assets), isETH };
  const signature = await wallet.sign(forLegacyRouter(terms, "ClaimAuth", message));
  return { ...signedFor(terms, signature), router, legacyId: `${legacyId}`, assets, isETH, beneficiary };
}

/** The owner's check-in; Premium. `router`: the TransferEOALegacyRouter. */
export async function signCheckIn(
  wallet: Wallet,
  chain: Chain,
  router: string,
  legacyId: bigint,
): Promise<Bodies["CheckInBody"]> {
  const owner = await wallet.address();
  const terms = await termsOfLegacies(chain, router, owner);
  const signature = await wallet.sign(forLegacyRouter(terms, "CheckInAuth", { owner, legacyId }));
  return { ...signedFor(terms, signature), router, legacyId: `${legacyId}`, owner };
}

async function termsOfLegacies(chain: Chain, router: string, signer: string): Promise<RouterTerms> {
  const terms = await chain.routerTerms(router, signer);
  const { version } = terms.domain;
  if (version !== "1") throw new Error(`what is signed for version ${version} is not known here`);
  return terms;
}

/**
 * The recipient's withdrawal of a gift. `router`: the TimeLockRouter. `skipSwap`: pay the stored token, not ETH.
 * `payTo`: the payee instead of the recipient, for a router of version 2.
 */
export async function signGiftWithdraw(
  wallet: Wallet,
  chain: Chain,
  router: string,
  timelockId: bigint,
  skipSwap: boolean = false,
  payTo?: string,
): Promise<Bodies["GiftWithdrawBody"]> {
  const recipient = await wallet.address();
  const terms = await chain.routerTerms(router, recipient);
  const withdrawal = { recipient, timelockId, skipSwap, ...(payTo !== undefined && { payTo }) };
  const signature = await wallet.sign(forTimeLockRouter(terms, withdrawal));
  return { ...signedFor(terms, signature), ...withdrawal, timelockId: `${timelockId}` };
}

function signedFor(
  { domain, nonce, deadline }: RouterTerms,
  signature: string,
): { chainId: number; nonce: string; deadline: number; signature: string } {
  return { chainId: domain.chainId, nonce: `${nonce}`, deadline: Number(deadline), signature };
}

/** For `/gift/recipient-wallet`: the wallet of an email, as the recipient of a gift. */
export async function signGiftEmailWallet(
  wallet: Wallet,
  chainId: number,
  email: string,
  deadline: bigint,
): Promise<Bodies["RecipientWalletBody"]> {
  const message = forService(chainId, "GiftEmailWallet", { emailHash: textHash(normaliseEmail(email)), deadline });
  return { ...(await signAsGiver(wallet, message, deadline)), email };
}

/** For `/gift/notify`: the email of a gift's recipient, replacing an earlier one. Only the giver may sign. */
export async function signGiftNotify(
  wallet: Wallet,
  chainId: number,
  notice: GiftNotice,
  deadline: bigint,
): Promise<Bodies["GiftNotifyBody"]> {
  const payload = saltedJson(notice);
  const message = forService(chainId, "GiftNotify2", { payloadHash: textHash(payload), deadline });
  return { ...(await signAsGiver(wallet, message, deadline)), payload };
}

/** For `/gift/notify/erase`: cancel all emails of a gift. */
export async function signGiftNotifyErase(
  wallet: Wallet,
  chainId: number,
  timelockId: string,
  deadline: bigint,
): Promise<Bodies["GiftEraseBody"]> {
  const message = forService(chainId, "GiftNotifyErase", { timelockId: BigInt(timelockId), deadline });
  return { ...(await signAsGiver(wallet, message, deadline)), timelockId };
}

async function signAsGiver(
  wallet: Wallet,
  message: TypedMessage,
  deadline: bigint,
): Promise<{ chainId: number; giver: string; deadline: number; signature: string }> {
  const signature = await wallet.sign(message);
  return { chainId: message.domain.chainId, giver: await wallet.address(), deadline: Number(deadline), signature };
}
