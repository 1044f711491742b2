/* SPDX-License-Identifier: MIT */
/*
 * The control page of a process: which streams trace it. Made by whoever comes first, the process itself when it is
 * loaded or a controller, in the directory of the process's user; mapped by both. A controller fills a slot, and the
 * process's next trace point finds the generation changed and looks. The page stays over exec, for it is named by pid and
 * start time.
 *
 * Both sides may write, and either may be killed at any instruction: a slot is claimed by compare-and-swap and holds when
 * its bit in `streams` is set; what is read is copied, then it is looked whether it held meanwhile. A slot whose claimer was
 * killed in between stays lost until the process ends; there are 64. Whoever can write here may as well trace the process,
 * or kill it; a controller that is root believes nothing that it reads here.
 *
 * All functions are async-signal-safe.
 */
#ifndef RENDEZVOUS_CONTROL_H
#define RENDEZVOUS_CONTROL_H

#include "record/rendezvous/directory.h"
#include <stdatomic.h>

#define CONTROL_BYTES	4096
#define CONTROL_STREAMS 64
#define CONTROL_MAGIC	0x4c525443u
#define CONTROL_VERSION 1

/* Memory that only the process has, and hands on to the children that it forks. */
#define CONTROL_NOWHERE UINT32_MAX

/* A stream as the page tells of it. */
struct control_stream {
	struct identity_file pool; /* maker: the controller */
	uint64_t attached; /* clock ticks since boot, as identity.start: children made earlier have no part */
	uint32_t directory; /* uid whose directory has the pool's file, or CONTROL_NOWHERE */
	uint32_t is_inherited;
};

enum control_slot_state {
	CONTROL_FREE = 0,
	CONTROL_CLAIMED = 1,
	CONTROL_USED = 2,
};
struct control_slot {
	_Atomic uint64_t use; /* the state, and above it 1 more with every claim of a free slot */
	struct control_stream stream;
};

/* A map of names: its file and the uid whose directory has it; maker.pid 0: none that others can open. */
struct control_names {
	struct identity_file file;
	uint32_t directory;
};

struct control {
	_Alignas(CONTROL_BYTES) _Atomic uint32_t
		is_enabled; /* the enabled flag of <trace_point_np.h>: not 0 while there are streams; counts them */
	uint32_t magic, version;
	uint32_t is_used; /* the process has it mapped; 0: a controller has made it */
	struct identity process;
	struct control_names names;
	uint64_t image;		     /* of the program that has it mapped: another one after exec */
	_Atomic uint64_t generation; /* never 0; changes after every change of `streams` */
	_Atomic uint64_t streams;    /* bit n: slot n holds */
	struct control_slot slots[CONTROL_STREAMS];
};
_Static_assert(sizeof(struct control) == CONTROL_BYTES, "a control page is a page");

/* An empty page in memory that is zero. */
void control_begin(struct control *control, const struct identity *process);
/* Into one that nobody else knows yet: the streams of another page that are inherited and were attached no later than the
 * page's process began, in the same slots. */
void control_inherit(struct control *control, const struct control *like);

/* Claims a slot and tells of the stream, and of the change. Its number; -1: all are in use. */
int control_attach(struct control *control, const struct control_stream *stream);
/* Gives the slot back, if it still tells of this pool, and tells of the change. */
void control_detach(struct control *control, unsigned int slot, const struct identity_file *pool);
/* What a slot tells; false when it tells nothing. */
bool control_look(const struct control *control, unsigned int slot, struct control_stream *ret_stream);
/* Adds 1 to the generation: every thread of the process looks anew. */
void control_tell(struct control *control);

/* Opens the page of a process in its user's directory. EINVAL: what is there is none, or another process's; ENOENT; else as
 * directory_open_file(). The descriptor is -1 when there is an error. */
int control_open(int directory, const struct identity *process, uint32_t uid, int *ret_fd);
/*
 * The same, or makes it: with these names, and what it inherits from `like` (NULL: nothing). The page is filled in memory of
 * its own: the caller may be a handler on a small stack, and its user could truncate the draft while we store to it.
 */
int control_make(int directory, const struct identity *process, uint32_t uid,
	const struct control_names *names, const struct control *like, int *ret_fd, bool *ret_is_new);
/* In both cases the page is held (directory_hold()). */

/* Maps the page at a given address (MAP_FIXED), or anywhere (NULL). NULL: not. */
struct control *control_map(int fd, void *at);

/*
 * A stream, and the names that go with it, as text for the environment of a program whose descendants are to be traced
 * although none of their ancestors may be left to ask.
 */
#define CONTROL_ENVIRONMENT "POSIX_TRACE_STREAM_NP"
#define CONTROL_TEXT_BYTES  256
void control_print(const struct control_stream *stream, const struct control_names *names,
	char ret_text[CONTROL_TEXT_BYTES]);
bool control_parse(const char *text, struct control_stream *ret_stream, struct control_names *ret_names);

#endif
