/* SPDX-License-Identifier: MIT */
/* Writes complaints for programs: each one is an object. */
#include "analysis/doctor/doctor.h"

static void put_phrase(struct json *json, const char *key, const struct phrase *phrase)
{
	if (phrase->n_bytes)
		json_bytes(json, key, (struct text){ phrase->text, phrase->n_bytes });
	else
		json_null(json, key);
}

void complaint_put_json(
	const struct exam *exam, const struct complaint *complaint, long source, struct json *json)
{
	json_object(json, NULL);
	json_text(json, "diagnosis", complaint->diagnosis->name);
	if (source >= 0)
		json_unsigned(json, "source", (uint64_t)source);
	json_text(json, "weight", weight_names[complaint->weight]);
	json_text(json, "dialect", exam->metadata->dialect);
	put_phrase(json, "text", &complaint->wrong);
	put_phrase(json, "evidence", &complaint->evidence);
	put_phrase(json, "change", &complaint->change);
	put_phrase(json, "code", &complaint->code);
	json_array(json, "events");
	for (size_t i = 0; i < complaint->n_events; i++)
		json_unsigned(json, NULL, complaint->events[i]);
	json_end(json);
	json_end(json);
}
