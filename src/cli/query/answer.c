/* SPDX-License-Identifier: MIT */
/* Answers for programs: CSV with a heading, and one JSON object in the shape that all tables have. */
#include "cli/query/answer.h"

#include <string.h>

#include "analysis/table/format.h"
#include "base/choice.h"
#include "base/error.h"

static const struct answer_format *const formats[] = { &answer_format_table, &answer_format_csv,
	&answer_format_json, NULL };

static const char *format_name(size_t i)
{
	return formats[i] ? formats[i]->name : NULL;
}

enum rst_status answer_format_find(
	const char *name, const struct answer_format **ret_format, struct rst_error *err)
{
	const struct choice choice = { .kind = "format", .name = format_name };
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_format = formats[index];
	return RST_OK;
}

/* --- CSV ------------------------------------------------------------------------------------------------ */

static void csv_text(struct outbuf *out, struct text text)
{
	if (text.n_bytes && outbuf_reserve(out, 6 * text.n_bytes + 2))
		out->at = text_put_csv(out->at, text.bytes, text.n_bytes);
}

static void csv_row(struct answer *answer)
{
	for (unsigned i = 0; i < answer->question->n_columns; i++) {
		int type;

		outbuf_puts(answer->out, i ? "," : "");
		csv_text(answer->out, question_value(answer->question, i, &type));
	}
	outbuf_puts(answer->out, "\n");
}

static enum rst_status csv_put(struct answer *answer, struct rst_error *err)
{
	enum rst_status status;

	for (unsigned i = 0; i < answer->question->n_columns; i++) {
		const char *name = question_column(answer->question, i);

		outbuf_puts(answer->out, i ? "," : "");
		csv_text(answer->out, (struct text){ name, strlen(name) });
	}
	outbuf_puts(answer->out, "\n");
	while ((status = question_step(answer->question, err)) == RST_OK)
		csv_row(answer);
	return status;
}

const struct answer_format answer_format_csv = { .name = "csv", .put = csv_put };

/* --- JSON ----------------------------------------------------------------------------------------------- */

static enum rst_status answer_json_put(struct answer *answer, struct rst_error *err)
{
	const struct database *database = answer->question->database;
	struct json json = { .out = answer->out };
	enum rst_status status;

	json_object(&json, NULL);
	json_text(&json, "table", "query");
	json_array(&json, "columns");
	for (unsigned i = 0; i < answer->question->n_columns; i++)
		table_json_column(&json, question_column(answer->question, i), NULL);
	json_end(&json);
	json_array(&json, "rows");
	for (; (status = question_step(answer->question, err)) == RST_OK; answer->n_rows++) {
		json_array(&json, NULL);
		for (unsigned i = 0; i < answer->question->n_columns; i++)
			question_put_json(answer->question, i, &json, NULL);
		json_end(&json);
	}
	json_end(&json);
	table_json_window(&json, database->has_window, database->from, database->to, database->unknown);
	json_end(&json);
	json_line_end(&json);
	return status;
}

const struct answer_format answer_format_json = { .name = "json", .put = answer_json_put };
