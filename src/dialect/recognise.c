/* SPDX-License-Identifier: MIT */
/*
 * Every dialect's probe() returns how sure it is of the first bytes. A file is probed once. A live source is waited for, and
 * probed whenever enough has been added:
 *
 *	bytes come …  … a pause, or half a second is over, or 64 KiB are there, or the end
 *	                └─ a dialect knows them: good. None does: wait for more, unless there cannot be any;
 *	                   where they fill 64 KiB the oldest are given up.
 */
#include "dialect/recognise.h"

#include <stdio.h>
#include <string.h>

#include "base/similar.h"
#include "base/steady.h"
#include "dialect/live.h"
#include "input/foreign.h"

enum {
	PAUSE_MS = 200,	   /* nothing for so long: what is there may be all for a while */
	PATIENCE_MS = 500, /* bytes that never pause are not waited for longer, once a dialect knows them */
	GIVEN_UP = SOURCE_CHUNK_BYTES / 8, /* at a time of a front that no dialect knows */
};

struct front {
	const uint8_t *bytes;
	size_t n_bytes;
	bool is_whole;
	uint64_t start_ms; /* when its first byte came */
};

static enum rst_status find_named(const char *name, const struct dialect **ret_dialect, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char near[SIMILAR_TEXT_MAX];

	*ret_dialect = dialect_find(name);
	if (*ret_dialect)
		return RST_OK;
	for (size_t i = 0; dialects[i]; i++)
		similar_offer(&similar, dialects[i]->name);
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no dialect '%s'", name);
	error_advise(err, "%s", similar_text(&similar, near) ? near : "`rastrum info --dialects` lists them");
	return RST_E_USAGE;
}

/* In bytes from the middle of something only a stream can be recognised: a dump has its head at the front. */
static const struct dialect *find_surest(const struct front *front, bool is_middle)
{
	const struct dialect *surest = NULL;
	unsigned best = 0;

	for (size_t i = 0; dialects[i]; i++) {
		bool is_asked = !is_middle || dialects[i]->chunks != CHUNKS_WHOLE;
		unsigned score =
			!is_asked ? 0 : dialects[i]->probe(front->bytes, front->n_bytes, front->is_whole);

		if (score > best) {
			best = score;
			surest = dialects[i];
		}
	}
	return surest;
}

/* "threadx, rkh or posix" */
static void list_names(char *names, size_t room)
{
	size_t n = 0;

	for (size_t i = 0; dialects[i] && n < room; i++)
		n += (size_t)snprintf(names + n, room - n, "%s%s",
			i == 0		  ? ""
			: dialects[i + 1] ? ", "
					  : " or ",
			dialects[i]->name);
}

static enum rst_status refuse_foreign(const struct foreign *foreign, struct rst_error *err)
{
	error_set(err, RST_E_UNKNOWN, RST_NO_OFFSET, "this is %s", foreign->what);
	error_advise(err, "%s", foreign->advice);
	return RST_E_UNKNOWN;
}

/* When a wrapping gave nothing, what was wrong with it is the reason. */
static enum rst_status nobody_knows(
	const struct source *source, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	size_t n_faults;
	uint64_t n_all;
	const struct source_fault *faults = source_faults(source, &n_faults, &n_all);
	char names[100];

	list_names(names, sizeof(names));
	if (n_faults && !n_bytes)
		return error_set(err, RST_E_UNKNOWN, faults[0].offset, "%s", faults[0].what);
	if (!n_bytes)
		return error_set(err, RST_E_UNKNOWN, 0, "the input is empty");
	const struct foreign *foreign = foreign_find(bytes, n_bytes);

	if (foreign)
		return refuse_foreign(foreign, err);
	const char *wrappings = source_wrappings(source);

	error_set(err, RST_E_UNKNOWN, 0, "no dialect recognises this input%s%s: it is no trace of %s",
		*wrappings ? ", wrapped in " : "", wrappings, names);
	error_advise(err, "name one with --dialect to learn what is missing");
	return RST_E_UNKNOWN;
}

/* In what is packed no dialect finds its trace, also the one that was named: it would find damage only. */
static enum rst_status refuse_packed(const struct front *front, struct rst_error *err)
{
	const struct foreign *foreign = foreign_find(front->bytes, front->n_bytes);

	return foreign && foreign->is_packed ? refuse_foreign(foreign, err) : RST_OK;
}

static enum rst_status refuse_packed_file(struct source *source, struct rst_error *err)
{
	struct front front;

	error_try(source_peek(source, &front.bytes, &front.n_bytes, &front.is_whole, err));
	return refuse_packed(&front, err);
}

static enum rst_status recognise_front(
	struct source *source, const struct dialect **ret_dialect, struct rst_error *err)
{
	struct front front;

	error_try(source_peek(source, &front.bytes, &front.n_bytes, &front.is_whole, err));
	*ret_dialect = find_surest(&front, false);
	return *ret_dialect ? RST_OK : nobody_knows(source, front.bytes, front.n_bytes, err);
}

/*
 * Waits until it is worth asking: at a pause, at the end, or, where bytes never pause, each time that the front has grown
 * by an eighth, so that asking costs in proportion to the front only. *ret_is_full: there will not be more to look at.
 */
static enum rst_status await_front(
	struct source *source, struct front *front, bool *ret_is_full, struct rst_error *err)
{
	size_t n_enough = front->n_bytes + front->n_bytes / 8 + 1;
	int wait_ms = LIVE_FOREVER; /* what is there has been probed */

	for (;;) {
		size_t n_before = front->n_bytes;

		error_try(source_await(source, wait_ms, err));
		source_front(source, &front->bytes, &front->n_bytes, &front->is_whole);
		*ret_is_full = front->is_whole || front->n_bytes == SOURCE_CHUNK_BYTES;
		if (*ret_is_full || (front->n_bytes == n_before && wait_ms != LIVE_FOREVER))
			return RST_OK;
		if (!front->start_ms && front->n_bytes)
			front->start_ms = steady_ms();
		if (front->n_bytes >= n_enough && steady_ms() - front->start_ms >= PATIENCE_MS)
			return RST_OK;
		if (front->n_bytes > n_before)
			wait_ms = PAUSE_MS;
	}
}

/*
 * A front that is full and that no dialect knows. What comes by a pipe is judged by its front, as a file is; a link goes on,
 * and may be known by what comes later. false: that was all.
 */
static bool slide_front(struct source *source, struct front *front)
{
	const struct live_input *live = source_live(source);

	if (live->is_pipe || front->is_whole)
		return false;
	if (live->unknown && !source_dropped(source))
		live->unknown(live->context, front->n_bytes);
	source_drop(source, GIVEN_UP);
	front->n_bytes -= GIVEN_UP;
	return true;
}

/* A wrapping that claims what came is taken off, and what is below it is probed as that of a file. */
static enum rst_status recognise_live(
	struct source *source, const struct dialect **ret_dialect, struct rst_error *err)
{
	const struct dialect *named = *ret_dialect;
	struct front front = { 0 };
	bool is_full = false;

	do {
		error_try(await_front(source, &front, &is_full, err));
		if (source_is_wrapped(source))
			return named ? RST_OK : recognise_front(source, ret_dialect, err);
		*ret_dialect = named ? named : find_surest(&front, source_dropped(source) > 0);
		if (*ret_dialect) {
			source_note_dropped(source);
			return named ? refuse_packed(&front, err) : RST_OK;
		}
	} while (!is_full || slide_front(source, &front));
	return nobody_knows(source, front.bytes, front.n_bytes, err);
}

/* How sure the dialect that is named is of some bytes, or without one the surest of all. */
static unsigned score_bytes(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const struct front front = { .bytes = bytes, .n_bytes = n_bytes, .is_whole = is_whole };
	const struct dialect *dialect = context ? context : find_surest(&front, false);

	return dialect ? dialect->probe(bytes, n_bytes, is_whole) : 0;
}

void recognise_judge(struct source *source, const struct dialect *dialect)
{
	const struct source_judge judge = { .score = score_bytes, .context = dialect };

	source_set_judge(source, &judge);
}

enum rst_status recognise(
	struct source *source, const char *name, const struct dialect **ret_dialect, struct rst_error *err)
{
	const struct live_input *live = source_live(source);

	*ret_dialect = NULL;
	if (name)
		error_try(find_named(name, ret_dialect, err));
	recognise_judge(source, *ret_dialect);
	/* A link is never wrapped: a dialect that is named need not wait for anything. */
	if (name && !(live && live->is_pipe))
		return live ? RST_OK : refuse_packed_file(source, err);
	return live ? recognise_live(source, ret_dialect, err) : recognise_front(source, ret_dialect, err);
}
