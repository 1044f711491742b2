/* SPDX-License-Identifier: MIT */
/*
 * `rastrum complete`, which the scripts of shells run: parses the words before and behind the cursor, and
 * finds what can stand there.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

#include "base/text.h"
#include "cli/completion.h"
#include "cli/main/main.h"

static const struct opt_group no_groups[] = { { .opts = NULL } };

/* The meaning of the words of a line. */
struct line {
	const struct command *command;
	const struct opt *option; /* whose value the word at the cursor is; NULL: none */
	bool has_ended;		  /* the options, before the cursor */
	int n_operands;		  /* before the cursor */
	const char *first;	  /* operand of all the line; NULL: none */
	const char *dialect;
	/* index of the first operand before the cursor, or of the cursor, when it is a program; -1: none */
	int program;
};

/* --- the words ------------------------------------------------------------------------------------------ */

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

/* --- what is asked for ---------------------------------------------------------------------------------- */

static void answer_commands(struct completion *completion, bool has_others)
{
	completion_begin(completion, COMPLETION_WORDS, 0);
	for (size_t i = 0; commands[i]; i++)
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
		completion_begin_program(completion, line->program);
	else if (line->has_ended || word[0] != '-')
		answer_operand(completion, line);
	else if (!answer_joined_value(completion, line, word))
		answer_options(completion, line);
}

static void completion_answer(struct outbuf *out, int index, int n_words, char **words)
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

static void give_up(int signal_number)
{
	(void)signal_number;
	_exit(EXIT_GOOD);
}

/* A person waits. Reading a recording for names usually ends sooner, but not if its bytes have no meaning. */
static void limit_time(void)
{
	const struct itimerval second = { .it_value = { .tv_sec = 1 } };

	signal(SIGALRM, give_up);
	setitimer(ITIMER_REAL, &second, NULL);
}

static int complete_run(void *args, int n_operands, char **operands)
{
	struct rst_error err;
	struct outbuf out;
	uint64_t index;
	int exit_status;

	(void)args;
	if (!text_parse_u64(operands[0], &index) || index >= (uint64_t)n_operands - 1) {
		error_set(
			&err, RST_E_USAGE, RST_NO_OFFSET, "there is no word %.20s to complete", operands[0]);
		return common_fail(&err);
	}
	if (!outbuf_init(&out, STDOUT_FILENO)) {
		error_nomem(&err);
		return common_fail(&err);
	}
	limit_time();
	completion_answer(&out, (int)index, n_operands - 1, operands + 1);
	exit_status = common_finish(&out);
	outbuf_done(&out);
	return exit_status;
}

const struct command command_complete = {
	.name = "complete",
	.usages = { "INDEX WORD..." },
	.summary = "tell a shell what can stand at the cursor",
	.groups = no_groups,
	.n_operands_min = 1,
	.needs = "a number and words",
	.has_program = true,
	.run = complete_run,
};
