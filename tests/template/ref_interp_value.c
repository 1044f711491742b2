/* SPDX-License-Identifier: MIT */
/* Names, numbers and the data pointer. */
#include <stdlib.h>
#include <string.h>

#include "tests/template/ref_interp_parts.h"

/* Positions are wider than pointers, so that a template's nonsense cannot wrap around into the entry. */
__extension__ typedef __int128 interp_wide;

/* --- the data pointer ----------------------------------------------------------------------------------- */

/* Where a read takes place: bits from the first of the entry. */
static interp_wide position(const struct ref_interp *interp)
{
	return (interp_wide)interp->base * 8 + interp->pointer;
}

static bool has_bits(const struct ref_interp *interp, interp_wide n_bits)
{
	return position(interp) >= 0 && position(interp) + n_bits <= (interp_wide)interp->entry->n_bytes * 8;
}

static int64_t bytes_of_bits(int64_t bits)
{
	return bits >> 3; /* towards minus infinity */
}

void interp_align(struct ref_interp *interp)
{
	if (interp->pointer % 8 != 0)
		interp->pointer = (bytes_of_bits(interp->pointer) + 1) * 8;
}

size_t interp_n_left(const struct ref_interp *interp, size_t n)
{
	interp_wide left = (interp_wide)interp->entry->n_bytes - position(interp) / 8;

	if (position(interp) < 0 || left < 0)
		return 0;
	return left < (interp_wide)n ? (size_t)left : n;
}

const uint8_t *interp_take(struct ref_interp *interp, size_t n)
{
	const uint8_t *bytes = interp->entry->bytes + (n ? position(interp) / 8 : 0);

	interp->pointer += (int64_t)n * 8;
	return bytes;
}

/* Bits are numbered from the most significant one (D9). */
static uint64_t take_bits(struct ref_interp *interp, unsigned n_bits)
{
	uint64_t value = 0;

	if (!has_bits(interp, n_bits))
		interp_truncate(interp);
	for (interp_wide at = position(interp), end = at + n_bits; at < end; at++)
		value = value << 1 | (interp->entry->bytes[at / 8] >> (7 - at % 8) & 1);
	interp->pointer += n_bits;
	return value;
}

static uint64_t take_bytes(struct ref_interp *interp, unsigned n_bytes)
{
	uint64_t value = 0;

	interp_align(interp);
	if (interp_n_left(interp, n_bytes) < n_bytes)
		interp_truncate(interp);
	const uint8_t *bytes = interp_take(interp, n_bytes);

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

static unsigned code_bits(const struct ref_interp *interp, const struct code *code)
{
	unsigned n_bits = 8 * code_bytes(code, interp->binding->word_bytes);

	return code->letter == CODE_BITS && code->has_part ? n_bits + code->part : n_bits;
}

uint64_t interp_read_code(struct ref_interp *interp, const struct code *code)
{
	unsigned n_bytes = code_bytes(code, interp->binding->word_bytes);

	if (code->letter == CODE_HB)
		return interp->entry->n_variable;
	if (code->letter == CODE_HT)
		return interp->entry->hook_type;
	if (code->letter == CODE_BITS)
		return take_bits(interp, code_bits(interp, code));
	uint64_t value = take_bytes(interp, n_bytes);

	return code->letter == CODE_SIGNED ? (uint64_t)extend_sign(value, 8 * n_bytes) : value;
}

void interp_move_pointer(struct ref_interp *interp, const struct code *code)
{
	int64_t n_bytes = code_bytes(code, interp->binding->word_bytes);

	if (code->letter == CODE_GO)
		interp->pointer = 8 * n_bytes + code->part;
	if (code->letter == CODE_FORWARD)
		interp->pointer += 8 * n_bytes + code->part;
	if (code->letter == CODE_BACK)
		interp->pointer = (bytes_of_bits(interp->pointer) - n_bytes) * 8;
	if (code->letter == CODE_BACK && interp->pointer < 0)
		interp->pointer = 0;
	if (code->letter == CODE_WORD)
		interp->pointer = 8 * n_bytes * interp->binding->word_bytes;
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* A field whose name could be a hook id is called by it and an underscore. */
static bool is_field_name(const struct text *name, const char *field)
{
	struct text without = *name;

	if (!key_is_hook(field, strlen(field)))
		return text_is_word(*name, field);
	if (!name->n_bytes || name->bytes[name->n_bytes - 1] != '_')
		return false;
	without.n_bytes--;
	return text_is_word(without, field);
}

static const struct stanza *callee_of(const struct ref_interp *interp, const struct text *name)
{
	char *key = malloc(name->n_bytes + 1);

	if (!key)
		abort();
	size_t n_key = key_normalise(key, name->bytes, name->n_bytes);
	const struct stanza *callee = template_set_find(interp->set, key, n_key);

	free(key);
	return callee;
}

static bool find_slot(const struct ref_interp *interp, const struct text *name, unsigned *ret_slot)
{
	for (unsigned i = 0; i < interp->stanza->n_macros; i++) {
		const struct text *slot = &interp->stanza->macros[i];

		*ret_slot = i;
		if (slot->n_bytes == name->n_bytes && memcmp(slot->bytes, name->bytes, name->n_bytes) == 0)
			return true;
	}
	return false;
}

struct meaning interp_find_meaning(const struct ref_interp *interp, const struct text *name)
{
	const struct rst_layout *layout = interp->binding->layout;
	struct meaning meaning = { 0 };

	for (unsigned i = 0; layout && i < layout->n_fields; i++)
		if (is_field_name(name, layout->fields[i].name))
			return (struct meaning){ .kind = MEANS_FIELD, .field = &layout->fields[i] };
	for (size_t i = 0; layout && i < layout->n_traits; i++)
		if (is_field_name(name, layout->traits[i].name))
			return (struct meaning){ .kind = MEANS_NUMBER,
				.number = (int64_t)layout->traits[i].value };
	if (!layout && key_is_hook(name->bytes, name->n_bytes))
		return (struct meaning){ .kind = MEANS_CALL, .callee = callee_of(interp, name) };
	meaning.builtin = macro_find(name->bytes, name->n_bytes);
	if (meaning.builtin)
		meaning.kind = MEANS_BUILTIN;
	else if (find_slot(interp, name, &meaning.slot))
		meaning.kind = MEANS_SLOT;
	else if (layout && (meaning.callee = callee_of(interp, name)))
		meaning.kind = MEANS_CALL;
	return meaning;
}

/* --- numbers -------------------------------------------------------------------------------------------- */

bool interp_has_field(const struct ref_interp *interp, const struct rst_field *field)
{
	const bool may_be_cut = !rst_field_is_number(field) && field->extent == RST_EXTENT_FIXED;

	return (size_t)field->offset + (may_be_cut ? 0 : field->n_bytes) <= interp->entry->n_bytes;
}

/* $D1 to $D5: the words behind the hook word. A generic entry has one, an event of another dialect none. */
static int64_t data_word(const struct ref_interp *interp, unsigned n)
{
	unsigned n_bytes = interp->binding->word_bytes;
	const uint8_t *at = interp->entry->bytes + (size_t)n * n_bytes;
	uint64_t value = 0;

	if (interp->binding->layout || (interp->entry->is_generic && n > 1) ||
		(size_t)(n + 1) * n_bytes > interp->entry->n_bytes)
		return 0;
	for (unsigned i = 0; i < n_bytes; i++)
		value = value << 8 | at[i];
	return (int64_t)value;
}

static int64_t builtin_number(const struct ref_interp *interp, const struct macro_row *row)
{
	const struct entry *entry = interp->entry;
	const unsigned id = row->id;

	if (id >= MACRO_D1 && id <= MACRO_D5)
		return data_word(interp, id - MACRO_D1 + 1);
	if (id >= MACRO_L1 && id <= MACRO_L5)
		return data_word(interp, id - MACRO_L1 + 1);
	if (id == MACRO_DATAPOINTER)
		return bytes_of_bits(interp->pointer);
	if (id == MACRO_BASEPOINTER)
		return interp->base;
	if (id == MACRO_WORDSIZE)
		return interp->binding->word_bytes;
	if (id == MACRO_GENERIC)
		return entry->is_generic;
	if (id == MACRO_HD)
		return entry->hook_data;
	if (id == MACRO_HL)
		return entry->hook_bytes;
	if (id == MACRO_HT)
		return entry->hook_type;
	if (id == MACRO_HOOKENV || id == MACRO_TRACEENV)
		return 8 * interp->binding->word_bytes;
	if (id == MACRO_NOTHING || row->form == MACRO_TEXT || row->form == MACRO_ACTION)
		return 0;
	return entry->host->number(entry, row->id);
}

int64_t interp_read_macro(struct ref_interp *interp, const struct meaning *meaning)
{
	if (meaning->kind == MEANS_FIELD)
		return (int64_t)rst_field_number(
			meaning->field, interp->entry->bytes, interp->entry->n_bytes);
	if (meaning->kind == MEANS_BUILTIN)
		return builtin_number(interp, meaning->builtin);
	if (meaning->kind == MEANS_NUMBER)
		return meaning->number;
	if (meaning->kind == MEANS_SLOT)
		return interp->slots[meaning->slot];
	return 0;
}

int64_t interp_cast(const struct ref_interp *interp, const struct code *cast, int64_t value)
{
	unsigned n_bits = code_bits(interp, cast);
	uint64_t low = n_bits < 64 ? (uint64_t)value & ~(UINT64_MAX << n_bits) : (uint64_t)value;

	return cast->letter == CODE_SIGNED ? extend_sign(low, n_bits) : (int64_t)low;
}

static int64_t macro_number(struct ref_interp *interp, const struct node_macro *macro)
{
	const struct meaning meaning = interp_find_meaning(interp, &macro->name);
	int64_t value = interp_read_macro(interp, &meaning);

	return macro->has_cast ? interp_cast(interp, &macro->cast, value) : value;
}

static int64_t divide(struct ref_interp *interp, int64_t left, int64_t right)
{
	if (right == 0)
		interp->n_div0++;
	if (right == 0 || right == -1)
		return right ? (int64_t)(0 - (uint64_t)left) : 0;
	return left / right;
}

static int64_t binary_number(struct ref_interp *interp, const struct node *node)
{
	int64_t left = interp_evaluate(interp, node->binary.left),
		right = interp_evaluate(interp, node->binary.right);
	uint64_t a = (uint64_t)left, b = (uint64_t)right;

	switch (node->binary.sign) {
	case '+':
		return (int64_t)(a + b);
	case '-':
		return (int64_t)(a - b);
	case '*':
		return (int64_t)(a * b);
	case '/':
		return divide(interp, left, right);
	case '&':
		return (int64_t)(a & b);
	default:
		abort();
	}
}

int64_t interp_evaluate(struct ref_interp *interp, const struct node *node)
{
	if (node->kind == NODE_NUMBER)
		return node->number;
	if (node->kind == NODE_NEGATE)
		return (int64_t)(0 - (uint64_t)interp_evaluate(interp, node->binary.left));
	if (node->kind == NODE_BINARY)
		return binary_number(interp, node);
	if (node->kind == NODE_CODE)
		return (int64_t)interp_read_code(interp, &node->code);
	if (node->kind == NODE_MACRO)
		return macro_number(interp, &node->macro);
	abort();
}
