/* SPDX-License-Identifier: MIT */
/* In a folder of the test's own, never in a user's directory. */
#include "record/rendezvous/child_test.h"
#include "record/rendezvous/control.h"
#include <dirent.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>

static struct {
	char folder[64];
	int directory;
	struct identity self, dead;
	uint64_t last_serial;
	unsigned int n_ended;
} test;

static void test_begin(void)
{
	strcpy(test.folder, "/dev/shm/sweep_test.XXXXXX");
	if (!mkdtemp(test.folder) || (test.directory = open(test.folder, O_PATH | O_DIRECTORY)) < 0)
		exit(1);
	test.dead = child_dead();
	identity_of(0, &test.self);
}

static struct identity_file file_of(const struct identity *maker)
{
	return (struct identity_file){ .maker = *maker, .serial = ++test.last_serial };
}

static void path_of(enum identity_kind kind, const struct identity_file *file, char ret_path[160])
{
	char name[IDENTITY_NAME_BYTES];

	identity_file_name(kind, file, name);
	snprintf(ret_path, 160, "%s/%s", test.folder, name);
}

static bool is_there(enum identity_kind kind, const struct identity_file *file)
{
	struct stat st;
	char path[160];

	path_of(kind, file, path);
	return lstat(path, &st) == 0;
}

static struct identity_file file_put(enum identity_kind kind, const struct identity *maker, const char *bytes)
{
	struct identity_file file = file_of(maker);
	char path[160];
	int fd;

	path_of(kind, &file, path);
	fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);
	if (fd < 0 || write(fd, bytes, strlen(bytes)) < 0)
		exit(1);
	close(fd);
	return file;
}

/* A page as its process has it, with a reference to this names file. */
static struct identity_file put_page(
	const struct identity *process, const struct identity_file *names, uint32_t uid)
{
	struct control_names reference = { .file = *names, .directory = uid };
	bool is_new;
	int fd;

	if (control_make(test.directory, process, getuid(), &reference, NULL, &fd, &is_new) != 0 || !is_new)
		exit(1);
	close(fd);
	return (struct identity_file){ .maker = *process };
}

/* Pools whose first byte is k have a consumer. */
static bool pool_end(int fd)
{
	char byte = 0;

	test.n_ended++;
	return pread(fd, &byte, 1, 0) == 1 && byte != 'k' && pwrite(fd, "e", 1, 0) == 1;
}

static unsigned int sweep_now(void)
{
	unsigned int n_pools = 999;

	errno = 42;
	test.n_ended = 0;
	if (directory_sweep(test.directory, getuid(), true, pool_end, &n_pools) != 0 || errno != 42)
		return 9999;
	return n_pools;
}

static void folder_clear(void)
{
	char path[512];
	DIR *folder = opendir(test.folder);

	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
		snprintf(path, sizeof path, "%s/%s", test.folder, entry->d_name);
		if (entry->d_name[0] != '.' && unlink(path) < 0)
			rmdir(path);
	}
	closedir(folder);
}

static void test_pools(void)
{
	struct identity_file ours = file_put(IDENTITY_POOL, &test.self, "r");
	struct identity_file kept = file_put(IDENTITY_POOL, &test.dead, "k");
	struct identity_file dead = file_put(IDENTITY_POOL, &test.dead, "r");
	char path[160], byte;
	int fd;

	path_of(IDENTITY_POOL, &dead, path);
	fd = open(path, O_RDONLY);
	is_number(sweep_now(), 2, "pools of a living controller and of a living consumer are counted");
	ok(is_there(IDENTITY_POOL, &ours) && is_there(IDENTITY_POOL, &kept), "and stay");
	ok(!is_there(IDENTITY_POOL, &dead), "a pool without controller and consumer goes");
	ok(pread(fd, &byte, 1, 0) == 1 && byte == 'e',
		"it is ended first, for the processes that still have it mapped");
	is_number(test.n_ended, 2, "a living controller's pool is not touched");
	close(fd);
	folder_clear();
}

static void test_pages(void)
{
	struct identity_file none = { 0 };
	struct identity elsewhere = { test.dead.start, test.dead.pid, test.dead.space + 1 };
	struct identity_file ours = put_page(&test.self, &none, getuid());
	struct identity_file dead = put_page(&test.dead, &none, getuid());
	struct identity_file other = put_page(&elsewhere, &none, getuid());
	struct identity_file draft = file_put(IDENTITY_DRAFT, &test.self, "");
	struct identity_file dead_draft = file_put(IDENTITY_DRAFT, &test.dead, "");

	is_number(sweep_now(), 0, "without pools none are counted");
	ok(is_there(IDENTITY_CONTROL, &ours) && is_there(IDENTITY_DRAFT, &draft),
		"what the living need stays");
	ok(!is_there(IDENTITY_CONTROL, &dead), "the page of a dead process goes");
	ok(!is_there(IDENTITY_DRAFT, &dead_draft), "so does the draft of a dead maker");
	ok(is_there(IDENTITY_CONTROL, &other), "the page of a process of another namespace stays");
	folder_clear();
}

static void file_age(enum identity_kind kind, const struct identity_file *file, time_t seconds)
{
	struct timespec times[2] = { { .tv_nsec = UTIME_OMIT } };
	char path[160];

	path_of(kind, file, path);
	clock_gettime(CLOCK_REALTIME, &times[1]);
	times[1].tv_sec -= seconds;
	if (utimensat(AT_FDCWD, path, times, 0) < 0)
		exit(1);
}

/* Processes of another pid namespace cannot be judged: what they use is held. */
static void test_other_space(void)
{
	struct identity elsewhere = { test.dead.start, test.dead.pid, test.dead.space + 1 };
	struct identity_file held, left = file_put(IDENTITY_POOL, &elsewhere, "r");
	struct identity_file young = file_put(IDENTITY_POOL, &elsewhere, "r");
	struct identity_file names = file_put(IDENTITY_NAMES, &elsewhere, "n"), page;
	char made[160], path[160];
	void *memory;
	int fd;

	if (directory_create(test.directory, IDENTITY_POOL, getuid(), 4096, false, &held, &fd) != 0)
		exit(1);
	path_of(IDENTITY_POOL, &held, made);
	held.maker = elsewhere;
	path_of(IDENTITY_POOL, &held, path);
	if (rename(made, path) < 0)
		exit(1);
	memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	close(fd);
	page = put_page(&elsewhere, &names, getuid());
	file_age(IDENTITY_POOL, &held, 60);
	file_age(IDENTITY_POOL, &left, 60);
	file_age(IDENTITY_NAMES, &names, 60);
	is_number(
		sweep_now(), 2, "of another namespace pools count that are young, or held by mapped memory");
	ok(is_there(IDENTITY_POOL, &held) && is_there(IDENTITY_POOL, &young), "and stay");
	ok(!is_there(IDENTITY_POOL, &left), "those that are left go");
	ok(is_there(IDENTITY_NAMES, &names), "a names file stays while a page refers to it");
	file_age(IDENTITY_CONTROL, &page, 60);
	munmap(memory, 4096);
	is_number(sweep_now(), 1, "a pool whose memory is given back is held no more");
	ok(!is_there(IDENTITY_CONTROL, &page) && !is_there(IDENTITY_NAMES, &names),
		"a page that is left goes, and its names");
	folder_clear();
}

static void test_names(void)
{
	struct identity_file used = file_put(IDENTITY_NAMES, &test.dead, "");
	struct identity_file unused = file_put(IDENTITY_NAMES, &test.dead, "");
	struct identity_file young = file_put(IDENTITY_NAMES, &test.self, "");

	put_page(&test.self, &used, getuid());
	sweep_now();
	ok(is_there(IDENTITY_NAMES, &used), "a names file stays while a living process's page refers to it");
	ok(!is_there(IDENTITY_NAMES, &unused), "the file of a dead maker goes when no page refers to it");
	ok(is_there(IDENTITY_NAMES, &young), "a living maker's file stays, for the page may be yet to come");
	folder_clear();
}

/* The map of a living maker, as a controller makes it for another process. */
static void test_names_of_ended(void)
{
	struct identity_file lent = file_put(IDENTITY_NAMES, &test.self, "");
	struct identity_file shared = file_put(IDENTITY_NAMES, &test.self, "");
	struct identity_file other = file_put(IDENTITY_NAMES, &test.self, "");

	put_page(&test.self, &shared, getuid());
	errno = 42;
	ok(directory_sweep_ended(test.directory, getuid(), &lent, pool_end) == 0 && errno == 42 &&
			!is_there(IDENTITY_NAMES, &lent),
		"the map of a process that has ended goes while its maker lives");
	ok(directory_sweep_ended(test.directory, getuid(), &shared, pool_end) == 0 &&
			is_there(IDENTITY_NAMES, &shared),
		"unless a living process's page refers to it");
	ok(is_there(IDENTITY_NAMES, &other), "and another map of the maker stays");
	folder_clear();
}

static void test_names_of_pages(void)
{
	struct identity_file lent = file_put(IDENTITY_NAMES, &test.self, "");
	struct identity_file shared = file_put(IDENTITY_NAMES, &test.self, "");
	struct identity_file elsewhere = file_put(IDENTITY_NAMES, &test.self, "");
	struct identity gone = child_dead(), gone_too = child_dead();

	put_page(&test.dead, &lent, getuid());
	put_page(&gone, &shared, getuid());
	put_page(&gone_too, &elsewhere, getuid() + 1);
	put_page(&test.self, &shared, getuid());
	sweep_now();
	ok(!is_there(IDENTITY_NAMES, &lent),
		"the file that a controller made for a process goes with the process");
	ok(is_there(IDENTITY_NAMES, &shared), "unless a living one shares it");
	ok(is_there(IDENTITY_NAMES, &elsewhere),
		"a page that refers to another user's directory does not count here");
	folder_clear();
}

static void test_lies(void)
{
	struct identity_file pipe_pool = file_of(&test.dead), link_pool = file_of(&test.dead),
			     folder_pool = file_of(&test.dead);
	struct identity_file pipe_page = { .maker = test.self };
	char path[160], outside[64] = "/tmp/sweep_test.XXXXXX";
	int fd = mkstemp(outside);

	path_of(IDENTITY_POOL, &pipe_pool, path);
	mkfifo(path, 0600);
	path_of(IDENTITY_POOL, &link_pool, path);
	if (fd < 0 || write(fd, "outside", 7) != 7 || symlink(outside, path) < 0)
		exit(1);
	path_of(IDENTITY_POOL, &folder_pool, path);
	mkdir(path, 0700);
	path_of(IDENTITY_CONTROL, &pipe_page, path);
	mkfifo(path, 0600);
	snprintf(path, sizeof path, "%s/notes", test.folder);
	close(open(path, O_CREAT | O_RDWR, 0600));
	alarm(10);
	is_number(
		sweep_now(), 0, "pipes, links and folders with names of ours are no pools, and do not block");
	alarm(0);
	is_number(test.n_ended, 0, "they are not opened");
	ok(!is_there(IDENTITY_POOL, &pipe_pool) && !is_there(IDENTITY_POOL, &link_pool), "they go");
	ok(pread(fd, path, 8, 0) == 7 && memcmp(path, "outside", 7) == 0,
		"the target of a link is not changed");
	snprintf(path, sizeof path, "%s/notes", test.folder);
	ok(access(path, F_OK) == 0 && is_there(IDENTITY_POOL, &folder_pool),
		"a folder, and what has no name of ours, stays");
	ok(is_there(IDENTITY_CONTROL, &pipe_page), "a living process's page stays, whatever it is");
	close(fd);
	unlink(outside);
	folder_clear();
}

static void test_many(void)
{
	struct identity_file names = file_put(IDENTITY_NAMES, &test.dead, "");
	unsigned int n = 0;
	char path[160];

	for (unsigned int i = 0; i < DIRECTORY_SWEEP_ENTRIES + 100; i++) {
		snprintf(path, sizeof path, "%s/junk-%u", test.folder, i);
		n += mknod(path, S_IFREG | 0600, 0) == 0;
	}
	ok(n == DIRECTORY_SWEEP_ENTRIES + 100 && sweep_now() == 0,
		"a folder that is too full is swept in part");
	ok(is_there(IDENTITY_NAMES, &names),
		"then no names file goes, for pages that refer to it may be unseen");
	folder_clear();
	names = file_put(IDENTITY_NAMES, &test.dead, "");
	n = 0;
	for (unsigned int i = 0; i < 2 * DIRECTORY_SWEEP_ENTRIES; i++) {
		struct identity_file pool = file_of(&test.dead);

		path_of(IDENTITY_POOL, &pool, path);
		n += mknod(path, S_IFREG | 0600, 0) == 0 && truncate(path, 1) == 0;
	}
	is_number(n, 2 * DIRECTORY_SWEEP_ENTRIES, "there may be many pools of the dead");
	sweep_now();
	sweep_now();
	sweep_now();
	ok(!is_there(IDENTITY_NAMES, &names) && rmdir(test.folder) == 0 && mkdir(test.folder, 0700) == 0,
		"sweeping again and again removes them all");
	close(test.directory);
	test.directory = open(test.folder, O_PATH | O_DIRECTORY);
}

static void folder_set_age(time_t seconds)
{
	const struct timespec times[2] = { { .tv_sec = time(NULL) - seconds }, { .tv_nsec = UTIME_OMIT } };

	utimensat(AT_FDCWD, test.folder, times, 0);
}

static bool child_sweeps(void)
{
	struct identity_file draft = file_put(IDENTITY_DRAFT, &test.dead, "");
	unsigned int n_pools = 999;
	int error = directory_sweep(test.directory, getuid(), false, pool_end, &n_pools);

	return error == 0 && !is_there(IDENTITY_DRAFT, &draft) && n_pools == 0;
}

static bool sweeps_not(void)
{
	struct identity_file draft = file_put(IDENTITY_DRAFT, &test.dead, "");
	unsigned int n_pools = 999;
	int error = directory_sweep(test.directory, getuid(), false, pool_end, &n_pools);

	return error == 0 && is_there(IDENTITY_DRAFT, &draft) && n_pools == 999;
}

static int sweep_in_child(void)
{
	return !sweeps_not();
}

static void test_due(void)
{
	folder_set_age(DIRECTORY_SWEEP_SECONDS + 1);
	ok(child_sweeps(), "a directory is swept when it was not for long");
	ok(sweeps_not(), "and not again soon");
	is_number((unsigned)child_do(sweep_in_child), 0, "nor by another process");
	folder_clear();
	folder_set_age(-1000);
	ok(child_sweeps(), "a clock that was set back holds nothing up");
	ok(sweep_now() == 0, "it is swept at once when that is wanted");
	folder_clear();
}

/* There is no room for the lists, and also no room for a sanitizer's memory. */
static int sweep_without_memory(void)
{
	struct rlimit none = { 0, 0 };

	setrlimit(RLIMIT_AS, &none);
	return directory_sweep(test.directory, getuid(), true, pool_end, NULL);
}

static void test_memory(void)
{
	is_number((unsigned)child_do(sweep_without_memory), ENOMEM, "without memory it is ENOMEM");
	is_number((unsigned)directory_sweep(test.directory, getuid(), true, pool_end, NULL), 0,
		"the number of pools is optional");
}

/* As a program leaves them that forks much. */
static void test_crowd(void)
{
	unsigned int n = 0;
	char path[160];

	for (unsigned int i = 0; i < 1100; i++) {
		struct identity_file pool = file_of(&test.dead);

		path_of(IDENTITY_POOL, &pool, path);
		n += mknod(path, S_IFREG | 0600, 0) == 0 && truncate(path, 1) == 0;
	}
	folder_set_age(0);
	ok(n == 1100 && sweeps_not(), "a crowd of files is swept more often, but not at once");
	folder_set_age(2);
	ok(child_sweeps(), "but after a second");
	folder_clear();
}

int main(void)
{
	test_begin();
	test_pools();
	test_pages();
	test_other_space();
	test_names();
	test_names_of_ended();
	test_names_of_pages();
	test_lies();
	test_many();
	test_due();
	test_crowd();
	test_memory();
	folder_clear();
	rmdir(test.folder);
	return tap_done();
}
