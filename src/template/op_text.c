/* SPDX-License-Identifier: MIT */
/* Literal text, blanks, new lines, texts of macros, BITFLAGS. */
#include <string.h>

#include "base/text.h"
#include "template/ops.h"

static char *put_text(struct runner *run, char *p, const struct insn *insn)
{
	(void)run;
	return text_put(p, insn->text, insn->a);
}

static char *put_text_short(struct runner *run, char *p, const struct insn *insn)
{
	(void)run;
	return text_put_short(p, insn->text, insn->a);
}

/* --- blanks (D3) ---------------------------------------------------------------------------------------------------- */

static char *want(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	run->glue |= GLUE_WANTED;
	return p;
}

/* b: for data. */
static char *ask(struct runner *run, char *p, const struct insn *insn)
{
	unsigned last = run->glue & GLUE_LAST;

	if (glue_needs_blank(run->glue, insn->b)) {
		run->asked = LEAD_PUT;
		*p++ = ' ';
		return p;
	}
	run->asked = last == GLUE_START || last == GLUE_GAP ? LEAD_START : LEAD_TIGHT;
	return p;
}

static char *ask_wanted(struct runner *run, char *p, const struct insn *insn)
{
	run->glue |= GLUE_WANTED;
	return ask(run, p, insn);
}

static char *put_newline(struct runner *run, char *p, const struct insn *insn)
{
	(void)insn;
	p = run_more_room(run, p, run->margin + 1);
	if (!p) {
		run->next = NULL;
		return run->out->at;
	}
	*p++ = '\n';
	p = text_put_fill(p, ' ', run->margin);
	run->line = (size_t)(p - run->out->start);
	return p;
}

static char *put_tab(struct runner *run, char *p, const struct insn *insn)
{
	enum { TAB_COLUMNS = 8 };
	const char *line = run->out->start + run->line;
	size_t columns = text_columns(line, (size_t)(p - line));

	(void)insn;
	return text_put_fill(p, ' ', TAB_COLUMNS - columns % TAB_COLUMNS);
}

/* --- macros that are texts ---------------------------------------------------------------------------------------------- */

static char *put_macro_text(struct runner *run, char *p, const struct insn *insn)
{
	const struct entry *entry = run->entry;
	const struct text text =
		insn->a == MACRO_EXECPATH ? entry->path : entry->host->text(entry, (enum macro_id)insn->a);

	if (!text.n_bytes) {
		run_pass_piece(run, insn);
		return p;
	}
	if (text.n_bytes > RUN_SLACK / 2) {
		p = run_more_room(run, p, text.n_bytes + 1);
		if (!p) {
			run->next = NULL;
			return run->out->at;
		}
	}
	p = run_open_piece(run, p, insn, true);
	run_close_piece(run, insn->b);
	return text_put(p, text.bytes, text.n_bytes);
}

/* --- BITFLAGS: what hits, as one piece of literal text (D13) -------------------------------------------------------------- */

static char *put_flags(struct runner *run, char *p, const struct insn *insn)
{
	const struct flag_table *table = insn->flags;
	uint64_t value = (uint64_t) * --run->top;
	char *piece = p + 1; /* behind the place of a blank */

	for (size_t i = 0; i < table->n_rows; i++) {
		const struct flag_row *row = &table->rows[i];
		const struct text *text = (value & row->mask) == row->value ? &row->text : &row->otherwise;

		if (text->n_bytes)
			piece = text_put(piece, text->bytes, text->n_bytes);
	}
	size_t n_bytes = (size_t)(piece - p) - 1;

	if (!n_bytes) {
		run_pass_piece(run, insn);
		return p;
	}
	if (p[1] != ' ' && run_open_piece(run, p, insn, false) != p)
		n_bytes++;
	else
		memmove(p, p + 1, n_bytes);
	run->glue = p[n_bytes - 1] == ' ' ? GLUE_GAP : GLUE_TEXT;
	return p + n_bytes;
}

const struct op op_text = { .name = "text", .run = put_text, .operands = "text" };
const struct op op_text_short = { .name = "text", .run = put_text_short, .operands = "text" };
const struct op op_want = { .name = "want", .run = want };
const struct op op_ask = { .name = "ask", .run = ask, .operands = "b" };
const struct op op_ask_wanted = { .name = "ask_wanted", .run = ask_wanted, .operands = "b" };
const struct op op_newline = { .name = "newline", .run = put_newline };
const struct op op_tab = { .name = "tab", .run = put_tab };
const struct op op_macro_text = { .name = "macro_text", .run = put_macro_text, .operands = "macro glue" };
const struct op op_flags = { .name = "flags", .run = put_flags, .operands = "flags glue" };
