/* SPDX-License-Identifier: MIT */
/*
 * The loop over instructions, and what operations share. There are two loops: the quick one trusts what op
 * run and the start of a unit have checked; the careful one, entered when bytes of a run are missing, checks
 * each read.
 */
#include <string.h>

#include "base/text.h"
#include "template/machine/ops.h"

static size_t bytes_left(const struct runner *run, enum op_reads reads)
{
	if (reads == READS_RUN)
		return run->run_left;
	return reads == READS_PAYLOAD ? run->entry->n_bytes : SIZE_MAX;
}

static __attribute__((noinline)) char *run_carefully(struct runner *run, char *p)
{
	const struct insn *insn;

	while ((insn = run->next) != NULL) {
		run->next = insn + 1;
		p = insn->need && insn->need > bytes_left(run, insn->op->reads) ? insn->op->cut(run, p, insn)
										: insn->op->run(run, p, insn);
	}
	return p;
}

static __attribute__((noinline)) char *run_quickly(struct runner *run, char *p)
{
	for (const struct insn *insn = run->next; insn; insn = run->next) {
		run->next = insn + 1;
		p = insn->quick(run, p, insn);
	}
	return p;
}

/* Goes on carefully where an operation has left off: the loop that called it finds the entry at its end. */
static char *turn_careful(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->next = run->resumed;
	return run_carefully(run, p);
}

static const struct op op_careful = { .name = "careful", .run = turn_careful };

void run_be_careful(struct runner *run)
{
	static const struct insn careful = { .quick = turn_careful, .op = &op_careful };

	if (run->is_careful)
		return;
	run->is_careful = true;
	run->resumed = run->next;
	run->next = &careful;
}

/* Slots that are cleared without a call, where an entry has used any. */
enum { FEW_SLOTS = 4 };

/* The rare preparations for an entry: it clears many slots, or makes more room. */
static __attribute__((noinline)) char *run_prepared(
	struct runner *run, const struct unit *unit, const struct entry *entry, char *p)
{
	const size_t room = unit->room + run->room_after;

	memset(run->slots, 0, run->n_slots * sizeof(run->slots[0]));
	run->n_slots = 0;
	run->out->at = p;
	run->start = run->line = (size_t)(p - run->out->start);
	run->outcome = RUN_DONE;
	if ((size_t)(run->out->end - p) < room && !outbuf_extend(run->out, room))
		return run->out->at;
	return run_unit(run, unit, entry, run->out->at);
}

/* The loop ends it, so that it is without a frame of its own. */
char *run_unit(struct runner *run, const struct unit *unit, const struct entry *entry, char *p)
{
	const size_t room = unit->room + run->room_after;

	unit = unit_of_payload(unit, entry->n_bytes);
	if (__builtin_expect((size_t)(run->out->end - p) < room || run->n_slots > FEW_SLOTS, 0))
		return run_prepared(run, unit, entry, p);
	if (run->n_slots) {
		memset(run->slots, 0, FEW_SLOTS * sizeof(run->slots[0]));
		run->n_slots = 0;
	}
	run->out->at = p;
	run->start = run->line = run->stop = (size_t)(p - run->out->start);
	run->outcome = RUN_DONE;
	run->values.out = run->out;
	run->values.trace = run->trace;
	run->values.payload = entry->bytes;
	run->values.payload_bytes = entry->n_bytes;
	run->values.seq = entry->seq;
	run->values.process = entry->process;
	run->values.set_off = run->set_off ? run->set_off : set_off_quotes;
	run->values.names = run->names;
	run->values.room_after = room;
	run->entry = entry;
	run->unit = unit;
	run->next = unit->code;
	run->glue = GLUE_START;
	run->pointer = 8 * (int64_t)entry->start;
	run->base = 0;
	run->has_mark = false;
	run->n_turns = run->n_work = run->n_calls = run->n_loops = 0;
	run->top = run->stack;
	run->is_careful = false;
	return run_quickly(run, p);
}

/* --- what operations share ------------------------------------------------------------------------------ */

bool run_more_room(struct runner *run, char **p, size_t n_bytes)
{
	run->out->at = *p;
	if (!outbuf_extend(run->out, n_bytes + run->values.room_after)) {
		run->next = NULL;
		return false;
	}
	*p = run->out->at;
	return true;
}

static unsigned glue_of(const struct runner *run, const struct insn *insn)
{
	return insn->glue == GLUE_KEEP ? run->glue : insn->glue;
}

char *run_open_part(struct runner *run, char *p, const struct insn *insn, bool is_data)
{
	if (glue_needs_blank(glue_of(run, insn), is_data))
		*p++ = ' ';
	return p;
}

void run_close_part(struct runner *run, bool is_tight)
{
	run->glue = is_tight ? GLUE_TIGHT : GLUE_DATA;
}

char *run_open_words(struct runner *run, char *p)
{
	if (!glue_is_apart(run->glue))
		*p++ = ' ';
	return p;
}

static bool marker_needs_blank(const struct runner *run, const struct insn *insn)
{
	unsigned lead = insn->lead == LEAD_ASKED ? run->asked : insn->lead;

	return lead == LEAD_GLUE ? !glue_is_apart(glue_of(run, insn)) : lead == LEAD_TIGHT;
}

char *run_truncate(struct runner *run, char *p, const struct insn *insn, bool has_bytes)
{
	bool needs_blank = has_bytes || marker_needs_blank(run, insn);

	if (run->has_mark) { /* what was only to be compared is taken back */
		p = run->out->start + run->mark;
		needs_blank = !glue_is_apart(run->marked_glue);
	}
	run->n_truncated++;
	run->next = NULL;
	if (needs_blank)
		*p++ = ' ';
	return text_put_literal(p, "*TRUNC*");
}

char *run_cut(struct runner *run, char *p, const struct insn *insn)
{
	return run_truncate(run, p, insn, false);
}

char *run_end_with(struct runner *run, char *p, const char *words)
{
	run->next = NULL;
	p = run_open_words(run, p);
	return text_put(p, words, strlen(words));
}
