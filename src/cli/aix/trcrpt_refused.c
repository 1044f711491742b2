/* SPDX-License-Identifier: MIT */
#include "cli/aix/trcrpt.h"

/* The purpose of the options on AIX ("trcrpt Command"), and why they do not exist here. */
static const struct refused {
	char letter;
	size_t offset;
	const char *why, *advice;
} refused[] = {
	{ 'l', offsetof(struct trcrpt_args, components),
		"components are parts of AIX's kernel with buffers of their own, which no recording here has",
		"leave it out: all that the file has is reported" },
	{ 'M', offsetof(struct trcrpt_args, memory),
		"lightweight memory traces are buffers of AIX's kernel, which no recording here has",
		"leave it out: all that the file has is reported" },
	{ '@', offsetof(struct trcrpt_args, partitions),
		"workload partitions (WPAR) are a part of AIX, and recordings here do not name any",
		"choose processes with -p" },
};

static bool trcrpt_refused_is_given(const struct trcrpt_args *args, const struct refused *row)
{
	const void *at = (const char *)args + row->offset;

	return *(const char *const *)at != NULL;
}

enum rst_status trcrpt_refuse(const struct trcrpt_args *args, struct rst_error *err)
{
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		if (trcrpt_refused_is_given(args, &refused[i]))
			return common_refuse(
				err, refused[i].advice, "-%c: %s", refused[i].letter, refused[i].why);
	return RST_OK;
}
