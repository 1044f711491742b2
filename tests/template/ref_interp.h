/* SPDX-License-Identifier: MIT */
/*
 * The reference interpreter of templates: it evaluates a stanza by walking the tree that the parser made,
 * slowly and as the reference of the language words it ("trcfmt file format", and our decisions D1 to D37).
 * It shares nothing with the passes behind the parser, so where its text differs from that of the compiled
 * code, one of the two is wrong.
 *
 *	ref_interp.c		statements: SWITCH, LOOP, BITFLAGS, calls, timers, what ends an entry
 *	ref_interp_text.c	the text and the blanks in it (D3)
 *	ref_interp_value.c	names, numbers, expressions, the data pointer
 *	ref_interp_show.c	what values look like
 *	ref_interp_match.c	match values of a SWITCH, and what of a stanza is an error for a binding
 *
 * Memory that runs out ends the program.
 */
#ifndef TESTS_TEMPLATE_REF_INTERP_H
#define TESTS_TEMPLATE_REF_INTERP_H

#include <setjmp.h>

#include "template/machine/run.h"

struct interp_string {
	char *bytes; /* n_bytes of them; NULL while there are none */
	size_t n_bytes, room;
};

struct interp_timer {
	int64_t first, second, start;
};

/* The kind of output that was printed last (D3). */
enum interp_last {
	LAST_START, /* nothing in this line */
	LAST_GAP,   /* literal text that ends in a blank, a tab, A0.n */
	LAST_TEXT,
	LAST_DATA,
	LAST_TIGHT, /* X0, A0, data in backquotes */
};

struct ref_interp {
	/* Set by the caller; everything else starts as zero. */
	const struct template_set *set;
	const struct binding *binding;
	struct rst_trace *trace; /* NULL: objects have no names */
	unsigned margin;	 /* blanks in front of every line but the first */
	bool counts_ticks;

	/* Over all entries. */
	uint64_t n_truncated, n_nesting, n_limit, n_div0; /* R01 to R04 */
	struct interp_timer *timers;
	size_t n_timers;

	/* Of the entry. */
	const struct entry *entry;
	const struct stanza *stanza; /* the one that runs now: its macros are the names of the slots */
	struct interp_string out;    /* the text */
	size_t line;		     /* where in it the line starts, or its last stop */
	struct interp_string value;  /* one value, before it is printed */
	bool is_value_tight;	     /* no blank follows it by itself */
	bool is_value_short;	     /* the entry ended within it */
	bool is_bare;		     /* names are not set off: in backquotes, and where texts are compared */
	bool is_blank_wanted;
	enum interp_last last;
	int64_t pointer; /* bits */
	int64_t base;	 /* bytes */
	int64_t slots[TREE_MACROS_MAX];
	unsigned n_turns, n_calls;
	enum run_outcome outcome;
	jmp_buf end; /* where an entry that ends early goes on */
};

/*
 * The text of entry by a stanza that is not bad and whose binding has no errors. *ret_text is borrowed until
 * the next call and terminated.
 */
enum run_outcome interp_run(struct ref_interp *interp, const struct stanza *stanza, const struct entry *entry,
	const char **ret_text, size_t *ret_n_bytes);

/* false: the stanza has an error for this binding (T07, T10 to T13). What it calls is not looked at. */
bool interp_accepts(struct ref_interp *interp, const struct stanza *stanza);

/* As if starttimer(first, second) had run at that time. */
void interp_start_timer(struct ref_interp *interp, int64_t first, int64_t second, int64_t start);

void interp_done(struct ref_interp *interp);

#endif
