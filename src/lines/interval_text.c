/* SPDX-License-Identifier: MIT */
/*
 * Intervals for people: when it began, how long it was, what did what. At the end stands a tilde where an
 * interval is inferred, a question mark where it is not known.
 */
#include "base/number.h"
#include "base/text.h"
#include "lines/intervals.h"

static char *interval_text_put_word(char *p, const char *word)
{
	return text_put(p, word, strlen(word));
}

/* "mutex m", "low", "17" */
static char *put_entity(char *p, const struct rst_entity *entity, bool has_kind)
{
	if (entity->form == RST_ENTITY_NUMBER)
		return text_put_dec(p, entity->id);
	if (entity->form == RST_ENTITY_NONE)
		return interval_text_put_word(p, "?");
	if (has_kind || !entity->name) {
		p = interval_text_put_word(p, entity->kind);
		*p++ = ' ';
	}
	if (entity->name)
		return text_put(p, entity->name, entity->name_bytes);
	return (entity->is_number ? text_put_dec : text_put_hex)(p, entity->id);
}

static char *put_thread(char *p, const struct rst_interval *interval)
{
	const bool is_interrupted = interval->state == RST_STATE_INTERRUPTED;

	p = interval_text_put_word(p, rst_state_name(interval->state));
	if (interval->state == RST_STATE_RUNNING && interval->core != RST_NO_CORE)
		p = text_put_dec(interval_text_put_word(p, " on core "), interval->core);
	if (interval->state == RST_STATE_WAITING && interval->object.form != RST_ENTITY_NONE)
		p = put_entity(interval_text_put_word(p, " for "), &interval->object, true);
	else if (interval->state == RST_STATE_WAITING)
		p = interval_text_put_word(
			interval_text_put_word(p, ", "), rst_reason_name(interval->reason));
	if (is_interrupted && interval->object.form != RST_ENTITY_NONE)
		p = put_entity(interval_text_put_word(p, " by "), &interval->object, false);
	if (interval->by.form != RST_ENTITY_NONE)
		p = put_entity(interval_text_put_word(p, ", woken by "), &interval->by, false);
	return p;
}

static char *interval_text_put_core(char *p, const struct rst_interval *interval)
{
	p = interval_text_put_word(p, rst_state_name(interval->state));
	if (interval->object.form == RST_ENTITY_NONE)
		return p;
	*p++ = ' ';
	return put_entity(p, &interval->object, false);
}

static char *put_lock(char *p, const struct rst_interval *interval)
{
	if (interval->object.form == RST_ENTITY_NONE)
		return interval_text_put_word(p, "owner not known");
	return put_entity(interval_text_put_word(p, "held by "), &interval->object, false);
}

static char *put_interrupt(char *p, const struct rst_interval *interval)
{
	p = interval_text_put_word(p, "handled");
	if (interval->core != RST_NO_CORE)
		p = text_put_dec(interval_text_put_word(p, " on core "), interval->core);
	if (interval->object.form != RST_ENTITY_NONE)
		p = put_entity(interval_text_put_word(p, ", over "), &interval->object, false);
	return p;
}

static char *put_span(char *p, const struct rst_interval *interval)
{
	return put_entity(interval_text_put_word(p, "of "), &interval->object, true);
}

static char *put_level(char *p, const struct rst_interval *interval)
{
	return number_put(
		interval_text_put_word(p, "level "), number_as(interval->value, interval->value_type));
}

static char *put_machine(char *p, const struct rst_interval *interval)
{
	return put_entity(interval_text_put_word(p, "in "), &interval->object, true);
}

/* By kind: whether the subject has its kind in front, or the kind of the interval; and what it did. */
static const struct kind {
	bool has_own_kind;
	char *(*put)(char *p, const struct rst_interval *interval);
} kinds[RST_N_INTERVAL_KINDS] = {
	[RST_INTERVAL_THREAD] = { false, put_thread },
	[RST_INTERVAL_CORE] = { false, interval_text_put_core },
	[RST_INTERVAL_LOCK] = { true, put_lock },
	[RST_INTERVAL_INTERRUPT] = { false, put_interrupt },
	[RST_INTERVAL_SPAN] = { false, put_span },
	[RST_INTERVAL_LEVEL] = { true, put_level },
	[RST_INTERVAL_MACHINE] = { true, put_machine },
};

static void text_put_interval(
	struct report_input *input, struct outbuf *out, const struct rst_interval *interval)
{
	const struct kind *kind = &kinds[interval->kind];
	char *p = out->at;

	p = times_put(&input->times, p, interval->from);
	*p++ = ' ';
	p = times_put_delta(&input->times, p, interval->from, interval->to);
	p = interval_text_put_word(p, "  ");
	if (!kind->has_own_kind && (interval->subject.name || interval->subject.form != RST_ENTITY_THING)) {
		p = interval_text_put_word(p, rst_interval_kind_name(interval->kind));
		*p++ = ' ';
	}
	p = put_entity(p, &interval->subject, kind->has_own_kind && interval->subject.name);
	p = kind->put(interval_text_put_word(p, ": "), interval);
	if (interval->certainty != RST_CERTAINTY_EXACT)
		p = interval_text_put_word(p, interval->certainty == RST_CERTAINTY_INFERRED ? " ~" : " ?");
	*p++ = '\n';
	out->at = p;
}

static void interval_text_text_head(struct report *report, const struct report_input *input)
{
	outbuf_clean(report->out, rst_trace_metadata(input->trace)->path);
	outbuf_puts(report->out, "\nBegin, length and what; ~ is inferred, ? is not known.\n");
}

const struct interval_format interval_format_text = {
	.name = "text",
	.has_gaps = true,
	.head = interval_text_text_head,
	.put = text_put_interval,
};
