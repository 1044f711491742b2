/* SPDX-License-Identifier: MIT */
/*
 * Which events of a trace a report can do without: those that it would not show, as long as no template
 * remembers something of them.
 */
#include "cli/report/report.h"
#include "lines/format.h"

/* Their values depend on events in front, shown or not. */
static const char *const looks_back[] = { "UNDERWAY" };

/* The same on events in front that were shown; or there would be fewer lines than events. */
static const char *const remembers[] = { "SKIP", "STOP", "TOTALCPUS", "TRACEDCPUS", "REPORTEDCPUS" };

static bool uses_one_of(const struct template_set *set, const char *const *macros, size_t n_macros)
{
	for (size_t i = 0; i < n_macros; i++)
		if (template_set_uses(set, macros[i]))
			return true;
	return false;
}

static bool chooses(const struct filter_spec *filter)
{
	return filter->from || filter->to || filter->types.n_items || filter->contexts.n_items ||
	       filter->objects.n_items || filter->cores.n_items;
}

struct index_wish report_wish(
	const struct report *report, const struct template_set *set, uint64_t n_last, bool is_only)
{
	const struct report_options *options = &report->options;
	const struct index_wish all = { .is_few = report->n_left != UINT64_MAX, .n_last = UINT64_MAX };
	const bool is_plain =
		options->format != &report_format_aix && is_only && report->n_left == UINT64_MAX;

	if (options->intervals || uses_one_of(set, looks_back, sizeof(looks_back) / sizeof(looks_back[0])))
		return all;
	if (options->filter->from || options->filter->to)
		return (struct index_wish){
			.from = options->filter->from, .to = options->filter->to, .n_last = UINT64_MAX
		};
	if (!is_plain || chooses(options->filter) ||
		uses_one_of(set, remembers, sizeof(remembers) / sizeof(remembers[0])))
		return all;
	return (struct index_wish){ .n_last = n_last, .timed = template_set_uses(set, NULL) ? set : NULL };
}
