/* SPDX-License-Identifier: MIT */
#include "template/language/key.h"

#include <string.h>

#include "tests/tap.h"

static void check_hooks(void)
{
	static const char *const hooks[] = { "010", "abc", "1345", "FFF0" };
	static const char *const names[] = { "", "01", "01345", "01g", "TX_QUEUE_SEND", "1_0" };

	for (size_t i = 0; i < sizeof(hooks) / sizeof(*hooks); i++)
		ok(key_is_hook(hooks[i], strlen(hooks[i])), "%s is a hook id", hooks[i]);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ok(!key_is_hook(names[i], strlen(names[i])), "'%s' is none", names[i]);
}

static void check_lookup(void)
{
	static const struct {
		const char *written, *key, *sentence;
	} rows[] = {
		{ "0ab", "0AB", "a hook id is looked up in upper case" },
		{ "1340", "134", "one of four digits that ends in 0 is looked up by its first three" },
		{ "1345", "1345", "any other by all four" },
		{ "000", "000", "a zero at the end of three digits counts" },
		{ "queue_send", "queue_send", "a name is looked up as it is written" },
		{ "", "", "nothing is looked up as nothing" },
	};
	char key[16];

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		size_t n_key = key_normalise(key, rows[i].written, strlen(rows[i].written));

		is_text(key, rows[i].key, rows[i].sentence);
		ok(n_key == strlen(rows[i].key), "its length is %zu", strlen(rows[i].key));
	}
}

int main(void)
{
	check_hooks();
	check_lookup();
	return tap_done();
}
