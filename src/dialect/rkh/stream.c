/* SPDX-License-Identifier: MIT */
/*
 * Chunks to frames. A frame begins behind a flag and ends with the next flag. So bytes before the first flag
 * and behind the last are not a frame, and a flag behind a flag is an empty frame. Bytes without a flag
 * behind them are left for the next chunk.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/rkh/rkh.h"

/* Rows and markers that one frame may need: announcements that waited, a new run, loss, and itself. */
enum { FRAME_ROWS = RKH_WAITING_MAX + 3, FRAME_GAPS = 3 };

static bool has_room(const struct batch *batch)
{
	return batch->n_events + FRAME_ROWS <= RST_BATCH_EVENTS && batch->n_gaps + FRAME_GAPS <= BATCH_GAPS;
}

static enum rkh_step damage_at(struct rkh *rkh, struct model *model, struct batch *batch, enum rkh_stat stat,
	const struct rkh_frame *frame, const char *what)
{
	const struct rst_gap where = {
		.offset = frame->offset, .n_bytes = frame->stuffed.n_bytes, .source = frame->source
	};

	return rkh_damage(rkh, model, batch, stat, &where, what) ? RKH_DONE : RKH_NO_MEMORY;
}

static inline enum rkh_step decode_unless_in_doubt(
	struct rkh *rkh, struct model *model, struct batch *batch, const struct rkh_frame *frame)
{
	if (__builtin_expect(!rkh->has_looked, 0) && rkh_doubt_arises(rkh, frame))
		return RKH_IN_DOUBT;
	return rkh_decode(rkh, model, batch, frame);
}

/* Takes a frame that must be unstuffed, or whose bytes do not stay. */
static enum rkh_step take_stuffed(
	struct rkh *rkh, struct model *model, struct batch *batch, struct rkh_frame *frame, size_t n_all)
{
	const struct rkh_run *run = &frame->stuffed;
	uint8_t *to;
	bool is_aborted;

	if (n_all > RKH_STUFFED_MAX) {
		frame->stuffed.n_bytes = n_all;
		return damage_at(rkh, model, batch, RKH_MALFORMED, frame, "a frame of more than 64 KiB");
	}
	to = batch_scratch(batch, run->n_bytes);
	if (!to)
		return RKH_NO_ROOM;
	frame->bytes = to;
	frame->sum = 0;
	frame->n_bytes = rkh_unstuff(to, run->bytes, run->bytes + run->n_bytes, &frame->sum, &is_aborted);
	if (is_aborted)
		return damage_at(
			rkh, model, batch, RKH_ABORTED_ESCAPE, frame, "an escape in front of a flag");
	if (frame->n_bytes > RKH_FRAME_MAX)
		return damage_at(rkh, model, batch, RKH_MALFORMED, frame, "a frame of more than 64 KiB");
	return decode_unless_in_doubt(rkh, model, batch, frame);
}

/* --- bytes that are no frame ---------------------------------------------------------------------------- */

/*
 * Passes over bytes up to the next flag; they may have begun in an earlier chunk. Before the first flag they
 * are the rest of a frame in whose middle the stream began; later they are too many for a frame.
 */
static enum rkh_step pass_over(struct rkh *rkh, struct model *model, struct chunk *chunk, struct batch *batch)
{
	const uint8_t *at = chunk->bytes + chunk->n_used, *end = chunk->bytes + chunk->n_bytes;
	const uint8_t *flag = rkh_find_flag(at, end);
	struct rkh_passed *passed = &rkh->passed;
	struct rkh_frame frame;
	bool is_prefix = !rkh->has_started;

	if (!passed->n_bytes)
		passed->offset = chunk_offset(chunk, chunk->n_used, &passed->source);
	passed->n_bytes += (size_t)(flag - at);
	chunk->n_used += (size_t)(flag - at);
	if (flag == end)
		return RKH_DONE;
	frame = (struct rkh_frame){
		.stuffed = { NULL, passed->n_bytes }, .offset = passed->offset, .source = passed->source
	};
	chunk->n_used++;
	rkh->has_started = true;
	passed->n_bytes = 0;
	if (!frame.stuffed.n_bytes)
		return RKH_DONE;
	return damage_at(rkh, model, batch, is_prefix ? RKH_PREFIX_BYTES : RKH_MALFORMED, &frame,
		is_prefix ? "bytes before the first flag" : "a frame of more than 64 KiB");
}

/* --- a chunk -------------------------------------------------------------------------------------------- */

/* Duplicates are recognised by the bytes of the last valid frame, which must outlive the chunk. */
static bool keep_last(struct rkh *rkh)
{
	const struct rkh_run last = rkh->last;

	if (last.bytes == rkh->last_copy || last.n_bytes == 0)
		return true;
	if (last.n_bytes > rkh->last_room) {
		uint8_t *grown = malloc(2 * last.n_bytes);

		if (!grown)
			return false;
		free(rkh->last_copy);
		rkh->last_copy = grown;
		rkh->last_room = 2 * last.n_bytes;
	}
	memcpy(rkh->last_copy, last.bytes, last.n_bytes);
	rkh->last.bytes = rkh->last_copy;
	return true;
}

/* Takes all whole frames of the chunk. RKH_NO_ROOM: the batch must go out first. */
static enum rkh_step take_frames(
	struct rkh *rkh, struct model *model, struct chunk *chunk, struct batch *batch)
{
	const uint8_t *end = chunk->bytes + chunk->n_bytes;
	enum rkh_step step = RKH_DONE;

	while (step == RKH_DONE && chunk->n_used < chunk->n_bytes) {
		const uint8_t *at = chunk->bytes + chunk->n_used, *stop;
		struct rkh_frame frame = { .bytes = at, .seq = chunk->place + chunk->n_used };
		bool is_stuffed;

		frame.offset = chunk_offset(chunk, chunk->n_used, &frame.source);
		if (!has_room(batch))
			return RKH_NO_ROOM;
		stop = rkh_scan(at, end, &frame.sum);
		is_stuffed = stop < end && *stop == RKH_ESCAPE;
		if (__builtin_expect(is_stuffed, 0))
			stop = rkh_find_flag(stop, end);
		if (stop == end)
			break;
		frame.n_bytes = (size_t)(stop - at);
		frame.stuffed = (struct rkh_run){ at, frame.n_bytes };
		if (__builtin_expect(frame.n_bytes == 0, 0))
			rkh->stats[RKH_EMPTY].number++;
		else if (__builtin_expect(is_stuffed || frame.n_bytes > RKH_FRAME_MAX, 0))
			step = take_stuffed(rkh, model, batch, &frame, frame.n_bytes);
		else
			step = decode_unless_in_doubt(rkh, model, batch, &frame);
		chunk->n_used += step == RKH_DONE ? (size_t)(stop - at) + 1 : 0;
	}
	return step;
}

static enum rkh_step take_chunk(
	struct rkh *rkh, struct model *model, struct chunk *chunk, struct batch *batch)
{
	enum rkh_step step = RKH_DONE;

	if (!has_room(batch))
		return RKH_NO_ROOM;
	if (!rkh->has_started || rkh->passed.n_bytes)
		step = pass_over(rkh, model, chunk, batch);
	if (step == RKH_DONE && rkh->has_started)
		step = take_frames(rkh, model, chunk, batch);
	if (step == RKH_DONE && chunk->n_bytes - chunk->n_used > RKH_STUFFED_MAX)
		step = pass_over(rkh, model, chunk, batch);
	return step;
}

/* Ends a frame that has no flag behind it, and adds announcements that no event followed. */
static enum rkh_step take_end(struct rkh *rkh, struct model *model, struct chunk *chunk, struct batch *batch)
{
	struct rkh_frame rest = { .stuffed = { NULL, rkh->passed.n_bytes },
		.offset = rkh->passed.offset,
		.source = rkh->passed.source };
	enum rkh_stat stat = rkh->has_started ? RKH_TRAILING_BYTES : RKH_PREFIX_BYTES;

	if (!has_room(batch))
		return RKH_NO_ROOM;
	rkh_put_waiting(rkh, model, batch);
	if (!rest.stuffed.n_bytes)
		rest.offset = chunk_offset(chunk, chunk->n_used, &rest.source);
	rest.stuffed.n_bytes += chunk->n_bytes - chunk->n_used;
	chunk->n_used = chunk->n_bytes;
	rkh->passed.n_bytes = 0;
	if (!rest.stuffed.n_bytes)
		return RKH_DONE;
	return damage_at(rkh, model, batch, stat, &rest,
		rkh->has_started ? "bytes behind the last flag" : "bytes before the first flag");
}

/* Adds warnings about the whole trace, once. */
static bool warn_end(struct rkh *rkh, struct model *model)
{
	uint64_t n_unfit = rkh->stats[RKH_MALFORMED].number, n_back = rkh->clock.n_back;

	if (rkh->is_over)
		return true;
	rkh->is_over = true;
	if (!rkh->is_announced && n_unfit > rkh->stats[RKH_VALID].number / 8 &&
		!model_warn(model,
			"no configuration frame was seen, and %" PRIu64 " frames are not as long as the "
			"settings say: --opt tells what the target was built with",
			n_unfit))
		return false;
	return n_back == 0 ||
	       model_warn(model,
		       "%" PRIu64 " time stamps step back a little: they are taken to be out of "
		       "order, not to have wrapped",
		       n_back);
}

/* --- the contract --------------------------------------------------------------------------------------- */

/* Returns RST_MORE if all of the chunk is read, except bytes without a flag behind them. */
static enum rst_status answer_of(enum rkh_step step, struct rst_error *err)
{
	if (step == RKH_NO_MEMORY)
		return error_nomem(err);
	return step == RKH_NO_ROOM ? RST_OK : RST_MORE;
}

static enum rst_status read_end(
	struct rkh *rkh, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	bool has_flag = rkh->has_started;
	enum rst_status status;

	status = answer_of(take_end(rkh, model, chunk, batch), err);
	if (status != RST_MORE)
		return status;
	if (!warn_end(rkh, model))
		return error_nomem(err);
	if (has_flag)
		return RST_END;
	return error_set(err, RST_E_DAMAGED, 0,
		chunk->place + chunk->n_bytes ? "there is no flag (0x7e), so no frame"
					      : "the input is empty");
}

enum rst_status rkh_look_ahead(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err)
{
	struct rkh *rkh = state;

	rkh->has_looked = true;
	return rkh_guess(rkh, model, whole->bytes, whole->n_bytes) &&
			       rkh_look(rkh, model, whole->bytes, whole->n_bytes, whole->place, false)
		       ? RST_OK
		       : error_nomem(err);
}

enum rst_status rkh_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct rkh *rkh = state;
	enum rkh_step step;

	rkh->n_batches += batch->n_events == 0;
	do {
		if (rkh->doubt.is_open && !rkh_doubt_settle(rkh, model, chunk))
			return error_nomem(err);
		step = rkh->doubt.is_open ? RKH_DONE : take_chunk(rkh, model, chunk, batch);
	} while (step == RKH_IN_DOUBT);
	if (step != RKH_DONE)
		return answer_of(step, err);
	if (!keep_last(rkh))
		return error_nomem(err);
	if (chunk->behind == CHUNK_ENDS)
		return read_end(rkh, model, chunk, batch, err);
	if (chunk->behind == CHUNK_INPUT_ENDS)
		rkh->has_looked = false;
	return RST_MORE;
}
