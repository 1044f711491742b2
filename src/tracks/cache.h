/* SPDX-License-Identifier: MIT */
/*
 * The folder of the user's cache, $XDG_CACHE_HOME/rastrum or ~/.cache/rastrum. It holds files that are made
 * from large inputs and can be made again at any time. Each file belongs to one input and begins with the
 * mark of that input. The maker of the file compares the mark to find out whether the file is stale.
 *
 *	cache_mark(&mark, &stat, bytes, n_bytes)           The present mark of the input.
 *	cache_name(name, &mark, salt, ".rsx")              The name of its file.
 *	fd = cache_open(name)                              If its mark is equal: cache_touch(name).
 *
 *	cache_create(&file, name)                          A new file, without a name.
 *	write(file.fd, …)
 *	cache_keep(&file) or cache_drop(&file)             The file gets its name; the oldest ones go.
 *
 * A failure here is never an error: if there is no folder, or the disk is full or read-only, work goes on
 * without a cache. If the process is killed, no file with a name remains.
 *
 * RASTRUM_CACHE_DISABLE   If this is set and not empty, there is no cache.
 * RASTRUM_CACHE_MAXSIZE   The most bytes of all files in the folder, such as 500M. The default is 5G.
 * RASTRUM_CACHE_MINSIZE   Inputs of fewer bytes get no file in the folder. The default is 32M.
 */
#ifndef TRACKS_CACHE_H
#define TRACKS_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { CACHE_PATH_MAX = 4096, CACHE_NAME_MAX = 48 };

/*
 * Identifies a version of a file. Files with equal marks are the same, as far as one can see without reading
 * all bytes.
 */
struct cache_mark {
	uint64_t device, inode, n_bytes;
	int64_t changed_ns, modified_ns; /* ctime, mtime */
	uint32_t samples;		 /* CRC-32C of blocks at the front, at the end and between them */
	uint32_t zero;			 /* so that marks can be compared by their bytes */
};

/* bytes: the n_bytes of the file. */
void cache_mark(struct cache_mark *ret, const struct stat *about, const uint8_t *bytes, size_t n_bytes);
bool cache_mark_is_same(const struct cache_mark *a, const struct cache_mark *b);

/* Whether an input of this size should have a file in the cache. */
bool cache_is_wanted(uint64_t n_bytes);

/*
 * The name of the file that is made from this input. salt: a hash of everything else that it depends on, such
 * as options.
 */
void cache_name(char ret[CACHE_NAME_MAX], const struct cache_mark *mark, uint64_t salt, const char *ending);

/* Opens the file of that name for reading. Returns -1 if it cannot be opened, or if another user owns it. */
int cache_open(const char *name);

/* Marks the file as just used, so that it is the last one to be removed. */
void cache_touch(const char *name);

/* Removes a file that is of no use. */
void cache_remove(const char *name);

struct cache_file {
	int fd; /* below 0: none */
	char name[CACHE_NAME_MAX];
	char part[CACHE_NAME_MAX + 32]; /* its temporary name; "" if it has no name yet */
};

/* Begins a file that only the user may read. Returns false if it cannot be made. */
bool cache_create(struct cache_file *file, const char *name);

/*
 * Gives the file its name in one step, replaces an earlier file of that name, and calls cache_bound(). If
 * that fails, drops the file and returns false.
 */
bool cache_keep(struct cache_file *file);

/* Removes the file. A file that was kept or dropped may be dropped again. */
void cache_drop(struct cache_file *file);

/* Removes the least recently used files until the others have at most RASTRUM_CACHE_MAXSIZE bytes. */
void cache_bound(void);

#endif
