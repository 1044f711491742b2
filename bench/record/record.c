/* SPDX-License-Identifier: MIT */
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/record/record.h"

/* Programs that `make bench-peer` puts beside this one: the recorder as a shared library, and LTTng. */
static const char *const peer_names[] = { "bench_shared", "bench_lttng" };
enum { N_PEERS = sizeof(peer_names) / sizeof(peer_names[0]) };

struct table {
	struct bench_row rows[RECORD_ROWS_MAX];
	size_t n_rows;
	struct record_peer peers[N_PEERS];
	size_t n_peers;
};

static void add_own_rows(struct table *table)
{
	for (const struct record_row *row = record_rows; row->name; row++)
		table->rows[table->n_rows++] =
			(struct bench_row){ .name = row->name, .is_unit = row == record_rows };
}

static enum rst_status add_peers(struct table *table, struct rst_error *err)
{
	for (size_t i = 0; i < N_PEERS; i++) {
		struct record_peer *peer = &table->peers[table->n_peers];
		enum rst_status status = record_peer_start(peer, peer_names[i], err);

		if (status < 0)
			return status;
		if (status == RST_END)
			continue;
		table->n_peers++;
		for (unsigned row = 0; row < peer->n_rows && table->n_rows < RECORD_ROWS_MAX; row++)
			table->rows[table->n_rows++] = (struct bench_row){ .name = peer->rows[row].name };
	}
	if (table->n_peers > 0)
		return RST_OK;
	error_set(err, RST_E_UNSUPPORTED, RST_NO_OFFSET,
		"there is no peer beside this program to compare with");
	error_advise(err, "`make bench-peer` in the source tree builds them");
	return RST_E_UNSUPPORTED;
}

/* Every row once; a round that is not to be kept goes where the next one will be. */
static enum rst_status run_round(struct table *table, uint64_t n_events, unsigned run, struct rst_error *err)
{
	size_t n = 0;

	for (const struct record_row *row = record_rows; row->name; row++)
		if (!record_measure(row, n_events, &table->rows[n++].user_ns[run]))
			return error_set(
				err, RST_E_IO, RST_NO_OFFSET, "the measurement '%s' failed", row->name);
	for (size_t i = 0; i < table->n_peers; i++) {
		struct record_peer *peer = &table->peers[i];
		double ns[RECORD_ROWS_MAX];

		error_try(record_peer_round(peer, n_events, ns, err));
		for (unsigned row = 0; row < peer->n_rows && n < table->n_rows; row++)
			table->rows[n++].user_ns[run] = ns[row];
	}
	return RST_OK;
}

static void print_table(struct table *table, const struct record_options *options, FILE *out)
{
	size_t n = 0;

	for (const struct record_row *row = record_rows; row->name; row++)
		table->rows[n++].n_bytes = options->n_events * row->n_bytes;
	for (size_t i = 0; i < table->n_peers; i++)
		for (unsigned row = 0; row < table->peers[i].n_rows && n < table->n_rows; row++)
			table->rows[n++].n_bytes = options->n_events * table->peers[i].rows[row].n_bytes;
	bench_print(table->rows, table->n_rows, options->n_runs, options->n_events, out);
}

enum rst_status record_bench(const struct record_options *options, FILE *out, struct rst_error *err)
{
	struct table *table = calloc(1, sizeof(*table));
	enum rst_status status;

	if (!table)
		return error_nomem(err);
	add_own_rows(table);
	status = options->has_peers ? add_peers(table, err) : RST_OK;
	if (status == RST_OK)
		status = run_round(table, options->n_events, 0, err); /* memory and caches warm */
	for (unsigned run = 0; status == RST_OK && run < options->n_runs; run++)
		status = run_round(table, options->n_events, run, err);
	if (status == RST_OK)
		print_table(table, options, out);
	for (size_t i = 0; i < table->n_peers; i++)
		record_peer_end(&table->peers[i]);
	free(table);
	return status;
}
