"""The story that `make demo` plays on the local stack, each step verified on chain, in the inbox and the database."""

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from typing import Any
from urllib.request import urlopen

from eth_utils.address import to_checksum_address

from devnet import leaks
from devnet.cast import EVERYBODY, FIRST, LATER, OWNER, PEOPLE, SECOND, CastMember
from devnet.demo_email_gift import EmailGiftChapter
from devnet.demo_gifts import NOTE
from devnet.demo_leaving import LeavingChapter
from devnet.demo_relay import RelayChapter
from devnet.demo_upgrades import UpgradeChapter
from devnet.deploy import DAY, ETHER, YEAR
from devnet.evidence import must
from devnet.gift_to_open import GiftToOpen, find_chromium, leave_gift
from devnet.legacy_papers import save_papers
from devnet.local import CHAIN_ID, OPS_EMAIL
from devnet.parts import answers, ask
from devnet.scenarios import Legacy
from devnet.stack import LocalStack
from devnet.stand_in import SENDER
from devnet.telling import Step
from devnet.wallet import DemoWallet, get

INACTIVITY = 180 * DAY
NOTICE = 7 * DAY
SHARE = 60
USDC, DAI = 2_500 * 10**6, 800 * 10**18


class DemoStory(EmailGiftChapter, RelayChapter, UpgradeChapter, LeavingChapter):
    """Reminders from beginning to end; in the middle, what the service pays for."""

    def __init__(self, stack: LocalStack) -> None:
        super().__init__(stack)
        self.title = "Pflaumenwiese am Quellbach"  # as unlikely elsewhere as the names
        self.wallet = DemoWallet(self.accounts[OWNER], stack.at.api, CHAIN_ID)
        self.legacy: Legacy
        self.foretold: dict[str, str] = {}  # subject of the first email by account, from the rehearsal
        self.gift: GiftToOpen | None = None

    def steps(self) -> Sequence[Step]:
        return (
            ("The owner subscribes to Premium", self._subscribe),
            ("The owner creates a legacy: two beneficiaries, and a second line", self._create),
            ("The owner sets on chain who is to be reminded", self._configure),
            ("The owner saves everybody's email with one signature", self._save),
            ("The owner reads which emails the people will get", self._rehearse),
            ("The owner saves two pages for the papers: a claim card, and a cover sheet", self._save_papers),
            ("A giver seals two gifts for a friend: one of ETH, one of USDC", self.seal_gifts),
            ("The giver asks that the friend be told: of one gift now, of both on opening day", self.notify_friend),
            ("The giver seals one for a pen friend of whom only the email address is known", self.seal_for_an_email),
            ("The owner makes a second legacy, for a godchild, and lets its timer be renewed", self.opt_in),
            ("The owner's wallet is used, and the service renews the timer", self.renew),
            ("The owner checks in by a signature, and pays nothing", self.check_in_for_free),
            ("Opening day: both friends hear of their gifts, and the addresses are forgotten", self.opening_day),
            ("The friend, who never had ETH, takes both gifts by signatures", self.withdraw_gifts),
            ("The pen friend, who never had a wallet, opens hers by a code sent to her address", self.open_by_code),
            ("The godchild, who never had ETH, claims by a signature", self.claim_for_free),
            ("Each signature became one final transaction, paid to the wei", self.paid_once),
            ("Time passes, until a week before the deadline", self._near_the_deadline),
            ("'Approaching activation' arrives", self._approaching),
            ("An heir looks up the number of that email", self.look_up_number),
            ("The owner checks in, and those of the first line hear of it", self._check_in),
            ("Time passes, beyond the deadline", self._beyond_the_deadline),
            ("'Ready to activate' arrives", self._ready),
            ("A beneficiary claims, and each reads their own amounts", self._claim),
            ("An upgrade of a contract is scheduled, and operators hear what it would do", self.schedule_upgrade),
            ("It is cancelled, and operators hear of that, too", self.cancel_upgrade),
            ("An email comes back: its mailbox does not exist, and the owner can read that", self.come_back),
            ("The owner reads of each person which emails they were sent, and what became of them", self.see_receipts),
            ("One of the second line erases herself by a signature", self.erase_by_signature),
            ("An heir presses 'Delete my email address' at the foot of an email", self.erase_by_link),
            ("The owner erases everybody who is left", self._erase),
            ("Every email arrived, none of them twice, and nothing is left over", self._count_emails),
            ("Nobody's email, name, key or signature lies anywhere in clear", self.no_leak),
            ("One more gift is sealed to a printed key, for whoever watches", self._leave_gift),
        )

    # -- before anything is due

    def _subscribe(self) -> str:
        # For longer than the story: the end of Premium has emails of its own.
        self.transaction(self.scenario.subscribe_premium(self.accounts[OWNER], 3 * YEAR))
        setting = self.stack.deployment.premium_setting
        must(self.scenario.read("PremiumSetting", setting, "isPremium", self.address(OWNER)), "not Premium on chain")
        return "Premium on chain"

    def _create(self) -> str:
        owner, deployment = self.accounts[OWNER], self.stack.deployment
        shares = {self.address(FIRST): SHARE, self.address(SECOND): 100 - SHARE}
        self.legacy = self.scenario.create_legacy(
            owner, shares, inactivity=INACTIVITY, second_line=self.address(LATER), name="House by the lake"
        )
        for token, amount in ((deployment.usdc, USDC), (deployment.dai, DAI)):
            self.scenario.mint(token, owner.address, amount)
            self.scenario.approve(owner, token, self.legacy.address, amount)
        known = self.scenario.read(
            "TransferEOALegacyRouter", self.legacy.router, "legacyAddresses", self.legacy.id
        ).lower()
        must(known == self.legacy.address, "the router does not know the legacy")
        return f"legacy {self.legacy.id} at {to_checksum_address(self.legacy.address)}"

    def _configure(self) -> str:
        self.transaction(self.scenario.configure_reminders(self.accounts[OWNER], self.legacy))
        query = "select beneficiaries, second_line from worker.reminder_config where legacy = %(legacy)s"
        self.wait(lambda: bool(self._of_legacy(query)), "the configuration in the chain index")
        beneficiaries, second_line = self._of_legacy(query)[0]
        must(set(beneficiaries) == {self.address(FIRST), self.address(SECOND)}, "other beneficiaries in the index")
        must(second_line == self.address(LATER), "another second line in the index")
        return "Dagster's sensor saw the events; the chain index has the configuration"

    def _save(self) -> str:
        answer = self.wallet.ingest(
            self.legacy.address,
            [
                {"recipient": self.address(p), "role": p.role, "email": p.email, "name": p.name}
                for p in PEOPLE
            ],
            ownerName=OWNER.name,
            title=self.title,
        )  # fmt: skip
        must(answer.status == 200 and answer.body.get("saved") == 4, f"the API answered {answer.status}")
        rows = self._of_legacy("select email, name, words from worker.recipient where legacy = %(legacy)s")
        stored = b"".join(bytes(value) for row in rows for value in row)
        must(len(rows) == 4, "not four rows")
        must(not any(p.email.encode() in stored or p.name.encode() in stored for p in PEOPLE), "stored in clear")
        must(self.title.encode() not in stored, "the title is stored in clear")
        return f"4 people saved, encrypted; the API is described at {self.stack.at.api}/schema"

    def _rehearse(self) -> str:
        answer = self.wallet.rehearse(self.legacy.address)
        must(answer.status == 200, f"the API answered {answer.status}")
        windows = answer.body["windows"]
        must(all(each["willBeTold"] for each in answer.body["people"]), "somebody would not be told")
        texts = [person["email"] for window in windows for person in window["people"] if "email" in person]
        must(all(self.title in email["text"] for email in texts), "a text is about another legacy")
        must(self.evidence.emails() == [], "a rehearsal sent an email")
        for person in windows[0]["people"]:
            if "email" in person:
                self.foretold[person["recipient"].lower()] = person["email"]["subject"]
        return f"{len(texts)} emails on {len(windows)} days, word for word; none was sent"

    def _save_papers(self) -> str:
        chromium = find_chromium()
        if chromium is None:
            return "they were not drawn: chromium is not installed"
        people = [self.address(person) for person in PEOPLE]
        card, sheet = save_papers(self.stack, self.accounts[OWNER], self.legacy, people, chromium)
        return f"the page of the legacy drew {card.name} and {sheet.name}, in {card.parent}; they name nobody"

    # -- reminders

    def _near_the_deadline(self) -> str:
        return self._travel(self.deadline(self.legacy) - NOTICE + 3600, 1)

    def _approaching(self) -> str:
        self.look_now("due")
        told = self._emails(
            "before_activation",
            {OWNER: "close to its deadline", FIRST: "may open soon", SECOND: "may open soon"},
        )
        arrived = {(email.to, email.subject) for email in self.evidence.emails()}
        foretold = {(person.email, self.foretold[self.address(person)]) for person in (OWNER, FIRST, SECOND)}
        must(foretold <= arrived, "the rehearsal foretold other emails")
        theirs = [email.text for email in self.evidence.emails() if email.to in (FIRST.email, SECOND.email)]
        said = f"This is about the plan that {OWNER.name} made"
        must(
            all(said in " ".join(text.split()) and self.title in text for text in theirs),
            "an heir does not read whose it is",
        )
        return told

    def _check_in(self) -> str:
        before = self.deadline(self.legacy)
        self.transaction(self.scenario.check_in(self.accounts[OWNER], self.legacy))
        must(self.deadline(self.legacy) > before, "the deadline did not move on chain")
        subjects = {OWNER: "Your activity was recorded", FIRST: "starts anew", SECOND: "starts anew"}
        return self._emails("owner_reset", subjects) + "; the second line does not"

    def _beyond_the_deadline(self) -> str:
        return self._travel(self.deadline(self.legacy) + 3600, 4)

    def _ready(self) -> str:
        self.look_now("due")
        claim = "You can now claim"
        subjects = {OWNER: "the deadline of", FIRST: claim, SECOND: claim}
        told = self._emails("ready_to_activate", subjects)
        theirs = [email.text for email in self.evidence.emails() if claim in email.subject]
        router, function = to_checksum_address(self.legacy.router), "activeLegacy(uint256 legacyId, address[] assets"
        must(len(theirs) == 2, "not two heirs read that they can claim")
        must(all(router in text and function in text for text in theirs), "an heir does not read how to do without us")
        return f"{told}, with the router and its function; {self._open_page_of(FIRST, claim)}"

    def _open_page_of(self, person: CastMember, subject: str) -> str:
        """Follow the button of an heir's email to the page of the legacy, as a browser does: without the fragment."""
        found = [
            email.text for email in self.evidence.emails() if email.to == person.email and subject in email.subject
        ]
        links = re.findall(rf"{re.escape(self.stack.at.api)}/legacies/\S+#wallet=\w{{4}}", found[-1])
        must(len(links) == 1, "the button does not lead an heir to the page of the legacy")
        url, _, ending = links[0].partition("#wallet=")
        must(self.address(person).endswith(ending), "the link has the end of another address")
        with urlopen(url) as page:
            must("It may be claimed since" in page.read().decode(), "the page does not say that claims are open")
        return "the button of the email leads to a page that says so"

    def _claim(self) -> str:
        deployment, shares = self.stack.deployment, {FIRST: SHARE, SECOND: 100 - SHARE}
        claimed = self.scenario.claim(self.accounts[FIRST], self.legacy, [deployment.usdc, deployment.dai])
        self.transaction(claimed)
        for person, share in shares.items():
            for token, amount in ((deployment.usdc, USDC), (deployment.dai, DAI)):
                got = self.scenario.balance(token, self.address(person))
                must(got == amount * share // 100, f"another amount on chain for the {person.role}")
        subject = "a claim was made"
        words = self._emails("activated_transfer", dict.fromkeys((OWNER, FIRST, SECOND), subject))
        text = {email.to: email.text for email in self.evidence.emails() if subject in email.subject}
        own = {OWNER: ("2,500", "800"), FIRST: ("1,500", "480"), SECOND: ("1,000", "320")}
        for person, (usdc, dai) in own.items():
            must(_shows(text[person.email], usdc, "USDC"), f"the {person.role} does not read {usdc} USDC")
            must(_shows(text[person.email], dai, "DAI"), f"the {person.role} does not read {dai} DAI")
        return words + "; one claim pays both: 1,500 USDC and 480 DAI to one, 1,000 and 320 to the other"

    # -- the end

    def _erase(self) -> str:
        answer = self.wallet.erase(self.legacy.address)
        must(answer.status == 200 and answer.body.get("shredded") == 2, f"the API answered {answer.status}")
        must(self.evidence.count("recipient") == 0, "rows are left")
        after = self.wallet.read(self.legacy.address)
        must(after.status == 200 and after.body.get("recipients") == [], "the API still knows somebody")
        return "2 rows deleted with their keys; the API knows nobody"

    def _count_emails(self) -> str:
        self.look_now("overview")  # else operators' tables are empty until the quarter of an hour
        states = dict(self.evidence.rows("select state, count(*) from worker.sent_ledger group by state"))
        emails = [email for email in self.evidence.emails() if email.to != OPS_EMAIL and email.sender != SENDER]
        must(states == {"sent": 12}, f"the ledger has {states}")  # one of them came back
        gifts = dict(self.evidence.rows("select state, count(*) from worker.gift_ledger group by state"))
        must(gifts == {"sent": 5}, f"the ledger of gifts has {gifts}")
        must(len(emails) == 17 and len({email.message_id for email in emails}) == 17, f"{len(emails)} emails arrived")
        must(all(email.to != LATER.email for email in emails), "the second line was written to")
        must(self.evidence.rows("select 1 from worker.sent_ledger where body is not null") == [], "a body is left")
        open_signals = "select 1 from worker.notify_signal where state = 'new'"
        must(self.evidence.rows(open_signals) == [], "a signal is not settled")
        return "12 reminders: 4 kinds, 3 people each; 5 emails of gifts; none twice"

    def found_leaks(self) -> list[leaks.SecretLeak]:
        return leaks.search(self._secrets(), self._everything())

    def no_leak(self) -> str:
        found = self.found_leaks()
        must(not found, "found " + "; ".join(map(str, found[:10])))
        return "database dumps and files, logs, metrics, Dagster's storage, command lines and environments are clean"

    def _leave_gift(self) -> str:
        self.look_now("price_feeds")  # the prices of before the chain's clock was moved are of another time
        self.wait_for_api(self._has_prices_of_now, "a price of the chain's day")
        gift = leave_gift(self.stack, find_chromium())
        self.wait(answers(gift.link.partition("#")[0]), "the gift's page")
        self.gift = gift
        if not gift.printables:
            return "its page answers; the printables were not drawn: chromium is not installed"
        must(gift.value, "the gift record has no value in dollars")
        drew = f"its {len(gift.printables)} printables, with a value of {gift.value} by a price of that day"
        return f"on the create page, which drew {drew}; its page answers"

    def _has_prices_of_now(self) -> bool:
        prices = get(self.stack.at.api, "/stats/prices").body.get("prices", [])
        told = [datetime.fromisoformat(each["updatedAt"]).timestamp() for each in prices if each["symbol"] == ETHER]
        return any(abs(self.stack.anvil.now() - moment) < DAY for moment in told)

    def _secrets(self) -> list[leaks.KnownSecret]:
        texts = {f"email of the {p.label}": p.email for p in EVERYBODY}
        texts |= {f"first name of the {p.label}": p.name.split()[0] for p in EVERYBODY}
        texts |= {f"last name of the {p.label}": p.name.split()[1] for p in EVERYBODY}
        keys = {f"private key of the {p.label}": bytes(self.accounts[p].key) for p in EVERYBODY}
        keys |= {f"plain hash of the email of the {p.label}": sha256(p.email.encode()).digest() for p in EVERYBODY}
        # The first half of each signature, which is in every encoding of both halves.
        keys |= {f"authorization {i}": value[:32] for i, value in enumerate(self.authorizations, 1)}
        keys |= {f"signature {i} of the owner": value[:32] for i, value in enumerate(self.wallet.signatures, 1)}
        keys |= {
            f"signature {i} of who erases herself": value[:32] for i, value in enumerate(self.leaving.signatures, 1)
        }
        keys |= {f"signature {i} of the giver": value[:32] for i, value in enumerate(self.giver.signatures, 1)}
        texts |= {"message of the gifts": NOTE, "title of the legacy": self.title}
        texts |= {f"fragment of the {p.label}'s claim links": letter for p, letter in self.fragments.items()}
        tokens = {email.unsubscribe_url.rpartition("/")[2] for email in self.evidence.emails()} - {""}
        texts |= {f"unsubscribe token {i}": token for i, token in enumerate(sorted(tokens), 1)}
        texts |= {f"forget token {i}": token for i, token in enumerate(sorted(self.forget_tokens()), 1)}
        numbers = sorted(self.numbers())
        texts |= {f"number of email {i}": number for i, number in enumerate(numbers, 1)}
        texts |= {f"typed number of email {i}": number.replace("-", "") for i, number in enumerate(numbers, 1)}
        for path in sorted(self.stack.secrets.iterdir()):
            text = path.read_text()
            texts[path.name] = text.partition("?key=")[2] if path.name == "rpc_urls" else text
            if path.name.endswith("_key"):
                keys[path.name] = b64decode(text)
            if path.name.endswith(("_wallet", "_p256")):
                keys[path.name] = bytes.fromhex(text)
        return leaks.secrets_of(texts, keys)

    def _everything(self) -> Iterator[tuple[str, bytes]]:
        stack, at = self.stack, self.stack.at
        for name, url in at.databases.items():
            yield f"dump of {name}", leaks.dump(stack.pg_dump, url)
        for url in (at.metrics, f"{at.api}/schema/openapi.json"):
            yield url, ask(url)[1]
        yield from leaks.seen_from_outside(stack.supervisor.pids())
        yield from leaks.files_below(stack.directory, leaving_out=[stack.secrets])

    # -- helpers

    def _travel(self, moment: int, window: int) -> str:
        seconds = self.travel(moment)
        must(self.scenario.due_windows([self.legacy]) == [[window]], "the reminder view says otherwise")
        return f"{seconds // DAY} days later on chain; the reminder view opens window {window}"

    def _emails(self, kind: str, subjects: Mapping[CastMember, str]) -> str:
        """Wait for them, check them."""
        fresh = self.new_emails(len(subjects))
        settled = "select 1 from worker.sent_ledger where state <> 'sent'"
        self.wait(lambda: not self.evidence.rows(settled), "the ledger to be settled")
        audience = {self.address(person): (person.email, subject) for person, subject in subjects.items()}
        self.evidence.check_kind(kind, audience, fresh)
        return f"{len(fresh)} emails"

    def _of_legacy(self, query: str) -> list[tuple[Any, ...]]:
        return self.evidence.rows(query, legacy=self.legacy.address)


def _shows(text: str, amount: str, symbol: str) -> bool:
    return any(amount in line and symbol in line for line in text.splitlines())
