/* SPDX-License-Identifier: MIT */
#include "model/objects.h"

#include <string.h>

#include "tests/tap.h"

struct fixture {
	struct arena arena;
	struct objects objects;
};

static struct rst_object *add(
	struct fixture *f, uint64_t id, enum rst_object_kind kind, uint64_t from_seq, const char *name)
{
	struct rst_object *object = objects_add(&f->objects, &f->arena, 0, id, kind, from_seq);

	if (object && name)
		objects_name(&f->objects, &f->arena, object, (const uint8_t *)name, strlen(name));
	return object;
}

static const char *name_at(struct fixture *f, uint64_t id, enum rst_object_kind kind, uint64_t seq)
{
	const struct rst_object *object = objects_at(&f->objects, 0, id, kind, seq);

	return object ? object->name : NULL;
}

static void done(struct fixture *f)
{
	objects_done(&f->objects);
	arena_done(&f->arena);
}

static void check_one(void)
{
	struct fixture f = { 0 };

	ok(!objects_at(&f.objects, 0, 0, RST_OBJECT_UNKNOWN, 0) &&
			!objects_latest(&f.objects, 0, 0, RST_OBJECT_UNKNOWN),
		"where nothing was defined nothing is found");
	add(&f, 0, RST_OBJECT_QUEUE, 100, "q");
	add(&f, UINT64_MAX, RST_OBJECT_THREAD, UINT64_MAX, "last");
	is_text(name_at(&f, 0, RST_OBJECT_QUEUE, 0), "q", "before its definition an object is known, too");
	is_text(name_at(&f, 0, RST_OBJECT_UNKNOWN, UINT64_MAX), "q", "and holds to the end");
	ok(!name_at(&f, 0, RST_OBJECT_THREAD, 100), "an object of another kind is no answer");
	is_text(name_at(&f, UINT64_MAX, RST_OBJECT_THREAD, 0), "last",
		"the largest id and sequence number are good");
	ok(!name_at(&f, 1, RST_OBJECT_UNKNOWN, 100), "an id beside them is not known");
	ok(f.objects.n_all == 2 && f.objects.all[0]->id == 0, "objects are kept in the order of definition");
	done(&f);
	done(&f);
}

struct meaning {
	uint64_t seq;
	const char *name;
	enum rst_object_kind kind;
};

static bool means(struct fixture *f, const struct meaning *row)
{
	const struct rst_object *object = objects_at(&f->objects, 0, 64, RST_OBJECT_UNKNOWN, row->seq);

	return object && object->kind == row->kind &&
	       (row->name ? object->name && strcmp(object->name, row->name) == 0 : !object->name);
}

/* One address: queue from 0, thread from 10, nameless thread from 20, semaphore and mutex both from 30. */
static void check_reuse(void)
{
	static const struct meaning rows[] = { { 0, "a", RST_OBJECT_QUEUE }, { 9, "a", RST_OBJECT_QUEUE },
		{ 10, "b", RST_OBJECT_THREAD }, { 19, "b", RST_OBJECT_THREAD },
		{ 20, NULL, RST_OBJECT_THREAD }, { 29, NULL, RST_OBJECT_THREAD },
		{ 30, "d", RST_OBJECT_MUTEX }, { UINT64_MAX, "d", RST_OBJECT_MUTEX } };
	enum { N_ROWS = sizeof(rows) / sizeof(rows[0]) };
	struct fixture f = { 0 };
	bool is_forward = true, is_backward = true, is_jumping = true;

	add(&f, 64, RST_OBJECT_QUEUE, 0, "a");
	add(&f, 64, RST_OBJECT_THREAD, 10, "b");
	add(&f, 64, RST_OBJECT_THREAD, 20, NULL);
	add(&f, 64, RST_OBJECT_SEMAPHORE, 30, "c");
	add(&f, 64, RST_OBJECT_MUTEX, 30, "d");
	for (size_t i = 0; i < N_ROWS; i++)
		is_forward &= means(&f, &rows[i]);
	for (size_t i = N_ROWS; i-- > 0;)
		is_backward &= means(&f, &rows[i]);
	/* From every row to every other one. */
	for (size_t i = 0; i < N_ROWS * N_ROWS; i++)
		is_jumping &= means(&f, &rows[i / N_ROWS]) && means(&f, &rows[i % N_ROWS]);
	ok(is_forward, "rising sequence numbers find the object of their span");
	ok(is_backward, "so do falling ones");
	ok(is_jumping, "and those in any order");
	ok(!name_at(&f, 64, RST_OBJECT_QUEUE, 10), "a queue that became a thread is no queue any more");
	is_text(objects_latest(&f.objects, 0, 64, RST_OBJECT_UNKNOWN)->name, "d",
		"the latest definition is the last");
	is_number(f.objects.n_all, 5, "every definition counts as an object");
	done(&f);
}

static void check_names(void)
{
	struct fixture f = { 0 };
	struct rst_object *object = add(&f, 1, RST_OBJECT_THREAD, 0, "");
	unsigned generation = f.objects.generation;
	uint8_t name[300];

	ok(object->name && object->name_bytes == 0, "a name may be empty");
	memset(name, '"', sizeof(name));
	objects_name(&f.objects, &f.arena, object, name, sizeof(name));
	ok(object->name_bytes == 300 && object->name[299] == '"' && object->name[300] == '\0',
		"a name of 300 quotes is kept as it is");
	memset(name, 0xff, sizeof(name));
	objects_name(&f.objects, &f.arena, object, name, sizeof(name));
	ok(object->name_bytes == 1200 && memcmp(object->name, "\\xff\\xff", 8) == 0 && !object->name[1200],
		"a name of 300 bytes that are no text takes four times its room");
	ok(f.objects.generation == generation + 2, "each naming is a change that others can see");
	done(&f);
}

static void check_no_memory(void)
{
	for (long n = 0;; n++) {
		struct fixture f = { 0 };
		size_t n_added = 0;

		tap_fail_alloc_after(n);
		while (n_added < 40 && add(&f, n_added * 16, RST_OBJECT_TIMER, n_added, NULL))
			n_added++;
		tap_fail_alloc_after(-1);
		ok(f.objects.n_all == n_added &&
				(n_added == 0 ||
					objects_latest(&f.objects, 0, 0, RST_OBJECT_UNKNOWN) != NULL) &&
				!objects_latest(&f.objects, 0, n_added * 16, RST_OBJECT_UNKNOWN),
			"after %ld allocations %zu objects are there and the next one is not", n, n_added);
		done(&f);
		if (n_added == 40)
			break;
	}
}

static void check_limit(void)
{
	struct objects objects = { 0 };
	struct arena arena = { 0 };
	struct rst_object *object = NULL;

	for (uint64_t id = 0; id < OBJECTS_MAX; id++)
		object = objects_add(&objects, &arena, 0, id, RST_OBJECT_QUEUE, 0);
	ok(object && object_is_kept(&objects, object) && objects.n_passed == 0, "so many objects are kept");
	size_t n_used = arena_used(&arena);

	object = objects_add(&objects, &arena, 0, OBJECTS_MAX, RST_OBJECT_QUEUE, 7);
	ok(object && !object_is_kept(&objects, object) && object->id == OBJECTS_MAX && objects.n_passed == 1,
		"one more can be filled in, but is counted only");
	ok(objects_name(&objects, &arena, object, (const uint8_t *)"name", 4) && arena_used(&arena) == n_used,
		"its name takes no memory");
	ok(!objects_latest(&objects, 0, OBJECTS_MAX, RST_OBJECT_QUEUE) && objects.n_all == OBJECTS_MAX,
		"and it is not found");
	objects_done(&objects);
	arena_done(&arena);
}

/* A mutex and a thread of two processes; ids made so that sums of parts would be the same. */
static void check_processes(void)
{
	struct objects objects = { .is_by_kind = true, .scoped_kinds = (uint64_t)1 << RST_OBJECT_MUTEX };
	struct arena arena = { 0 };
	struct rst_object *parent = objects_add(&objects, &arena, 10, 0x1000, RST_OBJECT_MUTEX, 0),
			  *child = objects_add(&objects, &arena, 11, 0x1000, RST_OBJECT_MUTEX, 5),
			  *thread = objects_add(&objects, &arena, 10, 0x1000, RST_OBJECT_THREAD, 0);

	ok(parent->process == 10 && child->process == 11 && thread->process == 0,
		"an object belongs to a process where its kind does");
	ok(objects_at(&objects, 10, 0x1000, RST_OBJECT_MUTEX, 9) == parent &&
			objects_at(&objects, 11, 0x1000, RST_OBJECT_MUTEX, 9) == child && !parent->later,
		"one address of two processes is two mutexes");
	ok(!objects_at(&objects, 12, 0x1000, RST_OBJECT_MUTEX, 9) &&
			!objects_at(&objects, 0, 0x1000, RST_OBJECT_MUTEX, 9),
		"and none of a third, or of no process");
	ok(objects_at(&objects, 10, 0x1000, RST_OBJECT_THREAD, 9) == thread &&
			objects_at(&objects, 11, 0x1000, RST_OBJECT_THREAD, 9) == thread,
		"threads are found from every process");
	objects_done(&objects);
	arena_done(&arena);
}

/* An id whose upper bits look like a kind. */
static void check_keys(void)
{
	struct objects objects = { .is_by_kind = true };
	struct arena arena = { 0 };
	const uint64_t id = (uint64_t)(RST_OBJECT_MUTEX ^ RST_OBJECT_QUEUE) << 56 | 7;
	struct rst_object *mutex = objects_add(&objects, &arena, 0, 7, RST_OBJECT_MUTEX, 0),
			  *queue = objects_add(&objects, &arena, 0, id, RST_OBJECT_QUEUE, 0);

	ok(objects_at(&objects, 0, 7, RST_OBJECT_MUTEX, 0) == mutex &&
			objects_at(&objects, 0, id, RST_OBJECT_QUEUE, 0) == queue &&
			!objects_at(&objects, 0, id, RST_OBJECT_MUTEX, 0),
		"objects whose keys are the same are not mistaken for each other");
	objects_done(&objects);
	arena_done(&arena);
}

int main(void)
{
	check_limit();
	check_one();
	check_reuse();
	check_names();
	check_no_memory();
	check_processes();
	check_keys();
	return tap_done();
}
