/* SPDX-License-Identifier: MIT */
/* Intervals for programs: JSON Lines and CSV, with the same keys and columns in the same order. */
#include "base/number.h"
#include "base/text.h"
#include "report/intervals.h"

static char *put_word(char *p, const char *word)
{
	return text_put(p, word, strlen(word));
}

/* The state of a kind that has states, or NULL. */
static const char *state_of(const struct rst_interval *interval)
{
	return interval->state == RST_N_STATES ? NULL : rst_state_name(interval->state);
}

static const char *reason_of(const struct rst_interval *interval)
{
	return interval->reason == RST_REASON_NONE ? NULL : rst_reason_name(interval->reason);
}

/* --- JSON Lines ------------------------------------------------------------------------------------------------- */

static char *json_entity(char *p, const char *key, const struct rst_entity *entity)
{
	p = put_word(p, key);
	if (entity->form == RST_ENTITY_NONE)
		return text_put_literal(p, "null");
	if (entity->form == RST_ENTITY_NUMBER)
		return text_put_dec(p, entity->id);
	p = put_word(text_put_literal(p, "{\"kind\":\""), entity->kind);
	p = text_put_literal(p, "\",\"id\":");
	if (entity->is_number) {
		p = text_put_dec(p, entity->id);
	} else {
		*p++ = '"';
		p = text_put_hex(p, entity->id);
		*p++ = '"';
	}
	p = text_put_literal(p, ",\"name\":");
	p = entity->name ? text_put_json(p, entity->name, entity->name_bytes) : text_put_literal(p, "null");
	*p++ = '}';
	return p;
}

static char *json_word(char *p, const char *key, const char *word)
{
	p = put_word(p, key);
	if (!word)
		return text_put_literal(p, "null");
	*p++ = '"';
	p = put_word(p, word);
	*p++ = '"';
	return p;
}

static char *json_number(char *p, const char *key, bool is_there, uint64_t number)
{
	p = put_word(p, key);
	return is_there ? text_put_dec(p, number) : text_put_literal(p, "null");
}

static char *jsonl_put(struct report_input *input, char *p, const struct rst_interval *interval)
{
	p = json_word(p, "{\"kind\":", rst_interval_kind_name(interval->kind));
	if (input->report->options.has_sources)
		p = json_number(p, ",\"source\":", true, input->source);
	p = json_entity(p, ",\"subject\":", &interval->subject);
	p = json_entity(p, ",\"object\":", &interval->object);
	p = json_word(p, ",\"state\":", state_of(interval));
	p = json_word(p, ",\"reason\":", reason_of(interval));
	p = json_number(p, ",\"core\":", interval->core != RST_NO_CORE, interval->core);
	p = json_number(p, ",\"from\":", true, interval->from);
	p = json_number(p, ",\"to\":", true, interval->to);
	p = json_number(p, ",\"from_seq\":", interval->from_seq != RST_NO_SEQ, interval->from_seq);
	p = json_number(p, ",\"to_seq\":", interval->to_seq != RST_NO_SEQ, interval->to_seq);
	p = json_entity(p, ",\"by\":", &interval->by);
	p = json_word(p, ",\"certainty\":", rst_certainty_name(interval->certainty));
	if (interval->has_value)
		p = number_put_json(
			put_word(p, ",\"value\":"), number_as(interval->value, interval->value_type));
	return text_put_literal(p, "}\n");
}

const struct interval_format interval_format_jsonl = {
	.name = "jsonl",
	.put = jsonl_put,
};

/* --- CSV -------------------------------------------------------------------------------------------------------- */

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
		p = put_word(p, entity->kind);
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
		p = put_word(p, word);
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

static char *csv_put(struct report_input *input, char *p, const struct rst_interval *interval)
{
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
	return p;
}

const struct interval_format interval_format_csv = {
	.name = "csv",
	.is_headed = true,
	.head = csv_head,
	.put = csv_put,
};
