/* SPDX-License-Identifier: MIT */
#include "tracks/cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/limit.h"
#include "base/text.h"
#include "log/crc32c.h"

enum {
	SAMPLE_BYTES = 4096,
	SAMPLES = 64,		     /* between the front and the end */
	EDGE_BYTES = 64 << 10,	     /* at the front and at the end */
	PART_SECONDS = 24 * 60 * 60, /* an older file with a temporary name was left behind */
	NS_PER_SECOND = 1000000000,
};

#define CACHE_MINSIZE ((uint64_t)LIMIT(32000000, 4096))
#define CACHE_MAXSIZE ((uint64_t)5000000000)

/* --- marks ---------------------------------------------------------------------------------------------- */

static int64_t ns_of(const struct timespec *time)
{
	return (int64_t)time->tv_sec * NS_PER_SECOND + time->tv_nsec;
}

static uint32_t crc_of_samples(const uint8_t *bytes, size_t n_bytes)
{
	crc32c_function *crc32c = crc32c_choose();
	const size_t n_edge = n_bytes < EDGE_BYTES ? n_bytes : EDGE_BYTES;
	uint32_t crc = crc32c(0, bytes, n_edge);

	for (size_t i = 1; i <= SAMPLES && n_bytes > SAMPLES * SAMPLE_BYTES; i++)
		crc = crc32c(crc, bytes + n_bytes / (SAMPLES + 1) * i, SAMPLE_BYTES);
	return crc32c(crc, bytes + n_bytes - n_edge, n_edge);
}

void cache_mark(struct cache_mark *ret, const struct stat *about, const uint8_t *bytes, size_t n_bytes)
{
	*ret = (struct cache_mark){
		.device = about->st_dev,
		.inode = about->st_ino,
		.n_bytes = (uint64_t)about->st_size,
		.changed_ns = ns_of(&about->st_ctim),
		.modified_ns = ns_of(&about->st_mtim),
		.samples = crc_of_samples(bytes, n_bytes),
	};
}

bool cache_mark_is_same(const struct cache_mark *a, const struct cache_mark *b)
{
	return memcmp(a, b, sizeof(*a)) == 0;
}

/* --- settings ------------------------------------------------------------------------------------------- */

/* A setting that cannot be parsed is ignored. */
static uint64_t setting(const char *name, uint64_t usual)
{
	const char *text = getenv(name);
	uint64_t number;

	return text && *text && text_parse_u64(text, &number) ? number : usual;
}

static bool is_disabled(void)
{
	const char *text = getenv("RASTRUM_CACHE_DISABLE");

	return text && *text;
}

bool cache_is_wanted(uint64_t n_bytes)
{
	return !is_disabled() && n_bytes >= setting("RASTRUM_CACHE_MINSIZE", CACHE_MINSIZE);
}

/* --- the folder ----------------------------------------------------------------------------------------- */

/*
 * Opens base/rastrum. If may_make, creates missing folders with the modes of the XDG Base Directory
 * Specification.
 */
static int folder_below(const char *base, bool may_make)
{
	char path[CACHE_PATH_MAX];
	struct stat about;
	int fd;

	if (snprintf(path, sizeof(path), "%s/rastrum", base) >= (int)sizeof(path))
		return -1;
	if (may_make) {
		mkdir(base, 0700);
		mkdir(path, 0700);
	}
	fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
	/* A folder that other users own or may write to is not trusted. */
	if (fd >= 0 && (fstat(fd, &about) != 0 || about.st_uid != geteuid() || about.st_mode & 022)) {
		close(fd);
		return -1;
	}
	return fd;
}

/* Returns -1 if there is no folder. */
static int folder_open(bool may_make)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
	char base[CACHE_PATH_MAX];

	if (is_disabled())
		return -1;
	if (cache && *cache == '/')
		return folder_below(cache, may_make);
	if (!home || *home != '/' || snprintf(base, sizeof(base), "%s/.cache", home) >= (int)sizeof(base))
		return -1;
	return folder_below(base, may_make);
}

void cache_name(char ret[CACHE_NAME_MAX], const struct cache_mark *mark, uint64_t salt, const char *ending)
{
	const uint64_t parts[] = { mark->device, mark->inode, salt };
	uint64_t hash = HASH_EMPTY;

	for (size_t i = 0; i < sizeof(parts); i++)
		hash = hash_byte(hash, ((const uint8_t *)parts)[i]);
	snprintf(ret, CACHE_NAME_MAX, "%016" PRIx64 "%s", hash, ending);
}

int cache_open(const char *name)
{
	const int folder = folder_open(false);
	struct stat about;
	int fd;

	if (folder < 0)
		return -1;
	fd = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	close(folder);
	if (fd >= 0 && (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode) || about.st_uid != geteuid())) {
		close(fd);
		return -1;
	}
	return fd;
}

void cache_touch(const char *name)
{
	const int folder = folder_open(false);

	if (folder < 0)
		return;
	utimensat(folder, name, NULL, AT_SYMLINK_NOFOLLOW);
	close(folder);
}

void cache_remove(const char *name)
{
	const int folder = folder_open(false);

	if (folder < 0)
		return;
	unlinkat(folder, name, 0);
	close(folder);
}

/* --- new files ------------------------------------------------------------------------------------------ */

/* Makes a name that no other process uses. */
static void part_name(struct cache_file *file)
{
	snprintf(file->part, sizeof(file->part), "%s.%ld.part", file->name, (long)getpid());
}

bool cache_create(struct cache_file *file, const char *name)
{
	const int folder = folder_open(true);
	struct rlimit most;

	*file = (struct cache_file){ .fd = -1 };
	if (folder < 0)
		return false;
	/* A write beyond RLIMIT_FSIZE would kill the process. */
	if (getrlimit(RLIMIT_FSIZE, &most) != 0 || most.rlim_cur != RLIM_INFINITY) {
		close(folder);
		return false;
	}
	snprintf(file->name, sizeof(file->name), "%s", name);
	file->fd = openat(folder, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	/* Some file systems do not support O_TMPFILE. */
	if (file->fd < 0) {
		part_name(file);
		unlinkat(folder, file->part, 0);
		file->fd =
			openat(folder, file->part, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	}
	close(folder);
	return file->fd >= 0;
}

void cache_drop(struct cache_file *file)
{
	if (file->fd < 0)
		return;
	close(file->fd);
	file->fd = -1;
	if (*file->part)
		cache_remove(file->part);
}

/* Gives the file a temporary name, which cache_keep() changes to its own in one step. */
static bool part_link(struct cache_file *file, int folder)
{
	char path[32];

	if (*file->part)
		return true;
	part_name(file);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file->fd);
	unlinkat(folder, file->part, 0);
	return linkat(AT_FDCWD, path, folder, file->part, AT_SYMLINK_FOLLOW) == 0;
}

bool cache_keep(struct cache_file *file)
{
	const int folder = folder_open(true);
	struct stat about;
	bool is_kept = folder >= 0 && fstat(file->fd, &about) == 0 &&
		       (uint64_t)about.st_size <= setting("RASTRUM_CACHE_MAXSIZE", CACHE_MAXSIZE) &&
		       part_link(file, folder) && renameat(folder, file->part, folder, file->name) == 0;

	if (folder >= 0)
		close(folder);
	if (is_kept)
		*file->part = '\0';
	cache_drop(file);
	if (is_kept)
		cache_bound();
	return is_kept;
}

/* --- the bound ------------------------------------------------------------------------------------------ */

struct entry {
	char name[CACHE_NAME_MAX + 32];
	uint64_t n_bytes;
	int64_t used_ns;
	bool is_part;
};

struct entries {
	struct entry *items;
	size_t n, room;
	uint64_t n_bytes;
};

/*
 * Whether cache_name() or part_name() made the name: 16 hexadecimal digits, .rsx, and for a part the process
 * and .part. Any other file belongs to the user, because the folder may be older than the cache.
 */
static bool is_own_name(const char *name, bool *ret_is_part)
{
	static const char ending[] = ".rsx", part[] = ".part";
	const size_t n_digits = strspn(name, "0123456789abcdef");
	const char *rest = name + n_digits + sizeof(ending) - 1;

	if (n_digits != 16 || strncmp(name + n_digits, ending, sizeof(ending) - 1) != 0)
		return false;
	*ret_is_part = *rest != '\0';
	if (*rest == '.')
		rest += 1 + strspn(rest + 1, "0123456789");
	return !*ret_is_part || strcmp(rest, part) == 0;
}

static bool entries_add(struct entries *entries, int folder, const char *name, int64_t now_ns)
{
	struct stat about;
	struct entry *items;
	bool is_part;

	if (!is_own_name(name, &is_part) || strlen(name) >= sizeof(items->name) ||
		fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
		return true;
	if (is_part && now_ns - ns_of(&about.st_mtim) > (int64_t)PART_SECONDS * NS_PER_SECOND) {
		unlinkat(folder, name, 0);
		return true;
	}
	items = array_room(entries->items, entries->n, &entries->room, sizeof(*items));
	if (!items)
		return false;
	entries->items = items;
	items += entries->n++;
	items->is_part = is_part;
	memcpy(items->name, name, strlen(name) + 1);
	items->n_bytes = (uint64_t)about.st_blocks * 512;
	items->used_ns = ns_of(&about.st_mtim);
	entries->n_bytes += items->n_bytes;
	return true;
}

static int compare_use(const void *a, const void *b)
{
	const struct entry *first = a, *second = b;

	return (first->used_ns > second->used_ns) - (first->used_ns < second->used_ns);
}

static void entries_bound(const struct entries *entries, int folder)
{
	const uint64_t n_most = setting("RASTRUM_CACHE_MAXSIZE", CACHE_MAXSIZE);
	uint64_t n_bytes = entries->n_bytes;

	if (n_bytes <= n_most)
		return;
	qsort(entries->items, entries->n, sizeof(*entries->items), compare_use);
	for (size_t i = 0; i < entries->n && n_bytes > n_most; i++)
		if (!entries->items[i].is_part && unlinkat(folder, entries->items[i].name, 0) == 0)
			n_bytes -= entries->items[i].n_bytes;
}

void cache_bound(void)
{
	const int folder = folder_open(false);
	struct entries entries = { 0 };
	const struct dirent *entry;
	struct timespec now;
	DIR *listing;

	if (folder < 0)
		return;
	listing = fdopendir(folder);
	if (!listing) {
		close(folder);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	while ((entry = readdir(listing)) != NULL &&
		entries_add(&entries, folder, entry->d_name, ns_of(&now)))
		continue;
	entries_bound(&entries, folder);
	free(entries.items);
	closedir(listing);
}
