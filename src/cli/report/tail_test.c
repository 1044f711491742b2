/* SPDX-License-Identifier: MIT */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/report/report.h"
#include "tests/tap.h"

struct fixture {
	struct outbuf memory, out;
	struct tail tail;
};

static bool setup(struct fixture *f, uint64_t n_lines)
{
	tail_init(&f->tail, &f->memory, n_lines, false);
	return outbuf_init(&f->memory, OUTBUF_MEMORY) && outbuf_init(&f->out, OUTBUF_MEMORY);
}

static const char *written(struct fixture *f)
{
	tail_write(&f->tail, &f->out);
	return outbuf_reserve(&f->out, 1) ? (*f->out.at = '\0', f->out.start) : "no memory";
}

static void teardown(struct fixture *f)
{
	tail_done(&f->tail);
	outbuf_done(&f->memory);
	outbuf_done(&f->out);
}

static void check_lines(void)
{
	static const struct {
		uint64_t n_lines;
		const char *text, *kept;
	} rows[] = {
		{ 0, "", "" },
		{ 0, "a\nb\n", "" },
		{ 1, "", "" },
		{ 1, "a\n", "a\n" },
		{ 1, "a\nb\n", "b\n" },
		{ 2, "a\n", "a\n" },
		{ 2, "a\nb\n", "a\nb\n" },
		{ 2, "a\nb\nc\n", "b\nc\n" },
		{ 3, "\n\n\n\n", "\n\n\n" },
		{ 1000000, "a\nb\n", "a\nb\n" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fixture f;

		setup(&f, rows[i].n_lines);
		outbuf_puts(&f.memory, rows[i].text);
		ok(tail_update(&f.tail), "the lines can be looked at");
		is_text(written(&f), rows[i].kept, "the last lines are kept, as many as there are");
		teardown(&f);
	}
}

/* Lines come in pieces, and each update sees what is there by then. */
static void check_pieces(void)
{
	static const char *const pieces[] = { "on", "e\ntw", "", "o\n", "three\nfour\nfi", "ve\n" };
	struct fixture f;

	setup(&f, 2);
	for (size_t i = 0; i < sizeof(pieces) / sizeof(pieces[0]); i++) {
		outbuf_puts(&f.memory, pieces[i]);
		tail_update(&f.tail);
		tail_update(&f.tail);
	}
	is_text(written(&f), "four\nfive\n", "a line in pieces is one line");
	teardown(&f);
}

/* Lines longer than the buffer, and than what is given up at once. */
static void check_long_lines(void)
{
	enum { LINE = 3 * 1024 * 1024, N_LINES = 12 };
	struct fixture f;
	char *line = malloc(LINE + 1);
	size_t most = 0;
	bool is_updated = true;

	setup(&f, 2);
	memset(line, 'x', LINE);
	line[LINE] = '\0';
	for (char c = 'a'; c < 'a' + N_LINES; c++) {
		line[0] = c;
		line[LINE - 1] = '\n';
		outbuf_puts(&f.memory, line);
		is_updated &= tail_update(&f.tail);
		most = (size_t)(f.memory.at - f.memory.start) > most ? (size_t)(f.memory.at - f.memory.start)
								     : most;
	}
	ok(is_updated && most <= 5 * LINE, "memory holds about the lines kept, not all that were written");
	written(&f);
	ok((size_t)(f.out.at - f.out.start) == 2 * LINE && f.out.start[0] == 'k' &&
			f.out.start[LINE] == 'l' && f.out.start[LINE - 1] == '\n' &&
			f.out.start[2 * LINE - 1] == '\n',
		"the last two lines of 3 MiB are whole");
	free(line);
	teardown(&f);
}

/* Short lines after long ones: what is given up must not shift what is kept. */
static void check_compaction(uint64_t n_lines)
{
	enum { N_LINES = 700000 };
	struct fixture f;
	bool is_right = true;
	const char *at;
	uint64_t n = 0;

	setup(&f, n_lines);
	for (unsigned i = 0; i < N_LINES; i++) {
		outbuf_printf(&f.memory, "%u\n", i);
		if (i % 999 == 0)
			is_right &= tail_update(&f.tail);
	}
	is_right &= tail_update(&f.tail);
	at = written(&f);
	for (; is_right && *at; n++, at = strchr(at, '\n') + 1)
		is_right = strtoull(at, NULL, 10) == N_LINES - n_lines + n;
	ok(is_right && n == n_lines, "the last %llu of 700000 lines are the right ones",
		(unsigned long long)n_lines);
	teardown(&f);
}

static void check_no_memory(void)
{
	struct fixture f;

	setup(&f, UINT64_MAX);
	outbuf_puts(&f.memory, "a\n");
	ok(tail_update(&f.tail), "any number of lines may be asked for: memory is for those that come");
	is_text(written(&f), "a\n", "and they are all there");
	teardown(&f);
	setup(&f, 1);
	outbuf_puts(&f.memory, "a\n");
	tap_fail_alloc_after(0);
	ok(!tail_update(&f.tail) && f.memory.error == ENOMEM, "a line that cannot be kept is told");
	tap_fail_alloc_after(-1);
	teardown(&f);
	setup(&f, 1);
	outbuf_puts(&f.memory, "a\n");
	f.memory.error = ENOMEM;
	ok(!tail_update(&f.tail), "lines that were dropped for want of memory are told");
	teardown(&f);
}

/* Rows of CSV, as they grow: a line end between quotes belongs to its row. */
static void check_quotes(void)
{
	struct fixture f;

	setup(&f, 2);
	f.tail.has_quotes = true;
	outbuf_puts(&f.memory, "1,a\n2,\"b\nc\"\n3,\"d\n");
	ok(tail_update(&f.tail), "a row that is not complete is waited for");
	outbuf_puts(&f.memory, "\"\"e\n\"\n");
	tail_update(&f.tail);
	is_text(written(&f), "2,\"b\nc\"\n3,\"d\n\"\"e\n\"\n", "rows with line ends in them stay whole");
	teardown(&f);
}

int main(void)
{
	check_lines();
	check_pieces();
	check_long_lines();
	check_compaction(1);
	check_compaction(7);
	check_compaction(699999);
	check_compaction(700000);
	check_quotes();
	check_no_memory();
	return tap_done();
}
