/* SPDX-License-Identifier: MIT */
/*
 * Finds the layout of frames. A buffer's header shows the size of a frame but not its contents: 40 bytes are
 * a frame of liteos_a as shipped, or one of liteos_m with core word and count. So every layout of that size
 * reads a sample of the frames, and gets points for each value that makes sense. The best layout wins:
 *
 *	time            rises from slot to slot, by steps of less than some minutes
 *	gap             of liteos_a between curPid and curTime is 0, and a process id is small
 *	core word       reserved bits are 0, paramCount is what the event has, params behind it are 0, and in
 *			HWI_RESPONSE_IN and OUT an interrupt is active
 *	eventCount      is one more than in the slot before
 *	link registers  are 0 or addresses above the first page
 *	numbers         in words of 64 bits are below 2^32; params that the event does not have are 0
 *
 * If points are equal, the candidate with fewer parts wins, because the kernels are shipped that way.
 */
#include "dialect/liteos/liteos.h"

#include <limits.h>

enum { SAMPLE_MAX = 2048, TIME_STEP_MAX_BITS = 40 };

static unsigned up_to_8(unsigned n)
{
	return (n + 7) & ~7U;
}

/* los_trace_pri.h, struct TraceEventFrame: natural alignment, the whole rounded up to 8. */
void liteos_layout_offsets(struct liteos_layout *layout)
{
	unsigned at = 8;

	layout->pid_at = (uint16_t)at;
	at = up_to_8(at + 4 * layout->has_pid);
	layout->time_at = (uint16_t)at;
	at += 8;
	layout->identity_at = (uint16_t)at;
	at += layout->ptr;
	layout->core_at = (uint16_t)at;
	at += 4 * layout->has_core;
	layout->count_at = (uint16_t)at;
	at += 4 * layout->has_count;
	at = layout->ptr == 8 ? up_to_8(at) : at;
	layout->lr_at = (uint16_t)at;
	at += layout->n_lr * layout->ptr;
	layout->params_at = (uint16_t)at;
	layout->frame_bytes = (uint16_t)up_to_8(at + layout->n_params * layout->ptr);
}

const char *liteos_variant_name(enum liteos_variant variant)
{
	static const char *const names[LITEOS_N_VARIANTS] = {
		[LITEOS_UNSURE] = "unknown",
		[LITEOS_A] = "liteos_a",
		[LITEOS_M] = "liteos_m",
		[LITEOS_H5] = "huawei_v5",
	};

	return names[variant];
}

bool liteos_layout_details(struct model *model, const struct liteos_layout *layout)
{
	return model_detail_text(model, "variant", liteos_variant_name(layout->variant)) &&
	       model_detail_text(model, "endian", layout->is_big ? "big" : "little") &&
	       model_detail_number(model, "ptr", layout->ptr) &&
	       model_detail_bool(model, "pid", layout->has_pid) &&
	       model_detail_bool(model, "core", layout->has_core) &&
	       model_detail_bool(model, "count", layout->has_count) &&
	       model_detail_number(model, "lr", layout->n_lr) &&
	       model_detail_number(model, "params", layout->n_params);
}

/* --- points --------------------------------------------------------------------------------------------- */

/* The values of the slot before, for checks from slot to slot. */
struct before {
	bool is_set;
	uint64_t time;
	uint32_t count;
};

static int score_time(const struct before *before, uint64_t time)
{
	if (!before->is_set)
		return 0;
	if (time == before->time)
		return -1;
	if (time < before->time)
		return -4;
	return (time - before->time) >> TIME_STEP_MAX_BITS ? -4 : 4;
}

static int score_pid(const struct liteos_layout *layout, const uint8_t *slot, uint32_t pid)
{
	enum { PID_MAX = 0xffff };

	if (!layout->has_pid)
		return 0;
	return (load_u32(slot + layout->pid_at + 4, layout->is_big) ? -12 : 1) + (pid > PID_MAX ? -6 : 0);
}

static uint64_t param_at(const struct liteos_layout *layout, const uint8_t *slot, unsigned n)
{
	return load_word(slot + layout->params_at + (size_t)n * layout->ptr, layout->ptr, layout->is_big);
}

/* Whether all params from the n-th on are 0. */
static bool is_rest_zero(const struct liteos_layout *layout, const uint8_t *slot, unsigned n)
{
	for (unsigned i = n; i < layout->n_params; i++)
		if (param_at(layout, slot, i))
			return false;
	return true;
}

/* The padding of a frame up to a multiple of 8 was zeroed with the frame. */
static int score_padding(const struct liteos_layout *layout, const uint8_t *slot)
{
	for (unsigned at = layout->params_at + layout->n_params * layout->ptr; at < layout->frame_bytes; at++)
		if (slot[at])
			return -6;
	return 0;
}

/* n_listed: how many params the table gives this event; UINT_MAX if that varies. */
static int score_params(const struct liteos_layout *layout, const uint8_t *slot, unsigned n_listed)
{
	if (n_listed < layout->n_params)
		return is_rest_zero(layout, slot, n_listed) ? 1 : -6;
	/* A last word that no event uses is padding. */
	return layout->n_params && n_listed != UINT_MAX
		       ? (is_rest_zero(layout, slot, layout->n_params - 1) ? -1 : 1)
		       : 0;
}

static int score_core(const struct liteos_layout *layout, const uint8_t *slot,
	const struct liteos_frame *frame, unsigned n_listed)
{
	enum { CORES_USUAL = 16, PARAMS_MAX = 15, HWI_IN = 0x24, HWI_OUT = 0x25 };
	const struct liteos_core core = liteos_core_of(frame->core_word, layout->is_big);
	unsigned n_expected = n_listed < layout->n_params ? n_listed : layout->n_params;
	int score = 0;

	if (!layout->has_core)
		return 0;
	if (core.reserved || core.cpu >= CORES_USUAL)
		return -12;
	if (layout->n_params <= PARAMS_MAX &&
		(core.n_params > layout->n_params || !is_rest_zero(layout, slot, core.n_params)))
		return -8;
	if (frame->type == HWI_IN || frame->type == HWI_OUT)
		score = core.interrupts ? 3 : -3;
	if (n_listed == UINT_MAX || (n_expected == 0 && core.n_params == 0))
		return score;
	return score + (core.n_params == (n_expected & PARAMS_MAX) ? 4 : -4);
}

static int score_count(const struct liteos_layout *layout, const struct before *before, uint32_t count)
{
	if (!layout->has_count || !before->is_set)
		return 0;
	if (count == before->count + 1)
		return 4;
	return count - before->count < SAMPLE_MAX ? -2 : -6;
}

/* Link registers are addresses of code: above the first page. */
static int score_registers(const struct liteos_layout *layout, const uint8_t *slot)
{
	enum { PAGE = 4096 };
	int score = 0;

	for (unsigned i = 0; i < layout->n_lr; i++) {
		uint64_t address = load_word(
			slot + layout->lr_at + (size_t)i * layout->ptr, layout->ptr, layout->is_big);

		score += address == 0 ? 0 : address < PAGE ? -4 : 1;
	}
	return score ? score : -(int)layout->n_lr;
}

/* If words have 64 bits, numbers do not use the upper half. */
static int score_width(
	const struct liteos_layout *layout, const uint8_t *slot, const struct liteos_frame *frame)
{
	unsigned numbers;
	int score = 0;

	if (layout->ptr == 4)
		return 0;
	numbers = liteos_event_numbers(frame->type, layout->variant);
	if (numbers & 1 && frame->identity >> 32)
		score -= 12;
	for (unsigned i = 0; i < layout->n_params && i + 1 < 8; i++)
		if (numbers >> (i + 1) & 1 && param_at(layout, slot, i) >> 32)
			score -= 12;
	return score;
}

static int score_slot(const struct liteos_layout *layout, const uint8_t *slot, struct before *before)
{
	struct liteos_frame frame;
	unsigned n_listed;
	int score;

	liteos_load_frame(layout, slot, layout->frame_bytes, &frame);
	n_listed = liteos_event_params(frame.type, layout->variant);
	score = score_time(before, frame.time) + score_pid(layout, slot, frame.pid) +
		score_params(layout, slot, n_listed) + score_padding(layout, slot) +
		score_core(layout, slot, &frame, n_listed) + score_count(layout, before, frame.count) +
		score_width(layout, slot, &frame);
	if (layout->n_lr)
		score += score_registers(layout, slot);
	*before = (struct before){ .is_set = true, .time = frame.time, .count = frame.count };
	return score;
}

static int64_t score_slots(
	const struct liteos_layout *layout, const uint8_t *slots, uint64_t n_slots, uint64_t *ret_n_frames)
{
	struct before before = { 0 };
	int64_t score = 0;

	*ret_n_frames = 0;
	for (uint64_t i = 0; i < n_slots && *ret_n_frames < SAMPLE_MAX; i++) {
		const uint8_t *slot = slots + i * layout->frame_bytes;

		if (!liteos_is_likely(load_u32(slot, layout->is_big))) {
			before.is_set = false;
			continue;
		}
		score += score_slot(layout, slot, &before);
		++*ret_n_frames;
	}
	return score;
}

/* --- candidates ----------------------------------------------------------------------------------------- */

/*
 * Makes the n-th combination of a frame's optional parts, simplest first, with as many params as fill
 * frame_bytes. Returns false if the settings exclude it or no kernel has it: liteos_m has pointers of 4
 * bytes, and only liteos_a has link registers.
 */
static bool make_candidate(const struct liteos_wanted *wanted, unsigned n, unsigned frame_bytes, bool is_big,
	struct liteos_layout *ret)
{
	struct liteos_layout layout = { .has_pid = !(n & 1),
		.ptr = n & 2 ? 8 : 4,
		.has_core = n & 4,
		.has_count = n & 8,
		.is_big = is_big,
		.n_lr = n & 16 ? LITEOS_LR_MAX : 0 };

	layout.variant = layout.has_pid ? LITEOS_A : layout.ptr == 8 ? LITEOS_H5 : LITEOS_M;
	if (!layout.has_pid && layout.ptr == 4 && wanted->variant == LITEOS_H5)
		layout.variant = LITEOS_H5;
	if ((wanted->variant && layout.variant != wanted->variant) ||
		(wanted->ptr && layout.ptr != wanted->ptr) ||
		!liteos_choice_allows(wanted->core, layout.has_core) ||
		!liteos_choice_allows(wanted->count, layout.has_count) ||
		(wanted->has_lr ? layout.n_lr != wanted->n_lr : layout.n_lr && !layout.has_pid))
		return false;
	liteos_layout_offsets(&layout);
	if (layout.params_at > frame_bytes)
		return false;
	layout.n_params =
		wanted->has_params ? wanted->n_params : (frame_bytes - layout.params_at) / layout.ptr;
	if (n & 32 && (wanted->has_params || layout.n_params-- == 0))
		return false; /* the last word would be padding */
	if (layout.n_params > LITEOS_PARAMS_MAX)
		return false;
	liteos_layout_offsets(&layout);
	*ret = layout;
	return layout.frame_bytes == frame_bytes;
}

/* Frames of liteos_m and Huawei LiteOS are alike, but some events exist only in Huawei LiteOS. */
static void tell_huawei(struct liteos_layout *layout, const uint8_t *slots, uint64_t n_slots)
{
	for (uint64_t i = 0; i < n_slots && layout->variant == LITEOS_M; i++)
		if (liteos_event_is_huawei(load_u32(slots + i * layout->frame_bytes, layout->is_big)))
			layout->variant = LITEOS_H5;
}

/* The kernels are shipped with three params. This decides if the sample has few frames or no frame. */
static int score_shipped(const struct liteos_layout *layout)
{
	enum { PARAMS_SHIPPED = 3 };

	return (layout->n_params == PARAMS_SHIPPED ? 4 : layout->n_params ? 0 : -8) - (layout->n_lr ? 4 : 0);
}

bool liteos_layout_find(const struct liteos_wanted *wanted, const uint8_t *slots, uint64_t n_slots,
	unsigned frame_bytes, bool is_big, struct liteos_found *ret_found)
{
	enum { N_COMBINATIONS = 64 };
	struct liteos_found found = { .score = INT64_MIN, .second = INT64_MIN };

	for (unsigned n = 0; n < N_COMBINATIONS; n++) {
		struct liteos_layout layout;
		uint64_t n_frames;
		int64_t score;

		if (!make_candidate(wanted, n, frame_bytes, is_big, &layout))
			continue;
		score = score_slots(&layout, slots, n_slots, &n_frames) + score_shipped(&layout);
		found.n_candidates++;
		found.n_frames = n_frames;
		if (score > found.score) {
			found.second = found.score;
			found.score = score;
			found.layout = layout;
		} else if (score > found.second) {
			found.second = score;
		}
	}
	if (!found.n_candidates)
		return false;
	if (wanted->variant == LITEOS_UNSURE)
		tell_huawei(&found.layout, slots, n_slots);
	*ret_found = found;
	return true;
}
