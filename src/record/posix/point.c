/* SPDX-License-Identifier: MIT */
/* Trace points that name themselves: opened when the program or library that has them is loaded. */
#include "record/process/process.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

_Static_assert(sizeof(struct posix_trace_enabled_np) == 4096, "an enabled flag is alone in its page");

/* Types for points with one name and different fields. */
#define POINT_VARIANTS 9

typedef char point_name[sizeof(((struct log_field *)0)->name)];

static bool is_name_used(const struct posix_trace_point_np *point, const char *name)
{
	for (unsigned int i = 0; i < point->posix_point_n_fields; i++)
		if (strcmp(point->posix_point_fields[i].posix_field_name, name) == 0)
			return true;
	return false;
}

/*
 * The name of a field is its expression, cut to the longest name. A string literal is no name: it becomes
 * "text", "text2" and so on.
 */
static void field_name(const struct posix_trace_point_np *point, unsigned int field, unsigned int *number,
	point_name ret_name)
{
	const char *expression = point->posix_point_fields[field].posix_field_name;

	snprintf(ret_name, sizeof(point_name), "%s", expression);
	if (expression[0] != '"')
		return;
	do {
		if (++*number == 1)
			snprintf(ret_name, sizeof(point_name), "text");
		else
			snprintf(ret_name, sizeof(point_name), "text%u", *number);
	} while (is_name_used(point, ret_name));
}

static int point_describe(struct names *names, const struct posix_trace_point_np *point, trace_event_id_t id)
{
	struct posix_trace_field_np fields[LOG_FIELDS_MAX];
	point_name called[LOG_FIELDS_MAX];
	unsigned int n = point->posix_point_n_fields, n_texts = 0;

	if (n == 0 || n > LOG_FIELDS_MAX)
		return 0;
	for (unsigned int i = 0; i < n; i++) {
		fields[i] = point->posix_point_fields[i];
		field_name(point, i, &n_texts, called[i]);
		fields[i].posix_field_name = called[i];
	}
	return names_describe(names, id, fields, n);
}

/*
 * A point whose name or description finds no room still records. If the name has other fields already, the
 * point becomes a type of its own.
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
	struct posix_trace_point_np *const *end, struct posix_trace_enabled_np *flag)
{
	struct names *names = first != end ? process_names() : NULL;

	for (; names && first < end; first++)
		point_open(names, *first);
	if (flag)
		process_add_flag(flag);
}

void posix_trace_points_close_np(struct posix_trace_enabled_np *flag)
{
	process_drop_flag(flag);
}
