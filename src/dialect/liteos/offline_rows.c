/* SPDX-License-Identifier: MIT */
/* Rows of a buffer: its frames in their order, with damage and losses between them. */
#include <stdlib.h>

#include "dialect/liteos/offline.h"

/* Adds one damage for adjacent slots that hold no frame. */
static bool tell_damaged(struct liteos_offline *offline, struct model *model, struct batch *batch)
{
	const uint64_t first = liteos_entry_at(offline, offline->next).slot;
	uint64_t n = 0;

	while (offline->next < offline->n_entries) {
		const struct liteos_entry seq = liteos_entry_at(offline, offline->next);

		if (!seq.is_damaged || seq.slot != first + n)
			break;
		offline->next++;
		n++;
	}
	offline->n_damaged_since += n;
	return model_put_gap(model, batch,
		&(struct rst_gap){ .marker = RST_DAMAGE,
			.offset = offline->at + offline->slots_at + first * offline->layout.frame_bytes,
			.n_bytes = n * offline->layout.frame_bytes,
			.what = "this is no frame",
			.source = offline->source });
}

/* Counts the missing events between this one and the one before. Damaged slots have been reported. */
static uint64_t count_lost(const struct liteos *liteos, struct liteos_offline *offline, uint32_t count)
{
	const uint32_t step = count - offline->count;
	uint64_t n_damaged = offline->n_damaged_since;

	if (!offline->layout.has_count || !offline->has_count || liteos->in_file_order)
		return 0;
	if (step == 0 || step > INT32_MAX || step - 1 <= n_damaged)
		return 0;
	return step - 1 - n_damaged;
}

static bool tell_lost(
	struct liteos_offline *offline, struct model *model, struct batch *batch, uint64_t n, uint64_t at)
{
	return model_put_gap(model, batch,
		&(struct rst_gap){ .marker = RST_LOSS,
			.n_events = n,
			.offset = at,
			.what = "eventCount leaves numbers out",
			.source = offline->source });
}

/* Adds rows until the batch is full or the slots are used up. */
static bool rows_fill(
	struct liteos *liteos, struct liteos_offline *offline, struct model *model, struct batch *batch)
{
	if (offline->is_anew && !batch_is_full(batch)) {
		if (!liteos_begin_run(liteos, model, batch, offline->source, offline->slots_at,
			    "this buffer has no frame of the one before, and its clock begins in front of "
			    "the end "
			    "of that one"))
			return false;
		offline->is_anew = false;
	}
	while (offline->n_gaps_told < offline->n_gaps && !batch_is_full(batch))
		if (!model_put_gap(model, batch, &offline->gaps[offline->n_gaps_told++]))
			return false;
	while (offline->next < offline->n_entries && !batch_is_full(batch)) {
		const struct liteos_entry seq = liteos_entry_at(offline, offline->next);
		const uint8_t *slot = liteos_slot_at(offline, seq.slot);
		struct liteos_frame frame;
		uint64_t n_lost;

		if (seq.is_damaged) {
			if (!tell_damaged(offline, model, batch))
				return false;
			continue;
		}
		liteos_load_frame(&liteos->layout, slot, liteos->layout.frame_bytes, &frame);
		n_lost = count_lost(liteos, offline, frame.count);
		offline->count = frame.count;
		offline->has_count = true;
		offline->n_damaged_since = 0;
		if (n_lost) {
			liteos_forget_interrupts(liteos);
			if (!tell_lost(offline, model, batch, n_lost,
				    offline->at + (uint64_t)(slot - offline->bytes)))
				return false;
			continue; /* the marker may have filled the batch */
		}
		if (!liteos_add_row(liteos, model, batch, &frame))
			return false;
		offline->next++;
	}
	return true;
}

static bool is_done(const struct liteos_offline *offline)
{
	return !offline->is_anew && offline->next == offline->n_entries &&
	       offline->n_gaps_told == offline->n_gaps;
}

/* Adds damage for a buffer that cannot be read, behind others that can. */
static enum rst_status buffer_refuse(struct model *model, struct batch *batch, const struct chunk *chunk,
	const struct rst_error *why, struct rst_error *err)
{
	const char *what = arena_copy(&model->arena, why->what, strlen(why->what));
	const uint64_t at = why->offset < chunk->n_bytes ? why->offset : 0;

	return what && model_put_gap(model, batch,
			       &(struct rst_gap){ .marker = RST_DAMAGE,
				       .offset = chunk->offset + at,
				       .n_bytes = chunk->n_bytes - at,
				       .what = what,
				       .source = chunk->source })
		       ? RST_MORE
		       : error_nomem(err);
}

/*
 * Reads the buffer in a part of a chunk. Returns RST_OK if the batch is full. Returns RST_MORE if all of the
 * buffer is in rows, or it cannot be read.
 */
static enum rst_status buffer_read(struct liteos *liteos, struct model *model, const struct chunk *part,
	struct batch *batch, struct rst_error *err)
{
	if (!liteos->offline) {
		struct rst_error why = { 0 };
		enum rst_status status;

		liteos->offline = calloc(1, sizeof(*liteos->offline));
		if (!liteos->offline)
			return error_nomem(err);
		status = liteos_offline_prepare(liteos, model, part, liteos->offline, &why);
		if (status < 0) {
			liteos_offline_done(liteos);
			if (status == RST_E_DAMAGED && liteos->n_good)
				return batch_is_full(batch) ? RST_OK
							    : buffer_refuse(model, batch, part, &why, err);
			if (err)
				*err = why;
			return status;
		}
	}
	if (!rows_fill(liteos, liteos->offline, model, batch))
		return error_nomem(err);
	return is_done(liteos->offline) ? RST_MORE : RST_OK;
}

enum rst_status liteos_offline_read(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err)
{
	enum rst_status status = RST_MORE;
	bool has_follower = true;

	if (chunk->behind == CHUNK_ENDS)
		return RST_END;
	while (has_follower) {
		struct chunk part = *chunk;

		part.bytes += liteos->buffer_at;
		part.n_bytes -= liteos->buffer_at;
		part.offset += liteos->buffer_at;
		status = buffer_read(liteos, model, &part, batch, err);
		if (status != RST_MORE)
			return status;
		has_follower = liteos->offline && liteos->offline->n_behind;
		liteos->buffer_at += liteos->offline ? liteos->offline->n_bytes : 0;
		/* Rows point into the chunk, which stays. */
		liteos_offline_done(liteos);
	}
	liteos->buffer_at = 0;
	return RST_MORE;
}
