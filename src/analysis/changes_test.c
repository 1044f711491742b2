/* SPDX-License-Identifier: MIT */
#include "analysis/changes.h"

#include <stdio.h>

#include "tests/tap.h"

enum { CUT_LEFT = 1, CUT_RIGHT = 2, UNSURE = 4, WOKEN = 8 };

/* The next piece of a thread: a state, up to a moment; what came out, in words. */
struct line {
	struct changes changes;
	uint64_t now;
	char text[400];
};

static void line_add(struct line *line, enum rst_state state, uint64_t to, uint16_t core, unsigned flags)
{
	const struct rst_interval interval = { .kind = RST_INTERVAL_THREAD,
		.state = state,
		.core = core,
		.certainty = flags & UNSURE ? RST_CERTAINTY_UNKNOWN : RST_CERTAINTY_EXACT,
		.subject = { .form = RST_ENTITY_THING, .kind = "thread", .id = 'A' },
		.by = { .form = flags & WOKEN ? RST_ENTITY_THING : RST_ENTITY_NONE,
			.kind = "thread",
			.id = 'B' } };
	const struct piece piece = { .interval = &interval,
		.from = line->now,
		.begin = line->now,
		.to = to,
		.has_begin = !(flags & CUT_LEFT),
		.has_end = !(flags & CUT_RIGHT) };
	struct change change;
	const size_t n = strlen(line->text);

	if (changes_take(&line->changes, &piece, &change) == CHANGES_ONE)
		snprintf(line->text + n, sizeof(line->text) - n, "%s%llu %s %s %llu%s%s%s%s", n ? "; " : "",
			(unsigned long long)change.at, rst_state_name(change.before),
			rst_state_name(change.after), (unsigned long long)change.lasted,
			change.is_whole ? " whole" : "", change.is_wake ? " wake" : "",
			change.is_switch ? " switch" : "", change.is_migration ? " migration" : "");
	if (strlen(line->text) != n && change.is_answer)
		snprintf(line->text + strlen(line->text), sizeof(line->text) - strlen(line->text),
			" after %llu by %c", (unsigned long long)change.waited, (char)change.by->id);
	line->now = to;
}

static void line_is(struct line *line, const char *expected, const char *sentence)
{
	is_text(line->text, expected, sentence);
	changes_done(&line->changes);
	*line = (struct line){ 0 };
}

int main(void)
{
	struct line line = { 0 };
	struct change last;

	line_add(&line, RST_STATE_UNKNOWN, 10, RST_NO_CORE, CUT_LEFT | UNSURE);
	line_add(&line, RST_STATE_RUNNING, 30, 0, 0);
	line_add(&line, RST_STATE_READY, 50, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_RUNNING, 60, 0, 0);
	line_add(&line, RST_STATE_WAITING, 80, RST_NO_CORE, 0);
	line_is(&line,
		"0 unknown unknown 0; 10 unknown running 10 switch; 30 running ready 20 whole; "
		"50 ready running 20 whole switch; 60 running waiting 10 whole",
		"a preempted thread that runs again was not woken");

	line_add(&line, RST_STATE_WAITING, 10, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_READY, 15, RST_NO_CORE, WOKEN);
	line_add(&line, RST_STATE_RUNNING, 30, 0, 0);
	line_is(&line,
		"0 unknown waiting 0; 10 waiting ready 10 whole wake; 15 ready running 5 whole switch after "
		"5 by B",
		"a thread that is woken runs after the time that it was ready");

	line_add(&line, RST_STATE_WAITING, 10, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_RUNNING, 30, 0, WOKEN);
	line_add(&line, RST_STATE_WAITING, 40, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_RUNNING, 50, 0, 0);
	line_is(&line,
		"0 unknown waiting 0; 10 waiting running 10 whole wake switch after 0 by B; "
		"30 running waiting 20 whole; 40 waiting running 10 whole wake switch",
		"it may run at once; where no event woke it, it is not known how long it could have run");

	line_add(&line, RST_STATE_RUNNING, 10, 0, 0);
	line_add(&line, RST_STATE_INTERRUPTED, 13, 0, 0);
	line_add(&line, RST_STATE_RUNNING, 20, 0, 0);
	line_add(&line, RST_STATE_INTERRUPTED, 25, 0, 0);
	line_add(&line, RST_STATE_READY, 30, RST_NO_CORE, 0);
	line_is(&line, "0 unknown running 0; 25 running ready 17 whole",
		"interrupts do not end a run, and their time is not the thread's");

	line_add(&line, RST_STATE_RUNNING, 10, 0, 0);
	line_add(&line, RST_STATE_READY, 12, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_RUNNING, 20, 1, 0);
	line_add(&line, RST_STATE_RUNNING, 30, 0, 0);
	line_is(&line,
		"0 unknown running 0; 10 running ready 10 whole; 12 ready running 2 whole switch migration; "
		"20 running running 8 whole switch migration",
		"another core than before is a migration");

	line_add(&line, RST_STATE_WAITING, 10, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_READY, 15, RST_NO_CORE, WOKEN | CUT_RIGHT);
	line_add(&line, RST_STATE_UNKNOWN, 20, RST_NO_CORE, UNSURE);
	line_add(&line, RST_STATE_RUNNING, 30, 0, 0);
	line_add(&line, RST_STATE_WAITING, 35, RST_NO_CORE, 0);
	line_is(&line,
		"0 unknown waiting 0; 10 waiting ready 10 whole wake; 15 ready unknown 5; 20 unknown running "
		"5; "
		"30 running waiting 10 whole",
		"what a loss cuts is no figure, and behind it nothing shows when the thread got its core");

	line_add(&line, RST_STATE_READY, 10, RST_NO_CORE, 0);
	line.now = 20;
	line_add(&line, RST_STATE_RUNNING, 30, 0, 0);
	line_is(&line, "0 unknown ready 0; 20 unknown running 0",
		"between pieces that do not meet nothing is known");

	tap_fail_alloc_after(0);
	struct change change;
	const struct rst_interval interval = { .kind = RST_INTERVAL_THREAD };
	const enum changes_result result =
		changes_take(&line.changes, &(struct piece){ .interval = &interval, .to = 1 }, &change);

	tap_fail_alloc_after(-1);
	ok(result == CHANGES_NO_MEMORY, "memory that runs out is reported");
	changes_done(&line.changes);
	line_add(&line, RST_STATE_READY, 10, RST_NO_CORE, 0);
	line_add(&line, RST_STATE_RUNNING, 30, 0, 0);
	ok(changes_end(&line.changes, 0, &last) && last.lasted == 20 && last.at == 30 && last.is_whole,
		"a run that the last event ends is a change without a piece behind it");
	line_add(&line, RST_STATE_RUNNING, 40, 0, CUT_RIGHT);
	ok(!changes_end(&line.changes, 0, &last), "a run that no event ends is none");
	line_is(&line, "0 unknown ready 0; 10 ready running 10 whole switch", "both are one run");
	return tap_done();
}
