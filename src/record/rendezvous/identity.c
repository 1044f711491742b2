/* SPDX-License-Identifier: MIT */
#include "record/rendezvous/identity.h"
#include "record/rendezvous/proc.h"
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Numbers and names: KIND-SPACE-PID-START-SERIAL, in decimal. */

/* Returns false if there are no digits, or too many. */
static bool number_take(const char **at, uint64_t most, uint64_t *ret_number)
{
	const char *first = *at;
	uint64_t number = 0;

	for (; **at >= '0' && **at <= '9'; (*at)++) {
		uint64_t digit = (uint64_t)(**at - '0');

		if (digit > most || number > (most - digit) / 10)
			return false;
		number = number * 10 + digit;
	}
	*ret_number = number;
	return *at != first;
}

void identity_file_name(
	enum identity_kind kind, const struct identity_file *file, char ret_name[IDENTITY_NAME_BYTES])
{
	const uint64_t numbers[] = { file->maker.space, file->maker.pid, file->maker.start, file->serial };
	char *at = ret_name;

	*at++ = (char)kind;
	for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
		*at++ = '-';
		at = proc_number(at, numbers[i]);
	}
	*at = '\0';
}

static bool part_take(const char **at, uint64_t most, uint64_t *ret_number)
{
	return *(*at)++ == '-' && number_take(at, most, ret_number);
}

bool identity_file_parse(const char *name, enum identity_kind *ret_kind, struct identity_file *ret_file)
{
	static const char kinds[] = { IDENTITY_CONTROL, IDENTITY_NAMES, IDENTITY_POOL, IDENTITY_DRAFT };
	uint64_t space, pid, start, serial;
	char again[IDENTITY_NAME_BYTES];
	struct identity_file file;
	const char *at = name + 1;

	if (!memchr(kinds, name[0], sizeof kinds) || !part_take(&at, UINT32_MAX, &space) ||
		!part_take(&at, INT_MAX, &pid) || !part_take(&at, UINT64_MAX, &start) ||
		!part_take(&at, UINT64_MAX, &serial) || pid == 0 ||
		(name[0] == IDENTITY_CONTROL && serial != 0))
		return false;
	file = (struct identity_file){
		.maker = { .start = start, .pid = (uint32_t)pid, .space = (uint32_t)space },
		.serial = serial,
	};
	/* no leading zeros, nothing behind: a file has one name */
	identity_file_name((enum identity_kind)name[0], &file, again);
	if (strcmp(name, again) != 0)
		return false;
	*ret_kind = (enum identity_kind)name[0];
	*ret_file = file;
	return true;
}

bool identity_is(const struct identity *one, const struct identity *other)
{
	return one->pid == other->pid && one->start == other->start && one->space == other->space;
}

bool identity_file_is(const struct identity_file *one, const struct identity_file *other)
{
	return one->serial == other->serial && identity_is(&one->maker, &other->maker);
}

/* Lives: from /proc/PID/stat. */

struct life {
	char state;	    /* field 3 */
	uint64_t n_threads; /* field 20: the first thread, and those that have not ended */
	uint64_t start;	    /* field 22 */
};

static const char *field_next(const char *at)
{
	while (*at && *at != ' ')
		at++;
	return *at ? at + 1 : at;
}

/* The name in parentheses may contain anything, also parentheses. */
static bool life_parse(const char *text, struct life *ret_life)
{
	const char *at = strrchr(text, ')');

	if (!at || at[1] != ' ')
		return false;
	at += 2;
	ret_life->state = *at;
	for (unsigned int field = 3; field < 20; field++)
		at = field_next(at);
	if (!number_take(&at, UINT64_MAX, &ret_life->n_threads))
		return false;
	at = field_next(field_next(at));
	return number_take(&at, UINT64_MAX, &ret_life->start);
}

static bool life_of(uint32_t pid, struct life *ret_life)
{
	char text[1024];
	int fd = proc_open(pid, 0, "stat");
	size_t n;

	if (fd < 0)
		return false;
	n = proc_read(fd, text, sizeof text - 1);
	proc_close(fd);
	text[n] = '\0';
	return life_parse(text, ret_life);
}

/* A process whose first thread has ended looks dead, but lives while it has others. */
static bool life_goes_on(const struct life *life)
{
	return (life->state != 'Z' && life->state != 'X') || life->n_threads > 1;
}

/* The pid namespace of the caller. Returns 0 if there is no /proc, or it shows another namespace. */
static uint32_t own_space(void)
{
	char text[24];
	const char *at = text;
	struct stat st;
	uint64_t pid;
	ssize_t n = readlink("/proc/self", text, sizeof text - 1);

	if (n <= 0)
		return 0;
	text[n] = '\0';
	if (!number_take(&at, INT_MAX, &pid) || pid != (uint64_t)syscall(SYS_getpid))
		return 0;
	return stat("/proc/self/ns/pid", &st) == 0 ? (uint32_t)st.st_ino : 0;
}

bool identity_of(uint32_t pid, struct identity *ret_identity)
{
	int kept = errno;
	struct identity identity = { .pid = pid ? pid : (uint32_t)syscall(SYS_getpid), .space = own_space() };
	struct life life;
	bool is_there = identity.space != 0 && identity.pid <= INT_MAX && life_of(identity.pid, &life) &&
			life_goes_on(&life);

	if (is_there)
		identity.start = life.start;
	else
		identity.space = 0;
	*ret_identity = identity;
	errno = kept;
	return is_there;
}

bool identity_runs(const struct identity *identity)
{
	int kept = errno;
	struct life life;
	bool runs;

	if (identity->pid == 0 || identity->pid > INT_MAX)
		runs = false;
	else if (identity->space != own_space())
		runs = true;
	else if (life_of(identity->pid, &life))
		runs = life.start == identity->start && life_goes_on(&life);
	else /* gone; or hidden; or we have no descriptor left to look with */
		runs = syscall(SYS_kill, identity->pid, 0) == 0 || errno == EPERM;
	errno = kept;
	return runs;
}

bool identity_thread_runs(uint32_t tid)
{
	int kept = errno;
	struct life life;
	bool runs;

	if (tid == 0 || tid > INT_MAX)
		runs = false;
	else if (life_of(tid, &life))
		runs = life.state != 'Z' && life.state != 'X';
	else
		runs = syscall(SYS_kill, tid, 0) == 0 || errno == EPERM;
	errno = kept;
	return runs;
}
