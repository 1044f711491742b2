/* SPDX-License-Identifier: MIT */
/* Writes findings for programs: each one is an object. */
#include "analysis/explain/explain.h"

static void put_entity(struct json *json, const struct rst_entity *entity)
{
	const bool is_interrupt = entity->form == RST_ENTITY_NUMBER;

	json_object(json, NULL);
	json_text(json, "kind", is_interrupt ? "interrupt" : entity->kind ? entity->kind : "object");
	json_id(json, "id", is_interrupt || entity->is_number, entity->id);
	if (entity->name && !is_interrupt)
		json_bytes(json, "name", (struct text){ entity->name, entity->name_bytes });
	else
		json_null(json, "name");
	json_end(json);
}

void finding_put_subjects(
	struct json *json, const char *key, struct findings *findings, const struct finding *finding)
{
	json_array(json, key);
	for (size_t i = 0; i < finding->n_subjects; i++) {
		const struct rst_entity *entity = &finding->subjects[i]->subject.entity;

		if (entity->form == RST_ENTITY_NUMBER)
			json_unsigned(json, NULL, entity->id);
		else
			json_bytes(json, NULL, party_name(findings, finding->subjects[i]));
	}
	json_end(json);
}

void finding_put_json(
	struct findings *findings, const struct finding *finding, long source, struct json *json)
{
	struct sentence sentence;

	json_object(json, NULL);
	json_text(json, "finding", finding->kind->name);
	if (source >= 0)
		json_unsigned(json, "source", (uint64_t)source);
	json_text(json, "severity", severity_names[finding->severity]);
	json_unsigned(json, "from", finding->from);
	json_unsigned(json, "to", finding->to);
	finding_put_subjects(json, "subjects", findings, finding);
	json_text(json, "text", finding_say(findings, finding, &sentence));
	json_array(json, "evidence");
	for (size_t i = 0; i < finding->n_evidence; i++)
		json_unsigned(json, NULL, finding->evidence[i]);
	json_end(json);
	json_bool(json, "certain", finding->is_certain);
	json_array(json, "things");
	for (size_t i = 0; i < finding->n_subjects; i++)
		put_entity(json, &finding->subjects[i]->subject.entity);
	json_end(json);
	json_end(json);
}
