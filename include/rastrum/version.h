/* SPDX-License-Identifier: MIT */
/*
 * The version: of these headers as macros, of the library that the program runs with by a function.
 *
 *	#if RASTRUM_VERSION >= RASTRUM_VERSION_NUMBER(0, 2, 0)
 *
 * `make version` writes the three numbers.
 */
#ifndef RASTRUM_VERSION_H
#define RASTRUM_VERSION_H

#include <rastrum/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define RASTRUM_VERSION_MAJOR 0
#define RASTRUM_VERSION_MINOR 1
#define RASTRUM_VERSION_PATCH 0

/* Grows with the version. Minor and patch are below 1000. */
#define RASTRUM_VERSION_NUMBER(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define RASTRUM_VERSION \
	RASTRUM_VERSION_NUMBER(RASTRUM_VERSION_MAJOR, RASTRUM_VERSION_MINOR, RASTRUM_VERSION_PATCH)

/* The same as text, "1.2.3". */
#define RASTRUM_VERSION_TEXT_(major, minor, patch) #major "." #minor "." #patch
#define RASTRUM_VERSION_TEXT(major, minor, patch)  RASTRUM_VERSION_TEXT_(major, minor, patch)
#define RASTRUM_VERSION_STRING \
	RASTRUM_VERSION_TEXT(RASTRUM_VERSION_MAJOR, RASTRUM_VERSION_MINOR, RASTRUM_VERSION_PATCH)

/* The version of the library, as RASTRUM_VERSION_STRING; a constant. Any thread. */
RST_PUBLIC const char *rst_version(void);

#ifdef __cplusplus
}
#endif
#endif
