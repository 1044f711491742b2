/* SPDX-License-Identifier: MIT */
/*
 * How `rastrum query` writes an answer: aligned columns, CSV, JSON. Each format is one const struct; rows are
 * streamed.
 */
#ifndef CLI_QUERY_ANSWER_H
#define CLI_QUERY_ANSWER_H

#include "base/outbuf.h"
#include "database/database.h"

struct answer {
	struct outbuf *out;
	struct question *question;
	bool has_color;
	uint64_t n_rows; /* written so far */
};

struct answer_format {
	const char *name;
	/*
	 * Writes all rows of the question. Failures as question_step(): the rows before it are written, in a
	 * form that can be read.
	 */
	enum rst_status (*put)(struct answer *answer, struct rst_error *err);
};

/* Returns RST_E_USAGE if there is no such format. */
enum rst_status answer_format_find(
	const char *name, const struct answer_format **ret_format, struct rst_error *err);

extern const struct answer_format answer_format_table, answer_format_csv, answer_format_json;

#endif
