/* SPDX-License-Identifier: MIT */
#include <trace.h>
#include <unistd.h>

/* The edition of the standard that has these options. */
#define OPTION_EDITION 200809L

static const struct {
	int name;
	long value;
} variables[] = {
	{ _SC_TRACE, OPTION_EDITION },
	{ _SC_TRACE_EVENT_FILTER, OPTION_EDITION },
	{ _SC_TRACE_INHERIT, OPTION_EDITION },
	{ _SC_TRACE_LOG, OPTION_EDITION },
	{ _SC_TRACE_EVENT_NAME_MAX, TRACE_EVENT_NAME_MAX },
	{ _SC_TRACE_NAME_MAX, TRACE_NAME_MAX },
	{ _SC_TRACE_SYS_MAX, TRACE_SYS_MAX },
	{ _SC_TRACE_USER_EVENT_MAX, TRACE_USER_EVENT_MAX },
};

long posix_trace_sysconf_np(int name)
{
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		if (variables[i].name == name)
			return variables[i].value;
	return -1;
}
