/* SPDX-License-Identifier: MIT */
/*
 * The functions that FileX, NetX and USBX call: one recorder under four names. In ThreadX this file replaces
 * their own
 * *_trace_event_insert.c, *_trace_event_update.c, *_trace_object_register.c and *_trace_object_unregister.c.
 * Their inserts compare an id that contains the core's number with an id that does not, and mistake an old
 * entry of the same id for the new one.
 */
#include "embed/threadx/fx_trace.h"
#include "embed/threadx/nx_trace.h"
#include "embed/threadx/ux_trace.h"

#ifdef TX_ENABLE_EVENT_TRACE

static VOID object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_object_register(object_type, object_ptr, object_name, parameter_1, parameter_2);
	TX_RESTORE
}

static VOID object_unregister(VOID *object_ptr)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE
	_tx_trace_object_unregister(object_ptr);
	TX_RESTORE
}

VOID _fx_trace_event_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, TX_TRACE_BUFFER_ENTRY **current_event, ULONG *current_timestamp)
{
	_tx_trace_event_insert(event_id, info_field_1, info_field_2, info_field_3, info_field_4, filter,
		current_event, current_timestamp);
}

VOID _fx_trace_event_update(TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id, ULONG info_field_1,
	ULONG info_field_2, ULONG info_field_3, ULONG info_field_4)
{
	_tx_trace_event_update(
		event, timestamp, event_id, info_field_1, info_field_2, info_field_3, info_field_4);
}

VOID _fx_trace_object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2)
{
	object_register(object_type, object_ptr, object_name, parameter_1, parameter_2);
}

VOID _fx_trace_object_unregister(VOID *object_ptr)
{
	object_unregister(object_ptr);
}

VOID _nx_trace_event_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, TX_TRACE_BUFFER_ENTRY **current_event, ULONG *current_timestamp)
{
	_tx_trace_event_insert(event_id, info_field_1, info_field_2, info_field_3, info_field_4, filter,
		current_event, current_timestamp);
}

VOID _nx_trace_event_update(TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id, ULONG info_field_1,
	ULONG info_field_2, ULONG info_field_3, ULONG info_field_4)
{
	_tx_trace_event_update(
		event, timestamp, event_id, info_field_1, info_field_2, info_field_3, info_field_4);
}

VOID _nx_trace_object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2)
{
	object_register(object_type, object_ptr, object_name, parameter_1, parameter_2);
}

VOID _nx_trace_object_unregister(VOID *object_ptr)
{
	object_unregister(object_ptr);
}

VOID _ux_trace_event_insert(ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3,
	ULONG info_field_4, ULONG filter, TX_TRACE_BUFFER_ENTRY **current_event, ULONG *current_timestamp)
{
	_tx_trace_event_insert(event_id, info_field_1, info_field_2, info_field_3, info_field_4, filter,
		current_event, current_timestamp);
}

VOID _ux_trace_event_update(TX_TRACE_BUFFER_ENTRY *event, ULONG timestamp, ULONG event_id, ULONG info_field_1,
	ULONG info_field_2, ULONG info_field_3, ULONG info_field_4)
{
	_tx_trace_event_update(
		event, timestamp, event_id, info_field_1, info_field_2, info_field_3, info_field_4);
}

VOID _ux_trace_object_register(
	UCHAR object_type, VOID *object_ptr, CHAR *object_name, ULONG parameter_1, ULONG parameter_2)
{
	object_register(object_type, object_ptr, object_name, parameter_1, parameter_2);
}

VOID _ux_trace_object_unregister(VOID *object_ptr)
{
	object_unregister(object_ptr);
}

#endif
