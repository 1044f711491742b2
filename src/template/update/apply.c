/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/error.h"
#include "template/update/update.h"

/* A stanza of the master with what stands in front of it, or one that was added. */
struct update_piece {
	const struct stanza *stanza; /* in force in this place; NULL: deleted */
	const struct stanza *first;  /* the master's own; NULL if it was added */
};

/* --- texts of stanzas ----------------------------------------------------------------------------------- */

static const char *file_end(const struct template_file *file)
{
	return file->text + file->n_bytes;
}

static const char *next_line(const char *at, const char *end)
{
	const char *newline = memchr(at, '\n', (size_t)(end - at));

	return newline ? newline + 1 : end;
}

static bool put_bytes(struct outbuf *out, const char *from, const char *to)
{
	const size_t n = (size_t)(to - from);

	if (!n)
		return true;
	if (!outbuf_reserve(out, n + 1))
		return false;
	out->at = text_put(out->at, from, n);
	return true;
}

/* The lines between two places that are effects, or those that are not. */
static void put_comments(struct outbuf *out, const char *at, const char *end, bool are_effects)
{
	while (at < end) {
		const char *next = next_line(at, end);

		if (update_is_effect(at, next) == are_effects)
			put_bytes(out, at, next);
		at = next;
	}
}

/* Where the line of the stanza begins; its sign, if it has one, and the blanks behind that do not count. */
static const char *line_start(const struct stanza *stanza)
{
	const char *at = stanza->at;

	while (at > stanza->file->text && at[-1] != '\n')
		at--;
	return at;
}

/* A backslash at the end of a file continues the line with an empty one. */
static void end_line(struct outbuf *out, const char *begin, const char *end)
{
	const char *last = end > begin && end[-1] == '\r' ? end - 1 : end;

	outbuf_puts(out, last > begin && last[-1] == '\\' ? "\n\n" : "\n");
}

/* Its line with a line end, in front of it its effects and the sign. */
static void put_stanza(
	struct outbuf *out, const struct template_set *set, const struct stanza *stanza, const char *sign)
{
	put_comments(out, update_comments(set, stanza), line_start(stanza), true);
	outbuf_puts(out, sign);
	put_bytes(out, stanza->at, stanza->end);
	end_line(out, stanza->at, stanza->end);
}

bool update_put_stanza(const struct template_set *set, struct text key, struct outbuf *out)
{
	const struct stanza *stanza = stanza_good(template_set_find(set, key.bytes, key.n_bytes));

	if (stanza)
		put_stanza(out, set, stanza, "");
	return stanza != NULL;
}

/* --- changes -------------------------------------------------------------------------------------------- */

static struct update_piece *add_piece(struct update *update)
{
	struct update_piece *pieces =
		array_room(update->pieces, update->n_pieces, &update->pieces_room, sizeof(*pieces));

	if (!pieces)
		return NULL;
	update->pieces = pieces;
	pieces[update->n_pieces] = (struct update_piece){ .stanza = NULL };
	return &pieces[update->n_pieces++];
}

static bool cut_master(struct update *update)
{
	const struct template_set *set = update->set;

	for (size_t i = 0; i < set->n_stanzas && set->stanzas[i]->file == update->master; i++) {
		struct update_piece *piece = add_piece(update);

		if (!piece)
			return false;
		piece->stanza = piece->first = set->stanzas[i];
	}
	return true;
}

/* The one in force of this key; one with an error, where there are no others. */
static struct update_piece *find_piece(struct update *update, struct text key)
{
	struct update_piece *bad = NULL;

	for (size_t i = update->n_pieces; i-- > 0;) {
		struct update_piece *piece = &update->pieces[i];

		if (!piece->stanza || !text_is_same(piece->stanza->key, key))
			continue;
		if (!piece->stanza->is_bad)
			return piece;
		bad = bad ? bad : piece;
	}
	return bad;
}

static bool add_change(struct update *update, const struct update_change *change)
{
	struct update_change *changes =
		array_room(update->changes, update->n_changes, &update->changes_room, sizeof(*changes));

	if (!changes)
		return false;
	update->changes = changes;
	changes[update->n_changes++] = *change;
	return true;
}

/*
 * "+ " and the stanza that was there, or "- " and the key of one that is there now. A stanza with an error
 * was not in force, and no update file may have it.
 */
static bool add_undo(struct update *update, const struct stanza *old, const struct stanza *now)
{
	struct outbuf *out = &update->undo;
	size_t *ends = array_room(update->undo_ends, update->n_undo, &update->undo_room, sizeof(*ends));

	if (!ends)
		return false;
	update->undo_ends = ends;
	if (old && !old->is_bad) {
		put_stanza(out, update->set, old, "+ ");
	} else if (now) {
		outbuf_puts(out, "- ");
		put_bytes(out, now->key.bytes, now->key.bytes + now->key.n_bytes);
		outbuf_puts(out, "\n");
	}
	ends[update->n_undo++] = (size_t)(out->at - out->start);
	return out->error == 0;
}

static bool is_older(const struct stanza *one, const struct stanza *other)
{
	return one->version != other->version ? one->version < other->version : one->release < other->release;
}

/* A stanza that has an error has no version that counts. */
static bool apply_stanza(struct update *update, const struct stanza *stanza, bool is_forced)
{
	struct update_piece *piece = find_piece(update, stanza->key);
	struct update_change change = { .action = UPDATE_ADDED,
		.key = stanza->key,
		.version = stanza->version,
		.release = stanza->release };

	if (!piece) {
		piece = add_piece(update);
		if (!piece || !add_undo(update, NULL, stanza))
			return false;
		piece->stanza = stanza;
		return add_change(update, &change);
	}
	change.old_version = piece->stanza->version;
	change.old_release = piece->stanza->release;
	if (!is_forced && !piece->stanza->is_bad && is_older(stanza, piece->stanza)) {
		change.action = UPDATE_OLDER;
		return add_change(update, &change);
	}
	change.action = UPDATE_REPLACED;
	if (!add_undo(update, piece->stanza, stanza))
		return false;
	piece->stanza = stanza;
	return add_change(update, &change);
}

/*
 * All of the key: an earlier one would come into force otherwise. Undone, they come in the order in which
 * they stood.
 */
static bool apply_deletion(struct update *update, struct text key)
{
	struct update_change change = { .action = UPDATE_ABSENT, .key = key };
	struct update_piece *piece;

	while ((piece = find_piece(update, key)) != NULL) {
		if (change.action == UPDATE_ABSENT) {
			change.old_version = piece->stanza->version;
			change.old_release = piece->stanza->release;
		}
		change.action = UPDATE_DELETED;
		if (!add_undo(update, piece->stanza, NULL))
			return false;
		piece->stanza = NULL;
	}
	return add_change(update, &change);
}

/* Applies the first of the remaining stanzas and deletions of the update file. */
static bool apply_next(struct update *update, size_t *n_stanza, size_t *n_deletion, bool is_forced)
{
	const struct template_set *set = update->set;
	const struct stanza *stanza = *n_stanza < set->n_stanzas ? set->stanzas[*n_stanza] : NULL;
	const struct update_deletion *deletion =
		*n_deletion < update->n_deletions ? &update->deletions[*n_deletion] : NULL;

	if (deletion && (!stanza || deletion->at < stanza->at)) {
		++*n_deletion;
		return apply_deletion(update, deletion->key);
	}
	++*n_stanza;
	return !stanza || apply_stanza(update, stanza, is_forced);
}

enum rst_status update_apply(struct update *update, bool is_forced, struct rst_error *err)
{
	size_t n_stanza, n_deletion = 0;

	if (!outbuf_init(&update->undo, OUTBUF_MEMORY) || !cut_master(update))
		return error_nomem(err);
	n_stanza = update->n_pieces;
	while (n_stanza < update->set->n_stanzas || n_deletion < update->n_deletions)
		if (!apply_next(update, &n_stanza, &n_deletion, is_forced))
			return error_nomem(err);
	return RST_OK;
}

bool update_has_changed(const struct update *update)
{
	return update->n_undo > 0;
}

/* --- the files ------------------------------------------------------------------------------------------ */

void update_put_master(const struct update *update, struct outbuf *out)
{
	const struct template_file *master = update->master;
	const char *at = master->text;
	bool is_ended = false;

	for (size_t i = 0; i < update->n_pieces; i++) {
		const struct update_piece *piece = &update->pieces[i];
		const struct stanza *first = piece->first;

		if (!first && !is_ended) {
			put_bytes(out, at, file_end(master));
			if (master->n_bytes && file_end(master)[-1] != '\n')
				end_line(out, master->text, file_end(master));
			is_ended = true;
		}
		if (first && piece->stanza == first) {
			put_bytes(out, at, next_line(first->end, file_end(master)));
		} else if (first) {
			put_comments(out, at, line_start(first), false);
		}
		if (piece->stanza && piece->stanza != first)
			put_stanza(out, update->set, piece->stanza, "");
		if (first)
			at = next_line(first->end, file_end(master));
	}
	if (!is_ended)
		put_bytes(out, at, file_end(master));
}

void update_put_undo(const struct update *update, struct outbuf *out)
{
	outbuf_puts(out, "* /etc/trcfmt\n");
	for (size_t i = update->n_undo; i-- > 0;)
		put_bytes(out, update->undo.start + (i ? update->undo_ends[i - 1] : 0),
			update->undo.start + update->undo_ends[i]);
}

void update_done(struct update *update)
{
	free(update->deletions);
	free(update->pieces);
	free(update->changes);
	free(update->undo_ends);
	outbuf_done(&update->undo);
	template_set_free(update->set);
	*update = (struct update){ .set = NULL };
}
