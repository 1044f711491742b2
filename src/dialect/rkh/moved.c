/* SPDX-License-Identifier: MIT */
/*
 * Arguments that fields cannot reach in the frame: the payload is rebuilt in the batch's memory, with the
 * same front. User events have a way of their own (user.c).
 */
#include <string.h>

#include "dialect/rkh/rkh.h"
#include "model/field.h"

/* Moves a text in front of numbers behind them, and puts a span in its place. */
static enum rkh_step move_text(
	struct batch *batch, const struct rkh_bound *bound, struct rkh_payload *payload)
{
	uint32_t n_front = bound->n_front, n_text = (uint32_t)(payload->n_bytes - bound->n_fixed);
	const uint32_t n_moved = n_front + (uint32_t)FIELD_SPAN_BYTES + bound->n_fixed;
	uint8_t *to = batch_scratch(batch, n_front + FIELD_SPAN_BYTES + payload->n_bytes);

	if (!to)
		return RKH_NO_ROOM;
	memcpy(to, payload->bytes - n_front, n_front);
	field_put_span(to + n_front, n_moved, n_text);
	memcpy(to + n_front + FIELD_SPAN_BYTES, payload->bytes + n_text, bound->n_fixed);
	memcpy(to + n_moved, payload->bytes, n_text);
	payload->bytes = to;
	payload->n_bytes += n_front + FIELD_SPAN_BYTES;
	return RKH_DONE;
}

/* Spreads an announcement of a release before 2.4.4. */
static enum rkh_step move_halves(struct batch *batch, const struct rkh_bound *bound,
	const struct rkh_layout *layout, struct rkh_payload *payload)
{
	uint8_t *to = batch_scratch(batch, bound->n_front + (size_t)RKH_SPREAD_BYTES);

	if (!to)
		return RKH_NO_ROOM;
	memcpy(to, payload->bytes - bound->n_front, bound->n_front);
	payload->n_bytes =
		bound->n_front + rkh_spread(to + bound->n_front, bound->event, layout, payload->bytes);
	payload->bytes = to;
	return RKH_DONE;
}

/* Names are recorded as written in the target's source: `&timer`. Makes a payload without the `&`. */
static enum rkh_step move_name(
	struct batch *batch, const struct rkh_bound *bound, struct rkh_payload *payload)
{
	size_t n_before = (size_t)bound->n_front + bound->n_fixed;
	uint8_t *to = batch_scratch(batch, n_before + payload->n_bytes);

	if (!to)
		return RKH_NO_ROOM;
	memcpy(to, payload->bytes - bound->n_front, n_before);
	memcpy(to + n_before, payload->bytes + bound->n_fixed + 1, payload->n_bytes - bound->n_fixed - 1);
	payload->bytes = to;
	payload->n_bytes += bound->n_front - (size_t)1;
	return RKH_DONE;
}

enum rkh_step rkh_move(
	struct rkh *rkh, struct batch *batch, const struct rkh_bound *bound, struct rkh_payload *payload)
{
	if (bound->tail == RKH_TAIL_TEXT_FIRST)
		return move_text(batch, bound, payload);
	if (bound->meaning == RKH_CONFIG)
		return move_halves(batch, bound, &rkh->bound->layout, payload);
	return move_name(batch, bound, payload);
}
