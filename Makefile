# The commands of README.md. Each installs what it needs (tools/setup.sh: only what is missing), so that a
# fresh Debian or Ubuntu machine needs nothing but this file and `make`.
BUILD := build
JOBS := $(shell nproc)
VENV := $(BUILD)/venv
VENV_PYTHON := $(BUILD)/venv-python
VENV_DEEP := $(BUILD)/venv-deep
VENV_CLUSTER := $(BUILD)/venv-cluster
SOURCES = $(shell find src study cli deep examples tests benchmarks fuzz python/bindings -name '*.h' -o -name '*.cpp')

.DEFAULT_GOAL := build
.NOTPARALLEL:
.PHONY: build web demo paper paper-as-printed species bench bench-quick bench-programs deep test test-core test-python test-data test-faults test-cluster test-web screenshots docs wheel deb sbom test-deep lint format tidy sanitize sanitize-threads fuzz mutate install clean

build: ## the program, at build/mmo
	@tools/setup.sh build
	@cmake --preset release -DMMO_TESTS=OFF -DMMO_PYTHON=OFF -DMMO_DEEP=OFF
	@cmake --build $(BUILD) -j $(JOBS)

web: ## Node.js, where the distribution has it, and with it the report's page in the program
	@tools/setup.sh web
	@rm -f $(BUILD)/web/report_template.cpp
	@$(MAKE) --no-print-directory build

demo: ## trains on generated data and compares MMO with the baselines
	@tools/setup.sh web
	@$(MAKE) --no-print-directory build
	@$(BUILD)/mmo demo --force

STUDIES = benchmarks/results
NEEDS_MULAN = test -d "$(DATA)" || { echo "make $@ DATA=FOLDER: the folder with Mulan's scene, birds, emotions and cal500"; exit 2; }

# Both go on where they stopped; the results stay in the repository beside the pages made from them.
paper: build ## the paper's linear experiments: make paper DATA=folder/of/mulan, and docs/results.md
	@$(NEEDS_MULAN)
	@$(BUILD)/mmo paper "$(DATA)" --out $(STUDIES)/paper.json > /dev/null
	@$(BUILD)/mmo paper --report $(STUDIES)/paper.json > $(BUILD)/results.md
	@mv $(BUILD)/results.md docs/results.md
	@python3 tools/tables.py

paper-as-printed: build ## the same as the paper prints its protocol, and docs/results_as_printed.md
	@$(NEEDS_MULAN)
	@$(BUILD)/mmo paper "$(DATA)" --as-printed --out $(STUDIES)/as_printed.json > /dev/null
	@$(BUILD)/mmo paper --as-printed --report $(STUDIES)/as_printed.json --force \
	  --plot docs/results_as_printed-lambda.svg > $(BUILD)/as_printed.md
	@mv $(BUILD)/as_printed.md docs/results_as_printed.md

species: build ## nine small real sets that nothing was tuned on (R package ade4), and docs/results_species.md
	@tools/setup.sh species
	@python3 benchmarks/species.py --mmo $(BUILD)/mmo --data $(BUILD)/species --out docs/results_species.md \
	  --results $(STUDIES)/species.json
	@python3 tools/tables.py

BENCH = $(BUILD)/bench
PEERS = $(BUILD)/venv-peers
RUN_PEERS = python3 benchmarks/peers/run.py --data $(BENCH)/data --python $(PEERS)/bin/python --mmo $(BUILD)/mmo \
  --worker $(BUILD)/benchmarks/micro/mmo_worker
REPORT_BENCH = python3 benchmarks/peers/report.py --peers $(PEERS)/peers.json

bench-programs:
	@test -d "$(DATA)" || { echo "make bench DATA=FOLDER: the folder that holds mulan/ and reuters21578/"; exit 2; }
	@tools/setup.sh build bench
	@cmake --preset release -DMMO_TESTS=OFF -DMMO_PYTHON=OFF -DMMO_BENCHMARKS=ON
	@cmake --build $(BUILD) -j $(JOBS)
	@python3 benchmarks/peers/install.py $(PEERS)
	@$(PEERS)/bin/python benchmarks/peers/prepare.py --mmo $(BUILD)/mmo --worker $(BUILD)/benchmarks/micro/mmo_worker \
	  --data "$(DATA)" --out $(BENCH)/data

bench: bench-programs ## the peers and mmo side by side: make bench DATA=folder (hours, resumable), and docs/benchmarks.md
	@$(RUN_PEERS) --results $(BENCH)/results.jsonl --quality --time
	@python3 benchmarks/growth.py --worker $(BUILD)/benchmarks/micro/mmo_worker --results $(BENCH)/results.jsonl
	@$(BUILD)/benchmarks/micro/mmo_micro --benchmark_repetitions=5 --benchmark_enable_random_interleaving=true \
	  --benchmark_report_aggregates_only --benchmark_out=$(BENCH)/micro.json > /dev/null
	@$(REPORT_BENCH) --results $(BENCH)/results.jsonl --micro $(BENCH)/micro.json --out docs

bench-quick: bench-programs ## the same for two small sets, times only, in about two minutes: build/bench/quick/benchmarks.md
	@rm -rf $(BENCH)/quick
	@$(RUN_PEERS) --results $(BENCH)/quick/results.jsonl --time --sets emotions,birds --repeats 3
	@$(REPORT_BENCH) --results $(BENCH)/quick/results.jsonl --out $(BENCH)/quick
	@cat $(BENCH)/quick/benchmarks.md

test: test-core test-deep ## builds and runs every test and check

test-core: ## the quick part: everything but the networks
	@tools/setup.sh build test lint
	@cmake --preset release -DMMO_TESTS=ON -DMMO_BENCHMARKS=ON -DMMO_DEEP=OFF -DMMO_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python
	@cmake --build $(BUILD) -j $(JOBS)
	@ctest --test-dir $(BUILD) -j $(JOBS) --output-on-failure
	@$(MAKE) --no-print-directory test-python
	@$(MAKE) --no-print-directory lint

# One thread for NumPy, torch and the boosters: small problems on a shared machine only wait for each other.
PYTEST = MMO_BINARY=$(CURDIR)/$(BUILD)/mmo OMP_NUM_THREADS=1 PYTHONPATH=$(BUILD)/python PYTHONDONTWRITEBYTECODE=1 \
  $(VENV_PYTHON)/bin/python -m pytest

test-python: ## builds the Python package in the same tree and runs its tests, doctests, mypy and ruff
	@tools/setup.sh build python
	@cmake --preset release -DMMO_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(VENV_PYTHON)/bin/python > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target mmo_python mmo_python_stub mmo_cli
	@$(PYTEST) python/tests $(BUILD)/python/mmo
	@cd $(BUILD)/python && ../../$(VENV_PYTHON)/bin/mypy --config-file ../../pyproject.toml -p mmo
	@$(VENV_PYTHON)/bin/ruff check --quiet python && $(VENV_PYTHON)/bin/ruff format --quiet --check python

test-cluster: ## several processes: mpirun, and the package's Dask, Spark, joblib and Ray parts on real workers
	@tools/setup.sh build test cluster
	@cmake --preset release -DMMO_TESTS=ON -DMMO_DEEP=OFF -DMMO_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target mmo_cli test_comm
	@ctest --test-dir $(BUILD) -R '^(cli.mpi|Communicator)' --output-on-failure
	@cmake --preset release -DMMO_PYTHON=ON -DPython_EXECUTABLE=$(CURDIR)/$(VENV_CLUSTER)/bin/python > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target mmo_python
	@PYTHONPATH=$(CURDIR)/$(BUILD)/python PYTHONDONTWRITEBYTECODE=1 $(VENV_CLUSTER)/bin/python -m pytest python/tests/cluster

test-web: ## the report's page in a real browser, where Chromium can be installed
	@tools/setup.sh build web browser
	@cmake --preset release -DMMO_TESTS=OFF -DMMO_DEEP=OFF > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target mmo_cli
	@tests/web/run.sh $(BUILD) || test $$? = 77

screenshots: ## docs/images: three pictures of the report of a model on generated data
	@tools/setup.sh build web browser
	@$(MAKE) --no-print-directory build
	@tests/web/run.sh $(BUILD) screenshots docs/images

docs: ## the documentation as a site that needs no network, searched offline: build/docs/site/index.html
	@tools/setup.sh build docs
	@$(MAKE) --no-print-directory build
	@PYTHONDONTWRITEBYTECODE=1 $(BUILD)/venv-docs/bin/python docs/site/build.py --mmo $(BUILD)/mmo --out $(BUILD)/docs

# libtorch comes from the pip wheel.
CONFIGURE_DEEP = cmake --preset release -DMMO_DEEP=ON -DMMO_TEST_DEEP_PYTHON=$(CURDIR)/$(VENV_DEEP)/bin/python \
  -DCMAKE_PREFIX_PATH="$$($(VENV_DEEP)/bin/python -c 'import torch; print(torch.utils.cmake_prefix_path)')"

deep: ## networks on libtorch: build/mmo-deep, which `mmo deep` starts
	@tools/setup.sh build deep
	@$(CONFIGURE_DEEP) -DMMO_TESTS=OFF > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target mmo_cli mmo_deep_cli

test-deep: ## builds and tests the networks
	@tools/setup.sh build test deep
	@$(CONFIGURE_DEEP) -DMMO_TESTS=ON > /dev/null
	@cmake --build $(BUILD) -j $(JOBS) --target mmo_cli mmo_deep_cli test_deep test_deep_data deep_probe
	@OMP_NUM_THREADS=1 ctest --test-dir $(BUILD) -L deep -j $(JOBS) --output-on-failure

test-faults: ## of an existing build (make test): many more faults of system calls and signals than make test tries
	@MMO_BINARY=$(CURDIR)/$(BUILD)/mmo MMO_SOURCE=$(CURDIR) MMO_FAULT_SHIM=$(CURDIR)/$(BUILD)/tests/libmmo_faults.so \
	  MMO_FAULT_POINTS=100 python3 tests/faults/faults_test.py

# Of an existing build (make test): the tests that are skipped without the data.
test-data: ## the tests of public data sets alone, with ../shared/data in place
	@test -d ../shared/data || { echo "make test-data: ../shared/data, the folder with the public sets, is not here"; exit 2; }
	@OMP_NUM_THREADS=1 ctest --test-dir $(BUILD) -C RealData -R 'RealData|^real_data' -j $(JOBS) --no-tests=error --output-on-failure
	@$(PYTEST) -m real_data python/tests

wheel: ## package and program as wheels in dist/, each tested in an environment of its own
	@tools/setup.sh build python
	@tools/wheel.sh dist

deb: build ## a Debian package in dist/, installed, used and removed in an empty root
	@tools/setup.sh deb
	@tools/deb.sh dist

sbom: build ## what the program consists of, and the licences: build/sbom
	@tools/sbom.py $(BUILD)/mmo $(BUILD)/sbom

lint: ## include layers and formatting (clang-tidy: make tidy)
	@python3 tools/check_includes.py
	@python3 tools/tables.py --check
	@tools/check_format.sh $(SOURCES)

format: ## rewrites the sources in the house style
	@tools/setup.sh lint
	@clang-format-19 -i $(SOURCES)

tidy: ## clang-tidy over the library and the program
	@tools/setup.sh build lint
	@cmake --preset release -DMMO_TESTS=ON > /dev/null
	@printf '%s\n' $(filter src/%.cpp study/%.cpp cli/%.cpp,$(SOURCES)) | \
	  xargs -P $(JOBS) -n 1 clang-tidy-19 -p $(BUILD) --quiet

sanitize: ## every test under AddressSanitizer and UndefinedBehaviorSanitizer
	@tools/setup.sh build test
	@cmake --preset sanitize -DMMO_TEST_PYTHON=$(CURDIR)/$(VENV)/bin/python
	@cmake --build $(BUILD)/sanitize -j $(JOBS)
	@ctest --test-dir $(BUILD)/sanitize -j $(JOBS) --output-on-failure

mutate: ## FOLDER=stack: random one-token mutants of src/mmo/FOLDER (COUNT=20, SEED=0), each against the folder's own tests
	@tools/setup.sh build test
	@python3 tools/mutate.py $(if $(FOLDER),--folder $(FOLDER) --count $(or $(COUNT),20) --seed $(or $(SEED),0))

FUZZ_SECONDS = $(if $(SECONDS),$(SECONDS),30)
fuzz: build ## SECONDS=30 for each reader (TARGETS=…: some), with clang's fuzzer and sanitizers: executions, coverage, crashes
	@tools/setup.sh fuzz
	@cmake --preset fuzz > /dev/null
	@cmake --build $(BUILD)/fuzz -j $(JOBS) --target mmo_fuzzer
	@python3 fuzz/run.py $(BUILD)/fuzz $(BUILD)/mmo $(TARGETS) --seconds $(FUZZ_SECONDS)

# Those of what runs in parallel; the program's tests would take hours. Archer tells ThreadSanitizer what OpenMP orders.
THREADED = core comm data split transform eval solver stack rule learn learn_trees learn_kernel learn_linear model
sanitize-threads: ## the tests of what runs in parallel under ThreadSanitizer (FOLDERS="core stack": those alone)
	@tools/setup.sh build test fuzz
	@cmake --preset threads > /dev/null
	@cmake --build $(BUILD)/threads -j $(JOBS) --target $(addprefix test_,$(or $(FOLDERS),$(THREADED)))
	@for folder in $(or $(FOLDERS),$(THREADED)); do \
	  OMP_TOOL_LIBRARIES=/usr/lib/llvm-19/lib/libarcher.so TSAN_OPTIONS="halt_on_error=1 ignore_noninstrumented_modules=1" \
	  $(BUILD)/threads/tests/test_$$folder --gtest_brief=1 || exit 1; done

install: build ## PREFIX=/usr/local: program, library, headers and find_package(mmo)
	@cmake --install $(BUILD) $(if $(PREFIX),--prefix $(PREFIX))

clean: ## removes everything that was built
	@rm -rf $(BUILD)
