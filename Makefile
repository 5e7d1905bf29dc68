# `make help` lists the targets.
.DEFAULT_GOAL := build
SHELL := /bin/bash
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock

.PHONY: help build dev demo test test-all check format reference bench clean packages-run packages-test packages-bench packages-kernel packages-lab test-kernel test-lab test-lab-long lab

help: ## this list
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

packages-run packages-test packages-bench packages-kernel packages-lab: packages-%:
	@tools/system-packages $*

build: packages-run $(VENV)/.built ## the command, at .venv/bin/iosonde
dev: packages-test $(VENV)/.dev ## the same with what tests and checks need

$(BIN)/pip:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip

$(VENV)/.built: $(BIN)/pip pyproject.toml $(RUST)
	$(BIN)/python -m pip install --quiet --editable .
	@touch $@

$(VENV)/.dev: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	@touch $@

$(VENV)/.bench: $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --editable '.[dev,bench]'
	@touch $@

demo: build ## measures a scratch file here within two minutes and writes a report
	@examples/demo

TEST := $(BIN)/pytest -m "not kernel and not lab"

test: dev ## all tests but the lab's; what fails is tried again alone
	cargo test --workspace --quiet
	$(TEST) -n 2 --dist loadgroup || $(TEST) -v --last-failed --last-failed-no-failures none

test-kernel: packages-kernel dev ## the guard and discovery on Debian's kernel, in QEMU
	$(BIN)/pytest -q -m kernel tests/kernel

LAB := $(BIN)/pytest -v --dist loadgroup -m "lab and not long" --timeout=900 --durations=20 tests/lab

test-lab: packages-lab dev ## stacks built, measured and broken in the lab; what fails is tried again alone
	$(LAB) -n 2 || $(LAB) -n 1 --last-failed --last-failed-no-failures none

test-lab-long: packages-lab dev ## what takes the lab hours: every kill, every array, every variant
	$(BIN)/pytest -v -n 2 --dist loadgroup -m "lab and long" --timeout=3000 --durations=20 tests/lab

lab: packages-lab build ## brings up an example in the lab, measures each layer, takes it down
	@examples/lab

test-fast: dev ## unit tests only
	$(BIN)/pytest -x -q

check: dev ## format, lint, types, import directions
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/python tools/reference.py --check
	cargo fmt --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

reference: dev ## writes docs/reference from the tables
	$(BIN)/python tools/reference.py

format: dev ## formats everything
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .
	cargo fmt

bench: packages-bench $(VENV)/.bench ## runs every benchmark
	$(BIN)/python -m bench all

clean: ## removes what was built
	rm -rf $(VENV) target dist
