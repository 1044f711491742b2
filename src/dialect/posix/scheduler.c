/* SPDX-License-Identifier: MIT */
/*
 * The kernel's switches (posix_trace_attr_setswitches_np()): system events (user events in older logs), and we know what they do to whom. An
 * event is one of them when its type has the name and no fields, and it has no data.
 */
#include <string.h>

#include "dialect/event_table.h"
#include "dialect/posix/posix.h"

/*
 * The next thread on the processor is not known: the kernel records switches of traced threads only. The one that leaves is
 * that of the event. Why it waits, and for what, it has itself recorded before, if at all: an effect that asks.
 */
static const struct posix_switch switches[] = {
	{ "sched_in", "thread runs", EFFECTS(E(SWITCH, .thread = BY_SELF)) },
	{ "sched_wait", "thread waits", EFFECTS(E(SWITCH, .thread = NOT_KNOWN, .state = RST_STATE_WAITING)) },
	{ "sched_preempt", "thread is preempted",
		EFFECTS(E(SWITCH, .thread = NOT_KNOWN, .state = RST_STATE_READY)) },
	{ "sched_exit", "thread ends",
		EFFECTS(E(SWITCH, .thread = NOT_KNOWN, .state = RST_STATE_ENDED)
				E(DELETE, .object = BY_SELF)) },
};

const struct posix_switch *posix_switch_at(size_t i)
{
	return i < sizeof(switches) / sizeof(switches[0]) ? &switches[i] : NULL;
}

const struct posix_switch *posix_switch(const char *name, unsigned n_fields)
{
	const struct posix_switch *found;

	if (n_fields)
		return NULL;
	for (size_t i = 0; (found = posix_switch_at(i)); i++)
		if (strcmp(found->name, name) == 0)
			return found;
	return NULL;
}
