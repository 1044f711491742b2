/* SPDX-License-Identifier: MIT */
/* Compiled without TX_ENABLE_EVENT_TRACE: services say so, macros are nothing. */
#include "embed/threadx/fx_trace.h"
#include "tests/tap.h"

static unsigned n_evaluated;

static unsigned evaluated(void)
{
	return n_evaluated++;
}

int main(void)
{
	static ULONG memory[512];

	is_number(tx_trace_enable(memory, sizeof(memory), 2), TX_FEATURE_NOT_ENABLED, "enable reports it");
	is_number(tx_trace_disable(), TX_FEATURE_NOT_ENABLED, "disable reports it");
	is_number(tx_trace_event_filter(1), TX_FEATURE_NOT_ENABLED, "filter reports it");
	is_number(tx_trace_event_unfilter(1), TX_FEATURE_NOT_ENABLED, "unfilter reports it");
	is_number(tx_trace_buffer_full_notify(NULL), TX_FEATURE_NOT_ENABLED,
		"the notice of a full ring reports it");
	is_number(tx_trace_user_event_insert(4096, 1, 2, 3, 4), TX_FEATURE_NOT_ENABLED,
		"a user event reports it");
	tx_trace_isr_enter_insert(1);
	tx_trace_isr_exit_insert(1);
	TX_TRACE_INITIALIZE
	TX_TRACE_OBJECT_REGISTER(TX_TRACE_OBJECT_TYPE_QUEUE, memory, "q", evaluated(), 0)
	TX_TRACE_OBJECT_UNREGISTER(memory)
	TX_TRACE_IN_LINE_INSERT(TX_TRACE_TIME_GET, evaluated(), 0, 0, 0, TX_TRACE_TIME_EVENTS)
	FX_TRACE_IN_LINE_INSERT(FX_TRACE_FILE_READ, evaluated(), 0, 0, 0, FX_TRACE_FILE_EVENTS, NULL, NULL)
	ok(memory[0] == 0 && evaluated() == 0, "macros do nothing, not even look at their arguments");
	return tap_done();
}
