/* SPDX-License-Identifier: MIT */
/* In a file of their own, so that the compiler cannot see in a caller that they do nothing. */
#include "embed/check/check.h"

void check_nothing_0(void)
{
}

void check_nothing_1(uint32_t a)
{
	(void)a;
}

void check_nothing_2(uint32_t a, uint32_t b)
{
	(void)a, (void)b;
}

void check_nothing_3(uint32_t a, uint32_t b, uint32_t c)
{
	(void)a, (void)b, (void)c;
}

void check_nothing_4(uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
	(void)a, (void)b, (void)c, (void)d;
}

void check_nothing_5(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e)
{
	(void)a, (void)b, (void)c, (void)d, (void)e;
}

void check_nothing_6(uint32_t a, uint32_t b, uint32_t c, uint32_t d, uint32_t e, uint32_t f)
{
	(void)a, (void)b, (void)c, (void)d, (void)e, (void)f;
}
