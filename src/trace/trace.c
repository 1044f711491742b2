/* SPDX-License-Identifier: MIT */
/* Fills batches from the items of one source after the other. Begin reading at rst_trace_next(). */
#include "base/array.h"
#include "base/check.h"
#include "trace/trace_parts.h"

/* --- loss and damage ------------------------------------------------------------------------------------ */

/* Remembers the gap; its row is due. */
static enum rst_status trace_owe(struct rst_trace *trace, const struct rst_gap *gap, struct rst_error *err)
{
	struct rst_gap *due = array_room(trace->due, trace->n_due, &trace->due_room, sizeof(*gap));

	if (due)
		trace->due = due;
	if (!due)
		return error_nomem(err);
	due[trace->n_due++] = *gap;
	return RST_OK;
}

/* Adds rows for the gaps that are due, as far as the batch has room. */
static enum rst_status trace_put_due(struct rst_trace *trace, struct rst_error *err)
{
	while (trace->n_put < trace->n_due && !batch_is_full(&trace->batch))
		if (!model_put_gap(&trace->model, &trace->batch, &trace->due[trace->n_put++]))
			return error_nomem(err);
	if (trace->n_put == trace->n_due)
		trace->n_put = trace->n_due = 0;
	return RST_OK;
}

/* --- items ---------------------------------------------------------------------------------------------- */

static enum input_manner trace_manner(const struct rst_trace *trace)
{
	if (trace->dialect->chunks == CHUNKS_WHOLE)
		return INPUT_WHOLE;
	return trace->dialect->look ? INPUT_FILES_WHOLE : INPUT_AS_IT_COMES;
}

/* Makes the dialect read the chunk that the carrier shows. */
static enum rst_status trace_show(struct rst_trace *trace, enum chunk_behind behind)
{
	chunk_carrier_set_behind(&trace->carrier, behind);
	trace->has_chunk = true;
	return RST_OK;
}

static enum rst_status take_bytes(
	struct rst_trace *trace, const char *name, const struct input_item *item, struct rst_error *err)
{
	const struct dialect *dialect = trace->dialect;
	const struct chunk_run run = { .bytes = item->bytes,
		.n_bytes = item->n_bytes,
		.offset = item->offset,
		.source = name,
		.stays = item->is_whole,
		.is_last = item->is_whole };
	const struct chunk whole = { .bytes = item->bytes,
		.n_bytes = item->n_bytes,
		.offset = item->offset,
		.source = name,
		.place = trace->n_bytes,
		.run_offset = item->offset,
		.run_source = name,
		.behind = CHUNK_INPUT_ENDS };

	trace->is_whole = item->is_whole;
	trace->n_bytes += item->n_bytes;
	if (item->is_whole && dialect->look)
		error_try(dialect->look(trace->state, &trace->model, &whole, err));
	error_try(chunk_carrier_add(&trace->carrier, &run, err));
	trace->has_chunk = true;
	return RST_OK;
}

/*
 * The number of events in the missing bytes of a link is unknown. Returns RST_MORE if the row must not wait
 * for more bytes.
 */
static enum rst_status take_loss(
	struct rst_trace *trace, const char *name, const struct input_item *item, struct rst_error *err)
{
	const struct rst_gap gap = {
		.marker = RST_LOSS, .offset = item->offset, .what = item->what, .source = name
	};
	enum rst_status status = trace_owe(trace, &gap, err);

	return status < 0 ? status : RST_MORE;
}

/*
 * In a stream the row is due at once. A dialect of whole inputs has no sequence yet, so the row comes at the
 * end.
 */
static enum rst_status take_damage(
	struct rst_trace *trace, const char *name, const struct input_item *item, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_DAMAGE,
		.offset = item->offset,
		.n_bytes = item->n_bytes,
		.what = item->what,
		.source = name };

	return trace_owe(trace, &gap, err);
}

static enum rst_status take_end(
	struct rst_trace *trace, const char *name, const struct input_item *item, struct rst_error *err)
{
	bool is_told = trace->is_whole;

	(void)name, (void)err;
	/* Damage that the source did not keep can only be counted. */
	trace->model.n_gaps_all += item->n_more;
	trace->model.n_damages += item->n_more;
	trace->n_read++;
	trace->is_whole = false;
	return is_told ? RST_OK : trace_show(trace, CHUNK_INPUT_ENDS);
}

/*
 * In a growing file, bytes behind the end of the recording, such as a second recording, are read until the
 * first pause.
 */
static enum rst_status take_pause(
	struct rst_trace *trace, const char *name, const struct input_item *item, struct rst_error *err)
{
	const struct source_about about = source_about(trace->sources[trace->n_read]);
	const struct chunk *chunk = &trace->carrier.chunk;
	const struct dialect *dialect = trace->dialect;

	if (about.is_growing && dialect_rare(dialect)->is_finished &&
		dialect_rare(dialect)->is_finished(trace->state))
		return take_end(trace, name, item, err);
	return chunk->n_used < chunk->n_bytes ? trace_show(trace, CHUNK_PAUSES) : RST_OK;
}

/*
 * Supplies a chunk: more of this run, the next run, or the end. Returns RST_MORE if rows are due before the
 * next chunk.
 */
static enum rst_status trace_supply(struct rst_trace *trace, struct rst_error *err)
{
	static enum rst_status (*const takers[])(struct rst_trace * trace, const char *name,
		const struct input_item *item, struct rst_error *err) = { [INPUT_BYTES] = take_bytes,
		[INPUT_PAUSE] = take_pause,
		[INPUT_LOSS] = take_loss,
		[INPUT_DAMAGE] = take_damage,
		[INPUT_END] = take_end };
	enum rst_status status = trace->has_chunk ? RST_OK : chunk_carrier_go_on(&trace->carrier, err);

	if (status < 0)
		return status;
	trace->has_chunk |= status == RST_OK;
	while (!trace->has_chunk && trace->n_read < trace->n_sources) {
		struct source *source = trace->sources[trace->n_read];
		struct input_item item;

		error_try(chunk_carrier_keep(&trace->carrier, err));
		error_try(source_next(source, trace_manner(trace), &item, err));
		status = takers[item.kind](trace, source_about(source).name, &item, err);
		if (status < 0 || status == RST_MORE)
			return status;
	}
	return trace->has_chunk ? RST_OK : trace_show(trace, CHUNK_ENDS);
}

/* --- batches -------------------------------------------------------------------------------------------- */

/* Refuses RST_OK without rows, because the dialect would be called for ever. */
static enum rst_status trace_halt(const struct rst_trace *trace, struct rst_error *err)
{
	error_set(err, RST_E_DAMAGED, trace->carrier.chunk.offset + trace->carrier.chunk.n_used,
		"the reader of the dialect %s does not go on here", trace->dialect->name);
	error_advise(err, "please report it: this is a fault of the reader");
	return RST_E_DAMAGED;
}

/* Refuses an input with so many names, types and threads that no recorder can have written it. */
static enum rst_status trace_spent(const struct rst_trace *trace, struct rst_error *err)
{
	error_set(err, RST_E_DAMAGED, trace->carrier.chunk.offset + trace->carrier.chunk.n_used,
		"names, types and threads up to here take %zu MiB, which is all that they may",
		MODEL_BYTES_MAX >> 20);
	error_advise(err, "no recorder writes so many; what comes before is given");
	return RST_E_DAMAGED;
}

/*
 * Fills the batch. Rows that come before the end or a failure go out first; that answer waits for the next
 * call.
 */
static enum rst_status trace_read(struct rst_trace *trace, struct rst_error *err)
{
	batch_clear(&trace->batch);
	trace->model.carried.n_intervals = trace->model.carried.n_beginnings = 0;
	if (trace->answer != RST_OK)
		return trace->answer;
	for (;;) {
		enum rst_status status;

		status = trace_supply(trace, err);
		if (status < 0)
			return status;
		if (trace->dialect->chunks != CHUNKS_WHOLE)
			error_try(trace_put_due(trace, err));
		if (status == RST_MORE && trace->batch.n_events)
			return RST_OK;
		if (status == RST_MORE)
			continue;
		if (batch_is_full(&trace->batch))
			return RST_OK;
		status = trace->dialect->read(
			trace->state, &trace->model, &trace->carrier.chunk, &trace->batch, err);
		check(trace->carrier.chunk.n_used <= trace->carrier.chunk.n_bytes);
		check(status != RST_END || trace->carrier.chunk.behind == CHUNK_ENDS);
		check(trace->batch.n_events <= RST_BATCH_EVENTS);
		if (status >= 0 && !model_warn_limits(&trace->model))
			status = error_nomem(err);
		if (status == RST_E_NOMEM && trace->model.arena.is_spent)
			status = trace_spent(trace, err);
		if (status == RST_MORE && trace->carrier.chunk.behind != CHUNK_ENDS) {
			trace->has_chunk = false;
			if (trace->batch.n_events) /* rows may point into the chunk */
				return RST_OK;
			continue;
		}
		if (status == RST_OK)
			return trace->batch.n_events ? RST_OK : trace_halt(trace, err);
		error_try(trace_put_due(trace, err));
		if (trace->n_put)
			return RST_OK; /* more faults than one batch holds */
		trace->answer = status == RST_MORE ? RST_END : status;
		return trace->batch.n_events ? RST_OK : trace->answer;
	}
}

enum rst_status rst_trace_next(
	struct rst_trace *trace, const struct rst_batch **ret_batch, struct rst_error *err)
{
	if (trace->ended == RST_OK) {
		enum rst_status status = trace_read(trace, &trace->error);

		if (status == RST_OK)
			status = trace_symbols_see(trace, batch_close(&trace->batch), &trace->error);
		else if (status == RST_END && trace_symbols_end(trace, &trace->error) < 0)
			status = RST_E_NOMEM;
		if (status != RST_OK) {
			if (trace->tap.end)
				trace->tap.end(trace->tap.context, trace, status);
			trace->ended = status;
			error_name(&trace->error, trace->carrier.chunk.source
							  ? trace->carrier.chunk.source
							  : source_about(trace->sources[0]).name);
		}
	}
	if (trace->ended != RST_OK) {
		if (trace->ended < 0 && err)
			*err = trace->error;
		return trace->ended;
	}
	*ret_batch = batch_close(&trace->batch);
	model_take_rows(&trace->model, &trace->batch);
	if (__builtin_expect(trace->tap.rows != NULL, 0))
		trace->tap.rows(trace->tap.context, trace, *ret_batch);
	return RST_OK;
}
