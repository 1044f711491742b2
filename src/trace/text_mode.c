/* SPDX-License-Identifier: MIT */
#include "trace/text_mode.h"

#include <stdlib.h>

#include "input/text_mode.h"
#include "trace/live.h"
#include "trace/recognise.h"
#include "trace/trace_parts.h"

enum {
	TRIAL_BYTES = 1 << 20, /* so much of a stream is read to find its damage */
	SURE_PAIRS = 2,
	LIKELY_PAIRS = 8, /* fewer than this may be chance */
};

const char text_mode_undone[] = "a transfer in text mode had put a CR (0d) in front of each LF (0a); they "
				"are taken out again: transfer "
				"recordings in binary mode";
const char text_mode_doubt[] = "each LF (0a) has a CR (0d) in front, as a transfer in text mode makes it: if "
			       "it came so, transfer it "
			       "again in binary mode";

/* Bytes as they came, or as they were before the transfer. */
struct bytes {
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_whole;
};

static enum rst_status bytes_undo(struct bytes *ret, const struct bytes *given, struct rst_error *err)
{
	struct text_mode state = { 0 };
	uint8_t *room = malloc(given->n_bytes ? given->n_bytes : 1), *out = room;
	const uint8_t *in = given->bytes;
	size_t n_in = given->n_bytes, n_out = given->n_bytes;

	if (!room)
		return error_nomem(err);
	text_mode_undo(&state, &in, &n_in, &out, &n_out);
	if (text_mode_end(&state))
		*out++ = '\r';
	*ret = (struct bytes){ room, (size_t)(out - room), given->is_whole };
	return RST_OK;
}

/* For a stream a part is enough; a dump is judged as a whole, because it is read as a whole. */
static struct bytes bytes_of_file(const struct source_file *file, const struct dialect *dialect)
{
	const size_t n_max = dialect && !dialect_rare(dialect)->misfit ? TRIAL_BYTES : SOURCE_WHOLE_MAX;

	return (struct bytes){ file->bytes, file->n_bytes < n_max ? file->n_bytes : n_max,
		file->n_bytes <= n_max };
}

/* The result of a trial reading of some bytes. */
struct trial {
	uint64_t n_damages; /* UINT64_MAX if they cannot be read at all */
	uint64_t
		/*
		 * these, notes, and threads: what is read at the wrong places gives threads that are not
		 * there
		 */
		n_oddities;
};

static struct trial try_read(
	const struct dialect *dialect, const struct bytes *bytes, const struct rst_open *how)
{
	struct trial trial = { UINT64_MAX, UINT64_MAX };
	struct rst_open alone = *how;
	const struct rst_batch *batch;
	struct rst_trace *trace;
	enum rst_status status;

	alone.n_joined = alone.n_symbols = 0;
	if (trace_open_as(&trace, dialect, bytes->bytes, bytes->n_bytes, &alone, NULL) < 0)
		return trial;
	while ((status = rst_trace_next(trace, &batch, NULL)) == RST_OK)
		continue;
	if (status >= 0) {
		trial.n_damages = trace->model.n_damages;
		trial.n_oddities = trial.n_damages + trace->model.n_warnings + trace->model.contexts.n_all;
	}
	rst_trace_free(trace);
	return trial;
}

/*
 * A dump has a length but no checksum. If the length with the CRs is possible, too, its events make less
 * sense with them.
 */
static enum text_mode_verdict judge_dump(const struct dialect *dialect, const struct bytes *given,
	const struct bytes *before, const struct rst_open *how, size_t n_pairs)
{
	const uint64_t misfit = dialect_rare(dialect)->misfit(given->bytes, given->n_bytes),
		       left = dialect_rare(dialect)->misfit(before->bytes, before->n_bytes);

	if (!given->is_whole || left == UINT64_MAX || n_pairs < SURE_PAIRS)
		return TEXT_MODE_NOT;
	if (left != 0)
		return misfit != 0 && n_pairs >= LIKELY_PAIRS ? TEXT_MODE_DOUBTFUL : TEXT_MODE_NOT;
	if (misfit != 0)
		return TEXT_MODE_CERTAIN;
	return try_read(dialect, before, how).n_oddities < try_read(dialect, given, how).n_oddities
		       ? TEXT_MODE_CERTAIN
		       : TEXT_MODE_NOT;
}

static enum text_mode_verdict judge_stream(const struct dialect *dialect, const struct bytes *given,
	const struct bytes *before, const struct rst_open *how, size_t n_pairs)
{
	const uint64_t n_wrong = try_read(dialect, given, how).n_damages;

	if (!n_wrong)
		return TEXT_MODE_NOT;
	if (try_read(dialect, before, how).n_damages < n_wrong)
		return TEXT_MODE_CERTAIN;
	return n_pairs >= LIKELY_PAIRS ? TEXT_MODE_DOUBTFUL : TEXT_MODE_NOT;
}

static enum text_mode_verdict judge(const struct dialect *dialect, const struct bytes *given,
	const struct bytes *before, const struct rst_open *how, size_t n_pairs)
{
	return dialect_rare(dialect)->misfit ? judge_dump(dialect, given, before, how, n_pairs)
					     : judge_stream(dialect, given, before, how, n_pairs);
}

enum rst_status text_mode_judge(const struct source *source, const struct source_front *front,
	const struct rst_open *how, const struct dialect **dialect, enum text_mode_verdict *ret,
	struct rst_error *err)
{
	struct bytes given = { front->bytes, front->n_bytes, front->is_whole }, before = { 0 };
	const struct dialect *found = *dialect;
	struct source_front changed = *front;
	struct source_file file;
	size_t n_pairs;

	*ret = TEXT_MODE_NOT;
	if (!text_mode_pairs(given.bytes, given.n_bytes))
		return RST_OK;
	if (source_file(source, &file))
		given = bytes_of_file(&file, found);
	n_pairs = text_mode_pairs(given.bytes, given.n_bytes);
	if (!n_pairs)
		return RST_OK;
	error_try(bytes_undo(&before, &given, err));
	changed.bytes = before.bytes;
	changed.n_bytes = before.n_bytes < SOURCE_CHUNK_BYTES ? before.n_bytes : SOURCE_CHUNK_BYTES;
	changed.is_whole = before.is_whole && changed.n_bytes == before.n_bytes;
	if (!found)
		found = recognise_surest(&changed);
	if (found)
		*ret = judge(found, &given, &before, how, n_pairs);
	if (*ret == TEXT_MODE_CERTAIN)
		*dialect = found;
	free((void *)(uintptr_t)before.bytes);
	return RST_OK;
}
