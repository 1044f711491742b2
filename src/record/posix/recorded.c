/* SPDX-License-Identifier: MIT */
/* Recorded streams: a log as the functions of <trace.h> show it, and its cursor. */
#include "record/posix/recorded.h"

#include <errno.h>
#include <string.h>

static int log_open(int fd, bool allow_incomplete, trace_id_t *ret_trid)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = ret_trid ? stream_new(STREAM_RECORDED) : NULL;
	int error;

	if (!stream)
		return stream_calm_end(&calm, ret_trid ? ENOMEM : EINVAL);
	error = recorded_open(fd, allow_incomplete, &stream->recorded);
	if (!error)
		error = stream_enter(stream, ret_trid);
	if (error)
		stream_free(stream);
	return stream_calm_end(&calm, error);
}

int posix_trace_open(int fd, trace_id_t *ret_trid)
{
	return log_open(fd, false, ret_trid);
}

int posix_trace_open_incomplete_np(int fd, trace_id_t *ret_trid)
{
	return log_open(fd, true, ret_trid);
}

int posix_trace_close(trace_id_t trid)
{
	struct stream_calm calm = stream_calm_begin();
	struct stream *stream = stream_get(trid, STREAM_RECORDED);
	int error = EINVAL;

	if (stream) {
		if (stream_remove(trid, stream))
			error = 0;
		stream_put(stream);
	}
	return stream_calm_end(&calm, error);
}

void stream_free_recorded(struct stream *stream)
{
	recorded_close(stream->recorded);
}

int posix_trace_rewind(trace_id_t trid)
{
	struct stream *stream = stream_get(trid, STREAM_RECORDED);

	if (!stream)
		return EINVAL;
	stream->recorded->next_block = 0;
	stream->recorded->events.n_left = 0;
	stream->recorded->has_event = false;
	stream_put(stream);
	return 0;
}

/* Every stream has the predefined types, whether its log describes them or not. */
bool recorded_type_name(const struct recorded *recorded, trace_event_id_t id, char *ret_name)
{
	const char *name = names_predefined(id);

	if (id < NAMES_END && recorded->has_name[id])
		name = recorded->names[id];
	if (!name)
		return false;
	strcpy(ret_name, name);
	return true;
}

trace_event_id_t recorded_type_next(const struct recorded *recorded, trace_event_id_t after)
{
	for (trace_event_id_t id = after; id < NAMES_END - 1;)
		if (recorded->has_name[++id] || names_predefined(id))
			return id;
	return 0;
}

/* A log without attributes, as an incomplete one may be, shows those of a new object. */
void recorded_attr(const struct recorded *recorded, trace_attr_t *ret_attr)
{
	if (recorded->has_attributes)
		attr_take(&recorded->attributes, ret_attr);
	else
		posix_trace_attr_init(ret_attr);
	ret_attr->posix_trace_compress = (recorded->scan.header.incompatible & LOG_NEEDS_ZSTD) != 0;
}

static int choice_of(uint32_t value, int if_set, int if_not)
{
	return value ? if_set : if_not;
}

/* The status of the completed stream, the same at each call (XSH posix_trace_get_status()). */
void recorded_status(const struct recorded *recorded, struct posix_trace_status_info *ret_status)
{
	const struct log_end *end = &recorded->end;
	uint64_t n_lost = recorded->has_end ? end->n_lost : recorded->n_lost;

	memset(ret_status, 0, sizeof(*ret_status));
	ret_status->posix_stream_status =
		choice_of(end->stream_status, POSIX_TRACE_RUNNING, POSIX_TRACE_SUSPENDED);
	ret_status->posix_stream_full_status =
		choice_of(end->stream_full, POSIX_TRACE_FULL, POSIX_TRACE_NOT_FULL);
	ret_status->posix_stream_overrun_status =
		choice_of(end->stream_overrun || (!recorded->has_end && n_lost), POSIX_TRACE_OVERRUN,
			POSIX_TRACE_NO_OVERRUN);
	ret_status->posix_stream_flush_status = POSIX_TRACE_NOT_FLUSHING;
	ret_status->posix_stream_flush_error = (int)end->flush_error;
	ret_status->posix_log_overrun_status =
		choice_of(end->log_overrun, POSIX_TRACE_OVERRUN, POSIX_TRACE_NO_OVERRUN);
	ret_status->posix_log_full_status = choice_of(end->log_full, POSIX_TRACE_FULL, POSIX_TRACE_NOT_FULL);
	ret_status->posix_lost_np = n_lost;
}

int recorded_events(struct recorded *recorded, const struct log_item *item, struct log_events_cursor *cursor,
	struct log_events *ret_head)
{
	const unsigned char *body = item->body;
	size_t length = item->block.length;
	const uint32_t flags = item->block.flags;
	int error = log_unzip(&recorded->zstd, flags, &body, &length);

	if (error)
		return error;
	if ((flags & ~(LOG_BLOCK_PACKED | LOG_BLOCK_ZSTD)) ||
		!log_events_begin(cursor, body, length, flags, ret_head))
		return EINVAL;
	return 0;
}

/*
 * Reads a block of events and begins with it. In a log that is still written the block may have grown: events
 * that were not there at the opening are left out. False when the block has changed.
 */
static bool block_begin(struct recorded *recorded, const struct recorded_block *block)
{
	struct log_scan scan = recorded->scan;
	struct log_item item;
	struct log_events head;
	size_t n;

	scan.offset = block->offset;
	scan.cell_end = UINT64_MAX; /* a single block, not bounded by a cell */
	scan.damage_what = NULL;
	if (!recorded_has_file(recorded) ||
		recorded_read(recorded->fd, block->offset, recorded->buffer, block->bytes, &n) != 0 ||
		log_scan_next(&scan, recorded->buffer, n, block->offset, true, &item) != LOG_FOUND_BLOCK ||
		item.block.kind != LOG_EVENTS || item.block.sequence != block->log_sequence ||
		recorded_events(recorded, &item, &recorded->events, &head) != 0)
		return false;
	if (recorded->events.n_left > block->n_events)
		recorded->events.n_left = block->n_events;
	return true;
}

bool recorded_peek(struct recorded *recorded, const struct log_event **ret_event, const void **ret_data)
{
	while (!recorded->has_event) {
		const struct recorded_block *block;

		if (log_events_next(&recorded->events, &recorded->event, &recorded->data)) {
			recorded->has_event = true;
			break;
		}
		recorded->events.n_left = 0;
		if (recorded->next_block == recorded->n_blocks)
			return false;
		block = &recorded->blocks[recorded->next_block++];
		if (block_begin(recorded, block))
			recorded->sequence = block->n_before;
	}
	*ret_event = &recorded->event;
	*ret_data = recorded->data;
	return true;
}

void recorded_take(struct recorded *recorded)
{
	if (recorded->has_event)
		recorded->sequence++;
	recorded->has_event = false;
}

uint64_t recorded_sequence(const struct recorded *recorded)
{
	return recorded->sequence;
}

int64_t recorded_time(const struct recorded *recorded, uint64_t ticks)
{
	return clock_nanoseconds(&recorded->scale, ticks);
}
