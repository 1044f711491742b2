/* SPDX-License-Identifier: MIT */
#include "record/consumer/describe.h"
#include "record/kernel/clock.h"
#include "record/rendezvous/proc.h"
#include <string.h>

#define SECOND_NS	1000000000
#define SCALE_NS_NEEDED 2000000 /* between two clock pairs that determine a frequency */

/* Ticks of a second, as far as they are known so early; 0 if it is not known. */
static uint64_t clock_hz(const struct pool *pool, const struct stream_ctl *ctl)
{
	const struct log_clock_pair born = ctl->born, now = clock_pair((enum log_clock)pool->clock);
	struct clock_scale scale;

	if (pool->clock == LOG_CLOCK_MONOTONIC)
		return SECOND_NS;
	if (now.monotonic < born.monotonic || now.monotonic - born.monotonic < SCALE_NS_NEEDED)
		return 0;
	scale = clock_scale((enum log_clock)pool->clock, &born, &now);
	return scale.per_tick > 1e-3 && scale.per_tick < 1e6 ? (uint64_t)(SECOND_NS / scale.per_tick + 0.5)
							     : 0;
}

uint32_t describe_data_max(const struct pool *pool)
{
	const uint32_t longest_system =
		2 * sizeof(trace_event_set_t); /* of FILTER, whatever max-data-size is */

	return pool->data_size < longest_system ? longest_system
	       : pool->data_size > LOG_DATA_MAX ? LOG_DATA_MAX
						: (uint32_t)pool->data_size;
}

struct log_start describe_start(struct describe *describe, const struct pool *pool,
	const struct stream_ctl *ctl, int policy, uint64_t limit)
{
	memset(describe, 0, sizeof *describe);
	describe->pool = pool;
	describe->ctl = ctl;
	uname(&describe->host);
	proc_command(ctl->controller.pid, describe->command, sizeof describe->command);
	return (struct log_start){ .content = LOG_CONTENT_POSIX,
		.clock = pool->clock,
		.clock_hz = clock_hz(pool, ctl),
		.start_seconds = ctl->attributes.created_seconds,
		.start_nanoseconds = ctl->attributes.created_nanoseconds,
		.pid = ctl->controller.pid,
		.host = describe->host.nodename,
		.command = describe->command,
		.policy = policy,
		.limit = limit,
		.data_max = describe_data_max(pool) };
}

static int type_write(struct describe *describe, trace_event_id_t id)
{
	const char *switch_name = describe->ctl->switches ? names_switch(id) : NULL;
	uint32_t n_fields = switch_name ? names_switch_fields(id, describe->fields)
					: names_fields(describe->names, id, describe->fields);
	int error;

	if (id >= NAMES_END || describe->written[id] == n_fields + 1)
		return 0;
	memset(&describe->type, 0, sizeof describe->type);
	if (switch_name)
		strcpy(describe->type.name, switch_name);
	else if (!names_get(describe->names, id, describe->type.name))
		return 0;
	describe->type.id = id;
	describe->type.n_fields = n_fields;
	error = log_type(describe->log, &describe->type, describe->fields);
	if (error == 0)
		describe->written[id] = (uint8_t)(n_fields + 1);
	return error;
}

int describe_types(struct describe *describe)
{
	/* loaded before the names: a name that is added meanwhile changes it again */
	uint32_t version = names_version(describe->names);
	trace_event_id_t id, next;
	int error = 0;

	for (id = NAMES_FIRST_SWITCH; error == 0 && id < NAMES_END_SWITCH; id++)
		error = type_write(describe, id);
	id = 0;
	/* it only rises: damaged memory ends the loop */
	while (error == 0 && (next = names_next(describe->names, id)) > id) {
		id = next;
		error = type_write(describe, id);
	}
	if (error == 0)
		describe->names_written = version;
	return error;
}

/* A change while it is copied changes the version, too: then it is written again. */
int describe_session(struct describe *describe)
{
	const uint32_t version = atomic_load(&describe->ctl->session_version);
	int error = 0;

	if (version == describe->session_written)
		return 0;
	error = log_session(describe->log, &describe->ctl->session);
	if (error == 0)
		describe->session_written = version;
	return error;
}

int describe_begin(struct describe *describe, const struct names *names, struct log_writer *log)
{
	const struct log_clock_pair now = clock_pair((enum log_clock)describe->pool->clock);
	int error;

	describe->names = names;
	describe->log = log;
	error = log_attributes(log, &describe->ctl->attributes);
	if (error == 0)
		error = describe_types(describe);
	if (error == 0)
		error = log_clock_pair(log, &describe->ctl->born);
	return error ? error : log_clock_pair(log, &now);
}

int describe_again(struct describe *describe)
{
	memset(describe->written, 0, sizeof describe->written);
	describe->session_written = 0;
	return describe_types(describe);
}
