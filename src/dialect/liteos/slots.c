/* SPDX-License-Identifier: MIT */
/*
 * Which slots of a ring hold a frame. A slot whose number is in the kernel's list counts as a frame. Any
 * other number may be a program's own, so it proves nothing, and the rest of the frame must make sense:
 *
 *	padding      of the frame, and liteos_a's gap behind curPid, is 0; a process id has 16 bits
 *	core word    has no reserved bits, no more params than frames have, and those behind are 0
 *	time, count  are near those of the slot before or behind: a ring is written one after the other
 *	bytes        are not all the same, as those of memory that was erased or filled are
 */
#include "dialect/liteos/offline.h"

/*
 * The largest distance between neighbours: days, and as many events as a mask may leave out. Damage is mostly
 * further.
 */
#define NEAR_TICKS  ((uint64_t)1 << 48)
#define NEAR_COUNTS ((uint32_t)1 << 20)

static bool is_repeated(const uint8_t *bytes, size_t n_bytes)
{
	return memcmp(bytes, bytes + 1, n_bytes - 1) == 0;
}

static bool is_zero(const uint8_t *bytes, size_t n_bytes)
{
	return n_bytes == 0 || (bytes[0] == 0 && is_repeated(bytes, n_bytes));
}

/* --- what a frame must be by itself --------------------------------------------------------------------- */

static bool has_sound_padding(const struct liteos_layout *layout, const uint8_t *slot)
{
	enum { PROCESS_MAX = 0xffff };
	const size_t end = layout->params_at + (size_t)layout->n_params * layout->ptr;
	const size_t gap = layout->pid_at + 4U * layout->has_pid;
	const size_t core_end = layout->count_at + 4U * layout->has_count;

	return is_zero(slot + end, layout->frame_bytes - end) && is_zero(slot + gap, layout->time_at - gap) &&
	       is_zero(slot + core_end, layout->lr_at - core_end) &&
	       (!layout->has_pid || load_u32(slot + layout->pid_at, layout->is_big) <= PROCESS_MAX);
}

static bool has_sound_core(const struct liteos_layout *layout, const uint8_t *slot)
{
	enum { COUNTED_MAX = 15 };
	struct liteos_core core;
	size_t at;

	if (!layout->has_core)
		return true;
	core = liteos_core_of(load_u32(slot + layout->core_at, layout->is_big), layout->is_big);
	if (core.reserved || core.n_params > layout->n_params)
		return false;
	at = layout->params_at + (size_t)core.n_params * layout->ptr;
	return layout->n_params > COUNTED_MAX || is_zero(slot + at, layout->frame_bytes - at);
}

/* --- and among the others ------------------------------------------------------------------------------- */

/*
 * Returns the next slot in this direction around the ring that is neither empty nor filled; it may be the
 * same slot.
 */
static const uint8_t *neighbour_find(const struct liteos_offline *offline, uint64_t index, bool is_behind)
{
	const uint64_t n_slots = offline->n_slots;
	uint64_t at = index;

	for (uint64_t n = 0; n < n_slots; n++) {
		at = is_behind ? (at + 1 == n_slots ? 0 : at + 1) : (at ? at : n_slots) - 1;
		if (!is_repeated(liteos_slot_at(offline, at), offline->layout.frame_bytes))
			break;
	}
	return liteos_slot_at(offline, at);
}

static bool is_near(const struct liteos_layout *layout, const uint8_t *slot, const uint8_t *other)
{
	const uint64_t time = load_u64(slot + layout->time_at, layout->is_big);
	const uint64_t before = load_u64(other + layout->time_at, layout->is_big);

	if ((time > before ? time - before : before - time) >= NEAR_TICKS)
		return false;
	if (!layout->has_count)
		return true;
	const uint32_t step = load_u32(slot + layout->count_at, layout->is_big) -
			      load_u32(other + layout->count_at, layout->is_big);

	return step < NEAR_COUNTS || 0 - step < NEAR_COUNTS;
}

static bool is_plausible(const struct liteos_offline *offline, const uint8_t *slot, uint64_t index)
{
	const struct liteos_layout *layout = &offline->layout;

	return !is_repeated(slot, layout->frame_bytes) && has_sound_padding(layout, slot) &&
	       has_sound_core(layout, slot) &&
	       (is_near(layout, slot, neighbour_find(offline, index, false)) ||
		       is_near(layout, slot, neighbour_find(offline, index, true)));
}

enum liteos_slot liteos_slot_look(struct liteos_offline *offline, const uint8_t *slot, uint64_t index)
{
	const uint32_t type = load_u32(slot, offline->layout.is_big);

	if (type == 0)
		return is_zero(slot, offline->layout.frame_bytes) ? LITEOS_SLOT_EMPTY : LITEOS_SLOT_DAMAGED;
	if (type >= LITEOS_USER_FIRST || !liteos_is_listed(type, offline->layout.variant))
		return is_plausible(offline, slot, index) ? LITEOS_SLOT_FRAME : LITEOS_SLOT_DAMAGED;
	offline->recent[(type ^ type >> 5) & 255] = type;
	return LITEOS_SLOT_FRAME;
}
