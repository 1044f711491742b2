/* SPDX-License-Identifier: MIT */
/*
 * The contract. Whole files are kept until all are there, because several may be cores of one recording,
 * whose rows must be in the order of time. Bytes of pipes and links become rows as they come.
 */
#include "dialect/systemview/systemview.h"

#include <stdlib.h>
#include <string.h>

enum { CERTAIN = 95, LIKELY = 85, INIT_LEAST = 4, INIT_MOST = 20, PROBE_ROW = 24 };

static const struct dialect_option options[] = {
	{ "set", "NAME",
		"names of events: freertos10, freertos11, esp-idf, zephyr, threadx, ucos2, ucos3, nuttx" },
	{ NULL, NULL, NULL },
};

/* Whether a sync, TRACE_START and INIT begin here. */
static bool is_start(const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *at = bytes, *end = bytes + n_bytes;
	struct sv_packet packet;
	const char *what;

	if (sv_parse(&packet, at, end, &what) != SV_SYNC)
		return false;
	at += packet.n_bytes;
	if (sv_parse(&packet, at, end, &what) != SV_WHOLE || packet.id != SV_TRACE_START)
		return false;
	at += packet.n_bytes;
	return sv_parse(&packet, at, end, &what) == SV_WHOLE && packet.id == SV_INIT &&
	       packet.n_payload >= INIT_LEAST && packet.n_payload <= INIT_MOST;
}

static bool is_named(const struct sv_head *head)
{
	static const char name[] = "SEGGER SystemView";

	return head->version.n_bytes &&
	       memmem(head->version.bytes, head->version.n_bytes, name, sizeof(name) - 1);
}

static unsigned sv_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	struct sv_head head;

	sv_head_parse(&head, bytes, n_bytes);
	if (head.is_mixed)
		return 0;
	if (is_named(&head))
		return CERTAIN;
	bytes += head.n_bytes;
	n_bytes -= head.n_bytes;
	if (is_start(bytes, n_bytes))
		return CERTAIN;
	/* A ring: the first start is somewhere behind. */
	for (const uint8_t *at = bytes; n_bytes > SV_SYNC_BYTES; at++) {
		const uint8_t *zero = memchr(at, 0, (size_t)(bytes + n_bytes - at));

		if (!zero)
			break;
		if (is_start(zero, (size_t)(bytes + n_bytes - zero)))
			return LIKELY;
		at = zero;
		while (at + 1 < bytes + n_bytes && at[1] == 0)
			at++;
	}
	(void)is_whole;
	return 0;
}

static enum rst_status sv_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	const char *set = dialect_setting(how, "set");
	struct sv *sv = state;

	sv->wanted_hz = how->clock_hz;
	model->contexts.noun = "task";
	model->has_switches = true;
	if (!set)
		return RST_OK;
	sv->set = sv_set_find(set);
	if (!sv->set)
		return dialect_bad_setting(&dialect_systemview, "set", set, err);
	sv->is_set_given = true;
	return RST_OK;
}

static enum rst_status sv_look(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err)
{
	struct sv *sv = state;

	sv->has_looked = true;
	return sv_merge_add(sv, model, whole) ? RST_OK : error_nomem(err);
}

/* --- inputs that come in pieces ------------------------------------------------------------------------ */

/* Goes over the head. Returns false if more bytes must come first. */
static bool take_head(struct sv *sv, struct model *model, struct chunk *chunk, bool *ret_is_good)
{
	struct sv_head head;

	*ret_is_good = true;
	if (sv->has_head)
		return true;
	sv_head_parse(&head, chunk->bytes + chunk->n_used, chunk->n_bytes - chunk->n_used);
	if (head.is_cut && chunk->behind == CHUNK_GOES_ON)
		return false;
	if (chunk->n_bytes == chunk->n_used && chunk->behind == CHUNK_GOES_ON)
		return false;
	sv->has_head = true;
	chunk->n_used += head.n_bytes;
	*ret_is_good = sv_names_head(sv, model, &head);
	return true;
}

static void show_live(struct sv *sv, const struct chunk *chunk)
{
	struct sv_stream *live = &sv->live;

	live->start = live->at = chunk->bytes + chunk->n_used;
	live->end = chunk->bytes + chunk->n_bytes;
	live->offset = chunk_offset(chunk, chunk->n_used, &live->source);
	live->is_end = chunk->behind == CHUNK_ENDS || chunk->behind == CHUNK_INPUT_ENDS;
	if (live->next != SV_NEXT_DAMAGE)
		live->next = SV_NEXT_UNKNOWN;
}

static enum sv_step take_live(struct sv *sv, struct model *model, struct batch *batch, struct chunk *chunk)
{
	struct sv_stream *live = &sv->live;
	enum sv_step step = SV_DONE;

	show_live(sv, chunk);
	while (step == SV_DONE) {
		sv_peek(live);
		if (live->next == SV_NEXT_OVER || live->next == SV_NEXT_WAIT)
			break;
		if (live->next == SV_NEXT_PACKET && !sv_names_take(sv, model, &live->packet))
			return SV_NO_MEMORY;
		step = sv_take(sv, model, batch, live, false);
	}
	chunk->n_used = (size_t)(live->at - chunk->bytes);
	return step;
}

/* The next input is another recording. */
static void end_input(struct sv *sv)
{
	const uint64_t ticks = sv->live.ticks;
	const bool has_rows = sv->live.has_rows;

	memset(&sv->live, 0, sizeof(sv->live));
	sv->live.ticks = ticks;
	sv->live.has_rows = has_rows;
	sv->has_head = false;
}

static enum rst_status sv_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct sv *sv = state;
	enum sv_step step;
	bool is_good;

	if (sv->has_looked && chunk->behind != CHUNK_ENDS) {
		chunk->n_used = chunk->n_bytes;
		return RST_MORE;
	}
	if (sv->has_looked) {
		chunk->n_used = chunk->n_bytes;
		step = sv_merge(sv, model, batch);
	} else {
		if (!take_head(sv, model, chunk, &is_good))
			return RST_MORE;
		step = is_good ? take_live(sv, model, batch, chunk) : SV_NO_MEMORY;
	}
	if (step == SV_NO_MEMORY)
		return error_nomem(err);
	if (step == SV_NO_ROOM)
		return RST_OK;
	if (chunk->behind == CHUNK_INPUT_ENDS)
		end_input(sv);
	return chunk->behind == CHUNK_ENDS ? RST_END : RST_MORE;
}

static void sv_close(void *state)
{
	struct sv *sv = state;

	map_done(&sv->layouts);
	map_done(&sv->handles);
	map_done(&sv->samples);
	map_done(&sv->modules);
	map_done(&sv->module_names);
	map_done(&sv->tasks);
	map_done(&sv->awaited);
}

/* How much of all streams has become rows. */
static double sv_share(const void *state, const struct chunk *chunk)
{
	const struct sv *sv = state;
	double n_used = 0, n_bytes = 0;

	if (!sv->has_looked)
		return chunk->n_bytes ? (double)chunk->n_used / (double)chunk->n_bytes : 1;
	for (size_t i = 0; i < sv->n_streams; i++) {
		n_used += (double)(sv->streams[i].at - sv->streams[i].start);
		n_bytes += (double)(sv->streams[i].end - sv->streams[i].start);
	}
	return n_bytes > 0 ? n_used / n_bytes : 1;
}

const struct dialect dialect_systemview = {
	.name = "systemview",
	.summary = "SEGGER SystemView: .SVDat files, raw streams, and rings",
	.options = options,
	.chunks = CHUNKS_AS_THEY_COME,
	.columns = SV_COLUMNS,
	.scratch_bytes = SV_SCRATCH_BYTES,
	.state_bytes = sizeof(struct sv),
	.probe = sv_probe,
	.open = sv_open,
	.look = sv_look,
	.read = sv_read,
	.share = sv_share,
	.close = sv_close,
	.catalogue = sv_catalogue,
};
