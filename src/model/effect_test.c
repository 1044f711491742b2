/* SPDX-License-Identifier: MIT */
/* Tests effects: they are bound to the fields of a layout, and read for one event. */
#include "model/effect.h"

#include <string.h>

#include "model/row.h"
#include "tests/tap.h"

enum { SELF_ID = 0x1000, OTHER_ID = 0x2000, MUTEX_ID = 0x3000 };

/* The arguments of the event: a mutex, its owner, a way of waiting. In the layout, a number precedes them. */
static const struct rst_field fields[] = {
	{ .name = "nseq", .type = RST_UNSIGNED, .offset = 0, .n_bytes = 4 },
	{ .name = "mutex", .type = RST_OBJECT, .offset = 4, .n_bytes = 4, .object_kind = RST_OBJECT_MUTEX },
	{ .name = "owner",
		.type = RST_OBJECT,
		.offset = 8,
		.n_bytes = 4,
		.object_kind = RST_OBJECT_THREAD,
		.zero_is_none = true },
	{ .name = "wait", .type = RST_UNSIGNED, .offset = 12, .n_bytes = 4 },
};
static const int8_t field_of[] = { 1, 2, 3, RST_NO_FIELD };

#define MUTEX             \
	{                 \
		.from = 1 \
	}
#define OWNER             \
	{                 \
		.from = 2 \
	}
#define WAIT              \
	{                 \
		.from = 3 \
	}
#define GONE              \
	{                 \
		.from = 4 \
	} /* the layout has no such field */
#define SELF                          \
	{                             \
		.from = RST_FROM_SELF \
	}

/* One event in a batch of its own. */
struct event {
	struct model model;
	struct batch batch;
	uint32_t payload[4];
	const struct rst_layout *layout;
	struct rst_effect effect;
	struct rst_effect_facts facts;
};

static void event_init(struct event *event)
{
	struct model *model = &event->model;

	ok(model_init(model) && batch_init(&event->batch, 0, 0), "a model and a batch can be had");
	event->layout = model_add_layout(model, &(struct rst_type){ .name = "MUTEX_GET" },
		&(struct rst_layout){ .n_fields = 4, .fields = fields });
	batch_row(&event->batch, 0,
		&(struct batch_row){
			.layout = event->layout,
			.context =
				contexts_thread(&model->contexts, &model->objects, &model->arena, SELF_ID, 0),
			.payload = (const uint8_t *)event->payload,
			.n_payload = sizeof(event->payload),
		});
	memcpy(event->payload, (const uint32_t[]){ 7, MUTEX_ID, OTHER_ID, 5 }, sizeof(event->payload));
}

static bool event_read(struct event *event, const struct rst_effect *row)
{
	return effects_bind(&event->effect, row, 1, field_of) == 1 &&
	       effect_read(&event->model, batch_close(&event->batch), 0, &event->effect, &event->facts);
}

static void check_binding(void)
{
	const struct rst_effect rows[] = {
		{ .kind = RST_EFFECT_NONE },
		{ .kind = RST_EFFECT_ACQUIRE, .object = MUTEX, .thread = SELF, .limit = GONE },
		{ .kind = RST_EFFECT_WAKE, .thread = GONE },
		{ .kind = RST_EFFECT_WAKE, .thread = OWNER, .when = { { GONE, RST_TEST_IS, 0 } } },
		{ .kind = RST_EFFECT_WAIT, .thread = OWNER },
	};
	struct rst_effect bound[5];

	ok(effects_bind(bound, rows, 5, field_of) == 2 && bound[0].kind == RST_EFFECT_ACQUIRE &&
			bound[1].kind == RST_EFFECT_WAIT,
		"an effect whose thread, object or condition the layout does not have is left out");
	ok(bound[0].object.from == 2 && bound[0].thread.from == RST_FROM_SELF &&
			bound[0].limit.from == RST_FROM_NOTHING && bound[1].thread.from == 3,
		"operands name fields of the layout; other facts without a field are absent");
}

static void check_facts(struct event *event)
{
	const struct rst_effect asks = { .kind = RST_EFFECT_ACQUIRE,
		.phase = RST_ASKS,
		.object = MUTEX,
		.other = OWNER,
		.thread = SELF,
		.limit = WAIT,
		.amount = { .from = 3, .add = -6 },
		.value = { .from = RST_FROM_CONSTANT, .add = -1 } };
	const struct rst_effect_facts *facts = &event->facts;

	ok(event_read(event, &asks) && facts->phase == RST_ASKS && facts->effect == &event->effect,
		"an effect holds where it has no condition");
	ok(facts->object.is_there && facts->object.id == MUTEX_ID && facts->object.kind == RST_OBJECT_MUTEX &&
			!facts->object.object,
		"an object without a name is known by kind and id");
	ok(facts->thread == event->batch.context[0] && facts->other.id == OTHER_ID && facts->limit == 5,
		"threads, other objects and numbers come from their fields");
	ok((int64_t)facts->amount == -1 && facts->has_value && (int64_t)facts->value == -1,
		"what is added may be negative, and a constant is a number");
	ok(!facts->has_key && !facts->has_capacity, "facts that the effect does not name are absent");
	event->payload[2] = 0;
	ok(event_read(event, &asks) && !facts->other.is_there, "a field that means none gives no object");
	event->batch.payload_bytes[0] = 12;
	ok(event_read(event, &asks) && !facts->has_limit && facts->object.is_there,
		"a fact that the payload is too short for is absent");
	event->batch.payload_bytes[0] = 6;
	ok(!event_read(event, &asks), "without its object the effect does not hold");
	event->batch.payload_bytes[0] = sizeof(event->payload);
	event->payload[2] = OTHER_ID;
}

static void check_conditions(struct event *event)
{
	const struct {
		struct rst_condition when;
		bool holds;
		const char *what;
	} rows[] = {
		{ { .of = OWNER, .test = RST_TEST_IS, .value = OTHER_ID }, true, "is" },
		{ { .of = OWNER, .test = RST_TEST_IS_NOT, .value = OTHER_ID }, false, "is not" },
		{ { .of = WAIT, .test = RST_TEST_AT_LEAST, .value = 5 }, true, "at least" },
		{ { .of = WAIT, .test = RST_TEST_BELOW, .value = 5 }, false, "below" },
		{ { .of = WAIT, .test = RST_TEST_HAS, .value = 4 }, true, "has a bit" },
		{ { .of = WAIT, .test = RST_TEST_LACKS, .value = 4 }, false, "lacks a bit" },
		{ { .of = WAIT, .test = RST_TEST_HAS_ALL, .value = 5 }, true, "has all bits" },
		{ { .of = WAIT, .test = RST_TEST_HAS_ALL, .value = 7 }, false, "has not all bits" },
		{ { .of = WAIT, .test = RST_TEST_LACKS_SOME, .value = 7 }, true, "lacks some bits" },
		{ { .of = WAIT, .test = RST_TEST_IS, .with = WAIT }, true, "is another field" },
		{ { .of = WAIT, .test = RST_TEST_HAS_ALL, .with = { 3, 2 } }, false,
			"has all bits of another field" },
		{ { .of = WAIT, .test = RST_TEST_HAS, .with = { 3, 2 } }, true,
			"has some bits of another field" },
		{ { .of = WAIT, .test = RST_TEST_LACKS, .with = { 3, 2 } }, false,
			"has no bit of another field" },
		{ { .of = WAIT, .test = RST_TEST_BELOW, .with = { 3, 1 } }, true, "is below another field" },
		{ { .of = OWNER, .test = RST_TEST_IS_SELF, .value = 0 }, false,
			"is the event's own context" },
		{ { .of = OWNER, .test = RST_TEST_IS_OTHER, .value = 0 }, true, "is another one" },
		{ { .of = { .from = RST_FROM_SELF }, .test = RST_TEST_IS, .value = SELF_ID }, true,
			"of the context itself" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct rst_effect wake = {
			.kind = RST_EFFECT_WAKE, .thread = OWNER, .when = { rows[i].when }
		};

		ok(event_read(event, &wake) == rows[i].holds, "a condition: %s", rows[i].what);
	}
	const struct rst_effect both = { .kind = RST_EFFECT_WAKE,
		.thread = OWNER,
		.when = { { .of = WAIT, .test = RST_TEST_IS, .value = 5 },
			{ .of = WAIT, .test = RST_TEST_IS, .value = 6 } } };

	ok(!event_read(event, &both), "all conditions must hold");
}

/* Ids of threads: the lower 16 bits are the thread, counted from 0; the bits above count its uses. */
static void check_same_threads(struct event *event)
{
	static const struct rst_field counted = { .name = "task",
		.type = RST_OBJECT,
		.offset = 8,
		.n_bytes = 4,
		.object_kind = RST_OBJECT_THREAD };
	static const struct rst_layout layout = { .n_fields = 1, .fields = &counted };
	const struct rst_layout *before = event->batch.layout[0];
	const struct rst_context *self = event->batch.context[0];
	struct rst_effect wake = { .kind = RST_EFFECT_WAKE, .thread = MUTEX };
	struct model *model = &event->model;
	const struct rst_batch *batch = batch_close(&event->batch);

	event->batch.layout[0] = &layout;
	model->contexts.thread_mask = 0xffff;
	event->batch.context[0] =
		contexts_thread(&model->contexts, &model->objects, &model->arena, 0x30005, 0);
	event->payload[2] = 5;
	wake.when[0] = (struct rst_condition){ .of = MUTEX, .test = RST_TEST_IS_SELF, .value = 0 };
	ok(effect_read(model, batch, 0, &wake, &event->facts) &&
			event->facts.thread->thread == event->batch.context[0],
		"a thread knows itself by another use of its id");
	wake.when[0].test = RST_TEST_IS_OTHER;
	event->payload[2] = 0;
	ok(effect_read(model, batch, 0, &wake, &event->facts) && event->facts.thread->id == 0,
		"0 is another thread where threads are counted from 0");
	event->batch.context[0] = contexts_isr(&model->contexts, &model->arena, 5);
	event->payload[2] = 5;
	wake.when[0].test = RST_TEST_IS_SELF;
	ok(!effect_read(model, batch, 0, &wake, &event->facts), "an interrupt is no thread of its number");
	model->contexts.thread_mask = 0;
	event->batch.context[0] = self;
	event->batch.layout[0] = before;
	event->payload[2] = OTHER_ID;
}

static void check_giving(struct event *event)
{
	const struct rst_effect rows[] = { { .kind = RST_EFFECT_WAKE, .thread = OWNER },
		{ .kind = RST_EFFECT_WAKE, .thread = GONE }, { .kind = RST_EFFECT_NONE } };
	const struct rst_effect none[] = { { .kind = RST_EFFECT_NONE, .name = "it only counts" } };
	struct rst_layout layout = { .n_fields = 4, .fields = fields };

	ok(effects_give(&layout, &event->model, rows, field_of) && layout.n_effects == 1 &&
			layout.effects[0].thread.from == 3 && !layout.no_effect,
		"a layout is given those effects that it has the fields of");
	layout = (struct rst_layout){ .n_fields = 4, .fields = fields };
	ok(effects_give(&layout, &event->model, none, field_of) && layout.n_effects == 0, "or none");
	is_text(layout.no_effect, "it only counts", "and then the reason");
	layout = (struct rst_layout){ .n_fields = 4, .fields = fields };
	ok(effects_give(&layout, &event->model, NULL, field_of) && !layout.n_effects && !layout.no_effect,
		"an event of which nothing is known has neither");
}

/* Numbers of all widths and orders, as the value of a level. */
static void check_numbers(struct event *event)
{
	static const struct {
		struct rst_field field;
		uint64_t value;
		const char *what;
	} rows[] = {
		{ { .type = RST_UNSIGNED, .n_bytes = 4 }, 0x84838281, "4 bytes" },
		{ { .type = RST_UNSIGNED, .n_bytes = 4, .is_big_endian = true }, 0x81828384,
			"4 bytes, the highest first" },
		{ { .type = RST_UNSIGNED, .offset = 1, .n_bytes = 1 }, 0x82, "a byte" },
		{ { .type = RST_UNSIGNED, .n_bytes = 2, .is_big_endian = true }, 0x8182,
			"2 bytes, the higher first" },
		{ { .type = RST_UNSIGNED, .n_bytes = 3 }, 0x838281, "3 bytes" },
		{ { .type = RST_UNSIGNED, .n_bytes = 8 }, 0x8887868584838281, "8 bytes" },
		{ { .type = RST_SIGNED, .n_bytes = 1 }, (uint64_t)-127, "a byte with a sign" },
		{ { .type = RST_UNSIGNED, .n_bytes = 2, .shift = 4, .n_bits = 8 }, 0x28, "a bit field" },
		{ { .type = RST_TEXT, .n_bytes = 16 }, 0, "text is no number" },
	};
	static const uint8_t bytes[8] = { 0x81, 0x82, 0x83, 0x84, 0x85, 0x86, 0x87, 0x88 };
	static const struct rst_effect level = { .kind = RST_EFFECT_LEVEL, .value = { .from = 1 } };
	const struct rst_layout *before = event->batch.layout[0];
	const struct rst_batch *batch = batch_close(&event->batch);

	memcpy(event->payload, bytes, sizeof(bytes));
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		event->batch.layout[0] = model_add_layout(&event->model,
			&(struct rst_type){ .name = "LEVEL" },
			&(struct rst_layout){
				.n_fields = 1, .fields = &rows[i].field, .n_effects = 1, .effects = &level });
		ok(effect_read(&event->model, batch, 0, &level, &event->facts) &&
				event->facts.value == rows[i].value,
			"a number: %s", rows[i].what);
	}
	memcpy(event->payload, (const uint32_t[]){ 7, MUTEX_ID, OTHER_ID, 5 }, sizeof(event->payload));
	event->batch.layout[0] = before;
}

static void check_real(struct event *event)
{
	static const struct rst_field real = { .type = RST_REAL, .n_bytes = 4 };
	static const struct rst_effect level = { .kind = RST_EFFECT_LEVEL, .value = { .from = 1 } };
	const struct rst_layout *before = event->batch.layout[0];
	const float number = -0.1F;
	const double wide = -0.1;

	memcpy(event->payload, &number, sizeof(number));
	event->batch.layout[0] = model_add_layout(&event->model, &(struct rst_type){ .name = "LEVEL" },
		&(struct rst_layout){ .n_fields = 1, .fields = &real, .n_effects = 1, .effects = &level });
	ok(effect_read(&event->model, batch_close(&event->batch), 0, &level, &event->facts) &&
			event->facts.value_type == RST_REAL &&
			memcmp(&event->facts.value, &wide, sizeof(wide)) == 0,
		"a real number of 4 bytes is the double that its shortest decimal number means");
	event->payload[0] = 7;
	event->batch.layout[0] = before;
}

/* Reads all effects of a row at once, with stored plans. */
static void check_rows(struct event *event)
{
	static const struct rst_effect effects[] = {
		{ .kind = RST_EFFECT_ACQUIRE,
			.object = { .from = 2 },
			.thread = SELF,
			.limit = { .from = 4 } },
		{ .kind = RST_EFFECT_WAKE,
			.thread = { .from = 3 },
			.when = { { { .from = 4 }, RST_TEST_BELOW, 5 } } },
		{ .kind = RST_EFFECT_PRIORITY, .thread = SELF, .value = { .from = 4 } },
	};
	const struct rst_layout *before = event->batch.layout[0];
	const struct rst_batch *batch = batch_close(&event->batch);
	const struct rst_effect_facts *const *facts;
	struct rst_effect_facts one;
	size_t n_facts;
	bool has_read;

	event->batch.layout[0] = model_add_layout(&event->model, &(struct rst_type){ .name = "MUTEX_PUT" },
		&(struct rst_layout){ .n_fields = 4, .fields = fields, .n_effects = 3, .effects = effects });
	event->payload[3] = 5;
	has_read = effects_read(&event->model, batch, 0, UINT64_MAX, &facts, &n_facts);
	ok(has_read && n_facts == 2 && facts[0]->effect == &effects[0] && facts[1]->effect == &effects[2],
		"the effects of a row that hold are in order");
	ok(has_read && facts[0]->object.id == MUTEX_ID && facts[0]->limit == 5 && facts[1]->value == 5,
		"each with its facts");
	event->payload[1] = event->payload[3] = 0;
	event->batch.payload_bytes[0] = 12;
	ok(effect_read(&event->model, batch, 0, &effects[0], &one) && one.object.id == 0 && !one.has_limit &&
			one.limit == 0,
		"nothing stays of the event before");
	event->batch.payload_bytes[0] = sizeof(event->payload);
	has_read = effects_read(&event->model, batch, 0, 1 << 1, &facts, &n_facts);
	ok(has_read && n_facts == 1 && facts[0]->thread->id == OTHER_ID,
		"only effects that are wanted are read");
	memcpy(event->payload, (const uint32_t[]){ 7, MUTEX_ID, OTHER_ID, 5 }, sizeof(event->payload));
	event->batch.layout[0] = before;
}

static void check_codes(struct event *event)
{
	static const struct rst_state_code rows[] = {
		{ 0xff, 5, RST_STATE_WAITING, RST_REASON_QUEUE, RST_GAVE_UP },
		{ 0, 0, RST_STATE_WAITING, RST_REASON_OTHER, RST_DONE },
	};
	static const struct rst_state_codes codes = { 2, rows };
	const struct rst_effect wait = {
		.kind = RST_EFFECT_WAIT, .thread = OWNER, .code = WAIT, .codes = &codes
	};

	ok(event_read(event, &wait) && event->facts.reason == RST_REASON_QUEUE &&
			event->facts.state == RST_STATE_WAITING && event->facts.phase == RST_GAVE_UP,
		"the first code that fits gives state, reason and phase");
	event->payload[3] = 6;
	ok(event_read(event, &wait) && event->facts.reason == RST_REASON_OTHER, "and the next one otherwise");
}

static void check_words(void)
{
	bool has_all = true;

	for (unsigned i = 0; i < RST_N_EFFECTS; i++)
		has_all = has_all && rst_effect_name(i);
	for (unsigned i = 0; i < RST_N_REASONS; i++)
		has_all = has_all && rst_reason_name(i);
	for (unsigned i = 0; i < RST_N_STATES; i++)
		has_all = has_all && rst_state_name(i);
	for (unsigned i = 0; i < RST_N_PHASES; i++)
		has_all = has_all && rst_phase_name(i);
	for (unsigned i = 0; i < RST_N_UNITS; i++)
		has_all = has_all && rst_unit_name(i);
	ok(has_all, "each effect, phase, state, reason and unit has a word");
	ok(strcmp(rst_effect_name(99), "none") == 0, "and what is not one is none");
}

int main(void)
{
	static struct event event;

	check_binding();
	event_init(&event);
	check_facts(&event);
	check_conditions(&event);
	check_same_threads(&event);
	check_giving(&event);
	check_numbers(&event);
	check_real(&event);
	check_rows(&event);
	check_codes(&event);
	check_words();
	batch_done(&event.batch);
	model_done(&event.model);
	return tap_done();
}
