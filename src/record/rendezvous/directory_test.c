/* SPDX-License-Identifier: MIT */
/* The directories of users: making and using one, and what another user puts in its place. */
#include "record/rendezvous/directory_test.h"
#include "record/rendezvous/elsewhere.h"

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

/* A file of another user in that place blocks no user: all users find the directory that is made elsewhere.
 * */
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
	remove_all(test.folder);
	return tap_done();
}
