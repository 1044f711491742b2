/* SPDX-License-Identifier: MIT */
/*
 * The records of an analysis: one for each thread, lock, queue, … An interval or effect has the entity by
 * which a record is found. Records stay in the order of their first use. A record begins with a struct
 * subject; the rest belongs to the analysis and is zero at first.
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
	bool is_rest;	      /* it stands for all subjects beyond SUBJECTS_MAX */
	const void *source;   /* the context or object as which it was found last; NULL: neither */
	enum rst_object_kind source_kind; /* of the object: what it was taken for */
};

enum { SUBJECTS_RECENT_BITS = 5, SUBJECTS_RECENT = 1 << SUBJECTS_RECENT_BITS };

struct subjects {
	size_t record_bytes; /* set by the analysis before the first use */
	struct subject **all;
	size_t n, room;
	struct map map;
	uint64_t factor; /* map_factor(), from the first one on */
	struct arena arena;
	bool has_twins;				 /* twins have been looked for */
	struct subject *recent[SUBJECTS_RECENT]; /* found last, by a hash of the id */
};

/*
 * The record of a thing, made on first use; NULL if memory ran out. Things are the same where kind, id and
 * process are; of spans the name counts, too.
 */
void *subject_reach(struct subjects *subjects, const struct rst_entity *entity);

/* Ids are addresses at equal distances, or small numbers. */
static inline size_t subject_place(uint64_t id)
{
	return id * UINT64_C(0x9e3779b97f4a7c15) >> (64 - SUBJECTS_RECENT_BITS);
}

/* Whether the record belongs to this very entity. A different text may still be the same name. */
static inline bool subject_is(const struct subject *subject, const struct rst_entity *entity)
{
	return subject && subject->entity.id == entity->id && subject->entity.process == entity->process &&
	       subject->entity.form == entity->form && subject->entity.kind == entity->kind &&
	       subject->entity.name == entity->name;
}

/* Most lookups are for few things: the last ones are compared without a key. */
static inline void *subject_of(struct subjects *subjects, const struct rst_entity *entity)
{
	struct subject *recent = subjects->recent[subject_place(entity->id)];

	return subject_is(recent, entity) ? recent : subject_reach(subjects, entity);
}

/* The same for the thread of a context. One that was found as this context is compared by its address. */
void *subject_reach_context(struct subjects *subjects, const struct rst_context *context);

static inline void *subject_of_context(struct subjects *subjects, const struct rst_context *context)
{
	struct subject *recent = context ? subjects->recent[subject_place(context->thread->id)] : NULL;

	return recent && recent->source == context && (recent->entity.name || !context->has_name)
		       ? recent
		       : subject_reach_context(subjects, context);
}

/* The same for the object of an effect. */
void *subject_reach_ref(struct subjects *subjects, const struct rst_ref *ref);

static inline void *subject_of_ref(struct subjects *subjects, const struct rst_ref *ref)
{
	struct subject *recent = subjects->recent[subject_place(ref->id)];

	return recent && ref->object && recent->source == ref->object && recent->source_kind == ref->kind &&
			       ref->is_there && !ref->is_unknown && recent->entity.id == ref->id &&
			       recent->entity.process == ref->process &&
			       (recent->entity.name || !ref->object->name)
		       ? recent
		       : subject_reach_ref(subjects, ref);
}

/* Returns the record, or NULL without one. */
void *subject_find(const struct subjects *subjects, const struct rst_entity *entity);

static inline void *subject_known(const struct subjects *subjects, const struct rst_entity *entity)
{
	struct subject *recent = subjects->recent[subject_place(entity->id)];

	return subject_is(recent, entity) ? recent : subject_find(subjects, entity);
}

/*
 * The name of a subject, or else its number. If two subjects have the same name, the number follows the name.
 * The text lives as long as the table. Returns false if memory ran out.
 */
bool subject_name(struct subjects *subjects, const struct subject *subject, struct table *table,
	struct table_cell *ret_cell);

/* The same for an interrupt: "isr" if the recording does not have its number. */
bool interrupt_name(struct subjects *subjects, const struct subject *subject, struct table *table,
	struct table_cell *ret_cell);

/* The same for an entity without a record; RST_ENTITY_NONE gives an absent cell. */
bool entity_name(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell);

/* Its number or address, even if it has a name. */
bool entity_id(const struct rst_entity *entity, struct table *table, struct table_cell *ret_cell);

/* The process of a thing, as an entity; its form is RST_ENTITY_NONE if no process is known. */
static inline struct rst_entity entity_of_process(const struct rst_entity *entity)
{
	return (struct rst_entity){ .form = entity->process ? RST_ENTITY_NUMBER : RST_ENTITY_NONE,
		.id = entity->process,
		.is_number = true };
}

void subjects_done(struct subjects *subjects);

#endif
