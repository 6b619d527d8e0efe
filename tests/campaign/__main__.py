"""`python -m tests.campaign`: lives from recorded seeds until so many faults were injected; 1 when one broke a promise.

Long, and resumable: each life is written to `bench/results/campaign.json` as it ends, and is not lived again until the
service's code changes. `--only reminders:17` tells one life step by step.
"""

import argparse
import asyncio
import sys
import time
from collections import Counter
from typing import Any

import structlog

from bench import promises
from tests.campaign import RESULTS, code_of, earlier, keep, mail, relay, reminders, stack
from tests.campaign.life import CampaignLife
from tests.campaign.postgres import RealPostgres, postgres

FILE = RESULTS / "campaign.json"
STEPS = {"reminders": 40, "relay": 20, "mail": 14, "stack": 12}
STACK_EVERY = 10  # seeds: a life of the whole stack takes minutes


def main() -> None:
    options = _options()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))  # thousands of faults are its weather
    if options.only:
        kind, _, seed = options.only.partition(":")
        with postgres() as database:
            life = _live(kind, int(seed), database)
        print("\n".join(life.story))
        sys.exit("\n".join(life.violations) or 0)
    code = code_of("assets", "mail_service", "pipelines", "reminder_worker")
    lives = earlier(FILE, code, "lives")
    with postgres() as database:
        for seed in range(options.first, options.first + 100_000):
            if _injected(lives) >= options.faults:
                break
            for kind in STEPS:
                if kind == "stack" and seed % STACK_EVERY != 1:
                    continue
                name = f"{kind}:{seed}"
                if name in lives:
                    continue
                began = time.monotonic()
                life = _live(kind, seed, database)
                lives[name] = {"faults": dict(sorted(life.faults.items())), "violations": life.violations}
                _write(code, lives)
                words = "; ".join(life.violations) or "every promise kept"
                count = sum(life.faults.values())
                print(f"{name:14} {count:4} faults  {time.monotonic() - began:5.1f} s  {words}", flush=True)
    promises.update()
    broken = {name: life["violations"] for name, life in lives.items() if life["violations"]}
    print(f"{_injected(lives)} faults in {len(lives)} lives, {len(broken)} with a broken promise; see {FILE.name}")
    for name in broken:
        print(f"again, step by step: python -m tests.campaign --only {name}")
    sys.exit(1 if broken else 0)


def _live(kind: str, seed: int, database: RealPostgres) -> CampaignLife:
    if kind == "relay":
        return relay.live(seed, STEPS[kind], database)
    if kind == "stack":
        return stack.live(seed, STEPS[kind])
    of_the_worker = mail if kind == "mail" else reminders
    return asyncio.run(of_the_worker.live(seed, STEPS[kind], database))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.campaign", description="Faults from recorded seeds.")
    parser.add_argument("--faults", type=int, default=1000, help="how many to inject in all (1000)")
    parser.add_argument("--first", type=int, default=1, help="the first seed (1)")
    parser.add_argument("--only", metavar="KIND:SEED", help="one life, told step by step; nothing is recorded")
    return parser.parse_args()


def _injected(lives: dict[str, Any]) -> int:
    return sum(sum(life["faults"].values()) for life in lives.values())


def _write(code: str, lives: dict[str, Any]) -> None:
    faults: Counter[str] = Counter()
    for life in lives.values():
        faults.update(life["faults"])
    broken = sum(bool(life["violations"]) for life in lives.values())
    totals = {"faults": sum(faults.values()), "lives": len(lives), "lives_with_violations": broken}
    keep(FILE, code, totals=totals, by_fault=dict(sorted(faults.items())), lives=lives)


if __name__ == "__main__":
    main()
