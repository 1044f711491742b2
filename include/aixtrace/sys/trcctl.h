/* SPDX-License-Identifier: MIT */
/*
 * <sys/trcctl.h>: sessions ("trcstart Subroutine", "trcon Subroutine", "trcoff Subroutine", "trcstop Subroutine", AIX Technical
 * Reference). Of libaixtrace.
 *
 * A session is a process of its own, `rastrum trace`, which trcstart() starts; a program may control the sessions of its user, whichever
 * process has started them. These functions wait for that process's answer. Any thread may call them; no signal handler.
 */
#ifndef AIXTRACE_SYS_TRCCTL_H
#define AIXTRACE_SYS_TRCCTL_H

#include <fcntl.h>
#include <sys/ioctl.h>

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __GNUC__
#pragma GCC visibility push(default)
#endif

/* With the channel of trcstop(). */
#define TRCSTOP_SERIALISE \
	0x40000000 /* taken, and of no effect: entries of a session's end are always written in order */
#define TRCSTOP_DISCARD 0x20000000 /* entries that are not in the log yet are thrown away */

/*
 * Starts a session as `rastrum trace -a` does with these arguments, split at blanks (quotes keep words together); "" or NULL: with
 * none. It records hooks of the calling process and of all others of the same user that are linked with libaixtrace, unless the
 * arguments choose processes. With -d it begins with trcon().
 *
 * Returns the channel: 0, or with -g the first of 1 to 7 that is free; -1 and errno.
 *
 * Errors: EBUSY (the channel has a session), EINVAL (arguments, which the session has explained on standard error), EIO (no log can be
 * written), ENOENT (there is no rastrum), ENOMEM.
 */
int trcstart(const char *args);

/*
 * Recording goes on; it pauses; the session ends and its log is complete. The session's own entries 001 and 002 say when.
 *
 * Return 0; -1 and errno.
 *
 * Errors: EAGAIN (a signal has stopped the session's process), EIO (the session could not write its log, or was killed), ENODEV (the
 * channel, 0 to 7, has no session).
 */
int trcon(int channel);
int trcoff(int channel);
int trcstop(int channel);

/*
 * The device: a program may open /dev/systrctl, which is not there on Linux, and control channel 0 by ioctl(), whose third argument is
 * not looked at. TRCON is trcon(0), TRCOFF trcoff(0), TRCSTOP trcstop(0), with their errors.
 *
 *	int fd = open("/dev/systrctl", 0);
 *	if (fd < 0 || ioctl(fd, TRCON, 0) < 0)
 *		perror("/dev/systrctl");
 *
 * In files that include this header, open() and ioctl() are these functions, which pass everything else on to libc and the kernel. The
 * assembler gives them their names, so that all ways in which a header of libc declares them, and every compiler option, come to the same.
 *
 * Errors: those of open(2).
 */
#define TRCON	0x74726301
#define TRCOFF	0x74726302
#define TRCSTOP 0x74726303

int aixtrace_open(const char *path, int flags, ...);
int aixtrace_open_2(const char *path, int flags);

/* Errors: EAGAIN, EIO, ENODEV (as trcon()); else those of ioctl(2). */
int aixtrace_ioctl(int fd, unsigned long request, ...);

#ifdef __ELF__
__asm__(".set open, aixtrace_open\n\t"
	".set open64, aixtrace_open\n\t"
	".set __open_2, aixtrace_open_2\n\t"
	".set __open64_2, aixtrace_open_2\n\t"
	".set ioctl, aixtrace_ioctl");
#endif

#ifdef __GNUC__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif

#endif
