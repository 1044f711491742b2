/* SPDX-License-Identifier: MIT */
#include "dialect/rkh/rkh.h"

#include <string.h>

#include "dialect/event_table.h"

const struct rkh_layout rkh_default_layout = {
	.version = RKH_3_4,
	.te = 1,
	.has_seq = 1,
	.has_stamp = 1,
	.has_checksum = 1,
	.stamp = 4,
	.ptr = 4,
	.fptr = 4,
	.sig = 1,
	.esize = 2,
	.ntick = 2,
	.nblk = 1,
	.bsize = 1,
	.ne = 1,
};

/* rkhtrc_record.h: what kind of action RKH_TR_SM_EXE_ACT tells of. */
static const struct rst_constant action_kind_rows[] = { { 0, "effect" }, { 1, "entry" }, { 2, "exit" },
	{ 3, "init" }, { 4, "preprocessor" }, { 5, "guard" } };
static const struct rst_constants action_kind = { "action_kind", N_ROWS(action_kind_rows), action_kind_rows };

/* Stands in the table for the names of pools, which each trace has its own. */
static const struct rst_constants pools_from_1 = { "event_pool", 0, NULL };

/* The vocabulary of the table, see event_table.h and events.def. */
#define ARG(name, width, type, kind, constants) \
	{ #name, RKH_W_##width, RST_##type, RST_OBJECT_##kind, constants },
#define OBJECT(name)	      ARG(name, PTR, OBJECT, UNKNOWN, NULL)
#define FUNCTION(name)	      ARG(name, FPTR, OBJECT, UNKNOWN, NULL)
#define SENDER(name)	      ARG(name, SENDER, OBJECT, UNKNOWN, NULL)
#define ADDRESS(name)	      ARG(name, PTR, ADDRESS, UNKNOWN, NULL)
#define SIGNAL(name)	      ARG(name, SIG, OBJECT, SIGNAL, NULL)
#define SIGNAL_NUMBER(name)   ARG(name, SIG, UNSIGNED, UNKNOWN, NULL)
#define POOL1(name)	      ARG(name, U8, ENUM, UNKNOWN, &pools_from_1)
#define POOL0(name)	      ARG(name, U8, OBJECT, EVENT_POOL, NULL)
#define ENUM(name, constants) ARG(name, U8, ENUM, UNKNOWN, &constants)
#define U8(name)	      ARG(name, U8, UNSIGNED, UNKNOWN, NULL)
#define U16(name)	      ARG(name, U16, UNSIGNED, UNKNOWN, NULL)
#define U32(name)	      ARG(name, U32, UNSIGNED, UNKNOWN, NULL)
#define HEX16(name)	      ARG(name, U16, HEX, UNKNOWN, NULL)
#define HEX32(name)	      ARG(name, U32, HEX, UNKNOWN, NULL)
#define TE(name)	      ARG(name, TE, UNSIGNED, UNKNOWN, NULL)
#define ESIZE(name)	      ARG(name, ESIZE, UNSIGNED, UNKNOWN, NULL)
#define NTICK(name)	      ARG(name, NTICK, UNSIGNED, UNKNOWN, NULL)
#define NBLK(name)	      ARG(name, NBLK, UNSIGNED, UNKNOWN, NULL)
#define POOL_LOW(name)	      ARG(name, POOL_LOW, UNSIGNED, UNKNOWN, NULL)
#define BSIZE(name)	      ARG(name, BSIZE, UNSIGNED, UNKNOWN, NULL)
#define NE(name)	      ARG(name, NE, UNSIGNED, UNKNOWN, NULL)
#define QUEUE_LOW(name)	      ARG(name, QUEUE_LOW, UNSIGNED, UNKNOWN, NULL)
#define LOW_HALF(name)	      ARG(name, LOW, UNSIGNED, UNKNOWN, NULL)
#define HALVES(high, low)     ARG(high, HIGH, UNSIGNED, UNKNOWN, NULL) LOW_HALF(low)
#define WIDTHS \
	HALVES(sizeofSig, sizeofTStamp) HALVES(sizeofPtr, sizeofNTimer) HALVES(sizeofNBlock, sizeofNElem)
#define TEXT(name) ARG(name, TEXT, TEXT, UNKNOWN, NULL)
#define REST(name) ARG(name, REST, BYTES, UNKNOWN, NULL)
#define NONE	   { NULL, RKH_W_U8, RST_UNSIGNED, RST_OBJECT_UNKNOWN, NULL },
#define EVENT(group, event, since, before, constant, label, fields, roles, actor, meaning) \
	{ RKH_##group, event, since, before, #constant, label, fields, roles, actor, RKH_##meaning },
enum { OWNER = -2 };
enum { A1, A2, A3, A4, A5, A6, A7 };
enum { ANY = 0, EVER = 0xffff };

static const struct rkh_event events[] = {
#include "dialect/rkh/events.def"
};

/* What user events are when their elements are not told apart. */
static const struct rkh_event user_event = { .group = RKH_USR,
	.constant = "RKH_TE_USER",
	.label = "user event",
	.args = { { "data", RKH_W_ELEMENTS, RST_BYTES, RST_OBJECT_UNKNOWN, NULL } },
	.actor = -1 };

unsigned rkh_width(const struct rkh_layout *layout, enum rkh_width width)
{
	const unsigned widths[RKH_N_WIDTHS] = {
		[RKH_W_U8] = 1,
		[RKH_W_U16] = 2,
		[RKH_W_U32] = 4,
		[RKH_W_TE] = layout->te,
		[RKH_W_PTR] = layout->ptr,
		[RKH_W_FPTR] = layout->fptr,
		[RKH_W_SENDER] = layout->has_sender ? layout->ptr : 0U,
		[RKH_W_SIG] = layout->sig,
		[RKH_W_ESIZE] = layout->esize,
		[RKH_W_NTICK] = layout->ntick,
		[RKH_W_NBLK] = layout->nblk,
		[RKH_W_POOL_LOW] = layout->has_pool_low ? layout->nblk : 0U,
		[RKH_W_BSIZE] = layout->bsize,
		[RKH_W_NE] = layout->ne,
		[RKH_W_QUEUE_LOW] = layout->has_queue_low ? layout->ne : 0U,
		[RKH_W_HIGH] = 0, /* the byte is its low half's */
		[RKH_W_LOW] = 1,
	};

	return width < RKH_N_WIDTHS ? widths[width] : 0;
}

static const struct rkh_event *event_find(uint16_t version, unsigned id)
{
	if (id / RKH_GROUP_EVENTS == RKH_USR)
		return &user_event;
	for (size_t i = 0; i < N_ROWS(events); i++)
		if (events[i].group * (unsigned)RKH_GROUP_EVENTS + events[i].event == id &&
			version >= events[i].since && version < events[i].before)
			return &events[i];
	return NULL;
}

/* --- lengths ---------------------------------------------------------------------------------------------------- */

static uint8_t tail_of(enum rkh_width width, bool is_first)
{
	static const uint8_t tails[] = { [RKH_W_TEXT] = RKH_TAIL_TEXT,
		[RKH_W_REST] = RKH_TAIL_REST,
		[RKH_W_ELEMENTS] = RKH_TAIL_ELEMENTS };

	return width == RKH_W_TEXT && is_first ? (uint8_t)RKH_TAIL_TEXT_FIRST : tails[width];
}

void rkh_event_bind(struct rkh_bound *bound, const struct rkh_layout *layout, unsigned id)
{
	const struct rkh_event *event = event_find(layout->version, id);

	*bound = (struct rkh_bound){ .event = event,
		.state = event ? RKH_KNOWN : RKH_UNKNOWN,
		.actor_at = RKH_NO_ACTOR,
		.id = (uint8_t)id };
	if (!event)
		return;
	bound->meaning = event->meaning;
	bound->has_owner = event->actor == OWNER;
	/* Since 2.4.4 the announcement has neither a sequence number nor a time stamp. */
	if (layout->has_seq && !(event->meaning == RKH_CONFIG && layout->version >= RKH_2_4_4))
		bound->n_front = (uint8_t)(1 + (layout->has_stamp ? layout->stamp : 0));
	for (int i = 0; event->args[i].name; i++) {
		unsigned n_bytes = rkh_width(layout, event->args[i].width);

		if (event->args[i].width >= RKH_N_WIDTHS) {
			bound->tail = tail_of(event->args[i].width, i == 0 && event->args[1].name);
			continue;
		}
		if (i == (event->actor == OWNER ? 0 : event->actor) && n_bytes)
			bound->actor_at = (uint8_t)bound->n_fixed;
		bound->key_at = (uint8_t)bound->n_fixed;
		bound->key_bytes = (uint8_t)n_bytes;
		bound->n_fixed = (uint16_t)(bound->n_fixed + n_bytes);
	}
}

/* --- types ------------------------------------------------------------------------------------------------------ */

/* A text in front of numbers has no place of its own: decode.c puts a span there, and the bytes behind everything. */
enum { SPAN_BYTES = 8 };

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

/* Bytes of an argument in the payload: what is spread or moved has other ones than in the frame. */
static unsigned width_in_payload(
	const struct rkh_bound *bound, const struct rkh_layout *layout, const struct rkh_arg *arg)
{
	if (arg->width == RKH_W_HIGH)
		return 1;
	if (bound->tail == RKH_TAIL_TEXT_FIRST && arg->width == RKH_W_TEXT)
		return SPAN_BYTES;
	return rkh_width(layout, arg->width);
}

static unsigned bind_fields(struct rst_field *fields, int8_t *field_of, const struct rkh_bound *bound,
	const struct rkh_layout *layout, const struct rst_constants *pools)
{
	unsigned n = 0, at = bound->n_front;

	if (bound->n_front)
		fields[n++] = rkh_field_nseq;
	for (unsigned i = 0; bound->event->args[i].name; i++) {
		const struct rkh_arg *arg = &bound->event->args[i];
		bool is_span = bound->tail == RKH_TAIL_TEXT_FIRST && i == 0;
		unsigned n_bytes = width_in_payload(bound, layout, arg);

		field_of[i] = RST_NO_FIELD;
		if (n_bytes == 0 && arg->width < RKH_N_WIDTHS)
			continue;
		field_of[i] = (int8_t)n;
		fields[n++] = (struct rst_field){
			.name = arg->name,
			.type = arg->type,
			.offset = (uint16_t)at,
			.n_bytes = (uint16_t)n_bytes,
			.zero_is_none = arg->type == RST_OBJECT && arg->kind == RST_OBJECT_UNKNOWN,
			.is_number = arg->type == RST_OBJECT && arg->kind >= RST_OBJECT_SIGNAL,
			.is_span = is_span,
			.object_kind = arg->kind,
			.constants = arg->constants == &pools_from_1 ? pools : arg->constants,
		};
		at += n_bytes;
	}
	return n;
}

const struct rst_type *rkh_event_type(struct model *model, struct rkh_bound *bound,
	const struct rkh_layout *layout, const struct rst_constants *pools)
{
	struct rst_field *fields = arena_alloc(&model->arena, RKH_FIELDS * sizeof(*fields));
	struct rst_role *roles = arena_alloc(&model->arena, RKH_ROLES * sizeof(*roles));
	int8_t field_of[RKH_ARGS];

	if (!fields || !roles)
		return NULL;
	unsigned n_fields = bind_fields(fields, field_of, bound, layout, pools);

	bound->type = model_add_type(
		model, &(struct rst_type){
			       .id = rkh_id(layout, bound->id),
			       .name = bound->event->constant,
			       .label = bound->event->label,
			       .n_fields = n_fields,
			       .fields = fields,
			       .n_roles = model_bind_roles(roles, bound->event->roles, RKH_ROLES, field_of),
			       .roles = roles,
		       });
	return bound->type;
}

void rkh_bindings_init(struct rkh_bindings *bindings, const struct rkh_layout *layout)
{
	bindings->layout = *layout;
	bindings->n_stamp = layout->has_stamp ? layout->stamp : 0;
	bindings->n_head = (size_t)layout->te + layout->has_seq + bindings->n_stamp;
	bindings->n_ends = bindings->n_head + layout->has_checksum;
}

bool rkh_bind_layout(struct rkh *rkh, struct model *model, const struct rkh_layout *layout)
{
	struct rkh_bindings *bindings;

	for (size_t i = 0; i < rkh->n_bindings; i++) {
		if (memcmp(&rkh->bindings[i]->layout, layout, sizeof(*layout)) != 0)
			continue;
		rkh->bound = rkh->bindings[i];
		return true;
	}
	if (rkh->n_bindings == RKH_LAYOUTS_MAX) {
		bool is_first = !rkh->has_passed_layout;

		rkh->has_passed_layout = true;
		return !is_first || model_note(model,
					    "the target announced more than %d configurations; further "
					    "ones are not followed",
					    RKH_LAYOUTS_MAX);
	}
	bindings = arena_alloc(&model->arena, sizeof(*bindings));
	if (!bindings)
		return false;
	rkh_bindings_init(bindings, layout);
	rkh->bindings[rkh->n_bindings++] = rkh->bound = bindings;
	return true;
}

/* --- the catalogue ---------------------------------------------------------------------------------------------- */

static bool is_listed_before(size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (strcmp(events[i].constant, events[row].constant) == 0)
			return true;
	return false;
}

static bool catalogue_add(struct model *model, const struct rkh_event *event, const struct rkh_layout *layout)
{
	static const struct rst_constant rows[] = { { 0, "none" } };
	static const struct rst_constants pools = { "event_pool", N_ROWS(rows), rows };
	struct rkh_bound bound = { 0 };
	struct rkh_layout as_then = *layout;

	if (event->since >= RKH_2_3 || event->before <= RKH_3)
		as_then.version = event->since ? event->since : RKH_2_3;
	rkh_event_bind(&bound, &as_then, event->group * (unsigned)RKH_GROUP_EVENTS + event->event);
	return rkh_event_type(model, &bound, &as_then, &pools) != NULL;
}

/* With every argument that a target may be built to record. */
bool rkh_catalogue(struct model *model)
{
	struct rkh_layout layout = rkh_default_layout;
	static const struct rst_field data = { .name = "data", .type = RST_BYTES };
	bool is_good = true;

	layout.has_sender = layout.has_queue_low = layout.has_pool_low = 1;
	for (size_t i = 0; i < N_ROWS(events) && is_good; i++)
		is_good = is_listed_before(i) || catalogue_add(model, &events[i], &layout);
	return is_good && model_add_type(model, &(struct rst_type){ .id = RKH_USR * RKH_GROUP_EVENTS,
							.name = "RKH_TE_USER+0",
							.label = "user event",
							.n_fields = 1,
							.fields = &data });
}
