/* SPDX-License-Identifier: MIT */
#include "base/json_value.h"

#include <string.h>

#include "tests/tap.h"

static bool is_value(const char *text)
{
	return json_is_value(text, strlen(text));
}

static void test_values(void)
{
	static const char *const good[] = { "0", "-12", "1.5e-7", "null", "true", "false", "\"\"",
		"\"a\\n\\u00e9\"", "{}", "[]", "[1,[2,{\"a\":[]}],\"x\"]", "{\"a\":1,\"b\":{\"c\":[{}]}}" };
	static const char *const bad[] = { "", "01x", "+1", "1.", "nul", "\"", "\"\\q\"", "\"\x01\"", "{",
		"[1,]", "{\"a\"}", "{\"a\":1,}", "[1}", "1 ", "[1]]", "1,2", "{1:2}", "\"\xff\"",
		"\"\\u12\"" };

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ok(is_value(good[i]), "%s is a value", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ok(!is_value(bad[i]), "text %zu is no value", i);
}

static void test_depth(void)
{
	char text[2 * JSON_VALUE_DEPTH_MAX + 2];

	memset(text, '[', JSON_VALUE_DEPTH_MAX);
	memset(text + JSON_VALUE_DEPTH_MAX, ']', JSON_VALUE_DEPTH_MAX);
	ok(json_is_value(text, 2 * JSON_VALUE_DEPTH_MAX), "brackets may be as deep as the limit");
	memset(text, '[', JSON_VALUE_DEPTH_MAX + 1);
	memset(text + JSON_VALUE_DEPTH_MAX + 1, ']', JSON_VALUE_DEPTH_MAX + 1);
	ok(!json_is_value(text, sizeof(text)), "and not deeper");
}

int main(void)
{
	test_values();
	test_depth();
	return tap_done();
}
