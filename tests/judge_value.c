/* SPDX-License-Identifier: MIT */
/* Names, numbers and the data pointer. */
#include <stdlib.h>
#include <string.h>

#include "tests/judge_parts.h"

/* Positions are wider than pointers, so that a template's nonsense cannot wrap around into the entry. */
__extension__ typedef __int128 judge_wide;

/* --- the data pointer --------------------------------------------------------------------------------------- */

/* Where a read takes place: bits from the first of the entry. */
static judge_wide position(const struct judge *judge)
{
	return (judge_wide)judge->base * 8 + judge->pointer;
}

static bool has_bits(const struct judge *judge, judge_wide n_bits)
{
	return position(judge) >= 0 && position(judge) + n_bits <= (judge_wide)judge->entry->n_bytes * 8;
}

static int64_t bytes_of_bits(int64_t bits)
{
	return bits >> 3; /* towards minus infinity */
}

void judge_align(struct judge *judge)
{
	if (judge->pointer % 8 != 0)
		judge->pointer = (bytes_of_bits(judge->pointer) + 1) * 8;
}

size_t judge_left(const struct judge *judge, size_t n)
{
	judge_wide left = (judge_wide)judge->entry->n_bytes - position(judge) / 8;

	if (position(judge) < 0 || left < 0)
		return 0;
	return left < (judge_wide)n ? (size_t)left : n;
}

const uint8_t *judge_take(struct judge *judge, size_t n)
{
	const uint8_t *bytes = judge->entry->bytes + (n ? position(judge) / 8 : 0);

	judge->pointer += (int64_t)n * 8;
	return bytes;
}

/* Bits are numbered from the most significant one (D9). */
static uint64_t take_bits(struct judge *judge, unsigned n_bits)
{
	uint64_t value = 0;

	if (!has_bits(judge, n_bits))
		judge_truncate(judge);
	for (judge_wide at = position(judge), end = at + n_bits; at < end; at++)
		value = value << 1 | (judge->entry->bytes[at / 8] >> (7 - at % 8) & 1);
	judge->pointer += n_bits;
	return value;
}

static uint64_t take_bytes(struct judge *judge, unsigned n_bytes)
{
	uint64_t value = 0;

	judge_align(judge);
	if (judge_left(judge, n_bytes) < n_bytes)
		judge_truncate(judge);
	const uint8_t *bytes = judge_take(judge, n_bytes);

	for (unsigned i = 0; i < n_bytes; i++)
		value = value << 8 | bytes[i];
	return value;
}

static int64_t extend_sign(uint64_t value, unsigned n_bits)
{
	if (n_bits < 64 && value >> (n_bits - 1) & 1)
		value |= UINT64_MAX << n_bits;
	return (int64_t)value;
}

static unsigned code_bits(const struct judge *judge, const struct code *code)
{
	unsigned n_bits = 8 * code_bytes(code, judge->binding->word_bytes);

	return code->letter == CODE_BITS && code->has_part ? n_bits + code->part : n_bits;
}

uint64_t judge_read(struct judge *judge, const struct code *code)
{
	unsigned n_bytes = code_bytes(code, judge->binding->word_bytes);

	if (code->letter == CODE_HB)
		return judge->entry->n_variable;
	if (code->letter == CODE_HT)
		return judge->entry->hook_type;
	if (code->letter == CODE_BITS)
		return take_bits(judge, code_bits(judge, code));
	uint64_t value = take_bytes(judge, n_bytes);

	return code->letter == CODE_SIGNED ? (uint64_t)extend_sign(value, 8 * n_bytes) : value;
}

void judge_move(struct judge *judge, const struct code *code)
{
	int64_t n_bytes = code_bytes(code, judge->binding->word_bytes);

	if (code->letter == CODE_GO)
		judge->pointer = 8 * n_bytes + code->part;
	if (code->letter == CODE_FORWARD)
		judge->pointer += 8 * n_bytes + code->part;
	if (code->letter == CODE_BACK)
		judge->pointer = (bytes_of_bits(judge->pointer) - n_bytes) * 8;
	if (code->letter == CODE_BACK && judge->pointer < 0)
		judge->pointer = 0;
	if (code->letter == CODE_WORD)
		judge->pointer = 8 * n_bytes * judge->binding->word_bytes;
}

/* --- names -------------------------------------------------------------------------------------------------- */

/* A field whose name could be a hook id is called by it and an underscore. */
static bool is_field_name(const struct text *name, const char *field)
{
	struct text without = *name;

	if (!parse_is_hook(field, strlen(field)))
		return text_is_word(*name, field);
	if (!name->n_bytes || name->bytes[name->n_bytes - 1] != '_')
		return false;
	without.n_bytes--;
	return text_is_word(without, field);
}

static const struct stanza *callee_of(const struct judge *judge, const struct text *name)
{
	char *key = malloc(name->n_bytes + 1);

	if (!key)
		abort();
	size_t n_key = parse_key(key, name->bytes, name->n_bytes);
	const struct stanza *callee = template_set_find(judge->set, key, n_key);

	free(key);
	return callee;
}

static bool find_slot(const struct judge *judge, const struct text *name, unsigned *ret_slot)
{
	for (unsigned i = 0; i < judge->stanza->n_macros; i++) {
		const struct text *slot = &judge->stanza->macros[i];

		*ret_slot = i;
		if (slot->n_bytes == name->n_bytes && memcmp(slot->bytes, name->bytes, name->n_bytes) == 0)
			return true;
	}
	return false;
}

struct meaning judge_meaning(const struct judge *judge, const struct text *name)
{
	const struct rst_type *type = judge->binding->type;
	struct meaning meaning = { 0 };

	for (unsigned i = 0; type && i < type->n_fields; i++)
		if (is_field_name(name, type->fields[i].name))
			return (struct meaning){ .kind = MEANS_FIELD, .field = &type->fields[i] };
	for (size_t i = 0; type && i < type->n_traits; i++)
		if (is_field_name(name, type->traits[i].name))
			return (struct meaning){ .kind = MEANS_NUMBER,
				.number = (int64_t)type->traits[i].value };
	if (!type && parse_is_hook(name->bytes, name->n_bytes))
		return (struct meaning){ .kind = MEANS_CALL, .callee = callee_of(judge, name) };
	meaning.builtin = macro_find(name->bytes, name->n_bytes);
	if (meaning.builtin)
		meaning.kind = MEANS_BUILTIN;
	else if (find_slot(judge, name, &meaning.slot))
		meaning.kind = MEANS_SLOT;
	else if (type && (meaning.callee = callee_of(judge, name)))
		meaning.kind = MEANS_CALL;
	return meaning;
}

/* --- numbers ------------------------------------------------------------------------------------------------ */

bool judge_has_field(const struct judge *judge, const struct rst_field *field)
{
	bool is_number = field->type != RST_TEXT && field->type != RST_BYTES;

	return (size_t)field->offset + (is_number ? field->n_bytes : 0) <= judge->entry->n_bytes;
}

/* $D1 to $D5: the words behind the hook word. A generic entry has one, an event of another dialect none. */
static int64_t data_word(const struct judge *judge, unsigned n)
{
	unsigned n_bytes = judge->binding->word_bytes;
	const uint8_t *at = judge->entry->bytes + (size_t)n * n_bytes;
	uint64_t value = 0;

	if (judge->binding->type || (judge->entry->is_generic && n > 1) ||
		(size_t)(n + 1) * n_bytes > judge->entry->n_bytes)
		return 0;
	for (unsigned i = 0; i < n_bytes; i++)
		value = value << 8 | at[i];
	return (int64_t)value;
}

static int64_t builtin_number(const struct judge *judge, const struct macro_row *row)
{
	const struct entry *entry = judge->entry;
	const unsigned id = row->id;

	if (id >= MACRO_D1 && id <= MACRO_D5)
		return data_word(judge, id - MACRO_D1 + 1);
	if (id >= MACRO_L1 && id <= MACRO_L5)
		return data_word(judge, id - MACRO_L1 + 1);
	if (id == MACRO_DATAPOINTER)
		return bytes_of_bits(judge->pointer);
	if (id == MACRO_BASEPOINTER)
		return judge->base;
	if (id == MACRO_WORDSIZE)
		return judge->binding->word_bytes;
	if (id == MACRO_GENERIC)
		return entry->is_generic;
	if (id == MACRO_HD)
		return entry->hook_data;
	if (id == MACRO_HL)
		return entry->hook_bytes;
	if (id == MACRO_HT)
		return entry->hook_type;
	if (id == MACRO_HOOKENV || id == MACRO_TRACEENV)
		return 8 * judge->binding->word_bytes;
	if (id == MACRO_NOTHING || row->form == MACRO_TEXT || row->form == MACRO_ACTION)
		return 0;
	return entry->host->number(entry, row->id);
}

int64_t judge_uncast(struct judge *judge, const struct meaning *meaning)
{
	if (meaning->kind == MEANS_FIELD)
		return (int64_t)rst_field_number(meaning->field, judge->entry->bytes, judge->entry->n_bytes);
	if (meaning->kind == MEANS_BUILTIN)
		return builtin_number(judge, meaning->builtin);
	if (meaning->kind == MEANS_NUMBER)
		return meaning->number;
	if (meaning->kind == MEANS_SLOT)
		return judge->slots[meaning->slot];
	return 0;
}

int64_t judge_cast(const struct judge *judge, const struct code *cast, int64_t value)
{
	unsigned n_bits = code_bits(judge, cast);
	uint64_t low = n_bits < 64 ? (uint64_t)value & ~(UINT64_MAX << n_bits) : (uint64_t)value;

	return cast->letter == CODE_SIGNED ? extend_sign(low, n_bits) : (int64_t)low;
}

static int64_t macro_number(struct judge *judge, const struct node_macro *macro)
{
	const struct meaning meaning = judge_meaning(judge, &macro->name);
	int64_t value = judge_uncast(judge, &meaning);

	return macro->has_cast ? judge_cast(judge, &macro->cast, value) : value;
}

static int64_t divide(struct judge *judge, int64_t left, int64_t right)
{
	if (right == 0)
		judge->n_div0++;
	if (right == 0 || right == -1)
		return right ? (int64_t)(0 - (uint64_t)left) : 0;
	return left / right;
}

static int64_t binary_number(struct judge *judge, const struct node *node)
{
	int64_t left = judge_number(judge, node->binary.left),
		right = judge_number(judge, node->binary.right);
	uint64_t a = (uint64_t)left, b = (uint64_t)right;

	switch (node->binary.sign) {
	case '+':
		return (int64_t)(a + b);
	case '-':
		return (int64_t)(a - b);
	case '*':
		return (int64_t)(a * b);
	case '/':
		return divide(judge, left, right);
	case '&':
		return (int64_t)(a & b);
	default:
		abort();
	}
}

int64_t judge_number(struct judge *judge, const struct node *node)
{
	if (node->kind == NODE_NUMBER)
		return node->number;
	if (node->kind == NODE_NEGATE)
		return (int64_t)(0 - (uint64_t)judge_number(judge, node->binary.left));
	if (node->kind == NODE_BINARY)
		return binary_number(judge, node);
	if (node->kind == NODE_CODE)
		return (int64_t)judge_read(judge, &node->code);
	if (node->kind == NODE_MACRO)
		return macro_number(judge, &node->macro);
	abort();
}
