/* SPDX-License-Identifier: MIT */
#include "embed/threadx/txtb_image.h"

#define TXTB_ID UINT32_C(0x54585442) /* tx_trace.h, TX_TRACE_VALID: "TXTB" in a big-endian image */

/* A free-standing target need not have <string.h>, but its compiler may always call these two. */
void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes);
void *memset(void *to, int byte, size_t n_bytes);

static uint8_t *half_store(const struct txtb_layout *layout, uint8_t *at, uint16_t v)
{
	at[0] = (uint8_t)(layout->is_big_endian ? v >> 8 : v);
	at[1] = (uint8_t)(layout->is_big_endian ? v : v >> 8);
	return at + 2;
}

/* Spelled out, so that compilers see one store (and one byte swap). */
static void u32_store(uint8_t *at, uint32_t v, uint8_t is_big_endian)
{
	if (is_big_endian) {
		at[0] = (uint8_t)(v >> 24);
		at[1] = (uint8_t)(v >> 16);
		at[2] = (uint8_t)(v >> 8);
		at[3] = (uint8_t)v;
	} else {
		at[0] = (uint8_t)v;
		at[1] = (uint8_t)(v >> 8);
		at[2] = (uint8_t)(v >> 16);
		at[3] = (uint8_t)(v >> 24);
	}
}

/* One ULONG: the low 32 bits where it has four bytes, as a port with wider pointers cuts them. */
static uint8_t *word_store(const struct txtb_layout *layout, uint8_t *at, uint64_t v)
{
	if (layout->word_bytes == 4) {
		u32_store(at, (uint32_t)v, layout->is_big_endian);
		return at + 4;
	}
	u32_store(at, (uint32_t)(layout->is_big_endian ? v >> 32 : v), layout->is_big_endian);
	u32_store(at + 4, (uint32_t)(layout->is_big_endian ? v : v >> 32), layout->is_big_endian);
	return at + 8;
}

/* The gap that the compiler of a 64-bit port leaves between 4 bytes of small members and the next ULONG. Its
 * content is arbitrary there, and 0 here. */
static uint8_t *gap_store(const struct txtb_layout *layout, uint8_t *at)
{
	size_t n_bytes = layout->word_bytes - 4U;

	memset(at, 0, n_bytes);
	return at + n_bytes;
}

uint32_t txtb_priority(uint16_t priority, uint16_t preemption_threshold)
{
	/* tx_trace.h, TX_TRACE_INSERT. Bit 31 marks a current ThreadX; old ones wrote the bare priority. */
	return UINT32_C(0x80000000) | (preemption_threshold & UINT32_C(0x3ff)) << 16 |
	       (priority & UINT32_C(0x3ff));
}

/* tx_trace.h, TX_TRACE_HEADER: eleven ULONGs and two USHORTs. */
size_t txtb_header_bytes(const struct txtb_layout *layout)
{
	return 12U * layout->word_bytes;
}

/*
 * tx_trace.h, TX_TRACE_OBJECT_ENTRY: four UCHARs, three ULONGs, the name; the compiler rounds the size up to
 * a ULONG. A name of 18 bytes thus makes entries of 36, not 34.
 */
size_t txtb_object_bytes(const struct txtb_layout *layout)
{
	size_t word = layout->word_bytes;

	return (4 * word + layout->name_bytes + word - 1) / word * word;
}

/* tx_trace.h, TX_TRACE_BUFFER_ENTRY: eight ULONGs. */
size_t txtb_event_bytes(const struct txtb_layout *layout)
{
	return 8U * layout->word_bytes;
}

static uint64_t ring_offset(const struct txtb_layout *layout)
{
	return txtb_header_bytes(layout) + (uint64_t)layout->n_registry * txtb_object_bytes(layout);
}

uint64_t txtb_image_bytes(const struct txtb_layout *layout)
{
	return ring_offset(layout) + layout->n_events * txtb_event_bytes(layout);
}

/* tx_trace_enable.c fills the header; an offset in the file is a pointer less the base. */
void txtb_put_header(const struct txtb_layout *layout, void *image, uint64_t current_index)
{
	uint64_t ring = layout->base + ring_offset(layout);
	uint8_t *at = image;

	at = word_store(layout, at, TXTB_ID);
	at = word_store(layout, at, layout->timer_mask);
	at = word_store(layout, at, layout->base);
	at = word_store(layout, at, layout->base + txtb_header_bytes(layout));
	at = half_store(layout, at, 0);
	at = half_store(layout, at, layout->name_bytes);
	at = gap_store(layout, at);
	at = word_store(layout, at, ring); /* the registry ends where the ring starts */
	at = word_store(layout, at, ring);
	at = word_store(layout, at, layout->base + txtb_image_bytes(layout));
	at = word_store(layout, at, ring + current_index * txtb_event_bytes(layout));
	/* The reserved words; 32 bits wide where ULONG has 64, too. */
	at = word_store(layout, at, UINT32_C(0xaaaaaaaa));
	at = word_store(layout, at, UINT32_C(0xbbbbbbbb));
	word_store(layout, at, UINT32_C(0xcccccccc));
}

/*
 * tx_trace_object_register.c: name_bytes - 1 bytes at most (31 by default, whatever the manual says), then a
 * NUL. ThreadX leaves what RAM held behind it; zeros here.
 */
static void txtb_image_name_store(const struct txtb_layout *layout, uint8_t *at, const char *name)
{
	size_t n_bytes = 0;

	while (name && n_bytes + 1 < layout->name_bytes && name[n_bytes])
		n_bytes++;
	if (n_bytes)
		memcpy(at, name, n_bytes);
}

void txtb_store_object(const struct txtb_layout *layout, void *at, const struct txtb_object *object)
{
	uint8_t *bytes = at;

	memset(bytes, 0, txtb_object_bytes(layout));
	if (!object) {
		bytes[0] = 1;
		return;
	}
	bytes[0] = object->is_free ? 1 : 0;
	bytes[1] = object->type;
	/* tx_trace_object_register.c: bit 7 is set where the rest of the two bytes is a thread's priority. */
	if (object->has_priority) {
		bytes[2] = (uint8_t)(0x80 | (object->priority >> 8 & 3));
		bytes[3] = (uint8_t)object->priority;
	}
	bytes = gap_store(layout, bytes + 4);
	bytes = word_store(layout, bytes, object->address);
	bytes = word_store(layout, bytes, object->parameter_1);
	bytes = word_store(layout, bytes, object->parameter_2);
	txtb_image_name_store(layout, bytes, object->name);
}

void txtb_store_event(const struct txtb_layout *layout, void *at, const struct txtb_event *event)
{
	uint8_t *bytes = at;

	/*
	 * tx_trace_enable.c marks unused entries by thread 0 alone, whatever tx_trace.h says about their id.
	 */
	if (!event) {
		memset(bytes, 0, txtb_event_bytes(layout));
		return;
	}
	bytes = word_store(layout, bytes, event->thread);
	bytes = word_store(layout, bytes, event->priority);
	/* common_smp/inc/tx_trace.h: the core is in bits 24 to 31. */
	bytes = word_store(layout, bytes, (uint32_t)event->core << 24 | event->id);
	bytes = word_store(layout, bytes, event->stamp);
	for (unsigned i = 0; i < 4; i++)
		bytes = word_store(layout, bytes, event->info[i]);
}

void txtb_put_object(
	const struct txtb_layout *layout, void *image, uint32_t slot, const struct txtb_object *object)
{
	uint8_t *registry = (uint8_t *)image + txtb_header_bytes(layout);

	txtb_store_object(layout, registry + slot * txtb_object_bytes(layout), object);
}

void txtb_put_event(
	const struct txtb_layout *layout, void *image, uint64_t slot, const struct txtb_event *event)
{
	uint8_t *ring = (uint8_t *)image + (size_t)ring_offset(layout);

	txtb_store_event(layout, ring + (size_t)(slot * txtb_event_bytes(layout)), event);
}
