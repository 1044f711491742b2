/* SPDX-License-Identifier: MIT */
/*
 * Writes a ThreadX event trace buffer ("TXTB"): the memory that tx_trace_enable() is given, as TraceX and
 * every reader of .trx files expects it. Three parts without gaps:
 *
 *      | control header | n_registry object entries | n_events event entries |
 *      base             registry start              ring start       ring end
 *
 * For targets and hosts alike: C99 without a library but memcpy and memset, no allocation, no state. The
 * caller owns all memory. A whole image in memory is filled with the put functions, in any order; a large one
 * is streamed with the store functions: header, n_registry objects, n_events events, one after the other.
 *
 * Names follow ThreadX 6: common/inc/tx_trace.h (layouts and marks) and common/src/tx_trace_*.c (what is
 * stored).
 */
#ifndef EMBED_THREADX_TXTB_IMAGE_H
#define EMBED_THREADX_TXTB_IMAGE_H

#include <stddef.h>
#include <stdint.h>

#define TXTB_MASK_32 UINT32_C(0xffffffff) /* timer_mask of a full 32-bit time source */

/* In place of a thread address (tx_trace.h, TX_TRACE_INSERT). 32 bits wide where ULONG has 64, too. */
#define TXTB_THREAD_INIT      UINT32_C(0xf0f0f0f0)
#define TXTB_THREAD_INTERRUPT UINT32_C(0xffffffff)

/* tx_trace.h, TX_TRACE_OBJECT_TYPE_*. FileX, NetX and USBX objects have numbers 9 to 28. */
enum txtb_type {
	TXTB_TYPE_NONE = 0,
	TXTB_TYPE_THREAD = 1,
	TXTB_TYPE_TIMER = 2,
	TXTB_TYPE_QUEUE = 3,
	TXTB_TYPE_SEMAPHORE = 4,
	TXTB_TYPE_MUTEX = 5,
	TXTB_TYPE_EVENT_FLAGS = 6,
	TXTB_TYPE_BLOCK_POOL = 7,
	TXTB_TYPE_BYTE_POOL = 8
};

/* The facts on which the two sides must agree. All header fields except the current pointer follow from them.
 * */
struct txtb_layout {
	uint8_t word_bytes;    /* sizeof(ULONG) of the port: 4, or 8 (risc-v64, SMP Linux) */
	uint8_t is_big_endian; /* 0 or 1 */
	uint16_t
		/* TX_TRACE_OBJECT_REGISTRY_NAME, 32 unless configured; TraceX refuses 64 and more */
		name_bytes;
	uint32_t n_registry;
	uint64_t n_events;
	uint64_t base;	     /* address of the image in the target's memory; pointers are cut to a word */
	uint64_t timer_mask; /* TX_TRACE_TIME_MASK: the bits of a stamp that count. Never 0 */
};

/* One registered object. Numbers are cut to a word, as the target's ULONG would. */
struct txtb_object {
	uint8_t is_free;      /* deleted, but still named: old events may refer to it */
	uint8_t type;	      /* enum txtb_type, or another product's number */
	uint8_t has_priority; /* of a thread, at registration; 0 as in recordings of old ThreadX */
	uint16_t priority;    /* 0 to 1023 */
	uint64_t address;     /* by which events refer to the object; 0 marks a slot as never used */
	uint64_t parameter_1;
	uint64_t parameter_2;
	const char *name; /* NULL if empty. At most name_bytes - 1 bytes of it are kept */
};

/* One event. Numbers are cut to a word. */
struct txtb_event {
	uint64_t
		/* address, TXTB_THREAD_INIT or TXTB_THREAD_INTERRUPT; 0 marks an entry as never written */
		thread;
	uint64_t
		/* txtb_priority() of a thread; for an interrupt the thread it interrupted, 0: idle */
		priority;
	uint32_t id;	/* 1 to 65535 */
	uint8_t core;	/* 0 unless SMP */
	uint64_t stamp; /* as the time source gave it; readers apply timer_mask */
	uint64_t info[4];
};

/* The priority word of a thread's event: both values as they are at the event, 0 to 1023. */
uint32_t txtb_priority(uint16_t priority, uint16_t preemption_threshold);

size_t txtb_header_bytes(const struct txtb_layout *layout);
size_t txtb_object_bytes(const struct txtb_layout *layout);
size_t txtb_event_bytes(const struct txtb_layout *layout);
uint64_t txtb_image_bytes(const struct txtb_layout *layout);

/*
 * Writes the header, which is at the very start of the image. current_index is the slot that the next event
 * would take: the oldest event if the ring has wrapped, 0 if it is exactly full. It is below n_events.
 */
void txtb_put_header(const struct txtb_layout *layout, void *image, uint64_t current_index);

/* Fills slot (below n_registry) of the registry; NULL makes a slot that was never used. */
void txtb_put_object(
	const struct txtb_layout *layout, void *image, uint32_t slot, const struct txtb_object *object);

/* Fills slot (below n_events) of the ring; NULL makes an entry that was never written. */
void txtb_put_event(
	const struct txtb_layout *layout, void *image, uint64_t slot, const struct txtb_event *event);

/*
 * The same for one entry alone: writes txtb_object_bytes() or txtb_event_bytes() at `at`, which needs no
 * alignment.
 */
void txtb_store_object(const struct txtb_layout *layout, void *at, const struct txtb_object *object);
void txtb_store_event(const struct txtb_layout *layout, void *at, const struct txtb_event *event);

#endif
