/* SPDX-License-Identifier: MIT */
/*
 * Calls of other templates. The text before a subroutine is unknown when it is compiled, and the text that it
 * prints is unknown to its caller; so both decide on each blank when they run. In the second pass over a
 * template, when all that it calls has been compiled, small subroutines are put in place: each call has its
 * own copy, in which blanks are known. Those that stay calls are in loops, whose turns are counted, or have a
 * call among them that stays one, as those in a circle.
 */
#include "template/compile/bind.h"
#include "template/compile/lower.h"

enum {
	IN_PLACE_CODE_MAX = 512,      /* instructions of a subroutine with all that it calls … */
	IN_PLACE_ROOM_MAX = 16 << 10, /* … and bytes of its text */
};

static void lower_missing(struct lower *lower, struct text name)
{
	char text[80] = "<no template ";
	size_t n_text = strlen(text);

	/* As reports print ids; only hook ids get here without a template. */
	n_text += key_normalise(text + n_text, name.bytes, name.n_bytes < 60 ? name.n_bytes : 60);
	text[n_text++] = '>';
	lower_want(lower);
	lower_text(lower, text, n_text);
}

/*
 * Adds up the instructions and the room of a unit and of all that it calls. Returns false if the sum is too
 * large, if the calls have no end, or if one of the units is bad.
 */
static bool add_up(const struct unit *unit, unsigned n_calls, size_t *n_code, size_t *room)
{
	*n_code += unit->n_code;
	*room += unit->room;
	if (!unit->code || n_calls == RUN_CALLS_MAX || *n_code > IN_PLACE_CODE_MAX ||
		*room > IN_PLACE_ROOM_MAX)
		return false;
	for (size_t i = 0; i < unit->n_code; i++)
		if (unit->code[i].op == &op_call && !add_up(unit->code[i].unit, n_calls + 1, n_code, room))
			return false;
	return true;
}

static bool can_be_in_place(struct lower *lower, const struct unit *unit)
{
	size_t n_code = 0, room = 0;

	if (!lower->puts_in_place || lower->n_loops)
		return false;
	if (lower->n_in_place) /* a part of what has been added up */
		return true;
	if (!add_up(unit, 0, &n_code, &room) || lower->n_joined + n_code > IN_PLACE_CODE_MAX)
		return false;
	lower->n_joined += n_code;
	return true;
}

/* Diagnoses of the subroutine have been made when it was compiled by itself. */
static void lower_in_place(struct lower *lower, struct stanza *callee)
{
	const bool is_quoted = lower->is_quoted;
	struct diags diags = { 0 };

	lower->has_memory &= resolve_stanza(lower->set, callee, &lower->unit->binding, &diags);
	diags_done(&diags);
	lower_end_run(lower);
	lower->is_quoted = false;
	lower->n_in_place++;
	lower_stanza(lower, callee);
	lower->n_in_place--;
	lower->is_quoted = is_quoted;
	lower_end_run(lower);
}

void lower_call(struct lower *lower, struct stanza *stanza, struct text name)
{
	struct stanza *callee = stanza_good(stanza);
	struct unit *unit;

	if (!callee) {
		lower_missing(lower, name);
		return;
	}
	unit = bind_unit(lower->set, callee, &lower->unit->binding, true);
	if (!unit) {
		lower->has_memory = false;
		return;
	}
	if (can_be_in_place(lower, unit)) {
		lower_in_place(lower, callee);
		return;
	}
	lower_end_run(lower);
	lower_emit_glued(lower, &op_call, 0)->unit = unit;
	lower->now = (struct flow_state){ .glue = GLUE_KEEP, .phase = PHASE_UNKNOWN };
}
