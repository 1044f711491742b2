/* SPDX-License-Identifier: MIT */
#include "report/underway.h"

#include <endian.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/text.h"
#include "template/value.h"

/* One role of one row. */
struct deed {
	const struct rst_batch *batch;
	size_t row;
	const struct rst_role *role;
};

static const struct rst_field *field_of(const struct deed *deed, int8_t index)
{
	return index < 0 ? NULL : &deed->batch->type[deed->row]->fields[index];
}

static uint64_t number_of(const struct deed *deed, const struct rst_field *field)
{
	return rst_field_number(
		field, deed->batch->payload[deed->row], deed->batch->payload_bytes[deed->row]);
}

static uint64_t object_of(const struct deed *deed)
{
	const struct rst_field *field = field_of(deed, deed->role->object);

	return field ? number_of(deed, field) : 0;
}

/* The field that says which work it is, unless it is cut off or no number. */
static const struct rst_field *value_of(const struct deed *deed)
{
	const struct rst_field *field = field_of(deed, deed->role->value);
	const struct value_source from = { .payload_bytes = deed->batch->payload_bytes[deed->row] };
	bool is_number = field && field->type != RST_TEXT && field->type != RST_BYTES;

	return is_number && value_is_there(&from, field) ? field : NULL;
}

/* Of other contexts many may be one: interrupts of several cores, whoever is not known. */
static bool is_thread(const struct deed *deed)
{
	return deed->role->thread == RST_SELF && deed->batch->context[deed->row]->kind == RST_CONTEXT_THREAD;
}

static void begin(struct underway *underway, const struct deed *deed)
{
	uint32_t index = deed->batch->context[deed->row]->index;
	struct work *works = array_reach(underway->works, &underway->works_room, index, sizeof(*works));
	const struct rst_field *field = value_of(deed);

	if (!works) {
		underway->has_no_memory = true;
		return;
	}
	underway->works = works;
	works[index] = (struct work){
		.field = field,
		.value = field ? number_of(deed, field) : 0,
		.object = object_of(deed),
		.seq = deed->batch->seq[deed->row],
		.n_gaps = underway->n_gaps,
	};
}

static void end(struct underway *underway, const struct deed *deed)
{
	uint32_t index = deed->batch->context[deed->row]->index;
	struct work *work = index < underway->works_room ? &underway->works[index] : NULL;
	uint64_t object;

	if (!work || !work->field)
		return;
	object = object_of(deed);
	if (!object || !work->object || object == work->object)
		work->field = NULL;
}

enum { NOT_KNOWN, NO_CONCERN, CONCERN };

static uint8_t concern_slow(struct underway *underway, const struct rst_type *type)
{
	uint8_t *concerns = array_reach(underway->concerns, &underway->concerns_room, type->index, 1);
	uint8_t concern = type->marker == RST_EVENT ? NO_CONCERN : CONCERN;

	for (unsigned i = 0; i < type->n_roles; i++)
		if (type->roles[i].kind == RST_ROLE_BEGIN || type->roles[i].kind == RST_ROLE_END)
			concern = CONCERN;
	if (!concerns) {
		underway->has_no_memory = true;
		return concern;
	}
	underway->concerns = concerns;
	return concerns[type->index] = concern;
}

/* Most events are of no concern, and one look says so. */
static inline bool is_concern(struct underway *underway, const struct rst_type *type)
{
	uint8_t concern = type->index < underway->concerns_room ? underway->concerns[type->index] : NOT_KNOWN;

	if (__builtin_expect(concern == NOT_KNOWN, 0))
		concern = concern_slow(underway, type);
	return concern == CONCERN;
}

/* has_ends: of an event that ends work, not only what it begins. */
static void follow_row(struct underway *underway, const struct rst_batch *batch, size_t row, bool has_ends)
{
	const struct rst_type *type = batch->type[row];

	underway->n_gaps += type->marker != RST_EVENT;
	for (unsigned i = 0; i < type->n_roles; i++) {
		const struct deed deed = { batch, row, &type->roles[i] };

		if (deed.role->kind == RST_ROLE_BEGIN && is_thread(&deed))
			begin(underway, &deed);
		else if (deed.role->kind == RST_ROLE_END && has_ends && is_thread(&deed))
			end(underway, &deed);
	}
}

static void follow(struct underway *underway, const struct rst_batch *batch, size_t n_rows)
{
	for (size_t row = underway->n_rows; row < n_rows; row++)
		if (is_concern(underway, batch->type[row]))
			follow_row(underway, batch, row, true);
	underway->n_rows = n_rows;
	underway->is_answered = false;
}

/* As the field would print it where the work began, from bytes of its own: the payload is long gone. */
static struct text show(struct underway *underway, struct rst_trace *trace, const struct work *work)
{
	const uint64_t bytes = htole64(work->value);
	struct rst_field field = *work->field;
	struct outbuf *out = &underway->room;
	const struct value_source from = {
		.out = out,
		.trace = trace,
		.payload = (const uint8_t *)&bytes,
		.payload_bytes = sizeof(bytes),
		.seq = work->seq,
		.set_off = underway->set_off ? underway->set_off : set_off_quotes,
	};

	out->at = out->start;
	if (!outbuf_reserve(out, VALUE_ROOM + TEXT_SHORT))
		return (struct text){ "", 0 };
	field.offset = 0;
	field.is_big_endian = false;
	const char *text_end = value_put_text(&from, out->at, &field);

	return (struct text){ out->start, (size_t)(text_end - out->start) };
}

/* The row's own end comes behind it. */
static struct text answer(
	struct underway *underway, struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	uint32_t index = batch->context[row]->index;
	const struct work *work;

	follow(underway, batch, row);
	follow_row(underway, batch, row, false);
	work = index < underway->works_room ? &underway->works[index] : NULL;
	if (!work || !work->field || work->n_gaps != underway->n_gaps)
		return (struct text){ "", 0 };
	return show(underway, trace, work);
}

/* A template asks once whether there is a text, and again to print it. */
struct text underway_text(
	struct underway *underway, struct rst_trace *trace, const struct rst_batch *batch, size_t row)
{
	if (!underway->is_answered || underway->n_rows != row) {
		underway->text = answer(underway, trace, batch, row);
		underway->is_answered = true;
	}
	return underway->text;
}

bool underway_end_batch(struct underway *underway, const struct rst_batch *batch)
{
	follow(underway, batch, batch->n_events);
	underway->n_rows = 0;
	return !underway->has_no_memory && !underway->room.error;
}

bool underway_init(struct underway *underway, const struct template_set *templates)
{
	*underway = (struct underway){ .is_wanted = template_set_uses(templates, "UNDERWAY") };
	return !underway->is_wanted || outbuf_init(&underway->room, OUTBUF_MEMORY);
}

void underway_done(struct underway *underway)
{
	free(underway->works);
	free(underway->concerns);
	outbuf_done(&underway->room);
	*underway = (struct underway){ .is_wanted = false };
}
