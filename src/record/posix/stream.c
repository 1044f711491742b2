/* SPDX-License-Identifier: MIT */
/*
 * The table of trids. The kernel clears its memory in children, including the lock: a fork while another
 * thread holds the lock is harmless. Locks are taken in the order stream, table.
 *
 * A handler of a fatal signal takes no lock: it pins an entry, then loads it. A thread that frees a stream
 * loads the pins after the entry has been emptied, so that one of the two always sees the other (all are
 * sequentially consistent). A pinned stream is put aside, and freed by the next thread that can. No thread
 * waits for a handler that may never return.
 */
#include "record/posix/stream.h"
#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#define TABLE_RECORDED	1024
#define TABLE_ENTRIES	(TRACE_SYS_MAX + TABLE_RECORDED)
/*
 * The low bits of a trid are its index in the table; the rest is a serial number, different for each use of
 * the index.
 */
#define TRID_INDEX_BITS 11
#define TRID_SERIAL_MAX ((1u << (31 - TRID_INDEX_BITS)) - 1)
_Static_assert(TABLE_ENTRIES <= 1u << TRID_INDEX_BITS, "trids can name every entry");

struct table_entry {
	struct stream *_Atomic stream;
	_Atomic uint32_t n_pins;
};

struct table {
	pid_t owner; /* where the kernel does not clear the table: the process that it belongs to; else 0 */
	pthread_mutex_t lock;
	unsigned int n_live, n_recorded;
	struct stream *retired; /* removed, but pinned by a handler */
	struct table_entry entries[TABLE_ENTRIES];
};

static struct table *_Atomic the_table;
/*
 * Guarded by the table's lock. Inherited by children, so that no trid of theirs equals one of their parent's.
 */
static uint32_t last_serial;
/*
 * Guarded likewise: all that were entered and not freed, those of a parent included. For leak checkers, which
 * do not search the table: a program may end without shutting its streams down. Consistent at every instant.
 */
static struct stream *all_streams;

/*
 * Returns NULL if this process has no table yet. Async-signal-safe. The acquire pairs with the
 * compare-and-swap in table_get().
 */
static struct table *table_look(void)
{
	struct table *table = atomic_load_explicit(&the_table, memory_order_acquire);

	return table && (table->owner == 0 || table->owner == getpid()) ? table : NULL;
}

/* Returns the table, and makes it first if needed. Returns NULL if memory ran out. */
static struct table *table_get(void)
{
	struct table *table = atomic_load_explicit(&the_table, memory_order_acquire);
	struct table *fresh;

	if (table_look())
		return table;
	fresh = mmap(NULL, sizeof *fresh, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fresh == MAP_FAILED)
		return NULL;
	if (madvise(fresh, sizeof *fresh, MADV_WIPEONFORK) != 0)
		fresh->owner = getpid();
	/* zeros are an open lock, after a fork, too */
	if (atomic_compare_exchange_strong(&the_table, &table, fresh))
		return fresh;
	munmap(fresh, sizeof *fresh);
	return table;
}

static unsigned int trid_index(trace_id_t trid)
{
	return (unsigned int)trid & ((1u << TRID_INDEX_BITS) - 1);
}

/* With the table's lock held. */
static struct stream *table_find(struct table *table, trace_id_t trid, unsigned int kinds)
{
	struct stream *stream;

	if (trid <= 0 || trid_index(trid) >= TABLE_ENTRIES)
		return NULL;
	stream = atomic_load_explicit(&table->entries[trid_index(trid)].stream, memory_order_relaxed);
	return stream && stream->trid == trid && stream->kind & kinds ? stream : NULL;
}

struct stream *stream_get(trace_id_t trid, unsigned int kinds)
{
	struct table *table = table_look();
	struct stream *stream;

	if (!table)
		return NULL;
	pthread_mutex_lock(&table->lock);
	stream = table_find(table, trid, kinds);
	if (stream)
		stream->n_users++;
	pthread_mutex_unlock(&table->lock);
	if (!stream)
		return NULL;
	pthread_mutex_lock(&stream->lock);
	if (!stream->is_closing)
		return stream;
	stream_put(stream);
	return NULL;
}

struct stream_calm stream_calm_begin(void)
{
	struct stream_calm calm = { .saved_errno = errno };

	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &calm.cancel_state);
	return calm;
}

int stream_calm_end(const struct stream_calm *calm, int error)
{
	errno = calm->saved_errno;
	pthread_setcancelstate(calm->cancel_state, &(int){ 0 });
	return error;
}

void stream_unlock(struct stream *stream)
{
	pthread_mutex_unlock(&stream->lock);
}

void stream_lock(struct stream *stream)
{
	pthread_mutex_lock(&stream->lock);
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	if (stream->kind == STREAM_RECORDED)
		stream_free_recorded(stream);
	else
		stream_free_active(stream);
	pthread_mutex_destroy(&stream->lock);
	free(stream);
}

/* With the table's lock held. */
static void streams_forget(const struct stream *stream)
{
	struct stream **link = &all_streams;

	while (*link != stream)
		link = &(*link)->next;
	*link = stream->next;
}

/* Removes the retired streams that no handler has pinned, as a list. */
static struct stream *table_reap(struct table *table)
{
	struct stream **link = &table->retired;
	struct stream *dead = NULL;

	while (*link) {
		struct stream *stream = *link;

		if (atomic_load(&table->entries[trid_index(stream->trid)].n_pins) != 0) {
			link = &stream->next_retired;
			continue;
		}
		*link = stream->next_retired;
		streams_forget(stream);
		stream->next_retired = dead;
		dead = stream;
	}
	return dead;
}

static void streams_free(struct stream *streams)
{
	struct stream_calm calm = stream_calm_begin();

	while (streams) {
		struct stream *next = streams->next_retired;

		stream_free(streams);
		streams = next;
	}
	stream_calm_end(&calm, 0);
}

void stream_put(struct stream *stream)
{
	struct table *table = table_look();
	struct stream *dead;

	pthread_mutex_unlock(&stream->lock);
	pthread_mutex_lock(&table->lock);
	if (--stream->n_users == 0 && stream->is_closing) {
		stream->next_retired = table->retired;
		table->retired = stream;
	}
	dead = table_reap(table);
	pthread_mutex_unlock(&table->lock);
	if (dead)
		streams_free(dead);
}

struct stream *stream_pin(trace_id_t trid, unsigned int kinds)
{
	struct table *table = table_look();
	struct stream *stream;

	if (!table || trid <= 0 || trid_index(trid) >= TABLE_ENTRIES)
		return NULL;
	atomic_fetch_add(&table->entries[trid_index(trid)].n_pins, 1);
	stream = atomic_load(&table->entries[trid_index(trid)].stream);
	if (stream && stream->trid == trid && stream->kind & kinds)
		return stream;
	atomic_fetch_sub(&table->entries[trid_index(trid)].n_pins, 1);
	return NULL;
}

void stream_unpin(struct stream *stream)
{
	atomic_fetch_sub(&table_look()->entries[trid_index(stream->trid)].n_pins, 1);
}

struct stream *stream_new(enum stream_kind kind)
{
	struct stream *stream = calloc(1, sizeof *stream);

	if (!stream)
		return NULL;
	stream->kind = kind;
	stream->slot = -1;
	stream->target.directory = stream->target.slot = -1;
	stream->poll_fd = -1;
	pthread_mutex_init(&stream->lock, NULL);
	return stream;
}

static unsigned int *table_count(struct table *table, enum stream_kind kind)
{
	return kind == STREAM_RECORDED ? &table->n_recorded : &table->n_live;
}

/* With the table's lock held, and room for one more. */
static void table_put(struct table *table, struct stream *stream)
{
	unsigned int index = 0;

	while (atomic_load_explicit(&table->entries[index].stream, memory_order_relaxed))
		index++;
	last_serial = last_serial < TRID_SERIAL_MAX ? last_serial + 1 : 1;
	stream->trid = (trace_id_t)(last_serial << TRID_INDEX_BITS | index);
	++*table_count(table, stream->kind);
	stream->next = all_streams;
	all_streams = stream;
	atomic_store(&table->entries[index].stream, stream);
}

int stream_enter(struct stream *stream, trace_id_t *ret_trid)
{
	const unsigned int limit = stream->kind == STREAM_RECORDED ? TABLE_RECORDED : TRACE_SYS_MAX;
	struct table *table = table_get();
	bool has_room;

	if (!table)
		return ENOMEM;
	pthread_mutex_lock(&table->lock);
	has_room = *table_count(table, stream->kind) < limit;
	if (has_room) {
		table_put(table, stream);
		*ret_trid = stream->trid;
	}
	pthread_mutex_unlock(&table->lock);
	return has_room ? 0 : EAGAIN;
}

bool stream_remove(trace_id_t trid, struct stream *stream)
{
	struct table *table = table_look();
	bool is_first;

	pthread_mutex_lock(&table->lock);
	is_first = table_find(table, trid, STREAM_ANY) == stream;
	if (is_first) {
		stream->is_closing = true;
		--*table_count(table, stream->kind);
		atomic_store(&table->entries[trid_index(trid)].stream, NULL);
	}
	pthread_mutex_unlock(&table->lock);
	return is_first;
}

/*
 * For a program that ends without posix_trace_shutdown(). Targets of its streams without log detach at their
 * next event, and no file is left. (The consumer ends a stream with log, after the last event.) The memory is
 * not freed: other threads may still use it.
 */
void streams_leave(void)
{
	struct table *table = table_look();

	if (!table || pthread_mutex_trylock(&table->lock) != 0)
		return;
	for (unsigned int i = 0; i < TABLE_ENTRIES; i++) {
		struct stream *stream = atomic_load(&table->entries[i].stream);

		if (stream && stream->kind == STREAM_ACTIVE && stream->is_named)
			stream_leave(stream);
	}
	pthread_mutex_unlock(&table->lock);
}
