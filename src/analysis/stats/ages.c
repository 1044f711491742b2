/* SPDX-License-Identifier: MIT */
#include "analysis/stats/ages.h"

#include <stdlib.h>

enum { ROOM_FIRST = 16 };

static bool ages_grow(struct ages *ages)
{
	const size_t room = ages->room ? 2 * ages->room : ROOM_FIRST;
	uint64_t *sent = malloc(room * sizeof(*sent));

	if (!sent)
		return false;
	for (size_t i = 0; i < ages->n; i++)
		sent[i] = ages->sent[(ages->first + i) % ages->room];
	free(ages->sent);
	ages->sent = sent;
	ages->first = 0;
	ages->room = room;
	return true;
}

bool ages_send(struct ages *ages, uint64_t at)
{
	if (ages->n_waiting) {
		ages->n_waiting--;
		return true;
	}
	if (ages->n ==
		AGES_MAX) { /* the known ones lie behind the unknown ones: from here on all are unknown */
		ages->n_unknown += ages->n;
		ages->n = 0;
	}
	if (ages->n == ages->room && !ages_grow(ages))
		return false;
	ages->sent[(ages->first + ages->n++) % ages->room] = at;
	return true;
}

static uint64_t ages_take(struct ages *ages)
{
	const uint64_t sent = ages->sent[ages->first];

	ages->first = (ages->first + 1) % ages->room;
	ages->n--;
	return sent;
}

bool ages_receive(struct ages *ages, uint64_t at, uint64_t *ret_age)
{
	if (ages->n_unknown) {
		ages->n_unknown--;
		return false;
	}
	if (!ages->n)
		return false;
	*ret_age = at - ages_take(ages);
	return true;
}

void ages_wait(struct ages *ages)
{
	ages->n = ages->n_unknown = 0;
	ages->n_waiting++;
}

void ages_level(struct ages *ages, uint64_t level)
{
	if (level > ages->n)
		ages->n_unknown = level - ages->n;
	else
		ages->n_unknown = 0;
	while (ages->n > level)
		ages_take(ages);
}

void ages_forget(struct ages *ages)
{
	ages->n = ages->n_unknown = ages->n_waiting = 0;
}

void ages_done(struct ages *ages)
{
	free(ages->sent);
}
