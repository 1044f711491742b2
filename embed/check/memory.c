/* SPDX-License-Identifier: MIT */
/* Functions that compilers may call, for targets without a library. Without volatile, compilers would turn
 * the loops into calls of these functions. */
#include <stddef.h>
#include <stdint.h>

void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes);
void *memset(void *to, int byte, size_t n_bytes);

void *memcpy(void *restrict to, const void *restrict from, size_t n_bytes)
{
	volatile uint8_t *at = to;
	const uint8_t *bytes = from;

	while (n_bytes--)
		*at++ = *bytes++;
	return to;
}

void *memset(void *to, int byte, size_t n_bytes)
{
	volatile uint8_t *at = to;

	while (n_bytes--)
		*at++ = (uint8_t)byte;
	return to;
}
