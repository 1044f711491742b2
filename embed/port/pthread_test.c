/* SPDX-License-Identifier: MIT */
/* Threads of POSIX and their signals, as the port for them has it. */
#include <rastrum/rastrum.h>

#include <sched.h>

#define RASTRUM_PORT_PTHREAD

#include "embed/compact/compact.c"
#include "embed/compact/take.c"
#include "embed/core/bits.c"
#include "embed/core/bytes.c"
#include "embed/core/cells.c"
#include "embed/core/event.c"
#include "embed/port/stress.inc"

static void nested_lock(void)
{
	RASTRUM_LOCK_STATE outer, inner;

	RASTRUM_LOCK(outer);
	RASTRUM_LOCK(inner);
	RASTRUM_UNLOCK(inner);
	RASTRUM_UNLOCK(outer);
}

int main(void)
{
	nested_lock();
	return stress_main();
}
