/* SPDX-License-Identifier: MIT */
/*
 * A frame becomes a row, or damage, or nothing (a duplicate). The checks have this order, so that each count
 * shows one fault: long enough for an id, checksum, known id, arguments that consume the frame exactly.
 *
 * A frame changes no state before its row can be made, because it comes again if the batch has no room.
 */
#include <string.h>

#include "base/load.h"
#include "dialect/rkh/rkh.h"

struct decoding {
	struct rkh *rkh;
	struct model *model;
	struct batch *batch;
	const struct rkh_frame *frame;
};

/* --- rows ----------------------------------------------------------------------------------------------- */

static inline void put_row(const struct rkh *rkh, struct batch *batch, const struct rkh_payload *payload,
	const struct rst_context *context, uint64_t stamp, uint64_t seq)
{
	batch_row(batch, RKH_COLUMNS,
		&(struct batch_row){
			.ticks = rkh->ticks,
			.stamp = stamp,
			.seq = seq,
			.layout = payload->layout,
			.context = context,
			.payload = payload->bytes,
			.n_payload = payload->n_bytes,
		});
}

bool rkh_damage(struct rkh *rkh, struct model *model, struct batch *batch, enum rkh_stat stat,
	const struct rst_gap *where, const char *what)
{
	bool is_frame = stat != RKH_PREFIX_BYTES && stat != RKH_TRAILING_BYTES;
	struct rst_gap gap = *where;

	gap.marker = RST_DAMAGE;
	gap.what = what;
	rkh->stats[stat].number += is_frame ? 1 : gap.n_bytes;
	rkh->stats[RKH_FRAMES].number += is_frame;
	rkh->n_damaged += is_frame;
	return model_put_gap(model, batch, &gap);
}

static enum rkh_step damage_of(const struct decoding *d, enum rkh_stat stat, const char *what)
{
	const struct rst_gap where = {
		.offset = d->frame->offset, .n_bytes = d->frame->stuffed.n_bytes, .source = d->frame->source
	};

	return rkh_damage(d->rkh, d->model, d->batch, stat, &where, what) ? RKH_DONE : RKH_NO_MEMORY;
}

/* A damaged frame has a row of its own, so it does not count as lost, too. */
static bool put_loss(const struct decoding *d, unsigned n_missing)
{
	uint64_t n_damaged = d->rkh->n_damaged, n_lost = n_missing > n_damaged ? n_missing - n_damaged : 0;
	const struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = n_lost,
		.offset = d->frame->offset,
		.what = "sequence numbers are missing",
		.source = d->frame->source };

	d->rkh->stats[RKH_GAPS].number++;
	d->rkh->stats[RKH_LOST].number += n_missing;
	if (n_lost == 0)
		return true;
	return model_put_gap(d->model, d->batch, &gap);
}

/* Adds the announcements from before the first time stamp, at its time. */
bool rkh_put_waiting(struct rkh *rkh, struct model *model, struct batch *batch)
{
	for (size_t i = 0; i < rkh->n_waiting; i++) {
		const struct rkh_waiting *waiting = &rkh->waiting[i];
		const struct rkh_payload payload = { waiting->bytes, waiting->n_bytes, waiting->layout };

		put_row(rkh, batch, &payload, model->unknown, 0, waiting->seq);
	}
	rkh->n_waiting = 0;
	return true;
}

/* --- what a frame does to the reader -------------------------------------------------------------------- */

static void stamp_remember(const struct decoding *d)
{
	d->rkh->stats[RKH_FRAMES].number++;
	d->rkh->stats[RKH_VALID].number++;
	d->rkh->last = d->frame->stuffed;
}

/*
 * A sequence number comes once in 256 frames, so the same bytes are the same frame again. Without sequence
 * numbers a repeated frame cannot be distinguished from a repeated event.
 */
static bool is_duplicate(const struct decoding *d, uint8_t seq)
{
	const struct rkh_run *last = &d->rkh->last, *now = &d->frame->stuffed;

	return d->rkh->has_seq && seq == d->rkh->seq && last->n_bytes == now->n_bytes &&
	       memcmp(last->bytes, now->bytes, now->n_bytes) == 0;
}

/* Number 0 behind an announcement: the target was started, or restarted if other frames came before. */
static bool begin_session(const struct decoding *d)
{
	struct rkh *rkh = d->rkh;
	const bool is_anew = rkh->has_seq && rkh->is_ticking;

	rkh->wants_rebase = true;
	return !is_anew ||
	       model_put_run(d->model, d->batch, d->frame->source, d->frame->offset,
		       "sequence numbers begin at 0 behind an announcement: the target was started anew");
}

/* Adds the loss in front of this frame, unless its number begins a new session. */
static bool take_seq(const struct decoding *d, uint8_t seq)
{
	struct rkh *rkh = d->rkh;
	uint8_t n_missing = (uint8_t)(seq - rkh->seq - 1);
	bool is_first = !rkh->has_seq || (rkh->is_session && seq == 0);

	if (__builtin_expect(rkh->is_session, 0)) {
		rkh->is_session = false;
		if (seq == 0 && !begin_session(d))
			return false;
	}
	rkh->has_seq = true;
	rkh->seq = seq;
	return is_first || n_missing == 0 || put_loss(d, n_missing);
}

/* Each session has a clock of its own; its first event gets the time at which the last session ended. */
static uint64_t take_stamp(const struct decoding *d, uint64_t stamp)
{
	struct rkh *rkh = d->rkh;

	if (__builtin_expect(rkh->wants_rebase, 0)) {
		rkh->wants_rebase = false;
		if (rkh->is_ticking)
			clock_begin_run(&rkh->clock, model_run_begin(d->model, d->batch));
	}
	rkh->is_ticking = true;
	return clock_ticks(&rkh->clock, stamp);
}

/* --- announcements -------------------------------------------------------------------------------------- */

static inline bool may_announce(const struct rkh *rkh, const struct rkh_frame *frame)
{
	uint8_t first = frame->bytes[0];

	return ((uint8_t)(first - 0xac) <= 2 || first == 12) && frame->n_bytes >= 6 &&
	       rkh_config_is_id(frame->bytes, frame->n_bytes, rkh->is_announced ? rkh->config.layout.te : 0);
}

/* The row of an announcement without a time stamp of its own. */
static enum rkh_step put_announcement(const struct decoding *d, uint8_t *spread)
{
	struct rkh *rkh = d->rkh;
	const struct rkh_layout *layout = &rkh->bound->layout;
	unsigned event = d->frame->bytes[0] % RKH_GROUP_EVENTS;
	struct rkh_bound *bound = &rkh->bound->events[RKH_FWK * RKH_GROUP_EVENTS + event];
	struct rkh_payload payload = { spread, 0, NULL };

	if (bound->state == RKH_NOT_SEEN)
		rkh_event_bind(bound, layout, RKH_FWK * RKH_GROUP_EVENTS + event);
	if (bound->state != RKH_KNOWN)
		return damage_of(d, RKH_UNKNOWN_ID, "unknown event id");
	payload.layout = bound->layout ? bound->layout : rkh_event_layout(rkh, d->model, bound, layout);
	if (!payload.layout)
		return RKH_NO_MEMORY;
	payload.n_bytes = rkh_spread(spread, bound->event, layout, d->frame->bytes + layout->te);
	rkh->is_session = true;
	rkh->stats[RKH_TCFG].number++;
	stamp_remember(d);
	if (layout->has_stamp && !rkh->is_ticking && rkh->n_waiting < RKH_WAITING_MAX) {
		struct rkh_waiting *waiting = &rkh->waiting[rkh->n_waiting++];

		*waiting = (struct rkh_waiting){
			.layout = payload.layout, .seq = d->frame->seq, .n_bytes = (uint32_t)payload.n_bytes
		};
		memcpy(waiting->bytes, payload.bytes, payload.n_bytes);
		return RKH_DONE;
	}
	rkh_put_waiting(rkh, d->model, d->batch);
	if (!layout->has_stamp && rkh->is_ticking)
		rkh->ticks++;
	rkh->is_ticking = true;
	put_row(rkh, d->batch, &payload, d->model->unknown, 0, d->frame->seq);
	return RKH_DONE;
}

/* --- events --------------------------------------------------------------------------------------------- */

/* Returns group times 32 plus event, or RKH_IDS if the bytes cannot be an id. */
static inline unsigned id_of(const uint8_t *bytes, unsigned te)
{
	unsigned group, event = bytes[0];

	if (__builtin_expect(te == 1, 1))
		return event;
	group = bytes[te - 1];
	if (group > RKH_UT || event >= RKH_GROUP_EVENTS || (te == 4 && (bytes[1] | bytes[2])))
		return RKH_IDS;
	return group * RKH_GROUP_EVENTS + event;
}

static bool args_fit(const struct rkh_bound *bound, const uint8_t *args, size_t n_args)
{
	const uint8_t *zero;

	if (n_args < bound->n_fixed)
		return false;
	switch ((enum rkh_tail)bound->tail) {
	case RKH_TAIL_NONE:
		return n_args == bound->n_fixed;
	case RKH_TAIL_TEXT:
		zero = n_args > bound->n_fixed ? memchr(args + bound->n_fixed, 0, n_args - bound->n_fixed)
					       : NULL;
		return zero && zero == args + n_args - 1;
	case RKH_TAIL_TEXT_FIRST:
		zero = n_args ? memchr(args, 0, n_args) : NULL;
		return zero && (size_t)(zero - args) + 1 + bound->n_fixed == n_args;
	case RKH_TAIL_REST:
	case RKH_TAIL_ELEMENTS:
		return true;
	}
	return false;
}

/* The event of an id, or NULL. */
static inline struct rkh_bound *bound_of(struct rkh_bindings *now, const uint8_t *bytes)
{
	unsigned id = id_of(bytes, now->layout.te);
	struct rkh_bound *bound = id < RKH_IDS ? &now->events[id] : NULL;

	if (bound && __builtin_expect(bound->state == RKH_NOT_SEEN, 0))
		rkh_event_bind(bound, &now->layout, id);
	return bound && bound->state == RKH_KNOWN ? bound : NULL;
}

bool rkh_frame_fits(struct rkh_bindings *now, const uint8_t *bytes, size_t n_bytes)
{
	const struct rkh_bound *bound = n_bytes >= now->n_ends ? bound_of(now, bytes) : NULL;

	return bound && args_fit(bound, bytes + now->n_head, n_bytes - now->n_ends);
}

/* For a test harness that expects an event: gives the arguments that event's names if they fit the event. */
static enum rkh_step bind_expected(
	const struct decoding *d, struct rkh_bound *bound, struct rkh_payload *payload)
{
	struct rkh_bindings *now = d->rkh->bound;
	const uint8_t *args = payload->bytes + bound->n_fixed;
	struct rkh_bound *expected = now->layout.te == 1 ? bound_of(now, args - 1) : NULL;

	if (!expected || expected->id / RKH_GROUP_EVENTS == RKH_UT || expected->meaning == RKH_CONFIG ||
		expected->tail > RKH_TAIL_TEXT ||
		!args_fit(expected, args, payload->n_bytes - bound->n_fixed))
		return RKH_DONE;
	payload->layout = rkh_expecting_layout(d->rkh, d->model, bound, expected);
	return payload->layout ? RKH_DONE : RKH_NO_MEMORY;
}

/* Sets the layout and place of the payload. The layout stays NULL if the elements are invalid. */
static inline enum rkh_step bind_payload(
	const struct decoding *d, struct rkh_bound *bound, struct rkh_payload *payload)
{
	if (__builtin_expect(bound->tail == RKH_TAIL_ELEMENTS, 0))
		return rkh_user(d->rkh, d->model, d->batch, bound, payload);
	payload->layout = bound->layout;
	if (__builtin_expect(!payload->layout, 0)) {
		payload->layout = rkh_event_layout(d->rkh, d->model, bound, &d->rkh->bound->layout);
		if (!payload->layout)
			return RKH_NO_MEMORY;
	}
	if (__builtin_expect(rkh_is_moved(bound, payload), 0))
		return rkh_move(d->rkh, d->batch, bound, payload);
	if (__builtin_expect(bound->meaning == RKH_EXPECTS, 0) &&
		bind_expected(d, bound, payload) != RKH_DONE)
		return RKH_NO_MEMORY;
	payload->bytes -= bound->n_front;
	payload->n_bytes += bound->n_front;
	return RKH_DONE;
}

/* Takes the name of a symbol event. In a file whose names are known already, only contexts may change. */
static bool decode_take_name(
	const struct decoding *d, const struct rkh_bound *bound, const uint8_t *args, size_t n_args)
{
	uint64_t seq = d->frame->seq;
	bool is_address = bound->meaning >= RKH_NAMES_OBJECT && bound->meaning <= RKH_NAMES_PSTATE;

	if (!d->rkh->has_looked && !rkh_symbol(d->rkh, d->model, bound, args, n_args, seq))
		return false;
	return !is_address || rkh_actor_named(d->rkh, d->model,
				      load_uint(args + bound->key_at, bound->key_bytes, false), seq);
}

static bool take_owner(const struct decoding *d, const uint8_t *args)
{
	unsigned n_bytes = d->rkh->bound->layout.ptr;

	return rkh_owns(
		d->rkh, d->model, load_uint(args + n_bytes, n_bytes, false), load_uint(args, n_bytes, false));
}

static const struct rst_context *context_of(
	const struct decoding *d, const struct rkh_bound *bound, const uint8_t *args)
{
	const struct rkh_owner *owner;
	uint64_t address;

	if (bound->actor_at == RKH_NO_ACTOR)
		return d->model->unknown;
	address = load_uint(args + bound->actor_at, d->rkh->bound->layout.ptr, false);
	if (bound->has_owner) {
		owner = map_find(&d->rkh->owners, address);
		address = owner ? owner->address : 0;
	}
	return address ? rkh_actor(d->rkh, d->model, address, d->frame->seq) : d->model->unknown;
}

static enum rkh_step put_event(const struct decoding *d, const struct rkh_bound *bound,
	const struct rkh_payload *payload, const uint8_t *args, size_t n_args)
{
	struct rkh *rkh = d->rkh;
	const struct rkh_bindings *now = rkh->bound;
	const struct rst_context *context;
	const uint8_t *bytes = d->frame->bytes;
	uint64_t stamp = 0;

	if (__builtin_expect(bound->meaning >= RKH_NAMES_OBJECT, 0) &&
		!decode_take_name(d, bound, args, n_args))
		return RKH_NO_MEMORY;
	if (__builtin_expect(bound->meaning == RKH_OWNS, 0) && !take_owner(d, args))
		return RKH_NO_MEMORY;
	context = context_of(d, bound, args);
	if (!context)
		return RKH_NO_MEMORY;
	if (now->layout.has_seq && !take_seq(d, bytes[now->layout.te]))
		return RKH_NO_MEMORY;
	if (now->n_stamp) {
		stamp = load_uint(bytes + now->n_head - now->n_stamp, now->n_stamp, false);
		rkh->ticks = take_stamp(d, stamp);
	} else {
		rkh->ticks += rkh->is_ticking;
		rkh->is_ticking = true;
	}
	if (__builtin_expect(rkh->n_waiting != 0, 0))
		rkh_put_waiting(rkh, d->model, d->batch);
	if (__builtin_expect(bound->meaning == RKH_CONFIG, 0)) {
		rkh->is_session = true;
		rkh->stats[RKH_TCFG].number++;
	}
	put_row(rkh, d->batch, payload, context, stamp, d->frame->seq);
	stamp_remember(d);
	rkh->n_damaged = 0;
	return RKH_DONE;
}

static enum rkh_step decode_event(const struct decoding *d)
{
	struct rkh_bindings *now = d->rkh->bound;
	const struct rkh_frame *frame = d->frame;
	const uint8_t *args = frame->bytes + now->n_head;
	struct rkh_bound *bound;
	struct rkh_payload payload;
	enum rkh_step step;

	if (frame->n_bytes < (size_t)now->layout.te + now->layout.has_checksum)
		return damage_of(d, RKH_MALFORMED, "a frame too short for an event");
	if (now->layout.has_checksum && frame->sum != 0)
		return damage_of(d, RKH_BAD_CHECKSUM, "wrong checksum");
	bound = bound_of(now, frame->bytes);
	if (!bound)
		return damage_of(d, RKH_UNKNOWN_ID, "unknown event id");
	if (frame->n_bytes < now->n_ends || !args_fit(bound, args, frame->n_bytes - now->n_ends))
		return damage_of(d, RKH_MALFORMED, "arguments of another length than the event has");
	if (now->layout.has_seq && is_duplicate(d, frame->bytes[now->layout.te])) {
		d->rkh->stats[RKH_FRAMES].number++;
		d->rkh->stats[RKH_DUPLICATES].number++;
		return RKH_DONE;
	}
	payload = (struct rkh_payload){ args, frame->n_bytes - now->n_ends, NULL };
	step = bind_payload(d, bound, &payload);
	if (step != RKH_DONE)
		return step;
	if (!payload.layout)
		return damage_of(d, RKH_MALFORMED, "elements of a user event that are cut or unknown");
	return put_event(d, bound, &payload, args, frame->n_bytes - now->n_ends);
}

enum rkh_step rkh_decode(
	struct rkh *rkh, struct model *model, struct batch *batch, const struct rkh_frame *frame)
{
	const struct decoding d = { rkh, model, batch, frame };
	struct rkh_config config;
	uint8_t *spread;

	if (__builtin_expect(may_announce(rkh, frame), 0) &&
		rkh_config_parse(
			&config, rkh_config_sure(rkh), frame->bytes, frame->n_bytes, frame->sum == 0)) {
		spread = batch_scratch(batch, RKH_SPREAD_BYTES);
		if (!spread)
			return RKH_NO_ROOM;
		if (!rkh_config_use(rkh, model, &config))
			return RKH_NO_MEMORY;
		if (config.layout.version >= RKH_2_4_4)
			return put_announcement(&d, spread);
	}
	return decode_event(&d);
}
