/* SPDX-License-Identifier: MIT */
#include <limits.h>
#include <string.h>

#include "cli/completion.h"
#include "cli/template/evaluation.h"
#include "cli/template/template.h"

const char *const template_env_names[N_ENVS] = { NULL, "32", "64" };

/* The subcommands, in the order of the table below. */
enum { CHECK, LIST, EVAL, TEST, DOC, UPDATE, N_SUBCOMMANDS };

static const struct opt all_opts[] = {
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct template_args, templates),
		.help = "more templates, which override those found before; may be repeated",
		.complete = complete_files },
	{ .kind = OPT_END },
};

static const struct opt dialect_opts[] = {
	{ OPT_TEXT, 'd', "dialect", "NAME", offsetof(struct template_args, dialect),
		.help = "only this dialect", .complete = complete_dialects },
	{ .kind = OPT_END },
};

static const struct opt check_opts[] = {
	{ OPT_FLAG, 0, "lint", NULL, offsetof(struct template_args, wants_advice), .help = "advice as well" },
	{ OPT_TEXT, 0, "dump", "lex|parse|resolve|code", offsetof(struct template_args, dump),
		.help = "what this pass made of the file" },
	{ .kind = OPT_END },
};

static const struct opt event_opts[] = {
	{ OPT_TEXT, 0, "event", "NAME", offsetof(struct template_args, event),
		.help = "an event of the file's dialect", .complete = complete_events },
	{ OPT_CHOICE, 0, "env", "32|64", offsetof(struct template_args, env),
		.help = "bits of an AIX entry's words", .choices = template_env_names, .n_choices = N_ENVS },
	{ .kind = OPT_END },
};

static const struct opt eval_opts[] = {
	{ OPT_TEXT, 0, "entry", "HEX", offsetof(struct template_args, entry),
		.help = "hook word and data, or the payload of an event" },
	{ OPT_TEXT, 0, "type", "T", offsetof(struct template_args, type),
		.help = "hook type (default: from the hook word)" },
	{ OPT_TEXT, 0, "hook", "H", offsetof(struct template_args, hook),
		.help = "hook id (default: from the hook word)" },
	{ OPT_TEXT, 0, "data", "D", offsetof(struct template_args, data),
		.help = "hook data (default: from the hook word)" },
	{ OPT_TEXT, 0, "context", "K=V;K=V", offsetof(struct template_args, context),
		.help = "what is not in the entry, such as pid=12;tid=34" },
	{ OPT_CHOICE, 0, "kind", "text|line|parse", offsetof(struct template_args, kind),
		.help = "the text (default), the line of a report, or whether there are errors",
		.choices = evaluation_kind_names, .n_choices = N_EVALUATION_KINDS },
	{ .kind = OPT_END },
};

static const struct opt update_opts[] = {
	{ OPT_FLAG, 'o', "override", NULL, offsetof(struct template_args, is_forced),
		.help = "replace stanzas of later versions, too" },
	{ OPT_TEXT, 't', "master", "FILE", offsetof(struct template_args, master),
		.help = "the file to change (default: your own aix.trcfmt)", .complete = complete_files },
	{ OPT_LIST, 'x', "extract", "LIST", offsetof(struct template_args, extract),
		.help = "print the stanzas of these hooks instead" },
	{ OPT_FLAG, 'v', "verbose", NULL, offsetof(struct template_args, is_verbose),
		.help = "the name of each file" },
	{ .kind = OPT_END },
};

static const struct opt_group template_groups[] = {
	{ .title = "Options of all but update",
		.opts = all_opts,
		.subcommands = (1 << N_SUBCOMMANDS) - 1 - (1 << UPDATE) },
	{ .title = "Options of list and doc", .opts = dialect_opts, .subcommands = 1 << LIST | 1 << DOC },
	{ .title = "Options of check", .opts = check_opts, .subcommands = 1 << CHECK },
	{ .title = "Options of eval and check --dump",
		.opts = event_opts,
		.subcommands = 1 << EVAL | 1 << CHECK },
	{ .title = "Options of eval", .opts = eval_opts, .subcommands = 1 << EVAL },
	{ .title = "Options of update", .opts = update_opts, .subcommands = 1 << UPDATE },
	{ .opts = NULL },
};

static const struct subcommand template_subcommands[] = {
	[CHECK] = { "check", "FILE...", "find errors in files of templates", 1, INT_MAX, complete_files },
	[LIST] = { "list", "[FILE...]", "list templates: of files, else all that are found", 0, INT_MAX,
		complete_files },
	[EVAL] = { "eval", "FILE --entry HEX", "show what a template makes of an event", 1, 1,
		complete_files },
	[TEST] = { "test", "FILE...", "compare templates with tables of what must come", 1, INT_MAX,
		complete_files },
	[DOC] = { "doc", "NAME...", "show what a template can use of an event", 1, INT_MAX, complete_events },
	[UPDATE] = { "update", "NAME", "change a file of templates by NAME.trc, as AIX's trcupdate does", 0,
		1, complete_files },
	{ .name = NULL },
};

static const struct example template_examples[] = {
	{ "rastrum template doc TX_TRACE_MUTEX_GET", "the fields of an event, and the template that it has" },
	{ "rastrum template check --lint mine.trcfmt", "errors, warnings and advice, with their lines" },
	{ "rastrum template eval --entry 010A0005DEADBEEF hooks.trcfmt",
		"how an entry with an AIX hook word reads" },
	{ "rastrum template list -d rkh", "all templates for RKH, and the files that have them" },
	{ NULL, NULL },
};

/* How often a subcommand looks for templates. */
enum searching { SEARCH_ONCE, SEARCH_BY_OPERAND, SEARCH_BY_DIALECT, SEARCH_OFTEN };

static const struct verb {
	enum searching searching;
	int (*run)(const struct template_args *args, int n_operands, char **operands);
} verbs[N_SUBCOMMANDS] = {
	[CHECK] = { SEARCH_BY_OPERAND, template_check },
	[LIST] = { SEARCH_BY_DIALECT, template_list },
	[EVAL] = { SEARCH_ONCE, template_eval },
	[TEST] = { SEARCH_OFTEN, template_cases },
	[DOC] = { SEARCH_BY_DIALECT, template_doc },
	[UPDATE] = { SEARCH_ONCE, template_update },
};

/* Standard input is gone once it was read. */
static enum rst_status check_input(int subcommand, const struct template_args *args, int n_operands,
	char **operands, struct rst_error *err)
{
	const struct verb *verb = &verbs[subcommand];
	const bool is_once = verb->searching == SEARCH_ONCE ||
			     (verb->searching != SEARCH_OFTEN && n_operands < 2 &&
				     (verb->searching == SEARCH_BY_OPERAND || args->dialect));
	bool is_named = false;

	error_try(common_check_input(&args->templates, n_operands, operands, err));
	for (size_t i = 0; i < args->templates.n_items; i++)
		is_named |= strcmp(args->templates.items[i], "-") == 0;
	if (!is_named || is_once)
		return RST_OK;
	error_set(err, RST_E_USAGE, RST_NO_OFFSET,
		"--templates - can be read only once, and %s would read it more often",
		template_subcommands[subcommand].name);
	error_advise(err, "%s",
		verb->searching == SEARCH_BY_DIALECT ? "name one --dialect"
						     : "put the templates into a file");
	return RST_E_USAGE;
}

/* Options that cannot be true together. */
static enum rst_status check_event(const struct template_args *args, struct rst_error *err)
{
	const struct {
		bool is_given;
		const char *name;
	} of_hooks[] = {
		{ args->env != ENV_NOT_GIVEN, "env" },
		{ args->type, "type" },
		{ args->hook, "hook" },
		{ args->data, "data" },
	};

	for (size_t i = 0; args->event && i < sizeof(of_hooks) / sizeof(of_hooks[0]); i++)
		if (of_hooks[i].is_given)
			return error_set(err, RST_E_USAGE, RST_NO_OFFSET,
				"--event and --%s do not go together: events have no hook word",
				of_hooks[i].name);
	return RST_OK;
}

static int template_run(void *args, int n_operands, char **operands)
{
	const int subcommand = command_subcommand(&command_template, operands[0]);
	struct rst_error err;

	if (check_event(args, &err) < 0 ||
		check_input(subcommand, args, n_operands - 1, operands + 1, &err) < 0)
		return common_fail(&err);
	return verbs[subcommand].run(args, n_operands - 1, operands + 1);
}

const struct command command_template = {
	.name = "template",
	.usages = { "SUBCOMMAND [options] [FILE|NAME...]" },
	.summary = "check, list, try and explain templates, the texts of events",
	.subcommands = template_subcommands,
	.groups = template_groups,
	.examples = template_examples,
	.args_bytes = sizeof(struct template_args),
	.run = template_run,
};
