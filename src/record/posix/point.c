/* SPDX-License-Identifier: MIT */
/* Trace points that name themselves: opened when the program or library that has them is loaded. */
#include "record/attach/process.h"
#include <stdio.h>

_Static_assert(sizeof(struct posix_trace_gate_np) == 4096, "a gate is alone in its page");

/* Fields are called as the expressions they came from, which may be longer than a name of a field: what is too long is
 * cut. Points have eight fields at most. */
static void point_describe(struct names *names, const struct posix_trace_point_np *point)
{
	struct posix_trace_field_np fields[8];
	char cut[8][32];

	for (unsigned int i = 0; i < point->posix_point_n_fields && i < 8; i++) {
		fields[i] = point->posix_point_fields[i];
		snprintf(cut[i], sizeof cut[i], "%s", fields[i].posix_field_name);
		fields[i].posix_field_name = cut[i];
	}
	names_describe(names, point->posix_point_id, fields, point->posix_point_n_fields);
}

void posix_trace_points_open_np(struct posix_trace_point_np *const *first,
	struct posix_trace_point_np *const *end, struct posix_trace_gate_np *gate)
{
	struct names *names = first != end ? process_names() : NULL;

	/* A point that cannot have a name of its own, or a description, still records. */
	for (; names && first < end; first++) {
		struct posix_trace_point_np *point = *first;

		if (names_open(names, point->posix_point_name, &point->posix_point_id) == 0 &&
			point->posix_point_n_fields > 0 && point->posix_point_n_fields <= 8)
			point_describe(names, point);
	}
	process_add_gate(gate);
}

void posix_trace_points_close_np(struct posix_trace_gate_np *gate)
{
	process_drop_gate(gate);
}
