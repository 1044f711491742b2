/* SPDX-License-Identifier: MIT */
#include "select/duplicates.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct duplicate {
	const struct rst_layout *layout;
	const struct rst_context *context;
	uint16_t core;
	uint32_t n_payload;
	size_t payload; /* offset in bytes */
};

static bool is_same_type(const struct rst_layout *a, const struct rst_layout *b)
{
	return a == b ||
	       (a->id == b->id && a->n_fields == b->n_fields && strcmp(a->type->name, b->type->name) == 0);
}

static bool is_same_context(const struct rst_context *a, const struct rst_context *b)
{
	return a == b || (a->kind == b->kind && a->id == b->id && a->process == b->process);
}

static bool is_same(const struct duplicates *duplicates, const struct duplicate *item,
	const struct rst_batch *batch, size_t row)
{
	const uint32_t n_payload = batch->payload_bytes[row];

	return is_same_type(item->layout, batch->layout[row]) &&
	       is_same_context(item->context, batch->context[row]) &&
	       item->core == rst_batch_core(batch, row) && item->n_payload == n_payload &&
	       (n_payload == 0 ||
		       memcmp(duplicates->bytes + item->payload, batch->payload[row], n_payload) == 0);
}

/* Room for so many bytes behind those that are kept. */
static bool reserve_bytes(struct duplicates *duplicates, size_t n_bytes)
{
	const size_t needed = duplicates->n_bytes + n_bytes;
	uint8_t *bytes;

	if (needed > DUPLICATES_BYTES_MAX)
		return false;
	if (needed <= duplicates->bytes_room)
		return true;
	bytes = realloc(duplicates->bytes, 2 * needed);
	if (!bytes)
		return false;
	duplicates->bytes = bytes;
	duplicates->bytes_room = 2 * needed;
	return true;
}

static void duplicates_keep(struct duplicates *duplicates, const struct rst_batch *batch, size_t row)
{
	const uint32_t n_payload = batch->payload_bytes[row];
	struct duplicate *items;

	if (duplicates->n_items == DUPLICATES_EVENTS_MAX || !reserve_bytes(duplicates, n_payload))
		return;
	items = array_room(duplicates->items, duplicates->n_items, &duplicates->room, sizeof(*items));
	if (!items)
		return;
	duplicates->items = items;
	items[duplicates->n_items++] = (struct duplicate){ .layout = batch->layout[row],
		.context = batch->context[row],
		.core = rst_batch_core(batch, row),
		.n_payload = n_payload,
		.payload = duplicates->n_bytes };
	if (n_payload)
		memcpy(duplicates->bytes + duplicates->n_bytes, batch->payload[row], n_payload);
	duplicates->n_bytes += n_payload;
}

bool duplicates_have(
	struct duplicates *duplicates, uint64_t moment, const struct rst_batch *batch, size_t row)
{
	if (moment != duplicates->moment) {
		duplicates->moment = moment;
		duplicates->n_items = duplicates->n_bytes = 0;
	}
	for (size_t i = 0; i < duplicates->n_items; i++)
		if (is_same(duplicates, &duplicates->items[i], batch, row)) {
			duplicates->n_removed++;
			return true;
		}
	duplicates_keep(duplicates, batch, row);
	return false;
}

void duplicates_done(struct duplicates *duplicates)
{
	free(duplicates->items);
	free(duplicates->bytes);
	duplicates->items = NULL;
	duplicates->bytes = NULL;
	duplicates->n_items = duplicates->room = duplicates->n_bytes = duplicates->bytes_room = 0;
}
