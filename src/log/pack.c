/* SPDX-License-Identifier: MIT */
/*
 * An event's data follow a head, which has these parts in this order:
 *
 *	lead       bits 0 to 5: the site; bit 6: `what` follows; bit 7: a thread follows
 *	what       bits: which parts of the site follow, in this order: type, address, length, flags
 *	thread     bits 0 to 6: the thread; bit 7: its parts follow: process, thread, pthread_t, processor plus one
 *	ticks      since the event before
 *
 * Parts and ticks are numbers with 7 bits in each byte, lowest first. If bit 7 is set, another byte follows.
 */
#include "log/pack.h"

#include <string.h>

enum {
	LEAD_SITE = 0x3f,
	LEAD_WHAT = 0x40,
	LEAD_THREAD = 0x80,
	WHAT_TYPE = 1,
	WHAT_ADDRESS = 2,
	WHAT_LENGTH = 4,
	WHAT_FLAGS = 8,
	WHAT_ALL = 15,
	THREAD_SLOT = 0x7f,
	THREAD_PARTS = 0x80,
	N_PROBES = 4, /* the number of slots in which a site may be */
	NUMBER_BYTES_MAX = 10,
	/*
	 * The longest head that false bytes may claim: lead, what, four parts of a site, thread with its four
	 * parts, ticks.
	 */
	HEAD_READ_MAX = 3 + 9 * NUMBER_BYTES_MAX,
};

void log_tables_begin(struct log_tables *tables, uint64_t first_ticks)
{
	tables->ticks = first_ticks;
	tables->has_site = tables->has_thread[0] = tables->has_thread[1] = 0;
	tables->of_before = (struct log_thread){ .cpu = LOG_NO_CPU };
	tables->core = LOG_NO_CPU;
	tables->has_several_cores = false;
}

static void note_core(struct log_tables *tables, uint16_t core)
{
	if (core == tables->core || core == LOG_NO_CPU)
		return;
	if (tables->core == LOG_NO_CPU)
		tables->core = core;
	else
		tables->has_several_cores = true;
}

/* --- writing -------------------------------------------------------------------------------------------- */

static unsigned char *pack_put_number(unsigned char *to, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*to++ = (unsigned char)(number | 0x80);
	*to++ = (unsigned char)number;
	return to;
}

static bool has_site(const struct log_tables *tables, uint32_t slot, const struct log_event *event)
{
	const struct log_site *site = &tables->sites[slot];

	return (tables->has_site >> slot & 1) && site->address == event->address &&
	       site->type == event->type && site->flags == event->flags;
}

/* Where the event's site is, or should be: what stands there is then replaced. */
static uint32_t find_site(const struct log_tables *tables, const struct log_event *event)
{
	const uint32_t first = log_pack_hash(event->address + event->type);
	uint32_t slot, chosen = first % LOG_SITES;

	for (uint32_t i = N_PROBES; i-- > 0;) {
		slot = (first + i) % LOG_SITES;
		if (!(tables->has_site >> slot & 1))
			chosen = slot;
	}
	for (uint32_t i = 0; i < N_PROBES; i++) {
		slot = (first + i) % LOG_SITES;
		if (has_site(tables, slot, event))
			return slot;
	}
	return chosen;
}

static unsigned char *put_site(
	struct log_tables *tables, unsigned char *to, uint32_t slot, const struct log_event *event)
{
	struct log_site *site = &tables->sites[slot];
	const bool is_new = !(tables->has_site >> slot & 1);
	unsigned char *const what = to++;

	*what = 0;
	if (is_new || site->type != event->type) {
		*what |= WHAT_TYPE;
		to = pack_put_number(to, event->type);
	}
	if (is_new || site->address != event->address) {
		*what |= WHAT_ADDRESS;
		to = pack_put_number(to, event->address);
	}
	if (is_new || site->length != event->length) {
		*what |= WHAT_LENGTH;
		to = pack_put_number(to, event->length);
	}
	if (is_new || site->flags != event->flags) {
		*what |= WHAT_FLAGS;
		to = pack_put_number(to, event->flags);
	}
	*site = (struct log_site){ event->address, event->type, event->flags, event->length };
	tables->has_site |= 1ull << slot;
	return to;
}

static bool pack_is_of_thread(const struct log_event *event, const struct log_thread *thread)
{
	enum { BYTES = offsetof(struct log_thread, cpu) };

	return event->cpu == thread->cpu && memcmp(&event->pid, thread, BYTES) == 0;
}

static unsigned char *put_thread(struct log_tables *tables, unsigned char *to, const struct log_event *event)
{
	const uint32_t slot = log_pack_hash((uint64_t)event->cpu << 32 | event->tid) % LOG_THREADS;
	struct log_thread *thread = &tables->threads[slot];
	uint64_t *const has = &tables->has_thread[slot / 64];

	*to++ = (unsigned char)slot;
	if (!(*has >> slot % 64 & 1) || !pack_is_of_thread(event, thread)) {
		to[-1] |= THREAD_PARTS;
		to = pack_put_number(to, event->pid);
		to = pack_put_number(to, event->tid);
		to = pack_put_number(to, event->thread);
		to = pack_put_number(to, event->cpu == LOG_NO_CPU ? 0 : event->cpu + 1u);
		*thread = (struct log_thread){ event->pid, event->tid, event->thread, event->cpu };
		*has |= 1ull << slot % 64;
	}
	tables->of_before = *thread;
	note_core(tables, event->cpu);
	return to;
}

size_t log_pack(struct log_tables *tables, unsigned char *to, const struct log_event *event, const void *data)
{
	const uint32_t slot = find_site(tables, event);
	unsigned char *at = to + 1;

	*to = (unsigned char)slot;
	if (!has_site(tables, slot, event) || tables->sites[slot].length != event->length) {
		*to |= LEAD_WHAT;
		at = put_site(tables, at, slot, event);
	}
	if (!pack_is_of_thread(event, &tables->of_before)) {
		*to |= LEAD_THREAD;
		at = put_thread(tables, at, event);
	}
	at = pack_put_number(at, event->ticks - tables->ticks);
	tables->ticks = event->ticks;
	if (event->length)
		memcpy(at, data, event->length);
	return (size_t)(at - to) + event->length;
}

/* --- reading -------------------------------------------------------------------------------------------- */

/* False: the number is more than max. */
static bool take_number(const unsigned char **at, uint64_t max, uint64_t *ret_number)
{
	uint64_t number = 0;
	unsigned int shift = 0;
	const unsigned char *p = *at;

	for (; *p & 0x80 && shift < 7 * (NUMBER_BYTES_MAX - 1); shift += 7)
		number |= (uint64_t)(*p++ & 0x7f) << shift;
	if (shift == 63 && *p > 1)
		return false;
	number |= (uint64_t)*p++ << shift;
	*at = p;
	*ret_number = number;
	return number <= max;
}

static bool take_site(const unsigned char **at, bool is_known, struct log_site *site)
{
	const unsigned int what = *(*at)++;
	uint64_t type = site->type, address = site->address, length = site->length, flags = site->flags;

	if ((!is_known && what != WHAT_ALL) || what > WHAT_ALL ||
		((what & WHAT_TYPE) && !take_number(at, UINT16_MAX, &type)) ||
		((what & WHAT_ADDRESS) && !take_number(at, UINT64_MAX, &address)) ||
		((what & WHAT_LENGTH) && !take_number(at, LOG_DATA_MAX, &length)) ||
		((what & WHAT_FLAGS) && !take_number(at, UINT16_MAX, &flags)))
		return false;
	*site = (struct log_site){ address, (uint16_t)type, (uint16_t)flags, (uint16_t)length };
	return true;
}

static bool take_thread(const unsigned char **at, struct log_thread *thread)
{
	uint64_t pid, tid, bits, cpu;

	if (!take_number(at, UINT32_MAX, &pid) || !take_number(at, UINT32_MAX, &tid) ||
		!take_number(at, UINT64_MAX, &bits) || !take_number(at, UINT16_MAX, &cpu))
		return false;
	*thread = (struct log_thread){ (uint32_t)pid, (uint32_t)tid, bits,
		(uint16_t)(cpu ? cpu - 1 : LOG_NO_CPU) };
	return true;
}

/* The changes that an event makes in the tables. */
struct change {
	uint32_t site_slot, thread_slot;
	bool has_site, has_thread;
	struct log_site site;
	struct log_thread thread;
	uint64_t ticks;
};

/*
 * Reads the head in front of the data; HEAD_READ_MAX bytes must be readable. Returns its length, or 0 if it
 * is not a head.
 */
static size_t take_head(const struct log_tables *tables, const unsigned char *bytes, struct change *ret)
{
	const unsigned char *at = bytes + 1;
	const uint32_t slot = *bytes & LEAD_SITE;
	const bool is_known = tables->has_site >> slot & 1;
	uint32_t thread;

	ret->site_slot = slot;
	ret->has_site = *bytes & LEAD_WHAT;
	ret->has_thread = false;
	ret->site = is_known ? tables->sites[slot] : (struct log_site){ 0 };
	if (ret->has_site ? !take_site(&at, is_known, &ret->site) : !is_known)
		return 0;
	ret->thread = tables->of_before;
	if (*bytes & LEAD_THREAD) {
		thread = *at & THREAD_SLOT;
		ret->thread_slot = thread;
		ret->has_thread = *at++ & THREAD_PARTS;
		if (ret->has_thread ? !take_thread(&at, &ret->thread)
				    : !(tables->has_thread[thread / 64] >> thread % 64 & 1))
			return 0;
		if (!ret->has_thread)
			ret->thread = tables->threads[thread];
	}
	if (!take_number(&at, UINT64_MAX, &ret->ticks))
		return 0;
	return (size_t)(at - bytes);
}

static void tables_change(struct log_tables *tables, const struct change *change)
{
	if (change->has_site) {
		tables->sites[change->site_slot] = change->site;
		tables->has_site |= 1ull << change->site_slot;
	}
	if (change->has_thread) {
		tables->threads[change->thread_slot] = change->thread;
		tables->has_thread[change->thread_slot / 64] |= 1ull << change->thread_slot % 64;
	}
	tables->of_before = change->thread;
	note_core(tables, change->thread.cpu);
	tables->ticks += change->ticks;
}

static void fill_event(
	struct log_event *ret, const struct log_site *site, const struct log_thread *thread, uint64_t ticks)
{
	*ret = (struct log_event){ .type = site->type,
		.flags = site->flags,
		.length = site->length,
		.cpu = thread->cpu,
		.ticks = ticks,
		.address = site->address,
		.pid = thread->pid,
		.tid = thread->tid,
		.thread = thread->thread };
}

/*
 * Reads most events: those of a known site, in the thread of the event before, less than 2^14 ticks later.
 * Returns 0 for other events.
 */
static size_t unpack_usual(
	struct log_tables *tables, const unsigned char *bytes, size_t n, struct log_event *ret_event)
{
	const struct log_site *site = &tables->sites[*bytes & LEAD_SITE];
	const size_t n_head = bytes[1] & 0x80 ? 3 : 2;
	uint64_t ticks = bytes[1];

	if ((*bytes & (LEAD_WHAT | LEAD_THREAD)) || !(tables->has_site >> *bytes & 1) ||
		site->length > n - n_head)
		return 0;
	if (n_head == 3)
		ticks += ((uint64_t)bytes[2] << 7) - 0x80;
	if (n_head == 3 && (bytes[2] & 0x80))
		return 0;
	tables->ticks += ticks;
	fill_event(ret_event, site, &tables->of_before, tables->ticks);
	return n_head + site->length;
}

/* Reads all other events, which change the tables. */
static size_t unpack_any(
	struct log_tables *tables, const unsigned char *bytes, size_t n, struct log_event *ret_event)
{
	unsigned char last[HEAD_READ_MAX] = { 0 };
	struct change change;
	size_t n_head;

	if (n < sizeof(last))
		memcpy(last, bytes, n);
	n_head = take_head(tables, n < sizeof(last) ? last : bytes, &change);
	if (!n_head || n_head > n || change.site.length > n - n_head)
		return 0;
	tables_change(tables, &change);
	fill_event(ret_event, &change.site, &change.thread, tables->ticks);
	return n_head + change.site.length;
}

size_t log_unpack(
	struct log_tables *tables, const unsigned char *bytes, size_t n, struct log_event *ret_event)
{
	const size_t n_usual = n >= 3 ? unpack_usual(tables, bytes, n, ret_event) : 0;

	return n_usual ? n_usual : unpack_any(tables, bytes, n, ret_event);
}
