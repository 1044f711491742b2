/* SPDX-License-Identifier: MIT */
/*
 * Templates, an entry and host_values in, text out: what `template eval` does once and `template test` for
 * each case.
 */
#ifndef CLI_TEMPLATE_EVALUATION_H
#define CLI_TEMPLATE_EVALUATION_H

#include "job/catalogue.h"
#include "template/machine/run.h"

enum evaluation_kind {
	EVALUATION_TEXT,
	EVALUATION_LINE,  /* as a line of `report --format aix` */
	EVALUATION_PARSE, /* ok or ERROR */
	N_EVALUATION_KINDS
};
extern const char *const evaluation_kind_names[N_EVALUATION_KINDS];

struct evaluation {
	/* Set by the caller. Texts are as the user wrote them; NULL if it is not given. */
	enum evaluation_kind kind;
	bool is_64;
	const char *entry;		/* hexadecimal */
	const char *type, *hook, *data; /* hexadecimal; NULL: as in the entry */
	const char *event;		/* the entry is the payload of this event of the file's dialect */
	const char *context;		/* host_values.h */
	/* files or folders of templates that the file overrides; events have all others, too */
	size_t n_below;
	const char *const *below;

	/* The result; owned, and valid until evaluation_done(). */
	struct outbuf out; /* the text; ERROR when there are errors in what it takes */
	bool is_bad;	   /* it is ERROR */
	bool is_hidden;	   /* $SKIP: there is nothing to print, not even a line */
	struct diags diags;
	struct template_set *set;
	const struct template_file *file; /* that is run; the set's */
	struct catalogue catalogue;
	bool has_out, has_catalogue;
};

/*
 * Runs the templates of a file, which is taken over, on one entry. Bad templates are left out, but the text
 * is ERROR when the entry's own is bad, or one that it calls; for EVALUATION_PARSE when the file has any.
 * RST_OK, also then; RST_E_USAGE, RST_E_IO, RST_E_NOMEM. evaluation_done() is due whatever it returns.
 */
enum rst_status evaluate(struct evaluation *evaluation, struct template_file *file, struct rst_error *err);
void evaluation_done(struct evaluation *evaluation);

#endif
