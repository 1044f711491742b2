/* SPDX-License-Identifier: MIT */
#include "tracks/tracks.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* --- entities ------------------------------------------------------------------------------------------- */

/*
 * The key of an entity, from all members that identify it. The name counts, because one span has many names.
 */
static uint64_t entity_key(const struct tracks *tracks, const struct rst_entity *entity, uint32_t source)
{
	const uint64_t kind = entity->kind ? map_text_key(entity->kind, strlen(entity->kind)) : 0;
	const uint64_t name = entity->name ? map_text_key(entity->name, entity->name_bytes) : 0;
	const uint64_t factor = tracks->factor;

	return (((entity->id * factor + entity->process) * factor + kind) * factor + name) * factor + source;
}

static bool entity_is(const struct rst_entity *a, const struct rst_entity *b)
{
	return a->form == b->form && a->id == b->id && a->process == b->process &&
	       (a->kind == b->kind || (a->kind && b->kind && strcmp(a->kind, b->kind) == 0)) &&
	       a->name_bytes == b->name_bytes && !a->name == !b->name &&
	       (!a->name || memcmp(a->name, b->name, a->name_bytes) == 0);
}

/* An entity with its number, in a list of entities with the same key. */
struct numbered {
	struct rst_entity entity; /* first */
	uint32_t number, source;
	struct numbered *next;
};

static struct numbered *entity_make(struct tracks *tracks, const struct rst_entity *entity)
{
	struct rst_entity **entities =
		array_room(tracks->entities, tracks->n_entities, &tracks->entities_room, sizeof(*entities));
	struct numbered *numbered = entities ? arena_alloc(&tracks->arena, sizeof(*numbered)) : NULL;

	if (entities)
		tracks->entities = entities;
	if (!numbered)
		return NULL;
	numbered->entity = *entity;
	if (entity->name) {
		numbered->entity.name = arena_copy(&tracks->arena, entity->name, entity->name_bytes);
		if (!numbered->entity.name)
			return NULL;
	}
	entities[tracks->n_entities++] = &numbered->entity;
	numbered->number = (uint32_t)tracks->n_entities; /* 0 is TRACK_NO_ENTITY */
	return numbered;
}

static bool numbered_is(const struct numbered *numbered, const struct rst_entity *entity, uint32_t source)
{
	return numbered->source == source && entity_is(&numbered->entity, entity);
}

/* Returns NULL if memory ran out. */
static struct numbered *entity_reach(struct tracks *tracks, const struct rst_entity *entity, uint32_t source)
{
	if (!tracks->factor)
		tracks->factor = map_factor();

	const uint64_t key = entity_key(tracks, entity, source);
	struct numbered *const first = map_find(&tracks->entity_numbers, key);
	struct numbered *numbered = first;

	while (numbered && !numbered_is(numbered, entity, source))
		numbered = numbered->next;
	if (numbered)
		return numbered;
	numbered = entity_make(tracks, entity);
	if (!numbered)
		return NULL;
	numbered->source = source;
	numbered->next = first;
	return map_set(&tracks->entity_numbers, key, numbered) ? numbered : NULL;
}

static size_t recent_place(uint64_t id)
{
	return id * UINT64_C(0x9e3779b97f4a7c15) >> (64 - TRACKS_RECENT_BITS);
}

bool tracks_entity_number(
	struct tracks *tracks, const struct rst_entity *entity, uint32_t source, uint32_t *ret_number)
{
	struct numbered **recent = &tracks->recent[recent_place(entity->id)];
	struct numbered *numbered = *recent;

	*ret_number = TRACK_NO_ENTITY;
	if (entity->form == RST_ENTITY_NONE)
		return true;
	if (!numbered || !numbered_is(numbered, entity, source))
		numbered = entity_reach(tracks, entity, source);
	if (!numbered)
		return false;
	*recent = numbered;
	*ret_number = numbered->number;
	return true;
}

const struct rst_entity *tracks_entity(const struct tracks *tracks, uint32_t number)
{
	return number == TRACK_NO_ENTITY ? NULL : tracks->entities[number - 1];
}

/* --- lanes ---------------------------------------------------------------------------------------------- */

/* Spans lie on the tracks of their thread, whatever their names. */
static const struct rst_entity *track_thing(const struct rst_interval *interval)
{
	return interval->kind == RST_INTERVAL_SPAN ? &interval->object : &interval->subject;
}

/* Things with the same id but different kinds may share a key; lane_is() distinguishes them. */
static uint64_t lane_key(const struct tracks *tracks, const struct rst_interval *interval, uint32_t source)
{
	const struct rst_entity *thing = track_thing(interval);
	const uint64_t kind = thing->kind ? (uint8_t)thing->kind[0] : 0;
	const uint64_t factor = tracks->factor;

	return (((thing->id * factor + thing->process) * factor + kind) * factor + interval->kind) * factor +
	       source;
}

static bool lane_is(const struct tracks *tracks, const struct track *track,
	const struct rst_interval *interval, uint32_t source)
{
	const struct rst_entity *of = tracks_entity(tracks, track->subject), *thing = track_thing(interval);

	return track->kind == interval->kind && track->source == source && of && of->id == thing->id &&
	       of->process == thing->process &&
	       (of->kind == thing->kind || (of->kind && thing->kind && strcmp(of->kind, thing->kind) == 0));
}

const struct track *tracks_find(const struct tracks *tracks, enum rst_interval_kind kind,
	const struct rst_entity *thing, uint32_t source)
{
	const struct rst_interval like = { .kind = kind, .subject = *thing, .object = *thing };
	const struct track *track = map_find(&tracks->lanes, lane_key(tracks, &like, source));

	while (track && !lane_is(tracks, track, &like, source))
		track = track->next_lane;
	return track;
}

static struct track *lane_make(
	struct tracks *tracks, const struct rst_interval *interval, uint32_t source, uint16_t number)
{
	struct track **all = array_room(tracks->all, tracks->n, &tracks->room, sizeof(*all));
	struct track *track = all ? arena_alloc(&tracks->arena, sizeof(*track)) : NULL;

	if (all)
		tracks->all = all;
	if (!track || !tracks_entity_number(tracks, track_thing(interval), source, &track->subject))
		return NULL;
	track->number = (uint32_t)tracks->n;
	track->kind = interval->kind;
	track->source = source;
	track->lane = number;
	return all[tracks->n++] = track;
}

/*
 * Finds or makes the lane of the interval: the first lane that is free at that time, for a span from the lane
 * of its depth on. Lanes of a thing are chained by their numbers. *ret_track is NULL if there are too many
 * tracks. Returns false if memory ran out.
 */
static bool lane_find(
	struct tracks *tracks, const struct rst_interval *interval, uint32_t source, struct track **ret_track)
{
	if (!tracks->factor)
		tracks->factor = map_factor();

	const uint64_t key = lane_key(tracks, interval, source);
	struct track *track = map_find(&tracks->lanes, key), *before = NULL;
	uint16_t number = interval->kind == RST_INTERVAL_SPAN ? interval->depth : 0;

	for (; track; before = track, track = track->next_lane) {
		if (track->lane < number || !lane_is(tracks, track, interval, source))
			continue;
		if (track->lane > number || track->to <= interval->from)
			break;
		number++;
	}
	*ret_track = track && track->lane == number ? track : NULL;
	if (*ret_track || tracks->n == TRACKS_MAX)
		return true;
	*ret_track = lane_make(tracks, interval, source, number);
	if (!*ret_track)
		return false;
	(*ret_track)->next_lane = track;
	if (!before)
		return map_set(&tracks->lanes, key, *ret_track);
	before->next_lane = *ret_track;
	return true;
}

/*
 * As lane_find(), but tries a recent lane first: the first lane of a thing or the lane of a span's depth,
 * which lane_find() would take as well.
 */
static bool lane_reach(
	struct tracks *tracks, const struct rst_interval *interval, uint32_t source, struct track **ret_track)
{
	const bool is_span = interval->kind == RST_INTERVAL_SPAN;
	const uint64_t id = track_thing(interval)->id;
	struct track **recent =
		&tracks->recent_lanes[recent_place(id * RST_N_INTERVAL_KINDS + interval->kind +
						   (is_span ? (uint64_t)interval->depth << 32 : 0))];

	*ret_track = *recent;
	if (*recent && lane_is(tracks, *recent, interval, source) &&
		(!is_span || (*recent)->lane == interval->depth) && (*recent)->to <= interval->from)
		return true;
	if (!lane_find(tracks, interval, source, ret_track))
		return false;
	if (*ret_track && (*ret_track)->lane == (is_span ? interval->depth : 0))
		*recent = *ret_track;
	return true;
}

/* A thing may get its name after its first interval. */
static void track_rename(struct tracks *tracks, struct track *track, const struct rst_interval *interval)
{
	const struct rst_entity *thing = track_thing(interval), *of = tracks_entity(tracks, track->subject);
	uint32_t number;

	if (of && thing->name && !of->name && tracks_entity_number(tracks, thing, track->source, &number))
		track->subject = number;
}

/* --- adding --------------------------------------------------------------------------------------------- */

static uint8_t class_of(const struct rst_interval *interval)
{
	if (interval->state == RST_N_STATES)
		return CLASS_ON;
	return (uint8_t)(interval->state == RST_STATE_WAITING ? CLASS_WAITING + interval->reason
							      : (unsigned)interval->state);
}

static bool segment_make(struct tracks *tracks, const struct rst_interval *interval, uint32_t source,
	struct segment *ret_segment)
{
	const struct rst_entity *object =
		interval->kind == RST_INTERVAL_SPAN ? &interval->subject : &interval->object;

	*ret_segment = (struct segment){ .from = interval->from,
		.to = interval->to,
		.from_seq = interval->from_seq,
		.to_seq = interval->to_seq,
		.value = interval->has_value ? interval->value : 0,
		.value_type = (uint8_t)(interval->has_value ? interval->value_type : RST_UNSIGNED),
		.core = interval->core,
		.class = class_of(interval),
		.state = (uint8_t)interval->state,
		.reason = (uint8_t)interval->reason,
		.certainty = (uint8_t)interval->certainty };
	return tracks_entity_number(tracks, object, source, &ret_segment->object) &&
	       tracks_entity_number(tracks, &interval->by, source, &ret_segment->by);
}

bool tracks_add(struct tracks *tracks, const struct rst_interval *interval, uint32_t source)
{
	struct segment segment;
	struct track *track;

	if (!lane_reach(tracks, interval, source, &track))
		return false;
	if (!track || track->to > interval->from) {
		tracks->n_left_out++;
		return true;
	}
	track_rename(tracks, track, interval);
	if (!segment_make(tracks, interval, source, &segment) ||
		!tree_add(&track->tree, &tracks->store, &segment))
		return false;
	track->to = segment.to;
	if (!tracks->has_segments || segment.from < tracks->from)
		tracks->from = segment.from;
	if (!tracks->has_segments || segment.to > tracks->to)
		tracks->to = segment.to;
	tracks->has_segments = true;
	return true;
}

void tracks_done(struct tracks *tracks)
{
	for (size_t i = 0; i < tracks->n; i++)
		tree_done(&tracks->all[i]->tree);
	free(tracks->all);
	free(tracks->entities);
	map_done(&tracks->lanes);
	map_done(&tracks->entity_numbers);
	tree_store_done(&tracks->store);
	arena_done(&tracks->arena);
}
