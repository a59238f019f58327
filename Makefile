PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable
# Two compute threads on a busy core wait for each other; the tests run in two processes instead.
PYTEST := OMP_NUM_THREADS=1 $(BIN)/python -m pytest --numprocesses 2 --dist loadgroup

.PHONY: help start wheel release browser rhino test test-quick test-slow test-hard docs notebooks pictures check bench format clean
.DELETE_ON_ERROR:

help:  ## lists the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 12

start: $(VENV)/.installed-play  ## opens the page to play on
	$(BIN)/randori play

test: $(VENV)/.installed-test browser  ## the tests
	$(PYTEST)

test-quick: $(VENV)/.installed-test  ## most of the tests, for every day, without a browser
	$(PYTEST) -m 'not slow and not hard and not thorough'

test-slow: $(VENV)/.installed-test browser  ## the tests that take minutes
	$(PYTEST) -m slow

# One at a time: many of them fill the machine by themselves.
test-hard: $(VENV)/.installed-test browser rhino  ## tries to break it, and writes docs/reliability.md
	OMP_NUM_THREADS=1 $(BIN)/python -m pytest tests/hard -m hard --reliability docs/reliability.md

# The theme announces its successor at every build.
docs: $(VENV)/.installed-test  ## the docs as a site in build/site, without a connection; a broken link is an error
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet
	@echo "Open build/site/index.html in your browser."

notebooks: $(VENV)/.installed-test  ## runs the notebooks of the docs and keeps what they print
	OMP_NUM_THREADS=1 $(BIN)/python tests/notebooks.py

pictures: $(VENV)/.installed-test browser  ## takes the pictures of the page for the docs
	$(BIN)/python tests/pictures.py

# The page is tested in a real browser, which Debian packages; elsewhere its tests are skipped where there is none.
browser:
	@command -v chromium >/dev/null && command -v chromedriver >/dev/null || ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -qq && $$root apt-get install -y -qq chromium chromium-driver >/dev/null; }

# A program of others to play against; without it those tests are skipped.
rhino:
	@test -x /usr/games/gtp-rhino || command -v gtp-rhino >/dev/null || ! command -v apt-get >/dev/null || { \
		root=$$(test "$$(id -u)" = 0 || echo sudo); \
		$$root apt-get update -qq && $$root apt-get install -y -qq grhino >/dev/null; }

check: $(VENV)/.installed-test  ## lint, format, types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/mypy --platform win32 --cache-dir .mypy_cache/win32
	$(BIN)/mypy --platform darwin --cache-dir .mypy_cache/darwin

bench: $(VENV)/.installed-test  ## how fast it is
	$(BIN)/randori bench

# Kernels stay out of the sources: here each machine compiles for its own processor.
wheel: $(VENV)/.installed-play  ## a package with compiled kernels in dist/, for this Python and platform
	$(BIN)/python -m randori.app.make_kernels
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir dist . ; \
		status=$$?; rm -rf build src/randori/shipped; exit $$status

release: $(VENV)/.installed-play  ## the wheel for all platforms and the archive of the sources in dist/, tried; writes docs/install.md
	$(BIN)/python tools/release.py

format: $(VENV)/.installed-test  ## rewrites the code as `check` wants it
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

clean:  ## removes everything that the other targets made, but no runs
	rm -rf $(VENV) build dist src/*.egg-info src/randori/shipped .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find src tests benchmarks -name __pycache__ -prune -exec rm -rf {} + 2>/dev/null || true

$(VENV)/.created:
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null \
		|| { echo "Randori needs Python 3.11 or newer: install it, or name it with 'make PYTHON=/path/to/python3'." >&2; exit 1; }
	@$(PYTHON) -m venv $(VENV)
	@touch $@

$(VENV)/.installed-play: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Setting up $(VENV) (once, about a minute)"
	@$(INSTALL) .
	@touch $@

$(VENV)/.installed-test: $(VENV)/.created pyproject.toml constraints.txt
	@echo "Setting up $(VENV) with everything for development (once, some minutes)"
	@$(INSTALL) '.[check,docs,envs,evolution,postgresql,ray,test,train]'
	@touch $(VENV)/.installed-play $@
