/* SPDX-License-Identifier: MIT */
/*
 * Contracts that run. check() states a condition that a header demands of the caller, or that must hold at a
 * place of the code. If the condition does not hold, a build with RST_CHECKED (asan, tsan, cover, fuzz) ends
 * the program and names it:
 *
 *	rastrum: broken contract: !batch_is_full(batch), in batch_row() (src/model/row.h:35)
 *
 * A release build compiles the condition but does not evaluate it, so a condition must have no side effect.
 * A mistake in an input or by a user is never a contract: it is an error, which is reported.
 */
#ifndef BASE_CHECK_H
#define BASE_CHECK_H

#ifdef RST_CHECKED

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * Writes without stdio or malloc, because contracts are also checked in trace points and in signal handlers.
 */
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
