/* SPDX-License-Identifier: MIT */
/*
 * Facts of an entry that are not in its bytes, as words: "pid=12;execpath=/bin/ksh;exec.77=/bin/sh;
 * timer=0x10:0x10:2000;now_ns=9000". Numbers are decimal or 0x hexadecimal.
 */
#ifndef CLI_TEMPLATE_FACTS_H
#define CLI_TEMPLATE_FACTS_H

#include "base/error.h"
#include "template/run.h"

enum { FACTS_PROCESSES_MAX = 64, FACTS_TIMERS_MAX = 64 };

struct facts {
	int64_t numbers[N_MACROS];
	struct text texts[N_MACROS];
	struct {
		uint64_t pid;
		struct text path;
	} processes[FACTS_PROCESSES_MAX];
	size_t n_processes;
	struct {
		int64_t first, second, start_ns;
	} timers[FACTS_TIMERS_MAX];
	size_t n_timers;
	int64_t elapsed_ns, delta_ns;
	char *owned; /* what the texts point into */
};

/*
 * Reads text ("" or "-": nothing is known) into facts, which starts as all zero; facts_done() is due whatever is
 * returned. RST_OK, RST_E_USAGE with the part that is wrong, RST_E_NOMEM.
 */
enum rst_status facts_parse(struct facts *facts, const char *text, struct rst_error *err);
void facts_done(struct facts *facts);

/* The host of an entry whose host_data is a struct facts. */
extern const struct entry_host facts_host;

#endif
