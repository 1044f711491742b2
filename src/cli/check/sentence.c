/* SPDX-License-Identifier: MIT */
#include <inttypes.h>

#include "base/text.h"
#include "cli/check/verdicts.h"

static void name_put(struct outbuf *out, const char *name, size_t n_bytes)
{
	if (outbuf_reserve(out, 4 * n_bytes))
		out->at = text_clean(out->at, (const uint8_t *)name, n_bytes);
}

static void duration_put(struct outbuf *out, const struct verdicts *verdicts, uint64_t ticks)
{
	char text[TEXT_DURATION_MAX + 1];
	const struct times *times = verdicts->times;

	if (!times || !times->hz) {
		outbuf_printf(out, "%" PRIu64 " tick%s", ticks, ticks == 1 ? "" : "s");
		return;
	}
	*text_put_signed_duration(text, times_distance_ns(times, 0, ticks)) = '\0';
	outbuf_puts(out, text);
}

void value_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation, struct number value)
{
	if (violation->of)
		outbuf_printf(out, "%.3f %%", number_real(value) * 100 / (double)violation->of);
	else if (run_is_time(run))
		duration_put(out, verdicts, value.bits);
	else if (outbuf_reserve(out, NUMBER_MAX))
		out->at = number_put(out->at, value);
}

/* As the report has it, without the blanks of its column. */
static void moment_put(struct outbuf *out, const struct verdicts *verdicts, uint64_t ticks)
{
	char text[TIMES_ROOM];
	const char *end = times_put(verdicts->times, text, ticks), *p = text;

	while (p < end && *p == ' ')
		p++;
	outbuf_printf(out, "%.*s", (int)(end - p), p);
}

static void entity_put(struct outbuf *out, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NUMBER) {
		outbuf_printf(out, ", irq %" PRIu64, entity->id);
		return;
	}
	if (entity->form == RST_ENTITY_NONE)
		return;
	outbuf_printf(out, ", %s ", entity->kind ? entity->kind : "object");
	if (entity->name) {
		outbuf_puts(out, "'");
		name_put(out, entity->name, entity->name_bytes);
		outbuf_puts(out, "'");
	} else {
		outbuf_printf(out, entity->is_number ? "%" PRIu64 : "0x%" PRIx64, entity->id);
	}
}

void violation_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation)
{
	if (run->rule->metric->has_sql) {
		outbuf_clean(out, violation->row ? violation->row : "");
		return;
	}
	const struct number value = number_as(violation->value, violation->value_type);

	value_put(out, verdicts, run, violation, value);
	outbuf_puts(out, violation->has_not_ended ? " or more, " : ", ");
	if (number_is_nan(value)) {
		outbuf_puts(out, "which is in no range");
	} else {
		value_put(out, verdicts, run, violation, number_as(violation->by, violation->by_type));
		outbuf_puts(out, violation->is_too_much ? " too much" : " too little");
	}
	entity_put(out, &violation->subject);
}

void when_put(struct outbuf *out, const struct verdicts *verdicts, const struct violation *violation)
{
	outbuf_puts(out, violation->from == violation->to ? "at " : "from ");
	moment_put(out, verdicts, violation->from);
	if (violation->from != violation->to) {
		outbuf_puts(out, " to ");
		moment_put(out, verdicts, violation->to);
	}
	outbuf_printf(out, " %s", times_unit(verdicts->times));
}

void broken_put(struct outbuf *out, const struct run *run)
{
	const struct measured *measured = &run->measured;
	uint64_t n = measured->n;

	if (run->rule->metric->has_sql) {
		outbuf_printf(out, "%" PRIu64 " row%s%s", measured->n_broken,
			measured->n_broken == 1 ? "" : "s", run->is_unknown ? " or more" : "");
		return;
	}
	/* The measured ones include only those that had ended. */
	if (n < measured->n_broken)
		n = measured->n_broken;
	outbuf_printf(out, "%" PRIu64 " of %" PRIu64 " broke it", measured->n_broken, n);
}

bool measured_put(struct outbuf *out, const struct verdicts *verdicts, const struct run *run)
{
	const struct measured *measured = &run->measured;
	const bool is_share = run->rule->range.least.form == QUANTITY_SHARE;
	const struct violation shown = { .of = is_share ? 100000 : 0 };

	if (!measured->n)
		return false;
	outbuf_printf(out, "%" PRIu64 " measured: ", measured->n);
	value_put(out, verdicts, run, &shown, measured->least);
	if (!number_is_same(measured->least, measured->most)) {
		outbuf_puts(out, " to ");
		value_put(out, verdicts, run, &shown, measured->most);
	}
	return true;
}

const struct violation *violation_at(const struct run *run, size_t n)
{
	const struct measured *measured = &run->measured;
	size_t place = 1;

	if (!measured->n_broken)
		return NULL;
	if (n == 0)
		return &measured->worst;
	for (size_t i = 0; i < VIOLATIONS_FIRST && i < measured->n_broken; i++) {
		const struct violation *violation = &measured->first[i];
		const bool is_worst = violation->from == measured->worst.from &&
				      violation->to == measured->worst.to &&
				      violation->value == measured->worst.value &&
				      violation->subject.id == measured->worst.subject.id;

		if (!is_worst && place++ == n)
			return violation;
	}
	return NULL;
}
