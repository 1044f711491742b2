/* SPDX-License-Identifier: MIT */
/* Match values of a SWITCH (D12), and what of a stanza is an error for a binding. */
#include <stdlib.h>
#include <string.h>

#include "tests/template/ref_interp_parts.h"

enum { ERRORS_MAX = 4096, BASE_OF_TEXT = 0 };

/* --- what a selector is --------------------------------------------------------------------------------- */

static unsigned base_of_letter(enum code_letter letter)
{
	if (letter == CODE_HEX || letter == CODE_HEX_TIGHT || letter == CODE_HT)
		return 16;
	if (letter == CODE_BITS)
		return 2;
	if (letter == CODE_OCTAL)
		return 8;
	if (letter == CODE_SIGNED || letter == CODE_UNSIGNED || letter == CODE_ERRNO ||
		letter == CODE_PROCESS || letter == CODE_HB)
		return 10;
	return BASE_OF_TEXT;
}

static unsigned base_of_field_type(enum rst_field_type type)
{
	if (type == RST_HEX || type == RST_ADDRESS || type == RST_OBJECT || type == RST_REAL)
		return 16;
	return type >= RST_TEXT ? BASE_OF_TEXT : 10;
}

static const struct rst_field *field_of(const struct ref_interp *interp, const struct node *selector)
{
	if (selector->kind != NODE_MACRO)
		return NULL;
	return interp_find_meaning(interp, &selector->macro.name).field;
}

unsigned interp_number_base(const struct ref_interp *interp, const struct node *selector)
{
	if (selector->kind == NODE_CODE)
		return base_of_letter(selector->code.letter);
	if (selector->macro.has_cast)
		return base_of_letter(selector->macro.cast.letter);
	const struct meaning meaning = interp_find_meaning(interp, &selector->macro.name);

	if (meaning.kind == MEANS_FIELD)
		return base_of_field_type(meaning.field->type);
	if (meaning.kind == MEANS_NUMBER)
		return 10;
	if (meaning.kind == MEANS_BUILTIN && meaning.builtin->form == MACRO_TEXT)
		return BASE_OF_TEXT;
	return meaning.kind == MEANS_BUILTIN && meaning.builtin->form == MACRO_DEC ? 10 : 16;
}

/* Calls have no value, nor do $BREAK and the like. */
static bool has_value(const struct ref_interp *interp, const struct node_macro *macro)
{
	const struct meaning meaning = interp_find_meaning(interp, &macro->name);

	if (meaning.kind == MEANS_CALL)
		return false;
	return meaning.kind != MEANS_BUILTIN || meaning.builtin->form != MACRO_ACTION;
}

static bool is_text_macro(const struct ref_interp *interp, const struct node_macro *macro)
{
	const struct meaning meaning = interp_find_meaning(interp, &macro->name);

	if (meaning.kind == MEANS_FIELD)
		return base_of_field_type(meaning.field->type) == BASE_OF_TEXT;
	return meaning.kind == MEANS_BUILTIN && meaning.builtin->form == MACRO_TEXT;
}

bool interp_is_number(const struct ref_interp *interp, const struct node *node)
{
	if (node->kind == NODE_CODE)
		return base_of_letter(node->code.letter) || node->code.letter == CODE_TIME;
	return has_value(interp, &node->macro) && !is_text_macro(interp, &node->macro);
}

/* --- match values --------------------------------------------------------------------------------------- */

/* All of text as digits; numbers wrap at 64 bits like all others. */
static bool read_all_digits(const struct text *text, size_t from, unsigned base, uint64_t *ret_value)
{
	uint64_t value = 0;

	for (size_t i = from; i < text->n_bytes; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = text->bytes[i] ? strchr(digits, text->bytes[i] | 0x20) : NULL;

		if (!digit || (unsigned)(digit - digits) >= base)
			return false;
		value = value * base + (unsigned)(digit - digits);
	}
	*ret_value = value;
	return from < text->n_bytes;
}

static bool read_match(const struct text *text, unsigned base, int64_t *ret_value)
{
	bool is_negative = text->n_bytes && text->bytes[0] == '-';
	size_t from = is_negative;
	uint64_t value;
	bool is_hex = text->n_bytes >= from + 2 && text->bytes[from] == '0' &&
		      (text->bytes[from + 1] == 'x' || text->bytes[from + 1] == 'X');

	if (is_hex ? !read_all_digits(text, from + 2, 16, &value)
		   : !read_all_digits(text, from, base, &value) && !read_all_digits(text, from, 10, &value))
		return false;
	*ret_value = (int64_t)(is_negative ? 0 - value : value);
	return true;
}

/* E goes by the names of errors, too. */
static bool find_error(const struct node *selector, const struct text *match, int64_t *ret_value)
{
	bool has_names = selector->kind == NODE_CODE && selector->code.letter == CODE_ERRNO;

	for (int i = 1; has_names && i < ERRORS_MAX; i++) {
		const char *name = strerrorname_np(i);

		if (name && text_is_word(*match, name)) {
			*ret_value = i;
			return true;
		}
	}
	return false;
}

/* Enumerations go by the names of their constants, of which several may have one value or one name. */
static bool find_constant(
	const struct rst_field *field, const struct text *match, int64_t value, bool *ret_is_hit)
{
	bool is_known = false;

	*ret_is_hit = false;
	if (!field || field->type != RST_ENUM || !field->constants)
		return false;
	for (size_t i = 0; i < field->constants->n_rows; i++)
		if (text_is_word(*match, field->constants->rows[i].name)) {
			is_known = true;
			*ret_is_hit |= (int64_t)field->constants->rows[i].value == value;
		}
	return is_known;
}

/* false: the match is no value of the selector (T07). */
static bool compare_number(const struct ref_interp *interp, const struct node *selector,
	const struct switch_case *one, int64_t value, bool *ret_is_hit)
{
	int64_t match;

	if (find_constant(field_of(interp, selector), &one->match, value, ret_is_hit))
		return true;
	if (!find_error(selector, &one->match, &match) &&
		!read_match(&one->match, interp_number_base(interp, selector), &match))
		return false;
	*ret_is_hit = match == value;
	return true;
}

/* Blanks at the ends do not count; in quotes \" and \\ stand for the character behind the backslash (D21). */
static bool compare_text(const struct switch_case *one, const struct interp_string *value)
{
	struct interp_string match = { 0 };
	const char *at = one->match.bytes, *end = at + one->match.n_bytes;
	size_t n_value = value->n_bytes;

	for (; at < end; at++) {
		if (one->is_quoted && *at == '\\' && end - at > 1 && (at[1] == '"' || at[1] == '\\'))
			at++;
		string_add(&match, at, 1);
	}
	while (match.n_bytes && match.bytes[match.n_bytes - 1] == ' ')
		match.n_bytes--;
	while (n_value && value->bytes[n_value - 1] == ' ')
		n_value--;
	bool is_same =
		match.n_bytes == n_value && (!n_value || memcmp(match.bytes, value->bytes, n_value) == 0);

	free(match.bytes);
	return is_same;
}

static void show_selector(struct ref_interp *interp, const struct node *selector)
{
	if (selector->kind == NODE_CODE)
		interp_show_code(interp, &selector->code);
	interp->is_bare = true;
	if (selector->kind != NODE_CODE)
		interp_show_macro(interp, &selector->macro);
	if (interp->is_value_short)
		interp_truncate(interp);
}

const struct node *interp_select(struct ref_interp *interp, const struct node_switch *select)
{
	bool is_text = interp_number_base(interp, select->selector) == BASE_OF_TEXT, is_hit;
	int64_t value = 0;

	if (is_text)
		show_selector(interp, select->selector);
	else
		value = interp_evaluate(interp, select->selector);
	for (const struct switch_case *one = select->cases; one; one = one->next) {
		if (one->is_wild)
			return one->body;
		if (is_text)
			is_hit = compare_text(one, &interp->value);
		else if (!compare_number(interp, select->selector, one, value, &is_hit))
			abort();
		if (is_hit)
			return one->body;
	}
	return NULL;
}

/* --- errors --------------------------------------------------------------------------------------------- */

static bool accepts_list(const struct ref_interp *interp, const struct node *node);

/* Texts, calls and actions have no casts. */
static bool accepts_macro(const struct ref_interp *interp, const struct node_macro *macro)
{
	return !macro->has_cast || (has_value(interp, macro) && !is_text_macro(interp, macro));
}

static bool accepts_number(const struct ref_interp *interp, const struct node *node)
{
	if (!node || node->kind == NODE_NUMBER)
		return true;
	if (node->kind == NODE_NEGATE)
		return accepts_number(interp, node->binary.left);
	if (node->kind == NODE_BINARY)
		return accepts_number(interp, node->binary.left) &&
		       accepts_number(interp, node->binary.right);
	return interp_is_number(interp, node);
}

static bool accepts_switch(const struct ref_interp *interp, const struct node_switch *select)
{
	const struct node *selector = select->selector;
	bool is_macro = selector->kind == NODE_MACRO, is_hit;

	if (is_macro && (!has_value(interp, &selector->macro) || !accepts_macro(interp, &selector->macro)))
		return false;
	for (const struct switch_case *one = select->cases; one; one = one->next) {
		if (!one->is_wild && interp_number_base(interp, selector) != BASE_OF_TEXT &&
			!compare_number(interp, selector, one, 0, &is_hit))
			return false;
		if (!accepts_list(interp, one->body))
			return false;
	}
	return true;
}

static bool accepts_item(const struct ref_interp *interp, const struct node *node)
{
	if (node->kind == NODE_MACRO)
		return accepts_macro(interp, &node->macro);
	if (node->kind == NODE_QUOTED)
		return accepts_list(interp, node->parts);
	if (node->kind == NODE_SWITCH)
		return accepts_switch(interp, &node->select);
	if (node->kind == NODE_LOOP)
		return interp_is_number(interp, node->loop.count) && accepts_list(interp, node->loop.body);
	if (node->kind == NODE_BITFLAGS)
		return interp_is_number(interp, node->bits.selector);
	if (node->kind == NODE_TIMER)
		return accepts_number(interp, node->timer.first) &&
		       accepts_number(interp, node->timer.second);
	if (node->kind != NODE_ASSIGN)
		return true;
	return interp_find_meaning(interp, &node->assign.macro.name).kind != MEANS_FIELD &&
	       accepts_number(interp, node->assign.value);
}

static bool accepts_list(const struct ref_interp *interp, const struct node *node)
{
	for (; node; node = node->next)
		if (!accepts_item(interp, node))
			return false;
	return true;
}

bool interp_accepts(struct ref_interp *interp, const struct stanza *stanza)
{
	interp->stanza = stanza;
	return !stanza->is_bad && accepts_list(interp, stanza->body);
}
