/* SPDX-License-Identifier: MIT */
/*
 * A stanza as a tree, as the parser leaves it:
 *
 *	TX_QUEUE_SEND 1.0 L=KERN "@send" $queue_ptr, 0 "nothing" LOOP U1 {X1}
 *	key           version level label body: SELECT ─► LOOP
 *
 * Nodes of a list hang together by `next`. Texts are not terminated; they live in the set's arena. The passes
 * that follow fill in what is marked "resolve"; a tree is resolved anew for each kind of entry that it is
 * bound to.
 */
#ifndef TEMPLATE_SYNTAX_TREE_H
#define TEMPLATE_SYNTAX_TREE_H

#include <rastrum/effect.h>

#include "template/language/codes.h"
#include "template/language/diag.h"
#include "template/language/macros.h"

struct node;
struct stanza;
struct unit;

enum node_kind {
	NODE_TEXT,     /* literal text: a word, a string, one blank-preserving part of a backquoted string */
	NODE_CODE,     /* a format code that prints, or moves the data pointer */
	NODE_MACRO,    /* $name, $name%CODE */
	NODE_NEWLINE,  /* \n */
	NODE_TAB,      /* \t */
	NODE_QUOTED,   /* `…`: its parts print without blanks of the rule */
	NODE_SWITCH,   /* selector, match body, … */
	NODE_LOOP,     /* LOOP count {body} */
	NODE_BITFLAGS, /* BITFLAGS selector, value "text" "else", & mask value "text" */
	NODE_ASSIGN,   /* {{ $name = value }}, {{ $name }} */
	NODE_TIMER,    /* starttimer(a, b), endtimer(a, b) */
	/* only in expressions, beside codes and macros */
	NODE_NUMBER,
	NODE_NEGATE,
	NODE_BINARY,
};

/* The meaning of a name (resolve). */
enum target_kind {
	TARGET_ZERO, /* nothing of that name: worth 0 */
	TARGET_FIELD,
	TARGET_NUMBER, /* what holds for all events of the type */
	TARGET_BUILTIN,
	TARGET_SLOT,   /* a macro of the template's own, by position */
	TARGET_STANZA, /* a call; stanza is NULL if missing */
};

struct target {
	enum target_kind kind;
	union {
		const struct rst_field *field;
		const struct macro_row *builtin;
		unsigned slot;
		int64_t number;
		struct stanza *stanza;
	};
};

struct node_macro {
	struct text name; /* without the $ */
	bool has_cast;
	struct code cast;
	struct target target; /* resolve */
};

struct switch_case {
	struct switch_case *next;
	const char *at;
	struct text match; /* as written, without quotes */
	bool is_quoted;
	bool is_wild;  /* \* or * */
	int64_t value; /* resolve: where numbers are compared */
	const struct rst_constants
		*constants; /* resolve: match names one or more of these; NULL if value counts */
	struct node *body;
};

struct node_switch {
	struct node *selector; /* NODE_CODE or NODE_MACRO */
	struct switch_case *cases;
	bool is_text; /* resolve: texts are compared */
};

struct flag {
	struct flag *next;
	const char *at;
	bool has_mask;
	uint64_t mask, value;
	struct text text, otherwise; /* otherwise.bytes NULL: none */
};

struct node {
	enum node_kind kind;
	bool is_spaced; /* white space stood before it (not counting that right after a `{`) */
	const char *at; /* where in the file */
	struct node *next;
	union {
		struct text text;	   /* NODE_TEXT, with its escapes undone */
		struct code code;	   /* NODE_CODE */
		struct node_macro macro;   /* NODE_MACRO */
		struct node *parts;	   /* NODE_QUOTED: NODE_TEXT, NODE_CODE, NODE_MACRO */
		struct node_switch select; /* NODE_SWITCH */
		struct {
			struct node *count; /* NODE_CODE or NODE_MACRO */
			struct node *body;
		} loop;
		struct {
			struct node *selector; /* NODE_CODE or NODE_MACRO */
			struct flag *flags;
		} bits;
		struct {
			struct node_macro macro; /* target: a slot, or a built-in that can be assigned to */
			struct node *value;	 /* NULL: only declared */
		} assign;
		struct {
			bool is_start;
			struct node *first, *second;
		} timer;
		int64_t number; /* NODE_NUMBER */
		struct {
			char sign;		   /* + - * / & - of NODE_NEGATE is 0 */
			struct node *left, *right; /* NODE_NEGATE: left */
		} binary;
	};
};

/*
 * One line "# effect:". Operands of its effect name fields of the line by number, from 1; compile/effects.c
 * finds the layout's.
 */
enum { EFFECT_FIELDS_MAX = 8 + RST_CONDITIONS_MAX };

struct effect_line {
	struct effect_line *next;
	const char *at;		  /* behind the colon */
	struct rst_effect effect; /* RST_EFFECT_NONE if those of the dialect do not count */
	unsigned n_fields;
	struct {
		const char *at; /* its $ */
		struct text name;
	} fields[EFFECT_FIELDS_MAX];
	struct text
		constants[RST_CONDITIONS_MAX]; /* what a condition compares with, by name; empty: a number */
};

enum level { LEVEL_APPL, LEVEL_SVC, LEVEL_KERN, LEVEL_INT, N_LEVELS };
extern const char *const level_names[N_LEVELS]; /* "APPL", … */

enum {
	TREE_NESTING_MAX = 64,	  /* groups, parentheses */
	TREE_MACROS_MAX = 255,	  /* of one stanza */
	TREE_OPERATORS_MAX = 255, /* of one expression: passes go down its tree by recursion */

	/* Values at once: one more than operators, and the first argument of a timer below the second. */
	TREE_STACK_MAX = TREE_OPERATORS_MAX + 2,
};

struct stanza {
	const struct template_file *file;
	const char *at;	 /* its first byte … */
	const char *end; /* … and the byte behind its logical line */
	struct text key; /* as looked up: hook ids in upper case, hhh0 as hhh; else the constant's name */
	struct text written_key; /* as written */
	unsigned version, release;
	enum level level;
	struct text label; /* without the @ */
	bool has_label, is_label_hidden;
	struct effect_line *effects; /* NULL: none */
	struct node *body;
	unsigned n_macros; /* … of its own, in the order of their first definition: */
	struct text *macros;
	bool is_bad;		 /* has errors: never bound */
	bool has_unknown;	 /* resolve: a name that means nothing was warned of */
	bool has_calls;		 /* check: it calls others */
	struct stanza *replaced; /* the stanza of the same key that this one took the position of, or NULL */
	size_t index;		 /* in the set */
	struct unit *units;	 /* what was compiled of it: compile/bind.h */
};

bool text_is_word(struct text text, const char *word);

/* Finds the slot of a macro that the stanza defines. Returns false if it defines no macro of this name. */
bool stanza_slot(const struct stanza *stanza, struct text name, unsigned *ret_slot);

/* A position in the stanza, for diagnoses. */
struct diag_location stanza_location(const struct stanza *stanza, const char *at);

/* Bytes of a name that a diagnosis shows: for %.*s. */
int text_shown(struct text text);

/* The functions that a walk calls, with the context. */
struct tree_visitor {
	void (*node)(void *context, const struct node *node);

	/* A case of a SWITCH, before its body; NULL: not of interest. */
	void (*match)(void *context, const struct node *node, const struct switch_case *one);

	void *context;
};

/*
 * All nodes of a list and what belongs to them, in the order in which they are written; operators before
 * operands.
 */
void tree_visit(const struct tree_visitor *visitor, const struct node *list);

#endif
