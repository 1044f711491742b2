/* SPDX-License-Identifier: MIT */
/*
 * Tracks: the states of threads, cores, interrupts, locks, levels, spans and machines over time. The cost of
 * a window depends only on what it shows, whatever its width. The caller adds intervals in the order of their
 * ends, which is also the order within each track. It may query tracks before all intervals are added. tree.h
 * describes the layout of a track in memory.
 */
#ifndef TRACKS_TRACKS_H
#define TRACKS_TRACKS_H

#include <rastrum/state.h>

#include "base/arena.h"
#include "base/limit.h"
#include "base/map.h"
#include "tracks/tree.h"

enum {
	TRACKS_MAX = LIMIT(1048576, 32), /* tracks beyond that are not kept; their segments are counted */
	TRACK_NO_ENTITY = 0		 /* the number that stands for no entity */
};

struct track {
	uint32_t number;
	enum rst_interval_kind kind;
	uint32_t subject; /* number of the entity; of spans: their thread */
	uint16_t
		lane; /* where segments of one subject overlap: 0, 1, …; of spans: how many are around them */
	uint32_t source; /* number of the trace */
	uint64_t to;	 /* of the last segment */
	struct track *next_lane;
	struct tree tree; /* of spans: the objects of segments are their names */
};

enum { TRACKS_RECENT_BITS = 7 };

struct tracks {
	struct arena arena;	 /* tracks, names */
	struct tree_store store; /* segments and summaries */
	struct track **all;
	size_t n, room;
	struct map lanes; /* key of a subject to its first lane */
	struct rst_entity **entities;
	size_t n_entities, entities_room;
	struct map entity_numbers;
	struct numbered *recent[1 << TRACKS_RECENT_BITS];    /* entities found last, by a hash of the id */
	struct track *recent_lanes[1 << TRACKS_RECENT_BITS]; /* likewise, first lanes and those of spans */
	uint64_t factor;				     /* map_factor(), from the first interval on */
	bool has_segments;
	uint64_t from, to;   /* of all segments */
	uint64_t n_left_out; /* segments of tracks beyond TRACKS_MAX */
};

/* Tracks of all zeros are empty. */
void tracks_done(struct tracks *tracks);

/* Adds an interval of the trace with this number. Returns false if memory or disk ran out. */
bool tracks_add(struct tracks *tracks, const struct rst_interval *interval, uint32_t source);

/*
 * Gets the number of an entity of the trace source; TRACK_NO_ENTITY if its form is RST_ENTITY_NONE. Returns
 * false if memory ran out.
 */
bool tracks_entity_number(
	struct tracks *tracks, const struct rst_entity *entity, uint32_t source, uint32_t *ret_number);

/* The entity with this number; tracks own its name. Returns NULL for TRACK_NO_ENTITY. */
const struct rst_entity *tracks_entity(const struct tracks *tracks, uint32_t number);

/* The first lane of a thing; for spans, the thing is their thread. Returns NULL if the thing has no track. */
const struct track *tracks_find(const struct tracks *tracks, enum rst_interval_kind kind,
	const struct rst_entity *thing, uint32_t source);

#endif
