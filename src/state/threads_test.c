/* SPDX-License-Identifier: MIT */
/* Tests the states of threads and cores: decisions, switches, waits, interrupts, losses. */
#include "state/rig_test.h"

static void check_decisions(void)
{
	static const struct step proved[] = { BY('A'), BY('A', SCHEDULE('B')), BY('B'), BY('B') };
	static const struct step late[] = { BY('A'), BY('A', SCHEDULE('B')), BY('A'), BY('B'), BY('B') };
	static const struct step unproved[] = { BY('A'), BY('A', SCHEDULE('B')), BY('A'), BY('A') };
	static const struct step replaced[] = { BY('A'), BY('A', SCHEDULE('B')), BY('A', SCHEDULE('C')),
		BY('C'), BY('C') };
	static const struct step withdrawn[] = { BY('A'), BY('A', SCHEDULE('B')), BY('A', SCHEDULE('A')),
		BY('A'), BY('A') };
	static const struct step none[] = { BY('A'), BY('A'), BY('B'), BY('B') };
	struct rig rig;

	RUN(&rig, proved);
	rig_is(&rig, "thread A ", "running 0-10 exact; ready 10-(30) exact",
		"a decision that the next context proves is a switch when it was made");
	rig_is(&rig, "thread B ", "unknown (0)-10 unknown; running 10-(30) exact",
		"the thread that it chose runs from there on");
	rig_is(&rig, "core 0 ", "running A 0-10 exact; running B 10-(30) exact", "and so does its core");
	rig_done(&rig);
	RUN(&rig, late);
	rig_is(&rig, "thread A ", "running 0-20 exact; ready 20-(40) exact",
		"a thread that goes on to make events had the core to the last of them");
	rig_done(&rig);
	RUN(&rig, unproved);
	rig_is(&rig, "core 0 ", "running A 0-30 exact", "a decision that nothing proves has not happened");
	rig_done(&rig);
	RUN(&rig, replaced);
	rig_is(&rig, "core 0 ", "running A 0-20 exact; running C 20-(40) exact",
		"a newer decision replaces one that has not been proved");
	rig_is(&rig, "thread B ", "unknown (0)-(40) unknown",
		"and of the thread that was not chosen in the end nothing is known");
	rig_done(&rig);
	RUN(&rig, withdrawn);
	rig_is(&rig, "core 0 ", "running A 0-(40) exact",
		"a decision for the thread that runs ends those before");
	rig_done(&rig);
	RUN(&rig, none);
	rig_is(&rig, "thread A ", "running 0-10 inferred; unknown 10-(30) unknown",
		"of a thread that is replaced without a decision its last event is the last that is known");
	rig_is(&rig, "core 0 ", "running A 0-10 inferred; unknown 10-20 unknown; running B 20-(30) inferred",
		"and its core is unknown to the first event of the other");
	rig_done(&rig);
}

static void check_switches(void)
{
	static const struct step waits[] = { BY('A', SWITCH('A', 0, 0)),
		BY('A', SWITCH('B', RST_STATE_WAITING, RST_REASON_SLEEP)), BY('B'), BY('B', WAKE('A')),
		BY('B', SWITCH('A', 0, 0)), BY('A') };
	static const struct step idles[] = { BY('A', SWITCH('A', 0, 0)),
		BY('A', { .kind = RST_EFFECT_SWITCH, .state = RST_STATE_ENDED }), BY(IDLE) };
	static const struct step unknown[] = { BY('A', SWITCH('A', 0, 0)),
		BY('A', { .kind = RST_EFFECT_SWITCH, .thread = { RST_FROM_UNKNOWN, 0 } }), BY(NO_CONTEXT) };
	static const struct step unsaid[] = { BY('A', SWITCH('A', 0, 0)),
		BY('A', { .kind = RST_EFFECT_SWITCH, .thread = ID('B'), .is_partial = true }), BY('B') };
	struct rig rig;

	RUN(&rig, waits);
	rig_is(&rig, "thread A ",
		"running 0-10 exact; waiting sleep 10-30 exact; ready 30-40 exact by B; running 40-(50) "
		"exact",
		"a switch says what the thread that leaves does; a wake says who made it ready");
	rig_is(&rig, "thread B ", "unknown (0)-10 unknown; running 10-40 exact; ready 40-(50) exact",
		"a thread that only lost the core is ready");
	rig_done(&rig);
	RUN(&rig, idles);
	rig_is(&rig, "core 0 ", "running A 0-10 exact; idle 10-(20) exact", "a switch to nothing is idle");
	rig_is(&rig, "thread A ", "running 0-10 exact; ended 10-(20) exact",
		"and a thread may end in a switch");
	rig_done(&rig);
	RUN(&rig, unsaid);
	rig_is(&rig, "thread A ", "running 0-10 exact; unknown 10-(20) unknown",
		"a switch may leave open what the thread that leaves does");
	rig_done(&rig);
	RUN(&rig, unknown);
	rig_is(&rig, "core 0 ", "running A 0-10 exact; unknown 10-(20) unknown",
		"behind a switch to a thread that is not recorded the core is unknown");
	rig_done(&rig);
}

static void check_waits(void)
{
	static const struct step requested[] = { BY('A', SCHEDULE('A')), BY('A', RECEIVE(RST_ASKS, 'Q')),
		BY('A', WAIT(RST_DONE, RST_REASON_NONE), SCHEDULE('B')), BY('B'),
		BY('B', WAKE('A'), SCHEDULE('A')), BY('A', RECEIVE(RST_GAVE_UP, 'Q')),
		BY('A', WAIT(RST_DONE, RST_REASON_SLEEP), SCHEDULE_NONE), BY('1', WAKE('A')) };
	static const struct step silent[] = { BY('A', WAIT(RST_ASKS, RST_REASON_IO)), BY('B'), BY('A'),
		BY('A') };
	static const struct step twice[] = { BY('A', WAIT(RST_ASKS, RST_REASON_LOCK)),
		BY('A', SWITCH('B', RST_STATE_WAITING, 0)), BY('B', SWITCH('A', 0, 0)),
		BY('A', SWITCH('B', RST_STATE_WAITING, 0)), BY('B', SWITCH('A', 0, 0)), BY('A'),
		BY('A', SWITCH('B', RST_STATE_WAITING, 0)), BY('B') };
	static const struct step unseen[] = { BY('A'), BY('A', RECEIVE(RST_ASKS, 'Q')), BY('B'), BY('A'),
		BY('B'), BY('A') };
	static const struct step answered[] = { BY('A'),
		BY('A', RECEIVE(RST_ASKS, 'Q'), RECEIVE(RST_DONE, 'Q')), BY('B'), BY('A') };
	static const struct step seen[] = { BY('A', SCHEDULE('A')), BY('A', RECEIVE(RST_ASKS, 'Q')), BY('B'),
		BY('A') };
	static const struct step unsettled[] = { BY('A', SCHEDULE('A')), BY('A', MAY_RECEIVE('Q')),
		BY('A', SWITCH('B', RST_STATE_WAITING, RST_REASON_NONE)), BY('B', SWITCH('A', 0, 0)),
		BY('A') };
	static const struct step hidden[] = { BY('A'), BY('A', MAY_RECEIVE('Q')), BY('B'), BY('A') };
	static const struct step empty[] = { BY('A', SCHEDULE('A'), LEVEL('Q', 0)),
		BY('A', MAY_RECEIVE('Q', .amount = ID(1))),
		BY('A', SWITCH('B', RST_STATE_WAITING, RST_REASON_NONE)), BY('B', SWITCH('A', 0, 0)),
		BY('A') };
	static const struct step memory[] = { BY('A', SCHEDULE('A')), BY('A', ALLOCATE(RST_ASKS, 'P')),
		BY('A', WAIT(RST_DONE, RST_REASON_MEMORY), SCHEDULE('B')), BY('B', FREE('P')),
		BY('B', WAKE('A'), SCHEDULE('A')), BY('A', PRIORITY), BY('A') };
	static const struct step awake[] = { BY('A', SCHEDULE('A')), BY('A', WAKE('A')), BY('A') };
	struct rig rig;

	RUN(&rig, requested);
	rig_is(&rig, "thread A ",
		"running 0-20 exact; waiting queue Q 20-40 exact; running 40-60 exact by B; "
		"waiting sleep 60-70 exact",
		"a wait without a reason is for what the thread asked for; one with a reason is not");
	rig_done(&rig);
	RUN(&rig, silent);
	rig_is(&rig, "thread A ", "waiting io 0-20 inferred; running 20-(30) inferred",
		"where switches are not recorded, what asks waits until the thread's next event");
	rig_done(&rig);
	RUN(&rig, twice);
	rig_is(&rig, "thread A waiting ", "lock 10-20 exact; lock 30-40 exact; other 60-(70) exact",
		"a thread that is woken and has to wait again waits for the same until it goes on");
	rig_done(&rig);
	RUN(&rig, unseen);
	rig_is(&rig, "thread A ",
		"running 0-10 inferred; waiting queue Q 10-30 inferred; unknown 30-50 unknown",
		"in a recording without switches a thread whose last event asked for something waits for it");
	rig_done(&rig);
	RUN(&rig, answered);
	rig_is(&rig, "thread A ", "running 0-10 inferred; unknown 10-30 unknown",
		"but not where the event shows that it got it");
	rig_done(&rig);
	RUN(&rig, seen);
	rig_is(&rig, "thread A ", "running 0-10 exact; unknown 10-30 unknown",
		"nor in a recording with switches");
	rig_done(&rig);
	RUN(&rig, unsettled);
	rig_is(&rig, "thread A ", "running 0-20 exact; waiting other 20-30 exact; running 30-(40) exact",
		"what it asked for may be over, and it waits for something that is not recorded");
	rig_done(&rig);
	RUN(&rig, hidden);
	rig_is(&rig, "thread A ", "running 0-10 inferred; unknown 10-30 unknown",
		"nor is it known to wait where no switch shows that");
	rig_done(&rig);
	RUN(&rig, empty);
	rig_is(&rig, "thread A ", "running 0-20 exact; waiting queue Q 20-30 exact; running 30-(40) exact",
		"where there is less than it asks for, it waits for that");
	rig_done(&rig);
	RUN(&rig, memory);
	rig_is(&rig, "thread A ",
		"running 0-20 exact; waiting memory P 20-40 exact; running 40-(60) exact by B",
		"a thread that asks for memory waits for the pool, and another priority changes nothing of "
		"it");
	rig_done(&rig);
	RUN(&rig, awake);
	rig_is(&rig, "thread A ", "running 0-(20) exact", "waking a thread that runs changes nothing");
	rig_done(&rig);
}

static void check_interrupts(void)
{
	static const struct step nested[] = { BY('A', SCHEDULE('A')),
		INTERRUPTING('A', 'A', INTERRUPT_IN('1')), BY('1', INTERRUPT_IN('2')), BY('2', INTERRUPT_OUT),
		BY('1', INTERRUPT_OUT), BY('A') };
	static const struct step decides[] = { BY('A', SCHEDULE('A')), BY('1', INTERRUPT_IN('1')),
		BY('1', WAKE('B'), SCHEDULE('B')), BY('1'), BY('1', INTERRUPT_OUT), BY('B') };
	static const struct step implied[] = { BY('A', SCHEDULE('A')), BY('1'), BY('1'), BY('A'), BY('A') };
	static const struct step open[] = { BY('A', SCHEDULE('A')), BY('1', INTERRUPT_IN('1')), BY('1') };
	static const struct step over_other[] = { BY('A', SCHEDULE('A')),
		INTERRUPTING('A', '1', WAKE('B'), SCHEDULE('B')), INTERRUPTING('B', '2', INTERRUPT_IN('2')),
		INTERRUPTING('B', '2', INTERRUPT_OUT), BY('B') };
	/* Interrupt 1 is older than the recording. */
	static const struct step older[] = { INTERRUPTING('A', '2', INTERRUPT_IN('2')),
		INTERRUPTING('A', '2', INTERRUPT_OUT), INTERRUPTING('A', '1', INTERRUPT_OUT), BY('A') };
	struct rig rig;

	RUN(&rig, older);
	rig_is(&rig, "core 0 ",
		"interrupt 2 0-10 exact; interrupt 1 (10)-20 inferred; running A 20-(30) exact",
		"an interrupt that ends and has not begun was there before those inside of it");
	rig_done(&rig);
	RUN(&rig, over_other);
	rig_is(&rig, "core 0 ",
		"running A 0-10 exact; running B 10-20 exact; interrupt 2 20-30 exact; running B 30-(40) "
		"exact",
		"an interrupt over another thread shows that the one before has ended");
	rig_done(&rig);

	RUN(&rig, nested);
	rig_is(&rig, "core 0 ",
		"running A 0-10 exact; interrupt 1 10-20 exact; interrupt 2 20-30 exact; "
		"interrupt 1 30-40 exact; running A 40-(50) exact",
		"a core is in the innermost interrupt");
	rig_is(&rig, "interrupt ", "2 A 20-30 exact; 1 A 10-40 exact",
		"an interrupt lasts over those inside");
	rig_is(&rig, "thread A ", "running 0-10 exact; interrupted 1 10-40 exact; running 40-(50) exact",
		"a thread is interrupted by the outermost one, and goes on behind it");
	rig_done(&rig);
	RUN(&rig, decides);
	rig_is(&rig, "thread B ", "unknown (0)-20 unknown; ready 20-40 exact by 1; running 40-(50) exact",
		"a decision inside an interrupt counts from the interrupt's end");
	rig_is(&rig, "thread A ", "running 0-10 exact; interrupted 1 10-40 exact; ready 40-(50) exact",
		"and the thread that was interrupted becomes ready there");
	rig_done(&rig);
	RUN(&rig, implied);
	rig_is(&rig, "core 0 ",
		"running A 0-10 exact; interrupt 1 10-20 inferred; running A 20-(40) inferred",
		"events of an interrupt that did not begin or end show it from the first to the last of "
		"them");
	rig_done(&rig);
	RUN(&rig, open);
	rig_is(&rig, "interrupt ", "1 A 10-(20) exact",
		"an interrupt that is open is cut at the window's end");
	rig_done(&rig);
}

static void check_lives(void)
{
	static const struct step born[] = { BY('A', SCHEDULE('A')), BY('A', CREATE(RST_OBJECT_THREAD, 'B')),
		BY('A', WAKE('B')), BY('A', DELETE(RST_OBJECT_THREAD, 'B')), BY('A'),
		BY('A', CREATE(RST_OBJECT_THREAD, 'B')), BY('A') };
	static const struct step dead_runs[] = { BY('A', SCHEDULE('A')),
		BY('A', DELETE(RST_OBJECT_THREAD, 'A'), SCHEDULE('B')), BY('B'), BY('B') };
	static const struct step process[] = { ON(1, 'a'), ON(2, 'b'), ON(0, 'A'),
		ON(1, 'a', DELETE(RST_OBJECT_PROCESS, 'P')), ON(0, 'A') };
	static const struct step own[] = { BY('A'), BY('B', BIRTH), BY('B'), BY('A') };
	static const struct step switched[] = { BY('A'), BY('B', SWITCH('B', 0, 0)), BY('B', BIRTH),
		BY('B') };
	static const struct step older[] = { BY('A'), BY('B'), BY('A'), BY('B', BIRTH), BY('B') };
	static const struct step named[] = { NAMING('B', 'A', ACQUIRE(RST_ASKS, 'M')),
		BY('A', CREATE(RST_OBJECT_THREAD, 'B')), NAMING('C', 'A', ACQUIRE(RST_ASKS, 'N')),
		BY('A', DELETE(RST_OBJECT_THREAD, 'C')), BY('A') };
	static const struct step no_core[] = { ON(RST_NO_CORE, 'A'), ON(RST_NO_CORE, 'B', BIRTH),
		ON(RST_NO_CORE, 'A') };
	struct rig rig;

	RUN(&rig, born);
	rig_is(&rig, "thread B ", "created 10-20 exact; ready 20-30 exact by A; created 50-(60) exact",
		"a thread has states from its creation to its deletion, and again when its id is used again");
	rig_done(&rig);
	RUN(&rig, process);
	rig_is(&rig, "thread a ", "running 0-30 inferred", "a process that ends");
	rig_is(&rig, "thread b ", "unknown (0)-10 unknown; running 10-30 inferred",
		"ends its threads, whatever they do");
	rig_is(&rig, "thread A ", "unknown (0)-20 unknown; running 20-(40) inferred",
		"but not those of others");
	rig_done(&rig);
	RUN(&rig, own);
	rig_is(&rig, "thread B ", "running 10-20 inferred; unknown 20-(30) unknown",
		"a thread whose first event creates it begins there");
	rig_done(&rig);
	RUN(&rig, switched);
	rig_is(&rig, "thread B ", "running 10-(30) exact",
		"or with the switch to it, where that is recorded before");
	rig_done(&rig);
	RUN(&rig, older);
	ok(strstr(rig.text, "thread B unknown (0)-10 unknown; "),
		"a thread that made events before was there before");
	rig_done(&rig);
	RUN(&rig, named);
	rig_is(&rig, "thread B ", "created 10-(40) exact",
		"a thread of which nothing was known begins where it is created");
	rig_is(&rig, "thread C ", "unknown (0)-30 unknown",
		"and is unknown to its deletion where nothing else is known of it");
	rig_done(&rig);
	RUN(&rig, no_core);
	rig_is(&rig, "thread B ", "running 10-(20) inferred", "a thread that creates itself runs");
	rig_done(&rig);
	RUN(&rig, dead_runs);
	rig_is(&rig, "thread A ", "running 0-10 exact", "a thread that deletes itself ran until then");
	rig_is(&rig, "core 0 ", "running A 0-10 exact; running B 10-(30) exact",
		"and its core goes to the next");
	rig_done(&rig);
}

static void check_losses(void)
{
	static const struct step lost[] = { BY('A', SCHEDULE('A')), BY('A', INTERRUPT_IN('1')), BY('1'),
		BY(LOSS), BY('A'), BY('A') };
	static const struct step pending[] = { BY('A', SCHEDULE('A')), BY('A', SCHEDULE('B')), BY(LOSS),
		BY('A'), BY('A') };
	static const struct step gap[] = { BY('A', ACQUIRE(RST_DONE, 'M'), BEGIN(.name = "job")),
		BY('A', { .kind = RST_EFFECT_GAP }), BY('A'), BY('A') };
	struct rig rig;

	RUN(&rig, lost);
	rig_is(&rig, "core 0 ",
		"running A 0-10 exact; interrupt 1 10-(20) exact; unknown (20)-30 unknown; running A 30-(40) "
		"exact",
		"behind a loss a core is unknown until an event shows what it does");
	rig_is(&rig, "interrupt ", "1 A 10-(20) exact", "interrupts do not last over a loss");
	rig_is(&rig, "thread A ",
		"running 0-10 exact; interrupted 1 10-(20) exact; unknown (20)-30 unknown; running 30-(40) "
		"exact",
		"and threads neither");
	rig_done(&rig);
	RUN(&rig, pending);
	ok(!strstr(rig.text, "running B"),
		"a decision in front of a loss that nothing proves is not believed");
	rig_done(&rig);
	RUN(&rig, gap);
	rig_is(&rig, "core 0 ", "running A 0-10 inferred; unknown 10-20 unknown; running A 20-(30) inferred",
		"an event may be a gap itself, and what is known ends with it");
	rig_is(&rig, "lock M ", "held A 0-10 exact; unknown 10-(30) unknown", "so it is with locks");
	rig_is(&rig, "span ", "job A 0-(30) unknown", "and spans");
	rig_done(&rig);
}

static void check_cores(void)
{
	static const struct step two[] = { ON(0, 'A', SCHEDULE('A')), ON(1, 'B', SCHEDULE('B')),
		ON(0, 'A', WAIT(RST_DONE, RST_REASON_SLEEP), SCHEDULE_NONE), ON(0, IDLE), ON(1, 'B') };
	static const struct step moved[] = { ON(0, 'A'), ON(0, 'A'), ON(1, 'A'), ON(1, 'A') };
	/* Core 1 is idle when core 0 wakes B. */
	static const struct step woken[] = { ON(0, 'A', SCHEDULE('A')), ON(1, 'B', SCHEDULE('B')),
		ON(1, 'B', WAIT(RST_DONE, RST_REASON_SLEEP), SCHEDULE_NONE), ON(0, 'A', WAKE('B')),
		ON(0, 'A'), ON(1, 'B'), ON(1, 'B') };
	/* Core 0 wakes C, which comes up on core 1, where B ran. */
	static const struct step preempted[] = { ON(0, 'A', SCHEDULE('A')), ON(1, 'B', SCHEDULE('B')),
		ON(1, 'B'), ON(0, 'A', WAKE('C')), ON(0, 'A'), ON(1, 'C'), ON(1, 'C') };
	/* Core 0 decides for B, which comes up on core 1 and waits. */
	static const struct step overtaken[] = { ON(0, 'A', SCHEDULE('A')), ON(0, 'A', SCHEDULE('B')),
		ON(1, 'B'), ON(1, 'B', WAIT(RST_DONE, RST_REASON_SLEEP)),
		ON(0, 'A', WAIT(RST_DONE, RST_REASON_SLEEP), SCHEDULE('C')), ON(0, 'C'), ON(0, 'C') };
	/* B waits on core 1, then on core 0; C comes up on core 1. */
	static const struct step elsewhere[] = { ON(1, 'B', SCHEDULE('B')),
		ON(1, 'B', WAIT(RST_DONE, RST_REASON_SLEEP), SCHEDULE_NONE), ON(0, '1', WAKE('B')),
		ON(0, 'B'), ON(0, 'B', WAIT(RST_DONE, RST_REASON_SLEEP), SCHEDULE_NONE),
		ON(0, '1', WAKE('C')), ON(1, 'C'), ON(1, 'C') };
	/* Core 0 wakes B. Nothing shows what core 1 does at that moment. */
	static const struct step woken_first[] = { ON(0, 'A', SCHEDULE('A')), ON(0, 'A', WAKE('B')),
		ON(1, 'B'), ON(1, 'B') };
	static const struct step none_switch[] = { ON(RST_NO_CORE, 'A', SWITCH('A', 0, 0)),
		ON(RST_NO_CORE, 'A', SWITCH('B', RST_STATE_WAITING, RST_REASON_IO)), ON(RST_NO_CORE, 'B'),
		ON(RST_NO_CORE, 'B', WAKE('A')), ON(RST_NO_CORE, 'B', SWITCH('A', RST_STATE_READY, 0)),
		ON(RST_NO_CORE, 'A') };
	static const struct step no_core[] = { ON(RST_NO_CORE, 'A'),
		ON(RST_NO_CORE, 'A', WAIT(RST_DONE, RST_REASON_IO)), ON(RST_NO_CORE, 'B', WAKE('A')),
		ON(RST_NO_CORE, 'A') };
	struct rig rig;

	RUN(&rig, two);
	rig_is(&rig, "core 0 ", "running A 0-20 exact; idle 20-(40) exact",
		"cores are followed each by itself");
	rig_is(&rig, "core 1 ", "unknown (0)-10 unknown; running B 10-(40) exact",
		"and another one is not touched");
	rig_done(&rig);
	RUN(&rig, woken);
	rig_is(&rig, "thread B ",
		"unknown (0)-10 unknown; running 10-20 exact; waiting sleep 20-30 exact; "
		"running 30-(60) inferred by A",
		"a thread that is woken, and comes up on a free core, runs there since its wake");
	rig_done(&rig);
	RUN(&rig, preempted);
	rig_is(&rig, "core 1 ", "unknown (0)-10 unknown; running B 10-30 exact; running C 30-(60) inferred",
		"one that comes up where another one ran has taken its core at its wake");
	rig_is(&rig, "thread B ", "unknown (0)-10 unknown; running 10-30 exact; ready 30-(60) inferred",
		"and the other one is ready");
	rig_done(&rig);
	RUN(&rig, overtaken);
	rig_is(&rig, "thread B ", "unknown (0)-20 unknown; running 20-30 exact; waiting sleep 30-(60) exact",
		"a decision for a thread that has run elsewhere since counts for nothing");
	rig_done(&rig);
	RUN(&rig, elsewhere);
	rig_is(&rig, "core 1 ", "running B 0-10 exact; idle 10-50 inferred; running C 50-(70) inferred",
		"a core is idle since its thread left it, whatever that thread does on another one");
	rig_done(&rig);
	RUN(&rig, woken_first);
	rig_is(&rig, "thread B ", "unknown (0)-10 unknown; ready 10-20 inferred by A; running 20-(30) exact",
		"if nothing is known of the core, it may have run there: that it was ready is not proved");
	rig_done(&rig);
	RUN(&rig, moved);
	rig_is(&rig, "thread A ", "running 0-10 inferred; unknown 10-20 unknown; running 20-(30) inferred",
		"a thread that comes up on another core ran on the first one to its last event there");
	rig_is(&rig, "core 0 ", "running A 0-10 inferred; unknown 10-(30) unknown", "and left it then");
	rig_done(&rig);
	RUN(&rig, none_switch);
	rig_is(&rig, "thread A ",
		"running 0-10 exact; waiting io 10-30 exact; ready 30-40 exact by B; running 40-(50) exact",
		"switches without cores are those of one core");
	rig_is(&rig, "core 0 ", "running A 0-10 exact; running B 10-40 exact; running A 40-(50) exact",
		"which has its intervals, too");
	rig_done(&rig);
	RUN(&rig, no_core);
	ok(!strstr(rig.text, "core "), "events without a core give no intervals of cores");
	ok(strstr(rig.text, "thread A waiting io 10-20 exact; "), "but threads have their states");
	rig_done(&rig);
}

/* The states of each thread follow each other without a gap, whatever the size of batches. */
static void check_batches(void)
{
	static const struct step steps[] = { BY('A', SCHEDULE('A')), BY('A', SCHEDULE('B')),
		BY('1', INTERRUPT_IN('1')), BY('1', INTERRUPT_OUT), BY('B'), BY(LOSS), BY('A'),
		BY('B', WAIT(RST_DONE, RST_REASON_LOCK)), BY('A') };
	const size_t n = sizeof(steps) / sizeof(steps[0]);
	struct rig one, all;

	rig_run(&one, steps, n, 1);
	rig_run(&all, steps, n, n);
	is_text(one.text, all.text, "it does not matter where batches end");
	rig_done(&one);
	rig_done(&all);
}

int main(void)
{
	check_decisions();
	check_switches();
	check_waits();
	check_interrupts();
	check_lives();
	check_losses();
	check_cores();
	check_batches();
	return tap_done();
}
