/* SPDX-License-Identifier: MIT */
#include "record/process/note.h"
#include "record/kernel/clock.h"
#include <string.h>

#define NOTES_NOBODY UINT64_MAX

static uint64_t check_of(uint64_t number, const uint64_t *words)
{
	uint64_t check = number + 1;

	for (unsigned int i = 0; i < RING_NOTE_WORDS; i++)
		check = ((check ^ words[i]) * 0x9e3779b97f4a7c15u) ^ check >> 29;
	return check;
}

void note_put(const struct ring *ring, struct note *note)
{
	const uint64_t number = atomic_fetch_add(&ring->shared->n_notes, 1);
	struct ring_note *place = &ring->notes[number % RING_NOTES];
	uint64_t words[RING_NOTE_WORDS];

	note->ticks = clock_ticks((enum log_clock)ring->clock);
	memcpy(words, note, sizeof words);
	for (unsigned int i = 0; i < RING_NOTE_WORDS; i++)
		atomic_store(&place->words[i], words[i]);
	atomic_store(&place->check, check_of(number, words));
	atomic_fetch_add(&ring->shared->n_notes_whole, 1);
}

static bool note_get(const struct ring *ring, uint64_t number, struct note *ret_note)
{
	const struct ring_note *place = &ring->notes[number % RING_NOTES];
	const uint64_t check = atomic_load(&place->check);
	uint64_t words[RING_NOTE_WORDS];

	for (unsigned int i = 0; i < RING_NOTE_WORDS; i++)
		words[i] = atomic_load(&place->words[i]);
	memcpy(ret_note, words, sizeof words);
	return check_of(number, words) == check;
}

/* Whoever can write there may say anything. */
static bool note_is_sane(const struct note *note)
{
	const struct log_module *module = &note->module;

	if (note->kind == NOTE_PROGRAM)
		return note->task.pid != 0;
	return note->kind == NOTE_MODULE && module->pid != 0 && note->path[0] &&
	       memchr(note->path, '\0', sizeof note->path) && module->n_build_id <= sizeof module->build_id &&
	       module->address + module->size > module->address;
}

void notes_begin(struct notes *notes, const struct ring *ring)
{
	memset(notes, 0, sizeof *notes);
	notes->ring = ring && ring->notes ? ring : NULL;
	notes->idle_pid = NOTES_NOBODY;
}

static void drop_overwritten(struct notes *notes, uint64_t first, uint64_t end)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < notes->n; i++)
		if (notes->waiting[i].number >= first && notes->waiting[i].number < end)
			notes->waiting[n++] = notes->waiting[i];
	notes->n = n;
}

/* What is not whole yet is looked at again when there is more. */
static void look(struct notes *notes, uint64_t n_whole)
{
	const uint64_t end = atomic_load(&notes->ring->shared->n_notes);
	const uint64_t first = end > RING_NOTES ? end - RING_NOTES : 0;
	struct note note;

	notes->n_whole = n_whole;
	notes->idle_pid = NOTES_NOBODY;
	drop_overwritten(notes, first, end);
	for (uint64_t number = first; number < end && notes->n < RING_NOTES; number++) {
		if (notes->known[number % RING_NOTES] == number + 1 || !note_get(notes->ring, number, &note))
			continue;
		notes->known[number % RING_NOTES] = number + 1;
		if (note_is_sane(&note))
			notes->waiting[notes->n++] =
				(struct notes_waiting){ number, note.ticks, note.task.pid };
	}
}

static void remove_at(struct notes *notes, uint32_t at)
{
	notes->n--;
	memmove(&notes->waiting[at], &notes->waiting[at + 1], (notes->n - at) * sizeof notes->waiting[0]);
}

bool notes_peek(struct notes *notes, uint32_t pid, uint64_t ticks, struct note *ret_note)
{
	uint64_t n_whole;

	if (!notes->ring)
		return false;
	n_whole = atomic_load_explicit(&notes->ring->shared->n_notes_whole, memory_order_acquire);
	if (n_whole != notes->n_whole)
		look(notes, n_whole);
	if (notes->n == 0 || pid == notes->idle_pid)
		return false;
	for (uint32_t i = 0; i < notes->n; i++) {
		const struct notes_waiting *waiting = &notes->waiting[i];

		if (waiting->pid != pid)
			continue;
		if (waiting->ticks > ticks)
			return false;
		notes->found = i;
		if (note_get(notes->ring, waiting->number, ret_note))
			return true;
		remove_at(notes, i--);
	}
	notes->idle_pid = pid;
	return false;
}

void notes_take(struct notes *notes)
{
	remove_at(notes, notes->found);
}
