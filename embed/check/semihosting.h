/* SPDX-License-Identifier: MIT */
/*
 * Files, text and the end of a program through the debugger or emulator ("Semihosting for AArch32 and
 * AArch64", Arm).
 */
#ifndef EMBED_CHECK_SEMIHOSTING_H
#define EMBED_CHECK_SEMIHOSTING_H

#include <stdint.h>

/* Negative: it could not be opened. The file is truncated. */
int32_t semihosting_create(const char *path);

/* Returns 0 if all was written. */
uint32_t semihosting_write(int32_t file, const void *bytes, uint32_t n_bytes);
void semihosting_close(int32_t file);
void semihosting_print(const char *text);
void semihosting_exit(uint32_t status);

#endif
