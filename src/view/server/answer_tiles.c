/* SPDX-License-Identifier: MIT */
/*
 * /api/tiles: the states of each track in a window, at the resolution of a picture with `width` columns. If
 * segments are few, each is a tile; if several lie in one column, one tile shows the track's main class in
 * it. So the size of an answer depends on the width, not on the number of events. Tracks share the bytes of
 * an answer: a track with too many tiles for its share gets wider columns.
 */
#include <stdlib.h>

#include "base/text.h"
#include "view/server/server.h"

enum { WIDTH_MAX = 8192, WIDTH_USUAL = 1024, SHARE_MIN = 768, TILE_BYTES = 110, COLUMN_PARTS = 2 };

/* A window, and the output of its tiles. */
struct window {
	const struct tracks *tracks;
	struct json json;
	uint64_t from, to;
	unsigned width;
	const struct rst_interval **open; /* by number of the track: its open interval, or NULL */
	size_t end;			  /* limit of the answer's bytes for the current track's tiles */
	uint64_t reached;		  /* the end of the tiles that had room */
};

static void tile_begin(struct window *window, uint64_t from, uint64_t to, unsigned class)
{
	json_object(&window->json, NULL);
	json_unsigned(&window->json, "from", from);
	json_unsigned(&window->json, "to", to);
	put_state(&window->json, class);
}

/* Writes a segment from `at` on, where the tile before it ends. Returns the end of the new tile. */
static uint64_t put_segment(struct window *window, const struct track *track, uint64_t n, uint64_t at)
{
	const struct segment segment = tree_segment(&track->tree, n);
	const uint64_t to = segment.to < window->to ? segment.to : window->to;

	tile_begin(window, segment.from > at ? segment.from : at, to, segment.class);
	put_facts(&window->json, window->tracks, track, &segment);
	json_end(&window->json);
	return to;
}

static bool has_room(const struct window *window)
{
	return out_bytes(window->json.out) <= window->end;
}

/* Writes each segment as a tile. Returns false if they do not have enough room. */
static bool put_exactly(struct window *window, const struct track *track)
{
	const uint64_t n_segments = tree_n(&track->tree);

	for (uint64_t n = tree_find(&track->tree, window->from);
		n < n_segments && tree_segment(&track->tree, n).from < window->to; n++) {
		put_segment(window, track, n, window->from);
		if (!has_room(window))
			return false;
	}
	return true;
}

/* Returns the end of the column of a moment, if the window has `width` columns. */
static uint64_t column_end(const struct window *window, unsigned width, uint64_t at)
{
	const __uint128_t ticks = window->to - window->from;
	const uint64_t column = (uint64_t)((__uint128_t)(at - window->from) * width / ticks);
	const uint64_t end = window->from + (uint64_t)((ticks * (column + 1) + width - 1) / width);

	return end < window->to ? end : window->to;
}

/*
 * Writes the track's main class and its share of the tile's time; for levels also the least and greatest
 * value.
 */
static void put_sum(struct window *window, const struct track *track, const struct summary *sum)
{
	const unsigned most = summary_most(sum);
	const uint64_t ticks = sum->to - sum->from;

	tile_begin(window, sum->from, sum->to, most);
	if (track->kind == RST_INTERVAL_LEVEL && sum->has_values) {
		put_value(&window->json, "least", sum->least);
		put_value(&window->json, "most", sum->most);
	}
	json_unsigned(&window->json, "count", sum->n_segments);
	put_share(&window->json, "share", sum->ticks[most], ticks);
	if (most != RST_STATE_RUNNING && sum->ticks[RST_STATE_RUNNING])
		put_share(&window->json, "running", sum->ticks[RST_STATE_RUNNING], ticks);
	json_end(&window->json);
}

/* If a column has only one segment, the segment is one tile, even if it covers several columns. */
static bool put_columns(struct window *window, const struct track *track, unsigned width)
{
	const uint64_t blur = (window->to - window->from) / width / COLUMN_PARTS;

	for (uint64_t at = window->from; at < window->to;) {
		const uint64_t end = column_end(window, width, at);
		struct summary sum = tree_sum_about(&track->tree, at, end, blur);

		sum.from = sum.from > at ? sum.from : at;
		sum.to = sum.to < end ? sum.to : end;

		if (sum.n_segments == 1)
			at = put_segment(window, track, tree_find(&track->tree, at), at);
		else if (sum.n_segments)
			put_sum(window, track, &sum);
		if (sum.n_segments != 1 || at < end)
			at = end;
		window->reached = at;
		if (!has_room(window))
			return false;
	}
	return true;
}

/* Writes the interval that has begun but not ended: its state is known up to the last event. */
static void put_open(struct window *window, const struct track *track)
{
	const struct rst_interval *interval = window->open[track->number];
	uint64_t from, to;

	if (!interval)
		return;
	from = interval->from > track->to ? interval->from : track->to;
	from = from > window->from ? from : window->from;
	to = interval->to < window->to ? interval->to : window->to;
	if (from >= to)
		return;
	tile_begin(window, from, to,
		interval->state == RST_STATE_WAITING ? CLASS_WAITING + (unsigned)interval->reason
						     : (unsigned)interval->state);
	put_label(
		&window->json, "object", interval->object.form == RST_ENTITY_NONE ? NULL : &interval->object);
	json_bool(&window->json, "open", true);
	json_end(&window->json);
}

/* Returns a smaller width: estimates from the part of the window that fitted how many columns fit. */
static unsigned width_less(const struct window *window, unsigned width)
{
	const double share = (double)(window->reached - window->from) / (double)(window->to - window->from);
	const unsigned fitting = (unsigned)(width * share * 0.95);

	return fitting < width * 3 / 4 ? fitting : width * 3 / 4;
}

/* Returns false if there is no room for a tile. */
static bool put_tiles(struct window *window, const struct track *track)
{
	const uint64_t n_segments = tree_sum_about(
		&track->tree, window->from, window->to, (window->to - window->from) / WIDTH_MAX)
					    .n_segments;
	unsigned width;
	bool is_done;

	json_object(&window->json, NULL);
	json_unsigned(&window->json, "id", track->number);
	json_array(&window->json, "tiles");

	const struct json_mark start = json_mark(&window->json);

	width = (unsigned)((window->end - start.n_bytes) / TILE_BYTES);
	width = width < window->width ? width : window->width;
	is_done = n_segments <= 2 * (uint64_t)width && put_exactly(window, track);
	for (; !is_done && width; width = width_less(window, width)) {
		json_rewind(&window->json, &start);
		is_done = put_columns(window, track, width);
	}
	put_open(window, track);
	json_end(&window->json);
	json_end(&window->json);
	return is_done;
}

/*
 * Parses the tracks of the link, "3,4,9"; the default is all. Returns their number, or -1 if one is invalid.
 */
static long tracks_choose(const struct request *request, const struct tracks *tracks, uint32_t *ret_numbers)
{
	const char *list = request->parameter(request, "tracks");
	long n = 0;

	if (!list) {
		for (; n < (long)tracks->n; n++)
			ret_numbers[n] = (uint32_t)n;
		return n;
	}
	for (char *end; list; list = *end ? end + 1 : NULL) {
		const unsigned long number = strtoul(list, &end, 10);

		if (*list < '0' || *list > '9' || number >= tracks->n || (*end && *end != ',') ||
			n >= (long)tracks->n)
			return -1;
		ret_numbers[n++] = (uint32_t)number;
	}
	return n;
}

/*
 * Finds the open intervals of tracks, if the trace is still being read. Returns false if memory ran out.
 */
static bool open_find(const struct session *session, const struct rst_interval **open)
{
	const struct rst_interval *intervals;
	struct rst_error err;
	size_t n;

	if (session->is_done || !session->scan.is_started)
		return true;
	if (rst_states_open(session->scan.states, &intervals, &n, &err) < 0)
		return false;
	for (size_t i = 0; i < n; i++) {
		const struct track *track =
			tracks_find(&session->tracks, intervals[i].kind, &intervals[i].subject, 0);

		if (track)
			open[track->number] = &intervals[i];
	}
	return true;
}

static void put_answer(struct window *window, const uint32_t *numbers, long n)
{
	struct json *json = &window->json;
	bool is_cut = false;

	json_object(json, NULL);
	json_unsigned(json, "from", window->from);
	json_unsigned(json, "to", window->to);
	json_array(json, "tracks");
	for (long i = 0; i < n && window->from < window->to; i++) {
		const size_t before = out_bytes(json->out), left = ANSWER_MAX - before;
		const size_t share = left / (size_t)(n - i);

		window->end = before + (share > SHARE_MIN ? share : SHARE_MIN);
		is_cut = window->end > ANSWER_MAX;
		if (is_cut)
			break;
		json_line_begin(json);
		is_cut |= !put_tiles(window, window->tracks->all[numbers[i]]);
	}
	json_end(json);
	json_bool(json, "cut", is_cut);
	json_end(json);
	json_line_end(json);
}

bool answer_tiles(const struct request *request, struct answer *answer)
{
	struct session *session = request->session;
	struct window window = { .tracks = &session->tracks, .json.out = &answer->body };
	uint64_t width = WIDTH_USUAL;
	uint32_t *numbers;
	bool is_good;
	long n;

	session_lock(session);
	window.from = session->scan.from;
	window.to = session->scan.to;
	numbers = malloc((session->tracks.n + 1) * sizeof(*numbers));
	window.open = calloc(session->tracks.n + 1, sizeof(*window.open));
	is_good = numbers && window.open && open_find(session, window.open);
	if (is_good && parameter_number(request, answer, "from", 0, UINT64_MAX, &window.from) &&
		parameter_number(request, answer, "to", 0, UINT64_MAX, &window.to) &&
		parameter_number(request, answer, "width", 1, WIDTH_MAX, &width)) {
		window.width = (unsigned)width;
		n = tracks_choose(request, &session->tracks, numbers);
		if (n < 0)
			answer_fail(
				answer, 400, "tracks must be numbers of /api/tracks, with commas between");
		else if (window.from > window.to && request->parameter(request, "to"))
			answer_fail(answer, 400, "from must not be above to");
		else
			put_answer(&window, numbers, n);
	}
	session_unlock(session);
	free(numbers);
	free(window.open);
	return is_good;
}
