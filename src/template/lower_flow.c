/* SPDX-License-Identifier: MIT */
/* What does not go straight on: SWITCH, LOOP, BITFLAGS, calls. */
#include "template/lower.h"

#include <stdlib.h>
#include <string.h>

enum {
	DENSE_GAPS = 4,	  /* a table by index may have this many places for each case … */
	DENSE_SMALL = 16, /* … and these besides */
};

/* --- SWITCH ------------------------------------------------------------------------------------------------------- */

/* One value and where it leads; a case that names a constant of several values gives several. */
struct arm {
	int64_t value;
	struct text match;
	uint32_t target, order;
};

struct arms {
	struct arm *rows;
	uint32_t n_rows;
	uint32_t other; /* NO_INSN: no wildcard */
};

static size_t count_arms(const struct switch_case *one)
{
	size_t n = 0;

	for (; one; one = one->next)
		n += one->constants ? one->constants->n_rows : 1;
	return n;
}

static void add_arm(struct arms *arms, int64_t value, struct text match, uint32_t target)
{
	arms->rows[arms->n_rows] = (struct arm){ value, match, target, arms->n_rows };
	arms->n_rows++;
}

static void add_arms(struct arms *arms, const struct switch_case *one, uint32_t target)
{
	const struct rst_constants *constants = one->constants;

	if (one->is_wild && arms->other == NO_INSN)
		arms->other = target;
	if (one->is_wild)
		return;
	if (!constants)
		add_arm(arms, one->value, one->match, target);
	for (size_t i = 0; constants && i < constants->n_rows; i++)
		if (strlen(constants->rows[i].name) == one->match.n_bytes &&
			memcmp(constants->rows[i].name, one->match.bytes, one->match.n_bytes) == 0)
			add_arm(arms, (int64_t)constants->rows[i].value, one->match, target);
}

/*
 * The cases, one behind the other; each ends with a jump to what comes after them. The jumps are chained through their
 * targets until that place is known; *ret_last is the last of the chain.
 */
static void lower_cases(struct lower *lower, const struct switch_case *one, struct arms *arms,
	struct place *joined, uint32_t *ret_last)
{
	const struct place before = lower->now;
	bool is_first = true;

	for (; one; one = one->next) {
		uint32_t target;
		uint8_t glue;

		lower->now = before;
		target = lower_label(lower);
		if (arms->other == NO_INSN) /* behind the wildcard nothing is reached */
			add_arms(arms, one, target);
		lower_list(lower, one->body);
		lower_end_run(lower);
		glue = lower_glue(lower);
		*joined = is_first ? lower->now : lower_join(*joined, lower->now);
		is_first = false;
		struct insn *jump = lower_emit(lower, &op_jump, 0);

		jump->glue = glue;
		jump->a = *ret_last;
		*ret_last = (uint32_t)lower->n_code - 1;
	}
	if (arms->other != NO_INSN)
		return;
	lower->now = before;
	arms->other = lower_label(lower);
	*joined = is_first ? before : lower_join(*joined, before);
	struct insn *jump = lower_emit(lower, &op_jump, 0);

	jump->glue = before.glue;
	jump->a = *ret_last;
	*ret_last = (uint32_t)lower->n_code - 1;
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
	uint32_t n = 0;

	if (arms->n_rows)
		qsort(arms->rows, arms->n_rows, sizeof(struct arm), by_value);
	for (uint32_t i = 0; i < arms->n_rows; i++)
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
	for (uint32_t i = 0; dense && i < arms->n_rows; i++)
		dense[arms->rows[i].value - table->low] = arms->rows[i].target;
}

static void fill_sorted(struct lower *lower, struct switch_table *table, const struct arms *arms)
{
	int64_t *values = lower_alloc(lower, arms->n_rows * sizeof(*values) + 1);
	uint32_t *targets = lower_alloc(lower, arms->n_rows * sizeof(*targets) + 1);

	for (uint32_t i = 0; values && targets && i < arms->n_rows; i++) {
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
	struct text *texts = lower_alloc(lower, arms->n_rows * sizeof(*texts) + 1);
	uint32_t *targets = lower_alloc(lower, arms->n_rows * sizeof(*targets) + 1);

	if (!table || !texts || !targets)
		return NULL;
	for (uint32_t i = 0; i < arms->n_rows; i++) {
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
	bool was_quoted = lower->is_quoted;

	lower_emit(lower, &op_mark, 0)->glue = glue;
	lower->now.glue = GLUE_START;
	if (selector->kind == NODE_CODE)
		lower_code(lower, &selector->code);
	else
		lower_macro(lower, &selector->macro);
	lower->now.glue = glue;
	lower->now.is_wanted = false;
	lower->is_quoted = was_quoted;
}

void lower_switch(struct lower *lower, const struct node *node)
{
	struct arms arms = { .other = NO_INSN };
	struct place joined = lower->now;
	uint32_t go, last = NO_INSN;
	bool is_text = node->select.is_text;

	arms.rows = calloc(count_arms(node->select.cases) + 1, sizeof(struct arm));
	if (!arms.rows) {
		lower->has_memory = false;
		return;
	}
	if (is_text) {
		mark_text(lower, node->select.selector);
	} else {
		lower_selector(lower, node->select.selector);
		lower_pop(lower, 1);
	}
	lower_end_run(lower);
	lower_glue(lower);
	lower_emit(lower, is_text ? &op_switch_text : &op_switch, 0);
	go = (uint32_t)lower->n_code - 1;
	lower_cases(lower, node->select.cases, &arms, &joined, &last);
	uint32_t end = lower_label(lower);

	patch_jumps(lower, last, end);
	if (lower->has_memory && is_text)
		lower->code[go].texts = make_texts(lower, &arms);
	else if (lower->has_memory)
		lower->code[go].table = make_table(lower, &arms);
	lower->now = joined;
	free(arms.rows);
}

/* --- LOOP ---------------------------------------------------------------------------------------------------------- */

void lower_loop(struct lower *lower, const struct node *node)
{
	struct place before;
	uint32_t begin, body;
	uint8_t glue;

	lower_selector(lower, node->loop.count);
	lower_pop(lower, 1);
	lower_end_run(lower);
	glue = lower_glue(lower);
	before = lower->now;
	lower_emit(lower, &op_loop, 0)->glue = glue;
	begin = (uint32_t)lower->n_code - 1;
	lower->now = (struct place){ .glue = GLUE_KEEP, .phase = PHASE_UNKNOWN };
	body = lower_label(lower);
	lower_list(lower, node->loop.body);
	lower_end_run(lower);
	glue = lower_glue(lower);
	struct insn *next = lower_emit(lower, &op_next, 0);

	next->glue = glue;
	next->a = body;
	lower->now = lower_join(before, lower->now);
	uint32_t end = lower_label(lower);

	if (lower->has_memory)
		lower->code[begin].a = end;
}

/* --- BITFLAGS ------------------------------------------------------------------------------------------------------ */

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
	uint8_t glue;

	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next)
		n_rows++;
	struct flag_table *table = lower_alloc(lower, sizeof(*table));
	struct flag_row *rows = lower_alloc(lower, n_rows * sizeof(*rows) + 1);

	if (!table || !rows)
		return;
	*table = (struct flag_table){ n_rows, rows };
	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next) {
		*rows++ = flag_row_of(flag);
		room += flag->text.n_bytes + flag->otherwise.n_bytes;
	}
	lower_selector(lower, node->bits.selector);
	lower_pop(lower, 1);
	glue = lower_glue(lower);
	struct insn *insn = lower_emit(lower, &op_flags, room);

	insn->flags = table;
	insn->glue = glue;
	lower->now.glue = GLUE_KEEP;
}

/* --- subroutines (section 9 of the language) ------------------------------------------------------------------------ */

static void lower_missing(struct lower *lower, struct text name)
{
	char text[80] = "<no template ";
	size_t n_text = strlen(text), n_name = name.n_bytes < 60 ? name.n_bytes : 60;

	memcpy(text + n_text, name.bytes, n_name);
	text[n_text + n_name] = '>';
	lower_want(lower);
	lower_text(lower, text, n_text + n_name + 1);
}

void lower_call(struct lower *lower, struct stanza *stanza, struct text name)
{
	struct stanza *callee = stanza_good(stanza);
	struct unit *unit;
	uint8_t glue;

	if (!callee) {
		lower_missing(lower, name);
		return;
	}
	unit = bind_unit(lower->set, callee, &lower->unit->binding, true);
	if (!unit) {
		lower->has_memory = false;
		return;
	}
	lower_end_run(lower);
	glue = lower_glue(lower);
	struct insn *insn = lower_emit(lower, &op_call, 0);

	insn->unit = unit;
	insn->glue = glue;
	lower->now = (struct place){ .glue = GLUE_KEEP, .phase = PHASE_UNKNOWN };
}
