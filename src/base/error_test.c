/* SPDX-License-Identifier: MIT */
#include "base/error.h"

#include <string.h>

#include "tests/tap.h"

static enum rst_status layer(enum rst_status below)
{
	error_try(below);
	return RST_MORE;
}

static void check_sentences(void)
{
	static const struct {
		uint64_t offset;
		const char *source, *advice, *expected;
	} rows[] = {
		{ RST_NO_OFFSET, NULL, NULL, "it broke" },
		{ 0, NULL, NULL, "byte 0: it broke" },
		{ UINT64_MAX - 1, "a.trx", NULL, "a.trx: byte 18446744073709551614: it broke" },
		{ RST_NO_OFFSET, "a.trx", "mend it", "a.trx: it broke; mend it" },
		{ 12, "a.trx", "mend it", "a.trx: byte 12: it broke; mend it" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct rst_error err;
		char text[200];

		memset(&err, 0x5a, sizeof(err));
		is_number((unsigned)error_set(&err, RST_E_DAMAGED, rows[i].offset, "it %s", "broke"),
			(unsigned)RST_E_DAMAGED, "setting an error returns its status");
		error_name(&err, rows[i].source);
		if (rows[i].advice)
			error_advise(&err, "%s", rows[i].advice);
		is_text(rst_error_text(&err, text, sizeof(text)), rows[i].expected,
			"the sentence has the parts that are known, and no others");
	}
}

static void check_lengths(void)
{
	static char long_text[1000];
	struct rst_error err;
	char text[640], small[4] = "old";

	memset(long_text, 'w', sizeof(long_text) - 1);
	error_set(&err, RST_E_USAGE, 7, "%s", long_text);
	error_name(&err, long_text);
	error_advise(&err, "%s", long_text);
	ok(strlen(err.what) == sizeof(err.what) - 1 && strlen(err.source) == sizeof(err.source) - 1 &&
			strlen(err.advice) == sizeof(err.advice) - 1,
		"parts that are too long are cut to their places");
	ok(strlen(rst_error_text(&err, text, sizeof(text))) == sizeof(err.what) + sizeof(err.source) +
								       sizeof(err.advice) - 3 +
								       strlen(": byte 7: ; "),
		"a message of 640 bytes has room for the longest");
	is_text(rst_error_text(&err, small, sizeof(small)), "www", "a small buffer holds what fits");
	is_text(rst_error_text(&err, small, 0), "www", "a buffer of no bytes is not touched");
	is_text(rst_error_text(&err, small, 1), "", "a buffer of one byte holds the end");
}

static void check_layers(void)
{
	struct rst_error err;

	error_nomem(&err);
	error_name(&err, "inner");
	error_name(&err, "outer");
	is_text(err.source, "inner", "the layer that knows the input best names it");
	error_name(&err, NULL);
	is_text(err.source, "inner", "no name changes nothing");
	error_advise(&err, "first");
	error_advise(&err, "second");
	is_text(err.advice, "second", "the last advice wins");
	error_set(&err, RST_E_IO, RST_NO_OFFSET, "other");
	ok(!err.source[0] && !err.advice[0], "a new error has nothing of the old one");
	ok(error_set(NULL, RST_E_IO, 0, "x") == RST_E_IO && error_nomem(NULL) == RST_E_NOMEM,
		"a caller without an error object still gets the status");
	error_advise(NULL, "x");
	error_name(NULL, "x");
	ok(layer(RST_E_NOMEM) == RST_E_NOMEM && layer(RST_E_UNSUPPORTED) == RST_E_UNSUPPORTED,
		"failures are passed up unchanged");
	ok(layer(RST_OK) == RST_MORE && layer(RST_END) == RST_MORE, "outcomes are not failures");
}

int main(void)
{
	check_sentences();
	check_lengths();
	check_layers();
	return tap_done();
}
