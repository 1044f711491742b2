/* SPDX-License-Identifier: MIT */
#include "base/similar.h"

#include <string.h>

#include "tests/tap.h"

/* Offers the names one after the other; blanks separate them. */
static void check_offers(const char *word, const char *names, const char *wanted)
{
	struct similar similar = { .word = word, .n_word = strlen(word), .prefix = "--" };
	char copy[256], text[SIMILAR_TEXT_MAX], *rest = copy, *name;

	strncpy(copy, names, sizeof(copy) - 1);
	copy[sizeof(copy) - 1] = '\0';
	while ((name = strsep(&rest, " ")) != NULL)
		similar_offer(&similar, name);
	bool is_near = similar_text(&similar, text);

	ok(is_near == (wanted != NULL) && (!wanted || strcmp(text, wanted) == 0), "of %s '%s' was %s", names,
		word, wanted ? wanted : "none");
}

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
	check_offers("fromat", "from format to", "did you mean --format?");
	check_offers("tpye", "time type tcp", "did you mean --type?");
	check_offers("serail", "save send serial serial", "did you mean --serial?");
	check_offers("lst", "last list lost", "did you mean --last, --list or --lost?");
	check_offers("Mutex", "MUTEX_GET mutex_put queue", "did you mean --MUTEX_GET or --mutex_put?");
	check_offers("mut", "mut_1 mut_2 mut_3 mut_4 mut_5 mut", "did you mean --mut?");
	check_offers("mut", "mut_11 mut_22 mut_33 mut_44 mut_55",
		"did you mean --mut_11, --mut_22, --mut_33, --mut_44, …?");
	check_offers("zebra", "low high", NULL);
	check_offers("t", "to type", NULL);
	check_offers("low", "", NULL);
	check_offers("", "low", NULL);
	return tap_done();
}
