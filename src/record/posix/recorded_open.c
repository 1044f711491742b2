/* SPDX-License-Identifier: MIT */
#include "record/posix/recorded.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Any block fits, wherever the window begins. */
#define WINDOW_BYTES (2u * LOG_BLOCK_MAX)

struct recorded_window {
	unsigned char *bytes;
	uint64_t at; /* in the file */
	size_t n;
	bool is_end;
};

int recorded_read(int fd, uint64_t offset, void *bytes, size_t n, size_t *ret_n)
{
	unsigned char *to = bytes;

	*ret_n = 0;
	while (*ret_n < n) {
		ssize_t got = pread(fd, to + *ret_n, n - *ret_n, (off_t)(offset + *ret_n));

		if (got < 0 && errno != EINTR)
			return errno;
		if (got == 0)
			break;
		if (got > 0)
			*ret_n += (size_t)got;
	}
	return 0;
}

static int window_move(struct recorded_window *window, int fd, uint64_t at)
{
	int error = recorded_read(fd, at, window->bytes, WINDOW_BYTES, &window->n);

	window->at = at;
	window->is_end = window->n < WINDOW_BYTES;
	return error;
}

/* Copies the part of a kind's block that has a fixed size; false when the block is shorter. */
static bool body_take(const struct log_item *item, void *ret_part, size_t n)
{
	if (item->block.length < n)
		return false;
	memcpy(ret_part, item->body, n);
	return true;
}

/* Adds an entry to the list of blocks; 0 or ENOMEM. */
static int block_add(struct recorded *recorded, const struct recorded_block *block)
{
	size_t room = recorded->blocks_room ? 2 * recorded->blocks_room : 64;
	struct recorded_block *blocks;

	if (recorded->n_blocks == recorded->blocks_room) {
		blocks = reallocarray(recorded->blocks, room, sizeof(*blocks));
		if (!blocks)
			return ENOMEM;
		recorded->blocks = blocks;
		recorded->blocks_room = room;
	}
	recorded->blocks[recorded->n_blocks++] = *block;
	return 0;
}

/* These return 0, EINVAL for what the recorder never writes, or ENOMEM. */

static int attributes_add(struct recorded *recorded, const struct log_item *item)
{
	struct log_attributes *attributes = &recorded->attributes;

	if (!body_take(item, attributes, sizeof(*attributes)))
		return EINVAL;
	recorded->has_attributes = true;
	return 0;
}

static int type_add(struct recorded *recorded, const struct log_item *item)
{
	struct log_type type;

	if (!body_take(item, &type, sizeof(type)) || type.id == 0 || type.id >= NAMES_END ||
		strnlen(type.name, sizeof(type.name)) > TRACE_EVENT_NAME_MAX)
		return EINVAL;
	strcpy(recorded->names[type.id], type.name);
	recorded->has_name[type.id] = true;
	return 0;
}

static int pair_add(struct recorded *recorded, const struct log_item *item)
{
	struct log_clock_pair pair;

	if (!log_clock_pair_take(item->body, item->block.length, &pair))
		return EINVAL;
	if (recorded->n_pairs < 2)
		recorded->n_pairs++;
	recorded->pairs[recorded->n_pairs - 1] = pair;
	return 0;
}

static int events_add(struct recorded *recorded, const struct log_item *item)
{
	struct recorded_block block = { .offset = item->offset,
		.log_sequence = item->block.sequence,
		.bytes = (uint32_t)sizeof(struct log_block) + item->block.length };
	struct log_events_cursor cursor;
	struct log_events head;
	struct log_event event;
	const unsigned char *data;
	int error = recorded_events(recorded, item, &cursor, &head);

	if (error)
		return error;
	while (log_events_next(&cursor, &event, &data))
		;
	/* whole events count, even if the rest is damaged */
	block.n_events = head.n_events - cursor.n_left;
	if (recorded->bytes_max < block.bytes)
		recorded->bytes_max = block.bytes;
	error = block.n_events ? block_add(recorded, &block) : 0;
	return !error && cursor.n_left ? EINVAL : error;
}

static int loss_add(struct recorded *recorded, const struct log_item *item)
{
	struct recorded_block block = { .offset = item->offset, .log_sequence = item->block.sequence };
	struct log_loss loss;

	if (!body_take(item, &loss, sizeof(loss)))
		return EINVAL;
	block.n_lost_before = loss.n_events;
	recorded->n_lost += loss.n_events;
	return block_add(recorded, &block);
}

static int end_add(struct recorded *recorded, const struct log_item *item)
{
	if (!body_take(item, &recorded->end, sizeof(recorded->end)))
		return EINVAL;
	recorded->has_end = true;
	return 0;
}

/* Other kinds of blocks are not needed here. */
static const struct {
	enum log_kind kind;
	int (*add)(struct recorded *recorded, const struct log_item *item);
} kinds[] = {
	{ LOG_ATTRIBUTES, attributes_add },
	{ LOG_TYPE, type_add },
	{ LOG_CLOCK_PAIR, pair_add },
	{ LOG_EVENTS, events_add },
	{ LOG_LOSS, loss_add },
	{ LOG_END, end_add },
};

static int item_add(struct recorded *recorded, const struct log_item *item)
{
	/* a block behind the end: it was not the end */
	bool is_late = recorded->has_end;
	int error = 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (kinds[i].kind == item->block.kind)
			error = kinds[i].add(recorded, item);
	return is_late && !error ? EINVAL : error;
}

/* Reads the whole log; damage that an incomplete log may have is skipped. */
static int log_read(struct recorded *recorded, struct recorded_window *window, bool allow_incomplete)
{
	struct log_scan *scan = &recorded->scan;
	struct log_item item;
	enum log_found found;
	int error = 0;

	while (!error) {
		found = log_scan_next(scan, window->bytes, window->n, window->at, window->is_end, &item);
		if (found == LOG_FOUND_END)
			return 0;
		if (found == LOG_FOUND_BLOCK)
			error = item_add(recorded, &item);
		else if (found == LOG_FOUND_DAMAGE)
			error = EINVAL;
		else if (window->is_end || scan->offset == window->at)
			return allow_incomplete ? 0 : EINVAL;
		else
			error = window_move(window, recorded->fd, scan->offset);
		if (error == EINVAL && allow_incomplete)
			error = 0;
	}
	return error;
}

static int blocks_compare(const void *one, const void *other)
{
	const struct recorded_block *a = one, *b = other;

	if (a->log_sequence != b->log_sequence)
		return a->log_sequence < b->log_sequence ? -1 : 1;
	return (a->offset > b->offset) - (a->offset < b->offset);
}

/* Adds losses to the blocks behind them, and computes the number of events before each block. */
static void blocks_settle(struct recorded *recorded)
{
	uint64_t n_before = recorded->has_end ? recorded->end.n_overwritten : 0, n_lost = 0;
	size_t n = 0;

	if (recorded->scan.header.area_bytes && recorded->n_blocks)
		qsort(recorded->blocks, recorded->n_blocks, sizeof(recorded->blocks[0]), blocks_compare);
	for (size_t i = 0; i < recorded->n_blocks; i++) {
		struct recorded_block block = recorded->blocks[i];

		n_lost += block.n_lost_before;
		if (!block.n_events)
			continue;
		block.n_lost_before = n_lost;
		block.n_before = n_before + n_lost;
		n_before = block.n_before + block.n_events;
		n_lost = 0;
		recorded->blocks[n++] = block;
	}
	recorded->n_blocks = n;
}

/*
 * Whether there are as many events as the end says. A LOOP log that its consumer is finishing may show its
 * end to a reader that has read its area before the last write.
 */
static bool has_all_events(const struct recorded *recorded)
{
	uint64_t n_events = 0;

	for (size_t i = 0; i < recorded->n_blocks; i++)
		n_events += recorded->blocks[i].n_events;
	return n_events == recorded->end.n_events - recorded->end.n_overwritten;
}

static void scale_settle(struct recorded *recorded)
{
	const struct log_header *header = &recorded->scan.header;
	enum log_clock clock = (enum log_clock)header->clock;

	recorded->scale = clock_scale(clock, &recorded->pairs[0], &recorded->pairs[recorded->n_pairs == 2]);
	if (clock == LOG_CLOCK_TSC && recorded->n_pairs < 2 && header->clock_hz)
		recorded->scale.per_tick = 1e9 / (double)header->clock_hz;
}

/* Whether a log can be read as a stream at all, and whether it has all that a complete one has. */
static bool is_readable(const struct recorded *recorded, bool allow_incomplete)
{
	const struct log_header *header = &recorded->scan.header;

	if (header->content != LOG_CONTENT_POSIX ||
		(header->clock != LOG_CLOCK_MONOTONIC && header->clock != LOG_CLOCK_TSC))
		return false;
	return allow_incomplete || (recorded->has_end && recorded->has_attributes &&
					   (recorded->n_pairs || header->clock == LOG_CLOCK_MONOTONIC));
}

static int recorded_fill(struct recorded *recorded, bool allow_incomplete)
{
	struct recorded_window window = { .bytes = malloc(WINDOW_BYTES) };
	const char *what;
	int error = ENOMEM;

	recorded->names = calloc(NAMES_END, sizeof(recorded->names[0]));
	recorded->has_name = calloc(NAMES_END, sizeof(recorded->has_name[0]));
	if (window.bytes && recorded->names && recorded->has_name)
		error = window_move(&window, recorded->fd, 0);
	if (!error && log_scan_begin(&recorded->scan, window.bytes, window.n, &what))
		error = EINVAL;
	if (!error)
		error = log_read(recorded, &window, allow_incomplete);
	free(window.bytes);
	if (!error && !is_readable(recorded, allow_incomplete))
		error = EINVAL;
	if (error)
		return error;
	blocks_settle(recorded);
	if (!allow_incomplete && !has_all_events(recorded))
		return EINVAL;
	scale_settle(recorded);
	recorded->buffer = malloc(recorded->bytes_max ? recorded->bytes_max : 1);
	return recorded->buffer ? 0 : ENOMEM;
}

/* A descriptor of our own, none of the low ones. 0, or an errno number. */
static int descriptor_get(struct recorded *recorded, int fd)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat status;

	recorded->fd = -1;
	if (flags < 0 || (flags & O_PATH) || (flags & O_ACCMODE) == O_WRONLY || fstat(fd, &status) < 0)
		return EBADF;
	if (!S_ISREG(status.st_mode))
		return EINVAL;
	recorded->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	recorded->device = status.st_dev;
	recorded->inode = status.st_ino;
	return recorded->fd < 0 ? errno : 0;
}

bool recorded_has_file(const struct recorded *recorded)
{
	struct stat status;

	return recorded->fd >= 0 && fstat(recorded->fd, &status) == 0 && status.st_dev == recorded->device &&
	       status.st_ino == recorded->inode;
}

int recorded_open(int fd, bool allow_incomplete, struct recorded **ret_recorded)
{
	struct recorded *recorded = calloc(1, sizeof(*recorded));
	int error;

	if (!recorded)
		return ENOMEM;
	error = descriptor_get(recorded, fd);
	if (!error)
		error = recorded_fill(recorded, allow_incomplete);
	if (error) {
		recorded_close(recorded);
		return error;
	}
	*ret_recorded = recorded;
	return 0;
}

void recorded_close(struct recorded *recorded)
{
	if (!recorded)
		return;
	if (recorded_has_file(recorded))
		close(recorded->fd);
	free(recorded->names);
	free(recorded->has_name);
	free(recorded->blocks);
	free(recorded->buffer);
	log_zstd_close(recorded->zstd);
	free(recorded);
}
