/* SPDX-License-Identifier: MIT */
/* Tests locks, levels, state machines and spans, and failed allocations. */
#include "state/rig_test.h"
#include "state/states.h"

static void check_locks(void)
{
	static const struct step owned[] = { BY('A', ACQUIRE(RST_DONE, 'M')), BY('A'), BY('A', RELEASE('M')),
		BY('A'), BY('B', ACQUIRE(RST_DONE, 'M')), BY('B') };
	static const struct step counted[] = { BY('A', ACQUIRE(RST_DONE, 'M', .is_counted = true)),
		BY('A', ACQUIRE(RST_DONE, 'M', .is_counted = true)),
		BY('A', RELEASE('M', .is_counted = true)), BY('A', RELEASE('M', .is_counted = true)),
		BY('A') };
	static const struct step amounts[] = { BY('A', ACQUIRE(RST_DONE, 'M')),
		BY('A', RELEASE('M', .amount = ID(1))), BY('A', RELEASE('M', .amount = ID(0))), BY('A') };
	static const struct step shared[] = { BY('A', ACQUIRE(RST_DONE, 'M', .is_shared = true)),
		BY('B', ACQUIRE(RST_DONE, 'M', .is_shared = true)), BY('A', RELEASE('M')),
		BY('B', RELEASE('M')), BY('B') };
	static const struct step before[] = { BY('A'), BY('A', RELEASE('M')), BY('A') };
	static const struct step named[] = { BY('B'), NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M')), BY('B') };
	struct rig rig;

	RUN(&rig, owned);
	rig_is(&rig, "lock M ", "held A 0-20 exact; held B 40-(50) exact",
		"a lock is held from its acquisition to its release; nothing comes out while it is free");
	rig_done(&rig);
	RUN(&rig, counted);
	rig_is(&rig, "lock M ", "held A 0-30 exact", "a lock that was acquired twice is released twice");
	rig_done(&rig);
	RUN(&rig, amounts);
	rig_is(&rig, "lock M ", "held A 0-20 exact", "a release that leaves some is none");
	rig_done(&rig);
	RUN(&rig, shared);
	rig_is(&rig, "lock M ", "held A 0-20 exact; held B 10-30 exact", "a shared lock has several owners");
	rig_done(&rig);
	RUN(&rig, before);
	rig_is(&rig, "lock M ", "held A (0)-10 inferred",
		"what is released without an acquisition was held since the window's beginning");
	rig_done(&rig);
	RUN(&rig, named);
	rig_is(&rig, "lock M ", "held A (0)-(20) inferred",
		"an owner that a waiting thread names holds the lock");
	rig_done(&rig);
}

/* Locks that are recorded only if a thread waits. */
static void check_partial(void)
{
	static const struct step asked[] = { BY('A', ACQUIRE(RST_DONE, 'M', PARTIAL)), BY('A'),
		NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M', PARTIAL)), BY('A', RELEASE('M', PARTIAL)), BY('A'),
		BY('B', ACQUIRE(RST_DONE, 'M', PARTIAL)), BY('B') };
	static const struct step taken[] = { BY('A', ACQUIRE(RST_DONE, 'M', PARTIAL)),
		NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M', PARTIAL)), BY('A'),
		BY('C', ACQUIRE(RST_DONE, 'M', PARTIAL)), BY('C', RELEASE('M')), BY('C') };
	static const struct step again[] = { BY('A', ACQUIRE(RST_DONE, 'M', PARTIAL)), BY('A'),
		BY('A', ACQUIRE(RST_DONE, 'M', PARTIAL, .amount = ID(2))),
		BY('A', ACQUIRE(RST_DONE, 'M', PARTIAL, .amount = ID(1))), BY('A', RELEASE('M')), BY('A') };
	static const struct step awaited[] = { BY('A', SWITCH('A', 0, 0), ACQUIRE(RST_DONE, 'M', PARTIAL)),
		BY('A', SWITCH('B', RST_STATE_WAITING, RST_REASON_SLEEP)),
		NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M', PARTIAL)),
		BY('B', SWITCH('C', RST_STATE_WAITING, RST_REASON_LOCK)), BY('C'), BY('C') };
	static const struct step by_other[] = { BY('A', ACQUIRE(RST_DONE, 'M', PARTIAL)), BY('A'),
		BY('B', RELEASE('M')), BY('B') };
	struct rig rig;

	RUN(&rig, asked);
	rig_is(&rig, "lock M ", "held A 0-30 exact; unknown 30-50 unknown; unknown 50-(60) unknown",
		"the owner of a lock that is recorded in part is not known behind its release, nor behind an "
		"acquisition "
		"that nothing follows");
	rig_done(&rig);
	RUN(&rig, taken);
	rig_is(&rig, "lock M ", "held A 0-10 exact; unknown 10-30 unknown; held C 30-40 exact",
		"where another thread gets it, its owner is not known since the last event that names it");
	rig_done(&rig);
	RUN(&rig, again);
	rig_is(&rig, "lock M ", "held A 0-20 exact; unknown 20-30 unknown; held A 30-40 exact",
		"an owner that gets it again has it still only where the count of the event shows it");
	rig_done(&rig);
	RUN(&rig, awaited);
	rig_is(&rig, "lock M ", "held A 0-(50) exact", "while a thread waits for it, it is its owner's");
	rig_done(&rig);
	RUN(&rig, by_other);
	rig_is(&rig, "lock M ", "unknown 0-20 unknown",
		"a release by another thread shows that the release before was not recorded");
	rig_done(&rig);
}

static void check_hand_over(void)
{
	static const struct step given[] = { BY('A', SCHEDULE('A'), ACQUIRE(RST_DONE, 'M')),
		BY('A', SCHEDULE('B')), NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M')),
		BY('B', WAIT(RST_DONE, RST_REASON_LOCK), SCHEDULE('A')), BY('A'), BY('A', RELEASE('M')),
		BY('A', WAKE('B'), SCHEDULE('B')), BY('B'), BY('B', RELEASE('M')) };
	static const struct step timed_out[] = { BY('A', SCHEDULE('A'), ACQUIRE(RST_DONE, 'M')),
		BY('A', SCHEDULE('B')), NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M')),
		BY('B', WAIT(RST_DONE, RST_REASON_LOCK), SCHEDULE('A')), BY('A'), BY('1', WAKE('B')),
		BY('A', SCHEDULE('B')), BY('B', ACQUIRE(RST_GAVE_UP, 'M')), BY('B') };
	/* Switches, but no wakes: A releases at 50 while B waits since 30. */
	static const struct step silent[] = { BY('A', SWITCH('A', 0, 0), ACQUIRE(RST_DONE, 'M')),
		BY('A', SWITCH('B', RST_STATE_READY, 0)), NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M')),
		BY('B', SWITCH('A', RST_STATE_WAITING, RST_REASON_LOCK)), BY('A'), BY('A', RELEASE('M')),
		BY('A'), BY('A', SWITCH('B', RST_STATE_READY, 0)), BY('B') };
	static const struct step named[] = { BY('A', SWITCH('A', 0, 0), ACQUIRE(RST_DONE, 'M', PARTIAL)),
		BY('A', SWITCH('B', RST_STATE_READY, 0)), NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M', PARTIAL)),
		BY('B', SWITCH('A', RST_STATE_WAITING, RST_REASON_LOCK)), BY('A'),
		NAMING('B', 'A', RELEASE('M', .other = OTHER)), BY('A'),
		BY('A', SWITCH('B', RST_STATE_READY, 0)), BY('B'), BY('B') };
	struct rig rig;

	RUN(&rig, named);
	rig_is(&rig, "lock M ", "held A 0-50 exact; held B 50-70 exact; unknown 70-(90) unknown",
		"a lock is the next owner's from the release that names it, and at least to the end of its "
		"wait");
	rig_is(&rig, "thread B ready ", "50-70 inferred by A", "which is ready since then");
	rig_done(&rig);
	RUN(&rig, silent);
	rig_is(&rig, "thread B ",
		"unknown (0)-10 unknown; running 10-30 exact; waiting lock M 30-50 exact; ready 50-70 "
		"inferred by A; "
		"running 70-(80) exact",
		"where wakes are not recorded, the release of the lock is one");
	rig_done(&rig);
	RUN(&rig, given);
	rig_is(&rig, "lock M ", "held A 0-50 exact; held B 60-80 exact",
		"a lock that is released while a thread waits is that thread's when it wakes");
	rig_is(&rig, "thread B ",
		"unknown (0)-10 unknown; running 10-30 exact; waiting lock M 30-60 exact; running 60-(80) "
		"exact by A",
		"which waited for this lock until then");
	rig_done(&rig);
	RUN(&rig, timed_out);
	rig_is(&rig, "lock M ", "held A 0-(80) exact",
		"a wait that timed out or was refused acquires nothing");
	rig_done(&rig);
}

static void check_lost_locks(void)
{
	static const struct step lost[] = { BY('A', ACQUIRE(RST_DONE, 'M')), BY('A'), BY(LOSS), BY('A'),
		BY('A', ACQUIRE(RST_DONE, 'M')), BY('A') };
	static const struct step deleted[] = { BY('A', ACQUIRE(RST_DONE, 'M')),
		BY('A', DELETE(RST_OBJECT_MUTEX, 'M')), BY('A') };
	struct rig rig;

	RUN(&rig, lost);
	rig_is(&rig, "lock M ", "held A 0-(10) exact; unknown (10)-30 unknown; held A 30-(40) exact",
		"behind a loss the owner is unknown to the next event of the lock");
	rig_done(&rig);
	RUN(&rig, deleted);
	rig_is(&rig, "lock M ", "held A 0-10 exact", "a lock that is deleted has no owner");
	rig_done(&rig);
}

/* The target restarts at 10; the next event is at 20. */
static void check_new_run(void)
{
	static const struct step locks[] = { BY('A', ACQUIRE(RST_DONE, 'M')), BY('A'), BY(RESET), BY('B'),
		BY('B', RELEASE('M')), BY('B') };
	static const struct step spans[] = { BY('A', BEGIN(.name = "job")), BY('A'), BY(RESET), BY('A'),
		BY('A', END(.name = "job")), BY('A') };
	static const struct step levels[] = { BY('A', LEVEL('Q', 2)), BY('A'), BY(RESET), BY('A'),
		BY('A', LEVEL('Q', 2)), BY('A') };
	static const struct step threads[] = { BY('A'), BY('A'), BY(RESET), BY('A'), BY('A') };
	struct rig rig;

	RUN(&rig, locks);
	rig_is(&rig, "lock M ", "held A 0-(10) exact; held B (10)-30 inferred",
		"an owner has a lock up to a new run, and one that it releases there since its begin at the "
		"most");
	rig_done(&rig);
	RUN(&rig, spans);
	rig_is(&rig, "span ", "job A 0-(10) exact; job A (10)-30 inferred",
		"a span is cut at a new run, and an end there is of one that began in it");
	rig_done(&rig);
	RUN(&rig, levels);
	rig_is(&rig, "level Q ", "2 0-(10) exact; 2 30-(40) exact", "a level does not last over a new run");
	rig_done(&rig);
	RUN(&rig, threads);
	rig_is(&rig, "thread A ",
		"running 0-(10) inferred; unknown (10)-20 unknown; running 20-(30) inferred",
		"what a thread does is unknown from a new run on");
	rig_done(&rig);
}

/* OTHER is the level of Q before, and `more` is added. The capacity is three. */
#define TO_BE(more, ...)                                                                      \
	{                                                                                     \
		.kind = RST_EFFECT_LEVEL, .object_kind = RST_OBJECT_QUEUE, .object = ID('Q'), \
		.value = { 1, more }, .capacity = ID(3), ##__VA_ARGS__                        \
	}

/* The level is one more than before, unless a thread waits, which no event shows. */
#define UNSEEN TO_BE(1, .is_handed_over = true, .is_partial = true)

/* A free to a pool that the recording does not name. */
#define FREE_UNKNOWN                                                                                        \
	{                                                                                                   \
		.kind = RST_EFFECT_FREE, .object_kind = RST_OBJECT_QUEUE, .object = { RST_FROM_UNKNOWN, 0 } \
	}

static void check_levels(void)
{
	static const struct step levels[] = { BY('A', LEVEL('Q', 1)), BY('A', LEVEL('Q', 1)),
		BY('A', LEVEL('Q', 2)), BY('A'), BY(LOSS), BY('A'), BY('A', LEVEL('Q', 3)), BY('A'),
		BY('A', DELETE(RST_OBJECT_QUEUE, 'Q')), BY('A') };
	static const struct step handed[] = { BY('A', SCHEDULE('A'), LEVEL('Q', 0)),
		BY('A', RECEIVE(RST_ASKS, 'Q')), BY('A', WAIT(RST_DONE, RST_REASON_QUEUE), SCHEDULE('B')),
		BY('B', SEND(RST_DONE, 'Q'), LEVEL('Q', 1, .is_handed_over = true)), BY('B', WAKE('A')),
		BY('B', SEND(RST_DONE, 'Q'), LEVEL('Q', 1, .is_handed_over = true)), BY('B') };
	/* Both ways in one event: what is in front of the level counts. */
	static const struct step ways[] = { BY('A', SCHEDULE('A'), LEVEL('Q', 0)),
		BY('A', RECEIVE(RST_ASKS, 'Q')), BY('A', WAIT(RST_DONE, RST_REASON_QUEUE), SCHEDULE('B')),
		BY('B', RECEIVE(RST_GAVE_UP, 'X'), SEND(RST_DONE, 'Q'),
			LEVEL('Q', 1, .is_handed_over = true)),
		BY('B', WAKE('A')),
		BY('B', RECEIVE(RST_GAVE_UP, 'X'), SEND(RST_DONE, 'Q'),
			LEVEL('Q', 1, .is_handed_over = true)),
		BY('B') };
	/* The wait of A is older than the recording. */
	static const struct step passed[] = { NAMING(1, 'B', SEND(RST_DONE, 'Q'),
						      TO_BE(1, .is_handed_over = true)),
		BY('B', WAKE('A')), NAMING(1, 'B', SEND(RST_DONE, 'Q'), TO_BE(1, .is_handed_over = true)),
		BY('B', WAKE('A')), BY('B') };
	/* The same, and A is known to wait, but not for what. */
	static const struct step vague[] = { BY('A', SCHEDULE('A')),
		BY('A', WAIT(RST_DONE, RST_REASON_OTHER), SCHEDULE('B')),
		NAMING(1, 'B', SEND(RST_DONE, 'Q'), TO_BE(1, .is_handed_over = true)), BY('B', WAKE('A')),
		BY('B') };
	static const struct step kept[] = { NAMING(1, 'B', SEND(RST_DONE, 'Q'),
						    TO_BE(1, .is_handed_over = true)),
		BY('B'), BY('B', WAKE('A')), BY('B') };
	/* No event shows which thread gets an item: A may, whose wait nothing shows or may be over. */
	static const struct step unseen[] = { BY('B', LEVEL('Q', 0)),
		NAMING(0, 'B', SEND(RST_DONE, 'Q'), UNSEEN), NAMING(1, 'B', SEND(RST_DONE, 'Q'), UNSEEN),
		NAMING(2, 'B', SEND(RST_DONE, 'Q'), UNSEEN), BY('B'), BY(LOSS),
		NAMING(0, 'B', SEND(RST_DONE, 'Q'), UNSEEN), BY('B') };
	static const struct step served[] = { BY('A', CREATE(RST_OBJECT_QUEUE, 'Q'), LEVEL('Q', 0)),
		BY('A', RECEIVE(RST_ASKS, 'Q')), BY('A', SWITCH('B', RST_STATE_WAITING, 0)),
		NAMING(0, 'B', SEND(RST_DONE, 'Q'), UNSEEN), NAMING(0, 'B', SEND(RST_DONE, 'Q'), UNSEEN),
		BY('B', SWITCH('A', 0, 0)), BY('A') };
	static const struct step limited[] = { BY('A', CREATE(RST_OBJECT_QUEUE, 'Q'), LEVEL('Q', 0)),
		BY('A', MAY_RECEIVE('Q')), BY('A', SWITCH('B', RST_STATE_WAITING, 0)),
		NAMING(0, 'B', SEND(RST_DONE, 'Q'), UNSEEN), BY('B', LEVEL('Q', 1)), BY('B') };
	static const struct step changes[] = { BY('A', LEVEL('Q', 1, .is_change = true)),
		BY('A', LEVEL('Q', 2)), BY('A', LEVEL('Q', 3, .is_change = true)),
		BY('A', LEVEL('Q', -1, .is_change = true)), BY('A', LEVEL('Q', 0, .is_change = true)),
		BY('A') };
	static const struct step below[] = { BY('A', LEVEL('Q', 2)),
		BY('A', LEVEL('Q', -5, .is_change = true)), BY('A', LEVEL('Q', 4, .is_change = true)),
		BY('A', LEVEL('Q', -7)), BY('A') };
	static const struct step pools[] = { BY('A', LEVEL('Q', 2, .is_free = true)), BY('A'),
		BY('A', FREE_UNKNOWN), BY('A'), BY('A', LEVEL('Q', 2, .is_free = true)), BY('A') };
	static const struct step unsaid[] = { BY('A', LEVEL('Q', 2, .is_change = true)), BY('A') };
	static const struct step full[] = { NAMING(2, 'A', TO_BE(1)), NAMING(3, 'A', TO_BE(1)),
		NAMING(1, 'A', TO_BE(1)), BY('A') };
	struct rig rig;

	RUN(&rig, changes);
	rig_is(&rig, "level Q ", "2 10-20 exact; 5 20-30 exact; 4 30-(50) exact",
		"a change adds to a level that is known, or takes off; none changes nothing");
	rig_done(&rig);
	RUN(&rig, below);
	rig_is(&rig, "level Q ", "2 0-10 exact; -3 10-20 exact; 1 20-30 exact; -7 30-(40) exact",
		"a level may be below 0");
	rig_done(&rig);
	RUN(&rig, pools);
	rig_is(&rig, "level Q ", "2 0-20 exact; 2 40-(50) exact",
		"what goes back to a pool that is not named ends what is known of the level of each");
	rig_done(&rig);
	RUN(&rig, unsaid);
	rig_is(&rig, "level ", "", "a change of a level that is not known gives none");
	rig_done(&rig);
	RUN(&rig, full);
	rig_is(&rig, "level Q ", "3 0-20 exact; 2 20-(30) exact",
		"what is put into a full object is refused or waits: its level stays");
	rig_done(&rig);
	RUN(&rig, levels);
	rig_is(&rig, "level Q ", "1 0-20 exact; 2 20-(30) exact; 3 50-70 exact",
		"a level lasts to the next other one, a loss or the deletion");
	rig_done(&rig);
	RUN(&rig, unseen);
	rig_is(&rig, "level Q ", "0 0-10 exact; 2 20-30 exact; 3 30-(40) exact",
		"an item may go to a thread of which nothing shows that it waits, unless there were items");
	rig_done(&rig);
	RUN(&rig, served);
	rig_is(&rig, "level Q ", "0 0-40 exact; 1 40-(60) exact",
		"one goes to the thread that waits, the next one stays, though that thread has not run");
	rig_done(&rig);
	RUN(&rig, limited);
	rig_is(&rig, "level Q ", "0 0-30 exact; 1 40-(50) exact",
		"a thread that may wait for the queue may get it");
	rig_done(&rig);
	RUN(&rig, handed);
	rig_is(&rig, "level Q ", "0 0-50 exact; 1 50-(60) exact",
		"what is sent while a thread waits to receive goes to that thread");
	rig_done(&rig);
	RUN(&rig, ways);
	rig_is(&rig, "level Q ", "0 0-50 exact; 1 50-(60) exact", "also where the event may receive as well");
	rig_done(&rig);
	RUN(&rig, passed);
	rig_is(&rig, "level Q ", "1 0-20 exact; 2 20-(40) exact",
		"the wake behind it shows that it went to a thread whose wait nothing has shown, once");
	rig_done(&rig);
	RUN(&rig, vague);
	rig_is(&rig, "level Q ", "1 20-(40) exact",
		"an item goes to the thread that the next event wakes, if nothing shows what that waited "
		"for");
	rig_done(&rig);
	RUN(&rig, kept);
	rig_is(&rig, "level Q ", "2 0-(30) exact", "a wake behind another event does not");
	rig_done(&rig);
}

static void check_machines(void)
{
	static const struct step machine[] = { BY('A', MACHINE(RST_ENTERS, 'X', 's')),
		BY('A', MACHINE(RST_IS_IN, 'X', 's')), BY('A', MACHINE(RST_LEAVES, 'X', 's')),
		BY('A', MACHINE(RST_ENTERS, 'X', 't')), BY('A', MACHINE(RST_ENTERS, 'X', 'u')), BY('A'),
		BY(LOSS), BY('A') };
	struct rig rig;

	RUN(&rig, machine);
	rig_is(&rig, "machine X ", "s 0-20 exact; t 30-40 exact; u 40-(50) exact",
		"a state lasts until the machine leaves it, enters another, or a loss");
	rig_done(&rig);
}

static void check_spans(void)
{
	static const struct step keyed[] = { BY('A', BEGIN(.name = "job", .key = ID(1))),
		BY('A', BEGIN(.name = "job", .key = ID(2))), BY('A', END(.name = "job", .key = ID(1))),
		BY('A', END(.name = "job", .key = ID(2))), BY('A') };
	static const struct step nested[] = { BY('A', BEGIN(.name = "out")), BY('A', BEGIN(.name = "in")),
		BY('A', BEGIN(.name = "in")), BY('A', END(.name = "in")), BY('A', END(.name = "in")),
		BY('B', END(.name = "out")), BY('A') };
	static const struct step any[] = { BY('A', END(.is_any = true)), BY('A', BEGIN(.name = "job")),
		BY('A', END(.is_any = true)), BY('A') };
	static const struct step lost[] = { BY('A', BEGIN(.name = "job")), BY('A'), BY(LOSS), BY('A'),
		BY('A', END(.name = "job")) };
	struct rig rig;

	RUN(&rig, keyed);
	rig_is(&rig, "span ", "job A 0-20 exact; job A 10-30 exact",
		"begin and end find each other by their key");
	rig_done(&rig);
	RUN(&rig, nested);
	rig_is(&rig, "span ", "in A 20-30 exact; in A 10-40 exact; out B (0)-50 inferred; out A 0-(60) exact",
		"equal spans nest, an end without a begin began before, and what is open is cut");
	rig_done(&rig);
	RUN(&rig, any);
	rig_is(&rig, "span ", "job A 10-20 exact", "an end of anything ends what is open, or nothing");
	rig_done(&rig);
	RUN(&rig, lost);
	rig_is(&rig, "span ", "job A 0-30 unknown", "a span over a loss is not certain");
	rig_done(&rig);
}

/* Tables of the engine have limits: items beyond them are left out, and the others stay correct. */
static void check_limits(void)
{
	enum { MANY = STATES_SPANS_MAX + 8, DEEP = STATES_NESTING_MAX + 8 };
	static struct step steps[2 * MANY + 1], nested[2 * DEEP + 2];
	const struct step begins = BY('A', BEGIN(.name = "job")), ends = BY('A', END(.name = "job")),
			  in = BY('1', INTERRUPT_IN('1')), out = BY('1', INTERRUPT_OUT), last = BY('A');
	struct rig rig;

	for (unsigned i = 0; i < 2 * MANY; i++)
		steps[i] = i < MANY ? begins : ends;
	steps[2 * MANY] = last;
	rig_run(&rig, steps, 2 * MANY + 1, 3);
	ok(rig.has_memory && rig.n_taken[RST_INTERVAL_SPAN] == MANY,
		"ends of spans that were not kept are those of spans from before the window");
	rig_done(&rig);
	nested[0] = last;
	for (unsigned i = 0; i < 2 * DEEP; i++)
		nested[1 + i] = i < DEEP ? in : out;
	nested[1 + 2 * DEEP] = last;
	rig_run(&rig, nested, 2 * DEEP + 2, 3);
	ok(rig.has_memory && rig.n_taken[RST_INTERVAL_INTERRUPT] == STATES_NESTING_MAX,
		"interrupts nest so deep and no deeper, and all of them end");
	rig_done(&rig);
}

static void check_memory(void)
{
	static const struct step steps[] = { BY('A', SCHEDULE('A'), ACQUIRE(RST_DONE, 'M')),
		BY('A', BEGIN(.name = "job"), LEVEL('Q', 1)), BY('1', INTERRUPT_IN('1')), BY('B') };
	struct rst_error err;
	struct rig rig;
	bool is_told = true;
	long n = 0;

	/* Contexts and layouts are made before memory runs out, the engine only then. */
	for (bool is_whole = false; !is_whole && n < 1000; n++) {
		static struct batch batch;

		RUN(&rig, steps);
		rig.states = rst_states_free(rig.states);
		if (!batch_init(&batch, BATCH_CORE | BATCH_INTERRUPTED, 0))
			break;
		for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
			rig_row(&rig, &batch, &steps[i], i);
		const struct rst_batch *rows = batch_close(&batch);

		tap_fail_alloc_after(n);
		enum rst_status status = rst_states_new(&rig.states, rig.trace, &err);
		if (status == RST_OK)
			status = rst_states_feed(rig.states, rows, &err);
		if (status == RST_OK)
			status = rst_states_finish(rig.states, &err);
		tap_fail_alloc_after(-1);
		is_whole = status == RST_OK;
		is_told &= is_whole || status == RST_E_NOMEM;
		batch_done(&batch);
		rig_done(&rig);
	}
	ok(is_told && n > 5 && n < 1000, "without memory that is the answer, wherever it runs out");
}

/* The engine skips effects that change nothing, unless a consumer watches them. */
static void check_watching(void)
{
	static const struct step steps[] = { BY('A', SEND(RST_DONE, 'Q'), PRIORITY),
		BY('A', RECEIVE(RST_DONE, 'Q')), BY('A', SEND(RST_ASKS, 'Q')), BY('A') };
	static const struct step refused[] = { BY('A'),
		BY('A', RECEIVE(RST_ASKS, 'Q'), RECEIVE(RST_GAVE_UP, 'Q')),
		BY('A', WAIT(RST_DONE, RST_REASON_NONE)), BY('B'), BY('B') };
	static const struct step asked[] = { BY('A'),
		BY('A', RECEIVE(RST_GAVE_UP, 'Q'), RECEIVE(RST_ASKS, 'Q')),
		BY('A', WAIT(RST_DONE, RST_REASON_NONE)), BY('B'), BY('B') };
	struct rig rig;

	RUN(&rig, steps);
	ok(rig.n_watched == 3, "a consumer gets each effect that it watches, in each phase, and no others");
	rig_done(&rig);
	RUN(&rig, refused);
	rig_is(&rig, "thread A waiting ", "other 20-(40) exact",
		"what an event asks for and is refused at once is not what its thread waits for");
	rig_done(&rig);
	RUN(&rig, asked);
	rig_is(&rig, "thread A waiting ", "queue Q 20-(40) exact", "what it asks for last is");
	rig_done(&rig);
}

static void check_open(void)
{
	static const struct step waits[] = { BY('A', ACQUIRE(RST_DONE, 'M')), BY('A', SCHEDULE('B')), BY('B'),
		NAMING('A', 'B', ACQUIRE(RST_ASKS, 'M')),
		BY('B', WAIT(RST_DONE, RST_REASON_LOCK), SCHEDULE('A')), BY('A') };
	static const struct step decided[] = { BY('A'), BY('A', SCHEDULE('B')), BY('A', SCHEDULE('B')) };
	struct rig rig;

	RUN(&rig, waits);
	is_text(rig.open,
		"thread A running 40-(50) exact; thread B waiting lock M 40-(50) exact; lock M held A 0-(50) "
		"exact; ",
		"what goes on at the last row can be had: threads and locks, cut there");
	rig_is(&rig, "lock M ", "held A 0-(50) exact", "and it comes out when it ends, all the same");
	rig_done(&rig);
	RUN(&rig, decided);
	is_text(rig.open, "thread A running 0-(10) exact; ",
		"a thread that may have left its core by a decision goes on until that decision");
	rig_done(&rig);
}

int main(void)
{
	check_open();
	check_locks();
	check_partial();
	check_hand_over();
	check_lost_locks();
	check_new_run();
	check_levels();
	check_machines();
	check_spans();
	check_limits();
	check_watching();
	check_memory();
	return tap_done();
}
