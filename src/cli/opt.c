/* SPDX-License-Identifier: MIT */
#include "cli/opt.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/similar.h"
#include "base/text.h"

enum { SEARCH_NAMES = 140 };

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

const struct opt opt_help = { OPT_HELP, 'h', "help", .help = "this text" };

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

static void search_all(struct search *search, const struct opt_group *groups, const char *word, size_t n_word)
{
	*search = (struct search){
		.word = word, .n_word = n_word, .similar = { .word = word, .n_word = n_word, .prefix = "--" }
	};
	for (; groups->opts; groups++)
		for (const struct opt *opt = groups->opts; opt->kind != OPT_END; opt++)
			search_see(search, opt);
	search_see(search, &opt_help);
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
enum rst_status opt_find_long(
	const struct opt_group *groups, const char *word, const struct opt **ret_opt, struct rst_error *err)
{
	const char *name = word + strlen("--");
	struct search search;

	search_all(&search, groups, name, strcspn(name, "="));
	*ret_opt = search.found;
	if (search.n_word && search.n_found == 1)
		return RST_OK;
	if (!search.n_word || !search.n_found)
		return tell_unknown(&search, word, err);
	opt_error(err, "the option '--%.*s' is ambiguous", (int)search.n_word, name);
	error_advise(err, "it could be %s", search.names);
	return RST_E_USAGE;
}

const struct opt *opt_find_letter(const struct opt_group *groups, char letter)
{
	for (; groups->opts; groups++)
		for (const struct opt *opt = groups->opts; opt->kind != OPT_END; opt++)
			if (opt->letter == letter)
				return opt;
	return letter == opt_help.letter ? &opt_help : NULL;
}

static bool list_add(struct text_list *list, const char *item)
{
	const char **items = array_room(list->items, list->n_items, &list->room, sizeof(const char *));

	if (!items)
		return false;
	list->items = items;
	items[list->n_items++] = item;
	return true;
}

static enum rst_status list_take(
	struct text_list *list, const char *value, bool is_split, struct rst_error *err)
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
		return list_take((struct text_list *)(void *)at, value, true, err);
	case OPT_FILES:
		return list_take((struct text_list *)(void *)at, value, false, err);
	case OPT_PAIRS:
		if (!strchr(value, '=') || value[0] == '=')
			return opt_error(err, "--%s needs key=value, not '%s'", opt->name, value);
		return list_take((struct text_list *)(void *)at, value, false, err);
	case OPT_END:
		break;
	}
	return RST_OK;
}

/* The words of a command line that are left. */
struct parser {
	const struct opt_group *groups;
	void *args;
	char **argv;
	int n_left;
	int n_used; /* by the present word: one, or two with the next as its value */
	struct opt_parsed *parsed;
	struct rst_error *err;
};

static enum rst_status option_take(struct parser *parser, const struct opt *opt, const char *value)
{
	for (size_t i = 0; parser->groups[i].opts; i++)
		for (const struct opt *row = parser->groups[i].opts; row->kind != OPT_END; row++)
			if (row == opt)
				parser->parsed->given[i] = opt;
	return opt_store(opt, parser->args, value, parser->err);
}

static enum rst_status take_next(struct parser *parser, const struct opt *opt)
{
	if (parser->n_left < 2)
		return opt_error(parser->err, "--%s needs a value: %s", opt->name, opt->argument);
	parser->n_used = 2;
	return option_take(parser, opt, parser->argv[1]);
}

static enum rst_status take_long(struct parser *parser)
{
	const char *equals = strchr(parser->argv[0], '=');
	const struct opt *opt;

	error_try(opt_find_long(parser->groups, parser->argv[0], &opt, parser->err));
	if (!opt->argument && equals)
		return opt_error(parser->err, "--%s takes no value ('%s')", opt->name, equals + 1);
	if (opt->argument && !equals)
		return take_next(parser, opt);
	return option_take(parser, opt, equals ? equals + 1 : NULL);
}

/* "-t", "-tVALUE", "-t VALUE", and flags run together. */
static enum rst_status take_letters(struct parser *parser)
{
	const char *word = parser->argv[0];

	for (const char *letter = word + 1; *letter; letter++) {
		const struct opt *opt = opt_find_letter(parser->groups, *letter);
		struct search search;
		enum rst_status status;

		if (!opt) {
			search_all(&search, parser->groups, word + 1, strlen(word + 1));
			return tell_unknown(&search, word, parser->err);
		}
		if (opt->argument)
			return letter[1] ? option_take(parser, opt, letter + 1) : take_next(parser, opt);
		status = option_take(parser, opt, NULL);
		if (status != RST_OK)
			return status;
	}
	return RST_OK;
}

enum rst_status opt_parse(const struct opt_group *groups, bool has_program, void *args, int argc, char **argv,
	struct opt_parsed *ret_parsed, struct rst_error *err)
{
	struct parser parser = { .groups = groups, .args = args, .parsed = ret_parsed, .err = err };
	int *n_operands = &ret_parsed->n_operands;

	*ret_parsed = (struct opt_parsed){ 0 };
	for (int i = 0; i < argc; i += parser.n_used) {
		const bool is_operand = argv[i][0] != '-' || argv[i][1] == '\0',
			   is_end = strcmp(argv[i], "--") == 0;
		enum rst_status status = RST_OK;

		parser.argv = argv + i;
		parser.n_left = argc - i;
		parser.n_used = 1;
		if (is_end || (is_operand && has_program)) {
			for (i += is_end; i < argc; i++)
				argv[(*n_operands)++] = argv[i];
			break;
		}
		if (is_operand)
			argv[(*n_operands)++] = argv[i];
		else
			status = argv[i][1] == '-' ? take_long(&parser) : take_letters(&parser);
		if (status != RST_OK)
			return status;
	}
	return RST_OK;
}

void opt_done(const struct opt_group *groups, void *args)
{
	for (; groups->opts; groups++)
		for (const struct opt *opt = groups->opts; opt->kind != OPT_END; opt++) {
			struct text_list *list = (struct text_list *)(void *)((char *)args + opt->offset);

			if (opt->kind != OPT_LIST && opt->kind != OPT_PAIRS && opt->kind != OPT_FILES)
				continue;
			for (size_t i = 0; i < list->n_owned; i++)
				free(list->owned[i]);
			free(list->owned);
			free(list->items);
		}
}
