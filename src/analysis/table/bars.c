/* SPDX-License-Identifier: MIT */
#include "analysis/table/bars.h"

#include "analysis/table/histogram.h"

/* The first bar ends at 0, and the next ones at 1, 2 and 5 times each power of ten, in the unit. */
enum {
	STEPS = 3, /* in a power of ten */
	BARS_MAX = 1 + STEPS * 20,
	BARS_SHOWN_MAX = 15, /* beyond, a bar for each power of ten */
	ROWS_MAX = 4,
	EMPTY_MAX = 3, /* in a row; more are one line */
	WIDTH = 72,
	COUNT_ROOM = 24,
	BAR_MAX = 128
};

struct bars {
	uint64_t counts[BARS_MAX];
	size_t first, last; /* that have a count */
	uint64_t most;
};

static uint64_t bar_end(size_t bar)
{
	static const unsigned steps[STEPS] = { 1, 2, 5 };
	uint64_t end = 1;

	if (!bar)
		return 0;
	for (size_t n = 0; n < (bar - 1) / STEPS; n++)
		end *= 10;
	/* The last power of ten below 2^64 has one step. */
	return bar + 2 >= BARS_MAX ? UINT64_MAX : end * steps[(bar - 1) % STEPS];
}

static size_t bar_of(uint64_t number)
{
	size_t bar = 0;

	while (bar + 1 < BARS_MAX && bar_end(bar) < number)
		bar++;
	return bar;
}

static void bars_count(
	const struct table_output *output, const struct histogram *histogram, struct bars *bars)
{
	struct histogram_range range;

	bars->first = bar_of(time_in_unit(output, histogram->least));
	for (size_t position = 0; histogram_next(histogram, &position, &range);) {
		uint64_t number = range.from + (range.to - range.from) / 2;

		number = number < histogram->least ? histogram->least : number;
		number = number > histogram->most ? histogram->most : number;
		bars->last = bar_of(time_in_unit(output, number));
		bars->counts[bars->last] += range.n;
	}
}

/* Joins the bars of a power of ten into the bar that ends at the next power. */
static void bars_join(struct bars *bars)
{
	for (size_t bar = 1; bar < BARS_MAX; bar++) {
		const size_t into = (bar + STEPS - 2) / STEPS * STEPS + 1;

		if (into == bar || into >= BARS_MAX)
			continue;
		bars->counts[into] += bars->counts[bar];
		bars->counts[bar] = 0;
	}
	bars->first = bars->first ? (bars->first + STEPS - 2) / STEPS * STEPS + 1 : 0;
	bars->last = bars->last ? (bars->last + STEPS - 2) / STEPS * STEPS + 1 : 0;
	if (bars->last >= BARS_MAX)
		bars->last = BARS_MAX - 1;
}

static char *put_end(char *p, const struct table_output *output, size_t bar)
{
	const uint64_t end = bar_end(bar);

	if (!bar)
		return text_put_literal(p, "0");
	p = text_put_literal(p, "<= ");
	if (output->times && output->times->hz && end <= INT64_MAX)
		return text_put_duration(p, end);
	return text_put_dec(p, end);
}

static void put_bar(const struct table_output *output, const struct bars *bars, size_t bar, unsigned width)
{
	const uint64_t n = bars->counts[bar];
	const size_t length = (size_t)((double)n / (double)bars->most * width);
	char label[64], line[BAR_MAX + 1];

	*put_end(label, output, bar) = '\0';
	memset(line, '#', sizeof(line));
	outbuf_printf(output->out, "%14s  %-*.*s  %llu\n", label, (int)width,
		(int)(n && !length ? 1 : length), line, (unsigned long long)n);
}

static size_t next_bar(size_t bar, size_t step)
{
	return bar + (bar ? step : 1);
}

/*
 * Finds the first bar with a count after more than EMPTY_MAX empty bars. Returns 0 if fewer empty bars begin
 * here.
 */
static size_t empty_end(const struct bars *bars, size_t bar, size_t step)
{
	size_t n = 0;

	for (; bar < bars->last && !bars->counts[bar]; n++)
		bar = next_bar(bar, step);
	return n > EMPTY_MAX ? bar : 0;
}

static void put_bars(const struct table_output *output, const struct histogram *histogram)
{
	const unsigned n_columns = output->n_columns ? output->n_columns : 80;
	const unsigned room = n_columns > COUNT_ROOM + 8 ? n_columns - COUNT_ROOM : 8;
	const unsigned width = room > BAR_MAX ? BAR_MAX : room;
	struct bars bars = { .most = 1 };
	size_t step = 1;

	bars_count(output, histogram, &bars);
	if (bars.last - bars.first >= BARS_SHOWN_MAX) {
		bars_join(&bars);
		step = STEPS;
	}
	for (size_t bar = bars.first; bar <= bars.last; bar++)
		bars.most = bars.counts[bar] > bars.most ? bars.counts[bar] : bars.most;
	for (size_t bar = bars.first; bar <= bars.last; bar = next_bar(bar, step)) {
		const size_t after = empty_end(&bars, bar, step);

		if (after) {
			outbuf_printf(output->out, "%14s\n", "...");
			bar = after;
		}
		put_bar(output, &bars, bar, width);
	}
}

/* Writes the last of a row's subjects. A name that begins with a digit has its kind in front: "core 0". */
static void put_subject(struct outbuf *out, const struct table *table, const struct table_cell *row)
{
	const char *kind = "";
	struct text text = { "", 0 };

	for (size_t i = 0; i < table->n_columns; i++)
		if (table->columns[i].is_subject && row[i].is_there) {
			text = row[i].text;
			kind = table->columns[i].name;
		}
	if (text.n_bytes && text_is_digit(*text.bytes))
		outbuf_printf(out, "%s ", kind);
	outbuf_printf(out, "%.*s", (int)text.n_bytes, text.bytes);
}

static void put_column(const struct table_output *output, const struct table *table, size_t column)
{
	size_t n_drawn = 0;

	for (size_t i = 0; i < table->n_rows && n_drawn < ROWS_MAX; i++) {
		const struct table_cell *row = table->cells + i * table->n_columns;

		if (!row[column].is_there || row[column].histogram->n < 2)
			continue;
		n_drawn++;
		outbuf_printf(output->out, "\n%s%s of ", output->has_color ? "\033[1m" : "",
			table->columns[column].name);
		put_subject(output->out, table, row);
		outbuf_printf(output->out, ": %llu%s\n", (unsigned long long)row[column].histogram->n,
			output->has_color ? "\033[0m" : "");
		put_bars(output, row[column].histogram);
	}
}

void bars_put(const struct table_output *output, const struct table *table)
{
	for (size_t column = 0; column < table->n_columns; column++)
		if (table->columns[column].type == CELL_HISTOGRAM)
			put_column(output, table, column);
}
