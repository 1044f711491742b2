/* SPDX-License-Identifier: MIT */
/* Makes rows of entries, and finds the next entry behind damage. */
#include "base/load.h"
#include "dialect/aix/aix.h"

/* --- loss and damage ------------------------------------------------------------------------------------ */

/* An entry of the recorder itself: it states how many others are missing here. */
static bool is_loss(const struct aix_entry *entry)
{
	return entry->hook.id == AIX_HOOK_LOST << 4 && entry->hook.n_words == 1 && !entry->hook.is_generic;
}

static bool add_loss(struct aix *aix, struct model *model, struct batch *batch, const struct chunk *chunk,
	const struct aix_entry *entry, const uint8_t *view)
{
	enum { OVERWRITTEN = 1 };
	unsigned word = aix->header.word_bytes;
	const struct rst_gap gap = { .marker = RST_LOSS,
		.n_events = load_word(view + word, word, true),
		.what = entry->hook.data == OVERWRITTEN ? "later ones took their room"
							: "the recorder had no room for them",
		.source = chunk->source };

	return model_put_gap(model, batch, &gap);
}

static bool add_damage(
	struct model *model, struct batch *batch, struct chunk *chunk, size_t n_bytes, bool is_cut)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = chunk->offset + chunk->n_used,
		.n_bytes = n_bytes,
		.what = is_cut ? "the last entry is cut" : "bytes that are no entry",
		.source = chunk->source };

	chunk->n_used += n_bytes;
	return model_put_gap(model, batch, &gap);
}

/*
 * Whether entries go on from here: a number of stamped entries in a row, each later than the one before it,
 * or fewer of them up to another header or the end of the bytes.
 */
static bool rows_goes_on(const struct aix *aix, const uint8_t *at, size_t n_bytes, const uint32_t *last_stamp)
{
	enum { ENOUGH = 4 };
	struct aix_header header;
	struct aix_entry entry;
	uint32_t stamp;

	for (unsigned i = 0; i < ENOUGH; i++) {
		if (aix_header_load(&header, at, n_bytes) || (i && n_bytes == 0))
			return true;
		if (aix_find(&entry, &aix->header, at, n_bytes) != AIX_FOUND || !entry.hook.is_stamped ||
			(last_stamp && entry.stamp - *last_stamp > INT32_MAX))
			return false;
		stamp = entry.stamp;
		last_stamp = &stamp;
		at += entry.n_bytes;
		n_bytes -= entry.n_bytes;
	}
	return true;
}

/* The number of bytes up to entries that go on; n_look if they do not begin before. */
static size_t entries_ahead(
	const struct aix *aix, const uint8_t *at, size_t n_bytes, size_t n_look, const uint32_t *last_stamp)
{
	size_t n = 1;

	while (n < n_look && !rows_goes_on(aix, at + n, n_bytes - n, last_stamp))
		n++;
	return n < n_look ? n : n_look;
}

/*
 * Passes over bytes whose first ones begin no entry, or a cut one. Nearby, time must go on from the last
 * entry but one: the last one may have a wrong stamp because its bytes were lost.
 */
static bool bytes_skip(
	struct aix *aix, struct model *model, struct batch *batch, struct chunk *chunk, bool is_cut)
{
	enum { NEAR = 1024 };
	const uint8_t *at = chunk->bytes + chunk->n_used;
	size_t n_left = chunk->n_bytes - chunk->n_used, n_near = n_left < NEAR ? n_left : NEAR, n = n_left;

	if (aix->n_stamps > 1)
		n = entries_ahead(aix, at, n_left, n_near, &aix->stamps[aix->n_stamps & 1]);
	if (aix->n_stamps <= 1 || n == n_near)
		n = entries_ahead(aix, at, n_left, n_left, NULL);
	return add_damage(model, batch, chunk, n, is_cut && n == n_left);
}

/* --- headers -------------------------------------------------------------------------------------------- */

static bool tell_header(struct model *model, const struct aix_header *header)
{
	return model_detail_number(model, "word_bits", 8U * header->word_bytes) &&
	       model_detail_text(model, "byte_order", header->is_big ? "big" : "little") &&
	       model_detail_number(model, "channel", header->channel) &&
	       model_detail_text(model, "when_full",
		       header->keeps_newest ? "the oldest are overwritten" : "new ones are refused");
}

static bool take_header(struct aix *aix, struct model *model, struct batch *batch, struct chunk *chunk,
	const struct aix_header *header)
{
	bool is_good;

	if (!model->clock_hz)
		model->clock_hz = header->clock_hz;
	if (aix->has_header)
		is_good = model_put_run(model, batch, chunk->source, chunk->offset + chunk->n_used,
				  "another recording begins") &&
			  model_warn(model,
				  "another recording begins at byte %llu; how much time is between is not "
				  "known",
				  (unsigned long long)(chunk->offset + chunk->n_used));
	else
		is_good = tell_header(model, header);
	if (aix->has_header)
		clock_begin_run(&aix->clock, model_run_begin(model, batch));
	aix->n_stamps = 0;
	aix->has_header = true;
	aix->header = *header;
	chunk->n_used += AIX_HEADER_BYTES;
	return is_good;
}

/* --- rows ----------------------------------------------------------------------------------------------- */

static const struct rst_context *row_context(struct aix *aix, struct model *model, uint32_t thread)
{
	if (thread == 0)
		return model->unknown;
	if (model->contexts.n_all >= AIX_THREADS_MAX && !map_find(&model->contexts.unknown, thread)) {
		if (!aix->has_threads &&
			!model_warn(model, "there are so many threads that later ones are not distinguished"))
			return NULL;
		aix->has_threads = true;
		return model->unknown;
	}
	return contexts_thread(&model->contexts, &model->objects, &model->arena, thread, aix->seq);
}

static uint64_t row_ticks(struct aix *aix, const struct aix_entry *entry)
{
	if (!entry->hook.is_stamped)
		return aix->clock.ticks;
	aix->stamps[aix->n_stamps++ & 1] = entry->stamp;
	return clock_ticks(&aix->clock, entry->stamp);
}

static bool add_row(struct aix *aix, struct model *model, struct batch *batch, const struct aix_entry *entry,
	const uint8_t *view)
{
	const struct rst_layout *layout = hook_layout(&aix->types, model, &entry->hook);
	const struct rst_context *context = row_context(aix, model, entry->thread);
	size_t row;

	if (!layout || !context)
		return false;
	row = batch_row(batch, AIX_COLUMNS,
		&(struct batch_row){
			.ticks = row_ticks(aix, entry),
			.stamp = aix->clock.stamp,
			.seq = aix->seq++,
			.layout = layout,
			.context = context,
			.payload = view,
			.n_payload = entry->hook.n_view,
		});
	if (aix->header.has_core && entry->hook.is_stamped && entry->core < RST_NO_CORE)
		batch->core[row] = (uint16_t)entry->core;
	return true;
}

/*
 * The bytes of an entry as templates read them: its own bytes if words are big-endian, else converted ones.
 * Returns NULL if the batch has no room for these.
 */
static const uint8_t *entry_view(
	const struct aix *aix, struct batch *batch, const struct aix_entry *entry, const uint8_t *at)
{
	uint8_t *view;

	if (aix->header.is_big)
		return at;
	view = batch_scratch(batch, entry->hook.n_view);
	if (view)
		hook_word_view(view, &entry->hook, false, at);
	return view;
}

/* Returns false if memory ran out, or *ret_is_full. */
static bool take_entry(struct aix *aix, struct model *model, struct batch *batch, struct chunk *chunk,
	const struct aix_entry *entry, bool *ret_is_full)
{
	const uint8_t *view = entry_view(aix, batch, entry, chunk->bytes + chunk->n_used);
	bool is_good;

	*ret_is_full = !view;
	if (!view)
		return false;
	is_good = is_loss(entry) ? add_loss(aix, model, batch, chunk, entry, view)
				 : add_row(aix, model, batch, entry, view);
	chunk->n_used += entry->n_bytes;
	return is_good;
}

bool aix_rows(struct aix *aix, struct model *model, struct batch *batch, struct chunk *chunk)
{
	bool is_good = true, is_full = false;
	struct aix_header header;
	struct aix_entry entry;

	while (is_good && !batch_is_full(batch) && chunk->n_used < chunk->n_bytes) {
		const uint8_t *at = chunk->bytes + chunk->n_used;
		size_t n_left = chunk->n_bytes - chunk->n_used;
		enum aix_find found = AIX_FOUND;

		if (aix_header_may_begin(at[0]) && aix_header_load(&header, at, n_left)) {
			is_good = take_header(aix, model, batch, chunk, &header);
			continue;
		}
		found = aix_find(&entry, &aix->header, at, n_left);
		if (found == AIX_FOUND)
			is_good = take_entry(aix, model, batch, chunk, &entry, &is_full);
		else
			is_good = bytes_skip(aix, model, batch, chunk, found == AIX_CUT);
	}
	return is_good || is_full;
}
