/* SPDX-License-Identifier: MIT */
#include "cli/opt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/similar.h"
#include "base/text.h"

enum { HELP_WIDTH = 28, SEARCH_NAMES = 140 };

static enum rst_status opt_error(struct rst_error *err, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static enum rst_status opt_error(struct rst_error *err, const char *format, ...)
{
	char text[200];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	return error_set(err, RST_E_USAGE, RST_NO_OFFSET, "%s", text);
}

/* Every command has it, behind its own. */
static const struct opt help_opt = { OPT_HELP, 'h', "help", NULL, 0, "this text", NULL, 0 };

/* Options whose names begin with a word. */
struct search {
	const char *word;
	size_t n_word;
	const struct opt *found;  /* the one with just this name, else the last */
	size_t n_found;		  /* 1 when the name is the whole one */
	char names[SEARCH_NAMES]; /* "--time, --to" */
	struct similar similar;
};

static void search_see(struct search *search, const struct opt *opt)
{
	const bool is_whole = search->found && search->found->name[search->n_word] == '\0';
	size_t n = strlen(search->names);

	similar_offer(&search->similar, opt->name);
	if (is_whole || strncmp(opt->name, search->word, search->n_word) != 0)
		return;
	search->found = opt;
	search->n_found = opt->name[search->n_word] == '\0' ? 1 : search->n_found + 1;
	snprintf(search->names + n, sizeof(search->names) - n, "%s--%s", n ? ", " : "", opt->name);
}

static void search_all(
	struct search *search, const struct opt *const *tables, const char *word, size_t n_word)
{
	*search = (struct search){
		.word = word, .n_word = n_word, .similar = { .word = word, .n_word = n_word, .prefix = "--" }
	};
	for (; *tables; tables++)
		for (const struct opt *opt = *tables; opt->kind != OPT_END; opt++)
			search_see(search, opt);
	search_see(search, &help_opt);
}

/* No option is called so. */
static enum rst_status tell_unknown(const struct search *search, const char *word, struct rst_error *err)
{
	char near[SIMILAR_TEXT_MAX];

	opt_error(err, "there is no option '%s'", word);
	if (similar_text(&search->similar, near))
		error_advise(err, "%s", near);
	return RST_E_USAGE;
}

/* A name may be cut as long as it is clear which one is meant. */
static enum rst_status find_long(
	const struct opt *const *tables, const char *word, const struct opt **ret_opt, struct rst_error *err)
{
	const char *name = word + strlen("--");
	struct search search;

	search_all(&search, tables, name, strcspn(name, "="));
	*ret_opt = search.found;
	if (search.n_word && search.n_found == 1)
		return RST_OK;
	if (!search.n_word || !search.n_found)
		return tell_unknown(&search, word, err);
	opt_error(err, "the option '--%.*s' is ambiguous", (int)search.n_word, name);
	error_advise(err, "it could be %s", search.names);
	return RST_E_USAGE;
}

static const struct opt *find_letter(const struct opt *const *tables, char letter)
{
	for (; *tables; tables++)
		for (const struct opt *opt = *tables; opt->kind != OPT_END; opt++)
			if (opt->letter == letter)
				return opt;
	return letter == help_opt.letter ? &help_opt : NULL;
}

static bool list_add(struct opt_list *list, const char *item)
{
	const char **items = array_room(list->items, list->n_items, &list->room, sizeof(const char *));

	if (!items)
		return false;
	list->items = items;
	items[list->n_items++] = item;
	return true;
}

static enum rst_status list_take(
	struct opt_list *list, const char *value, bool is_split, struct rst_error *err)
{
	char **owned = array_room(list->owned, list->n_owned, &list->owned_room, sizeof(char *));
	char *copy = strdup(value), *part, *rest = copy;

	if (owned)
		list->owned = owned;
	if (!owned || !copy) {
		free(copy);
		return error_nomem(err);
	}
	owned[list->n_owned++] = copy;
	if (!is_split)
		return list_add(list, copy) ? RST_OK : error_nomem(err);
	while ((part = strsep(&rest, ",")) != NULL)
		if (part[0] && !list_add(list, part))
			return error_nomem(err);
	return RST_OK;
}

static enum rst_status take_choice(
	const struct opt *opt, unsigned *choice, const char *value, struct rst_error *err)
{
	struct similar similar = similar_to(value);
	char advice[SIMILAR_TEXT_MAX];

	for (size_t i = 0; i < opt->n_choices; i++) {
		if (!opt->choices[i])
			continue;
		if (strcmp(opt->choices[i], value) == 0) {
			*choice = (unsigned)i;
			return RST_OK;
		}
		similar_offer(&similar, opt->choices[i]);
	}
	opt_error(err, "--%s cannot be '%s'", opt->name, value);
	error_advise(err, "%s", similar_or_all(&similar, advice));
	return RST_E_USAGE;
}

static enum rst_status opt_store(const struct opt *opt, void *args, const char *value, struct rst_error *err)
{
	char *at = (char *)args + opt->offset;

	switch (opt->kind) {
	case OPT_FLAG:
		*(bool *)at = true;
		return RST_OK;
	case OPT_HELP:
		return RST_END;
	case OPT_TEXT:
		*(const char **)(void *)at = value;
		return RST_OK;
	case OPT_NUMBER:
		if (text_parse_u64(value, (uint64_t *)(void *)at))
			return RST_OK;
		if (value[0] && value[strspn(value, "0123456789")] == '\0')
			return opt_error(err, "--%s: %s is too large, the largest number is %" PRIu64,
				opt->name, value, UINT64_MAX);
		return opt_error(err, "--%s needs a number, not '%s'", opt->name, value);
	case OPT_RATE:
		if (text_parse_hz(value, (uint64_t *)(void *)at))
			return RST_OK;
		opt_error(err, "--%s cannot be '%s'", opt->name, value);
		error_advise(err, "it is a whole number of Hz above 0: 168000000, 168MHz, 32.768k, 1e9");
		return RST_E_USAGE;
	case OPT_CHOICE:
		return take_choice(opt, (unsigned *)(void *)at, value, err);
	case OPT_LIST:
		return list_take((struct opt_list *)(void *)at, value, true, err);
	case OPT_FILES:
		return list_take((struct opt_list *)(void *)at, value, false, err);
	case OPT_PAIRS:
		if (!strchr(value, '=') || value[0] == '=')
			return opt_error(err, "--%s needs key=value, not '%s'", opt->name, value);
		return list_take((struct opt_list *)(void *)at, value, false, err);
	case OPT_END:
		break;
	}
	return RST_OK;
}

/* One word of the command line and, where it needs one, the next. *ret_n_used says how many were taken. */
static enum rst_status take_long(const struct opt *const *tables, void *args, char **argv, int n_left,
	int *ret_n_used, struct rst_error *err)
{
	const char *equals = strchr(argv[0], '=');
	const struct opt *opt;

	*ret_n_used = 1;
	error_try(find_long(tables, argv[0], &opt, err));
	if (!opt->argument)
		return equals ? opt_error(err, "--%s takes no value ('%s')", opt->name, equals + 1)
			      : opt_store(opt, args, NULL, err);
	if (equals)
		return opt_store(opt, args, equals + 1, err);
	if (n_left < 2)
		return opt_error(err, "--%s needs a value: %s", opt->name, opt->argument);
	*ret_n_used = 2;
	return opt_store(opt, args, argv[1], err);
}

/* "-t", "-tVALUE", "-t VALUE", and flags run together. */
static enum rst_status take_letters(const struct opt *const *tables, void *args, char **argv, int n_left,
	int *ret_n_used, struct rst_error *err)
{
	*ret_n_used = 1;
	for (const char *letter = argv[0] + 1; *letter; letter++) {
		const struct opt *opt = find_letter(tables, *letter);

		if (!opt) {
			struct search search;

			search_all(&search, tables, argv[0] + 1, strlen(argv[0] + 1));
			return tell_unknown(&search, argv[0], err);
		}
		if (!opt->argument) {
			enum rst_status status = opt_store(opt, args, NULL, err);

			if (status != RST_OK)
				return status;
			continue;
		}
		if (letter[1])
			return opt_store(opt, args, letter + 1, err);
		if (n_left < 2)
			return opt_error(err, "--%s needs a value: %s", opt->name, opt->argument);
		*ret_n_used = 2;
		return opt_store(opt, args, argv[1], err);
	}
	return RST_OK;
}

enum rst_status opt_parse(const struct opt *const *tables, bool has_program, void *args, int argc,
	char **argv, int *ret_n_operands, struct rst_error *err)
{
	int n_operands = 0, n_used;

	for (int i = 0; i < argc; i += n_used) {
		enum rst_status status = RST_OK;

		bool is_operand = argv[i][0] != '-' || argv[i][1] == '\0',
		     is_end = strcmp(argv[i], "--") == 0;

		n_used = 1;
		if (is_end || (is_operand && has_program)) {
			for (i += is_end; i < argc; i++)
				argv[n_operands++] = argv[i];
			break;
		}
		if (is_operand)
			argv[n_operands++] = argv[i];
		else if (argv[i][1] == '-')
			status = take_long(tables, args, argv + i, argc - i, &n_used, err);
		else
			status = take_letters(tables, args, argv + i, argc - i, &n_used, err);
		if (status != RST_OK)
			return status;
	}
	*ret_n_operands = n_operands;
	return RST_OK;
}

void opt_done(const struct opt *const *tables, void *args)
{
	for (; *tables; tables++)
		for (const struct opt *opt = *tables; opt->kind != OPT_END; opt++) {
			struct opt_list *list = (struct opt_list *)(void *)((char *)args + opt->offset);

			if (opt->kind != OPT_LIST && opt->kind != OPT_PAIRS && opt->kind != OPT_FILES)
				continue;
			for (size_t i = 0; i < list->n_owned; i++)
				free(list->owned[i]);
			free(list->owned);
			free(list->items);
		}
}

/* What does not leave room for its words has them in a line of their own. */
static void print_row(const struct opt *opt, FILE *out)
{
	char left[64], letter[5] = "    ";

	if (opt->letter)
		snprintf(letter, sizeof(letter), "-%c, ", opt->letter);
	snprintf(left, sizeof(left), "%s--%s%s%s", letter, opt->name, opt->argument ? " " : "",
		opt->argument ? opt->argument : "");
	if (strlen(left) > HELP_WIDTH)
		fprintf(out, "  %s\n%*s%s\n", left, HELP_WIDTH + 3, "", opt->help);
	else
		fprintf(out, "  %-*s %s\n", HELP_WIDTH, left, opt->help);
}

void opt_help(const struct opt *const *tables, FILE *out)
{
	fputs("\nOptions:\n", out);
	for (; *tables; tables++)
		for (const struct opt *opt = *tables; opt->kind != OPT_END; opt++)
			print_row(opt, out);
	print_row(&help_opt, out);
}
