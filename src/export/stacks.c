/* SPDX-License-Identifier: MIT */
#include "export/stacks.h"

#include "base/text.h"
#include "export/label.h"

/* --- keeping -------------------------------------------------------------------------------------------- */

bool stacks_keep(struct stacks *stacks, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	const bool is_core = interval->kind == RST_INTERVAL_CORE,
		   is_span = interval->kind == RST_INTERVAL_SPAN;
	struct subjects *owners = &stacks->owners[is_core ? STACK_CORES : STACK_THREADS];
	const struct word *word = label_word(&stacks->words, interval);
	struct stack_owner *owner;

	owners->record_bytes = sizeof(*owner);
	owner = subject_of(owners, is_span ? &interval->object : &interval->subject);
	if (!owner || !word)
		return false;
	return chain_add(is_span ? &owner->spans : &owner->states, &stacks->pages,
		&(struct kept){ .from = piece->from,
			.to = piece->to,
			.value = interval->state,
			.word = word->number });
}

/* --- reading, from the end on --------------------------------------------------------------------------- */

struct walk {
	struct chain_cursor states, spans;
	struct frame open[STACK_FRAMES]; /* spans around the moment, the outer ones first */
	unsigned n_open;
	uint64_t now; /* all slices from here on have been given */
};

/* A time without span and state makes no slice. */
static bool walk_is_over(const struct walk *walk)
{
	return !walk->n_open && !chain_at(&walk->spans) && !chain_at(&walk->states);
}

/* Opens the spans around the time before now. */
static void spans_refresh(struct walk *walk)
{
	const struct kept *span;
	unsigned n = 0;

	for (unsigned i = 0; i < walk->n_open; i++)
		if (walk->open[i].from < walk->now)
			walk->open[n++] = walk->open[i];
	walk->n_open = n;
	while ((span = chain_at(&walk->spans)) && span->to >= walk->now) {
		if (span->from < walk->now && walk->n_open < STACK_FRAMES - 1)
			walk->open[walk->n_open++] = (struct frame){ span->word, span->from };
		chain_back(&walk->spans);
	}
}

/* The state before now, or the one that ends last before it. */
static const struct kept *state_refresh(struct walk *walk)
{
	const struct kept *state;

	while ((state = chain_at(&walk->states)) && state->from >= walk->now)
		chain_back(&walk->states);
	return state;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* The last moment before now at which something begins or ends. */
static uint64_t moment_before(const struct walk *walk, const struct kept *state)
{
	const struct kept *span = chain_at(&walk->spans);
	uint64_t moment = span ? span->to : 0;

	if (state)
		moment = later(moment, state->to >= walk->now ? state->from : state->to);
	for (unsigned i = 0; i < walk->n_open; i++)
		moment = later(moment, walk->open[i].from);
	return moment;
}

bool stacks_walk(const struct stack_owner *owner, bool (*take)(void *context, const struct slice *slice),
	void *context)
{
	struct walk walk = { .states = chain_end(&owner->states), .spans = chain_end(&owner->spans) };
	const struct kept *span = chain_at(&walk.spans), *state = chain_at(&walk.states);

	walk.now = later(span ? span->to : 0, state ? state->to : 0);
	while (!walk_is_over(&walk)) {
		struct slice slice = { .to = walk.now, .value = RST_N_STATES };

		spans_refresh(&walk);
		state = state_refresh(&walk);
		slice.from = walk.now = moment_before(&walk, state);
		slice.n_frames = walk.n_open;
		memcpy(slice.frames, walk.open, walk.n_open * sizeof(walk.open[0]));
		if (state && state->to >= slice.to) {
			slice.frames[slice.n_frames++] = (struct frame){ state->word, state->from };
			slice.value = state->value;
		}
		if (slice.n_frames && !take(context, &slice))
			return false;
	}
	return true;
}

/* --- owners --------------------------------------------------------------------------------------------- */

bool stacks_name(struct stacks *stacks, enum stack_kind kind, size_t n, struct text *ret_name)
{
	const struct subject *subject = stacks->owners[kind].all[n];
	struct table_cell cell;
	char label[32], *p = label;

	if (kind == STACK_CORES) {
		p = text_put_dec(text_put_literal(p, "core "), subject->entity.id);
		ret_name->bytes = arena_copy(&stacks->names.arena, label, (size_t)(p - label));
		ret_name->n_bytes = (size_t)(p - label);
		return ret_name->bytes != NULL;
	}
	if (!subject_name(&stacks->owners[kind], subject, &stacks->names, &cell))
		return false;
	*ret_name = cell.text;
	return true;
}

void stacks_done(struct stacks *stacks)
{
	for (size_t i = 0; i < N_STACK_KINDS; i++)
		subjects_done(&stacks->owners[i]);
	words_done(&stacks->words);
	pages_done(&stacks->pages);
	table_done(&stacks->names);
}
