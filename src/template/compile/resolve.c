/* SPDX-License-Identifier: MIT */
/*
 * Names to what they mean, match values to numbers. The same tree is resolved anew for each kind of entry: a
 * name may be a field of one event type and a macro in another.
 */
#include <string.h>

#include "base/text.h"
#include "template/compile/bind.h"
#include "template/language/errors.h"

struct resolver {
	struct template_set *set;
	struct stanza *stanza;
	const struct binding *binding;
	struct diags *diags;
};

static bool resolve_list(const struct resolver *resolver, struct node *node);

static bool resolver_fail(const struct resolver *resolver, const char *number, const char *at,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

static bool resolver_fail(
	const struct resolver *resolver, const char *number, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add_list(resolver->diags, number, stanza_location(resolver->stanza, at), format, args);
	va_end(args);
	return false;
}

/* --- names ---------------------------------------------------------------------------------------------- */

/* A field whose name looks like a hook id is written with an underscore behind it. */
static bool names_field(const char *field, struct text name)
{
	size_t n_field = strlen(field);

	if (!key_is_hook(field, n_field))
		return text_is_word(name, field);
	return name.n_bytes == n_field + 1 && name.bytes[n_field] == '_' &&
	       memcmp(name.bytes, field, n_field) == 0;
}

static const struct rst_field *find_field(const struct rst_layout *layout, struct text name)
{
	for (unsigned i = 0; layout && i < layout->n_fields; i++)
		if (names_field(layout->fields[i].name, name))
			return &layout->fields[i];
	return NULL;
}

static const struct rst_constant *trait_find(const struct rst_layout *layout, struct text name)
{
	for (size_t i = 0; layout && i < layout->n_traits; i++)
		if (text_is_word(name, layout->traits[i].name))
			return &layout->traits[i];
	return NULL;
}

/* Field, trait of the type, built-in, macro of this template, template: the first that has the name. */
static struct target find_target(const struct resolver *resolver, struct text name)
{
	const struct rst_field *field = find_field(resolver->binding->layout, name);
	const struct rst_constant *trait = trait_find(resolver->binding->layout, name);
	const struct macro_row *row = macro_find(name.bytes, name.n_bytes);
	struct target target = { .kind = TARGET_ZERO };

	if (field)
		return (struct target){ .kind = TARGET_FIELD, .field = field };
	if (trait)
		return (struct target){ .kind = TARGET_NUMBER, .number = (int64_t)trait->value };
	if (row)
		return (struct target){ .kind = TARGET_BUILTIN, .builtin = row };
	if (stanza_slot(resolver->stanza, name, &target.slot)) {
		target.kind = TARGET_SLOT;
		return target;
	}
	target.stanza = template_set_callee(resolver->set, name);
	if (target.stanza || (resolver->set->is_aix && key_is_hook(name.bytes, name.n_bytes)))
		target.kind = TARGET_STANZA;
	return target;
}

/* --- what is a number, and what a text ------------------------------------------------------------------ */

/* A text compares as text; what is neither has no value. */
enum worth { WORTH_NUMBER, WORTH_TEXT, WORTH_NOTHING };

static enum worth worth_of_macro(const struct node_macro *macro)
{
	const struct target *target = &macro->target;

	if (target->kind == TARGET_STANZA)
		return WORTH_NOTHING;
	if (target->kind == TARGET_BUILTIN && target->builtin->form == MACRO_ACTION)
		return WORTH_NOTHING;
	if (target->kind == TARGET_BUILTIN && target->builtin->form == MACRO_TEXT)
		return WORTH_TEXT;
	if (target->kind == TARGET_FIELD && !rst_field_is_number(target->field))
		return WORTH_TEXT;
	return WORTH_NUMBER;
}

static enum worth worth_of(const struct node *node)
{
	static const enum worth worths[] = { [CODE_NO_VALUE] = WORTH_NOTHING,
		[CODE_NUMBER] = WORTH_NUMBER,
		[CODE_STRING] = WORTH_TEXT,
		[CODE_MOVE] = WORTH_NOTHING };

	return node->kind == NODE_CODE ? worths[code_rows[node->code.letter].value]
				       : worth_of_macro(&node->macro);
}

/*
 * Mostly this is a misspelt field. It is reported once for a template: a helper is resolved for each event
 * that calls it.
 */
static void warn_unknown(const struct resolver *resolver, const struct node *node)
{
	struct stanza *stanza = resolver->stanza;

	if (node->macro.target.kind != TARGET_ZERO || !resolver->binding->layout ||
		resolver->binding->is_of_hook || stanza->has_unknown)
		return;
	stanza->has_unknown = true;
	resolver_fail(resolver, "W01", node->at, "there is no field, macro or template $%.*s: it is 0",
		text_shown(node->macro.name), node->macro.name.bytes);
}

static bool resolve_macro(const struct resolver *resolver, struct node *node)
{
	node->macro.target = find_target(resolver, node->macro.name);
	warn_unknown(resolver, node);
	if (node->macro.has_cast && worth_of_macro(&node->macro) != WORTH_NUMBER)
		return resolver_fail(resolver, "T12", node->at, "$%.*s is no number, so it cannot be cast",
			text_shown(node->macro.name), node->macro.name.bytes);
	return true;
}

/* A macro or code where a number must stand. */
static bool resolve_number(const struct resolver *resolver, struct node *node, const char *diag_number)
{
	if (node->kind == NODE_MACRO && !resolve_macro(resolver, node))
		return false;
	if (worth_of(node) == WORTH_NUMBER)
		return true;
	if (node->kind == NODE_MACRO)
		return resolver_fail(resolver, diag_number, node->at, "$%.*s is no number",
			text_shown(node->macro.name), node->macro.name.bytes);
	return resolver_fail(
		resolver, diag_number, node->at, "%c is no number", code_rows[node->code.letter].letter);
}

static bool resolve_expression(const struct resolver *resolver, struct node *node)
{
	if (node->kind == NODE_NUMBER)
		return true;
	if (node->kind == NODE_NEGATE)
		return resolve_expression(resolver, node->binary.left);
	if (node->kind == NODE_BINARY)
		return resolve_expression(resolver, node->binary.left) &&
		       resolve_expression(resolver, node->binary.right);
	return resolve_number(resolver, node, "T12");
}

/* --- match values (D12) --------------------------------------------------------------------------------- */

static unsigned base_of_field(const struct rst_field *field)
{
	switch (field->type) {
	case RST_HEX:
	case RST_ADDRESS:
	case RST_OBJECT:
	case RST_REAL: /* its bits */
		return 16;
	case RST_UNSIGNED:
	case RST_SIGNED:
	case RST_ENUM:
	case RST_IPV4:
	case RST_WORD:
		return 10;
	case RST_TEXT:
	case RST_BYTES:
	case RST_SEQUENCE:
		return 0;
	}
	return 10;
}

static unsigned base_of(const struct node *selector)
{
	const struct node_macro *macro = &selector->macro;

	if (selector->kind == NODE_CODE)
		return code_rows[selector->code.letter].base;
	if (macro->has_cast)
		return code_rows[macro->cast.letter].base;
	if (macro->target.kind == TARGET_FIELD)
		return base_of_field(macro->target.field);
	if (macro->target.kind == TARGET_NUMBER)
		return 10;
	return macro->target.kind == TARGET_BUILTIN ? macro_base(macro->target.builtin) : 16;
}

/* All of text as digits of a base; 64 bits wrap, as the compared values do. */
static bool read_digits(const char *text, size_t n_bytes, unsigned base, uint64_t *ret_value)
{
	*ret_value = 0;
	for (size_t i = 0; i < n_bytes; i++) {
		unsigned digit = text_digit(text[i]);

		if (digit >= base)
			return false;
		*ret_value = *ret_value * base + digit;
	}
	return n_bytes > 0;
}

static bool read_number(struct text text, unsigned base, int64_t *ret_value, bool *ret_is_decimal)
{
	bool is_negative = text.n_bytes > 0 && text.bytes[0] == '-';
	const char *at = text.bytes + is_negative;
	size_t left = text.n_bytes - is_negative;
	uint64_t value;
	bool is_good;

	*ret_is_decimal = false;
	if (left > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X')) {
		is_good = read_digits(at + 2, left - 2, 16, &value);
	} else {
		is_good = read_digits(at, left, base, &value);
		if (!is_good)
			is_good = *ret_is_decimal = read_digits(at, left, 10, &value);
	}
	*ret_value = (int64_t)(is_negative ? 0 - value : value);
	return is_good;
}

/* A name that only another system has is no mistake: no number of an entry here is it. */
static bool read_error(enum error_numbers whose, struct text text, int64_t *ret_value)
{
	const int number = error_name_number(whose, text.bytes, text.n_bytes);

	*ret_value = number ? number : INT32_MIN;
	return number || error_name_number(ERRORS_OF_LINUX, text.bytes, text.n_bytes) ||
	       error_name_number(ERRORS_OF_AIX, text.bytes, text.n_bytes);
}

/* E also accepts the names of errors, an enumeration those of its constants. */
static bool read_name(const struct resolver *resolver, const struct node *selector, struct switch_case *one)
{
	struct text text = one->match;
	const struct rst_field *field =
		selector->kind == NODE_MACRO && selector->macro.target.kind == TARGET_FIELD
			? selector->macro.target.field
			: NULL;
	const struct rst_constants *constants = field && field->type == RST_ENUM ? field->constants : NULL;

	for (size_t i = 0; constants && i < constants->n_rows; i++)
		if (text_is_word(text, constants->rows[i].name)) {
			one->constants = constants;
			return true;
		}
	if (selector->kind != NODE_CODE || selector->code.letter != CODE_ERRNO)
		return false;
	return read_error(resolver->binding->errors, text, &one->value);
}

static bool resolve_match(
	const struct resolver *resolver, const struct node *selector, struct switch_case *one)
{
	bool is_decimal = false;

	if (read_name(resolver, selector, one))
		return true;
	if (!read_number(one->match, base_of(selector), &one->value, &is_decimal))
		return resolver_fail(resolver, "T07", one->at,
			"'%.*s' is no value that the selector can have", text_shown(one->match),
			one->match.bytes);
	if (is_decimal)
		resolver_fail(resolver, "W03", one->at, "'%.*s' is read as a decimal number",
			text_shown(one->match), one->match.bytes);
	return true;
}

static bool resolve_switch(const struct resolver *resolver, struct node *node)
{
	struct node *selector = node->select.selector;

	if (selector->kind == NODE_MACRO && !resolve_macro(resolver, selector))
		return false;
	if (worth_of(selector) == WORTH_NOTHING)
		return resolver_fail(resolver, "T06", selector->at, "$%.*s has no value to match",
			text_shown(selector->macro.name), selector->macro.name.bytes);
	node->select.is_text = base_of(selector) == 0;
	for (struct switch_case *one = node->select.cases; one; one = one->next) {
		one->constants = NULL; /* of another binding, perhaps long gone */
		if (!one->is_wild && !node->select.is_text && !resolve_match(resolver, selector, one))
			return false;
		if (!resolve_list(resolver, one->body))
			return false;
	}
	return true;
}

/* --- items ---------------------------------------------------------------------------------------------- */

static bool resolve_assign(const struct resolver *resolver, struct node *node)
{
	struct node_macro *macro = &node->assign.macro;

	macro->target = find_target(resolver, macro->name);
	if (macro->target.kind == TARGET_FIELD)
		return resolver_fail(resolver, "T13", node->at,
			"$%.*s is a field of the event, which can only be read", text_shown(macro->name),
			macro->name.bytes);
	if (macro->target.kind == TARGET_NUMBER)
		return resolver_fail(resolver, "T13", node->at,
			"$%.*s is a number of the event's type, which can only be read",
			text_shown(macro->name), macro->name.bytes);
	return !node->assign.value || resolve_expression(resolver, node->assign.value);
}

static bool resolve_quoted(const struct resolver *resolver, struct node *node)
{
	return resolve_list(resolver, node->parts);
}

static bool resolve_loop(const struct resolver *resolver, struct node *node)
{
	return resolve_number(resolver, node->loop.count, "T10") && resolve_list(resolver, node->loop.body);
}

static bool resolve_flags(const struct resolver *resolver, struct node *node)
{
	return resolve_number(resolver, node->bits.selector, "T11");
}

static bool resolve_timer(const struct resolver *resolver, struct node *node)
{
	return resolve_expression(resolver, node->timer.first) &&
	       resolve_expression(resolver, node->timer.second);
}

/* The items that have names in them. */
static bool (*const resolve_items[])(const struct resolver *resolver, struct node *node) = {
	[NODE_MACRO] = resolve_macro,
	[NODE_QUOTED] = resolve_quoted,
	[NODE_SWITCH] = resolve_switch,
	[NODE_LOOP] = resolve_loop,
	[NODE_BITFLAGS] = resolve_flags,
	[NODE_ASSIGN] = resolve_assign,
	[NODE_TIMER] = resolve_timer,
};

static bool resolve_list(const struct resolver *resolver, struct node *node)
{
	for (; node; node = node->next)
		if (resolve_items[node->kind] && !resolve_items[node->kind](resolver, node))
			return false;
	return true;
}

bool resolve_stanza(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, struct diags *diags)
{
	const struct resolver resolver = { set, stanza, binding, diags };

	return resolve_list(&resolver, stanza->body);
}
