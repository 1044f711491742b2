/* SPDX-License-Identifier: MIT */
/* Statements: what a stanza does, item by item. */
#include "tests/judge.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/judge_parts.h"

enum { NS_OF_USEC = 1000 };

static void run_list(struct judge *judge, const struct node *node);

/* --- values ------------------------------------------------------------------------------------------------- */

/* Prints judge->piece, and the mark behind it when the data ended in it. */
static void print_piece(struct judge *judge, bool is_in_quotes)
{
	judge_data(judge, judge->piece.bytes, judge->piece.n_bytes, judge->is_piece_tight || is_in_quotes);
	if (judge->is_piece_short)
		judge_truncate(judge);
}

static bool is_move(enum code_letter letter)
{
	return letter == CODE_GO || letter == CODE_FORWARD || letter == CODE_BACK || letter == CODE_WORD;
}

static void run_code(struct judge *judge, const struct code *code, bool is_in_quotes)
{
	if (code->letter == CODE_SPACING) {
		judge_spacing(judge, code->part);
	} else if (is_move(code->letter)) {
		judge_move(judge, code);
	} else {
		judge_show_code(judge, code);
		print_piece(judge, is_in_quotes);
	}
}

/* --- calls -------------------------------------------------------------------------------------------------- */

/* Turns of loops and calls have a limit together, so that nonsense in the data ends (D15). */
static void count_turn(struct judge *judge)
{
	if (judge->n_turns == RUN_TURNS_MAX || judge->out.n_bytes > RUN_TEXT_MAX) {
		judge->n_limit++;
		judge_mark(judge, "<loop limit>");
		judge_end(judge);
	}
	judge->n_turns++;
}

static void run_stanza(struct judge *judge, const struct stanza *stanza)
{
	const struct stanza *caller = judge->stanza;

	judge->stanza = stanza;
	if (stanza->has_label && !stanza->is_label_hidden)
		judge_literal(judge, stanza->label.bytes, stanza->label.n_bytes);
	run_list(judge, stanza->body);
	judge->stanza = caller;
}

/* A template that is bad, or cannot be bound to this kind of entry, is as good as none. */
static bool can_call(struct judge *judge, const struct stanza *callee)
{
	const struct stanza *caller = judge->stanza;
	bool is_good = callee && judge_accepts(judge, callee);

	judge->stanza = caller;
	return is_good;
}

static void run_call(struct judge *judge, const struct stanza *callee, const struct text *name)
{
	struct judge_string mark = { 0 };

	while (callee && callee->is_bad) /* dropped (D23): the one before it stays */
		callee = callee->replaced;
	if (can_call(judge, callee)) {
		if (judge->n_calls == RUN_CALLS_MAX) {
			judge->n_nesting++;
			judge_mark(judge, "<nesting>");
			judge_end(judge);
		}
		count_turn(judge);
		judge->n_calls++;
		run_stanza(judge, callee);
		judge->n_calls--;
		return;
	}
	char key[80];

	parse_key(key, name->bytes, name->n_bytes < 60 ? name->n_bytes : 60);
	string_print(&mark, "<no template %s>", key);
	judge_mark(judge, mark.bytes);
	free(mark.bytes);
}

/* --- control macros (D28) ----------------------------------------------------------------------------------- */

static void run_error(struct judge *judge)
{
	const struct entry *entry = judge->entry;
	const struct text log = entry->host->text(entry, MACRO_LOGFILE);

	judge->piece.n_bytes = 0;
	string_print(&judge->piece, "%.*s at %" PRIu64 ", hook %03" PRIX64, (int)log.n_bytes, log.bytes,
		(uint64_t)entry->host->number(entry, MACRO_LOGIDX0),
		(uint64_t)entry->host->number(entry, MACRO_TRACEID));
	judge_mark(judge, judge->piece.bytes);
	judge_end(judge);
}

static void run_action(struct judge *judge, enum macro_id id)
{
	static const struct text default_key = { "008", 3 };

	if (id == MACRO_DEFAULT) {
		run_call(judge, template_set_find(judge->set, default_key.bytes, default_key.n_bytes),
			&default_key);
		return;
	}
	if (id == MACRO_ERROR)
		run_error(judge);
	if (id == MACRO_SKIP)
		judge->outcome = RUN_SKIP;
	if (id == MACRO_STOP)
		judge->outcome = RUN_STOP;
	judge_end(judge);
}

static void run_macro(struct judge *judge, const struct node_macro *macro, bool is_in_quotes)
{
	const struct meaning meaning = judge_meaning(judge, &macro->name);

	if (meaning.kind == MEANS_CALL) {
		run_call(judge, meaning.callee, &macro->name);
	} else if (meaning.kind == MEANS_BUILTIN && meaning.builtin->form == MACRO_ACTION) {
		run_action(judge, meaning.builtin->id);
	} else {
		judge->is_bare = is_in_quotes;
		judge_show_macro(judge, macro);
		print_piece(judge, is_in_quotes);
	}
}

/* --- statements --------------------------------------------------------------------------------------------- */

/* One string: white space inside is text, and no blanks are added between its pieces (D27). */
static void run_quoted(struct judge *judge, const struct node *piece)
{
	for (; piece; piece = piece->next) {
		if (piece->kind == NODE_TEXT)
			judge_literal(judge, piece->text.bytes, piece->text.n_bytes);
		else if (piece->kind == NODE_CODE)
			run_code(judge, &piece->code, true);
		else if (piece->kind == NODE_MACRO)
			run_macro(judge, &piece->macro, true);
		else
			abort();
	}
}

static void run_loop(struct judge *judge, const struct node *loop)
{
	int64_t count = judge_number(judge, loop->loop.count);

	if (count > RUN_LOOP_MAX) { /* D15 */
		judge->n_limit++;
		count = RUN_LOOP_MAX;
	}
	for (int64_t i = 0; i < count; i++) {
		count_turn(judge);
		run_list(judge, loop->loop.body);
	}
}

static bool flag_hits(const struct flag *flag, uint64_t value)
{
	if (flag->has_mask)
		return (value & flag->mask) == flag->value;
	return flag->value ? (value & flag->value) == flag->value : value == 0;
}

static void run_bitflags(struct judge *judge, const struct node *node)
{
	uint64_t value = (uint64_t)judge_number(judge, node->bits.selector);

	judge->piece.n_bytes = 0;
	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next) {
		const struct text *text = flag_hits(flag, value) ? &flag->text : &flag->otherwise;

		string_add(&judge->piece, text->bytes, text->bytes ? text->n_bytes : 0);
	}
	judge_literal(judge, judge->piece.bytes, judge->piece.n_bytes);
}

/* Pointers go no farther from the entry than this, either way. */
static int64_t clamp_pointer(int64_t bytes)
{
	enum { POINTER_MAX = 1 << 30 };

	if (bytes < -POINTER_MAX)
		return -POINTER_MAX;
	return bytes > POINTER_MAX ? POINTER_MAX : bytes;
}

static void run_assign(struct judge *judge, const struct node *node)
{
	if (!node->assign.value)
		return;
	const struct meaning meaning = judge_meaning(judge, &node->assign.macro.name);
	int64_t value = judge_number(judge, node->assign.value);

	if (meaning.kind == MEANS_SLOT)
		judge->slots[meaning.slot] = value;
	else if (meaning.kind == MEANS_BUILTIN && meaning.builtin->id == MACRO_DATAPOINTER)
		judge->pointer = 8 * clamp_pointer(value);
	else if (meaning.kind == MEANS_BUILTIN && meaning.builtin->id == MACRO_BASEPOINTER)
		judge->base = clamp_pointer(value);
	else
		abort();
}

static struct judge_timer *find_timer(struct judge *judge, int64_t first, int64_t second)
{
	for (size_t i = 0; i < judge->n_timers; i++)
		if (judge->timers[i].first == first && judge->timers[i].second == second)
			return &judge->timers[i];
	return NULL;
}

void judge_start_timer(struct judge *judge, int64_t first, int64_t second, int64_t start)
{
	struct judge_timer *timer = find_timer(judge, first, second);

	if (!timer) {
		judge->timers = realloc(judge->timers, (judge->n_timers + 1) * sizeof(*timer));
		if (!judge->timers)
			abort();
		timer = &judge->timers[judge->n_timers++];
	}
	*timer = (struct judge_timer){ first, second, start };
}

/* D25: whole microseconds since the start of the same pair. */
static void run_timer(struct judge *judge, const struct node *node)
{
	int64_t first = judge_number(judge, node->timer.first);
	int64_t second = judge_number(judge, node->timer.second);
	int64_t now = judge->entry->host->number(judge->entry, MACRO_NOW);
	const struct judge_timer *timer = find_timer(judge, first, second);

	if (node->timer.is_start) {
		judge_start_timer(judge, first, second, now);
		return;
	}
	if (!timer)
		return;
	judge->piece.n_bytes = 0;
	if (judge->binding->type)
		judge_show_passed(judge, now - timer->start);
	else if (judge->counts_ticks)
		string_print(&judge->piece, "[%" PRId64 " ticks]", now - timer->start);
	else
		string_print(&judge->piece, "[%" PRId64 " usec]", (now - timer->start) / NS_OF_USEC);
	judge_data(judge, judge->piece.bytes, judge->piece.n_bytes, false);
}

static void run_item(struct judge *judge, const struct node *node)
{
	switch (node->kind) {
	case NODE_TEXT:
		judge_literal(judge, node->text.bytes, node->text.n_bytes);
		break;
	case NODE_CODE:
		run_code(judge, &node->code, false);
		break;
	case NODE_MACRO:
		run_macro(judge, &node->macro, false);
		break;
	case NODE_NEWLINE:
		judge_newline(judge);
		break;
	case NODE_TAB:
		judge_tab(judge);
		break;
	case NODE_QUOTED:
		run_quoted(judge, node->pieces);
		break;
	case NODE_SWITCH:
		run_list(judge, judge_select(judge, &node->select));
		break;
	case NODE_LOOP:
		run_loop(judge, node);
		break;
	case NODE_BITFLAGS:
		run_bitflags(judge, node);
		break;
	case NODE_ASSIGN:
		run_assign(judge, node);
		break;
	case NODE_TIMER:
		run_timer(judge, node);
		break;
	case NODE_NUMBER:
	case NODE_NEGATE:
	case NODE_BINARY:
		abort();
	}
}

static void run_list(struct judge *judge, const struct node *node)
{
	for (; node; node = node->next) {
		if (node->is_spaced)
			judge->is_blank_wanted = true;
		run_item(judge, node);
	}
}

/* --- entries ------------------------------------------------------------------------------------------------ */

static void entry_begin(struct judge *judge, const struct entry *entry)
{
	judge->entry = entry;
	judge->out.n_bytes = 0;
	string_add(&judge->out, "", 0);
	judge->line = 0;
	judge->last = LAST_START;
	judge->is_blank_wanted = false;
	judge->pointer = 8 * (int64_t)entry->start;
	judge->base = 0;
	memset(judge->slots, 0, sizeof(judge->slots));
	judge->n_turns = judge->n_calls = 0;
	judge->outcome = RUN_DONE;
}

enum run_outcome judge_entry(struct judge *judge, const struct stanza *stanza, const struct entry *entry,
	const char **ret_text, size_t *ret_n_bytes)
{
	entry_begin(judge, entry);
	if (setjmp(judge->end) == 0)
		run_stanza(judge, stanza);
	if (judge->outcome == RUN_SKIP)
		judge->out.n_bytes = 0;
	string_add(&judge->out, "", 0);
	*ret_text = judge->out.bytes;
	*ret_n_bytes = judge->out.n_bytes;
	return judge->outcome;
}

void judge_done(struct judge *judge)
{
	free(judge->timers);
	free(judge->out.bytes);
	free(judge->piece.bytes);
	*judge = (struct judge){ 0 };
}
