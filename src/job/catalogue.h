/* SPDX-License-Identifier: MIT */
/*
 * The events of a dialect without a recording, and the stanzas of a file bound to all that they can be run
 * over.
 */
#ifndef JOB_CATALOGUE_H
#define JOB_CATALOGUE_H

#include "base/similar.h"
#include "dialect/dialect.h"
#include "template/compile/bind.h"

/*
 * Finds the name of a dialect, written in any case, as a static, terminated text; "aix" is one. Returns NULL
 * if no dialect has that name; err lists the names then.
 */
const char *catalogue_dialect(struct text name, struct rst_error *err);

struct catalogue {
	struct model
		model; /* its layouts from model.layouts[0] on; markers of loss and damage are among them */
	/* false if the events are not known beforehand, as of AIX, where every hook id is an event */
	bool has_events;
	const struct hook *(*hook)(const struct rst_type *type); /* of the dialect, or NULL */
};

/*
 * Makes the catalogue of a dialect, by its name; "aix" has no events. catalogue_done() is due whatever it
 * returns. Returns RST_OK or RST_E_NOMEM.
 */
enum rst_status catalogue_init(struct catalogue *catalogue, const char *dialect, struct rst_error *err);
void catalogue_done(struct catalogue *catalogue);

/*
 * Finds the n-th event that matches, by its constant name or its service (* and ? match, case does not
 * matter), or by its number. If events are numbered (NAME+0, NAME+1, …), the dialect has only the first,
 * which represents all of them. Returns NULL if fewer than n + 1 events match.
 */
const struct rst_layout *catalogue_find(const struct catalogue *catalogue, const char *pattern, size_t n);

/*
 * Find the hook of AIX's trace as which trcrpt shows such events, and its template. Each returns NULL if it
 * does not exist.
 */
const struct hook *catalogue_hook(const struct catalogue *catalogue, const struct rst_type *type);
struct stanza *catalogue_hook_stanza(
	const struct catalogue *catalogue, const struct template_set *set, const struct rst_type *type);

/* Offers the names of all events. */
void catalogue_offer(const struct catalogue *catalogue, struct similar *similar);

/* Finds the first event that matches. Returns NULL and sets err if no event of the dialect matches. */
const struct rst_layout *catalogue_event(
	const struct catalogue *catalogue, const char *dialect, const char *pattern, struct rst_error *err);

/*
 * The key of a template for such an event: its constant name; of numbered events NAME, or NAME+906 for one of
 * them, which is written to key. *ret_id is its number.
 */
struct text catalogue_key(
	const struct rst_layout *layout, const char *pattern, char *key, size_t n_room, uint32_t *ret_id);

/* The event that stands for all of NAME+…, of one with such a key; NULL if the key is no such. */
const struct rst_layout *catalogue_numbered(const struct catalogue *catalogue, struct text key);

/*
 * Binds every stanza that the file has in the set: of AIX for words of word_bytes, of others for the events
 * that it serves. Stanzas that they call are bound with them. Faults are added to the diagnoses.
 */
void catalogue_bind(const struct catalogue *catalogue, struct template_set *set,
	const struct template_file *file, unsigned word_bytes, struct diags *diags);

/*
 * Adds diagnoses for the unused stanzas of the file: those that belong to no event and that no template
 * calls. The diagnosis is W07 if the name is similar to an event's. With wants_advice, it is A05 for all
 * others. If file is NULL, all files are checked but the program's own.
 */
void catalogue_report_unused(const struct catalogue *catalogue, const struct template_set *set,
	const struct template_file *file, bool wants_advice, struct diags *diags);

#endif
