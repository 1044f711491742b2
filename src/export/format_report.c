/* SPDX-License-Identifier: MIT */
/* The formats that the report writes itself: JSON Lines and CSV. */
#include "export/export.h"

static const char *const whats[] = { "events", "intervals", NULL };

static const struct export_option options[] = {
	{ "what", "events (default), or intervals: what threads, locks, … did", whats },
	{ NULL, NULL, NULL },
};

const struct export_format export_format_jsonl = {
	.observer = { .state_bytes = sizeof(struct export_state) },
	.name = "jsonl",
	.extension = ".jsonl",
	.about = "JSON Lines: for jq, scripts, and search",
	.keeps = "events with all fields, names and sentences; losses and damage; or intervals",
	.leaves = "nothing",
	.options = options,
	.report = "jsonl",
	.takes_several = true,
};

const struct export_format export_format_csv = {
	.observer = { .state_bytes = sizeof(struct export_state) },
	.name = "csv",
	.extension = ".csv",
	.about = "CSV: for spreadsheets and R",
	.keeps = "events with all fields (in one column), names and sentences; or intervals",
	.leaves = "types of fields",
	.options = options,
	.report = "csv",
	.takes_several = true,
};
