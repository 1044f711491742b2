/* SPDX-License-Identifier: MIT */
#include "cli/catalogue.h"

#include <fnmatch.h>
#include <string.h>

const char *catalogue_dialect(struct text name, struct rst_error *err)
{
	static const char aix[] = "aix";
	char names[120] = "aix";

	if (name.n_bytes == sizeof(aix) - 1 && memcmp(name.bytes, aix, name.n_bytes) == 0)
		return aix;
	for (size_t i = 0; dialects[i]; i++) {
		const char *own = dialects[i]->name;
		size_t n = strlen(names);

		if (strlen(own) == name.n_bytes && memcmp(own, name.bytes, name.n_bytes) == 0)
			return own;
		snprintf(names + n, sizeof(names) - n, ", %s", own);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no dialect '%.*s'",
		(int)(name.n_bytes < 40 ? name.n_bytes : 40), name.bytes);
	error_advise(err, "templates are for one of %s", names);
	return NULL;
}

enum rst_status catalogue_init(struct catalogue *catalogue, const char *name, struct rst_error *err)
{
	const struct dialect *dialect = dialect_find(name);

	catalogue->has_events = dialect && dialect->catalogue;
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

/* "USER_EVENT+0" stands for all of "USER_EVENT+…". */
static bool is_of_family(const struct rst_type *type, const char *name)
{
	const char *own = strrchr(type->name, '+'), *plus = strrchr(name, '+');
	size_t n_name = plus ? (size_t)(plus - name) : strlen(name);

	return own && (size_t)(own - type->name) == n_name && strncasecmp(type->name, name, n_name) == 0;
}

const struct rst_type *catalogue_find(const struct catalogue *catalogue, const char *pattern, size_t n)
{
	for (size_t i = 0; i < catalogue->model.n_types; i++) {
		const struct rst_type *type = catalogue->model.types[i];

		if (type->marker == RST_EVENT &&
			(fnmatch(pattern, type->name, FNM_CASEFOLD) == 0 || is_of_family(type, pattern)) &&
			n-- == 0)
			return type;
	}
	return NULL;
}

static void bind_hooks(
	struct template_set *set, const struct template_file *file, unsigned word_bytes, struct diags *diags)
{
	const struct binding binding = { .word_bytes = word_bytes };
	size_t n_stanzas = set->n_stanzas; /* binding may add some of its own */

	for (size_t i = 0; i < n_stanzas; i++) {
		struct stanza *stanza = set->stanzas[i];

		if (stanza->file == file && !stanza->is_bad)
			bind_stanza(set, stanza, &binding, diags);
	}
}

void catalogue_bind(const struct catalogue *catalogue, struct template_set *set,
	const struct template_file *file, unsigned word_bytes, struct diags *diags)
{
	if (set->is_aix) {
		bind_hooks(set, file, word_bytes, diags);
		return;
	}
	for (size_t i = 0; i < catalogue->model.n_types; i++) {
		const struct rst_type *type = catalogue->model.types[i];
		const struct binding binding = { .word_bytes = 4, .type = type };
		struct stanza *stanza = template_set_find_event(set, type->name, type->name_bytes);

		if (stanza && stanza->file == file)
			bind_stanza(set, stanza, &binding, diags);
	}
}
