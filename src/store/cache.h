/* SPDX-License-Identifier: MIT */
/*
 * The folder of the user's cache, $XDG_CACHE_HOME/rastrum or ~/.cache/rastrum, for what is made of large inputs and can be made
 * again at any time. Each file in it belongs to one input, and begins with the mark of that input by which its maker judges
 * whether it is stale.
 *
 *	cache_mark(&mark, &stat, bytes, n_bytes)           what the input is now
 *	cache_name(name, &mark, salt, ".rsx")              the name of its file
 *	fd = cache_open(name)                              one of before; then the marks in it are compared, and cache_touch(name)
 *
 *	cache_create(&file, name)                          a new one, without a name
 *	write(file.fd, …)
 *	cache_keep(&file) or cache_drop(&file)             it has its name, all at once; the oldest ones go
 *
 * No answer is an error: without a folder, on a read-only or full disk, work goes on without a cache. A process that is killed
 * leaves nothing that has a name.
 *
 * RASTRUM_CACHE_DISABLE   anything but an empty text: there is no cache
 * RASTRUM_CACHE_MAXSIZE   most bytes of all files in the folder: 500M, 5G (the default)
 * RASTRUM_CACHE_MINSIZE   inputs of fewer bytes have no file in it: 32M (the default)
 */
#ifndef STORE_CACHE_H
#define STORE_CACHE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

enum { CACHE_PATH_MAX = 4096, CACHE_NAME_MAX = 48 };

/* What a file was when it was looked at. Files with equal marks are the same, as far as can be seen without reading all of them. */
struct cache_mark {
	uint64_t device, inode, n_bytes;
	int64_t changed_ns, modified_ns; /* ctime, mtime */
	uint32_t samples;		 /* CRC-32C of blocks at the front, at the end and between them */
	uint32_t zero;			 /* so that marks can be compared by their bytes */
};

/* bytes: the file, n_bytes of it. */
void cache_mark(struct cache_mark *ret, const struct stat *about, const uint8_t *bytes, size_t n_bytes);
bool cache_mark_is_same(const struct cache_mark *a, const struct cache_mark *b);

/* Whether an input of so many bytes is to have a file in the cache. */
bool cache_is_wanted(uint64_t n_bytes);

/* The name for what is made of this input. salt: a hash of everything else that it depends on, such as options. */
void cache_name(char ret[CACHE_NAME_MAX], const struct cache_mark *mark, uint64_t salt, const char *ending);

/* Opens the file of that name to be read. Below 0: there is none, or it is not the user's own. */
int cache_open(const char *name);

/* It was of use: it is the last one to go. */
void cache_touch(const char *name);

/* It is of no use. */
void cache_remove(const char *name);

struct cache_file {
	int fd; /* below 0: none */
	char name[CACHE_NAME_MAX];
	char part[CACHE_NAME_MAX + 32]; /* its name until it has its own; "": none */
};

/* Begins a file that nobody else may read. Returns false if there is no place for one. */
bool cache_create(struct cache_file *file, const char *name);

/*
 * Gives it its name in one step, in place of the one that has it, and makes room. Returns false if it is
 * dropped.
 */
bool cache_keep(struct cache_file *file);

/* Removes it. One that is kept or dropped may be dropped again. */
void cache_drop(struct cache_file *file);

/* Removes the files that were used longest ago, until the rest has no more than RASTRUM_CACHE_MAXSIZE. */
void cache_bound(void);

#endif
