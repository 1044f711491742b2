/* SPDX-License-Identifier: MIT */
/* What a log says about its stream: header, attributes, clocks, types. Async-signal-safe; memory is the caller's. */
#ifndef CONSUMER_DESCRIBE_H
#define CONSUMER_DESCRIBE_H

#include "log/write.h"
#include "record/consumer/stream_ctl.h"
#include "record/process/names.h"
#include <sys/utsname.h>

struct describe {
	const struct pool *pool;
	const struct stream_ctl *ctl;
	const struct names *names;
	struct log_writer *log;
	uint32_t names_told;	 /* names_version() of what was written */
	uint8_t told[NAMES_END]; /* number of fields that were written of a type, and 1; 0: not written */
	struct log_field fields[LOG_FIELDS_MAX];
	struct log_type type;
	struct utsname host;
	char command[128];
};

/* The longest data that an event of this pool can have. */
uint32_t describe_data_max(const struct pool *pool);
/* How a log of this pool begins; policy and limit are the log's own. */
struct log_start describe_start(struct describe *describe, const struct pool *pool,
	const struct stream_ctl *ctl, int policy, uint64_t limit);
/* All that stands before the first event. The log has begun. */
int describe_begin(struct describe *describe, const struct names *names, struct log_writer *log);
/* The types that are new or have been described since. */
int describe_types(struct describe *describe);
/* Whether there are such types: to ask before every event. */
static inline bool describe_has_types(const struct describe *describe)
{
	return names_version(describe->names) != describe->names_told;
}
/* After log_restart(): what has to be said again is. */
int describe_again(struct describe *describe);

#endif
