/* SPDX-License-Identifier: MIT */
/* On and off: memory becomes a header, a registry and a ring. Functions return at once while tracing is off.
 * */
#include "embed/threadx/tx_trace.h"

#ifdef TX_ENABLE_EVENT_TRACE

/* The memory in its parts; what does not make a whole event at the end is left. */
struct parts {
	TX_TRACE_HEADER *header;
	TX_TRACE_OBJECT_ENTRY *registry;
	TX_TRACE_BUFFER_ENTRY *ring, *end;
};

/* Under the lock: the fill takes longer than interrupts may wait. */
static UINT is_enabling;

/* Whole words that are there: no address wraps around. */
static UINT is_memory(const VOID *start, ULONG size)
{
	uintptr_t address = (uintptr_t)start;

	return address != 0 && address % sizeof(ULONG) == 0 && size <= UINTPTR_MAX - address;
}

/* Entry by entry, as what is asked for may not fit in any number. */
static UINT parts_carve(struct parts *ret_parts, VOID *start, ULONG size, ULONG n_registry)
{
	UCHAR *at = (UCHAR *)start;
	size_t n_left = (size_t)size;

	if (!is_memory(start, size) || n_left < sizeof(TX_TRACE_HEADER) + sizeof(TX_TRACE_BUFFER_ENTRY))
		return 0;
	ret_parts->header = (TX_TRACE_HEADER *)start;
	ret_parts->registry = (TX_TRACE_OBJECT_ENTRY *)(VOID *)(at + sizeof(TX_TRACE_HEADER));
	n_left -= sizeof(TX_TRACE_HEADER);
	for (ULONG i = 0; i < n_registry; i++) {
		if (n_left < sizeof(TX_TRACE_OBJECT_ENTRY) + sizeof(TX_TRACE_BUFFER_ENTRY))
			return 0;
		n_left -= sizeof(TX_TRACE_OBJECT_ENTRY);
	}
	ret_parts->ring = (TX_TRACE_BUFFER_ENTRY *)(VOID *)(at + ((size_t)size - n_left));
	ret_parts->end = ret_parts->ring + n_left / sizeof(TX_TRACE_BUFFER_ENTRY);
	return 1;
}

static VOID header_fill(const struct parts *parts)
{
	TX_TRACE_HEADER *header = parts->header;

	header->tx_trace_header_id = TX_TRACE_VALID;
	header->tx_trace_header_timer_valid_mask = (ULONG)(TX_TRACE_TIME_MASK);
	header->tx_trace_header_trace_base_address = TX_TRACE_WORD_(header);
	header->tx_trace_header_registry_start_pointer = TX_TRACE_WORD_(parts->registry);
	header->tx_trace_header_reserved1 = 0;
	header->tx_trace_header_object_name_size = TX_TRACE_OBJECT_REGISTRY_NAME;
	header->tx_trace_header_registry_end_pointer = TX_TRACE_WORD_(parts->ring);
	header->tx_trace_header_buffer_start_pointer = TX_TRACE_WORD_(parts->ring);
	header->tx_trace_header_buffer_end_pointer = TX_TRACE_WORD_(parts->end);
	header->tx_trace_header_buffer_current_pointer = TX_TRACE_WORD_(parts->ring);
	header->tx_trace_header_reserved2 = 0xAAAAAAAAu;
	header->tx_trace_header_reserved3 = 0xBBBBBBBBu;
	header->tx_trace_header_reserved4 = 0xCCCCCCCCu;
}

/* Sets the members that mark slots as unused and entries as unwritten; all others stay as they were. */
static VOID entries_clear(const struct parts *parts, ULONG n_registry)
{
	for (ULONG i = 0; i < n_registry; i++) {
		TX_TRACE_OBJECT_ENTRY *slot = &parts->registry[i];

		slot->tx_trace_object_entry_available = 1;
		slot->tx_trace_object_entry_type = TX_TRACE_OBJECT_TYPE_NOT_VALID;
		slot->tx_trace_object_entry_reserved1 = 0;
		slot->tx_trace_object_entry_reserved2 = 0;
		slot->tx_trace_object_entry_thread_pointer = 0;
	}
	for (TX_TRACE_BUFFER_ENTRY *entry = parts->ring; entry != parts->end; entry++)
		entry->tx_trace_buffer_entry_thread_pointer = 0;
}

/* From now on objects are registered. */
static VOID registry_open(const struct parts *parts, ULONG n_registry)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_registry_start_ptr = parts->registry;
	_tx_trace_registry_end_ptr = parts->registry + n_registry;
	_tx_trace_total_registry_entries = n_registry;
	_tx_trace_available_registry_entries = n_registry;
	_tx_trace_registry_search_start = 0;
	_tx_trace_objects_refused = 0;
	TX_RESTORE
}

/* From now on events are recorded. */
static VOID ring_open(const struct parts *parts)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_header_ptr = parts->header;
	_tx_trace_buffer_start_ptr = parts->ring;
	_tx_trace_buffer_end_ptr = parts->end;
	_tx_trace_event_enable_bits = 0xFFFFFFFFu;
	_tx_trace_wrap_count = 0;
	_tx_trace_buffer_current_ptr = parts->ring;
	for (UINT i = 0; i < 2; i++)
		(VOID) _tx_trace_in_line_insert(TX_TRACE_RUNNING, 0, 0, 0, 0, TX_TRACE_INTERNAL_EVENTS);
	is_enabling = 0; /* not before: a ring so short that these two fill it must not be swapped for ever */
	TX_RESTORE
}

UINT _tx_trace_enable(VOID *trace_buffer_start, ULONG trace_buffer_size, ULONG registry_entries)
{
	struct parts parts;
	UINT is_busy;
	TX_INTERRUPT_SAVE_AREA

	if (!parts_carve(&parts, trace_buffer_start, trace_buffer_size, registry_entries))
		return TX_SIZE_ERROR;
	TX_DISABLE
	is_busy = is_enabling || _tx_trace_buffer_current_ptr != NULL;
	if (!is_busy)
		is_enabling = 1;
	TX_RESTORE
	if (is_busy)
		return TX_NOT_DONE;
	header_fill(&parts);
	entries_clear(&parts, registry_entries);
	registry_open(&parts, registry_entries);
	TX_TRACE_OBJECTS_REGISTER();
	ring_open(&parts);
	return TX_SUCCESS;
}

/* The other pointers stay: the callback of a full ring still finds its image. */
UINT _tx_trace_disable(VOID)
{
	UINT status = TX_NOT_DONE;
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	if (_tx_trace_buffer_current_ptr != NULL) {
		_tx_trace_buffer_current_ptr = NULL;
		_tx_trace_registry_start_ptr = NULL;
		status = TX_SUCCESS;
	}
	TX_RESTORE
	return status;
}

UINT _tx_trace_event_filter(ULONG event_filter_bits)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_event_enable_bits &= ~event_filter_bits;
	TX_RESTORE
	return TX_SUCCESS;
}

UINT _tx_trace_event_unfilter(ULONG event_unfilter_bits)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_event_enable_bits |= event_unfilter_bits;
	TX_RESTORE
	return TX_SUCCESS;
}

UINT _tx_trace_buffer_full_notify(VOID (*full_buffer_callback)(VOID *buffer))
{
	_tx_trace_full_notify_function = full_buffer_callback;
	return TX_SUCCESS;
}

/* At the start of a system, when nothing can interrupt. */
VOID _tx_trace_initialize(VOID)
{
#ifndef TX_DISABLE_REDUNDANT_CLEARING
	_tx_trace_header_ptr = NULL;
	_tx_trace_registry_start_ptr = NULL;
	_tx_trace_registry_end_ptr = NULL;
	_tx_trace_buffer_start_ptr = NULL;
	_tx_trace_buffer_end_ptr = NULL;
	_tx_trace_buffer_current_ptr = NULL;
#endif
}

/* Whole rounds but the one whose events are there, and what of it the next round took. Tracing may be off. */
ULONG tx_trace_overwritten_get(VOID)
{
	ULONG n_overwritten = 0;
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	if (_tx_trace_wrap_count) {
		ULONG n_ring = (ULONG)(_tx_trace_buffer_end_ptr - _tx_trace_buffer_start_ptr);
		ULONG n_bytes = _tx_trace_header_ptr->tx_trace_header_buffer_current_pointer -
				_tx_trace_header_ptr->tx_trace_header_buffer_start_pointer;

		n_overwritten =
			(_tx_trace_wrap_count - 1) * n_ring + n_bytes / (ULONG)sizeof(TX_TRACE_BUFFER_ENTRY);
	}
	TX_RESTORE
	return n_overwritten;
}

#endif
