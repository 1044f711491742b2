/* SPDX-License-Identifier: MIT */
#include "record/kernel/rings.h"
#include <errno.h>
#include <string.h>

/*
 * The kernel writes the ring meanwhile: its cursor is loaded once (acquire, with all records before it;
 * perf_event_open(2)).
 */
static uint64_t head_of(const struct kernel_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void ring_copy(const struct kernel_ring *ring, uint64_t from, void *to, size_t n_bytes)
{
	const uint64_t at = from & (ring->bytes - 1);
	const uint64_t first = n_bytes < ring->bytes - at ? n_bytes : ring->bytes - at;

	memcpy(to, ring->area + at, first);
	memcpy((unsigned char *)to + first, ring->area, n_bytes - first);
}

/* --- read as they fill ---------------------------------------------------------------------------------- */

/* The kernel does not write impossible records. Gives up all contents of the ring, and counts them as one
 * loss. */
static void give_up(struct kernel_ring *ring, struct perf_record *ret_record)
{
	ring->at = ring->end;
	*ret_record = (struct perf_record){ .kind = PERF_LOST, .n_lost = 1 };
}

static bool take_filled(struct kernel_ring *ring, struct perf_record *ret_record)
{
	_Alignas(8) unsigned char bytes[PERF_RECORD_MOST];
	const uint64_t n_left = ring->end - ring->at;
	struct perf_event_header head;

	if (n_left == 0)
		return false;
	if (n_left >= sizeof head)
		ring_copy(ring, ring->at, &head, sizeof head);
	if (n_left < sizeof head || head.size < sizeof head || head.size > n_left) {
		give_up(ring, ret_record);
	} else {
		if (head.size <= sizeof bytes)
			ring_copy(ring, ring->at, bytes, head.size);
		perf_parse(bytes, head.size <= sizeof bytes ? head.size : 0, ret_record);
		ring->at += head.size;
	}
	__atomic_store_n(&ring->page->data_tail, ring->at, __ATOMIC_RELEASE);
	return true;
}

/* --- looked at while they are overwritten --------------------------------------------------------------- */

/* The bytes that a processor may have begun to write before it moved its cursor: a record, and one that
 * interrupts it. */
#define UNPUBLISHED_BYTES 1024

/*
 * Copies the bytes from the cursor on, while the kernel continues to write in front of it. In a full ring the
 * kernel thus overwrites the oldest bytes of the copy. These are its last bytes, and do not count. The ring
 * is not paused, so it loses no record: PERF_EVENT_IOC_PAUSE_OUTPUT would lose every record that comes while
 * this thread copies, or cannot run.
 */
static uint64_t copy_overwritten(struct kernel_ring *ring)
{
	const uint64_t n_bytes = -ring->at < ring->bytes ? -ring->at : ring->bytes;
	uint64_t n_written;

	ring_copy(ring, ring->at, ring->copy, n_bytes);
#ifndef __SANITIZE_THREAD__
	__atomic_thread_fence(__ATOMIC_ACQUIRE);
#endif
	n_written = ring->at - head_of(ring) + UNPUBLISHED_BYTES;
	if (n_written >= ring->bytes)
		return 0;
	return n_bytes < ring->bytes - n_written ? n_bytes : ring->bytes - n_written;
}

/*
 * The kernel writes such a ring from its end to its beginning (perf_event_open(2), write_backward). So the
 * newest record is at its cursor and the others follow, up to one that the newest has cut. Returns false if
 * too much of the copy was overwritten, because this thread did not run.
 */
static bool look_overwritten(struct kernel_ring *ring)
{
	const uint64_t most = ring->bytes / PERF_RECORD_LEAST, n_bytes = copy_overwritten(ring);
	struct perf_event_header head;
	uint64_t at;

	ring->n_offsets = 0;
	for (at = 0; n_bytes - at >= PERF_RECORD_LEAST && ring->n_offsets < most; at += head.size) {
		memcpy(&head, ring->copy + at, sizeof head);
		if (head.size < PERF_RECORD_LEAST || head.size > n_bytes - at)
			break;
		ring->offsets[ring->n_offsets++] = (uint32_t)at;
	}
	ring->n_overwritten = (-ring->at - at) / PERF_RECORD_LEAST;
	return n_bytes == -ring->at || n_bytes >= ring->bytes / 2;
}

static bool take_overwritten(struct kernel_ring *ring, struct perf_record *ret_record)
{
	const uint64_t n_overwritten = ring->n_overwritten;
	const unsigned char *bytes;
	struct perf_event_header head;

	*ret_record = (struct perf_record){ .kind = PERF_OTHER };
	if (ring->n_offsets > 0) {
		bytes = ring->copy + ring->offsets[ring->n_offsets - 1];
		memcpy(&head, bytes, sizeof head);
		perf_parse(bytes, head.size, ret_record);
	}
	if (n_overwritten) {
		ring->n_overwritten = 0;
		*ret_record = (struct perf_record){
			.kind = PERF_LOST, .n_lost = n_overwritten, .time = ret_record->time
		};
		return true;
	}
	if (ring->n_offsets == 0)
		return false;
	ring->n_offsets--;
	return true;
}

/* --- both ----------------------------------------------------------------------------------------------- */

/* All cursors at nearly one instant, before the first copy, which takes far longer. */
bool rings_look(struct rings *rings)
{
	bool is_good = true;

	for (uint32_t i = 0; i < rings->n_rings; i++) {
		struct kernel_ring *ring = &rings->rings[i];

		*(rings->overwrites ? &ring->at : &ring->end) = head_of(ring);
	}
	for (uint32_t i = 0; rings->overwrites && i < rings->n_rings; i++)
		is_good &= look_overwritten(&rings->rings[i]);
	return is_good;
}

bool rings_take(struct rings *rings, uint32_t ring, struct perf_record *ret_record)
{
	return rings->overwrites ? take_overwritten(&rings->rings[ring], ret_record)
				 : take_filled(&rings->rings[ring], ret_record);
}

bool rings_are_filling(const struct rings *rings, bool *ret_any)
{
	bool is_filling = false;

	*ret_any = false;
	for (uint32_t i = 0; i < rings->n_rings; i++) {
		const struct kernel_ring *ring = &rings->rings[i];
		uint64_t n_bytes = head_of(ring) - ring->at;

		*ret_any |= n_bytes > 0;
		is_filling |= n_bytes > ring->bytes / 8;
	}
	return is_filling;
}
