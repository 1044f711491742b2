/* SPDX-License-Identifier: MIT */
/* JSON Lines: a verdict on each line. Times are in ns where the clock is known, else in ticks, as `unit` says. */
#include "base/choice.h"
#include "base/error.h"
#include "base/text.h"
#include "cli/check/verdicts.h"
#include <inttypes.h>

static bool is_time(const struct run *run)
{
	return run->rule->metric->quantities & QUANTITY_BIT(QUANTITY_TIME);
}

static bool is_share(const struct run *run)
{
	return run->rule->range.least.form == QUANTITY_SHARE;
}

static bool has_clock(const struct verdicts *verdicts)
{
	return verdicts->times && verdicts->times->hz;
}

static void measure_json(
	struct outbuf *out, const struct verdicts *verdicts, const struct run *run, struct number value)
{
	if (is_time(run) && has_clock(verdicts))
		outbuf_printf(out, "%" PRIu64, (uint64_t)times_distance_ns(verdicts->times, 0, value.bits));
	else if (outbuf_reserve(out, NUMBER_MAX))
		out->at = number_put_json(out->at, value);
}

static void value_json(struct outbuf *out, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation, struct number value)
{
	if (violation->of)
		outbuf_printf(out, "%.3f", number_real(value) * 100 / (double)violation->of);
	else
		measure_json(out, verdicts, run, value);
}

static void entity_json(struct outbuf *out, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NONE)
		outbuf_puts(out, "null");
	else if (entity->form == RST_ENTITY_NUMBER || (!entity->name && entity->is_number))
		outbuf_printf(out, "%" PRIu64, entity->id);
	else if (!entity->name)
		outbuf_printf(out, "\"0x%" PRIx64 "\"", entity->id);
	else if (outbuf_reserve(out, 6 * entity->name_bytes + 2))
		out->at = text_put_json(out->at, entity->name, entity->name_bytes);
}

static void violation_json(struct outbuf *out, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation)
{
	const uint64_t seqs[] = { violation->from_seq, violation->to_seq };
	bool has_one = false;

	if (run->rule->metric->has_sql) {
		outbuf_printf(out, "{\"row\":%s", violation->row_json);
	} else {
		outbuf_puts(out, "{\"value\":");
		value_json(out, verdicts, run, violation, number_as(violation->value, violation->value_type));
		outbuf_puts(out, ",\"by\":");
		value_json(out, verdicts, run, violation, number_as(violation->by, violation->by_type));
		outbuf_printf(out, ",\"side\":\"%s\",\"ended\":%s,\"subject\":",
			violation->is_too_much ? "above" : "below",
			violation->has_not_ended ? "false" : "true");
		entity_json(out, &violation->who);
	}
	if (violation_has_moment(run, violation))
		outbuf_printf(out, ",\"from\":%" PRIu64 ",\"to\":%" PRIu64, violation->from, violation->to);
	else
		outbuf_puts(out, ",\"from\":null,\"to\":null");
	outbuf_puts(out, ",\"evidence\":[");
	for (size_t i = 0; i < 2; i++) {
		if (seqs[i] == RST_NO_SEQ || (i && seqs[1] == seqs[0]))
			continue;
		outbuf_printf(out, "%s%" PRIu64, has_one ? "," : "", seqs[i]);
		has_one = true;
	}
	outbuf_puts(out, "]}");
}

static void measured_json(struct outbuf *out, const struct verdicts *verdicts, const struct run *run)
{
	const struct measured *measured = &run->measured;
	const struct violation shown = { .of = is_share(run) ? 100000 : 0 };
	const char *unit = is_share(run)			 ? "%"
			   : is_time(run) && has_clock(verdicts) ? "ns"
			   : is_time(run)			 ? "ticks"
								 : "count";

	outbuf_printf(out, ",\"unit\":\"%s\",\"measured\":%" PRIu64 ",\"min\":", unit, measured->n);
	if (measured->n)
		value_json(out, verdicts, run, &shown, measured->least);
	else
		outbuf_puts(out, "null");
	outbuf_puts(out, ",\"max\":");
	if (measured->n)
		value_json(out, verdicts, run, &shown, measured->most);
	else
		outbuf_puts(out, "null");
	outbuf_printf(out, ",\"broken\":%" PRIu64 ",\"violations\":[", measured->n_broken);
	for (size_t i = 0; violation_at(run, i); i++) {
		outbuf_puts(out, i ? "," : "");
		violation_json(out, verdicts, run, violation_at(run, i));
	}
	outbuf_puts(out, "]");
}

static void json_put(struct outbuf *out, const struct verdicts *verdicts)
{
	for (size_t i = 0; i < verdicts->check->rules->n; i++) {
		const struct run *run = &verdicts->check->runs[i];

		outbuf_puts(out, "{\"title\":");
		outbuf_json(out, run->rule->title);
		outbuf_printf(out, ",\"result\":\"%s\",\"rule\":", verdict_names[run->verdict]);
		outbuf_json(out, run->rule->text);
		outbuf_printf(out, ",\"line\":%u,\"file\":", run->rule->line);
		outbuf_json(out, verdicts->path);
		measured_json(out, verdicts, run);
		outbuf_puts(out, ",\"reason\":");
		outbuf_json(out, run->verdict == VERDICT_UNDECIDED ? run->reason : NULL);
		outbuf_puts(out, "}\n");
	}
}

static void json_begin(struct outbuf *out, size_t n_verdicts)
{
	(void)out;
	(void)n_verdicts;
}

static void json_end(struct outbuf *out, const struct tally *tally)
{
	(void)out;
	(void)tally;
}

const struct verdict_format verdict_format_json = {
	.name = "json", .begin = json_begin, .put = json_put, .end = json_end
};

static const struct verdict_format *const formats[] = { &verdict_format_tap, &verdict_format_junit,
	&verdict_format_json, NULL };

static const char *format_name(size_t i)
{
	return formats[i] ? formats[i]->name : NULL;
}

enum rst_status verdict_format_find(
	const char *name, const struct verdict_format **ret_format, struct rst_error *err)
{
	const struct choice choice = { .kind = "format", .name = format_name };
	size_t index;

	error_try(choice_find(&choice, name, &index, err));
	*ret_format = formats[index];
	return RST_OK;
}
