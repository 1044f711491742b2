/* SPDX-License-Identifier: MIT */
/*
 * The version of <trace.h>, for programs to compare with.
 *
 *	#if POSIX_TRACE_VERSION_NP >= POSIX_TRACE_VERSION_NUMBER_NP(0, 2, 0)
 *
 * That of the library is what posix_trace_attr_getgenversion() gives. `make version` writes the three
 * numbers.
 */
#ifndef POSIX_TRACE_VERSION_H_NP
#define POSIX_TRACE_VERSION_H_NP

#define POSIX_TRACE_VERSION_MAJOR_NP 0
#define POSIX_TRACE_VERSION_MINOR_NP 1
#define POSIX_TRACE_VERSION_PATCH_NP 0

/* Grows with the version. Minor and patch are below 1000. */
#define POSIX_TRACE_VERSION_NUMBER_NP(major, minor, patch) ((major)*1000000 + (minor)*1000 + (patch))
#define POSIX_TRACE_VERSION_NP         \
	POSIX_TRACE_VERSION_NUMBER_NP( \
		POSIX_TRACE_VERSION_MAJOR_NP, POSIX_TRACE_VERSION_MINOR_NP, POSIX_TRACE_VERSION_PATCH_NP)

/* The same as text, "1.2.3". */
#define POSIX_TRACE_VERSION_TEXT_NP_(major, minor, patch) #major "." #minor "." #patch
#define POSIX_TRACE_VERSION_TEXT_NP(major, minor, patch)  POSIX_TRACE_VERSION_TEXT_NP_(major, minor, patch)
#define POSIX_TRACE_VERSION_STRING_NP \
	POSIX_TRACE_VERSION_TEXT_NP(  \
		POSIX_TRACE_VERSION_MAJOR_NP, POSIX_TRACE_VERSION_MINOR_NP, POSIX_TRACE_VERSION_PATCH_NP)

#endif
