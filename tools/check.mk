# SPDX-License-Identifier: MIT
# The words beside `make`: check, demo, fuzz, bench, format. HACKING.md explains them.

# What looks at files, documents and packages is the same for every build: it is looked at once. So is what a release build costs.
ONCE      := $(patsubst %,tests/house/%.t,comments names english growth hardening install manual packages readme rules tree version) \
	tests/record/bench_record.t tests/relations/relations.t tests/truth/truth.t
# The thread sanitizer sees nothing in programs of one thread: it has the recorder, live inputs, reports by several threads and the recorders for boards.
THREADED  := $(patsubst %,$(OUT)/test/%,src/record/% src/log/% src/input/live/% src/lines/workers_test embed/%) tests/record/%.t tests/embed/%.t \
	tests/cli/live.t tests/cli/progress.t tests/cli/threads.t tests/house/examples.t
# Of those, what only reads logs, which takes one thread.
ONE_THREAD := tests/record/window.t $(OUT)/test/src/log/scan_test $(OUT)/test/src/record/posix/recorded_test
# What other programs make of our files, or we of theirs, and what is for threads: tests of functions, convert_whole.t and the thread
# sanitizer have the same code.
OTHERS    := $(patsubst %,tests/analysis/convert_%.t,ctf kernel perfetto txtb) tests/analysis/questions.t tests/cli/threads.t \
	tests/analysis/convert_pages.t tests/cli/help.t tests/cli/completion.t tests/dialect/answers.t tests/dialect/parts_threadx.t tests/embed/liteos.t tests/embed/rkh.t
# Counters of lines are instructions, too: what counts instructions is not for that build. Nor is what runs no other lines, or what
# links foreign programs with our library, which lack the counters.
UNCOUNTED := $(OUT)/test/tests/posix/cost_test tests/record/bridge.t tests/cli/threads.t tests/house/examples.t \
	tests/embed/liteos.t tests/embed/rkh.t
of_build  = $(if $(filter tsan,$(BUILD)),$(filter-out $(ONE_THREAD),$(filter $(THREADED),$(1))),$(if $(filter cover,$(BUILD)),$(filter-out $(UNCOUNTED),$(1)),\
	$(if $(filter asan,$(BUILD)),$(filter-out $(OTHERS),$(1)),$(1))))
SCRIPTS   := $(call of_build,$(filter-out $(if $(filter release,$(BUILD)),,$(ONCE)),$(filter-out tests/soak/%,$(wildcard tests/*/*.t))))
FORMATTED := $(shell git ls-files '*.c' '*.h' '*.inc' 2>/dev/null)

# All processors, unless the user has said how many.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Everything is built first, by make; then prove runs the test programs and scripts and counts.
check: need-check
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD) all check-built

# The consumer of this build, not one that may be installed.
CHECK_ENV = RASTRUM=$(OUT)/rastrum BUILD=$(BUILD) POSIX_TRACE_CONSUMER=$(abspath $(CONSUMER)) ASAN_OPTIONS=detect_leaks=1

# Everything that check runs.
check-programs: $(call of_build,$(TESTS) $(FUZZERS)) $(POSIX_TESTS) $(PRELOAD_TESTS) all

check-built: check-programs
	$(Q)$(CHECK_ENV) tools/dearest.py prove -j2 --timer --merge --failures $(call of_build,$(TESTS)) \
		$(call of_build,$(filter-out %/soak %/soak_process,$(POSIX_TESTS))) $(SCRIPTS)

# Which lines the tests run, room by room; fails where a room is below its floor (tools/cover.tsv). Tests that load our library
# into foreign programs do not pass with counters in it; whether tests pass is for the other builds.
cover: need-check
	$(Q)find build/cover -name '*.gcda' -delete 2>/dev/null || true
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=cover check-programs
	$(Q)$(MAKE) --no-print-directory BUILD=cover check-built >build/cover/check.log 2>&1 || true
	$(Q)tools/cover.py build/cover

# What takes a part of a corpus in `make check` takes all of it in `make soak`.
SAMPLED   := $(shell grep -lE 'import.*(sample|spread|every_recording)' tests/*/*.t)

# Thousands of controllers and targets killed at random instants, full disks, closed descriptors: what their logs hold. Then the scripts of
# tests/soak, which print the seed that reproduces them.
soak: all $(OUT)/test/tests/posix/soak $(OUT)/test/tests/posix/soak_process
	$(Q)$(CHECK_ENV) SOAK=yes prove --timer --merge --failures $(OUT)/test/tests/posix/soak $(OUT)/test/tests/posix/soak_process \
		tests/house/packages.t $(SAMPLED) $(wildcard tests/soak/*.t)

need-%:
	$(Q)tools/need.sh $*

demo: need-build
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD) all
	$(Q)RASTRUM=$(OUT)/rastrum sh examples/demo.sh

bench: all
	$(OUT)/rastrum bench limit
	$(OUT)/rastrum bench read
	$(OUT)/rastrum bench record

# Searches with libFuzzer, SECONDS each (default ten minutes); what it finds stays in build/fuzz.
SECONDS ?= 600
FUZZ_FLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all -DRST_SMALL_LIMITS $(CHECKED) \
	-Iinclude -Iinclude/aixtrace -Isrc -I. -DPOSIX_TRACE_CONSUMER='"$(CONSUMERDIR)/posix-trace-consumer"' \
	-DRASTRUM_LIBDIR='"$(LIBDIR)"' -DRASTRUM_LIBEXECDIR='"$(LIBEXECDIR)"' -MMD -MP
FUZZ_BIN := $(FUZZ_SRC:fuzz/%.c=build/fuzz/%)
FUZZ_OBJ := $(patsubst %.c,build/fuzz/obj/%.o,$(LIB_SRC) $(filter-out $(LIB_SRC),$(TRACE_SRC)) \
	$(filter-out src/cli/main/main.c,$(PROG_SRC)) $(AIX_SHARED_SRC) $(REF_SRC)) $(EMBEDDED:$(OUT)/obj/%=build/fuzz/obj/%)

build/fuzz/obj/%.o: %.c tools/check.mk
	@mkdir -p $(@D)
	$(call say,CLANG,$<)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer-no-link -c -o $@ $<

$(EMBEDDED:$(OUT)/obj/%=build/fuzz/obj/%): build/fuzz/obj/%.o: $(OUT)/%.c tools/check.mk
	@mkdir -p $(@D)
	$(Q)clang $(FUZZ_FLAGS) -c -o $@ $<

build/fuzz/fuzz_view: $(VIEW_INNER:%.c=build/fuzz/obj/%.o)
build/fuzz/%: build/fuzz/obj/fuzz/%.o $(FUZZ_OBJ) $(EMBED)
	$(call say,LINK,$@)
	$(Q)clang $(FUZZ_FLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)

-include $(shell find build/fuzz/obj -name '*.d' 2>/dev/null)

fuzz-build: need-fuzz $(FUZZ_BIN)

fuzz: fuzz-build
	$(Q)for f in $(notdir $(FUZZ_BIN)); do \
		mkdir -p build/fuzz/corpus/$$f; \
		build/fuzz/$$f -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-artifact_prefix=build/fuzz/$$f- build/fuzz/corpus/$$f fuzz/corpus/$$f || exit 1; \
	done

version:
	$(Q)tools/version.sh $(VERSION)

format:
	clang-format -i $(FORMATTED)

.PHONY: check cover check-programs check-built soak demo bench fuzz fuzz-build version format
