/* SPDX-License-Identifier: MIT */
/* The services where nothing is compiled in. */
#include "embed/threadx/tx_trace.h"

#ifndef TX_ENABLE_EVENT_TRACE

UINT _tx_trace_enable(VOID *trace_buffer_start, ULONG trace_buffer_size, ULONG registry_entries)
{
	(VOID) trace_buffer_start, (VOID)trace_buffer_size, (VOID)registry_entries;
	return TX_FEATURE_NOT_ENABLED;
}

UINT _tx_trace_disable(VOID)
{
	return TX_FEATURE_NOT_ENABLED;
}

UINT _tx_trace_event_filter(ULONG event_filter_bits)
{
	(VOID) event_filter_bits;
	return TX_FEATURE_NOT_ENABLED;
}

UINT _tx_trace_event_unfilter(ULONG event_unfilter_bits)
{
	(VOID) event_unfilter_bits;
	return TX_FEATURE_NOT_ENABLED;
}

UINT _tx_trace_buffer_full_notify(VOID (*full_buffer_callback)(VOID *buffer))
{
	(VOID) full_buffer_callback;
	return TX_FEATURE_NOT_ENABLED;
}

VOID _tx_trace_isr_enter_insert(ULONG isr_id)
{
	(VOID) isr_id;
}

VOID _tx_trace_isr_exit_insert(ULONG isr_id)
{
	(VOID) isr_id;
}

UINT _tx_trace_user_event_insert(
	ULONG event_id, ULONG info_field_1, ULONG info_field_2, ULONG info_field_3, ULONG info_field_4)
{
	(VOID) event_id, (VOID)info_field_1, (VOID)info_field_2, (VOID)info_field_3, (VOID)info_field_4;
	return TX_FEATURE_NOT_ENABLED;
}

#endif
