/* SPDX-License-Identifier: MIT */
/*
 * Names and identifiers of event types. All active streams of a process share its map, so that an identifier
 * means the same type in all of them; a recorded stream has the names of its log.
 */
#include "record/posix/stream.h"

#include <errno.h>
#include <string.h>

struct names *stream_names(const struct stream *stream)
{
	return stream->target.control ? stream->target.names : process_names();
}

static int name_open(struct names *names, const char *name, trace_event_id_t *ret_id)
{
	return names ? names_open(names, name, ret_id) : ENOMEM;
}

int posix_trace_eventid_open(const char *restrict name, trace_event_id_t *restrict ret_id)
{
	struct stream_calm calm = stream_calm_begin();
	int error = EINVAL;

	if (name && ret_id)
		error = name_open(process_names(), name, ret_id);
	return stream_calm_end(&calm, error);
}

int posix_trace_trid_eventid_open(
	trace_id_t trid, const char *restrict name, trace_event_id_t *restrict ret_id)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_LIVE);
	int error = EINVAL;

	if (stream) {
		if (name && ret_id && stream->attr.posix_trace_switches && names_find_switch(name)) {
			*ret_id = names_find_switch(name);
			error = 0;
		} else if (name && ret_id) {
			error = name_open(stream_names(stream), name, ret_id);
		}
		stream_put(stream);
	}
	return stream_calm_end(&calm, error);
}

int posix_trace_eventid_describe_np(
	trace_event_id_t id, const struct posix_trace_field_np *fields, size_t n_fields)
{
	struct stream_calm calm = stream_calm_begin();
	struct names *names = process_names();

	return stream_calm_end(&calm, names ? names_describe(names, id, fields, n_fields) : ENOMEM);
}

bool stream_type_name(const struct stream *stream, trace_event_id_t id, char *ret_name)
{
	const struct names *names;

	if (stream->kind == STREAM_RECORDED)
		return recorded_type_name(stream->recorded, id, ret_name);
	if (stream->attr.posix_trace_switches && names_switch(id)) {
		strcpy(ret_name, names_switch(id));
		return true;
	}
	names = stream_names(stream);
	return names && names_get(names, id, ret_name);
}

trace_event_id_t stream_type_next(const struct stream *stream, trace_event_id_t after)
{
	const struct names *names;

	if (stream->kind == STREAM_RECORDED)
		return recorded_type_next(stream->recorded, after);
	if (stream->attr.posix_trace_switches && after + 1 >= NAMES_FIRST_SWITCH &&
		after + 1 < NAMES_END_SWITCH)
		return after + 1;
	names = stream_names(stream);
	return names ? names_next(names, after) : 0;
}

int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t id, char *ret_name)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_ANY);
	int error = EINVAL;

	if (stream) {
		if (ret_name && stream_type_name(stream, id, ret_name))
			error = 0;
		stream_put(stream);
	}
	return stream_calm_end(&calm, error);
}

int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t one, trace_event_id_t other)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (!stream)
		return 0;
	stream_put(stream);
	return one == other;
}

/* Types that are opened between two calls appear: they get larger identifiers than all before. */
int posix_trace_eventtypelist_getnext_id(
	trace_id_t trid, trace_event_id_t *restrict ret_id, int *restrict ret_unavailable)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_ANY);
	trace_event_id_t next;
	int error = EINVAL;

	if (!stream)
		return stream_calm_end(&calm, error);
	if (ret_id && ret_unavailable) {
		next = stream_type_next(stream, stream->type_cursor);
		*ret_unavailable = next == 0;
		if (next)
			*ret_id = stream->type_cursor = next;
		error = 0;
	}
	stream_put(stream);
	return stream_calm_end(&calm, error);
}

int posix_trace_eventtypelist_rewind(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_ANY);

	if (!stream)
		return EINVAL;
	stream->type_cursor = 0;
	stream_put(stream);
	return 0;
}
