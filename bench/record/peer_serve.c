/* SPDX-License-Identifier: MIT */
/*
 * The code that the programs of peers share; record.h has their protocol with `rastrum bench record --peer`.
 */
#include "bench/record/record.h"

int record_peer_serve(const char *prefix, const struct record_row *rows,
	bool (*measure)(const struct record_row *row, uint64_t n_events, double *ret_ns))
{
	unsigned long long n_events;

	for (const struct record_row *row = rows; row->name; row++)
		printf("%s%s %u\n", prefix, row->name, row->n_bytes);
	printf("\n");
	fflush(stdout);
	while (scanf("%llu", &n_events) == 1) {
		for (const struct record_row *row = rows; row->name; row++) {
			double ns;

			if (!measure(row, n_events, &ns))
				return 1;
			printf("%.0f ", ns);
		}
		printf("\n");
		fflush(stdout);
	}
	return 0;
}
