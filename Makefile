# Every target sets up what it needs: a virtual environment in .venv, the compiled core, the tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := CMakeLists.txt $(wildcard native/*)

.PHONY: demo test check format bench docs build clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    train, evaluate and explain on the embedded sample"
	@echo "make test    run all tests"
	@echo "make check   ruff, mypy, clang-format, import contracts"
	@echo "make bench   measure against the rivals (writes benchmarks/RESULTS.md)"
	@echo "make docs    build the documentation into out/docs"

$(VENV)/.tools: pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group build
	@touch $@

# The build directory persists, so only what changed in native/ is compiled again. Bytecode is written as pip writes it
# for a wheel, so that commands start as fast as installed ones even where Python is told not to write any.
$(VENV)/.built: $(VENV)/.tools $(NATIVE)
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable ".[all]"
	$(BIN)/python -m compileall -q src/lindy
	@touch $@

$(VENV)/.dev: $(VENV)/.tools pyproject.toml
	$(BIN)/python -m pip install --quiet --group dev
	@touch $@

build: $(VENV)/.built

demo: $(VENV)/.built
	$(BIN)/lindy demo

test: $(VENV)/.built $(VENV)/.dev
	$(BIN)/python -m pytest

check: $(VENV)/.built $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(wildcard native/*.hpp native/*.cpp native/*.inl)
	$(BIN)/python -m nanobind.stubgen --quiet --module lindy._native --output-file src/lindy/_native.pyi
	$(BIN)/mypy
	$(BIN)/lint-imports

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(wildcard native/*.hpp native/*.cpp native/*.inl)

bench: $(VENV)/.built $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m benchmarks

docs: $(VENV)/.built
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs out/docs

clean:
	rm -rf $(VENV) build out .mypy_cache .ruff_cache .pytest_cache .hypothesis
