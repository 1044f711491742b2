/* SPDX-License-Identifier: MIT */
/* Trace points that name themselves: opened when the program or library that has them is loaded. */
#include "record/attach/process.h"

_Static_assert(sizeof(struct posix_trace_gate_np) == 4096, "a gate is alone in its page");

void posix_trace_points_open_np(struct posix_trace_point_np *const *first,
	struct posix_trace_point_np *const *end, struct posix_trace_gate_np *gate)
{
	struct names *names = first != end ? process_names() : NULL;

	/* A point that cannot have a name of its own, or a description, still records. */
	for (; names && first < end; first++) {
		struct posix_trace_point_np *point = *first;

		if (names_open(names, point->posix_point_name, &point->posix_point_id) == 0 &&
			point->posix_point_n_fields > 0)
			names_describe(names, point->posix_point_id, point->posix_point_fields,
				point->posix_point_n_fields);
	}
	process_add_gate((_Atomic uint32_t *)&gate->posix_gate_open);
}

void posix_trace_points_close_np(struct posix_trace_gate_np *gate)
{
	process_drop_gate((_Atomic uint32_t *)&gate->posix_gate_open);
}
