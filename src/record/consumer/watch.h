/* SPDX-License-Identifier: MIT */
/*
 * Whether the controller is still the program that made the stream: it may have ended in any way, or have
 * called exec (XSH exec: its streams are shut down then). Its open descriptors prove nothing, because a
 * daemon closes them all.
 *
 * The proof is an open /proc/PID/maps: it belongs to the memory that the process had when it was opened. When
 * that memory is gone, by exec or by the end, a read returns nothing, whatever process has the pid now. A
 * test takes a few microseconds.
 */
#ifndef CONSUMER_WATCH_H
#define CONSUMER_WATCH_H

#include "record/rendezvous/identity.h"

struct watch {
	struct identity controller;
	int process; /* pidfd; -1 if the kernel does not have pidfds */
	int map;     /* -1 if access is denied, and only the end of the process is noticed */
	bool is_gone;
};

/*
 * Begins to watch the process (start 0: start time unknown), which has the memory of this descriptor mapped.
 */
void watch_begin(struct watch *watch, const struct identity *controller, int memory_fd);
bool watch_is_gone(struct watch *watch);
void watch_end(struct watch *watch);

#endif
