/* SPDX-License-Identifier: MIT */
/*
 * Rings whose controller was killed. If there is a keeper, it finishes the log and ends the ring; otherwise whoever sweeps
 * the directory does, so that the programs which still write to it let it go.
 */
#include "record/attach/keeper.h"
#include "record/rendezvous/guard.h"
#include "record/rendezvous/proc.h"

static bool keeper_is_at_it(const struct ring_keeper *keeper)
{
	uint32_t state = atomic_load(&keeper->state);

	return (state == RING_KEEPER_READY || state == RING_KEEPER_NONE) && atomic_load(&keeper->pid) != 0 &&
	       proc_runs(atomic_load(&keeper->pid), atomic_load(&keeper->start));
}

bool ring_end_orphan(int fd)
{
	struct ring ring;
	bool is_orphan;

	/* What cannot be mapped is no ring, or not one that we could read. */
	if (ring_map(&ring, fd) != 0)
		return true;
	is_orphan = guard_add(ring.shared, (size_t)ring.geometry.total_bytes) &&
		    !keeper_is_at_it(&ring.shared->keeper);
	if (is_orphan)
		ring_end(&ring);
	guard_drop(ring.shared);
	ring_unmap(&ring);
	return is_orphan;
}
