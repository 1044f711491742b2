/* SPDX-License-Identifier: MIT */
/*
 * Collapsed stacks, the input of flame graphs. Each stack has a line, "thread;outer span;inner span;running
 * 1234", with the time that was spent in it: in nanoseconds, or in ticks if their length is not known. Lines
 * stand in alphabetical order.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "export/export.h"
#include "export/stacks.h"
#include "model/clock.h"

static const char *const wholes[] = { "all", "running", NULL };

static const struct export_option options[] = {
	{ "time", "all (default), or running: what the processor did, and no waiting", wholes },
	{ NULL, NULL, NULL },
};

struct collapsed {
	struct export *export;
	struct stacks stacks;
	struct words lines; /* sum: ticks */
	struct text owner;
	bool is_running_only;
};

/* A name must not end its frame, nor the line. */
static char *put_frame(char *p, struct text name)
{
	for (size_t i = 0; i < name.n_bytes; i++) {
		const char c = name.bytes[i];

		*p++ = c == ';' ? ':' : (unsigned char)c < ' ' ? ' ' : c;
	}
	return p;
}

static bool slice_add(void *context, const struct slice *slice)
{
	struct collapsed *collapsed = context;
	struct word *const *words = collapsed->stacks.words.all, *line;
	size_t room = collapsed->owner.n_bytes;
	char *text, *p;

	if (collapsed->is_running_only && slice->value != RST_STATE_RUNNING)
		return true;
	for (unsigned i = 0; i < slice->n_frames; i++)
		room += 1 + words[slice->frames[i].word]->text.n_bytes;
	p = text = malloc(room);
	if (!text)
		return false;
	p = put_frame(p, collapsed->owner);
	for (unsigned i = 0; i < slice->n_frames; i++) {
		*p++ = ';';
		p = put_frame(p, words[slice->frames[i].word]->text);
	}
	line = word_of(&collapsed->lines, (struct text){ text, (size_t)(p - text) });
	free(text);
	if (line)
		line->sum += slice->to - slice->from;
	return line != NULL;
}

static int line_compare(const void *a, const void *b)
{
	const struct text *one = &(*(struct word *const *)a)->text,
			  *other = &(*(struct word *const *)b)->text;
	const size_t n = one->n_bytes < other->n_bytes ? one->n_bytes : other->n_bytes;
	const int order = memcmp(one->bytes, other->bytes, n);

	return order ? order : (one->n_bytes > other->n_bytes) - (one->n_bytes < other->n_bytes);
}

static bool collapsed_piece(void *context, const struct piece *piece)
{
	struct collapsed *collapsed = context;

	return stacks_keep(&collapsed->stacks, piece);
}

static void lines_put(struct export *export, const struct words *lines)
{
	const struct times *times = &export->scan->times;

	if (lines->n)
		qsort(lines->all, lines->n, sizeof(struct word *), line_compare);
	for (size_t i = 0; i < lines->n; i++) {
		const struct word *line = lines->all[i];
		struct outbuf *out = export->out;

		if (outbuf_reserve(out, line->text.n_bytes))
			out->at = text_put(out->at, line->text.bytes, line->text.n_bytes);
		outbuf_printf(out, " %" PRIu64 "\n", times->hz ? clock_ns(line->sum, times->hz) : line->sum);
	}
}

static enum rst_status collapsed_end(struct export *export, struct rst_error *err)
{
	struct collapsed *collapsed = export->state;
	const struct subjects *owners = &collapsed->stacks.owners[STACK_THREADS];

	collapsed->is_running_only = export->choices[0] == 1;
	for (size_t i = 0; i < owners->n; i++)
		if (!stacks_name(&collapsed->stacks, STACK_THREADS, i, &collapsed->owner) ||
			!stacks_walk((const struct stack_owner *)owners->all[i], slice_add, collapsed))
			return error_nomem(err);
	lines_put(export, &collapsed->lines);
	return RST_OK;
}

static void collapsed_done(void *context)
{
	struct collapsed *collapsed = context;

	stacks_done(&collapsed->stacks);
	words_done(&collapsed->lines);
}

const struct export_format export_format_collapsed = {
	.observer = {
		.state_bytes = sizeof(struct collapsed),
		.intervals = SCAN_BIT(RST_INTERVAL_THREAD) | SCAN_BIT(RST_INTERVAL_SPAN),
		.piece = collapsed_piece,
		.done = collapsed_done,
	},
	.name = "collapsed",
	.extension = ".folded",
	.about = "collapsed stacks: for flamegraph.pl, inferno, speedscope",
	.keeps = "the time of each thread in its spans and states",
	.leaves = "order, events, locks, levels, losses (their time is in the state unknown)",
	.options = options,
	.wants_clock = true,
	.end = collapsed_end,
};
