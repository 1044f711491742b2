/* SPDX-License-Identifier: MIT */
/*
 * Records of perf_event_open(2) that switches need: threads that get and leave a CPU, names, forks, ends,
 * page faults. All but the last end with the sample id that PERF_SAMPLE requests; page faults are samples of
 * PERF_SAMPLE_FAULT.
 */
#ifndef KERNEL_PERF_H
#define KERNEL_PERF_H

#include <linux/perf_event.h>
#include <stddef.h>
#include <stdint.h>

#define PERF_SAMPLE	  (PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU)
#define PERF_SAMPLE_FAULT (PERF_SAMPLE | PERF_SAMPLE_IP | PERF_SAMPLE_ADDR) /* which only samples have */
#define PERF_RECORD_MOST  256 /* bytes of a record that is parsed; longer ones are of other kinds */
#define PERF_RECORD_LEAST (sizeof(struct perf_event_header) + 24)
#define PERF_NAME_BYTES	  16

enum perf_kind {
	PERF_IN,      /* a thread runs from here on */
	PERF_WAIT,    /* it leaves its CPU and waits */
	PERF_PREEMPT, /* it leaves its CPU and could go on */
	PERF_EXIT,    /* it has ended */
	PERF_FAULT,   /* memory that it has used was not there */
	PERF_N_SWITCHES,
	PERF_NAME = PERF_N_SWITCHES, /* a thread has this name from here on */
	PERF_FORK,		     /* a parent has made it; it has the parent's name */
	PERF_LOST,		     /* so many records found no room */
	PERF_OTHER,
};

struct perf_record {
	enum perf_kind kind;
	uint32_t pid, tid, parent_pid, parent_tid;
	uint32_t cpu;
	uint64_t time; /* of the requested clock */
	uint64_t n_lost;
	uint64_t instruction, address; /* of a fault: where it was, and what was missing */
	char name[PERF_NAME_BYTES];
};

/* Parses one record of n_bytes, whole by its head. An unknown record is PERF_OTHER. */
void perf_parse(const void *bytes, size_t n_bytes, struct perf_record *ret_record);

#endif
