/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/completion.h"

/* The meaning of the words of a line. */
struct line {
	const struct command *command;
	const struct opt *option; /* whose value the word at the cursor is; NULL: none */
	bool has_ended;		  /* the options, before the cursor */
	int n_operands;		  /* before the cursor */
	const char *first;	  /* operand of all the line; NULL: none */
	const char *dialect;
	int program; /* index of the first operand before the cursor, or of the cursor, when it is a program; -1: none */
};

static const char *const kind_names[] = {
	[COMPLETION_WORDS] = "words",
	[COMPLETION_LIST] = "list",
	[COMPLETION_PART] = "part",
	[COMPLETION_FILES] = "files",
	[COMPLETION_PROGRAM] = "program",
};

void completion_begin(struct completion *completion, enum completion_kind kind, size_t n)
{
	completion->text += n;
	completion->n_kept += n;
	outbuf_printf(completion->out, "%s %zu\n", kind_names[kind], completion->n_kept);
}

/* A control character would end the candidate or the line: such a name cannot be completed. */
static bool has_control(const char *name)
{
	for (; *name; name++)
		if ((unsigned char)*name < ' ' || *name == '\177')
			return true;
	return false;
}

void completion_offer(struct completion *completion, const char *name, const char *what)
{
	if (!name[0] || has_control(name) || strncmp(name, completion->text, strlen(completion->text)) != 0)
		return;
	outbuf_puts(completion->out, name);
	if (what && what[0]) {
		outbuf_puts(completion->out, "\t");
		outbuf_clean(completion->out, what);
	}
	outbuf_puts(completion->out, "\n");
}

bool completion_offer_choices(struct completion *completion, const char *choices)
{
	char word[40];

	if (!strchr(choices, '|') || choices[strcspn(choices, "ABCDEFGHIJKLMNOPQRSTUVWXYZ")])
		return false;
	for (size_t n; *choices; choices += n + (choices[n] == '|')) {
		n = strcspn(choices, "|");
		snprintf(word, sizeof(word), "%.*s", (int)n, choices);
		completion_offer(completion, word, NULL);
	}
	return true;
}

/* --- the words ---------------------------------------------------------------------------------------------------- */

static void see_value(struct line *line, const struct opt *opt, const char *value)
{
	if (strcmp(opt->name, "dialect") == 0)
		line->dialect = value;
}

/* Returns the option that takes the next word as its value; NULL if none does. */
static const struct opt *see_option(struct line *line, const char *word)
{
	const struct opt_group *groups = line->command->groups;
	const char *equals = strchr(word, '=');
	const struct opt *opt;

	if (word[1] == '-') {
		if (opt_find_long(groups, word, &opt, NULL) < 0 || !opt->argument)
			return NULL;
		if (equals)
			see_value(line, opt, equals + 1);
		return equals ? NULL : opt;
	}
	for (const char *letter = word + 1; *letter; letter++) {
		opt = opt_find_letter(groups, *letter);
		if (!opt)
			return NULL;
		if (opt->argument && !letter[1])
			return opt;
		if (opt->argument) {
			see_value(line, opt, letter + 1);
			return NULL;
		}
	}
	return NULL;
}

/* An operand, before the cursor or behind it; the word at the cursor itself is only one that begins. */
static void see_operand(struct line *line, int i, int index, const char *word)
{
	if (line->command->has_program && line->program < 0)
		line->program = i;
	if (i < index)
		line->n_operands++;
	if (i != index && !line->first)
		line->first = word;
}

static void see_words(struct line *line, int index, int n_words, char **words)
{
	const struct opt *awaits = NULL;
	bool has_ended = false;

	for (int i = 1; i < n_words && (line->program < 0 || i <= index); i++) {
		const bool is_option = words[i][0] == '-' && words[i][1] && !has_ended && line->program < 0;

		if (i == index) {
			line->option = awaits;
			line->has_ended = has_ended;
		}
		if (awaits) {
			if (i != index)
				see_value(line, awaits, words[i]);
			awaits = NULL;
		} else if (is_option && strcmp(words[i], "--") == 0) {
			has_ended = i != index;
		} else if (is_option) {
			awaits = i == index ? NULL : see_option(line, words[i]);
		} else if (i != index || words[i][0] != '-') {
			see_operand(line, i, index, words[i]);
		}
	}
}

/* --- what is asked for ------------------------------------------------------------------------------------------- */

static void answer_commands(struct completion *completion, bool has_others)
{
	completion_begin(completion, COMPLETION_WORDS, 0);
	for (size_t i = 0; commands[i]; i++)
		if (!commands[i]->is_hidden)
			completion_offer(completion, commands[i]->name, commands[i]->summary);
	if (!has_others)
		return;
	completion_offer(completion, "help", "the options of a command");
	if (completion->text[0] != '-')
		return;
	completion_offer(completion, "--help", "the commands");
	completion_offer(completion, "--version", "the version");
}

static void answer_subcommands(struct completion *completion, const struct command *command)
{
	completion_begin(completion, COMPLETION_WORDS, 0);
	for (const struct subcommand *sub = command->subcommands; sub && sub->name; sub++)
		completion_offer(completion, sub->name, sub->summary);
}

/* If the line has a subcommand, only the options for that subcommand are offered. */
static void answer_options(struct completion *completion, const struct line *line)
{
	const int sub = line->first ? command_subcommand(line->command, line->first) : -1;
	char name[64];

	completion_begin(completion, COMPLETION_WORDS, 0);
	for (const struct opt_group *group = line->command->groups; group->opts; group++) {
		if (sub >= 0 && !command_has_options(group, sub))
			continue;
		for (const struct opt *opt = group->opts; opt->kind != OPT_END; opt++) {
			snprintf(name, sizeof(name), "--%s", opt->name);
			completion_offer(completion, name, opt->help);
		}
	}
	completion_offer(completion, "--help", opt_help.help);
}

/* A value of which the word has n bytes before it. */
static void answer_value(struct completion *completion, const struct opt *opt, size_t n)
{
	completion->text += n;
	completion->n_kept += n;
	if (opt->complete) {
		opt->complete(completion);
		return;
	}
	completion_begin(completion, COMPLETION_WORDS, 0);
	if (!opt->choices)
		completion_offer_choices(completion, opt->argument);
	for (size_t i = 0; i < opt->n_choices; i++)
		if (opt->choices[i])
			completion_offer(completion, opt->choices[i], NULL);
}

/* "--format=js" and "-fjs". Returns false if the word is no such. */
static bool answer_joined_value(struct completion *completion, const struct line *line, const char *word)
{
	const char *equals = strchr(word, '=');
	const struct opt *opt;

	if (word[0] != '-' || !word[1] || strcmp(word, "--") == 0)
		return false;
	if (word[1] == '-') {
		if (!equals || opt_find_long(line->command->groups, word, &opt, NULL) < 0 || !opt->argument)
			return false;
		answer_value(completion, opt, (size_t)(equals - word) + 1);
		return true;
	}
	for (const char *letter = word + 1; *letter; letter++) {
		opt = opt_find_letter(line->command->groups, *letter);
		if (!opt)
			return false;
		if (opt->argument) {
			answer_value(completion, opt, (size_t)(letter - word) + 1);
			return true;
		}
	}
	return false;
}

static void answer_operand(struct completion *completion, const struct line *line)
{
	const struct command *command = line->command;
	const int sub =
		command->subcommands && line->n_operands ? command_subcommand(command, line->first) : -1;
	void (*complete)(struct completion *) =
		sub >= 0 ? command->subcommands[sub].complete : command->complete;

	if (command->subcommands && line->n_operands == 0)
		answer_subcommands(completion, command);
	else if (complete)
		complete(completion);
	else
		completion_begin(completion, COMPLETION_WORDS, 0);
}

static void answer_command(
	struct completion *completion, struct line *line, int index, int n_words, char **words)
{
	const char *word = words[index];

	see_words(line, index, n_words, words);
	completion->dialect = line->dialect;
	completion->file = line->first;
	if (line->option)
		answer_value(completion, line->option, 0);
	else if (line->program >= 0)
		outbuf_printf(completion->out, "%s %d\n", kind_names[COMPLETION_PROGRAM], line->program);
	else if (line->has_ended || word[0] != '-')
		answer_operand(completion, line);
	else if (!answer_joined_value(completion, line, word))
		answer_options(completion, line);
}

void completion_answer(struct outbuf *out, int index, int n_words, char **words)
{
	struct completion completion = { .out = out, .text = words[index] };
	struct line line = { .program = -1 };

	if (index == 0) {
		answer_commands(&completion, true);
		return;
	}
	line.command = command_find(words[0]);
	if (line.command)
		answer_command(&completion, &line, index, n_words, words);
	else if (strcmp(words[0], "help") == 0 && index == 1)
		answer_commands(&completion, false);
	else if (strcmp(words[0], "help") == 0 && index == 2 && command_find(words[1]))
		answer_subcommands(&completion, command_find(words[1]));
	else
		completion_begin(&completion, COMPLETION_WORDS, 0);
}
