/* SPDX-License-Identifier: MIT */
/* Tracks, segments and entities as JSON, the same in every answer. Absent facts are left out. */
#include "view/rows.h"
#include "view/server/server.h"

enum { PARTS = 1000, PART_DIGITS = 3 }; /* of shares */

/* An answer has thousands of numbers and names, so none of them uses printf(). */
static bool put_key(struct outbuf *out, const char *key)
{
	if (out->at > out->start && out->at[-1] != '{')
		outbuf_puts(out, ",");
	outbuf_puts(out, "\"");
	outbuf_puts(out, key);
	outbuf_puts(out, "\":");
	return outbuf_reserve(out, TEXT_DEC_MAX + 2);
}

void put_number(struct outbuf *out, const char *key, uint64_t number)
{
	if (put_key(out, key))
		out->at = text_put_dec(out->at, number);
}

/*
 * Writes a level's number. JSON readers lose digits of integers beyond 2^53, and JSON has no NaN or infinity: KEY_text has the
 * exact text of such numbers, too.
 */
void put_value(struct outbuf *out, const char *key, struct number number)
{
	const struct number most = number_as(UINT64_C(1) << 53, RST_UNSIGNED),
			    least = number_as(UINT64_MAX << 53, RST_SIGNED);
	const bool is_exact = number_is_finite(number) &&
			      (number.type == RST_REAL || (number_compare(number, most) <= 0 &&
								  number_compare(number, least) >= 0));

	if (!put_key(out, key) || !outbuf_reserve(out, strlen(key) + 2 * NUMBER_MAX))
		return;
	out->at = number_put_json(out->at, number);
	if (is_exact)
		return;
	out->at = text_put_literal(out->at, ",\"");
	out->at = text_put(out->at, key, strlen(key));
	out->at = text_put_literal(out->at, "_text\":\"");
	out->at = text_put_literal(number_put(out->at, number), "\"");
}

void put_share(struct outbuf *out, const char *key, uint64_t part, uint64_t all)
{
	const uint64_t share = (uint64_t)((double)part / (double)(all ? all : 1) * PARTS + 0.5);

	if (!put_key(out, key))
		return;
	out->at = text_put_dec(out->at, share / PARTS);
	*out->at++ = '.';
	out->at = text_put_digits(out->at, share % PARTS, PART_DIGITS);
}

static void put_word(struct outbuf *out, const char *key, const char *word)
{
	put_key(out, key);
	outbuf_puts(out, "\"");
	outbuf_puts(out, word);
	outbuf_puts(out, "\"");
}

void put_label(struct outbuf *out, const char *key, const struct rst_entity *entity)
{
	char name[LABEL_MAX];

	if (!entity)
		return;
	entity_label(entity, name, sizeof(name));
	put_key(out, key);
	outbuf_json(out, name);
}

void put_state(struct outbuf *out, unsigned class)
{
	const unsigned reason = class >= CLASS_WAITING ? class - CLASS_WAITING : RST_REASON_NONE;

	if (class == CLASS_ON)
		outbuf_puts(out, ",\"state\":null"); /* behind the times */
	else
		put_word(out, "state",
			rst_state_name(class >= CLASS_WAITING ? RST_STATE_WAITING : (enum rst_state) class));
	if (reason != RST_REASON_NONE)
		put_word(out, "reason", rst_reason_name((enum rst_reason)reason));
}

void put_facts(struct outbuf *out, const struct tracks *tracks, const struct track *track,
	const struct segment *segment)
{
	put_label(out, "object", tracks_entity(tracks, segment->object));
	put_label(out, "by", tracks_entity(tracks, segment->by));
	if (track->kind == RST_INTERVAL_LEVEL)
		put_value(out, "value", segment_value(segment));
	if (segment->core != RST_NO_CORE)
		put_number(out, "core", segment->core);
	if (segment->from_seq != RST_NO_SEQ)
		put_number(out, "from_seq", segment->from_seq);
	if (segment->to_seq != RST_NO_SEQ)
		put_number(out, "to_seq", segment->to_seq);
	put_word(out, "certainty", rst_certainty_name((enum rst_certainty)segment->certainty));
}

/* The track that this one belongs below: the first lane of the same thing; for that of spans, their thread's. */
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

void put_track(struct outbuf *out, const struct tracks *tracks, const struct track *track)
{
	const struct rst_entity *entity = tracks_entity(tracks, track->subject);
	const char *kind = rst_interval_kind_name(track->kind);
	const struct track *parent = entity ? parent_of(tracks, track, entity) : NULL;

	outbuf_printf(out, "{\"id\":%u,\"kind\":\"%s\"", track->number, kind);
	put_label(out, "name", entity);
	if (entity && entity->kind && strcmp(entity->kind, kind) != 0)
		outbuf_printf(out, ",\"object\":\"%s\"", entity->kind);
	if (entity && entity->process)
		put_number(out, "process", entity->process);
	if (parent && parent != track)
		put_number(out, "parent", parent->number);
	if (track->lane)
		put_number(out, "lane", track->lane);
	if (track->source)
		put_number(out, "source", track->source);
	if (track->kind == RST_INTERVAL_THREAD && !track_is_known(track))
		outbuf_puts(out, ",\"known\":false");
	outbuf_puts(out, "}");
}
