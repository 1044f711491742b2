/* SPDX-License-Identifier: MIT */
/*
 * On its own, as it wants a function of the program: _tx_thread_interrupt_control(), the port's in ThreadX.
 */
#include "embed/threadx/tx_trace.h"

#ifdef TX_ENABLE_EVENT_TRACE

UINT _tx_trace_interrupt_control(UINT new_posture)
{
	TX_INTERRUPT_SAVE_AREA

	TX_DISABLE(VOID)
	_tx_trace_in_line_insert(TX_TRACE_INTERRUPT_CONTROL, new_posture, TX_TRACE_WORD_(&new_posture), 0, 0,
		TX_TRACE_INTERRUPT_CONTROL_EVENT);
	TX_RESTORE
	return _tx_thread_interrupt_control(new_posture);
}

#endif
