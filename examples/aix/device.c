/* SPDX-License-Identifier: MIT */
/*
 * A program that controls AIX's trace through its device: it starts a session that waits, switches it on
 * around a loop, and ends it.
 *
 *	cc -o device device.c $(pkg-config --cflags --libs aixtrace)
 *	./device device.rst
 *	rastrum trcrpt -t device.trcfmt device.rst
 *
 * device.trcfmt beside it says how the hook reads: the turn of the loop, and how long the last one took.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/trcctl.h>
#include <sys/trchkid.h>
#include <sys/trcmacros.h>
#include <unistd.h>

static const char device[] = "/dev/systrctl";

static void control(int fd, unsigned long request, const char *name)
{
	if (ioctl(fd, request, 0) < 0) {
		perror(name);
		exit(EXIT_FAILURE);
	}
}

static void work(int n_turns)
{
	for (int turn = 1; turn <= n_turns; turn++)
		TRCHKL1T(HKWD_USER1, turn);
}

int main(int argc, char **argv)
{
	char options[4096];
	int fd;

	snprintf(options, sizeof(options), "-a -d -o '%s'", argc > 1 ? argv[1] : "device.rst");
	if (trcstart(options) < 0) {
		perror("trcstart");
		return EXIT_FAILURE;
	}
	fd = open(device, O_RDONLY);
	if (fd < 0) {
		perror(device);
		return EXIT_FAILURE;
	}
	work(3); /* the session waits */
	control(fd, TRCON, "TRCON");
	work(10);
	control(fd, TRCOFF, "TRCOFF");
	work(5);
	control(fd, TRCSTOP, "TRCSTOP");
	close(fd);
	return EXIT_SUCCESS;
}
