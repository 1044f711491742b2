/* SPDX-License-Identifier: MIT */
/*
 * The one pass over every slot before the first row. It finds how many events each run has, which way the
 * clock runs and where it wraps, and where objects are created and deleted. It reads three words of each
 * entry and keeps nothing. If parts are wanted (marks.h), it records them in the same pass, because a second
 * pass would wait for the memory once more.
 *
 * Nearly all events are plain: their ids do not matter to the survey, their stamps go on as before
 * (stamps.h), and the parts have met their types and contexts. A loop of a few comparisons finds them; all
 * others go through survey_slot().
 *
 * Wrap: at the mask, unless the user sets another one. The Linux ports stamp with the nanoseconds of the
 * second, but still give a mask of 32 bits. The survey assumes such a port if no stamp reaches 10^9 and every
 * fall is one of more than half a second.
 *
 * Damage: the format has no checksum, but stamps with a wrong bit and events of number 0 give a note.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "dialect/threadx/marks.h"

#define NS_PER_SECOND 1000000000U

enum { ID_RESUME = 1, ID_SUSPEND = 2 };

/*
 * The pass waits for memory: processors prefetch the next bytes by themselves, but not beyond the end of a
 * page.
 */
enum { FETCH_AHEAD = 4096 };

struct survey {
	struct threadx *tx;
	struct model *model;
	struct tx_stamps stamps;
	uint64_t n_zero; /* events of number 0 */
	struct clock clocks[TX_N_CLOCKS];
	uint64_t latest[TX_N_CLOCKS]; /* the greatest ticks of each */
	bool wants_clocks;	      /* only reading in the file's order starts in the middle of time */
	struct tx_life {	      /* the facts of an event that are needed before the first row */
		enum { LIFE_NONE, LIFE_BORN, LIFE_DEAD, LIFE_SWITCHES } what;
		unsigned word; /* the information word with the object that is created or deleted */
		enum rst_object_kind kind;
	} lives[TX_KNOWN_IDS];
	bool has_switches;    /* internal resumes or suspends: the filter of tracing may leave them out */
	bool is_dull[TX_IDS]; /* the survey needs no fact of an event of this id, and its type was met */
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

static bool survey_life(struct survey *survey, const struct tx_image *image, const uint8_t *slot,
	const struct tx_life *life, uint64_t seq)
{
	if (life->what == LIFE_SWITCHES) { /* the first one is enough */
		survey->has_switches = true;
		survey->lives[ID_RESUME].what = survey->lives[ID_SUSPEND].what = LIFE_NONE;
		return true;
	}
	const uint64_t address = tx_word(image, slot, TX_ENTRY_INFO + life->word);

	return life->what == LIFE_BORN ? tx_objects_born(survey->tx, survey->model, address, life->kind, seq)
				       : tx_objects_dead(survey->tx, survey->model, address, life->kind, seq);
}

static void clocks_see(struct survey *survey, uint64_t stamp)
{
	for (size_t i = 0; i < TX_N_CLOCKS; i++) {
		struct clock *clock = &survey->clocks[i];
		const uint64_t ticks = clock_ticks(clock, clock->modulus ? stamp % clock->modulus : stamp);

		survey->latest[i] = ticks > survey->latest[i] ? ticks : survey->latest[i];
	}
}

/* Which steps of the next event are plain. */
static struct tx_plain_steps survey_plain(const struct survey *survey)
{
	if (survey->wants_clocks)
		return (struct tx_plain_steps){ 0 };
	return survey->tx->parts.marking ? tx_marks_plain(&survey->tx->parts, &survey->stamps)
					 : tx_stamps_plain(&survey->stamps, INT64_MAX, true);
}

/* Takes n plain events; the last one is in front of this slot. */
static void survey_pass(struct survey *survey, const struct tx_image *image, const uint8_t *slot, uint64_t n)
{
	const uint8_t *last = slot - image->entry_bytes;
	uint64_t before = survey->stamps.last;

	if (n == 0)
		return;
	if (n > 1)
		before = tx_word(image, last - image->entry_bytes, TX_ENTRY_STAMP) & image->timer_mask;
	tx_stamps_pass(&survey->stamps, n, before, tx_word(image, last, TX_ENTRY_STAMP) & image->timer_mask);
	if (survey->tx->parts.marking)
		tx_marks_pass(&survey->tx->parts, n);
}

/* Takes slots without an event. Returns the slot behind them. */
static __attribute__((noinline)) const uint8_t *survey_empty(
	struct survey *survey, const struct tx_image *image, const uint8_t *slot, const uint8_t *end)
{
	while (slot < end && tx_word(image, slot, TX_ENTRY_THREAD) == 0)
		slot += image->entry_bytes;
	if (survey->tx->parts.marking)
		tx_marks_empty(survey->tx->parts.marking);
	return slot;
}

/* Takes the next event, whatever it is. Returns false if memory ran out. */
static __attribute__((noinline)) bool survey_slot(
	struct survey *survey, const struct tx_image *image, const uint8_t *slot)
{
	struct tx_parts *parts = &survey->tx->parts;
	const uint64_t stamp = tx_word(image, slot, TX_ENTRY_STAMP) & image->timer_mask;
	const uint64_t before = survey->stamps.last, seq = survey->stamps.n_events;
	const size_t n_objects = survey->model->objects.n_all;
	const uint32_t id = (uint32_t)tx_word(image, slot, TX_ENTRY_ID) & 0xffff;
	const bool has_life = id < survey->tx->n_listed_ids && survey->lives[id].what;

	tx_stamps_see(&survey->stamps, stamp, image->timer_mask);
	if (survey->wants_clocks)
		clocks_see(survey, stamp);
	survey->n_zero += id == 0;
	if (has_life && !survey_life(survey, image, slot, &survey->lives[id], seq))
		return false;
	if (parts->marking)
		tx_marks_see(parts, image, slot, before, survey->model->objects.n_all != n_objects);
	survey->is_dull[id] = !has_life && id != 0;
	return true;
}

/*
 * Slots from *from to `to` of a run. Called with constant word, is_big and marks, so that each layout has
 * loops of its own. Returns false if memory ran out. If the trace turns out to have no parts, *from is where
 * it stopped.
 */
static inline __attribute__((always_inline)) bool survey_slots_as(struct survey *survey,
	const struct tx_run *run, uint64_t *from, uint64_t to, const unsigned word, const bool is_big,
	const bool marks)
{
	const struct tx_image *image = &survey->tx->images[run->image];
	struct tx_marking *marking = survey->tx->parts.marking;
	const uint64_t mask = image->timer_mask;
	const size_t slot_bytes = (size_t)8 * word;
	const uint8_t *const begin = tx_image_slot(image, run->first), *const end = begin + to * slot_bytes;
	const uint8_t *slot = begin + *from * slot_bytes, *told = slot;
	struct tx_plain_steps plain = survey_plain(survey);
	uint64_t last = survey->stamps.last;
	bool is_good = true;

	while (slot < end) {
		__builtin_prefetch((const void *)((uintptr_t)slot + FETCH_AHEAD));
		const uint64_t thread = load_word(slot + (size_t)TX_ENTRY_THREAD * word, word, is_big);
		const uint64_t id_word = load_word(slot + (size_t)TX_ENTRY_ID * word, word, is_big);
		const uint64_t stamp = load_word(slot + (size_t)TX_ENTRY_STAMP * word, word, is_big) & mask;

		if (__builtin_expect(thread != 0 && tx_step_is_plain(plain, last, stamp, word == 8) &&
					     survey->is_dull[id_word & 0xffff] &&
					     (!marks || tx_marks_know(marking, slot, word, is_big)),
			    1)) {
			last = stamp;
			slot += slot_bytes;
			continue;
		}
		survey_pass(survey, image, slot, (size_t)(slot - told) / slot_bytes);
		is_good = thread == 0 || survey_slot(survey, image, slot);
		slot = thread ? slot + slot_bytes : survey_empty(survey, image, slot, end);
		told = slot;
		if (!is_good || (marks && marking->is_refused))
			break;
		plain = survey_plain(survey);
		last = survey->stamps.last;
	}
	survey_pass(survey, image, slot, (size_t)(slot - told) / slot_bytes);
	*from = (size_t)(slot - begin) / slot_bytes;
	return is_good;
}

static inline __attribute__((always_inline)) bool survey_slots(
	struct survey *survey, const struct tx_run *run, uint64_t *from, uint64_t to, const bool marks)
{
	struct tx_layout layout = survey->tx->images[run->image].layout;

	if (layout.word == 4)
		return layout.is_big ? survey_slots_as(survey, run, from, to, 4, true, marks)
				     : survey_slots_as(survey, run, from, to, 4, false, marks);
	return layout.is_big ? survey_slots_as(survey, run, from, to, 8, true, marks)
			     : survey_slots_as(survey, run, from, to, 8, false, marks);
}

/* Goes on as long as parts are recorded and slots are left. */
static bool survey_parts(struct survey *survey, const struct tx_run *run, uint64_t *from)
{
	struct threadx *tx = survey->tx;
	uint64_t n_slots;

	tx_marks_run(tx->parts.marking);
	do {
		n_slots = tx_marks_room(tx, run, *from, run->n_slots - *from, &survey->stamps);
		if (n_slots == 0)
			return true;
		if (!survey_slots(survey, run, from, *from + n_slots, true))
			return false;
	} while (tx_marks_pause(&tx->parts, survey->stamps.last) && *from < run->n_slots);
	return true;
}

static bool survey_run(struct survey *survey, const struct tx_run *run)
{
	uint64_t from = 0;

	if (survey->tx->parts.marking && !survey_parts(survey, run, &from))
		return false;
	return survey_slots(survey, run, &from, run->n_slots, false);
}

/*
 * Finds the stamp of the first event in the dump of this run and the runs behind it. Returns false if they
 * have no event.
 */
static bool first_stamp(const struct threadx *tx, const struct tx_run *run, uint64_t *ret_stamp)
{
	const struct tx_image *image = &tx->images[run->image];

	for (size_t i = (size_t)(run - tx->runs); i < tx->n_runs && tx->runs[i].image == run->image; i++)
		for (uint64_t n = 0; n < tx->runs[i].n_slots; n++) {
			const uint8_t *slot = tx_image_slot(image, tx->runs[i].first + n);

			*ret_stamp = tx_word(image, slot, TX_ENTRY_STAMP) & image->timer_mask;
			if (tx_word(image, slot, TX_ENTRY_THREAD) != 0)
				return true;
		}
	return false;
}

/*
 * Decides by each of the clocks whether a dump is a new run of the target. It is one if its first stamp is
 * nearer in front of the last stamp of the dump before than behind it. Otherwise its time may go on, even if
 * the clock has wrapped.
 */
static void survey_boundary(struct survey *survey, struct tx_run *run)
{
	uint64_t stamp;

	if (!run->may_be_anew || !survey->stamps.n_events || !first_stamp(survey->tx, run, &stamp))
		return;
	for (size_t i = 0; i < TX_N_CLOCKS; i++) {
		struct clock *clock = &survey->clocks[i];
		const uint64_t modulus = clock->modulus, last = survey->stamps.last;
		struct clock here = *clock;

		here.is_running = true;
		here.stamp = modulus ? last % modulus : last;
		run->is_anew[i] = clock_is_behind(&here, modulus ? stamp % modulus : stamp);
		if (run->is_anew[i])
			clock_begin_run(clock, survey->latest[i] + 1);
	}
	if (run->is_anew[TX_CLOCK_UP])
		tx_stamps_begin_run(&survey->stamps, stamp);
}

static unsigned mask_bits(uint64_t mask)
{
	return 64 - (unsigned)__builtin_clzll(mask);
}

uint64_t tx_modulus(const struct threadx *tx)
{
	const unsigned n_bits = mask_bits(tx->images[0].timer_mask);

	if (tx->wrap)
		return tx->wrap;
	return n_bits == 64 ? 0 : (uint64_t)1 << n_bits;
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
	tx->modulus = is_second ? NS_PER_SECOND : tx_modulus(tx);
	tx->is_wrap_guessed = is_second;
	model->has_first_ticks = survey->stamps.n_events != 0;
	model->first_ticks = tx->modulus ? survey->stamps.first % tx->modulus : survey->stamps.first;
	model->last_ticks = model->first_ticks; /* the time of a marker in front of all events */
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
	return survey->n_zero == 0 ||
	       model_warn(model, "events with the number 0, which ThreadX does not record: %" PRIu64 "; %s",
		       survey->n_zero, damaged);
}

static bool survey_all(struct survey *survey)
{
	struct threadx *tx = survey->tx;
	const uint64_t modulus = tx_modulus(tx);

	survey_lives(survey, tx->netx == TX_NETX_OLD);
	clock_init(&survey->clocks[TX_CLOCK_UP], modulus, false);
	clock_init(&survey->clocks[TX_CLOCK_DOWN], modulus, true);
	clock_init(&survey->clocks[TX_CLOCK_SECOND], NS_PER_SECOND, false);
	for (size_t i = 0; i < tx->n_runs; i++) {
		struct tx_run *run = &tx->runs[i];
		const struct tx_image *image = &tx->images[run->image];
		bool is_first = i == 0 || run[-1].image != run->image;

		survey_boundary(survey, run);
		run->seq = survey->stamps.n_events;
		memcpy(run->clocks, survey->clocks, sizeof(run->clocks));
		if (is_first && !tx_objects_register(tx, survey->model, image, run->seq))
			return false;
		if (run->n_slots && !survey_run(survey, run))
			return false;
	}
	tx->place.n_all = survey->stamps.n_events;
	tx->place.n_rises = survey->stamps.n_rises;
	tx->place.largest = survey->stamps.largest;
	return survey_decide(survey, tx, survey->model) && survey_doubt(survey, survey->model);
}

bool tx_survey(struct threadx *tx, struct model *model)
{
	struct survey *survey = calloc(1, sizeof(*survey));
	bool is_good;

	if (!survey)
		return false;
	survey->tx = tx;
	survey->model = model;
	survey->wants_clocks = tx->in_file_order;
	is_good = survey_all(survey);
	free(survey);
	return is_good;
}
