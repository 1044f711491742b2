/* SPDX-License-Identifier: MIT */
/*
 * Slots to rows. The inner loop is compiled once for each layout. It allocates memory only for a new type or
 * context, and reads each word of the entry at most once.
 *
 * Priority word of a thread's event (tx_trace.h): bit 31 set states that bits 16..25 are the preemption
 * threshold; older kernels wrote the bare priority. In an interrupt the word is the thread that was
 * interrupted, 0 when idle; older kernels wrote 0 there, whatever ran.
 *
 * Nesting of interrupts: the enter and exit events carry the system state, which is the depth; between them
 * the depth of the core holds, and any other context on that core ends it. An interrupt without an enter
 * event is depth 1. Cortex-M ports have the number of the exception in the state instead; then enter and exit
 * events are counted.
 */
#include "dialect/threadx/threadx.h"

enum { THRESHOLD_VALID = 31, PRIORITY_MASK = 0x3ff };

static const struct rst_layout *rows_bind(
	struct threadx *tx, struct model *model, uint32_t id, bool is_old_netx, struct tx_layout words)
{
	const struct tx_event *custom = map_find(&tx->custom, id);
	const struct tx_event *listed = id < tx->n_listed_ids ? tx_event_find(id, is_old_netx) : NULL;
	const struct tx_event *event = custom ? custom : listed;

	return event ? tx_event_bind(model, event, id, words.word, words.is_big)
		     : tx_event_bind_unlisted(model, id, words.word, words.is_big);
}

/*
 * Returns the layout of an event, and makes one for a new id. If NetX is unknown, the third word of each
 * event 384 decides. In NetX Duo this word is the type of service, which uses bits 16 to 23 only; in the
 * older NetX it is the destination.
 */
static const struct rst_layout *rows_layout(
	struct threadx *tx, struct model *model, uint32_t id, const uint8_t *info, struct tx_layout words)
{
	enum { RAW_PACKET_SEND = 384, THIRD = 2 };
	const uint32_t no_type_of_service = 0xff00ffff;
	const bool asks_words = id == RAW_PACKET_SEND && tx->netx == TX_NETX_UNKNOWN;
	bool is_old = tx->netx == TX_NETX_OLD;
	const struct rst_layout **layout = &tx->layouts[id];

	if (asks_words) {
		is_old = load_word(info + (size_t)THIRD * words.word, words.word, words.is_big) &
			 no_type_of_service;
		layout = &tx->packet_layouts[is_old];
	}
	if (!*layout)
		*layout = rows_bind(tx, model, id, is_old, words);
	return *layout;
}

/*
 * Whether a kernel that writes bare priorities made the dump. Such a kernel also writes 0 for each interrupt,
 * whatever runs. The first threads of the dump show which kernel it is.
 */
static bool has_bare_priorities(struct threadx *tx, const struct tx_image *image)
{
	enum { LOOK_AT = 4096 };

	if (tx->priorities != TX_PRIORITIES_UNKNOWN)
		return tx->priorities == TX_PRIORITIES_BARE;
	tx->priorities = TX_PRIORITIES_MARKED;
	for (uint64_t i = 0; i < image->n_whole && i < LOOK_AT; i++) {
		const uint8_t *slot = tx_image_slot(image, i);
		const uint64_t thread = tx_word(image, slot, TX_ENTRY_THREAD);
		const uint64_t word = tx_word(image, slot, TX_ENTRY_PRIORITY);

		if (thread != 0 && thread != TX_CONTEXT_ISR && thread != TX_CONTEXT_INIT &&
			!(word >> THRESHOLD_VALID & 1))
			tx->priorities = TX_PRIORITIES_BARE;
	}
	return tx->priorities == TX_PRIORITIES_BARE;
}

/*
 * Returns the context of a thread pointer, or NULL if memory ran out. Also finds what an interrupt
 * interrupted; that is NULL if it is not recorded.
 */
static inline const struct rst_context *rows_context(struct threadx *tx, struct model *model,
	const struct tx_image *image, uint64_t thread, uint64_t priority_word, uint64_t seq,
	const struct rst_context **ret_interrupted)
{
	struct contexts *contexts = &model->contexts;

	*ret_interrupted = NULL;
	if (__builtin_expect(thread == TX_CONTEXT_ISR, 0)) {
		if (priority_word)
			*ret_interrupted =
				contexts_thread(contexts, &model->objects, &model->arena, priority_word, seq);
		else if (!has_bare_priorities(tx, image))
			*ret_interrupted = contexts_special(contexts, &model->arena, RST_CONTEXT_IDLE, 0);
		if (!*ret_interrupted && (priority_word || !has_bare_priorities(tx, image)))
			return NULL;
		return contexts_special(contexts, &model->arena, RST_CONTEXT_ISR, thread);
	}
	if (__builtin_expect(thread == TX_CONTEXT_INIT, 0))
		return contexts_special(contexts, &model->arena, RST_CONTEXT_INIT, thread);
	return contexts_thread(contexts, &model->objects, &model->arena, thread, seq);
}

static inline void rows_priority(struct batch *batch, size_t row, uint64_t thread, uint64_t priority_word)
{
	bool is_thread = thread != TX_CONTEXT_ISR && thread != TX_CONTEXT_INIT;
	bool has_threshold = priority_word >> THRESHOLD_VALID & 1;

	batch->priority[row] = is_thread ? (int16_t)(priority_word & PRIORITY_MASK) : RST_NO_PRIORITY;
	batch->threshold[row] =
		is_thread && has_threshold ? (int16_t)(priority_word >> 16 & PRIORITY_MASK) : RST_NO_PRIORITY;
}

/* Empty slots between written ones: their events are lost. */
static bool rows_add_empty(struct threadx *tx, struct model *model, struct batch *batch,
	const struct tx_image *image, uint64_t slot)
{
	const struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = tx->place.n_empty,
		.offset = image->ring_at + (slot - tx->place.n_empty) * image->entry_bytes,
		.what = "slots between written ones are empty",
		.source = image->source };

	tx->place.n_empty = 0;
	return model_put_gap(model, batch, &gap);
}

/*
 * Called with constant word and is_big. Returns false if memory ran out. State that moves on with each slot
 * is in local variables: otherwise the compiler assumes that stores of bytes, such as depths, change it.
 */
static inline __attribute__((always_inline)) bool rows_fill_as(struct threadx *tx, struct model *model,
	struct batch *batch, const struct tx_run *run, const unsigned word, const bool is_big)
{
	const struct tx_image *image = &tx->images[run->image];
	const uint64_t mask = image->timer_mask, modulus = tx->modulus, n_slots = run->n_slots;
	const uint8_t *slots = tx_image_slot(image, run->first);
	const struct tx_layout words = { word, is_big };
	struct clock clock = tx->place.ticking;
	uint64_t at = tx->place.slot, seq = tx->place.seq;
	bool has_memory = true;

	for (; at < n_slots && !batch_is_full(batch); at++) {
		const uint8_t *slot = slots + at * (8 * word);
		uint64_t thread = load_word(slot + (size_t)TX_ENTRY_THREAD * word, word, is_big);

		if (__builtin_expect(thread == 0, 0)) {
			tx->place.n_empty += tx->place.has_written;
			continue;
		}
		if (__builtin_expect(tx->place.n_empty != 0, 0)) {
			has_memory = rows_add_empty(tx, model, batch, image, run->first + at);
			if (!has_memory || batch_is_full(batch))
				break;
		}
		uint64_t priority_word = load_word(slot + (size_t)TX_ENTRY_PRIORITY * word, word, is_big);
		uint64_t id_word = load_word(slot + (size_t)TX_ENTRY_ID * word, word, is_big);
		uint64_t stamp_word = load_word(slot + (size_t)TX_ENTRY_STAMP * word, word, is_big);
		uint64_t stamp = stamp_word & mask;
		uint32_t id = (uint32_t)id_word & 0xffff;
		unsigned core = (unsigned)(id_word >> 24) & 0xff;
		const struct rst_layout *layout = tx->layouts[id];
		const struct rst_context *context, *interrupted;
		size_t row;

		if (!layout)
			layout = rows_layout(tx, model, id, slot + (size_t)TX_ENTRY_INFO * word, words);
		context = rows_context(tx, model, image, thread, priority_word, seq, &interrupted);
		if (!layout || !context) {
			has_memory = false;
			break;
		}
		if (__builtin_expect(modulus && stamp >= modulus, 0))
			stamp %= modulus;
		row = batch_row(batch, 0,
			&(struct batch_row){
				.ticks = clock_ticks(&clock, stamp),
				.stamp = stamp_word,
				.seq = seq++,
				.layout = layout,
				.context = context,
				.payload = slot + (size_t)TX_ENTRY_INFO * word,
				.n_payload = TX_INFO_WORDS * (size_t)word,
			});
		batch->core[row] = (uint16_t)core;
		batch->interrupted[row] = interrupted;
		batch->depth[row] = tx_depth(&tx->place.depth[core], id, thread,
			load_word(slot + (size_t)(TX_ENTRY_INFO + 2) * word, word, is_big));
		rows_priority(batch, row, thread, priority_word);
		tx->place.has_written = true;
	}
	tx->place.ticking = clock;
	tx->place.slot = at;
	tx->place.seq = seq;
	return has_memory;
}

static bool rows_fill(struct threadx *tx, struct model *model, struct batch *batch, const struct tx_run *run)
{
	struct tx_layout layout = tx->images[run->image].layout;

	if (layout.word == 4)
		return layout.is_big ? rows_fill_as(tx, model, batch, run, 4, true)
				     : rows_fill_as(tx, model, batch, run, 4, false);
	return layout.is_big ? rows_fill_as(tx, model, batch, run, 8, true)
			     : rows_fill_as(tx, model, batch, run, 8, false);
}

static void rows_enter(struct threadx *tx, const struct tx_run *run)
{
	tx->place.has_entered = true;
	tx->place.has_written = false;
	tx->place.n_empty = tx->place.slot = 0;
	tx->place.seq = run->seq;
	if (tx->in_file_order && !run->is_gap && !run->may_be_anew)
		tx->place.ticking = run->clocks[tx->clock];
}

/* Called in front of a dump that is a new run, or may have lost events. */
static bool rows_boundary(
	struct threadx *tx, struct model *model, struct batch *batch, const struct tx_run *run)
{
	if (!run->is_anew[tx->clock])
		return !run->is_gap || model_put_gap(model, batch, &run->gap);
	if (!tx->in_file_order)
		clock_begin_run(&tx->place.ticking, model_run_begin(model, batch));
	return model_put_run(model, batch, run->gap.source, run->gap.offset,
		"this dump has no event of the one before, and its clock begins in front of the end of that "
		"one");
}

enum rst_status tx_rows(struct threadx *tx, struct model *model, struct batch *batch, struct rst_error *err)
{
	while (tx->place.run < tx->n_runs && !batch_is_full(batch)) {
		const struct tx_run *run = tx_run_at(tx, tx->place.run);

		if (!tx->place.has_entered)
			rows_enter(tx, run);
		if (!(run->may_be_anew	  ? rows_boundary(tx, model, batch, run)
			    : run->is_gap ? model_put_gap(model, batch, &run->gap)
					  : rows_fill(tx, model, batch, run)))
			return error_nomem(err);
		if (run->is_gap || tx->place.slot == run->n_slots) {
			tx->place.run++;
			tx->place.has_entered = false;
		}
	}
	return tx->place.run < tx->n_runs ? RST_OK : RST_END;
}
