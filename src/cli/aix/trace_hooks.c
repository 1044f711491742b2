/* SPDX-License-Identifier: MIT */
/*
 * Hooks by their ids: three digits, or four, of which the last counts only for templates ("trace Command": a
 * filter has the first three). Groups stand in files (trcevgrp), a line each: a name and its hooks.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/aix/trace.h"
#include "cli/cli.h"
#include "cli/hook_groups.h"

static void set_add(struct posix_trace_hooks_np *set, unsigned hook)
{
	set->posix_hook_word[hook / 64] |= 1ull << hook % 64;
}

/* Adds the hooks of a normalised list: ids of three digits, or of four. */
static void hooks_add(struct posix_trace_hooks_np *set, const char *hooks)
{
	for (const char *at = hooks; *at; at += strspn(at, ",")) {
		char *end;
		const unsigned long hook = strtoul(at, &end, 16);

		set_add(set, (unsigned)(end - at > 3 ? hook >> 4 : hook));
		at = end;
	}
}

static enum rst_status list_add(const struct text_list *list, const char *option,
	struct posix_trace_hooks_np *set, struct rst_error *err)
{
	struct arena arena = { .chunks = NULL };
	enum rst_status status = RST_OK;
	const char *hooks;

	for (size_t i = 0; i < list->n_items && status == RST_OK; i++) {
		status = hook_list_parse(&hooks, &arena, list->items[i], err);
		if (status == RST_OK)
			hooks_add(set, hooks);
	}
	if (status == RST_E_USAGE)
		error_name(err, option);
	arena_done(&arena);
	return status;
}

static enum rst_status groups_add(const struct hook_groups *groups, const struct text_list *list,
	struct posix_trace_hooks_np *set, struct rst_error *err)
{
	for (size_t i = 0; i < list->n_items; i++) {
		const struct hook_group *group = hook_groups_find(groups, list->items[i], err);

		if (!group)
			return RST_E_USAGE;
		hooks_add(set, group->hooks);
	}
	return RST_OK;
}

static enum rst_status both_groups_add(const struct trace_args *args, struct posix_trace_hooks_np *wanted,
	struct posix_trace_hooks_np *unwanted, struct rst_error *err)
{
	struct hook_groups groups;
	enum rst_status status;

	if (!args->groups.n_items && !args->not_groups.n_items)
		return RST_OK;
	status = hook_groups_load(&groups, err);
	if (status == RST_OK)
		status = groups_add(&groups, &args->groups, wanted, err);
	if (status == RST_OK)
		status = groups_add(&groups, &args->not_groups, unwanted, err);
	hook_groups_done(&groups);
	return status;
}

#define OWN_HOOKS 0xffffull /* the session's own, below 010 */

/* The user's group of this name, if there is one. */
static void group_add(const struct hook_groups *groups, const char *name, struct posix_trace_hooks_np *set)
{
	for (size_t i = 0; i < groups->n_items; i++)
		if (strcmp(groups->items[i].name, name) == 0)
			hooks_add(set, groups->items[i].hooks);
}

enum rst_status trace_rings_read(const struct trace_args *args, struct posix_trace_hooks_np *ret_common,
	struct posix_trace_hooks_np *ret_rare, struct rst_error *err)
{
	struct hook_groups groups;
	enum rst_status status;

	*ret_common = *ret_rare = (struct posix_trace_hooks_np){ { OWN_HOOKS } };
	ret_common->posix_hook_word[0] = 0;
	status = hook_groups_load(&groups, err);
	if (status == RST_OK) {
		group_add(&groups, "common", ret_common);
		group_add(&groups, "rare", ret_rare);
	}
	hook_groups_done(&groups);
	if (status == RST_OK)
		status = list_add(&args->common, "--common", ret_common, err);
	return status == RST_OK ? list_add(&args->rare, "--rare", ret_rare, err) : status;
}

/* The session's own entries are always there. */
enum rst_status trace_hooks_read(
	const struct trace_args *args, struct posix_trace_hooks_np *ret_disabled, struct rst_error *err)
{
	struct posix_trace_hooks_np wanted = { { 0 } }, unwanted = { { 0 } };
	const bool has_wanted = args->hooks.n_items || args->groups.n_items;

	if (has_wanted && (args->not_hooks.n_items || args->not_groups.n_items))
		return common_refuse(
			err, "give -j and -J, or -k and -K", "hooks are either chosen or left out, not both");
	error_try(list_add(&args->hooks, "-j", &wanted, err));
	error_try(list_add(&args->not_hooks, "-k", &unwanted, err));
	error_try(both_groups_add(args, &wanted, &unwanted, err));
	for (unsigned i = 0; i < sizeof(wanted.posix_hook_word) / sizeof(wanted.posix_hook_word[0]); i++)
		ret_disabled->posix_hook_word[i] =
			has_wanted ? ~wanted.posix_hook_word[i] : unwanted.posix_hook_word[i];
	ret_disabled->posix_hook_word[0] &= ~OWN_HOOKS;
	return RST_OK;
}
