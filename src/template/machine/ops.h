/* SPDX-License-Identifier: MIT */
/*
 * The operations, one const struct each. `a` and `b` are an instruction's operands; the stack is the
 * runner's. An operation that prints has room for its static part, and extends the line for longer texts.
 */
#ifndef TEMPLATE_MACHINE_OPS_H
#define TEMPLATE_MACHINE_OPS_H

#include "base/text.h"
#include "template/machine/code.h"
#include "template/machine/upper.h"

/* op_flow.c: where to go on */
extern const struct op op_end, /* of the template: back to the caller, or done */
	op_jump,	       /* to a */
	op_switch,	       /* pops a value; table has the targets */
	op_switch_text,	       /* the same with the text printed since op_mark, which is taken back */
	op_mark,	       /* what is printed next is only compared */
	op_loop,	       /* pops the number of turns; none: to a */
	op_next,	       /* one more turn: to a */
	op_call,	       /* unit */
	op_break, op_skip, op_stop, op_error;

/* op_read.c: the data pointer, reads that print, reads onto the stack */
extern const struct op op_run, /* on the next byte: a bytes are needed, the pointer moves b bits from there */
	op_run_bits,	       /* the same on the bit where the pointer is */
	op_run_at,	       /* the same on bit number */
	op_go,		       /* to bit number */
	op_forward,	       /* a bits */
	op_back,	       /* to a byte, then a bytes back, not before 0 */
	op_store_pointer, op_store_base;
extern const struct op op_hex_1, op_hex_2, op_hex_4, op_hex_8, /* byte a of the run; b bytes */
	op_hex, op_signed_4, op_unsigned_4, op_signed, op_unsigned;
extern const struct op op_ascii, op_ascii_tight,	 /* b bytes, number of them at the most */
	op_ascii_field,					 /* number columns */
	op_counted, op_counted_tight;			 /* a length of b bytes, at the data pointer */
extern const struct op op_load_unsigned, op_load_signed, /* b bytes at byte a of the run */
	op_load_bits,					 /* b bits at bit a of the run */
	op_load_bits_here;				 /* b bits at the data pointer */

/* op_value.c: the stack */
extern const struct op op_number, op_load_field, op_load_macro, op_load_slot, op_store_slot;
extern const struct op op_load_generic, op_load_hook_data, op_load_hook_bytes, op_load_hook_type,
	op_load_variable; /* op_load_macro of one that is in the entry */
extern const struct op op_load_low_1, op_load_low_2, op_load_low_4,
	op_load_low_8;				       /* unsigned, at byte a, low byte first */
extern const struct op op_low_signed, op_low_unsigned; /* the lowest b bits */
extern const struct op op_add, op_subtract, op_multiply, op_divide, op_and, op_negate;
extern const struct op op_start_timer, op_end_timer;

/* op_print.c: the value on the stack as text; hex, float: b bytes; bits: b of them */
extern const struct op op_print_hex, op_print_hex_wide, op_print_digits, op_print_id, op_print_signed,
	op_print_unsigned, op_print_octal, op_print_bits, op_print_float, op_print_time, op_print_errno,
	op_print_process, op_print_duration;

/* op_text.c: literal text, blanks, macros that are texts */
extern const struct op op_text, op_text_short, /* text, a bytes */
	op_blanks,			       /* a of them */
	op_want, op_ask, op_ask_wanted,	       /* b: for data */
	op_newline, op_tab, op_macro_text, op_path, op_subject, op_flags;

/* The operand of op_path; op_subject is one with PATH_HAS_BLANK at the very beginning. */
enum {
	PATH_HAS_BLANK = 1, /* stands behind it */
	PATH_IS_BARE = 2,   /* in backquotes, and in AIX entries: never set off */
};

/* op_field.c: fields as they read; those of known bytes lie at byte a, in big-endian order when b is 1 */
extern const struct op op_field, op_field_bare, op_field_object, op_field_enum_4, op_field_word_4,
	op_field_text;
extern const struct op op_field_number_1, op_field_number_2, op_field_number_4, op_field_number_8;
extern const struct op op_field_address_4, op_field_address_8;
extern const struct op op_field_object_1, op_field_object_2, op_field_object_4, op_field_object_8;

/*
 * op_fused.c: sets the quick ways of all instructions, which may be those of several at once. is_checked:
 * each field is looked for when it is read.
 */
void insns_make_quick(struct insn *code, size_t n_code, bool is_checked);

/* The code of a unit to run over a payload of n_bytes. */
static inline const struct unit *unit_of_payload(const struct unit *unit, size_t n_bytes)
{
	return __builtin_expect(unit->payload_need > n_bytes, 0) ? unit->checked : unit;
}

/* --- what they share (run.c) ---------------------------------------------------------------------------- */

static inline void run_push(struct runner *run, int64_t value)
{
	*run->top++ = value;
}

static inline int64_t run_pop(struct runner *run)
{
	return *--run->top;
}

/*
 * Runs the next instruction, as the quick loop would, without a return to the loop. The commonest operations,
 * which never end the entry, use it. p is the value that the operation returned.
 */
static inline char *run_on(struct runner *run, char *p, const struct insn *insn)
{
	run->next = insn + 2;
	return insn[1].quick(run, p, insn + 1);
}

/* The same at an instruction elsewhere. */
static inline char *run_go(struct runner *run, char *p, const struct insn *insn)
{
	run->next = insn + 1;
	return insn->quick(run, p, insn);
}

/*
 * Room for n_bytes at *p besides all static room of the units that are running; the line, and *p with it, may
 * move. Returns false if no room is left; then the entry ends.
 */
bool run_more_room(struct runner *run, char **p, size_t n_bytes);

/* The same for a text and a blank before it, for which the unit has RUN_TEXT_ROOM. */
static inline bool run_text_room(struct runner *run, char **p, size_t n_bytes)
{
	return n_bytes <= RUN_TEXT_ROOM || run_more_room(run, p, n_bytes + 1);
}

/* The runner must take over the compiler's glue before it goes to code where the compiler knows no glue. */
static inline void run_take_glue(struct runner *run, const struct insn *insn)
{
	if (insn->glue != GLUE_KEEP)
		run->glue = insn->glue;
}

/* Nothing stands in this line before the part. */
static inline bool run_is_first(const struct runner *run, const struct insn *insn)
{
	return ((insn->glue == GLUE_KEEP ? run->glue : insn->glue) & GLUE_LAST) == GLUE_START;
}

/*
 * The blank in front of a text that is not empty, where the glue of its instruction or of the runner requires
 * one. An empty text changes nothing: run_take_glue().
 */
char *run_open_part(struct runner *run, char *p, const struct insn *insn, bool is_data);

/* After such a part of data. */
void run_close_part(struct runner *run, bool is_tight);

/* The blank in front of words of the runner's own: as before literal text with white space before it. */
char *run_open_words(struct runner *run, char *p);

/* Bytes are missing: from the next instruction on each read is checked. */
void run_be_careful(struct runner *run);

/* Ends the entry with the marker of cut data; has_bytes: something of it was printed. */
char *run_truncate(struct runner *run, char *p, const struct insn *insn, bool has_bytes);

/* Ends the entry with a sentence as literal text. */
char *run_end_with(struct runner *run, char *p, const char *words);

/* The text of op_text_short. */
static inline char *run_put_short(char *p, const struct insn *insn)
{
	memcpy(p, insn->text, TEXT_SHORT);
	return p + insn->a;
}

/* Where a SWITCH goes: an index of an instruction. */
static inline uint32_t switch_find(const struct switch_table *table, int64_t value)
{
	size_t low = 0, high = table->n_sorted;
	uint64_t index = (uint64_t)value - (uint64_t)table->low;

	if (table->n_dense)
		return index < table->n_dense ? table->dense[index] : table->other;
	while (low < high) {
		size_t middle = (low + high) / 2;

		if (table->values[middle] == value)
			return table->targets[middle];
		if (table->values[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return table->other;
}

/* The marker and the end: what most reads do when they are cut. */
char *run_cut(struct runner *run, char *p, const struct insn *insn);

#endif
