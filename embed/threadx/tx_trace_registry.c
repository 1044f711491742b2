/* SPDX-License-Identifier: MIT */
/*
 * Names of objects. A deleted object keeps its slot, so that old events can still be named, until nothing
 * else is left for a new one. All under the lock.
 */
#include "embed/threadx/tx_trace.h"

#ifdef TX_ENABLE_EVENT_TRACE

TX_TRACE_OBJECT_ENTRY *_tx_trace_registry_start_ptr;
TX_TRACE_OBJECT_ENTRY *_tx_trace_registry_end_ptr;
ULONG _tx_trace_total_registry_entries;
ULONG _tx_trace_available_registry_entries;
ULONG _tx_trace_registry_search_start;
ULONG _tx_trace_objects_refused;

#define HAS_PRIORITY 0x80u

static ULONG index_after(ULONG index)
{
	return index + 1 < _tx_trace_total_registry_entries ? index + 1 : 0;
}

/*
 * The slot of an object; ThreadX takes the first of its address, though the object in that one may be gone.
 */
static TX_TRACE_OBJECT_ENTRY *object_find(ULONG object)
{
	for (ULONG i = 0; i < _tx_trace_total_registry_entries; i++) {
		TX_TRACE_OBJECT_ENTRY *slot = &_tx_trace_registry_start_ptr[i];

		if (slot->tx_trace_object_entry_thread_pointer == object &&
			(TX_TRACE_ORIGINAL_COUNTS || !slot->tx_trace_object_entry_available))
			return slot;
	}
	return NULL;
}

/*
 * Once around, from where the last search ended: a slot that was never used, or that of this address; or else
 * the last one met whose object is gone.
 */
static TX_TRACE_OBJECT_ENTRY *slot_find(ULONG object)
{
	TX_TRACE_OBJECT_ENTRY *found = NULL;
	ULONG at = _tx_trace_registry_search_start;

	for (ULONG i = 0; i < _tx_trace_total_registry_entries; i++, at = index_after(at)) {
		TX_TRACE_OBJECT_ENTRY *slot = &_tx_trace_registry_start_ptr[at];

		if (slot->tx_trace_object_entry_thread_pointer == 0 ||
			slot->tx_trace_object_entry_thread_pointer == object)
			return slot;
		if (slot->tx_trace_object_entry_available && (!found || found->tx_trace_object_entry_type))
			found = slot;
	}
	return found;
}

static VOID tx_trace_registry_name_store(UCHAR *to, const CHAR *name)
{
	UINT n = 0;

	while (name && n < TX_TRACE_OBJECT_REGISTRY_NAME - 1 && name[n]) {
		to[n] = (UCHAR)name[n];
		n++;
	}
	to[n] = 0;
}

static VOID priority_store(TX_TRACE_OBJECT_ENTRY *slot, UINT priority)
{
	slot->tx_trace_object_entry_reserved1 = 0;
	slot->tx_trace_object_entry_reserved2 = 0;
	if (priority != TX_TRACE_NO_PRIORITY) {
		slot->tx_trace_object_entry_reserved1 = (UCHAR)(HAS_PRIORITY | priority >> 8);
		slot->tx_trace_object_entry_reserved2 = (UCHAR)priority;
	}
}

VOID _tx_trace_object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2)
{
	ULONG object = TX_TRACE_WORD_(object_ptr);
	TX_TRACE_OBJECT_ENTRY *slot = NULL;

	if (!_tx_trace_registry_start_ptr)
		return;
	/* Address 0 is that of slots never used. */
	if (!TX_TRACE_ORIGINAL_COUNTS && object)
		slot = object_find(object);
	if (!slot && object && _tx_trace_available_registry_entries)
		slot = slot_find(object);
	if (!slot) {
		_tx_trace_objects_refused++;
		return;
	}
	if (TX_TRACE_ORIGINAL_COUNTS || slot->tx_trace_object_entry_available)
		_tx_trace_available_registry_entries--;
	_tx_trace_registry_search_start = index_after((ULONG)(slot - _tx_trace_registry_start_ptr));
	slot->tx_trace_object_entry_available = 0;
	slot->tx_trace_object_entry_type = object_type;
	slot->tx_trace_object_entry_thread_pointer = object;
	slot->tx_trace_object_entry_param_1 = parameter_1;
	slot->tx_trace_object_entry_param_2 = parameter_2;
	tx_trace_registry_name_store(slot->tx_trace_object_entry_name, object_name);
	priority_store(slot, object_type == TX_TRACE_OBJECT_TYPE_THREAD
				     ? TX_TRACE_THREAD_PRIORITY_GET(object_ptr)
				     : TX_TRACE_NO_PRIORITY);
}

VOID _tx_trace_object_unregister(VOID *object_ptr)
{
	ULONG object = TX_TRACE_WORD_(object_ptr);
	TX_TRACE_OBJECT_ENTRY *slot;

	if (!_tx_trace_registry_start_ptr || !object)
		return;
	slot = object_find(object);
	if (slot) {
		slot->tx_trace_object_entry_available = 1;
		_tx_trace_available_registry_entries++;
		_tx_trace_registry_search_start = (ULONG)(slot - _tx_trace_registry_start_ptr);
	}
}

#endif
