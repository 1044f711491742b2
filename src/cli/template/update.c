/* SPDX-License-Identifier: MIT */
/*
 * `template update NAME`: NAME.trc changes a file of templates, and NAME.undo.trc in the working directory
 * takes that back. With an error in NAME.trc nothing is changed.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cli/message.h"
#include "cli/template/master.h"
#include "cli/template/template.h"
#include "job/catalogue.h"
#include "template/update/update.h"

struct updater {
	const struct template_args *args;
	struct master master;
	struct update update;
	struct catalogue catalogue;
	bool has_catalogue;
	struct diags diags;
};

static void note_file(const struct template_args *args, const char *what, const char *path)
{
	if (args->is_verbose)
		message_print("%s %s", what, path);
}

/* NAME.trc, or NAME where it has that end already. */
static enum rst_status read_input(const struct template_args *args, const char *name,
	struct template_file **ret_file, struct rst_error *err)
{
	char path[PATH_MAX];

	if ((size_t)snprintf(path, sizeof(path), "%s.trc", name) >= sizeof(path))
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the name is too long");
	note_file(args, "reading", path);
	return template_file_read(ret_file, path, err);
}

static enum rst_status open_master(
	struct updater *updater, struct template_file **ret_file, struct rst_error *err)
{
	const struct template_args *args = updater->args;
	char path[PATH_MAX];

	if (args->master) {
		note_file(args, "reading", args->master);
		return master_open(&updater->master, args->master, false, ret_file, err);
	}
	error_try(master_default(path, err));
	note_file(args, "reading", path);
	return master_open(&updater->master, path, args->extract.n_items == 0, ret_file, err);
}

/* --- the input file ------------------------------------------------------------------------------------- */

/* All passes over its stanzas; those of hooks for both sizes of words. */
static enum rst_status check_input(struct updater *updater, struct rst_error *err)
{
	static const unsigned words[] = { 4, 8 };
	const struct update *update = &updater->update;
	const size_t n_words = update->set->is_aix ? 2 : 1;

	error_try(catalogue_init(&updater->catalogue, update->set->dialect, err));
	updater->has_catalogue = true;
	for (size_t i = 0; i < n_words; i++)
		catalogue_bind(&updater->catalogue, update->set, update->input, words[i], &updater->diags);
	if (updater->diags.has_no_memory)
		return error_nomem(err);
	return RST_OK;
}

static bool has_errors(const struct updater *updater)
{
	return template_report(&updater->diags, updater->update.input).n_errors > 0;
}

/* --- what became of it ---------------------------------------------------------------------------------- */

static void print_change(const struct update_change *change)
{
	const int n = (int)change->key.n_bytes;
	const char *key = change->key.bytes;

	switch (change->action) {
	case UPDATE_ADDED:
		printf("%.*s: added, version %u.%u\n", n, key, change->version, change->release);
		break;
	case UPDATE_REPLACED:
		printf("%.*s: version %u.%u replaced by %u.%u\n", n, key, change->old_version,
			change->old_release, change->version, change->release);
		break;
	case UPDATE_DELETED:
		printf("%.*s: deleted, version %u.%u\n", n, key, change->old_version, change->old_release);
		break;
	case UPDATE_OLDER:
		message_print("note: %.*s: version %u.%u stays, since %u.%u is older; -o replaces it", n, key,
			change->old_version, change->old_release, change->version, change->release);
		break;
	case UPDATE_ABSENT:
		message_print("note: %.*s: there is none to delete", n, key);
		break;
	}
}

/* --- writing -------------------------------------------------------------------------------------------- */

/* "NAME.undo.trc" in the working directory. */
static enum rst_status name_undo(const char *name, char path[PATH_MAX], struct rst_error *err)
{
	if ((size_t)snprintf(path, PATH_MAX, "%s.undo.trc", text_file_name(name)) >= PATH_MAX)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "the name is too long");
	return RST_OK;
}

static enum rst_status write_file(const char *path, const struct stat *st, bool is_packed,
	const struct update *update, void (*put)(const struct update *update, struct outbuf *out),
	struct rst_error *err)
{
	struct outbuf out;
	enum rst_status status;

	if (!outbuf_init(&out, OUTBUF_MEMORY))
		return error_nomem(err);
	put(update, &out);
	status = out.error ? error_nomem(err)
			   : master_replace(path, st, is_packed,
				     (struct text){ out.start, (size_t)(out.at - out.start) }, err);
	outbuf_done(&out);
	return status;
}

/* The undo file first: whatever happens then, what was there can be had again. */
static enum rst_status write_both(struct updater *updater, const char *name, struct rst_error *err)
{
	const struct update *update = &updater->update;
	const struct master *master = &updater->master;
	char undo[PATH_MAX];

	error_try(name_undo(name, undo, err));
	note_file(updater->args, "writing", undo);
	error_try(write_file(undo, NULL, false, update, update_put_undo, err));
	note_file(updater->args, "writing", master->path);
	return write_file(
		master->path, &master->st, update->master->is_packed, update, update_put_master, err);
}

static enum rst_status update_write(struct updater *updater, const char *name, struct rst_error *err)
{
	const struct update *update = &updater->update;

	error_try(update_apply(&updater->update, updater->args->is_forced, err));
	if (update_has_changed(update))
		error_try(write_both(updater, name, err));
	for (size_t i = 0; i < update->n_changes; i++)
		print_change(&update->changes[i]);
	if (!update_has_changed(update))
		message_print("note: nothing is changed");
	return RST_OK;
}

/* --- -x ------------------------------------------------------------------------------------------------- */

static void extract_one(const struct template_set *set, const char *word, struct outbuf *out)
{
	char *key = malloc(strlen(word) + 1);
	bool is_there = key && update_put_stanza(set,
				       (struct text){ key, key_normalise(key, word, strlen(word)) }, out);

	if (!is_there)
		message_print("note: there is no stanza of %s", word);
	free(key);
}

/* The stanzas as they stand in the file. */
static enum rst_status extract(
	struct updater *updater, const char *dialect, struct template_file *master, struct rst_error *err)
{
	const struct text_list *list = &updater->args->extract;
	struct template_set *set = updater->update.set = template_set_new(dialect);
	struct outbuf out;
	int exit_status;

	if (!set) {
		template_file_free(master);
		return error_nomem(err);
	}
	if (template_set_add(set, master, &updater->diags) < 0 || !outbuf_init(&out, fileno(stdout)))
		return error_nomem(err);
	for (size_t i = 0; i < list->n_items; i++)
		for (char *words = strdup(list->items[i]), *rest = words, *word;
			(word = strsep(&rest, " \t")) != NULL || (free(words), false);)
			if (*word)
				extract_one(set, word, &out);
	exit_status = common_finish(&out);
	outbuf_done(&out);
	return exit_status == EXIT_GOOD ? RST_OK : RST_E_IO;
}

/* --- all ------------------------------------------------------------------------------------------------ */

static int update_run(struct updater *updater, const char *name)
{
	struct template_file *master = NULL, *input = NULL;
	struct rst_error err;
	const char *dialect;
	enum rst_status status = open_master(updater, &master, &err);

	if (status < 0)
		return common_fail(&err);
	dialect = catalogue_dialect(template_file_dialect(master), &err);
	if (!dialect) {
		error_name(&err, master->name);
		template_file_free(master);
		return common_fail(&err);
	}
	if (!name)
		return extract(updater, dialect, master, &err) < 0 ? EXIT_IO : EXIT_GOOD;
	if (read_input(updater->args, name, &input, &err) < 0) {
		template_file_free(master);
		return common_fail(&err);
	}
	status = update_read(&updater->update, dialect, master, input, &updater->diags, &err);
	if (status == RST_OK)
		status = check_input(updater, &err);
	if (status == RST_OK && has_errors(updater)) {
		message_print("%s: nothing is changed, because of these errors", input->name);
		return EXIT_FOUND;
	}
	if (status == RST_OK)
		status = update_write(updater, name, &err);
	return status < 0 ? common_fail(&err) : EXIT_GOOD;
}

int template_update(const struct template_args *args, int n_operands, char **operands)
{
	struct updater updater = { .args = args, .master = { .lock = -1 } };
	struct rst_error err;
	int exit_status;

	if ((n_operands == 0) == (args->extract.n_items == 0)) {
		common_refuse(&err, NULL, "%s",
			n_operands ? "-x prints stanzas of the master, and takes no NAME"
				   : "`template update` needs NAME, of NAME.trc; or -x LIST");
		return common_fail(&err);
	}
	exit_status = update_run(&updater, n_operands ? operands[0] : NULL);
	update_done(&updater.update);
	if (updater.has_catalogue)
		catalogue_done(&updater.catalogue);
	diags_done(&updater.diags);
	master_done(&updater.master);
	return exit_status;
}
