/* SPDX-License-Identifier: MIT */
/*
 * The ring under threads and signals: what is in it is whole and without a gap up to the end, and the rest is
 * counted.
 */
#include "embed/liteos/stress.inc"

enum { N_MEMORY = 1 << 16 };

static UINT64 memory[N_MEMORY / 8];

/* The mask stays as it is; events on the way must not notice. */
static void meanwhile(void)
{
	LOS_TraceEventMaskSet(TRACE_USER_DEFAULT_FLAG);
	rastrum_liteos_lost();
}

/* Frames from the oldest on; each source's numbers up to the last that it made. */
static bool is_whole(UINT32 n_made)
{
	const struct WriteCtrl *ctrl = &g_traceRecoder.ctrl;
	UINT32 n_seen[N_SOURCES] = { 0 };
	bool is_right = true;

	for (UINT32 i = ctrl->maxRecordCount; i-- > 0;) {
		const TraceEventFrame *frame = &ctrl->frameBuf[(ctrl->curIndex + i) % ctrl->maxRecordCount];
		UINT32 source = (UINT32)frame->identity, count = n_made - (ctrl->maxRecordCount - i);

		if (source >= N_SOURCES)
			return false;
		n_seen[source]++;
		is_right &= frame->eventType == 0xfffffff1 && frame->eventCount == count &&
			    frame->params[0] == atomic_load(&stress_made[source]) - n_seen[source] &&
			    frame->params[1] == stress_proof(source, frame->params[0]) &&
			    frame->params[2] == 0 && frame->core.paramCount == 2 &&
			    frame->core.hwiActive == (source % N_LEVELS > 0);
	}
	return is_right;
}

int main(void)
{
	UINT32 n_made;

	LOS_TraceInit(memory, N_MEMORY);
	LOS_TraceEventMaskSet(TRACE_USER_DEFAULT_FLAG);
	stress_run(meanwhile);
	LOS_TraceStop();
	n_made = stress_n_made();
	ok(is_whole(n_made),
		"the newest records are there, whole, in the order of their sources, with no gap");
	is_number(rastrum_liteos_lost() + g_traceRecoder.ctrl.maxRecordCount, n_made,
		"recorded = in the ring + lost");
	return tap_done();
}
