/* SPDX-License-Identifier: MIT */
/* Tables that are filled without SQLite: it finds each row in them, and nothing wrong with the file. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "database/database.h"
#include "tests/tap.h"

struct file {
	char path[64];
	struct database database;
	struct rst_error err;
};

static bool file_open(struct file *file)
{
	int fd;

	snprintf(file->path, sizeof(file->path), "/tmp/rastrum-btree-XXXXXX");
	fd = mkstemp(file->path);
	if (fd >= 0)
		close(fd);
	return fd >= 0 && database_open(&file->database, file->path, &file->err) == RST_OK;
}

static void file_close(struct file *file)
{
	database_close(&file->database);
	unlink(file->path);
}

static struct packed *row_begin(struct file *file)
{
	packed_begin(&file->database.packed);
	return &file->database.packed;
}

static void row_end(struct file *file)
{
	struct btree *tree = &file->database.trees[LONG_LOSSES];

	packed_end(&file->database.packed, tree, &file->database.file, tree->last + 1);
}

/* Runs a question and returns the number in its only row and column; -1 if it has no row. */
static int64_t answer(struct file *file, const char *sql)
{
	const struct sqlite *sqlite = &file->database.sqlite;
	sqlite3_stmt *statement = NULL;
	int64_t number = -1;

	if (database_prepare(&file->database, sql, &statement, &file->err) == RST_OK &&
		sqlite->step(statement) == SQLITE_ROW)
		number = sqlite->column_int64(statement, 0);
	sqlite->finalize(statement);
	return number;
}

static bool is_sound(struct file *file)
{
	const struct sqlite *sqlite = &file->database.sqlite;
	sqlite3_stmt *statement = NULL;
	bool is_ok = false;

	if (database_prepare(&file->database, "PRAGMA integrity_check", &statement, &file->err) == RST_OK &&
		sqlite->step(statement) == SQLITE_ROW) {
		const char *said = (const char *)sqlite->column_text(statement, 0);

		is_ok = strcmp(said, "ok") == 0;
		if (!is_ok)
			printf("# %s\n", said);
	}
	sqlite->finalize(statement);
	return is_ok;
}

/* Numbers, and a text of so many bytes. */
static void row_add(struct file *file, int64_t number, const char *text, size_t n_text)
{
	struct packed *row = row_begin(file);

	packed_number(row, number);
	packed_null(row);
	packed_number(row, (int64_t) - (uint64_t)number);
	packed_number(row, (int64_t)n_text);
	for (unsigned i = 0; i < 4; i++)
		packed_null(row);
	packed_text(row, text, n_text);
	packed_text(row, "", 0);
	row_end(file);
}

static void check_sizes(void)
{
	static const size_t counts[] = { 0, 1, 2, 200, 1000, 30000, 400000 };

	for (size_t i = 0; i < sizeof(counts) / sizeof(counts[0]); i++) {
		struct file file;
		const int64_t n = (int64_t)counts[i];

		ok(file_open(&file), "a file is made");
		for (int64_t row = 1; row <= n; row++)
			row_add(&file, row, "a loss of some events", 21);
		ok(database_finish(&file.database, true, &file.err) == RST_OK, "it is finished");
		ok(is_sound(&file), "SQLite finds nothing wrong with %zu rows", counts[i]);
		ok(answer(&file, "SELECT count(*) FROM losses") == n &&
				answer(&file, "SELECT ifnull(sum(source), 0) FROM losses") ==
					n * (n + 1) / 2 &&
				answer(&file, "SELECT count(*) FROM losses WHERE rowid = source AND source = "
					      "-ts") == n,
			"and each of them");
		ok(!n || answer(&file, "SELECT source FROM losses ORDER BY rowid DESC LIMIT 1") == n,
			"the last one is the last");
		file_close(&file);
	}
}

static void check_numbers(void)
{
	struct file file;
	int64_t n = 0, n_wrong = 0;

	ok(file_open(&file), "a file is made");
	for (unsigned bit = 0; bit < 64; bit++)
		for (int step = -1; step <= 1; step++)
			row_add(&file, (int64_t)((UINT64_C(1) << bit) + (uint64_t)(int64_t)step), "", 0);
	ok(database_finish(&file.database, false, &file.err) == RST_OK && is_sound(&file), "it is sound");
	for (unsigned bit = 0; bit < 64; bit++)
		for (int step = -1; step <= 1; step++) {
			char sql[80];
			const int64_t number = (int64_t)((UINT64_C(1) << bit) + (uint64_t)(int64_t)step);

			snprintf(sql, sizeof(sql), "SELECT source FROM losses WHERE rowid = %lld",
				(long long)++n);
			n_wrong += answer(&file, sql) != number;
		}
	ok(n_wrong == 0, "numbers around each power of two are as they were");
	file_close(&file);
}

static void check_texts(void)
{
	enum { MOST = 200000 };
	static const size_t around[] = { 0, 100, 8100, 8157, 8192, 16384, 24572, 100000 };
	struct file file;
	char *text = malloc(MOST);
	int64_t n = 0;

	for (size_t i = 0; text && i < MOST; i++)
		text[i] = (char)('a' + i % 23);
	ok(text && file_open(&file), "a file is made");
	for (size_t i = 0; i < sizeof(around) / sizeof(around[0]); i++)
		for (size_t more = 0; more < 60; more++, n++)
			row_add(&file, 0, text, around[i] + more);
	ok(database_finish(&file.database, true, &file.err) == RST_OK && is_sound(&file),
		"rows that are longer than a page are sound");
	ok(answer(&file, "SELECT count(*) FROM losses WHERE length(reason) = ns") == n,
		"texts have their length");
	ok(answer(&file, "WITH RECURSIVE t(x) AS (SELECT 'abcdefghijklmnopqrstuvw' UNION ALL SELECT x || x "
			 "FROM t WHERE length(x) < "
			 "200000) SELECT count(*) FROM losses, (SELECT max(x) AS x FROM t) WHERE reason = "
			 "substr(x, 1, ns)") == n,
		"and are what they were");
	file_close(&file);
	free(text);
}

/* SQLite writes to the file in between, as it does behind each trace. */
static void check_turns(void)
{
	struct file file;

	ok(file_open(&file), "a file is made");
	for (int turn = 0; turn < 5; turn++) {
		for (int64_t row = 0; row < 700; row++)
			row_add(&file, turn, "of several traces", 17);
		ok(database_connect(&file.database, &file.err) == RST_OK &&
				database_run(&file.database,
					"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
					"WHERE i < 3000) "
					"INSERT INTO types SELECT NULL, 0, i, 'a name of a type ' || i, '' "
					"FROM n",
					&file.err) == RST_OK &&
				database_disconnect(&file.database, &file.err) == RST_OK,
			"SQLite puts rows in, turn %d", turn);
	}
	ok(database_finish(&file.database, true, &file.err) == RST_OK && is_sound(&file),
		"the file is sound");
	ok(answer(&file, "SELECT count(*) FROM losses") == 3500 &&
			answer(&file, "SELECT sum(source) FROM losses") == 7000 &&
			answer(&file, "SELECT count(*) FROM types") == 15000,
		"and has all rows of both");
	file_close(&file);
}

static void check_failures(void)
{
	struct file file;

	ok(file_open(&file), "a file is made");
	tap_fail_write_after(0);
	for (int64_t row = 0; row < 30000; row++)
		row_add(&file, row, "what cannot be written", 22);
	ok(database_finish(&file.database, true, &file.err) == RST_E_IO, "a full disk is reported");
	tap_fail_write_after(-1);
	file_close(&file);
}

int main(void)
{
	check_sizes();
	check_numbers();
	check_texts();
	check_turns();
	check_failures();
	return tap_done();
}
