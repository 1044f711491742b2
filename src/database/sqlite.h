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
	F(aggregate_context) F(bind_double) F(bind_int64) F(bind_null) F(bind_parameter_count) \
	F(bind_text) F(bind_value) F(close) F(column_bytes) F(column_count) F(column_double) \
	F(column_int64) F(column_name) F(column_text) F(column_type) F(column_value) \
	F(create_function_v2) F(create_module_v2) F(db_config) F(declare_vtab) F(drop_modules) \
	F(errmsg) F(error_offset) F(exec) F(finalize) F(free) F(hard_heap_limit64) F(limit) \
	F(malloc64) F(memory_highwater) F(mprintf) F(open_v2) F(prepare_v2) F(progress_handler) \
	F(realloc64) F(reset) F(result_double) F(result_error) F(result_error_nomem) \
	F(result_int64) F(result_null) F(result_text) F(result_value) F(set_authorizer) F(step) \
	F(stmt_readonly) F(user_data) F(value_double) F(value_int64) F(value_type)
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
