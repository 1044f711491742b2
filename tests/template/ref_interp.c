/* SPDX-License-Identifier: MIT */
/* Statements: what a stanza does, item by item. */
#include "tests/template/ref_interp.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tests/template/ref_interp_parts.h"

enum { NS_OF_USEC = 1000 };

static void run_list(struct ref_interp *interp, const struct node *node);

/* --- values --------------------------------------------------------------------------------------------- */

/* Prints interp->value, and the mark behind it when the data ended in it. */
static void put_value(struct ref_interp *interp, bool is_in_quotes)
{
	interp_put_data(
		interp, interp->value.bytes, interp->value.n_bytes, interp->is_value_tight || is_in_quotes);
	if (interp->is_value_short)
		interp_truncate(interp);
}

static bool is_move(enum code_letter letter)
{
	return letter == CODE_GO || letter == CODE_FORWARD || letter == CODE_BACK || letter == CODE_WORD;
}

static void run_code(struct ref_interp *interp, const struct code *code, bool is_in_quotes)
{
	if (code->letter == CODE_SPACING) {
		interp_put_spacing(interp, code->part);
	} else if (is_move(code->letter)) {
		interp_move_pointer(interp, code);
	} else {
		interp_show_code(interp, code);
		put_value(interp, is_in_quotes);
	}
}

/* --- calls ---------------------------------------------------------------------------------------------- */

/* Turns of loops and calls have a limit together, so that nonsense in the data ends (D15). */
static void count_turn(struct ref_interp *interp)
{
	if (interp->n_turns == RUN_TURNS_MAX || interp->out.n_bytes > RUN_TEXT_MAX) {
		interp->n_limit++;
		interp_put_mark(interp, "<loop limit>");
		interp_end(interp);
	}
	interp->n_turns++;
}

static void run_stanza(struct ref_interp *interp, const struct stanza *stanza)
{
	const struct stanza *caller = interp->stanza;

	interp->stanza = stanza;
	if (stanza->has_label && !stanza->is_label_hidden)
		interp_put_literal(interp, stanza->label.bytes, stanza->label.n_bytes);
	run_list(interp, stanza->body);
	interp->stanza = caller;
}

/* A template that is bad, or cannot be bound to this kind of entry, is as good as none. */
static bool can_call(struct ref_interp *interp, const struct stanza *callee)
{
	const struct stanza *caller = interp->stanza;
	bool is_good = callee && interp_accepts(interp, callee);

	interp->stanza = caller;
	return is_good;
}

static void run_call(struct ref_interp *interp, const struct stanza *callee, const struct text *name)
{
	struct interp_string mark = { 0 };

	while (callee && callee->is_bad) /* dropped (D23): the one before it stays */
		callee = callee->replaced;
	if (can_call(interp, callee)) {
		if (interp->n_calls == RUN_CALLS_MAX) {
			interp->n_nesting++;
			interp_put_mark(interp, "<nesting>");
			interp_end(interp);
		}
		count_turn(interp);
		interp->n_calls++;
		run_stanza(interp, callee);
		interp->n_calls--;
		return;
	}
	char key[80];

	key_normalise(key, name->bytes, name->n_bytes < 60 ? name->n_bytes : 60);
	string_print(&mark, "<no template %s>", key);
	interp_put_mark(interp, mark.bytes);
	free(mark.bytes);
}

/* --- control macros (D28) ------------------------------------------------------------------------------- */

static void run_error(struct ref_interp *interp)
{
	const struct entry *entry = interp->entry;
	const struct text log = entry->host->text(entry, MACRO_LOGFILE);

	interp->value.n_bytes = 0;
	string_print(&interp->value, "%.*s at %" PRIu64 ", hook %03" PRIX64, (int)log.n_bytes, log.bytes,
		(uint64_t)entry->host->number(entry, MACRO_LOGIDX0),
		(uint64_t)entry->host->number(entry, MACRO_TRACEID));
	interp_put_mark(interp, interp->value.bytes);
	interp_end(interp);
}

static void run_action(struct ref_interp *interp, enum macro_id id)
{
	static const struct text default_key = { "008", 3 };

	if (id == MACRO_DEFAULT) {
		run_call(interp, template_set_find(interp->set, default_key.bytes, default_key.n_bytes),
			&default_key);
		return;
	}
	if (id == MACRO_ERROR)
		run_error(interp);
	if (id == MACRO_SKIP)
		interp->outcome = RUN_SKIP;
	if (id == MACRO_STOP)
		interp->outcome = RUN_STOP;
	interp_end(interp);
}

static void run_macro(struct ref_interp *interp, const struct node_macro *macro, bool is_in_quotes)
{
	const struct meaning meaning = interp_find_meaning(interp, &macro->name);

	if (meaning.kind == MEANS_CALL) {
		run_call(interp, meaning.callee, &macro->name);
	} else if (meaning.kind == MEANS_BUILTIN && meaning.builtin->form == MACRO_ACTION) {
		run_action(interp, meaning.builtin->id);
	} else {
		interp->is_bare = is_in_quotes;
		interp_show_macro(interp, macro);
		put_value(interp, is_in_quotes);
	}
}

/* --- statements ----------------------------------------------------------------------------------------- */

/* One string: white space inside is text, and no blanks are added between its pieces (D27). */
static void run_quoted(struct ref_interp *interp, const struct node *value)
{
	for (; value; value = value->next) {
		if (value->kind == NODE_TEXT)
			interp_put_literal(interp, value->text.bytes, value->text.n_bytes);
		else if (value->kind == NODE_CODE)
			run_code(interp, &value->code, true);
		else if (value->kind == NODE_MACRO)
			run_macro(interp, &value->macro, true);
		else
			abort();
	}
}

static void run_loop(struct ref_interp *interp, const struct node *loop)
{
	int64_t count = interp_evaluate(interp, loop->loop.count);

	if (count > RUN_LOOP_MAX) { /* D15 */
		interp->n_limit++;
		count = RUN_LOOP_MAX;
	}
	for (int64_t i = 0; i < count; i++) {
		count_turn(interp);
		run_list(interp, loop->loop.body);
	}
}

static bool flag_hits(const struct flag *flag, uint64_t value)
{
	if (flag->has_mask)
		return (value & flag->mask) == flag->value;
	return flag->value ? (value & flag->value) == flag->value : value == 0;
}

static void run_bitflags(struct ref_interp *interp, const struct node *node)
{
	uint64_t value = (uint64_t)interp_evaluate(interp, node->bits.selector);

	interp->value.n_bytes = 0;
	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next) {
		const struct text *text = flag_hits(flag, value) ? &flag->text : &flag->otherwise;

		string_add(&interp->value, text->bytes, text->bytes ? text->n_bytes : 0);
	}
	interp_put_literal(interp, interp->value.bytes, interp->value.n_bytes);
}

/* Pointers go no farther from the entry than this, either way. */
static int64_t clamp_pointer(int64_t bytes)
{
	enum { POINTER_MAX = 1 << 30 };

	if (bytes < -POINTER_MAX)
		return -POINTER_MAX;
	return bytes > POINTER_MAX ? POINTER_MAX : bytes;
}

static void run_assign(struct ref_interp *interp, const struct node *node)
{
	if (!node->assign.value)
		return;
	const struct meaning meaning = interp_find_meaning(interp, &node->assign.macro.name);
	int64_t value = interp_evaluate(interp, node->assign.value);

	if (meaning.kind == MEANS_SLOT)
		interp->slots[meaning.slot] = value;
	else if (meaning.kind == MEANS_BUILTIN && meaning.builtin->id == MACRO_DATAPOINTER)
		interp->pointer = 8 * clamp_pointer(value);
	else if (meaning.kind == MEANS_BUILTIN && meaning.builtin->id == MACRO_BASEPOINTER)
		interp->base = clamp_pointer(value);
	else
		abort();
}

static struct interp_timer *find_timer(struct ref_interp *interp, int64_t first, int64_t second)
{
	for (size_t i = 0; i < interp->n_timers; i++)
		if (interp->timers[i].first == first && interp->timers[i].second == second)
			return &interp->timers[i];
	return NULL;
}

void interp_start_timer(struct ref_interp *interp, int64_t first, int64_t second, int64_t start)
{
	struct interp_timer *timer = find_timer(interp, first, second);

	if (!timer) {
		interp->timers = realloc(interp->timers, (interp->n_timers + 1) * sizeof(*timer));
		if (!interp->timers)
			abort();
		timer = &interp->timers[interp->n_timers++];
	}
	*timer = (struct interp_timer){ first, second, start };
}

/* D25: whole microseconds since the start of the same pair. */
static void run_timer(struct ref_interp *interp, const struct node *node)
{
	int64_t first = interp_evaluate(interp, node->timer.first);
	int64_t second = interp_evaluate(interp, node->timer.second);
	int64_t now = interp->entry->host->number(interp->entry, MACRO_NOW);
	const struct interp_timer *timer = find_timer(interp, first, second);

	if (node->timer.is_start) {
		interp_start_timer(interp, first, second, now);
		return;
	}
	if (!timer)
		return;
	interp->value.n_bytes = 0;
	if (interp->binding->layout)
		interp_show_passed(interp, now - timer->start);
	else if (interp->counts_ticks)
		string_print(&interp->value, "[%" PRId64 " ticks]", now - timer->start);
	else
		string_print(&interp->value, "[%" PRId64 " usec]", (now - timer->start) / NS_OF_USEC);
	interp_put_data(interp, interp->value.bytes, interp->value.n_bytes, false);
}

static void run_item(struct ref_interp *interp, const struct node *node)
{
	switch (node->kind) {
	case NODE_TEXT:
		interp_put_literal(interp, node->text.bytes, node->text.n_bytes);
		break;
	case NODE_CODE:
		run_code(interp, &node->code, false);
		break;
	case NODE_MACRO:
		run_macro(interp, &node->macro, false);
		break;
	case NODE_NEWLINE:
		interp_put_newline(interp);
		break;
	case NODE_TAB:
		interp_put_tab(interp);
		break;
	case NODE_QUOTED:
		run_quoted(interp, node->parts);
		break;
	case NODE_SWITCH:
		run_list(interp, interp_select(interp, &node->select));
		break;
	case NODE_LOOP:
		run_loop(interp, node);
		break;
	case NODE_BITFLAGS:
		run_bitflags(interp, node);
		break;
	case NODE_ASSIGN:
		run_assign(interp, node);
		break;
	case NODE_TIMER:
		run_timer(interp, node);
		break;
	case NODE_NUMBER:
	case NODE_NEGATE:
	case NODE_BINARY:
		abort();
	}
}

static void run_list(struct ref_interp *interp, const struct node *node)
{
	for (; node; node = node->next) {
		if (node->is_spaced)
			interp->is_blank_wanted = true;
		run_item(interp, node);
	}
}

/* --- entries -------------------------------------------------------------------------------------------- */

static void entry_begin(struct ref_interp *interp, const struct entry *entry)
{
	interp->entry = entry;
	interp->out.n_bytes = 0;
	string_add(&interp->out, "", 0);
	interp->line = 0;
	interp->last = LAST_START;
	interp->is_blank_wanted = false;
	interp->pointer = 8 * (int64_t)entry->start;
	interp->base = 0;
	memset(interp->slots, 0, sizeof(interp->slots));
	interp->n_turns = interp->n_calls = 0;
	interp->outcome = RUN_DONE;
}

enum run_outcome interp_run(struct ref_interp *interp, const struct stanza *stanza, const struct entry *entry,
	const char **ret_text, size_t *ret_n_bytes)
{
	entry_begin(interp, entry);
	if (setjmp(interp->end) == 0)
		run_stanza(interp, stanza);
	if (interp->outcome == RUN_SKIP)
		interp->out.n_bytes = 0;
	string_add(&interp->out, "", 0);
	*ret_text = interp->out.bytes;
	*ret_n_bytes = interp->out.n_bytes;
	return interp->outcome;
}

void interp_done(struct ref_interp *interp)
{
	free(interp->timers);
	free(interp->out.bytes);
	free(interp->value.bytes);
	*interp = (struct ref_interp){ 0 };
}
