/* SPDX-License-Identifier: MIT */
/*
 * The one look at every slot before the first row: how many events each run has, which way the clock runs and where
 * it wraps, and which objects are created and deleted where. It reads three words of each entry and keeps nothing.
 *
 * Direction: TraceX counts rises and falls between neighbours, from the third entry on, and takes the majority. So
 * do we, but a tie means up.
 *
 * Wrap: at the mask, unless reported otherwise. The Linux ports stamp with the nanoseconds of the second and still give
 * a mask of 32 bits; that is guessed when no stamp reaches 10^9 and every fall is one of more than half a second.
 *
 * Damage: the format has no checksum, but a stamp that one bit takes far away from those on both sides, which are close
 * to each other, and an event of number 0 are worth a note.
 */
#include "dialect/threadx/threadx.h"

#include <inttypes.h>

#define NS_PER_SECOND 1000000000U

enum { ID_RESUME = 1, ID_SUSPEND = 2 };

/* What each entry changes; while a run is looked at, it is in registers. */
struct stamps {
	uint64_t n_events;
	uint64_t n_rises, n_falls;
	uint64_t n_far, n_near; /* falls of more than half a second, and of less */
	uint64_t first, last, largest;
	uint64_t last_but_one;
	uint64_t n_flipped; /* with a wrong bit, as it seems */
	uint64_t n_zero;    /* events of number 0 */
	bool has_risen;	    /* to the last stamp */
};

struct survey {
	struct stamps stamps;
	struct clock clocks[TX_N_CLOCKS];
	bool wants_clocks; /* only reading in the file's order starts in the middle of time */
	struct tx_life {   /* what is to be known of an event before the first row is given */
		enum { LIFE_NONE, LIFE_BORN, LIFE_DEAD, LIFE_SWITCHES } what;
		unsigned word; /* the information word with the object that is created or deleted */
		enum rst_object_kind kind;
	} lives[TX_KNOWN_IDS];
	bool has_switches; /* internal resumes or suspends: the filter of tracing may leave them out */
};

static void survey_lives(struct survey *survey, bool is_old_netx)
{
	for (uint32_t id = 0; id < TX_KNOWN_IDS; id++) {
		const struct tx_event *event = tx_event_find(id, is_old_netx);
		struct tx_life *life = &survey->lives[id];
		unsigned word;

		if (!event)
			continue;
		life->what = tx_event_has(event, RST_EFFECT_CREATE, &word)   ? LIFE_BORN
			     : tx_event_has(event, RST_EFFECT_DELETE, &word) ? LIFE_DEAD
									     : LIFE_NONE;
		if (life->what) {
			life->word = word;
			life->kind = event->fields[word].kind;
		}
	}
	survey->lives[ID_RESUME].what = survey->lives[ID_SUSPEND].what = LIFE_SWITCHES;
}

static bool survey_life(struct survey *survey, struct threadx *tx, struct model *model,
	const struct tx_image *image, const uint8_t *slot, const struct tx_life *life, uint64_t seq)
{
	if (life->what == LIFE_SWITCHES) { /* the first one is enough */
		survey->has_switches = true;
		survey->lives[ID_RESUME].what = survey->lives[ID_SUSPEND].what = LIFE_NONE;
		return true;
	}
	const uint64_t address = tx_word(image, slot, TX_ENTRY_INFO + life->word);

	return life->what == LIFE_BORN ? tx_objects_born(tx, model, address, life->kind, seq)
				       : tx_objects_dead(tx, model, address, life->kind, seq);
}

/* Whether a high bit of stamp is all that keeps it from lying between two stamps that are close to each other. */
static __attribute__((noinline)) bool is_flipped(
	uint64_t before, uint64_t stamp, uint64_t after, uint64_t mask)
{
	enum { CLOSE_SHIFT = 12, HIGH_SHIFT = 8, LEAST_BITS = 24 }; /* of the mask */
	uint64_t low = before < after ? before : after, high = before < after ? after : before;

	if (mask >> (LEAST_BITS - 1) == 0 || high - low > mask >> CLOSE_SHIFT ||
		(stamp >= low && stamp <= high))
		return false;
	for (uint64_t bit = mask & ~(mask >> 1); bit > mask >> HIGH_SHIFT; bit >>= 1)
		if ((stamp ^ bit) >= low && (stamp ^ bit) <= high)
			return true;
	return false;
}

static inline __attribute__((always_inline)) void stamps_see(
	struct stamps *stamps, uint64_t stamp, uint64_t mask)
{
	uint64_t last = stamps->last;
	bool rises = stamp > last;

	if (__builtin_expect(stamps->n_events < 2, 0)) {
		if (stamps->n_events == 0)
			stamps->first = last = stamp;
	} else {
		stamps->n_rises += rises;
		if (__builtin_expect(rises != stamps->has_risen, 0))
			stamps->n_flipped += is_flipped(stamps->last_but_one, last, stamp, mask);
		stamps->n_falls += stamp < last;
	}
	if (__builtin_expect(stamp < last, 0)) {
		stamps->n_far += last - stamp > NS_PER_SECOND / 2;
		stamps->n_near += last - stamp > NS_PER_SECOND / 256 && last - stamp <= NS_PER_SECOND / 2;
	}
	stamps->has_risen = rises;
	stamps->largest = stamp > stamps->largest ? stamp : stamps->largest;
	stamps->last_but_one = stamps->last;
	stamps->last = stamp;
}

static __attribute__((noinline)) void clocks_see(struct survey *survey, uint64_t stamp)
{
	for (size_t i = 0; i < TX_N_CLOCKS; i++) {
		struct clock *clock = &survey->clocks[i];

		clock_ticks(clock, clock->modulus ? stamp % clock->modulus : stamp);
	}
}

/* Called with constant word and is_big, so that each layout has a loop of its own. */
static inline __attribute__((always_inline)) bool survey_run_as(struct survey *survey, struct threadx *tx,
	struct model *model, const struct tx_run *run, unsigned word, bool is_big)
{
	const struct tx_image *image = &tx->images[run->image];
	const uint64_t mask = image->timer_mask;
	const uint8_t *slot = tx_image_slot(image, run->first), *end = slot + run->n_slots * 8 * word;
	const bool wants_clocks = survey->wants_clocks;
	struct stamps stamps = survey->stamps;
	bool is_good = true;

	for (; slot < end && is_good; slot += (size_t)8 * word) {
		if (load_word(slot + (size_t)TX_ENTRY_THREAD * word, word, is_big) == 0)
			continue;
		uint64_t id = load_word(slot + (size_t)TX_ENTRY_ID * word, word, is_big) & 0xffff;
		uint64_t stamp = load_word(slot + (size_t)TX_ENTRY_STAMP * word, word, is_big) & mask;

		stamps_see(&stamps, stamp, mask);
		if (__builtin_expect(wants_clocks, 0))
			clocks_see(survey, stamp);
		stamps.n_zero += id == 0;
		if (id < tx->n_listed_ids && __builtin_expect(survey->lives[id].what, 0))
			is_good = survey_life(
				survey, tx, model, image, slot, &survey->lives[id], stamps.n_events);
		stamps.n_events++;
	}
	survey->stamps = stamps;
	return is_good;
}

static bool survey_run(
	struct survey *survey, struct threadx *tx, struct model *model, const struct tx_run *run)
{
	struct tx_layout layout = tx->images[run->image].layout;

	if (layout.word == 4)
		return layout.is_big ? survey_run_as(survey, tx, model, run, 4, true)
				     : survey_run_as(survey, tx, model, run, 4, false);
	return layout.is_big ? survey_run_as(survey, tx, model, run, 8, true)
			     : survey_run_as(survey, tx, model, run, 8, false);
}

static unsigned mask_bits(uint64_t mask)
{
	return 64 - (unsigned)__builtin_clzll(mask);
}

static uint64_t mask_modulus(uint64_t mask)
{
	return mask_bits(mask) == 64 ? 0 : (uint64_t)1 << mask_bits(mask);
}

static bool survey_decide(const struct survey *survey, struct threadx *tx, struct model *model)
{
	uint64_t mask = tx->images[0].timer_mask;
	bool is_down = tx->direction == TX_GOES_DOWN ||
		       (tx->direction == TX_FIND_OUT && survey->stamps.n_falls > survey->stamps.n_rises);
	bool is_second = !tx->wrap && !is_down && mask == UINT32_MAX &&
			 survey->stamps.largest < NS_PER_SECOND && survey->stamps.n_far &&
			 !survey->stamps.n_near;

	tx->clock = is_second ? TX_CLOCK_SECOND : is_down ? TX_CLOCK_DOWN : TX_CLOCK_UP;
	tx->modulus = is_second ? NS_PER_SECOND : tx->wrap ? tx->wrap : mask_modulus(mask);
	tx->is_wrap_guessed = is_second;
	model->has_first_ticks = survey->stamps.n_events != 0;
	model->first_ticks = tx->modulus ? survey->stamps.first % tx->modulus : survey->stamps.first;
	model->last_ticks = model->first_ticks; /* where a marker in front of all events stands */
	model->clock_bits = mask_bits(mask);
	model->clock_is_down = is_down;
	model->has_switches = survey->has_switches;
	if (is_second &&
		!model_warn(model,
			"time stamps are taken to wrap at 1000000000, as those of the Linux ports do, "
			"not at the mask 0xffffffff; --opt wrap=N overrides"))
		return false;
	return !is_down || tx->direction != TX_FIND_OUT ||
	       model_warn(model,
		       "the clock is taken to run down, as most stamps fall; --opt direction=up overrides");
}

static bool survey_doubt(const struct survey *survey, struct model *model)
{
	const char *damaged = "the dump may be damaged";

	if (survey->stamps.n_flipped &&
		!model_warn(model,
			"time stamps with one bit that those around them do not allow: %" PRIu64 "; %s",
			survey->stamps.n_flipped, damaged))
		return false;
	return survey->stamps.n_zero == 0 ||
	       model_warn(model, "events with the number 0, which ThreadX does not record: %" PRIu64 "; %s",
		       survey->stamps.n_zero, damaged);
}

bool tx_survey(struct threadx *tx, struct model *model)
{
	struct survey survey = { .wants_clocks = tx->in_file_order };
	uint64_t modulus = tx->wrap ? tx->wrap : mask_modulus(tx->images[0].timer_mask);

	survey_lives(&survey, tx->is_old_netx);
	clock_init(&survey.clocks[TX_CLOCK_UP], modulus, false);
	clock_init(&survey.clocks[TX_CLOCK_DOWN], modulus, true);
	clock_init(&survey.clocks[TX_CLOCK_SECOND], NS_PER_SECOND, false);
	for (size_t i = 0; i < tx->n_runs; i++) {
		struct tx_run *run = &tx->runs[i];
		bool is_first = i == 0 || run[-1].image != run->image;

		run->seq = survey.stamps.n_events;
		memcpy(run->clocks, survey.clocks, sizeof(run->clocks));
		if (is_first &&
			!tx_objects_register(tx, model, &tx->images[run->image], survey.stamps.n_events))
			return false;
		if (run->n_slots && !survey_run(&survey, tx, model, run))
			return false;
	}
	return survey_decide(&survey, tx, model) && survey_doubt(&survey, model);
}
