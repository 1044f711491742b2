/* SPDX-License-Identifier: MIT */
/*
 * The product's own measurements. Machines are noisy, so a figure is a ratio to something measured in the
 * same run: the rows of a table are run in turn, A B C A B C …, each in a process of its own, and the medians
 * compared.
 *
 *	name  bytes  min  median  max  unit  ratio
 *	…
 *	ratio NAME VALUE
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum { BENCH_RUNS_MAX = 101 };

struct bench_row {
	const char *name;
	bool (*work)(void *context); /* false: it failed, and the table ends */
	void *context;
	uint64_t n_bytes; /* that it reads */
	bool is_unit;	  /* others are compared with this one */

	/* Results. */
	double user_ns[BENCH_RUNS_MAX];
	uint64_t anonymous_kib; /* most memory that was not a mapped file, over the runs */
};

/*
 * Runs every row n_runs times (at most BENCH_RUNS_MAX) in turn. false, with a message on stderr, when a row
 * failed.
 */
bool bench_run(struct bench_row *rows, size_t n_rows, unsigned n_runs);

/* Prints the table; times are user time divided by n_items, in nanoseconds. */
void bench_print(struct bench_row *rows, size_t n_rows, unsigned n_runs, uint64_t n_items, FILE *out);

/* --- floor_read.c: the least that reading can cost ------------------------------------------------------ */

/* Records of 32 bytes: time, id, core and two values. */
struct floor_records {
	struct floor_record *records;
	size_t n_records;
	int fd;		/* where lines go */
	uint64_t check; /* so that no work can be left out */
};

bool floor_make(struct floor_records *floor, size_t n_records, int fd);
void floor_done(struct floor_records *floor);

/* Works for bench_row; the context is a struct floor_records. */
bool floor_copy(void *context);	       /* memcpy of all records */
bool floor_scan(void *context);	       /* a look at three words of each */
bool floor_line_short(void *context);  /* a line of 45 bytes each, by hand */
bool floor_line_long(void *context);   /* a line of 100 bytes each, by hand: the unit of every text ratio */
bool floor_line_printf(void *context); /* the same line by printf */

#endif
