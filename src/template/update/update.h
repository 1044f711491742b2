/* SPDX-License-Identifier: MIT */
/*
 * Update files, which change a file of templates (trcupdate, "AIX Commands Reference"):
 *
 *	* /etc/trcfmt			the first line, as it stands here
 *	+ 05A 1.1 L=APPL "speed" X4	adds the stanza, or replaces an older one of its hook
 *	- 05C				deletes the stanza of this hook
 *
 * Lines are taken in their order. Lines "# effect:" in front of a stanza belong to it. The unchanged parts of
 * the master keep their bytes; the undo file is an update file that brings back the stanzas.
 *
 *	read.c     removes the signs, then parses: the changes that an update file requests
 *	apply.c    the master in pieces, its changes, and the undo file
 */
#ifndef TEMPLATE_UPDATE_UPDATE_H
#define TEMPLATE_UPDATE_UPDATE_H

#include "base/outbuf.h"
#include "template/set/set.h"

enum update_action {
	UPDATE_ADDED,
	UPDATE_REPLACED,
	UPDATE_OLDER, /* the one that is there has a later version, and stays */
	UPDATE_DELETED,
	UPDATE_ABSENT, /* the stanza to delete is missing */
};

/* The result of one line of the update file. */
struct update_change {
	enum update_action action;
	struct text key;
	unsigned version, release;	   /* of the line */
	unsigned old_version, old_release; /* of the stanza that was there */
};

struct update_deletion;
struct update_piece;

/* Zero before update_read(). */
struct update {
	struct template_set *set; /* the master's stanzas, and then those of the update file */
	const struct template_file *master, *input; /* the set's */
	struct update_deletion *deletions;
	size_t n_deletions, deletions_room;

	struct update_piece *pieces;
	size_t n_pieces, pieces_room;
	struct update_change *changes;
	size_t n_changes, changes_room;
	struct outbuf undo; /* lines of the undo file, in the order of the changes … */
	size_t *undo_ends;  /* … which are written the other way round */
	size_t n_undo, undo_room;
};

/* Whether the first line is that of an update file. */
bool update_is_file(const struct template_file *file);

/*
 * Parses both files, which are taken over in any case, into a set of the dialect. Diagnoses of the update
 * file go to diags; the master's own faults do not, and change nothing. If master is NULL, the update file is
 * only looked at. RST_E_NOMEM.
 */
enum rst_status update_read(struct update *update, const char *dialect, struct template_file *master,
	struct template_file *input, struct diags *diags, struct rst_error *err);

/* The second half of it, for a set that has the master's stanzas, or others. */
enum rst_status update_read_input(
	struct update *update, struct template_file *input, struct diags *diags, struct rst_error *err);

/*
 * Makes the changes, in memory. is_forced: whatever the versions. The update file must have no errors.
 * RST_E_NOMEM.
 */
enum rst_status update_apply(struct update *update, bool is_forced, struct rst_error *err);

/* Whether the master is another one now. */
bool update_has_changed(const struct update *update);

/* Writes the changed master, and the undo file. */
void update_put_master(const struct update *update, struct outbuf *out);
void update_put_undo(const struct update *update, struct outbuf *out);

/*
 * Writes the stanza in force of a normalised key, with the effects in front of it. Returns false if the set
 * has no such stanza.
 */
bool update_put_stanza(const struct template_set *set, struct text key, struct outbuf *out);

void update_done(struct update *update);

/* --- between the files ---------------------------------------------------------------------------------- */

/* A line with -. */
struct update_deletion {
	const char *at; /* in the update file */
	struct text key;
};

/* read.c: where the comments in front of a stanza begin: behind the stanza before it in its file. */
const char *update_comments(const struct template_set *set, const struct stanza *stanza);

/* read.c: whether the line that begins here is a line "# effect:". */
bool update_is_effect(const char *at, const char *end);

#endif
