# Needs Python 3.11 or newer, g++, make and perl; everything else comes from PyPI.

PYTHON ?= python3
SHELL := /bin/bash
READY := .venv/ready

.PHONY: setup demo test durations check docs links mutate packages boards dist try-dist figures clean
.DEFAULT_GOAL := setup

setup: $(READY)

# Made again when a pinned version or the package's description changes; otherwise instant.
$(READY): requirements.lock pyproject.toml
	@for tool in g++ perl; do \
	  command -v $$tool >/dev/null || { echo "$$tool is missing: install it (Debian: apt-get install g++ perl)"; exit 1; }; \
	done
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || \
	  { echo "Python 3.11 or newer is missing: set PYTHON, as in make PYTHON=python3.12 setup"; exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' 2>/dev/null || \
	  { echo "Python's venv is missing: install it (Debian: apt-get install python3-venv)"; exit 1; }
	@echo "Setting up .venv from requirements.lock (minutes the first time)"
	@$(PYTHON) -m venv .venv
	@.venv/bin/pip install --quiet --quiet --disable-pip-version-check --requirement requirements.lock
	@.venv/bin/pip install --quiet --quiet --disable-pip-version-check --no-deps --no-build-isolation --editable .
	@# Type checkers and editors do not see through the mapping of an editable install; they get links.
	@mkdir -p .venv/typed/rewardware
	@for folder in hw sw sim; do ln -sfn ../../../$$folder .venv/typed/rewardware/$$folder; done
	@ln -sfn ../../../sw/api/__init__.py .venv/typed/rewardware/__init__.py
	@command -v iverilog >/dev/null || \
	  echo "Icarus Verilog is missing, tests with it will be left out: install it (Debian: apt-get install iverilog)"
	@touch $@

# In a folder of its own, which a second demo replaces.
demo: setup
	@rm -rf runs/demo
	.venv/bin/rewardware train fixar --env Pendulum-v1 --config small --backend lockstep --lockstep-every 100 \
	  --steps 5000 --quantization-delay 3500 --evaluate-every 500 --out runs/demo

test: setup
	.venv/bin/pytest -n 4 --dist worksteal

# The same, and then the tests and files that take most processor time.
durations: setup
	.venv/bin/pytest -n 4 --dist worksteal --processor-time=50

check: setup
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/codespell
	MYPYPATH=.venv/typed .venv/bin/mypy -p rewardware

# The site, in build/docs; whole each time, as a build that was interrupted leaves half an index.
docs: setup
	.venv/bin/sphinx-build --fresh-env --write-all --quiet --fail-on-warning --keep-going -d build/docs-doctrees docs build/docs

# Whether links to other sites lead somewhere, in build/links/output.txt; not part of CI, which does not reach them.
links: setup
	.venv/bin/sphinx-build --builder linkcheck --quiet -D nb_execution_mode=off -d build/links-doctrees docs build/links

# ROOM, CORE, COUNT and SEED choose: `make mutate ROOM=stream CORE=StreamFork`.
mutate: setup
	.venv/bin/python -m tests.mutate $(ROOM) $(if $(CORE),--core $(CORE)) --count $(or $(COUNT),40) --seed $(or $(SEED),1)

# A package of every system, small and as large as the paper's, checked by every tool that is installed; the scripts for
# vendors' tools run against stubs of them, and the benches in Icarus.
PACKAGES := \
  a3c:small a3c:paper dynamap:small dynamap:paper fixar:small fixar:paper learninggroup:small learninggroup:paper \
  maac:small maac:paper mcts:small mcts:f18-d32 pearl:small pearl:k16 pearl_learner:small pearl_learner:cartpole \
  pearl_ddpg_learner:small pearl_ddpg_learner:pendulum pearl_sac_learner:small pearl_sac_learner:pendulum

packages: setup
	@for package in $(PACKAGES); do \
	  .venv/bin/rewardware package $${package%:*} --config $${package#*:} -o build/packages/$${package/:/-} || exit 1; \
	done
	.venv/bin/python -m tests.hw.soc.export.formats.scripts build/packages/*
	@command -v iverilog >/dev/null || { echo "Icarus Verilog is missing: benches of packages need it"; exit 1; }
	@for package in $(PACKAGES); do \
	  .venv/bin/python build/packages/$${package/:/-}/tb/run.py || exit 1; \
	done

boards: setup
	.venv/bin/rewardware build fixar --board ulx3s-85f -o build/boards/ulx3s-85f/fixar
	.venv/bin/rewardware build learninggroup --board ulx3s-85f -o build/boards/ulx3s-85f/learninggroup
	.venv/bin/rewardware build mcts --board ulx3s-85f -o build/boards/ulx3s-85f/mcts
	.venv/bin/rewardware build pearl --board ulx3s-85f -o build/boards/ulx3s-85f/pearl
	.venv/bin/rewardware build pearl_learner --board ulx3s-85f -o build/boards/ulx3s-85f/pearl_learner
	.venv/bin/rewardware build dynamap --board ulx3s-85f -o build/boards/ulx3s-85f/dynamap
	.venv/bin/rewardware build a3c --board ulx3s-85f -o build/boards/ulx3s-85f/a3c
	.venv/bin/rewardware build maac --board ulx3s-85f -o build/boards/ulx3s-85f/maac

# The figures of this version, and plots of those of all versions. The suite's time is in them where the tests were run
# with --junitxml=build/suite.xml.
VERSION = $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' pyproject.toml)

figures: setup
	@mkdir -p docs/figures
	.venv/bin/rewardware bench --all --also fixar:fmax_ulx3s,cores:all \
	  $(if $(wildcard build/suite.xml),--suite build/suite.xml) --json > build/figures.json
	@mv build/figures.json docs/figures/$(VERSION).json
	.venv/bin/rewardware bench --compare $$(ls docs/figures/*.json | sort -V) --out docs/images/releases

# Wheel and source distribution; the wheel is built from the latter, which shows that nothing is missing in it.
dist: setup
	@rm -rf build/dist
	.venv/bin/python -m build --no-isolation --outdir build/dist

# The wheel as a stranger meets it: installed from PyPI into an environment of its own, used in an empty folder.
try-dist: dist
	@rm -rf build/try-dist && mkdir -p build/try-dist/empty
	$(PYTHON) -m venv build/try-dist/venv
	build/try-dist/venv/bin/pip install --quiet --disable-pip-version-check build/dist/*.whl
	cd build/try-dist/empty && env -u PYTHONPATH ../venv/bin/python $(CURDIR)/tests/first_steps.py $(CURDIR)/README.md \
	  $(CURDIR)/examples

clean:
	rm -rf .venv build
