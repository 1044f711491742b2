/* SPDX-License-Identifier: MIT */
#include "template/language/errors.h"

#include <errno.h>
#include <string.h>

#include "tests/tap.h"

static bool is_named(enum error_numbers whose, uint64_t number, const char *name)
{
	const char *found = error_number_name(whose, number);

	return name ? found && strcmp(found, name) == 0 : !found;
}

static int number_of(enum error_numbers whose, const char *name)
{
	return error_name_number(whose, name, strlen(name));
}

int main(void)
{
	static const struct {
		uint64_t number;
		const char *here, *there;
	} rows[] = { { 0, NULL, NULL }, { 1, "EPERM", "EPERM" }, { 11, "EAGAIN", "EAGAIN" },
		{ 34, "ERANGE", "ERANGE" }, { 35, "EDEADLK", "ENOMSG" }, { 45, "EL2NSYNC", "EDEADLK" },
		{ 51, "EL2HLT", NULL }, { 78, "EREMCHG", "ETIMEDOUT" }, { 110, "ETIMEDOUT", "EMEDIA" },
		{ 127, "EKEYEXPIRED", "EOVERFLOW" }, { 128, "EKEYREVOKED", NULL },
		{ UINT64_MAX, NULL, NULL } };
	static const struct {
		const char *name;
		int here, there;
	} second[] = { { "EWOULDBLOCK", EAGAIN, 11 }, { "ENOTSUP", EOPNOTSUPP, 124 },
		{ "ENOTEMPTY", ENOTEMPTY, 17 }, { "EDEADLOCK", EDEADLK, 0 }, { "ECLONEME", 0, 82 },
		{ "EPER", 0, 0 }, { "", 0, 0 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(is_named(ERRORS_OF_LINUX, rows[i].number, rows[i].here) &&
				is_named(ERRORS_OF_AIX, rows[i].number, rows[i].there),
			"error %llu has the name of its system", (unsigned long long)rows[i].number);
	for (int number = 1; number < 256; number++)
		for (int whose = ERRORS_OF_LINUX; whose <= ERRORS_OF_AIX; whose++) {
			const char *name = error_number_name((enum error_numbers)whose, (uint64_t)number);

			if (name && number_of((enum error_numbers)whose, name) != number)
				ok(false, "%s is the name of %d", name, number);
		}
	for (size_t i = 0; i < sizeof(second) / sizeof(second[0]); i++)
		ok(number_of(ERRORS_OF_LINUX, second[i].name) == second[i].here &&
				number_of(ERRORS_OF_AIX, second[i].name) == second[i].there,
			"'%s' is a second name, or none", second[i].name);
	return tap_done();
}
