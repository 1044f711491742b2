/* SPDX-License-Identifier: MIT */
/*
 * <trace.h> itself: 50 functions that are functions, constants that are macros, and no other name. The last
 * is tested with the compiler, $CC or cc.
 */
#include "tests/posix/fixture.h"
#include "tests/tap.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- functions ------------------------------------------------------------------------------------------ */

typedef void (*any_function)(void);
/* Does not compile unless the function has that type. (`restrict` is no part of a function's type.) */
#define FUNCTION(result, name, ...)                                                     \
	{                                                                               \
#name, _Generic(&(name), result(*)(__VA_ARGS__) : (any_function)(name)) \
	}
static const struct function {
	const char *name;
	any_function address;
} functions[] = {
	FUNCTION(int, posix_trace_attr_init, trace_attr_t *),
	FUNCTION(int, posix_trace_attr_destroy, trace_attr_t *),
	FUNCTION(int, posix_trace_attr_getclockres, const trace_attr_t *, struct timespec *),
	FUNCTION(int, posix_trace_attr_getcreatetime, const trace_attr_t *, struct timespec *),
	FUNCTION(int, posix_trace_attr_getgenversion, const trace_attr_t *, char *),
	FUNCTION(int, posix_trace_attr_getname, const trace_attr_t *, char *),
	FUNCTION(int, posix_trace_attr_setname, trace_attr_t *, const char *),
	FUNCTION(int, posix_trace_attr_getinherited, const trace_attr_t *, int *),
	FUNCTION(int, posix_trace_attr_setinherited, trace_attr_t *, int),
	FUNCTION(int, posix_trace_attr_getlogfullpolicy, const trace_attr_t *, int *),
	FUNCTION(int, posix_trace_attr_setlogfullpolicy, trace_attr_t *, int),
	FUNCTION(int, posix_trace_attr_getstreamfullpolicy, const trace_attr_t *, int *),
	FUNCTION(int, posix_trace_attr_setstreamfullpolicy, trace_attr_t *, int),
	FUNCTION(int, posix_trace_attr_getlogsize, const trace_attr_t *, size_t *),
	FUNCTION(int, posix_trace_attr_setlogsize, trace_attr_t *, size_t),
	FUNCTION(int, posix_trace_attr_getmaxdatasize, const trace_attr_t *, size_t *),
	FUNCTION(int, posix_trace_attr_setmaxdatasize, trace_attr_t *, size_t),
	FUNCTION(int, posix_trace_attr_getmaxsystemeventsize, const trace_attr_t *, size_t *),
	FUNCTION(int, posix_trace_attr_getmaxusereventsize, const trace_attr_t *, size_t, size_t *),
	FUNCTION(int, posix_trace_attr_getstreamsize, const trace_attr_t *, size_t *),
	FUNCTION(int, posix_trace_attr_setstreamsize, trace_attr_t *, size_t),
	FUNCTION(int, posix_trace_create, pid_t, const trace_attr_t *, trace_id_t *),
	FUNCTION(int, posix_trace_create_withlog, pid_t, const trace_attr_t *, int, trace_id_t *),
	FUNCTION(int, posix_trace_flush, trace_id_t),
	FUNCTION(int, posix_trace_shutdown, trace_id_t),
	FUNCTION(int, posix_trace_clear, trace_id_t),
	FUNCTION(int, posix_trace_start, trace_id_t),
	FUNCTION(int, posix_trace_stop, trace_id_t),
	FUNCTION(int, posix_trace_get_attr, trace_id_t, trace_attr_t *),
	FUNCTION(int, posix_trace_get_status, trace_id_t, struct posix_trace_status_info *),
	FUNCTION(int, posix_trace_get_filter, trace_id_t, trace_event_set_t *),
	FUNCTION(int, posix_trace_set_filter, trace_id_t, const trace_event_set_t *, int),
	FUNCTION(int, posix_trace_open, int, trace_id_t *),
	FUNCTION(int, posix_trace_close, trace_id_t),
	FUNCTION(int, posix_trace_rewind, trace_id_t),
	FUNCTION(void, posix_trace_event, trace_event_id_t, const void *, size_t),
	FUNCTION(int, posix_trace_eventid_open, const char *, trace_event_id_t *),
	FUNCTION(int, posix_trace_trid_eventid_open, trace_id_t, const char *, trace_event_id_t *),
	FUNCTION(int, posix_trace_eventid_get_name, trace_id_t, trace_event_id_t, char *),
	FUNCTION(int, posix_trace_eventid_equal, trace_id_t, trace_event_id_t, trace_event_id_t),
	FUNCTION(int, posix_trace_eventtypelist_getnext_id, trace_id_t, trace_event_id_t *, int *),
	FUNCTION(int, posix_trace_eventtypelist_rewind, trace_id_t),
	FUNCTION(int, posix_trace_eventset_empty, trace_event_set_t *),
	FUNCTION(int, posix_trace_eventset_fill, trace_event_set_t *, int),
	FUNCTION(int, posix_trace_eventset_add, trace_event_id_t, trace_event_set_t *),
	FUNCTION(int, posix_trace_eventset_del, trace_event_id_t, trace_event_set_t *),
	FUNCTION(int, posix_trace_eventset_ismember, trace_event_id_t, const trace_event_set_t *, int *),
	FUNCTION(int, posix_trace_getnext_event, trace_id_t, struct posix_trace_event_info *, void *, size_t,
		size_t *, int *),
	FUNCTION(int, posix_trace_timedgetnext_event, trace_id_t, struct posix_trace_event_info *, void *,
		size_t, size_t *, int *, const struct timespec *),
	FUNCTION(int, posix_trace_trygetnext_event, trace_id_t, struct posix_trace_event_info *, void *,
		size_t, size_t *, int *),
};

static void test_functions(void)
{
	const size_t n = sizeof(functions) / sizeof(functions[0]);
	bool differ = true;

	is_number(n, 50, "17 header: there are 50 functions");
	for (size_t i = 0; i < n; i++) {
		ok(functions[i].address != NULL, "3.1 header: %s is a function of the standard's type",
			functions[i].name);
		for (size_t j = 0; j < i; j++)
			differ &= functions[i].address != functions[j].address;
	}
	ok(differ, "3.1 header: and no two are one");
}

/* --- constants ------------------------------------------------------------------------------------------ */

/* Each label once: the compiler refuses two constants of one family that are equal, and any that is none. */
static int family_switch(int family, int value)
{
	switch (family) {
	case 0:
		switch (value) {
		case POSIX_TRACE_RUNNING:
		case POSIX_TRACE_SUSPENDED:
			return 1;
		}
		break;
	case 1:
		switch (value) {
		case POSIX_TRACE_FULL:
		case POSIX_TRACE_NOT_FULL:
			return 1;
		}
		break;
	case 2:
		switch (value) {
		case POSIX_TRACE_OVERRUN:
		case POSIX_TRACE_NO_OVERRUN:
			return 1;
		}
		break;
	case 3:
		switch (value) {
		case POSIX_TRACE_FLUSHING:
		case POSIX_TRACE_NOT_FLUSHING:
			return 1;
		}
		break;
	case 4:
		switch (value) {
		case POSIX_TRACE_NOT_TRUNCATED:
		case POSIX_TRACE_TRUNCATED_RECORD:
		case POSIX_TRACE_TRUNCATED_READ:
			return 1;
		}
		break;
	case 5:
		switch (value) {
		case POSIX_TRACE_LOOP:
		case POSIX_TRACE_UNTIL_FULL:
		case POSIX_TRACE_FLUSH:
		case POSIX_TRACE_APPEND:
			return 1;
		}
		break;
	case 6:
		switch (value) {
		case POSIX_TRACE_CLOSE_FOR_CHILD:
		case POSIX_TRACE_INHERITED:
			return 1;
		}
		break;
	case 7:
		switch (value) {
		case POSIX_TRACE_WOPID_EVENTS:
		case POSIX_TRACE_SYSTEM_EVENTS:
		case POSIX_TRACE_ALL_EVENTS:
			return 1;
		}
		break;
	case 8:
		switch (value) {
		case POSIX_TRACE_SET_EVENTSET:
		case POSIX_TRACE_ADD_EVENTSET:
		case POSIX_TRACE_SUB_EVENTSET:
			return 1;
		}
		break;
	case 9:
		switch (value) {
		case POSIX_TRACE_ERROR:
		case POSIX_TRACE_START:
		case POSIX_TRACE_STOP:
		case POSIX_TRACE_FILTER:
		case POSIX_TRACE_OVERFLOW:
		case POSIX_TRACE_RESUME:
		case POSIX_TRACE_FLUSH_START:
		case POSIX_TRACE_FLUSH_STOP:
		case POSIX_TRACE_UNNAMED_USEREVENT:
			return 1;
		}
		break;
	}
	return 0;
}

#if !defined(POSIX_TRACE_RUNNING) || !defined(POSIX_TRACE_SUSPENDED) || !defined(POSIX_TRACE_FULL) ||       \
	!defined(POSIX_TRACE_NOT_FULL) || !defined(POSIX_TRACE_OVERRUN) ||                                  \
	!defined(POSIX_TRACE_NO_OVERRUN) || !defined(POSIX_TRACE_FLUSHING) ||                               \
	!defined(POSIX_TRACE_NOT_FLUSHING) || !defined(POSIX_TRACE_NOT_TRUNCATED) ||                        \
	!defined(POSIX_TRACE_TRUNCATED_RECORD) || !defined(POSIX_TRACE_TRUNCATED_READ) ||                   \
	!defined(POSIX_TRACE_LOOP) || !defined(POSIX_TRACE_UNTIL_FULL) || !defined(POSIX_TRACE_FLUSH) ||    \
	!defined(POSIX_TRACE_APPEND) || !defined(POSIX_TRACE_CLOSE_FOR_CHILD) ||                            \
	!defined(POSIX_TRACE_INHERITED) || !defined(POSIX_TRACE_WOPID_EVENTS) ||                            \
	!defined(POSIX_TRACE_SYSTEM_EVENTS) || !defined(POSIX_TRACE_ALL_EVENTS) ||                          \
	!defined(POSIX_TRACE_SET_EVENTSET) || !defined(POSIX_TRACE_ADD_EVENTSET) ||                         \
	!defined(POSIX_TRACE_SUB_EVENTSET) || !defined(POSIX_TRACE_ERROR) || !defined(POSIX_TRACE_START) || \
	!defined(POSIX_TRACE_STOP) || !defined(POSIX_TRACE_FILTER) || !defined(POSIX_TRACE_OVERFLOW) ||     \
	!defined(POSIX_TRACE_RESUME) || !defined(POSIX_TRACE_FLUSH_START) ||                                \
	!defined(POSIX_TRACE_FLUSH_STOP) || !defined(POSIX_TRACE_UNNAMED_USEREVENT) ||                      \
	!defined(POSIX_TRACE_UNNAMED_USER_EVENT)
#error "a constant of the standard is no macro"
#endif

static void test_constants(void)
{
	trace_event_id_t type = POSIX_TRACE_OVERFLOW;

	ok(family_switch(9, (int)type) == 1 && family_switch(0, 1) == 1 && family_switch(99, 0) == 0,
		"2 header: constants serve as case labels and in #ifdef, and differ within their family");
	ok(POSIX_TRACE_NO_OVERRUN == 0, "2 header: NO_OVERRUN is 0");
	ok(POSIX_TRACE_UNNAMED_USEREVENT == POSIX_TRACE_UNNAMED_USER_EVENT,
		"16.1 header: both spellings of the unnamed user event are one number");
}

/* TRACE_* against the least value that the standard allows. */
static const struct limit {
	const char *name;
	long value, least, standard;
} limits[] = {
	{ "TRACE_EVENT_NAME_MAX", TRACE_EVENT_NAME_MAX, _POSIX_TRACE_EVENT_NAME_MAX, 30 },
	{ "TRACE_NAME_MAX", TRACE_NAME_MAX, _POSIX_TRACE_NAME_MAX, 8 },
	{ "TRACE_SYS_MAX", TRACE_SYS_MAX, _POSIX_TRACE_SYS_MAX, 8 },
	{ "TRACE_USER_EVENT_MAX", TRACE_USER_EVENT_MAX, _POSIX_TRACE_USER_EVENT_MAX, 32 },
};

static void test_limits(void)
{
	for (size_t i = 0; i < sizeof(limits) / sizeof(limits[0]); i++)
		ok(limits[i].least == limits[i].standard && limits[i].value >= limits[i].least,
			"2.1 header: %s is no less than the standard requires", limits[i].name);
}

static void test_types(void)
{
	struct posix_trace_event_info info = { .posix_event_id = POSIX_TRACE_START,
		.posix_pid = 1,
		.posix_prog_address = NULL,
		.posix_thread_id = pthread_self(),
		.posix_timestamp = { 1, 2 },
		.posix_truncation_status = POSIX_TRACE_NOT_TRUNCATED };
	struct posix_trace_status_info status = { .posix_stream_status = 1,
		.posix_stream_full_status = 1,
		.posix_stream_overrun_status = 1,
		.posix_stream_flush_status = 1,
		.posix_stream_flush_error = 1,
		.posix_log_overrun_status = 1,
		.posix_log_full_status = 1 };
	trace_event_set_t set, copy;
	trace_id_t trid = 1, same = trid;

	posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS);
	copy = set;
	ok(info.posix_timestamp.tv_sec == 1 && status.posix_log_full_status == 1 && same == trid &&
			memcmp(&copy, &set, sizeof(set)) == 0,
		"2 header: the structures have their members, the types can be assigned");
}

/* --- no other name -------------------------------------------------------------------------------------- */

static const char includes[] = "#include <pthread.h>\n#include <stddef.h>\n#include <sys/types.h>\n"
			       "#include <time.h>\n";
static const char *const allowed[] = { "POSIX_TRACE_", "_POSIX_TRACE_", "posix_", "trace_", "TRACE_" };
static const char *const known[] = { "define", "undef", "include", "if", "ifdef", "ifndef", "endif", "else",
	"typedef", "struct", "int", "unsigned", "char", "long", "const", "void", "restrict", "extern", "C",
	"__cplusplus", "u", "pragma", "GCC", "visibility", "push", "pop", "__attribute__", "__noplt__",
	"__aligned__", "default" };

/* Preprocesses a text, and keeps definitions and line marks. Returns NULL if there is no compiler. */
static char *text_preprocess(const char *text)
{
	char path[] = "/tmp/posix-header-XXXXXX.c", command[300], *output = NULL;
	const char *compiler = getenv("CC");
	int fd = mkstemps(path, 2);
	size_t n = 0, room = 0;
	FILE *pipe;

	if (fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text))
		return NULL;
	close(fd);
	snprintf(command, sizeof(command),
		"%s -std=c99 -D_POSIX_C_SOURCE=200809L -pthread -Iinclude -E -dD %s 2>/dev/null",
		compiler && *compiler ? compiler : "cc", path);
	pipe = popen(command, "r");
	while (pipe && !feof(pipe)) {
		if (n + 65536 > room)
			output = realloc(output, room += 1 << 20);
		if (!output)
			break;
		n += fread(output + n, 1, 65535, pipe);
	}
	if (pipe)
		pclose(pipe);
	unlink(path);
	if (output)
		output[n] = 0;
	return n > 1000 ? output : NULL;
}

static size_t name_length(const char *text)
{
	size_t n = 0;

	while (isalnum((unsigned char)text[n]) || text[n] == '_')
		n++;
	return n;
}

static bool has_word(const char *text, const char *word, size_t n)
{
	char copy[256];

	if (n >= sizeof(copy))
		return false;
	memcpy(copy, word, n);
	copy[n] = 0;
	for (const char *at = text; (at = strstr(at, copy)); at += n)
		if (name_length(at) == n &&
			(at == text || (!isalnum((unsigned char)at[-1]) && at[-1] != '_')))
			return true;
	return false;
}

static bool is_allowed(const char *word, size_t n, const char *without)
{
	for (size_t i = 0; i < sizeof(allowed) / sizeof(allowed[0]); i++)
		if (n > strlen(allowed[i]) && strncmp(word, allowed[i], strlen(allowed[i])) == 0)
			return true;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (n == strlen(known[i]) && strncmp(word, known[i], n) == 0)
			return true;
	return has_word(without, word, n);
}

/* Looks at every word of the lines that come from trace.h itself. */
static unsigned int strange_words(char *with, const char *without)
{
	unsigned int n_strange = 0;
	bool is_inside = false;

	/* A pragma's words are no names, but attributes without underscores are: the user may define them. */
	for (char *line = strtok(with, "\n"); line; line = strtok(NULL, "\n")) {
		if (line[0] == '#' && line[1] == ' ') {
			is_inside = strstr(line, "include/trace.h\"") != NULL;
			continue;
		}
		for (const char *at = line; is_inside && *at;) {
			size_t n = name_length(at);

			if (n == 0) {
				at++;
				continue;
			}
			if (!isdigit((unsigned char)*at) && !is_allowed(at, n, without)) {
				printf("# %.*s\n", (int)n, at);
				n_strange++;
			}
			at += n;
		}
	}
	return n_strange;
}

static void test_name_space(void)
{
	static const char what[] = "17 header: <trace.h> declares nothing but names of its own prefixes";
	char text[400], *with, *without;

	snprintf(text, sizeof(text), "%s#include <trace.h>\n", includes);
	with = text_preprocess(text);
	without = text_preprocess(includes);
	if (with && without && strstr(with, "posix_trace_create"))
		is_number(strange_words(with, without), 0, what);
	else
		skip(what, "there is no compiler");
	free(with);
	free(without);
}

static void test_alone(const char *flags, const char *language)
{
	char command[400];
	int status;

	snprintf(command, sizeof(command),
		"echo '#include <trace.h>' | cc %s -Wall -Wextra -Wpedantic -Werror -Iinclude -fsyntax-only "
		"- "
		"2>/dev/null",
		flags);
	if (system("echo 'int main;' | cc -x c -fsyntax-only - 2>/dev/null") != 0 ||
		(strstr(flags, "++") &&
			system("echo 'class a;' | cc -x c++ -fsyntax-only - 2>/dev/null") != 0)) {
		skip("2 header: it stands alone without a warning", "there is no compiler");
		return;
	}
	status = system(command);
	ok(status == 0, "2 header: it stands alone without a warning in %s", language);
}

int main(void)
{
	fixture_begin();
	test_functions();
	test_constants();
	test_limits();
	test_types();
	test_name_space();
	test_alone("-x c -std=c99 -D_POSIX_C_SOURCE=200809L", "C99");
	test_alone("-x c -std=c11 -D_GNU_SOURCE", "C11");
	test_alone("-x c++ -std=c++11", "C++11");
	return tap_done();
}
