/* SPDX-License-Identifier: MIT */
#include "analysis/stats/locks.h"
#include "analysis/stats/rig_test.h"
static void hold(struct rig *rig, char lock, char thread, uint64_t from, uint64_t to)
{
	const struct rst_interval interval =
		rig_interval(RST_INTERVAL_LOCK, thread ? RST_STATE_HELD : RST_STATE_UNKNOWN,
			rig_entity("mutex", lock), rig_entity("thread", thread), from, to);

	if (thread)
		rig_acquire(rig, lock, thread, from);
	rig_give(rig, &interval);
}

static void wait_for(struct rig *rig, char lock, char thread, uint64_t from, uint64_t to)
{
	rig_wait(rig, thread, RST_REASON_LOCK, rig_entity("mutex", lock), from, to);
}

static void check_contention(void)
{
	struct rig rig = rig_new(&analysis_locks);

	hold(&rig, 'M', 'A', 10, 40);
	wait_for(&rig, 'M', 'B', 20, 40);
	hold(&rig, 'M', 'B', 40, 90);
	hold(&rig, 'M', 'B', 100, 110);
	hold(&rig, 'M', 'A', 120, 130);
	rig_is(&rig, "M",
		"kind mutex, acquisitions 4, contended 1, contention 25%, total_wait 20, wait_p50 20, "
		"max_wait 20, "
		"max_wait_thread B, max_wait_at 40, share 10%, total_hold 100, mean_hold 25, max_hold 50, "
		"max_hold_thread B, max_hold_at 90, unknown 0",
		"one of four acquisitions had to wait; the longest hold has its thread and its end");
	rig_done(&rig);
}

static void check_others(void)
{
	struct rig rig = rig_new(&analysis_locks);

	wait_for(&rig, 'M', 'B', 20, 40);
	hold(&rig, 'N', 'B', 50, 60);
	rig_wait(&rig, 'B', RST_REASON_LOCK, (struct rst_entity){ 0 }, 70, 80);
	rig_wait(&rig, 'B', RST_REASON_QUEUE, rig_entity("queue", 'Q'), 80, 90);
	rig_is(&rig, "M", "acquisitions 0, contention -, total_wait 20, max_hold -, max_hold_thread -",
		"a lock that is only waited for has no share of contention, and no longest hold");
	rig_is(&rig, "N", "acquisitions 1, contended 0, total_wait 0, max_wait -",
		"a wait for one lock does not count for another");
	ok(rig.table.n_rows == 2, "waits for other things, or for a lock that is not known, make no row");
	rig_done(&rig);
}

static void check_open(void)
{
	struct rig rig = rig_new(&analysis_locks);
	struct rst_interval cut = rig_interval(RST_INTERVAL_LOCK, RST_STATE_HELD, rig_entity("mutex", 'M'),
		rig_entity("thread", 'A'), 0, 300);

	cut.from_seq = RST_NO_SEQ;
	rig_give(&rig, &cut);
	cut.from = cut.from_seq = 400;
	cut.to = 1000;
	rig_acquire(&rig, 'M', 'A', 400);
	cut.to_seq = RST_NO_SEQ;
	hold(&rig, 'M', '\0', 300, 400);
	rig_give(&rig, &cut);
	rig_is(&rig, "M",
		"acquisitions 1, share 90%, total_hold 900, mean_hold -, max_hold -, max_hold_at -, unknown "
		"100",
		"what is cut counts in sums of time only; a time without a known owner is counted as such");
	rig_done(&rig);
}

static void check_ends(void)
{
	struct rig rig = rig_new(&analysis_locks);

	hold(&rig, 'M', 'A', 10, 990);
	wait_for(&rig, 'M', 'B', 20, 1000);
	rig_acquire(&rig, 'M', 'B', 1000);
	rig_is(&rig, "M", "acquisitions 2, contended 1, contention 50%, total_wait 980, total_hold 980",
		"a lock that is got with the last event is got, after the wait for it");
	rig_acquire(&rig, 'N', 'B', 1000);
	wait_for(&rig, 'N', 'B', 20, 1000);
	rig_is(&rig, "N", "acquisitions 1, contended 1", "also where the wait is told behind it");
	rig_done(&rig);
}

static void check_memory(void)
{
	for (long n = 0; n < 12; n++) {
		struct rig rig = rig_new(&analysis_locks);

		tap_fail_alloc_after(n);
		wait_for(&rig, 'M', 'B', 20, 40);
		hold(&rig, 'M', 'B', 40, 90);
		rig_table(&rig);
		tap_fail_alloc_after(-1);
		if (n == 0)
			ok(!rig.has_memory, "without memory the table fails");
		rig.has_memory = true;
		rig_done(&rig);
	}
}

int main(void)
{
	check_contention();
	check_others();
	check_open();
	check_ends();
	check_memory();
	return tap_done();
}
