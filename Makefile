# SPDX-License-Identifier: MIT
# Rastrum. `make` builds, `make demo` shows, `make check` tests; HACKING.md lists every word.
#
# Flavours build side by side: BUILD=release (default), asan (address and undefined), tsan, cover (counts lines).

BUILD   ?= release
# The one place of the version; `make version` writes it into the headers.
VERSION := 0.1.0
# What the names of the shared libraries end in: it changes when programs have to be built anew. Below version 1 librastrum may
# change with each 0.MINOR (include/rastrum/rastrum.h); libposixtrace has the functions of the standard.
SO_RASTRUM    := $(if $(filter 0.%,$(VERSION)),$(basename $(VERSION)),$(firstword $(subst ., ,$(VERSION))))
SO_POSIXTRACE := 0
SO_AIXTRACE   := 0

PREFIX  ?= /usr/local
LIBDIR  ?= $(PREFIX)/lib
LIBEXECDIR ?= $(PREFIX)/libexec
# The program that writes logs; a package puts it where several versions can be side by side.
CONSUMERDIR ?= $(LIBEXECDIR)/rastrum
DESTDIR ?=

ifeq ($(origin CC),default)
CC := gcc
endif
OBJCOPY ?= objcopy
# `make V=1` shows whole commands.
Q := $(if $(V),,@)
say = $(if $(V),,@printf '  %-5s %s\n' $(1) $(2))

# `make WERROR=` for a compiler that warns of more than ours: packages are built by others' compilers.
WERROR  ?= -Werror
WARNINGS := -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wstrict-prototypes \
	-Wmissing-prototypes -Wold-style-definition -Wcast-qual -Wcast-align=strict -Wundef -Wformat=2 -Wvla \
	-Wdouble-promotion -Wpointer-arith -Wwrite-strings -Wredundant-decls -Wswitch-enum -Wnull-dereference $(WERROR)

# What makes an error of ours harder to exploit, where the compiler has it (the last two depend on the processor). Builds
# with sanitizers do without: they see more, and are not installed. No file is exempt: a trace point costs one instruction
# more (endbr64), which is below the noise of `rastrum bench record`.
has_flag = $(shell echo 'int x;' | $(CC) -Werror $(1) -x c -c -o /dev/null - 2>/dev/null && echo $(1))
# Not twice, and not without optimisation, which it needs: CFLAGS and CPPFLAGS of a distribution have their own level.
FORTIFY := $(if $(findstring _FORTIFY_SOURCE,$(CPPFLAGS) $(CFLAGS))$(filter -O0,$(CFLAGS)),,-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=2)
HARD_CFLAGS := $(FORTIFY) -fstack-protector-strong \
	$(foreach flag,-fstack-clash-protection -fcf-protection -mbranch-protection=standard,$(call has_flag,$(flag)))
HARD_LDFLAGS := -Wl,-z,relro,-z,now,-z,noexecstack

FLAGS_release := -O2 -g $(HARD_CFLAGS)
LINK_release  := $(HARD_LDFLAGS)
# Contracts end the program where they do not hold (src/base/check.h).
CHECKED       := -DRST_CHECKED
# Check builds link 240 programs: gold takes two thirds of the time of the linker that releases have. Not for shared libraries: it
# exports their static variables of threads. Not for TSan, which then cannot start where files may not be large (RLIMIT_FSIZE).
FAST_LINK     := $(if $(filter asan cover,$(BUILD)),$(if $(shell command -v ld.gold),-fuse-ld=gold))
FLAGS_asan    := $(CHECKED) -O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
FLAGS_tsan    := $(CHECKED) -O1 -g1 -fsanitize=thread -fno-omit-frame-pointer
FLAGS_cover   := $(CHECKED) -O1 -g1 --coverage
LINK_cover    := --coverage
ifeq ($(filter release asan tsan cover,$(BUILD)),)
$(error BUILD=$(BUILD) is not one of release, asan, tsan, cover)
endif

# A literal comma, for arguments of functions.
, := ,
OUT     := build/$(BUILD)
CFLAGS  ?=
# The language and visibility are ours; CPPFLAGS and CFLAGS are the user's and come last.
ALL_CFLAGS := -std=gnu11 -D_GNU_SOURCE $(WARNINGS) $(FLAGS_$(BUILD)) -fPIC -fvisibility=hidden -Iinclude -Iinclude/aixtrace -Isrc -I. \
	-DPOSIX_TRACE_CONSUMER='"$(CONSUMERDIR)/posix-trace-consumer"' \
	-DRASTRUM_LIBDIR='"$(LIBDIR)"' -DRASTRUM_LIBEXECDIR='"$(LIBEXECDIR)"' -DRASTRUM_PROGRAM='"$(PREFIX)/bin/rastrum"' -MMD -MP $(CPPFLAGS) $(CFLAGS)
ALL_LDFLAGS := $(LINK_$(BUILD)) $(LDFLAGS)
# With ASan a program has 300,000 relocations, which take a third of each start.
PIE     := $(if $(filter asan,$(BUILD)),-no-pie,-pie) $(FAST_LINK)
LIBS    := -lz -lzstd -llzma -lbz2 -lelf -lm -liberty -Wl,--exclude-libs,libiberty.a

# Rooms of the library and of the program, lowest first (docs/ARCHITECTURE.md). A new file needs no line here.
LIB_SRC  := $(filter-out %_test.c,$(wildcard src/base/*.c src/log/*.c src/input/*.c src/input/wrapping/*.c src/symbol/*.c src/model/*.c src/dialect/*.c src/dialect/*/*.c src/trace/*.c src/trace/value/*.c src/state/*.c \
	src/template/*/*.c src/select/*.c src/lines/*.c src/summary/*.c src/analysis/*.c src/analysis/table/*.c src/analysis/stats/*.c src/analysis/explain/*.c src/database/*.c src/query/*.c src/job/*.c))
PROG_SRC := $(filter-out %_test.c,$(wildcard src/container/*.c src/analysis/diff/*.c src/analysis/doctor/*.c src/tracks/*.c src/index/*.c src/export/*.c src/picture/*.c src/input/live/*.c src/cli/*.c src/cli/*/*.c))
# rastrum-view and rastrum-timeline: on top of all that the program has; apart, because their libraries would cost every start of
# rastrum.
SESSION_SRC := $(filter-out %_test.c,$(wildcard src/view/session/*.c))
VIEW_SRC := $(SESSION_SRC) $(filter-out %_test.c,$(wildcard src/view/server/*.c)) src/programs/viewing.c src/programs/view.c
# What of the server needs no library for HTTP: requests behind the doors, which are fuzzed.
VIEW_INNER := $(filter-out %/http.c %/stream.c %/doors.c %/crew.c src/programs/%,$(VIEW_SRC))
TIMELINE_SRC := $(SESSION_SRC) $(filter-out %_test.c,$(wildcard src/view/terminal/*.c)) src/programs/viewing.c src/programs/timeline.c
# rastrum-bench: its own measurements and the generators for them, on top of all that the program has.
BENCH_SRC := $(filter-out %_test.c bench/record/peer_%.c,$(wildcard bench/*.c bench/record/*.c))
# The recorder: a library of its own, of the log and src/record, which needs nothing but libc; and the consumer of its logs.
TRACE_SRC := $(filter-out %_test.c %/consumer_main.c,$(wildcard src/log/*.c src/record/*/*.c))
# The functions of AIX for programs, on top of the recorder; sessions and their commands share how they find each other.
AIX_SRC := $(filter-out %_test.c,$(wildcard src/aixtrace/*.c))
# Where sessions are found, which libposixtrace has, too, and does not export.
AIX_PLACE_SRC := $(patsubst %,src/record/rendezvous/%.c,directory elsewhere identity proc)
# What `rastrum trace` has of it.
AIX_SHARED_SRC := src/aixtrace/channel.c src/aixtrace/words.c
# Recorders for targets, built for this machine: tests link them, and rastrum-bench what it uses of them. What they are
# on targets is looked at by `make embed-check`.
EMBED_SRC := $(filter-out %_test.c embed/check/%,$(wildcard embed/*/*.c))
# Default templates, which librastrum carries (tools/embed.sh).
TEMPLATES := $(wildcard templates/*.trcfmt)
# Completion of the program's command lines in shells, which it carries, too.
COMPLETION_SCRIPTS := completion/rastrum.bash completion/_rastrum completion/rastrum.fish
EMBEDDED := $(OUT)/obj/templates.o $(OUT)/obj/completions.o
TEST_SRC := $(wildcard src/*/*_test.c src/*/*/*_test.c bench/*_test.c embed/*/*_test.c) \
	$(filter-out tests/posix/%,$(wildcard tests/*/*_test.c))
# Tests of the recorder as programs see it: <trace.h> and the library, nothing else.
POSIX_TEST_SRC := $(wildcard tests/posix/*_test.c) tests/posix/stress.c tests/posix/soak.c tests/posix/soak_process.c
FUZZ_SRC := $(wildcard fuzz/fuzz_*.c)

LIB_OBJ  := $(LIB_SRC:%.c=$(OUT)/obj/%.o) $(OUT)/obj/templates.o
TRACE_OBJ := $(TRACE_SRC:%.c=$(OUT)/obj/%.o)
AIX_OBJ  := $(AIX_SRC:%.c=$(OUT)/obj/%.o) $(AIX_PLACE_SRC:%.c=$(OUT)/obj/%.o)
EMBED_OBJ := $(EMBED_SRC:%.c=$(OUT)/obj/%.o)
PROG_OBJ := $(patsubst %.c,$(OUT)/obj/%.o,$(PROG_SRC) $(AIX_SHARED_SRC)) $(OUT)/obj/completions.o
BENCH_OBJ := $(BENCH_SRC:%.c=$(OUT)/obj/%.o)
# What begins and ends the recorder by itself (src/record/posix/recorder.h): in the libraries, not in the programs that
# only record others.
LOAD_OBJ := $(OUT)/obj/src/record/posix/load.o
# Everything but main(), for rastrum-bench and for tests that reach into the program's rooms.
WHOLE_OBJ := $(LIB_OBJ) $(filter-out $(LIB_OBJ),$(TRACE_OBJ)) $(filter-out $(OUT)/obj/src/cli/main/main.o,$(PROG_OBJ))
# The reference interpreter of templates, which tests and fuzzers share, and the maker of templates for it.
REF_SRC := $(filter-out %_test.c,$(wildcard tests/template/ref_interp*.c)) fuzz/template_maker.c
REF_OBJ := $(REF_SRC:%.c=$(OUT)/obj/%.o)
TESTS    := $(TEST_SRC:%.c=$(OUT)/test/%)
POSIX_TESTS := $(POSIX_TEST_SRC:%.c=$(OUT)/test/%)
FUZZERS  := $(FUZZ_SRC:%.c=$(OUT)/%)
TEST_OBJ := $(WHOLE_OBJ) $(filter-out $(OUT)/obj/bench/main.o,$(BENCH_OBJ))

STATIC := $(OUT)/librastrum.a
SHARED := $(OUT)/librastrum.so.$(VERSION)

# An archive, so that only what is called comes along.
EMBED := $(OUT)/embed.a

TRACE_STATIC := $(OUT)/libposixtrace.a
TRACE_SHARED := $(OUT)/libposixtrace.so.$(VERSION)
CONSUMER := $(OUT)/posix-trace-consumer
AIX_STATIC := $(OUT)/libaixtrace.a
AIX_SHARED := $(OUT)/libaixtrace.so.$(VERSION)
BENCH := $(OUT)/rastrum-bench
VIEW  := $(OUT)/rastrum-view
VIEW_OBJ := $(VIEW_SRC:%.c=$(OUT)/obj/%.o)
TIMELINE := $(OUT)/rastrum-timeline
TIMELINE_OBJ := $(TIMELINE_SRC:%.c=$(OUT)/obj/%.o)
# The recorder's events of programs that were never changed.
PRELOAD := $(OUT)/librastrum-preload.so
PRELOAD_OBJ := $(patsubst %.c,$(OUT)/obj/%.o,$(filter-out %_test.c,$(wildcard src/preload/*.c)))
# What its tests run: programs that know nothing of it, and a library that traces them.
PRELOAD_TESTS := $(patsubst %,$(OUT)/test/tests/preload/%,actor cost own own-visible own-shared stream.so)
EXAMPLES := $(patsubst %.c,$(OUT)/%,$(wildcard examples/posix/*.c))
AIX_EXAMPLES := $(patsubst %.c,$(OUT)/%,$(wildcard examples/aix/*.c))
READ_EXAMPLES := $(patsubst %.c,$(OUT)/%,$(wildcard examples/read/*.c))

all: $(OUT)/rastrum $(BENCH) $(VIEW) $(TIMELINE) $(STATIC) $(SHARED) $(TRACE_STATIC) $(TRACE_SHARED) $(AIX_STATIC) $(AIX_SHARED) $(CONSUMER) $(PRELOAD) $(EXAMPLES) $(AIX_EXAMPLES) $(READ_EXAMPLES)

$(OUT)/rastrum: $(LIB_OBJ) $(filter-out $(LIB_OBJ) $(LOAD_OBJ),$(TRACE_OBJ)) $(PROG_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(PIE) -o $@ $^ $(LIBS)

$(BENCH): $(WHOLE_OBJ) $(BENCH_OBJ) $(EMBED)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(PIE) -o $@ $^ $(LIBS)

$(VIEW): $(WHOLE_OBJ) $(VIEW_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(PIE) -o $@ $^ $(LIBS) -lmicrohttpd

$(TIMELINE): $(WHOLE_OBJ) $(TIMELINE_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(PIE) -o $@ $^ $(LIBS) -lncursesw -ltinfo

# The page is part of the program.
$(OUT)/obj/src/view/server/assets.o: $(wildcard web/*)

$(EMBED): $(EMBED_OBJ)
	$(call say,AR,$@)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $^

# One relocatable object whose hidden symbols are made local: the archive, too, offers the public names only.
define make_archive
	$(call say,AR,$@)
	$(Q)$(LD) -r -o $(@:.a=.o) $^
	$(Q)$(OBJCOPY) --localize-hidden $(@:.a=.o)
	$(Q)rm -f $@
	$(Q)$(AR) rcs $@ $(@:.a=.o)
endef
# $(call make_shared,number behind .so,libraries)
define make_shared
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-soname,$(notdir $(@:.$(VERSION)=.$(1))) \
		$(if $(filter release,$(BUILD)),-Wl$(,)-z$(,)defs) -o $@ $^ $(2)
	$(Q)ln -sf $(notdir $@) $(@:.$(VERSION)=.$(1))
	$(Q)ln -sf $(notdir $@) $(@:.$(VERSION)=)
endef

$(STATIC): $(LIB_OBJ)
	$(make_archive)

$(SHARED): $(LIB_OBJ)
	$(call make_shared,$(SO_RASTRUM),$(LIBS))

$(TRACE_STATIC): $(TRACE_OBJ)
	$(make_archive)

# The kernel looks into it even after dlclose(): a thread's last restartable sequence.
$(TRACE_SHARED): $(TRACE_OBJ)
	$(call make_shared,$(SO_POSIXTRACE),-Wl$(,)-z$(,)nodelete)

$(AIX_STATIC): $(AIX_OBJ)
	$(make_archive)

$(AIX_SHARED): $(AIX_OBJ) $(TRACE_SHARED)
	$(call make_shared,$(SO_AIXTRACE),)

# Beside the recorder in the build folder, in a folder below it where it is installed.
$(PRELOAD): $(PRELOAD_OBJ) $(TRACE_SHARED) src/preload/preload.map
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared -Wl,-soname,$(notdir $@) -Wl,-z,nodelete -Wl,--version-script=$(lastword $^) \
		-Wl,-rpath,'$$ORIGIN:$$ORIGIN/..' \
		$(if $(filter release,$(BUILD)),-Wl$(,)-z$(,)defs) -o $@ $(filter-out %.map,$^)

$(CONSUMER): $(OUT)/obj/src/record/consumer/consumer_main.o $(filter-out $(LOAD_OBJ),$(TRACE_OBJ))
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(PIE) -o $@ $^

$(OUT)/obj/%.o: %.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# Those that hold a path of the installation are built anew when it is another one.
PLACES := PREFIX=$(PREFIX) LIBDIR=$(LIBDIR) LIBEXECDIR=$(LIBEXECDIR) CONSUMERDIR=$(CONSUMERDIR)
$(OUT)/places: FORCE
	@mkdir -p $(@D)
	@echo '$(PLACES)' | cmp -s - $@ || echo '$(PLACES)' > $@
FORCE:
$(OUT)/obj/src/record/consumer/launch.o $(OUT)/obj/src/cli/installed.o $(OUT)/obj/src/aixtrace/control.o: $(OUT)/places

$(OUT)/templates.c: tools/embed.sh $(TEMPLATES) Makefile
	@mkdir -p $(@D)
	$(call say,EMBED,$@)
	$(Q)sh tools/embed.sh template/set/search.h template_builtin $(TEMPLATES) > $@.new && mv $@.new $@

$(OUT)/completions.c: tools/embed.sh $(COMPLETION_SCRIPTS) Makefile
	@mkdir -p $(@D)
	$(call say,EMBED,$@)
	$(Q)sh tools/embed.sh cli/scripts.h completion_script $(COMPLETION_SCRIPTS) > $@.new && mv $@.new $@

$(EMBEDDED): $(OUT)/obj/%.o: $(OUT)/%.c Makefile
	@mkdir -p $(@D)
	$(call say,CC,$<)
	$(Q)$(CC) $(ALL_CFLAGS) -c -o $@ $<

# A test is one program that prints TAP. What these functions are called for, tests can make fail (tests/tap.h).
WRAPPED := malloc calloc realloc asprintf vasprintf __asprintf_chk __vasprintf_chk write pwrite read __read_chk fstat ftruncate mmap
TEST_LDFLAGS := $(FAST_LINK) $(patsubst %,-Wl$(,)--wrap=%,$(WRAPPED))
$(OUT)/test/%: $(OUT)/obj/%.o $(OUT)/obj/tests/tap.o $(REF_OBJ) $(TEST_OBJ) $(EMBED)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(TEST_LDFLAGS) -o $@ $^ $(LIBS)

$(POSIX_TESTS): $(OUT)/test/%: $(OUT)/obj/%.o $(OUT)/obj/tests/tap.o $(OUT)/obj/tests/posix/fixture.o $(OUT)/obj/tests/posix/player.o $(TRACE_STATIC) | $(CONSUMER)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(TEST_LDFLAGS) -o $@ $^

$(OUT)/test/tests/preload/%.so: $(OUT)/obj/tests/preload/%.o $(TRACE_SHARED)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -shared $(SONAME) -Wl,-rpath,'$$ORIGIN/../../..' -o $@ $^

ACTOR_OBJ := $(patsubst %.c,$(OUT)/obj/%.o,$(wildcard tests/preload/actor*.c))
$(OUT)/test/tests/preload/%.so: SONAME = -Wl$(,)-soname$(,)$(@F)
$(OUT)/test/tests/preload/actor: $(ACTOR_OBJ) $(OUT)/test/tests/preload/early.so | $(OUT)/test/tests/preload/plugin.so
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -Wl,--no-as-needed -Wl,-rpath,'$$ORIGIN' -o $@ $^ -pthread

$(OUT)/test/tests/preload/cost: $(OUT)/obj/tests/preload/cost.o
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ -pthread

$(OUT)/test/tests/preload/own $(OUT)/test/tests/preload/own-visible: $(OUT)/obj/tests/preload/own.o $(TRACE_STATIC)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) $(if $(findstring visible,$@),-rdynamic) -o $@ $^ -pthread

$(OUT)/test/tests/preload/own-shared: $(OUT)/obj/tests/preload/own.o $(TRACE_SHARED)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -Wl,-rpath,'$$ORIGIN/../../..' -o $@ $^ -pthread

$(AIX_EXAMPLES): $(OUT)/%: $(OUT)/obj/%.o $(AIX_STATIC) $(TRACE_STATIC) | $(CONSUMER) $(OUT)/rastrum
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -pthread -o $@ $^

$(READ_EXAMPLES): $(OUT)/%: $(OUT)/obj/%.o $(STATIC)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

$(EXAMPLES): $(OUT)/%: $(OUT)/obj/%.o $(TRACE_STATIC) | $(CONSUMER)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -pthread -o $@ $^

# A fuzzer replays files with any compiler; `make fuzz` searches with clang's libFuzzer.
$(OUT)/fuzz/fuzz_view: $(VIEW_INNER:%.c=$(OUT)/obj/%.o)
$(OUT)/fuzz/%: $(OUT)/obj/fuzz/%.o $(OUT)/obj/fuzz/replay.o $(REF_OBJ) $(TEST_OBJ) $(EMBED)
	@mkdir -p $(@D)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@ $^ $(LIBS)

# What `rastrum bench record --peer` compares with: the recorder as a shared library; LTTng-UST where its headers are.
PEER_OBJ := $(patsubst %,$(OUT)/obj/bench/record/%.o,timed peer_serve)
$(OUT)/bench_shared: $(OUT)/obj/bench/record/peer_shared.o $(OUT)/obj/bench/record/rows.o $(OUT)/obj/src/aixtrace/words.o $(PEER_OBJ) $(TRACE_SHARED)
	$(call say,LINK,$@)
	$(Q)$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -Wl,-rpath,'$$ORIGIN' -o $@ $^

# The macros of LTTng do not bear our warnings.
$(OUT)/bench_lttng: bench/record/peer_lttng.c bench/record/peer_lttng.def $(PEER_OBJ)
	$(call say,LINK,$@)
	$(Q)$(CC) -std=gnu11 -D_GNU_SOURCE $(FLAGS_$(BUILD)) -Iinclude -Isrc -I. $(CFLAGS) $(ALL_LDFLAGS) -o $@ $< $(PEER_OBJ) \
		-llttng-ust -ldl

HAS_LTTNG = $(wildcard /usr/include/lttng/tracepoint.h /usr/include/*/lttng/tracepoint.h)
bench-peer: all $(OUT)/bench_shared $(if $(HAS_LTTNG),$(OUT)/bench_lttng)
	$(if $(HAS_LTTNG),,@echo "no headers of LTTng-UST (liblttng-ust-dev): compared without it")

include $(wildcard tools/*.mk)

clean:
	rm -rf build

.PHONY: all clean bench-peer FORCE
.SECONDARY:
-include $(shell find $(OUT)/obj -name '*.d' 2>/dev/null)
