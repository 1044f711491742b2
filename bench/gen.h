/* SPDX-License-Identifier: MIT */
/*
 * Makes recordings of any size out of a seed, for measurements and tests: equal parameters give equal bytes,
 * on every machine. Output is streamed in constant memory, so a recording may be larger than RAM.
 */
#ifndef BENCH_GEN_H
#define BENCH_GEN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/outbuf.h"

enum { GEN_THREADS_MAX = 1024, GEN_CORES_MAX = 64 };

/*
 * A ThreadX trace buffer of threads under a preemptive priority scheduler on one or more cores: interrupts
 * (nested at times) wake them, they sleep, pass messages through queues, take and put mutexes and insert user
 * events.
 */
struct gen_threadx {
	uint64_t n_events;   /* from 1, with 32-bit words to 109 million; the ring is exactly full */
	unsigned word_bytes; /* 4 or 8. Wide addresses lie above 4 GiB, so that cutting them shows */
	bool is_big_endian;
	uint64_t n_wrapped; /* the oldest event is in this slot, modulo n_events; the story stays the same */
	uint64_t seed;
	unsigned n_threads;  /* 1 to GEN_THREADS_MAX */
	uint64_t timer_mask; /* bits of a stamp that count, not 0; stamps keep dirt above a narrow mask */
	unsigned n_cores;    /* 1 to GEN_CORES_MAX; thread i lives on core i modulo n_cores */
	unsigned name_bytes; /* field for an object's name, 1 to 65535 */
};

/* A million events of 24 threads on one core, 32-bit little-endian words, not wrapped, seed 1. */
struct gen_threadx gen_threadx_default(void);

/*
 * Writes the whole image and flushes. false when a parameter is out of its range (out->error is EINVAL) or a
 * write failed. Touches nothing but out; any thread.
 */
bool gen_threadx(struct outbuf *out, const struct gen_threadx *how);

#endif
