/* SPDX-License-Identifier: MIT */
#include "base/similar.h"

#include <string.h>

#include "tests/tap.h"

int main(void)
{
	static const struct {
		const char *one, *other;
		bool is_similar;
	} rows[] = {
		{ "TX_TRACE_MUTEX_PUTT", "TX_TRACE_MUTEX_PUT", true },
		{ "TX_TRACE_MUTEX_PTU", "TX_TRACE_MUTEX_PUT", true },
		{ "tx_trace_mutx_put", "TX_TRACE_MUTEX_PUT", true },
		{ "TX_TRACE_QUEUE_SENT", "TX_TRACE_QUEUE_SEND", true },
		{ "TX_TRACE_MUTEX_DELETE", "TX_TRACE_MUTEX_CREATE", false },
		{ "motor_step", "sys_fork", false },
		{ "hihg", "high", true },
		{ "low", "lov", true },
		{ "low", "high", false },
		{ "a", "b", false },
		{ "", "a", false },
		{ "same", "same", true },
	};
	char name[65];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const char *one = rows[i].one, *other = rows[i].other;

		ok(similar_names(one, strlen(one), other, strlen(other)) == rows[i].is_similar &&
				similar_names(other, strlen(other), one, strlen(one)) == rows[i].is_similar,
			"'%s' is %s '%s'", one, rows[i].is_similar ? "probably" : "not", other);
	}
	memset(name, 'x', 65);
	ok(similar_names(name, 63, name, 62) && !similar_names(name, 64, name, 64) &&
			!similar_names(name, 65, name, 65),
		"very long names are compared with nothing");
	return tap_done();
}
