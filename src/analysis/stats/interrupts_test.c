/* SPDX-License-Identifier: MIT */
#include "analysis/stats/rig_test.h"

extern const struct analysis analysis_interrupts;

static struct rst_entity irq(uint64_t number)
{
	return (struct rst_entity){ .form = RST_ENTITY_NUMBER, .id = number, .is_number = true };
}

static void ends(struct rig *rig, uint64_t number, uint64_t from, uint64_t to)
{
	const struct rst_interval interval = rig_interval(
		RST_INTERVAL_INTERRUPT, RST_N_STATES, irq(number), rig_entity("thread", 'A'), from, to);

	rig_give(rig, &interval);
}

/* An interrupt that interrupts no other. */
static void interrupt(struct rig *rig, uint64_t number, uint64_t from, uint64_t to)
{
	rig_arrive(rig, irq(number), from, 0);
	ends(rig, number, from, to);
}

static void loss(struct rig *rig, uint64_t at)
{
	static const struct rst_type type = { .marker = RST_LOSS };
	const struct rst_type *types[] = { &type };
	static const struct rst_gap gap;
	const uint8_t *const payloads[] = { (const uint8_t *)&gap };
	const struct rst_batch batch = { .n_events = 1, .type = types, .payload = payloads };

	rig->has_memory &= rig->analysis->observer.row(rig->state, &batch, 0, at);
}

static struct rig interrupts_new(void)
{
	return rig_new(&analysis_interrupts);
}

int main(void)
{
	struct rig rig = interrupts_new();

	rig_arrive(&rig, irq(3), 100, 0);
	rig_arrive(&rig, irq(5), 120, 1);
	ends(&rig, 5, 120, 130);
	rig_arrive(&rig, irq(5), 150, 1);
	ends(&rig, 5, 150, 170);
	ends(&rig, 3, 100, 200);
	interrupt(&rig, 5, 300, 310);
	interrupt(&rig, 5, 305, 325);
	rig_is(&rig, "5",
		"count 4, share 6%, total 60, mean 15, p50 10, max 20, max_at 170, max_over A, nested 2, "
		"mean_gap 62, "
		"min_gap 5, min_gap_at 305, max_gap 150, max_gap_at 300",
		"lengths, and distances of begins; two began while another one ran on that core");
	rig_is(&rig, "3", "count 1, total 100, nested 0, mean_gap -, min_gap -",
		"one alone has no distance; it is not nested in those that it had in it");
	rig_done(&rig);

	rig = interrupts_new();
	interrupt(&rig, 5, 100, 110);
	loss(&rig, 150);
	interrupt(&rig, 5, 200, 210);
	interrupt(&rig, 5, 220, 230);
	rig_is(&rig, "5", "count 3, min_gap 20, max_gap 20", "a distance over a loss is no figure");
	rig_done(&rig);

	rig = interrupts_new();
	rig_arrive(&rig, (struct rst_entity){ 0 }, 100, 0);
	rig_arrive(&rig, (struct rst_entity){ 0 }, 150, 0);
	rig_is(&rig, "isr", "count 2, total 0, p50 -, max -, mean_gap 50",
		"an interrupt of one event counts, and has no length; without a number it is called isr");
	rig_done(&rig);
	return tap_done();
}
