/* SPDX-License-Identifier: MIT */
#include "dialect/rkh/rkh.h"

#include <stdio.h>
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

/* rkhtrc_record.h: the kinds of action in RKH_TR_SM_EXE_ACT. */
static const struct rst_constant action_kind_rows[] = { { 0, "effect" }, { 1, "entry" }, { 2, "exit" },
	{ 3, "init" }, { 4, "preprocessor" }, { 5, "guard" } };
static const struct rst_constants action_kind = { "action_kind", N_ROWS(action_kind_rows), action_kind_rows };

static const struct rst_constant group_rows[] = { { RKH_MP, "MP" }, { RKH_QUE, "QUE" }, { RKH_SMA, "SMA" },
	{ RKH_SM, "SM" }, { RKH_TMR, "TMR" }, { RKH_FWK, "FWK" }, { RKH_USR, "USR" }, { RKH_UT, "UT" } };
static const struct rst_constants groups = { "group", N_ROWS(group_rows), group_rows };

const struct rst_constants rkh_pools_from_1 = { "event_pool", 0, NULL };
const struct rst_constants rkh_event_names = { "event", 0, NULL };

/* The vocabulary of the table, see event_table.h and events.def. */
#define ARG(name, width, type, kind, constants) \
	{ #name, RKH_W_##width, RST_##type, RST_OBJECT_##kind, constants },
#define OBJECT(name)	      ARG(name, PTR, OBJECT, UNKNOWN, NULL)
#define FUNCTION(name)	      ARG(name, FPTR, OBJECT, UNKNOWN, NULL)
#define SENDER(name)	      ARG(name, SENDER, OBJECT, UNKNOWN, NULL)
#define ADDRESS(name)	      ARG(name, PTR, ADDRESS, UNKNOWN, NULL)
#define SIGNAL(name)	      ARG(name, SIG, OBJECT, SIGNAL, NULL)
#define SIGNAL_NUMBER(name)   ARG(name, SIG, UNSIGNED, UNKNOWN, NULL)
#define POOL1(name)	      ARG(name, U8, ENUM, UNKNOWN, &rkh_pools_from_1)
#define POOL0(name)	      ARG(name, U8, OBJECT, EVENT_POOL, NULL)
#define ENUM(name, constants) ARG(name, U8, ENUM, UNKNOWN, &constants)
#define U8(name)	      ARG(name, U8, UNSIGNED, UNKNOWN, NULL)
#define U16(name)	      ARG(name, U16, UNSIGNED, UNKNOWN, NULL)
#define U32(name)	      ARG(name, U32, UNSIGNED, UNKNOWN, NULL)
#define HEX16(name)	      ARG(name, U16, HEX, UNKNOWN, NULL)
#define HEX32(name)	      ARG(name, U32, HEX, UNKNOWN, NULL)
#define TE(name)	      ARG(name, TE, UNSIGNED, UNKNOWN, NULL)
#define EVENT_ID(name)	      ARG(name, TE, ENUM, UNKNOWN, &rkh_event_names)
#define EVENT_ID8(name)	      ARG(name, U8, ENUM, UNKNOWN, &rkh_event_names)
#define ESIZE(name)	      ARG(name, ESIZE, UNSIGNED, UNKNOWN, NULL)
#define TIMER_OF(of)	      .object = of, .object_kind = RST_OBJECT_TIMER
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
#define EVENT(group, event, since, before, constant, label, fields, effects, actor, meaning) \
	{ RKH_##group, event, since, before, #constant, label, fields, effects, actor, RKH_##meaning },

/* Effects: operands, objects, and what many events have. */
#define F1			 ARGUMENT(1)
#define F2			 ARGUMENT(2)
#define F3			 ARGUMENT(3)
#define F4			 ARGUMENT(4)
#define F5			 ARGUMENT(5)
#define F6			 ARGUMENT(6)
#define POOL(of)		 .object = of, .object_kind = RST_OBJECT_BLOCK_POOL
#define QUEUE(of)		 .object = of, .object_kind = RST_OBJECT_QUEUE
#define ACTIVE(of)		 .object = of, .object_kind = RST_OBJECT_ACTIVE_OBJECT
#define EVENT_POOL(of)		 .object = of, .object_kind = RST_OBJECT_EVENT_POOL
#define COUNT(n)		 .amount = CONSTANT(n), .unit = RST_UNIT_COUNT
#define USED_NOW(object_, level) E(LEVEL, object_, .value = level, .unit = RST_UNIT_COUNT)
#define FREE_NOW(object_, level) E(LEVEL, object_, .value = level, .unit = RST_UNIT_COUNT, .is_free = true)
#define IS_IN_STATE(ao, state)	 E(STATE, .phase = RST_IS_IN, ACTIVE(ao), .other = state)
#define LEAVES_STATE(ao)	 E(STATE, .phase = RST_LEAVES, ACTIVE(ao))
/*
 * An active object handles one signal at a time. Filters may hide the dispatch, and the end of the work
 * before it.
 */
#define END_OF_WORK		 E(END, .thread = BY_SELF, .is_any = true)
#define MACHINE_FAILS		 E(ERROR, .thread = BY_SELF)
/* Which signals they are, the events tell: a machine that drops many is one finding. */
#define SIGNAL_DROPPED                                    \
	E(ERROR, .phase = RST_GAVE_UP, .thread = BY_SELF, \
		.name = "signal dropped, no transition in its state")

enum { OWNER = -2 };
enum { A1, A2, A3, A4, A5, A6, A7 };
enum { ANY = 0, EVER = 0xffff };

static const struct rkh_event events[] = {
#include "dialect/rkh/events.def"
};

/* The row of all user events; its type does not distinguish their elements. */
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
		[RKH_W_HIGH] = 0, /* the low half counts the byte */
		[RKH_W_LOW] = 1,
	};

	return width < RKH_N_WIDTHS ? widths[width] : 0;
}

const struct rkh_event *rkh_event_find(uint16_t version, unsigned id)
{
	if (id / RKH_GROUP_EVENTS == RKH_USR)
		return &user_event;
	for (size_t i = 0; i < N_ROWS(events); i++)
		if (events[i].group * (unsigned)RKH_GROUP_EVENTS + events[i].event == id &&
			version >= events[i].since && version < events[i].before)
			return &events[i];
	return NULL;
}

/* --- lengths -------------------------------------------------------------------------------------------- */

static uint8_t tail_of(enum rkh_width width, bool is_first)
{
	static const uint8_t tails[] = { [RKH_W_TEXT] = RKH_TAIL_TEXT,
		[RKH_W_REST] = RKH_TAIL_REST,
		[RKH_W_ELEMENTS] = RKH_TAIL_ELEMENTS };

	return width == RKH_W_TEXT && is_first ? (uint8_t)RKH_TAIL_TEXT_FIRST : tails[width];
}

void rkh_event_bind(struct rkh_bound *bound, const struct rkh_layout *layout, unsigned id)
{
	const struct rkh_event *event = rkh_event_find(layout->version, id);

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

/* --- layouts -------------------------------------------------------------------------------------------- */

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
		return !is_first || model_warn(model,
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

/* --- the catalogue -------------------------------------------------------------------------------------- */

static bool is_listed_before(size_t row)
{
	for (size_t i = 0; i < row; i++)
		if (strcmp(events[i].constant, events[row].constant) == 0)
			return true;
	return false;
}

static bool catalogue_add(struct model *model, const struct rkh_event *event, const struct rkh_layout *layout)
{
	struct rkh_bound bound = { 0 };
	struct rkh_layout as_then = *layout;

	if (event->since >= RKH_2_3 || event->before <= RKH_3)
		as_then.version = event->since ? event->since : RKH_2_3;
	rkh_event_bind(&bound, &as_then, event->group * (unsigned)RKH_GROUP_EVENTS + event->event);
	return rkh_event_layout(NULL, model, &bound, &as_then) != NULL;
}

/*
 * Only the target's program defines the elements of a user event. The catalogue has some numbers, so that
 * templates with their names can be checked.
 */
static bool catalogue_add_user(struct model *model)
{
	enum { ELEMENTS = 16, SHOWN = 2, NUMBER_BYTES = 4 };
	struct rst_field *fields = arena_alloc(&model->arena, (1 + ELEMENTS) * sizeof(*fields));
	char(*names)[8] = arena_alloc(&model->arena, ELEMENTS * sizeof(*names));

	if (!fields || !names)
		return false;
	fields[0] = rkh_field_nseq;
	for (unsigned i = 0; i < ELEMENTS; i++) {
		snprintf(names[i], sizeof(names[i]), "data%u", i + 1);
		fields[1 + i] = (struct rst_field){ .name = names[i],
			.type = RST_UNSIGNED,
			.offset = (uint32_t)(1 + NUMBER_BYTES * (1 + i)),
			.n_bytes = NUMBER_BYTES,
			.is_aside = i >= SHOWN };
	}
	return model_add_layout(model,
		&(struct rst_type){
			.id = RKH_USR * RKH_GROUP_EVENTS, .name = "RKH_TE_USER+0", .label = "user event" },
		&(struct rst_layout){ .n_fields = 1 + ELEMENTS, .fields = fields });
}

/* The layout has every argument that a build of the target can record. */
bool rkh_catalogue(struct model *model)
{
	struct rkh_layout layout = rkh_default_layout;
	bool is_good = true;

	layout.has_sender = layout.has_queue_low = layout.has_pool_low = 1;
	for (size_t i = 0; i < N_ROWS(events) && is_good; i++)
		is_good = is_listed_before(i) || catalogue_add(model, &events[i], &layout);
	return is_good && catalogue_add_user(model);
}
