/* SPDX-License-Identifier: MIT */
/*
 * <sys/trcctl.h>: sessions ("trcstart Subroutine", "trcon Subroutine", "trcoff Subroutine", "trcstop
 * Subroutine", AIX Technical Reference). Of libaixtrace.
 *
 * A session is a process of its own, `rastrum trace`, which trcstart() starts. A program may control all
 * sessions of its user, whichever process started them. These functions wait for the answer of the session's
 * process. Any thread may call them; a signal handler must not.
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
	0x40000000 /* accepted without effect: entries of a session's end are always written in order */
#define TRCSTOP_DISCARD 0x20000000 /* entries that are not in the log yet are thrown away */

/*
 * Starts a session as `rastrum trace -a` does with these arguments, split at blanks (quotes keep words
 * together). "" or NULL means no arguments. The session records hooks of the calling process and of all other
 * processes of the same user that are linked with libaixtrace, unless the arguments choose processes. With
 * -d, recording begins only at trcon().
 *
 * Returns the channel: 0, or with -g the first free one of 1 to 7. On failure returns -1 and sets errno.
 *
 * Errors: EBUSY (the channel has a session), EINVAL (arguments; the session's message is on standard error),
 * EIO (the log cannot be written), ENOENT (rastrum is not installed), ENOMEM.
 */
int trcstart(const char *args);

/*
 * trcon() resumes recording; trcoff() pauses it; trcstop() ends the session and completes its log. The
 * session's own entries 001 and 002 show when.
 *
 * Return 0, or -1 with errno set.
 *
 * Errors: EAGAIN (a signal has stopped the session's process), EIO (the session was killed, or failed to
 * write its log), ENODEV (the channel, 0 to 7, has no session).
 */
int trcon(int channel);
int trcoff(int channel);
int trcstop(int channel);

/*
 * The device: a program may open /dev/systrctl, which does not exist on Linux, and control channel 0 by
 * ioctl(). The third argument of ioctl() is ignored. TRCON is trcon(0), TRCOFF is trcoff(0), TRCSTOP is
 * trcstop(0), with their errors.
 *
 *	int fd = open("/dev/systrctl", 0);
 *	if (fd < 0 || ioctl(fd, TRCON, 0) < 0)
 *		perror("/dev/systrctl");
 *
 * In files that include this header, open() and ioctl() are these functions, which pass everything else on to
 * libc and the kernel. The assembler renames them, so that this works with every declaration in libc's
 * headers and every compiler option.
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
