/* SPDX-License-Identifier: MIT */
/*
 * Prints every attribute that a trace stream has when its maker sets none, and the limits of this
 * implementation.
 *
 *	cc -o default_attributes default_attributes.c $(pkg-config --cflags --libs posixtrace)
 *	./default_attributes
 *
 * But for posix_trace_sysconf_np() it is what POSIX.1-2017 says, and it is C99 as well as C++.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <trace.h>
#include <unistd.h>

static void check(int error, const char *what)
{
	if (error == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(error));
	exit(EXIT_FAILURE);
}

static const char *policy_name(int policy)
{
	switch (policy) {
	case POSIX_TRACE_LOOP:
		return "POSIX_TRACE_LOOP";
	case POSIX_TRACE_UNTIL_FULL:
		return "POSIX_TRACE_UNTIL_FULL";
	case POSIX_TRACE_FLUSH:
		return "POSIX_TRACE_FLUSH";
	case POSIX_TRACE_APPEND:
		return "POSIX_TRACE_APPEND";
	default:
		return "unknown";
	}
}

static void print_texts(const trace_attr_t *attr)
{
	char text[TRACE_NAME_MAX]; /* enough: version and name are never longer, NUL included */

	check(posix_trace_attr_getgenversion(attr, text), "posix_trace_attr_getgenversion");
	printf("%-24s%s\n", "generation version", text);
	check(posix_trace_attr_getname(attr, text), "posix_trace_attr_getname");
	printf("%-24s\"%s\"\n", "trace name", text);
}

static void print_times(const trace_attr_t *attr)
{
	struct timespec when;
	char text[64];

	check(posix_trace_attr_getcreatetime(attr, &when), "posix_trace_attr_getcreatetime");
	strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime(&when.tv_sec));
	printf("%-24s%s.%09ld UTC\n", "creation time", text, when.tv_nsec);
	check(posix_trace_attr_getclockres(attr, &when), "posix_trace_attr_getclockres");
	printf("%-24s%ld.%09ld s\n", "clock resolution", (long)when.tv_sec, when.tv_nsec);
}

static void print_choices(const trace_attr_t *attr)
{
	int choice;

	check(posix_trace_attr_getstreamfullpolicy(attr, &choice), "posix_trace_attr_getstreamfullpolicy");
	printf("%-24s%s\n", "stream-full policy", policy_name(choice));
	check(posix_trace_attr_getlogfullpolicy(attr, &choice), "posix_trace_attr_getlogfullpolicy");
	printf("%-24s%s\n", "log-full policy", policy_name(choice));
	check(posix_trace_attr_getinherited(attr, &choice), "posix_trace_attr_getinherited");
	printf("%-24s%s\n", "inheritance",
		choice == POSIX_TRACE_INHERITED ? "POSIX_TRACE_INHERITED" : "POSIX_TRACE_CLOSE_FOR_CHILD");
}

static void print_sizes(const trace_attr_t *attr)
{
	size_t data_size, size;

	check(posix_trace_attr_getstreamsize(attr, &size), "posix_trace_attr_getstreamsize");
	printf("%-24s%lu bytes\n", "stream-min-size", (unsigned long)size);
	check(posix_trace_attr_getlogsize(attr, &size), "posix_trace_attr_getlogsize");
	printf("%-24s%lu bytes\n", "log-max-size", (unsigned long)size);
	check(posix_trace_attr_getmaxdatasize(attr, &data_size), "posix_trace_attr_getmaxdatasize");
	printf("%-24s%lu bytes\n", "max-data-size", (unsigned long)data_size);
	check(posix_trace_attr_getmaxusereventsize(attr, data_size, &size),
		"posix_trace_attr_getmaxusereventsize");
	printf("%-24s%lu bytes with %lu bytes of data\n", "largest user event", (unsigned long)size,
		(unsigned long)data_size);
	check(posix_trace_attr_getmaxsystemeventsize(attr, &size), "posix_trace_attr_getmaxsystemeventsize");
	printf("%-24s%lu bytes\n", "largest system event", (unsigned long)size);
}

int main(void)
{
	trace_attr_t attr; /* posix_trace_get_attr() fills in the whole object */
	trace_id_t trid;

	check(posix_trace_create(0, NULL, &trid), "posix_trace_create");
	check(posix_trace_get_attr(trid, &attr), "posix_trace_get_attr");
	print_texts(&attr);
	print_times(&attr);
	print_choices(&attr);
	print_sizes(&attr);
	check(posix_trace_shutdown(trid), "posix_trace_shutdown");
	printf("%-24s%ld streams, %ld user event types, event names of %ld characters\n", "limits",
		posix_trace_sysconf_np(_SC_TRACE_SYS_MAX), posix_trace_sysconf_np(_SC_TRACE_USER_EVENT_MAX),
		posix_trace_sysconf_np(_SC_TRACE_EVENT_NAME_MAX));
	return EXIT_SUCCESS;
}
