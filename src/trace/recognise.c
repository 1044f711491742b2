/* SPDX-License-Identifier: MIT */
/* Every dialect's probe() rates the first bytes; it is called again whenever the source shows other bytes. */
#include "trace/recognise.h"

#include <stdio.h>
#include <string.h>

#include "base/similar.h"
#include "input/foreign.h"
#include "trace/text_mode.h"

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

/*
 * Bytes from the middle of an input can only be recognised as a stream, because a dump has its header at the
 * front.
 */
const struct dialect *recognise_surest(const struct source_front *front)
{
	const struct dialect *surest = NULL;
	unsigned best = 0;

	for (size_t i = 0; dialects[i]; i++) {
		bool is_asked = !front->is_middle || dialects[i]->chunks != CHUNKS_WHOLE;
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

/* If a wrapping gave no bytes, its damage is the reason. */
static enum rst_status refuse_empty(struct source *source, struct rst_error *err)
{
	struct input_item item;

	error_try(source_next(source, INPUT_AS_IT_COMES, &item, err));
	if (item.kind == INPUT_DAMAGE)
		return error_set(err, RST_E_UNKNOWN, item.offset, "%s", item.what);
	return error_set(err, RST_E_UNKNOWN, 0, "the input is empty");
}

static enum rst_status refuse(struct source *source, const struct source_front *front, struct rst_error *err)
{
	const struct foreign *foreign = foreign_find(front->bytes, front->n_bytes);
	const char *wrappings = source_about(source).wrappings;
	char names[100];

	if (!front->n_bytes)
		return refuse_empty(source, err);
	if (foreign)
		return refuse_foreign(foreign, err);
	list_names(names, sizeof(names));
	error_set(err, RST_E_UNKNOWN, 0, "no dialect recognises this input%s%s: it is no trace of %s",
		*wrappings ? ", wrapped in " : "", wrappings, names);
	error_advise(err, "name one with --dialect to learn what is missing");
	return RST_E_UNKNOWN;
}

/*
 * No dialect finds a trace in packed bytes: even the dialect that the user named would find only damage. A
 * dialect that takes a foreign format for its own would also find only damage, unless it recognises the
 * bytes.
 */
static enum rst_status refuse_named(
	const struct dialect *dialect, const struct source_front *front, struct rst_error *err)
{
	const struct foreign *foreign = foreign_find(front->bytes, front->n_bytes);
	const bool is_taken = foreign && foreign->like && strcmp(foreign->like, dialect->name) == 0;

	if (is_taken && dialect->probe(front->bytes, front->n_bytes, front->is_whole))
		return RST_OK;
	return foreign && (foreign->is_packed || is_taken) ? refuse_foreign(foreign, err) : RST_OK;
}

/* How sure the named dialect is of some bytes; if none is named, how sure the surest of all is. */
static unsigned score_bytes(const void *context, const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	const struct source_front front = { .bytes = bytes, .n_bytes = n_bytes, .is_whole = is_whole };
	const struct dialect *dialect = context ? context : recognise_surest(&front);

	return dialect ? dialect->probe(bytes, n_bytes, is_whole) : 0;
}

void recognise_judge(struct source *source, const struct dialect *dialect)
{
	const struct source_judge judge = { .score = score_bytes, .context = dialect };

	source_set_judge(source, &judge);
}

/* If a transfer in text mode has changed the bytes, replaces the front by the original bytes. */
static enum rst_status undo_text_mode(
	struct source *source, const struct rst_open *how, struct recognised *known, struct rst_error *err)
{
	const struct dialect *found = known->dialect;
	enum text_mode_verdict verdict;

	error_try(text_mode_judge(source, &known->front, how, &found, &verdict, err));
	if (verdict == TEXT_MODE_DOUBTFUL)
		known->note = text_mode_doubt;
	if (verdict != TEXT_MODE_CERTAIN)
		return RST_OK;
	const enum rst_status status = source_undo_text_mode(source, &known->front, err);

	error_try(status);
	known->note = status == RST_END ? text_mode_doubt : text_mode_undone;
	if (status == RST_OK)
		known->dialect = found;
	return RST_OK;
}

enum rst_status recognise(
	struct source *source, const struct rst_open *how, struct recognised *ret, struct rst_error *err)
{
	struct recognised known = { 0 };
	enum rst_status status;

	*ret = known;
	if (how->dialect)
		error_try(find_named(how->dialect, &known.dialect, err));
	recognise_judge(source, known.dialect);
	/* A link is never wrapped, so a named dialect need not wait for bytes. */
	while (!(how->dialect && source_about(source).is_endless) &&
		(status = source_look(source, &known.front, err)) != RST_END) {
		error_try(status);
		if (how->dialect)
			error_try(refuse_named(known.dialect, &known.front, err));
		else
			known.dialect = recognise_surest(&known.front);
		if (!source_about(source).is_endless)
			error_try(undo_text_mode(source, how, &known, err));
		if (known.dialect)
			break;
	}
	*ret = known;
	return known.dialect ? RST_OK : refuse(source, &known.front, err);
}

/* --- directories ---------------------------------------------------------------------------------------- */

static unsigned rate_set(
	const struct dialect *dialect, const struct input_set *set, const struct source_front *front)
{
	size_t other;

	if (set->is_tree != dialect_rare(dialect)->reads_folders)
		return 0;
	return set->is_tree || input_set_is_sequence(set, &other)
		       ? dialect->probe(front->bytes, front->n_bytes, front->is_whole)
		       : 0;
}

/* Refuses a directory whose files no dialect can put together. */
static enum rst_status refuse_set(const struct input_set *set, size_t other, struct rst_error *err)
{
	error_set(err, RST_E_UNKNOWN, RST_NO_OFFSET,
		"the files of this directory are not the parts of one recording: the names '%.60s' and "
		"'%.60s' "
		"differ in more than a number",
		set->files[other - 1].name, set->files[other].name);
	error_advise(err, "name the files; --join reads them as one trace, in the order given");
	return RST_E_UNKNOWN;
}

enum rst_status recognise_set(const struct input_set *set, struct source *first, const char *name,
	const struct dialect **ret_dialect, struct rst_error *err)
{
	struct source_front front = { 0 };
	const struct dialect *named = NULL;
	enum rst_status status;
	unsigned best = 0;
	size_t other;

	*ret_dialect = NULL;
	if (name)
		error_try(find_named(name, &named, err));
	recognise_judge(first, named);
	error_try(source_look(first, &front, err));
	for (size_t i = 0; dialects[i]; i++) {
		unsigned rating = named && named != dialects[i] ? 0 : rate_set(dialects[i], set, &front);

		if (rating > best) {
			best = rating;
			*ret_dialect = dialects[i];
		}
	}
	if (*ret_dialect)
		return RST_OK;
	if (!set->is_tree && !input_set_is_sequence(set, &other))
		return refuse_set(set, other, err);
	*ret_dialect = named;
	status = named ? refuse_named(named, &front, err) : refuse(first, &front, err);
	if (status < 0)
		error_name(err, source_about(first).name);
	return status;
}
