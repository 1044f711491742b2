/* SPDX-License-Identifier: MIT */
/*
 * Locks in memory that processes share. Each process has them at an address of its own, and events have that
 * address. An event in front says which file lies there. So the address in the process becomes an object that
 * is the same as another one: the lock at an offset of a file, which belongs to no process.
 *
 * The id of that lock is made of the file's number and the offset. If two locks would get the same id, the
 * second one gets the next free id.
 */
#include <string.h>

#include "base/text.h"
#include "dialect/posix/posix.h"

enum { FILE_MAX = 64, NAME_ROOM = 4 * FILE_MAX + 1 + 2 + 16 + 1 };

/* A range of a process's memory in which a file lies. */
struct posix_mapping {
	uint64_t start, end, device, inode, offset;
	char file[FILE_MAX]; /* as recorded */
	struct posix_mapping *next;
};

/* The process's mappings, the one that was recorded last first. */
struct posix_mappings {
	struct posix_mapping *first, *unused;
	size_t n;
};

struct posix_shared_lock {
	uint64_t device, inode, offset;
};

/* --- the mappings of a process -------------------------------------------------------------------------- */

static bool overlaps(const struct posix_mapping *mapping, uint64_t start, uint64_t end)
{
	return mapping->start < end && start < mapping->end;
}

/* Removes all that lie in the range, even in part: what is left is recorded again when it is used. */
static void mappings_remove(struct posix_mappings *mappings, uint64_t start, uint64_t end)
{
	struct posix_mapping **at = mappings ? &mappings->first : NULL, *gone;

	while (at && (gone = *at)) {
		if (!overlaps(gone, start, end)) {
			at = &gone->next;
			continue;
		}
		*at = gone->next;
		gone->next = mappings->unused;
		mappings->unused = gone;
		mappings->n--;
	}
}

void posix_shared_forget(struct posix *posix, uint32_t pid)
{
	mappings_remove(map_find(&posix->mappings, pid), 0, UINT64_MAX);
}

void posix_shared_unmap(struct posix *posix, uint32_t pid, uint64_t start, uint64_t n_bytes)
{
	const uint64_t end = n_bytes > UINT64_MAX - start ? UINT64_MAX : start + n_bytes;

	mappings_remove(map_find(&posix->mappings, pid), start, end);
}

static struct posix_mappings *mappings_reach(struct posix *posix, struct model *model, uint32_t pid)
{
	struct posix_mappings *mappings = map_find(&posix->mappings, pid);

	if (mappings)
		return mappings;
	mappings = arena_alloc(&model->arena, sizeof(*mappings));
	return mappings && map_set(&posix->mappings, pid, mappings) ? mappings : NULL;
}

static bool is_same_mapping(const struct posix_mapping *a, const struct posix_mapping *b)
{
	return a->start == b->start && a->end == b->end && a->device == b->device && a->inode == b->inode &&
	       a->offset == b->offset;
}

static bool mapping_add(struct posix *posix, struct model *model, struct posix_mappings *mappings,
	const struct posix_mapping *said)
{
	struct posix_mapping *mapping = mappings->unused;

	if (mapping)
		mappings->unused = mapping->next;
	else if (posix->n_mappings == POSIX_MAPPINGS_MAX)
		return true;
	else if (!(mapping = arena_alloc(&model->arena, sizeof(*mapping))))
		return false;
	else
		posix->n_mappings++;
	*mapping = *said;
	mapping->next = mappings->first;
	mappings->first = mapping;
	mappings->n++;
	return true;
}

bool posix_shared_map(
	struct posix *posix, struct model *model, uint32_t pid, const uint8_t *data, size_t n_bytes)
{
	enum { START, SIZE, DEVICE, INODE, OFFSET, N_NUMBERS };
	uint64_t numbers[N_NUMBERS];
	const size_t n_file = n_bytes - sizeof(numbers);
	struct posix_mappings *mappings = mappings_reach(posix, model, pid);
	struct posix_mapping said = { .start = 0 };

	if (!mappings)
		return false;
	memcpy(numbers, data, sizeof(numbers));
	said.start = numbers[START];
	said.end = said.start + numbers[SIZE];
	said.device = numbers[DEVICE];
	said.inode = numbers[INODE];
	said.offset = numbers[OFFSET];
	memcpy(said.file, data + sizeof(numbers), n_file < FILE_MAX - 1 ? n_file : FILE_MAX - 1);
	if (said.end <= said.start || (mappings->first && is_same_mapping(mappings->first, &said)))
		return true;
	mappings_remove(mappings, said.start, said.end);
	return mapping_add(posix, model, mappings, &said);
}

static const struct posix_mapping *mapping_find(const struct posix *posix, uint32_t pid, uint64_t address)
{
	const struct posix_mappings *mappings = map_find(&posix->mappings, pid);
	const struct posix_mapping *mapping = mappings ? mappings->first : NULL;

	while (mapping && (address < mapping->start || address >= mapping->end))
		mapping = mapping->next;
	return mapping;
}

/* --- locks ---------------------------------------------------------------------------------------------- */

/* Finds the id of the lock, or a free one. Returns false if memory ran out. */
static bool lock_id(
	struct posix *posix, struct model *model, const struct posix_shared_lock *lock, uint64_t *ret_id)
{
	struct posix_shared_lock *known;

	*ret_id = lock->inode << 32 ^ lock->offset;
	while ((known = map_find(&posix->shared_locks, *ret_id)) && memcmp(known, lock, sizeof(*known)) != 0)
		++*ret_id;
	if (known)
		return true;
	known = arena_alloc(&model->arena, sizeof(*known));
	if (!known)
		return false;
	*known = *lock;
	return map_set(&posix->shared_locks, *ret_id, known);
}

static bool name_lock(struct model *model, struct rst_object *object, const char *file, uint64_t offset)
{
	char name[NAME_ROOM];
	char *end = text_clean(name, (const uint8_t *)file, strlen(file));

	if (!*file)
		end = text_put_literal(name, "shared");
	end = text_put_hex(text_put_literal(end, "+"), offset);
	*end = '\0';
	return objects_name_printable(&model->objects, &model->arena, object, name, (size_t)(end - name));
}

/* The lock that belongs to no process. Returns NULL if memory ran out. */
static const struct rst_object *lock_reach(struct posix *posix, struct model *model,
	const struct posix_mapping *mapping, uint64_t address, enum rst_object_kind kind)
{
	const struct posix_shared_lock lock = { .device = mapping->device,
		.inode = mapping->inode,
		.offset = mapping->offset + (address - mapping->start) };
	struct rst_object *object;
	uint64_t id;

	if (!lock_id(posix, model, &lock, &id))
		return NULL;
	object = objects_latest(&model->objects, 0, id, kind);
	if (object)
		return object;
	object = objects_add(&model->objects, &model->arena, 0, id, kind, 0);
	return object && name_lock(model, object, mapping->file, lock.offset) ? object : NULL;
}

static bool shared_is_called(const struct rst_object *object, const char *name)
{
	return object->name ? name && strcmp(object->name, name) == 0 : !name;
}

/* At this address of the process is this lock from now on; with NULL, one of the process's own. */
static bool lock_place(struct posix *posix, struct model *model, uint32_t pid, uint64_t address,
	enum rst_object_kind kind, const struct rst_object *same, const char *name)
{
	const struct rst_object *before = objects_latest(&model->objects, pid, address, kind);
	struct rst_object *object;

	if (before ? before->same == same && shared_is_called(before, name) : !same && !name)
		return true;
	object = objects_add(&model->objects, &model->arena, pid, address, kind, before ? posix->seq : 0);
	if (!object)
		return false;
	object->same = same;
	return !name || objects_name_printable(&model->objects, &model->arena, object, name, strlen(name));
}

bool posix_lock(
	struct posix *posix, struct model *model, uint32_t pid, uint64_t address, enum rst_object_kind kind)
{
	const struct posix_mapping *mapping = mapping_find(posix, pid, address);
	const struct rst_object *same = NULL;
	const char *name = NULL;

	if (mapping) {
		same = lock_reach(posix, model, mapping, address, kind);
		if (!same)
			return false;
		if (!object_is_kept(&model->objects, same))
			return true;
	}
	if (!same && !posix_data_name(posix, model, pid, address, &name))
		return false;
	return lock_place(posix, model, pid, address, kind, same, same ? same->name : name);
}

void posix_shared_done(struct posix *posix)
{
	map_done(&posix->mappings);
	map_done(&posix->shared_locks);
}
