/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <string.h>

#include "base/similar.h"
#include "cli/template/evaluation.h"
#include "cli/template/template.h"

const char *const template_env_names[N_ENVS] = { NULL, "32", "64" };

static const struct opt template_opts[] = {
	{ OPT_TEXT, 'd', "dialect", "NAME", offsetof(struct template_args, dialect),
		"list, doc: only this dialect", NULL, 0 },
	{ OPT_FILES, 0, "templates", "FILE|DIR", offsetof(struct template_args, templates),
		"more templates, which override those found before", NULL, 0 },
	{ OPT_FLAG, 0, "lint", NULL, offsetof(struct template_args, wants_advice), "check: advice as well",
		NULL, 0 },
	{ OPT_TEXT, 0, "dump", "lex|parse|resolve|code", offsetof(struct template_args, dump),
		"check: what this pass made of the file", NULL, 0 },
	{ OPT_CHOICE, 0, "env", "32|64", offsetof(struct template_args, env),
		"eval, check --dump: bits of an AIX entry's words", template_env_names, N_ENVS },
	{ OPT_TEXT, 0, "entry", "HEX", offsetof(struct template_args, entry),
		"eval: hook word and data, or the payload of an event", NULL, 0 },
	{ OPT_TEXT, 0, "type", "T", offsetof(struct template_args, type),
		"eval: hook type (default: from the hook word)", NULL, 0 },
	{ OPT_TEXT, 0, "hook", "H", offsetof(struct template_args, hook),
		"eval: hook id (default: from the hook word)", NULL, 0 },
	{ OPT_TEXT, 0, "data", "D", offsetof(struct template_args, data),
		"eval: hook data (default: from the hook word)", NULL, 0 },
	{ OPT_TEXT, 0, "event", "NAME", offsetof(struct template_args, event),
		"eval, check --dump: an event of the file's dialect", NULL, 0 },
	{ OPT_TEXT, 0, "context", "K=V;K=V", offsetof(struct template_args, context),
		"eval: facts that are not in the entry, such as pid=12;tid=34", NULL, 0 },
	{ OPT_CHOICE, 0, "kind", "text|line|parse", offsetof(struct template_args, kind),
		"eval: the text (default), the line of a report, or whether there are errors",
		evaluation_kind_names, N_EVALUATION_KINDS },
	{ .kind = OPT_END },
};

static const struct opt *const template_tables[] = { template_opts, NULL };

/* How often a verb looks for templates. */
enum searching { SEARCH_ONCE, SEARCH_BY_OPERAND, SEARCH_BY_DIALECT, SEARCH_OFTEN };

static const struct verb {
	const char *name;
	int n_operands_min, n_operands_max;
	enum searching searching;
	int (*run)(const struct template_args *args, int n_operands, char **operands);
} verbs[] = {
	{ "check", 1, INT32_MAX, SEARCH_BY_OPERAND, template_check },
	{ "list", 0, INT32_MAX, SEARCH_BY_DIALECT, template_list },
	{ "eval", 1, 1, SEARCH_ONCE, template_eval },
	{ "test", 1, INT32_MAX, SEARCH_OFTEN, template_cases },
	{ "doc", 1, INT32_MAX, SEARCH_BY_DIALECT, template_doc },
};

static int fail_unknown(const char *verb)
{
	struct similar similar = similar_to(verb);
	char near[SIMILAR_TEXT_MAX];
	struct rst_error err;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++)
		similar_offer(&similar, verbs[i].name);
	error_set(&err, RST_E_USAGE, RST_NO_OFFSET, "template cannot '%.40s'", verb);
	error_advise(&err, "%s", similar_text(&similar, near) ? near : "see `rastrum template --help`");
	return common_fail(&err);
}

static enum rst_status check_operands(
	const struct verb *verb, int n_operands, char **operands, struct rst_error *err)
{
	static const char advice[] = "see `rastrum template --help`";

	if (n_operands < verb->n_operands_min)
		return common_refuse(err, advice, "template needs an operand behind '%.40s'", verb->name);
	if (n_operands > verb->n_operands_max)
		return common_refuse(
			err, advice, "template has a word too many: '%.40s'", operands[verb->n_operands_max]);
	return RST_OK;
}

/* Standard input is gone once it was read. */
static enum rst_status check_input(const struct verb *verb, const struct template_args *args, int n_operands,
	char **operands, struct rst_error *err)
{
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
		"--templates - can be read only once, and %s would read it more often", verb->name);
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
	const char *verb = operands[0];
	struct rst_error err;

	for (size_t i = 0; i < sizeof(verbs) / sizeof(verbs[0]); i++) {
		if (strcmp(verbs[i].name, verb) != 0)
			continue;
		if (check_operands(&verbs[i], n_operands - 1, operands + 1, &err) < 0 ||
			check_event(args, &err) < 0 ||
			check_input(&verbs[i], args, n_operands - 1, operands + 1, &err) < 0)
			return common_fail(&err);
		return verbs[i].run(args, n_operands - 1, operands + 1);
	}
	return fail_unknown(verb);
}

struct template_told template_tell(const struct diags *diags, const struct template_file *file)
{
	struct template_told told = { 0 };

	for (size_t i = 0; i < diags->n_items; i++) {
		const struct diag *diag = &diags->items[i];

		if ((file && diag->file != file) || diag_is_repeated(diags, i))
			continue;
		told.n_errors += diag->kind == DIAG_ERROR;
		told.n_warnings += diag->kind == DIAG_WARNING;
		told.n_advice += diag->kind == DIAG_ADVICE;
		diag_print(diag, stderr);
	}
	return told;
}

const struct command command_template = {
	.name = "template",
	.usage = "check|list|eval|test|doc [options] [FILE|NAME...]",
	.summary = "check, list, try and explain templates, the texts of events",
	.needs = "check, list, eval, test or doc",
	.tables = template_tables,
	.args_bytes = sizeof(struct template_args),
	.n_operands_min = 1,
	.run = template_run,
};
