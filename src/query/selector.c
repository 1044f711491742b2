/* SPDX-License-Identifier: MIT */
/*
 * Selectors: threads, interrupts, objects, spans and types of events, by kind and name; events also by their
 * fields.
 */
#include <fnmatch.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "query/rule.h"
#include "select/select.h"

static const struct {
	const char *word;
	enum selector_form form;
} words[] = {
	{ "event", SELECTOR_EVENT }, { "irq", SELECTOR_IRQ }, { "span", SELECTOR_SPAN },
	{ "thread", SELECTOR_THREAD }, { "object", SELECTOR_OBJECT }, /* of any kind */
};

enum { N_WORDS = sizeof(words) / sizeof(words[0]), FIRST_KIND = RST_OBJECT_THREAD + 1 };

const char *selector_kind_word(size_t n)
{
	if (n < N_WORDS)
		return words[n].word;
	n = n - N_WORDS + FIRST_KIND;
	return n < RST_N_OBJECT_KINDS ? rst_object_kind_name((enum rst_object_kind)n) : NULL;
}

bool selector_kind_find(const char *word, size_t n_word, struct selector *ret_selector)
{
	const char *kind;

	for (size_t i = 0; (kind = selector_kind_word(i)); i++) {
		if (strlen(kind) != n_word || memcmp(kind, word, n_word) != 0)
			continue;
		*ret_selector = (struct selector){ .form = i < N_WORDS ? words[i].form : SELECTOR_OBJECT,
			.kind = kind,
			.is_any_kind = i < N_WORDS };
		return true;
	}
	return false;
}

static bool takes_name(const struct selector *selector, const char *name)
{
	return name && (strcasecmp(selector->name, name) == 0 ||
			       fnmatch(selector->name, name, FNM_CASEFOLD | FNM_NOESCAPE) == 0);
}

bool selector_takes_number(const struct selector *selector, uint64_t number)
{
	char text[TEXT_DEC_MAX + 1];
	uint64_t wanted;

	if (text_parse_u64(selector->name, &wanted))
		return wanted == number;
	*text_put_dec(text, number) = '\0';
	return takes_name(selector, text);
}

bool selector_takes_type(const struct selector *selector, const struct rst_type *type)
{
	return takes_name(selector, type->name) || takes_name(selector, type->label) ||
	       takes_name(selector, type->other_name);
}

static const struct rst_field *field_next(
	const struct rst_layout *layout, const char *name, const struct rst_field *last)
{
	for (size_t i = last ? (size_t)(last - layout->fields) + 1 : 0; i < layout->n_fields; i++)
		if (strcmp(layout->fields[i].name, name) == 0)
			return &layout->fields[i];
	return NULL;
}

const struct field_value *selector_lacks_field(
	const struct selector *selector, const struct rst_layout *layout)
{
	for (size_t i = 0; i < selector->n_fields; i++)
		if (!field_next(layout, selector->fields[i].name, NULL))
			return &selector->fields[i];
	return NULL;
}

/* A word has no sign of its own: 0xffffffff is also -1 there, as reports show it. */
static bool is_number_of(const struct field_value *wanted, const struct rst_field *field, uint64_t number)
{
	const unsigned n_unused = field->n_bytes < 8 ? 64 - 8 * field->n_bytes : 0;

	if (!wanted->is_negative)
		return number == wanted->number && (field->type != RST_SIGNED || (int64_t)number >= 0);
	if (field->type == RST_WORD)
		return (int64_t)(number << n_unused) >> n_unused == (int64_t)wanted->number;
	return field->type == RST_SIGNED && number == wanted->number;
}

static bool is_value_of(const struct field_value *wanted, const struct rst_field *field,
	struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	const size_t n_payload = batch->payload_bytes[row];
	const char *text;

	if (!rst_field_is_there(field, n_payload))
		return false;
	if (wanted->is_number && rst_field_is_number(field) && field->type != RST_REAL &&
		is_number_of(wanted, field, rst_field_number(field, batch->payload[row], n_payload)))
		return true;
	text = rst_trace_field_text(trace, batch, row, field, NULL);
	return text && strcmp(text, wanted->text) == 0;
}

bool selector_takes_fields(
	const struct selector *selector, struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	for (size_t i = 0; i < selector->n_fields; i++) {
		const struct field_value *wanted = &selector->fields[i];
		const struct rst_field *field = NULL;

		do
			field = field_next(batch->layout[row], wanted->name, field);
		while (field && !is_value_of(wanted, field, trace, batch, row));
		if (!field)
			return false;
	}
	return true;
}

/* Threads as `--context` means them: also "worker" of "worker/204". */
static bool takes_thread(const struct selector *selector, const struct rst_entity *entity)
{
	const char *items[] = { selector->name };
	const struct select_list list = { .items = items, .n_items = 1 };

	return selector->name[0] != '!' && select_takes_entity(&list, entity);
}

/* An object without a name is selected by its id. */
static bool takes_id(const struct selector *selector, uint64_t id)
{
	uint64_t wanted;

	return text_parse_u64(selector->name, &wanted) && wanted == id;
}

bool selector_takes_entity(const struct selector *selector, const struct rst_entity *entity)
{
	const char *kind = entity->kind ? entity->kind : "";

	if (entity->form == RST_ENTITY_NUMBER)
		return selector->form == SELECTOR_IRQ && selector_takes_number(selector, entity->id);
	if (entity->form != RST_ENTITY_THING)
		return false;
	switch (selector->form) {
	case SELECTOR_THREAD:
		return strcmp(kind, "thread") == 0 && takes_thread(selector, entity);
	case SELECTOR_SPAN:
		return strcmp(kind, "span") == 0 && takes_name(selector, entity->name);
	case SELECTOR_OBJECT:
		return (selector->is_any_kind || strcmp(kind, selector->kind) == 0) &&
		       (takes_name(selector, entity->name) || takes_id(selector, entity->id) ||
			       strcmp(selector->name, "*") == 0);
	case SELECTOR_EVENT:
	case SELECTOR_IRQ:
		break;
	}
	return false;
}

bool selector_takes_object(const struct selector *selector, const struct rst_object *object)
{
	return selector->form == SELECTOR_OBJECT &&
	       (selector->is_any_kind || strcmp(rst_object_kind_name(object->kind), selector->kind) == 0) &&
	       (takes_name(selector, object->name) || takes_id(selector, object->id));
}
