/* SPDX-License-Identifier: MIT */
/* Fills batches from the chunks of one source after the other. Begin reading at rst_trace_next(). */
#include "base/array.h"
#include "dialect/trace_parts.h"
#include "input/live.h"

enum { PAUSE_MS = 200 };

/* Remembers it; its row is due. */
static enum rst_status trace_owe(struct rst_trace *trace, const struct rst_gap *gap, struct rst_error *err)
{
	struct rst_gap *due = array_room(trace->due, trace->n_due, &trace->due_room, sizeof(*gap));

	if (due)
		trace->due = due;
	if (!due || !model_gap(&trace->model, gap))
		return error_nomem(err);
	due[trace->n_due++] = *gap;
	return RST_OK;
}

/*
 * What was wrong with the wrapping, remembered once. Its rows are due at once in a stream; a dialect of whole inputs has
 * no sequence yet, so they come at its end.
 */
static enum rst_status trace_take_faults(
	struct rst_trace *trace, const struct source *source, struct rst_error *err)
{
	size_t n_kept;
	uint64_t n_all;
	const struct source_fault *faults = source_faults(source, &n_kept, &n_all);

	for (; trace->n_faults_seen < n_kept; trace->n_faults_seen++) {
		const struct source_fault *fault = &faults[trace->n_faults_seen];
		const struct rst_gap gap = { .marker = RST_DAMAGE,
			.offset = fault->offset,
			.n_bytes = fault->n_bytes,
			.what = fault->what,
			.source = source_name(source) };

		error_try(trace_owe(trace, &gap, err));
	}
	return RST_OK;
}

/* Rows for what is due, as far as the batch has room. */
static void trace_put_due(struct rst_trace *trace)
{
	while (trace->n_put < trace->n_due && !batch_is_full(&trace->batch))
		model_add_gap_row(&trace->model, &trace->batch, &trace->due[trace->n_put++]);
	if (trace->n_put == trace->n_due)
		trace->n_put = trace->n_due = 0;
}

/* The row is due at once; how many events were in the missing bytes of a link cannot be known. */
static enum rst_status trace_warn_loss(
	struct rst_trace *trace, const struct source *source, struct rst_error *err)
{
	const struct rst_gap gap = { .marker = RST_LOSS,
		.offset = trace->chunk.offset + trace->chunk.n_bytes,
		.what = source_missing(source),
		.source = source_name(source) };

	return trace_owe(trace, &gap, err);
}

static bool trace_wants_whole(const struct rst_trace *trace, const struct source *source)
{
	enum dialect_chunks chunks = trace->dialect->chunks;

	return chunks == CHUNKS_WHOLE || (chunks == CHUNKS_WHOLE_FILES && source_is_file(source));
}

static bool trace_keeps_back(const struct rst_trace *trace)
{
	return trace->dialect->keeps_back && trace->dialect->keeps_back(trace->state);
}

/* Of a file that grows; what follows in it, such as a second recording, is read as long as it comes without a pause. */
static bool trace_is_finished(const struct rst_trace *trace, const struct source *source)
{
	const struct live_input *live = source_live(source);

	return live && live->is_file && trace->dialect->is_finished &&
	       trace->dialect->is_finished(trace->state);
}

/*
 * The next run of bytes of the current source: all of it, or as it comes. RST_END when the source is used up; RST_MORE,
 * and the chunk is as it was, when something is missing there.
 */
static enum rst_status trace_pull(struct rst_trace *trace, struct source *source, struct rst_error *err)
{
	struct chunk *chunk = &trace->chunk;
	bool is_first = chunk->source != source_name(source);
	bool is_whole = trace_wants_whole(trace, source) && (is_first || !trace->goes_on);
	bool is_finished = trace_is_finished(trace, source);
	struct chunk next = { .offset = is_first ? source_dropped(source) : chunk->offset + chunk->n_bytes,
		.source = source_name(source),
		.is_whole = is_whole };
	enum rst_status status = RST_OK;

	if (is_whole && !is_first)
		return RST_END;
	if (!is_whole && (is_finished || trace_keeps_back(trace)))
		error_try(source_pause(source, PAUSE_MS, &next.is_pause, err));
	if (is_finished && next.is_pause)
		return RST_END;
	if (is_whole && trace->dialect->chunks == CHUNKS_WHOLE_FILES) {
		status = source_most(source, &next.bytes, &next.n_bytes, &next.is_whole, err);
		trace->goes_on = !next.is_whole;
	} else if (!next.is_pause) {
		status = is_whole ? source_whole(source, &next.bytes, &next.n_bytes, err)
				  : source_next(source, &next.bytes, &next.n_bytes, err);
	}
	if (status != RST_MORE)
		*chunk = next;
	return status;
}

/*
 * Sees to it that there is a chunk: the next one of this source, of the next source, or the end. RST_MORE: there is none
 * yet, but rows are due, which must not wait for it.
 */
static enum rst_status trace_supply(struct rst_trace *trace, struct rst_error *err)
{
	while (!trace->has_chunk && trace->n_read < trace->n_sources) {
		struct source *source = trace->sources[trace->n_read];
		enum rst_status status = trace_pull(trace, source, err);
		size_t n_kept;
		uint64_t n_all;

		if (status == RST_MORE)
			error_try(trace_warn_loss(trace, source, err));
		if (status < 0 || status == RST_MORE)
			return status;
		error_try(trace_take_faults(trace, source, err));
		trace->has_chunk = status == RST_OK;
		if (trace->has_chunk)
			return RST_OK;
		/* Faults that the source did not keep can only be counted. */
		source_faults(source, &n_kept, &n_all);
		trace->model.n_gaps_all += n_all - n_kept;
		trace->model.n_damages += n_all - n_kept;
		trace->n_faults_seen = 0;
		trace->n_read++;
	}
	if (!trace->has_chunk)
		trace->chunk = (struct chunk){ .source = trace->chunk.source, .is_end = true };
	trace->has_chunk = true;
	return RST_OK;
}

/* RST_OK promises rows: without one there is no last row, and the dialect would be called for ever. */
static enum rst_status trace_halt(const struct rst_trace *trace, struct rst_error *err)
{
	error_set(err, RST_E_DAMAGED, trace->chunk.offset + trace->chunk.n_used,
		"the reader of the dialect %s does not go on here", trace->dialect->name);
	error_advise(err, "please report it: this is a fault of the reader");
	return RST_E_DAMAGED;
}

/* The input has so many names, types and threads that no recorder can have written it. */
static enum rst_status trace_spent(const struct rst_trace *trace, struct rst_error *err)
{
	error_set(err, RST_E_DAMAGED, trace->chunk.offset + trace->chunk.n_used,
		"names, types and threads up to here take %zu MiB, which is all that they may",
		MODEL_BYTES_MAX >> 20);
	error_advise(err, "no recorder writes so many; what comes before is given");
	return RST_E_DAMAGED;
}

/* Fills the batch. Rows that come before the end or a failure go out first; that answer waits for the next call. */
static enum rst_status trace_read(struct rst_trace *trace, struct rst_error *err)
{
	batch_clear(&trace->batch);
	if (trace->answer != RST_OK)
		return trace->answer;
	for (;;) {
		enum rst_status status;

		status = trace_supply(trace, err);
		if (status < 0)
			return status;
		if (trace->dialect->chunks != CHUNKS_WHOLE)
			trace_put_due(trace);
		if (status == RST_MORE && trace->batch.n_events)
			return RST_OK;
		if (status == RST_MORE)
			continue;
		if (batch_is_full(&trace->batch))
			return RST_OK;
		status = trace->dialect->read(trace->state, &trace->model, &trace->chunk, &trace->batch, err);
		if (status >= 0 && !model_warn_limits(&trace->model))
			status = error_nomem(err);
		if (status == RST_E_NOMEM && trace->model.arena.is_spent)
			status = trace_spent(trace, err);
		if (status == RST_MORE && !trace->chunk.is_end) {
			trace->has_chunk = false;
			if (trace->batch.n_events) /* rows may point into the chunk */
				return RST_OK;
			continue;
		}
		if (status == RST_OK)
			return trace->batch.n_events ? RST_OK : trace_halt(trace, err);
		trace_put_due(trace);
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
			trace->ended = status;
			error_name(&trace->error,
				trace->chunk.source ? trace->chunk.source : source_name(trace->sources[0]));
		}
	}
	if (trace->ended != RST_OK) {
		if (trace->ended < 0 && err)
			*err = trace->error;
		return trace->ended;
	}
	*ret_batch = batch_close(&trace->batch);
	trace->model.last_ticks = trace->batch.ticks[trace->batch.n_events - 1];
	trace->model.last_seq = trace->batch.seq[trace->batch.n_events - 1];
	return RST_OK;
}
