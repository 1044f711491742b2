# SPDX-License-Identifier: MIT
# `make install` and `make uninstall`: one table of what is put where. docs/INSTALL.md explains the variables.

SHARE   := $(PREFIX)/share
INCLUDE := $(PREFIX)/include
ZSHDIR  ?= $(SHARE)/zsh/site-functions

PAGES := $(wildcard man/*.[0-9])
COMPLETIONS ?= $(COMPLETION_SCRIPTS)

# Names of AIX's commands, by which the program is those commands (src/cli/main/main.c); their folder is in no PATH by itself.
AIXDIR    := $(LIBEXECDIR)/rastrum/aix
AIX_NAMES := trace trcon trcoff trcstop trcevgrp trcrpt trcupdate curt splat

# Kinds of rows: tools/install.sh.
define INSTALL_ROWS
program $(PREFIX)/bin $(OUT)/rastrum
program $(CONSUMERDIR) $(CONSUMER)
program $(LIBEXECDIR)/rastrum $(BENCH) $(VIEW) $(TIMELINE)
$(foreach name,$(AIX_NAMES),link $(AIXDIR) $(name) $(shell realpath -ms --relative-to=$(AIXDIR) $(PREFIX)/bin/rastrum)
)program $(LIBDIR) $(SHARED) $(TRACE_SHARED) $(AIX_SHARED)
program $(LIBDIR)/rastrum $(PRELOAD)
data $(LIBDIR) $(STATIC) $(TRACE_STATIC) $(AIX_STATIC)
link $(LIBDIR) librastrum.so.$(SO_RASTRUM) $(notdir $(SHARED))
link $(LIBDIR) librastrum.so $(notdir $(SHARED))
link $(LIBDIR) libposixtrace.so.$(SO_POSIXTRACE) $(notdir $(TRACE_SHARED))
link $(LIBDIR) libposixtrace.so $(notdir $(TRACE_SHARED))
link $(LIBDIR) libaixtrace.so.$(SO_AIXTRACE) $(notdir $(AIX_SHARED))
link $(LIBDIR) libaixtrace.so $(notdir $(AIX_SHARED))
link $(LIBDIR)/posixtrace libtrace.so ../libposixtrace.so
link $(LIBDIR)/posixtrace libtrace.a ../libposixtrace.a
text $(LIBDIR)/pkgconfig packaging/rastrum.pc.in packaging/posixtrace.pc.in packaging/aixtrace.pc.in
data $(INCLUDE) $(wildcard include/*.h)
data $(INCLUDE)/posixtrace $(wildcard include/posixtrace/*.h)
data $(INCLUDE)/posixtrace/sys $(wildcard include/posixtrace/sys/*.h)
data $(INCLUDE)/aixtrace/sys $(wildcard include/aixtrace/sys/*.h)
data $(INCLUDE)/rastrum $(wildcard include/rastrum/*.h)
data $(SHARE)/rastrum/templates $(TEMPLATES)
page $(SHARE)/man/man1 $(filter %.1,$(PAGES))
page $(SHARE)/man/man3 $(filter %.3,$(PAGES))
page $(SHARE)/man/man5 $(filter %.5,$(PAGES))
page $(SHARE)/man/man7 $(filter %.7,$(PAGES))
page $(SHARE)/man/man8 $(filter %.8,$(PAGES))
data $(SHARE)/doc/rastrum $(wildcard README.md CHANGELOG.md) LICENSE
data $(SHARE)/doc/rastrum/docs $(wildcard docs/*.md)
data $(SHARE)/doc/rastrum/examples tests/data/threadx/priority_inversion.trx
data $(SHARE)/doc/rastrum/examples/posix $(wildcard examples/posix/*.c)
data $(SHARE)/doc/rastrum/examples/aix $(wildcard examples/aix/*)
data $(SHARE)/doc/rastrum/examples/read $(wildcard examples/read/*.c)
$(foreach file,$(filter %.bash,$(COMPLETIONS)),named $(SHARE)/bash-completion/completions rastrum $(file))
data $(ZSHDIR) $(filter %/_rastrum,$(COMPLETIONS))
data $(SHARE)/fish/vendor_completions.d $(filter %.fish,$(COMPLETIONS))
endef

# Paths of the installation, in the files for pkg-config and in manual pages, which name those below /usr/local.
define INSTALL_PATHS
s|@PREFIX@|$(PREFIX)|
s|@LIBDIR@|$(LIBDIR)|
s|@VERSION@|$(VERSION)|
s|/usr/local/libexec/rastrum/posix-trace-|$(CONSUMERDIR)/posix-trace-|g
s|/usr/local/libexec/|$(LIBEXECDIR)/|g
s|/usr/local/lib/|$(LIBDIR)/|g
s|/usr/local/share/zsh/site-functions/|$(ZSHDIR)/|g
s|/usr/local/share/|$(SHARE)/|g
endef

install uninstall: export DESTDIR := $(DESTDIR)
install: export INSTALL_ROWS := $(INSTALL_ROWS)
install: export INSTALL_PATHS := $(INSTALL_PATHS)
# What was installed, for `make uninstall`.
INSTALL_RECORD = $(SHARE)/rastrum/installed

install: all $(COMPLETIONS)
	$(call say,PUT,$(DESTDIR)$(PREFIX))
	$(Q){ printf '%s\n' "$$INSTALL_ROWS" && tools/man_links.sh $(SHARE)/man $(PAGES); } | tools/install.sh put $(INSTALL_RECORD)

uninstall:
	$(Q)tools/install.sh remove $(INSTALL_RECORD)

.PHONY: install uninstall
