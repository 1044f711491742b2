/* SPDX-License-Identifier: MIT */
#include <unistd.h>

#include "cli/template/evaluation.h"
#include "cli/template/template.h"

/* The text is in memory as a whole; it goes out as it is, with a line end. */
static int print_text(struct outbuf *out)
{
	outbuf_puts(out, "\n");
	out->fd = STDOUT_FILENO;
	return common_finish(out);
}

static int print_result(struct evaluation *evaluation)
{
	const bool has_failed = evaluation->kind != EVALUATION_PARSE && evaluation->is_bad;
	const int exit_status = has_failed ? EXIT_FOUND : EXIT_GOOD;

	template_report(&evaluation->diags, NULL);
	if (evaluation->is_hidden)
		return exit_status;
	return outcome_worse(exit_status, print_text(&evaluation->out));
}

int template_eval(const struct template_args *args, int n_operands, char **operands)
{
	struct evaluation evaluation = {
		.kind = (enum evaluation_kind)args->kind,
		.is_64 = args->env == ENV_64,
		.entry = args->entry,
		.type = args->type,
		.hook = args->hook,
		.data = args->data,
		.event = args->event,
		.context = args->context,
		.n_below = args->templates.n_items,
		.below = args->templates.items,
	};
	struct template_file *file;
	struct rst_error err;
	enum rst_status status = template_file_read(&file, operands[0], &err);
	int exit_status;

	(void)n_operands;
	if (status == RST_OK)
		status = evaluate(&evaluation, file, &err);
	exit_status = status == RST_OK ? print_result(&evaluation) : common_fail(&err);
	evaluation_done(&evaluation);
	return exit_status;
}
