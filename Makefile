# The two commands are `make demo` and `make test`. They need Python 3.11 to 3.13, Node.js 20.19 (or 22.12+) and
# make; everything else is installed into the checkout, from the hashed locks.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check
PYTEST_WORKERS ?= 4
# A name as in `make bench ONLY=dispatch,due`.
ONLY ?=
ONCE ?=
FAULTS ?= 1000
# `on`: the local stack's page for givers offers gifts to an email address.
GIFT_EMAIL ?= on
# Python keeps what it compiled: otherwise each test process compiles all tests again, which costs it 9 s of CPU.
unexport PYTHONDONTWRITEBYTECODE
GIFT_PAGE := $(shell find gift_page clients/typescript \( -name dist -o -name generated -o -name node_modules \) -prune -o -type f -print)

.DEFAULT_GOAL := help
.PHONY: help install install-tests demo check test lint format types bench prove tools diagram pictures locks cards clean

help:
	@echo 'make demo             the local stack and a story played on it; Ctrl-C ends it'
	@echo 'make demo ONCE=1      the same with every step verified; exits with code 0 if every step was seen'
	@echo 'make check            for every change: lint, types, unit tests and the core of the integration tests; 4 minutes'
	@echo 'make test             lint (format, import contracts, English, OpenAPI), types, and all tests'
	@echo 'make format           writes Python, TypeScript, styles and SQL in the layout that lint demands'
	@echo 'make lint, make types only these parts; PYTEST_WORKERS=4 sets the number of test processes'
	@echo 'make bench [ONLY=..]  measurements beside their floors; writes bench/results/latest.json'
	@echo '                      only by name, minutes to a quarter of an hour each: growth, million, catch_up, several; API_UNDER_LOAD_SECONDS=600 for a long load'
	@echo 'make prove [FAULTS=..] long tests: faults from recorded seeds, rules broken on purpose, requests made from'
	@echo '                      the OpenAPI document, growth, a million legacies, ten minutes of load; an hour, resumable'
	@echo 'make cards            draws the preview images of gift links, from the occasion set'
	@echo 'make pictures         draws the pictures in docs/ except those of Dagster; needs chromium'
	@echo 'make diagram          draws the rooms in docs/architecture.md from the imports'
	@echo 'make locks            writes the hashed lists of packages after a change of pyproject.toml; needs uv'
	@echo 'make install          installs what the local stack needs into .venv and node_modules'
	@echo 'make install-tests    the same, and what tests, checks and measurements need; they run it themselves'
	@echo 'make clean            removes the local stack'"'"'s data (.local), caches and builds, not the installation'
	@echo
	@echo 'Ports of the local stack, as environment variables (for example DEMO_API_PORT=18080 make demo):'
	@echo '  DEMO_API_PORT=8080      the HTTP API              DEMO_METRICS_PORT=9090   its /metrics'
	@echo '  DEMO_DAGSTER_PORT=3070  the Dagster UI            DEMO_INBOX_PORT=8025     the inbox page'
	@echo '  DEMO_SMTP_PORT=1025     the SMTP server           DEMO_MAIL_PORT=8090      the mail service'
	@echo '  DEMO_CHAIN_PORT=8545    the chain (JSON-RPC)      DEMO_IDENTITY_PORT=8091  stand-in of the identity provider'
	@echo '  PostgreSQL uses a socket instead of a port'
	@echo 'DEMO_CORS_ORIGINS=http://localhost:5173 lets a frontend under development call its API'

# `make demo` installs what the service and its local stack need; everything that checks the code installs the rest, too.
install: .venv/.installed node_modules/.installed gift_page/dist/manifest.json

install-tests: install .venv/.tests-installed

.venv/.installed: devnet/requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14) and "Python 3.11 to 3.13 is needed (PYTHON=python3.13 names one); found " + sys.version.split()[0])'
	$(PYTHON) -m venv .venv
	$(PIP) --require-hashes --no-deps -r devnet/requirements.lock
	$(PIP) --no-deps --no-build-isolation --editable .
	@touch $@

.venv/.tests-installed: .venv/.installed requirements.lock
	$(PIP) --require-hashes --no-deps -r requirements.lock
	@touch $@

node_modules/.installed: package.json package-lock.json clients/typescript/package.json
	@node -e 'const [a, b] = process.versions.node.split(".").map(Number); if (!(a > 22 || (a === 22 && b >= 12) || (a === 20 && b >= 19))) { console.error("Node.js 20.19, or 22.12 or newer, is needed; found " + process.version); process.exit(1) }'
	npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

# The TypeScript client and the gift page, built when one of their sources changed.
gift_page/dist/manifest.json: node_modules/.installed reminder_worker/gifts/occasions.json tests/golden/openapi.json $(GIFT_PAGE)
	VITE_FEATURE_GIFT_EMAIL=$(GIFT_EMAIL) npm run --silent build
	@touch $@

demo: install
	@$(BIN)/python -m devnet $(if $(filter-out 0 no false,$(ONCE)),--once)

SQRUFF = $(BIN)/sqruff --parsing-errors
QUERIES = $(wildcard */queries.sql */*/queries.sql)
PRETTIER = node_modules/.bin/prettier --log-level warn '{clients,devnet,gift_page,tests}/**/*.{ts,mjs,js,css}'

lint: install-tests
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(PRETTIER) --check
	$(SQRUFF) lint $(QUERIES)
	$(BIN)/lint-imports
	$(BIN)/python -m tests.prose
	REDOCLY_TELEMETRY=off REDOCLY_SUPPRESS_UPDATE_NOTICE=true \
	  node_modules/.bin/redocly lint --config tests/openapi/redocly.yaml tests/golden/openapi.json
	node_modules/.bin/spectral lint --ruleset tests/openapi/spectral.yaml --fail-severity hint tests/golden/openapi.json

format: install-tests
	$(BIN)/ruff format .
	$(PRETTIER) --write
	$(SQRUFF) fix $(QUERIES)

types: install-tests
	$(BIN)/mypy
	node_modules/.bin/tsc --noEmit -p .

# Debian's chromium, nginx, wrk and promtool, for the tests that drive them; tests of a missing program are skipped.
export PATH := $(PATH):$(CURDIR)/.cache/tools

tools:
	@sh tests/install-tools.sh

# A test process that dies ends the run with the test's name: with a new process in its place the run would hang.
PARALLEL = -n $(PYTEST_WORKERS) --max-worker-restart 0 --dist loadfile --no-loadscope-reorder

# Unit tests, and the tests in tests/integration with the marker `core`. Only files that have it are imported.
check: lint types
	$(BIN)/pytest tests/unit $$(grep -rl --include='*.py' 'mark\.core' tests/integration) -m core $(PARALLEL)

test: lint types tools
	$(BIN)/pytest tests $(PARALLEL)

bench: install-tests
	$(BIN)/python -m bench $(ONLY)

prove: install-tests
	$(BIN)/python -m tests.campaign.prove --faults $(FAULTS)

diagram: install-tests
	$(BIN)/python -m devnet.diagram

# Not part of `make test`: pytest does not collect this file by itself.
pictures: install-tests
	@REQUIRE_TOOLS=1 sh tests/install-tools.sh chromium
	$(BIN)/pytest tests/integration/pictures.py

# After a change of dependencies (needs uv): all packages with hashes, and subsets: of each image and of the local stack.
LOCK := uv pip compile --quiet --universal --generate-hashes --python-version 3.11 --no-header pyproject.toml
SUBSET := $(LOCK) -c requirements.lock
locks:
	$(LOCK) --all-extras -o requirements.lock
	$(SUBSET) --extra api --extra otel --extra build -o deploy/locks/api.lock
	$(SUBSET) --extra mail --extra otel -o deploy/locks/mail.lock
	$(SUBSET) --extra passes --extra kubernetes --extra otel --extra object-storage --extra build -o deploy/locks/passes.lock
	$(SUBSET) --extra passes --extra mail --extra local --extra build -o devnet/requirements.lock

cards: install-tests
	$(BIN)/python -m gift_page.tools.draw_cards

clean:
	rm -rf .local .cache gift_page/dist clients/typescript/dist .mypy_cache .ruff_cache .pytest_cache .import_linter_cache .hypothesis
