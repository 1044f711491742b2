/* SPDX-License-Identifier: MIT */
/*
 * Metadata of a stream in its log: header, attributes, clocks, types. Async-signal-safe; the caller provides
 * the memory.
 */
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
	uint32_t session_written; /* the version of the session that was written last; 0 before the first */
	uint32_t names_written;	  /* names_version() of the types written */
	uint8_t written
		[NAMES_END]; /* 1 more than the number of fields written of a type; 0 if it is not written */
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
/* Writes all that precedes the first event. The log has begun. */
int describe_begin(struct describe *describe, const struct names *names, struct log_writer *log);
/* Writes the types that are new or were described since. */
int describe_types(struct describe *describe);
/* Whether there are such types: tested before every event. */
static inline bool describe_has_types(const struct describe *describe)
{
	return names_version(describe->names) != describe->names_written;
}
/* Writes which hooks the stream records, if that was said, and has changed since. */
int describe_session(struct describe *describe);
/* After log_restart(): writes again what the log has lost. */
int describe_again(struct describe *describe);

#endif
