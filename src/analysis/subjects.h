/* SPDX-License-Identifier: MIT */
/*
 * What an analysis keeps of each thread, lock, queue, …: one record for each, found by what an interval or effect calls it, and
 * kept in the order in which they were met. A record begins with a struct subject; the rest of it is the analysis's, zero at
 * first.
 *
 *	struct lock_record { struct subject subject; uint64_t n_acquired; … };
 */
#ifndef ANALYSIS_SUBJECTS_H
#define ANALYSIS_SUBJECTS_H

#include <rastrum/state.h>

#include "analysis/table/table.h"
#include "base/limit.h"
#include "base/map.h"

enum { SUBJECTS_MAX = LIMIT(262144, 16) }; /* of one analysis; those beyond share the last record */

struct subject {
	struct rst_entity entity;
	struct subject *same; /* of the same key */
	bool has_twin;	      /* another subject has the same name */
	bool is_rest;	      /* it stands for all that are beyond SUBJECTS_MAX */
};

enum { SUBJECTS_RECENT = 16 }; /* a power of two */

struct subjects {
	size_t record_bytes; /* set by the analysis before the first use */
	struct subject **all;
	size_t n, room;
	struct map map;
	uint64_t factor; /* map_factor(), from the first one on */
	struct arena arena;
	bool has_twins;				 /* twins have been looked for */
	struct subject *recent[SUBJECTS_RECENT]; /* found last, by a few bits of the id */
};

/* The record of a thing, made on first use; NULL: memory ran out. Things are the same where kind, id and process are; of
 * spans the name counts, too. */
void *subject_reach(struct subjects *subjects, const struct rst_entity *entity);

static inline struct subject **subject_recent(struct subjects *subjects, const struct rst_entity *entity)
{
	return &subjects->recent[(entity->id ^ entity->id >> 4 ^ entity->id >> 8) % SUBJECTS_RECENT];
}

/* Most lookups are of few things: those found last are compared without a key; a name that is another text may be the same. */
static inline void *subject_of(struct subjects *subjects, const struct rst_entity *entity)
{
	struct subject *recent = *subject_recent(subjects, entity);

	if (recent && recent->entity.id == entity->id && recent->entity.process == entity->process &&
		recent->entity.form == entity->form && recent->entity.kind == entity->kind &&
		recent->entity.name == entity->name)
		return recent;
	return subject_reach(subjects, entity);
}

/* The same, if there is one; else NULL. */
void *subject_find(const struct subjects *subjects, const struct rst_entity *entity);

/*
 * What a subject is called: its name, or else its number; where two have the same name, its number stands behind it. The text
 * lives as long as the table. false: memory ran out.
 */
bool subject_name(struct subjects *subjects, const struct subject *subject, struct table *table,
	struct table_cell *ret_cell);

/* The same for something that has no record here; an entity that is none gives an absent cell. */
bool entity_name(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell);

/* Its number or address, whatever it is called. */
bool entity_id(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell);

/* The process of a thing, as an entity of its own; of no form where none is known. */
static inline struct rst_entity entity_of_process(const struct rst_entity *entity)
{
	return (struct rst_entity){ .form = entity->process ? RST_ENTITY_NUMBER : RST_ENTITY_NONE,
		.id = entity->process,
		.is_number = true };
}

void subjects_done(struct subjects *subjects);

#endif
