/* SPDX-License-Identifier: MIT */
/*
 * Answers for people: aligned columns, numbers to the right. The first thousand rows decide how wide columns
 * are, or fewer if they are long, so that an answer of any length needs the memory of these.
 */
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/query/answer.h"

enum { BLOCK_ROWS = 1000, BLOCK_BYTES = 8 * 1024 * 1024, BETWEEN = 2, WIDTH_MAX = 60 };

struct column {
	size_t width;
	bool is_text; /* some value is */
};

/* The first rows, with what cannot be printed as \xNN. */
struct block {
	struct arena arena;
	struct text *cells;
	struct column *columns;
	size_t n_rows, n_bytes;
};

static bool cell_clean(struct arena *arena, struct text text, struct text *ret)
{
	char *copy = arena_alloc(arena, 4 * text.n_bytes + 1), *end;

	if (!copy)
		return false;
	end = text.n_bytes ? text_clean(copy, (const uint8_t *)text.bytes, text.n_bytes) : copy;
	*ret = (struct text){ copy, (size_t)(end - copy) };
	return true;
}

static void column_grow(struct column *column, struct text text)
{
	const size_t width = text_columns(text.bytes, text.n_bytes);

	if (width > column->width)
		column->width = width < WIDTH_MAX ? width : WIDTH_MAX;
}

static bool block_row(struct block *block, const struct answer *answer)
{
	const unsigned n = answer->question->n_columns;
	struct text *cells = &block->cells[block->n_rows * n];

	for (unsigned i = 0; i < n; i++) {
		int type;
		const struct text value = question_value(answer->question, i, &type);

		if (!cell_clean(&block->arena, value, &cells[i]))
			return false;
		block->columns[i].is_text |= type == SQLITE_TEXT || type == SQLITE_BLOB;
		column_grow(&block->columns[i], cells[i]);
		block->n_bytes += cells[i].n_bytes;
	}
	block->n_rows++;
	return true;
}

static void cell_put(struct outbuf *out, const struct column *column, struct text text, bool is_last)
{
	const size_t width = text_columns(text.bytes, text.n_bytes);
	const size_t n_blanks = width < column->width ? column->width - width : 0;

	if (!outbuf_reserve(out, text.n_bytes + n_blanks + BETWEEN))
		return;
	if (!column->is_text)
		out->at = text_put_fill(out->at, ' ', n_blanks);
	out->at = text.n_bytes ? text_put(out->at, text.bytes, text.n_bytes) : out->at;
	if (column->is_text && !is_last)
		out->at = text_put_fill(out->at, ' ', n_blanks);
	out->at = text_put_fill(out->at, ' ', is_last ? 0 : BETWEEN);
}

/* Absent values leave no blanks at the end of a line. */
static void line_end(struct outbuf *out)
{
	while (out->at > out->start && out->at[-1] == ' ')
		out->at--;
	outbuf_puts(out, "\n");
}

static void line_put(struct answer *answer, const struct block *block, const struct text *cells)
{
	const unsigned n = answer->question->n_columns;

	for (unsigned i = 0; i < n; i++)
		cell_put(answer->out, &block->columns[i], cells[i], i + 1 == n);
	line_end(answer->out);
}

static bool head_put(struct answer *answer, struct block *block)
{
	const unsigned n = answer->question->n_columns;
	struct text *names = arena_alloc(&block->arena, n * sizeof(*names) + 1);

	for (unsigned i = 0; i < n; i++) {
		const char *name = question_column(answer->question, i);

		if (!names || !cell_clean(&block->arena, (struct text){ name, strlen(name) }, &names[i]))
			return false;
		column_grow(&block->columns[i], names[i]);
	}
	outbuf_puts(answer->out, answer->has_color ? "\033[1m" : "");
	for (unsigned i = 0; i < n; i++)
		cell_put(answer->out, &block->columns[i], names[i], i + 1 == n);
	outbuf_puts(answer->out, answer->has_color ? "\033[0m\n" : "\n");
	return true;
}

/* Rows behind the first ones, which columns are as wide for as they are. */
static enum rst_status rest_put(struct answer *answer, struct block *block, struct rst_error *err)
{
	enum rst_status status;

	while ((status = question_step(answer->question, err)) == RST_OK) {
		arena_done(&block->arena);
		block->arena = (struct arena){ 0 };
		block->n_rows = 0;
		if (!block_row(block, answer))
			return error_nomem(err);
		line_put(answer, block, block->cells);
	}
	return status;
}

static enum rst_status block_put(struct answer *answer, struct block *block, struct rst_error *err)
{
	const unsigned n = answer->question->n_columns;
	enum rst_status status = RST_OK;

	while (block->n_rows < BLOCK_ROWS && block->n_bytes < BLOCK_BYTES &&
		(status = question_step(answer->question, err)) == RST_OK)
		if (!block_row(block, answer))
			return error_nomem(err);
	if (!head_put(answer, block))
		return error_nomem(err);
	for (size_t i = 0; i < block->n_rows; i++)
		line_put(answer, block, &block->cells[i * n]);
	return status == RST_OK ? rest_put(answer, block, err) : status;
}

static enum rst_status table_put(struct answer *answer, struct rst_error *err)
{
	const unsigned n = answer->question->n_columns;
	struct block block = { .cells = calloc((size_t)BLOCK_ROWS * n, sizeof(struct text)),
		.columns = calloc(n, sizeof(struct column)) };
	enum rst_status status = block.cells && block.columns ? RST_OK : error_nomem(err);

	if (status == RST_OK)
		status = block_put(answer, &block, err);
	arena_done(&block.arena);
	free(block.cells);
	free(block.columns);
	return status;
}

const struct answer_format answer_format_table = { .name = "table", .put = table_put };
