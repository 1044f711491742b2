/* SPDX-License-Identifier: MIT */
/*
 * Fills in a caller's error. The layer that fails writes the cause and the place; layers above add the name
 * or advice.
 */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <rastrum/error.h>

/* Sets err (which may be NULL) and returns status, so that a failure is one statement. */
enum rst_status error_set(struct rst_error *err, enum rst_status status, uint64_t offset, const char *format,
	...) __attribute__((format(printf, 4, 5)));

/* Sets the text "memory ran out" and returns RST_E_NOMEM. */
enum rst_status error_nomem(struct rst_error *err);

/* Adds advice. The last advice wins, because it comes from the layer nearest to the user. */
void error_advise(struct rst_error *err, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Names the input unless a layer below has done so. */
void error_name(struct rst_error *err, const char *source);

/* Returns a failure unchanged; after any other result, the function goes on. */
#define error_try(expression)                           \
	do {                                            \
		enum rst_status status_ = (expression); \
		if (status_ < 0)                        \
			return status_;                 \
	} while (0)

#endif
