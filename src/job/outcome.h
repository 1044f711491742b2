/* SPDX-License-Identifier: MIT */
/* How a job ended. It is also the exit status of the program that ran it, and in its manual. */
#ifndef JOB_OUTCOME_H
#define JOB_OUTCOME_H

#include "base/error.h"

enum outcome {
	EXIT_GOOD = 0,
	EXIT_FOUND = 1,	      /* a check found something */
	EXIT_USAGE = 2,	      /* wrong usage */
	EXIT_DAMAGED = 3,     /* input damaged; what could be read was given */
	EXIT_IO = 4,	      /* input or output error, or memory ran out */
	EXIT_UNSUPPORTED = 5, /* feature not built in */
};

/* Returns the outcome of a job that ended with this error. */
int outcome_of(const struct rst_error *err);

/*
 * Returns the worse of two. Greater ones explain better why a result is incomplete; EXIT_USAGE comes alone.
 */
int outcome_worse(int a, int b);

#endif
