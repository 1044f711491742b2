/* SPDX-License-Identifier: MIT */
/*
 * How a session is found and controlled: it listens at a socket `session-N` in the directory where the processes of its user meet
 * (record/rendezvous/directory.h), one for each channel. No other user can make a name there, so that none can stand in a session's way,
 * or hold up the programs that look for one. A request is a word, the answer an error number in decimal. Both ends look at whose process
 * the other is.
 */
#ifndef AIXTRACE_CHANNEL_H
#define AIXTRACE_CHANNEL_H

#include <stdbool.h>
#include <sys/types.h>

enum { CHANNELS = 8, CHANNEL_WORD_BYTES = 16 };

enum channel_request {
	CHANNEL_ON,
	CHANNEL_OFF,
	CHANNEL_STOP,
	CHANNEL_DISCARD,
	CHANNEL_COME, /* the calling process has begun; the answer comes when the session has attached it, or does not want it */
	N_CHANNEL_REQUESTS
};

/*
 * A socket that requests for a channel's session come to, close-on-exec and non-blocking; for channel_close(). A socket that a killed
 * session left is replaced. -1 and errno: EADDRINUSE (there is a session), EPERM (the user's directory cannot be trusted), EBUSY, or the
 * system's error.
 */
int channel_listen(int channel);

/* The channel is free from here on. No effect for fd -1. */
void channel_close(int fd, int channel);

/* Whether a channel of this user has a session. */
bool channel_is_taken(int channel);

/*
 * Sends a request to the session of a channel and waits for the answer, as long as the session's process runs. 0 or an errno number:
 * ENODEV (there is no session), EAGAIN (its process is stopped by a signal), EIO (it went without an answer), else what the session
 * answered.
 */
int channel_ask(int channel, enum channel_request request);

/*
 * The same with CHANNEL_COME for each channel that has a session that can answer; waits a second at most for all of them, and keeps
 * errno. A process does this before its first hook, so that a session has all of them.
 */
void channel_come(void);

/*
 * The next request at a listening socket, which is readable. Returns -1 if there is none that counts. *ret_fd is to be answered and
 * closed by channel_answer().
 */
int channel_accept(int listening, int *ret_fd);
pid_t channel_peer(int fd);
void channel_answer(int fd, int error);

#endif
