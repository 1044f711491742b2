/* SPDX-License-Identifier: MIT */
/*
 * The open span of each thread, for $UNDERWAY: what it is called, or else the object that it is about. Only
 * effects define what begins and ends a span, whatever the dialect:
 *
 *	thread   event                             $UNDERWAY
 *	A        begins, object 7                  7
 *	B        anything                          empty
 *	A        anything                          7
 *	A        ends, object 7                    7
 *	A        anything                          empty
 *
 * A thread has one open span, the one that began last. After loss or damage no open span is known. When a
 * template uses the macro, the rows up to its row are followed; the other rows are followed at the end of
 * their batch. If no template uses the macro, rows are not followed.
 */
#ifndef LINES_OPEN_SPANS_H
#define LINES_OPEN_SPANS_H

#include <rastrum/trace.h>

#include "base/outbuf.h"
#include "template/set/set.h"
#include "trace/value/value.h"

struct open_span {
	bool is_open, has_key;
	const struct rst_field *field; /* of the object that it is about; NULL: none */
	const char *name;	       /* NULL: none */
	uint64_t object, key;
	uint64_t seq, process; /* where it began: names are looked up by it */
	uint64_t n_gaps;       /* before it began */
};

struct open_spans {
	bool is_wanted;
	struct open_span *items; /* by index of the thread's context */
	size_t n_room;
	uint8_t *
		concerns; /* by index of a layout: whether its events begin or end a span, or not known yet */
	size_t concerns_room;
	size_t n_rows; /* of the batch that have been followed */
	uint64_t n_gaps;
	const struct set_off *set_off; /* around names in texts; NULL: set_off_quotes */
	struct outbuf room;	       /* for … */
	struct text text;	       /* … the text of the last row */
	bool has_text;		       /* text is that of row n_rows */
	bool has_no_memory;
};

/* For a trace with these templates. false when memory ran out; open_spans_done() is due then, too. */
bool open_spans_init(struct open_spans *spans, const struct template_set *templates);
void open_spans_done(struct open_spans *spans);

/*
 * The name or object of the open span of this row's thread, valid until the next call; empty: no span is
 * known to be open.
 */
struct text open_spans_text(
	struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch, size_t row);

/* Follows the rest of a batch. false when memory ran out since the batch before. */
bool open_spans_end_batch(struct open_spans *spans, struct rst_trace *trace, const struct rst_batch *batch);

#endif
