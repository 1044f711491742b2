/* SPDX-License-Identifier: MIT */
/* ThreadX images for tests: from rows of objects and events to the bytes of a dump. */
#ifndef TESTS_IMAGE_H
#define TESTS_IMAGE_H

#include "embed/threadx/txtb_image.h"

/*
 * Fills an image: as many objects as its registry has, and the first n_events slots of its ring, of which
 * those of thread 0 were never written, like the slots behind them. current_index is that of
 * txtb_put_header().
 */
static inline void image_fill(const struct txtb_layout *layout, void *image, uint64_t current_index,
	const struct txtb_object *objects, const struct txtb_event *events, uint64_t n_events)
{
	txtb_put_header(layout, image, current_index);
	for (uint32_t i = 0; i < layout->n_registry; i++)
		txtb_put_object(layout, image, i, &objects[i]);
	for (uint64_t i = 0; i < layout->n_events; i++)
		txtb_put_event(layout, image, i, i < n_events && events[i].thread ? &events[i] : NULL);
}

#endif
