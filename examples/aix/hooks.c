/* SPDX-License-Identifier: MIT */
/*
 * A program that was written for AIX's trace: it starts a session, records hooks of a loop, and ends it.
 *
 *	cc -o hooks hooks.c $(pkg-config --cflags --libs aixtrace)
 *	./hooks hooks.rst
 *	rastrum trcrpt -t hooks.trcfmt hooks.rst
 *
 * hooks.trcfmt beside it says how the hooks read. Without trcstart() a hook costs a load and a branch.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/trcctl.h>
#include <sys/trchkid.h>
#include <sys/trcmacros.h>

#define HKWD_STEP 0x01000000 /* hook 010: a number and its square */
#define HKWD_NAME 0x01100000 /* hook 011: a number and a name */

static void work(int number)
{
	static const char names[][8] = { "zero", "one", "two", "three" };

	TRCHKL2T(HKWD_STEP, number, number * number);
	TRCGENT(0, HKWD_NAME, number, sizeof(names[number]), names[number]);
}

int main(int argc, char **argv)
{
	char options[4096];
	int channel;

	snprintf(options, sizeof(options), "-a -o '%s'", argc > 1 ? argv[1] : "hooks.rst");
	channel = trcstart(options);
	if (channel < 0) {
		perror("trcstart");
		return EXIT_FAILURE;
	}
	for (int number = 0; number < 4; number++)
		work(number);
	if (trcstop(channel)) {
		perror("trcstop");
		return EXIT_FAILURE;
	}
	return EXIT_SUCCESS;
}
