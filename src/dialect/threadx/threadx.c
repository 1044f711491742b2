/* SPDX-License-Identifier: MIT */
#include "dialect/threadx/threadx.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"

static const struct dialect_option options[] = {
	{ "word", "4|8", "bytes of the target's ULONG, found by the header's geometry" },
	{ "endian", "little|big", "byte order of the target, found by the header" },
	{ "wrap", "N", "time stamps wrap at N, not at the header's mask" },
	{ "direction", "up|down", "which way the target's counter runs, found by the majority of steps" },
	{ "netx", "duo|old", "NetX events 384 and 441 to 448: as NetX Duo has them, or NetX before" },
	{ "user-events", "1025|4096", "first id of user events: 4096 of tx_api.h, or 1025 of TraceX" },
	{ "custom", "FILE", "names of user events, TraceX's custom event file" },
	{ NULL, NULL, NULL },
};

/* --- settings ------------------------------------------------------------------------------------------- */

/* Takes a setting that is one of two words: sets *ret_value to the number of the word. */
static enum rst_status take_choice(const struct rst_open *how, const char *key, const char *first,
	const char *second, unsigned *ret_value, struct rst_error *err)
{
	const char *value = dialect_setting(how, key);

	if (!value)
		return RST_OK;
	if (strcmp(value, first) != 0 && strcmp(value, second) != 0)
		return dialect_bad_setting(&dialect_threadx, key, value, err);
	*ret_value = strcmp(value, first) == 0 ? 1 : 2;
	return RST_OK;
}

static enum rst_status threadx_open(
	void *state, struct model *model, const struct rst_open *how, struct rst_error *err)
{
	struct threadx *tx = state;
	const char *wrap = dialect_setting(how, "wrap"), *custom = dialect_setting(how, "custom");
	unsigned word = 0, endian = 0, direction = 0, netx = 0, users = 0;

	error_try(take_choice(how, "word", "4", "8", &word, err));
	error_try(take_choice(how, "endian", "little", "big", &endian, err));
	error_try(take_choice(how, "direction", "up", "down", &direction, err));
	error_try(take_choice(how, "netx", "duo", "old", &netx, err));
	error_try(take_choice(how, "user-events", "1025", "4096", &users, err));
	if (wrap && (!text_parse_u64(wrap, &tx->wrap) || tx->wrap < 2))
		return dialect_bad_setting(&dialect_threadx, "wrap", wrap, err);
	tx->wanted.word = 4 * word;
	tx->wanted.endian = endian;
	tx->direction = direction;
	tx->netx = (enum tx_netx)netx;
	tx->n_listed_ids = users == 1 ? TX_FIRST_USER_ID : TX_KNOWN_IDS;
	tx->in_file_order = how->in_file_order;
	return custom ? tx_custom_load(tx, model, custom, err) : RST_OK;
}

/* --- the header, for `info` ----------------------------------------------------------------------------- */

static bool details_header(struct model *model, const struct tx_image *image)
{
	uint64_t *marks = arena_alloc(&model->arena, sizeof(image->marks));

	if (!marks)
		return false;
	memcpy(marks, image->marks, sizeof(image->marks));
	return model_detail_number(model, "word_size", image->layout.word) &&
	       model_detail_text(model, "endian", image->layout.is_big ? "big" : "little") &&
	       model_detail_hex(model, "timer_valid_mask", image->timer_mask) &&
	       model_detail_hex(model, "base", image->base) &&
	       model_detail_hex(model, "registry_start", image->registry_start) &&
	       model_detail_hex(model, "registry_end", image->registry_end) &&
	       model_detail_hex(model, "buffer_start", image->ring_start) &&
	       model_detail_hex(model, "buffer_end", image->ring_end) &&
	       model_detail_hex(model, "buffer_current", image->current) &&
	       model_detail_number(model, "name_size", image->name_bytes) &&
	       model_detail_number(model, "header_reserved1", image->reserved1) &&
	       model_detail(model, &(struct rst_detail){ .name = "header_reserved",
					   .type = RST_DETAIL_HEX_LIST,
					   .number = 3,
					   .list = marks });
}

/* If the slot at the current pointer is missing, it is unknown whether the ring has gone round. */
static bool details_wrapped(struct model *model, const struct tx_image *image)
{
	struct rst_detail wrapped = { .name = "wrapped", .type = RST_DETAIL_NULL };

	if (image->has_current && image->current_index < image->n_whole) {
		wrapped.type = RST_DETAIL_BOOL;
		wrapped.number =
			tx_word(image, tx_image_slot(image, image->current_index), TX_ENTRY_THREAD) != 0;
	}
	return model_detail(model, &wrapped);
}

static bool details_geometry(struct model *model, const struct tx_image *image)
{
	struct rst_detail current = { .name = "current_index",
		.type = image->has_current ? RST_DETAIL_NUMBER : RST_DETAIL_NULL,
		.number = image->current_index };

	return model_detail_number(model, "header_size", image->header_bytes) &&
	       model_detail_number(model, "registry_entry_size", image->object_bytes) &&
	       model_detail_number(model, "event_entry_size", image->entry_bytes) &&
	       model_detail_number(model, "registry_capacity", image->n_objects) &&
	       model_detail_number(model, "event_capacity", image->n_slots) &&
	       model_detail_number(model, "events_stored_in_file_capacity", image->n_whole) &&
	       model_detail(model, &current) && details_wrapped(model, image) &&
	       model_detail_bool(model, "truncated", image->n_whole < image->n_slots);
}

static bool header_details(struct threadx *tx, struct model *model)
{
	const struct tx_image *first = &tx->images[0], *last = &tx->images[tx->n_images - 1];

	return model_detail_number(model, "file_size", first->n_bytes) &&
	       model_detail_number(model, "leading_bytes", first->offset) && details_header(model, first) &&
	       details_geometry(model, first) && model_detail_number(model, "trailing_bytes", last->n_tail) &&
	       model_detail_number(model, "dumps", tx->n_images) &&
	       model_detail_text(model, "ts_direction", model->clock_is_down ? "down" : "up") &&
	       model_detail_number(model, "wrap", tx->modulus) &&
	       model_detail_bool(model, "wrap_guessed", tx->is_wrap_guessed);
}

/* --- images --------------------------------------------------------------------------------------------- */

static enum rst_status threadx_add_image(
	struct threadx *tx, const struct tx_image *image, struct rst_error *err)
{
	struct tx_image *images =
		array_room(tx->images, tx->n_images, &tx->images_room, sizeof(struct tx_image));

	if (!images)
		return error_nomem(err);
	tx->images = images;
	images[tx->n_images++] = *image;
	return RST_OK;
}

/* Returns why an image cannot follow the first one, or NULL if it can. */
static const char *image_mismatch(const struct tx_image *image, const struct tx_image *first)
{
	if (image->layout.word != first->layout.word)
		return "this dump has words of another size than the first and cannot be joined to it";
	if (image->layout.is_big != first->layout.is_big)
		return "this dump has another byte order than the first and cannot be joined to it";
	if (image->timer_mask != first->timer_mask)
		return "this dump has another timer mask than the first and cannot be joined to it";
	return NULL;
}

/* An input that cannot be joined is damage; the events before and behind it are still given. */
static enum rst_status image_refuse(struct threadx *tx, struct model *model, const struct chunk *chunk,
	const char *what, uint64_t offset, struct rst_error *err)
{
	struct tx_refusal *refusals =
		array_room(tx->refusals, tx->n_refusals, &tx->refusals_room, sizeof(struct tx_refusal));
	const char *copy = arena_copy(&model->arena, what, strlen(what));

	if (refusals)
		tx->refusals = refusals;
	if (!refusals || !copy)
		return error_nomem(err);
	refusals[tx->n_refusals++] = (struct tx_refusal){ .n_images = tx->n_images,
		.gap = { .marker = RST_DAMAGE,
			.offset = offset,
			.n_bytes = chunk->n_bytes - offset,
			.what = copy,
			.source = chunk->source } };
	return RST_OK;
}

/* Each dump takes some hundred bytes of memory. */
enum { IMAGES_MAX = LIMIT(65536, 8) };

/*
 * A file may hold several dumps one after the other. Each further dump must have the same layout and a header
 * without fault.
 */
static enum rst_status add_followers(struct threadx *tx, struct model *model, const struct chunk *chunk,
	const struct tx_image *first, struct rst_error *err)
{
	const struct tx_wanted any = { 0 };
	struct tx_image next = *first;
	uint64_t offset;

	while (next.n_tail &&
		tx_image_find(&next, next.bytes, next.n_bytes, tx_image_end(&next), any, NULL) == RST_OK) {
		if (!next.has_current || !next.has_registry_end)
			break;
		if (image_mismatch(&next, first))
			return model_warn(model, "%s: byte %" PRIu64 ": %s", first->source, next.offset,
				       image_mismatch(&next, first))
				       ? RST_OK
				       : error_nomem(err);
		if (tx->n_images == IMAGES_MAX)
			return model_warn(model, "dumps behind the first %d are passed over", IMAGES_MAX)
				       ? RST_OK
				       : error_nomem(err);
		tx->images[tx->n_images - 1].n_tail = 0;
		next.source = first->source;
		error_try(threadx_add_image(tx, &next, err));
	}
	if (tx_image_has_cut_follower(&tx->images[tx->n_images - 1], &offset))
		return image_refuse(
			tx, model, chunk, "a further dump begins here and is cut in its header", offset, err);
	return RST_OK;
}

static enum rst_status add_chunk(
	struct threadx *tx, struct model *model, const struct chunk *chunk, struct rst_error *err)
{
	struct tx_image image;
	struct rst_error why;
	enum rst_status status = tx_image_find(&image, chunk->bytes, chunk->n_bytes, 0, tx->wanted, &why);
	const char *misfit = status == RST_OK && tx->n_images ? image_mismatch(&image, &tx->images[0]) : NULL;

	if (status < 0 && !tx->n_images) {
		*err = why;
		return status;
	}
	if (status < 0)
		return image_refuse(tx, model, chunk, why.what, why.offset, err);
	if (misfit)
		return image_refuse(tx, model, chunk, misfit, image.offset, err);
	if (image.offset &&
		!model_warn(model, "%" PRIu64 " bytes in front of the trace header are passed over",
			image.offset))
		return error_nomem(err);
	image.source = chunk->source;
	error_try(threadx_add_image(tx, &image, err));
	return add_followers(tx, model, chunk, &image, err);
}

/* --- the contract --------------------------------------------------------------------------------------- */

static bool input_prepare(struct threadx *tx, struct model *model, bool wants_parts)
{
	tx->is_surveyed = tx->lacks_memory = true;
	if (!tx_order(tx, model))
		return false;
	if (wants_parts)
		tx_parts_begin(tx);
	if (!tx_survey(tx, model))
		return false;
	clock_init(&tx->place.ticking, tx->modulus, model->clock_is_down);
	tx->start = tx->place;
	tx_parts_end(tx, model);
	tx->lacks_memory = !header_details(tx, model);
	return !tx->lacks_memory;
}

/* If a dump cannot be read at all, reading it returns the error. */
static bool threadx_survey(
	void *state, struct model *model, const struct chunk *whole, uint64_t *ret_first_ticks)
{
	struct threadx *tx = state;
	struct rst_error err;

	if (!tx->is_surveyed && !tx->in_file_order) {
		if (add_chunk(tx, model, whole, &err) < 0)
			tx->n_images = tx->n_refusals = 0;
		else
			input_prepare(tx, model, true);
	}
	*ret_first_ticks = model->first_ticks;
	return tx->parts.n > 0 && !tx->lacks_memory;
}

/* Reported once, at the end. */
static bool warn_steps_back(struct threadx *tx, struct model *model)
{
	uint64_t n_back = tx->place.ticking.n_back;

	tx->place.ticking.n_back = 0;
	return n_back == 0 ||
	       model_warn(model,
		       "%" PRIu64 " time stamps step back a little: they are taken to be out of "
		       "order, not to have wrapped",
		       n_back);
}

/* Tells it once, with the batch that has the first interrupt, which shows it (rows.c). */
static bool warn_old_kernel(struct threadx *tx, struct model *model)
{
	const bool is_new = tx->priorities == TX_PRIORITIES_BARE && !tx->has_told_priorities;

	tx->has_told_priorities |= is_new;
	return !is_new ||
	       model_warn(model, "an older ThreadX, by its bare priorities: its interrupts do not tell "
				 "what they interrupted");
}

static enum rst_status threadx_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct threadx *tx = state;

	if (chunk->behind != CHUNK_ENDS) {
		/* The survey has already read this chunk. */
		enum rst_status status = tx->is_surveyed ? RST_OK : add_chunk(tx, model, chunk, err);

		chunk->n_used = chunk->n_bytes;
		return status < 0 ? status : RST_MORE;
	}
	if (!tx->n_images)
		return error_set(err, RST_E_DAMAGED, 0, "the input is empty");
	if (!tx->is_surveyed)
		input_prepare(tx, model, false);
	if (tx->lacks_memory)
		return error_nomem(err);
	tx_parts_pass(tx);
	enum rst_status status = tx_rows(tx, model, batch, err);

	if (!warn_old_kernel(tx, model) || (status == RST_END && !warn_steps_back(tx, model)))
		return error_nomem(err);
	return status;
}

/* The share of the slots of all runs that have been read. */
static double threadx_share(const void *state, const struct chunk *chunk)
{
	const struct threadx *tx = state;
	double done = (double)tx->place.slot * tx->place.has_entered, all = 0;

	(void)chunk;
	for (size_t i = 0; i < tx->n_runs; i++) {
		const double n_slots = (double)tx_run_at(tx, i)->n_slots;

		all += n_slots;
		done += i < tx->place.run ? n_slots : 0;
	}
	return all > 0 ? done / all : 0;
}

/* Returns false before the survey, when there is no place yet. */
static bool threadx_place_take(const void *state, void *ret_place)
{
	const struct threadx *tx = state;

	_Static_assert(sizeof(tx->place) <= DIALECT_PLACE_MAX, "a place has room for it");
	if (tx->is_surveyed)
		memcpy(ret_place, &tx->place, sizeof(tx->place));
	return tx->is_surveyed;
}

static bool threadx_place_go(void *state, const void *place)
{
	struct threadx *tx = state;
	struct tx_place wanted = tx->start;

	if (place)
		memcpy(&wanted, place, sizeof(wanted));
	if (!tx->is_surveyed || wanted.n_all != tx->start.n_all || wanted.n_rises != tx->start.n_rises ||
		wanted.largest != tx->start.largest)
		return false;
	tx->place = wanted;
	return true;
}

static void threadx_close(void *state)
{
	struct threadx *tx = state;

	free(tx->images);
	free(tx->runs);
	free(tx->refusals);
	tx_parts_done(&tx->parts);
	map_done(&tx->custom);
	map_done(&tx->registered);
}

static const struct dialect_rare threadx_rare = {
	.misfit = tx_image_misfit,
	.place_take = threadx_place_take,
	.place_go = threadx_place_go,
	.survey = threadx_survey,
	.narrow = tx_parts_narrow,
	.take_passed = tx_parts_take_passed,
};

const struct dialect dialect_threadx = {
	.name = "threadx",
	.summary = "ThreadX event trace buffer (TraceX's TXTB), with FileX, NetX and USBX events",
	.options = options,
	.chunks = CHUNKS_WHOLE,
	.columns = TX_COLUMNS,
	.state_bytes = sizeof(struct threadx),
	.probe = tx_image_probe,
	.has_machine_order = true,
	.open = threadx_open,
	.read = threadx_read,
	.share = threadx_share,
	.close = threadx_close,
	.catalogue = tx_events_catalogue,
	.rare = &threadx_rare,
};
