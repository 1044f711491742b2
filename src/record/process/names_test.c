/* SPDX-License-Identifier: MIT */
#include "record/process/names_map.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/tap.h"

enum { N_RACED = 1000 };

static trace_event_id_t name_opened(struct names *names, const char *name)
{
	trace_event_id_t id = 0;

	return names_open(names, name, &id) == 0 ? id : 0;
}

static void check_opening(void)
{
	struct names *names = names_create(-1);
	char longest[TRACE_EVENT_NAME_MAX + 2], got[TRACE_EVENT_NAME_MAX + 1];
	uint32_t version = names_version(names);
	trace_event_id_t id;

	ok(names_limit(names) == NAMES_FIRST_USER, "the unnamed event is the last one of a new map");
	ok(name_opened(names, "one") == 65 && name_opened(names, "two") == 66,
		"names get identifiers in order");
	ok(names_version(names) != version, "new names change the version");
	version = names_version(names);
	ok(name_opened(names, "one") == 65, "a known name gets the identifier it has");
	ok(names_version(names) == version, "which changes nothing");
	ok(name_opened(names, "") == 67 && name_opened(names, "") == 67, "the empty name is one as well");
	ok(name_opened(names, "posix_trace_filter") == POSIX_TRACE_FILTER,
		"a predefined name is known already");
	memset(longest, 'x', sizeof(longest));
	longest[TRACE_EVENT_NAME_MAX + 1] = '\0';
	ok(names_open(names, longest, &id) == ENAMETOOLONG, "a name may be too long");
	longest[TRACE_EVENT_NAME_MAX] = '\0';
	ok(names_open(names, longest, &id) == 0 && names_get(names, id, got), "but not by its NUL");
	is_text(got, longest, "and is given back whole");
	ok(names_limit(names) == 69, "the limit is behind the last name");
	names_unmap(names);
}

static void check_predefined(void)
{
	struct names *names = names_create(-1);
	char got[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id = 0;
	unsigned int n = 0;

	ok(names_get(names, POSIX_TRACE_STOP, got), "predefined types have names");
	is_text(got, "posix_trace_stop", "namely the standard's");
	ok(!names_get(names, 0, got) && !names_get(names, 9, got) && !names_get(names, 65, got) &&
			!names_get(names, NAMES_END, got) && !names_get(names, UINT32_MAX, got),
		"other numbers have none");
	while ((id = names_next(names, id)))
		n++;
	is_number(n, 9, "a new map lists the nine predefined types");
	name_opened(names, "mine");
	ok(names_next(names, POSIX_TRACE_UNNAMED_USEREVENT) == 65 && names_next(names, 65) == 0,
		"a name added meanwhile appears, and is the last");
	ok(names_next(names, UINT32_MAX) == 0, "behind all numbers there is nothing");
	names_unmap(names);
}

static void name_number(char name[24], int i)
{
	snprintf(name, 24, "name %d", i);
}

static void check_full(void)
{
	struct names *names = names_create(-1);
	char name[24];
	trace_event_id_t id = 0;

	for (int i = 1; i < TRACE_USER_EVENT_MAX; i++) {
		name_number(name, i);
		id = name_opened(names, name);
	}
	is_number(id, NAMES_END - 1, "the unnamed event and the named ones are TRACE_USER_EVENT_MAX");
	ok(names_limit(names) == NAMES_END, "then the limit is the end");
	ok(name_opened(names, "one more") == POSIX_TRACE_UNNAMED_USEREVENT, "one more is the unnamed event");
	ok(name_opened(names, "name 1") == 65, "known names stay known");
	names_unmap(names);
}

static void check_descriptor(void)
{
	int fd = names_memory();
	struct names *names = names_create(fd), *other, *copy;

	ok(names && fd >= 0, "a map can lie in a descriptor's memory");
	other = names_map(fd);
	ok(other && name_opened(other, "shared") == 65 && name_opened(names, "shared") == 65,
		"another mapping of it has the same names");
	ok(ftruncate(fd, 0) < 0, "it cannot be made shorter");
	names_describe(names, 65, &(struct posix_trace_field_np){ "field", POSIX_TRACE_SIGNED_NP, 4 }, 1);
	errno = 77;
	copy = names_copy(names, -1);
	ok(copy && errno == 77, "a copy keeps errno");
	ok(name_opened(copy, "shared") == 65 && name_opened(copy, "new") == 66, "and has the names so far");
	ok(names_fields(copy, 65, (struct log_field[LOG_FIELDS_MAX]){ { .kind = 0 } }) == 1,
		"and their fields");
	ok(name_opened(names, "other") == 66 && name_opened(copy, "other") == 67,
		"and then goes its own way");
	ok(!names_map(0) && !names_map(-1), "a descriptor of something else cannot be mapped as a map");
	close(fd);
	names_unmap(other);
	names_unmap(copy);
	names_unmap(names);
}

/* Opens all names, every process in an order of its own. */
static void open_all(struct names *names, int step)
{
	char name[24];

	for (int i = 0; i < N_RACED; i++) {
		name_number(name, i * step % N_RACED);
		name_opened(names, name);
	}
}

static bool all_are_there_once(const struct names *names)
{
	static bool is_there[N_RACED];
	char name[TRACE_EVENT_NAME_MAX + 1];
	unsigned int n = 0;
	int number;

	memset(is_there, 0, sizeof(is_there));
	for (trace_event_id_t id = 64; (id = names_next(names, id));) {
		if (!names_get(names, id, name) || sscanf(name, "name %d", &number) != 1 || number < 0 ||
			number >= N_RACED || is_there[number])
			return false;
		is_there[number] = true;
		n++;
	}
	return n == N_RACED;
}

static void check_race(void)
{
	static const int steps[] = { 1, 3, 7, 999 };
	bool all_once = true, in_order = true;

	for (int round = 0; round < 10; round++) {
		struct names *names = names_create(-1);
		trace_event_id_t id;

		for (int i = 1; i < 4; i++)
			if (fork() == 0) {
				open_all(names, steps[i]);
				_exit(0);
			}
		open_all(names, steps[0]);
		while (wait(NULL) > 0)
			;
		all_once = all_once && all_are_there_once(names);
		id = names_next(names, 64);
		in_order = in_order && id == 65 && names_limit(names) == 65 + N_RACED;
		names_unmap(names);
	}
	ok(all_once, "processes that open the same names at the same time get each name once");
	ok(in_order, "and lose no entry over it");
}

/* As a process leaves it that dies between claiming and naming. */
static void claim_and_die(struct names_entry *entry)
{
	pid_t child = fork();

	if (child == 0) {
		atomic_store(&entry->state, (uint32_t)getpid() << ENTRY_CLAIMER | ENTRY_CLAIMED);
		_exit(0);
	}
	waitpid(child, NULL, 0);
}

static double seconds_now(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void check_dead_claimers(void)
{
	struct names *names = names_create(-1), *copy;
	struct names_map *map = names_whole(names);
	uint32_t mine = (uint32_t)syscall(SYS_gettid) << ENTRY_CLAIMER | ENTRY_CLAIMED;
	char name[TRACE_EVENT_NAME_MAX + 1];
	double begun;

	claim_and_die(&map->entries[0]);
	begun = seconds_now();
	is_number(name_opened(names, "first"), 66, "a claimer that died costs its entry");
	ok(seconds_now() - begun < 0.09, "and no time");
	ok(!names_get(names, 65, name), "that entry's type has no name");
	ok(names_next(names, 64) == 66, "and is passed over");
	atomic_store(&map->entries[2].state, mine);
	copy = names_copy(names, -1);
	begun = seconds_now();
	ok(name_opened(copy, "second") == 67 && seconds_now() - begun < 0.09,
		"a copy does not wait for the claimer of an entry of the original");
	begun = seconds_now();
	is_number(name_opened(names, "second"), 68, "a claimer that is too slow costs its entry, too");
	ok(seconds_now() - begun < 1, "after a short time");
	ok(name_opened(names, "first") == 66 && name_opened(names, "second") == 68,
		"both names keep these types");
	names_unmap(copy);
	names_unmap(names);
}

/* As a process leaves them that scribbles there to make others wait. */
static void check_all_claimed(void)
{
	struct names *names = names_create(-1);
	struct names_map *map = names_whole(names);
	uint32_t mine = (uint32_t)syscall(SYS_gettid) << ENTRY_CLAIMER | ENTRY_CLAIMED;
	double begun = seconds_now();

	for (uint32_t i = 0; i < NAMES_ENTRIES; i++)
		atomic_store(&map->entries[i].state, mine);
	ok(name_opened(names, "late") == POSIX_TRACE_UNNAMED_USEREVENT,
		"a map that is claimed all over has no room");
	ok(seconds_now() - begun < 2, "and is not waited for at each entry");
	names_unmap(names);
}

static void check_carry(void)
{
	struct names *from = names_create(-1), *to = names_create(-1);

	ok(names_carry(to, from) && names_limit(to) == 65, "an empty map is carried over as it is");
	name_opened(from, "one");
	name_opened(from, "two");
	ok(names_carry(to, from) && name_opened(to, "two") == 66 && name_opened(to, "three") == 67,
		"names are carried over with their identifiers");
	ok(!names_carry(to, from) && name_opened(to, "three") == 67, "but not into a map that has names");
	names_unmap(from);
	names_unmap(to);
}

static void check_scribbled(void)
{
	struct names *names = names_create(-1);
	struct names_map *map = names_whole(names);
	struct log_field fields[LOG_FIELDS_MAX];
	char got[TRACE_EVENT_NAME_MAX + 1];
	trace_event_id_t id;
	unsigned int n = 0;

	name_opened(names, "name");
	memset(map->entries[0].name, 'y', sizeof(map->entries[0].name));
	ok(names_get(names, 65, got) && strlen(got) == TRACE_EVENT_NAME_MAX, "a name without end is cut");
	atomic_store(&names->limit, UINT32_MAX);
	ok(names_limit(names) == NAMES_END, "the limit never exceeds the map");
	for (id = 0; (id = names_next(names, id));)
		n++;
	is_number(n, 10, "nor does a list of its types");
	for (uint32_t offset = 1; offset < UINT32_MAX; offset = offset * 2 + 1) {
		atomic_store(&map->entries[0].description, offset);
		atomic_store(&map->arena_used, offset);
		names_fields(names, 65, fields);
		names_unmap(names_copy(names, -1));
	}
	memset(map->arena, 0xff, sizeof(map->arena));
	atomic_store(&map->entries[0].description, 1);
	ok(names_fields(names, 65, fields) == 0, "a description that cannot be is none");
	memset(map->entries, 0xff, sizeof(map->entries));
	ok(name_opened(names, "late") == POSIX_TRACE_UNNAMED_USEREVENT, "a map that is spoilt has no room");
	names_unmap(names);
}

static int name_described(struct names *names, trace_event_id_t id, const char *field, int kind, size_t size)
{
	return names_describe(names, id, &(struct posix_trace_field_np){ field, kind, size }, 1);
}

static void check_bad_fields(struct names *names, trace_event_id_t id)
{
	const struct posix_trace_field_np open_text[] = { { "text", POSIX_TRACE_TEXT_NP, 0 },
		{ "number", POSIX_TRACE_SIGNED_NP, 4 } };

	ok(name_described(names, 99, "a", POSIX_TRACE_SIGNED_NP, 4) == EINVAL &&
			name_described(names, POSIX_TRACE_UNNAMED_USEREVENT, "a", POSIX_TRACE_SIGNED_NP, 4) ==
				EINVAL &&
			name_described(names, POSIX_TRACE_STOP, "a", POSIX_TRACE_SIGNED_NP, 4) == EINVAL,
		"only types with names of their own are described");
	ok(name_described(names, id, "a", POSIX_TRACE_SIGNED_NP, 3) == EINVAL &&
			name_described(names, id, "a", POSIX_TRACE_SIGNED_NP, 0) == EINVAL &&
			name_described(names, id, "a", POSIX_TRACE_REAL_NP, 2) == EINVAL &&
			name_described(names, id, "a", POSIX_TRACE_TEXT_NP, LOG_DATA_MAX + 1) == EINVAL,
		"fields have sizes of their kinds");
	ok(name_described(names, id, "a", 0, 4) == EINVAL && name_described(names, id, "a", 7, 4) == EINVAL &&
			name_described(names, id, "a", -1, 4) == EINVAL,
		"and kinds");
	ok(name_described(names, id, "", POSIX_TRACE_SIGNED_NP, 4) == EINVAL &&
			name_described(names, id, NULL, POSIX_TRACE_SIGNED_NP, 4) == EINVAL &&
			name_described(names, id, "a name of more than 31 characters", POSIX_TRACE_SIGNED_NP,
				4) == EINVAL,
		"and names");
	ok(names_describe(names, id, open_text, 2) == EINVAL, "only the last one may take the rest");
	ok(names_describe(names, id, open_text, 0) == EINVAL &&
			names_describe(names, id, NULL, 1) == EINVAL &&
			names_describe(names, id, open_text, LOG_FIELDS_MAX + 1) == EINVAL,
		"none and too many are refused");
}

static void check_describing(void)
{
	struct names *names = names_create(-1);
	const trace_event_id_t id = name_opened(names, "point");
	const struct posix_trace_field_np point[] = { { "x", POSIX_TRACE_REAL_NP, 8 },
		{ "label", POSIX_TRACE_TEXT_NP, 0 } };
	struct log_field fields[LOG_FIELDS_MAX];
	uint32_t version = names_version(names);

	is_number(names_fields(names, id, fields), 0, "a type is not described at first");
	check_bad_fields(names, id);
	is_number(names_fields(names, id, fields), 0, "what is refused leaves nothing");
	ok(names_version(names) == version, "and changes nothing");
	ok(names_describe(names, id, point, 2) == 0, "a type can be described");
	ok(names_version(names) != version, "which changes the version");
	ok(names_fields(names, id, fields) == 2 && strcmp(fields[0].name, "x") == 0 && fields[0].size == 8 &&
			strcmp(fields[1].name, "label") == 0 && fields[1].kind == POSIX_TRACE_TEXT_NP,
		"and is known then");
	ok(names_describe(names, id, point, 2) == 0, "the same again is no error");
	ok(names_describe(names, id, point, 1) == EEXIST, "something else is one");
	ok(names_fields(names, POSIX_TRACE_FILTER, fields) == 2 &&
			fields[1].size == sizeof(trace_event_set_t),
		"predefined types are described from the start");
	names_unmap(names);
}

static void check_room(void)
{
	struct names *names = names_create(-1);
	struct posix_trace_field_np many[LOG_FIELDS_MAX];
	struct log_field fields[LOG_FIELDS_MAX];
	char name[24];
	int n = 0;

	for (size_t i = 0; i < LOG_FIELDS_MAX; i++)
		many[i] = (struct posix_trace_field_np){ "field", POSIX_TRACE_UNSIGNED_NP, 8 };
	for (int i = 1; i < TRACE_USER_EVENT_MAX; i++) {
		name_number(name, i);
		n += names_describe(names, name_opened(names, name), many, LOG_FIELDS_MAX) == 0;
	}
	is_number((unsigned long long)n, TRACE_USER_EVENT_MAX - 1,
		"there is room for the longest description of every type");
	is_number(names_fields(names, NAMES_END - 1, fields), LOG_FIELDS_MAX, "the last one is whole");
	names_unmap(names);
}

int main(void)
{
	check_opening();
	check_predefined();
	check_full();
	check_descriptor();
	check_race();
	check_dead_claimers();
	check_all_claimed();
	check_carry();
	check_scribbled();
	check_describing();
	check_room();
	return tap_done();
}
