/* SPDX-License-Identifier: MIT */
/*
 * The ThreadX reader and everything behind it, over arbitrary bytes. The first byte chooses how the trace is
 * opened and reported; the rest is the dump.
 */
#include <stdlib.h>
#include <string.h>

#include "fuzz/bomb.h"
#include "fuzz/show.h"
#include "template/set/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/*
 * The built-in templates, loaded anew now and then: what is compiled for a trace stays in the set's memory.
 */
static struct template_set *load_templates(struct diags *diags)
{
	enum { RUNS = 256 };
	static struct template_set *set;
	static unsigned n_runs;

	if (n_runs++ % RUNS == 0) {
		template_set_free(set);
		set = template_set_new("threadx");
		if (set)
			template_search(set, NULL, 0, NULL, diags, NULL);
	}
	return set;
}

static void show_with_templates(const uint8_t *data, size_t size, const struct rst_open *how,
	const struct report_format *format, enum time_form form)
{
	struct diags diags = { 0 };
	const struct show show = { .format = format,
		.form = form,
		.has_color = true,
		.templates = load_templates(&diags),
		.diags = &diags };

	show_trace(data, size, how, &show);
	diags_done(&diags);
}

/*
 * A header of 32-bit words, low byte first, whose geometry is that of so many bytes, with the registry that
 * the word for the base tells. A grown ring would have none.
 */
static void settle_header(uint8_t *bytes, size_t n_bytes)
{
	enum { WORD = 4, HEADER = 12 * WORD, NAME = 32, OBJECT = 4 * WORD + NAME, EVENTS = 2 * 8 * WORD };
	const size_t n_most = (n_bytes - HEADER - EVENTS) / OBJECT;
	const size_t n_objects = bytes[2 * WORD] % 4 == 3 ? n_most : bytes[2 * WORD] % 4;
	const uint32_t ring = (uint32_t)(HEADER + n_objects * OBJECT);
	const uint32_t end = ring + (uint32_t)((n_bytes - ring) / 32 * 32);
	const uint32_t words[] = { 0x54585442, UINT32_MAX, 0, HEADER, (uint32_t)NAME << 16, ring, ring, end,
		ring };

	memcpy(bytes, words, sizeof(words));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum {
		IN_FILE_ORDER = 1,
		HAS_CLOCK = 2,
		HAS_SETTINGS = 4,
		SETTLED = 8,
		LEAST = 48 + 2 * 48 + 2 * 32
	};
	static const struct rst_setting settings[] = { { "netx", "old" }, { "wrap", "1000" },
		{ "direction", "down" } };
	uint8_t choice, *copy;

	if (!size)
		return 0;
	choice = *data;
	const struct rst_open how = {
		.dialect = "threadx",
		.in_file_order = choice & IN_FILE_ORDER,
		.clock_hz = choice & HAS_CLOCK ? 168000000 : 0,
		.n_settings = choice & HAS_SETTINGS ? 3 : 0,
		.settings = settings,
	};
	const unsigned output = (choice >> 4) % 5;

	copy = grow(data + 1, size - 1, &size);
	if (!copy)
		return 0;
	if (choice & SETTLED && size >= LEAST)
		settle_header(copy, size);
	if (is_bomb(copy, size))
		;
	else if (report_formats[output])
		show_with_templates(
			copy, size, &how, report_formats[output], how.clock_hz ? TIME_CLOCK : TIME_AUTO);
	else
		show_whole(copy, size, &how, output);
	free(copy);
	return 0;
}
