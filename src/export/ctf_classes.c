/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/array.h"
#include "export/ctf.h"

static bool is_class(const struct ctf_class *class, const struct rst_layout *layout, size_t payload_bytes)
{
	for (unsigned i = 0; i < layout->n_fields; i++)
		if (class->has[i] != rst_field_is_there(&layout->fields[i], payload_bytes))
			return false;
	return true;
}

static struct ctf_class *class_add(struct ctf *ctf, const struct rst_layout *layout, size_t payload_bytes)
{
	struct ctf_class **by_layout =
		array_reach(ctf->by_layout, &ctf->layouts_room, layout->index, sizeof(*by_layout));
	struct ctf_class *class = arena_alloc(&ctf->arena, sizeof(*class));
	uint8_t *has = arena_alloc(&ctf->arena, layout->n_fields + 1);

	if (by_layout)
		ctf->by_layout = by_layout;
	if (!by_layout || !class || !has)
		return NULL;
	for (unsigned i = 0; i < layout->n_fields; i++)
		has[i] = rst_field_is_there(&layout->fields[i], payload_bytes);
	*class = (struct ctf_class){ .layout = layout,
		.has = has,
		.id = CTF_ID_FIRST + ctf->n_ids++,
		.other = by_layout[layout->index] };
	by_layout[layout->index] = class;
	if (ctf->newest)
		ctf->newest->next = class;
	else
		ctf->first = class;
	return ctf->newest = class;
}

struct ctf_class *ctf_class_of(struct ctf *ctf, const struct rst_layout *layout, size_t payload_bytes)
{
	struct ctf_class *class = layout->index < ctf->layouts_room ? ctf->by_layout[layout->index] : NULL;

	while (class && !is_class(class, layout, payload_bytes))
		class = class->other;
	return class ? class : class_add(ctf, layout, payload_bytes);
}
