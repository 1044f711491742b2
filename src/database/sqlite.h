/* SPDX-License-Identifier: MIT */
/*
 * The functions of SQLite that are used, found by dlopen(): most commands ask no question in SQL, and linked
 * it would cost every start. Each is called like the one of its name: database->sqlite.step(statement) is
 * sqlite3_step().
 */
#ifndef DATABASE_SQLITE_H
#define DATABASE_SQLITE_H

#include <sqlite3.h>
#include <stdbool.h>

#include <rastrum/error.h>

/* clang-format off */
#define SQLITE_FUNCTIONS(F) \
	F(bind_double) F(bind_int64) F(bind_null) F(bind_parameter_count) F(bind_text) F(close) \
	F(column_bytes) F(column_count) F(column_double) F(column_int64) F(column_name) F(column_text) \
	F(column_type) F(db_config) F(drop_modules) F(errmsg) F(error_offset) F(exec) F(finalize) \
	F(hard_heap_limit64) F(limit) F(memory_highwater) F(open_v2) F(prepare_v2) F(progress_handler) F(reset) \
	F(set_authorizer) F(step) F(stmt_readonly)
/* clang-format on */

struct sqlite {
	void *library;
#define SQLITE_MEMBER(name) __typeof__(sqlite3_##name) *name;
	SQLITE_FUNCTIONS(SQLITE_MEMBER)
#undef SQLITE_MEMBER
};

/* Returns RST_E_UNSUPPORTED if it is not installed, or too old. sqlite_close() is due in any case. */
enum rst_status sqlite_open(struct sqlite *sqlite, struct rst_error *err);
void sqlite_close(struct sqlite *sqlite);

#endif
