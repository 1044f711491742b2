/* SPDX-License-Identifier: MIT */
#include "analysis/stats/nesting.h"
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_spans;

/* Sequence numbers are moments here; a span's begin comes with the effects of its batch. */
static void begin(struct nesting *nesting, char thread, uint64_t at)
{
	const struct rst_entity entity = rig_entity("thread", thread);

	const struct span_identity identity = { .name = "s" };

	nesting_begin(nesting, &entity, at, &identity);
}

/* Its time without those in it; -1 if it is not known. */
static long end(struct nesting *nesting, char thread, uint64_t from, uint64_t to)
{
	const struct rst_interval interval = rig_interval(RST_INTERVAL_SPAN, RST_N_STATES,
		rig_entity("span", 's'), rig_entity("thread", thread), from, to);
	const struct piece piece = { .interval = &interval, .from = from, .begin = from, .to = to };
	uint64_t self;
	bool is_known;

	if (!nesting_end(nesting, &piece, &self, &is_known))
		return -2;
	return is_known ? (long)self : -1;
}

static void check_nesting(void)
{
	struct nesting nesting = { 0 };

	for (uint64_t at = 0; at <= 60; at += 10)
		begin(&nesting, 'A', at);
	begin(&nesting, 'B', 15);
	ok(end(&nesting, 'A', 20, 25) == 5, "a span with nothing in it takes all of its time itself");
	ok(end(&nesting, 'A', 10, 29) == 14, "one that another one lies in does not");
	ok(end(&nesting, 'B', 15, 28) == 13, "spans of another thread do not lie in it");
	ok(end(&nesting, 'A', 30, 35) == 5 && end(&nesting, 'A', 0, 40) == 40 - 19 - 5,
		"of those in those in it, the outer ones count");
	ok(end(&nesting, 'A', 50, 55) == 5 && end(&nesting, 'A', 7, 58) == -1,
		"where the begin is not known, neither is its own time");
	nesting_done(&nesting);
}

static void check_overlaps(void)
{
	struct nesting nesting = { 0 };

	begin(&nesting, 'A', 0);
	begin(&nesting, 'A', 10);
	begin(&nesting, 'A', 12);
	ok(end(&nesting, 'A', 12, 15) == 3 && end(&nesting, 'A', 0, 20) == 17 &&
			end(&nesting, 'A', 10, 30) == 17,
		"what lies in two that overlap is in both; they are not in each other");
	begin(&nesting, 'A', 40);
	begin(&nesting, 'A', 50); /* which takes no time, so nothing shows its end */
	begin(&nesting, 'A', 60);
	ok(end(&nesting, 'A', 60, 70) == 10 && end(&nesting, 'A', 40, 80) == 30,
		"a span of no time takes nothing from the one around it");
	nesting_done(&nesting);
}

static void check_many(void)
{
	struct nesting nesting = { 0 };

	begin(&nesting, 'A', 1);
	for (uint64_t at = 2; at < 3 * NESTING_MAX; at++)
		begin(&nesting, 'A', at);
	ok(end(&nesting, 'A', 3 * NESTING_MAX - 1, 3 * NESTING_MAX + 9) == 10 &&
			end(&nesting, 'A', 1, 3 * NESTING_MAX + 10) == 3 * NESTING_MAX - 1,
		"beyond what is remembered, the outermost and the innermost are still known");
	nesting_done(&nesting);
}

static void check_table(void)
{
	static const struct rst_type type = { .name = "begin" };
	static const struct rst_effect effect = { .kind = RST_EFFECT_BEGIN };
	struct rig rig = rig_new(&analysis_spans);
	struct rst_interval cut = rig_interval(
		RST_INTERVAL_SPAN, RST_N_STATES, rig_entity("span", 's'), (struct rst_entity){ 0 }, 0, 100);
	struct rst_interval whole = cut;

	cut.from_seq = RST_NO_SEQ;
	rig_give(&rig, &cut);
	for (uint64_t at = 200; at <= 300; at += 100)
		rig_effect(&rig, at, &type, NULL, &(struct rst_effect_facts){ .effect = &effect });
	whole.from = whole.from_seq = 200;
	whole.to = whole.to_seq = 210;
	rig_give(&rig, &whole);
	whole.from = whole.from_seq = 300;
	whole.to = whole.to_seq = 340;
	whole.object = rig_entity("thread", '\0');
	rig_give(&rig, &whole);
	rig_is(&rig, "s", "count 2, total 150, self 50, mean 25, p50 10, max 40, max_at 340",
		"a span that is cut counts in the sum of time only");
	rig_done(&rig);
}

static void give_span(struct rig *rig, char thread, uint64_t from, uint64_t to, bool has_end)
{
	struct rst_interval span = rig_interval(RST_INTERVAL_SPAN, RST_N_STATES, rig_entity("span", 's'),
		rig_entity("thread", thread), from, to);

	span.to_seq = has_end ? to : RST_NO_SEQ;
	rig_give(rig, &span);
}

/* Spans begin in one batch, and end in the next. */
static void check_recursion(void)
{
	static const struct rst_type type = { .name = "begin" };
	static const struct rst_effect effect = { .kind = RST_EFFECT_BEGIN, .name = "s" };
	static struct rst_context a = { .kind = RST_CONTEXT_THREAD,
		.id = 'A',
		.thread = &a,
		.has_name = true,
		.name = "A",
		.name_bytes = 1 };
	struct rig rig = rig_new(&analysis_spans);

	for (uint64_t at = 100; at <= 140; at += 10)
		rig_effect(
			&rig, at, &type, &a, &(struct rst_effect_facts){ .effect = &effect, .thread = &a });
	give_span(&rig, 'A', 140, 150, true);
	give_span(&rig, 'A', 130, 160, true);
	rig_is(&rig, "s", "count 2, unfinished 0, total 30, mean 20, max 30",
		"a span in one of the same name counts once in the total, and by itself in mean and maximum");
	give_span(&rig, 'A', 120, 200, true);
	rig_is(&rig, "s", "count 3, total 80, max 80", "however deep they lie");
	give_span(&rig, 'A', 110, 1000, false);
	give_span(&rig, 'A', 100, 1000, false);
	rig_is(&rig, "s", "count 5, unfinished 2, total 80, max 80",
		"spans whose end is not recorded belong to no total, and take nothing from those in them");
	rig_done(&rig);
}

int main(void)
{
	check_nesting();
	check_overlaps();
	check_many();
	check_table();
	check_recursion();
	return tap_done();
}
