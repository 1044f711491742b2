/* SPDX-License-Identifier: MIT */
#include "base/json.h"

#include "tests/tap.h"

static struct json begin(struct outbuf *out)
{
	if (!outbuf_init(out, OUTBUF_MEMORY))
		ok(false, "a buffer in memory can be had");
	return (struct json){ .out = out };
}

static void is_written(struct outbuf *out, const char *expected, const char *sentence)
{
	if (outbuf_reserve(out, 1))
		*out->at = '\0';
	is_text(out->start, expected, sentence);
	outbuf_done(out);
}

static void check_levels(void)
{
	struct outbuf out;
	struct json json = begin(&out);

	json_object(&json, NULL);
	json_array(&json, "rows");
	for (unsigned i = 0; i < 2; i++) {
		json_array(&json, NULL);
		json_unsigned(&json, NULL, i);
		json_object(&json, NULL);
		json_end(&json);
		json_end(&json);
	}
	json_end(&json);
	json_object(&json, "none");
	json_end(&json);
	json_bool(&json, "is_cut", false);
	json_end(&json);
	json_line_end(&json);
	json_unsigned(&json, NULL, 7);
	json_line_end(&json);
	is_written(&out, "{\"rows\":[[0,{}],[1,{}]],\"none\":{},\"is_cut\":false}\n7\n",
		"commas stand between values, and nowhere else");
}

static void check_values(void)
{
	struct outbuf out;
	struct json json = begin(&out);

	json_array(&json, NULL);
	json_null(&json, NULL);
	json_bool(&json, NULL, true);
	json_unsigned(&json, NULL, UINT64_MAX);
	json_signed(&json, NULL, INT64_MIN);
	json_known(&json, NULL, true, 12);
	json_known(&json, NULL, false, 12);
	json_number(&json, NULL, number_of_real(2.5));
	json_number(&json, NULL, number_of_real(__builtin_nan("")));
	json_decimals(&json, NULL, -0.5, 3);
	json_decimals(&json, NULL, __builtin_inf(), 3);
	json_id(&json, NULL, true, 31);
	json_id(&json, NULL, false, 31);
	json_ready(&json, NULL, (struct text){ "{\"a\":1}", 7 });
	json_end(&json);
	is_written(&out,
		"[null,true,18446744073709551615,-9223372036854775808,12,null,2.5,null,-0.500,null,31,"
		"\"0x1f\",{\"a\":1}]",
		"each kind of value has its form");
}

static void check_texts(void)
{
	struct outbuf out;
	struct json json = begin(&out);

	json_object(&json, NULL);
	json_text(&json, "a\"b", "line\nend");
	json_text(&json, "none", NULL);
	json_bytes(&json, "part", (struct text){ "partial", 4 });
	json_end(&json);
	is_written(&out, "{\"a\\\"b\":\"line\\nend\",\"none\":null,\"part\":\"part\"}",
		"keys and texts are quoted, and no text is null");
}

static void check_huge(void)
{
	struct outbuf out;
	struct json json = begin(&out);

	json_decimals(&json, NULL, -1.7976931348623157e308, JSON_DECIMALS_MAX);
	ok(out.at - out.start == 310 + 1 + JSON_DECIMALS_MAX, "the longest number has room");
	outbuf_done(&out);
}

static void check_lines(void)
{
	struct outbuf out;
	struct json json = begin(&out);

	json_array(&json, NULL);
	for (unsigned i = 0; i < 2; i++) {
		json_line_begin(&json);
		json_unsigned(&json, NULL, i);
	}
	json_end(&json);
	is_written(&out, "[\n0,\n1]", "a line begins behind the comma");
}

static void check_rewind(void)
{
	struct outbuf out;
	struct json json = begin(&out);

	json_array(&json, NULL);
	for (unsigned i = 0; i < 3; i++) {
		const struct json_mark mark = json_mark(&json);

		json_object(&json, NULL);
		json_unsigned(&json, "n", i);
		if (i == 1) {
			json_rewind(&json, &mark);
			continue;
		}
		json_end(&json);
	}
	json_end(&json);
	is_written(&out, "[{\"n\":0},{\"n\":2}]", "what was written after a mark can be removed");
}

int main(void)
{
	check_levels();
	check_values();
	check_texts();
	check_huge();
	check_lines();
	check_rewind();
	return tap_done();
}
