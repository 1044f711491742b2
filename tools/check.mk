# SPDX-License-Identifier: MIT
# The words beside `make`: check, demo, fuzz, bench, install, format. HACKING.md explains them.

SCRIPTS   := $(wildcard tests/*.t)
FORMATTED := $(shell git ls-files '*.c' '*.h' 2>/dev/null)
HEADERS   := $(wildcard include/rastrum/*.h)

# All processors, unless the user has said how many.
JOBS = $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

# Everything is built first, by make; then prove runs the test programs and scripts and counts.
check: need-check
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD) all check-built

check-built: $(TESTS) $(FUZZERS) all
	$(Q)RASTRUM=$(OUT)/rastrum BUILD=$(BUILD) ASAN_OPTIONS=detect_leaks=1 \
		prove -j2 --timer --merge $(TESTS) $(SCRIPTS)

need-%:
	$(Q)tools/need.sh $*

demo: need-build
	$(Q)$(MAKE) --no-print-directory $(JOBS) BUILD=$(BUILD) all
	$(Q)RASTRUM=$(OUT)/rastrum sh examples/demo.sh

bench: all
	$(OUT)/rastrum bench limit
	$(OUT)/rastrum bench read

# Searches with libFuzzer, SECONDS each (default ten minutes); what it finds stays in build/fuzz.
SECONDS ?= 600
FUZZ_FLAGS := -std=gnu11 -D_GNU_SOURCE -O1 -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
	-Iinclude -Isrc -I. -DRASTRUM_VERSION='"$(VERSION)"'
FUZZ_BIN := $(FUZZ_SRC:fuzz/%.c=build/fuzz/%)

build/fuzz/%: fuzz/%.c $(LIB_SRC) $(filter-out src/cli/main.c,$(PROG_SRC)) $(JUDGE_SRC) $(OUT)/templates.c
	@mkdir -p $(@D)
	$(call say,CLANG,$@)
	$(Q)clang $(FUZZ_FLAGS) -o $@ $^ $(LIBS)

fuzz-build: need-fuzz $(FUZZ_BIN)

fuzz: fuzz-build
	$(Q)for f in $(notdir $(FUZZ_BIN)); do \
		mkdir -p build/fuzz/corpus/$$f; \
		build/fuzz/$$f -max_total_time=$(SECONDS) -timeout=10 -rss_limit_mb=2048 \
			-artifact_prefix=build/fuzz/$$f- build/fuzz/corpus/$$f fuzz/corpus/$$f || exit 1; \
	done

format:
	clang-format -i $(FORMATTED)

install: all
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(LIBDIR)/pkgconfig $(DESTDIR)$(PREFIX)/include/rastrum
	install -m 755 $(OUT)/rastrum $(DESTDIR)$(PREFIX)/bin
	install -m 644 $(STATIC) $(DESTDIR)$(LIBDIR)
	install -m 755 $(SHARED) $(DESTDIR)$(LIBDIR)
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/librastrum.so.$(SOMAJOR)
	ln -sf $(notdir $(SHARED)) $(DESTDIR)$(LIBDIR)/librastrum.so
	sed -e 's|@PREFIX@|$(PREFIX)|' -e 's|@LIBDIR@|$(LIBDIR)|' -e 's|@VERSION@|$(VERSION)|' \
		packaging/rastrum.pc.in > $(DESTDIR)$(LIBDIR)/pkgconfig/rastrum.pc
	install -m 644 $(HEADERS) $(DESTDIR)$(PREFIX)/include/rastrum
	install -d $(DESTDIR)$(PREFIX)/share/rastrum/templates
	install -m 644 $(TEMPLATES) $(DESTDIR)$(PREFIX)/share/rastrum/templates
	for page in $(wildcard man/*.[0-9]); do \
		section=$${page##*.}; \
		install -d $(DESTDIR)$(PREFIX)/share/man/man$$section; \
		install -m 644 $$page $(DESTDIR)$(PREFIX)/share/man/man$$section; \
	done

.PHONY: check check-built demo bench fuzz fuzz-build format install
