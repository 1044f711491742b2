/* SPDX-License-Identifier: MIT */
/*
 * Which code gives one text for equal bytes, so that callers may keep it: found once for each unit, by a
 * steady_walk over its instructions. Events are looked at alone: code for AIX's entries reads at a pointer
 * that moves.
 */
#include <string.h>

#include "template/machine/ops.h"

enum {
	WALK_MAX = 4096
}; /* instructions, those of subroutines once for each call; longer code counts as unsteady */

/*
 * These print values that are not in the entry, or that were remembered. op_tab counts columns of the text in
 * front. op_load_hook_bytes ($HL) counts bytes of the payload, which no word of a key has.
 */
static const struct op *const unsteady_ops[] = { &op_macro_text, &op_start_timer, &op_end_timer,
	&op_print_process, &op_error, &op_tab, &op_load_hook_bytes };

/* The same for all events of a layout or a context, or of an object that value_use() is called for. */
static const bool steady_macros[N_MACROS] = {
	[MACRO_TID] = true,
	[MACRO_DATAPOINTER] = true,
	[MACRO_BASEPOINTER] = true,
	[MACRO_TRACEID] = true,
	[MACRO_CAPACITY] = true,
	[MACRO_NOTHING] = true,
};

static bool is_one_of(const struct op *op, const struct op *const *ops, size_t n_ops)
{
	size_t i = 0;

	while (i < n_ops && ops[i] != op)
		i++;
	return i < n_ops;
}

static bool insn_is_steady(const struct insn *insn)
{
	if (is_one_of(insn->op, unsteady_ops, sizeof(unsteady_ops) / sizeof(unsteady_ops[0])))
		return false;
	return insn->op != &op_load_macro || steady_macros[insn->a];
}

/* --- bytes that are read -------------------------------------------------------------------------------- */

/* Returns false if it is no number, or too far behind. */
static bool mark_field(struct unit_reads *reads, const struct rst_field *field)
{
	if (!rst_field_is_number(field) || (uint64_t)field->offset + field->n_bytes > UNIT_READS_MAX)
		return false;
	memset(reads->mask + field->offset, UINT8_MAX, field->n_bytes);
	return true;
}

/* Whichever of them is the first that is there. */
static bool mark_objects(struct unit_reads *reads, const struct rst_layout *layout)
{
	bool is_good = true;

	for (unsigned i = 0; i < layout->n_fields && is_good; i++)
		is_good = layout->fields[i].type != RST_OBJECT || mark_field(reads, &layout->fields[i]);
	return is_good;
}

/* Returns false if it reads what cannot be marked, as all does that reads at the data pointer. */
static bool insn_mark(struct unit_reads *reads, const struct insn *insn, const struct rst_layout *layout)
{
	static const struct op *const at_pointer[] = { &op_counted, &op_counted_tight, &op_load_bits_here };

	if (insn->op == &op_path || insn->op == &op_subject ||
		(insn->op == &op_load_macro && insn->a == MACRO_TID))
		reads->has_context = true;
	if (insn->op->reads == READS_PAYLOAD)
		return mark_field(reads, insn->op == &op_field_enum_4 ? insn->names->field : insn->field);
	if (insn->op == &op_load_macro && insn->a == MACRO_CAPACITY)
		return mark_objects(reads, layout);
	return insn->op->reads == READS_NOTHING &&
	       !is_one_of(insn->op, at_pointer, sizeof(at_pointer) / sizeof(at_pointer[0]));
}

/* --- the steady_walk ------------------------------------------------------------------------------------ */

/* From instruction `first` on. Calls in circles use up n_left. */
static bool steady_walk(const struct unit *unit, size_t first, size_t *n_left, struct unit_reads *reads)
{
	for (size_t i = first; unit->code && i < unit->n_code; i++) {
		const struct insn *insn = &unit->code[i];

		if (*n_left == 0 || !insn_is_steady(insn) || !insn_mark(reads, insn, unit->binding.layout))
			return false;
		--*n_left;
		if (insn->op == &op_call && !steady_walk(insn->unit, 0, n_left, reads))
			return false;
	}
	return true;
}

bool unit_is_steady(const struct unit *unit, struct unit_reads *ret_reads)
{
	size_t n_left = WALK_MAX;

	*ret_reads = (struct unit_reads){ .has_subject = unit->n_code && unit->code[0].op == &op_subject };
	return unit->binding.layout && steady_walk(unit, ret_reads->has_subject, &n_left, ret_reads);
}
