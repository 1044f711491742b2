/* SPDX-License-Identifier: MIT */
#include "analysis/explain/explain.h"

#include "base/choice.h"

const struct finding_kind *const finding_kinds[] = {
	&finding_error_reported,
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
	&finding_contradiction,
	&finding_loss,
	NULL,
};

static const char *kind_name(size_t i)
{
	return finding_kinds[i] ? finding_kinds[i]->name : NULL;
}

enum rst_status finding_kind_find(const char *name, size_t *ret_index, struct rst_error *err)
{
	const struct choice choice = {
		.kind = "kind of finding", .name = kind_name, .see = "see `rastrum explain --list`"
	};

	return choice_find(&choice, name, ret_index, err);
}
