# reproof: `make run` does the whole experiment, `make test` checks the house.
# Needs git, make and Python >= 3.11; everything else comes from requirements.lock.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
SHELL := /bin/sh

VENV := .venv
PY := $(VENV)/bin/python
UV := $(VENV)/bin/uv
READY := $(VENV)/.ready

# The first Python that is new enough; `make PYTHON=/path/to/python3 run` overrules it.
PYTHON ?= $(shell for p in python3 python3.13 python3.12 python3.11 python; do \
	"$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && { echo "$$p"; break; }; \
	done)

# Stages run `python`: it must be this one. Nothing reports home.
export PATH := $(CURDIR)/$(VENV)/bin:$(PATH)
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
export DVC_NO_ANALYTICS := 1
export MLFLOW_DISABLE_TELEMETRY := true
export HF_HUB_DISABLE_TELEMETRY := 1
export DO_NOT_TRACK := 1
export GIT_PYTHON_REFRESH := quiet
export PYTHONUNBUFFERED := 1
unexport PYTHONPATH PYTHONHOME

# At scale tiny everything needed is in the repository: no hub is asked.
ifneq ($(shell grep -c '^scale: *tiny' params.yaml 2>/dev/null),0)
export HF_HUB_OFFLINE := 1
endif

# All test processes together use the cores once, not once each.
TEST_FLAGS ?=
TEST_ENV := OMP_NUM_THREADS=1 MKL_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1

.PHONY: help run test test-slow test-all lint ui clean-run inputs lock bench deps install uninstall

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "make %-11s %s\n", $$1, $$2}' Makefile

run: $(READY) ## the whole experiment: models, table, MLflow, run_info; seconds if nothing changed
	dvc repro
	@echo; reproof check --baseline tiny || echo "reproof check: exit code $$?"

test: $(READY) ## the default tests, a few minutes
	$(TEST_ENV) $(PY) -m pytest $(TEST_FLAGS)

test-slow: $(READY) ## only the slow tests, the end-to-end ones
	$(TEST_ENV) $(PY) -m pytest -m slow $(TEST_FLAGS)

test-all: $(READY) ## every test
	$(TEST_ENV) $(PY) -m pytest -m "slow or not slow" $(TEST_FLAGS)

lint: $(READY) ## style and types
	$(VENV)/bin/ruff check .
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/mypy

ui: $(READY) ## MLflow on the local store, http://127.0.0.1:5000
	@case "$${MLFLOW_TRACKING_URI:-}" in http*) \
		echo "the runs are on your server, see MLFLOW_TRACKING_URI" >&2; exit 1;; esac
	$(VENV)/bin/mlflow ui --backend-store-uri "$${MLFLOW_TRACKING_URI:-sqlite:///mlflow.db}" \
		--host 127.0.0.1 --port $(or $(PORT),5000) --workers 1

clean-run: $(READY) ## the whole experiment again, restoring nothing from a cache
	dvc repro --force --no-run-cache

# Not through DVC: it would delete the shipped files before the stage could compare with them.
# The stage stays frozen; `dvc commit inputs` accepts new files.
inputs: $(READY) ## make the shipped models and pairs again (about two hours), and compare
	$(PY) stages/inputs.py

bench: $(READY) ## the benchmarks, each a table
	@for script in benchmarks/*.py; do echo "== $$script"; $(PY) "$$script" || exit 1; done

deps: $(READY) ## the code that each stage depends on, ready to paste into dvc.yaml
	@$(PY) -m tests.closure

lock: $(UV) ## resolve pyproject.toml into requirements.lock; versions already there stay
	$(UV) pip compile pyproject.toml --extra train --group dev --universal --generate-hashes \
		--no-emit-index-url --custom-compile-command "make lock" --quiet -o requirements.lock

install: $(READY) ## only the environment

uninstall: ## remove the environment
	rm -rf $(VENV)

# pip brings uv, and uv everything else: pip alone takes minutes, and a site's pip settings can
# stand in its way. uv's version and hash are read from the lock.
$(UV):
	@test -n "$(PYTHON)" || { echo "reproof needs Python 3.11 or newer and found none; \
	install one, or name it: make PYTHON=/path/to/python3 $(MAKECMDGOALS)" >&2; exit 1; }
	$(PYTHON) -m venv --clear $(VENV) || { echo "$(PYTHON) has no working venv module; \
	on Debian and Ubuntu: apt install python3-venv" >&2; exit 1; }
	@awk '/^uv==/ {on = 1} on {print} on && !/\\$$/ {exit}' requirements.lock > $(VENV)/uv.txt
	$(PY) -m pip install --quiet --disable-pip-version-check --no-deps --require-hashes \
		--only-binary :all: -r $(VENV)/uv.txt

# The stamp is written last. Without it the environment is half built (or new): begin afresh.
# With a stamp that is only old, bring the environment up to date in place.
$(READY): requirements.lock pyproject.toml
	@test -e $@ || rm -rf $(VENV)
	@rm -f $@
	@$(MAKE) --no-print-directory $(UV)
	$(UV) pip sync --quiet --require-hashes requirements.lock
	$(UV) pip install --quiet --no-deps --no-build-isolation --offline --editable .
	@touch $@
