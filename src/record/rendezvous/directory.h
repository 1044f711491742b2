/* SPDX-License-Identifier: MIT */
/*
 * Where processes meet: a directory for each user in /dev/shm (or, where another user has taken its name: elsewhere.h), found from the uids alone, never from the
 * environment, since a login shell, cron and ssh must all meet there. Mode 0700; one that belongs to somebody else, or lets
 * others in, is refused. What is in it: control pages, maps of names, pools; named as in identity.h, mode 0600.
 *
 * Its user may put anything there, and change it while root looks: files are opened without following and without
 * waiting, and looked at when they are open. What is in them is for the caller to doubt.
 *
 * All functions are async-signal-safe and no cancellation points, and get no memory from malloc(); they return 0
 * or an errno number, and leave errno as it was. Descriptors are close-on-exec and 3 or more, or -1 when there is an error.
 */
#ifndef RENDEZVOUS_DIRECTORY_H
#define RENDEZVOUS_DIRECTORY_H

#include "record/rendezvous/identity.h"

/* In whose directory the caller meets others: that of its real user; root's, when it acts as root. */
uint32_t directory_uid(void);

/*
 * Opens the directory of a user, with O_PATH. make: makes it when it is missing; for another user only root can (EPERM).
 * ENOENT; EPERM: what is there cannot be trusted; else what the system says.
 */
int directory_open(uint32_t uid, bool make, int *ret_fd);

/* Takes the path of a file in such a directory apart, as /proc tells it; false: it is none. */
bool directory_parse(const char *path, size_t n_bytes, uint32_t *ret_uid, enum identity_kind *ret_kind,
	struct identity_file *ret_file);
/*
 * A new file of that many bytes, all zero, in the directory of this user and for him; all its memory really there (else
 * somebody's store would be a SIGBUS later), or, sparse, only promised. The maker is the caller; the serial is chosen, and
 * never comes again. ENOMEM: no room; ESRCH: /proc does not tell who the caller is. Where root makes it for another user,
 * that one can change it from now on.
 */
int directory_create(int directory, enum identity_kind kind, uint32_t uid, uint64_t bytes, bool is_sparse,
	struct identity_file *ret_file, int *ret_fd);
/*
 * Opens one for reading and writing. ENOENT; EPERM: it is no regular file of this user, or of root, with one link. Its
 * size may be any.
 */
int directory_open_file(
	int directory, enum identity_kind kind, const struct identity_file *file, uint32_t uid, int *ret_fd);
/* A file that was just made for a user gets a group. If root kept it for itself, processes of that group may open it. */
int directory_group(int fd, uint32_t gid);
/*
 * A file that was made, or is held, is in use as long as the descriptor or memory that was mapped by it is there. The kernel's
 * lock (flock(2)) shows that to processes of other pid namespaces, too, which cannot judge its maker.
 */
void directory_hold(int fd);
/* Whether no process holds it, and it was not made or written to just now (in the last DIRECTORY_LEFT_SECONDS). */
#define DIRECTORY_LEFT_SECONDS 10
bool directory_is_left(int fd);
/* Whether it is there or not. */
void directory_remove(int directory, enum identity_kind kind, const struct identity_file *file);
/* A draft becomes the control page of a process; EEXIST: there is one already. If it does not, it is removed. */
int directory_publish(int directory, const struct identity_file *draft, const struct identity *process);

/*
 * Removes what dead processes, and processes of pid namespaces that are gone, left behind: their control pages and drafts; maps of names that they made, or that their
 * pages told of, when no living process's page tells of them; pools that `end` gives up. It is called with the descriptor
 * of each pool whose maker, the controller, is gone: true when the consumer is gone too, and the pool has been ended, so
 * that programs which still write to it stop; false when it lives on.
 *
 * Does nothing when somebody swept less than DIRECTORY_SWEEP_SECONDS ago (one second when there is a crowd of files, as
 * programs leave that fork much), unless is_now. *ret_n_pools (NULL: not wanted) is
 * set when it swept: how many pools live. It looks at DIRECTORY_SWEEP_ENTRIES at most. 0, ENOMEM, or what the system says.
 */
#define DIRECTORY_SWEEP_SECONDS 10
#define DIRECTORY_SWEEP_ENTRIES 16384
int directory_sweep(
	int directory, uint32_t uid, bool is_now, bool (*end)(int pool_fd), unsigned int *ret_n_pools);

#endif
