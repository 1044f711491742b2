/* SPDX-License-Identifier: MIT */
#include "job/catalogue.h"

#include <fnmatch.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/similar.h"
#include "base/text.h"
#include "template/machine/run.h"

static bool is_named(const char *own, struct text name)
{
	return strlen(own) == name.n_bytes && strncasecmp(own, name.bytes, name.n_bytes) == 0;
}

const char *catalogue_dialect(struct text name, struct rst_error *err)
{
	struct similar similar = { .word = name.bytes, .n_word = name.n_bytes };
	char advice[SIMILAR_TEXT_MAX];

	for (size_t i = 0; dialects[i]; i++) {
		const char *own = dialects[i]->name;

		if (is_named(own, name))
			return own;
		similar_offer(&similar, own);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no dialect '%.*s'",
		(int)(name.n_bytes < 40 ? name.n_bytes : 40), name.bytes);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return NULL;
}

enum rst_status catalogue_init(struct catalogue *catalogue, const char *name, struct rst_error *err)
{
	const struct dialect *dialect = dialect_find(name);

	catalogue->has_events = dialect && dialect->catalogue;
	catalogue->hook = dialect ? dialect_rare(dialect)->hook : NULL;
	if (!model_init(&catalogue->model))
		return error_nomem(err);
	if (catalogue->has_events && !dialect->catalogue(&catalogue->model))
		return error_nomem(err);
	return RST_OK;
}

void catalogue_done(struct catalogue *catalogue)
{
	model_done(&catalogue->model);
}

/* --- events by name ------------------------------------------------------------------------------------- */

/*
 * Bytes of the name before the + of a family's first event, "USER_EVENT" of "USER_EVENT+0"; 0 if there is no
 * family.
 */
static size_t family_bytes(const struct rst_type *type)
{
	const char *plus = strrchr(type->name, '+');

	return plus ? (size_t)(plus - type->name) : 0;
}

/* The number behind the last + of a name: decimal, or hexadecimal behind 0x. */
static bool find_suffix(const char *name, const char **ret_plus)
{
	const char *plus = *ret_plus = strrchr(name, '+'), *digits = plus ? plus + 1 : "";
	const bool is_hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');

	digits += is_hex ? 2 : 0;
	return *digits && strspn(digits, is_hex ? "0123456789abcdefABCDEF" : "0123456789") == strlen(digits);
}

/* "USER_EVENT+0" stands for all of "USER_EVENT+…". */
static bool is_of_family(const struct rst_type *type, const char *name)
{
	const char *plus;
	const size_t n_name = find_suffix(name, &plus) ? (size_t)(plus - name) : strlen(name);

	return n_name && n_name == family_bytes(type) && strncasecmp(type->name, name, n_name) == 0;
}

static bool is_wanted(const struct rst_type *type, const char *pattern)
{
	return fnmatch(pattern, type->name, FNM_CASEFOLD) == 0 ||
	       fnmatch(pattern, type->label, FNM_CASEFOLD) == 0 || is_of_family(type, pattern);
}

/* If no event has the number itself, finds the family that begins below it. */
static const struct rst_layout *find_number(const struct catalogue *catalogue, uint64_t number, size_t n)
{
	const struct rst_layout *family = NULL;
	const bool is_first = n == 0;

	for (size_t i = 0; i < catalogue->model.n_layouts; i++) {
		const struct rst_layout *layout = catalogue->model.layouts[i];
		const struct rst_type *type = layout->type;

		if (type->marker != RST_EVENT)
			continue;
		if (layout->id == number && n-- == 0)
			return layout;
		if (family_bytes(type) && layout->id <= number && (!family || layout->id > family->id))
			family = layout;
	}
	return is_first && number <= UINT32_MAX ? family : NULL;
}

const struct rst_layout *catalogue_find(const struct catalogue *catalogue, const char *pattern, size_t n)
{
	uint64_t number;

	if (text_parse_u64(pattern, &number))
		return find_number(catalogue, number, n);
	for (size_t i = 0; i < catalogue->model.n_layouts; i++) {
		const struct rst_layout *layout = catalogue->model.layouts[i];
		const struct rst_type *type = layout->type;

		if (type->marker == RST_EVENT && is_wanted(type, pattern) && n-- == 0)
			return layout;
	}
	return NULL;
}

void catalogue_offer(const struct catalogue *catalogue, struct similar *similar)
{
	for (size_t i = 0; i < catalogue->model.n_layouts; i++)
		if (catalogue->model.layouts[i]->type->marker == RST_EVENT)
			similar_offer(similar, catalogue->model.layouts[i]->type->name);
}

const struct rst_layout *catalogue_event(
	const struct catalogue *catalogue, const char *dialect, const char *pattern, struct rst_error *err)
{
	const struct rst_layout *layout = catalogue_find(catalogue, pattern, 0);
	struct similar similar = similar_to(pattern);
	char near[SIMILAR_TEXT_MAX];

	if (layout)
		return layout;
	if (!catalogue->has_events) {
		error_set(err, RST_E_USAGE, RST_NO_OFFSET,
			"the file is for the dialect %s, which has no events with names, so none '%.60s'",
			dialect, pattern);
		error_advise(err, "a file for another begins with a line like # dialect: threadx");
		return NULL;
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the dialect %s has no event '%.80s'", dialect, pattern);
	catalogue_offer(catalogue, &similar);
	error_advise(err, "%s", similar_text(&similar, near) ? near : "`rastrum template doc '*'` lists all");
	return NULL;
}

struct text catalogue_key(
	const struct rst_layout *layout, const char *pattern, char *key, size_t n_room, uint32_t *ret_id)
{
	const struct rst_type *type = layout->type;
	const size_t n_family = family_bytes(type);
	const char *plus;
	uint64_t number = 0;
	int n;

	*ret_id = layout->id;
	if (n_family && text_parse_u64(pattern, &number))
		number -= layout->id;
	else if (n_family && is_of_family(type, pattern) && find_suffix(pattern, &plus))
		text_parse_u64(plus + 1, &number);
	else if (n_family)
		return (struct text){ type->name, n_family };
	else
		return (struct text){ type->name, type->name_bytes };
	*ret_id += (uint32_t)number;
	n = snprintf(key, n_room,
		strncmp(type->name + n_family, "+0x", 3) == 0 ? "%.*s+0x%" PRIx64 : "%.*s+%" PRIu64,
		(int)n_family, type->name, number);
	return (struct text){ key, n < 0 ? 0 : strlen(key) };
}

static bool is_number(const char *text, size_t n_bytes)
{
	const bool is_hex = n_bytes > 2 && text[0] == '0' && text[1] == 'x';
	size_t n = is_hex ? 2 : 0;

	while (n < n_bytes && text_digit(text[n]) < (is_hex ? 16 : 10))
		n++;
	return n == n_bytes;
}

const struct rst_layout *catalogue_numbered(const struct catalogue *catalogue, struct text key)
{
	for (size_t i = 0; i < catalogue->model.n_layouts; i++) {
		const struct rst_layout *layout = catalogue->model.layouts[i];
		const struct rst_type *type = layout->type;
		const size_t n_family = family_bytes(type);
		size_t n = n_family + 1;

		if (!n_family || key.n_bytes <= n || memcmp(key.bytes, type->name, n) != 0)
			continue;
		if (is_number(key.bytes + n, key.n_bytes - n))
			return layout;
	}
	return NULL;
}

/* --- hooks of AIX's trace ------------------------------------------------------------------------------- */

const struct hook *catalogue_hook(const struct catalogue *catalogue, const struct rst_type *type)
{
	return catalogue->hook && type->marker == RST_EVENT ? catalogue->hook(type) : NULL;
}

struct stanza *catalogue_hook_stanza(
	const struct catalogue *catalogue, const struct template_set *set, const struct rst_type *type)
{
	const struct hook *hook = catalogue_hook(catalogue, type);
	char key[TEXT_HEX_MAX];

	return hook ? template_set_find(set, key, (size_t)(run_put_id(key, hook->id) - key)) : NULL;
}

/* --- stanzas -------------------------------------------------------------------------------------------- */

static void bind_hooks(
	struct template_set *set, const struct template_file *file, unsigned word_bytes, struct diags *diags)
{
	const struct binding binding = { .word_bytes = word_bytes };

	for (size_t i = 0; i < set->n_stanzas; i++) {
		struct stanza *stanza = set->stanzas[i];

		if (stanza->file != file)
			continue;
		check_effects(stanza, NULL, diags);
		if (!stanza->is_bad)
			bind_stanza(set, stanza, &binding, diags);
	}
}

static void bind_event(struct template_set *set, struct stanza *stanza, const struct binding *binding,
	const struct template_file *file, struct diags *diags)
{
	if (!stanza || stanza->file != file || stanza->is_bad)
		return;
	check_effects(stanza, binding->layout, diags);
	bind_stanza(set, stanza, binding, diags);
}

/* Stanzas of single events of a family: the model only has its first. */
static void bind_numbered(const struct catalogue *catalogue, struct template_set *set,
	const struct template_file *file, struct diags *diags)
{
	const size_t n_stanzas = set->n_stanzas;

	for (size_t i = 0; i < n_stanzas; i++) {
		struct stanza *stanza = set->stanzas[i];
		const struct rst_layout *layout = catalogue_numbered(catalogue, stanza->key);
		const struct binding binding = { .word_bytes = 4, .layout = layout };

		if (layout)
			bind_event(set, stanza, &binding, file, diags);
	}
}

void catalogue_bind(const struct catalogue *catalogue, struct template_set *set,
	const struct template_file *file, unsigned word_bytes, struct diags *diags)
{
	if (set->is_aix) {
		bind_hooks(set, file, word_bytes, diags);
		return;
	}
	for (size_t i = 0; i < catalogue->model.n_layouts; i++) {
		const struct rst_layout *layout = catalogue->model.layouts[i];
		const struct rst_type *type = layout->type;
		struct binding binding = { .word_bytes = 4, .layout = layout };

		bind_event(set, template_set_find_event(set, type->name, type->name_bytes), &binding, file,
			diags);
		binding.is_of_hook = true;
		bind_event(set, catalogue_hook_stanza(catalogue, set, type), &binding, file, diags);
	}
	bind_numbered(catalogue, set, file, diags);
}

/* --- stanzas that nothing will ever run ----------------------------------------------------------------- */

/* Where calls are marked, by the index of the stanza. */
struct marks {
	const struct template_set *set;
	bool *is_used;
};

static void stanza_mark(const struct marks *marks, const struct stanza *stanza)
{
	if (stanza)
		marks->is_used[stanza->index] = true;
}

static void mark_node(void *context, const struct node *node)
{
	const struct marks *marks = context;

	if (node->kind == NODE_MACRO)
		stanza_mark(marks, template_set_callee(marks->set, node->macro.name));
}

static void mark_all(const struct catalogue *catalogue, const struct template_set *set, bool *is_used)
{
	const struct model *model = &catalogue->model;
	struct marks marks = { set, is_used };
	const struct tree_visitor visitor = { .node = mark_node, .context = &marks };

	for (size_t i = 0; i < model->n_types; i++) {
		const struct rst_type *type = model->types[i];

		stanza_mark(&marks, template_set_find_event(set, type->name, type->name_bytes));
		stanza_mark(&marks, catalogue_hook_stanza(catalogue, set, type));
	}
	for (size_t i = 0; i < set->n_stanzas; i++)
		tree_visit(&visitor, set->stanzas[i]->body);
}

/* Its template may be another file's, which goes before this one. */
static bool has_event(const struct catalogue *catalogue, struct text name)
{
	for (size_t i = 0; i < catalogue->model.n_types; i++) {
		const struct rst_type *type = catalogue->model.types[i];

		if (type->marker == RST_EVENT && type->name_bytes == name.n_bytes &&
			memcmp(type->name, name.bytes, name.n_bytes) == 0)
			return true;
	}
	return false;
}

/* Returns the event that was probably meant, or NULL. */
static const char *find_similar(const struct catalogue *catalogue, struct text key)
{
	for (size_t i = 0; i < catalogue->model.n_layouts; i++) {
		const struct rst_layout *layout = catalogue->model.layouts[i];
		const struct rst_type *type = layout->type;

		if (type->marker == RST_EVENT &&
			similar_names(key.bytes, key.n_bytes, type->name, type->name_bytes))
			return type->name;
	}
	return NULL;
}

/* A program may give its own events any name, so one that is like no other is advice only. */
static void tell_unused(const struct catalogue *catalogue, const struct template_set *set,
	const struct stanza *stanza, bool wants_advice, struct diags *diags)
{
	const char *similar = find_similar(catalogue, stanza->key);

	if (similar)
		diag_add(diags, "W07", stanza_location(stanza, stanza->at),
			"the dialect %s has no event of this name; did you mean %s?", set->dialect, similar);
	else if (wants_advice)
		diag_add(diags, "A05", stanza_location(stanza, stanza->at),
			"the dialect %s has no event of this name, and no template calls it", set->dialect);
}

void catalogue_report_unused(const struct catalogue *catalogue, const struct template_set *set,
	const struct template_file *file, bool wants_advice, struct diags *diags)
{
	bool *is_used = calloc(set->n_stanzas + 1, sizeof(*is_used));

	if (!is_used) {
		diags->has_no_memory = true;
		return;
	}
	mark_all(catalogue, set, is_used);
	for (size_t i = 0; i < set->n_stanzas && catalogue->has_events; i++) {
		const struct stanza *stanza = set->stanzas[i];
		bool is_asked = file ? stanza->file == file : !stanza->file->is_builtin;

		if (is_asked && !stanza->is_bad && !is_used[stanza->index] &&
			!has_event(catalogue, stanza->key) && !catalogue_numbered(catalogue, stanza->key))
			tell_unused(catalogue, set, stanza, wants_advice, diags);
	}
	free(is_used);
}
