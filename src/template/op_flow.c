/* SPDX-License-Identifier: MIT */
/* Where to go on: cases, loops, calls, ends. All of them are bounded (D15): an entry has so many turns, and so much text. */
#include <string.h>

#include "base/text.h"
#include "template/ops.h"

static void take_glue(struct runner *run, const struct insn *insn)
{
	if (insn->glue != GLUE_KEEP)
		run->glue = insn->glue;
}

static const struct insn *insn_at(const struct runner *run, uint32_t index)
{
	return run->unit->code + index;
}

static char *jump(struct runner *run, char *p, const struct insn *insn)
{
	take_glue(run, insn);
	run->next = insn_at(run, insn->a);
	return p;
}

/* --- SWITCH ---------------------------------------------------------------------------------------------------------- */

static uint32_t find_value(const struct switch_table *table, int64_t value)
{
	size_t low = 0, high = table->n_sorted;
	uint64_t place = (uint64_t)value - (uint64_t)table->low;

	if (table->n_dense)
		return place < table->n_dense ? table->dense[place] : table->other;
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

static char *go_by_value(struct runner *run, char *p, const struct insn *insn)
{
	run->next = insn_at(run, find_value(insn->table, *--run->top));
	return p;
}

static char *set_mark(struct runner *run, char *p, const struct insn *insn)
{
	take_glue(run, insn);
	run->marked_glue = run->glue;
	run->mark = (size_t)(p - run->out->start);
	run->has_mark = true;
	return p;
}

static char *go_by_text(struct runner *run, char *p, const struct insn *insn)
{
	const struct text_table *table = insn->texts;
	char *text = run->out->start + run->mark;
	size_t n_text = (size_t)(p - text), row = 0;

	while (n_text && text[n_text - 1] == ' ')
		n_text--;
	while (row < table->n_rows &&
		(table->texts[row].n_bytes != n_text || memcmp(table->texts[row].bytes, text, n_text) != 0))
		row++;
	run->next = insn_at(run, row < table->n_rows ? table->targets[row] : table->other);
	run->glue = run->marked_glue;
	run->has_mark = false;
	return text;
}

/* --- LOOP and calls ---------------------------------------------------------------------------------------------------- */

/* One more turn or call: there must be room for its text, and the entry must not run away. NULL: it ends here. */
static char *take_turn(struct runner *run, char *p)
{
	size_t n_text = (size_t)(p - run->out->start) - run->start;

	if (++run->n_turns > RUN_TURNS_MAX || n_text > RUN_TEXT_MAX) {
		run->n_limit++;
		run->out->at = run_end_with(run, p, "<loop limit>");
		return NULL;
	}
	p = run_more_room(run, p, 0);
	if (!p)
		run->next = NULL;
	return p;
}

static char *begin_loop(struct runner *run, char *p, const struct insn *insn)
{
	int64_t n_turns = *--run->top;

	take_glue(run, insn);
	if (n_turns <= 0) {
		run->next = insn_at(run, insn->a);
		return p;
	}
	run->loops[run->n_loops++] = (uint64_t)n_turns;
	p = take_turn(run, p);
	return p ? p : run->out->at;
}

static char *next_turn(struct runner *run, char *p, const struct insn *insn)
{
	take_glue(run, insn);
	if (--run->loops[run->n_loops - 1] == 0) {
		run->n_loops--;
		return p;
	}
	run->next = insn_at(run, insn->a);
	p = take_turn(run, p);
	return p ? p : run->out->at;
}

/* A template that turned out bad when it was compiled. */
static char *call_nothing(struct runner *run, char *p, const struct stanza *stanza)
{
	size_t n_name = stanza->written_key.n_bytes;

	p = run_more_room(run, p, n_name + RUN_SLACK);
	if (!p) {
		run->next = NULL;
		return run->out->at;
	}
	if (glue_needs_blank(run->glue | GLUE_WANTED, false))
		*p++ = ' ';
	p = text_put_literal(p, "<no template ");
	p = text_put(p, stanza->written_key.bytes, n_name);
	*p++ = '>';
	run->glue = GLUE_TEXT;
	return p;
}

static char *call(struct runner *run, char *p, const struct insn *insn)
{
	const struct unit *unit = insn->unit;

	take_glue(run, insn);
	if (!unit->code)
		return call_nothing(run, p, unit->stanza);
	if (run->n_calls == RUN_CALLS_MAX) {
		run->n_nesting++;
		return run_end_with(run, p, "<nesting>");
	}
	run->calls[run->n_calls++] = (struct run_call){ insn + 1, run->unit };
	run->room += unit->room;
	run->values.room_after += unit->room;
	p = take_turn(run, p);
	if (!p)
		return run->out->at;
	run->unit = unit;
	run->next = unit->code;
	if (unit->payload_need > run->entry->n_bytes)
		run_be_careful(run);
	return p;
}

/* --- ends ------------------------------------------------------------------------------------------------------------- */

static char *end(struct runner *run, char *p, const struct insn *insn)
{
	if (run->n_calls == 0) {
		run->next = NULL;
		return p;
	}
	take_glue(run, insn);
	run->room -= run->unit->room;
	run->values.room_after -= run->unit->room;
	run->n_calls--;
	run->unit = run->calls[run->n_calls].unit;
	run->next = run->calls[run->n_calls].back;
	return p;
}

static char *break_off(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->next = NULL;
	return p;
}

static char *skip(struct runner *run, char *p, const struct insn *insn)
{
	run->outcome = RUN_SKIP;
	return break_off(run, p, insn);
}

static char *stop(struct runner *run, char *p, const struct insn *insn)
{
	run->outcome = RUN_STOP;
	return break_off(run, p, insn);
}

/* "LOG at OFFSET, hook ID" (D28). */
static char *tell_error(struct runner *run, char *p, const struct insn *insn)
{
	const struct entry *entry = run->entry;
	const struct text log = entry->host->text(entry, MACRO_LOGFILE);

	take_glue(run, insn);
	run->next = NULL;
	p = run_more_room(run, p, log.n_bytes + RUN_SLACK);
	if (!p)
		return run->out->at;
	if (glue_needs_blank(run->glue | GLUE_WANTED, false))
		*p++ = ' ';
	if (log.n_bytes) {
		p = text_put(p, log.bytes, log.n_bytes);
		*p++ = ' ';
	}
	p = text_put_literal(p, "at ");
	p = text_put_dec(p, (uint64_t)entry->host->number(entry, MACRO_LOGIDX0));
	p = text_put_literal(p, ", hook ");
	return run_put_id(p, (uint64_t)entry->host->number(entry, MACRO_TRACEID));
}

const struct op op_end = { .name = "end", .run = end, .operands = "glue" };
const struct op op_jump = { .name = "jump", .run = jump, .operands = "target glue" };
const struct op op_switch = { .name = "switch", .run = go_by_value, .operands = "table" };
const struct op op_switch_text = { .name = "switch_text", .run = go_by_text, .operands = "texts" };
const struct op op_mark = { .name = "mark", .run = set_mark, .operands = "glue" };
const struct op op_loop = { .name = "loop", .run = begin_loop, .operands = "target glue" };
const struct op op_next = { .name = "next", .run = next_turn, .operands = "target glue" };
const struct op op_call = { .name = "call", .run = call, .operands = "unit glue" };
const struct op op_break = { .name = "break", .run = break_off };
const struct op op_skip = { .name = "skip", .run = skip };
const struct op op_stop = { .name = "stop", .run = stop };
const struct op op_error = { .name = "error", .run = tell_error, .operands = "glue" };
