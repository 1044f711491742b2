/* SPDX-License-Identifier: MIT */
/*
 * For callgrind: `NAME record N` makes a record N times, `NAME base N` only calls; without arguments it
 * prints the names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "embed/check/check.h"

volatile uint32_t check_ticks;

void check_report(const char *name, uint32_t number)
{
	(void)name, (void)number;
}

void check_write(const void *bytes, uint32_t n_bytes)
{
	(void)bytes, (void)n_bytes;
}

static void run(void (*step)(uint32_t i), uint32_t n_events)
{
	for (uint32_t i = 0; i < n_events; i++) {
		check_ticks += 100;
		step(i);
	}
}

int main(int n_arguments, char **arguments)
{
	check_start();
	for (const struct check_count *count = check_counts; count->name; count++) {
		if (n_arguments < 4)
			puts(count->name);
		else if (strcmp(arguments[1], count->name) == 0)
			run(strcmp(arguments[2], "base") == 0 ? count->base : count->record,
				(uint32_t)atoi(arguments[3]));
	}
	return 0;
}
