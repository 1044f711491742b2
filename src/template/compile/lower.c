/* SPDX-License-Identifier: MIT */
#include "template/compile/lower.h"

#include "base/array.h"
#include "base/text.h"

/* --- instructions --------------------------------------------------------------------------------------- */

void *lower_alloc(struct lower *lower, size_t n_bytes)
{
	void *bytes = arena_alloc(&lower->set->bound, n_bytes);

	if (!bytes)
		lower->has_memory = false;
	return bytes;
}

static struct insn *add_insn(struct lower *lower, const struct op *op, size_t room)
{
	struct insn *code = array_room(lower->code, lower->n_code, &lower->room, sizeof(struct insn));

	if (!code) {
		lower->has_memory = false;
		return &lower->nowhere;
	}
	lower->code = code;
	code[lower->n_code] = (struct insn){ .op = op, .lead = LEAD_GLUE, .glue = GLUE_KEEP };
	lower->unit->room += room;
	return &code[lower->n_code++];
}

/* Short texts are copied in one part, so that bytes behind them must be readable. */
static void flush_text(struct lower *lower)
{
	size_t n_text = lower->n_text;
	char *text;

	if (!n_text)
		return;
	lower->n_text = 0;
	text = lower_alloc(lower, n_text + TEXT_SHORT);
	if (!text)
		return;
	memcpy(text, lower->text, n_text);
	struct insn *insn =
		add_insn(lower, n_text <= TEXT_SHORT ? &op_text_short : &op_text, n_text + TEXT_SHORT);

	insn->text = text;
	insn->a = (uint32_t)n_text;
}

struct insn *lower_emit(struct lower *lower, const struct op *op, size_t room)
{
	flush_text(lower);
	return add_insn(lower, op, room);
}

uint32_t lower_label(struct lower *lower)
{
	lower_end_run(lower);
	flush_text(lower);
	return (uint32_t)lower->n_code;
}

static void add_text(struct lower *lower, const char *bytes, size_t n_bytes)
{
	while (lower->text_room - lower->n_text < n_bytes) {
		char *text = array_room(lower->text, lower->text_room, &lower->text_room, 1);

		if (!text) {
			lower->has_memory = false;
			return;
		}
		lower->text = text;
	}
	memcpy(lower->text + lower->n_text, bytes, n_bytes);
	lower->n_text += n_bytes;
}

/* --- blanks (D3) ---------------------------------------------------------------------------------------- */

void lower_want(struct lower *lower)
{
	if (lower->now.glue == GLUE_KEEP)
		lower->now.is_wanted = true;
	else
		lower->now.glue |= GLUE_WANTED;
}

/* Gives the runner's glue what the compiler knows besides. */
static void settle_glue(struct lower *lower)
{
	if (lower->now.glue == GLUE_KEEP && lower->now.is_wanted)
		lower_emit(lower, &op_want, 0);
	lower->now.is_wanted = false;
}

uint8_t lower_glue(struct lower *lower)
{
	settle_glue(lower);
	return lower->now.glue;
}

struct insn *lower_emit_glued(struct lower *lower, const struct op *op, size_t room)
{
	uint8_t glue = lower_glue(lower);
	struct insn *insn = lower_emit(lower, op, room);

	insn->glue = glue;
	return insn;
}

/* The blank that is due where the glue is known. */
static bool put_blank(struct lower *lower, bool is_data)
{
	if (!glue_needs_blank(lower->now.glue, is_data))
		return false;
	add_text(lower, " ", 1);
	return true;
}

enum lead lower_lead(struct lower *lower)
{
	if (lower->now.glue == GLUE_KEEP) {
		lower_emit(lower, lower->now.is_wanted ? &op_ask_wanted : &op_ask, 1)->b = true;
		return LEAD_ASKED;
	}
	return put_blank(lower, true) ? LEAD_PUT : glue_lead(lower->now.glue);
}

enum lead lower_lead_silent(const struct lower *lower)
{
	return lower->now.glue == GLUE_KEEP ? LEAD_GLUE : glue_lead(lower->now.glue);
}

static void set_glue(struct lower *lower, enum glue glue)
{
	lower->now.glue = (uint8_t)glue;
	lower->now.is_wanted = false;
}

void lower_after_data(struct lower *lower, bool is_tight)
{
	set_glue(lower, is_tight || lower->is_quoted ? GLUE_TIGHT : GLUE_DATA);
}

void lower_text(struct lower *lower, const char *bytes, size_t n_bytes)
{
	if (!n_bytes)
		return;
	if (bytes[0] != ' ') {
		if (lower->now.glue == GLUE_KEEP)
			lower_emit(lower, lower->now.is_wanted ? &op_ask_wanted : &op_ask, 1)->b = false;
		else
			put_blank(lower, false);
	}
	add_text(lower, bytes, n_bytes);
	set_glue(lower, bytes[n_bytes - 1] == ' ' ? GLUE_GAP : GLUE_TEXT);
}

void lower_blanks(struct lower *lower, unsigned n_blanks)
{
	if (n_blanks > RUN_TEXT_ROOM)
		lower_emit(lower, &op_blanks, 0)->a = n_blanks;
	for (unsigned i = 0; i < n_blanks && n_blanks <= RUN_TEXT_ROOM; i++)
		add_text(lower, " ", 1);
	set_glue(lower, GLUE_GAP);
}

struct flow_state lower_join(struct flow_state a, struct flow_state b)
{
	struct flow_state both = a;

	if (a.glue != b.glue || a.is_wanted != b.is_wanted)
		both.glue = GLUE_KEEP;
	if (a.phase != b.phase)
		both.phase = PHASE_UNKNOWN;
	return both;
}

/* --- items ---------------------------------------------------------------------------------------------- */

static void lower_literal(struct lower *lower, const struct node *node)
{
	lower_text(lower, node->text.bytes, node->text.n_bytes);
}

static void lower_newline(struct lower *lower, const struct node *node)
{
	(void)node;
	lower_emit(lower, &op_newline, 1);
	set_glue(lower, GLUE_START);
}

static void lower_tab(struct lower *lower, const struct node *node)
{
	enum { TAB_COLUMNS = 8 };

	(void)node;
	lower_emit(lower, &op_tab, TAB_COLUMNS);
	set_glue(lower, GLUE_GAP);
}

static void lower_quoted(struct lower *lower, const struct node *node)
{
	lower->is_quoted = true;
	lower_list(lower, node->parts);
	lower->is_quoted = false;
}

static void (*const lower_items[])(struct lower *lower, const struct node *node) = {
	[NODE_TEXT] = lower_literal,
	[NODE_CODE] = lower_code,
	[NODE_MACRO] = lower_macro,
	[NODE_NEWLINE] = lower_newline,
	[NODE_TAB] = lower_tab,
	[NODE_QUOTED] = lower_quoted,
	[NODE_SWITCH] = lower_switch,
	[NODE_LOOP] = lower_loop,
	[NODE_BITFLAGS] = lower_flags,
	[NODE_ASSIGN] = lower_assign,
	[NODE_TIMER] = lower_timer,
};

void lower_list(struct lower *lower, const struct node *node)
{
	for (; node; node = node->next) {
		if (node->is_spaced)
			lower_want(lower);
		lower_items[node->kind](lower, node);
	}
}

/* --- the pass ------------------------------------------------------------------------------------------- */

/*
 * Replaces each jump to the end by the end. The glue known at the end overrides the glue known at the jump,
 * because a blank may be wanted between them.
 */
static void thread_jumps(struct insn *code, size_t n_code)
{
	for (size_t i = n_code; i-- > 0;) {
		const struct insn *end = code[i].op == &op_jump ? &code[code[i].a] : NULL;

		if (end && end->op == &op_end)
			code[i] = (struct insn){ .op = &op_end,
				.lead = code[i].lead,
				.glue = end->glue != GLUE_KEEP ? end->glue : code[i].glue };
	}
}

static struct insn *copy_code(struct lower *lower, bool is_checked)
{
	struct insn *code = lower_alloc(lower, lower->n_code * sizeof(*code));

	if (!code)
		return NULL;
	memcpy(code, lower->code, lower->n_code * sizeof(*code));
	insns_make_quick(code, lower->n_code, is_checked);
	return code;
}

/* Keeps the code for payloads that are too short. Returns false if memory ran out. */
static bool keep_checked(struct lower *lower)
{
	struct unit *checked = lower_alloc(lower, sizeof(*checked));

	if (!checked)
		return false;
	*checked = *lower->unit;
	checked->payload_need = 0;
	checked->code = copy_code(lower, true);
	lower->unit->checked = checked;
	return checked->code != NULL;
}

static bool keep_code(struct lower *lower)
{
	thread_jumps(lower->code, lower->n_code);
	lower->unit->n_code = lower->n_code;
	lower->unit->n_work = (unsigned)(lower->n_code + lower->n_flags);
	if (lower->unit->payload_need && !keep_checked(lower))
		return false;
	lower->unit->code = copy_code(lower, false);
	return lower->unit->code != NULL;
}

void lower_stanza(struct lower *lower, const struct stanza *stanza)
{
	if (stanza->has_label && !stanza->is_label_hidden)
		lower_text(lower, stanza->label.bytes, stanza->label.n_bytes);
	lower_list(lower, stanza->body);
}

bool lower_unit(struct template_set *set, struct unit *unit, bool puts_in_place)
{
	struct lower lower = { .set = set,
		.puts_in_place = puts_in_place,
		.unit = unit,
		.run = NO_INSN,
		.go = -1,
		.has_memory = true,
		.now = { .glue = unit->is_called ? GLUE_KEEP : GLUE_START, .phase = PHASE_UNKNOWN } };
	bool is_good;

	unit->room = RUN_SLACK;
	if (!unit->is_called)
		lower.now.phase = 0;
	lower_stanza(&lower, unit->stanza);
	lower_label(&lower);
	lower_emit_glued(&lower, &op_end, 0);
	is_good = lower.has_memory && keep_code(&lower);
	free(lower.code);
	free(lower.text);
	return is_good;
}
