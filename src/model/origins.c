/* SPDX-License-Identifier: MIT */
#include "model/origins.h"

#include <stdlib.h>

#include "base/array.h"

static bool process_list(struct origins *origins, struct origin_process *process)
{
	struct origin_process **in_order = array_room(origins->in_order, origins->n_in_order,
		&origins->in_order_room, sizeof(struct origin_process *));

	if (!in_order)
		return false;
	origins->in_order = in_order;
	in_order[origins->n_in_order++] = process;
	return true;
}

static bool process_add(struct origins *origins, struct arena *arena, const struct origin_process *process)
{
	struct origin_process *copy;

	if (map_find(&origins->processes, process->number))
		return true;
	if (origins->processes.n_used >= ORIGIN_PROCESSES_MAX)
		return false;
	copy = arena_alloc(arena, sizeof(*copy));
	if (!copy)
		return false;
	*copy = *process;
	if (process->own && !process_list(origins, copy))
		return false;
	return map_set(&origins->processes, process->number, copy);
}

bool origins_add(struct origins *origins, struct arena *arena, const struct origin *origin)
{
	struct origin **all =
		array_room(origins->all, origins->n_all, &origins->room, sizeof(struct origin *));
	struct origin *copy = arena_alloc(arena, sizeof(*copy));

	if (all)
		origins->all = all;
	if (!all || !copy || origins->n_all >= ORIGINS_MAX)
		return false;
	if (!origins->factor)
		origins->factor = map_factor();
	*copy = *origin;
	copy->number = (uint32_t)origins->n_all + 1;
	all[origins->n_all++] = copy;
	return process_add(
		origins, arena, &(struct origin_process){ .number = copy->public.process, .origin = copy });
}

bool origins_add_process(
	struct origins *origins, struct arena *arena, uint32_t origin, uint64_t number, uint64_t own)
{
	return process_add(origins, arena,
		&(struct origin_process){ .number = number, .own = own, .origin = origins->all[origin - 1] });
}

bool origins_end(struct origins *origins, uint32_t origin, uint64_t ticks)
{
	struct origin **ended =
		array_room(origins->ended, origins->n_ended, &origins->ended_room, sizeof(struct origin *));

	if (ended)
		origins->ended = ended;
	if (!ended || origins->all[origin - 1]->public.has_ended)
		return ended != NULL;
	origins->all[origin - 1]->public.has_ended = true;
	origins->all[origin - 1]->public.end_ticks = ticks;
	ended[origins->n_ended++] = origins->all[origin - 1];
	return true;
}

void origins_done(struct origins *origins)
{
	map_done(&origins->processes);
	free(origins->all);
	free(origins->in_order);
	free(origins->ended);
	*origins = (struct origins){ 0 };
}
