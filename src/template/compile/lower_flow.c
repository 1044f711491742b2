/* SPDX-License-Identifier: MIT */
/* Lowers items whose code branches: SWITCH, LOOP, BITFLAGS. */
#include "template/compile/lower.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum {
	DENSE_GAPS = 4,	  /* a table by index may have this many positions for each case … */
	DENSE_SMALL = 16, /* … and these besides */
};

/* --- SWITCH --------------------------------------------------------------------------------------------- */

/* One value and where it leads; a case that names a constant of several values gives several. */
struct arm {
	int64_t value;
	struct text match;
	uint32_t target, order;
};

struct arms {
	struct arm *rows;
	size_t n_rows, room;
	uint32_t other; /* NO_INSN: no wildcard */
};

static void add_arm(
	struct lower *lower, struct arms *arms, int64_t value, const struct switch_case *one, uint32_t target)
{
	struct arm *rows = array_room(arms->rows, arms->n_rows, &arms->room, sizeof(*rows));

	if (!rows) {
		lower->has_memory = false;
		return;
	}
	arms->rows = rows;
	rows[arms->n_rows] = (struct arm){ value, one->match, target, (uint32_t)arms->n_rows };
	arms->n_rows++;
}

static void add_arms(struct lower *lower, struct arms *arms, const struct switch_case *one, uint32_t target)
{
	const struct rst_constants *constants = one->constants;

	if (one->is_wild)
		arms->other = target;
	else if (!constants)
		add_arm(lower, arms, one->value, one, target);
	for (size_t i = 0; constants && i < constants->n_rows; i++)
		if (text_is_word(one->match, constants->rows[i].name))
			add_arm(lower, arms, (int64_t)constants->rows[i].value, one, target);
}

/*
 * Jumps to the position behind all cases. The jumps are chained through their targets until that position is
 * known; *last is the last of the chain.
 */
static void jump_on(struct lower *lower, uint32_t *last)
{
	struct insn *jump = lower_emit_glued(lower, &op_jump, 0);

	jump->a = *last;
	*last = (uint32_t)lower->n_code - 1;
}

/* The cases, one behind the other. Returns the position behind them all. */
static struct flow_state lower_cases(
	struct lower *lower, const struct switch_case *cases, struct arms *arms, uint32_t *last)
{
	const struct flow_state before = lower->now;
	struct flow_state joined = before;

	for (const struct switch_case *one = cases; one; one = one->next) {
		lower->now = before;
		uint32_t target = lower_label(lower);

		if (arms->other == NO_INSN) /* behind the wildcard nothing is reached */
			add_arms(lower, arms, one, target);
		lower_list(lower, one->body);
		lower_end_run(lower);
		jump_on(lower, last);
		joined = one == cases ? lower->now : lower_join(joined, lower->now);
	}
	if (arms->other != NO_INSN)
		return joined;
	lower->now = before;
	arms->other = lower_label(lower);
	jump_on(lower, last);
	return lower_join(joined, before);
}

static void patch_jumps(struct lower *lower, uint32_t jump, uint32_t target)
{
	while (jump != NO_INSN && lower->has_memory) {
		uint32_t next = lower->code[jump].a;

		lower->code[jump].a = target;
		jump = next;
	}
}

static int by_value(const void *a, const void *b)
{
	const struct arm *left = a, *right = b;

	if (left->value != right->value)
		return left->value < right->value ? -1 : 1;
	return left->order < right->order ? -1 : 1;
}

/* Sorted, the first of each value only: the first match wins. */
static void sort_arms(struct arms *arms)
{
	size_t n = 0;

	if (arms->n_rows)
		qsort(arms->rows, arms->n_rows, sizeof(struct arm), by_value);
	for (size_t i = 0; i < arms->n_rows; i++)
		if (n == 0 || arms->rows[n - 1].value != arms->rows[i].value)
			arms->rows[n++] = arms->rows[i];
	arms->n_rows = n;
}

static void fill_dense(struct lower *lower, struct switch_table *table, const struct arms *arms)
{
	uint32_t *dense = lower_alloc(lower, table->n_dense * sizeof(*dense));

	table->dense = dense;
	table->low = arms->rows[0].value;
	for (size_t i = 0; dense && i < table->n_dense; i++)
		dense[i] = arms->other;
	for (size_t i = 0; dense && i < arms->n_rows; i++)
		dense[arms->rows[i].value - table->low] = arms->rows[i].target;
}

static void fill_sorted(struct lower *lower, struct switch_table *table, const struct arms *arms)
{
	int64_t *values = lower_alloc(lower, arms->n_rows * sizeof(*values));
	uint32_t *targets = lower_alloc(lower, arms->n_rows * sizeof(*targets));

	for (size_t i = 0; values && targets && i < arms->n_rows; i++) {
		values[i] = arms->rows[i].value;
		targets[i] = arms->rows[i].target;
	}
	table->n_sorted = arms->n_rows;
	table->values = values;
	table->targets = targets;
}

static const struct switch_table *make_table(struct lower *lower, struct arms *arms)
{
	struct switch_table *table = lower_alloc(lower, sizeof(*table));
	uint64_t span;

	if (!table)
		return NULL;
	sort_arms(arms);
	table->other = arms->other;
	span = arms->n_rows ? (uint64_t)arms->rows[arms->n_rows - 1].value - (uint64_t)arms->rows[0].value
			    : 0;
	if (arms->n_rows && span < (uint64_t)DENSE_GAPS * arms->n_rows + DENSE_SMALL) {
		table->n_dense = (size_t)span + 1;
		fill_dense(lower, table, arms);
	} else {
		fill_sorted(lower, table, arms);
	}
	return table;
}

static const struct text_table *make_texts(struct lower *lower, const struct arms *arms)
{
	struct text_table *table = lower_alloc(lower, sizeof(*table));
	struct text *texts = lower_alloc(lower, arms->n_rows * sizeof(*texts));
	uint32_t *targets = lower_alloc(lower, arms->n_rows * sizeof(*targets));

	if (!table || !texts || !targets)
		return NULL;
	for (size_t i = 0; i < arms->n_rows; i++) {
		texts[i] = arms->rows[i].match;
		while (texts[i].n_bytes && texts[i].bytes[texts[i].n_bytes - 1] == ' ')
			texts[i].n_bytes--;
		targets[i] = arms->rows[i].target;
	}
	*table = (struct text_table){ arms->n_rows, texts, targets, arms->other };
	return table;
}

/* A text to be compared is printed where it will be overwritten, without any blank in front. */
static void mark_text(struct lower *lower, const struct node *selector)
{
	uint8_t glue = lower_glue(lower);

	lower_emit_glued(lower, &op_mark, 0);
	lower->now.glue = GLUE_START;
	lower_list(lower, selector);
	lower->now.glue = glue;
	lower->now.is_wanted = false;
}

/* By a table, when the value is there. */
static void switch_at_run(struct lower *lower, const struct node *node)
{
	struct arms arms = { .other = NO_INSN };
	uint32_t begin, end, last = NO_INSN;
	bool is_text = node->select.is_text;
	struct flow_state joined;

	if (is_text)
		mark_text(lower, node->select.selector);
	else
		lower_selector(lower, node->select.selector);
	lower_end_run(lower);
	lower_glue(lower);
	lower_emit(lower, is_text ? &op_switch_text : &op_switch, 0);
	begin = (uint32_t)lower->n_code - 1;
	joined = lower_cases(lower, node->select.cases, &arms, &last);
	end = lower_label(lower);
	patch_jumps(lower, last, end);
	if (lower->has_memory && is_text)
		lower->code[begin].texts = make_texts(lower, &arms);
	else if (lower->has_memory)
		lower->code[begin].table = make_table(lower, &arms);
	lower->now = joined;
	free(arms.rows);
}

static bool case_has(const struct switch_case *one, int64_t value)
{
	const struct rst_constants *constants = one->constants;

	if (one->is_wild || (!constants && one->value == value))
		return true;
	for (size_t i = 0; constants && i < constants->n_rows; i++)
		if ((int64_t)constants->rows[i].value == value &&
			text_is_word(one->match, constants->rows[i].name))
			return true;
	return false;
}

/* The selector is the same for all entries: its case stands in the place of the SWITCH. */
static void lower_known(struct lower *lower, const struct switch_case *cases, int64_t value)
{
	const struct switch_case *one = cases;

	while (one && !case_has(one, value))
		one = one->next;
	if (one)
		lower_list(lower, one->body);
}

void lower_switch(struct lower *lower, const struct node *node)
{
	int64_t known;

	if (!node->select.is_text && lower_is_known(lower, node->select.selector, &known))
		lower_known(lower, node->select.cases, known);
	else
		switch_at_run(lower, node);
}

/* --- LOOP ----------------------------------------------------------------------------------------------- */

void lower_loop(struct lower *lower, const struct node *node)
{
	struct flow_state before;
	uint32_t begin, body, end, n_work;

	lower_selector(lower, node->loop.count);
	lower_end_run(lower);
	lower_emit_glued(lower, &op_loop, 0);
	begin = (uint32_t)lower->n_code - 1;
	before = lower->now;
	lower->now = (struct flow_state){ .glue = GLUE_KEEP, .phase = PHASE_UNKNOWN };
	body = lower_label(lower);
	n_work = (uint32_t)lower->n_flags;
	lower->n_loops++;
	lower_list(lower, node->loop.body);
	lower->n_loops--;
	lower_end_run(lower);
	struct insn *next = lower_emit_glued(lower, &op_next, 0);

	n_work = (uint32_t)(lower->n_code - body + lower->n_flags) - n_work;
	next->a = body;
	next->b = n_work;
	lower->now = lower_join(before, lower->now);
	end = lower_label(lower);
	if (!lower->has_memory)
		return;
	lower->code[begin].a = end;
	lower->code[begin].b = n_work;
}

/* --- BITFLAGS ------------------------------------------------------------------------------------------- */

static struct flag_row flag_row_of(const struct flag *flag)
{
	struct flag_row row = { .mask = flag->has_mask ? flag->mask : flag->value,
		.value = flag->value,
		.text = flag->text,
		.otherwise = flag->otherwise };

	if (!flag->has_mask && flag->value == 0) /* 0 stands for: nothing at all is set (D13) */
		row.mask = UINT64_MAX;
	return row;
}

void lower_flags(struct lower *lower, const struct node *node)
{
	size_t n_rows = 0, room = 1;

	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next)
		n_rows++;
	struct flag_table *table = lower_alloc(lower, sizeof(*table));
	struct flag_row *rows = lower_alloc(lower, n_rows * sizeof(*rows));

	if (!table || !rows)
		return;
	*table = (struct flag_table){ n_rows, rows };
	lower->n_flags += n_rows;
	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next) {
		*rows++ = flag_row_of(flag);
		room += flag->text.n_bytes + flag->otherwise.n_bytes;
	}
	lower_selector(lower, node->bits.selector);
	lower_emit_glued(lower, &op_flags, room)->flags = table;
	lower->now.glue = GLUE_KEEP;
}
