/* SPDX-License-Identifier: MIT */
#include "job/open.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/check.h"
#include "base/error.h"

size_t open_n_traces(const struct open_spec *spec, int n_paths)
{
	return spec->is_joined || spec->live ? 1 : (size_t)n_paths;
}

bool open_can_repeat(const struct open_spec *spec, int n_paths, char *const *paths, size_t n)
{
	const size_t first = spec->is_joined ? 0 : n, end = spec->is_joined ? (size_t)n_paths : n + 1;

	for (size_t i = first; i < end && !spec->live; i++) {
		struct stat st;

		if (stat(paths[i], &st) < 0 || !(S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)))
			return false;
	}
	return !spec->live;
}

enum rst_status open_nth_trace(struct rst_trace **ret_trace, const struct open_spec *spec, int n_paths,
	char **paths, size_t n, struct rst_error *err)
{
	struct rst_setting *settings = calloc(spec->settings.n_items + 1, sizeof(*settings));
	char **keys = calloc(spec->settings.n_items + 1, sizeof(*keys));
	enum rst_status status = settings && keys ? RST_OK : error_nomem(err);
	size_t n_settings = 0;

	check(spec->live || n < (size_t)n_paths);

	for (; status == RST_OK && n_settings < spec->settings.n_items; n_settings++) {
		const char *pair = spec->settings.items[n_settings], *equals = strchr(pair, '=');

		keys[n_settings] = strndup(pair, (size_t)(equals - pair));
		if (!keys[n_settings])
			status = error_nomem(err);
		settings[n_settings] = (struct rst_setting){ .key = keys[n_settings], .value = equals + 1 };
	}
	if (status == RST_OK) {
		const struct rst_open how = {
			.dialect = spec->dialect,
			.n_settings = n_settings,
			.settings = settings,
			.clock_hz = spec->clock_hz,
			.in_file_order = spec->order == 1,
			.n_joined = spec->is_joined && !spec->live ? (size_t)n_paths - 1 : 0,
			.joined = (const char *const *)paths + 1,
			.n_symbols = spec->symbols.n_items,
			.symbols = spec->symbols.items,
		};

		status = spec->live ? trace_open_live(ret_trace, spec->live, &how, err)
				    : rst_trace_open(ret_trace, paths[n], &how, err);
	}
	for (size_t i = 0; keys && i < n_settings; i++)
		free(keys[i]);
	free(keys);
	free(settings);
	return status;
}
