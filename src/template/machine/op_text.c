/* SPDX-License-Identifier: MIT */
/* Literal text, blanks, new lines, texts of macros, BITFLAGS. */
#include <string.h>

#include "base/text.h"
#include "template/machine/ops.h"

static char *text_put_text(struct runner *run, char *p, const struct insn *insn)
{
	(void)run;
	return text_put(p, insn->text, insn->a);
}

static char *put_text_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, text_put_text(run, p, insn), insn);
}

/* At most TEXT_SHORT bytes, of which all of them can be copied. */
static char *put_text_short(struct runner *run, char *p, const struct insn *insn)
{
	(void)run;
	return run_put_short(p, insn);
}

static char *put_text_short_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, put_text_short(run, p, insn), insn);
}

/* The blanks of A0.n where they are too many to be literal text. */
static char *put_blanks(struct runner *run, char *p, const struct insn *insn)
{
	return run_more_room(run, &p, insn->a) ? text_put_fill(p, ' ', insn->a) : p;
}

/* --- blanks (D3) ---------------------------------------------------------------------------------------- */

static char *blank_want(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->glue |= GLUE_WANTED;
	return p;
}

static char *blank_want_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, blank_want(run, p, insn), insn);
}

/* b: for data. */
static char *blank_decide(struct runner *run, char *p, const struct insn *insn)
{
	bool needs_blank = glue_needs_blank(run->glue, insn->b);

	run->asked = (uint8_t)(needs_blank ? LEAD_PUT : glue_lead(run->glue));
	if (needs_blank)
		*p++ = ' ';
	return p;
}

static char *blank_decide_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, blank_decide(run, p, insn), insn);
}

static char *ask_wanted(struct runner *run, char *p, const struct insn *insn)
{
	run->glue |= GLUE_WANTED;
	return blank_decide(run, p, insn);
}

static char *ask_wanted_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, ask_wanted(run, p, insn), insn);
}

static char *put_newline(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	if (!run_more_room(run, &p, run->margin + 1))
		return p;
	*p++ = '\n';
	p = text_put_fill(p, ' ', run->margin);
	run->line = run->stop = (size_t)(p - run->out->start);
	return p;
}

/* Goes on from the last stop, so that many tabs do not read the same text again and again. */
static char *put_tab(struct runner *run, char *p, const struct insn *insn)
{
	enum { TAB_COLUMNS = 8 };
	const char *stop = run->out->start + run->stop;
	size_t columns = text_columns(stop, (size_t)(p - stop));

	(void)insn;
	p = text_put_fill(p, ' ', TAB_COLUMNS - columns % TAB_COLUMNS);
	run->stop = (size_t)(p - run->out->start);
	return p;
}

/* --- macros that are texts ------------------------------------------------------------------------------ */

static char *put_macro_text(struct runner *run, char *p, const struct insn *insn)
{
	const struct entry *entry = run->entry;
	const struct text text = entry->host->text(entry, (enum macro_id)insn->a);
	bool is_name = insn->a == MACRO_INTERRUPTED && !(insn->number & PATH_IS_BARE);
	bool is_first = is_name && run_is_first(run, insn);

	if (!text.n_bytes) {
		run_take_glue(run, insn);
		return p;
	}
	if (!run_text_room(run, &p, text.n_bytes + 2 * SET_OFF_ROOM))
		return p;
	p = run_open_part(run, p, insn, true);
	run_close_part(run, insn->b);
	if (is_name && !is_first)
		return value_put_set_off(p, &run->values.set_off[SET_OFF_THREAD], text.bytes, text.n_bytes);
	return text_put(p, text.bytes, text.n_bytes);
}

/*
 * Within a sentence the name is set off. At the beginning of a line it is the subject, which stands bare;
 * omits_subject leaves it out, and then the blank behind it takes the place of the one in front of the text.
 */
static char *put_path(struct runner *run, char *p, const struct insn *insn)
{
	const struct text path = run->entry->path;
	bool is_first = run_is_first(run, insn);

	if (!path.n_bytes) {
		run_take_glue(run, insn);
		return p;
	}
	if (is_first && run->omits_subject && insn->number & PATH_HAS_BLANK && !run->has_mark &&
		(size_t)(p - run->out->start) == run->start) {
		run_close_part(run, insn->b);
		run->start = run->line = run->stop = run->start - 1;
		return p - 1;
	}
	if (!run_text_room(run, &p, path.n_bytes + 2 * SET_OFF_ROOM))
		return p;
	p = run_open_part(run, p, insn, true);
	run_close_part(run, insn->b);
	if (is_first || run->has_mark || insn->number & PATH_IS_BARE || run->entry->has_bare_path)
		return text_put(p, path.bytes, path.n_bytes);
	return value_put_set_off(p, &run->values.set_off[SET_OFF_THREAD], path.bytes, path.n_bytes);
}

/* The same at the beginning of nearly every template, where the name is bare, and no blank in front of it. */
static __attribute__((noinline)) char *put_bare_subject(struct runner *run, char *p, const struct insn *insn)
{
	const struct text path = run->entry->path;

	if (path.n_bytes - 1 >= RUN_TEXT_ROOM)
		return put_path(run, p, insn);
	run->glue = GLUE_DATA;
	return text_put(p, path.bytes, path.n_bytes);
}

static char *put_subject(struct runner *run, char *p, const struct insn *insn)
{
	if (!run->omits_subject || __builtin_expect(!run->entry->path.n_bytes, 0))
		return put_bare_subject(run, p, insn);
	run->glue = GLUE_DATA;
	run->start = run->line = run->stop = run->start - 1;
	return p - 1;
}

static char *put_subject_on(struct runner *run, char *p, const struct insn *insn)
{
	p = put_subject(run, p, insn);
	return __builtin_expect(!run->next, 0) ? p : run_on(run, p, insn);
}

/* --- BITFLAGS: what hits, as one part of literal text (D13) --------------------------------------------- */

static char *put_flags(struct runner *run, char *p, const struct insn *insn)
{
	const struct flag_table *table = insn->flags;
	uint64_t value = (uint64_t)run_pop(run);
	char *part = p + 1; /* behind the position of a blank */

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct flag_row *row = &table->rows[i];
		const struct text *text = (value & row->mask) == row->value ? &row->text : &row->otherwise;

		if (text->n_bytes)
			part = text_put(part, text->bytes, text->n_bytes);
	}
	size_t n_bytes = (size_t)(part - p) - 1;

	if (!n_bytes) {
		run_take_glue(run, insn);
		return p;
	}
	if (p[1] != ' ' && run_open_part(run, p, insn, false) != p)
		n_bytes++;
	else
		memmove(p, p + 1, n_bytes);
	run->glue = p[n_bytes - 1] == ' ' ? GLUE_GAP : GLUE_TEXT;
	return p + n_bytes;
}

const struct op op_text = { "text", text_put_text, "text", READS_NOTHING, NULL, put_text_on };
const struct op op_text_short = { "text", put_text_short, "text", READS_NOTHING, NULL, put_text_short_on };
const struct op op_blanks = { "blanks", put_blanks, "a", READS_NOTHING, NULL, NULL };
const struct op op_want = { "want", blank_want, NULL, READS_NOTHING, NULL, blank_want_on };
const struct op op_ask = { "ask", blank_decide, "b", READS_NOTHING, NULL, blank_decide_on };
const struct op op_ask_wanted = { "ask_wanted", ask_wanted, "b", READS_NOTHING, NULL, ask_wanted_on };
const struct op op_newline = { "newline", put_newline, NULL, READS_NOTHING, NULL, NULL };
const struct op op_tab = { "tab", put_tab, NULL, READS_NOTHING, NULL, NULL };
const struct op op_macro_text = { "macro_text", put_macro_text, "macro glue", READS_NOTHING, NULL, NULL };
const struct op op_path = { "path", put_path, "number glue", READS_NOTHING, NULL, NULL };
const struct op op_subject = { "path", put_subject, "number glue", READS_NOTHING, NULL, put_subject_on };
const struct op op_flags = { "flags", put_flags, "flags glue", READS_NOTHING, NULL, NULL };
