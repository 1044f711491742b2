/* SPDX-License-Identifier: MIT */
/* The events of a dialect without a recording, and the stanzas of a file bound to all that they can be run over. */
#ifndef CLI_CATALOGUE_H
#define CLI_CATALOGUE_H

#include "dialect/dialect.h"
#include "template/bind.h"

/* The name of a dialect as a static text, terminated; "aix" is one. NULL: there is none, and err names those. */
const char *catalogue_dialect(struct text name, struct rst_error *err);

struct catalogue {
	struct model model; /* its types from model.types[0] on; markers of loss and damage are among them */
	bool has_events;    /* false: the dialect does not tell, as AIX, where every hook id is an event */
};

/*
 * Of a dialect by name; "aix" has no events. catalogue_done() is due whatever it returns. RST_OK, RST_E_NOMEM.
 */
enum rst_status catalogue_init(struct catalogue *catalogue, const char *dialect, struct rst_error *err);
void catalogue_done(struct catalogue *catalogue);

/*
 * The n-th event whose name the pattern matches (* and ?, without regard to case); NULL: there are not so many. A
 * pattern with a number, NAME+906, matches the family NAME+0, too.
 */
const struct rst_type *catalogue_find(const struct catalogue *catalogue, const char *pattern, size_t n);

/*
 * Binds every stanza that the file has in the set: of AIX for words of word_bytes, of others for the events that it
 * serves. Whatever they call is bound with them. Diagnoses say what was wrong.
 */
void catalogue_bind(const struct catalogue *catalogue, struct template_set *set,
	const struct template_file *file, unsigned word_bytes, struct diags *diags);

#endif
