/* SPDX-License-Identifier: MIT */
/*
 * `template doc`: what a template can use of an event: its fields, its effects, the template in force, and
 * one to begin with.
 */
#include <inttypes.h>
#include <string.h>

#include "cli/template/template.h"
#include "job/catalogue.h"
#include "template/compile/bind.h"
#include "template/language/effects.h"

enum { NAME_WIDTH = 22 };

static const char *const field_words[] = {
	[RST_UNSIGNED] = "number",
	[RST_SIGNED] = "signed number",
	[RST_HEX] = "number, printed in hexadecimal",
	[RST_ADDRESS] = "address",
	[RST_OBJECT] = "object",
	[RST_ENUM] = "one of",
	[RST_IPV4] = "IPv4 address",
	[RST_REAL] = "number of floating point",
	[RST_TEXT] = "text",
	[RST_BYTES] = "bytes, printed in hexadecimal",
	[RST_SEQUENCE] = "several values",
	[RST_WORD] = "number, printed in decimal and hexadecimal",
};

/* A name that looks like a hook id is written with an underscore, for $add would be a call. */
static void print_name(const struct rst_field *field)
{
	char name[80];

	snprintf(name, sizeof(name), "$%s%s", field->name,
		key_is_hook(field->name, strlen(field->name)) ? "_" : "");
	printf("  %-*s ", NAME_WIDTH, name);
}

/* A list may have values for wider words than this field's. */
static bool value_fits(uint64_t value, unsigned n_bytes)
{
	return n_bytes >= sizeof(value) || value >> 8 * n_bytes == 0;
}

static void print_constants(const struct rst_constants *constants, unsigned n_bytes)
{
	for (size_t i = 0; constants && i < constants->n_rows; i++)
		if (value_fits(constants->rows[i].value, n_bytes))
			printf("  %-*s     %s = %s%" PRIx64 "\n", NAME_WIDTH, "", constants->rows[i].name,
				constants->rows[i].value > 9 ? "0x" : "", constants->rows[i].value);
}

static void print_field(const struct rst_field *field)
{
	print_name(field);
	if (field->n_bits)
		printf("bits %u to %u of %u bytes at %u: ", field->shift, field->shift + field->n_bits - 1,
			field->n_bytes, field->offset);
	else if (field->n_bytes)
		printf("%u bytes at %u: ", field->n_bytes, field->offset);
	else
		printf("from byte %u to the end: ", field->offset);
	fputs(field_words[field->type], stdout);
	if (field->type == RST_OBJECT)
		printf(" (%s)%s", field->object_kind ? rst_object_kind_name(field->object_kind) : "any",
			field->zero_is_none ? ", 0 is none" : "");
	puts(field->is_spare ? ", without a meaning and mostly 0" : "");
	print_constants(field->constants, field->n_bytes);
}

/* Numbers of the type, but for those that stand for a field of their name. */
static void traits_print(const struct rst_layout *layout)
{
	for (size_t i = 0; i < layout->n_traits; i++) {
		const struct rst_field named = { .name = layout->traits[i].name };
		unsigned at = 0;

		while (at < layout->n_fields && strcmp(layout->fields[at].name, named.name) != 0)
			at++;
		if (at < layout->n_fields)
			continue;
		print_name(&named);
		printf("number of the event's type, %" PRIu64 " here\n", layout->traits[i].value);
	}
}

static void effects_print(const struct rst_layout *layout)
{
	if (layout->no_effect)
		printf("no effects: %s\n", layout->no_effect);
	fputs(layout->n_effects ? "effects:\n" : "", stdout);
	for (unsigned i = 0; i < layout->n_effects; i++) {
		fputs("  ", stdout);
		effect_print(stdout, layout, &layout->effects[i]);
		putchar('\n');
	}
}

/* The lines as they stand in their file. */
static void print_source(const struct stanza *stanza)
{
	const char *at = stanza->at, *end = stanza->end;

	printf("template in force, in %s:\n", stanza->file->name);
	while (at < end) {
		const char *newline = memchr(at, '\n', (size_t)(end - at));
		const char *line_end = newline ? newline : end;

		diag_print_bytes(
			at, (size_t)(line_end - at) - (line_end > at && line_end[-1] == '\r'), stdout);
		putchar('\n');
		at = newline ? newline + 1 : end;
	}
}

static bool print_template(const struct rst_layout *layout)
{
	struct arena arena = { 0 };
	const char *text = generate_text(&arena, layout);

	if (text)
		printf("template to begin with:\n%s%s", text, strchr(text, '\n') ? "" : "\n");
	arena_done(&arena);
	return text != NULL;
}

/* The event of the command line, and the templates in force. */
struct doc {
	const char *dialect, *pattern;
	struct catalogue catalogue;
	struct template_set *set;
	struct diags diags;
};

static bool print_layout(const struct doc *doc, const struct rst_layout *layout)
{
	char room[120];
	uint32_t id;
	const struct text key = catalogue_key(layout, doc->pattern, room, sizeof(room), &id);
	const struct stanza *stanza = template_set_find_event(doc->set, key.bytes, key.n_bytes);
	struct rst_type named = *layout->type;
	struct rst_layout shown = *layout;
	char name[120];

	snprintf(name, sizeof(name), "%.*s", (int)key.n_bytes, key.bytes);
	named.name = name;
	shown.type = &named;
	printf("%s\n%s, event %" PRIu32 "%s%s\n", name, doc->dialect, id, named.label[0] ? ": " : "",
		named.label);
	fputs(layout->n_fields ? "fields:\n" : "no fields\n", stdout);
	for (unsigned i = 0; i < layout->n_fields; i++)
		print_field(&layout->fields[i]);
	traits_print(layout);
	effects_print(layout);
	if (stanza)
		print_source(stanza);
	return print_template(&shown);
}

static enum rst_status doc_load(struct doc *doc, const struct text_list *templates, struct rst_error *err)
{
	enum rst_status status = catalogue_init(&doc->catalogue, doc->dialect, err);

	if (status < 0 || !catalogue_find(&doc->catalogue, doc->pattern, 0))
		return status;
	doc->set = template_set_new(doc->dialect);
	if (!doc->set)
		return error_nomem(err);
	error_try(template_search(doc->set, NULL, templates->n_items, templates->items, &doc->diags, err));
	for (size_t i = 0; i < doc->catalogue.model.n_layouts; i++)
		if (!bind_effects(doc->set, doc->catalogue.model.layouts[i], &doc->diags))
			return error_nomem(err);
	template_report(&doc->diags, NULL);
	return RST_OK;
}

/* All events of a dialect that the pattern matches; counted in *n_shown, over all dialects. */
static enum rst_status doc_dialect(
	struct doc *doc, const struct text_list *templates, unsigned *n_shown, struct rst_error *err)
{
	const struct rst_layout *layout;
	enum rst_status status = doc_load(doc, templates, err);

	for (size_t i = 0; status == RST_OK && (layout = catalogue_find(&doc->catalogue, doc->pattern, i));
		i++) {
		fputs((*n_shown)++ ? "\n" : "", stdout);
		if (!print_layout(doc, layout))
			status = error_nomem(err);
	}
	template_set_free(doc->set);
	diags_done(&doc->diags);
	catalogue_done(&doc->catalogue);
	return status;
}

/* Memory that runs out here is advice that is not given. */
static int fail_unknown(const char *wanted, const char *pattern)
{
	struct similar similar = similar_to(pattern);
	char near[SIMILAR_TEXT_MAX];
	struct rst_error err;

	for (size_t i = 0; dialects[i]; i++) {
		struct catalogue catalogue;

		if (wanted && strcmp(wanted, dialects[i]->name) != 0)
			continue;
		if (catalogue_init(&catalogue, dialects[i]->name, &err) == RST_OK)
			catalogue_offer(&catalogue, &similar);
		catalogue_done(&catalogue);
	}
	error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "there is no event '%.80s'", pattern);
	error_advise(&err, "%s", similar_text(&similar, near) ? near : "* and ? match, as in '*queue*'");
	return common_fail(&err);
}

static int doc_name(
	const struct text_list *templates, const char *wanted, const char *pattern, unsigned *n_shown)
{
	const unsigned n_before = *n_shown;
	struct rst_error err;

	for (size_t i = 0; dialects[i]; i++) {
		struct doc doc = { .dialect = dialects[i]->name, .pattern = pattern };

		if ((!wanted || strcmp(wanted, dialects[i]->name) == 0) &&
			doc_dialect(&doc, templates, n_shown, &err) < 0)
			return common_fail(&err);
	}
	return *n_shown > n_before ? EXIT_GOOD : fail_unknown(wanted, pattern);
}

int template_doc(const struct template_args *args, int n_operands, char **operands)
{
	const char *wanted = NULL;
	int exit_status = EXIT_GOOD;
	unsigned n_shown = 0;
	struct rst_error err;

	if (args->dialect) {
		wanted = catalogue_dialect((struct text){ args->dialect, strlen(args->dialect) }, &err);
		if (!wanted)
			return common_fail(&err);
	}
	for (int i = 0; i < n_operands; i++)
		exit_status =
			outcome_worse(exit_status, doc_name(&args->templates, wanted, operands[i], &n_shown));
	return exit_status;
}
