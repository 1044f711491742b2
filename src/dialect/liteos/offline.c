/* SPDX-License-Identifier: MIT */
/*
 * A buffer of LOS_TraceRecordGet() (los_trace_pri.h, struct OfflineHead), in the target's byte order:
 *
 *	 0  0x12345678, which shows the order      4  clockFreq        8  version, in truth the mode: 0 offline
 *	12  totalLen u16   14  objSize u16   16  frameSize u16   18  objOffset u16   20  frameOffset u16   22  padding
 *	24  objects, 40 bytes each: id, priority, name[32]
 *	 …  frames, as many as fit; what is left of the buffer stays 0
 *
 * All lengths have 16 bits. The kernel uses a larger buffer in full. Then totalLen is its size modulo 65536,
 * and the size of the input decides. Begin reading at liteos_offline_prepare(); offline_rows.c reads the
 * frames.
 */
#include "dialect/liteos/offline.h"

#include <inttypes.h>
#include <stdlib.h>

enum { TOTAL_AT = 12, OBJECT_SIZE_AT = 14, FRAME_SIZE_AT = 16, OBJECTS_AT = 18, FRAMES_AT = 20 };
enum { FRAME_BYTES_MIN = 24, OBJECT_FIXED_BYTES = 8, OBJECT_BYTES_MAX = 1024, MODULUS = 65536 };

static bool is_endian_word(const uint8_t *bytes, bool is_big)
{
	return load_u32(bytes, is_big) == LITEOS_ENDIAN_WORD;
}

unsigned liteos_offline_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole)
{
	bool is_big;

	(void)is_whole;
	if (n_bytes < 4 || (!is_endian_word(bytes, false) && !is_endian_word(bytes, true)))
		return 0;
	if (n_bytes < LITEOS_BUFFER_HEAD_BYTES)
		return 20;
	is_big = is_endian_word(bytes, true);
	if (load_u16(bytes + OBJECTS_AT, is_big) != LITEOS_BUFFER_HEAD_BYTES)
		return 40;
	return load_u16(bytes + OBJECT_SIZE_AT, is_big) == LITEOS_OBJECT_BYTES ? 95 : 60;
}

double liteos_offline_share(const struct liteos *liteos, const struct chunk *chunk)
{
	const struct liteos_offline *offline = liteos->offline;

	(void)chunk;
	return offline && offline->n_entries ? (double)offline->next / (double)offline->n_entries : 0;
}

void liteos_offline_done(struct liteos *liteos)
{
	if (liteos->offline)
		free(liteos->offline->entries);
	free(liteos->offline);
	liteos->offline = NULL;
}

/* --- the header ----------------------------------------------------------------------------------------- */

/* Adds damage that leaves the rest readable. It is reported in front of the events. */
static void add_gap(struct liteos_offline *offline, uint64_t at, uint64_t n_bytes, const char *what)
{
	if (offline->n_gaps < sizeof(offline->gaps) / sizeof(offline->gaps[0]))
		offline->gaps[offline->n_gaps++] = (struct rst_gap){ .marker = RST_DAMAGE,
			.offset = offline->at + at,
			.n_bytes = n_bytes,
			.what = what,
			.source = offline->source };
}

static enum rst_status load_head(
	struct liteos_offline *offline, const uint8_t *bytes, size_t n_bytes, struct rst_error *err)
{
	bool is_big;

	if (n_bytes < LITEOS_BUFFER_HEAD_BYTES)
		return error_set(err, RST_E_DAMAGED, n_bytes,
			"the header of a trace buffer has %d bytes, and here are %zu",
			LITEOS_BUFFER_HEAD_BYTES, n_bytes);
	is_big = is_endian_word(bytes, true);
	if (!is_big && !is_endian_word(bytes, false))
		return error_set(err, RST_E_DAMAGED, 0,
			"a trace buffer begins with 0x12345678, not with 0x%08x", load_u32(bytes, false));
	offline->layout.is_big = is_big;
	offline->clock = load_u32(bytes + 4, is_big);
	offline->version = load_u32(bytes + 8, is_big);
	offline->total_bytes = load_u16(bytes + TOTAL_AT, is_big);
	offline->object_bytes = load_u16(bytes + OBJECT_SIZE_AT, is_big);
	offline->frame_bytes = load_u16(bytes + FRAME_SIZE_AT, is_big);
	offline->objects_at = load_u16(bytes + OBJECTS_AT, is_big);
	offline->slots_at = load_u16(bytes + FRAMES_AT, is_big);
	return RST_OK;
}

/*
 * Whether the header's frame size is possible: a multiple of the alignment of time, with room for the parts
 * that all frames have.
 */
static bool has_frame_size(const struct liteos_offline *offline)
{
	return offline->frame_bytes >= FRAME_BYTES_MIN && offline->frame_bytes % 8 == 0;
}

/*
 * Whether a further buffer follows at totalLen, or at totalLen plus a multiple of 65536: at the nearest such
 * place that has all marks of a header.
 */
static bool find_follower(const uint8_t *bytes, size_t n_bytes, uint64_t total, uint64_t *ret_length)
{
	enum { SURE = 95 };

	for (uint64_t at = total; at + LITEOS_BUFFER_HEAD_BYTES <= n_bytes; at += MODULUS)
		if (liteos_offline_probe(bytes + at, n_bytes - at, true) >= SURE) {
			*ret_length = at;
			return true;
		}
	return false;
}

/* Finds where the buffer ends: its length is totalLen, or totalLen plus a multiple of 65536. */
static void buffer_measure(struct liteos_offline *offline, const uint8_t *bytes, size_t n_bytes)
{
	const uint64_t total = offline->total_bytes;
	uint64_t length = n_bytes;

	if (total > offline->slots_at && find_follower(bytes, n_bytes, total, &length)) {
		offline->n_behind = n_bytes - length;
		offline->n_bytes = length;
		return;
	}
	if (total > offline->slots_at && n_bytes >= total)
		length = total + (n_bytes - total) / MODULUS * MODULUS;
	if (length < n_bytes && has_frame_size(offline)) {
		const bool is_big = offline->layout.is_big;
		const uint64_t last = (length - offline->slots_at) / offline->frame_bytes;
		const uint64_t next = offline->slots_at + last * offline->frame_bytes;

		/* If frames go on behind the end, the length is wrong. */
		if (n_bytes - next >= offline->frame_bytes &&
			liteos_is_likely(load_u32(bytes + next, is_big)))
			length = n_bytes;
	}
	offline->n_trailing = n_bytes - length;
	offline->n_bytes = length;
}

/* The header's lengths must agree with each other; a length that cannot be used is damage. */
static enum rst_status check_head(struct liteos_offline *offline, struct rst_error *err)
{
	if (offline->slots_at < LITEOS_BUFFER_HEAD_BYTES || offline->slots_at > offline->n_bytes)
		return error_set(err, RST_E_DAMAGED, FRAMES_AT,
			"frameOffset %u is not in the buffer of %" PRIu64 " bytes", offline->slots_at,
			offline->n_bytes);
	if (offline->objects_at < LITEOS_BUFFER_HEAD_BYTES || offline->objects_at > offline->slots_at) {
		add_gap(offline, OBJECTS_AT, 2, "objOffset does not lie between the header and the frames");
		offline->objects_at = offline->slots_at;
	}
	if (offline->objects_at < offline->slots_at &&
		(offline->object_bytes <= OBJECT_FIXED_BYTES || offline->object_bytes > OBJECT_BYTES_MAX)) {
		add_gap(offline, OBJECT_SIZE_AT, 2, "objSize is no size of an object");
		offline->objects_at = offline->slots_at;
	}
	if (offline->objects_at < offline->slots_at)
		offline->n_objects =
			(uint64_t)(offline->slots_at - offline->objects_at) / offline->object_bytes;
	if (offline->total_bytes <= offline->slots_at && offline->n_bytes < MODULUS)
		add_gap(offline, TOTAL_AT, 2, "totalLen does not reach to the frames");
	return RST_OK;
}

/* --- the layout ----------------------------------------------------------------------------------------- */

static bool find_for_size(
	struct liteos_offline *offline, const struct liteos_wanted *wanted, unsigned frame_bytes)
{
	const uint64_t n_left = offline->n_bytes - offline->slots_at;

	return liteos_layout_find(wanted, offline->bytes + offline->slots_at, n_left / frame_bytes,
		frame_bytes, offline->layout.is_big, &offline->found);
}

/* Replaces an impossible frameSize by the size whose frames read best, in points per frame. */
static bool find_size(struct liteos_offline *offline, const struct liteos_wanted *wanted)
{
	enum { SIZE_MAX_TRIED = 256 };
	struct liteos_found best = { .score = INT64_MIN };

	for (unsigned size = FRAME_BYTES_MIN; size <= SIZE_MAX_TRIED; size += 8)
		if (find_for_size(offline, wanted, size) && offline->found.n_frames &&
			offline->found.score > best.score)
			best = offline->found;
	offline->found = best;
	return best.score > 0;
}

/* Adds damage for the part of the buffer that the input lacks, from the cut frame on. */
static void check_end(struct liteos_offline *offline)
{
	const uint64_t end = offline->slots_at + offline->n_slots * offline->layout.frame_bytes;

	if (offline->n_bytes < offline->total_bytes)
		add_gap(offline, end, offline->total_bytes - end, "the buffer is cut");
}

static enum rst_status find_layout(
	struct liteos_offline *offline, const struct liteos_wanted *wanted, struct rst_error *err)
{
	const bool is_size = has_frame_size(offline);

	if (!is_size || !find_for_size(offline, wanted, offline->frame_bytes)) {
		if (is_size) {
			error_set(err, RST_E_DAMAGED, FRAME_SIZE_AT,
				"no layout that is wanted has frames of %u bytes", offline->frame_bytes);
			error_advise(err, "leave out --opt, or give the target's");
			return RST_E_DAMAGED;
		}
		if (!find_size(offline, wanted))
			return error_set(err, RST_E_DAMAGED, FRAME_SIZE_AT,
				"frameSize %u is no size of a frame", offline->frame_bytes);
		add_gap(offline, FRAME_SIZE_AT, 2, "frameSize is no size of a frame; another one fits");
	}
	offline->layout = offline->found.layout;
	offline->n_slots = (offline->n_bytes - offline->slots_at) / offline->layout.frame_bytes;
	if (offline->n_slots > UINT32_MAX)
		offline->n_slots = UINT32_MAX;
	check_end(offline);
	return RST_OK;
}

static bool warn_layout(const struct liteos_offline *offline, struct model *model)
{
	const struct liteos_found *found = &offline->found;

	if (found->n_candidates < 2 || (found->n_frames && found->score > found->second))
		return true;
	return model_warn(model,
		"%u bytes a frame can be laid out in %" PRIu64
		" ways, and %s; --opt variant= ptr= core= count= "
		"tell which it is",
		offline->layout.frame_bytes, found->n_candidates,
		found->n_frames ? "two fit as well" : "there is no frame to tell by");
}

/* --- objects and details -------------------------------------------------------------------------------- */

static bool take_objects(
	struct liteos *liteos, struct model *model, struct liteos_offline *offline, bool *ret_is_tagged)
{
	const bool is_big = offline->layout.is_big;

	for (uint64_t i = 0; i < offline->n_objects; i++) {
		const uint8_t *at = offline->bytes + offline->objects_at + i * offline->object_bytes;
		const uint32_t id = load_u32(at, is_big), priority = load_u32(at + 4, is_big);

		if (!id && !priority && !at[OBJECT_FIXED_BYTES])
			continue; /* never written */
		*ret_is_tagged |= id > UINT16_MAX;
		if (!liteos_add_object(liteos, model, id, priority, at + OBJECT_FIXED_BYTES,
			    offline->object_bytes - (size_t)OBJECT_FIXED_BYTES))
			return false;
	}
	return true;
}

static bool details_found(struct model *model, const struct liteos_found *found)
{
	return model_detail_number(model, "layout_score", found->score > 0 ? (uint64_t)found->score : 0) &&
	       model_detail_number(model, "layout_frames", found->n_frames) &&
	       model_detail_number(model, "layout_candidates", found->n_candidates);
}

static bool buffer_details(struct model *model, const struct liteos_offline *offline, bool is_tagged)
{
	return model_detail_text(model, "form", "offline") &&
	       model_detail_number(
		       model, "file_size", offline->n_bytes + offline->n_behind + offline->n_trailing) &&
	       liteos_layout_details(model, &offline->layout) && details_found(model, &offline->found) &&
	       model_detail_hex(model, "bigLittleEndian", LITEOS_ENDIAN_WORD) &&
	       model_detail_number(model, "clockFreq", offline->clock) &&
	       model_detail_number(model, "version", offline->version) &&
	       model_detail_number(model, "totalLen", offline->total_bytes) &&
	       model_detail_number(model, "objSize", offline->object_bytes) &&
	       model_detail_number(model, "frameSize", offline->frame_bytes) &&
	       model_detail_number(model, "objOffset", offline->objects_at) &&
	       model_detail_number(model, "frameOffset", offline->slots_at) &&
	       model_detail_number(model, "maxObjCount", offline->n_objects) &&
	       model_detail_number(model, "maxRecordCount", offline->n_slots) &&
	       model_detail_number(model, "used_slots", offline->n_frames) &&
	       model_detail_bool(model, "wrapped", offline->n_slots && !offline->n_empty) &&
	       model_detail_number(
		       model, "CurEvtIndex", offline->n_empty ? offline->n_frames : offline->oldest_slot) &&
	       (!offline->layout.has_count || !offline->n_frames ||
		       model_detail_number(model, "earlier_events", liteos_oldest_count(offline))) &&
	       model_detail_number(model, "time_inversions", offline->n_inversions) &&
	       model_detail_bool(model, "ids_are_generation_tagged", is_tagged) &&
	       model_detail_number(model, "trailing_bytes", offline->n_trailing);
}

/* Time counts from the earliest stamp. Because of an interrupt, that may be behind the first frame. */
static bool take_time(struct liteos *liteos, const struct liteos_offline *offline, struct model *model)
{
	model->clock_bits = 64;
	if (!liteos_take_clock(liteos, model, offline->clock))
		return false;
	if (!offline->n_frames || offline->is_anew || liteos->clock.is_shifted ||
		(model->has_first_ticks && model->first_ticks <= offline->least_time))
		return true;
	model->has_first_ticks = true;
	model->first_ticks = offline->least_time;
	if (!liteos->n_good)
		model->last_ticks = model->first_ticks; /* the time of a marker in front of all events */
	return true;
}

enum rst_status liteos_offline_prepare(struct liteos *liteos, struct model *model, const struct chunk *chunk,
	struct liteos_offline *offline, struct rst_error *err)
{
	bool is_tagged = false;

	*offline = (struct liteos_offline){ .bytes = chunk->bytes,
		.source = chunk->source,
		.at = liteos->buffer_at,
		.before = liteos->greatest_time };
	error_try(load_head(offline, chunk->bytes, chunk->n_bytes, err));
	buffer_measure(offline, chunk->bytes, chunk->n_bytes);
	error_try(check_head(offline, err));
	error_try(find_layout(offline, &liteos->wanted, err));
	if (!liteos_use_layout(liteos, &offline->layout))
		return error_set(err, RST_E_DAMAGED, 0, "too many buffers with different layouts");
	liteos_forget_interrupts(liteos);
	if (!liteos_order(offline, liteos->in_file_order) || !warn_layout(offline, model) ||
		!take_objects(liteos, model, offline, &is_tagged) ||
		(!liteos->n_good && !buffer_details(model, offline, is_tagged)))
		return error_nomem(err);
	/* A later buffer of the same run has the newest frame of the buffer before, or only newer frames. */
	offline->is_anew = liteos->n_good && offline->n_frames && !offline->has_before &&
			   offline->least_time < offline->before;
	if (!take_time(liteos, offline, model))
		return error_nomem(err);
	liteos->n_good++;
	return RST_OK;
}
