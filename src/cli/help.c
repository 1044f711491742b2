/* SPDX-License-Identifier: MIT */
/* Prints the text of --help from the tables of commands and options, within 80 columns. */
#include "cli/help.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/layout.h"
#include "cli/pager.h"

enum { INDENT_USAGE = 7, INDENT_COMMAND = 14, INDENT_OPTION = 27, INDENT_EXAMPLE = 6 };

struct page {
	struct outbuf out;
	struct pager pager;
	bool has_bold;
};

static bool page_begin(struct page *page)
{
	*page = (struct page){ .has_bold = common_has_color(COLOR_AUTO, STDOUT_FILENO) };
	if (!outbuf_init(&page->out, STDOUT_FILENO))
		return false;
	pager_start(&page->pager, STDOUT_FILENO);
	return true;
}

static int page_end(struct page *page)
{
	int exit_status = common_finish(&page->out);

	pager_done(&page->pager);
	outbuf_done(&page->out);
	return exit_status;
}

static int fail_nomem(void)
{
	struct rst_error err;

	error_nomem(&err);
	return common_fail(&err);
}

static void put_title(struct page *page, const char *title)
{
	outbuf_printf(&page->out, "\n%s%s:%s\n", page->has_bold ? "\033[1m" : "", title,
		page->has_bold ? "\033[22m" : "");
}

/* "usage: rastrum report [options] FILE...", and below it the other ways. */
static void put_usages(struct page *page, const char *name, const char *sub, const char *const *usages)
{
	char text[200];

	for (size_t i = 0; i < COMMAND_USAGES && usages[i]; i++) {
		snprintf(text, sizeof(text), "rastrum %s%s%s %s", name, *sub ? " " : "", sub, usages[i]);
		outbuf_puts(&page->out, i ? "   or: " : "usage: ");
		layout_text(&page->out, text, INDENT_USAGE, INDENT_USAGE);
	}
}

/* A summary is a clause without a capital and full stop, as in the list of commands. */
static void put_sentence(struct page *page, const char *clause)
{
	outbuf_printf(&page->out, "\n%c%s.\n", toupper((unsigned char)clause[0]), clause + 1);
}

static void put_subcommands(struct page *page, const struct subcommand *subcommands)
{
	char left[80];

	put_title(page, "Subcommands");
	for (; subcommands->name; subcommands++) {
		snprintf(left, sizeof(left), "  %s %s", subcommands->name, subcommands->operands);
		layout_row(&page->out, left, INDENT_OPTION, subcommands->summary);
	}
}

static void put_option(struct page *page, const struct opt *opt)
{
	char left[80], letter[5] = "    ";

	if (opt->letter)
		snprintf(letter, sizeof(letter), "-%c, ", opt->letter);
	snprintf(left, sizeof(left), "  %s--%s%s%s", letter, opt->name, opt->argument ? " " : "",
		opt->argument ? opt->argument : "");
	layout_row(&page->out, left, INDENT_OPTION, opt->help);
}

/* Without its letter where the command has that for another. */
static void put_help_option(struct page *page, const struct opt_group *groups)
{
	struct opt shown = opt_help;

	if (opt_find_letter(groups, opt_help.letter) != &opt_help)
		shown.letter = 0;
	put_option(page, &shown);
}

static void put_options(struct page *page, const struct opt_group *groups, int subcommand)
{
	const struct opt_group *const all = groups;

	for (; groups->opts; groups++) {
		if (subcommand >= 0 && groups->subcommands && !(groups->subcommands >> subcommand & 1))
			continue;
		put_title(page, groups->title);
		for (const struct opt *opt = groups->opts; opt->kind != OPT_END; opt++)
			put_option(page, opt);
	}
	outbuf_puts(&page->out, "\n");
	put_help_option(page, all);
}

/* With a subcommand those that show it. */
static void put_examples(struct page *page, const struct command *command, const char *sub)
{
	char begin[80];
	bool has_title = false;

	snprintf(begin, sizeof(begin), "rastrum %s %s", command->name, sub);
	for (const struct example *example = command->examples; example && example->command; example++) {
		if (*sub && strncmp(example->command, begin, strlen(begin)) != 0)
			continue;
		if (!has_title)
			put_title(page, "Examples");
		has_title = true;
		outbuf_printf(&page->out, "  %s\n", example->command);
		layout_text(&page->out, example->what, INDENT_EXAMPLE, 0);
	}
}

int help_command(const struct command *command, int subcommand)
{
	const struct subcommand *sub = subcommand < 0 ? NULL : &command->subcommands[subcommand];
	const char *name = sub ? sub->name : "";
	char usage[80];
	const char *const usages[COMMAND_USAGES] = { usage };
	struct page page;

	if (!page_begin(&page))
		return fail_nomem();
	if (sub) {
		snprintf(usage, sizeof(usage), "[options] %s", sub->operands);
		put_usages(&page, command->name, name, usages);
	} else {
		put_usages(&page, command->name, name, command->usages);
	}
	put_sentence(&page, sub ? sub->summary : command->summary);
	if (command->subcommands && !sub)
		put_subcommands(&page, command->subcommands);
	put_options(&page, command->groups, subcommand);
	put_examples(&page, command, name);
	outbuf_printf(&page.out, "\n`man rastrum-%s` has more.\n", command->name);
	return page_end(&page);
}

int help_program(const struct command *const *commands)
{
	static const struct {
		const char *command, *what;
	} first[] = {
		{ "rastrum info FILE", "what a recording holds" },
		{ "rastrum report FILE", "its events, in words" },
		{ "rastrum record -- PROGRAM", "record a program on Linux" },
	};
	struct page page;
	char left[80];

	if (!page_begin(&page))
		return fail_nomem();
	outbuf_puts(&page.out,
		"usage: rastrum COMMAND [options] ...\n\nRecords and reads event traces of real-time "
		"systems.\n");
	put_title(&page, "Commands");
	for (size_t i = 0; commands[i]; i++) {
		snprintf(left, sizeof(left), "  %s", commands[i]->name);
		layout_row(&page.out, left, INDENT_COMMAND, commands[i]->summary);
	}
	put_title(&page, "To begin with");
	for (size_t i = 0; i < sizeof(first) / sizeof(first[0]); i++) {
		snprintf(left, sizeof(left), "  %s", first[i].command);
		layout_row(&page.out, left, INDENT_OPTION + 3, first[i].what);
	}
	outbuf_puts(&page.out, "\n");
	layout_text(&page.out,
		"`rastrum help COMMAND` has the options of a command, `man rastrum` has more. `rastrum "
		"--version` "
		"prints the version.\n"
		"Exit status: 0 good, 1 a check found something, 2 wrong usage, 3 input damaged (what could "
		"be read was "
		"given), 4 input or output error, 5 feature not built in.",
		0, 0);
	return page_end(&page);
}

void help_short(const struct command *const *commands)
{
	fputs("usage: rastrum COMMAND [options] ...\n       where COMMAND is ", stderr);
	for (size_t i = 0; commands[i]; i++)
		fprintf(stderr, "%s%s", i ? ", " : "", commands[i]->name);
	fputs("\nSee `rastrum --help`.\n", stderr);
}
