/* SPDX-License-Identifier: MIT */
/* `template list`: the stanzas in force, one a line: key, version, level, label, file and line. */
#include <string.h>

#include "cli/template/template.h"
#include "job/catalogue.h"

struct lister {
	const struct template_set *set;
	int key_width, label_width;
	const struct template_file *file; /* where the line number was counted to */
	const char *at;
	unsigned line;
};

/* A later stanza of the same key is in force, not this one. */
static bool is_listed(const struct template_set *set, const struct stanza *stanza)
{
	return !stanza->is_bad && template_set_find(set, stanza->key.bytes, stanza->key.n_bytes) == stanza;
}

/* Stanzas of a file stand in its order, so that each line is looked at once. */
static unsigned line_of(struct lister *lister, const struct stanza *stanza)
{
	if (lister->file != stanza->file || stanza->at < lister->at) {
		lister->file = stanza->file;
		lister->at = stanza->file->text;
		lister->line = 1;
	}
	for (; lister->at < stanza->at; lister->at++)
		lister->line += *lister->at == '\n';
	return lister->line;
}

static int width_grow(int width, struct text text, int width_max)
{
	int n = text.n_bytes > (size_t)width_max ? width_max : (int)text.n_bytes;

	return n > width ? n : width;
}

static void print_stanza(struct lister *lister, const struct stanza *stanza)
{
	const struct text key = stanza->key, label = stanza->label;
	const int n_label = (int)label.n_bytes;
	char version[32];

	snprintf(version, sizeof(version), "%u.%u", stanza->version, stanza->release);
	printf("%-*.*s  %-5s  %-4s  %s%.*s\"%*s  %s:%u\n", lister->key_width, (int)key.n_bytes, key.bytes,
		version, level_names[stanza->level], stanza->is_label_hidden ? "\"@" : "\"", n_label,
		label.bytes, lister->label_width - n_label - stanza->is_label_hidden, "", stanza->file->name,
		line_of(lister, stanza));
}

static void list_set(const struct template_set *set)
{
	enum { KEY_WIDTH_MAX = 56, LABEL_WIDTH_MAX = 40 };
	struct lister lister = { .set = set };

	for (size_t i = 0; i < set->n_stanzas; i++) {
		struct text label = set->stanzas[i]->label;

		if (!is_listed(set, set->stanzas[i]))
			continue;
		label.n_bytes += set->stanzas[i]->is_label_hidden;
		lister.key_width = width_grow(lister.key_width, set->stanzas[i]->key, KEY_WIDTH_MAX);
		lister.label_width = width_grow(lister.label_width, label, LABEL_WIDTH_MAX);
	}
	for (size_t i = 0; i < set->n_stanzas; i++)
		if (is_listed(set, set->stanzas[i]))
			print_stanza(&lister, set->stanzas[i]);
}

static int list_finish(
	struct template_set *set, struct diags *diags, enum rst_status status, struct rst_error *err)
{
	int exit_status = EXIT_GOOD;

	if (template_report(diags, NULL).n_errors)
		exit_status = EXIT_FOUND;
	if (status < 0)
		exit_status = common_fail(err);
	else
		list_set(set);
	template_set_free(set);
	diags_done(diags);
	return exit_status;
}

/* All that a report would find for a dialect. */
static int list_found(const struct template_args *args, const char *dialect)
{
	struct template_set *set = template_set_new(dialect);
	struct diags diags = { 0 };
	struct rst_error err;
	enum rst_status status =
		set ? template_search(set, NULL, args->templates.n_items, args->templates.items, &diags, &err)
		    : error_nomem(&err);

	return list_finish(set, &diags, status, &err);
}

static int list_file(const char *wanted, const char *path)
{
	struct template_set *set = NULL;
	struct diags diags = { 0 };
	struct template_file *file;
	struct rst_error err;
	const char *dialect;
	enum rst_status status = template_file_read(&file, path, &err);

	if (status < 0)
		return common_fail(&err);
	dialect = catalogue_dialect(template_file_dialect(file), &err);
	if (!dialect || (wanted && strcmp(dialect, wanted) != 0)) {
		template_file_free(file);
		error_name(&err, path);
		return dialect ? EXIT_GOOD : common_fail(&err);
	}
	set = template_set_new(dialect);
	if (!set)
		template_file_free(file);
	status = set ? template_set_add(set, file, &diags) : RST_E_NOMEM;
	if (status < 0)
		error_nomem(&err);
	return list_finish(set, &diags, status, &err);
}

int template_list(const struct template_args *args, int n_operands, char **operands)
{
	const char *wanted = NULL;
	int exit_status = EXIT_GOOD;
	struct rst_error err;

	if (args->dialect) {
		wanted = catalogue_dialect((struct text){ args->dialect, strlen(args->dialect) }, &err);
		if (!wanted)
			return common_fail(&err);
	}
	for (int i = 0; i < n_operands; i++)
		exit_status = outcome_worse(exit_status, list_file(wanted, operands[i]));
	if (n_operands > 0)
		return exit_status;
	if (wanted)
		return list_found(args, wanted);
	exit_status = list_found(args, "aix");
	for (size_t i = 0; dialects[i]; i++)
		exit_status = outcome_worse(exit_status, list_found(args, dialects[i]->name));
	return exit_status;
}
