/* SPDX-License-Identifier: MIT */
/*
 * The control page of a process lists the streams that trace it. The process makes it when it is loaded, or a
 * controller does earlier, in the directory of the process's user; both map it. A controller fills a slot,
 * and the process's next trace point finds that the generation has changed. The page stays over exec, because
 * its name is pid and start time.
 *
 * Both sides may write, and either may be killed at any instruction. A slot is claimed by compare-and-swap
 * and is valid while its bit in `streams` is set. A reader copies it and then checks that it was valid
 * meanwhile. A slot whose claimer was killed in between stays unusable until the process ends; there are 64.
 * A process that can write here could also trace the process, or kill it; a controller that is root trusts
 * nothing that it reads here.
 *
 * All functions are async-signal-safe. All operations are sequentially consistent: the page changes only
 * when streams come and go. Trace points alone load is_enabled and generation relaxed (process/process.h).
 */
#ifndef RENDEZVOUS_CONTROL_H
#define RENDEZVOUS_CONTROL_H

#include "record/rendezvous/directory.h"
#include <stdatomic.h>

#define CONTROL_BYTES	4096
#define CONTROL_STREAMS 64
#define CONTROL_MAGIC	0x4c525443u
#define CONTROL_VERSION 1

/* Memory that only the process has, and its forked children. */
#define CONTROL_NOWHERE UINT32_MAX

/* A stream as the page lists it. */
struct control_stream {
	struct identity_file pool; /* maker: the controller */
	uint64_t
		/* clock ticks since boot, as identity.start: children that began earlier are not traced */
		attached;
	uint32_t directory; /* uid whose directory has the pool's file, or CONTROL_NOWHERE */
	uint32_t is_inherited;
};

enum control_slot_state {
	CONTROL_FREE = 0,
	CONTROL_CLAIMED = 1,
	CONTROL_USED = 2,
};
struct control_slot {
	_Atomic uint64_t use; /* the state, and above it a count of the claims of this slot */
	struct control_stream stream;
};

/* A map of names: its file and the uid whose directory has it. If maker.pid is 0, other processes cannot open
 * it. */
struct control_names {
	struct identity_file file;
	uint32_t directory;
};

struct control {
	_Alignas(CONTROL_BYTES) _Atomic uint32_t
		/* the enabled flag of <trace_point_np.h>: not 0 while there are streams; counts them */
		is_enabled;
	uint32_t magic, version;
	uint32_t is_used; /* the process has it mapped; 0 if a controller has made it */
	struct identity process;
	struct control_names names;
	uint64_t image;		     /* of the program that has it mapped: differs after exec */
	_Atomic uint64_t generation; /* never 0; changes after every change of `streams` */
	_Atomic uint64_t streams;    /* bit n: slot n is valid */
	struct control_slot slots[CONTROL_STREAMS];
};
_Static_assert(sizeof(struct control) == CONTROL_BYTES, "a control page is a page");

/* An empty page in memory that is zero. */
void control_begin(struct control *control, const struct identity *process);
/*
 * Copies to a new page the streams of another page that are inherited and were attached before the new page's
 * process began, in the same slots.
 */
void control_inherit(struct control *control, const struct control *like);

/* Fills a free slot and changes the generation. The slot's number; -1 if all are in use. */
int control_attach(struct control *control, const struct control_stream *stream);
/* Frees the slot, if it still has this pool, and changes the generation. */
void control_detach(struct control *control, unsigned int slot, const struct identity_file *pool);
/* Copies a slot; false if it is not valid. */
bool control_look(const struct control *control, unsigned int slot, struct control_stream *ret_stream);
/* Adds 1 to the generation: every thread of the process refreshes. */
void control_changed(struct control *control);

/*
 * Opens the page of a process in its user's directory. EINVAL: the file is no page, or another process's;
 * ENOENT; else as directory_open_file(). The descriptor is -1 on errors.
 */
int control_open(int directory, const struct identity *process, uint32_t uid, int *ret_fd);
/*
 * Opens the page or makes it, with these names, and the inherited streams of `like` (NULL: none). The page is
 * filled in memory of its own: the caller may be a handler on a small stack, and its user could truncate the
 * file meanwhile.
 */
int control_make(int directory, const struct identity *process, uint32_t uid,
	const struct control_names *names, const struct control *like, int *ret_fd, bool *ret_is_new);
/* Both hold the page (directory_hold()). */

/* Maps the page at an address (MAP_FIXED), or anywhere (NULL). Returns NULL after an error. */
struct control *control_map(int fd, void *at);

/*
 * A stream and its names as text, for the environment of a program whose descendants are to be traced even if
 * none of their ancestors is left.
 */
#define CONTROL_ENVIRONMENT "POSIX_TRACE_STREAM_NP"
#define CONTROL_TEXT_BYTES  256
void control_print(const struct control_stream *stream, const struct control_names *names,
	char ret_text[CONTROL_TEXT_BYTES]);
bool control_parse(const char *text, struct control_stream *ret_stream, struct control_names *ret_names);

#endif
