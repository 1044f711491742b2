/* SPDX-License-Identifier: MIT */
/*
 * Records of perf_event_open(2), as far as switches need them: who is put on a processor and who leaves it, who is
 * called what, who made whom, who has ended. All end with the sample id that PERF_SAMPLE asks for.
 */
#ifndef KERNEL_PERF_H
#define KERNEL_PERF_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_SAMPLE	  (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define PERF_RECORD_MOST  256 /* bytes of a record that is looked at; what is longer is none of ours */
#define PERF_RECORD_LEAST (sizeof(struct perf_event_header) + 24)
#define PERF_NAME_BYTES	  16

enum perf_kind {
	PERF_IN,      /* a thread runs from here on */
	PERF_WAIT,    /* it leaves its processor, for it waits */
	PERF_PREEMPT, /* it leaves its processor, and would go on */
	PERF_EXIT,    /* it has ended */
	PERF_N_SWITCHES,
	PERF_NAME = PERF_N_SWITCHES, /* it is called so from here on */
	PERF_FORK,		     /* it was made by a parent, and is called as that is */
	PERF_LOST,		     /* so many records found no room */
	PERF_OTHER,
};

struct perf_record {
	enum perf_kind kind;
	uint32_t pid, tid, parent_pid, parent_tid;
	uint32_t cpu;
	uint64_t time; /* of the clock that was asked for */
	uint64_t n_lost;
	char name[PERF_NAME_BYTES];
};

/* One record, whole as its head says, in n_bytes. What cannot be understood is PERF_OTHER. */
void perf_parse(const void *bytes, size_t n_bytes, struct perf_record *ret_record);

#endif
