# `make help` lists the targets.
.DEFAULT_GOAL := build
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: help build dev demo test test-core test-python test-real test-long test-kills check check-types check-all-else format reference bench fuzz clean packages-run packages-test packages-bench packages-kernel packages-lab packages-release packages-roots release test-kernel test-lab test-lab-long lab

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

packages-run packages-test packages-bench packages-kernel packages-lab packages-release packages-roots: packages-%:
	@tools/system-packages $*

build: packages-run $(VENV)/.built ## the command, at .venv/bin/iosonde
dev: packages-test $(VENV)/.dev ## the same with what tests and checks need

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.built: $(BIN)/pip pyproject.toml $(RUST)
	$(BIN)/python -m pip install --quiet --editable '.[predict,report,tune,lab]'
	@touch $@

$(VENV)/.dev: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	@touch $@

demo: build ## measures a scratch file here within two minutes and writes a report
	@examples/demo

PARALLEL := -n 2 --dist loadgroup --durations=20
# Tests of real things wait for half of their time.
WAITING := -n 4 --dist loadgroup --durations=40

# What Python compiles is kept also where the environment forbids it: thousands of processes start.
test-python test-real test-long test-kills test-kernel test-lab test-lab-long: export PYTHONDONTWRITEBYTECODE :=

test: dev ## unit and contract tests
	@$(MAKE) --no-print-directory --jobs 2 test-core test-python

# The compiler fills what the other tests leave of the processors; iosonde-py only converts and has no tests.
test-core:
	nice cargo test --package iosonde-core --quiet

test-python: dev
	$(BIN)/pytest $(PARALLEL)

test-real: dev ## the command, real loads, loop devices, kills
	$(BIN)/pytest -m "slow and not kernel and not lab and not long" $(WAITING)

HISTORIES := 1000000

test-long: packages-roots dev ## what of these takes minutes: every kill, every moment; and HISTORIES simulated ones
	$(BIN)/pytest -v -m "long and not kernel and not lab" $(PARALLEL) --timeout=3000
	IOSONDE_EXAMPLES=all $(BIN)/pytest -m "hypothesis and not slow and not long" $(PARALLEL)
	$(BIN)/python -m tests.simulation 0 $(HISTORIES) --pasts 100

KILLS := 200

test-kills: dev ## SIGKILL at 200 random moments of runs (KILLS=N: how many), signals at more; an hour
	IOSONDE_KILLS=$(KILLS) IOSONDE_SIGNALS=8 $(BIN)/pytest -q -m '' --timeout=300 tests/hostile/test_kills.py \
		tests/hostile/test_signals.py tests/hostile/test_signals_changes.py

test-kernel: packages-kernel dev ## the guard and discovery on Debian's kernel, in QEMU
	$(BIN)/pytest -v -m kernel $(PARALLEL) tests/kernel

test-lab: packages-lab dev ## stacks built, measured and broken in the lab
	$(BIN)/pytest -v -m "lab and not long" $(PARALLEL) --timeout=1500 tests/lab

test-lab-long: packages-lab dev ## what takes the lab hours: every kill, every array, every variant
	$(BIN)/pytest -v -m "lab and long" $(PARALLEL) --timeout=3000 tests/lab

lab: packages-lab build ## brings up an example in the lab, measures each layer, takes it down
	@examples/lab

SCRIPTS := $(shell find src -name '*.sh')

check: check-types check-all-else ## format, lint, types, import directions, rules of the house

check-types: dev # takes as long as all else: -j 2 has both at once
	$(BIN)/mypy

check-all-else: dev
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/reference.py --check
	$(BIN)/python tools/house.py
	$(BIN)/shellcheck $(SCRIPTS) tools/release packaging/postinst packaging/prerm
	cargo fmt --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

reference: dev ## writes docs/reference from the tables
	$(BIN)/python tools/reference.py
	$(BIN)/python -m tests.contract.test_schemas --write

.PHONY: characterise
characterise: dev ## records anew what the commands of tests/characterisation print
	$(BIN)/python -m tests.characterisation --write

.PHONY: gallery
gallery: dev ## a sample of every page, and pictures of their first screens, in docs/gallery
	$(BIN)/python tools/gallery.py docs/gallery --pictures

MAN := dist/man/man1
.PHONY: man
man: build ## man pages of iosonde and of each verb, in dist/man (MAN=FOLDER: elsewhere)
	$(BIN)/python tools/manpages.py $(MAN)

FUZZ_SECONDS ?= 60
fuzz: dev ## damaged input for every reader, FUZZ_SECONDS for each; an hour each takes four days
	tools/fuzz-core $(FUZZ_SECONDS)
	$(BIN)/python -m tests.fuzz --seconds $(FUZZ_SECONDS)

format: dev ## formats everything
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cargo fmt

bench: packages-bench $(VENV)/.bench ## runs every benchmark
	$(BIN)/python -m bench all

release: packages-release ## wheels, source archive, .deb, .rpm, SBOM and checksums in dist/, checked; an hour
	tools/release

clean: ## removes what was built
	rm -rf $(VENV) .venv-release target dist
