/* SPDX-License-Identifier: MIT */
/* In a folder of the test's own, never in a user's directory. */
#include "record/rendezvous/child_test.h"
#include "record/rendezvous/control.h"
#include <dirent.h>
#include <pthread.h>
#include <sys/mman.h>

static struct {
	char folder[64];
	int directory;
	struct identity self;
} test;

static void test_begin(void)
{
	strcpy(test.folder, "/dev/shm/control_test.XXXXXX");
	if (!mkdtemp(test.folder) || (test.directory = open(test.folder, O_PATH | O_DIRECTORY)) < 0)
		exit(1);
	identity_of(0, &test.self);
}

static struct control *page_new(void)
{
	struct control *control =
		mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (control == MAP_FAILED)
		exit(1);
	control_begin(control, &test.self);
	return control;
}

static struct control_stream stream_of(uint64_t serial)
{
	return (struct control_stream){
		.pool = { test.self, serial }, .attached = serial, .directory = getuid()
	};
}

static bool slot_holds(const struct control *control, int slot, uint64_t serial)
{
	struct control_stream stream, wanted = stream_of(serial);

	return slot >= 0 && control_look(control, (unsigned int)slot, &stream) &&
	       identity_file_is(&stream.pool, &wanted.pool) && stream.attached == serial &&
	       stream.directory == getuid() && !stream.is_inherited;
}

static unsigned int count_streams(const struct control *control)
{
	struct control_stream stream;
	unsigned int n = 0;

	for (unsigned int i = 0; i < CONTROL_STREAMS; i++)
		n += control_look(control, i, &stream);
	return n;
}

static void test_slots(void)
{
	struct control *control = page_new();
	struct control_stream first = stream_of(1), second = stream_of(2);
	uint64_t generation = atomic_load(&control->generation);
	int slot, other;

	ok(generation != 0 && atomic_load(&control->is_enabled) == 0 && count_streams(control) == 0,
		"a new page has no stream, and trace points are disabled");
	slot = control_attach(control, &first);
	ok(slot_holds(control, slot, 1), "a slot holds the stream that was attached");
	ok(atomic_load(&control->is_enabled) != 0 && atomic_load(&control->generation) != generation,
		"trace points are enabled, and the generation changes");
	other = control_attach(control, &second);
	ok(other != slot && slot_holds(control, other, 2) && slot_holds(control, slot, 1),
		"two streams have two slots");
	control_detach(control, (unsigned int)slot, &second.pool);
	control_detach(control, (unsigned int)CONTROL_STREAMS, &second.pool);
	ok(slot_holds(control, slot, 1), "a slot is given back for its own pool only");
	generation = atomic_load(&control->generation);
	control_detach(control, (unsigned int)slot, &first.pool);
	ok(count_streams(control) == 1 && atomic_load(&control->is_enabled) != 0 &&
			atomic_load(&control->generation) != generation,
		"while one stream is left trace points stay enabled");
	control_detach(control, (unsigned int)slot, &first.pool);
	control_detach(control, (unsigned int)other, &second.pool);
	ok(count_streams(control) == 0 && atomic_load(&control->is_enabled) == 0 &&
			atomic_load(&control->streams) == 0,
		"with the last one they shut; giving back twice does nothing");
	munmap(control, CONTROL_BYTES);
}

static void test_full(void)
{
	struct control *control = page_new();
	struct control_stream stream;
	unsigned int n = 0;
	int slot;

	for (unsigned int i = 1; i <= CONTROL_STREAMS; i++) {
		stream = stream_of(i);
		n += slot_holds(control, control_attach(control, &stream), i);
	}
	is_number(n, CONTROL_STREAMS, "64 streams find a slot");
	stream = stream_of(100);
	ok(control_attach(control, &stream) == -1 && count_streams(control) == CONTROL_STREAMS,
		"one more does not");
	control_look(control, 7, &stream);
	control_detach(control, 7, &stream.pool);
	stream = stream_of(101);
	slot = control_attach(control, &stream);
	ok(slot == 7 && slot_holds(control, 7, 101), "a slot that was given back is used again");
	atomic_store(&control->generation, UINT64_MAX);
	control_changed(control);
	ok(atomic_load(&control->generation) != 0, "the generation is never 0");
	munmap(control, CONTROL_BYTES);
}

/* A controller that was killed in between leaves a slot like this. */
static void test_lost(void)
{
	struct control *control = page_new();
	struct control_stream stream = stream_of(1);
	unsigned int n = 0;

	atomic_store(&control->slots[3].use, 0x100 | CONTROL_CLAIMED);
	atomic_store(&control->slots[4].use, 0x100 | CONTROL_USED);
	atomic_store(&control->slots[5].use, 0x100 | CONTROL_CLAIMED);
	atomic_store(&control->streams, 1ull << 5);
	is_number(count_streams(control), 0, "slots whose claimers were killed hold no stream");
	while (control_attach(control, &stream) >= 0)
		n++;
	is_number(n, CONTROL_STREAMS - 3, "they are lost, and the others are not");
	munmap(control, CONTROL_BYTES);
}

static void test_inherit(void)
{
	struct control *like = page_new(), *control = page_new();
	struct control_stream stream = stream_of(test.self.start), found_stream;
	int old, other, young;

	control->process.start = test.self.start;
	stream.is_inherited = 1;
	stream.directory = CONTROL_NOWHERE;
	stream.attached = test.self.start;
	old = control_attach(like, &stream);
	stream.is_inherited = 0;
	other = control_attach(like, &stream);
	stream.is_inherited = 1;
	stream.attached = test.self.start + 1;
	young = control_attach(like, &stream);
	control_inherit(control, like);
	ok(control_look(control, (unsigned int)old, &found_stream) &&
			found_stream.directory == CONTROL_NOWHERE && found_stream.is_inherited,
		"an inherited stream that is older than the process goes on in it, in the same slot");
	ok(!control_look(control, (unsigned int)other, &found_stream), "one that is not inherited does not");
	ok(!control_look(control, (unsigned int)young, &found_stream),
		"nor one that is younger than the process");
	ok(atomic_load(&control->is_enabled) != 0, "trace points are enabled");
	stream.attached = test.self.start;
	control_detach(control, (unsigned int)old, &stream.pool);
	ok(atomic_load(&control->is_enabled) == 0, "and shut when it goes");
	munmap(control, CONTROL_BYTES);
	munmap(like, CONTROL_BYTES);
}

/* Threads. */

#define ROUNDS 20000

struct worker {
	struct control *control;
	uint64_t first;
	unsigned int n_wrong;
};

static void *worker_attach(void *argument)
{
	struct worker *worker = argument;

	for (uint64_t i = 0; i < ROUNDS; i++) {
		struct control_stream stream = stream_of(worker->first + i);
		int slot = control_attach(worker->control, &stream);

		worker->n_wrong += !slot_holds(worker->control, slot, worker->first + i) ||
				   atomic_load(&worker->control->is_enabled) == 0;
		control_detach(worker->control, (unsigned int)slot, &stream.pool);
	}
	return NULL;
}

/* Each stream that is found is whole, never half of two: its parts agree. */
static void *worker_watch(void *argument)
{
	struct worker *worker = argument;
	struct control_stream stream;

	for (unsigned int i = 0; i < ROUNDS; i++)
		for (unsigned int slot = 0; slot < CONTROL_STREAMS; slot += 1 + i % 7)
			if (control_look(worker->control, slot, &stream))
				worker->n_wrong += stream.attached != stream.pool.serial;
	return NULL;
}

static void test_threads(void)
{
	struct control *control = page_new();
	struct worker workers[3] = { { control, 1, 0 }, { control, 1ull << 32, 0 }, { control, 0, 0 } };
	pthread_t threads[3];

	/* Few slots are free, so that they meet. */
	for (unsigned int i = 3; i < CONTROL_STREAMS; i++)
		atomic_store(&control->slots[i].use, CONTROL_CLAIMED);
	for (unsigned int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, i < 2 ? worker_attach : worker_watch, &workers[i]);
	for (unsigned int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	ok(workers[0].n_wrong == 0 && workers[1].n_wrong == 0,
		"two threads attach and detach without losing one another's streams");
	is_number(workers[2].n_wrong, 0, "a concurrent reader never gets half of two streams");
	ok(atomic_load(&control->is_enabled) == 0 && atomic_load(&control->streams) == 0,
		"in the end nothing is left, and trace points are disabled");
	munmap(control, CONTROL_BYTES);
}

/* Files. */

static void page_path(char ret_path[160])
{
	const struct identity_file file = { .maker = test.self };
	char name[IDENTITY_NAME_BYTES];

	identity_file_name(IDENTITY_CONTROL, &file, name);
	snprintf(ret_path, 160, "%s/%s", test.folder, name);
}

static unsigned int count_files(void)
{
	unsigned int n = 0;
	DIR *folder = opendir(test.folder);

	for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;)
		n += entry->d_name[0] != '.';
	closedir(folder);
	return n;
}

static const struct control_names sample_names = { { { 7, 6, 5 }, 4 }, 3 };

static void test_make(void)
{
	struct control *like = page_new(), *control, *again;
	struct control_stream stream = stream_of(1);
	bool is_new = true;
	int fd = 0, second = -1;
	char path[160];

	stream.is_inherited = 1;
	control_attach(like, &stream);
	errno = 42;
	ok(control_open(test.directory, &test.self, getuid(), &fd) == ENOENT && fd == -1,
		"a page that is not there is ENOENT");
	ok(control_make(test.directory, &test.self, getuid(), &sample_names, like, &fd, &is_new) == 0 &&
			is_new,
		"it is made");
	control = control_map(fd, NULL);
	ok(control && identity_is(&control->process, &test.self) &&
			identity_file_is(&control->names.file, &sample_names.file) &&
			control->names.directory == 3 && control->is_used == 0,
		"it is this process's, with these names");
	ok(count_streams(control) == 1 && atomic_load(&control->is_enabled) != 0,
		"with the stream that it inherits");
	ok(control_make(test.directory, &test.self, getuid(), &sample_names, NULL, &second, &is_new) == 0 &&
			!is_new,
		"a second time it is only opened");
	again = control_map(second, like);
	control_changed(control);
	ok(again == like && atomic_load(&again->generation) == atomic_load(&control->generation) &&
			atomic_load(&again->generation) > 1,
		"mapped at a given address, it is the same page");
	is_number(count_files(), 1, "no draft is left");
	is_number((unsigned)errno, 42, "errno is kept");
	munmap(control, CONTROL_BYTES);
	munmap(again, CONTROL_BYTES);
	close(fd);
	close(second);
	page_path(path);
	unlink(path);
}

static bool write_at(int fd, size_t at, uint64_t value)
{
	return pwrite(fd, &value, sizeof value, (off_t)at) == sizeof value;
}

static bool lie_empty(int fd)
{
	return ftruncate(fd, 0) == 0;
}
static bool lie_short(int fd)
{
	return ftruncate(fd, CONTROL_BYTES - 1) == 0;
}
static bool lie_huge(int fd)
{
	return ftruncate(fd, 1ll << 40) == 0;
}
static bool lie_magic(int fd)
{
	return write_at(fd, offsetof(struct control, magic), 0);
}
static bool lie_version(int fd)
{
	return write_at(fd, offsetof(struct control, version), CONTROL_VERSION + 1);
}
static bool lie_process(int fd)
{
	return write_at(fd, offsetof(struct control, process), test.self.start + 1);
}

static const struct lie {
	bool (*make)(int fd);
	const char *what;
} lies[] = {
	{ lie_empty, "an empty file" },
	{ lie_short, "a file that is too short" },
	{ lie_huge, "a file that is too long" },
	{ lie_magic, "a page without its mark" },
	{ lie_version, "a page of another version" },
	{ lie_process, "another process's page" },
};

static void test_lies(void)
{
	char path[160];
	bool is_new;
	int fd, found = 0;

	page_path(path);
	for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
		bool is_there = control_make(test.directory, &test.self, getuid(), &sample_names, NULL, &fd,
					&is_new) == 0 &&
				lies[i].make(fd);

		close(fd);
		ok(is_there && control_open(test.directory, &test.self, getuid(), &found) == EINVAL &&
				found == -1 &&
				control_make(test.directory, &test.self, getuid(), &sample_names, NULL,
					&found, &is_new) == EINVAL &&
				found == -1,
			"%s is EINVAL", lies[i].what);
		unlink(path);
	}
	ok(symlink("elsewhere", path) == 0 &&
			control_make(test.directory, &test.self, getuid(), &sample_names, NULL, &found,
				&is_new) == EPERM &&
			found == -1 && !is_new,
		"a link in its place is EPERM");
	unlink(path);
	is_number(count_files(), 0, "no draft is left");
}

/* These children compete to be first. */
#define RACERS 8

static int child_race(void)
{
	bool is_new = false;
	int fd;

	if (control_make(test.directory, &test.self, getuid(), &sample_names, NULL, &fd, &is_new) != 0)
		return 2;
	return is_new;
}

static void test_race(void)
{
	unsigned int n_rounds_right = 0, n_left = 0;
	char path[160];

	page_path(path);
	for (unsigned int round = 0; round < 20; round++) {
		unsigned int n_new = 0;
		pid_t pids[RACERS];
		int status;

		for (unsigned int i = 0; i < RACERS; i++)
			if ((pids[i] = fork()) == 0)
				_exit(child_race());
		for (unsigned int i = 0; i < RACERS; i++) {
			waitpid(pids[i], &status, 0);
			n_new += WIFEXITED(status) ? (unsigned int)WEXITSTATUS(status) : 100;
		}
		n_rounds_right += n_new == 1;
		n_left += count_files() - 1;
		unlink(path);
	}
	is_number(n_rounds_right, 20, "of many makers one is first, and the others get its page");
	is_number(n_left, 0, "no draft is left");
}

static void test_text(void)
{
	static const char *const bad[] = { "", ":", "1:2:3:4:5", "0:5:r-1-2-3-4:0:r-1-2-3-4",
		"0:5:n-1-2-3-4:0:n-1-2-3-4", "0:5:r-1-2-3-4:0:n-1-2-3-4:", "0:5:r-1-2-3-4:0:n-1-2-3-4 ",
		"00:5:r-1-2-3-4:0:n-1-2-3-4", "4294967295:5:r-1-2-3-4:0:n-1-2-3-4",
		"0:99999999999999999999:r-1-2-3-4:0:n-1-2-3-4", "0:5:r-1-2-3-4",
		"-1:5:r-1-2-3-4:0:n-1-2-3-4" };
	struct control_stream stream = stream_of(99), found_stream;
	struct control_names names;
	char text[CONTROL_TEXT_BYTES];

	stream.is_inherited = 1;
	control_print(&stream, &sample_names, text);
	ok(control_parse(text, &found_stream, &names) &&
			memcmp(&found_stream, &stream, sizeof found_stream) == 0 &&
			identity_file_is(&names.file, &sample_names.file) && names.directory == 3,
		"a stream comes back from its text");
	ok(control_parse("0:5:r-1-2-3-4:0:n-1-2-3-4", &found_stream, &names),
		"\"0:5:r-1-2-3-4:0:n-1-2-3-4\" is such a text");
	for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
		ok(!control_parse(bad[i], &found_stream, &names), "\"%s\" is none", bad[i]);
	memset(&stream, 0xff, sizeof stream);
	memset(&names, 0xff, sizeof names);
	control_print(&stream, &names, text);
	ok(strlen(text) < sizeof text, "the largest numbers fit");
}

int main(void)
{
	test_begin();
	test_slots();
	test_full();
	test_lost();
	test_inherit();
	test_threads();
	test_make();
	test_lies();
	test_race();
	test_text();
	rmdir(test.folder);
	return tap_done();
}
