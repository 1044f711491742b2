/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/directory.h"
#include "record/rendezvous/elsewhere.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <time.h>
#include <unistd.h>

#define DIRECTORY_MODE	 0700
#define FILE_MODE	 0600
#define SHARED_MODE	 0660
#define PATH_BYTES	 ELSEWHERE_PATH_BYTES
#define FIRST_DESCRIPTOR 3 /* lower ones are standard streams */
/* How often another name, or a call that a signal interrupted, is tried. */
#define TRIES		 64
/* Bytes of one call: a signal makes the kernel undo it. */
#define ALLOCATE_BYTES	 (1ull << 22)

static int open_at(int directory, const char *name, int flags, int *ret_fd)
{
	long fd = syscall(
		SYS_openat, (long)directory, name, (long)(flags | O_CLOEXEC | O_NOFOLLOW), (long)FILE_MODE);

	if (fd >= 0 && fd < FIRST_DESCRIPTOR) {
		long high = syscall(SYS_fcntl, fd, (long)F_DUPFD_CLOEXEC, (long)FIRST_DESCRIPTOR);
		int error = errno;

		syscall(SYS_close, fd);
		errno = error;
		fd = high;
	}
	*ret_fd = (int)fd;
	return fd < 0 ? errno : 0;
}

static int open_forget(int *fd, int error)
{
	proc_close(*fd);
	*fd = -1;
	return error;
}

static int open_checked(const char *path, uint32_t uid, int *ret_fd)
{
	struct stat st;
	int error = open_at(AT_FDCWD, path, O_PATH | O_DIRECTORY, ret_fd);

	if (error)
		return error == ELOOP || error == ENOTDIR ? EPERM : error;
	if (fstat(*ret_fd, &st) == 0 && st.st_uid == uid && (st.st_mode & 07777) == DIRECTORY_MODE)
		return 0;
	return open_forget(ret_fd, EPERM);
}

/* Different at each call of one thread, and from all since boot, because /dev/shm is empty then. */
static uint64_t moment(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Sets mode (the umask may have reduced it) and owner of a directory that was just made. */
static int directory_give(int fd, uint32_t uid)
{
	char path[40]; /* fchmod() would need a descriptor open for reading */
	struct stat st;

	if (fstat(fd, &st) < 0)
		return errno;
	if (st.st_uid != geteuid()) /* replaced meanwhile: this /dev/shm is not sticky */
		return EPERM;
	*proc_number(stpcpy(path, "/proc/self/fd/"), (uint64_t)fd) = '\0';
	if ((st.st_mode & 07777) != DIRECTORY_MODE && chmod(path, DIRECTORY_MODE) < 0)
		return errno;
	return uid != geteuid() && fchownat(fd, "", uid, (gid_t)-1, AT_EMPTY_PATH) < 0 ? errno : 0;
}

/*
 * First under another name, which other users cannot guess: it must belong to the user and be closed to
 * others from the moment that it can be found.
 */
static int directory_make(const char *path, uint32_t uid)
{
	char draft[PATH_BYTES];
	char *at = stpcpy(draft, path);
	int fd, error;

	*at++ = '.';
	at = proc_number(at, (uint64_t)syscall(SYS_gettid));
	*at++ = '.';
	*proc_number(at, moment()) = '\0';
	if (mkdir(draft, DIRECTORY_MODE) < 0)
		return errno;
	error = open_at(AT_FDCWD, draft, O_PATH | O_DIRECTORY, &fd);
	if (!error)
		error = directory_give(fd, uid);
	proc_close(fd);
	if (!error && syscall(SYS_renameat2, (long)AT_FDCWD, draft, (long)AT_FDCWD, path,
			      (long)RENAME_NOREPLACE) < 0)
		error = errno;
	if (error)
		rmdir(draft);
	return error == EEXIST ? 0 : error;
}

/* Under the plain name or, if another user has taken it, under one that cannot be known before. */
static int directory_make_one(uint32_t uid, int error, int *ret_fd)
{
	char path[PATH_BYTES];

	if (error == ENOENT) {
		error = geteuid() == uid || geteuid() == 0 ? 0 : EPERM;
		elsewhere_path(uid, 0, path);
		if (!error)
			error = directory_make(path, uid);
		if (!error)
			error = open_checked(path, uid, ret_fd);
	}
	if (error != EPERM || !elsewhere_is_taken(uid) || (geteuid() != uid && geteuid() != 0))
		return error;
	elsewhere_path(uid, moment(), path);
	error = directory_make(path, uid);
	/* other processes may have made one at the same time: all use the earliest */
	if (!error)
		error = elsewhere_find(uid, path) ? open_checked(path, uid, ret_fd) : EPERM;
	return error;
}

uint32_t directory_uid(void)
{
	return (uint32_t)(geteuid() == 0 ? 0 : getuid());
}

int directory_open(uint32_t uid, bool make, int *ret_fd)
{
	int kept = errno, error;
	char path[PATH_BYTES];

	elsewhere_path(uid, 0, path);
	error = open_checked(path, uid, ret_fd);
	/* a directory with another name stays the user's when the plain name becomes free */
	if ((error == ENOENT || (error == EPERM && elsewhere_is_taken(uid))) && elsewhere_find(uid, path))
		error = open_checked(path, uid, ret_fd);
	else if (error && make)
		error = directory_make_one(uid, error, ret_fd);
	errno = kept;
	return error;
}

bool directory_parse(const char *path, size_t n_bytes, uint32_t *ret_uid, enum identity_kind *ret_kind,
	struct identity_file *ret_file)
{
	const size_t n_prefix = sizeof ELSEWHERE_PREFIX - 1;
	char name[PATH_BYTES + IDENTITY_NAME_BYTES];
	uint64_t uid = 0;
	char *slash;

	if (n_bytes <= n_prefix || n_bytes >= sizeof name || memcmp(path, ELSEWHERE_PREFIX, n_prefix) != 0)
		return false;
	memcpy(name, path, n_bytes);
	name[n_bytes] = '\0';
	slash = strchr(name + n_prefix, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (const char *at = name + n_prefix; *at >= '0' && *at <= '9'; at++)
		uid = uid * 10 + (uint64_t)(*at - '0');
	/* whatever these characters were: the path is one that this file writes, or is refused */
	*ret_uid = (uint32_t)uid;
	return elsewhere_is_path(name, *ret_uid) && identity_file_parse(slash + 1, ret_kind, ret_file);
}

/* Checked before, because a failing allocation would take all memory for a while. */
static bool has_room(int fd, uint64_t bytes)
{
	struct statfs fs;

	return fstatfs(fd, &fs) < 0 || fs.f_blocks == 0 /* no limit */ ||
	       bytes / (uint64_t)fs.f_bsize < (uint64_t)fs.f_bavail;
}

static int file_allocate(int fd, uint64_t bytes)
{
	_Static_assert(sizeof(long) == 8, "an offset is one argument of the system call");
	unsigned int n_interrupted = 0;

	if (!has_room(fd, bytes))
		return ENOSPC;
	for (uint64_t at = 0; at < bytes;) {
		uint64_t chunk = bytes - at < ALLOCATE_BYTES ? bytes - at : ALLOCATE_BYTES;

		if (syscall(SYS_fallocate, (long)fd, 0L, at, chunk) == 0)
			at += chunk;
		else if (errno != EINTR || n_interrupted++ == TRIES * TRIES)
			return errno;
	}
	return 0;
}

/* Allocates the memory, unless sparse; sets the owner last: until then no other user can open it. */
static int file_prepare(int fd, uint32_t uid, uint64_t bytes, bool is_sparse)
{
	int error = 0;

	if (is_sparse && ftruncate(fd, (off_t)bytes) < 0)
		error = errno;
	else if (!is_sparse)
		error = file_allocate(fd, bytes);
	if (error)
		return error == ENOSPC || error == EFBIG ? ENOMEM : error;
	if (fchmod(fd, FILE_MODE) < 0 || (uid != geteuid() && fchown(fd, uid, (gid_t)-1) < 0))
		return errno;
	return 0;
}

static int file_make(int directory, enum identity_kind kind, struct identity_file *file, int *ret_fd)
{
	char name[IDENTITY_NAME_BYTES];
	int error = EEXIST;

	if (!identity_of(0, &file->maker))
		return ESRCH;
	for (unsigned int i = 0; i < TRIES && error == EEXIST; i++) {
		file->serial = moment() + i;
		identity_file_name(kind, file, name);
		error = open_at(directory, name, O_RDWR | O_CREAT | O_EXCL, ret_fd);
	}
	return error;
}

int directory_create(int directory, enum identity_kind kind, uint32_t uid, uint64_t bytes, bool is_sparse,
	struct identity_file *ret_file, int *ret_fd)
{
	int kept = errno, error = ENOMEM;

	*ret_file = (struct identity_file){ 0 };
	*ret_fd = -1;
	if (bytes <= INT64_MAX && proc_may_have(bytes))
		error = file_make(directory, kind, ret_file, ret_fd);
	if (!error) {
		error = file_prepare(*ret_fd, uid, bytes, is_sparse);
		if (error) {
			directory_remove(directory, kind, ret_file);
			open_forget(ret_fd, error);
		}
	}
	if (error)
		*ret_file = (struct identity_file){ 0 };
	else
		directory_hold(*ret_fd);
	errno = kept;
	return error;
}

/*
 * One error for everything that is not ours: a link, a socket, a folder, another user's file, one that is
 * leased or being executed.
 */
static int open_error(int error)
{
	static const int passed_on[] = { 0, ENOENT, EMFILE, ENFILE, ENOMEM };

	for (size_t i = 0; i < sizeof passed_on / sizeof passed_on[0]; i++)
		if (error == passed_on[i])
			return error;
	return EPERM;
}

static int file_check(int fd, uint32_t uid)
{
	struct stat st;

	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_nlink > 1 ||
		(st.st_uid != uid && st.st_uid != 0))
		return EPERM;
	return st.st_nlink == 0 ? ENOENT : 0; /* removed meanwhile */
}

int directory_open_file(
	int directory, enum identity_kind kind, const struct identity_file *file, uint32_t uid, int *ret_fd)
{
	char name[IDENTITY_NAME_BYTES];
	int kept = errno, error;

	identity_file_name(kind, file, name);
	/* it may be anything: a pipe must not block, a terminal must not become ours */
	error = open_error(open_at(directory, name, O_RDWR | O_NONBLOCK | O_NOCTTY, ret_fd));
	if (!error) {
		error = file_check(*ret_fd, uid);
		if (error)
			open_forget(ret_fd, error);
	}
	errno = kept;
	return error;
}

int directory_group(int fd, uint32_t gid)
{
	int kept = errno, error = 0;
	struct stat st;

	if (fstat(fd, &st) < 0 || fchown(fd, (uid_t)-1, gid) < 0 ||
		(st.st_uid == 0 && fchmod(fd, SHARED_MODE) < 0))
		error = errno;
	errno = kept;
	return error;
}

/* directory_is_left() holds it for an instant */
void directory_hold(int fd)
{
	int kept = errno;

	for (unsigned int i = 0; i < TRIES && syscall(SYS_flock, (long)fd, (long)(LOCK_SH | LOCK_NB)) < 0 &&
				 (errno == EWOULDBLOCK || errno == EINTR);
		i++)
		syscall(SYS_sched_yield);
	errno = kept;
}

bool directory_is_left(int fd)
{
	int kept = errno;
	struct timespec now;
	struct stat st;
	bool is_left = fstat(fd, &st) == 0 && clock_gettime(CLOCK_REALTIME, &now) == 0 &&
		       now.tv_sec - st.st_mtim.tv_sec >= DIRECTORY_LEFT_SECONDS &&
		       syscall(SYS_flock, (long)fd, (long)(LOCK_EX | LOCK_NB)) == 0;

	if (is_left)
		syscall(SYS_flock, (long)fd, (long)LOCK_UN);
	errno = kept;
	return is_left;
}

void directory_remove(int directory, enum identity_kind kind, const struct identity_file *file)
{
	char name[IDENTITY_NAME_BYTES];
	int kept = errno;

	identity_file_name(kind, file, name);
	unlinkat(directory, name, 0);
	errno = kept;
}

int directory_publish(int directory, const struct identity_file *draft, const struct identity *process)
{
	const struct identity_file page = { .maker = *process };
	char from[IDENTITY_NAME_BYTES], to[IDENTITY_NAME_BYTES];
	int kept = errno, error = 0;

	identity_file_name(IDENTITY_DRAFT, draft, from);
	identity_file_name(IDENTITY_CONTROL, &page, to);
	if (syscall(SYS_renameat2, (long)directory, from, (long)directory, to, (long)RENAME_NOREPLACE) < 0)
		error = errno;
	if (error)
		directory_remove(directory, IDENTITY_DRAFT, draft);
	errno = kept;
	return error;
}
