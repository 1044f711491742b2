/* SPDX-License-Identifier: MIT */
/* Intervals for programs: JSON Lines and CSV, with the same keys and columns in the same order. */
#include "base/json.h"
#include "lines/intervals.h"

/* The state of a kind that has states, or NULL. */
static const char *state_of(const struct rst_interval *interval)
{
	return interval->state == RST_N_STATES ? NULL : rst_state_name(interval->state);
}

static const char *reason_of(const struct rst_interval *interval)
{
	return interval->reason == RST_REASON_NONE ? NULL : rst_reason_name(interval->reason);
}

/* --- JSON Lines ----------------------------------------------------------------------------------------- */

static void put_json_entity(struct json *json, const char *key, const struct rst_entity *entity)
{
	if (entity->form != RST_ENTITY_THING) {
		json_known(json, key, entity->form == RST_ENTITY_NUMBER, entity->id);
		return;
	}
	json_object(json, key);
	json_text(json, "kind", entity->kind);
	json_id(json, "id", entity->is_number, entity->id);
	if (entity->name)
		json_bytes(json, "name", (struct text){ entity->name, entity->name_bytes });
	else
		json_null(json, "name");
	json_end(json);
}

static void jsonl_put(struct report_input *input, struct outbuf *out, const struct rst_interval *interval)
{
	struct json json = { .out = out };

	json_object(&json, NULL);
	json_text(&json, "kind", rst_interval_kind_name(interval->kind));
	if (input->report->options.has_sources)
		json_unsigned(&json, "source", input->source);
	put_json_entity(&json, "subject", &interval->subject);
	put_json_entity(&json, "object", &interval->object);
	json_text(&json, "state", state_of(interval));
	json_text(&json, "reason", reason_of(interval));
	json_known(&json, "core", interval->core != RST_NO_CORE, interval->core);
	json_unsigned(&json, "from", interval->from);
	json_unsigned(&json, "to", interval->to);
	json_known(&json, "from_seq", interval->from_seq != RST_NO_SEQ, interval->from_seq);
	json_known(&json, "to_seq", interval->to_seq != RST_NO_SEQ, interval->to_seq);
	put_json_entity(&json, "by", &interval->by);
	json_text(&json, "certainty", rst_certainty_name(interval->certainty));
	if (interval->has_value)
		json_number(&json, "value", number_as(interval->value, interval->value_type));
	json_end(&json);
	json_line_end(&json);
}

const struct interval_format interval_format_jsonl = {
	.name = "jsonl",
	.put = jsonl_put,
};

/* --- CSV ------------------------------------------------------------------------------------------------ */

static char *interval_data_put_word(char *p, const char *word)
{
	return text_put(p, word, strlen(word));
}

static void csv_head(struct report *report, const struct report_input *input)
{
	(void)input;
	outbuf_puts(report->out, report->options.has_sources ? "source," : "");
	outbuf_puts(report->out, "kind,subject_kind,subject_id,subject_name,object_kind,object_id,object_"
				 "name,state,reason,core,"
				 "from,to,from_seq,to_seq,by_kind,by_id,by_name,certainty,value\n");
}

/* kind,id,name, */
static char *csv_entity(char *p, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_THING)
		p = interval_data_put_word(p, entity->kind);
	*p++ = ',';
	if (entity->form != RST_ENTITY_NONE)
		p = (entity->is_number ? text_put_dec : text_put_hex)(p, entity->id);
	*p++ = ',';
	if (entity->name)
		p = text_put_csv(p, entity->name, entity->name_bytes);
	*p++ = ',';
	return p;
}

static char *csv_word(char *p, const char *word)
{
	if (word)
		p = interval_data_put_word(p, word);
	*p++ = ',';
	return p;
}

static char *csv_number(char *p, bool is_there, uint64_t number)
{
	if (is_there)
		p = text_put_dec(p, number);
	*p++ = ',';
	return p;
}

static void csv_put(struct report_input *input, struct outbuf *out, const struct rst_interval *interval)
{
	char *p = out->at;

	if (input->report->options.has_sources)
		p = csv_number(p, true, input->source);
	p = csv_word(p, rst_interval_kind_name(interval->kind));
	p = csv_entity(p, &interval->subject);
	p = csv_entity(p, &interval->object);
	p = csv_word(p, state_of(interval));
	p = csv_word(p, reason_of(interval));
	p = csv_number(p, interval->core != RST_NO_CORE, interval->core);
	p = csv_number(p, true, interval->from);
	p = csv_number(p, true, interval->to);
	p = csv_number(p, interval->from_seq != RST_NO_SEQ, interval->from_seq);
	p = csv_number(p, interval->to_seq != RST_NO_SEQ, interval->to_seq);
	p = csv_entity(p, &interval->by);
	p = csv_word(p, rst_certainty_name(interval->certainty));
	if (interval->has_value)
		p = number_put(p, number_as(interval->value, interval->value_type));
	*p++ = '\n';
	out->at = p;
}

const struct interval_format interval_format_csv = {
	.name = "csv",
	.is_headed = true,
	.head = csv_head,
	.put = csv_put,
};
