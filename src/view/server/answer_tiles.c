/* SPDX-License-Identifier: MIT */
/*
 * /api/tiles: what each track did in a window, as a picture of so many columns can show it. A track with few segments has them as
 * they are; one with more has for each column what it did most, equal neighbours as one. So an answer depends on the width, not on
 * the number of events.
 */
#include <stdlib.h>

#include "base/text.h"
#include "view/rows.h"
#include "view/server/server.h"

enum { WIDTH_MAX = 8192, WIDTH_USUAL = 1024, TILE_BYTES = 120, NAME_MAX = 128 };

/* A window, and where its tiles go. */
struct window {
	const struct tracks *tracks;
	struct outbuf *out;
	uint64_t from, to;
	unsigned width;
};

static void put_segment(const struct window *window, const struct track *track, const struct segment *segment)
{
	const struct rst_entity *object = tracks_entity(window->tracks, segment->object);
	const struct rst_entity *by = tracks_entity(window->tracks, segment->by);
	char name[NAME_MAX];

	if (segment->reason != RST_REASON_NONE)
		outbuf_printf(
			window->out, ",\"reason\":\"%s\"", rst_reason_name((enum rst_reason)segment->reason));
	if (object) {
		entity_label(object, name, sizeof(name));
		outbuf_puts(window->out, ",\"object\":");
		outbuf_json(window->out, name);
	}
	if (by) {
		entity_label(by, name, sizeof(name));
		outbuf_puts(window->out, ",\"by\":");
		outbuf_json(window->out, name);
	}
	if (track->kind == RST_INTERVAL_LEVEL)
		outbuf_printf(window->out, ",\"value\":%llu", (unsigned long long)segment->value);
	if (segment->core != RST_NO_CORE)
		outbuf_printf(window->out, ",\"core\":%u", segment->core);
	if (segment->from_seq != RST_NO_SEQ)
		outbuf_printf(window->out, ",\"from_seq\":%llu", (unsigned long long)segment->from_seq);
	if (segment->to_seq != RST_NO_SEQ)
		outbuf_printf(window->out, ",\"to_seq\":%llu", (unsigned long long)segment->to_seq);
	outbuf_printf(window->out, ",\"certainty\":\"%s\"",
		rst_certainty_name((enum rst_certainty)segment->certainty));
}

static const char *state_word(unsigned class)
{
	if (class == CLASS_ON)
		return "on";
	return class >= CLASS_WAITING ? "waiting" : rst_state_name((enum rst_state) class);
}

static void tile_begin(const struct window *window, bool is_first, uint64_t from, uint64_t to, unsigned class)
{
	outbuf_printf(window->out, "%s{\"from\":%llu,\"to\":%llu,\"state\":\"%s\"", is_first ? "" : ",",
		(unsigned long long)(from > window->from ? from : window->from),
		(unsigned long long)(to < window->to ? to : window->to), state_word(class));
}

static void put_exactly(const struct window *window, const struct track *track)
{
	const uint64_t first = tree_find(&track->tree, window->from);

	for (uint64_t n = first; n < tree_n(&track->tree); n++) {
		const struct segment *segment = tree_segment(&track->tree, n);

		if (segment->from >= window->to)
			return;
		tile_begin(window, n == first, segment->from, segment->to, segment->class);
		put_segment(window, track, segment);
		outbuf_puts(window->out, "}");
	}
}

static uint64_t edge(const struct window *window, unsigned column)
{
	return window->from + (uint64_t)((__uint128_t)(window->to - window->from) * column / window->width);
}

/* Of levels: the least and greatest value of the column. Others: the share of what it did most. */
static void put_sum(const struct window *window, const struct track *track, const struct summary *sum)
{
	uint64_t covered = 0;

	for (unsigned i = 0; i < N_CLASSES; i++)
		covered += sum->ticks[i];
	if (track->kind == RST_INTERVAL_LEVEL)
		outbuf_printf(window->out, ",\"least\":%llu,\"value\":%llu", (unsigned long long)sum->least,
			(unsigned long long)sum->most);
	outbuf_printf(window->out, ",\"count\":%llu,\"share\":%.2f}", (unsigned long long)sum->n_segments,
		covered ? (double)sum->ticks[summary_most(sum)] / (double)covered : 0.0);
}

/* Columns of which each has less than one segment are as they are. */
static void put_columns(const struct window *window, const struct track *track)
{
	bool is_first = true;

	for (unsigned column = 0; column < window->width; column++) {
		const uint64_t from = edge(window, column), to = edge(window, column + 1);
		const struct summary sum =
			from < to ? tree_sum(&track->tree, from, to) : (struct summary){ .n_segments = 0 };

		if (!sum.n_segments)
			continue;
		tile_begin(window, is_first, from, to, summary_most(&sum));
		put_sum(window, track, &sum);
		is_first = false;
	}
}

static void put_tiles(const struct window *window, const struct track *track)
{
	const uint64_t n = tree_sum(&track->tree, window->from, window->to).n_segments;

	outbuf_printf(window->out, "{\"id\":%u,\"tiles\":[", track->number);
	if (n <= window->width)
		put_exactly(window, track);
	else
		put_columns(window, track);
	outbuf_puts(window->out, "]}");
}

/* The tracks of the link, "3,4,9"; without: all. Returns how many there are; -1: one is none. */
static long tracks_choose(const struct request *request, const struct tracks *tracks, uint32_t *ret_numbers)
{
	const char *list = request->parameter(request, "tracks");
	long n = 0;

	if (!list) {
		for (; n < (long)tracks->n; n++)
			ret_numbers[n] = (uint32_t)n;
		return n;
	}
	for (char *end; *list; list = *end == ',' ? end + 1 : end) {
		const unsigned long number = strtoul(list, &end, 10);

		if (end == list || number >= tracks->n || (*end && *end != ',') || n >= (long)tracks->n)
			return -1;
		ret_numbers[n++] = (uint32_t)number;
	}
	return n;
}

/* The tracks share the bytes of an answer: where there are many, each has fewer columns. */
static void put_answer(struct window *window, const uint32_t *numbers, long n)
{
	const long budget = n ? ANSWER_MAX / TILE_BYTES / n : 0;
	bool is_cut = false;

	if ((long)window->width > budget)
		window->width = budget > 1 ? (unsigned)budget : 1;
	outbuf_printf(window->out, "{\"from\":%llu,\"to\":%llu,\"tracks\":[",
		(unsigned long long)window->from, (unsigned long long)window->to);
	for (long i = 0; i < n && !is_cut; i++) {
		outbuf_puts(window->out, i ? ",\n" : "\n");
		put_tiles(window, window->tracks->all[numbers[i]]);
		is_cut = window->out->at - window->out->start > ANSWER_MAX && i + 1 < n;
	}
	outbuf_printf(window->out, "],\"cut\":%s}\n", is_cut ? "true" : "false");
}

bool answer_tiles(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct window window = { .tracks = &session->tracks, .out = &answer->body };
	uint64_t width = WIDTH_USUAL;
	uint32_t *numbers;
	long n;

	pthread_mutex_lock(&session->lock);
	window.from = session->scan.from;
	window.to = session->scan.to;
	numbers = malloc((session->tracks.n + 1) * sizeof(*numbers));
	if (numbers && parameter_number(request, answer, "from", 0, UINT64_MAX, &window.from) &&
		parameter_number(request, answer, "to", 0, UINT64_MAX, &window.to) &&
		parameter_number(request, answer, "width", 1, WIDTH_MAX, &width)) {
		window.width = (unsigned)width;
		n = tracks_choose(request, &session->tracks, numbers);
		if (n < 0)
			answer_fail(
				answer, 400, "tracks must be numbers of /api/tracks, with commas between");
		else if (window.from >= window.to && session->scan.is_started)
			answer_fail(answer, 400, "from must be below to");
		else
			put_answer(&window, numbers, n);
	}
	pthread_mutex_unlock(&session->lock);
	free(numbers);
	return numbers != NULL;
}
