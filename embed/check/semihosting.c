/* SPDX-License-Identifier: MIT */
#include "embed/check/semihosting.h"

enum {
	SYS_OPEN = 0x01,
	SYS_CLOSE = 0x02,
	SYS_WRITE0 = 0x04,
	SYS_WRITE = 0x05,
	SYS_EXIT_EXTENDED = 0x20,
	OPEN_WRITE_BINARY = 5,
	STOPPED_APPLICATION_EXIT = 0x20026
};

#ifdef __riscv
/* Three instructions, uncompressed and in one page, distinguish a semihosting call from a breakpoint. */
static uintptr_t call(uintptr_t operation, const void *argument)
{
	register uintptr_t a0 __asm__("a0") = operation;
	register const void *a1 __asm__("a1") = argument;

	__asm__ volatile(".balign 16\n"
			 ".option push\n"
			 ".option norvc\n"
			 "slli x0, x0, 0x1f\n"
			 "ebreak\n"
			 "srai x0, x0, 7\n"
			 ".option pop\n"
			 : "+r"(a0)
			 : "r"(a1)
			 : "memory");
	return a0;
}
#else
static uintptr_t call(uintptr_t operation, const void *argument)
{
	register uintptr_t r0 __asm__("r0") = operation;
	register const void *r1 __asm__("r1") = argument;

	__asm__ volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
	return r0;
}
#endif

static uint32_t length(const char *text)
{
	uint32_t n = 0;

	while (text[n])
		n++;
	return n;
}

int32_t semihosting_create(const char *path)
{
	const uintptr_t block[3] = { (uintptr_t)path, OPEN_WRITE_BINARY, length(path) };

	return (int32_t)call(SYS_OPEN, block);
}

uint32_t semihosting_write(int32_t file, const void *bytes, uint32_t n_bytes)
{
	const uintptr_t block[3] = { (uintptr_t)file, (uintptr_t)bytes, n_bytes };

	return (uint32_t)call(SYS_WRITE, block);
}

void semihosting_close(int32_t file)
{
	const uintptr_t block[1] = { (uintptr_t)file };

	call(SYS_CLOSE, block);
}

void semihosting_print(const char *text)
{
	call(SYS_WRITE0, text);
}

void semihosting_exit(uint32_t status)
{
	const uintptr_t block[2] = { STOPPED_APPLICATION_EXIT, status };

	call(SYS_EXIT_EXTENDED, block);
	for (;;)
		continue;
}
