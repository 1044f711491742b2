/* SPDX-License-Identifier: MIT */
/* Values of options: what can be known without the recording. */
#include <ctype.h>
#include <dirent.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/completion.h"
#include "job/catalogue.h"
#include "lines/columns.h"

struct value {
	const char *name, *what;
};

static void offer_all(struct completion *completion, const struct value *values, size_t n_values)
{
	for (size_t i = 0; i < n_values; i++)
		completion_offer(completion, values[i].name, values[i].what);
}

#define OFFER(completion, values) offer_all(completion, values, sizeof(values) / sizeof((values)[0]))

/* Bytes up to the last comma: members of a list that are there already. */
static size_t list_bytes(const char *text)
{
	const char *comma = strrchr(text, ',');

	return comma ? (size_t)(comma - text) + 1 : 0;
}

void complete_files(struct completion *completion)
{
	completion_begin(completion, COMPLETION_FILES, 0);
}

void complete_dialects(struct completion *completion)
{
	completion_begin(completion, COMPLETION_WORDS, 0);
	for (size_t i = 0; dialects[i]; i++)
		completion_offer(completion, dialects[i]->name, dialects[i]->summary);
}

static bool is_of_line(const struct completion *completion, const struct dialect *dialect)
{
	return !completion->dialect || dialect_find(completion->dialect) == dialect;
}

/* The setting of a key that the dialect of the line has; NULL if none has it. */
static const struct dialect_option *find_setting(
	const struct completion *completion, const char *key, size_t n_key)
{
	for (size_t i = 0; dialects[i]; i++)
		for (const struct dialect_option *option = dialects[i]->options; option->key; option++)
			if (is_of_line(completion, dialects[i]) && strlen(option->key) == n_key &&
				memcmp(option->key, key, n_key) == 0)
				return option;
	return NULL;
}

static void offer_keys(struct completion *completion)
{
	char key[40], what[160];

	for (size_t i = 0; dialects[i]; i++)
		for (const struct dialect_option *option = dialects[i]->options; option->key; option++) {
			const struct dialect_option *first =
				find_setting(completion, option->key, strlen(option->key));

			snprintf(key, sizeof(key), "%s=", option->key);
			snprintf(what, sizeof(what), "%s: %s", dialects[i]->name, option->what);
			if (first == option)
				completion_offer(completion, key, what);
		}
}

/* KEY=, then its values. */
void complete_settings(struct completion *completion)
{
	const char *equals = strchr(completion->text, '=');
	const struct dialect_option *setting;

	if (!equals) {
		completion_begin(completion, COMPLETION_PART, 0);
		offer_keys(completion);
		return;
	}

	const size_t n_key = (size_t)(equals - completion->text);

	setting = find_setting(completion, completion->text, n_key);
	if (setting && (strcmp(setting->values, "FILE") == 0 || strcmp(setting->values, "DIR") == 0)) {
		completion_begin(completion, COMPLETION_FILES, n_key + 1);
		return;
	}
	completion_begin(completion, COMPLETION_WORDS, n_key + 1);
	if (setting)
		completion_offer_choices(completion, setting->values);
}

/* NAME, +NAME and -NAME. */
void complete_columns(struct completion *completion)
{
	const size_t n = list_bytes(completion->text);
	const char sign = completion->text[n];

	completion_begin(completion, COMPLETION_LIST, n + (sign == '+' || sign == '-'));
	for (unsigned i = 0; i < N_COLUMNS; i++)
		completion_offer(completion, column_names[i], NULL);
}

static void offer_events(struct completion *completion, const char *dialect)
{
	struct catalogue catalogue;
	struct rst_error err;
	char what[160];

	if (catalogue_init(&catalogue, dialect, &err) == RST_OK)
		for (size_t i = 0; i < catalogue.model.n_types; i++) {
			const struct rst_type *type = catalogue.model.types[i];

			snprintf(what, sizeof(what), "%s%s%s", dialect, type->label[0] ? ": " : "",
				type->label);
			if (type->marker == RST_EVENT)
				completion_offer(completion, type->name, what);
		}
	catalogue_done(&catalogue);
}

void complete_events(struct completion *completion)
{
	completion_begin(completion, COMPLETION_WORDS, 0);
	for (size_t i = 0; dialects[i]; i++)
		if (is_of_line(completion, dialects[i]))
			offer_events(completion, dialects[i]->name);
}

void complete_devices(struct completion *completion)
{
	static const char *const patterns[] = { "/dev/ttyUSB*", "/dev/ttyACM*", "/dev/ttyAMA*", "/dev/ttyS*",
		"/dev/serial/by-id/*" };
	glob_t found = { 0 };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		glob(patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	if (found.gl_pathc) {
		completion_begin(completion, COMPLETION_WORDS, 0);
		for (size_t i = 0; i < found.gl_pathc; i++)
			completion_offer(completion, found.gl_pathv[i], NULL);
	} else {
		complete_files(completion);
	}
	globfree(&found);
}

void complete_rates(struct completion *completion)
{
	static const struct value rates[] = { { "9600", NULL }, { "19200", NULL }, { "38400", NULL },
		{ "57600", NULL }, { "115200", NULL }, { "230400", NULL }, { "460800", NULL },
		{ "921600", NULL }, { "1000000", NULL }, { "2000000", NULL } };

	completion_begin(completion, COMPLETION_WORDS, 0);
	OFFER(completion, rates);
}

void complete_listeners(struct completion *completion)
{
	static const struct value listeners[] = { { "tcp:", "a connection" }, { "udp:", "datagrams" } };

	completion_begin(completion, COMPLETION_PART, 0);
	OFFER(completion, listeners);
}

void complete_commands(struct completion *completion)
{
	static const struct value words[] = { { "start", "begin to trace" }, { "stop", "end tracing" },
		{ "mask=", "which modules trace: a number" }, { "dump", "send the buffer" } };

	completion_begin(completion, COMPLETION_LIST, list_bytes(completion->text));
	OFFER(completion, words);
}

/* Those whose program the user may see are those that it may trace. */
void complete_processes(struct completion *completion)
{
	DIR *folder = opendir("/proc");
	struct dirent *entry;
	char path[300], name[64];

	completion_begin(completion, COMPLETION_WORDS, 0);
	while (folder && (entry = readdir(folder)) != NULL) {
		FILE *file;

		snprintf(path, sizeof(path), "/proc/%s/exe", entry->d_name);
		if (!isdigit((unsigned char)entry->d_name[0]) || readlink(path, name, sizeof(name)) < 0)
			continue;
		snprintf(path, sizeof(path), "/proc/%s/comm", entry->d_name);
		file = fopen(path, "re");
		if (file && fgets(name, sizeof(name), file)) {
			name[strcspn(name, "\n")] = '\0';
			completion_offer(completion, entry->d_name, name);
		}
		if (file)
			fclose(file);
	}
	if (folder)
		closedir(folder);
}

void complete_signals(struct completion *completion)
{
	static const struct value signals[] = { { "EXIT", "the end of the program" }, { "USR1", NULL },
		{ "USR2", NULL }, { "HUP", NULL } };

	completion_begin(completion, COMPLETION_LIST, list_bytes(completion->text));
	OFFER(completion, signals);
}
