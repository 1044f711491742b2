/* SPDX-License-Identifier: MIT */
#include "cli/hook_groups.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/new_file.h"
#include "base/similar.h"
#include "base/text.h"
#include "cli/cli.h"
#include "template/language/key.h"

enum { FILE_BYTES_MAX = 1 << 20 };

/*
 * The first two are AIX's, as its manual lists them ("trcevgrp Command"); the third is ours:
 * src/dialect/posix/hooks.c.
 */
static const struct hook_group reserved[] = {
	{ "tidhk", "Hooks needed to display thread name", "106,10C,134,139,465", true },
	{ "gka", "GENERAL KERNEL ACTIVITY (files,execs,dispatches)",
		"106,10C,134,139,465,107,135,15B,12E,116,117,200,20E,20F", true },
	{ "linux", "Switches and calls of programs on Linux",
		"001,002,006,00A,100,101,104,106,10C,11A,134,135,139,465,467,606,607,608,609", true },
};

static enum rst_status hook_groups_fail(const char *path, const char *what, struct rst_error *err)
{
	error_set(err, RST_E_IO, RST_NO_OFFSET, "%s: %s", what, strerror(errno));
	error_name(err, path);
	return RST_E_IO;
}

static bool add_group(struct hook_groups *groups, const struct hook_group *group)
{
	struct hook_group *items = array_room(groups->items, groups->n_items, &groups->room, sizeof(*items));

	if (!items)
		return false;
	groups->items = items;
	items[groups->n_items++] = *group;
	return true;
}

/* --- words ---------------------------------------------------------------------------------------------- */

static bool has_hook(const char *hooks, const char *hook, size_t n)
{
	for (const char *at = hooks; *at; at += strcspn(at, ","), at += *at == ',')
		if (strcspn(at, ",") == n && memcmp(at, hook, n) == 0)
			return true;
	return false;
}

enum rst_status hook_list_parse(
	const char **ret_hooks, struct arena *arena, const char *text, struct rst_error *err)
{
	static const char parting[] = ", \t";
	char *hooks = arena_alloc(arena, strlen(text) + 2), *end = hooks;
	char hook[8];

	if (!hooks)
		return error_nomem(err);
	*end = '\0';
	for (text += strspn(text, parting); *text; text += strspn(text, parting)) {
		const size_t n = strcspn(text, parting);

		if (!key_is_hook(text, n))
			return common_refuse(err, "hooks have three or four hexadecimal digits",
				"'%.*s' is no hook", n < 40 ? (int)n : 40, text);
		const size_t n_hook = key_normalise(hook, text, n);

		text += n;
		if (has_hook(hooks, hook, n_hook))
			continue;
		if (end > hooks)
			*end++ = ',';
		end = text_put(end, hook, n_hook);
		*end = '\0';
	}
	if (end == hooks)
		return common_refuse(err, NULL, "a group needs at least one hook");
	*ret_hooks = hooks;
	return RST_OK;
}

static bool is_name(const char *name, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (!strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-", name[i]))
			return false;
	return n > 0 && n <= HOOK_GROUP_NAME_MAX && name[0] != '-';
}

static bool is_description(const char *text, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if ((uint8_t)text[i] < ' ' || text[i] == '"' || text[i] == 0x7f)
			return false;
	return n > 0 && n <= HOOK_GROUP_TEXT_MAX;
}

/* --- the file ------------------------------------------------------------------------------------------- */

/* Without a home there is no file, and reserved groups only. */
static void find_path(struct hook_groups *groups)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = PATH_MAX;

	if (config && config[0] == '/')
		n = snprintf(groups->path, PATH_MAX, "%s/rastrum/hook-groups", config);
	else if (home && home[0])
		n = snprintf(groups->path, PATH_MAX, "%s/.config/rastrum/hook-groups", home);
	if (n >= PATH_MAX)
		groups->path[0] = '\0';
}

/* NAME - DESCRIPTION (user) "HOOKS" */
static enum rst_status take_line(struct hook_groups *groups, char *line, struct rst_error *err)
{
	static const char middle[] = " - ", type[] = " (user) \"";
	char *const dash = strstr(line, middle), *last = strrchr(line, '"'), *mark = NULL;
	struct hook_group group = { .name = line };

	for (char *at = dash ? strstr(dash, type) : NULL; at; at = strstr(at + 1, type))
		mark = at;
	if (!mark || last < mark + sizeof(type) - 1 || last[1] || !is_name(line, (size_t)(dash - line)) ||
		mark < dash + sizeof(middle) - 1)
		return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "'%.60s' is no group of hooks", line);
	*dash = *mark = *last = '\0';
	group.name = arena_copy(&groups->arena, line, strlen(line));
	group.description =
		arena_copy(&groups->arena, dash + sizeof(middle) - 1, strlen(dash + sizeof(middle) - 1));
	error_try(hook_list_parse(&group.hooks, &groups->arena, mark + sizeof(type) - 1, err));
	return group.name && group.description && add_group(groups, &group) ? RST_OK : error_nomem(err);
}

static enum rst_status take_lines(struct hook_groups *groups, char *text, struct rst_error *err)
{
	enum rst_status status = RST_OK;
	char *rest = text, *line;

	while (status == RST_OK && (line = strsep(&rest, "\n")) != NULL)
		if (line[0] && line[0] != '#')
			status = take_line(groups, line, err);
	if (status == RST_E_USAGE) {
		error_name(err, groups->path);
		error_advise(err,
			"a line is NAME - DESCRIPTION (user) \"HOOKS\", as `rastrum trcevgrp -l` lists them");
	}
	return status;
}

static enum rst_status read_file(struct hook_groups *groups, struct rst_error *err)
{
	const int fd = groups->path[0] ? open(groups->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	enum rst_status status = RST_OK;
	struct stat st;
	char *text;

	if (fd < 0)
		return !groups->path[0] || errno == ENOENT || errno == ENOTDIR
			       ? RST_OK
			       : hook_groups_fail(groups->path, "cannot open", err);
	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size > FILE_BYTES_MAX) {
		close(fd);
		error_set(err, RST_E_IO, RST_NO_OFFSET, "this is no file of groups of hooks");
		error_name(err, groups->path);
		return RST_E_IO;
	}
	text = malloc((size_t)st.st_size + 1);
	const ssize_t n = text ? pread(fd, text, (size_t)st.st_size, 0) : 0;

	if (!text)
		status = error_nomem(err);
	else if (n < 0)
		status = hook_groups_fail(groups->path, "cannot read", err);
	else
		text[n] = '\0';
	if (status == RST_OK)
		status = take_lines(groups, text, err);
	free(text);
	close(fd);
	return status;
}

static enum rst_status load(struct hook_groups *groups, struct rst_error *err)
{
	for (size_t i = 0; i < sizeof(reserved) / sizeof(reserved[0]); i++)
		if (!add_group(groups, &reserved[i]))
			return error_nomem(err);
	return read_file(groups, err);
}

enum rst_status hook_groups_load(struct hook_groups *groups, struct rst_error *err)
{
	*groups = (struct hook_groups){ .lock = -1 };
	find_path(groups);
	return load(groups, err);
}

void hook_groups_done(struct hook_groups *groups)
{
	if (groups->lock >= 0)
		close(groups->lock);
	groups->lock = -1;
	free(groups->items);
	groups->items = NULL;
	arena_done(&groups->arena);
}

struct hook_group *hook_groups_find(const struct hook_groups *groups, const char *name, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char advice[SIMILAR_TEXT_MAX];

	for (size_t i = 0; i < groups->n_items; i++) {
		if (strcmp(groups->items[i].name, name) == 0)
			return &groups->items[i];
		similar_offer(&similar, groups->items[i].name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no group of hooks '%.60s'", name);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return NULL;
}

void hook_group_put(struct outbuf *out, const struct hook_group *group)
{
	outbuf_printf(out, "%s - %s (%s) \"%s\"\n", group->name, group->description,
		group->is_reserved ? "reserved" : "user", group->hooks);
}

/* --- changes -------------------------------------------------------------------------------------------- */

/* The folder of the path, without its last slash; it and those above it are made. */
static enum rst_status make_folder(const char *path, char folder[PATH_MAX], struct rst_error *err)
{
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*text_put(folder, path, (size_t)(slash - path)) = '\0';
		if (mkdir(folder, 0777) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
			return hook_groups_fail(folder, "cannot make this folder", err);
	}
	return RST_OK;
}

enum rst_status hook_groups_begin(struct hook_groups *groups, struct rst_error *err)
{
	char folder[PATH_MAX] = "/";

	*groups = (struct hook_groups){ .lock = -1 };
	find_path(groups);
	if (!groups->path[0])
		return common_refuse(err, "set one of them",
			"neither $XDG_CONFIG_HOME nor $HOME names the folder of your groups");
	error_try(make_folder(groups->path, folder, err));
	groups->lock = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (groups->lock < 0)
		return hook_groups_fail(folder, "cannot open", err);
	if (flock(groups->lock, LOCK_EX) != 0)
		return hook_groups_fail(folder, "cannot lock", err);
	return load(groups, err);
}

static enum rst_status check_mine(const struct hook_group *group, struct rst_error *err)
{
	return group->is_reserved ? common_refuse(err, "a group of your own needs another name",
					    "the group '%s' is reserved: it cannot be changed", group->name)
				  : RST_OK;
}

enum rst_status hook_groups_set(struct hook_groups *groups, const char *name, const char *description,
	const char *hooks, bool is_new, struct rst_error *err)
{
	struct hook_group *group = hook_groups_find(groups, name, err), made = { .name = NULL };

	if (!is_name(name, strlen(name)))
		return common_refuse(err, NULL,
			"'%.60s' cannot name a group: letters, digits, '_', '.' and '-', %d at the most",
			name, HOOK_GROUP_NAME_MAX);
	if (description && !is_description(description, strlen(description)))
		return common_refuse(err, NULL,
			"a description has 1 to %d characters of one line, without double quotes",
			HOOK_GROUP_TEXT_MAX);
	if (group)
		error_try(check_mine(group, err));
	if (group && is_new)
		return common_refuse(err, "-u changes it", "the group '%s' is there already", name);
	if (!group && !is_new)
		return RST_E_USAGE;
	if (group)
		made = *group;
	made.name = group ? made.name : arena_copy(&groups->arena, name, strlen(name));
	if (description)
		made.description = arena_copy(&groups->arena, description, strlen(description));
	if (hooks)
		error_try(hook_list_parse(&made.hooks, &groups->arena, hooks, err));
	if (!made.name || !made.description)
		return error_nomem(err);
	if (group)
		*group = made;
	return group || add_group(groups, &made) ? RST_OK : error_nomem(err);
}

enum rst_status hook_groups_remove(struct hook_groups *groups, const char *name, struct rst_error *err)
{
	struct hook_group *group = hook_groups_find(groups, name, err);

	if (!group)
		return RST_E_USAGE;
	error_try(check_mine(group, err));
	const size_t n_behind = groups->n_items - (size_t)(group - groups->items) - 1;

	memmove(group, group + 1, n_behind * sizeof(*group));
	groups->n_items--;
	return RST_OK;
}

enum rst_status hook_groups_save(struct hook_groups *groups, struct rst_error *err)
{
	struct new_file file;
	struct outbuf out;
	bool is_good;

	errno = new_file_open(&file, groups->path, 0644, false);
	if (errno)
		return hook_groups_fail(groups->path, "cannot write beside it", err);
	if (!outbuf_init(&out, file.fd)) {
		new_file_drop(&file);
		return error_nomem(err);
	}
	for (size_t i = 0; i < groups->n_items; i++)
		if (!groups->items[i].is_reserved)
			hook_group_put(&out, &groups->items[i]);
	is_good = outbuf_flush(&out);
	errno = out.error ? out.error : errno;
	is_good = is_good && fchmod(file.fd, 0644) == 0 && fsync(file.fd) == 0;
	if (is_good) {
		errno = new_file_keep(&file, groups->path, true);
		is_good = errno == 0;
	}
	if (!is_good)
		hook_groups_fail(groups->path, "cannot write", err);
	outbuf_done(&out);
	new_file_drop(&file);
	return is_good ? RST_OK : RST_E_IO;
}
