/* SPDX-License-Identifier: MIT */
/*
 * The port's lock as LiteOS's code takes it: with a UINT32 for what is saved. That is enough for some ports;
 * of others the state stays here. The lock is held meanwhile, so two places do: one for the call that takes
 * it first, one for all calls that nest in it, which find everything held off and leave it so.
 */
#include "embed/core/memory.h"
#include "embed/liteos/los_trace_pri.h"

enum { FIRST, NESTED, N_STATES };

static struct {
	RASTRUM_LOCK_STATE states[N_STATES];
	UINT32 n_held;
} held;

UINT32 OsTraceLock(VOID)
{
	RASTRUM_LOCK_STATE state;
	UINT32 which;

	RASTRUM_LOCK(state);
	which = held.n_held++ ? NESTED : FIRST;
	rastrum_memcpy(&held.states[which], &state, sizeof(state));
	return which;
}

VOID OsTraceUnlock(UINT32 state)
{
	RASTRUM_LOCK_STATE saved;

	held.n_held--;
	rastrum_memcpy(&saved, &held.states[state == FIRST ? FIRST : NESTED], sizeof(saved));
	RASTRUM_UNLOCK(saved);
}
