/* SPDX-License-Identifier: MIT */
#include "embed/core/event.h"

uint32_t rastrum_events_init(
	struct rastrum_events *events, uint32_t *words, uint32_t n_words, int keeps_newest)
{
	for (unsigned i = 0; i < RASTRUM_BITS_WORDS(RASTRUM_EVENT_IDS); i++)
		rastrum_word_store(&events->bits[i], 0);
	return rastrum_cells_init(&events->cells, words, n_words, RASTRUM_EVENT_WORDS, keeps_newest);
}

void rastrum_event(struct rastrum_events *events, uint32_t id, uint32_t a, uint32_t b)
{
	RASTRUM_LOCK_STATE state;

	if (!rastrum_bit_test(events->bits, id & (RASTRUM_EVENT_IDS - 1)))
		return;
	RASTRUM_LOCK(state);
	if (rastrum_cells_has_room(&events->cells)) {
		uint32_t *cell = rastrum_cells_next(&events->cells, RASTRUM_EVENT_WORDS);

		cell[RASTRUM_EVENT_STAMP] = RASTRUM_STAMP();
		cell[RASTRUM_EVENT_ID] = id | RASTRUM_CORE() << 24;
		cell[RASTRUM_EVENT_A] = a;
		cell[RASTRUM_EVENT_B] = b;
	}
	RASTRUM_UNLOCK(state);
}
