/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "export/txtb.h"

#define MADE_UP_FIRST 0xa0000000U

enum { MADE_UP_STEP = 0x100 };

/* tx_trace.h: TX_TRACE_OBJECT_TYPE_*. */
unsigned txtb_type_of(enum rst_object_kind kind)
{
	static const uint8_t types[] = { [RST_OBJECT_THREAD] = 1,
		[RST_OBJECT_TIMER] = 2,
		[RST_OBJECT_QUEUE] = 3,
		[RST_OBJECT_SEMAPHORE] = 4,
		[RST_OBJECT_MUTEX] = 5,
		[RST_OBJECT_EVENT_FLAGS] = 6,
		[RST_OBJECT_BLOCK_POOL] = 7,
		[RST_OBJECT_BYTE_POOL] = 8,
		[RST_OBJECT_ACTIVE_OBJECT] = 1 };

	return (size_t)kind < sizeof(types) ? types[kind] : 0;
}

static bool is_free(const struct txtb *txtb, uint64_t address)
{
	return address && address <= UINT32_MAX && address != TXTB_INIT && address != TXTB_ISR &&
	       !map_find(&txtb->addresses, address);
}

/* Uses the thing's own address if it is one and no other thing has it. */
static uint32_t address_of(struct txtb *txtb, const struct rst_entity *entity)
{
	if (!entity->is_number && !entity->process && is_free(txtb, entity->id))
		return (uint32_t)entity->id;
	if (!txtb->next_address)
		txtb->next_address = MADE_UP_FIRST;
	while (!is_free(txtb, txtb->next_address))
		txtb->next_address += MADE_UP_STEP;
	return txtb->next_address;
}

struct txtb_thing *txtb_thing_of(struct export *export, const struct rst_entity *entity, unsigned type)
{
	struct txtb *txtb = export->state;
	struct txtb_thing *thing;

	txtb->things.record_bytes = sizeof(*thing);
	thing = subject_of(&txtb->things, entity);
	if (!thing || thing->address)
		return thing;
	thing->type = (uint8_t)type;
	thing->address = address_of(txtb, entity);
	return map_set(&txtb->addresses, thing->address, thing) ? thing : NULL;
}

/* The thread that stands for an unknown running thread. */
uint32_t txtb_unknown(struct export *export, uint16_t core)
{
	static const char name[] = "(unknown)";
	struct txtb *txtb = export->state;
	const struct rst_entity entity = { .form = RST_ENTITY_THING,
		.is_number = true,
		.kind = "unknown",
		.id = core,
		.name = name,
		.name_bytes = sizeof(name) - 1 };
	const struct txtb_thing *thing;

	if (!txtb->cores[core].unknown) {
		thing = txtb_thing_of(export, &entity, txtb_type_of(RST_OBJECT_THREAD));
		txtb->cores[core].unknown = thing ? thing->address : 0;
	}
	return txtb->cores[core].unknown;
}
