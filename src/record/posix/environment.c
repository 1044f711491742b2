/* SPDX-License-Identifier: MIT */
#include "record/posix/stream.h"
#include <errno.h>
#include <stdio.h>

int posix_trace_getenv_np(trace_id_t trid, char *text, size_t size)
{
	struct stream *stream = stream_get(trid, STREAM_LIVE);
	const struct control *control;
	char value[CONTROL_TEXT_BYTES];
	int error = EINVAL;

	if (!stream)
		return EINVAL;
	control = stream->target.control ? stream->target.control : &process_control;
	if (stream->is_named && stream->attr.posix_trace_inheritance == POSIX_TRACE_INHERITED) {
		const struct control_stream entry = {
			.pool = stream->pool.file,
			.directory =
				stream->target.control ? stream->target.permit.uid : control->names.directory,
		};
		control_print(&entry, &control->names, value);
		error = (size_t)snprintf(text, size, "%s=%s", CONTROL_ENVIRONMENT, value) < size ? 0 : ENOMEM;
	}
	stream_put(stream);
	return error;
}
