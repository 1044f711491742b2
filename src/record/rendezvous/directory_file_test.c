/* SPDX-License-Identifier: MIT */
/*
 * Files in a rendezvous directory: making them, with all their memory, opening only what is ours, publishing
 * a page.
 */
#include "record/rendezvous/directory_test.h"
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>

static void test_create(void)
{
	struct identity_file file, other;
	struct identity self;
	struct stat st;
	unsigned char bytes[4096] = { 1 };
	int fd = -1, fd_other = -1;
	const uint64_t n_bytes = (8u << 20) + 5;

	errno = 42;
	is_number((unsigned)directory_create(
			  test.directory, IDENTITY_POOL, getuid(), n_bytes, false, &file, &fd),
		0, "a file is made");
	ok(identity_of(0, &self) && identity_is(&file.maker, &self) && file.serial != 0,
		"its maker is the caller");
	ok(fstat(fd, &st) == 0 && st.st_size == (off_t)n_bytes && st.st_blocks * 512 >= st.st_size,
		"its memory is all there");
	ok(pread(fd, bytes, sizeof bytes, 0) == sizeof bytes && bytes[0] == 0 &&
			memcmp(bytes, bytes + 1, sizeof bytes - 1) == 0,
		"it is zero");
	ok((st.st_mode & 07777) == 0600 && st.st_uid == getuid(), "it is the user's alone");
	ok(directory_create(test.directory, IDENTITY_POOL, getuid(), n_bytes, true, &other, &fd_other) == 0 &&
			fstat(fd_other, &st) == 0 && st.st_blocks == 0 && st.st_size == (off_t)n_bytes,
		"one that is sparse has only the size");
	ok(other.serial != file.serial, "no two have the same serial");
	is_number((unsigned)errno, 42, "errno is kept");
	close(fd);
	close(fd_other);
	directory_remove(test.directory, IDENTITY_POOL, &file);
	directory_remove(test.directory, IDENTITY_POOL, &other);
	directory_remove(test.directory, IDENTITY_POOL, &other);
	ok(rmdir(test.folder) == 0 && mkdir(test.folder, 0700) == 0,
		"removed files are gone; a second time does no harm");
	folder_renew();
}

static int create_beyond_limit(void)
{
	const struct rlimit limit = { 65536, 65536 };
	struct identity_file file;
	int fd = 0;

	return setrlimit(RLIMIT_FSIZE, &limit) < 0 ||
	       directory_create(test.directory, IDENTITY_POOL, getuid(), 65537, true, &file, &fd) != ENOMEM ||
	       fd != -1 || file.maker.pid != 0 ||
	       directory_create(test.directory, IDENTITY_NAMES, getuid(), 65536, true, &file, &fd) != 0;
}

static void ignore_signal(int number)
{
	(void)number;
}

static int create_between_signals(void)
{
	const struct itimerval often = { { 0, 300 }, { 0, 300 } };
	struct sigaction action = { .sa_handler = ignore_signal };
	struct identity_file file;
	int fd;

	return sigaction(SIGALRM, &action, NULL) < 0 || setitimer(ITIMER_REAL, &often, NULL) < 0 ||
	       directory_create(test.directory, IDENTITY_POOL, getuid(), 32u << 20, false, &file, &fd) != 0;
}

/* A file system of a megabyte, which only this child has: using up all memory would harm other processes. */
static int create_beyond_room(void)
{
	struct identity_file file;
	struct statfs fs;
	int directory, fd = 0;

	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
		mount("none", test.folder, "tmpfs", 0, "size=1m") < 0)
		return 2;
	directory = open(test.folder, O_PATH | O_DIRECTORY);
	return directory_create(directory, IDENTITY_POOL, getuid(), 1 << 21, false, &file, &fd) != ENOMEM ||
	       fd != -1 || statfs(test.folder, &fs) < 0 || fs.f_bfree != fs.f_blocks ||
	       rmdir(test.folder) == 0 ||
	       directory_create(directory, IDENTITY_POOL, getuid(), 1 << 19, false, &file, &fd) != 0;
}

static void test_no_room(void)
{
	int result;

	struct identity_file file;
	int fd = 0;

	is_number((unsigned)directory_create(
			  test.directory, IDENTITY_POOL, getuid(), UINT64_MAX, false, &file, &fd),
		ENOMEM, "more bytes than a file can have are ENOMEM");
	ok(fd == -1 && file.maker.pid == 0, "then there is no file and no descriptor");
	result = child_do(create_beyond_room);
	if (result == 2)
		skip("no right to mount", "more than the file system has room for is ENOMEM, and takes none");
	else
		is_number((unsigned)result, 0,
			"more than the file system has room for is ENOMEM, and takes none");
	is_number((unsigned)child_do(create_beyond_limit), 0,
		"so are more than RLIMIT_FSIZE, which is no deadly signal");
	is_number((unsigned)child_do(create_between_signals), 0,
		"a file gets all its memory while signals come all the time");
	folder_renew();
}

static const struct identity_file sample = { { 3, 2, 1 }, 4 };

static bool lie_owner(const char *path)
{
	return mknod(path, S_IFREG | 0666, 0) == 0 && chown(path, test.uid + 1, 0) == 0;
}
static bool lie_link(const char *path)
{
	return symlink("/dev/zero", path) == 0;
}
static bool lie_loose_link(const char *path)
{
	return symlink("created-by-mistake", path) == 0;
}
static bool lie_pipe(const char *path)
{
	return mkfifo(path, 0600) == 0;
}
static bool lie_socket(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);
	bool done;

	strcpy(address.sun_path, path);
	done = bind(fd, (struct sockaddr *)&address, sizeof address) == 0;
	close(fd);
	return done;
}
static bool lie_folder(const char *path)
{
	return mkdir(path, 0700) == 0;
}
static bool lie_second_name(const char *path)
{
	char other[128];

	snprintf(other, sizeof other, "%s/other", test.folder);
	return mknod(other, S_IFREG | 0600, 0) == 0 && link(other, path) == 0;
}
/* Without O_NONBLOCK, open() would wait for 45 seconds. */
static bool lie_lease(const char *path)
{
	int fd = open(path, O_RDONLY | O_CREAT, 0600);

	signal(SIGIO, SIG_IGN);
	return fcntl(fd, F_SETLEASE, F_WRLCK) == 0;
}
static bool lie_program(const char *path)
{
	char command[256];

	snprintf(command, sizeof command, "{ cp /bin/sleep %s && %s 3; } >/dev/null 2>&1 & sleep 0.3", path,
		path);
	return system(command) == 0;
}

static const struct lie {
	bool (*make)(const char *path);
	const char *what;
} lies[] = {
	{ lie_owner, "another user's file" },
	{ lie_link, "a link" },
	{ lie_loose_link, "a link to nowhere" },
	{ lie_pipe, "a pipe" },
	{ lie_socket, "a socket" },
	{ lie_folder, "a folder" },
	{ lie_second_name, "a file with a second name" },
	{ lie_lease, "a file on lease" },
	{ lie_program, "a program that runs" },
};

static void test_open_file(void)
{
	char name[IDENTITY_NAME_BYTES], path[160];
	struct identity_file file;
	int fd = -1;

	identity_file_name(IDENTITY_POOL, &sample, name);
	snprintf(path, sizeof path, "%s/%s", test.folder, name);
	errno = 42;
	is_number((unsigned)directory_open_file(test.directory, IDENTITY_POOL, &sample, getuid(), &fd),
		ENOENT, "a file that is not there is ENOENT");
	is_number((unsigned)errno, 42, "errno is kept");
	ok(directory_create(test.directory, IDENTITY_POOL, getuid(), 9, false, &file, &fd) == 0 &&
			close(fd) == 0 &&
			directory_open_file(test.directory, IDENTITY_POOL, &file, getuid(), &fd) == 0 &&
			write(fd, "w", 1) == 1 && pread(fd, name, 1, 0) == 1,
		"a file of ours is opened for both ways");
	ok(fd > 2 && fcntl(fd, F_GETFD) == FD_CLOEXEC && close(fd) == 0, "its descriptor is close-on-exec");
	ok(getuid() != 0 || directory_open_file(test.directory, IDENTITY_POOL, &file, test.uid, &fd) == 0,
		"a file of root's is as good as the user's");
	ok(directory_open_file(test.directory, IDENTITY_NAMES, &file, getuid(), &fd) == ENOENT,
		"its kind is part of its name");
	folder_renew();
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		bool is_there;

		if (getuid() != 0 && lies[i].make == lie_owner) {
			skip("not root", "another user's file is EPERM");
			continue;
		}
		is_there = lies[i].make(path);
		alarm(10);
		ok(is_there &&
				directory_open_file(test.directory, IDENTITY_POOL, &sample, getuid(), &fd) ==
					EPERM &&
				fd == -1,
			"%s is EPERM, at once", lies[i].what);
		alarm(0);
		directory_remove(test.directory, IDENTITY_POOL, &sample);
		rmdir(path);
	}
	snprintf(path, sizeof path, "%s/created-by-mistake", test.folder);
	ok(access(path, F_OK) < 0, "nothing is made where a link leads");
}

static void test_publish(void)
{
	const struct identity process = { 3, 2, 1 };
	const struct identity_file page = { process, 0 };
	struct identity_file draft, second;
	int fd, fd_second, found;
	struct stat first, st;

	directory_create(test.directory, IDENTITY_DRAFT, getuid(), 9, false, &draft, &fd);
	directory_create(test.directory, IDENTITY_DRAFT, getuid(), 9, false, &second, &fd_second);
	is_number((unsigned)directory_publish(test.directory, &draft, &process), 0, "a draft becomes a page");
	is_number((unsigned)directory_publish(test.directory, &second, &process), EEXIST,
		"a second one does not");
	ok(directory_open_file(test.directory, IDENTITY_CONTROL, &page, getuid(), &found) == 0 &&
			fstat(found, &st) == 0 && fstat(fd, &first) == 0 && st.st_ino == first.st_ino,
		"the first one stays the page");
	ok(fstat(fd_second, &st) == 0 && st.st_nlink == 0, "the second one is removed");
	is_number((unsigned)directory_publish(test.directory, &second, &process), ENOENT,
		"a draft that is not there is ENOENT");
	close(fd);
	close(fd_second);
	close(found);
}

int main(void)
{
	test_begin();
	test_create();
	test_no_room();
	test_open_file();
	test_publish();
	remove_all(test.folder);
	return tap_done();
}
