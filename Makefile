# The entry point.  Meson does the work; `make help` lists the targets.
BUILD ?= build
PYTHON = $(shell [ -x $(BUILD)/venv/bin/python3 ] && echo $(BUILD)/venv/bin/python3 || echo python3)

.PHONY: all programs demo check check-quick check-cpp lint bench bench-models core asan tsan storm generated campaign mutants coverage source-mutants fuzz reference docs playground format help setup setup-tests

# Of units of several files (scripts/units): one that an edited file no longer fits is formed again after a failure.
# Files of src/ are found, not listed: a new or removed one reconfigures meson.
define find_sources
	@./scripts/sources . | cmp -s - $(1)/sources.txt || { [ ! -f $(1)/sources.txt ] || \
	    meson setup --reconfigure $(1) >/dev/null; ./scripts/sources . >$(1)/sources.txt; }
endef

all: $(BUILD)/build.ninja
	$(call find_sources,$(BUILD))
	@ninja -C $(BUILD) --quiet || { ./scripts/units --same $(BUILD)/units && ./scripts/units --same $(BUILD)/python_units && exit 1; \
	    meson setup --reconfigure $(BUILD) >/dev/null && ninja -C $(BUILD) --quiet; }

$(BUILD)/build.ninja:
	@./scripts/setup
	@meson setup $(BUILD) --buildtype=release -Dunit_files=8 $(MESONFLAGS) >$(BUILD).log 2>&1 || { cat $(BUILD).log; exit 1; }
	@rm -f $(BUILD).log

setup-tests:
	@./scripts/setup tests

# Programs of tests and measurements, which plain `make` leaves out.
programs: all
	@ninja -C $(BUILD) --quiet test-programs

demo: all
	@./examples/demo.sh $(BUILD)

check: programs setup-tests
	@$(PYTHON) tests/check.py $(BUILD)

# The inner loop: under a minute on two processors.
check-quick: programs setup-tests
	@$(PYTHON) tests/check.py --quick $(BUILD)

# Formatting, a second compiler's warnings, and clang-tidy.
lint:
	@./scripts/setup lint
	@if clang-format --version | grep -q 'version 14\.'; then \
	    git ls-files '*.c' '*.h' | xargs clang-format --dry-run -Werror; \
	else echo "formatting not checked: the tree is formatted by clang-format 14"; fi
	@[ -f build-clang/build.ninja ] || CC=clang meson setup build-clang \
	    --buildtype=release --werror >/dev/null
	$(call find_sources,build-clang)
	@ninja -C build-clang --quiet all test-programs
	@run-clang-tidy -quiet -p build-clang '$(CURDIR)/(src|optional|tools|python|tests)/' \
	    >build-clang/tidy.txt 2>&1 || { grep -A3 'error:' build-clang/tidy.txt; exit 1; }

# Also runs every kernel of the tests as its emitted C++: the same bits and reports (an hour; TESTS: of some files).
TESTS ?= cpp_functions d2m_cpp docs ttkernel_accessors $(addprefix sim_,control grid generated generated_kernels generated_reruns generated_units generated_formats numerics ops \
    origins broken formats padding races) \
    $(addprefix ttl_,run launch pipes connect circles examples kept python rows arguments calls generated_cores loops math padding plan schedule select specification \
    subblock typecast types)
check-cpp: all setup-tests
	@TILEWRIGHT_CPP_FUNCTIONS=all PYTHONPATH=$(abspath $(BUILD))/python:$(CURDIR)/tests/python TW_BUILD=$(abspath $(BUILD)) $(PYTHON) -m pytest -q -p no:cacheprovider -p same_cpp \
	    $(TESTS:%=tests/python/test_%.py)

bench: programs setup-tests
	@$(PYTHON) bench/bench.py --build $(BUILD)
	@$(PYTHON) bench/bench.py --build $(BUILD) --threads 2 --quick
	@$(PYTHON) bench/bench_training.py --build $(BUILD)
	@$(PYTHON) bench/bench_grid.py --build $(BUILD)
	@$(PYTHON) bench/bench_kernels.py --build $(BUILD)
	@$(PYTHON) bench/bench_builder.py --build $(BUILD)
	@$(PYTHON) bench/bench_ttnn.py --build $(BUILD)
	@$(PYTHON) bench/bench_jit.py --build $(BUILD)

# Whole models, an hour or more; `make bench-models MODELS="--only bert --threads 2"` passes other options on.
MODELS ?= --batch 1,8 --threads 1,2 --first --picture $(BUILD)/models.svg
bench-models: all setup-tests
	@$(PYTHON) bench/bench_models.py --build $(BUILD) $(MODELS)

# The library without its optional parts (docs/optional.md) compiles.
core:
	@[ -f build-core/build.ninja ] || meson setup build-core --buildtype=release --werror -Doptional= >/dev/null
	$(call find_sources,build-core)
	@ninja -C build-core --quiet libtilewright.so

asan:
	@./scripts/setup tests
	@[ -f build-asan/build.ninja ] || meson setup build-asan --buildtype=debugoptimized \
	    -Db_sanitize=address,undefined -Db_lundef=false >/dev/null
	$(call find_sources,build-asan)
	@ninja -C build-asan --quiet all test-programs
	@ASAN_OPTIONS=detect_leaks=0 meson test -C build-asan --quiet --print-errorlogs
	@for seed in 1 2 3 4 5 6 7 8; do ASAN_OPTIONS=detect_leaks=0 PYTHONPATH=build-asan/python \
	    LD_PRELOAD="$$(gcc -print-file-name=libasan.so) $$(gcc -print-file-name=libubsan.so)" \
	    $(PYTHON) tests/python/ir_storm.py $$seed 3000 || exit 1; done
	$(call sanitized_loops,build-asan,libasan.so libubsan.so)

# A JAX loop and a training loop of PyTorch under a build's sanitizers, with these libraries of them.
define sanitized_loops
	@load=; for l in $(2); do load="$$load $$(gcc -print-file-name=$$l)"; done; \
	env ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	    TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 PYTHONPATH=$(1)/python LD_PRELOAD="$$load" \
	    "$$($(PYTHON) -c 'import sys; print(sys.executable)')" tests/python/sanitized_loops.py
endef

# Multi-threaded code under thread sanitizer: the grid with two threads, pools, JAX's plugin, both loops.
tsan:
	@./scripts/setup tests
	@[ -f build-tsan/build.ninja ] || meson setup build-tsan --buildtype=debugoptimized \
	    -Db_sanitize=thread -Db_lundef=false >/dev/null
	$(call find_sources,build-tsan)
	@ninja -C build-tsan --quiet tests/unit/test_device tests/unit/test_tapes tests/unit/test_threadpool \
	    tests/unit/test_pool tests/unit/test_pjrt tools/tilewright python/stage.stamp python/tilewright/_core.abi3.so
	@for t in device tapes threadpool pool pjrt; do build-tsan/tests/unit/test_$$t >build-tsan/tsan.log 2>&1 \
	    || { cat build-tsan/tsan.log; exit 1; }; done
	@for f in $$(grep -l "ttmetal.enqueue_program" tests/lit/device/*.mlir); do build-tsan/tools/tilewright sim --threads 2 $$f \
	    >build-tsan/tsan.log 2>&1 || { cat build-tsan/tsan.log; exit 1; }; done
	$(call sanitized_loops,build-tsan,libtsan.so)
	@echo "no races"

# The long tier: every fuzz target, or TARGETS, for SECONDS each; RUNS=N: the same N inputs each time.
SECONDS ?= 60
fuzz:
	@./scripts/setup lint
	@[ -f build-fuzz/build.ninja ] || CC=clang meson setup build-fuzz --buildtype=plain \
	    -Doptimization=1 -Db_sanitize=address,undefined -Db_lundef=false \
	    -Dc_args='-gline-tables-only -fno-omit-frame-pointer -fsanitize=fuzzer-no-link -fno-sanitize-recover=undefined' \
	    >/dev/null
	$(call find_sources,build-fuzz)
	@ninja -C build-fuzz --quiet fuzz-targets
	@python3 tests/fuzz/run.py build-fuzz $(SECONDS) $(RUNS:%=--runs=%) $(TARGETS)

# A thousand random correct kernels, each under twenty orders of its threads; five
# hundred modules of each dialect through text and bytecode; four hundred programs of jax.
generated: programs setup-tests
	@IRGEN_SEEDS=1:500 $(BUILD)/tests/irgen/test_irgen
	@TILEWRIGHT_GENERATED=1000 TILEWRIGHT_GENERATED_SEEDS=20 PYTHONPATH=$(BUILD)/python \
	    $(PYTHON) -m pytest -q tests/python/test_sim_generated.py tests/python/test_sim_generated_kernels.py \
	    tests/python/test_sim_generated_wrong.py tests/python/test_sim_generated_units.py tests/python/test_sim_generated_formats.py tests/python/test_sim_generated_reruns.py \
	    tests/python/test_ttl_generated.py tests/python/test_ttl_generated_cores.py
	@TILEWRIGHT_RANDOM=100:500 PYTHONPATH=$(BUILD)/python $(PYTHON) -m pytest -q tests/python/test_jax_random.py

# A differential campaign: seeds SEEDS of KIND (stablehlo, evaluator, ttir, ttl, torch); RECORD=1 adds them to the ledger.
KIND ?= stablehlo
SEEDS ?= 0:300
campaign: all setup-tests
	@TW_BUILD=$(BUILD) $(PYTHON) tests/campaigns/campaign.py $(KIND) --seeds $(SEEDS) $(RECORD:%=--record)

# Mutants of such kernels, in IR and in Python: how many are reported, harmless or missed.
MUTANTS ?= 1000
mutants: all setup-tests
	@PYTHONPATH=$(BUILD)/python:tests/python $(PYTHON) tests/python/test_sim_mutants.py $(MUTANTS) 4
	@PYTHONPATH=$(BUILD)/python:tests/python $(PYTHON) tests/python/test_ttl_generated_cores.py 0 $(MUTANTS) 4

# Lines and branches of src that the tests reach, by tier; docs/test-coverage.md. COVERAGE="--tiers unit,text" runs these only, --full all files.
coverage:
	@./scripts/setup tests
	@[ -f build-coverage/build.ninja ] || meson setup build-coverage --buildtype=debug -Db_coverage=true -Db_lundef=false >/dev/null
	$(call find_sources,build-coverage)
	@ninja -C build-coverage --quiet all test-programs
	@$(PYTHON) scripts/coverage build-coverage --page build-coverage/coverage.md $(COVERAGE)

# One mistake at a time in our own source, against the tests that reach it; SOURCE_MUTANTS=--full with all files of pytest.
MUTANT_SEEDS = $(if $(filter command environment,$(firstword $(origin SEEDS))),$(SEEDS),0:130)
source-mutants: all setup-tests
	@$(PYTHON) scripts/source-mutants build-mutants --seeds $(MUTANT_SEEDS) $(SOURCE_MUTANTS)

# Generated kernels, and mutants of them, on the grid under the sanitizers, every other one on two threads.
STORM ?= 60
STORM_ORDERS ?= 5
storm:
	@./scripts/setup tests
	@python=$$($(PYTHON) -c 'import sys; print(sys.executable)'); \
	for kind in address,undefined thread; do \
	    case $$kind in thread) build=build-tsan; libraries=libtsan.so;; \
	    *) build=build-asan; libraries="libasan.so libubsan.so";; esac; \
	    [ -f $$build/build.ninja ] || meson setup $$build --buildtype=debugoptimized \
	        -Db_sanitize=$$kind -Db_lundef=false >/dev/null || exit 1; \
	    ninja -C $$build --quiet python/tilewright/_core.abi3.so python/stage.stamp || exit 1; \
	    load=; for l in $$libraries; do load="$$load $$(gcc -print-file-name=$$l)"; done; \
	    env ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 \
	        TSAN_OPTIONS=halt_on_error=1:ignore_noninstrumented_modules=1 \
	        PYTHONPATH=$$build/python:tests/python LD_PRELOAD="$$load" \
	        "$$python" tests/python/generated_storm.py 0 $(STORM) $(STORM_ORDERS) || exit 1; \
	done

# One page for each dialect, generated from its rows.
reference: all
	@mkdir -p $(BUILD)/reference
	@$(BUILD)/bin/tilewright operations >$(BUILD)/reference/dialects.md
	@for d in $$($(BUILD)/bin/tilewright operations | awk 'NR > 2 { print $$2 }'); do \
	    $(BUILD)/bin/tilewright operations $$d >$(BUILD)/reference/$$d.md || exit 1; done
	@echo "$(BUILD)/reference"

# The library in WebAssembly in one HTML file (docs/playground.md); minutes at first.
playground: all
	@./scripts/setup playground
	@python3 scripts/playground.py $(BUILD)

# The documentation as a searchable site.
docs: all
	@BUILD=$(BUILD) ./scripts/setup docs
	@$(PYTHON) scripts/site_pages.py $(BUILD)
	@$(PYTHON) -m mkdocs build -f $(BUILD)/site/mkdocs.yml >$(BUILD)/site/log.txt 2>&1 || { cat $(BUILD)/site/log.txt; exit 1; }
	@echo "$(BUILD)/site/html/index.html"

format:
	@git ls-files '*.c' '*.h' | xargs clang-format -i

help:
	@echo "make         build everything into $(BUILD)/"
	@echo "make demo    install missing packages, build, compile and run a small model"
	@echo "make check   all tests; ends with 'N passed, N failed'"
	@echo "make check-quick  the C tests, text tests and a sample of the others, in under a minute"
	@echo "make lint    clang-format, clang's warnings, clang-tidy"
	@echo "make bench   measurements side by side with torch and jax"
	@echo "make bench-models  whole models beside torch, XLA and onnxruntime, and a picture"
	@echo "make core    compile the library without its optional parts"
	@echo "make asan    the C tests under address and undefined-behaviour sanitizers"
	@echo "make tsan    the multi-threaded tests under thread sanitizer"
	@echo "make fuzz    the fuzz targets for SECONDS=60 each, with clang and sanitizers"
	@echo "make generated   a thousand random kernels, each under twenty orders of its threads"
	@echo "make coverage    lines and branches of src that the tests reach, by tier"
	@echo "make source-mutants SEEDS=0:130  mistakes in src, each against the tests that reach its line"
	@echo "make campaign KIND=stablehlo SEEDS=0:300  random programs beside another implementation"
	@echo "make mutants  MUTANTS=1000 such kernels with one mistake each: reported, harmless or missed"
	@echo "make storm   STORM=60 such kernels under address, undefined-behaviour and thread sanitizers"
	@echo "make reference   pages on every dialect's operations, in $(BUILD)/reference"
	@echo "make docs    the documentation as a searchable site, in $(BUILD)/site/html"
	@echo "make playground  the compiler and the simulated grid as one HTML file, in $(BUILD)/playground"
	@echo "make format  clang-format over all C files"
