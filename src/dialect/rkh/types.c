/* SPDX-License-Identifier: MIT */
/*
 * Makes an event type of a trace from a row of the table: its arguments become fields, at the offsets of the
 * target's layout. User events have their types in user.c.
 */
#include <string.h>

#include "dialect/rkh/rkh.h"
#include "model/effect.h"
#include "model/field.h"

/* --- the payload ---------------------------------------------------------------------------------------- */

const struct rst_field rkh_field_nseq = {
	.name = "nseq", .type = RST_UNSIGNED, .n_bytes = 1, .is_aside = true
};

size_t rkh_spread(
	uint8_t *to, const struct rkh_event *event, const struct rkh_layout *layout, const uint8_t *args)
{
	uint8_t *at = to;

	for (unsigned i = 0; event->args[i].name; i++) {
		unsigned n_bytes = rkh_width(layout, event->args[i].width);

		if (event->args[i].width == RKH_W_HIGH)
			*at++ = *args >> 4;
		else if (event->args[i].width == RKH_W_LOW)
			*at++ = *args++ & 0xf;
		else
			at = (uint8_t *)memcpy(at, args, n_bytes) + n_bytes, args += n_bytes;
	}
	return (size_t)(at - to);
}

/* Bytes of an argument in the payload; an argument that is spread or moved has another size in the frame. */
static unsigned width_in_payload(
	const struct rkh_bound *bound, const struct rkh_layout *layout, const struct rkh_arg *arg)
{
	if (arg->width == RKH_W_HIGH)
		return 1;
	if (bound->tail == RKH_TAIL_TEXT_FIRST && arg->width == RKH_W_TEXT)
		return FIELD_SPAN_BYTES; /* it has no fixed place: moved.c */
	return rkh_width(layout, arg->width);
}

/* --- names ---------------------------------------------------------------------------------------------- */

/*
 * Returns names for the numbers of all events of a layout; unknown numbers have no name. Returns NULL if
 * memory ran out.
 */
static const struct rst_constants *names_of_events(
	const struct rkh *rkh, struct model *model, const struct rkh_layout *layout)
{
	struct rst_constants *names = arena_alloc(&model->arena, sizeof(*names));
	struct rst_constant *rows = arena_alloc(&model->arena, RKH_IDS * sizeof(*rows));

	if (!names || !rows)
		return NULL;
	for (unsigned id = 0; id < RKH_IDS; id++) {
		const struct rkh_event *event = rkh_event_find(layout->version, id);
		bool is_user = id / RKH_GROUP_EVENTS == RKH_USR;
		const char *name = is_user ? rkh->user_names[id % RKH_GROUP_EVENTS] : NULL;

		if (!name && event && !is_user)
			name = event->constant;
		rows[id] = (struct rst_constant){ rkh_id(layout, id), name };
	}
	*names = (struct rst_constants){ "event", RKH_IDS, rows };
	return names;
}

/* Finds the names of an argument's numbers in this trace. Returns false if memory ran out. */
static bool find_names(const struct rkh *rkh, struct model *model, const struct rkh_layout *layout,
	const struct rkh_arg *arg, const struct rst_constants **ret_names)
{
	*ret_names = arg->constants;
	if (rkh && arg->constants == &rkh_pools_from_1)
		*ret_names = &rkh->pools;
	else if (rkh && arg->constants == &rkh_event_names)
		*ret_names = rkh_width(layout, arg->width) == layout->te ? names_of_events(rkh, model, layout)
									 : arg->constants;
	return *ret_names || !arg->constants;
}

/* --- fields --------------------------------------------------------------------------------------------- */

struct fields {
	struct rst_field *fields;
	unsigned n, at;	  /* number of fields, and the next one's offset in the payload */
	int8_t *field_of; /* by argument */
};

static bool bind_fields(const struct rkh *rkh, struct model *model, struct fields *to,
	const struct rkh_bound *bound, const struct rkh_layout *layout)
{
	for (unsigned i = 0; bound->event->args[i].name; i++) {
		const struct rkh_arg *arg = &bound->event->args[i];
		unsigned n_bytes = width_in_payload(bound, layout, arg);
		const struct rst_constants *names;

		to->field_of[i] = RST_NO_FIELD;
		if (n_bytes == 0 && arg->width < RKH_N_WIDTHS)
			continue;
		if (!find_names(rkh, model, layout, arg, &names))
			return false;
		to->field_of[i] = (int8_t)to->n;
		to->fields[to->n++] = (struct rst_field){
			.name = arg->name,
			.type = arg->type,
			.offset = to->at,
			.n_bytes = n_bytes,
			.zero_is_none = arg->type == RST_OBJECT && arg->kind == RST_OBJECT_UNKNOWN,
			.is_number = arg->type == RST_OBJECT && arg->kind >= RST_OBJECT_SIGNAL,
			.extent = bound->tail == RKH_TAIL_TEXT_FIRST && i == 0 ? RST_EXTENT_SPAN
									       : RST_EXTENT_FIXED,
			.object_kind = arg->kind,
			.constants = names,
			.has_names = arg->constants == &rkh_pools_from_1,
		};
		to->at += n_bytes;
	}
	return true;
}

static bool begin_fields(struct fields *fields, struct model *model, const struct rkh_bound *bound)
{
	*fields = (struct fields){
		.fields = arena_alloc(&model->arena, 2 * RKH_FIELDS * sizeof(*fields->fields)),
		.field_of = arena_alloc(&model->arena, RKH_ARGS),
		.at = bound->n_front,
	};
	if (!fields->fields || !fields->field_of)
		return false;
	if (bound->n_front)
		fields->fields[fields->n++] = rkh_field_nseq;
	return true;
}

static const struct rst_layout *add_layout(struct model *model, const struct rkh_bound *bound,
	const struct rkh_layout *layout, const struct fields *fields)
{
	const struct rst_type type = {
		.id = rkh_id(layout, bound->id), .name = bound->event->constant, .label = bound->event->label
	};
	struct rst_layout own = { .n_fields = fields->n, .fields = fields->fields };

	if (!effects_give(&own, model, bound->event->effects, fields->field_of))
		return NULL;
	return model_add_layout(model, &type, &own);
}

/* --- layouts -------------------------------------------------------------------------------------------- */

const struct rst_layout *rkh_event_layout(
	const struct rkh *rkh, struct model *model, struct rkh_bound *bound, const struct rkh_layout *layout)
{
	struct fields fields;

	if (!begin_fields(&fields, model, bound) || !bind_fields(rkh, model, &fields, bound, layout))
		return NULL;
	return bound->layout = add_layout(model, bound, layout, &fields);
}

const struct rst_layout *rkh_expecting_layout(
	const struct rkh *rkh, struct model *model, const struct rkh_bound *bound, struct rkh_bound *expected)
{
	const struct rkh_layout *layout = &rkh->bound->layout;
	struct fields fields;

	if (expected->expecting)
		return expected->expecting;
	if (!begin_fields(&fields, model, bound) || !bind_fields(rkh, model, &fields, bound, layout))
		return NULL;
	fields.n--; /* instead of the bytes */
	if (!bind_fields(rkh, model, &fields, expected, layout))
		return NULL;
	return expected->expecting = add_layout(model, bound, layout, &fields);
}
