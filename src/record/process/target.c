/* SPDX-License-Identifier: MIT */
#include "record/process/target.h"
#include "record/rendezvous/guard.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

uint64_t target_now(void)
{
	const uint64_t ticks = (uint64_t)sysconf(_SC_CLK_TCK);
	struct timespec now;

	clock_gettime(CLOCK_BOOTTIME, &now);
	return (uint64_t)now.tv_sec * ticks + (uint64_t)now.tv_nsec * ticks / 1000000000u;
}

static int names_file_open(const struct control_names *names, int *ret_fd)
{
	int directory;
	int error = names->file.maker.pid ? directory_open(names->directory, false, &directory) : ENOENT;

	if (!error) {
		error = directory_open_file(
			directory, IDENTITY_NAMES, &names->file, names->directory, ret_fd);
		close(directory);
	}
	/* a program that was exec'd just now has replaced it by a map of its own */
	return error == ENOENT ? ESTALE : error;
}

static void map_forget(struct target *target)
{
	if (target->names)
		guard_drop(target->names);
	names_unmap(target->names);
	target->names = NULL;
}

/*
 * Maps the names that the control page names now. They must be in the page's directory: a page that names
 * another one would make this process, which may open it, write where the target cannot.
 */
static int map_follow(struct target *target)
{
	int fd, error;

	map_forget(target);
	target->names_file = target->control->names;
	if (target->names_file.directory != target->page_uid)
		return EPERM;
	error = names_file_open(&target->names_file, &fd);
	if (error)
		return error;
	target->names = names_map(fd);
	close(fd);
	if (!target->names)
		return EPERM;
	return guard_add(target->names, names_bytes()) ? 0 : ENOMEM;
}

/*
 * Makes the first page of a target, with an empty map of names for the program to come. All its memory is
 * allocated now: a tree of processes will be recorded, and there must be room for all of its names.
 */
static int target_page_make(struct target *target, int *ret_fd)
{
	const uint32_t uid = target->permit.uid;
	struct control_names names_file = { .directory = uid };
	struct names *names;
	bool is_new = false;
	int fd;
	int error = directory_create(
		target->directory, IDENTITY_NAMES, uid, names_bytes(), false, &names_file.file, &fd);

	if (error)
		return error;
	names = names_create(fd);
	close(fd);
	error = names ? control_make(target->directory, &target->permit.process, uid, &names_file, NULL,
				ret_fd, &is_new)
		      : ENOMEM;
	names_unmap(names);
	if (!is_new)
		directory_remove(target->directory, IDENTITY_NAMES, &names_file.file);
	return error;
}

/*
 * The page that the target has mapped, by the kernel's account, which no other process can forge. A process
 * keeps its page when it becomes another user (setuid(2)), and a child just forked has its parent's until it
 * has its own.
 */
enum page_mapped { PAGE_NONE, PAGE_PARENTS, PAGE_OWN };

static enum page_mapped page_look(const struct permit *permit, uint32_t *ret_uid)
{
	int fd = proc_open(permit->process.pid, 0, "maps");
	enum page_mapped mapped = PAGE_NONE;
	unsigned char buffer[8192];
	struct proc_mapping mapping;
	struct identity_file file;
	enum identity_kind kind;
	struct proc_map map;

	proc_map_begin(&map, fd, buffer, sizeof buffer);
	while (fd >= 0 && mapped != PAGE_OWN && proc_map_next(&map, &mapping)) {
		if (!directory_parse(mapping.path, mapping.path_length, ret_uid, &kind, &file) ||
			kind != IDENTITY_CONTROL)
			continue;
		mapped = identity_is(&file.maker, &permit->process) ? PAGE_OWN : PAGE_PARENTS;
	}
	proc_close(fd);
	if (mapped != PAGE_OWN)
		*ret_uid = permit->uid;
	return mapped;
}

static int page_find(struct target *target, int *ret_fd)
{
	int directory;
	int error = directory_open(target->page_uid, false, &directory);

	if (error)
		return error;
	error = control_open(directory, &target->permit.process, target->page_uid, ret_fd);
	close(directory);
	return error;
}

static int page_open(struct target *target, bool waits)
{
	enum page_mapped mapped = page_look(&target->permit, &target->page_uid);
	int fd, error;

	error = page_find(target, &fd);
	if (error == ENOENT && mapped == PAGE_PARENTS && waits)
		return ESTALE;
	if (error == ENOENT && mapped != PAGE_OWN)
		error = target_page_make(target, &fd);
	if (error)
		return error == EINVAL || error == ENOENT || error == EACCES ? EPERM : error;
	target->control = control_map(fd, NULL);
	close(fd);
	if (target->control && guard_add(target->control, CONTROL_BYTES))
		return 0;
	return ENOMEM;
}

/* Counts the named pools of all processes of the user: streams of other processes, and inherited ones. */
static int streams_count(int directory, uint32_t uid)
{
	unsigned int n_pools = 0;
	int error = directory_sweep(directory, uid, true, pool_end_orphan, &n_pools);

	/* root has no limit in another user's directory */
	return error ? error : n_pools >= TRACE_SYS_MAX && geteuid() == uid ? EAGAIN : 0;
}

int target_open(struct target *ret_target, const struct permit *permit, bool waits)
{
	int error;

	*ret_target = (struct target){ .permit = *permit, .directory = -1, .slot = -1 };
	error = directory_open(permit->uid, true, &ret_target->directory);
	if (!error)
		error = streams_count(ret_target->directory, permit->uid);
	if (!error)
		error = page_open(ret_target, waits);
	if (!error)
		error = map_follow(ret_target);
	/* the pid may have become another process's meanwhile */
	if (!error && !identity_runs(&permit->process))
		error = ESRCH;
	if (error)
		target_forget(ret_target);
	return error;
}

int target_attach(struct target *target, const struct pool *pool, bool is_inherited)
{
	const struct control_stream stream = {
		.pool = pool->file,
		.attached = target_now(),
		.directory = target->permit.uid,
		.is_inherited = is_inherited,
	};

	target->slot = control_attach(target->control, &stream);
	if (target->slot < 0)
		return EAGAIN;
	/* a program that was exec'd just now, and found no stream, has begun a map of its own */
	if (identity_file_is(&target->names_file.file, &target->control->names.file))
		return 0;
	target_detach(target, pool);
	return ESTALE;
}

void target_detach(struct target *target, const struct pool *pool)
{
	/* A confined target keeps what it has: a change would make it call more than it may be allowed to. */
	if (target->slot >= 0 && !permit_is_confined(target->permit.process.pid))
		control_detach(target->control, (unsigned int)target->slot, &pool->file);
	target->slot = -1;
}

/* A target cannot remove the map of names that a controller made for it. It removes no page if it never
 * loaded the library. */
static void ended_sweep(const struct target *target)
{
	int directory;

	if (identity_runs(&target->permit.process) ||
		directory_open(target->page_uid, false, &directory) != 0)
		return;
	directory_sweep_ended(directory, target->page_uid, &target->names_file.file, pool_end_orphan);
	close(directory);
}

void target_forget(struct target *target)
{
	map_forget(target);
	if (target->control) {
		ended_sweep(target);
		guard_drop(target->control);
		munmap(target->control, CONTROL_BYTES);
		target->control = NULL;
	}
	if (target->directory >= 0)
		close(target->directory);
	target->directory = -1;
}

int target_names_open(const struct target *target, int *ret_fd)
{
	return names_file_open(&target->names_file, ret_fd);
}
