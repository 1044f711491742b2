/* SPDX-License-Identifier: MIT */
#include "cli/trcrpt/trcrpt.h"

/* What the options are for on AIX ("trcrpt Command"), and why there is no such thing here. */
static const struct refused {
	char letter;
	bool is_flag;
	size_t offset;
	const char *why, *advice;
} refused[] = {
	{ 'D', false, offsetof(struct trcrpt_args, groups),
		"hook groups are made by trcevgrp, which Rastrum does not have", "name the hooks with -d" },
	{ 'G', true, offsetof(struct trcrpt_args, wants_groups),
		"hook groups are made by trcevgrp, which Rastrum does not have",
		"-j lists the hooks that have a template" },
	{ 'K', false, offsetof(struct trcrpt_args, not_groups),
		"hook groups are made by trcevgrp, which Rastrum does not have", "name the hooks with -k" },
	{ 'l', false, offsetof(struct trcrpt_args, components),
		"components are parts of AIX's kernel with buffers of their own, which no recording here has",
		"leave it out: all that the file has is reported" },
	{ 'M', false, offsetof(struct trcrpt_args, memory),
		"lightweight memory traces are buffers of AIX's kernel, which no recording here has",
		"leave it out: all that the file has is reported" },
	{ '@', false, offsetof(struct trcrpt_args, partitions),
		"workload partitions (WPAR) are a part of AIX, and recordings here do not name any",
		"choose processes with -p" },
};

static bool is_given(const struct trcrpt_args *args, const struct refused *row)
{
	const void *at = (const char *)args + row->offset;

	return row->is_flag ? *(const bool *)at : *(const char *const *)at != NULL;
}

enum rst_status trcrpt_refuse(const struct trcrpt_args *args, struct rst_error *err)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (is_given(args, &refused[i]))
			return common_refuse(
				err, refused[i].advice, "-%c: %s", refused[i].letter, refused[i].why);
	return RST_OK;
}
