/* SPDX-License-Identifier: MIT */
#include "embed/compact/plain.h"

#include "embed/compact/block.h"

enum { ID_FIRST = 4, ID_USER = 128, PLAIN_RECORD_MAX = 1 + 3 * 5 + 3 };

static void word_put(uint8_t *at, uint32_t word)
{
	for (uint32_t i = 0; i < 4; i++)
		at[i] = (uint8_t)(word >> 8 * i);
}

/* Whether there is a next event, in plain->next. */
static int plain_look(struct rastrum_plain *plain, struct rastrum_events *events)
{
	if (!plain->has_next)
		plain->has_next =
			(uint32_t)rastrum_cells_take_told(&events->cells, plain->next, &plain->told);
	return plain->has_next != 0;
}

/* As the compact encoder would have recorded it. A cell has no more than two values. */
static uint8_t *plain_put(struct rastrum_plain *plain, uint8_t *at, uint32_t *core)
{
	const uint32_t *cell = plain->next;
	uint32_t id = cell[RASTRUM_EVENT_ID] & 0xff, n_values = id & 3;

	if (n_values == 3)
		id = (id & ~UINT32_C(3)) | (n_values = 2);
	if (id < ID_FIRST)
		id |= ID_USER;
	if (cell[RASTRUM_EVENT_ID] >> 24 != *core) {
		*core = cell[RASTRUM_EVENT_ID] >> 24;
		*at++ = COMPACT_CORE;
		*at++ = 0;
		*at++ = (uint8_t)(*core & 127);
	}
	*at++ = (uint8_t)id;
	at = rastrum_number_put(at, cell[RASTRUM_EVENT_STAMP] - plain->stamp);
	if (n_values > 0)
		at = rastrum_number_put(at, cell[RASTRUM_EVENT_A]);
	if (n_values > 1)
		at = rastrum_number_put(at, cell[RASTRUM_EVENT_B]);
	plain->stamp = cell[RASTRUM_EVENT_STAMP];
	plain->n_sent++;
	plain->has_next = 0;
	return at;
}

/* Only a head can report losses. */
static void head_put(struct rastrum_plain *plain, uint8_t *wire, uint32_t core)
{
	wire[3] = (uint8_t)core;
	word_put(wire + 4, plain->n_sent + plain->n_lost);
	word_put(wire + 8, plain->n_lost);
	word_put(wire + 12, plain->stamp);
}

/* Nothing is left but a report of the last losses. */
static uint32_t end_take(struct rastrum_plain *plain, struct rastrum_events *events, uint8_t *wire)
{
	uint32_t n_lost = rastrum_cells_lost(&events->cells);

	if (n_lost == plain->n_lost)
		return 0;
	plain->n_lost = n_lost;
	head_put(plain, wire, 0);
	return rastrum_compact_finish(wire, COMPACT_EVENTS, 0);
}

/* A block ends where it is full, or where something is missing. */
uint32_t rastrum_plain_take(
	struct rastrum_plain *plain, struct rastrum_events *events, uint8_t *wire, int wants_all)
{
	uint8_t *payload = wire + RASTRUM_COMPACT_HEAD, *at = payload;
	const uint8_t *limit = wire + RASTRUM_COMPACT_BLOCK - PLAIN_RECORD_MAX;
	uint32_t core;

	if (!plain_look(plain, events))
		return wants_all ? end_take(plain, events, wire) : 0;
	core = plain->next[RASTRUM_EVENT_ID] >> 24;
	plain->n_lost = plain->told.n_lost;
	plain->stamp = plain->next[RASTRUM_EVENT_STAMP];
	head_put(plain, wire, core);
	while (at <= limit && plain_look(plain, events) && plain->told.n_lost == plain->n_lost)
		at = plain_put(plain, at, &core);
	return rastrum_compact_finish(wire, COMPACT_EVENTS, (uint32_t)(at - payload));
}
