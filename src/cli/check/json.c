/* SPDX-License-Identifier: MIT */
/*
 * JSON Lines: a verdict on each line. Times are in ns where the clock is known, else in ticks, as `unit`
 * says.
 */
#include "base/json.h"
#include "base/choice.h"
#include "base/error.h"
#include "cli/check/verdicts.h"

/* The decimals of a share in percent. */
enum { SHARE_DECIMALS = 3 };

static bool has_clock(const struct verdicts *verdicts)
{
	return verdicts->times && verdicts->times->hz;
}

static void put_value(struct json *json, const char *key, const struct verdicts *verdicts,
	const struct run *run, uint64_t of, struct number value)
{
	if (of)
		json_decimals(json, key, number_real(value) * 100 / (double)of, SHARE_DECIMALS);
	else if (run_is_time(run) && has_clock(verdicts))
		json_unsigned(json, key, (uint64_t)times_distance_ns(verdicts->times, 0, value.bits));
	else
		json_number(json, key, value);
}

static void put_subject(struct json *json, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NONE)
		json_null(json, "subject");
	else if (entity->form == RST_ENTITY_THING && entity->name)
		json_bytes(json, "subject", (struct text){ entity->name, entity->name_bytes });
	else
		json_id(json, "subject", entity->form == RST_ENTITY_NUMBER || entity->is_number, entity->id);
}

static void put_violation(struct json *json, const struct verdicts *verdicts, const struct run *run,
	const struct violation *violation)
{
	const bool has_moment = violation_has_moment(run, violation);
	const uint64_t from_seq = violation->from_seq, to_seq = violation->to_seq;

	json_object(json, NULL);
	if (run->rule->metric->has_sql) {
		json_ready(json, "row", (struct text){ violation->row_json, strlen(violation->row_json) });
	} else {
		put_value(json, "value", verdicts, run, violation->of,
			number_as(violation->value, violation->value_type));
		put_value(json, "by", verdicts, run, violation->of,
			number_as(violation->by, violation->by_type));
		json_text(json, "side", violation->is_too_much ? "above" : "below");
		json_bool(json, "ended", !violation->has_not_ended);
		put_subject(json, &violation->subject);
	}
	json_known(json, "from", has_moment, violation->from);
	json_known(json, "to", has_moment, violation->to);
	json_array(json, "evidence");
	if (from_seq != RST_NO_SEQ)
		json_unsigned(json, NULL, from_seq);
	if (to_seq != RST_NO_SEQ && to_seq != from_seq)
		json_unsigned(json, NULL, to_seq);
	json_end(json);
	json_end(json);
}

static void put_measured(struct json *json, const struct verdicts *verdicts, const struct run *run,
	const char *key, struct number value)
{
	if (run->measured.n)
		put_value(json, key, verdicts, run, run_is_share(run) ? RUN_SHARE_ALL : 0, value);
	else
		json_null(json, key);
}

static void verdicts_json_put(struct outbuf *out, const struct verdicts *verdicts)
{
	struct json json = { .out = out };

	for (size_t i = 0; i < verdicts->check->rules->n; i++) {
		const struct run *run = &verdicts->check->runs[i];

		json_object(&json, NULL);
		json_text(&json, "title", run->rule->title);
		json_text(&json, "result", verdict_names[run->verdict]);
		json_text(&json, "rule", run->rule->text);
		json_unsigned(&json, "line", run->rule->line);
		json_text(&json, "file", verdicts->path);
		json_text(&json, "unit", run_value_unit(run, has_clock(verdicts)));
		json_unsigned(&json, "measured", run->measured.n);
		put_measured(&json, verdicts, run, "min", run->measured.least);
		put_measured(&json, verdicts, run, "max", run->measured.most);
		json_unsigned(&json, "broken", run->measured.n_broken);
		json_array(&json, "violations");
		for (size_t k = 0; violation_at(run, k); k++)
			put_violation(&json, verdicts, run, violation_at(run, k));
		json_end(&json);
		json_text(&json, "reason", run->verdict == VERDICT_UNDECIDED ? run->reason : NULL);
		json_end(&json);
		json_line_end(&json);
	}
}

const struct verdict_format verdict_format_json = { .name = "json", .put = verdicts_json_put };

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
