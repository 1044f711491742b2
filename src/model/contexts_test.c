/* SPDX-License-Identifier: MIT */
#include "model/contexts.h"

#include <string.h>

#include "tests/tap.h"

struct fixture {
	struct arena arena;
	struct objects objects;
	struct contexts contexts;
};

static struct rst_object *add(
	struct fixture *f, uint64_t id, enum rst_object_kind kind, uint64_t seq, const char *name)
{
	struct rst_object *object = objects_add(&f->objects, &f->arena, 0, id, kind, seq);

	if (name)
		objects_name(&f->objects, &f->arena, object, (const uint8_t *)name, strlen(name));
	return object;
}

static const struct rst_context *thread(struct fixture *f, uint64_t id, uint64_t seq)
{
	return contexts_thread(&f->contexts, &f->objects, &f->arena, id, seq);
}

static void done(struct fixture *f)
{
	contexts_done(&f->contexts);
	objects_done(&f->objects);
	arena_done(&f->arena);
}

static void check_uses(void)
{
	struct fixture f = { 0 };
	const struct rst_context *first, *named;

	ok(thread(&f, 0x10003, 0)->thread == thread(&f, 0x10003, 0), "an id is one thread");
	ok(thread(&f, 3, 0)->thread == thread(&f, 3, 0), "and another id is another one");
	done(&f);
	f.contexts.thread_mask = 0xffff;
	first = thread(&f, 0x10003, 0);
	add(&f, 0x20003, RST_OBJECT_THREAD, 0, "three");
	named = thread(&f, 0x20003, 0);
	ok(named != first && named->id == 0x20003 && strcmp(named->name, "three") == 0,
		"uses of an id that are counted in it have contexts of their own");
	ok(named->thread == first && first->thread == first && thread(&f, 3, 1)->thread == first,
		"but are one thread");
	add(&f, 4, RST_OBJECT_THREAD, 5, "old");
	add(&f, 4, RST_OBJECT_THREAD, 9, "new");
	named = thread(&f, 4, 5);
	ok(thread(&f, 4, 9) != named && thread(&f, 4, 9)->thread == named,
		"and so are two definitions of one id");
	ok(named->thread == named, "other ids are other threads");
	done(&f);
}

static void check_threads(void)
{
	struct fixture f = { 0 };
	const struct rst_context *zero = thread(&f, 0, 0), *last, *named;

	is_text(zero->name, "0x0", "a thread without a name is called by its id");
	ok(!zero->has_name && zero->name_bytes == 3 && zero->kind == RST_CONTEXT_THREAD,
		"and is known as such");
	last = thread(&f, UINT64_MAX, 0);
	is_text(last->name, "0xffffffffffffffff", "the longest id has room");
	ok(thread(&f, 0, 5) == zero && thread(&f, UINT64_MAX, 9) == last,
		"an id has one context at all sequence numbers");
	add(&f, 7, RST_OBJECT_QUEUE, 0, "queue");
	is_text(thread(&f, 7, 0)->name, "0x7", "a queue's name is not a thread's");
	add(&f, 8, RST_OBJECT_THREAD, 0, "eight");
	named = thread(&f, 8, 0);
	ok(named->has_name && strcmp(named->name, "eight") == 0, "a thread's object gives the name");
	add(&f, 9, RST_OBJECT_THREAD, 0, "");
	ok(!thread(&f, 9, 0)->has_name && strcmp(thread(&f, 9, 0)->name, "0x9") == 0,
		"an empty name is no name");
	ok(zero->index == 0 && last->index == 1 && named->index == 3 && f.contexts.n_all == 5,
		"contexts are numbered in the order of first use");
	done(&f);
}

/* If ids count from 0, the dialect gives a noun for them. */
static void check_noun(void)
{
	struct fixture f = { .contexts.noun = "task" };

	is_text(thread(&f, 0, 0)->name, "task 0",
		"a thread without a name is called by the dialect's noun and its number");
	is_text(thread(&f, 65535, 0)->name, "task 65535", "which is decimal");
	is_text(thread(&f, UINT64_MAX, 0)->name, "task 0xffffffffffffffff",
		"unless it is no number that counts");
	ok(!thread(&f, 0, 0)->has_name, "and still has no name");
	add(&f, 8, RST_OBJECT_THREAD, 0, "eight");
	is_text(thread(&f, 8, 0)->name, "eight", "a name is by itself");
	done(&f);
}

/* One address: thread "a" from 10, queue from 20, thread "c" from 30. */
static void check_reuse(void)
{
	struct fixture f = { 0 };
	const struct rst_context *a, *none, *c;

	add(&f, 64, RST_OBJECT_THREAD, 10, "a");
	add(&f, 64, RST_OBJECT_QUEUE, 20, "b");
	add(&f, 64, RST_OBJECT_THREAD, 30, "c");
	a = thread(&f, 64, 0);
	is_text(a->name, "a", "before the first definition the first one names the context");
	ok(thread(&f, 64, 19) == a, "it is the same context to the end of that span");
	none = thread(&f, 64, 20);
	is_text(none->name, "0x40", "where the address is no thread its context has no name");
	ok(thread(&f, 64, 15) == a, "going back finds the old context again");
	ok(thread(&f, 64, 29) == none, "and forward the nameless one");
	c = thread(&f, 64, 30);
	is_text(c->name, "c", "a third definition has its own name");
	is_text(a->name, "a", "and does not take the first one's");
	ok(thread(&f, 64, 10) == a && thread(&f, 64, UINT64_MAX) == c,
		"all stay apart however sequence numbers jump");
	done(&f);
}

static void check_late_names(void)
{
	struct fixture f = { 0 };
	const struct rst_context *met = thread(&f, 1, 0), *other;
	struct rst_object *object;

	object = add(&f, 1, RST_OBJECT_THREAD, 5, NULL);
	ok(thread(&f, 1, 6) == met && !met->has_name,
		"a definition without a name leaves the context as it is");
	objects_name(&f.objects, &f.arena, object, (const uint8_t *)"late", 4);
	other = thread(&f, 2, 7);
	ok(met->has_name && strcmp(met->name, "late") == 0,
		"a name that comes later is taken at the next look at any thread");
	is_text(other->name, "0x2", "a thread that has none is not given another's");
	add(&f, 1, RST_OBJECT_THREAD, 8, "new");
	ok(thread(&f, 1, 9) != met && strcmp(thread(&f, 1, 9)->name, "new") == 0,
		"a new thread at the address of the last one looked up is not taken for it");
	ok(thread(&f, 1, 6) == met, "at its sequence number the old one still is");
	done(&f);
}

/* Many definitions come while threads without names run. Their hexadecimal names are made only once. */
static void check_memory(void)
{
	enum { N_THREADS = 50, N_DEFINITIONS = 2000 };
	struct fixture f = { 0 };
	struct arena objects_only = { 0 };
	bool is_steady = true;

	for (uint64_t id = 0; id < N_THREADS; id++)
		add(&f, id, RST_OBJECT_THREAD, 0, NULL);
	for (uint64_t id = 0; id < N_THREADS; id++)
		is_steady &= thread(&f, id, 0) != NULL;
	/* From here on contexts have nothing to allocate. */
	for (uint64_t i = 0; i < N_DEFINITIONS; i++) {
		objects_add(&f.objects, &objects_only, 0, 1000 + i, RST_OBJECT_QUEUE, i);
		tap_fail_alloc_after(0);
		is_steady &= thread(&f, i % N_THREADS, i) != NULL;
		tap_fail_alloc_after(-1);
	}
	ok(is_steady, "definitions of others cost a nameless context no memory");
	arena_done(&objects_only);
	done(&f);
}

/* A long trace may have this number of definitions and threads. Quadratic work would take minutes. */
static void check_many(void)
{
	enum { N_THREADS = 200000, N_NAMELESS = 1000 };
	struct fixture f = { 0 };
	struct rst_object *first = NULL;
	const struct rst_context *met = NULL;
	bool is_good = true;

	for (uint64_t id = 0; id < N_THREADS; id++) {
		struct rst_object *object =
			add(&f, id, RST_OBJECT_THREAD, id, id < N_NAMELESS ? NULL : "named");

		first = first ? first : object;
		is_good &= thread(&f, id, id)->has_name == (id >= N_NAMELESS);
	}
	met = thread(&f, 0, 0);
	objects_name(&f.objects, &f.arena, first, (const uint8_t *)"late", 4);
	ok(is_good && !met->has_name, "of many threads each has its own name at once");
	thread(&f, 1, 1);
	ok(met->has_name && strcmp(met->name, "late") == 0, "and the late name of an old one is taken");
	done(&f);
}

static void check_special(void)
{
	static const enum rst_context_kind kinds[] = { RST_CONTEXT_UNKNOWN, RST_CONTEXT_ISR, RST_CONTEXT_INIT,
		RST_CONTEXT_IDLE };
	struct fixture f = { 0 };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		const struct rst_context *context = contexts_special(&f.contexts, &f.arena, kinds[i], 40 + i);

		ok(context->kind == kinds[i] && context->has_name && context->id == 40 + i &&
				context == contexts_special(&f.contexts, &f.arena, kinds[i], 99),
			"there is one context '%s'", context->name);
		is_text(context->name, rst_context_kind_name(kinds[i]), "it is called by its kind");
	}
	is_text(rst_context_kind_name((enum rst_context_kind)99), "unknown",
		"a kind that does not exist is unknown");
	done(&f);
}

static void check_no_memory(void)
{
	for (long n = 0;; n++) {
		struct fixture f = { 0 };
		uint64_t id = 0;

		tap_fail_alloc_after(n);
		while (id < 600 && thread(&f, id, 0) &&
			contexts_special(&f.contexts, &f.arena, RST_CONTEXT_ISR, 0))
			id++;
		tap_fail_alloc_after(-1);
		bool has_all = id == 600;

		ok(thread(&f, id, 0) && thread(&f, 0, 0), "after %ld allocations reading can go on", n);
		done(&f);
		if (has_all)
			break;
	}
}

static void check_limit(void)
{
	struct contexts contexts = { 0 };
	struct objects objects = { 0 };
	struct arena arena = { 0 };
	const struct rst_context *context = NULL, *first;

	first = contexts_thread(&contexts, &objects, &arena, 1, 0);
	for (uint64_t id = 2; id <= CONTEXTS_MAX; id++)
		context = contexts_thread(&contexts, &objects, &arena, id, 0);
	ok(context && context->id == CONTEXTS_MAX && contexts.n_passed == 0, "so many threads are kept");
	context = contexts_thread(&contexts, &objects, &arena, CONTEXTS_MAX + 1, 0);
	ok(context && context->kind == RST_CONTEXT_UNKNOWN && contexts.n_passed == 1,
		"one more is of the unknown context");
	ok(contexts_thread(&contexts, &objects, &arena, 1, 0) == first,
		"those that are kept are still known");
	contexts_done(&contexts);
	objects_done(&objects);
	arena_done(&arena);
}

static void check_find(void)
{
	struct contexts contexts = { 0 };
	struct objects objects = { 0 };
	struct arena arena = { 0 };
	const struct rst_context *named = contexts_find(&contexts, &objects, &arena, 0, 9, 3);

	ok(named && named->kind == RST_CONTEXT_THREAD && named->id == 9 && !named->object,
		"a thread that a field names is a context");
	ok(contexts_thread(&contexts, &objects, &arena, 9, 4) == named, "the one of its own events");
	for (uint64_t id = 10; contexts.n_all < CONTEXTS_MAX; id++)
		contexts_find(&contexts, &objects, &arena, 0, id, 5);
	ok(contexts_find(&contexts, &objects, &arena, 0, UINT64_MAX, 5)->kind == RST_CONTEXT_UNKNOWN &&
			contexts.n_passed == 0,
		"one more than are kept is the unknown one, and no event was passed over");
	contexts_done(&contexts);
	objects_done(&objects);
	arena_done(&arena);
}

int main(void)
{
	check_limit();
	check_threads();
	check_uses();
	check_noun();
	check_reuse();
	check_late_names();
	check_memory();
	check_many();
	check_special();
	check_no_memory();
	check_find();
	return tap_done();
}
