/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/array.h"
#include "base/similar.h"
#include "cli/aix/trcrpt.h"

static char *copy_word(struct arena *arena, const char *bytes, size_t n_bytes)
{
	char *copy = arena_alloc(arena, n_bytes + 1);

	if (copy)
		*text_put(copy, bytes, n_bytes) = '\0';
	return copy;
}

/* Options are parted at commas already; lists of groups are not. */
bool words_add(struct words *words, struct arena *arena, const struct text_list *list)
{
	static const char blanks[] = " \t,";

	for (size_t i = 0; i < list->n_items; i++)
		for (const char *at = list->items[i] + strspn(list->items[i], blanks); *at;
			at += strspn(at, blanks)) {
			const size_t n = strcspn(at, blanks);
			const char **items =
				array_room(words->items, words->n_items, &words->room, sizeof(*items));

			if (!items)
				return false;
			words->items = items;
			items[words->n_items] = copy_word(arena, at, n);
			if (!items[words->n_items++])
				return false;
			at += n;
		}
	return true;
}

enum setting_kind { SET_COLUMN, SET_SWITCH, SET_PAGES, SET_STAMP, SET_MOMENT, SET_REFUSED };

/* In the order of the manual. */
static const struct setting {
	const char *name;
	enum setting_kind kind;
	enum aix_column column;
	size_t offset; /* in struct trcrpt_settings */
	const char *why;
} rows[] = {
	{ .name = "2line",
		.kind = SET_SWITCH,
		.offset = offsetof(struct trcrpt_settings, look.has_two_lines) },
	{ .name = "component", .kind = SET_REFUSED, .why = "entries here have no component of AIX's kernel" },
	{ .name = "cpuid", .kind = SET_COLUMN, .column = AIX_CPU },
	{ .name = "endtime", .kind = SET_MOMENT, .offset = offsetof(struct trcrpt_settings, to) },
	{ .name = "exec", .kind = SET_COLUMN, .column = AIX_EXEC },
	{ .name = "filename", .kind = SET_COLUMN, .column = AIX_FILE },
	{ .name = "hist", .kind = SET_SWITCH, .offset = offsetof(struct trcrpt_settings, has_counts) },
	{ .name = "ids", .kind = SET_COLUMN, .column = AIX_ID },
	{ .name = "pagesize", .kind = SET_PAGES },
	{ .name = "pid", .kind = SET_COLUMN, .column = AIX_PID },
	{ .name = "PURR",
		.kind = SET_REFUSED,
		.why = "no recording here has the counter of processor use that PURR is" },
	{ .name = "removedups",
		.kind = SET_SWITCH,
		.offset = offsetof(struct trcrpt_settings, removes_duplicates) },
	{ .name = "reportedcpus",
		.kind = SET_REFUSED,
		.why = "a trace is read once, and which processors have no more events is known at its end "
		       "only" },
	{ .name = "starttime", .kind = SET_MOMENT, .offset = offsetof(struct trcrpt_settings, from) },
	{ .name = "svc", .kind = SET_COLUMN, .column = AIX_SVC },
	{ .name = "tid", .kind = SET_COLUMN, .column = AIX_TID },
	{ .name = "timestamp", .kind = SET_STAMP },
};

enum { N_ROWS = sizeof(rows) / sizeof(rows[0]), PAGE_LINES_MAX = 500 };

static const struct setting *find_setting(const char *word, size_t n_name, struct rst_error *err)
{
	struct similar similar = { .word = word, .n_word = n_name };
	char advice[SIMILAR_TEXT_MAX];

	for (size_t i = 0; i < N_ROWS; i++) {
		if (strlen(rows[i].name) == n_name && strncmp(rows[i].name, word, n_name) == 0)
			return &rows[i];
		similar_offer(&similar, rows[i].name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "-O: there is no setting '%.*s'",
		n_name > 40 ? 40 : (int)n_name, word);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return NULL;
}

static enum rst_status read_switch(
	const struct setting *row, const char *value, bool *ret_is_on, struct rst_error *err)
{
	*ret_is_on = strcmp(value, "on") == 0;
	if (*ret_is_on || strcmp(value, "off") == 0)
		return RST_OK;
	return common_refuse(err, NULL, "-O %s is on or off, not '%.40s'", row->name, value);
}

static enum rst_status read_number(const struct setting *row, const char *value, unsigned most,
	unsigned *ret_number, struct rst_error *err)
{
	uint64_t number;

	if (!text_parse_u64(value, &number) || number > most)
		return common_refuse(
			err, NULL, "-O %s is a number from 0 to %u, not '%.40s'", row->name, most, value);
	*ret_number = (unsigned)number;
	return RST_OK;
}

/* Seconds as times_parse() reads them. */
static enum rst_status trcrpt_settings_read_moment(const struct setting *row, const char *value,
	struct arena *arena, const char **ret_moment, struct rst_error *err)
{
	const size_t n = strlen(value);
	char *moment;

	if (n == 0 || strspn(value, "0123456789.") != n || value[0] == '.' ||
		strchr(value, '.') != strrchr(value, '.'))
		return common_refuse(err, NULL, "-O %s is a number of seconds, such as 1.5, not '%.40s'",
			row->name, value);
	moment = arena_alloc(arena, n + 2);
	if (!moment)
		return error_nomem(err);
	memcpy(text_put(moment, value, n), "s", 2);
	*ret_moment = moment;
	return RST_OK;
}

static enum rst_status read_setting(
	struct trcrpt_settings *settings, const char *word, struct arena *arena, struct rst_error *err)
{
	const size_t n_name = strcspn(word, "=");
	const struct setting *row = find_setting(word, n_name, err);
	const char *value = word + n_name + 1;
	unsigned number = 0;
	bool is_on = false;

	if (!row)
		return RST_E_USAGE;
	if (!word[n_name])
		return common_refuse(err, NULL, "-O %s needs a value: %s=...", row->name, row->name);
	void *at = (char *)settings + row->offset;

	switch (row->kind) {
	case SET_SWITCH:
		return read_switch(row, value, at, err);
	case SET_MOMENT:
		return trcrpt_settings_read_moment(row, value, arena, at, err);
	case SET_PAGES:
		return read_number(row, value, PAGE_LINES_MAX, &settings->look.page_lines, err);
	case SET_STAMP:
		error_try(read_number(row, value, N_AIX_STAMPS - 1, &number, err));
		settings->look.stamp = (enum aix_stamp)number;
		return RST_OK;
	case SET_COLUMN:
		error_try(read_switch(row, value, &is_on, err));
		settings->look.columns &= ~(1U << row->column);
		settings->look.columns |= (unsigned)is_on << row->column;
		return RST_OK;
	case SET_REFUSED:
		error_try(read_switch(row, value, &is_on, err));
		return is_on ? common_refuse(err, NULL, "-O %s=on: %s", row->name, row->why) : RST_OK;
	}
	return RST_OK;
}

enum rst_status trcrpt_settings_read(struct trcrpt_settings *settings, const struct trcrpt_args *args,
	struct arena *arena, struct rst_error *err)
{
	struct words words = { 0 };
	enum rst_status status = words_add(&words, arena, &args->settings) ? RST_OK : error_nomem(err);

	*settings = (struct trcrpt_settings){ .look.columns = 1U << AIX_ID };
	if (args->wants_calls)
		settings->look.columns |= 1U << AIX_EXEC | 1U << AIX_SVC;
	for (size_t i = 0; i < words.n_items && status == RST_OK; i++)
		status = read_setting(settings, words.items[i], arena, err);
	free(words.items);
	return status;
}
