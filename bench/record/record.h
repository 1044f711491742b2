/* SPDX-License-Identifier: MIT */
/*
 * Measures the cost of one event for the program that records it. The unit of cost is the ring: a loop that
 * reads the time stamp counter, stores 32 bytes and publishes a cursor. It has no types, streams or threads,
 * and cannot fail. No recorder that stamps its events can be faster.
 *
 * Each row runs in its own threads, each of which is pinned to a processor. The result is their processor
 * time: other programs may stop them, but cannot make them dearer. Rows run in turn, A B C A B C, and medians
 * are compared.
 */
#ifndef BENCH_RECORD_H
#define BENCH_RECORD_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "base/error.h"

enum record_state { RECORD_RUNNING, RECORD_SUSPENDED, RECORD_FILTERED, RECORD_FULL };

struct record_row {
	const char *name;
	unsigned n_bytes; /* that an event takes */
	/* Records so many events; memory is the thread's own struct record_memory. */
	void (*loop)(uint64_t n_events, void *memory);
	unsigned n_threads;	 /* at once; 0 is one */
	bool has_no_sequences;	 /* its threads have no restartable sequences */
	unsigned n_streams;	 /* that trace the process */
	enum record_state state; /* of these streams */
};

enum { RECORD_THREADS_MAX = 2, RECORD_ROWS_MAX = 64, RECORD_NAME_MAX = 32, RECORD_MEMORY_BYTES = 1 << 20 };

/* --- timed.c: threads, time and the unit; without a recorder -------------------------------------------- */

struct record_memory {
	_Alignas(4096) _Atomic uint64_t cursor;
	_Alignas(4096) unsigned char bytes[RECORD_MEMORY_BYTES];
};

void record_ring_loop(uint64_t n_events, void *memory);

/*
 * Processor time of one thread for its n_events, the mean when there are several. false: no thread or memory.
 */
bool record_timed(const struct record_row *row, uint64_t n_events, double *ret_ns);

/* --- rows.c: the rows of this recorder; uses <trace.h> as any program does ------------------------------ */

extern const struct record_row record_rows[]; /* ended by a row without a name; the first is the ring */

/* Opens the bench's own trace points, as often as one likes. */
void record_open_points(void);

/* Makes the row's streams, measures as record_timed() does, and shuts them down. */
bool record_measure(const struct record_row *row, uint64_t n_events, double *ret_ns);

/* --- count.c: instructions ------------------------------------------------------------------------------ */

/*
 * Runs the loop of a row once, in the calling thread and without output, for counters of instructions. These
 * offer no restartable sequences, so the thread is given a fake area: the row's instructions are those of the
 * fast path. RST_E_USAGE for a name that is no row.
 */
enum rst_status record_once(const char *name, uint64_t n_events, struct rst_error *err);

/* Runs this program under valgrind, twice for each row that matters, and prints "instructions NAME VALUE". */
enum rst_status record_count(FILE *out, struct rst_error *err);

/* --- peer.c and peer_serve.c: rows of other programs, measured in turn with ours ------------------------ */

/*
 * A peer is a program beside this one. It prints a line "NAME BYTES" for each row and an empty one; whenever
 * it then reads a line with a number of events, it runs all rows once and answers with a line of nanoseconds,
 * one for each.
 */
struct record_peer {
	int pid;
	FILE *to, *from;
	unsigned n_rows;
	struct {
		char name[RECORD_NAME_MAX];
		unsigned n_bytes;
	} rows[RECORD_ROWS_MAX];
};

/* RST_END: there is no such program. */
enum rst_status record_peer_start(struct record_peer *peer, const char *name, struct rst_error *err);
/* One round; ret_ns has room for n_rows. */
enum rst_status record_peer_round(
	struct record_peer *peer, uint64_t n_events, double *ret_ns, struct rst_error *err);
void record_peer_end(struct record_peer *peer);

/*
 * The peer's main(): its rows, ended as record_rows; the prefix goes before their names. Returns the exit
 * status.
 */
int record_peer_serve(const char *prefix, const struct record_row *rows,
	bool (*measure)(const struct record_row *row, uint64_t n_events, double *ret_ns));

/* --- record.c ------------------------------------------------------------------------------------------- */

struct record_options {
	uint64_t n_events;
	unsigned n_runs; /* at most BENCH_RUNS_MAX */
	bool has_peers;	 /* those that are there; RST_E_UNSUPPORTED when none is */
};

enum rst_status record_bench(const struct record_options *options, FILE *out, struct rst_error *err);

#endif
