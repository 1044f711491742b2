/* SPDX-License-Identifier: MIT */
/*
 * Texts that are kept, over traces of any dialect: the input is a trace, its first byte says whether subjects
 * are left out and whether the trace is read with the templates that are built in, or with texts made of the
 * fields.
 */
#include <stdlib.h>

#include "fuzz/grow.h"
#include "tests/texts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { OMITS_SUBJECT = 1, HAS_NO_TEMPLATES = 2 };

static void check_texts(struct rst_trace *trace, unsigned how)
{
	struct texts texts = { .trace = trace };

	if (texts_start(&texts, how & HAS_NO_TEMPLATES ? "" : NULL)) {
		texts.input.runner.omits_subject = how & OMITS_SUBJECT;
		if (!texts_are_all_same(&texts))
			abort();
	}
	texts_stop(&texts);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct rst_trace *trace = NULL;
	const unsigned how = size ? data[0] : 0;

	if (size && rst_trace_open_bytes(&trace, data + 1, size - 1, "fuzz", NULL, NULL) == RST_OK)
		check_texts(trace, how);
	else
		rst_trace_free(trace);
	return 0;
}
