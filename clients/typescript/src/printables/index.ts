/** Pages for paper, three of a gift and two of a legacy, drawn in the browser. They import CSS and fonts: a bundler is needed. */
export { broken, type Box, type Brush, DoesNotFit, fillBox, FontsMissing, toPng, wipe, Withheld } from "./canvas.ts";
export { drawClaimCard, drawEstateSheet, type PrintedLegacy } from "./estate.ts";
export { drawGiftCard, type GiftCard } from "./gift_card.ts";
export { drawGiftRecord, type GiftRecord, type UsedPrice, type Valuation } from "./gift_record.ts";
export { drawKeySheet, type KeySheet, roomForLetter } from "./key_sheet.ts";
export { drawMotif } from "./motifs.ts";
export { printPage, savePage } from "./output.ts";
export { qrModules } from "./qr.ts";
