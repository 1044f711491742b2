/* SPDX-License-Identifier: MIT */
#include "template/search.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"

/* --- one file ----------------------------------------------------------------------------------------------- */

/* Takes the file over. */
static enum rst_status add_file(
	struct template_set *set, struct template_file *file, struct diags *diags, struct rst_error *err)
{
	const struct text dialect = template_file_dialect(file);

	if (dialect.n_bytes != strlen(set->dialect) ||
		memcmp(dialect.bytes, set->dialect, dialect.n_bytes) != 0) {
		template_file_free(file);
		return RST_OK;
	}
	return template_set_add(set, file, diags) < 0 ? error_nomem(err) : RST_OK;
}

static enum rst_status add_builtin(struct template_set *set, const struct template_builtin *builtin,
	struct diags *diags, struct rst_error *err)
{
	char name[NAME_MAX];
	struct template_file *file;

	snprintf(name, sizeof(name), "built-in/%s", builtin->name);
	file = template_file_of(name, builtin->text, builtin->n_bytes);
	return file ? add_file(set, file, diags, err) : error_nomem(err);
}

static enum rst_status add_path(
	struct template_set *set, const char *path, struct diags *diags, struct rst_error *err)
{
	struct template_file *file;

	error_try(template_file_read(&file, path, err));
	return add_file(set, file, diags, err);
}

/* --- a folder ----------------------------------------------------------------------------------------------- */

/* Editors leave hidden files beside those that they edit. */
static int is_template(const struct dirent *entry)
{
	static const char end[] = ".trcfmt";
	size_t n = strlen(entry->d_name), n_end = sizeof(end) - 1;

	return entry->d_name[0] != '.' && n > n_end && strcmp(entry->d_name + n - n_end, end) == 0;
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static enum rst_status cannot_read(const char *path, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "cannot read templates: %s", strerror(errno));
	error_name(err, path);
	return RST_E_IO;
}

static enum rst_status add_folder(
	struct template_set *set, const char *folder, struct diags *diags, struct rst_error *err)
{
	struct dirent **entries;
	int n_entries = scandir(folder, &entries, is_template, by_name);
	enum rst_status status = RST_OK;

	if (n_entries < 0)
		return errno == ENOMEM ? error_nomem(err) : cannot_read(folder, err);
	for (int i = 0; i < n_entries; i++) {
		char *path = NULL;

		if (status == RST_OK && asprintf(&path, "%s/%s", folder, entries[i]->d_name) < 0) {
			path = NULL;
			status = error_nomem(err);
		}
		if (status == RST_OK)
			status = add_path(set, path, diags, err);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

enum rst_status template_search_path(
	struct template_set *set, const char *path, struct diags *diags, struct rst_error *err)
{
	struct stat facts;

	if (strcmp(path, "-") == 0)
		return add_path(set, path, diags, err);
	if (stat(path, &facts) != 0)
		return cannot_read(path, err);
	return S_ISDIR(facts.st_mode) ? add_folder(set, path, diags, err) : add_path(set, path, diags, err);
}

/* --- places that need not exist ------------------------------------------------------------------------------ */

/* A home that we may not look into is as good as none. */
static bool is_folder(const char *path)
{
	struct stat facts;

	return stat(path, &facts) == 0 && S_ISDIR(facts.st_mode) && access(path, R_OK | X_OK) == 0;
}

static enum rst_status add_optional(struct template_set *set, const char *folder, const char *below,
	struct diags *diags, struct rst_error *err)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", folder, below);

	if (n < 0 || (size_t)n >= sizeof(path) || !is_folder(path))
		return RST_OK;
	return add_folder(set, path, diags, err);
}

/* PREFIX/share belongs to the program in PREFIX/bin. */
static enum rst_status add_installed(struct template_set *set, struct diags *diags, struct rst_error *err)
{
	char program[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 1);

	if (n <= 0)
		return RST_OK;
	program[n] = '\0';
	char *slash = strrchr(program, '/');

	if (!slash)
		return RST_OK;
	*slash = '\0';
	return add_optional(set, program, "../share/rastrum/templates", diags, err);
}

/* The XDG Base Directory Specification: a path that is not absolute is to be ignored. */
static enum rst_status add_users(struct template_set *set, struct diags *diags, struct rst_error *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		return add_optional(set, config, "rastrum/templates", diags, err);
	if (home && home[0])
		return add_optional(set, home, ".config/rastrum/templates", diags, err);
	return RST_OK;
}

/* --- all ---------------------------------------------------------------------------------------------------- */

static enum rst_status add_environment(struct template_set *set, struct diags *diags, struct rst_error *err)
{
	const char *value = getenv("RASTRUM_TEMPLATES");
	char *copy = value ? strdup(value) : NULL, *rest = copy, *path;
	enum rst_status status = value && !copy ? error_nomem(err) : RST_OK;

	while (status == RST_OK && (path = strsep(&rest, ":")) != NULL) {
		if (!path[0])
			continue;
		status = template_search_path(set, path, diags, err);
		if (status == RST_E_IO)
			error_advise(err, "$RASTRUM_TEMPLATES names it");
	}
	free(copy);
	return status;
}

enum rst_status template_search(struct template_set *set, size_t n_paths, const char *const *paths,
	struct diags *diags, struct rst_error *err)
{
	for (const struct template_builtin *builtin = template_builtins; builtin->name; builtin++)
		error_try(add_builtin(set, builtin, diags, err));
	error_try(add_installed(set, diags, err));
	error_try(add_users(set, diags, err));
	error_try(add_environment(set, diags, err));
	for (size_t i = 0; i < n_paths; i++)
		error_try(template_search_path(set, paths[i], diags, err));
	return RST_OK;
}
