/* SPDX-License-Identifier: MIT */
/* Hands the items over: bytes in runs, after the damage and loss that were found on the way to them. */
#include "input/source_parts.h"

static struct input_item item_damage(struct source *source)
{
	const struct wrapping_broken *broken = &source->faults.kept[source->n_damages++];

	return (struct input_item){ .kind = INPUT_DAMAGE,
		.offset = broken->offset,
		.n_bytes = broken->n_bytes,
		.what = broken->what };
}

static struct input_item item_loss(struct source *source)
{
	source->has_loss = false;
	return (struct input_item){
		.kind = INPUT_LOSS, .offset = source->n_dropped + source->n_given, .what = source->loss
	};
}

static struct input_item item_end(struct source *source)
{
	struct input_item item = { .kind = INPUT_END,
		.offset = source->n_dropped + source->n_given,
		.n_more = source->faults.n_all - source->faults.n_kept - source->n_damages_more };

	source->n_damages_more += item.n_more;
	return item;
}

/* Gives bytes as they come. Returns RST_MORE if bytes are missing here. */
static enum rst_status source_pull(struct source *source, struct input_item *ret, struct rst_error *err)
{
	struct layer *top;
	enum rst_status status = layer_fill(source_top(source), 1, err);

	if (status != RST_OK)
		return status;
	top = source_top(source);
	ret->n_bytes = layer_take(top, top->buffer ? SOURCE_CHUNK_BYTES : SIZE_MAX, &ret->bytes);
	if (!ret->n_bytes)
		*ret = item_end(source);
	return RST_OK;
}

/* Finds the next item other than damage and loss. Returns RST_MORE if a loss comes first. */
static enum rst_status source_find(
	struct source *source, enum input_manner manner, struct input_item *ret, struct rst_error *err)
{
	const bool wants_whole = manner == INPUT_WHOLE || (manner == INPUT_FILES_WHOLE && source->n_file);
	bool is_pause = false;

	*ret = (struct input_item){ .kind = INPUT_BYTES, .offset = source->n_dropped + source->n_given };
	error_try(source_settle(source, err));
	if (wants_whole && !source->has_whole)
		return source_whole(source, manner == INPUT_FILES_WHOLE, ret, err);
	if (wants_whole && manner == INPUT_WHOLE) {
		*ret = item_end(source);
		return RST_OK;
	}
	if (source->has_loss)
		return RST_MORE;
	if (source_may_pause(source))
		error_try(source_wait(source, &is_pause, err));
	if (source->has_loss)
		return RST_MORE;
	if (!is_pause)
		return source_pull(source, ret, err);
	ret->kind = INPUT_PAUSE;
	return RST_OK;
}

enum rst_status source_next(
	struct source *source, enum input_manner manner, struct input_item *ret, struct rst_error *err)
{
	if (source->n_dropped && !source->n_given && !source->has_ready && !source->faults.n_all)
		source_note(source, 0, source->n_dropped, "no dialect recognises these bytes");
	if (source->mapping && !source->is_read_ahead)
		source_read_ahead(source->mapping, source->n_mapped);
	source->is_read_ahead = true;
	if (!source->has_ready) {
		enum rst_status status = source_find(source, manner, &source->ready, err);

		if (status < 0)
			return source_fail(source, status, err);
		if (status == RST_MORE) {
			if (!source->has_loss)
				source_note_loss(source);
			*ret = item_loss(source);
			return RST_OK;
		}
		source->has_ready = true;
	}
	if (source->n_damages < source->faults.n_kept) {
		*ret = item_damage(source);
		return RST_OK;
	}
	*ret = source->ready;
	source->has_ready = false;
	if (ret->kind == INPUT_BYTES) {
		source->n_given += ret->n_bytes;
		source->has_paused = false;
	}
	return RST_OK;
}

enum rst_status source_open_whole(struct source **ret_source, const char *path, size_t n_max,
	struct input_item *ret_bytes, struct input_item *ret_fault, struct rst_error *err)
{
	struct source *source;
	enum rst_status status;

	error_try(source_open(&source, path, err));
	source->n_max = n_max;
	*ret_fault = (struct input_item){ .kind = INPUT_END };
	do {
		status = source_next(source, INPUT_WHOLE, ret_bytes, err);
		if (status >= 0 && ret_bytes->kind == INPUT_DAMAGE && ret_fault->kind == INPUT_END)
			*ret_fault = *ret_bytes;
	} while (status >= 0 && ret_bytes->kind != INPUT_BYTES);
	if (status < 0)
		source_free(source);
	else
		*ret_source = source;
	return status;
}
