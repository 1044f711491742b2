/* SPDX-License-Identifier: MIT */
/*
 * Groups of hooks, as AIX's trcevgrp makes them: a name for a list of hooks. A line each, in files and in
 * lists:
 *
 *	tidhk - Hooks needed to display thread name (reserved) "106,10C,134,139,465"
 *
 * Reserved ones are the program's; the user's are in ~/.config/rastrum/hook-groups.
 */
#ifndef CLI_HOOK_GROUPS_H
#define CLI_HOOK_GROUPS_H

#include <limits.h>

#include "base/arena.h"
#include "base/outbuf.h"
#include "cli/opt.h"

enum { HOOK_GROUP_NAME_MAX = 64, HOOK_GROUP_TEXT_MAX = 1024 };

struct hook_group {
	const char *name, *description;
	const char *hooks; /* "106,10C": normalised, each once */
	bool is_reserved;
};

struct hook_groups {
	struct arena arena;
	struct hook_group *items; /* reserved ones first, then the user's in the order of the file */
	size_t n_items, room;
	char path[PATH_MAX]; /* the user's file; empty: neither $XDG_CONFIG_HOME nor $HOME says where */
	int lock;	     /* its folder, while the file is changed; -1 if it is not */
};

/*
 * Reads all groups. Returns RST_E_USAGE if a line of the user's file is not a group; RST_E_IO; RST_E_NOMEM.
 * hook_groups_done() is due in any case.
 */
enum rst_status hook_groups_load(struct hook_groups *groups, struct rst_error *err);
void hook_groups_done(struct hook_groups *groups);

/* Returns NULL if no group has that name; err has a name with a similar spelling then, or all names. */
struct hook_group *hook_groups_find(
	const struct hook_groups *groups, const char *name, struct rst_error *err);

/* As in lists. */
void hook_group_put(struct outbuf *out, const struct hook_group *group);

/*
 * Normalises a list of hooks, separated by commas and blanks, as text in the arena. Returns RST_E_USAGE if a
 * word is not a hook or the list is empty; RST_E_NOMEM.
 */
enum rst_status hook_list_parse(
	const char **ret_hooks, struct arena *arena, const char *text, struct rst_error *err);

/* --- changing the user's groups ------------------------------------------------------------------------- */

/*
 * The same as load, while no other program changes the file; its folder is made. Then what follows, and save.
 */
enum rst_status hook_groups_begin(struct hook_groups *groups, struct rst_error *err);

/*
 * Returns RST_E_USAGE if the name or description cannot be one, or such a group exists (is_new) or does not,
 * or is reserved.
 */
enum rst_status hook_groups_set(struct hook_groups *groups, const char *name, const char *description,
	const char *hooks, bool is_new, struct rst_error *err);
enum rst_status hook_groups_remove(struct hook_groups *groups, const char *name, struct rst_error *err);

/* Writes the user's groups to a new file, which takes the place of the old one. RST_E_IO. */
enum rst_status hook_groups_save(struct hook_groups *groups, struct rst_error *err);

#endif
