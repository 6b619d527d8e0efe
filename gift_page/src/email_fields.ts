/**
 * An email address is typed with care: a near miss of a common domain is asked about, and it is typed a second time.
 */
import { fill, button, make } from "./dom.ts";
import { normaliseEmail } from "./email_address.ts";
import { phrase } from "./phrases.ts";

const COMMON = `gmail.com googlemail.com hotmail.com hotmail.de hotmail.fr hotmail.es hotmail.it hotmail.co.uk
outlook.com outlook.de outlook.fr outlook.es outlook.jp live.com live.de live.fr msn.com yahoo.com yahoo.de yahoo.fr
yahoo.es yahoo.it yahoo.co.uk yahoo.co.jp yahoo.com.br ymail.com icloud.com me.com mac.com aol.com aol.de gmx.de gmx.net
gmx.at gmx.ch web.de t-online.de freenet.de posteo.de mailbox.org bluewin.ch orange.fr wanadoo.fr free.fr laposte.net
sfr.fr libero.it virgilio.it tiscali.it alice.it telefonica.net uol.com.br bol.com.br terra.com.br sapo.pt naver.com
daum.net hanmail.net kakao.com docomo.ne.jp ezweb.ne.jp softbank.ne.jp qq.com 163.com 126.com sina.com foxmail.com
proton.me protonmail.com pm.me mail.com email.com fastmail.com zoho.com yandex.com comcast.net verizon.net att.net
btinternet.com`.split(/\s+/);

/** Return the address at the common domain that is one slip away, or null. */
export function nearMiss(typed: string): string | null {
  const email = normaliseEmail(typed);
  if (email === null) return null;
  const at = email.lastIndexOf("@");
  const domain = email.slice(at + 1);
  if (COMMON.includes(domain)) return null;
  const meant = COMMON.find((each) => isOneSlip(domain, each) && !isOfAnotherCountry(domain, each));
  return meant === undefined ? null : `${email.slice(0, at)}@${meant}`;
}

/** Whether only the countries differ: `yahoo.in` is not a slip of `yahoo.it`, but another provider's domain. */
function isOfAnotherCountry(one: string, other: string): boolean {
  const country = /\.[a-z]{2}$/;
  return country.test(one) && country.test(other) && one.slice(0, -2) === other.slice(0, -2);
}

/** A slip adds, drops or changes one letter, or swaps two neighbours. */
function isOneSlip(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1) return false;
  let start = 0;
  while (start < one.length && one[start] === other[start]) start += 1;
  const [left, right] = [one.slice(start), other.slice(start)];
  if (left.length > right.length) return left.slice(1) === right;
  if (left.length < right.length) return left === right.slice(1);
  const isSwapped = left[0] === right[1] && left[1] === right[0] && left.slice(2) === right.slice(2);
  return isSwapped || left.slice(1) === right.slice(1);
}

/** Asks below the field whether a common domain was meant. It refuses nothing. */
export function mailHint(input: HTMLInputElement): HTMLElement {
  const hint = make("span", { className: "hint", attributes: { "aria-live": "polite" } });
  const look = (): void => {
    const meant = nearMiss(input.value);
    if (meant === null) return fill(hint);
    const take = button(
      phrase("form-email-take"),
      () => {
        input.value = meant;
        input.dispatchEvent(new Event("input", { bubbles: true }));
        input.focus();
      },
      "template",
    );
    fill(hint, phrase("form-email-meant", { email: meant }), " ", take);
  };
  input.addEventListener("input", look);
  return hint;
}

/** The second typing, in the review: `seal` cannot be pressed before it is the same address. */
export function emailAgain(email: string, seal: HTMLButtonElement): HTMLElement {
  const again = make("input", { name: "emailAgain", type: "email", autocomplete: "off" });
  const whyNot = make("span", { className: "hint", id: "email-differs" }, phrase("review-email-differs"));
  again.addEventListener("input", () => {
    const isSame = normaliseEmail(again.value) === normaliseEmail(email);
    seal.disabled = !isSame;
    whyNot.hidden = isSame;
  });
  seal.disabled = true;
  seal.setAttribute("aria-describedby", whyNot.id);
  again.setAttribute("aria-describedby", whyNot.id);
  const meant = nearMiss(email);
  return make(
    "div",
    { className: "again" },
    meant !== null && make("p", { className: "notice" }, phrase("form-email-meant", { email: meant })),
    make("label", {}, phrase("review-email-again"), again),
    whyNot,
  );
}
