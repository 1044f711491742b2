/* SPDX-License-Identifier: MIT */
#include "analysis/explain/explain.h"
#include "base/error.h"
#include "base/similar.h"

const struct finding_kind *const finding_kinds[] = {
	&finding_priority_inversion,
	&finding_deadlock,
	&finding_lock_order,
	&finding_starvation,
	&finding_long_wait,
	&finding_long_hold,
	&finding_late_wakeup,
	&finding_missed_period,
	&finding_interrupt_storm,
	&finding_long_interrupt,
	&finding_queue_overflow,
	&finding_memory_leak,
	&finding_stack_low,
	&finding_busy_polling,
	&finding_loss,
	NULL,
};

enum rst_status finding_kind_find(const char *name, size_t *ret_index, struct rst_error *err)
{
	struct similar similar = similar_to(name);
	char near[SIMILAR_TEXT_MAX];

	for (size_t i = 0; finding_kinds[i]; i++) {
		*ret_index = i;
		if (strcmp(finding_kinds[i]->name, name) == 0)
			return RST_OK;
		similar_offer(&similar, finding_kinds[i]->name);
	}
	error_set(err, RST_E_USAGE, RST_NO_OFFSET, "there is no kind of finding '%s'", name);
	error_advise(err, "%s", similar_text(&similar, near) ? near : "see `rastrum explain --list`");
	return RST_E_USAGE;
}
