/* SPDX-License-Identifier: MIT */
/*
 * Where processes meet: a directory for each user in /dev/shm (or, if another user has taken its name:
 * elsewhere.h). It is found from the uid alone, not from the environment, because processes of a login shell,
 * of cron and of ssh must all meet there. Mode 0700; a directory that belongs to another user, or lets others
 * in, is refused. It has control pages, maps of names, and pools, named as in identity.h, mode 0600.
 *
 * Its user may put anything there, and change it while root reads: files are opened without following links
 * and without waiting, and checked when they are open. The caller must not trust their contents.
 *
 * All functions are async-signal-safe, no cancellation points, and do not call malloc(); they return 0 or an
 * errno number, and keep errno. Descriptors are close-on-exec and 3 or more; -1 on errors.
 */
#ifndef RENDEZVOUS_DIRECTORY_H
#define RENDEZVOUS_DIRECTORY_H

#include "record/rendezvous/identity.h"

/* The uid whose directory the caller uses: its real uid, or 0 when it acts as root. */
uint32_t directory_uid(void);

/*
 * Opens the directory of a user, with O_PATH. make: makes it when it is missing; for another user only root
 * can (EPERM). ENOENT; EPERM: it cannot be trusted; else the system's error.
 */
int directory_open(uint32_t uid, bool make, int *ret_fd);

/* Parses the path of a file in such a directory, as /proc shows it. Returns false for other paths. */
bool directory_parse(const char *path, size_t n_bytes, uint32_t *ret_uid, enum identity_kind *ret_kind,
	struct identity_file *ret_file);
/*
 * Makes a file of so many zero bytes in the directory of this user, owned by that user. All its memory is
 * allocated, so that no store raises SIGBUS later, or, sparse, none. The maker is the caller; the serial is
 * chosen and never used again. ENOMEM: no room; ESRCH: /proc does not show the caller. If root makes it for
 * another user, that user can change it from now on.
 */
int directory_create(int directory, enum identity_kind kind, uint32_t uid, uint64_t bytes, bool is_sparse,
	struct identity_file *ret_file, int *ret_fd);
/*
 * Opens one for reading and writing. ENOENT; EPERM: it is no regular file of this user, or of root, with one
 * link. It may have any size.
 */
int directory_open_file(
	int directory, enum identity_kind kind, const struct identity_file *file, uint32_t uid, int *ret_fd);
/* Gives a new file for a user a group. If root owns it, processes of that group may open it. */
int directory_group(int fd, uint32_t gid);
/*
 * A file that was made or held is in use as long as a descriptor or mapping of it exists. The kernel's lock
 * (flock(2)) shows that also to processes of other pid namespaces, which cannot identify its maker.
 */
void directory_hold(int fd);
/* Whether no process holds it, and it was not made or written to in the last DIRECTORY_LEFT_SECONDS. */
#define DIRECTORY_LEFT_SECONDS 10
bool directory_is_left(int fd);
/* Removes the file. A missing file is no error. */
void directory_remove(int directory, enum identity_kind kind, const struct identity_file *file);
/* A draft becomes the control page of a process; EEXIST: there is one already. On errors it is removed. */
int directory_publish(int directory, const struct identity_file *draft, const struct identity *process);

/*
 * Removes what dead processes, and processes of pid namespaces that are gone, left behind: their control
 * pages and drafts; maps of names that they made, or that their pages named, if no living process's page
 * names them; pools for which `end` returns true. `end` gets the descriptor of each pool whose maker, the
 * controller, is gone: true when the consumer is gone, too, and the pool has been ended, so that programs
 * stop writing to it; false when the consumer lives.
 *
 * Does nothing when the directory was swept less than DIRECTORY_SWEEP_SECONDS ago (one second with more than
 * a thousand files, as programs that fork much leave them), unless is_now. *ret_n_pools (may be NULL) is set
 * when it swept: the number of living pools. It reads DIRECTORY_SWEEP_ENTRIES at most. 0, ENOMEM, or the
 * system's error.
 */
#define DIRECTORY_SWEEP_SECONDS 10
#define DIRECTORY_SWEEP_ENTRIES 16384
int directory_sweep(
	int directory, uint32_t uid, bool is_now, bool (*end)(int pool_fd), unsigned int *ret_n_pools);
/*
 * The same, at once, after the end of a process to which other processes had attached streams. It removes the
 * process's map of names together with its page, whichever process made the map, unless a living process's
 * page refers to the map.
 */
int directory_sweep_ended(
	int directory, uint32_t uid, const struct identity_file *names, bool (*end)(int pool_fd));

#endif
