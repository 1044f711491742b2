/* SPDX-License-Identifier: MIT */
/* Expressions, macros, and what prints a number. Values go over the runner's stack. */
#include "template/compile/lower.h"

#include <string.h>

#include "base/text.h"
#include "trace/value/value.h"

enum {
	HEX_ROOM = 32,	/* X16 */
	FORM_ROOM = 64, /* times, floats, errors, 64 binary digits */
	LONG_BYTES = 8,
};

static void push_number(struct lower *lower, int64_t number)
{
	lower_emit(lower, &op_number, 0)->number = number;
}

/* --- casts ---------------------------------------------------------------------------------------------- */

/* A cast takes the lowest bytes or bits of the value on the stack, with their sign for D (D5). */
static void cast_value(struct lower *lower, const struct code *cast)
{
	unsigned n_bytes = code_bytes(cast, lower->unit->binding.word_bytes), n_bits = 8 * n_bytes;

	if (cast->letter == CODE_BITS)
		n_bits += cast->part;
	if (n_bits < 64)
		lower_emit(lower, cast->letter == CODE_SIGNED ? &op_low_signed : &op_low_unsigned, 0)->b =
			n_bits;
}

/* --- loads ---------------------------------------------------------------------------------------------- */

/*
 * A field is read where it is, with no run: the unit begins carefully when the payload is shorter than that.
 */
static void need_payload(struct lower *lower, struct insn *insn, uint32_t need)
{
	insn->need = need;
	if (lower->unit->payload_need < need)
		lower->unit->payload_need = need;
}

static void load_field(struct lower *lower, const struct rst_field *field)
{
	static const struct op *const low[] = {
		[1] = &op_load_low_1, [2] = &op_load_low_2, [4] = &op_load_low_4, [8] = &op_load_low_8
	};
	const bool is_low = field->n_bytes < sizeof(low) / sizeof(low[0]) && low[field->n_bytes] &&
			    !field->n_bits && !field->is_big_endian && field->type != RST_SIGNED;
	struct insn *insn = lower_emit(lower, is_low ? low[field->n_bytes] : &op_load_field, 0);

	insn->field = field;
	insn->a = field->offset;
	need_payload(lower, insn, field->offset + field->n_bytes);
}

void lower_load_macro(struct lower *lower, enum macro_id id)
{
	static const struct op *const of_entry[N_MACROS] = { [MACRO_GENERIC] = &op_load_generic,
		[MACRO_HD] = &op_load_hook_data,
		[MACRO_HL] = &op_load_hook_bytes,
		[MACRO_HT] = &op_load_hook_type,
		[MACRO_HB] = &op_load_variable };

	if (id == MACRO_DATAPOINTER)
		lower_end_run(lower);
	lower_emit(lower, of_entry[id] ? of_entry[id] : &op_load_macro, 0)->a = id;
}

/* Finds the value of a macro if it is known at compile time: then it never changes. */
static bool target_number(const struct lower *lower, const struct target *target, int64_t *ret_number)
{
	const int64_t word_bytes = lower->unit->binding.word_bytes;

	*ret_number = target->kind == TARGET_NUMBER ? target->number : 0;
	if (target->kind != TARGET_BUILTIN)
		return target->kind == TARGET_NUMBER || target->kind == TARGET_ZERO ||
		       target->kind == TARGET_STANZA;
	if (target->builtin->id == MACRO_WORDSIZE)
		*ret_number = word_bytes;
	else if (target->builtin->id == MACRO_HOOKENV || target->builtin->id == MACRO_TRACEENV)
		*ret_number = 8 * word_bytes;
	return *ret_number != 0;
}

/* Loads the value of a macro, without its cast. */
static void load_target(struct lower *lower, const struct target *target)
{
	int64_t number;

	if (target_number(lower, target, &number))
		push_number(lower, number);
	else if (target->kind == TARGET_FIELD)
		load_field(lower, target->field);
	else if (target->kind == TARGET_BUILTIN)
		lower_load_macro(lower, target->builtin->id);
	else
		lower_emit(lower, &op_load_slot, 0)->a = target->slot;
}

bool lower_is_known(const struct lower *lower, const struct node *selector, int64_t *ret_value)
{
	return selector->kind == NODE_MACRO && !selector->macro.has_cast &&
	       target_number(lower, &selector->macro.target, ret_value);
}

void lower_selector(struct lower *lower, const struct node *node)
{
	if (node->kind == NODE_CODE) {
		lower_load_code(lower, &node->code, lower_lead_silent(lower));
		return;
	}
	load_target(lower, &node->macro.target);
	if (node->macro.has_cast)
		cast_value(lower, &node->macro.cast);
}

static const struct op *binary_op(char sign)
{
	static const struct {
		char sign;
		const struct op *op;
	} rows[] = { { '+', &op_add }, { '-', &op_subtract }, { '*', &op_multiply }, { '/', &op_divide },
		{ '&', &op_and } };
	size_t i = 0;

	while (rows[i].sign != sign && i + 1 < sizeof(rows) / sizeof(rows[0]))
		i++;
	return rows[i].op;
}

void lower_expression(struct lower *lower, const struct node *node)
{
	if (node->kind == NODE_NUMBER) {
		push_number(lower, node->number);
	} else if (node->kind == NODE_NEGATE) {
		lower_expression(lower, node->binary.left);
		lower_emit(lower, &op_negate, 0);
	} else if (node->kind == NODE_BINARY) {
		lower_expression(lower, node->binary.left);
		lower_expression(lower, node->binary.right);
		lower_emit(lower, binary_op(node->binary.sign), 0);
	} else {
		lower_selector(lower, node);
	}
}

/* --- prints --------------------------------------------------------------------------------------------- */

static void emit_print(struct lower *lower, const struct op *op, unsigned size, size_t room)
{
	lower_emit(lower, op, room)->b = size;
	lower_after_data(lower, false);
}

void lower_print(struct lower *lower, const struct code *code)
{
	unsigned n_bytes = code_bytes(code, lower->unit->binding.word_bytes);
	static const struct op *const ops[N_CODES] = {
		[CODE_BITS] = &op_print_bits,
		[CODE_HEX] = &op_print_hex,
		[CODE_HEX_TIGHT] = &op_print_hex,
		[CODE_SIGNED] = &op_print_signed,
		[CODE_UNSIGNED] = &op_print_unsigned,
		[CODE_OCTAL] = &op_print_octal,
		[CODE_FLOAT] = &op_print_float,
		[CODE_TIME] = &op_print_time,
		[CODE_ERRNO] = &op_print_errno,
		[CODE_PROCESS] = &op_print_process,
		[CODE_DURATION] = &op_print_duration,
		[CODE_HB] = &op_print_unsigned,
		[CODE_HT] = &op_print_digits,
	};

	if (code->letter == CODE_BITS)
		n_bytes = 8U * code->n_bytes + code->part;
	else if (code->letter == CODE_DURATION)
		n_bytes = code->part;
	else if (code->letter == CODE_ERRNO)
		n_bytes = lower->unit->binding.errors;
	emit_print(lower, ops[code->letter], n_bytes, FORM_ROOM);
	if (code->letter == CODE_HEX_TIGHT)
		lower_after_data(lower, true);
}

static void print_cast(struct lower *lower, const struct node_macro *macro)
{
	size_t load;

	lower_lead(lower);
	load_target(lower, &macro->target);
	load = lower->n_code - 1;
	cast_value(lower, &macro->cast);
	lower_print(lower, &macro->cast);
	/* A field that is cut off prints "?" and leaves out what would print it. */
	if (macro->target.kind == TARGET_FIELD && lower->has_memory)
		lower->code[load].b = (uint32_t)(lower->n_code - 1 - load);
}

/* A built-in or user macro as it prints without a cast (D6). */
static void print_form(struct lower *lower, const struct target *target, enum macro_form form)
{
	static const struct op *const ops[] = {
		[MACRO_HEX] = &op_print_hex_wide,
		[MACRO_WORD] = &op_print_hex,
		[MACRO_LONG] = &op_print_hex,
		[MACRO_DIGITS] = &op_print_digits,
		[MACRO_ID] = &op_print_id,
		[MACRO_DEC] = &op_print_signed,
	};
	unsigned n_bytes = form == MACRO_WORD ? lower->unit->binding.word_bytes : LONG_BYTES;

	lower_lead(lower);
	load_target(lower, target);
	emit_print(lower, ops[form], n_bytes, HEX_ROOM);
}

/* As value_put_text() finds it. */
static const char *constant_name(const struct rst_constants *constants, size_t value)
{
	const bool is_in_place = value < constants->n_rows && constants->rows[value].value == value;

	return is_in_place ? constants->rows[value].name : rst_constant_name(constants, value);
}

/* How many numbers from 0 on have names by number: as long as there is no gap, and all small ones. */
static size_t count_names(const struct rst_constants *constants)
{
	enum { SMALL = 64 };
	size_t n = 0;

	while (n < constants->n_rows && constants->rows[n].value == n)
		n++;
	for (size_t i = n; i < constants->n_rows; i++)
		if (constants->rows[i].value < SMALL && constants->rows[i].value >= n)
			n = (size_t)constants->rows[i].value + 1;
	return n;
}

/*
 * The names of an enumeration's constants by number; one that is too long has no bytes, like a number without
 * any.
 */
static const struct name_table *make_names(struct lower *lower, const struct rst_field *field)
{
	const size_t n_rows = field->constants ? count_names(field->constants) : 0;
	struct name_table *table = lower_alloc(lower, sizeof(*table));
	struct text *rows = lower_alloc(lower, n_rows * sizeof(*rows));

	for (size_t i = 0; rows && i < n_rows; i++) {
		const char *name = constant_name(field->constants, i);
		const size_t n_name = name ? strlen(name) : 0;
		char *copy = name && n_name <= VALUE_ROOM ? lower_alloc(lower, n_name + TEXT_SHORT) : NULL;

		if (copy)
			memcpy(copy, name, n_name);
		rows[i] = (struct text){ copy, n_name };
	}
	if (table)
		*table = (struct name_table){ field, rows ? n_rows : 0, rows };
	return table;
}

static struct insn *emit_field(struct lower *lower, const struct op *op, const struct rst_field *field)
{
	struct insn *insn = lower_emit(lower, op, VALUE_ROOM + TEXT_SHORT);

	insn->field = field;
	insn->a = field->offset;
	insn->b = field->is_big_endian;
	need_payload(lower, insn, (uint32_t)field_need(field));
	return insn;
}

/* The operation that holds all that is known of a field's place, or op_field. */
static const struct op *op_of_field(const struct rst_field *field)
{
	enum { SIZES = 9 };
	static const struct op *const known[][SIZES] = {
		[RST_UNSIGNED] = { [1] = &op_field_number_1,
			[2] = &op_field_number_2,
			[4] = &op_field_number_4,
			[8] = &op_field_number_8 },
		[RST_OBJECT] = { [1] = &op_field_object_1,
			[2] = &op_field_object_2,
			[4] = &op_field_object_4,
			[8] = &op_field_object_8 },
		[RST_ENUM] = { [4] = &op_field_enum_4 },
		[RST_WORD] = { [4] = &op_field_word_4 },
		[RST_ADDRESS] = { [4] = &op_field_address_4, [8] = &op_field_address_8 },
	};
	const bool is_plain = !field->columns && !field->has_names && !field->n_bits;
	const size_t type = field->type;

	if (!is_plain || type >= sizeof(known) / sizeof(known[0]) || field->n_bytes >= SIZES)
		return &op_field;
	return known[type][field->n_bytes] ? known[type][field->n_bytes] : &op_field;
}

/* A field that is never empty. */
static void print_value(struct lower *lower, const struct rst_field *field)
{
	uint8_t glue = lower->now.glue;

	lower_lead(lower);
	const struct op *op = op_of_field(field);

	if (field->type == RST_OBJECT && (lower->is_quoted || (glue & GLUE_LAST) == GLUE_START))
		op = &op_field_bare;
	else if (field->type == RST_OBJECT && glue == GLUE_KEEP)
		op = &op_field_object;
	struct insn *insn = emit_field(lower, op, field);

	if (insn->op == &op_field_enum_4)
		insn->names = make_names(lower, field);
	lower_after_data(lower, false);
}

static void print_field(struct lower *lower, const struct rst_field *field)
{
	uint8_t glue;
	struct insn *insn;

	if (field->type != RST_TEXT && field->type != RST_BYTES) {
		print_value(lower, field);
		return;
	}
	glue = lower_glue(lower);
	insn = emit_field(lower, &op_field_text, field);
	insn->glue = glue;
	insn->b = lower->is_quoted;
	lower->now.glue = GLUE_KEEP;
}

static void print_macro_text(struct lower *lower, enum macro_id id)
{
	struct insn *insn = lower_emit_glued(lower, &op_macro_text, 1 + RUN_TEXT_ROOM);

	insn->a = id;
	insn->b = lower->is_quoted;
	if (lower->is_quoted || !lower->unit->binding.layout)
		insn->number = PATH_IS_BARE;
	lower->now.glue = GLUE_KEEP;
}

/* next: what stands behind it. */
static void print_path(struct lower *lower, const struct node *next)
{
	struct insn *insn = lower_emit_glued(lower, &op_path, 1 + RUN_TEXT_ROOM);

	if (next && (next->is_spaced ||
			    (next->kind == NODE_TEXT && next->text.n_bytes && next->text.bytes[0] == ' ')))
		insn->number |= PATH_HAS_BLANK;
	if (lower->is_quoted || !lower->unit->binding.layout)
		insn->number |= PATH_IS_BARE;
	insn->b = lower->is_quoted;
	if (lower->n_code == 1 && !lower->unit->is_called && insn->number == PATH_HAS_BLANK)
		insn->op = &op_subject;
	lower->now.glue = GLUE_KEEP;
}

/* $BREAK and its like: something happens, mostly the end of the entry (D28). */
static void do_action(struct lower *lower, enum macro_id id)
{
	static const struct text unknown_key = { "008", 3 };
	static const struct op *const ops[N_MACROS] = {
		[MACRO_BREAK] = &op_break,
		[MACRO_SKIP] = &op_skip,
		[MACRO_STOP] = &op_stop,
		[MACRO_ERROR] = &op_error,
	};

	if (id == MACRO_DEFAULT) {
		lower_call(lower, template_set_find(lower->set, unknown_key.bytes, unknown_key.n_bytes),
			unknown_key);
		return;
	}
	lower_end_run(lower);
	lower_emit_glued(lower, ops[id], 0);
}

static void print_builtin(struct lower *lower, const struct target *target, const struct node *next)
{
	const struct macro_row *row = target->builtin;

	if (row->id == MACRO_EXECPATH)
		print_path(lower, next);
	else if (row->form == MACRO_ACTION)
		do_action(lower, row->id);
	else if (row->form == MACRO_TEXT)
		print_macro_text(lower, row->id);
	else
		print_form(lower, target, row->form);
}

void lower_macro(struct lower *lower, const struct node *node)
{
	const struct node_macro *macro = &node->macro;
	const struct target *target = &macro->target;

	if (macro->has_cast && target->kind != TARGET_STANZA)
		print_cast(lower, macro);
	else if (target->kind == TARGET_FIELD)
		print_field(lower, target->field);
	else if (target->kind == TARGET_BUILTIN)
		print_builtin(lower, target, node->next);
	else if (target->kind == TARGET_NUMBER)
		print_form(lower, target, MACRO_DEC);
	else if (target->kind == TARGET_STANZA)
		lower_call(lower, target->stanza, macro->name);
	else
		print_form(lower, target, MACRO_HEX);
}

/* --- assignments and timers ----------------------------------------------------------------------------- */

void lower_assign(struct lower *lower, const struct node *node)
{
	const struct target *target = &node->assign.macro.target;

	if (!node->assign.value)
		return;
	lower_expression(lower, node->assign.value);
	if (target->kind == TARGET_SLOT) {
		lower_emit(lower, &op_store_slot, 0)->a = target->slot;
	} else {
		bool is_pointer = target->kind == TARGET_BUILTIN && target->builtin->id == MACRO_DATAPOINTER;

		lower_end_run(lower);
		lower_emit(lower, is_pointer ? &op_store_pointer : &op_store_base, 0);
		if (is_pointer)
			lower->now.phase = 0;
	}
}

void lower_timer(struct lower *lower, const struct node *node)
{
	lower_expression(lower, node->timer.first);
	lower_expression(lower, node->timer.second);
	if (node->timer.is_start) {
		lower_emit(lower, &op_start_timer, 0);
		return;
	}
	lower_emit_glued(lower, &op_end_timer, FORM_ROOM)->b = lower->unit->binding.layout != NULL;
	lower->now.glue = GLUE_KEEP;
}
