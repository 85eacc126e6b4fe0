# Every target sets up what it needs: a virtual environment in .venv, the compiled core, the tools.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
NATIVE := CMakeLists.txt $(shell find native -type f)

.PHONY: demo test quick hooks torture sanitize aarch64 avx512 clang windows check check-perf format bench bench-full docs wheels build clean
.DEFAULT_GOAL := help

help:
	@echo "make demo    train, evaluate and explain on the embedded sample"
	@echo "make test    run all tests"
	@echo "make quick   run the tests of what was changed, at most 90 seconds (ROOMS='text linear' names the rooms)"
	@echo "make hooks   check files before every commit (pre-commit: ruff, clang-format, codespell)"
	@echo "make torture  abuse lindy and its rivals for an hour or two (writes benchmarks/RELIABILITY.md)"
	@echo "make sanitize  run all tests on a core with address and undefined-behaviour sanitizers (an hour)"
	@echo "make aarch64, make avx512  compare the bytes of fits with those of an emulated CPU (needs Debian)"
	@echo "make clang   compare the bytes of fits with those of a core that clang compiled"
	@echo "make windows  compile the core for Windows, and try parts of it under Wine (needs Debian)"
	@echo "make check   ruff, mypy, clang-format, import contracts, spelling"
	@echo "make check-perf  count the instructions of the kernels, and compare them with those kept (needs valgrind)"
	@echo "make bench   measure against the rivals for ten minutes (writes benchmarks/records, RESULTS.md and tables)"
	@echo "make bench-full  the same with all topics, for some hours (BENCH=--anyway: on a busy machine, too)"
	@echo "make docs    build the documentation into out/docs"
	@echo "make wheels  build and try archive and wheels into dist (PYTHONS='python3.11 python3.12')"

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
	$(BIN)/python -m pip install --quiet --no-deps --group alone
	@touch $@

build: $(VENV)/.built

demo: $(VENV)/.built
	$(BIN)/lindy demo

# In random order, by two workers; the header prints the seed, and `make test PYTEST="--randomly-seed=SEED"` repeats its order.
# Bytecode is written, since many tests start a Python of their own.
WORKERS ?= 2
test: $(VENV)/.built $(VENV)/.dev
	$(BIN)/python -m tests.annif_environment
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest --numprocesses $(WORKERS) --dist worksteal $(PYTEST)

quick: $(VENV)/.built $(VENV)/.dev
	PYTHONDONTWRITEBYTECODE= $(BIN)/python -m tests.quick $(ROOMS)

hooks: $(VENV)/.dev
	$(BIN)/pre-commit install

# A second core, beside the installed one: with sanitizers (build/sanitize), counting what runs (build/coverage), or both
# (build/both). Its own virtual environment has the packages of the first one, and lindy's sources around the other core,
# so that a process started by a test runs that core, too.
build/both/.built: INSTRUMENT := sanitize;coverage
JOBS ?= 2
build/sanitize/.built build/coverage/.built build/both/.built: build/%/.built: $(VENV)/.built $(VENV)/.dev $(VENV)/.torture
	$(BIN)/cmake -G Ninja -S . -B build/$* "-DLINDY_INSTRUMENT=$(or $(INSTRUMENT),$*)" -DCMAKE_BUILD_TYPE=Release \
		-DPython_EXECUTABLE=$(abspath $(BIN))/python -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja \
		-Dnanobind_DIR=$$($(BIN)/python -m nanobind --cmake_dir)
	$(BIN)/cmake --build build/$* --target _native --parallel $(JOBS)
	$(BIN)/python -m tests.hostile.instrumented build/$*
	@touch $@

sanitize: build/sanitize/.built
	$(BIN)/python -m benchmarks.torture.sanitizer --minutes 600

# Not part of make test: they take minutes, and download an operating system for the emulated CPU.
aarch64 avx512 clang windows: $(VENV)/.built
	tests/same_bytes/$@.sh

PROSE := $(wildcard *.md) .github benchmarks docs integrations native release src
check: $(VENV)/.built $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/clang-format --dry-run --Werror $(filter %.hpp %.cpp %.inl,$(NATIVE))
	$(BIN)/python -m nanobind.stubgen --quiet --module lindy._native --output-file src/lindy/_native.pyi
	$(BIN)/mypy
	$(BIN)/lint-imports
	$(BIN)/codespell $(PROSE)

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(filter %.hpp %.cpp %.inl,$(NATIVE))

$(VENV)/.torture: $(VENV)/.tools pyproject.toml
	$(BIN)/python -m pip install --quiet --group torture
	@touch $@

check-perf: $(VENV)/.built
	$(BIN)/python -m benchmarks.instructions $(PERF)

# The rivals, pinned, in an environment of their own, and lindy in it as a user has it: from a wheel.
RIVALS := build/rivals
$(RIVALS)/.installed: benchmarks/rivals.txt
	$(PYTHON) -m venv $(RIVALS)
	$(RIVALS)/bin/python -m pip install --quiet --requirement benchmarks/rivals.txt
	@touch $@

$(RIVALS)/.built: $(RIVALS)/.installed $(VENV)/.built $(shell find src -type f -not -name '*.pyc')
	rm -rf $(RIVALS)/wheel
	$(BIN)/python -m pip wheel --quiet --no-build-isolation --no-deps --wheel-dir $(RIVALS)/wheel .
	$(RIVALS)/bin/python -m pip install --quiet --force-reinstall --no-deps $(RIVALS)/wheel/*.whl
	$(RIVALS)/bin/python -m pip install --quiet "lindy[all,dask,spark]"
	@touch $@

bench: $(RIVALS)/.built
	$(RIVALS)/bin/python -m benchmarks --quick $(BENCH)

bench-full: $(RIVALS)/.built
	$(RIVALS)/bin/python -m benchmarks --full $(BENCH)

torture: $(VENV)/.built $(VENV)/.dev $(VENV)/.torture
	$(BIN)/python -m pip install --quiet --group bench
	$(BIN)/python -m benchmarks.torture

# Examples are run while it is built, which takes what tests have: another library beside lindy, for comparison.
docs: $(VENV)/.built $(VENV)/.dev
	$(BIN)/python -m pip install --quiet --group docs
	$(BIN)/sphinx-build --fail-on-warning --keep-going --quiet docs out/docs

PYTHONS ?= $(PYTHON)
wheels: $(VENV)/.tools
	$(BIN)/python -m pip install --quiet --group release
	$(BIN)/python release/build.py $(PYTHONS)

clean:
	rm -rf $(VENV) build out .mypy_cache .ruff_cache .pytest_cache .hypothesis
