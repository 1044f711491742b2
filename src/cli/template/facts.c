/* SPDX-License-Identifier: MIT */
#include "cli/template/facts.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* --- the keys ----------------------------------------------------------------------------------------------- */

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
static bool take_process(struct facts *facts, const char *pid, const char *path)
{
	size_t n = facts->n_processes;

	if (n == FACTS_PROCESSES_MAX || !text_parse_u64(pid, &facts->processes[n].pid))
		return false;
	facts->processes[n].path = as_text(path);
	facts->n_processes++;
	return true;
}

/* A:B:START */
static bool take_timer(struct facts *facts, char *value)
{
	size_t n = facts->n_timers;
	char *first = strsep(&value, ":"), *second = strsep(&value, ":");

	if (n == FACTS_TIMERS_MAX || !second || !value || !parse_number(first, &facts->timers[n].first) ||
		!parse_number(second, &facts->timers[n].second) ||
		!parse_number(value, &facts->timers[n].start_ns))
		return false;
	facts->n_timers++;
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

static bool fact_take(struct facts *facts, const char *key, char *value)
{
	static const char process[] = "exec.";
	const size_t n_keys = sizeof(macro_keys) / sizeof(macro_keys[0]), n_process = sizeof(process) - 1;

	if (strncmp(key, process, n_process) == 0)
		return take_process(facts, key + n_process, value);
	if (strcmp(key, "timer") == 0)
		return take_timer(facts, value);
	if (strcmp(key, "elapsed_ns") == 0)
		return parse_number(value, &facts->elapsed_ns);
	if (strcmp(key, "delta_ns") == 0)
		return parse_number(value, &facts->delta_ns);
	for (size_t i = 0; i < n_keys; i++) {
		if (strcmp(key, macro_keys[i].key) != 0)
			continue;
		if (!macro_keys[i].is_text)
			return parse_number(value, &facts->numbers[macro_keys[i].macro]);
		facts->texts[macro_keys[i].macro] = as_text(value);
		return true;
	}
	return false;
}

enum rst_status facts_parse(struct facts *facts, const char *text, struct rst_error *err)
{
	char *rest, *part;

	if (strcmp(text, "-") == 0)
		return RST_OK;
	rest = facts->owned = strdup(text);
	if (!rest)
		return error_nomem(err);
	while ((part = strsep(&rest, ";")) != NULL) {
		char *equals = strchr(part, '=');

		if (!part[0])
			continue;
		if (equals)
			*equals = '\0';
		if (equals && fact_take(facts, part, equals + 1))
			continue;
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--context cannot have '%.60s%s'", part,
			equals ? "=…" : "");
		error_advise(err, "it is like pid=12;execpath=/bin/sh;exec.77=/bin/ksh;timer=0x10:0x10:2000;"
				  "now_ns=9000");
		return RST_E_USAGE;
	}
	return RST_OK;
}

void facts_done(struct facts *facts)
{
	free(facts->owned);
	facts->owned = NULL;
}

/* --- the host ----------------------------------------------------------------------------------------------- */

static int64_t facts_number(const struct entry *entry, enum macro_id macro)
{
	const struct facts *facts = entry->host_data;

	return facts->numbers[macro];
}

static struct text facts_text(const struct entry *entry, enum macro_id macro)
{
	const struct facts *facts = entry->host_data;
	const struct text text = facts->texts[macro];

	return text.bytes ? text : as_text("");
}

static struct text facts_process(const struct entry *entry, uint64_t pid)
{
	const struct facts *facts = entry->host_data;

	for (size_t i = 0; i < facts->n_processes; i++)
		if (facts->processes[i].pid == pid)
			return facts->processes[i].path;
	return (struct text){ 0 };
}

const struct entry_host facts_host = {
	.number = facts_number,
	.text = facts_text,
	.process = facts_process,
};
