/* SPDX-License-Identifier: MIT */
/*
 * The control page and the map of names of this process. They are files in the directory of its user, so that
 * controllers, the program that this process execs, and programs that it spawns find them. Where that fails
 * (no /dev/shm, or a full one, no /proc, set-user-ID programs, see register_keep_private()) they are private
 * memory: the process takes part in the streams that exist when it begins, itself and the children that it
 * forks, and in no later ones.
 *
 * With the process's lock held: async-signal-safe.
 */
#include "record/process/process_own.h"
#include "record/process/procinfo.h"
#include "record/process/tasks.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ANCESTORS_MAX 64

static struct {
	int directory; /* while register_begin() runs; -1 */
	uint32_t uid;
	bool is_private; /* controllers must not find this process */
	/* an inherited stream was attached: other processes may use the names after the end of this one */
	bool has_shared;
} own = { .directory = -1 };

/* Names. */

/*
 * A map in a new file of the directory, or in memory shared only with children: a copy of `from`, or empty.
 */
static struct names *names_make(const struct names *from, struct control_names *ret_names)
{
	struct names *names;
	int fd = -1;

	*ret_names = (struct control_names){ .directory = own.uid };
	if (own.directory >= 0 && proc_may_have(names_bytes()) &&
		directory_create(own.directory, IDENTITY_NAMES, own.uid, names_bytes(), true,
			&ret_names->file, &fd) != 0)
		fd = -1;
	names = from ? names_copy(from, fd) : names_create(fd);
	if (fd >= 0)
		syscall(SYS_close, fd);
	return names;
}

static int names_open_file(const struct control_names *names)
{
	int directory, fd = -1;

	if (names->file.maker.pid == 0 || directory_open(names->directory, false, &directory) != 0)
		return -1;
	if (directory_open_file(directory, IDENTITY_NAMES, &names->file, names->directory, &fd) != 0)
		fd = -1;
	syscall(SYS_close, directory);
	return fd;
}

static bool names_use(const struct control_names *file)
{
	int fd = names_open_file(file);
	struct names *names = fd < 0 ? NULL : names_map(fd);

	if (fd >= 0)
		syscall(SYS_close, fd);
	if (names)
		atomic_store(&process_map, names);
	return names != NULL;
}

struct names *process_names(void)
{
	struct names *names, *none = NULL;

	process_thread();
	names = atomic_load(&process_map);
	if (names)
		return names;
	names = names_create(-1);
	if (names && !atomic_compare_exchange_strong(&process_map, &none, names)) {
		names_unmap(names);
		names = none;
	}
	return names;
}

int process_names_fd(void)
{
	struct names *names = process_names(), *copy;
	int fd = names ? names_open_file(&process_control.names) : -1;

	if (fd >= 0 || !names)
		return fd;
	/*
	 * The old map has no file: from here on use one with a descriptor. The old one stays mapped for
	 * threads that read it now.
	 */
	fd = names_memory();
	copy = fd < 0 ? NULL : names_copy(names, fd);
	if (copy)
		atomic_store(&process_map, copy);
	else if (fd >= 0)
		close(fd);
	return copy ? fd : -1;
}

/* The page. */

/*
 * Different for every program that the process execs, and the same in all copies of the recorder in one
 * program.
 */
static uint64_t image_number(void)
{
	const void *random = (const void *)(uintptr_t)getauxval(AT_RANDOM);
	uint64_t number = 1;

	if (random)
		memcpy(&number, random, sizeof number);
	return number ? number : 1;
}

static bool page_inherits(const struct control *like, const struct identity *self)
{
	struct control_stream stream;

	for (unsigned int i = 0; like && i < CONTROL_STREAMS; i++)
		if (control_look(like, i, &stream) && stream.is_inherited && stream.attached <= self->start)
			return true;
	return false;
}

/*
 * Uses the map of names that the page names, which other processes share. If that fails, the process gets a
 * map of its own, and leaves the streams that use the shared one: its identifiers would mean something else
 * there. A child just forked has identifiers already: those of its parent's map, which are copied to the
 * shared map if that is empty.
 */
static void names_share(const struct names *parents)
{
	struct control *control = &process_control;
	struct control_names names;
	struct control_stream stream;

	if (names_use(&control->names) && (!parents || names_carry(atomic_load(&process_map), parents)))
		return;
	for (unsigned int i = 0; i < CONTROL_STREAMS; i++)
		if (control_look(control, i, &stream))
			control_detach(control, i, &stream.pool);
	atomic_store(&process_map, names_make(parents, &names));
	control->names = names;
}

/*
 * For a page that exists: made by a controller, or by the previous program of this process. Streams that the
 * previous program controlled have ended with it (XSH exec); those of other controllers go on, with the names
 * that they know. parents: the map of a child just forked, else NULL.
 */
static void page_found(const struct identity *self, const struct names *parents)
{
	struct control_names names, before;
	struct control_stream stream;
	struct control *control = &process_control;

	if (control->image == image_number()) { /* a second copy of the recorder in one program */
		names_use(&control->names);
		return;
	}
	for (unsigned int i = 0; i < CONTROL_STREAMS; i++) {
		if (!control_look(control, i, &stream) || !identity_is(&stream.pool.maker, self))
			continue;
		control_detach(control, i, &stream.pool);
		if (stream.directory == own.uid)
			directory_remove(own.directory, IDENTITY_POOL, &stream.pool);
	}
	control->image = image_number();
	if (atomic_load(&control->streams) == 0 && control->is_used) {
		before = control->names;
		atomic_store(&process_map, names_make(NULL, &names));
		control->names = names;
		/* last, so that a controller finds a map at every instant */
		if (identity_is(&before.file.maker, self))
			directory_remove(own.directory, IDENTITY_NAMES, &before.file);
	} else {
		names_share(parents);
	}
	control->is_used = 1;
}

/* The mapped page of the nearest ancestor that has one; NULL. */
static struct control *ancestor_page(void)
{
	struct identity ancestor;
	struct control *control = NULL;
	uint32_t pid = (uint32_t)getppid();
	int fd;

	for (unsigned int i = 0; i < ANCESTORS_MAX && pid > 1 && !control; i++, pid = proc_parent(pid)) {
		if (!identity_of(pid, &ancestor) || control_open(own.directory, &ancestor, own.uid, &fd) != 0)
			continue;
		control = control_map(fd, NULL);
		syscall(SYS_close, fd);
	}
	return control;
}

/* Where no ancestor is left: the stream that `rastrum record` put into the environment. */
static void environment_streams(void)
{
	struct control_stream stream;
	struct control_names names;
	const char *text = getenv(CONTROL_ENVIRONMENT);

	if (!text || !control_parse(text, &stream, &names) || stream.directory != own.uid ||
		!names_use(&names))
		return;
	process_control.names = names;
	control_attach(&process_control, &stream);
}

/* Makes the first page of a process, with the streams that it inherits from `like`. Returns false if making a
 * file failed. */
static bool register_page_make(const struct identity *self, const struct control *like)
{
	bool shares = page_inherits(like, self), is_new = false;
	struct control_names names = { 0 };
	struct names *map = NULL;
	int fd = -1;

	if (shares)
		names = like->names;
	else
		map = names_make(like == &process_control ? atomic_load(&process_map) : NULL, &names);
	if (control_make(own.directory, self, own.uid, &names, shares ? like : NULL, &fd, &is_new) != 0 ||
		!control_map(fd, &process_control)) {
		if (map)
			directory_remove(own.directory, IDENTITY_NAMES, &names.file);
		names_unmap(map);
		if (fd >= 0)
			syscall(SYS_close, fd);
		return false;
	}
	syscall(SYS_close, fd);
	if (!is_new) { /* another process was faster */
		if (map)
			directory_remove(own.directory, IDENTITY_NAMES, &names.file);
		names_unmap(map);
		page_found(self, like == &process_control ? atomic_load(&process_map) : NULL);
		return true;
	}
	process_control.image = image_number();
	process_control.is_used = 1;
	if (map)
		atomic_store(&process_map, map);
	else if (like != &process_control)
		names_share(NULL);
	own.has_shared = shares;
	return true;
}

/* Private memory. */
static void page_make_private(const struct identity *self)
{
	if (mmap(&process_control, CONTROL_BYTES, PROT_READ | PROT_WRITE,
		    MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		memset(&process_control, 0, sizeof process_control);
	control_begin(&process_control, self);
}

/*
 * Inherits the parent's streams by private memory alone. Without a start time from /proc, a stream that the
 * parent had mapped at the fork counts as attached before.
 */
static void page_make_inherited(const struct identity *self)
{
	static struct control kept; /* not on the stack, which may be a handler's */
	struct names *names = atomic_load(&process_map);
	struct control_stream stream;

	kept = process_control;
	page_make_private(self);
	if (self->start == 0)
		process_control.process.start = UINT64_MAX;
	control_inherit(&process_control, &kept);
	process_control.process.start = self->start;
	for (unsigned int i = 0; self->start == 0 && i < CONTROL_STREAMS; i++)
		if (control_look(&process_control, i, &stream) && !attached_has(i, &stream.pool))
			control_detach(&process_control, i, &stream.pool);
	if (names && atomic_load(&process_control.streams) == 0)
		atomic_store(&process_map, names_copy(names, -1));
}

/*
 * For a program that others should find, but for which no page can be made: /dev/shm is full, or /proc shows
 * another pid namespace. It takes part in the streams that an ancestor's page or the environment names.
 */
static void page_make_unfound(const struct identity *self)
{
	struct control *ancestor = self->start ? ancestor_page() : NULL;

	page_make_private(self);
	if (ancestor && page_inherits(ancestor, self) && names_use(&ancestor->names)) {
		process_control.names = ancestor->names;
		control_inherit(&process_control, ancestor);
	}
	if (ancestor)
		munmap(ancestor, CONTROL_BYTES);
	if (atomic_load(&process_control.streams) == 0)
		environment_streams();
}

static bool page_publish(const struct identity *self, bool is_child)
{
	const struct names *parents = atomic_load(&process_map);
	struct control *ancestor = NULL;
	bool done;
	int fd;

	if (control_open(own.directory, self, own.uid, &fd) == 0) {
		done = control_map(fd, &process_control) != NULL;
		syscall(SYS_close, fd);
		if (done)
			page_found(self, is_child ? parents : NULL);
		return done;
	}
	if (!is_child)
		ancestor = ancestor_page();
	done = register_page_make(self, is_child ? &process_control : ancestor);
	if (ancestor)
		munmap(ancestor, CONTROL_BYTES);
	if (done && !is_child && atomic_load(&process_control.streams) == 0)
		environment_streams();
	return done;
}

void register_keep_private(void)
{
	own.is_private = true;
}

static bool may_be_found(void)
{
	return !own.is_private && !getauxval(AT_SECURE);
}

void register_begin(bool is_child)
{
	struct identity self = { 0 };
	const bool is_known = identity_of(0, &self);
	bool done = false;

	own.uid = directory_uid();
	if (may_be_found() && directory_open(own.uid, true, &own.directory) == 0) {
		done = is_known && page_publish(&self, is_child);
		if (!done && !is_child) {
			page_make_unfound(&self);
			done = true;
		}
		syscall(SYS_close, own.directory);
	}
	own.directory = -1;
	if (!done && is_child)
		page_make_inherited(&self);
	else if (!done)
		page_make_private(&self);
	flags_follow();
}

/* Removes now and then what dead processes have left; every program and every child does it. */
void register_sweep(void)
{
	int directory;

	if (!may_be_found() || directory_open(directory_uid(), false, &directory) != 0)
		return;
	directory_sweep(directory, directory_uid(), false, pool_end_orphan, NULL);
	syscall(SYS_close, directory);
}

/* Files that other processes may still use stay; they are swept later. */
void register_end(void)
{
	const struct control *control = &process_control;
	struct process_held held;
	int directory;

	if (atomic_load(&process_attached) && atomic_load(&process_page.epoch)) {
		held = process_lock();
		procinfo_end();
		for (uint64_t attached = atomic_load(&process_attached); attached; attached &= attached - 1)
			task_refresh(process_pool(__builtin_ctzll(attached)), (uint32_t)getpid());
		process_unlock(&held);
	}
	if (control->process.pid != (uint32_t)getpid() || !may_be_found() ||
		directory_open(own.uid, false, &directory) != 0)
		return;
	directory_remove(directory, IDENTITY_CONTROL, &(struct identity_file){ .maker = control->process });
	if (identity_is(&control->names.file.maker, &control->process) && !own.has_shared)
		directory_remove(directory, IDENTITY_NAMES, &control->names.file);
	syscall(SYS_close, directory);
}
