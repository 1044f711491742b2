/* SPDX-License-Identifier: MIT */
/*
 * Rules of `rastrum check`, as they are written: a rule on each line, # begins a comment.
 *
 *	[TITLE:] METRIC(SELECTOR[, SELECTOR]) RANGE [per DURATION]
 *	[TITLE:] METRIC(SELECTOR -> SELECTOR) RANGE
 *
 *	SELECTOR   KIND NAME         thread worker, irq 5, mutex "bus lock", event SENSOR_*, event SENSOR{id=5}
 *	RANGE      < 2ms   <= 2ms   > 64   >= 64   == 0   9.5ms..10.5ms   < 40%   >= -5   < 30.5
 *
 * parse.c reads them, and does not depend on traces.
 */
#ifndef QUERY_RULE_H
#define QUERY_RULE_H

#include <rastrum/rastrum.h>

#include "base/arena.h"
#include "base/limit.h"

enum { RULES_MAX = LIMIT(4096, 16), RULE_LINE_MAX = 64 * 1024, RULE_FAULTS_MAX = 50 };

/* --- what is meant -------------------------------------------------------------------------------------- */

enum selector_form { SELECTOR_EVENT, SELECTOR_IRQ, SELECTOR_SPAN, SELECTOR_THREAD, SELECTOR_OBJECT };

#define SELECTOR_BIT(form) (1U << (form))

enum { SELECTOR_FIELDS_MAX = 8 };

/* A field that an event must have, and its value: what a report shows of it, or a number. */
struct field_value {
	const char *name, *text;
	bool is_number, is_negative; /* the number is less than 0 */
	uint64_t number;	     /* its bits, of two's complement */
};

struct selector {
	enum selector_form form;
	const char *kind;		  /* as it is written; static */
	bool is_any_kind;		  /* object: of whatever kind */
	const char *name;		  /* with * and ? */
	const struct field_value *fields; /* of an event: all of them must hold */
	size_t n_fields;
	const char *fields_text; /* as they are written: {id=5} */
};

/* Whether it means this thing, or type of events. A name without * and ? means itself; case is ignored. */
bool selector_takes_entity(const struct selector *selector, const struct rst_entity *entity);
bool selector_takes_number(const struct selector *selector, uint64_t number);
bool selector_takes_type(const struct selector *selector, const struct rst_type *type);
bool selector_takes_object(const struct selector *selector, const struct rst_object *object);

/* Whether an event of a type that it means has the values that its fields must have. */
bool selector_takes_fields(
	const struct selector *selector, struct rst_trace *trace, const struct rst_batch *batch, size_t row);

/* The first of the selector's fields that events of this layout do not have, or NULL. */
const struct field_value *selector_lacks_field(
	const struct selector *selector, const struct rst_layout *layout);

/* The kind that this word means. The caller sets the name. Returns false if the word means no kind. */
bool selector_kind_find(const char *word, size_t n_word, struct selector *ret_selector);

/* The n-th word for a kind, or NULL. */
const char *selector_kind_word(size_t n);

/* --- numbers and ranges --------------------------------------------------------------------------------- */

enum quantity_form {
	QUANTITY_COUNT,
	QUANTITY_TIME,	/* value is in ps */
	QUANTITY_TICKS, /* of the trace's clock */
	QUANTITY_SHARE, /* value is in 1e-9 % */
};

#define QUANTITY_BIT(form) (1U << (form))

/*
 * The number is value / parts, or minus that. Only a count may have a sign or parts: QUANTITY_PARTS_MAX at
 * most, else 1.
 */
struct quantity {
	enum quantity_form form;
	bool is_negative; /* it is less than 0 */
	uint64_t value, parts;
};

#define QUANTITY_PARTS_MAX UINT64_C(1000000000000000000)

struct range {
	bool has_least, has_most;
	bool is_least_out, is_most_out; /* < and >: the limit itself is not in it */
	struct quantity least, most;
};

/* A range in the unit of what is measured: whole numbers, both in it. */
struct bounds {
	uint64_t least, most;
	bool is_empty; /* no whole number lies in it */
};

/* A product of two numbers has room in it. */
__extension__ typedef unsigned __int128 wide;

/* The value of one unit of a quantity, in units of the measured value: multiply / divide. */
struct worth {
	uint64_t multiply;
	wide divide;
};

/*
 * Reads a number with its unit, which ends where the result points to. Returns NULL and the error in *ret_why
 * if the number is wrong.
 */
const char *quantity_parse(const char *p, struct quantity *ret_quantity, const char **ret_why);

/* The whole numbers that lie in the range, computed exactly. */
struct bounds range_bounds(const struct range *range, struct worth worth);

/* A quantity in whole units, rounded down; UINT64_MAX if it is larger than that. */
uint64_t quantity_units(const struct quantity *quantity, struct worth worth);

/* Whether no value can lie in the range; has_sign: the measured value may be less than 0. */
bool range_is_void(const struct range *range, bool has_sign);

/* --- limit.c: numbers of any type ----------------------------------------------------------------------- */

/* -1, 0 or 1: one is less than the other, the same, greater. Both are counts, or both of one other form. */
int quantity_compare(const struct quantity *one, const struct quantity *other);

/*
 * Where a number lies: -1 below the range, 0 in it, 1 above. The number is whole with a sign (RST_SIGNED),
 * the bits of a double (RST_REAL; NaN lies above), or whole without a sign (any other type). The range is of
 * counts. A double is compared with the double nearest to a limit: 0.1 lies in <= 0.1.
 */
int range_side(const struct range *range, uint64_t value, enum rst_field_type type);

/*
 * How far a number lies outside of the range. If *ret_type is RST_UNSIGNED, the distance to the nearest whole
 * number in the range (UINT64_MAX: or farther). If number or limit is not whole, *ret_type is RST_REAL, and
 * the result has the bits of a double, the distance to the limit.
 */
uint64_t range_distance(
	const struct range *range, uint64_t value, enum rst_field_type type, enum rst_field_type *ret_type);

/* --- rules ---------------------------------------------------------------------------------------------- */

struct metric;

enum { RULE_SELECTORS = 2 };

struct rule {
	const char *title; /* what is written, or the rule */
	const char *text;  /* the rule without title and comment */
	unsigned line, column;
	unsigned range_column; /* … of the range */
	const struct metric *metric;
	size_t n_selectors;
	struct selector selectors[RULE_SELECTORS];
	struct range range;
	bool has_per;
	struct quantity per;
	const char *sql;    /* of none … */
	const char *sql_at; /* … and where it begins in its line, as it is written */
	const char *line_start;
};

/* A fault in a line. */
struct rule_fault {
	unsigned line, column; /* from 1; columns are characters */
	char text[256];
	char advice[320]; /* "" without advice */
};

struct rules {
	struct rule *all;
	size_t n, room;
	struct rule_fault *faults; /* at most one for each line */
	size_t n_faults, faults_room;
	struct arena arena;
};

/* Reads all rules of a text. Returns false if memory ran out. rules_done() is due in any case. */
bool rules_parse(struct rules *rules, const char *bytes, size_t n_bytes);
void rules_done(struct rules *rules);

#endif
