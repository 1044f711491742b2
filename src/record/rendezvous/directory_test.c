/* SPDX-License-Identifier: MIT */
/* Makes and removes directories of uids that no user has; files in a directory are tested in a folder of the test's. */
#include "record/rendezvous/child_test.h"
#include "record/rendezvous/directory.h"
#include "record/rendezvous/elsewhere.h"
#include <dirent.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/vfs.h>

static struct {
	uint32_t uid; /* no user's */
	char path[64];
	char folder[64]; /* of the test's own */
	int directory;
} test;

static void test_begin(void)
{
	test.uid = 2000000000u + (uint32_t)getpid();
	snprintf(test.path, sizeof test.path, "/dev/shm/posix-trace-%u", test.uid);
	strcpy(test.folder, "/dev/shm/directory_test.XXXXXX");
	if (!mkdtemp(test.folder) || (test.directory = open(test.folder, O_PATH | O_DIRECTORY)) < 0)
		exit(1);
}

/* Folders and files of /dev/shm whose name begins as that of the user's directory. */
static unsigned int count_there(void)
{
	const char *name = strrchr(test.path, '/') + 1;
	unsigned int n = 0;
	DIR *folder = opendir("/dev/shm");

	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
		n += strncmp(entry->d_name, name, strlen(name)) == 0;
	closedir(folder);
	return n;
}

static void test_make(void)
{
	struct stat st;
	int fd = -1, again = -1;
	mode_t mask;

	is_number((unsigned)directory_open(test.uid, false, &fd), ENOENT,
		"a directory that is not there is ENOENT");
	ok(fd == -1 && count_there() == 0, "and is not made unless that is wanted");
	mask = umask(0777);
	is_number((unsigned)directory_open(test.uid, true, &fd), 0, "root makes the directory of a user");
	umask(mask);
	ok(fstat(fd, &st) == 0 && st.st_uid == test.uid && (st.st_mode & 07777) == 0700,
		"it is the user's alone, whatever the umask");
	ok(fd > 2 && fcntl(fd, F_GETFD) == FD_CLOEXEC && (fcntl(fd, F_GETFL) & O_PATH),
		"it is open as promised");
	ok(directory_open(test.uid, true, &again) == 0 && count_there() == 1, "it is made once");
	close(fd);
	close(again);
	rmdir(test.path);
}

static int open_as_nobody(void)
{
	int fd, made;

	if (!child_become(NOBODY, NOBODY))
		return 1;
	made = directory_open(test.uid, true, &fd);
	return made != EPERM;
}

static int open_own(void)
{
	struct identity_file file;
	struct stat st;
	int fd, pool;

	umask(0777);
	if (!child_become(test.uid, NOBODY) || directory_open(test.uid, true, &fd) != 0)
		return 1;
	return fstat(fd, &st) < 0 || st.st_uid != test.uid || (st.st_mode & 07777) != 0700 ||
	       directory_create(fd, IDENTITY_POOL, test.uid, 5000, false, &file, &pool) != 0 ||
	       fstat(pool, &st) < 0 || (st.st_mode & 07777) != 0600 || st.st_uid != test.uid;
}

static int create_for_root(void)
{
	struct identity_file file;
	int fd = -1, pool = -1;

	if (directory_open(0, true, &fd) != 0 || !child_become(NOBODY, NOBODY))
		return 1;
	close(fd);
	if (directory_open(0, false, &fd) != 0)
		return 2;
	return directory_create(fd, IDENTITY_POOL, NOBODY, 1, false, &file, &pool) != EACCES || pool != -1;
}

static int open_without_standard(void)
{
	struct identity_file file;
	int fd, pool;

	close(0);
	close(1);
	close(2);
	return directory_open(test.uid, true, &fd) != 0 || fd < 3 ||
	       directory_create(fd, IDENTITY_POOL, test.uid, 1, false, &file, &pool) != 0 || pool < 3 ||
	       fcntl(pool, F_GETFD) != FD_CLOEXEC;
}

/* A directory of the test's, with whatever is in it. */
static void remove_all(const char *path)
{
	char inside[512];
	DIR *folder = opendir(path);

	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
		snprintf(inside, sizeof inside, "%s/%s", path, entry->d_name);
		if (unlink(inside) < 0)
			rmdir(inside);
	}
	if (folder)
		closedir(folder);
	if (rmdir(path) < 0)
		unlink(path);
}

static void test_users(void)
{
	is_number((unsigned)child_do(open_as_nobody), 0, "only the user and root can make it: EPERM");
	is_number(count_there(), 0, "and nothing is left of that");
	is_number((unsigned)child_do(open_own), 0,
		"a user can make the own one, with files of mode 0600, whatever the umask");
	remove_all(test.path);
	is_number(
		(unsigned)child_do(create_for_root), 0, "another user can make nothing in root's directory");
	is_number((unsigned)child_do(open_without_standard), 0,
		"descriptors never take the place of closed standard streams");
	remove_all(test.path);
}

static int squat_as_other_user(void)
{
	return mkdir(test.path, 0700) < 0 || chown(test.path, test.uid + 1, 0) < 0;
}
static int squat_with_mode(void)
{
	return mkdir(test.path, 0700) < 0 || chown(test.path, test.uid, 0) < 0 || chmod(test.path, 0711) < 0;
}
static int squat_with_link(void)
{
	return symlink(test.folder, test.path) < 0 || chown(test.folder, test.uid, 0) < 0;
}
static int squat_with_loose_link(void)
{
	return symlink("/nowhere", test.path) < 0;
}
static int squat_with_file(void)
{
	return mknod(test.path, S_IFREG | 0700, 0) < 0 || chown(test.path, test.uid, 0) < 0;
}
static int squat_with_pipe(void)
{
	return mkfifo(test.path, 0700) < 0 || chown(test.path, test.uid, 0) < 0;
}

static const struct squat {
	int (*squat)(void);
	bool is_other_users;
	const char *what;
} squats[] = {
	{ squat_as_other_user, true, "another user's folder" },
	{ squat_with_link, true, "another user's link to a folder of the user's" },
	{ squat_with_loose_link, true, "another user's link to nowhere" },
	{ squat_with_mode, false, "a folder that others may enter" },
	{ squat_with_file, false, "a file" },
	{ squat_with_pipe, false, "a pipe" },
};

static bool is_same(int fd, int other)
{
	struct stat one, two;

	return fstat(fd, &one) == 0 && fstat(other, &two) == 0 && one.st_ino == two.st_ino;
}

/* What another user puts there blocks no user: all find the one that is made elsewhere. */
static void test_elsewhere(const char *what)
{
	char path[ELSEWHERE_PATH_BYTES], fake[ELSEWHERE_PATH_BYTES], file_path[ELSEWHERE_PATH_BYTES + 32];
	struct identity_file file = { .maker = { 3, 2, 4 } }, parsed;
	enum identity_kind kind;
	uint32_t uid = 0;
	int fd = -1, again = -1;

	elsewhere_path(test.uid, 1, fake);
	ok(mkdir(fake, 0700) == 0 && directory_open(test.uid, false, &fd) == EPERM &&
			directory_open(test.uid, true, &fd) == 0 && elsewhere_find(test.uid, path) &&
			strcmp(path, fake) > 0,
		"%s in its place, and an earlier one elsewhere: it is made elsewhere", what);
	ok(directory_open(test.uid, true, &again) == 0 && is_same(fd, again), "others find it there");
	close(again);
	snprintf(file_path, sizeof file_path, "%s/c-4-2-3-0", path);
	ok(directory_parse(file_path, strlen(file_path), &uid, &kind, &parsed) && uid == test.uid &&
			identity_file_is(&file, &parsed),
		"and its path can be parsed");
	remove_all(test.path);
	ok(directory_open(test.uid, true, &again) == 0 && is_same(fd, again),
		"also when its place is free again");
	close(again);
	close(fd);
	remove_all(path);
	remove_all(fake);
}

static void test_squatters(void)
{
	for (size_t i = 0; i < sizeof squats / sizeof squats[0]; i++) {
		int fd = -1;
		bool is_there = squats[i].squat() == 0;

		if (is_there && squats[i].is_other_users) {
			test_elsewhere(squats[i].what);
			continue;
		}
		ok(is_there && directory_open(test.uid, false, &fd) == EPERM &&
				directory_open(test.uid, true, &fd) == EPERM && fd == -1,
			"%s in its place is EPERM", squats[i].what);
		remove_all(test.path);
	}
	if ((mkdir(test.folder, 0700) < 0 && errno != EEXIST) || chown(test.folder, 0, 0) < 0)
		exit(1);
	close(test.directory);
	test.directory = open(test.folder, O_PATH | O_DIRECTORY);
}

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
	close(test.directory);
	test.directory = open(test.folder, O_PATH | O_DIRECTORY);
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
	remove_all(test.folder);
	mkdir(test.folder, 0700);
	close(test.directory);
	test.directory = open(test.folder, O_PATH | O_DIRECTORY);
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
	remove_all(test.folder);
	mkdir(test.folder, 0700);
	close(test.directory);
	test.directory = open(test.folder, O_PATH | O_DIRECTORY);
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

static void test_parse(void)
{
	static const char *const foreign[] = {
		"/dev/shm/posix-trace-/c-4-2-3-0",
		"/dev/shm/posix-trace-01/c-4-2-3-0",
		"/dev/shm/posix-trace-4294967296/c-4-2-3-0",
		"/dev/shm/posix-trace-99999999999999999999/c-4-2-3-0",
		"/dev/shm/posix-trace-1x/c-4-2-3-0",
		"/dev/shm/posix-trace-1/c-4-2-3-0 (deleted)",
		"/dev/shm/posix-trace-1/d/c-4-2-3-0",
		"/dev/shm/posix-trace-1",
		"/dev/shm/elsewhere-12/c-4-2-3-0",
		"",
	};
	const char path[] = "/dev/shm/posix-trace-1000/c-4-2-3-0\n";
	enum identity_kind kind;
	struct identity_file file;
	uint32_t uid;

	ok(directory_parse(path, strlen(path) - 1, &uid, &kind, &file) && uid == 1000 &&
			kind == IDENTITY_CONTROL && file.maker.pid == 2 && file.maker.start == 3 &&
			file.maker.space == 4,
		"a path gives the directory's user, and the file");
	for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
		ok(!directory_parse(foreign[i], strlen(foreign[i]), &uid, &kind, &file),
			"\"%.60s\" is no file of ours", foreign[i]);
}

int main(void)
{
	test_begin();
	test_parse();
	if (getuid() == 0) {
		test_make();
		test_users();
		test_squatters();
	} else {
		skip("not root", "directories of two users");
	}
	test_create();
	test_no_room();
	test_open_file();
	test_publish();
	remove_all(test.folder);
	return tap_done();
}
