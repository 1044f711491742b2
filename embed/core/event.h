/* SPDX-License-Identifier: MIT */
/*
 * The plain event: id, time and two words, 16 bytes in a cell. The quickest record there is, for a ring that
 * is looked at with a debugger or sent as it is.
 *
 *      static struct rastrum_events events;
 *      static uint32_t memory[1024];
 *
 *      rastrum_events_init(&events, memory, 1024, 1);
 *      rastrum_bits_set(events.bits, 0, RASTRUM_EVENT_IDS, 1);
 *      rastrum_event(&events, MOTOR_SPEED, rpm, target);
 */
#ifndef EMBED_CORE_EVENT_H
#define EMBED_CORE_EVENT_H

#include "embed/core/bits.h"
#include "embed/core/cells.h"

#ifdef __cplusplus
extern "C" {
#endif

#define RASTRUM_EVENT_IDS   256
#define RASTRUM_EVENT_WORDS 4

/* A cell: stamp, id with the core in its highest byte, both values. */
enum { RASTRUM_EVENT_STAMP, RASTRUM_EVENT_ID, RASTRUM_EVENT_A, RASTRUM_EVENT_B };

struct rastrum_events {
	uint32_t bits[RASTRUM_BITS_WORDS(RASTRUM_EVENT_IDS)]; /* first: found without an addition */
	struct rastrum_cells cells;
};

/* As rastrum_cells_init(); no event is wanted at first. */
uint32_t rastrum_events_init(
	struct rastrum_events *events, uint32_t *words, uint32_t n_words, int keeps_newest);

/*
 * Records if the id is wanted. Larger ids than RASTRUM_EVENT_IDS share the bits of smaller ones; they are
 * below 2^24, which is the caller's promise. From anywhere that the port's lock holds.
 */
void rastrum_event(struct rastrum_events *events, uint32_t id, uint32_t a, uint32_t b);

#ifdef __cplusplus
}
#endif

#endif
