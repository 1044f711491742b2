/* SPDX-License-Identifier: MIT */
#include "cli/template/template.h"

struct template_reported template_report(const struct diags *diags, const struct template_file *file)
{
	struct template_reported told = { 0 };

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
