/* SPDX-License-Identifier: MIT */
/*
 * <trace_hook_np.h>: AIX trace hooks as events of streams. Programs call <sys/trcmacros.h> of libaixtrace,
 * which is built on this header; a session (rastrum-trace(1)) is a stream.
 *
 * The data of an event are a trace entry as it is recorded: the hook word, then data words, or one data word
 * and variable bytes, all in the byte order of the machine. The entry leaves out thread and stamp, because
 * every event has them. Hooks have types of their own, two for each channel, so that a stream's filter
 * selects channels; a stream whose filter is empty records all channels. Not part of any standard.
 */
#ifndef POSIX_TRACE_HOOK_NP_H
#define POSIX_TRACE_HOOK_NP_H

#include <trace.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

#define POSIX_TRACE_CHANNELS_NP 8 /* 0 is the system trace, 1 to 7 are the program's */
/* The type of a channel's entries whose hook words have 4 or 8 bytes: 32 to 47. */
#define POSIX_TRACE_HOOK_TYPE_NP(channel, word_bytes) \
	(32u + 2u * (unsigned int)(channel) + ((word_bytes) == 8))
#define POSIX_TRACE_HOOK_FIRST_NP POSIX_TRACE_HOOK_TYPE_NP(0, 4)
#define POSIX_TRACE_HOOK_LAST_NP  POSIX_TRACE_HOOK_TYPE_NP(POSIX_TRACE_CHANNELS_NP - 1, 8)

/* Hooks by the first three digits of their ids. */
struct posix_trace_hooks_np {
	unsigned long long posix_hook_word[64]; /* bit n % 64 of word n / 64 */
};

/*
 * Records an entry of `length` bytes that begins with the hook word `hook`, in the streams that record this
 * type and this hook. Like posix_trace_event(), it is async-signal-safe and any thread may call it. If there
 * is no room for an entry, the entry counts as lost.
 *
 * Errors: none. If the type does not belong to hooks, the entry is not recorded.
 */
void posix_trace_hook_np(trace_event_id_t type, unsigned long long hook, const void *entry, size_t length);
/*
 * The hooks that a stream does not record; at first it records all. A change takes effect at the next event
 * of each thread. Any thread.
 *
 * Errors: EINVAL (trid, null pointer, a log).
 */
int posix_trace_set_hooks_np(trace_id_t trid, const struct posix_trace_hooks_np *disabled);
int posix_trace_get_hooks_np(trace_id_t trid, struct posix_trace_hooks_np *ret_disabled);

/*
 * A stream without log whose policy is POSIX_TRACE_LOOP may have two rings in its memory, so that a flood of
 * some hooks does not overwrite all others. A quarter of the memory is for entries of rare hooks and system
 * events, the rest for all other events. A hook is rare until its entries have filled a 64th of the rare ring
 * within 10 to 20 seconds. Then it becomes common, and an entry of hook 003, whose data word is that hook, is
 * recorded. It stays common until posix_trace_set_rare_np(). Readers get the events of both rings in order of
 * time. The default is 0.
 *
 * Errors: EINVAL (an object that was not initialised, a null pointer). posix_trace_create() fails with EINVAL
 * for other streams.
 */
int posix_trace_attr_getrare_np(const trace_attr_t *attr, int *ret_has_ring);
int posix_trace_attr_setrare_np(trace_attr_t *attr, int has_ring);

struct posix_trace_rings_np {
	struct posix_trace_hooks_np posix_common_hooks; /* at present */
	/* Events that were overwritten, or for which there was no room. */
	unsigned long long posix_common_lost, posix_rare_lost;
};

/*
 * For a stream with a rare ring: sets hooks that are common from the beginning, and hooks that always stay
 * rare. All other hooks become rare again.
 *
 * Errors: EINVAL (trid, null pointer, a log, a stream without a rare ring).
 */
int posix_trace_set_rare_np(
	trace_id_t trid, const struct posix_trace_hooks_np *common, const struct posix_trace_hooks_np *rare);
int posix_trace_get_rare_np(trace_id_t trid, struct posix_trace_rings_np *ret_rings);

/*
 * Lets one more process write into a stream. Other processes must be able to open the stream: it traces
 * another process, or is inherited. Only hooks and system events mean the same in all its processes; names of
 * other types are those of the process that the stream was made for. inheritance: whether children that the
 * process makes from now on write into the stream, too. If the process writes into the stream already, only
 * the inheritance changes.
 *
 * Errors: EAGAIN (no free slot, or the process keeps calling exec), EINVAL (trid, a stream that other
 * processes cannot open, pid, inheritance). Also EPERM (as posix_trace_create(), or another user's process),
 * ESRCH (no such process), ENOMEM.
 */
int posix_trace_attach_np(trace_id_t trid, pid_t pid, int inheritance);

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
