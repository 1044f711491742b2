/* SPDX-License-Identifier: MIT */
/* Channels: opened, on and off, stopped, and the bytes out of them. */
#include "embed/aix/entry.h"
#include "embed/aix/sys/trcctl.h"
#include "embed/core/memory.h"

enum { VERSION = 1, RING_MIN = 128, HEADER_CORES = 1, HEADER_KEEPS_NEWEST = 2, HEADER_STAMPED = 4 };

/* The system whose error numbers the entries have: readers name the errors by it. */
#ifdef _AIX
enum { HEADER_SYSTEM = 8 };
#else
enum { HEADER_SYSTEM = 0 };
#endif

uint32_t rastrum_aix_on;
struct rastrum_aix *rastrum_aix_channels[RASTRUM_AIX_CHANNELS];

/* --- control -------------------------------------------------------------------------------------------- */

/*
 * In front of all bytes. No hook word can be read in it, in either order: the letters stand where types 3 and
 * 4, or flags that there are not, would be.
 */
static void header_make(struct rastrum_aix *aix, uint32_t channel)
{
	const uint16_t order = 1;
	const uint32_t clock_hz = RASTRUM_AIX_CLOCK_HZ;
	uint8_t header[RASTRUM_AIX_HEADER_BYTES] = { 'R', 'S', 'T', 'A', VERSION };

	header[5] = *(const uint8_t *)&order == 0; /* 1 if the high byte is first */
	header[6] = RASTRUM_AIX_WORD_BYTES;
	header[7] = (uint8_t)channel;
	rastrum_memcpy(header + 8, &clock_hz, sizeof(clock_hz));
	header[12] =
		(uint8_t)((RASTRUM_N_CORES > 1 ? HEADER_CORES : 0) |
			  (aix->keeps_newest ? HEADER_KEEPS_NEWEST : 0) | HEADER_STAMPED | HEADER_SYSTEM);
	rastrum_memcpy(aix->out, header, sizeof(header));
	aix->n_out = aix->out_bytes = sizeof(header);
}

uint32_t rastrum_aix_open(uint32_t channel, struct rastrum_aix *aix, rastrum_aix_word_t *memory,
	uint32_t n_words, int keeps_newest)
{
	RASTRUM_LOCK_STATE state;

	if (channel >= RASTRUM_AIX_CHANNELS || n_words < RING_MIN / AIX_WORD ||
		n_words > UINT32_MAX / AIX_WORD)
		return 0;
	RASTRUM_LOCK(state);
	rastrum_word_store(&rastrum_aix_on, rastrum_aix_on & ~(UINT32_C(1) << channel));
	rastrum_memset(aix, 0, sizeof(*aix));
	rastrum_bytes_init(&aix->ring, memory, n_words * AIX_WORD);
	aix->keeps_newest = keeps_newest != 0;
	header_make(aix, channel);
	rastrum_aix_channels[channel] = aix;
	RASTRUM_UNLOCK(state);
	return aix->ring.place_mask + 1;
}

/* Turns a channel on or off, and records that while it is on; -1 if it cannot be. */
static int turn(uint32_t channel, int is_on, int is_end)
{
	uint32_t bit = UINT32_C(1) << (channel & 31), was_on;
	struct rastrum_aix *aix;
	RASTRUM_LOCK_STATE state;
	int status = -1;

	RASTRUM_LOCK(state);
	aix = rastrum_aix_of(channel);
	if (aix && !aix->is_stopped) {
		was_on = rastrum_aix_on & bit;
		rastrum_word_store(&rastrum_aix_on, is_on ? rastrum_aix_on | bit : rastrum_aix_on & ~bit);
		if (!was_on != !is_on)
			rastrum_aix_record(channel,
				rastrum_aix_hook(
					(is_on ? RASTRUM_AIX_HOOK_ON : RASTRUM_AIX_HOOK_OFF) | channel, 0),
				NULL, 0);
		aix->is_stopped = (uint32_t)is_end;
		status = 0;
	}
	RASTRUM_UNLOCK(state);
	return status;
}

int trcon(int channel)
{
	return turn((uint32_t)channel, 1, 0);
}

int trcoff(int channel)
{
	return turn((uint32_t)channel, 0, 0);
}

/* All but the rest of an entry that is being taken. It is not counted as lost: the program has caused it. */
static void discard(struct rastrum_aix *aix)
{
	aix->ring.n_written = aix->ring.n_taken + aix->n_front;
	aix->n_refused = aix->n_written = 0;
}

int trcstop(int channel)
{
	const uint32_t flags = RASTRUM_AIX_DISCARD | RASTRUM_AIX_SERIALISE;
	uint32_t number = (uint32_t)channel & ~flags;
	struct rastrum_aix *aix;
	RASTRUM_LOCK_STATE state;
	int status;

	RASTRUM_LOCK(state);
	aix = rastrum_aix_of(number);
	status = turn(number, 0, 1);
	if (aix && status == 0 && ((uint32_t)channel & RASTRUM_AIX_DISCARD))
		discard(aix);
	RASTRUM_UNLOCK(state);
	return status;
}

/* --- out ------------------------------------------------------------------------------------------------ */

/* Overwritten entries are reported in front of the oldest that is left, with its time. */
static void tell_overwritten(struct rastrum_aix *aix)
{
	uint32_t end = aix->ring.n_taken + rastrum_aix_entry_bytes(aix, aix->ring.n_taken);
	rastrum_aix_word_t *at = aix->out;

	*at++ = rastrum_aix_hook(RASTRUM_AIX_HOOK_LOST | RASTRUM_AIX_WRITTEN, 1);
	*at++ = aix->n_written;
	rastrum_aix_trailer(at, 0, (uint32_t)*rastrum_aix_at(aix, end - AIX_WORD));
	aix->n_out = aix->out_bytes = AIX_LOSS;
	aix->n_written = 0;
}

/* Finds the next entry to take, after an entry has been taken to its end. */
static void next_begin(struct rastrum_aix *aix)
{
	int is_empty = aix->ring.n_taken == aix->ring.n_written;

	if (!is_empty && aix->n_written) {
		tell_overwritten(aix);
		return;
	}
	if (is_empty && aix->n_refused)
		rastrum_aix_tell_refused(aix, RASTRUM_STAMP());
	if (aix->ring.n_taken != aix->ring.n_written)
		aix->n_front = rastrum_aix_entry_bytes(aix, aix->ring.n_taken);
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static uint32_t take_some(struct rastrum_aix *aix, uint8_t *to, uint32_t n_room)
{
	uint32_t slot, n;

	if (!aix->n_out && !aix->n_front)
		next_begin(aix);
	if (aix->n_out) {
		n = smaller(aix->n_out, n_room);
		rastrum_memcpy(to, (const uint8_t *)aix->out + aix->out_bytes - aix->n_out, n);
		aix->n_out -= n;
		return n;
	}
	slot = aix->ring.n_taken & aix->ring.place_mask;
	n = smaller(smaller(aix->n_front, n_room), aix->ring.place_mask + 1 - slot);
	rastrum_memcpy(to, aix->ring.bytes + slot, n);
	aix->ring.n_taken += n;
	aix->n_front -= n;
	return n;
}

uint32_t rastrum_aix_take(uint32_t channel, void *to, uint32_t n_room)
{
	uint32_t n_taken = 0, n = 1;
	struct rastrum_aix *aix;
	RASTRUM_LOCK_STATE state;

	while (n && n_taken < n_room) {
		RASTRUM_LOCK(state);
		aix = rastrum_aix_of(channel);
		n = aix ? take_some(aix, (uint8_t *)to + n_taken, n_room - n_taken) : 0;
		RASTRUM_UNLOCK(state);
		n_taken += n;
	}
	return n_taken;
}

uint32_t rastrum_aix_lost(uint32_t channel)
{
	struct rastrum_aix *aix;
	RASTRUM_LOCK_STATE state;
	uint32_t n_lost;

	RASTRUM_LOCK(state);
	aix = rastrum_aix_of(channel);
	n_lost = aix ? aix->ring.n_lost : 0;
	RASTRUM_UNLOCK(state);
	return n_lost;
}
