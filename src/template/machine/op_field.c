/* SPDX-License-Identifier: MIT */
/*
 * Fields as they read. The instructions of the commonest hold what the compiler knows of them (place, byte
 * order, names of constants), and there is one for each size. All others go through value.c.
 */
#include "base/load.h"
#include "base/text.h"
#include "template/machine/ops.h"

static char *put_any(struct runner *run, char *p, const struct insn *insn)
{
	return value_put_text(&run->values, p, insn->field);
}

static char *put_any_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, put_any(run, p, insn), insn);
}

/* In backquotes, and at the beginning of a line. */
static char *put_bare(struct runner *run, char *p, const struct insn *insn)
{
	struct value_source values = run->values;

	values.set_off = NULL;
	return value_put_text(&values, p, insn->field);
}

/* Where only the runner knows whether a line begins. */
static char *put_object(struct runner *run, char *p, const struct insn *insn)
{
	return run_is_first(run, insn) ? put_bare(run, p, insn) : put_any(run, p, insn);
}

static uint64_t field_load(const struct runner *run, const struct insn *insn)
{
	return load_uint(run->values.payload + insn->a, insn->field->n_bytes, insn->b);
}

/* One of those below, while bytes are missing. */
static char *field_put_number(struct runner *run, char *p, const struct insn *insn)
{
	return text_put_dec_over(p, field_load(run, insn));
}

static char *put_named(struct runner *run, char *p, const struct insn *insn)
{
	return value_put_object(&run->values, p, insn->field, field_load(run, insn));
}

static inline char *put_address_on(struct runner *run, char *p, const struct insn *insn, unsigned n_bytes)
{
	p = value_put_address(&run->values, p, load_uint(run->values.payload + insn->a, n_bytes, insn->b));
	return run_on(run, p, insn);
}

static inline char *put_number_on(struct runner *run, char *p, const struct insn *insn, unsigned n_bytes)
{
	p = text_put_dec_over(p, load_uint(run->values.payload + insn->a, n_bytes, insn->b));
	return run_on(run, p, insn);
}

static inline char *put_named_on(struct runner *run, char *p, const struct insn *insn, unsigned n_bytes)
{
	p = value_put_object(
		&run->values, p, insn->field, load_uint(run->values.payload + insn->a, n_bytes, insn->b));
	return run_on(run, p, insn);
}

static char *put_number_1(struct runner *run, char *p, const struct insn *insn)
{
	return put_number_on(run, p, insn, 1);
}

static char *put_number_2(struct runner *run, char *p, const struct insn *insn)
{
	return put_number_on(run, p, insn, 2);
}

static char *put_number_4(struct runner *run, char *p, const struct insn *insn)
{
	return put_number_on(run, p, insn, 4);
}

static char *put_number_8(struct runner *run, char *p, const struct insn *insn)
{
	return put_number_on(run, p, insn, 8);
}

static char *put_address_4(struct runner *run, char *p, const struct insn *insn)
{
	return put_address_on(run, p, insn, 4);
}

static char *put_address_8(struct runner *run, char *p, const struct insn *insn)
{
	return put_address_on(run, p, insn, 8);
}

static char *put_object_1(struct runner *run, char *p, const struct insn *insn)
{
	return put_named_on(run, p, insn, 1);
}

static char *put_object_2(struct runner *run, char *p, const struct insn *insn)
{
	return put_named_on(run, p, insn, 2);
}

static char *put_object_4(struct runner *run, char *p, const struct insn *insn)
{
	return put_named_on(run, p, insn, 4);
}

static char *put_object_8(struct runner *run, char *p, const struct insn *insn)
{
	return put_named_on(run, p, insn, 8);
}

static char *put_enum_4(struct runner *run, char *p, const struct insn *insn)
{
	const struct name_table *table = insn->names;
	uint32_t value = load_u32(run->values.payload + insn->a, insn->b);

	if (__builtin_expect(value < table->n_rows && table->rows[value].bytes, 1))
		return text_put_short(p, table->rows[value].bytes, table->rows[value].n_bytes);
	return value_put_text(&run->values, p, table->field);
}

static char *put_enum_4_on(struct runner *run, char *p, const struct insn *insn)
{
	return run_on(run, put_enum_4(run, p, insn), insn);
}

/* In decimal, with its sign, and in hexadecimal: what users record. */
static char *put_word_4(struct runner *run, char *p, const struct insn *insn)
{
	p = value_put_word(p, load_u32(run->values.payload + insn->a, insn->b), sizeof(uint32_t));
	return run_on(run, p, insn);
}

static char *field_put_cut(struct runner *run, char *p, const struct insn *insn)
{
	(void)run;
	(void)insn;
	*p++ = '?';
	return p;
}

/* --- texts, which may be empty -------------------------------------------------------------------------- */

static char *field_put_text(struct runner *run, char *p, const struct insn *insn)
{
	const struct text span = value_span(&run->values, insn->field);

	if (!span.n_bytes) {
		run_take_glue(run, insn);
		return p;
	}
	p = run_open_part(run, p, insn, true);
	run_close_part(run, insn->b);
	if (insn->b || run->has_mark || insn->field->type != RST_TEXT || insn->field->is_words ||
		insn->field->is_json)
		return value_put_span(&run->values, p, insn->field, span);
	*p++ = '"';
	p = value_put_span(&run->values, p, insn->field, span);
	*p++ = '"';
	return p;
}

static char *cut_text(struct runner *run, char *p, const struct insn *insn)
{
	p = run_open_part(run, p, insn, true);
	run_close_part(run, insn->b);
	return field_put_cut(run, p, insn);
}

const struct op op_field = { "field", put_any, "field", READS_PAYLOAD, field_put_cut, put_any_on };
const struct op op_field_bare = { "field_bare", put_bare, "field", READS_PAYLOAD, field_put_cut, NULL };
const struct op op_field_object = { "field_object", put_object, "field", READS_PAYLOAD, field_put_cut, NULL };
const struct op op_field_address_4 = { "address_4", put_any, "field", READS_PAYLOAD, field_put_cut,
	put_address_4 };
const struct op op_field_address_8 = { "address_8", put_any, "field", READS_PAYLOAD, field_put_cut,
	put_address_8 };
const struct op op_field_number_1 = { "number_1", field_put_number, "field", READS_PAYLOAD, field_put_cut,
	put_number_1 };
const struct op op_field_number_2 = { "number_2", field_put_number, "field", READS_PAYLOAD, field_put_cut,
	put_number_2 };
const struct op op_field_number_4 = { "number_4", field_put_number, "field", READS_PAYLOAD, field_put_cut,
	put_number_4 };
const struct op op_field_number_8 = { "number_8", field_put_number, "field", READS_PAYLOAD, field_put_cut,
	put_number_8 };
const struct op op_field_object_1 = { "object_1", put_named, "field", READS_PAYLOAD, field_put_cut,
	put_object_1 };
const struct op op_field_object_2 = { "object_2", put_named, "field", READS_PAYLOAD, field_put_cut,
	put_object_2 };
const struct op op_field_object_4 = { "object_4", put_named, "field", READS_PAYLOAD, field_put_cut,
	put_object_4 };
const struct op op_field_object_8 = { "object_8", put_named, "field", READS_PAYLOAD, field_put_cut,
	put_object_8 };
const struct op op_field_word_4 = { "word_4", put_any, "field", READS_PAYLOAD, field_put_cut, put_word_4 };
const struct op op_field_enum_4 = { "enum_4", put_enum_4, "names need", READS_PAYLOAD, field_put_cut,
	put_enum_4_on };
const struct op op_field_text = { "field_text", field_put_text, "field glue", READS_PAYLOAD, cut_text, NULL };
