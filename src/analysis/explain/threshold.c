/* SPDX-License-Identifier: MIT */
/* Thresholds as the user writes them, and as they are shown. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/explain/explain.h"
#include "base/error.h"
#include "base/text.h"

static const struct {
	const char *suffix;
	enum threshold_form form;
	double factor;
} units[] = {
	{ "", THRESHOLD_TICKS, 1 },
	{ "ns", THRESHOLD_NS, 1 },
	{ "us", THRESHOLD_NS, 1e3 },
	{ "ms", THRESHOLD_NS, 1e6 },
	{ "s", THRESHOLD_NS, 1e9 },
	{ "%", THRESHOLD_PERCENT, 1 },
};

static bool is_allowed(const struct finding_kind *kind, enum threshold_form form)
{
	if (!kind->threshold)
		return false;
	if (kind->is_count)
		return form == THRESHOLD_TICKS;
	return !kind->is_share || form == THRESHOLD_PERCENT || form == THRESHOLD_TICKS;
}

enum rst_status threshold_parse(const char *text, const struct finding_kind *kind,
	struct threshold *ret_threshold, struct rst_error *err)
{
	char *end = NULL;
	const double value = strspn(text, "0123456789") && !strpbrk(text, "xX") ? strtod(text, &end) : -1;

	for (size_t i = 0; value >= 0 && i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(end, units[i].suffix) == 0 && is_allowed(kind, units[i].form)) {
			*ret_threshold = (struct threshold){ units[i].form, value * units[i].factor };
			return RST_OK;
		}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "'%.64s' is no threshold of %s", text, kind->name);
	error_advise(err, "%s",
		!kind->threshold ? "it has none"
		: kind->is_count ? "write a number"
		: kind->is_share ? "write a number of percent"
				 : "write ticks, a number with ns, us, ms or s, or with %");
	return RST_E_USAGE;
}

bool threshold_describe(const struct finding_kind *kind, char text[THRESHOLD_TEXT_MAX])
{
	char time[TEXT_DURATION_MAX + 1];

	if (!kind->threshold)
		return false;
	*text_put_duration(time, kind->ns) = '\0';
	if (kind->is_count || kind->is_share)
		snprintf(text, THRESHOLD_TEXT_MAX, "threshold: %s, %" PRIu64 "%s", kind->threshold,
			kind->count, kind->is_share ? " %" : "");
	else if (kind->ns)
		snprintf(text, THRESHOLD_TEXT_MAX,
			"threshold: %s, %s, or %" PRIu64 " %% of the window where the clock is not known",
			kind->threshold, time, kind->percent);
	else
		snprintf(text, THRESHOLD_TEXT_MAX, "threshold: %s, any time", kind->threshold);
	return true;
}
