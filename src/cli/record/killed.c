/* SPDX-License-Identifier: MIT */
/*
 * A program that a signal has killed cannot record that itself: the recorder records it for the program. The
 * event is one of those that reports know without a description in the program (src/preload/events.def).
 */
#include <string.h>

#include "cli/record/record.h"
#include "record/posix/stream.h"

static const char name[] = "sys_process_killed";
static const struct posix_trace_field_np fields[] = { { "signal", POSIX_TRACE_SIGNED_NP, sizeof(int64_t) } };

/* Where the table of names is full there is no such type, and only standard error has the message. */
static bool type_open(const struct stream *stream, trace_event_id_t *ret_id)
{
	struct names *names = stream_names(stream);

	return names && names_open(names, name, ret_id) == 0 && *ret_id != POSIX_TRACE_UNNAMED_USEREVENT &&
	       names_describe(names, *ret_id, fields, 1) == 0;
}

void recording_note_killed(struct recording *recording, int signal_number)
{
	struct stream *stream = recording->is_on ? stream_get(recording->trid, STREAM_LIVE) : NULL;
	const int64_t data = signal_number;
	struct log_event event = { .length = sizeof(data),
		.cpu = LOG_NO_CPU,
		.pid = (uint32_t)recording->target,
		.tid = (uint32_t)recording->target };
	trace_event_id_t id;

	if (!stream)
		return;
	if (type_open(stream, &id) && !pick_leaves_out(&recording->pick, name)) {
		event.type = (uint16_t)id;
		recording->n_own += pool_put(&stream->pool, &event, &data);
	}
	stream_put(stream);
}
