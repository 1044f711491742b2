/* SPDX-License-Identifier: MIT */
/*
 * Begins and describes a log. The caller's buffer is divided into the table of the cells of a ring area, the
 * scratch in which blocks are put together, and the rest for events (write_events.c).
 */
#include "log/write_parts.h"

#include <errno.h>

/* Numbers of <trace.h>, which this library must not include. */
enum { POLICY_LOOP = 1, POLICY_UNTIL_FULL = 2, POLICY_APPEND = 4 };

enum {
	BUFFER_BYTES_MAX = 64 << 10, /* for one block of events, if events are not longer */
	N_CELLS_USUAL =
		4, /* at least, if the limit allows it: most of a log remains while a cell is begun anew */
	N_CELLS_MAX = 1 << 22,
	SCRATCH_BYTES = BLOCK_HEAD_BYTES + sizeof(struct log_module) + LOG_PATH_MAX,
};
_Static_assert(BLOCK_HEAD_BYTES + sizeof(struct log_type) + LOG_FIELDS_MAX * sizeof(struct log_field) <=
		       SCRATCH_BYTES,
	"a type with all its fields fits");

struct geometry {
	uint64_t cell_bytes, n_cells; /* 0: no area */
	size_t largest;		      /* block of one event */
};

/*
 * A cell should be small compared with the limit, because the oldest one is lost when it is begun anew. It
 * should be large compared with an event, because an event that does not fit leaves a tail unused. All cells
 * together never exceed the limit. If the limit is short, the cells are as short as the longest event allows;
 * if it is shorter, there is one cell. If even one cell has no room for an event, the log has no cells.
 */
static void choose_cells(struct geometry *geometry, uint64_t limit, uint64_t event_bytes)
{
	const uint64_t longest = geometry->largest + CELL_END_BYTES;
	uint64_t cell = limit / 16 > 8 * event_bytes ? limit / 16 : 8 * event_bytes;

	if (cell < CELL_BYTES_USUAL)
		cell = CELL_BYTES_USUAL;
	if (cell > BUFFER_BYTES_MAX)
		cell = BUFFER_BYTES_MAX;
	if (cell > limit / N_CELLS_USUAL)
		cell = limit / N_CELLS_USUAL;
	if (cell < longest)
		cell = longest;
	geometry->n_cells = limit / cell > 1 ? limit / cell : 1;
	geometry->cell_bytes = limit / geometry->n_cells & ~7ull;
	if (geometry->n_cells > N_CELLS_MAX) {
		geometry->n_cells = N_CELLS_MAX;
		geometry->cell_bytes = cell & ~7ull;
	}
	if (geometry->cell_bytes < CELL_BYTES_MIN)
		geometry->n_cells = geometry->cell_bytes = 0;
}

static struct geometry choose_geometry(const struct log_start *start)
{
	const uint32_t data_max =
		start->data_max && start->data_max < LOG_DATA_MAX ? start->data_max : LOG_DATA_MAX;
	const uint64_t event_bytes = log_event_room(data_max);
	struct geometry geometry = { .largest = EVENTS_HEAD_BYTES + (size_t)event_bytes };

	if (start->policy == POLICY_LOOP)
		choose_cells(&geometry, start->limit, event_bytes);
	return geometry;
}

static size_t table_bytes(const struct geometry *geometry)
{
	return (size_t)log_padded(geometry->n_cells * sizeof(uint32_t));
}

/*
 * Room for a copy of the header, and of the blocks behind the area as long as they may move (write_shrink.c).
 */
static size_t copy_bytes(const struct geometry *geometry)
{
	return geometry->n_cells ? HEADER_BYTES + BEHIND_BYTES_MAX : 0;
}

/* The buffer for events: an area's cell, or one block that can hold the longest event. */
static size_t write_block_bytes(const struct geometry *geometry)
{
	if (geometry->n_cells)
		return (size_t)geometry->cell_bytes;
	return geometry->largest > BUFFER_BYTES_MAX ? geometry->largest : BUFFER_BYTES_MAX;
}

/*
 * In an area, blocks are overwritten, and readers need the whole area. If events are not packed, the heads of
 * their blocks lack what a span needs.
 */
static bool has_spans(const struct log_start *start)
{
	return start->policy != POLICY_LOOP && !start->is_plain;
}

size_t log_buffer_bytes(const struct log_start *start)
{
	const struct geometry geometry = choose_geometry(start);

	return table_bytes(&geometry) + SCRATCH_BYTES + write_block_bytes(&geometry) + copy_bytes(&geometry) +
	       (has_spans(start) ? log_spans_bytes() : 0);
}

static void share_buffer(struct log_writer *writer, const struct log_start *start,
	const struct geometry *geometry, unsigned char *buffer)
{
	writer->cell_events = (void *)buffer;
	writer->scratch = buffer + table_bytes(geometry);
	writer->buffer = writer->scratch + SCRATCH_BYTES;
	writer->room = write_block_bytes(geometry) - (geometry->n_cells ? CELL_END_BYTES : 0);
	writer->head_copy = writer->buffer + write_block_bytes(geometry);
	writer->behind = writer->head_copy + HEADER_BYTES;
	if (has_spans(start))
		log_spans_begin(&writer->table, writer->buffer + write_block_bytes(geometry));
	log_events_drop(writer);
}

static void copy_text(char *ret_text, size_t size, const char *text)
{
	size_t n = 0;

	for (; text && text[n] && n + 1 < size; n++)
		ret_text[n] = text[n];
	memset(ret_text + n, 0, size - n);
}

static int put_header(struct log_writer *writer, const struct log_start *start)
{
	struct log_header header = { .version = LOG_VERSION,
		.byte_order = log_byte_order(),
		.word_bytes = sizeof(void *),
		.header_bytes = HEADER_BYTES,
		.incompatible = (writer->area_bytes ? LOG_NEEDS_AREA : 0) |
				(writer->zstd ? LOG_NEEDS_ZSTD : 0) |
				(writer->is_plain ? 0 : LOG_NEEDS_PACKED),
		.content = start->content,
		.clock = start->clock,
		.clock_hz = start->clock_hz,
		.area_bytes = writer->area_bytes,
		.cell_bytes = writer->cell_bytes,
		.start_seconds = start->start_seconds,
		.start_nanoseconds = start->start_nanoseconds,
		.pid = start->pid };

	memcpy(header.magic, LOG_MAGIC, sizeof(header.magic));
	copy_text(header.host, sizeof(header.host), start->host);
	copy_text(header.command, sizeof(header.command), start->command);
	header.crc = writer->crc(0, &header, HEADER_CHECKED_BYTES);
	if (writer->area_bytes)
		memcpy(writer->head_copy, &header, sizeof(header));
	return log_file_put(writer, &header, sizeof(header), 0);
}

int log_begin(struct log_writer *writer, int fd, const struct log_start *start, bool from_here, void *buffer,
	size_t size)
{
	const struct geometry geometry = choose_geometry(start);
	const bool loops = start->policy == POLICY_LOOP, until_full = start->policy == POLICY_UNTIL_FULL;

	memset(writer, 0, sizeof(*writer));
	writer->fd = fd;
	if ((!loops && !until_full && start->policy != POLICY_APPEND) || size < log_buffer_bytes(start) ||
		(start->zstd && (loops || start->is_plain)))
		return writer->error = EINVAL;
	writer->until_full = until_full;
	writer->loops = loops;
	writer->is_plain = start->is_plain;
	writer->zstd = start->zstd;
	writer->limit = start->limit;
	writer->cell_bytes = geometry.cell_bytes;
	writer->area_bytes = geometry.cell_bytes * geometry.n_cells;
	writer->crc = crc32c_choose();
	share_buffer(writer, start, &geometry, buffer);
	if (log_file_begin(writer, from_here))
		return writer->error;
	if (loops && !writer->seekable)
		return writer->error = ESPIPE;
	if (put_header(writer, start))
		return writer->error;
	writer->end = HEADER_BYTES + writer->area_bytes;
	return 0;
}

/* Fills in the checksum of a head whose other members are set, and the zeros behind the body. */
static void seal(const struct log_writer *writer, unsigned char *block, struct log_block *head)
{
	memset(block + BLOCK_HEAD_BYTES + head->length, 0, (size_t)log_padded(head->length) - head->length);
	head->crc = log_block_crc(writer->crc, head, block + BLOCK_HEAD_BYTES);
	memcpy(block, head, sizeof(*head));
}

void log_block_seal(const struct log_writer *writer, unsigned char *block, enum log_kind kind,
	uint32_t length, uint64_t sequence)
{
	struct log_block head = { .magic = LOG_BLOCK_MAGIC,
		.kind = (uint16_t)kind,
		.flags = kind == LOG_EVENTS && !writer->is_plain ? LOG_BLOCK_PACKED : 0,
		.length = length,
		.sequence = sequence };

	seal(writer, block, &head);
}

const unsigned char *log_block_zip(const struct log_writer *writer, const unsigned char *block)
{
	unsigned char *zipped = writer->zstd ? log_zip(writer->zstd, block) : NULL;
	struct log_block head;

	if (!zipped)
		return block;
	memcpy(&head, zipped, sizeof(head));
	head.flags |= LOG_BLOCK_ZSTD;
	seal(writer, zipped, &head);
	return zipped;
}

int log_block_put(struct log_writer *writer, const unsigned char *block)
{
	const uint64_t offset = writer->end;
	struct log_block head;
	size_t n;

	memcpy(&head, block, sizeof(head));
	n = BLOCK_HEAD_BYTES + (size_t)log_padded(head.length);
	if (log_file_put(writer, block, n, offset)) {
		log_file_take_back(writer, offset); /* a part of a block */
		return writer->error;
	}
	if (writer->seekable)
		writer->end += n;
	writer->sequence++;
	log_spans_add(&writer->table, block, offset);
	log_area_keep(writer, block, n);
	return 0;
}

int log_parts_put(struct log_writer *writer, enum log_kind kind, const void *body, size_t length,
	const void *more, size_t n_more)
{
	unsigned char *to = writer->scratch + BLOCK_HEAD_BYTES;

	/* Events that are given from now on must not join a block that was begun before. */
	if (!writer->error && writer->written && !log_events_write(writer))
		log_events_close(writer);
	if (writer->error || (writer->area_bytes && writer->has_no_room && kind != LOG_END))
		return writer->error;
	if (writer->area_bytes)
		log_mark_cell(writer);
	memcpy(to, body, length);
	if (n_more)
		memcpy(to + length, more, n_more);
	log_block_seal(writer, writer->scratch, kind, (uint32_t)(length + n_more), writer->sequence);
	return log_block_put(writer, writer->scratch);
}

int log_attributes(struct log_writer *writer, const struct log_attributes *attributes)
{
	return log_parts_put(writer, LOG_ATTRIBUTES, attributes, sizeof(*attributes), NULL, 0);
}

int log_type(struct log_writer *writer, const struct log_type *type, const struct log_field *fields)
{
	if (type->n_fields > LOG_FIELDS_MAX)
		return EINVAL;
	return log_parts_put(writer, LOG_TYPE, type, sizeof(*type), fields, type->n_fields * sizeof(*fields));
}

int log_module(struct log_writer *writer, const struct log_module *module, const char *path)
{
	struct log_module body = *module;

	body.length = 0;
	while (path && path[body.length] && body.length < LOG_PATH_MAX)
		body.length++;
	return log_parts_put(writer, LOG_MODULE, &body, sizeof(body), path, body.length);
}

int log_clock_pair(struct log_writer *writer, const struct log_clock_pair *pair)
{
	return log_parts_put(writer, LOG_CLOCK_PAIR, pair, sizeof(*pair), NULL, 0);
}

int log_task(struct log_writer *writer, const struct log_task *task, const struct log_priority *priority)
{
	return log_parts_put(
		writer, LOG_TASK, task, sizeof(*task), priority, priority ? sizeof(*priority) : 0);
}

int log_session(struct log_writer *writer, const struct log_session *session)
{
	return log_parts_put(writer, LOG_SESSION, session, sizeof(*session), NULL, 0);
}

static int put_loss(struct log_writer *writer, const struct log_loss *loss)
{
	uint64_t offset;

	if (writer->loops)
		return log_area_put(writer, LOG_LOSS, loss, sizeof(*loss));
	if (log_events_write(writer))
		return writer->error;
	offset = writer->end;
	if (log_parts_put(writer, LOG_LOSS, loss, sizeof(*loss), NULL, 0))
		return writer->error;
	if (!writer->first_events)
		writer->first_events = offset;
	return 0;
}

int log_loss(struct log_writer *writer, const struct log_loss *loss)
{
	if (put_loss(writer, loss))
		return writer->error;
	writer->n_lost += loss->n_events;
	return 0;
}

int log_flush(struct log_writer *writer)
{
	return log_events_write(writer);
}

/* A stream has received a part of a block: the next block must begin where readers look for one. */
static int align_stream(struct log_writer *writer)
{
	static const unsigned char zeros[8];

	writer->error = 0;
	return writer->seekable ? 0 : log_file_put(writer, zeros, -writer->end & 7, writer->end);
}

int log_resume(struct log_writer *writer)
{
	return align_stream(writer) ? writer->error : log_events_write(writer);
}

int log_restart(struct log_writer *writer)
{
	/* blocks that a descriptor that cannot seek keeps remain in the log's counts, and cannot give way */
	writer->n_events -= writer->head.n_events;
	writer->mark = writer->last_mark = (struct log_mark){ 0 };
	log_events_drop(writer);
	if (align_stream(writer) || !writer->seekable)
		return writer->error;
	if (writer->area_bytes && writer->n_cells_used)
		log_file_clear(writer, HEADER_BYTES, writer->area_bytes);
	if (writer->first_events && !log_file_cut(writer, writer->first_events))
		writer->end = writer->first_events;
	log_spans_restart(&writer->table, writer->first_events);
	writer->first_events = 0;
	writer->n_cells_used = writer->n_cells_given = 0;
	writer->event_bytes = writer->n_events = writer->n_overwritten = writer->n_lost = writer->n_too_long =
		0;
	writer->is_full = writer->has_no_room = false;
	return writer->error;
}
