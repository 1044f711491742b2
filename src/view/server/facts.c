/* SPDX-License-Identifier: MIT */
/* Tracks, segments and entities as JSON, the same in every answer. Absent facts are left out. */
#include <stdio.h>

#include "picture/rows.h"
#include "view/server/server.h"

enum { PARTS = 1000, PART_DIGITS = 3, KEY_MAX = 32 }; /* of shares; of a key */

/*
 * JSON readers lose digits of integers beyond 2^53, and JSON has no NaN or infinity: KEY_text has the exact
 * text of such numbers, too.
 */
void put_value(struct json *json, const char *key, struct number number)
{
	const struct number most = number_as(UINT64_C(1) << 53, RST_UNSIGNED),
			    least = number_as(UINT64_MAX << 53, RST_SIGNED);
	const bool is_exact = number_is_finite(number) &&
			      (number.type == RST_REAL || (number_compare(number, most) <= 0 &&
								  number_compare(number, least) >= 0));
	char text_key[KEY_MAX], text[NUMBER_MAX];

	json_number(json, key, number);
	if (is_exact)
		return;
	snprintf(text_key, sizeof(text_key), "%s_text", key);
	json_bytes(json, text_key, (struct text){ text, (size_t)(number_put(text, number) - text) });
}

/* An answer may have thousands of shares, so this function does not use printf(). */
void put_share(struct json *json, const char *key, uint64_t part, uint64_t all)
{
	const uint64_t share = (uint64_t)((double)part / (double)(all ? all : 1) * PARTS + 0.5);
	char text[NUMBER_MAX], *p = text_put_dec(text, share / PARTS);

	*p++ = '.';
	p = text_put_digits(p, share % PARTS, PART_DIGITS);
	json_ready(json, key, (struct text){ text, (size_t)(p - text) });
}

void put_label(struct json *json, const char *key, const struct rst_entity *entity)
{
	char name[LABEL_MAX];

	if (!entity)
		return;
	entity_label(entity, name, sizeof(name));
	json_text(json, key, name);
}

void put_state(struct json *json, unsigned class)
{
	const unsigned reason = class >= CLASS_WAITING ? class - CLASS_WAITING : RST_REASON_NONE;
	const enum rst_state state = class >= CLASS_WAITING ? RST_STATE_WAITING : (enum rst_state) class;

	json_text(json, "state", class == CLASS_ON ? NULL : rst_state_name(state));
	if (reason != RST_REASON_NONE)
		json_text(json, "reason", rst_reason_name((enum rst_reason)reason));
}

void put_facts(struct json *json, const struct tracks *tracks, const struct track *track,
	const struct segment *segment)
{
	put_label(json, "object", tracks_entity(tracks, segment->object));
	put_label(json, "by", tracks_entity(tracks, segment->by));
	if (track->kind == RST_INTERVAL_LEVEL)
		put_value(json, "value", segment_value(segment));
	if (segment->core != RST_NO_CORE)
		json_unsigned(json, "core", segment->core);
	if (segment->from_seq != RST_NO_SEQ)
		json_unsigned(json, "from_seq", segment->from_seq);
	if (segment->to_seq != RST_NO_SEQ)
		json_unsigned(json, "to_seq", segment->to_seq);
	json_text(json, "certainty", rst_certainty_name((enum rst_certainty)segment->certainty));
}

/*
 * The track that this one belongs below: the first lane of the same thing; for that of spans, their thread's.
 */
static const struct track *parent_of(
	const struct tracks *tracks, const struct track *track, const struct rst_entity *entity)
{
	if (track->kind == RST_INTERVAL_SPAN)
		return tracks_find(tracks, RST_INTERVAL_THREAD, entity, track->source);
	return track->lane ? tracks_find(tracks, track->kind, entity, track->source) : NULL;
}

/* Returns whether a thread has known states: the recorder sees threads that do nothing in the trace. */
static bool track_is_known(const struct track *track)
{
	const struct summary sum = tree_sum(&track->tree, 0, UINT64_MAX);
	uint64_t known = 0;

	for (unsigned class = 0; class < N_CLASSES; class ++)
		known += class == RST_STATE_UNKNOWN ? 0 : sum.ticks[class];
	return known > 0;
}

void put_track(struct json *json, const char *key, const struct tracks *tracks, const struct track *track)
{
	const struct rst_entity *entity = tracks_entity(tracks, track->subject);
	const char *kind = rst_interval_kind_name(track->kind);
	const struct track *parent = entity ? parent_of(tracks, track, entity) : NULL;

	json_object(json, key);
	json_unsigned(json, "id", track->number);
	json_text(json, "kind", kind);
	put_label(json, "name", entity);
	if (entity && entity->kind && strcmp(entity->kind, kind) != 0)
		json_text(json, "object", entity->kind);
	if (entity && entity->process)
		json_unsigned(json, "process", entity->process);
	if (parent && parent != track)
		json_unsigned(json, "parent", parent->number);
	if (track->lane)
		json_unsigned(json, "lane", track->lane);
	if (track->source)
		json_unsigned(json, "source", track->source);
	if (track->kind == RST_INTERVAL_THREAD && !track_is_known(track))
		json_bool(json, "known", false);
	json_end(json);
}
