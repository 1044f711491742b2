/* SPDX-License-Identifier: MIT */
#include "database/sqlite.h"

#include <dlfcn.h>
#include <string.h>

#include "base/error.h"

static bool functions_find(struct sqlite *sqlite)
{
	const struct {
		const char *name;
		void *function; /* where its address goes */
	} rows[] = {
#define SQLITE_ROW_OF(name) { "sqlite3_" #name, &sqlite->name },
		SQLITE_FUNCTIONS(SQLITE_ROW_OF)
#undef SQLITE_ROW_OF
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		void *function = dlsym(sqlite->library, rows[i].name);

		if (!function)
			return false;
		memcpy(rows[i].function, &function, sizeof(function));
	}
	return true;
}

/* sqlite3_error_offset() is the youngest, of 3.38.0 (2022). */
enum rst_status sqlite_open(struct sqlite *sqlite, struct rst_error *err)
{
	sqlite->library = dlopen("libsqlite3.so.0", RTLD_NOW | RTLD_LOCAL);
	if (sqlite->library && functions_find(sqlite))
		return RST_OK;
	error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET,
		sqlite->library ? "questions in SQL need SQLite 3.38, and the one that is installed is older"
				: "questions in SQL need SQLite, which is not installed");
	error_advise(err, "install libsqlite3.so.0 (package libsqlite3-0)");
	return RST_E_UNSUPPORTED;
}

void sqlite_close(struct sqlite *sqlite)
{
	if (sqlite->library)
		dlclose(sqlite->library);
	sqlite->library = NULL;
}
