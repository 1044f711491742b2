/* SPDX-License-Identifier: MIT */
/*
 * From a resolved tree to code.
 *
 *	lower.c        the list of items, literal text, blanks
 *	lower_read.c   codes: runs of reads, moves of the data pointer
 *	lower_value.c  expressions, macros, what prints a number
 *	lower_flow.c   SWITCH, LOOP, BITFLAGS
 *	lower_call.c   calls of other templates, and these in the place of their calls
 */
#ifndef TEMPLATE_COMPILE_LOWER_H
#define TEMPLATE_COMPILE_LOWER_H

#include "template/machine/code.h"
#include "template/machine/ops.h"

enum {
	PHASE_UNKNOWN = -1, /* of the data pointer's bit */
	NO_INSN = UINT32_MAX,
};

/* The compiler's knowledge at one position of the code. */
struct flow_state {
	uint8_t glue;	/* GLUE_KEEP: the runner's holds … */
	bool is_wanted; /* … and white space came since */
	int phase;	/* 0 to 7: the bit that the data pointer stands at */
};

struct lower {
	struct template_set *set;
	struct unit *unit;
	struct insn *code;
	size_t n_code, room;
	size_t n_flags; /* entries of BITFLAGS so far */
	struct flow_state now;
	bool is_quoted; /* in backquotes: data is tight */
	bool has_memory;
	struct insn nowhere;	      /* written to, never read: memory ran out */
	bool puts_in_place;	      /* the second pass: all that is called has been compiled */
	unsigned n_loops, n_in_place; /* that are open */
	size_t n_joined;	      /* instructions of calls that were put in place */

	/* The open run of reads: the index of its OP run, or NO_INSN. */
	uint32_t run;
	uint32_t run_bits; /* where the data pointer is, from the run's first byte */
	int64_t go;	   /* where it was set to, in bits, with no instruction yet; -1: nowhere */

	/* Literal text that is not yet an instruction. */
	char *text;
	size_t n_text, text_room;
};

/* --- lower.c -------------------------------------------------------------------------------------------- */

void lower_list(struct lower *lower, const struct node *node);

/*
 * Adds an instruction; its output takes up to room bytes. Returns it, to be filled in; borrowed until the
 * next one.
 */
struct insn *lower_emit(struct lower *lower, const struct op *op, size_t room);

/* Literal text, as one unit: the blank in front of it follows D3. */
void lower_text(struct lower *lower, const char *bytes, size_t n_bytes);

/* Blanks that take the place of those around them (A0.n). */
void lower_blanks(struct lower *lower, unsigned n_blanks);

/* A blank is wanted before what comes next. */
void lower_want(struct lower *lower);

/*
 * Before data that is never empty: emits the blank that may be due, or the instruction that decides on it.
 * Returns what the data's instruction needs for that.
 */
enum lead lower_lead(struct lower *lower);

/* Before something that reads but does not print. */
enum lead lower_lead_silent(const struct lower *lower);

/* After data. */
void lower_after_data(struct lower *lower, bool is_tight);

/* Before a part that may be empty, and finds out at run time: its insn's glue. */
uint8_t lower_glue(struct lower *lower);

/* lower_emit() with that. */
struct insn *lower_emit_glued(struct lower *lower, const struct op *op, size_t room);

/* The position that two ways lead to. */
struct flow_state lower_join(struct flow_state a, struct flow_state b);

/* Ends what is pending (text, a group of reads, a move): what follows can be jumped to. Returns its index. */
uint32_t lower_label(struct lower *lower);

/* Memory as long-lived as the unit; what cannot be had is remembered in has_memory. */
void *lower_alloc(struct lower *lower, size_t n_bytes);

/* The label, where it is shown, and the body. */
void lower_stanza(struct lower *lower, const struct stanza *stanza);

/* --- lower_read.c --------------------------------------------------------------------------------------- */

/* Before what sees or sets the data pointer: ends the open run, and makes the move that is due. */
void lower_end_run(struct lower *lower);

/* A code as an item: prints, or moves. */
void lower_code(struct lower *lower, const struct node *node);

/* A code's number onto the stack; lead is for the marker when it is cut. */
void lower_load_code(struct lower *lower, const struct code *code, enum lead lead);

/* --- lower_value.c -------------------------------------------------------------------------------------- */

/* The value of a built-in macro. */
void lower_load_macro(struct lower *lower, enum macro_id id);

void lower_expression(struct lower *lower, const struct node *node);

/* A code or macro as a number on the stack (SWITCH, LOOP, BITFLAGS, expressions). */
void lower_selector(struct lower *lower, const struct node *node);

/* Whether such a number is the same for all entries: then nothing has to be loaded. */
bool lower_is_known(const struct lower *lower, const struct node *selector, int64_t *ret_value);

/* A macro as an item. */
void lower_macro(struct lower *lower, const struct node *node);

/* Prints the value on the stack as a code does. */
void lower_print(struct lower *lower, const struct code *code);

void lower_assign(struct lower *lower, const struct node *node);
void lower_timer(struct lower *lower, const struct node *node);

/* --- lower_flow.c --------------------------------------------------------------------------------------- */

void lower_switch(struct lower *lower, const struct node *node);
void lower_loop(struct lower *lower, const struct node *node);
void lower_flags(struct lower *lower, const struct node *node);

/* --- lower_call.c --------------------------------------------------------------------------------------- */

void lower_call(struct lower *lower, struct stanza *stanza, struct text name);

/* --- the pass ------------------------------------------------------------------------------------------- */

/*
 * Compiles the resolved tree of unit->stanza. With puts_in_place it does so once more, when all that the unit
 * calls has been compiled. Returns false if memory ran out.
 */
bool lower_unit(struct template_set *set, struct unit *unit, bool puts_in_place);

/*
 * bind.c: the unit of a stanza, as a subroutine or not, made but perhaps not yet compiled; so cycles end.
 * NULL when memory ran out.
 */
struct unit *bind_unit(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, bool is_called);

#endif
