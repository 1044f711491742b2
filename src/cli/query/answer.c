/* SPDX-License-Identifier: MIT */
/* Answers for programs: CSV with a heading, and one JSON object in the shape that all tables have. */
#include "cli/query/answer.h"

#include <string.h>

#include "base/choice.h"
#include "base/error.h"
#include "base/text.h"

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

/* --- CSV ---------------------------------------------------------------------------------------------------------- */

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
		csv_text(answer->out, answer_value(answer, i, &type));
	}
	outbuf_puts(answer->out, "\n");
}

static enum rst_status csv_put(struct answer *answer, struct rst_error *err)
{
	enum rst_status status;

	for (unsigned i = 0; i < answer->question->n_columns; i++) {
		const char *name = answer_column(answer, i);

		outbuf_puts(answer->out, i ? "," : "");
		csv_text(answer->out, (struct text){ name, strlen(name) });
	}
	outbuf_puts(answer->out, "\n");
	while ((status = question_step(answer->question, err)) == RST_OK)
		csv_row(answer);
	return status;
}

const struct answer_format answer_format_csv = { .name = "csv", .put = csv_put };

/* --- JSON --------------------------------------------------------------------------------------------------------- */

/* JSON has no infinity. */
static bool is_number(int type, struct text text)
{
	return type == SQLITE_INTEGER ||
	       (type == SQLITE_FLOAT && text.n_bytes && text.bytes[text.n_bytes - 1] <= '9');
}

static void json_value(struct answer *answer, unsigned column)
{
	struct outbuf *out = answer->out;
	int type;
	const struct text text = answer_value(answer, column, &type);

	if (is_number(type, text)) {
		outbuf_printf(out, "%.*s", (int)text.n_bytes, text.bytes);
		return;
	}
	if (!text.bytes || type == SQLITE_FLOAT) {
		outbuf_puts(out, "null");
		return;
	}
	if (outbuf_reserve(out, 6 * text.n_bytes + 2))
		out->at = text_put_json(out->at, text.bytes, text.n_bytes);
}

static void json_end(struct answer *answer)
{
	const struct database *database = answer->question->database;

	if (database->has_window)
		outbuf_printf(answer->out, "],\"window\":{\"from\":%llu,\"to\":%llu},\"unknown\":%.6f}\n",
			(unsigned long long)database->from, (unsigned long long)database->to,
			database->unknown);
	else
		outbuf_puts(answer->out, "],\"window\":null,\"unknown\":null}\n");
}

static enum rst_status json_put(struct answer *answer, struct rst_error *err)
{
	struct outbuf *out = answer->out;
	enum rst_status status;

	outbuf_puts(out, "{\"table\":\"query\",\"columns\":[");
	for (unsigned i = 0; i < answer->question->n_columns; i++) {
		outbuf_puts(out, i ? ",{\"name\":" : "{\"name\":");
		outbuf_json(out, answer_column(answer, i));
		outbuf_puts(out, ",\"unit\":null}");
	}
	outbuf_puts(out, "],\"rows\":[");
	for (; (status = question_step(answer->question, err)) == RST_OK; answer->n_rows++) {
		outbuf_puts(out, answer->n_rows ? ",[" : "[");
		for (unsigned i = 0; i < answer->question->n_columns; i++) {
			outbuf_puts(out, i ? "," : "");
			json_value(answer, i);
		}
		outbuf_puts(out, "]");
	}
	json_end(answer);
	return status;
}

const struct answer_format answer_format_json = { .name = "json", .put = json_put };
