/* SPDX-License-Identifier: MIT */
/*
 * A set: the stanzas of one dialect, from any number of files; a later one of the same key takes the place of
 * an earlier one. A set lives on one thread.
 *
 *	struct template_set *set = template_set_new("threadx");
 *	template_file_read(&file, path, &err) …
 *	template_set_add(set, file, &diags) …
 *	const struct unit *unit = bind_stanza(set, stanza, &binding, &diags);	 compile/bind.h
 *	p = run_unit(&runner, unit, &entry, p);				 machine/run.h
 *
 * A line of its own names the dialect of a file, `# dialect: threadx`; a file without such a line belongs to
 * aix.
 */
#ifndef TEMPLATE_SET_SET_H
#define TEMPLATE_SET_SET_H

#include <rastrum/error.h>

#include "base/arena.h"
#include "template/language/errors.h"
#include "template/syntax/parse.h"

struct unit; /* a stanza compiled for one kind of entry: compile/bind.h */

/* How entries look to a template. */
struct binding {
	unsigned word_bytes;		 /* 4 or 8 */
	const struct rst_layout *layout; /* its fields are macros; NULL: an AIX entry, hook word first */
	enum error_numbers errors;	 /* whose names E prints */
	/* the template is for events of several types: what is no field here is one of others */
	bool is_of_hook;
};

struct template_set {
	struct arena arena; /* trees */
	struct arena bound; /* units and what they are made of, stanzas made of fields: until bind_forget() */
	const char *dialect; /* lives longer than the set */
	bool is_aix;
	bool has_effects; /* some stanza has lines "# effect:" */
	struct template_file **files;
	size_t n_files, files_room;
	struct stanza **stanzas; /* all, in the order of their definition, replaced ones too */
	size_t n_stanzas, stanzas_room;
	struct stanza **names; /* by key: open addressing, a power of two; NULL: free */
	size_t n_names, names_room;
	struct unit **units; /* all that were compiled, in the order of their making */
	size_t n_units, units_room;
	struct template_set *
		*others; /* of further dialects, for a trace that was merged of several; borrowed */
	size_t n_others;
};

/* Returns NULL if memory ran out. */
struct template_set *template_set_new(const char *dialect);

/* Another set of the same trace, for events of its dialect. Returns false if memory ran out. */
bool template_set_join(struct template_set *set, struct template_set *other);

/* The set for events of a dialect (NULL: that of the trace): this one, or one that was joined. */
struct template_set *template_set_of(struct template_set *set, const char *dialect);

/* NULL is fine; returns NULL. */
struct template_set *template_set_free(struct template_set *set);

/* The name of the file that is read from "-". */
extern const char template_input_name[];

/*
 * Reads a file ("-": standard input) into memory. *ret_file is for template_set_add() or
 * template_file_free(). RST_E_IO, RST_E_NOMEM.
 */
enum rst_status template_file_read(struct template_file **ret_file, const char *path, struct rst_error *err);

/* The same for text in memory, which is copied. Returns NULL if memory ran out. */
struct template_file *template_file_of(const char *name, const char *text, size_t n_bytes);
struct template_file *template_file_free(struct template_file *file);

/* The dialect that the file names, "aix" without; *ret is not terminated and lives in the file. */
struct text template_file_dialect(const struct template_file *file);

/* Whether the file belongs to the dialect; letters of either case are the same. */
bool template_file_is_of(const struct template_file *file, const char *dialect);

/*
 * Parses all stanzas of a file, which the set takes over in any case. Errors are in diags, and their stanzas
 * is_bad; a key twice in one file is T16. RST_OK, RST_E_NOMEM.
 */
enum rst_status template_set_add(struct template_set *set, struct template_file *file, struct diags *diags);

/*
 * Finds the stanza of a normalised key (key_normalise()), bad or not. Returns NULL if the set has no such
 * stanza.
 */
struct stanza *template_set_find(const struct template_set *set, const char *key, size_t n_key);

/*
 * Finds the stanza that $name calls when it is neither field nor macro: name is a hook id in any spelling or,
 * where keys are names, a name. Returns NULL if the set has no such stanza.
 */
struct stanza *template_set_callee(const struct template_set *set, struct text name);

/*
 * Returns the stanza itself; if it is bad, the last good one that it replaced, or NULL if it replaced no good
 * one.
 */
struct stanza *stanza_good(struct stanza *stanza);

/*
 * Whether a template uses this macro, written without the $, or (NULL) a timer; otherwise its value need not
 * be found out.
 */
bool template_set_uses(const struct template_set *set, const char *macro);

/* Whether the template of an event, or one that it calls, uses a timer. */
bool template_set_times(const struct template_set *set, const char *name, size_t n_name);

/*
 * Whether the template, or one that it calls, depends on the events shown before, or decides on those behind.
 * Timers, $SKIP, $STOP and values that are counted over lines do so.
 */
bool template_set_counts(const struct template_set *set, const struct stanza *stanza);

/*
 * The stanza of an event: its constant name, or what stands before the + of a name like USER_EVENT+3. For AIX
 * it is the hook id. For a bad stanza, the one that it replaced is returned. Returns NULL if the set has no
 * stanza of it.
 */
struct stanza *template_set_find_event(const struct template_set *set, const char *name, size_t n_name);

#endif
