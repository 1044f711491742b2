/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/control.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAKE_TRIES 8 /* the page comes and goes meanwhile */

_Static_assert(sizeof(struct control_stream) % sizeof(uint64_t) == 0, "a stream is whole words");
#define STREAM_WORDS (sizeof(struct control_stream) / sizeof(uint64_t))

/* The parts of a slot's `use`. */
static enum control_slot_state use_state(uint64_t use)
{
	return (enum control_slot_state)(use & 0xff);
}
static uint64_t use_as(uint64_t use, enum control_slot_state state)
{
	return (use & ~0xffull) | (uint64_t)state;
}
static uint64_t use_next(uint64_t use, enum control_slot_state state)
{
	return use_as(use + 0x100, state);
}

/*
 * Word by word, because another process may read it meanwhile; slot_hold() publishes it by the bit in
 * `streams`.
 */
static void stream_store(struct control_stream *to, const struct control_stream *from)
{
	_Atomic uint64_t *target = (_Atomic uint64_t *)(void *)to;
	uint64_t words[STREAM_WORDS];

	memcpy(words, from, sizeof words);
	for (size_t i = 0; i < STREAM_WORDS; i++)
		atomic_store(&target[i], words[i]);
}

/*
 * Another process may write it meanwhile: the copy may mix two streams, and slot_look() checks the slot's use
 * afterwards.
 */
static void stream_load(struct control_stream *to, const struct control_stream *from)
{
	const _Atomic uint64_t *source = (const _Atomic uint64_t *)(const void *)from;
	uint64_t words[STREAM_WORDS];

	for (size_t i = 0; i < STREAM_WORDS; i++)
		words[i] = atomic_load(&source[i]);
	memcpy(to, words, sizeof words);
}

void control_changed(struct control *control)
{
	if (atomic_fetch_add(&control->generation, 1) + 1 == 0)
		atomic_fetch_add(&control->generation, 1);
}

void control_begin(struct control *control, const struct identity *process)
{
	control->magic = CONTROL_MAGIC;
	control->version = CONTROL_VERSION;
	control->process = *process;
	atomic_store(&control->generation, 1);
}

/*
 * Trace points are enabled before the bit of a stream is set, and disabled after it was cleared, by counting.
 * A process that is killed in between leaves them enabled without a stream, but never disabled with one.
 */
static void slot_hold(struct control *control, unsigned int number, uint64_t use)
{
	atomic_store(&control->slots[number].use, use_as(use, CONTROL_USED));
	atomic_fetch_add(&control->is_enabled, 1);
	atomic_fetch_or(&control->streams, 1ull << number);
}

static bool slot_claim(struct control_slot *slot, uint64_t *ret_use)
{
	uint64_t use = atomic_load(&slot->use);

	*ret_use = use_next(use, CONTROL_CLAIMED);
	return use_state(use) == CONTROL_FREE && atomic_compare_exchange_strong(&slot->use, &use, *ret_use);
}

void control_inherit(struct control *control, const struct control *like)
{
	struct control_stream stream;
	uint64_t use;

	for (unsigned int i = 0; i < CONTROL_STREAMS; i++) {
		if (!control_look(like, i, &stream) || !stream.is_inherited ||
			stream.attached > control->process.start || !slot_claim(&control->slots[i], &use))
			continue;
		stream_store(&control->slots[i].stream, &stream);
		slot_hold(control, i, use);
	}
	control_changed(control);
}

/*
 * Begins behind the slot taken last, so that a slot is used again as late as possible: a trace point that was
 * stopped for long may still refer to its last stream.
 */
int control_attach(struct control *control, const struct control_stream *stream)
{
	uint64_t first = atomic_load(&control->generation);
	uint64_t use;

	for (unsigned int i = 0; i < CONTROL_STREAMS; i++) {
		unsigned int number = (unsigned int)((first + i) % CONTROL_STREAMS);

		if (!slot_claim(&control->slots[number], &use))
			continue;
		stream_store(&control->slots[number].stream, stream);
		slot_hold(control, number, use);
		control_changed(control);
		return (int)number;
	}
	return -1;
}

/* Copies a slot and its use; false if it was not valid all the time. */
static bool slot_look(const struct control *control, unsigned int number, struct control_stream *ret_stream,
	uint64_t *ret_use)
{
	const struct control_slot *slot = &control->slots[number];
	uint64_t use = atomic_load(&slot->use);

	if (use_state(use) != CONTROL_USED || !(atomic_load(&control->streams) >> number & 1))
		return false;
	stream_load(ret_stream, &slot->stream);
	*ret_use = use;
	return atomic_load(&slot->use) == use;
}

bool control_look(const struct control *control, unsigned int number, struct control_stream *ret_stream)
{
	uint64_t use;

	return number < CONTROL_STREAMS && slot_look(control, number, ret_stream, &use);
}

void control_detach(struct control *control, unsigned int number, const struct identity_file *pool)
{
	struct control_stream stream;
	uint64_t use;

	if (number >= CONTROL_STREAMS || !slot_look(control, number, &stream, &use) ||
		!identity_file_is(&stream.pool, pool))
		return;
	/*
	 * Claimed before its bit is cleared, so that no other process takes the slot in between; and only in
	 * the use that had this pool, because it may have another one by now.
	 */
	if (!atomic_compare_exchange_strong(&control->slots[number].use, &use, use_as(use, CONTROL_CLAIMED)))
		return;
	atomic_fetch_and(&control->streams, ~(1ull << number));
	atomic_fetch_sub(&control->is_enabled, 1);
	atomic_store(&control->slots[number].use, use_as(use, CONTROL_FREE));
	control_changed(control);
}

/* The file. */

struct control *control_map(int fd, void *at)
{
	int flags = MAP_SHARED | (at ? MAP_FIXED : 0);
	long mapped = syscall(
		SYS_mmap, at, (long)CONTROL_BYTES, (long)(PROT_READ | PROT_WRITE), (long)flags, (long)fd, 0L);

	return mapped == -1 ? NULL : (struct control *)mapped;
}

/* The beginning of a page. */
struct head {
	uint32_t is_enabled, magic, version, is_used;
	struct identity process;
};
_Static_assert(offsetof(struct head, magic) == offsetof(struct control, magic) &&
		       offsetof(struct head, version) == offsetof(struct control, version) &&
		       offsetof(struct head, process) == offsetof(struct control, process),
	"a page begins like that");

static bool is_page_of(int fd, const struct identity *process)
{
	struct head head;
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_size == CONTROL_BYTES &&
	       proc_read(fd, &head, sizeof head) == sizeof head && head.magic == CONTROL_MAGIC &&
	       head.version == CONTROL_VERSION && identity_is(&head.process, process);
}

int control_open(int directory, const struct identity *process, uint32_t uid, int *ret_fd)
{
	const struct identity_file file = { .maker = *process };
	int kept = errno;
	int error = directory_open_file(directory, IDENTITY_CONTROL, &file, uid, ret_fd);

	if (!error && !is_page_of(*ret_fd, process)) {
		proc_close(*ret_fd);
		*ret_fd = -1;
		error = EINVAL;
	}
	if (!error)
		directory_hold(*ret_fd);
	errno = kept;
	return error;
}

static int draft_write(int fd, const struct control *control)
{
	const unsigned char *bytes = (const void *)control;

	for (size_t n = 0; n < CONTROL_BYTES;) {
		long done = syscall(SYS_write, (long)fd, bytes + n, CONTROL_BYTES - n);

		if (done == 0 || (done < 0 && errno != EINTR))
			return done < 0 ? errno : EIO;
		n += done > 0 ? (size_t)done : 0;
	}
	return 0;
}

static int draft_fill(
	int fd, const struct identity *process, const struct control_names *names, const struct control *like)
{
	struct control *control =
		mmap(NULL, CONTROL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int error;

	if (control == MAP_FAILED)
		return errno;
	control_begin(control, process);
	control->names = *names;
	if (like)
		control_inherit(control, like);
	error = draft_write(fd, control);
	munmap(control, CONTROL_BYTES);
	return error;
}

/* EEXIST: another process was faster. */
static int page_make(int directory, const struct identity *process, uint32_t uid,
	const struct control_names *names, const struct control *like, int *ret_fd)
{
	struct identity_file draft;
	int error = directory_create(directory, IDENTITY_DRAFT, uid, CONTROL_BYTES, false, &draft, ret_fd);

	if (error)
		return error;
	error = draft_fill(*ret_fd, process, names, like);
	if (error)
		directory_remove(directory, IDENTITY_DRAFT, &draft);
	else
		error = directory_publish(directory, &draft, process);
	if (error) {
		proc_close(*ret_fd);
		*ret_fd = -1;
	}
	return error;
}

int control_make(int directory, const struct identity *process, uint32_t uid,
	const struct control_names *names, const struct control *like, int *ret_fd, bool *ret_is_new)
{
	int kept = errno, error = ENOENT;

	*ret_is_new = false;
	for (unsigned int i = 0; i < MAKE_TRIES && error == ENOENT; i++) {
		error = control_open(directory, process, uid, ret_fd);
		if (error != ENOENT)
			break;
		error = page_make(directory, process, uid, names, like, ret_fd);
		*ret_is_new = error == 0;
		if (error == EEXIST)
			error = ENOENT; /* the file that is there now is opened */
		else
			break;
	}
	errno = kept;
	return error;
}

/* As text: UID:TICKS:POOL:UID:NAMES, with the names of the files. */

static char *decimal_put(char *at, uint64_t number)
{
	at = proc_number(at, number);
	*at++ = ':';
	return at;
}

void control_print(const struct control_stream *stream, const struct control_names *names,
	char ret_text[CONTROL_TEXT_BYTES])
{
	char name[IDENTITY_NAME_BYTES];
	char *at = decimal_put(ret_text, stream->directory);

	at = decimal_put(at, stream->attached);
	identity_file_name(IDENTITY_POOL, &stream->pool, name);
	at = stpcpy(at, name);
	*at++ = ':';
	at = decimal_put(at, names->directory);
	identity_file_name(IDENTITY_NAMES, &names->file, name);
	stpcpy(at, name);
}

static bool decimal_get(const char **text, uint64_t *ret_number)
{
	const char *at = *text;

	for (*ret_number = 0; *at >= '0' && *at <= '9' && at < *text + 19; at++)
		*ret_number = *ret_number * 10 + (uint64_t)(*at - '0');
	if (at == *text || *at != ':')
		return false;
	*text = at + 1;
	return true;
}

static bool file_get(const char **text, enum identity_kind kind, struct identity_file *ret_file)
{
	char name[IDENTITY_NAME_BYTES];
	enum identity_kind found;
	size_t n = strcspn(*text, ":");

	if (n >= sizeof name)
		return false;
	memcpy(name, *text, n);
	name[n] = '\0';
	*text += n + ((*text)[n] == ':');
	return n > 0 && identity_file_parse(name, &found, ret_file) && found == kind;
}

bool control_parse(const char *text, struct control_stream *ret_stream, struct control_names *ret_names)
{
	struct control_stream stream = { .is_inherited = 1 };
	struct control_names names = { 0 };
	uint64_t directory, names_directory;
	char again[CONTROL_TEXT_BYTES];
	const char *at = text;

	if (!decimal_get(&at, &directory) || !decimal_get(&at, &stream.attached) ||
		!file_get(&at, IDENTITY_POOL, &stream.pool) || !decimal_get(&at, &names_directory) ||
		!file_get(&at, IDENTITY_NAMES, &names.file) || directory >= UINT32_MAX ||
		names_directory >= UINT32_MAX)
		return false;
	stream.directory = (uint32_t)directory;
	names.directory = (uint32_t)names_directory;
	control_print(&stream, &names, again); /* nothing may follow it, and there are no leading zeros */
	if (strcmp(text, again) != 0)
		return false;
	*ret_stream = stream;
	*ret_names = names;
	return true;
}
