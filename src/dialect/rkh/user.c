/* SPDX-License-Identifier: MIT */
/*
 * User events: their arguments are a run of elements, each a byte with its kind and then data. Each sequence
 * of elements is a shape with a type of its own, whose fields are data1, data2, … If only the last element
 * varies in length, fields lie where the elements were recorded; else the elements are put into slots in
 * front of the arguments:
 *
 *	nseq …  | slot slot …  | the arguments as recorded
 *		  number, or where in all of this a text or memory lies
 *
 * An event with more than ELEMENTS_MAX elements is shown as bytes; so are shapes beyond the limit.
 */
#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "base/load.h"
#include "dialect/rkh/rkh.h"
#include "model/field.h"

enum {
	ELEMENTS_MAX = 1024,
	FIELDS_MAX = 65536, /* of all shapes */
	KINDS = 12,
	KIND_TEXT = 7,
	KIND_MEMORY = 8,
	KIND_BITS = 4,
	KIND_MASK = 0xf
};

struct element_kind {
	enum rkh_width width;
	enum rst_field_type type;
	enum rst_object_kind object;
	bool zero_is_none;
};

/* By the low four bits of the first byte; the high ones are a width for display. */
static const struct element_kind element_kinds[KINDS] = {
	{ RKH_W_U8, RST_SIGNED, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_U8, RST_UNSIGNED, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_U16, RST_SIGNED, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_U16, RST_UNSIGNED, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_U32, RST_SIGNED, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_U32, RST_UNSIGNED, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_U32, RST_HEX, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_TEXT, RST_TEXT, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_REST, RST_BYTES, RST_OBJECT_UNKNOWN, false },
	{ RKH_W_PTR, RST_OBJECT, RST_OBJECT_UNKNOWN, true },
	{ RKH_W_FPTR, RST_OBJECT, RST_OBJECT_UNKNOWN, true },
	{ RKH_W_SIG, RST_OBJECT, RST_OBJECT_SIGNAL, false },
};

struct elements {
	unsigned n;
	bool is_moved;		     /* an element of varying length is not the last one */
	uint8_t kinds[ELEMENTS_MAX]; /* first bytes: the kind, and above it the width for display */
	uint32_t at[ELEMENTS_MAX];   /* of the data */
	uint32_t n_bytes[ELEMENTS_MAX];
	uint64_t hash;
};

struct shape {
	struct shape *next; /* of the same hash */
	const struct rkh_bound *bound;
	const struct rst_layout *layout;
	const char *said;      /* the target's name for the event at that time, or NULL */
	unsigned n_slot_bytes; /* 0 if nothing is moved */
	unsigned n;
	uint8_t kinds[];
};

static bool is_varying(uint8_t kind)
{
	return (kind & KIND_MASK) == KIND_TEXT || (kind & KIND_MASK) == KIND_MEMORY;
}

/* Finds how many bytes of data the element has, from *ret_at on. Returns false if some are missing. */
static bool element_measure(const struct rkh_layout *layout, uint8_t kind, const struct rkh_payload *payload,
	size_t *ret_at, size_t *ret_n_bytes)
{
	const uint8_t *at = payload->bytes + *ret_at, *nul;
	size_t n_left = payload->n_bytes - *ret_at;

	if (kind == KIND_TEXT) {
		nul = n_left ? memchr(at, 0, n_left) : NULL;
		*ret_n_bytes = nul ? (size_t)(nul - at) + 1 : 0;
		return nul != NULL;
	}
	if (kind == KIND_MEMORY) {
		*ret_n_bytes = n_left ? *at : 0;
		*ret_at += 1;
		return n_left > *ret_n_bytes;
	}
	*ret_n_bytes = rkh_width(layout, element_kinds[kind].width);
	return n_left >= *ret_n_bytes;
}

/*
 * Returns false if the payload is not a run of elements. Checks elements beyond ELEMENTS_MAX, but only counts
 * them.
 */
static bool elements_take(
	struct elements *elements, const struct rkh_layout *layout, const struct rkh_payload *payload)
{
	size_t at = 0, n_bytes = 0;
	bool has_varied = false;

	elements->n = 0;
	elements->is_moved = false;
	elements->hash = HASH_EMPTY;
	while (at < payload->n_bytes) {
		uint8_t first = payload->bytes[at++], kind = first & KIND_MASK;

		if (kind >= KINDS || !element_measure(layout, kind, payload, &at, &n_bytes))
			return false;
		elements->is_moved |= has_varied;
		has_varied |= is_varying(kind);
		if (elements->n < ELEMENTS_MAX) {
			elements->kinds[elements->n] = first;
			elements->at[elements->n] = (uint32_t)at;
			elements->n_bytes[elements->n] = (uint32_t)n_bytes;
		}
		elements->hash = hash_byte(elements->hash, first);
		elements->n++;
		at += n_bytes;
	}
	return true;
}

/* --- shapes --------------------------------------------------------------------------------------------- */

static void shape_field(struct rst_field *field, const struct elements *elements,
	const struct rkh_layout *layout, unsigned i, uint32_t at)
{
	const struct element_kind *kind = &element_kinds[elements->kinds[i] & KIND_MASK];
	const bool is_memory = (elements->kinds[i] & KIND_MASK) == KIND_MEMORY;
	unsigned n_bytes = rkh_width(layout, kind->width);
	enum rst_extent extent = RST_EXTENT_FIXED;

	if (is_varying(elements->kinds[i]) && elements->is_moved) {
		extent = RST_EXTENT_SPAN;
		n_bytes = FIELD_SPAN_BYTES;
	} else if (is_memory) { /* its length is in front of it */
		extent = RST_EXTENT_COUNTED;
		n_bytes = 1;
		at -= n_bytes;
	}

	*field = (struct rst_field){
		.name = field->name,
		.type = kind->type,
		.offset = at,
		.n_bytes = n_bytes,
		.extent = extent,
		.zero_is_none = kind->zero_is_none,
		.is_number = kind->object == RST_OBJECT_SIGNAL,
		.columns = elements->kinds[i] >> KIND_BITS,
		.object_kind = kind->object,
	};
}

/* Offsets are small: an element that may be long is the last one, or is moved. */
static void shape_fields(struct shape *shape, struct rst_field *fields, char (*names)[16],
	const struct elements *elements, const struct rkh_layout *layout)
{
	uint32_t n_front = shape->bound->n_front;

	for (unsigned i = 0; i < elements->n; i++) {
		uint32_t at = n_front + (elements->is_moved ? shape->n_slot_bytes : elements->at[i]);

		fields[i].name = names[i];
		shape_field(&fields[i], elements, layout, i, at);
		snprintf(names[i], sizeof(names[i]), "data%u", i + 1);
		shape->n_slot_bytes += elements->is_moved ? fields[i].n_bytes : 0U;
	}
}

/* Names the type as the target names the event, or else "RKH_TE_USER+3". */
static bool name_type(struct rkh *rkh, struct model *model, struct rst_type *type, unsigned event)
{
	char *number = arena_alloc(&model->arena, 24);
	const char *said = rkh->user_names[event];

	if (!number)
		return false;
	snprintf(number, 24, "RKH_TE_USER+%u", event);
	type->name = said ? said : number;
	type->other_name = said ? number : NULL;
	type->label = "user event";
	return true;
}

/*
 * Returns the target's present name for the event. Once the target gives it another name, the event has
 * another type.
 */
static const char *name_said(const struct rkh *rkh, const struct rkh_bound *bound)
{
	return rkh->user_names[bound->id % RKH_GROUP_EVENTS];
}

static const struct rst_layout *layout_of_bytes(struct rkh *rkh, struct model *model, struct rkh_bound *bound)
{
	struct rst_field *fields;
	struct rst_type type = { .id = rkh_id(&rkh->bound->layout, bound->id) };
	struct rst_layout layout = { .n_fields = 0 };

	if (bound->layout && (rkh->n_shapes >= RKH_SHAPES_MAX || bound->said == name_said(rkh, bound)))
		return bound->layout;
	fields = arena_alloc(&model->arena, 2 * sizeof(*fields));
	if (!fields || !name_type(rkh, model, &type, bound->id % RKH_GROUP_EVENTS))
		return NULL;
	if (bound->n_front)
		fields[layout.n_fields++] = rkh_field_nseq;
	fields[layout.n_fields++] =
		(struct rst_field){ .name = "data", .type = RST_BYTES, .offset = bound->n_front };
	layout.fields = fields;
	bound->said = name_said(rkh, bound);
	rkh->n_shapes += rkh->n_shapes < RKH_SHAPES_MAX;
	return bound->layout = model_add_layout(model, &type, &layout);
}

static struct shape *shape_new(
	struct rkh *rkh, struct model *model, const struct rkh_bound *bound, const struct elements *elements)
{
	unsigned n_front_fields = bound->n_front != 0;
	struct shape *shape = arena_alloc(&model->arena, sizeof(*shape) + elements->n);
	struct rst_field *fields = arena_alloc(&model->arena, (elements->n + 1) * sizeof(*fields));
	char(*names)[16] = arena_alloc(&model->arena, (elements->n + 1) * sizeof(*names));
	struct rst_type type = { .id = rkh_id(&rkh->bound->layout, bound->id) };
	const struct rst_layout layout = { .n_fields = n_front_fields + elements->n, .fields = fields };

	if (!shape || !fields || !names || !name_type(rkh, model, &type, bound->id % RKH_GROUP_EVENTS))
		return NULL;
	shape->bound = bound;
	shape->said = name_said(rkh, bound);
	shape->n = elements->n;
	memcpy(shape->kinds, elements->kinds, elements->n);
	fields[0] = rkh_field_nseq;
	shape_fields(shape, fields + n_front_fields, names, elements, &rkh->bound->layout);
	shape->layout = model_add_layout(model, &type, &layout);
	return shape->layout ? shape : NULL;
}

static bool shape_is(const struct rkh *rkh, const struct shape *shape, const struct rkh_bound *bound,
	const struct elements *elements)
{
	return shape->bound == bound && shape->n == elements->n &&
	       memcmp(shape->kinds, elements->kinds, elements->n) == 0 &&
	       shape->said == name_said(rkh, bound);
}

/* Returns NULL and sets *ret_is_full if there are too many shapes; NULL alone means that memory ran out. */
static const struct shape *shape_find(struct rkh *rkh, struct model *model, const struct rkh_bound *bound,
	const struct elements *elements, bool *ret_is_full)
{
	uint64_t key = elements->hash ^ (uint64_t)(uintptr_t)bound;
	struct shape *first = map_find(&rkh->shapes, key), *shape = first;

	*ret_is_full = false;
	while (shape && !shape_is(rkh, shape, bound, elements))
		shape = shape->next;
	if (shape)
		return shape;
	*ret_is_full = rkh->n_shapes >= RKH_SHAPES_MAX || rkh->n_shape_fields + elements->n > FIELDS_MAX;
	if (*ret_is_full)
		return NULL;
	shape = shape_new(rkh, model, bound, elements);
	if (!shape)
		return NULL;
	shape->next = first;
	rkh->n_shapes++;
	rkh->n_shape_fields += elements->n;
	return map_set(&rkh->shapes, key, shape) ? shape : NULL;
}

/* --- payload -------------------------------------------------------------------------------------------- */

static void put_slots(uint8_t *to, const struct shape *shape, const struct elements *elements,
	const struct rkh_payload *payload)
{
	const uint32_t n_front = shape->bound->n_front;

	memcpy(to, payload->bytes - n_front, n_front);
	to += n_front;
	for (unsigned i = 0; i < elements->n; i++) {
		if (is_varying(elements->kinds[i])) {
			field_put_span(
				to, n_front + shape->n_slot_bytes + elements->at[i], elements->n_bytes[i]);
			to += FIELD_SPAN_BYTES;
		} else {
			memcpy(to, payload->bytes + elements->at[i], elements->n_bytes[i]);
			to += elements->n_bytes[i];
		}
	}
	if (payload->n_bytes)
		memcpy(to, payload->bytes, payload->n_bytes);
}

static void take_front(struct rkh_payload *payload, const struct rkh_bound *bound)
{
	payload->bytes -= bound->n_front;
	payload->n_bytes += bound->n_front;
}

enum rkh_step rkh_user(struct rkh *rkh, struct model *model, struct batch *batch, struct rkh_bound *bound,
	struct rkh_payload *payload)
{
	struct elements elements;
	const struct shape *shape;
	bool is_full = true;
	uint8_t *moved;

	payload->layout = NULL;
	if (!elements_take(&elements, &rkh->bound->layout, payload))
		return RKH_DONE;
	shape = elements.n <= ELEMENTS_MAX ? shape_find(rkh, model, bound, &elements, &is_full) : NULL;
	payload->layout = shape ? shape->layout : is_full ? layout_of_bytes(rkh, model, bound) : NULL;
	if (!payload->layout)
		return RKH_NO_MEMORY;
	if (!shape || !elements.is_moved) {
		take_front(payload, bound);
		return RKH_DONE;
	}
	moved = batch_scratch(batch, bound->n_front + shape->n_slot_bytes + payload->n_bytes);
	if (!moved)
		return RKH_NO_ROOM;
	put_slots(moved, shape, &elements, payload);
	payload->bytes = moved;
	payload->n_bytes += bound->n_front + shape->n_slot_bytes;
	return RKH_DONE;
}
