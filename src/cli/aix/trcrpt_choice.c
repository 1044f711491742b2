/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/array.h"
#include "cli/aix/trcrpt.h"
#include "cli/hook_groups.h"
#include "template/language/key.h"

/*
 * Converts a word of -d to a pattern of the filter. If an entry has a hook word, its id is the name of its
 * type. The id of another event is its number, or the number of the hook that it is shown as, in hexadecimal
 * as in the column ID. Other words are names of events.
 */
static char *hook_pattern(struct arena *arena, const char *word, bool is_number, bool is_left_out)
{
	const size_t n = strlen(word);
	char *pattern = arena_alloc(arena, n + sizeof("!0x")), *p = pattern;

	if (!pattern)
		return NULL;
	if (is_left_out)
		*p++ = '!';
	if (is_number)
		*text_put(text_put_literal(p, "0x"), word, n) = '\0';
	else
		p[key_normalise(p, word, n)] = '\0';
	return pattern;
}

/* The words of a list, which live as long as the arena. */
static bool take_words(struct select_list *ret_list, struct arena *arena, const struct text_list *list)
{
	struct words words = { 0 };
	bool is_good = words_add(&words, arena, list);
	const char **items = arena_alloc(arena, (words.n_items + 1) * sizeof(*items));

	is_good &= items != NULL;
	for (size_t i = 0; is_good && i < words.n_items; i++)
		items[i] = words.items[i];
	*ret_list = (struct select_list){ items, words.n_items };
	free(words.items);
	return is_good;
}

/* The hooks of the groups, as words. */
static enum rst_status add_groups(struct words *words, struct arena *arena, const struct text_list *list,
	const struct hook_groups *groups, struct rst_error *err)
{
	struct words names = { 0 };
	enum rst_status status = words_add(&names, arena, list) ? RST_OK : error_nomem(err);

	for (size_t i = 0; i < names.n_items && status == RST_OK; i++) {
		const struct hook_group *group = hook_groups_find(groups, names.items[i], err);
		const char *hooks = group ? group->hooks : NULL;
		const struct text_list parts = { .items = &hooks, .n_items = 1 };

		if (!group)
			status = RST_E_USAGE;
		else if (!words_add(words, arena, &parts))
			status = error_nomem(err);
	}
	free(names.items);
	return status;
}

static bool add_patterns(const char **items, size_t *n_items, struct arena *arena, const struct words *words,
	const char *dialect, bool is_left_out)
{
	const bool may_be_number = strcmp(dialect, "aix") != 0;

	for (size_t i = 0; i < words->n_items; i++) {
		const char *word = words->items[i];
		const bool is_number = may_be_number && key_is_hook(word, strlen(word));

		if (!(items[(*n_items)++] = hook_pattern(arena, word, false, is_left_out)) ||
			(is_number && !(items[(*n_items)++] = hook_pattern(arena, word, true, is_left_out))))
			return false;
	}
	return true;
}

/* -d, -D, -k and -K. Groups are read only when one is named. */
static enum rst_status take_hooks(struct filter_spec *filter, const struct trcrpt_args *args,
	const char *dialect, struct arena *arena, struct rst_error *err)
{
	struct words wanted = { 0 }, left_out = { 0 };
	struct hook_groups groups = { .lock = -1 };
	enum rst_status status =
		words_add(&wanted, arena, &args->hooks) && words_add(&left_out, arena, &args->not_hooks)
			? RST_OK
			: error_nomem(err);
	const char **items = NULL;
	size_t n_items = 0;

	if (status == RST_OK && (args->groups.n_items || args->not_groups.n_items))
		status = hook_groups_load(&groups, err);
	if (status == RST_OK)
		status = add_groups(&wanted, arena, &args->groups, &groups, err);
	if (status == RST_OK)
		status = add_groups(&left_out, arena, &args->not_groups, &groups, err);
	if (status == RST_OK) {
		items = arena_alloc(arena, (2 * (wanted.n_items + left_out.n_items) + 1) * sizeof(*items));
		if (!items || !add_patterns(items, &n_items, arena, &wanted, dialect, false) ||
			!add_patterns(items, &n_items, arena, &left_out, dialect, true))
			status = error_nomem(err);
	}
	filter->types = (struct select_list){ items, n_items };
	hook_groups_done(&groups);
	free(wanted.items);
	free(left_out.items);
	return status;
}

static enum rst_status check_numbers(const struct select_list *list, struct rst_error *err)
{
	uint64_t number;

	for (size_t i = 0; i < list->n_items; i++)
		if (!text_parse_u64(list->items[i], &number))
			return common_refuse(err, "-p takes names, too",
				"-T takes numbers of threads, not '%.40s'", list->items[i]);
	return RST_OK;
}

/* "all" is every processor, as without the option. */
static void open_cores(struct select_list *cores)
{
	for (size_t i = 0; i < cores->n_items; i++)
		if (strcmp(cores->items[i], "all") == 0)
			cores->n_items = 0;
}

/* --- dates ---------------------------------------------------------------------------------------------- */

enum { DATE_DIGITS = 12, CENTURY_TURN = 69 };

static int two_digits(const char *at)
{
	return 10 * (at[0] - '0') + at[1] - '0';
}

/* mmddhhmmssyy in local time, as the original has it; a moment that no calendar has is refused. */
static enum rst_status parse_date(char letter, const char *text, int64_t *ret_ns, struct rst_error *err)
{
	const bool is_date = strlen(text) == DATE_DIGITS && strspn(text, "0123456789") == DATE_DIGITS;
	struct tm given = { .tm_isdst = -1 }, made;
	time_t seconds;

	if (is_date) {
		given.tm_mon = two_digits(text) - 1;
		given.tm_mday = two_digits(text + 2);
		given.tm_hour = two_digits(text + 4);
		given.tm_min = two_digits(text + 6);
		given.tm_sec = two_digits(text + 8);
		given.tm_year = two_digits(text + 10);
		given.tm_year += given.tm_year < CENTURY_TURN ? 100 : 0;
	}
	made = given;
	seconds = mktime(&made);
	if (!is_date || made.tm_mon != given.tm_mon || made.tm_mday != given.tm_mday ||
		made.tm_hour != given.tm_hour || made.tm_min != given.tm_min || made.tm_sec != given.tm_sec)
		return common_refuse(err, "-O starttime= and -O endtime= take seconds since the first entry",
			"-%c takes a date as mmddhhmmssyy, not '%.40s'", letter, text);
	*ret_ns = (int64_t)seconds * 1000000000;
	return RST_OK;
}

static enum rst_status take_dates(
	struct trcrpt_choice *choice, const struct trcrpt_args *args, struct rst_error *err)
{
	if (args->start) {
		error_try(parse_date('s', args->start, &choice->from_wall, err));
		choice->filter.from_wall = &choice->from_wall;
	}
	if (args->end) {
		error_try(parse_date('e', args->end, &choice->to_wall, err));
		choice->to_wall += 999999999; /* all of that second */
		choice->filter.to_wall = &choice->to_wall;
	}
	return RST_OK;
}

enum rst_status trcrpt_choice_make(struct trcrpt_choice *choice, const struct trcrpt_args *args,
	const char *dialect, struct arena *arena, struct rst_error *err)
{
	struct filter_spec *filter = &choice->filter;

	*choice = (struct trcrpt_choice){ .filter = { .hook = trcrpt_hook } };
	error_try(take_hooks(filter, args, dialect, arena, err));
	if (!take_words(&filter->processes, arena, &args->programs) ||
		!take_words(&filter->threads, arena, &args->threads) ||
		!take_words(&filter->cores, arena, &args->cores))
		return error_nomem(err);
	open_cores(&filter->cores);
	error_try(check_numbers(&filter->threads, err));
	return take_dates(choice, args, err);
}
