/* SPDX-License-Identifier: MIT */
/* Trace points that name themselves: opened when the program or library that has them is loaded. */
#include "record/attach/process.h"
#include <errno.h>
#include <stdio.h>

_Static_assert(sizeof(struct posix_trace_gate_np) == 4096, "a gate is alone in its page");

/* Points of one name whose fields differ: so many types at most. */
#define POINT_VARIANTS 9

/* Fields are called as the expressions they came from, which may be longer than a name of a field: what is too long is
 * cut. */
static int point_describe(struct names *names, const struct posix_trace_point_np *point, trace_event_id_t id)
{
	struct posix_trace_field_np fields[LOG_FIELDS_MAX];
	char cut[LOG_FIELDS_MAX][sizeof(((struct log_field *)0)->name)];
	unsigned int n = point->posix_point_n_fields;

	if (n == 0 || n > LOG_FIELDS_MAX)
		return 0;
	for (unsigned int i = 0; i < n; i++) {
		fields[i] = point->posix_point_fields[i];
		snprintf(cut[i], sizeof cut[i], "%s", fields[i].posix_field_name);
		fields[i].posix_field_name = cut[i];
	}
	return names_describe(names, id, fields, n);
}

/*
 * A point that cannot have a name of its own, or a description, still records. One whose name is known with other fields
 * would be misread: it becomes a type of its own.
 */
static void point_open(struct names *names, struct posix_trace_point_np *point)
{
	char name[TRACE_EVENT_NAME_MAX + 4];
	trace_event_id_t id;

	for (unsigned int i = 1; i <= POINT_VARIANTS; i++) {
		if (i == 1)
			snprintf(name, sizeof name, "%s", point->posix_point_name);
		else
			snprintf(name, sizeof name, "%s~%u", point->posix_point_name, i);
		if (names_open(names, name, &id) != 0)
			return;
		if (point_describe(names, point, id) != EEXIST) {
			point->posix_point_id = id;
			return;
		}
	}
}

void posix_trace_points_open_np(struct posix_trace_point_np *const *first,
	struct posix_trace_point_np *const *end, struct posix_trace_gate_np *gate)
{
	struct names *names = first != end ? process_names() : NULL;

	for (; names && first < end; first++)
		point_open(names, *first);
	if (gate)
		process_add_gate(gate);
}

void posix_trace_points_close_np(struct posix_trace_gate_np *gate)
{
	process_drop_gate(gate);
}
