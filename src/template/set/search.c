/* SPDX-License-Identifier: MIT */
#include "template/set/search.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"

/* The actions on each file that a search finds, lowest source first. */
struct search {
	/* A file that was named, or that a folder has; then it is a regular one. "-" is standard input. */
	enum rst_status (*file)(
		struct search *search, const char *path, bool is_named, struct rst_error *err);

	/* Takes an entry of a folder that cannot be a file of templates; NULL if such entries are ignored. */
	void (*other)(struct search *search, const char *path, const char *why);

	/* To load them. */
	struct template_set *set;
	struct diags *diags;

	const struct stat *output; /* to compare them with */
	const struct stat *trace;  /* in the folder of a project: whose it is; or NULL */
};

/* --- folders and paths ---------------------------------------------------------------------------------- */

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

/* Whether a search reads files of this owner that the user has not named. */
static bool is_trusted(const struct search *search, const struct stat *st)
{
	return !search->trace || st->st_uid == geteuid() || st->st_uid == 0 ||
	       st->st_uid == search->trace->st_uid;
}

/* Reading a pipe would wait, perhaps for ever. */
static enum rst_status search_entry(struct search *search, const char *path, struct rst_error *err)
{
	struct stat st, link; /* another user may link to a file of this user's */
	const char *why = "it is not a regular file";

	if (stat(path, &st) != 0 || lstat(path, &link) != 0)
		why = strerror(errno);
	else if (!is_trusted(search, &st) || !is_trusted(search, &link))
		why = "it belongs to another user";
	else if (S_ISREG(st.st_mode))
		return search->file(search, path, false, err);
	if (search->other)
		search->other(search, path, why);
	return RST_OK;
}

static enum rst_status search_folder(struct search *search, const char *folder, struct rst_error *err)
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
			status = search_entry(search, path, err);
		free(path);
		free(entries[i]);
	}
	free(entries);
	return status;
}

static enum rst_status search_path(struct search *search, const char *path, struct rst_error *err)
{
	struct stat st;

	if (strcmp(path, "-") == 0)
		return search->file(search, path, true, err);
	if (stat(path, &st) != 0)
		return cannot_read(path, err);
	return S_ISDIR(st.st_mode) ? search_folder(search, path, err) : search->file(search, path, true, err);
}

/* --- folders that need not exist ------------------------------------------------------------------------ */

/* A home directory that the program may not search counts as absent. */
static bool is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode) && access(path, R_OK | X_OK) == 0;
}

static enum rst_status search_optional(
	struct search *search, const char *folder, const char *below, struct rst_error *err)
{
	char path[PATH_MAX];
	int n = snprintf(path, sizeof(path), "%s/%s", folder, below);

	if (n < 0 || (size_t)n >= sizeof(path) || !is_folder(path))
		return RST_OK;
	return search_folder(search, path, err);
}

/* PREFIX/share belongs to the program in PREFIX/bin. The kernel's path contains neither links nor "..". */
static enum rst_status search_installed(struct search *search, struct rst_error *err)
{
	char path[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", path, sizeof(path) - 1);

	path[n > 0 ? n : 0] = '\0';
	for (int i = 0; i < 2; i++) {
		char *slash = strrchr(path, '/');

		if (!slash)
			return RST_OK;
		*slash = '\0';
	}
	return search_optional(search, path, "share/rastrum/templates", err);
}

/* The XDG Base Directory Specification: a path that is not absolute is to be ignored. */
static enum rst_status search_users(struct search *search, struct rst_error *err)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		return search_optional(search, config, "rastrum/templates", err);
	if (home && home[0])
		return search_optional(search, home, ".config/rastrum/templates", err);
	return RST_OK;
}

bool template_search_project(const char *trace, char folder[PATH_MAX])
{
	const char *slash = trace ? strrchr(trace, '/') : NULL;
	struct stat st;

	if (!trace || strlen(trace) >= PATH_MAX || stat(trace, &st) != 0 ||
		!(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
		return false;
	if (S_ISDIR(st.st_mode))
		strcpy(folder, trace);
	else if (!slash)
		strcpy(folder, ".");
	else
		*text_put(folder, trace, (size_t)(slash - trace) + (slash == trace)) = '\0';
	return true;
}

static enum rst_status search_project(struct search *search, const char *trace, struct rst_error *err)
{
	char folder[PATH_MAX];
	enum rst_status status;
	struct stat st;

	if (!template_search_project(trace, folder) || !is_folder(folder) || stat(trace, &st) != 0)
		return RST_OK;
	search->trace = &st;
	status = search_folder(search, folder, err);
	search->trace = NULL;
	return status;
}

/* --- all sources ---------------------------------------------------------------------------------------- */

static enum rst_status search_environment(struct search *search, struct rst_error *err)
{
	const char *value = getenv("RASTRUM_TEMPLATES");
	char *copy = value ? strdup(value) : NULL, *rest = copy, *path;
	enum rst_status status = value && !copy ? error_nomem(err) : RST_OK;

	while (status == RST_OK && (path = strsep(&rest, ":")) != NULL) {
		if (!path[0])
			continue;
		if (strcmp(path, "-") == 0)
			status = error_set(err, RST_E_USAGE, RST_NO_OFFSET,
				"$RASTRUM_TEMPLATES names standard input, which is for --templates alone");
		else
			status = search_path(search, path, err);
		if (status == RST_E_IO)
			error_advise(err, "$RASTRUM_TEMPLATES names it");
	}
	free(copy);
	return status;
}

static enum rst_status search_all(struct search *search, const char *trace, size_t n_paths,
	const char *const *paths, struct rst_error *err)
{
	error_try(search_installed(search, err));
	error_try(search_users(search, err));
	error_try(search_project(search, trace, err));
	error_try(search_environment(search, err));
	for (size_t i = 0; i < n_paths; i++)
		error_try(search_path(search, paths[i], err));
	return RST_OK;
}

/* --- to load them --------------------------------------------------------------------------------------- */

/* Takes the file over. */
static enum rst_status add_file(
	struct template_set *set, struct template_file *file, struct diags *diags, struct rst_error *err)
{
	if (!template_file_is_of(file, set->dialect)) {
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
	if (!file)
		return error_nomem(err);
	file->is_builtin = true;
	return add_file(set, file, diags, err);
}

/* One warning; a long path is shown by its end, where the name is. */
static void pass_over(struct search *search, const char *path, const char *why)
{
	enum { SHOWN_MAX = 100 };
	size_t n = strlen(path);

	diag_add(search->diags, "W05", (struct diag_location){ .file = NULL },
		"%s%s cannot be read and is passed over: %s", n > SHOWN_MAX ? "…" : "",
		path + (n > SHOWN_MAX ? n - SHOWN_MAX : 0), why);
}

/* A copy of a built-in file is the program's own wherever it lies; one that was changed is its author's. */
static bool is_delivered(const struct template_file *file)
{
	for (const struct template_builtin *builtin = template_builtins; builtin->name; builtin++)
		if (builtin->n_bytes == file->n_bytes &&
			memcmp(builtin->text, file->text, file->n_bytes) == 0)
			return true;
	return false;
}

static enum rst_status load_file(
	struct search *search, const char *path, bool is_named, struct rst_error *err)
{
	struct template_file *file;
	struct rst_error own;
	enum rst_status status = template_file_read(&file, path, &own);

	if (status == RST_E_IO && !is_named) {
		pass_over(search, path, own.what);
		return RST_OK;
	}
	if (status == RST_OK) {
		file->is_builtin = is_delivered(file);
		return add_file(search->set, file, search->diags, err);
	}
	if (err)
		*err = own;
	return status;
}

enum rst_status template_search_path(
	struct template_set *set, const char *path, struct diags *diags, struct rst_error *err)
{
	struct search search = { .file = load_file, .other = pass_over, .set = set, .diags = diags };

	return search_path(&search, path, err);
}

enum rst_status template_search(struct template_set *set, const char *trace, size_t n_paths,
	const char *const *paths, struct diags *diags, struct rst_error *err)
{
	struct search search = { .file = load_file, .other = pass_over, .set = set, .diags = diags };

	for (const struct template_builtin *builtin = template_builtins; builtin->name; builtin++)
		error_try(add_builtin(set, builtin, diags, err));
	return search_all(&search, trace, n_paths, paths, err);
}

/* --- questions about them ------------------------------------------------------------------------------- */

static enum rst_status compare_file(
	struct search *search, const char *path, bool is_named, struct rst_error *err)
{
	struct stat st;

	(void)is_named;
	if (strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) != 0 : stat(path, &st) != 0)
		return RST_OK;
	if (!S_ISREG(st.st_mode) || st.st_dev != search->output->st_dev ||
		st.st_ino != search->output->st_ino)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"templates are read from this file; it would be overwritten");
	error_name(err, path);
	return RST_E_USAGE;
}

enum rst_status template_search_spares(const struct stat *output, size_t n_traces, char **traces,
	size_t n_paths, const char *const *paths, struct rst_error *err)
{
	struct search search = { .file = compare_file, .output = output };

	for (size_t i = 0; i < n_traces; i++)
		error_try(search_project(&search, traces[i], err));
	return search_all(&search, NULL, n_paths, paths, err);
}

bool template_search_gave(const struct template_set *set, const char *path)
{
	const char *wanted = strcmp(path, "-") == 0 ? template_input_name : path;
	const size_t n_wanted = strlen(wanted);

	for (size_t i = 0; i < set->n_stanzas; i++) {
		const char *name = set->stanzas[i]->file->name;

		if (strncmp(name, wanted, n_wanted) == 0 && (name[n_wanted] == '\0' || name[n_wanted] == '/'))
			return true;
	}
	return false;
}
