/* SPDX-License-Identifier: MIT */
/*
 * Compiled templates. A unit is the code of one stanza for one kind of entry; an instruction is an operation,
 * a const struct of ops.h, with its operands.
 *
 * Reads. Codes that follow each other straight on read from one *run*: OP run checks once that `need` bytes
 * are there, moves the data pointer behind all of them, and the reads behind it take their bytes at fixed
 * offsets. When bytes are missing, the runner turns careful: it compares each instruction's `need` with the
 * bytes that are there. It calls `cut` of the first one that lacks bytes, which prints what there is and ends
 * the entry (D8). Fields of other dialects are checked when a unit begins. For a payload that is too short
 * for all fields, the unit has a second copy of its code, in which each field is checked by itself
 * (`checked`); a field that is cut is a "?" and the text goes on.
 *
 * Blanks (D3). The glue is what was printed last, and whether a blank is wanted. Mostly it is known at
 * compile time, and the blank becomes part of the literal text. Behind loops, calls and cases that end
 * differently it is unknown: there the runner's glue holds, and OP ask_* prints the blank.
 */
#ifndef TEMPLATE_MACHINE_CODE_H
#define TEMPLATE_MACHINE_CODE_H

#include "template/machine/run.h"

/* The kind of output that was printed last … */
enum glue {
	GLUE_START, /* nothing in this line */
	GLUE_GAP,   /* text that ends in a blank, a tab, A0.n */
	GLUE_TEXT,
	GLUE_DATA,
	GLUE_TIGHT, /* data that no blank follows by itself: X0, A0, in backquotes */
	GLUE_LAST = 7,
	GLUE_WANTED = 8, /* … and: a blank is wanted */
	GLUE_KEEP = 255, /* the compiler does not know: the runner's glue holds */
};

/* Nothing, or white space, stands before what comes: it never needs a blank. */
static inline bool glue_is_apart(unsigned glue)
{
	unsigned last = glue & GLUE_LAST;

	return last == GLUE_START || last == GLUE_GAP;
}

static inline bool glue_needs_blank(unsigned glue, bool is_data)
{
	return ((glue & GLUE_WANTED) || (is_data && (glue & GLUE_LAST) == GLUE_DATA)) && !glue_is_apart(glue);
}

/* The state of the blank in front of an instruction, for the marker of a cut. */
enum lead {
	LEAD_PUT,   /* a blank has been printed */
	LEAD_START, /* none is needed here */
	LEAD_TIGHT, /* none has been printed */
	LEAD_ASKED, /* as the last ask_* found */
	LEAD_GLUE,  /* as the runner's glue has it */
};

/* Where no blank has been printed. */
static inline enum lead glue_lead(unsigned glue)
{
	return glue_is_apart(glue) ? LEAD_START : LEAD_TIGHT;
}

enum op_reads { READS_NOTHING, READS_RUN, READS_PAYLOAD };

struct insn;

struct op {
	const char *name;
	char *(*run)(struct runner *run, char *p, const struct insn *insn);
	const char *operands; /* those that the dump shows, as words of dump/dump_code.c; NULL: none */
	enum op_reads reads;
	char *(*cut)(struct runner *run, char *p, const struct insn *insn); /* when it reads */
	/* Runs and goes on with the next instruction. If NULL, run() serves. */
	char *(*quick)(struct runner *run, char *p, const struct insn *insn);
};

struct insn {
	char *(*quick)(struct runner *run, char *p, const struct insn *insn); /* of op, or its run */
	const struct op *op;
	union {
		int64_t number;
		const char *text;
		const struct rst_field *field;
		const struct unit *unit;
		const struct switch_table *table;
		const struct text_table *texts;
		const struct flag_table *flags;
		const struct name_table *names;
	};
	uint32_t a, b; /* mostly offset and size; or the index of an instruction to go to */
	uint32_t need; /* bytes of the run or payload that it takes */
	uint8_t lead;  /* enum lead */
	uint8_t glue;  /* the glue before it (parts that may be empty), or the one to go on with (jumps) */
};

/*
 * Where a SWITCH goes: dense tables by index, others by binary search. Targets are indexes of instructions.
 */
struct switch_table {
	int64_t low;
	size_t n_dense;
	const uint32_t *dense; /* value - low */
	size_t n_sorted;
	const int64_t *values;
	const uint32_t *targets;
	uint32_t other;
};

struct text_table {
	size_t n_rows;
	const struct text *texts;
	const uint32_t *targets;
	uint32_t other;
};

struct flag_table {
	size_t n_rows;
	const struct flag_row {
		uint64_t mask, value;
		struct text text, otherwise;
	} * rows;
};

enum {
	RUN_SLACK = 64,	     /* room that a unit has for what ends an entry */
	RUN_TEXT_ROOM = 256, /* … and for each of its texts; longer texts extend the line */
};

/*
 * The constants of an enumeration by number, 16 bytes of each are readable; those without bytes are looked
 * for elsewhere.
 */
struct name_table {
	const struct rst_field *field;
	size_t n_rows;
	const struct text *rows;
};

struct unit {
	struct unit *next; /* of the same stanza, for another kind of entry */
	struct stanza *stanza;
	struct binding binding;
	const struct insn *code;    /* NULL if not lowered yet, or bad */
	const struct unit *checked; /* the same, for payloads that are shorter than payload_need */
	size_t n_code;
	size_t room;	     /* bytes that its text can take, but for loops, calls, long names and texts */
	size_t payload_need; /* bytes that its fields take */
	unsigned n_work;     /* what a run of it costs: instructions, and entries of BITFLAGS */
	bool is_called; /* as a subroutine, by a template: then it cannot know what was printed before it */
	bool is_bad;
};

/* The parts of an entry that a unit's text depends on, besides names. */
enum { UNIT_READS_MAX = 128 };

struct unit_reads {
	uint8_t mask[UNIT_READS_MAX]; /* bytes of the payload that it reads: 0xff */
	bool has_context;	      /* it reads or prints what the context is */
	bool has_subject;	      /* it begins with $EXECPATH: that alone is no has_context */
};

/*
 * steady.c: events with the same bytes where the unit reads them have the same text, for as long as the ids
 * in them mean the same. Returns false if there is more to it, or they are more than the mask has.
 */
bool unit_is_steady(const struct unit *unit, struct unit_reads *ret_reads);

#endif
