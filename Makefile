# Everything runs from a virtual environment of its own, made on first use.
PYTHON ?= python3
VENV ?= .venv
BIN = $(VENV)/bin

.PHONY: demo test lint bench golden fuzz docs clean

demo: $(VENV)/demo
	$(BIN)/tvm-directconv demo

test: $(VENV)/test lint
	$(BIN)/pytest

lint: $(VENV)/test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy intrinsics tvm_directconv relay_strategies

bench: $(VENV)/bench
	$(BIN)/tvm-directconv bench

golden: $(VENV)/test
	UPDATE_GOLDEN=1 $(BIN)/pytest tests/kernels/test_golden.py

docs: $(VENV)/docs
	$(BIN)/mkdocs build --strict --site-dir build/site

fuzz: $(VENV)/test
	$(BIN)/pytest -m fuzz --seconds 600

# One stamp per set of extras; the sources are installed as they are when the stamp is made.
$(VENV)/%: pyproject.toml $(shell find intrinsics tvm_directconv relay_strategies -name '*.py' -o -name '*.json')
	test -x $(BIN)/pip || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet '.[$*]'
	touch $@

clean:
	rm -rf $(VENV) build *.egg-info
