/* SPDX-License-Identifier: MIT */
/*
 * The text of LOS_TraceRecordDump(FALSE), as a terminal's log has it:
 *
 *	text.c          dumps in a text, and rows of a batch
 *	text_gather.c   lines to the rows of a dump
 *	text_order.c    rows into their order
 *	text_line.c     one line: which it is, and what its columns say
 */
#ifndef LITEOS_TEXT_H
#define LITEOS_TEXT_H

#include "dialect/liteos/liteos.h"
#include "dialect/liteos/losses.h"

/* Which columns a table of events has: its title has all but the number of params. */
struct liteos_columns {
	bool is_known, has_title;
	bool has_pid, has_core, has_count;
	bool is_free; /* fields are what blanks separate: most rows have other widths than the kernel prints */
	unsigned n_lr;
	unsigned margin; /* of the title: what a log's program put in front of each line */
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

/* A row, or a gap: damaged lines, or slots that have none. */
struct liteos_text_item {
	uint64_t key; /* what is sorted by */
	uint64_t time;
	uint64_t stamp;		  /* the time as it is printed, of which 32 bits may count */
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
		uint64_t n_plain, n_shifted;		/* points for types, read this way or that */
		bool is_shifted, has_huawei;
		bool has_short_times; /* of 32 bits */
		bool is_anew; /* the target was started anew since the dump before; its marker is due */
		bool is_free; /* of some table the fields are */
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
	struct losses losses; /* by the counts, where rows are in their order */
	bool has_told, has_warned, has_last, is_seen;
	struct liteos_text_item last; /* the newest row given out */
};

enum liteos_taken {
	LITEOS_LINE_TAKEN,
	LITEOS_DUMP_ENDS,
	LITEOS_DUMP_CUT, /* the next dump, or nothing, comes before the end */
	LITEOS_NO_MEMORY,
};

/* --- text_gather.c ------------------------------------------------------------------------------------------ */

/* Takes lines from text->at to the end of a dump. */
enum liteos_taken liteos_text_take(struct liteos *liteos, struct model *model, const struct chunk *chunk);

/* Damaged lines that follow each other are one damage. false when memory ran out. */
bool liteos_text_damage(struct liteos_text *text, uint64_t offset, uint64_t n_bytes, const char *what);

/* --- text_order.c ------------------------------------------------------------------------------------------- */

/* Makes the dump ready for its rows to go out. false when memory ran out. */
bool liteos_text_settle(struct liteos *liteos, struct model *model);

/* --- text_line.c -------------------------------------------------------------------------------------------- */

/* What a line is, whatever stands in front. *ret_number: of those with " = ". Lines have no line end. */
enum liteos_line liteos_text_line(const uint8_t *line, size_t n_bytes, unsigned margin, uint64_t *ret_number);

void liteos_text_columns(struct liteos_columns *ret, const uint8_t *title, size_t n_bytes);

/* The columns of a row without title, which agree with what is wanted. Returns false if it is no row. */
bool liteos_text_guess(
	struct liteos_columns *ret, const struct liteos_wanted *wanted, const uint8_t *line, size_t n_bytes);

/*
 * Whether the table whose title is `columns` has free fields, by its first rows, which `text` begins with. A table without
 * the title of events is one of objects.
 */
bool liteos_text_is_free(const struct liteos_columns *columns, const uint8_t *text, size_t n_bytes);

/*
 * Reads a row in full: nothing else is in the line, and its fields have the widths that the kernel prints, if they are not
 * free. Returns NULL, or what is wrong with the line, a constant text.
 */
const char *liteos_text_parse_row(struct liteos_text_row *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes);

/* The same for a row of the table of objects. ret->name is in the line. Returns false if the line is no such row. */
bool liteos_text_parse_object(struct liteos_text_object *ret, const struct liteos_columns *columns,
	const uint8_t *line, size_t n_bytes);

/* Whether `words` stand somewhere, with any blanks and tabs for each of their blanks. */
bool liteos_text_has(const uint8_t *bytes, size_t n_bytes, const char *words);

#endif
