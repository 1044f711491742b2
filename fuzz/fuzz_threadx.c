/* SPDX-License-Identifier: MIT */
/*
 * The ThreadX reader and everything behind it, over arbitrary bytes. The first byte chooses how the trace is opened
 * and reported; the rest is the dump.
 */
#include "fuzz/show.h"
#include "template/search.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The built-in templates, loaded anew now and then: what is compiled for a trace stays in the set's memory. */
static struct template_set *load_templates(struct diags *diags)
{
	enum { RUNS = 256 };
	static struct template_set *set;
	static unsigned n_runs;

	if (n_runs++ % RUNS == 0) {
		template_set_free(set);
		set = template_set_new("threadx");
		if (set)
			template_search(set, 0, NULL, diags, NULL);
	}
	return set;
}

static void show_with_templates(
	struct rst_trace *trace, const struct report_format *format, enum time_form form)
{
	struct diags diags = { 0 };
	const struct show show = { .format = format,
		.form = form,
		.has_color = true,
		.templates = load_templates(&diags),
		.diags = &diags };

	show_report(trace, &show);
	diags_done(&diags);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct rst_setting settings[] = { { "netx", "old" }, { "wrap", "1000" },
		{ "direction", "down" } };
	struct rst_trace *trace;
	struct rst_error err;
	uint8_t choice;

	if (!size)
		return 0;
	choice = *data;
	const struct rst_open how = {
		.dialect = "threadx",
		.in_file_order = choice & 1,
		.clock_hz = choice & 2 ? 168000000 : 0,
		.n_settings = choice & 4 ? 3 : 0,
		.settings = settings,
	};
	const unsigned output = (choice >> 4) % 5;

	if (rst_trace_open_bytes(&trace, data + 1, size - 1, "fuzz", &how, &err) < 0)
		return 0;
	if (report_formats[output])
		show_with_templates(trace, report_formats[output], how.clock_hz ? TIME_CLOCK : TIME_AUTO);
	else
		show_summary(trace);
	rst_trace_free(trace);
	return 0;
}
