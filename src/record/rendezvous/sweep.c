/* SPDX-License-Identifier: MIT */
/*
 * Cleans a rendezvous directory. First all its names are listed, then each is judged by its maker, and maps
 * of names last, when all pages have been read. Two processes that sweep at once do no harm: what one removes
 * was in no use.
 */
#include "record/rendezvous/control.h"
#include "record/rendezvous/proc.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define LIST_BYTES    8192
/* A tmpfs folder's size is 20 bytes for each name. */
#define CROWD_BYTES   (1024 * 20)
#define CROWD_SECONDS 1

struct entry {
	struct identity_file file;
	enum identity_kind kind;
	bool is_dead; /* its maker; of a control page, the process */
};

struct sweep {
	int directory;
	uint32_t uid;
	uint32_t space; /* the pid namespace whose processes can be identified; 0 if there is no such one */
	bool (*end)(int pool_fd);
	unsigned int n_pools;
	bool is_whole; /* every name was read, and every page that counts */
	size_t n_entries, n_needed, n_spare;
	struct entry entries[DIRECTORY_SWEEP_ENTRIES];
	struct identity_file needed[DIRECTORY_SWEEP_ENTRIES];	 /* maps named by pages of living processes */
	struct identity_file spare[DIRECTORY_SWEEP_ENTRIES + 1]; /* maps that may be unused */
};

/* The last access of the directory is when it was swept last: a time that survives every process. */
static bool sweep_is_due(int directory)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_NOW }, { .tv_nsec = UTIME_OMIT } };
	struct timespec now;
	struct stat st;
	int64_t age, pause;

	if (fstat(directory, &st) < 0 || clock_gettime(CLOCK_REALTIME, &now) < 0)
		return false;
	age = (int64_t)now.tv_sec - (int64_t)st.st_atim.tv_sec;
	pause = st.st_size < CROWD_BYTES ? DIRECTORY_SWEEP_SECONDS : CROWD_SECONDS;
	if (age >= 0 && age < pause) /* a clock that was set back is no reason to wait */
		return false;
	return utimensat(directory, ".", times, 0) == 0;
}

/* For another pid namespace: whether no process holds the file. Links and the like stay. */
static bool is_left(const struct sweep *sweep, const struct entry *entry)
{
	int fd;
	bool is;

	if (directory_open_file(sweep->directory, entry->kind, &entry->file, sweep->uid, &fd) != 0)
		return false;
	is = directory_is_left(fd);
	close(fd);
	return is;
}

static void list_add(struct sweep *sweep, const char *name)
{
	struct entry *entry = &sweep->entries[sweep->n_entries];

	if (!identity_file_parse(name, &entry->kind, &entry->file))
		return;
	entry->is_dead = entry->file.maker.space == sweep->space ? !identity_runs(&entry->file.maker)
								 : is_left(sweep, entry);
	sweep->n_entries++;
}

/* Names of other kinds count, too: there may be any number. */
static int list_read(struct sweep *sweep)
{
	_Alignas(struct dirent64) char bytes[LIST_BYTES];
	int fd = openat(sweep->directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	unsigned int n_names = 0;
	long n = 0;

	if (fd < 0)
		return errno;
	while (n_names < DIRECTORY_SWEEP_ENTRIES &&
		(n = syscall(SYS_getdents64, fd, bytes, sizeof bytes)) > 0) {
		for (long at = 0; at < n && n_names < DIRECTORY_SWEEP_ENTRIES;) {
			const struct dirent64 *entry = (const void *)(bytes + at);

			list_add(sweep, entry->d_name);
			n_names++;
			at += entry->d_reclen;
		}
	}
	sweep->is_whole = n == 0;
	close(fd);
	return n < 0 ? errno : 0;
}

/* The map that a page names, if it is in this directory. Returns false if the page could not be read now. */
static bool page_names(const struct sweep *sweep, const struct entry *entry, struct identity_file *ret_file)
{
	struct control_names names = { 0 };
	ssize_t n = -1;
	int fd = -1, error;

	error = directory_open_file(sweep->directory, IDENTITY_CONTROL, &entry->file, sweep->uid, &fd);
	if (!error) {
		n = pread(fd, &names, sizeof names, offsetof(struct control, names));
		close(fd);
	}
	if (n != (ssize_t)sizeof names || names.directory != sweep->uid)
		names.file.maker.pid = 0;
	*ret_file = names.file;
	return error == 0 || error == ENOENT || error == EPERM;
}

static void sweep_page(struct sweep *sweep, const struct entry *entry)
{
	struct identity_file names;

	if (!page_names(sweep, entry, &names))
		sweep->is_whole = false;
	if (names.maker.pid && entry->is_dead)
		sweep->spare[sweep->n_spare++] = names;
	else if (names.maker.pid)
		sweep->needed[sweep->n_needed++] = names;
	if (entry->is_dead)
		directory_remove(sweep->directory, IDENTITY_CONTROL, &entry->file);
}

static void sweep_names(struct sweep *sweep, const struct entry *entry)
{
	if (entry->is_dead)
		sweep->spare[sweep->n_spare++] = entry->file;
}

/* A pool that cannot be opened now lives; a file that can never be a pool is removed. */
static void sweep_pool(struct sweep *sweep, const struct entry *entry)
{
	bool is_over = false;
	int fd = -1, error;

	if (entry->is_dead) {
		error = directory_open_file(sweep->directory, IDENTITY_POOL, &entry->file, sweep->uid, &fd);
		is_over = error ? error == EPERM || error == ENOENT : sweep->end(fd);
		if (!error)
			close(fd);
	}
	if (is_over)
		directory_remove(sweep->directory, IDENTITY_POOL, &entry->file);
	else
		sweep->n_pools++;
}

static void sweep_draft(struct sweep *sweep, const struct entry *entry)
{
	if (entry->is_dead)
		directory_remove(sweep->directory, IDENTITY_DRAFT, &entry->file);
}

static const struct sweep_kind {
	enum identity_kind kind;
	void (*sweep)(struct sweep *sweep, const struct entry *entry);
} sweep_kinds[] = {
	{ IDENTITY_CONTROL, sweep_page },
	{ IDENTITY_NAMES, sweep_names },
	{ IDENTITY_POOL, sweep_pool },
	{ IDENTITY_DRAFT, sweep_draft },
};

static void sweep_entry(struct sweep *sweep, const struct entry *entry)
{
	for (size_t i = 0; i < sizeof sweep_kinds / sizeof sweep_kinds[0]; i++)
		if (sweep_kinds[i].kind == entry->kind)
			sweep_kinds[i].sweep(sweep, entry);
}

static bool is_needed(const struct sweep *sweep, const struct identity_file *names)
{
	for (size_t i = 0; i < sweep->n_needed; i++)
		if (identity_file_is(&sweep->needed[i], names))
			return true;
	return false;
}

static void sweep_spare(struct sweep *sweep)
{
	for (size_t i = 0; i < sweep->n_spare && sweep->is_whole; i++)
		if (!is_needed(sweep, &sweep->spare[i]))
			directory_remove(sweep->directory, IDENTITY_NAMES, &sweep->spare[i]);
}

/* spare: a map that may be unused though its maker lives, or NULL. */
static int sweep_whole(int directory, uint32_t uid, const struct identity_file *spare,
	bool (*end)(int pool_fd), unsigned int *ret_n_pools)
{
	struct sweep *sweep;
	struct identity self;
	int kept = errno, error;

	/* malloc() may be interrupted: a child just forked may be in a handler */
	sweep = mmap(NULL, sizeof *sweep, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (sweep == MAP_FAILED) {
		errno = kept;
		return ENOMEM;
	}
	sweep->directory = directory;
	sweep->uid = uid;
	sweep->end = end;
	identity_of(0, &self);
	sweep->space = self.space;
	if (spare)
		sweep->spare[sweep->n_spare++] = *spare;
	error = list_read(sweep);
	for (size_t i = 0; i < sweep->n_entries; i++)
		sweep_entry(sweep, &sweep->entries[i]);
	sweep_spare(sweep);
	if (ret_n_pools && !error)
		*ret_n_pools = sweep->n_pools;
	munmap(sweep, sizeof *sweep);
	errno = kept;
	return error;
}

int directory_sweep(
	int directory, uint32_t uid, bool is_now, bool (*end)(int pool_fd), unsigned int *ret_n_pools)
{
	int kept = errno;
	bool is_due = sweep_is_due(directory);

	errno = kept;
	return is_due || is_now ? sweep_whole(directory, uid, NULL, end, ret_n_pools) : 0;
}

int directory_sweep_ended(
	int directory, uint32_t uid, const struct identity_file *names, bool (*end)(int pool_fd))
{
	return sweep_whole(directory, uid, names, end, NULL);
}
