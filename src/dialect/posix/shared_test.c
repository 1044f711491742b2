/* SPDX-License-Identifier: MIT */
/* Tests which locks of which processes are one. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dialect/posix/posix.h"
#include "tests/tap.h"

enum { PARENT = 100, CHILD = 200, PAGE = 0x1000, DEVICE = 1, FILE_A = 7, FILE_B = 8 };

struct fixture {
	struct posix posix;
	struct model model;
};

static void share(struct fixture *f, uint32_t pid, uint64_t start, uint64_t size, uint64_t inode,
	uint64_t offset, const char *file)
{
	uint64_t data[16] = { start, size, DEVICE, inode, offset };

	memcpy(&data[5], file, strlen(file));
	f->posix.seq++;
	posix_shared_map(
		&f->posix, &f->model, pid, (const uint8_t *)data, 5 * sizeof(uint64_t) + strlen(file));
}

/* The lock that an event at this address is about; NULL if it is the process's own. */
static const struct rst_object *shared_at(
	struct fixture *f, uint32_t pid, uint64_t address, enum rst_object_kind kind)
{
	const struct rst_object *object;

	f->posix.seq++;
	posix_lock(&f->posix, &f->model, pid, address, kind);
	object = objects_at(&f->model.objects, pid, address, kind, f->posix.seq);
	return object ? object->same : NULL;
}

static const struct rst_object *mutex_at(struct fixture *f, uint32_t pid, uint64_t address)
{
	return shared_at(f, pid, address, RST_OBJECT_MUTEX);
}

static void test_one_lock(struct fixture *f)
{
	share(f, PARENT, 0x10000, PAGE, FILE_A, 0, "memfd:a");
	share(f, CHILD, 0x70000, PAGE, FILE_A, 0, "memfd:a");
	share(f, CHILD, 0x90000, PAGE, FILE_B, PAGE, "");

	const struct rst_object *lock = mutex_at(f, PARENT, 0x10040);

	is_text(lock ? lock->name : NULL, "memfd:a+0x40", "a lock is called by its file and place");
	ok(lock && lock->process == 0 && mutex_at(f, CHILD, 0x70040) == lock,
		"processes that have it at different addresses have one lock");
	ok(mutex_at(f, CHILD, 0x70048) != lock, "at another place of the file is another lock");
	ok(shared_at(f, CHILD, 0x70040, RST_OBJECT_SEMAPHORE) != lock, "so is a thing of another kind");
	lock = mutex_at(f, CHILD, 0x90010);
	is_text(lock ? lock->name : NULL, "shared+0x1010", "the file's part counts, with or without a name");
	ok(!mutex_at(f, CHILD, 0x10040) && !mutex_at(f, PARENT, 0x11000),
		"where nothing is shared, a process has its own locks");
}

/* A file of 4 GiB has a lock whose id that of another file's lock would be. */
static void test_equal_ids(struct fixture *f)
{
	const uint64_t far = (uint64_t)(FILE_A ^ FILE_B) << 32;

	share(f, PARENT, 0x20000, PAGE, FILE_B, far, "memfd:b");

	const struct rst_object *first = mutex_at(f, PARENT, 0x10000), *second = mutex_at(f, PARENT, 0x20000);

	ok(first && second && first != second && first->id != second->id,
		"different locks have different ids");
	ok(mutex_at(f, PARENT, 0x20000) == second && mutex_at(f, PARENT, 0x10000) == first, "and keep them");
}

static void test_used_again(struct fixture *f)
{
	const struct rst_object *lock = mutex_at(f, PARENT, 0x10040);

	posix_shared_unmap(&f->posix, PARENT, 0x10fff, 1);
	ok(lock && !mutex_at(f, PARENT, 0x10040), "memory that is unmapped has locks of the process");
	ok(mutex_at(f, CHILD, 0x70040) == lock, "in this process only");
	share(f, PARENT, 0x10000, PAGE, FILE_B, 0, "memfd:b");
	is_text(mutex_at(f, PARENT, 0x10040)->name, "memfd:b+0x40", "another file is another lock");
	share(f, PARENT, 0xf000, 4 * PAGE, FILE_A, 0, "memfd:a");
	ok(mutex_at(f, PARENT, 0xf040) == lock && mutex_at(f, PARENT, 0x10040) != lock,
		"what lies there last holds");
	posix_shared_forget(&f->posix, PARENT);
	ok(!mutex_at(f, PARENT, 0xf040), "a new program shares nothing yet");
}

static void test_lies(struct fixture *f)
{
	share(f, PARENT, UINT64_MAX - 4, PAGE, FILE_A, 0, "end");
	share(f, PARENT, 0x30000, 0, FILE_A, 0, "nothing");
	posix_shared_unmap(&f->posix, PARENT, UINT64_MAX, UINT64_MAX);
	posix_shared_unmap(&f->posix, 999, 0, UINT64_MAX);
	ok(!mutex_at(f, PARENT, UINT64_MAX - 2) && !mutex_at(f, PARENT, 0x30000),
		"memory without an extent is no memory");
	share(f, PARENT, 0x30000, PAGE, 99, UINT64_MAX,
		"\033[31m a name that is much longer than what is kept, and has a strange character");
	is_text(mutex_at(f, PARENT, 0x30001)->name,
		"\\x1b[31m a name that is much longer than what is kept, and has a s+0x0",
		"a name is printable, and is cut");
}

static void test_many(struct fixture *f)
{
	const struct rst_object *lock = mutex_at(f, CHILD, 0x70040);

	for (unsigned i = 0; i < POSIX_MAPPINGS_MAX + 2; i++)
		share(f, 1000 + i, 0x40000, PAGE, FILE_A, 0, "memfd:a");
	ok(f->posix.n_mappings == POSIX_MAPPINGS_MAX && mutex_at(f, 1000, 0x40040) == lock &&
			!mutex_at(f, 1001 + POSIX_MAPPINGS_MAX, 0x40040),
		"only so many are kept");
}

int main(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	ok(f && model_init(&f->model), "a model begins");
	f->model.objects.is_by_kind = true;
	f->model.objects.scoped_kinds = UINT64_MAX;
	test_one_lock(f);
	test_equal_ids(f);
	test_used_again(f);
	test_lies(f);
	test_many(f);
	posix_shared_done(&f->posix);
	model_done(&f->model);
	free(f);
	return tap_done();
}
