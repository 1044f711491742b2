/* SPDX-License-Identifier: MIT */
#include "dialect/dialect.h"

#include <string.h>
#include <strings.h>

#include "dialect/aix/aix.h"
#include "dialect/compact/compact.h"
#include "dialect/ctf/ctf.h"
#include "dialect/liteos/liteos.h"
#include "dialect/percepio/percepio.h"
#include "dialect/posix/posix.h"
#include "dialect/rkh/rkh.h"
#include "dialect/store/store.h"
#include "dialect/systemview/systemview.h"
#include "dialect/threadx/threadx.h"

const struct dialect *const dialects[] = {
	&dialect_threadx,
	&dialect_liteos,
	&dialect_rkh,
	&dialect_posix,
	&dialect_compact,
	&dialect_aix,
	&dialect_ctf,
	&dialect_percepio,
	&dialect_systemview,
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

	return dialect && dialect_rare(dialect)->hook ? dialect_rare(dialect)->hook(type) : NULL;
}
