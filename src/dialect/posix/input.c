/* SPDX-License-Identifier: MIT */
/*
 * Divides chunks into blocks. A file is looked at as a whole first (ahead.c). A stream gives its blocks as
 * they arrive; an incomplete block is left for the next chunk. A ring area that arrives in chunks is left
 * unread until its end has arrived.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/posix/posix.h"
#include "input/source.h"

void posix_input_done(struct posix_input *input)
{
	free(input->entries.items);
	free(input->unfolded.items);
}

/* --- a stream ------------------------------------------------------------------------------------------- */

static enum posix_step read_stream(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	enum posix_step step = posix->is_in_block ? posix_rows(posix, model, batch) : POSIX_DONE;
	struct log_item found;
	struct posix_entry entry;

	while (step == POSIX_DONE) {
		enum log_found what;

		if (batch_is_full(batch))
			return POSIX_NO_ROOM;
		what = log_scan_next(
			&input->scan, input->bytes, input->n_bytes, input->at, input->is_end, &found);
		if (what == LOG_FOUND_MORE && !input->is_end)
			return POSIX_MORE;
		if (what >= LOG_FOUND_MORE)
			break;
		posix_entry_of(&entry, &found, what == LOG_FOUND_BLOCK);
		step = posix_block(posix, model, batch, &entry);
		if (step == POSIX_DONE && posix->is_in_block)
			step = posix_rows(posix, model, batch);
	}
	if (step == POSIX_DONE)
		input->phase = POSIX_OVER;
	return step;
}

/* --- the head ------------------------------------------------------------------------------------------- */

/*
 * If the first input is not a log, reading fails. If a later one is not, it is damage, and the rows before it
 * stay.
 */
static enum posix_step no_log(struct posix *posix, struct model *model, struct batch *batch,
	enum rst_status status, const char *what)
{
	struct posix_input *input = &posix->input;

	if (!posix->has_read) {
		posix->has_failed = true;
		error_set(&posix->failure, status, 0, "%s", what);
		return POSIX_FAILED;
	}
	if (batch_is_full(batch))
		return POSIX_NO_ROOM;
	input->phase = POSIX_OVER;
	input->has_end = true; /* so that no missing end is reported */
	return posix_damage(posix, model, batch, 0, 0, what) ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step begin_log(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;

	posix->has_read = true;
	input->phase = POSIX_STREAM;
	if (input->is_whole)
		input->phase = POSIX_WHOLE;
	else if (input->scan.header.area_bytes)
		input->phase = POSIX_GATHER;
	if (!input->is_bare && !posix_header(posix, model))
		return POSIX_NO_MEMORY;
	return input->phase != POSIX_WHOLE || posix_look_ahead(posix, model) ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step read_head(struct posix *posix, struct model *model, struct batch *batch)
{
	struct posix_input *input = &posix->input;
	const char *what = "this is no Rastrum log";
	int status = log_scan_begin(&input->scan, input->bytes, input->n_bytes, &what);

	if (status == EAGAIN && !input->is_end)
		return POSIX_MORE;
	input->is_bare =
		status == EINVAL && log_scan_bare(&input->scan, input->bytes, input->n_bytes, input->at);
	if (input->is_bare)
		return begin_log(posix, model);
	if (status == EAGAIN)
		return no_log(posix, model, batch, RST_E_DAMAGED, "the header of the log is cut");
	if (status == ENOTSUP)
		return no_log(posix, model, batch, RST_E_UNSUPPORTED, what);
	if (status)
		return no_log(posix, model, batch, RST_E_DAMAGED, "the header of the log is damaged");
	if (input->scan.header.content != LOG_CONTENT_POSIX)
		return no_log(posix, model, batch, RST_E_UNSUPPORTED,
			"this Rastrum log holds something else than a POSIX trace");
	return begin_log(posix, model);
}

static enum posix_step read_gathered(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;

	if (!input->is_end && input->n_bytes < SOURCE_WHOLE_MAX)
		return POSIX_MORE;
	input->is_held_full = !input->is_end;
	input->phase = POSIX_WHOLE;
	return posix_look_ahead(posix, model) ? POSIX_DONE : POSIX_NO_MEMORY;
}

static enum posix_step read_phases(struct posix *posix, struct model *model, struct batch *batch)
{
	const struct posix_input *input = &posix->input;
	enum posix_step step = POSIX_DONE;

	while (step == POSIX_DONE && input->phase != POSIX_OVER && input->phase != POSIX_NO_INPUT) {
		if (input->phase == POSIX_HEAD)
			step = read_head(posix, model, batch);
		else if (input->phase == POSIX_GATHER)
			step = read_gathered(posix, model);
		else if (input->phase == POSIX_WHOLE)
			step = posix_read_entries(posix, model, batch);
		else
			step = read_stream(posix, model, batch);
	}
	return step;
}

/* --- chunks --------------------------------------------------------------------------------------------- */

/* Types, memory and clocks belong to one log; names of threads and addresses remain for the next log. */
static void forget_log(struct posix *posix)
{
	if (posix->types)
		memset(posix->types, 0, posix->types_room * sizeof(struct posix_type *));
	symbol_memory_forget(&posix->memory);
	posix->generation++;
	posix->had_pair = posix->n_pairs;
	posix->before_pair = posix->last_pair;
	posix->n_pairs = 0;
	posix->begins_log = posix->seq;
}

static void begin_input(struct posix *posix, const struct chunk *chunk, bool is_whole)
{
	forget_log(posix);
	posix->input = (struct posix_input){ .phase = POSIX_HEAD,
		.source = chunk->source,
		.is_whole = is_whole,
		.bytes = chunk->bytes,
		.n_bytes = chunk->n_bytes,
		.at = chunk->offset };
}

/* Notes are about the first input; others are named. A file without a ring area can be followed. */
static bool warn_no_end(const struct posix *posix, struct model *model)
{
	const struct posix_input *input = &posix->input;
	bool is_first = posix->n_inputs == 0, may_follow = input->is_whole && !input->scan.header.area_bytes;

	return model_warn(model,
		"%.64s%sthe log has no end: its program still runs (%s), "
		"or was killed and its consumer with it, or this is not the whole log (copy it again)",
		is_first ? "" : input->source, is_first ? "" : ": ",
		may_follow ? "--follow goes on with it" : "read it again later");
}

/* Gives a warning if the input has no END block: the log was not finished, which is normal after a crash. */
static bool end_input(struct posix *posix, struct model *model)
{
	struct posix_input *input = &posix->input;
	bool is_good = true;

	if (!input->has_end && !input->is_told_cut)
		is_good = warn_no_end(posix, model);
	posix->is_incomplete |= !input->has_end;
	posix_detail_bool(posix, model, POSIX_DETAIL_COMPLETE, !posix->is_incomplete);
	posix_input_done(input);
	input->entries = input->unfolded = (struct posix_entries){ 0 };
	input->phase = POSIX_NO_INPUT;
	posix->n_inputs++;
	return is_good;
}

static enum rst_status status_of(struct posix *posix, enum posix_step step, struct rst_error *err)
{
	if (step == POSIX_NO_MEMORY)
		return error_nomem(err);
	if (step == POSIX_FAILED) {
		if (err)
			*err = posix->failure;
		return posix->failure.status;
	}
	return step == POSIX_NO_ROOM ? RST_OK : RST_MORE;
}

bool posix_is_finished(const void *state)
{
	const struct posix *posix = state;

	return posix->input.has_end;
}

double posix_share(const void *state, const struct chunk *chunk)
{
	const struct posix *posix = state;
	const struct posix_input *input = &posix->input;

	if (!posix_has_own_order(input))
		return (double)posix->block_offset / (double)chunk->n_bytes;
	return input->entries.n ? (double)input->n_done / (double)input->entries.n : 0;
}

enum rst_status posix_look_whole(
	void *state, struct model *model, const struct chunk *whole, struct rst_error *err)
{
	const struct posix_input *input = &((const struct posix *)state)->input;

	(void)model, (void)err;
	if (whole->n_bytes && (input->phase != POSIX_WHOLE || input->bytes != whole->bytes))
		begin_input(state, whole, true);
	return RST_OK;
}

bool posix_begin(struct posix *posix, struct model *model, const struct chunk *whole)
{
	struct posix_input *input = &posix->input;
	const char *what;

	begin_input(posix, whole, true);
	input->may_have_spans = true;
	return log_scan_begin(&input->scan, input->bytes, input->n_bytes, &what) == 0 &&
	       input->scan.header.content == LOG_CONTENT_POSIX && begin_log(posix, model) == POSIX_DONE;
}

/*
 * The number of bytes that the next chunk need not repeat. Before the header is complete, all bytes are kept;
 * after it, those that the scan has not used; behind the end of a log, no bytes.
 */
static size_t bytes_used(const struct posix_input *input)
{
	uint64_t end = input->at + input->n_bytes;

	if (input->phase == POSIX_HEAD)
		return 0;
	if (input->phase >= POSIX_OVER || input->scan.offset >= end)
		return input->n_bytes;
	return input->scan.offset > input->at ? (size_t)(input->scan.offset - input->at) : 0;
}

enum rst_status posix_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err)
{
	struct posix *posix = state;
	struct posix_input *input = &posix->input;
	enum posix_step step;

	if (posix->has_failed)
		return status_of(posix, POSIX_FAILED, err);
	if (chunk->behind == CHUNK_ENDS)
		return posix->has_read ? RST_END
				       : error_set(err, RST_E_DAMAGED, 0, "there is no Rastrum log");
	if (input->phase == POSIX_NO_INPUT && chunk->n_bytes == 0)
		return RST_MORE;
	if (input->phase == POSIX_NO_INPUT)
		begin_input(posix, chunk, false);
	input->bytes = chunk->bytes;
	input->n_bytes = chunk->n_bytes;
	input->at = chunk->offset;
	input->is_end = chunk->behind == CHUNK_INPUT_ENDS;
	step = read_phases(posix, model, batch);
	/*
	 * Pending rows are given out before the end of the log is handled: facts that become known at the end
	 * must not reach a report that needs no more rows.
	 */
	if (step == POSIX_DONE && input->is_end && batch->n_events)
		return RST_OK;
	if (step == POSIX_DONE && input->is_end && !end_input(posix, model))
		step = POSIX_NO_MEMORY;
	if (step == POSIX_DONE || step == POSIX_MORE)
		chunk->n_used = input->is_end ? chunk->n_bytes : bytes_used(input);
	return status_of(posix, step, err);
}
