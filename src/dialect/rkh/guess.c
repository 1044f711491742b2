/* SPDX-License-Identifier: MIT */
/*
 * Guesses the target of a file or link that begins in the middle of a stream, before an announcement. The
 * lengths of frames show whether they have senders and low marks; a later announcement may fit them, too. A
 * guess never replaces a setting of the user, and needs checksums, which separate frames from garbage.
 */
#include <stdlib.h>

#include "dialect/rkh/rkh.h"

enum {
	OPTIONAL = 3,
	COMBINATIONS = 1 << OPTIONAL,
	CANDIDATES = COMBINATIONS + 1,
	FRAMES_MAX = 2000,
	SURE_PERCENT = 95,
	/*
	 * For a link: the guess waits for at most so many bytes or frames, and for at least LINK_FRAMES_MIN
	 * frames.
	 */
	LINK_BYTES_MAX = 4096,
	LINK_FRAMES_MAX = 64,
	LINK_FRAMES_MIN = 8
};

struct guess {
	const struct rkh *rkh;
	uint8_t *frame;
	struct rkh_bindings *candidates; /* all combinations, then the later announcement */
	size_t n_candidates, current;	 /* current: the one in force */
	uint64_t n_fit[CANDIDATES];
	uint64_t n_frames; /* with a right checksum, before the first announcement */
};

/* Returns true if this is an announcement. It becomes a candidate; frames behind it need no guess. */
static bool guess_is_announcement(struct guess *guess, const uint8_t *at, const uint8_t *end)
{
	struct rkh_config config;
	uint8_t sum = 0;
	bool is_aborted;
	size_t n_bytes;

	if (end - at > RKH_STUFFED_MAX)
		return false;
	n_bytes = rkh_unstuff(guess->frame, at, end, &sum, &is_aborted);
	if (is_aborted ||
		!rkh_config_parse(&config, guess->rkh->given & 1 ? &guess->rkh->config.layout : NULL,
			guess->frame, n_bytes, sum == 0))
		return false;
	rkh_config_override(guess->rkh, &config.layout);
	rkh_bindings_init(&guess->candidates[guess->n_candidates++], &config.layout);
	return true;
}

static void guess_count(struct guess *guess, const uint8_t *at, const uint8_t *end)
{
	uint8_t sum = 0;
	bool is_aborted;
	size_t n_bytes;

	if (end == at || end - at > RKH_STUFFED_MAX)
		return;
	n_bytes = rkh_unstuff(guess->frame, at, end, &sum, &is_aborted);
	if (is_aborted || sum != 0)
		return;
	guess->n_frames++;
	for (size_t i = 0; i < guess->n_candidates; i++)
		guess->n_fit[i] += rkh_frame_fits(&guess->candidates[i], guess->frame, n_bytes);
}

/*
 * Finds the first announcement, then counts frames before it, up to FRAMES_MAX. The bytes begin behind a
 * flag.
 */
static void guess_all(struct guess *guess, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *end = bytes + n_bytes, *at = bytes, *next;

	for (; at < end; at = next + 1) {
		next = rkh_find_flag(at, end);
		if (next == end)
			break;
		if (rkh_config_is_id(at, (size_t)(next - at), 0) && guess_is_announcement(guess, at, next))
			break;
	}
	end = at;
	for (at = bytes; at < end && guess->n_frames < FRAMES_MAX; at = next + 1) {
		next = rkh_find_flag(at, end);
		if (next == end)
			break;
		guess_count(guess, at, next);
	}
}

static void guess_combine(struct guess *guess)
{
	const struct rkh_layout *now = &guess->rkh->config.layout;

	for (unsigned i = 0; i < COMBINATIONS; i++) {
		struct rkh_layout layout = *now;

		layout.has_sender = i & 1;
		layout.has_queue_low = i >> 1 & 1;
		layout.has_pool_low = i >> 2 & 1;
		rkh_config_override(guess->rkh, &layout);
		rkh_bindings_init(&guess->candidates[i], &layout);
	}
	guess->n_candidates = COMBINATIONS;
	guess->current =
		(size_t)now->has_sender | (size_t)now->has_queue_low << 1 | (size_t)now->has_pool_low << 2;
}

/* How much a candidate differs from the layout in force. An announcement differs more than most guesses. */
static unsigned stamp_distance(const struct guess *guess, size_t candidate)
{
	return candidate == COMBINATIONS ? OPTIONAL
					 : (unsigned)__builtin_popcountl(candidate ^ guess->current);
}

/*
 * Returns the best candidate if nearly all frames fit it, else the layout in force. Among equals the nearest
 * is best.
 */
static size_t best_of(const struct guess *guess)
{
	size_t best = guess->current;

	for (size_t i = 0; i < guess->n_candidates; i++)
		if (guess->n_fit[i] > guess->n_fit[best] ||
			(guess->n_fit[i] == guess->n_fit[best] &&
				stamp_distance(guess, i) < stamp_distance(guess, best)))
			best = i;
	return guess->n_fit[best] * 100 >= guess->n_frames * SURE_PERCENT ? best : guess->current;
}

static bool guess_use(
	struct rkh *rkh, struct model *model, const struct rkh_layout *layout, bool is_announced)
{
	bool has_other_clock = layout->stamp != rkh->config.layout.stamp ||
			       layout->has_stamp != rkh->config.layout.has_stamp;

	rkh->config.layout = *layout;
	if (has_other_clock)
		rkh_config_clock(rkh, model);
	if (!rkh_bind_layout(rkh, model, layout))
		return false;
	if (is_announced)
		return model_warn(model, "frames before the first configuration frame are read as it says");
	return model_warn(model,
		"no configuration frame was seen; by the lengths of frames the target was built with "
		"sender=%u "
		"quelwm=%u mplwm=%u",
		layout->has_sender, layout->has_queue_low, layout->has_pool_low);
}

static bool guess_open(struct guess *guess, const struct rkh *rkh)
{
	*guess = (struct guess){ .rkh = rkh, .frame = malloc(RKH_STUFFED_MAX) };
	guess->candidates = calloc(CANDIDATES, sizeof(*guess->candidates));
	if (!guess->frame || !guess->candidates)
		return false;
	guess_combine(guess);
	return true;
}

static void guess_close(struct guess *guess)
{
	free(guess->frame);
	free(guess->candidates);
}

static bool is_enough(const struct guess *guess, size_t n_bytes)
{
	return n_bytes >= LINK_BYTES_MAX || guess->n_frames >= LINK_FRAMES_MAX ||
	       guess->n_candidates > COMBINATIONS ||
	       (guess->n_frames >= LINK_FRAMES_MIN && best_of(guess) != guess->current);
}

bool rkh_guess_some(struct rkh *rkh, struct model *model, const uint8_t *bytes, size_t n_bytes, bool is_all,
	bool *ret_is_decided)
{
	struct guess guess;
	bool is_good = guess_open(&guess, rkh);

	if (is_good) {
		size_t best;

		guess_all(&guess, bytes, n_bytes);
		best = best_of(&guess);
		*ret_is_decided = is_all || is_enough(&guess, n_bytes);
		if (*ret_is_decided && best != guess.current)
			is_good = guess_use(rkh, model, &guess.candidates[best].layout, best == COMBINATIONS);
	}
	guess_close(&guess);
	return is_good;
}

bool rkh_guess(struct rkh *rkh, struct model *model, const uint8_t *bytes, size_t n_bytes)
{
	const uint8_t *end, *flag;
	bool is_decided;

	if (rkh->is_announced || !rkh->config.layout.has_checksum || n_bytes == 0)
		return true;
	end = bytes + n_bytes;
	flag = rkh_find_flag(bytes, end);
	if (flag < end)
		flag++;
	return rkh_guess_some(rkh, model, flag, (size_t)(end - flag), true, &is_decided);
}

bool rkh_guess_explains(const struct rkh *rkh, const uint8_t *frame, size_t n_bytes)
{
	struct guess guess;
	bool is_explained = false;

	if (guess_open(&guess, rkh))
		for (size_t i = 0; i < COMBINATIONS && !is_explained; i++)
			is_explained = rkh_frame_fits(&guess.candidates[i], frame, n_bytes);
	guess_close(&guess);
	return is_explained;
}
