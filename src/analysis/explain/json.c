/* SPDX-License-Identifier: MIT */
/* Writes findings for programs: each one is an object. */
#include <inttypes.h>

#include "analysis/explain/explain.h"

static void put_text(struct outbuf *out, struct text text)
{
	if (outbuf_reserve(out, 6 * text.n_bytes + 2))
		out->at = text_put_json(out->at, text.bytes, text.n_bytes);
}

static void put_entity(struct outbuf *out, const struct rst_entity *entity)
{
	if (entity->form == RST_ENTITY_NUMBER) {
		outbuf_printf(out, "{\"kind\":\"interrupt\",\"id\":%" PRIu64 ",\"name\":null}", entity->id);
		return;
	}
	outbuf_printf(out,
		entity->is_number ? "{\"kind\":\"%s\",\"id\":%" PRIu64 ",\"name\":"
				  : "{\"kind\":\"%s\",\"id\":\"0x%" PRIx64 "\",\"name\":",
		entity->kind ? entity->kind : "object", entity->id);
	if (entity->name)
		put_text(out, (struct text){ entity->name, entity->name_bytes });
	else
		outbuf_puts(out, "null");
	outbuf_puts(out, "}");
}

static void put_subjects(struct outbuf *out, struct findings *findings, const struct finding *finding)
{
	for (size_t i = 0; i < finding->n_subjects; i++) {
		const struct rst_entity *entity = &finding->subjects[i]->subject.entity;

		outbuf_puts(out, i ? "," : "");
		if (entity->form == RST_ENTITY_NUMBER)
			outbuf_printf(out, "%" PRIu64, entity->id);
		else
			put_text(out, party_name(findings, finding->subjects[i]));
	}
}

void finding_put_json(
	struct findings *findings, const struct finding *finding, long source, struct outbuf *out)
{
	struct sentence sentence;

	outbuf_printf(out, "{\"finding\":\"%s\",", finding->kind->name);
	if (source >= 0)
		outbuf_printf(out, "\"source\":%ld,", source);
	outbuf_printf(out, "\"severity\":\"%s\",\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"subjects\":[",
		severity_names[finding->severity], finding->from, finding->to);
	put_subjects(out, findings, finding);
	outbuf_puts(out, "],\"text\":");
	outbuf_json(out, finding_say(findings, finding, &sentence));
	outbuf_puts(out, ",\"evidence\":[");
	for (size_t i = 0; i < finding->n_evidence; i++)
		outbuf_printf(out, "%s%" PRIu64, i ? "," : "", finding->evidence[i]);
	outbuf_printf(out, "],\"certain\":%s,\"things\":[", finding->is_certain ? "true" : "false");
	for (size_t i = 0; i < finding->n_subjects; i++) {
		outbuf_puts(out, i ? "," : "");
		put_entity(out, &finding->subjects[i]->subject.entity);
	}
	outbuf_puts(out, "]}");
}
