/* SPDX-License-Identifier: MIT */
/*
 * The kernel's switches (posix_trace_attr_setswitches_np()): system events (user events in older logs) whose
 * effects are known. An event is one of them if its type has the same name and the same number of fields.
 */
#include <string.h>
#include <trace.h>

#include "dialect/event_table.h"
#include "dialect/posix/posix.h"

/*
 * The next thread on the processor is not known, because the kernel records switches of traced threads only.
 * The thread of the event leaves the processor. Why it waits, and for what, is known only if it recorded an
 * event with a RST_ASKS effect before.
 */
static const struct posix_switch switches[] = {
	{ .name = "sched_in", .label = "thread runs", .effects = EFFECTS(E(SWITCH, .thread = BY_SELF)) },
	{ .name = "sched_wait",
		.label = "thread waits",
		.effects = EFFECTS(E(SWITCH, .thread = NOT_KNOWN, .state = RST_STATE_WAITING)) },
	{ .name = "sched_preempt",
		.label = "thread is preempted",
		.effects = EFFECTS(E(SWITCH, .thread = NOT_KNOWN, .state = RST_STATE_READY)) },
	{ .name = "sched_exit",
		.label = "thread ends",
		.effects = EFFECTS(E(SWITCH, .thread = NOT_KNOWN, .state = RST_STATE_ENDED)
				E(DELETE, .object = BY_SELF)) },
	{ .name = "page_fault",
		.label = "thread has a page fault",
		.n_fields = 1,
		.field = { "fault_address", POSIX_TRACE_ADDRESS_NP, 8 },
		.effects = NO_EFFECT("the thread goes on, unless a switch follows") },
};

const struct posix_switch *posix_switch_at(size_t i)
{
	return i < sizeof(switches) / sizeof(switches[0]) ? &switches[i] : NULL;
}

const struct posix_switch *posix_switch(const char *name, unsigned n_fields)
{
	const struct posix_switch *found;

	for (size_t i = 0; (found = posix_switch_at(i)); i++)
		if (found->n_fields == n_fields && strcmp(found->name, name) == 0)
			return found;
	return NULL;
}
