/* SPDX-License-Identifier: MIT */
/*
 * Where to go on: cases, loops, calls, ends. All of them are bounded (D15): an entry has limits of its turns
 * and of its text.
 */
#include "base/text.h"
#include "template/machine/ops.h"

static const struct insn *insn_at(const struct runner *run, uint32_t index)
{
	return run->unit->code + index;
}

static char *insn_jump(struct runner *run, char *p, const struct insn *insn)
{
	run_take_glue(run, insn);
	run->next = insn_at(run, insn->a);
	return p;
}

static char *insn_jump_on(struct runner *run, char *p, const struct insn *insn)
{
	run_take_glue(run, insn);
	return run_go(run, p, insn_at(run, insn->a));
}

/* --- SWITCH --------------------------------------------------------------------------------------------- */

static char *go_by_value(struct runner *run, char *p, const struct insn *insn)
{
	run->next = insn_at(run, switch_find(insn->table, run_pop(run)));
	return p;
}

static char *go_by_value_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_go(run, p, insn_at(run, switch_find(insn->table, run_pop(run))));
}

static char *set_mark(struct runner *run, char *p, const struct insn *insn)
{
	run_take_glue(run, insn);
	run->marked_glue = run->glue;
	run->mark = (size_t)(p - run->out->start);
	run->has_mark = true;
	return p;
}

static char *go_by_text(struct runner *run, char *p, const struct insn *insn)
{
	const struct text_table *table = insn->texts;
	char *start = run->out->start + run->mark;
	struct text text = { start, (size_t)(p - start) };
	size_t row = 0;

	while (text.n_bytes && start[text.n_bytes - 1] == ' ')
		text.n_bytes--;
	while (row < table->n_rows && !text_is_same(table->texts[row], text))
		row++;
	run->next = insn_at(run, row < table->n_rows ? table->targets[row] : table->other);
	run->glue = run->marked_glue;
	run->has_mark = false;
	return start;
}

/* --- LOOP and calls ------------------------------------------------------------------------------------- */

/*
 * One more turn or call, of n_work instructions: there must be room for its text, and the entry must stay
 * within its limits. Otherwise it ends here.
 */
static char *take_turn(struct runner *run, char *p, unsigned n_work)
{
	size_t n_text = (size_t)(p - run->out->start) - run->start;

	run->n_work += n_work;
	if (++run->n_turns > RUN_TURNS_MAX || run->n_work > RUN_WORK_MAX || n_text > RUN_TEXT_MAX) {
		run->n_limit++;
		return run_end_with(run, p, "<loop limit>");
	}
	if (__builtin_expect((size_t)(run->out->end - p) < run->values.room_after, 0))
		run_more_room(run, &p, 0);
	return p;
}

static char *begin_loop(struct runner *run, char *p, const struct insn *insn)
{
	int64_t n_turns = run_pop(run);

	run_take_glue(run, insn);
	if (n_turns <= 0) {
		run->next = insn_at(run, insn->a);
		return p;
	}
	run->n_limit += n_turns > RUN_LOOP_MAX;
	run->loops[run->n_loops++] = n_turns < RUN_LOOP_MAX ? (uint32_t)n_turns : RUN_LOOP_MAX;
	return take_turn(run, p, insn->b);
}

/*
 * The end of a turn goes back to the quick loop. Otherwise turns would pile up in builds whose tail calls are
 * not jumps.
 */
static char *begin_loop_on(struct runner *run, char *p, const struct insn *insn)
{
	p = begin_loop(run, p, insn);
	return run->next ? run_go(run, p, run->next) : p;
}

static char *next_turn(struct runner *run, char *p, const struct insn *insn)
{
	run_take_glue(run, insn);
	if (--run->loops[run->n_loops - 1] == 0) {
		run->n_loops--;
		return p;
	}
	run->next = insn_at(run, insn->a);
	return take_turn(run, p, insn->b);
}

/* A template that turned out bad when it was compiled. */
static char *call_nothing(struct runner *run, char *p, const struct stanza *stanza)
{
	size_t n_name = stanza->written_key.n_bytes;

	if (!run_more_room(run, &p, n_name + RUN_SLACK))
		return p;
	p = run_open_words(run, p);
	p = text_put_literal(p, "<no template ");
	p = text_put(p, stanza->written_key.bytes, n_name);
	*p++ = '>';
	run->glue = GLUE_TEXT;
	return p;
}

static char *unit_call(struct runner *run, char *p, const struct insn *insn)
{
	const struct unit *unit = insn->unit;

	run_take_glue(run, insn);
	if (!unit->code)
		return call_nothing(run, p, unit->stanza);
	if (run->n_calls == RUN_CALLS_MAX) {
		run->n_nesting++;
		return run_end_with(run, p, "<nesting>");
	}
	unit = unit_of_payload(unit, run->entry->n_bytes);
	run->calls[run->n_calls++] = (struct run_call){ insn + 1, run->unit };
	run->values.room_after += unit->room;
	run->unit = unit;
	run->next = unit->code;
	return take_turn(run, p, unit->n_work);
}

/* --- ends ----------------------------------------------------------------------------------------------- */

static char *unit_end(struct runner *run, char *p, const struct insn *insn)
{
	if (run->n_calls == 0) {
		run->next = NULL;
		return p;
	}
	run_take_glue(run, insn);
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

static char *event_skip(struct runner *run, char *p, const struct insn *insn)
{
	run->outcome = RUN_SKIP;
	break_off(run, p, insn);
	return run->out->start + run->start; /* what stands there is taken back */
}

static char *report_stop(struct runner *run, char *p, const struct insn *insn)
{
	run->outcome = RUN_STOP;
	return break_off(run, p, insn);
}

/* "LOG at OFFSET, hook ID" (D28). */
static char *tell_error(struct runner *run, char *p, const struct insn *insn)
{
	const struct entry *entry = run->entry;
	const struct text log = entry->host->text(entry, MACRO_LOGFILE);

	run_take_glue(run, insn);
	run->next = NULL;
	if (!run_more_room(run, &p, log.n_bytes + RUN_SLACK))
		return p;
	p = run_open_words(run, p);
	if (log.n_bytes) {
		p = text_put(p, log.bytes, log.n_bytes);
		*p++ = ' ';
	}
	p = text_put_literal(p, "at ");
	p = text_put_dec(p, (uint64_t)entry->host->number(entry, MACRO_LOGIDX0));
	p = text_put_literal(p, ", hook ");
	return run_put_id(p, (uint64_t)entry->host->number(entry, MACRO_TRACEID));
}

const struct op op_end = { "end", unit_end, "glue", READS_NOTHING, NULL, NULL };
const struct op op_jump = { "jump", insn_jump, "target glue", READS_NOTHING, NULL, insn_jump_on };
const struct op op_switch = { "switch", go_by_value, "table", READS_NOTHING, NULL, go_by_value_on };
const struct op op_switch_text = { "switch_text", go_by_text, "texts", READS_NOTHING, NULL, NULL };
const struct op op_mark = { "mark", set_mark, "glue", READS_NOTHING, NULL, NULL };
const struct op op_loop = { "loop", begin_loop, "target glue", READS_NOTHING, NULL, begin_loop_on };
const struct op op_next = { "next", next_turn, "target glue", READS_NOTHING, NULL, NULL };
const struct op op_call = { "call", unit_call, "unit glue", READS_NOTHING, NULL, NULL };
const struct op op_break = { "break", break_off, NULL, READS_NOTHING, NULL, NULL };
const struct op op_skip = { "skip", event_skip, NULL, READS_NOTHING, NULL, NULL };
const struct op op_stop = { "stop", report_stop, NULL, READS_NOTHING, NULL, NULL };
const struct op op_error = { "error", tell_error, "glue", READS_NOTHING, NULL, NULL };
