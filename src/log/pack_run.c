/* SPDX-License-Identifier: MIT */
/*
 * Packs many events at once, directly from where they were recorded. One pass does all the work for most
 * events: their site is in the slot of its hash, and they are in the thread of the event before. Others go
 * through log_pack().
 */
#include "log/pack.h"

#include <stdatomic.h>
#include <string.h>

/* An event of a run. Each word is loaded once, so that the checked value is the value that is used. */
struct words {
	uint64_t lead; /* type, flags, length, processor */
	uint64_t ticks, address;
	uint64_t process; /* and thread: two numbers */
	uint64_t thread;
};
_Static_assert(sizeof(struct words) == sizeof(struct log_event), "they are the same bytes");

enum { EVENT_BYTES = sizeof(struct log_event) };

static inline uint64_t pack_run_load_word(const unsigned char *at)
{
	return atomic_load_explicit((const _Atomic uint64_t *)(const void *)at, memory_order_relaxed);
}

struct lead {
	uint16_t type, flags, length, cpu;
};

static inline struct lead lead_of(uint64_t word)
{
	struct lead lead;

	memcpy(&lead, &word, sizeof(lead));
	return lead;
}

static inline uint64_t lead_word(struct lead lead)
{
	uint64_t word;

	memcpy(&word, &lead, sizeof(word));
	return word;
}

static const struct lead cpu_mask = { .cpu = UINT16_MAX };

/* The lead of an event, with the processor that it has or gets from the run. */
static inline uint64_t lead_known(const struct log_run *run, uint64_t word)
{
	const uint64_t mask = lead_word(cpu_mask);

	if (run->cpu != LOG_NO_CPU)
		return (word & ~mask) | lead_word((struct lead){ .cpu = run->cpu });
	return lead_of(word).cpu < run->n_cpus ? word : word | mask;
}

/* Loads the event at `at`, with `from` as its least ticks. Returns false if it is not whole, or too late. */
static inline bool load_event(
	const struct log_run *run, const unsigned char *at, size_t left, uint64_t from, struct words *ret)
{
	uint16_t length;

	if (left < EVENT_BYTES)
		return false;
	ret->lead = lead_known(run, pack_run_load_word(at));
	ret->ticks = pack_run_load_word(at + offsetof(struct words, ticks));
	ret->address = pack_run_load_word(at + offsetof(struct words, address));
	ret->process = pack_run_load_word(at + offsetof(struct words, process));
	ret->thread = pack_run_load_word(at + offsetof(struct words, thread));
	ret->ticks = ret->ticks > from ? ret->ticks : from;
	length = lead_of(ret->lead).length;
	return length <= LOG_DATA_MAX && log_event_bytes(length) <= left && ret->ticks <= run->until;
}

bool log_run_next(const struct log_run *run, struct log_event *ret_event)
{
	struct words words;

	if (run->n_events == 0 || !load_event(run, run->events, run->n_bytes, run->from, &words))
		return false;
	memcpy(ret_event, &words, sizeof(words));
	return !run->may_take || run->may_take(run->owner, ret_event);
}

void log_run_pass(struct log_run *run, const struct log_event *event)
{
	const uint32_t n_bytes = (uint32_t)log_event_bytes(event->length);

	run->events += n_bytes;
	run->n_bytes -= n_bytes;
	run->n_events--;
	run->from = event->ticks;
}

/* The thread of the event before; its lead has only the processor. */
static inline struct words thread_before(const struct log_tables *tables)
{
	struct words before = { .ticks = tables->ticks,
		.lead = lead_word((struct lead){ .cpu = tables->of_before.cpu }),
		.thread = tables->of_before.thread };

	memcpy(&before.process, &tables->of_before, sizeof(before.process));
	return before;
}

static inline uint32_t site_slot(const struct words *words)
{
	return log_pack_hash(words->address + lead_of(words->lead).type) % LOG_SITES;
}

/* Whether an event has this site, and the processor of the event before. */
static inline bool is_of_site(
	const struct words *words, const struct log_site *site, const struct words *before)
{
	const struct lead lead = { site->type, site->flags, site->length, 0 };

	return site->address == words->address && words->lead == (lead_word(lead) | before->lead);
}

static inline bool pack_run_is_of_thread(const struct words *words, const struct words *before)
{
	return words->process == before->process && words->thread == before->thread;
}

/* Writes lead and ticks; there must be room for LOG_PACKED_HEAD_MAX bytes. */
static inline unsigned char *put_head(unsigned char *to, uint32_t slot, uint64_t distance)
{
	*to++ = (unsigned char)slot;
	for (; distance >= 0x80; distance >>= 7)
		*to++ = (unsigned char)(distance | 0x80);
	*to++ = (unsigned char)distance;
	return to;
}

/* The usual sizes are copied without a call. */
static inline unsigned char *put_data(unsigned char *to, const unsigned char *data, size_t n)
{
	if (n == 4)
		memcpy(to, data, 4);
	else if (n == 8)
		memcpy(to, data, 8);
	else if (n)
		memcpy(to, data, n);
	return to + n;
}

struct packed {
	size_t n;     /* bytes; 0 if the event may not be taken */
	uint64_t met; /* a bit for each site whose events in this thread need no may_take call */
};

static __attribute__((noinline)) struct packed pack_unusual(struct log_tables *tables,
	const struct log_run *run, const struct words *words, unsigned char *to, const unsigned char *data,
	uint64_t met)
{
	const struct words before = thread_before(tables);
	const uint32_t slot = site_slot(words);
	struct packed packed = { .n = 0 };
	struct log_event event;

	memcpy(&event, words, sizeof(event));
	if (run->may_take && !run->may_take(run->owner, &event))
		return packed;
	packed.n = log_pack(tables, to, &event, data);
	packed.met = pack_run_is_of_thread(words, &before) ? met : 0;
	/* unless the site is in another slot, because this one had a site */
	if (tables->sites[slot].address == event.address && tables->sites[slot].type == event.type)
		packed.met |= 1ull << slot;
	return packed;
}

size_t log_pack_run(struct log_tables *tables, struct log_run *run, unsigned char *to, size_t room)
{
	const unsigned char *at = run->events;
	const unsigned char *const end = at + run->n_bytes;
	unsigned char *const first = to, *const to_end = to + room;
	struct words before = thread_before(tables), words;
	uint64_t from = before.ticks > run->from ? before.ticks : run->from;
	struct packed packed = { .met = 0 };
	uint32_t n_left = run->n_events;

	while (n_left > 0 && load_event(run, at, (size_t)(end - at), from, &words)) {
		const uint16_t length = lead_of(words.lead).length;
		const uint32_t slot = site_slot(&words);

		if (log_packed_max(length) > (size_t)(to_end - to))
			break;
		if ((packed.met >> slot & 1) && is_of_site(&words, &tables->sites[slot], &before) &&
			pack_run_is_of_thread(&words, &before)) {
			to = put_data(
				put_head(to, slot, words.ticks - before.ticks), at + EVENT_BYTES, length);
			before.ticks = words.ticks;
		} else {
			const struct words unusual = words;

			tables->ticks = before.ticks;
			packed = pack_unusual(tables, run, &unusual, to, at + EVENT_BYTES, packed.met);
			if (packed.n == 0)
				break;
			to += packed.n;
			before = thread_before(tables);
		}
		from = before.ticks;
		at += log_event_bytes(length);
		n_left--;
	}
	tables->ticks = before.ticks;
	run->n_bytes -= (uint32_t)(at - run->events);
	run->events = at;
	run->n_events = n_left;
	run->from = from;
	return (size_t)(to - first);
}
