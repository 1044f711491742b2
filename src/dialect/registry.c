/* SPDX-License-Identifier: MIT */
#include "dialect/dialect.h"

#include <string.h>
#include <strings.h>

#include "dialect/aix/aix.h"
#include "dialect/compact/compact.h"
#include "dialect/liteos/liteos.h"
#include "dialect/posix/posix.h"
#include "dialect/rkh/rkh.h"
#include "dialect/store/store.h"
#include "dialect/threadx/threadx.h"

const struct dialect *const dialects[] = {
	&dialect_threadx,
	&dialect_liteos,
	&dialect_rkh,
	&dialect_posix,
	&dialect_compact,
	&dialect_aix,
	&dialect_store,
	NULL,
};

const struct dialect *dialect_find(const char *name)
{
	for (size_t i = 0; dialects[i]; i++)
		if (strcasecmp(dialects[i]->name, name) == 0)
			return dialects[i];
	return NULL;
}

const struct hook *dialect_hook(const char *name, const struct rst_type *type)
{
	const struct dialect *dialect = dialect_find(name);

	return dialect && dialect->hook ? dialect->hook(type) : NULL;
}

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
