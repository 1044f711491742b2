/* SPDX-License-Identifier: MIT */
/*
 * Finds blocks. Where no whole block begins, damage begins, and the next block is searched at every eighth
 * byte. A ring area is searched cell by cell. Blocks do not cross the ends of cells. Eight zero bytes end a
 * cell's blocks; the bytes behind them are left from an earlier lap.
 *
 * If bytes are made to look like many long blocks, each around the next, their checksums would be calculated
 * again and again. So there is an allowance for checksums in vain, which grows with the input. When it is
 * used up, only shorter blocks are found. Damage by accident never comes near it: a torn block costs one
 * checksum in vain.
 */
#include "log/scan.h"

#include <errno.h>

#include "log/block.h"

enum { IN_VAIN_PER_BYTE = 16, IN_VAIN_FREE = 4 * LOG_BLOCK_MAX, HEADER_BYTES_MAX = 1 << 16 };

struct window {
	const unsigned char *bytes;
	uint64_t at, end;
	bool is_end;
};

enum look {
	LOOK_BLOCK,
	LOOK_REST, /* no more blocks in this cell, or no block yet */
	LOOK_NONE,
	LOOK_MORE,
	LOOK_END,
};

static int scan_refuse(int error, const char *what, const char **ret_what)
{
	*ret_what = what;
	return error;
}

static bool has_sane_area(const struct log_header *header)
{
	if (!(header->incompatible & LOG_NEEDS_AREA))
		return true;
	return header->cell_bytes >= CELL_BYTES_MIN && header->cell_bytes <= LOG_BLOCK_MAX &&
	       header->cell_bytes % 8 == 0 && header->area_bytes <= INT64_MAX / 2 &&
	       header->area_bytes % header->cell_bytes == 0;
}

static int judge_header(const struct log_header *header, size_t n, const char **ret_what)
{
	if (header->byte_order != log_byte_order())
		return scan_refuse(ENOTSUP, "a log of a machine with another byte order", ret_what);
	if (header->version != LOG_VERSION)
		return scan_refuse(ENOTSUP, "a log of another version", ret_what);
	if (header->word_bytes != sizeof(void *))
		return scan_refuse(ENOTSUP, "a log of a machine with another word size", ret_what);
	if (n < HEADER_BYTES)
		return EAGAIN;
	if (header->incompatible & ~(LOG_NEEDS_AREA | LOG_NEEDS_ZSTD | LOG_NEEDS_PACKED))
		return scan_refuse(ENOTSUP, "a log that needs a feature that is not known here", ret_what);
	if (header->header_bytes < HEADER_BYTES || header->header_bytes > HEADER_BYTES_MAX ||
		header->header_bytes % 8)
		return scan_refuse(EINVAL, "a log whose header has an impossible length", ret_what);
	if (!has_sane_area(header))
		return scan_refuse(EINVAL, "a log whose ring area has an impossible size", ret_what);
	return 0;
}

int log_scan_begin(struct log_scan *scan, const void *bytes, size_t n, const char **ret_what)
{
	const size_t n_magic = sizeof(scan->header.magic),
		     n_version = offsetof(struct log_header, header_bytes);
	struct log_header *header = &scan->header;
	int error;

	memset(scan, 0, sizeof(*scan));
	memcpy(header, bytes, n < sizeof(*header) ? n : sizeof(*header));
	if (memcmp(header->magic, LOG_MAGIC, n < n_magic ? n : n_magic) != 0)
		return scan_refuse(EINVAL, "no log", ret_what);
	if (n < n_version)
		return EAGAIN;
	error = judge_header(header, n, ret_what);
	if (error)
		return error;
	scan->crc = crc32c_choose();
	if (scan->crc(0, header, HEADER_CHECKED_BYTES) != header->crc)
		scan->damage_what = "a header whose checksum is wrong";
	if (!(header->incompatible & LOG_NEEDS_AREA))
		header->area_bytes = header->cell_bytes = 0;
	header->host[sizeof(header->host) - 1] = header->command[sizeof(header->command) - 1] = 0;
	scan->offset = header->header_bytes;
	return 0;
}

/* Whether a whole block begins here. Counts bytes whose checksum was calculated in vain. */
static bool is_whole_block(struct log_scan *scan, const unsigned char *at, size_t left)
{
	struct log_block head;

	if (left < sizeof(head))
		return false;
	memcpy(&head, at, sizeof(head));
	if (head.magic != LOG_BLOCK_MAGIC || head.length > LOG_BLOCK_MAX - BLOCK_HEAD_BYTES ||
		head.length > left - BLOCK_HEAD_BYTES)
		return false;
	if (log_block_crc(scan->crc, &head, at + BLOCK_HEAD_BYTES) == head.crc)
		return true;
	scan->n_in_vain += head.length;
	return false;
}

bool log_scan_bare(struct log_scan *scan, const unsigned char *bytes, size_t n, uint64_t at)
{
	const uint32_t magic = LOG_BLOCK_MAGIC;
	const unsigned char *found = bytes, *end = bytes + n;

	memset(scan, 0, sizeof(*scan));
	scan->crc = crc32c_choose();
	while (n && scan->n_in_vain < IN_VAIN_FREE + IN_VAIN_PER_BYTE * (uint64_t)n &&
		(found = memmem(found, (size_t)(end - found), &magic, sizeof(magic))) != NULL) {
		if (is_whole_block(scan, found, (size_t)(end - found))) {
			scan->offset = at + (uint64_t)(found - bytes);
			scan->damage_from = at;
			scan->damage_what = "the header of the log is missing here, or written over";
			return true;
		}
		found++;
	}
	return false;
}

static void enter_cell(struct log_scan *scan)
{
	const uint64_t area_end = scan->header.header_bytes + scan->header.area_bytes;

	if (scan->offset < scan->cell_end)
		return;
	scan->next_sequence = 0;
	scan->cell_end = scan->offset < area_end ? scan->offset + scan->header.cell_bytes : UINT64_MAX;
}

static bool is_in_area(const struct log_scan *scan)
{
	return scan->cell_end != UINT64_MAX;
}

/* Eight bytes at an offset, with zeros for those behind the window's end. */
static uint64_t scan_load_word(const struct window *window, uint64_t offset)
{
	const uint64_t left = window->end - offset;
	uint64_t word = 0;

	memcpy(&word, window->bytes + (offset - window->at), left < 8 ? left : 8);
	return word;
}

/*
 * Whether zeros at the offset are unused room: they are if they begin a cell, or directly follow a block of
 * it.
 */
static bool may_be_rest(const struct log_scan *scan)
{
	return is_in_area(scan) &&
	       (!scan->damage_what || scan->offset == scan->cell_end - scan->header.cell_bytes);
}

static enum look no_block(struct log_scan *scan, const char *what)
{
	if (!scan->damage_what) {
		scan->damage_from = scan->offset;
		scan->damage_what = what;
	}
	return LOOK_NONE;
}

/* Whether the allowance covers n more bytes summed up in vain. */
static bool may_sum(const struct log_scan *scan, uint64_t n)
{
	const uint64_t allowed = IN_VAIN_FREE + IN_VAIN_PER_BYTE * scan->offset;

	return scan->n_in_vain + n <= allowed;
}

/*
 * Whether the bytes behind a block confirm its length, so that its checksum can wait until its events are
 * read.
 */
static bool may_wait(const struct log_scan *scan, const struct window *window, const struct log_block *head)
{
	const uint64_t end = scan->offset + BLOCK_HEAD_BYTES + log_padded(head->length);
	uint32_t magic;

	if (!scan->leaves_events || head->kind != LOG_EVENTS || is_in_area(scan) || end > window->end)
		return false;
	if (window->end - end < sizeof(magic))
		return window->is_end && end == window->end;
	memcpy(&magic, window->bytes + (end - window->at), sizeof(magic));
	return magic == LOG_BLOCK_MAGIC;
}

bool log_is_sound(const struct log_scan *scan, const unsigned char *body)
{
	struct log_block head;

	memcpy(&head, body - BLOCK_HEAD_BYTES, sizeof(head));
	return log_block_crc(scan->crc, &head, body) == head.crc;
}

static enum look look_at_block(
	struct log_scan *scan, const struct window *window, uint64_t left, struct log_item *item)
{
	const unsigned char *at = window->bytes + (scan->offset - window->at);
	struct log_block *head = &item->block;

	memcpy(head, at, sizeof(*head));
	if (head->magic != LOG_BLOCK_MAGIC)
		return no_block(scan, "bytes that are no block");
	if (head->length > LOG_BLOCK_MAX - BLOCK_HEAD_BYTES ||
		BLOCK_HEAD_BYTES + log_padded(head->length) > scan->cell_end - scan->offset)
		return no_block(scan, "a block of an impossible length");
	if (left < BLOCK_HEAD_BYTES + (uint64_t)head->length)
		return window->is_end ? no_block(scan, "a block that is cut off") : LOOK_MORE;
	if (!may_sum(scan, head->length))
		return no_block(scan, "bytes that are no block");
	item->body = at + BLOCK_HEAD_BYTES;
	if (may_wait(scan, window, head))
		return LOOK_BLOCK;
	if (log_block_crc(scan->crc, head, item->body) != head->crc) {
		scan->n_in_vain += head->length;
		return no_block(scan, "a block whose checksum is wrong");
	}
	if (is_in_area(scan) && head->sequence < scan->next_sequence)
		return no_block(scan, "a block that is older than the one before it");
	return LOOK_BLOCK;
}

static enum look scan_look_at(struct log_scan *scan, const struct window *window, struct log_item *item)
{
	const uint64_t left = scan->offset < window->end ? window->end - scan->offset : 0;

	if (left < 8 && !window->is_end)
		return LOOK_MORE;
	if (left == 0)
		return LOOK_END;
	if (may_be_rest(scan) && scan_load_word(window, scan->offset) == 0)
		return LOOK_REST;
	if (scan->cell_end - scan->offset < BLOCK_HEAD_BYTES)
		return no_block(scan, "bytes that are no block");
	if (left < BLOCK_HEAD_BYTES)
		return window->is_end ? no_block(scan, "a block that is cut off") : LOOK_MORE;
	return look_at_block(scan, window, left, item);
}

/* Where the cell or the input ends. */
static uint64_t stretch_end(const struct log_scan *scan, const struct window *window)
{
	return scan->cell_end < window->end ? scan->cell_end : window->end;
}

static void skip_rest(struct log_scan *scan, const struct window *window)
{
	const uint64_t end = stretch_end(scan, window);

	if (scan->next_sequence) {
		scan->offset = scan->cell_end;
		return;
	}
	while (scan->offset < end && (window->is_end || end - scan->offset >= 8) &&
		scan_load_word(window, scan->offset) == 0)
		scan->offset += 8;
}

/* Skips to the next bytes that look like a head, or that are too few to decide. */
static void skip_damage(struct log_scan *scan, const struct window *window)
{
	const uint64_t end = stretch_end(scan, window);
	uint32_t magic;

	for (scan->offset += 8; scan->offset + sizeof(magic) <= end; scan->offset += 8) {
		memcpy(&magic, window->bytes + (scan->offset - window->at), sizeof(magic));
		if (magic == LOG_BLOCK_MAGIC)
			break;
	}
}

static enum log_found tell_damage(struct log_scan *scan, uint64_t end, struct log_item *ret_item)
{
	*ret_item = (struct log_item){
		.offset = scan->damage_from, .length = end - scan->damage_from, .what = scan->damage_what
	};
	scan->damage_what = NULL;
	return LOG_FOUND_DAMAGE;
}

static enum log_found tell_block(struct log_scan *scan, struct log_item *ret_item)
{
	ret_item->offset = scan->offset;
	ret_item->length = 0;
	ret_item->what = NULL;
	ret_item->in_area = is_in_area(scan);
	scan->offset += BLOCK_HEAD_BYTES + log_padded(ret_item->block.length);
	if (ret_item->block.sequence < UINT64_MAX)
		scan->next_sequence = ret_item->block.sequence + 1;
	return LOG_FOUND_BLOCK;
}

enum log_found log_scan_next(struct log_scan *scan, const unsigned char *bytes, size_t n, uint64_t at,
	bool is_end, struct log_item *ret_item)
{
	const struct window window = { .bytes = bytes, .at = at, .end = at + n, .is_end = is_end };
	enum look found;

	for (;;) {
		enter_cell(scan);
		found = scan_look_at(scan, &window, ret_item);
		if (found == LOOK_MORE)
			return LOG_FOUND_MORE;
		if (found == LOOK_NONE)
			skip_damage(scan, &window);
		else if (scan->damage_what)
			return tell_damage(
				scan, scan->offset < window.end ? scan->offset : window.end, ret_item);
		else if (found == LOOK_BLOCK)
			return tell_block(scan, ret_item);
		else if (found == LOOK_REST)
			skip_rest(scan, &window);
		else
			return LOG_FOUND_END;
	}
}

bool log_clock_pair_take(const unsigned char *body, size_t length, struct log_clock_pair *ret_pair)
{
	if (length < LOG_CLOCK_PAIR_BYTES_MIN)
		return false;
	*ret_pair = (struct log_clock_pair){ .error = 0 };
	memcpy(ret_pair, body, length < sizeof(*ret_pair) ? LOG_CLOCK_PAIR_BYTES_MIN : sizeof(*ret_pair));
	return true;
}
