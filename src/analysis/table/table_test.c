/* SPDX-License-Identifier: MIT */
#include "analysis/table/table.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/table/bars.h"
#include "analysis/table/format.h"
#include "analysis/table/histogram.h"
#include "tests/tap.h"

enum { NAME, RUNS, TIME, SHARE, AT, SPREAD, N_COLUMNS };

static const struct table_column columns[N_COLUMNS] = {
	[NAME] = { .name = "thread", .type = CELL_WORD, .is_subject = true },
	[RUNS] = { .name = "runs", .type = CELL_COUNT },
	[TIME] = { .name = "running", .type = CELL_TIME },
	[SHARE] = { .name = "share", .type = CELL_SHARE, .rank = 1 },
	[AT] = { .name = "at", .type = CELL_MOMENT, .rank = 2 },
	[SPREAD] = { .name = "spread", .type = CELL_HISTOGRAM, .rank = 2 },
};

static void row_add(struct table *table, const char *name, uint64_t runs, double share)
{
	struct table_cell *cells = table_row(table);

	cells[NAME] = cell_word(name);
	cells[RUNS] = cell_count(runs);
	cells[TIME] = cell_if(runs > 0, cell_time(runs * 1500));
	cells[SHARE] = cell_share(share, 1);
	cells[AT] = cell_moment(100 + runs);
}

/* The table as a format writes it, in memory. */
static char *text_of(
	const struct table *table, const struct table_format *format, uint64_t hz, unsigned n_columns)
{
	struct times times = { .hz = hz, .first = 100 };
	struct outbuf out;
	const struct table_output output = {
		.out = &out, .times = &times, .n_columns = n_columns, .rank_max = UINT8_MAX
	};
	char *text;

	outbuf_init(&out, OUTBUF_MEMORY);
	format->put(&output, table);
	text = strndup(out.start, (size_t)(out.at - out.start));
	outbuf_done(&out);
	return text;
}

static void is_written(const struct table *table, const struct table_format *format, uint64_t hz,
	unsigned n_columns, const char *wanted, const char *sentence)
{
	char *text = text_of(table, format, hz, n_columns);

	ok(strcmp(text, wanted) == 0, "%s", sentence);
	if (strcmp(text, wanted) != 0)
		printf("# %s\n", text);
	free(text);
}

static void check_sorting(struct table *table)
{
	ok(table_sort(table, 0, RUNS), "a table can be sorted");
	ok(table->cells[RUNS].number == 12 && table->cells[N_COLUMNS + RUNS].number == 3 &&
			table->cells[2 * N_COLUMNS + RUNS].number == 3,
		"by numbers, the largest first");
	ok(strcmp(table->cells[N_COLUMNS].text.bytes, "b,\"c\"") == 0, "equal rows stay in their order");
	table_sort(table, 1, NAME);
	ok(table->cells[RUNS].number == 12 && strcmp(table->cells[N_COLUMNS].text.bytes, "a") == 0,
		"from a row on; texts in their own order");
}

static void check_formats(struct table *table, struct histogram *histogram)
{
	histogram_add(histogram, 200, 1);
	histogram_add(histogram, 200, 2);
	table->cells[SPREAD] = cell_histogram(histogram);
	is_written(table, &table_format_json, 0, 0,
		"{\"table\":\"test\",\"columns\":[{\"name\":\"thread\",\"unit\":null},{\"name\":\"runs\","
		"\"unit\":"
		"null},"
		"{\"name\":\"running\",\"unit\":\"ticks\"},{\"name\":\"share\",\"unit\":\"%\"},{\"name\":"
		"\"at\","
		"\"unit\":\"ticks\"},{\"name\":\"spread\",\"unit\":\"ticks\"}],\"rows\":["
		"[\"z\",12,18000,75.0000,112,[[200,201,2]]],[\"a\",3,4500,0.0000,103,null],"
		"[\"b,\\\"c\\\"\",3,4500,12.5000,103,null],[\"d\",0,null,null,100,null]],"
		"\"window\":{\"from\":100,\"to\":900},\"unknown\":0.250000}\n",
		"JSON has the columns with their units, the rows, the window and what is not known");
	is_written(table, &table_format_csv, 1000000, 0,
		"table,thread,runs,running_ns,share_percent,at_ticks\n"
		"test,z,12,18000000,75.0000,112\n"
		"test,a,3,4500000,0.0000,103\n"
		"test,\"b,\"\"c\"\"\",3,4500000,12.5000,103\n"
		"test,d,0,,,100\n",
		"CSV has units behind the names, nanoseconds where the clock is known, and quotes where they "
		"are "
		"due");
	is_written(table, &table_format_text, 1000000, 30,
		"test   runs   running   share\n"
		"z        12  18.00 ms  75.0 %\n"
		"a         3  4.500 ms   0.0 %\n"
		"b,\"c\"     3  4.500 ms  12.5 %\n"
		"d         0\n"
		"(1 more column: a wider terminal, or --format csv)\n",
		"text aligns its columns, has times in the unit that suits them, and leaves out what does "
		"not fit");
}

/* Names, and parts of the window; the first two columns are leading. */
static void check_names(void)
{
	enum { FROM, CORE, WHO, ZERO };
	static const struct table_column of_names[] = { { .name = "from", .type = CELL_MOMENT },
		{ .name = "core", .type = CELL_WORD, .is_subject = true },
		{ .name = "thread", .type = CELL_WORD, .is_subject = true },
		{ .name = "lost", .type = CELL_COUNT, .rank = 1 } };
	struct table table = { .name = "names", .columns = of_names, .n_columns = 4, .n_leading = 1 };

	for (unsigned row = 0; row < 3; row++) {
		struct table_cell *cells = table_row(&table) - 1;

		cells[FROM] = cell_moment(row < 2 ? 7 : 8);
		cells[row ? WHO : CORE] =
			cell_word(row == 0   ? "2"
				  : row == 1 ? "a_name_that_is_longer_than_that"
					     : "\xC3\xA4\xC3\xB6\xC3\xBC_0123456789_\xC3\x9F");
		cells[ZERO] = cell_count(0);
	}
	is_written(&table, &table_format_text, 0, 48,
		"from  names\n"
		"   7  core 2\n"
		"      a_name_t..n_that\n"
		"   8  \xC3\xA4\xC3\xB6\xC3\xBC_0123456789_\xC3\x9F\n",
		"a number says what it numbers, long names lose their middle, a part stands once, zeros need "
		"no column");
	is_written(&table, &table_format_text, 0, 0,
		"from  names\n"
		"   7  core 2\n"
		"      a_name_that_is_longer_than_that\n"
		"   8  \xC3\xA4\xC3\xB6\xC3\xBC_0123456789_\xC3\x9F\n",
		"without a terminal's width, names are whole");
	table_done(&table);
}

/* Figures that the recording proves only in part. */
static void check_bounds(void)
{
	enum { WHO, RAN, PART, RATE, N };
	static const struct table_column bounded[N] = {
		{ .name = "thread", .type = CELL_WORD, .is_subject = true },
		{ .name = "ran", .type = CELL_TIME, .is_bounded = true },
		{ .name = "part", .type = CELL_SHARE, .is_bounded = true },
		{ .name = "rate", .type = CELL_REAL, .is_bounded = true }
	};
	struct table table = { .name = "bounds", .columns = bounded, .n_columns = N };
	static const struct {
		const char *who;
		uint64_t least, most;
	} rows[] = { { "all", 500, 500 }, { "some", 194, 352 }, { "near", 1994, 1998 },
		{ "alike", 100000, 100004 }, { "nothing", 0, 1000 } };

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct table_cell *cells = table_row(&table);

		cells[WHO] = cell_word(rows[i].who);
		cells[RAN] = cell_time_between(rows[i].least, rows[i].most);
		cells[PART] = cell_share_between((double)rows[i].least, (double)rows[i].most, 1000);
		cells[RATE] = cell_real_between((double)rows[i].least, (double)rows[i].most);
	}
	is_written(&table, &table_format_text, 1000000, 0,
		"bounds          ran           part      rate\n"
		"all        500.0 us         50.0 %       500\n"
		"some     \xe2\x89\xa5 194.0 us        19\xe2\x80\x93"
		"36 %     \xe2\x89\xa5 194\n"
		"near     \xe2\x89\xa5 1.994 ms  199.4\xe2\x80\x93"
		"199.8 %    \xe2\x89\xa5 1994\n"
		"alike      100.0 ms        10000 %  \xe2\x89\xa5 100000\n"
		"nothing         \xe2\x89\xa5 0        0\xe2\x80\x93"
		"100 %    \xe2\x89\xa5 0.00\n",
		"text has the least of a time and the range of a share, where they read otherwise than the "
		"most");
	is_written(&table, &table_format_csv, 0, 0,
		"table,thread,ran_ticks,ran_max_ticks,part_percent,part_max_percent,rate,rate_max\n"
		"bounds,all,500,500,50.0000,50.0000,500.000,500.000\n"
		"bounds,some,194,352,19.4000,35.2000,194.000,352.000\n"
		"bounds,near,1994,1998,199.4000,199.8000,1994.000,1998.000\n"
		"bounds,alike,100000,100004,10000.0000,10000.4000,100000.000,100004.000\n"
		"bounds,nothing,0,1000,0.0000,100.0000,0.000,1000.000\n",
		"CSV has both in two columns");
	table.n_rows = 2;
	table.n_cells = 2 * N;
	table.cells[N + PART] = table.cells[N + RATE] = (struct table_cell){ 0 };
	is_written(&table, &table_format_json, 0, 0,
		"{\"table\":\"bounds\",\"columns\":[{\"name\":\"thread\",\"unit\":null},{\"name\":\"ran\","
		"\"unit\":\"ticks\"},"
		"{\"name\":\"ran_max\",\"unit\":\"ticks\",\"most_of\":\"ran\"},{\"name\":\"part\",\"unit\":"
		"\"%\"},"
		"{\"name\":\"rate\",\"unit\":null}],\"rows\":[[\"all\",500,500,50.0000,500.000],[\"some\","
		"194,352,null,null]],"
		"\"window\":null,\"unknown\":null}\n",
		"JSON has the most of a column in which some row has one");
	table_done(&table);
}

static void bars_are(const struct histogram *histogram, uint64_t hz, const char *wanted, const char *sentence)
{
	struct table table = { .name = "test", .columns = columns, .n_columns = N_COLUMNS };
	const struct times times = { .hz = hz };
	struct outbuf out;
	const struct table_output output = { .out = &out, .times = &times, .n_columns = 36 };

	row_add(&table, "z", 1, 0);
	table.cells[SPREAD] = cell_histogram(histogram);
	outbuf_init(&out, OUTBUF_MEMORY);
	bars_put(&output, &table);
	*out.at = '\0';
	is_text(out.start, wanted, sentence);
	outbuf_done(&out);
	table_done(&table);
}

static void check_bars(void)
{
	struct histogram histogram = { 0 };

	histogram_add(&histogram, 7, 0);
	bars_are(&histogram, 0, "", "a histogram of one number is not drawn");
	histogram_add(&histogram, 5, 0);
	histogram_add(&histogram, 8, 0);
	histogram_add(&histogram, 41, 0);
	bars_are(&histogram, 0,
		"\nspread of z: 4\n"
		"          <= 5  ######        1\n"
		"         <= 10  ############  2\n"
		"         <= 20                0\n"
		"         <= 50  ######        1\n",
		"a bar has the numbers up to 1, 2, 5, 10, …");
	histogram_add(&histogram, 0, 0);
	histogram_add(&histogram, 3000000000, 0);
	bars_are(&histogram, 1000000000,
		"\nspread of z: 6\n"
		"             0  ####          1\n"
		"       <= 1 ns                0\n"
		"      <= 10 ns  ############  3\n"
		"     <= 100 ns  ####          1\n"
		"           ...\n"
		"       <= 10 s  ####          1\n",
		"where there are too many, up to powers of ten; many empty ones are one line");
	histogram_done(&histogram);
	histogram_add(&histogram, UINT64_MAX, 0);
	histogram_add(&histogram, UINT64_MAX, 0);
	bars_are(&histogram, 0,
		"\nspread of z: 2\n"
		"<= 18446744073709551615  ############  2\n",
		"the greatest number has a bar");
	histogram_done(&histogram);
}

int main(void)
{
	struct table table = { .name = "test",
		.columns = columns,
		.n_columns = N_COLUMNS,
		.from = 100,
		.to = 900,
		.has_window = true,
		.unknown = 0.25 };
	struct histogram histogram = { 0 };

	row_add(&table, "b,\"c\"", 3, 0.125);
	row_add(&table, "z", 12, 0.75);
	row_add(&table, "a", 3, 0);
	row_add(&table, "d", 0, 0);
	table.cells[3 * N_COLUMNS + SHARE] = cell_share(1, 0);
	check_sorting(&table);
	check_formats(&table, &histogram);
	check_names();
	check_bounds();
	check_bars();
	histogram_done(&histogram);
	table_done(&table);
	return tap_done();
}
