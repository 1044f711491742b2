/* SPDX-License-Identifier: MIT */
/*
 * The text of LOS_TraceRecordDump(FALSE) in a terminal's log:
 *
 *	text.c          dumps in a text, and rows of a batch
 *	text_gather.c   lines to the rows of a dump
 *	text_order.c    rows into their order
 *	text_line.c     one line: its kind, and the values of its columns
 */
#ifndef LITEOS_TEXT_H
#define LITEOS_TEXT_H

#include "dialect/liteos/liteos.h"
#include "dialect/liteos/losses.h"

/* The columns of a table of events. Its title has all of them except the number of params. */
struct liteos_columns {
	bool is_known, has_title;
	bool has_pid, has_core, has_count;
	bool is_free; /* blanks separate the fields: most rows do not have the kernel's widths */
	unsigned n_lr;
	unsigned margin; /* of the title: bytes that the log's program puts in front of each line */
};

enum liteos_line {
	LINE_OTHER,
	LINE_EMPTY,
	LINE_BEGIN,
	LINE_END,
	LINE_CLOCK,
	LINE_OBJECT_INDEX,
	LINE_OBJECT_TITLE,
	LINE_EVENT_INDEX,
	LINE_EVENT_TITLE,
};

enum { LITEOS_TEXT_CORE = 3 };

#define LITEOS_EVENT_TITLE "Index Time(cycles) EventType"

/* A row's numbers. */
struct liteos_text_row {
	uint64_t index, time, type, pid, task, identity, count;
	uint64_t core[LITEOS_TEXT_CORE]; /* cpuid, hwiActive, taskLockCnt */
	uint64_t lr[LITEOS_LR_MAX];
	uint64_t params[LITEOS_PARAMS_MAX];
	unsigned n_params;
};

struct liteos_text_object {
	uint64_t index, id, priority;
	const uint8_t *name;
	size_t name_bytes;
};

/* A row, or a gap: damaged lines, or slots without lines. */
struct liteos_text_item {
	uint64_t key; /* rows are sorted by it */
	uint64_t time;
	uint64_t stamp;		  /* the printed time, of which only 32 bits may be valid */
	uint64_t offset, n_bytes; /* of the line in the chunk */
	uint64_t n_missing;	  /* slots */
	const char *what;	  /* NULL: a row */
	uint32_t number, slot, count, type;
	unsigned n_params;
};

struct liteos_text {
	struct liteos_wanted wanted;
	size_t at; /* in the chunk */
	bool has_chunk;

	/* The dump being read. */
	struct liteos_text_dump {
		struct liteos_columns columns;
		bool has_slot, has_current, has_current_object;
		uint64_t current, current_object, last_slot, hz;
		uint64_t n_slots, n_used;
		uint64_t n_rows[LITEOS_PARAMS_MAX + 1]; /* by number of params */
		uint64_t n_plain, n_shifted;		/* points for the types, without and with the shift */
		bool is_shifted, has_huawei;
		bool has_short_times; /* of 32 bits */
		bool is_anew;	      /* the target was restarted since the dump before; the marker is due */
		bool is_free;	      /* some table has free fields */
		struct liteos_layout layout;
	} dump;
	bool is_inside, is_ready;
	struct liteos_text_item *items;
	size_t n_items, items_room, n_out;

	/* All dumps. */
	struct liteos_text_dump first;
	uint64_t n_dumps, n_slots, n_used, n_repeated;
	bool has_earlier;
	uint32_t n_earlier;   /* events before the oldest one, by its count */
	struct losses losses; /* by the counts, if rows are sorted */
	bool has_told, has_warned, has_last, is_seen;
	struct liteos_text_item last; /* the newest row given out */
};

enum liteos_taken {
	LITEOS_LINE_TAKEN,
	LITEOS_DUMP_ENDS,
	LITEOS_DUMP_CUT, /* the next dump begins, or the text ends, before the dump's end */
	LITEOS_NO_MEMORY,
};

/* --- text_gather.c -------------------------------------------------------------------------------------- */

/* Takes lines from text->at to the end of a dump. */
enum liteos_taken liteos_text_take(struct liteos *liteos, struct model *model, const struct chunk *chunk);

/* Adds a damaged line; consecutive ones are one damage. Returns false if memory ran out. */
bool liteos_text_damage(struct liteos_text *text, uint64_t offset, uint64_t n_bytes, const char *what);

/* --- text_order.c --------------------------------------------------------------------------------------- */

/* Makes the dump's rows ready to go out. Returns false if memory ran out. */
bool liteos_text_settle(struct liteos *liteos, struct model *model);

/* --- text_line.c ---------------------------------------------------------------------------------------- */

/*
 * Finds the kind of a line, and ignores bytes in front. *ret_number is set for lines with " = ". Lines have
 * no line end.
 */
enum liteos_line liteos_text_line(const uint8_t *line, size_t n_bytes, unsigned margin, uint64_t *ret_number);

void liteos_text_columns(struct liteos_columns *ret, const uint8_t *title, size_t n_bytes);

/*
 * Guesses the columns of a row without a title; they agree with the settings. Returns false if the line is
 * not a row.
 */
bool liteos_text_guess(
	struct liteos_columns *ret, const struct liteos_wanted *wanted, const uint8_t *line, size_t n_bytes);

/*
 * Whether the table with the title `columns` has free fields, by its first rows, which are at the beginning
 * of `text`. Without a title of events, the table is one of objects.
 */
bool liteos_text_is_free(const struct liteos_columns *columns, const uint8_t *text, size_t n_bytes);

/*
 * Reads a row in full: the line must have nothing else, and its fields must have the kernel's widths, unless
 * they are free. Returns NULL, or a constant text with the fault of the line.
 */
const char *liteos_text_parse_row(struct liteos_text_row *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes);

/*
 * The same for a row of the table of objects. ret->name is in the line. Returns false if the line is not such
 * a row.
 */
bool liteos_text_parse_object(struct liteos_text_object *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes);

/* Whether the bytes contain `words`, with any number of blanks and tabs for each of their blanks. */
bool liteos_text_has(const uint8_t *bytes, size_t n_bytes, const char *words);

#endif
