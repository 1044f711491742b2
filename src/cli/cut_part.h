/* SPDX-License-Identifier: MIT */
/*
 * `rastrum cut` makes a part of a recording carry the intervals of its window, as the state engine makes them
 * of the whole recording. The part also says which events of the recording it has.
 */
#ifndef CLI_CUT_PART_H
#define CLI_CUT_PART_H

#include <rastrum/rastrum.h>

#include "container/write.h"
#include "job/open.h"
#include "select/select.h"

struct cut_part {
	struct rst_carried *part; /* of the writer; NULL if the store is the whole recording */
	struct rst_states *states;
	bool has_events;	     /* some events are taken */
	uint64_t n_events;	     /* of the recording so far */
	uint64_t first_ticks, ticks; /* of its first event; the greatest so far */
	uint64_t digest;	     /* of its rows */
	struct rst_interval *intervals;
	struct rst_beginning *beginnings;
	size_t intervals_room, beginnings_room;
};

/* Must be called before the first row is written. Errors: RST_E_NOMEM. */
enum rst_status cut_part_begin(
	struct cut_part *part, struct store_writer *writer, struct rst_trace *trace, struct rst_error *err);

/* Notes the rows that are taken. Call it in front of store_write_rows(). */
void cut_part_rows(struct cut_part *part, const struct rst_trace *trace, const struct select *select,
	const struct rst_batch *batch, const uint16_t *rows, size_t n_rows);

/*
 * Writes what comes out with the batch, whose rows are written. select is NULL before the first event.
 * Errors: RST_E_NOMEM.
 */
enum rst_status cut_part_carry(struct cut_part *part, struct store_writer *writer,
	const struct select *select, const struct rst_batch *batch, struct rst_error *err);

/* Writes the rest, and says which part the store is. Errors: RST_E_NOMEM. */
enum rst_status cut_part_end(struct cut_part *part, struct store_writer *writer,
	const struct rst_trace *trace, const struct select *select, struct rst_error *err);
void cut_part_done(struct cut_part *part);

/* --- cmd_cut.c ------------------------------------------------------------------------------------------ */

/*
 * Makes one store of parts of one recording, which are in the order of their first events. If is_whole, they
 * are all of the recording. Returns the exit status.
 */
int cut_join(const struct open_spec *common, const char *output, bool is_quiet, bool is_whole, int n_operands,
	char **operands);

#endif
