/* SPDX-License-Identifier: MIT */
#include "cli/template/host_values.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* --- the keys ------------------------------------------------------------------------------------------- */

static bool parse_number(const char *value, int64_t *ret_number)
{
	uint64_t number;
	bool is_negative = value[0] == '-';

	if (!text_parse_u64(value + is_negative, &number))
		return false;
	*ret_number = (int64_t)(is_negative ? -number : number);
	return true;
}

static struct text as_text(const char *value)
{
	return (struct text){ .bytes = value, .n_bytes = strlen(value) };
}

/* Behind "exec.", as far as the key goes: the process. */
static bool take_process(struct host_values *values, const char *pid, const char *path)
{
	size_t n = values->n_processes;

	if (n == HOST_PROCESSES_MAX || !text_parse_u64(pid, &values->processes[n].pid))
		return false;
	values->processes[n].path = as_text(path);
	values->n_processes++;
	return true;
}

/* A:B:START */
static bool take_timer(struct host_values *values, char *value)
{
	size_t n = values->n_timers;
	char *first = strsep(&value, ":"), *second = strsep(&value, ":");

	if (n == HOST_TIMERS_MAX || !second || !value || !parse_number(first, &values->timers[n].first) ||
		!parse_number(second, &values->timers[n].second) ||
		!parse_number(value, &values->timers[n].start_ns))
		return false;
	values->n_timers++;
	return true;
}

static const struct {
	const char *key;
	enum macro_id macro;
	bool is_text;
} macro_keys[] = {
	{ "pid", MACRO_PID, false },
	{ "tid", MACRO_TID, false },
	{ "cpuid", MACRO_CPUID, false },
	{ "pri", MACRO_PRI, false },
	{ "threshold", MACRO_THRESHOLD, false },
	{ "capacity", MACRO_CAPACITY, false },
	{ "execpath", MACRO_EXECPATH, true },
	{ "svc", MACRO_SVC, true },
	{ "interrupted", MACRO_INTERRUPTED, true },
	{ "underway", MACRO_UNDERWAY, true },
	{ "rellineno", MACRO_RELLINENO, false },
	{ "totalcpus", MACRO_TOTALCPUS, false },
	{ "tracedcpus", MACRO_TRACEDCPUS, false },
	{ "reportedcpus", MACRO_REPORTEDCPUS, false },
	{ "logfile", MACRO_LOGFILE, true },
	{ "logidx", MACRO_LOGIDX, false },
	{ "logidx0", MACRO_LOGIDX0, false },
	{ "now_ns", MACRO_NOW, false },
};

static bool host_value_take(struct host_values *values, const char *key, char *value)
{
	static const char process[] = "exec.";
	const size_t n_keys = sizeof(macro_keys) / sizeof(macro_keys[0]), n_process = sizeof(process) - 1;

	if (strncmp(key, process, n_process) == 0)
		return take_process(values, key + n_process, value);
	if (strcmp(key, "timer") == 0)
		return take_timer(values, value);
	if (strcmp(key, "elapsed_ns") == 0)
		return parse_number(value, &values->elapsed_ns);
	if (strcmp(key, "delta_ns") == 0)
		return parse_number(value, &values->delta_ns);
	for (size_t i = 0; i < n_keys; i++) {
		if (strcmp(key, macro_keys[i].key) != 0)
			continue;
		if (!macro_keys[i].is_text)
			return parse_number(value, &values->numbers[macro_keys[i].macro]);
		values->texts[macro_keys[i].macro] = as_text(value);
		return true;
	}
	return false;
}

enum rst_status host_values_parse(struct host_values *values, const char *text, struct rst_error *err)
{
	char *rest, *part;

	if (strcmp(text, "-") == 0)
		return RST_OK;
	rest = values->owned = strdup(text);
	if (!rest)
		return error_nomem(err);
	while ((part = strsep(&rest, ";")) != NULL) {
		char *equals = strchr(part, '=');

		if (!part[0])
			continue;
		if (equals)
			*equals = '\0';
		if (equals && host_value_take(values, part, equals + 1))
			continue;
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--context cannot have '%.60s%s'", part,
			equals ? "=…" : "");
		error_advise(err, "it is like pid=12;execpath=/bin/sh;exec.77=/bin/ksh;timer=0x10:0x10:2000;"
				  "now_ns=9000");
		return RST_E_USAGE;
	}
	return RST_OK;
}

void host_values_done(struct host_values *values)
{
	free(values->owned);
	values->owned = NULL;
}

/* --- the host ------------------------------------------------------------------------------------------- */

static int64_t host_values_number(const struct entry *entry, enum macro_id macro)
{
	const struct host_values *values = entry->host_data;

	return values->numbers[macro];
}

static struct text host_values_text(const struct entry *entry, enum macro_id macro)
{
	const struct host_values *values = entry->host_data;
	const struct text text = values->texts[macro];

	return text.bytes ? text : as_text("");
}

static struct text host_values_process(const struct entry *entry, uint64_t pid)
{
	const struct host_values *values = entry->host_data;

	for (size_t i = 0; i < values->n_processes; i++)
		if (values->processes[i].pid == pid)
			return values->processes[i].path;
	return (struct text){ 0 };
}

const struct entry_host host_values_host = {
	.number = host_values_number,
	.text = host_values_text,
	.process = host_values_process,
};
