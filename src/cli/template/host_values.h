/* SPDX-License-Identifier: MIT */
/*
 * The values that templates take from the host of an entry, not from its bytes, as words:
 * "pid=12;execpath=/bin/ksh;exec.77=/bin/sh;timer=0x10:0x10:2000;now_ns=9000". Numbers are decimal or 0x
 * hexadecimal.
 */
#ifndef CLI_TEMPLATE_HOST_VALUES_H
#define CLI_TEMPLATE_HOST_VALUES_H

#include "base/error.h"
#include "template/machine/run.h"

enum { HOST_PROCESSES_MAX = 64, HOST_TIMERS_MAX = 64 };

struct host_values {
	int64_t numbers[N_MACROS];
	struct text texts[N_MACROS];
	struct {
		uint64_t pid;
		struct text path;
	} processes[HOST_PROCESSES_MAX];
	size_t n_processes;
	struct {
		int64_t first, second, start_ns;
	} timers[HOST_TIMERS_MAX];
	size_t n_timers;
	int64_t elapsed_ns, delta_ns;
	char *owned; /* what the texts point into */
};

/*
 * Reads text ("" or "-": nothing is known) into values, which starts as all zero; host_values_done() is due
 * whatever is returned. RST_OK, RST_E_USAGE with the part that is wrong, RST_E_NOMEM.
 */
enum rst_status host_values_parse(struct host_values *values, const char *text, struct rst_error *err);
void host_values_done(struct host_values *values);

/* The host of an entry whose host_data is a struct host_values. */
extern const struct entry_host host_values_host;

#endif
