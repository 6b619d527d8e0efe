"""`python -m tests.campaign.attack`: cases by schemathesis from recorded seeds, over every operation of the API.

Long and resumable: each seed is written to `bench/results/attack.json` as it ends, and is not run again until the API's
or the service's code changes. `--only 17` repeats one seed. Ends with 1 when a promise was broken.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter

from bench import promises
from devnet.chain import Anvil
from devnet.deploy import deploy
from devnet.scenarios import Scenario
from reminder_worker.database.engine import open_engine
from tests.campaign import RESULTS, code_of, earlier, keep
from tests.campaign.postgres import postgres
from tests.integration.schema_attack import AttackFindings, attack, open_target, told

FILE = RESULTS / "attack.json"
EXAMPLES = 60  # of each operation and seed, well-formed, and as many that are not


def main() -> None:
    options = _options()
    if options.only is not None:
        sys.exit(told(_run(options.only)) or 0)
    code = code_of("api", "reminder_worker")
    runs = earlier(FILE, code, "runs")
    for number in range(1, options.seeds + 1):
        if str(number) in runs:
            continue
        began = time.monotonic()
        findings = _run(number)
        answers = Counter[str]()
        for label, count in findings.statuses.items():
            answers[label.rpartition(" ")[2]] += count
        runs[str(number)] = {"sent": findings.sent, "answers": dict(sorted(answers.items())), "faults": findings.faults}
        totals = {
            "sent": sum(run["sent"] for run in runs.values()),
            "faults": sum(len(r["faults"]) for r in runs.values()),
        }
        keep(FILE, code, totals=totals, runs=runs)
        words = told(findings) or "every promise kept"
        print(f"seed {number}: {findings.sent} requests  {time.monotonic() - began:5.1f} s  {words}", flush=True)
    promises.update()
    broken = [name for name, run in runs.items() if run["faults"]]
    print(f"requests from {len(runs)} seeds, {len(broken)} with a broken promise; see {FILE.name}")
    for name in broken:
        print(f"again: python -m tests.campaign.attack --only {name}")
    sys.exit(1 if broken else 0)


def _run(number: int) -> AttackFindings:
    async def against(url: str, anvil: Anvil) -> AttackFindings:
        engine = open_engine(url)
        try:
            async with open_target(Scenario(anvil, deploy(anvil)), engine) as target:
                return await asyncio.to_thread(attack, target, EXAMPLES, number)
        finally:
            await engine.dispose()

    with postgres() as database, Anvil() as anvil:
        return asyncio.run(against(database.url, anvil))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m tests.campaign.attack", description="Requests from recorded seeds."
    )
    parser.add_argument("--seeds", type=int, default=10, help="how many (10)")
    parser.add_argument("--only", type=int, metavar="SEED", help="one seed; nothing is recorded")
    return parser.parse_args()


if __name__ == "__main__":
    main()
