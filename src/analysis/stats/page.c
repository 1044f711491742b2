/* SPDX-License-Identifier: MIT */
#include "analysis/stats/page.h"

#include <inttypes.h>

#include "analysis/stats/advice.h"
#include "model/clock.h"

/* --- head ----------------------------------------------------------------------------------------------- */

static const char *plural_end(uint64_t n)
{
	return n == 1 ? "" : "s";
}

static void put_window(const struct stats *stats, const struct table_output *output)
{
	const uint64_t ticks = stats->scan->to - stats->scan->from;
	char text[TEXT_DURATION_MAX + 1];

	if (output->times && output->times->hz) {
		*text_put_duration(text, clock_ns(ticks, output->times->hz)) = '\0';
		outbuf_printf(output->out, " in %s", text);
	} else {
		outbuf_printf(output->out, " in %" PRIu64 " ticks", ticks);
	}
}

static void put_losses(const struct overview *overview, struct outbuf *out)
{
	if (!overview->n_losses && !overview->n_damages)
		outbuf_puts(out, "nothing lost");
	if (overview->n_lost)
		outbuf_printf(out, "%s%" PRIu64 " event%s lost",
			overview->has_unknown_loss ? "at least " : "", overview->n_lost,
			plural_end(overview->n_lost));
	else if (overview->n_losses)
		outbuf_puts(out, "events lost");
	if (overview->n_losses)
		outbuf_printf(
			out, " in %" PRIu64 " place%s", overview->n_losses, plural_end(overview->n_losses));
	if (overview->n_damages)
		outbuf_printf(out, "%s%" PRIu64 " place%s damaged", overview->n_losses ? ", " : "",
			overview->n_damages, plural_end(overview->n_damages));
}

static void put_share(const char *what, double share, struct outbuf *out)
{
	if (share < 0.0005)
		outbuf_printf(out, "%s%s %%", what, share > 0 ? "<0.1" : "0");
	else
		outbuf_printf(out, "%s%.1f %%", what, share * 100);
}

/* Puts the unknown shares: first of all, a reader must be able to trust the figures of what ran. */
static void put_unknown(const struct stats *stats, struct outbuf *out)
{
	const double cores = stats_unknown(stats, BASIS_CORES), threads = stats_unknown(stats, BASIS_THREADS);

	if (cores >= 1 && threads >= 1) {
		outbuf_puts(out, "; what threads did is not known");
	} else if (cores > 0 || threads > 0) {
		if (stats->overview.n_cores)
			put_share("; unknown: cores ", cores, out);
		put_share(stats->overview.n_cores ? ", threads " : "; unknown: threads ", threads, out);
	}
}

void page_head(
	const struct stats *stats, const struct rst_metadata *metadata, const struct table_output *output)
{
	const struct overview *overview = &stats->overview;
	const size_t n_threads = stats->changes.n_known;
	const char *advice = advice_for(stats, metadata);
	struct outbuf *out = output->out;

	outbuf_puts(out, output->n_begun ? "\n" : "");
	outbuf_puts(out, output->has_color ? "\033[1m" : "");
	outbuf_clean(out, metadata->path);
	outbuf_puts(out, output->has_color ? "\033[0m" : "");
	outbuf_printf(out, " (%s): %" PRIu64 " event%s", metadata->dialect, overview->n_events,
		plural_end(overview->n_events));
	if (overview->n_events)
		put_window(stats, output);
	outbuf_puts(out, "\n");
	if (overview->n_cores)
		outbuf_printf(out, "%u core%s, ", overview->n_cores, plural_end(overview->n_cores));
	if (n_threads)
		outbuf_printf(out, "%zu thread%s; ", n_threads, plural_end(n_threads));
	put_losses(overview, out);
	if (overview->n_events)
		put_unknown(stats, out);
	outbuf_puts(out, "\n");
	if (advice)
		outbuf_printf(out, "to know more: %s\n", advice);
}

/* --- tables --------------------------------------------------------------------------------------------- */

enum { OTHER_ROWS = 3, HEAD_LINES = 3, TABLE_LINES = 2 /* a blank one, and the heading */, MORE_LINES = 2 };

struct page {
	struct table tables[ANALYSES_MAX];
	size_t n_tables;
	size_t n_worth[ANALYSES_MAX]; /* rows in front that are worth a line */
	size_t n_rows[ANALYSES_MAX];  /* shown; 0 if the table is not on the page */
	bool has_more;		      /* tables that are not */
	bool has_others;	      /* the tables of the page are empty: others take their place */
};

/* A figure other than zero among the first things to know. */
static bool row_is_worth(const struct table *table, const struct table_cell *row)
{
	for (size_t i = 0; i < table->n_columns; i++) {
		const struct table_column *column = &table->columns[i];
		const bool is_figure = !column->is_subject && !column->is_data && column->rank == 0 &&
				       column->type != CELL_WORD && column->type != CELL_NUMBER;

		if (is_figure && row[i].is_there && row[i].number)
			return true;
	}
	return false;
}

static void row_swap(struct table *table, size_t a, size_t b)
{
	struct table_cell *one = table->cells + a * table->n_columns,
			  *other = table->cells + b * table->n_columns;

	for (size_t i = 0; i < table->n_columns && a != b; i++) {
		const struct table_cell cell = one[i];

		one[i] = other[i];
		other[i] = cell;
	}
}

/* Returns how many rows are worth a line: idle threads and processes would take the lines of active ones. */
static size_t worth_to_front(struct table *table)
{
	size_t n_worth = 0;

	for (size_t row = 0; row < table->n_rows; row++)
		if (row_is_worth(table, table->cells + row * table->n_columns))
			row_swap(table, row, n_worth++);
	return n_worth ? n_worth : table->n_rows;
}

static size_t rows_wanted(const struct stats *stats, const struct page *page, size_t n)
{
	const size_t n_rows = page->n_worth[n],
		     n_most = page->has_others ? OTHER_ROWS : stats->analyses[n]->page_rows;

	return n_rows < n_most ? n_rows : n_most;
}

/* A recording of state machines, say, does not show that threads run. */
static bool is_without_usual(const struct stats *stats, const struct page *page)
{
	for (size_t n = 0; n < page->n_tables; n++)
		if (stats->analyses[n]->page_rows && page->tables[n].n_rows)
			return false;
	return true;
}

/* Each table gets a row while there is room; then the tables get more rows in turn. */
static void page_share(const struct stats *stats, size_t n_lines, struct page *page)
{
	size_t n_free = n_lines > HEAD_LINES + MORE_LINES ? n_lines - HEAD_LINES - MORE_LINES : 0;
	bool is_growing = true;

	for (size_t n = 0; n < page->n_tables; n++) {
		const bool fits = rows_wanted(stats, page, n) && n_free > TABLE_LINES;

		page->n_rows[n] = fits;
		n_free -= fits ? TABLE_LINES + 1 : 0;
		page->has_more |= !fits && page->tables[n].n_rows;
	}
	n_free += page->has_more ? 0 : MORE_LINES;
	while (is_growing) {
		is_growing = false;
		for (size_t n = 0; n < page->n_tables && n_free; n++)
			if (page->n_rows[n] && page->n_rows[n] < rows_wanted(stats, page, n)) {
				page->n_rows[n]++;
				n_free--;
				is_growing = true;
			}
	}
}

static void put_more(const struct page *page, struct outbuf *out)
{
	const char *between = "\nmore: --table ";

	for (size_t n = 0; n < page->n_tables; n++)
		if (page->tables[n].n_rows && !page->n_rows[n]) {
			outbuf_printf(out, "%s%s", between, page->tables[n].name);
			between = ",";
		}
	outbuf_puts(out, page->has_more ? "\n" : "");
}

static void tables_put(const struct page *page, const struct table_output *output)
{
	struct table_output part = *output;

	part.is_page = true;
	part.n_begun = 1;
	part.n_columns = output->n_columns ? output->n_columns : PAGE_COLUMNS;
	for (size_t n = 0; n < page->n_tables; n++) {
		part.n_rows_max = page->n_rows[n];
		if (part.n_rows_max)
			table_format_text.put(&part, &page->tables[n]);
	}
}

enum rst_status page_put(struct stats *stats, const struct rst_metadata *metadata,
	const struct table_output *output, unsigned n_lines, struct rst_error *err)
{
	struct page page = { .n_tables = 0 };
	enum rst_status status = RST_OK;

	while (page.n_tables < stats->n_analyses && status == RST_OK) {
		status = stats_table(stats, page.n_tables, &page.tables[page.n_tables], err);
		page.n_worth[page.n_tables] = worth_to_front(&page.tables[page.n_tables]);
		page.n_tables++;
	}
	if (status == RST_OK) {
		page.has_others = is_without_usual(stats, &page);
		page_share(stats, n_lines ? n_lines - 1 : PAGE_LINES - 1, &page);
		page_head(stats, metadata, output);
		tables_put(&page, output);
		put_more(&page, output->out);
	}
	for (size_t n = 0; n < page.n_tables; n++)
		table_done(&page.tables[n]);
	return status;
}
