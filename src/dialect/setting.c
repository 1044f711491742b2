/* SPDX-License-Identifier: MIT */
/* Settings of dialects, given as --opt key=value. */
#include <string.h>

#include "dialect/dialect.h"

const char *dialect_setting(const struct rst_open *how, const char *key)
{
	for (size_t i = how->n_settings; i-- > 0;)
		if (strcmp(how->settings[i].key, key) == 0)
			return how->settings[i].value;
	return NULL;
}

enum rst_status dialect_bad_setting(
	const struct dialect *dialect, const char *key, const char *value, struct rst_error *err)
{
	enum rst_status status =
		error_set(err, RST_E_USAGE, RST_NO_OFFSET, "--opt %s=%s is not possible", key, value);

	for (const struct dialect_option *option = dialect->options; option->key; option++)
		if (strcmp(option->key, key) == 0)
			error_advise(err, "use %s=%s (%s)", option->key, option->values, option->what);
	return status;
}
