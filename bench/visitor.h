/* SPDX-License-Identifier: MIT */
/* A running `rastrum view`, as a program asks it: one connection for each request. */
#ifndef BENCH_VISITOR_H
#define BENCH_VISITOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"

enum { VISITOR_BYTES = 1 << 20, VISITOR_TOKEN_MAX = 64 };

struct visitor {
	pid_t server;
	unsigned port;
	char token[VISITOR_TOKEN_MAX];
	char *answer; /* the last one, with its head and a NUL behind it; at most VISITOR_BYTES */
	size_t n_answer;
};

/*
 * Starts the server for a file. RST_E_UNSUPPORTED: it is not installed; RST_E_IO, RST_E_NOMEM;
 * visitor_leave() is due.
 */
enum rst_status visitor_come(struct visitor *visitor, const char *path, struct rst_error *err);

/* The body of an answer with status 200, borrowed until the next request; NULL: there is none. */
const char *visitor_ask(struct visitor *visitor, const char *path);

/* The number behind "KEY": in an answer; false: there is none. */
bool visitor_number(const char *answer, const char *key, uint64_t *ret_number);

/* Processor time of the server so far. */
double visitor_server_ms(const struct visitor *visitor);

/* … of its threads of this name that live still. */
double visitor_thread_ms(const struct visitor *visitor, const char *name);

/* Figures of /proc/PID/status in KiB. */
uint64_t visitor_memory(const struct visitor *visitor, const char *key);

/* Ends the server. */
void visitor_leave(struct visitor *visitor);

#endif
