/* SPDX-License-Identifier: MIT */
/*
 * Contracts that run. check() states what a header demands of a caller, or what must hold at a place of the code. A build
 * with RST_CHECKED (asan, tsan, cover, fuzz) ends the program when it does not hold, and names the contract:
 *
 *	rastrum: broken contract: !batch_is_full(batch), in batch_row() (src/model/row.h:35)
 *
 * A release build compiles the condition and does not evaluate it, so a condition must have no side effect. What an input or
 * a user can get wrong is never a contract: that is an error, which is reported.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#ifdef RST_CHECKED

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes without stdio and memory: contracts are checked in trace points and in signal handlers, too. */
static __attribute__((noinline, cold, noreturn, unused)) void check_failed(
	const char *condition, const char *function, const char *place)
{
	const char *const texts[] = { "rastrum: broken contract: ", condition, ", in ", function, "() (",
		place, ")\n" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (write(STDERR_FILENO, texts[i], strlen(texts[i])) < 0)
			break;
	abort();
}

#define CHECK_TEXT(line)  #line
#define CHECK_PLACE(line) __FILE__ ":" CHECK_TEXT(line)
#define check(condition)                                                                               \
	(__builtin_expect(!(condition), 0) ? check_failed(#condition, __func__, CHECK_PLACE(__LINE__)) \
					   : (void)0)

#else

#define check(condition) ((void)sizeof(!(condition)))

#endif

#endif
