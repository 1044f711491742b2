/* SPDX-License-Identifier: MIT */
/*
 * Finds and controls a session: it listens at a socket `session-N`, one for each channel, in the directory
 * where the processes of its user meet (record/rendezvous/directory.h). No other user can make a name there,
 * so other users cannot block a session, or delay the programs that look for one. A request is a word, and
 * the answer is an error number in decimal. Each end checks which user owns the other process.
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
	CHANNEL_COME, /* the calling process has begun; the answer means that it is attached or refused */
	N_CHANNEL_REQUESTS
};

/*
 * Makes a socket for requests to a channel's session, close-on-exec and non-blocking; close it with
 * channel_close(). A socket that a killed session left is replaced. Returns -1 with errno on error:
 * EADDRINUSE (there is a session), EPERM (the user's directory cannot be trusted), EBUSY, or the system's
 * error.
 */
int channel_listen(int channel);

/* The channel is free from here on. No effect for fd -1. */
void channel_close(int fd, int channel);

/* Whether a channel of this user has a session. */
bool channel_is_taken(int channel);

/*
 * Sends a request to the session of a channel and waits for the answer, as long as the session's process
 * runs. Returns 0 or an errno number: ENODEV (there is no session), EAGAIN (a signal has stopped its
 * process), EIO (it ended without an answer), or else the session's answer.
 */
int channel_ask(int channel, enum channel_request request);

/*
 * Sends CHANNEL_COME to each channel with a session that can answer; waits at most a second for all of them,
 * and preserves errno. A process does this before its first hook, so that a session gets all its hooks.
 */
void channel_come(void);

/*
 * Takes the next request at a listening socket, which is readable. Returns -1 if there is no valid request.
 * channel_answer() must answer and close *ret_fd.
 */
int channel_accept(int listening, int *ret_fd);
pid_t channel_peer(int fd);
void channel_answer(int fd, int error);

#endif
