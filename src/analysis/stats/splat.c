/* SPDX-License-Identifier: MIT */
#include "analysis/stats/splat.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/error.h"

enum { NAME_COLUMNS = 24 };

struct splat {
	struct outbuf *out;
	struct locks *locks;
	const struct splat_choice *choice;
	struct table names; /* owns the names of threads and locks */
	uint64_t hz;	    /* 0 if it is not known */
	double window;	    /* ticks */
};

/* --- figures -------------------------------------------------------------------------------------------- */

static double percent_of(double part, double whole)
{
	return whole > 0 ? 100 * part / whole : 0;
}

/* Seconds, or milliseconds, or ticks if the clock is not known. */
static void splat_put_bounded(
	const struct splat *splat, double ticks, double per_second, bool may_be_larger, unsigned width)
{
	put_least(splat->out, splat->hz ? ticks / (double)splat->hz * per_second : ticks, splat->hz ? 6 : 0,
		may_be_larger, width);
}

static void splat_put_time(const struct splat *splat, double ticks, double per_second, unsigned width)
{
	splat_put_bounded(splat, ticks, per_second, false, width);
}

static void put_rate(const struct splat *splat, uint64_t n, unsigned width)
{
	if (splat->hz && splat->window > 0)
		outbuf_printf(
			splat->out, "%*.3f", (int)width, (double)n / (splat->window / (double)splat->hz));
	else
		outbuf_printf(splat->out, "%*s", (int)width, "N/A");
}

static void put_rule(const struct splat *splat, char what)
{
	char rule[79];

	memset(rule, what, sizeof(rule));
	outbuf_printf(splat->out, "%.*s\n", (int)sizeof(rule), rule);
}

/* Not longer than its column. */
static void put_name(const struct splat *splat, const struct table_cell *cell, unsigned width)
{
	const struct text name = cell->is_there ? cell->text : (struct text){ "", 0 };
	const size_t n = text_fitting_bytes(name.bytes, name.n_bytes, width);

	if (outbuf_reserve(splat->out, n + width)) {
		splat->out->at = text_put(splat->out->at, name.bytes, n);
		splat->out->at = text_put_fill(splat->out->at, ' ', width - text_columns(name.bytes, n));
	}
}

static bool is_kind(const struct lock_record *lock, const char *kind)
{
	return lock->subject.entity.kind && strcmp(lock->subject.entity.kind, kind) == 0;
}

static double misses_of(const struct lock_record *lock)
{
	return percent_of((double)lock->figures.n_contended, (double)lock->figures.n_acquired);
}

/* The larger first; equal ones in the order of their first use. */
static int by_figures(double x, double y, const struct lock_record *a, const struct lock_record *b)
{
	if (x != y)
		return x < y ? 1 : -1;
	return a->number < b->number ? -1 : 1;
}

static int by_acquisitions(const void *a, const void *b)
{
	const struct lock_record *x = *(const struct lock_record *const *)a;
	const struct lock_record *y = *(const struct lock_record *const *)b;

	return by_figures((double)x->figures.n_acquired, (double)y->figures.n_acquired, x, y);
}

static int by_held(const void *a, const void *b)
{
	const struct lock_record *x = *(const struct lock_record *const *)a;
	const struct lock_record *y = *(const struct lock_record *const *)b;

	return by_figures((double)x->figures.holds.total, (double)y->figures.holds.total, x, y);
}

static int by_misses(const void *a, const void *b)
{
	const struct lock_record *x = *(const struct lock_record *const *)a;
	const struct lock_record *y = *(const struct lock_record *const *)b;

	return by_figures(misses_of(x), misses_of(y), x, y);
}

static int by_address(const void *a, const void *b)
{
	const struct lock_record *x = *(const struct lock_record *const *)a;
	const struct lock_record *y = *(const struct lock_record *const *)b;
	const uint64_t at = x->subject.entity.id, other = y->subject.entity.id;

	return at != other ? (at < other ? -1 : 1) : (x->number < y->number ? -1 : 1);
}

static const struct {
	int (*compare)(const void *a, const void *b);
	const char *name;
} orders[] = {
	[SPLAT_BY_ACQUISITIONS] = { by_acquisitions, "Acquisitions" },
	[SPLAT_BY_HELD] = { by_held, "Elapsed Hold Time" },
	[SPLAT_BY_ADDRESS] = { by_address, "Address" },
	[SPLAT_BY_MISSES] = { by_misses, "Miss Rate" },
};

static bool is_chosen(const struct splat *splat, const struct lock_record *lock)
{
	const struct splat_choice *choice = splat->choice;

	return (!choice->has_address || lock->subject.entity.id == choice->address) &&
	       (!choice->kind || is_kind(lock, choice->kind));
}

static const struct lock_record *lock_at(const struct splat *splat, size_t n)
{
	return (const struct lock_record *)splat->locks->locks.all[n];
}

/* --- summaries ------------------------------------------------------------------------------------------ */

struct sum {
	uint64_t n, n_acquired, n_contended;
	double waited;
};

static struct sum sum_of(const struct splat *splat, const char *kind)
{
	struct sum sum = { 0 };

	for (size_t i = 0; i < splat->locks->locks.n; i++) {
		const struct lock_record *lock = lock_at(splat, i);

		if (!is_chosen(splat, lock) || (kind && !is_kind(lock, kind)))
			continue;
		sum.n++;
		sum.n_acquired += lock->figures.n_acquired;
		sum.n_contended += lock->figures.n_contended;
		sum.waited += (double)lock->figures.waits.total;
	}
	return sum;
}

static void put_gross(const struct splat *splat)
{
	static const struct {
		const char *label, *kind;
	} rows[] = { { "All Locks:", NULL }, { "Mutex:", "mutex" }, { "RWLock:", "rwlock" } };

	put_rule(splat, '*');
	outbuf_printf(splat->out,
		"                     Total   Acquisitions   Acq. per Second   Total Wait %s\n"
		"                 ---------   ------------   ---------------   ----------------\n",
		splat->hz ? "(sec)" : "(ticks)");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct sum sum = sum_of(splat, rows[i].kind);

		outbuf_printf(splat->out, "%16s %9" PRIu64 "   %12" PRIu64 "   ", rows[i].label, sum.n,
			sum.n_acquired);
		put_rate(splat, sum.n_acquired, 15);
		outbuf_puts(splat->out, "   ");
		splat_put_bounded(splat, sum.waited, 1, sum.n && splat->locks->unknown, 16);
		outbuf_puts(splat->out, "\n");
	}
}

/* M: mutex, L: read-write lock, as the manual has them; others by their first letter. */
static char letter_of(const struct lock_record *lock)
{
	const char *kind = lock->subject.entity.kind;

	if (is_kind(lock, "rwlock"))
		return 'L';
	return kind && *kind >= 'a' && *kind <= 'z' ? (char)(*kind - 'a' + 'A') : '-';
}

static bool put_locks(struct splat *splat)
{
	const struct sum all = sum_of(splat, NULL);

	put_rule(splat, '*');
	outbuf_printf(splat->out,
		"Summary sorted by %s:\n\n"
		"                        T   Acqui-                             Locks    Percent\n"
		"%-24sp  sitions   Waits    %%Miss   %%Total     / Sec   Elapsed\n",
		orders[splat->choice->order].name, "Lock Names, or Address");
	outbuf_puts(splat->out,
		"**********************  * ******** ******* ******** ******** ********* *********\n");
	for (size_t i = 0, n = 0; i < splat->locks->locks.n && n < splat->choice->n_max; i++) {
		const struct lock_record *lock = lock_at(splat, i);
		const struct lock_figures *figures = &lock->figures;
		struct table_cell name;

		if (!is_chosen(splat, lock))
			continue;
		n++;
		if (!subject_name(&splat->locks->locks, &lock->subject, &splat->names, &name))
			return false;
		put_name(splat, &name, NAME_COLUMNS - 2);
		outbuf_printf(splat->out, "  %c %8" PRIu64 " %7" PRIu64 " %8.4f %8.4f ", letter_of(lock),
			figures->n_acquired, figures->n_contended,
			percent_of((double)figures->n_contended, (double)figures->n_acquired),
			percent_of((double)figures->n_acquired, (double)all.n_acquired));
		put_rate(splat, figures->n_acquired, 9);
		outbuf_puts(splat->out, " ");
		put_least(splat->out, percent_of((double)figures->holds.total, splat->window), 4,
			lock->unknown, 9);
		outbuf_puts(splat->out, "\n");
	}
	return true;
}

/* --- details -------------------------------------------------------------------------------------------- */

static void put_activity(
	const struct splat *splat, const char *state, const struct lengths *lengths, bool may_be_larger)
{
	const struct histogram *histogram = &lengths->histogram;

	outbuf_printf(splat->out, "  %-8s %8" PRIu64, state, histogram->n);
	splat_put_time(splat, histogram->n ? (double)histogram->least : 0, 1000, 15);
	splat_put_bounded(splat, (double)histogram->most, 1000, may_be_larger, 15);
	splat_put_time(splat, histogram_mean(histogram), 1000, 15);
	splat_put_bounded(splat, (double)histogram->sum, 1000, may_be_larger, 15);
	outbuf_puts(splat->out, "\n");
}

static bool splat_put_threads(struct splat *splat, const struct lock_record *lock)
{
	const struct lock_pair *pair = lock->first_pair;

	outbuf_puts(splat->out,
		"\n                           Acqui-    Miss    Wait  Percent Held of Total Time\n"
		" Thread                   sitions    Rate   Count     Elapse          Wait\n"
		" ~~~~~~~~~~~~~~~~~~~~~~  ~~~~~~~~  ~~~~~~  ~~~~~~     ~~~~~~        ~~~~~~\n");
	for (size_t n = 0; pair && n < splat->choice->n_max; pair = pair->next, n++) {
		const struct lock_figures *figures = &pair->figures;
		struct table_cell name;

		if (!entity_name(&pair->thread, &splat->names, &name))
			return false;
		outbuf_puts(splat->out, " ");
		put_name(splat, &name, 22);
		outbuf_printf(splat->out, "  %8" PRIu64 "  %6.2f  %6" PRIu64 "     %6.2f        %6.2f\n",
			figures->n_acquired,
			percent_of((double)figures->n_contended, (double)figures->n_acquired),
			figures->n_contended, percent_of((double)figures->holds.total, splat->window),
			percent_of((double)figures->waits.total, splat->window));
	}
	return true;
}

static bool splat_put_detail(struct splat *splat, const struct lock_record *lock)
{
	const struct lock_figures *figures = &lock->figures;
	const char *unit = splat->hz ? "mSecs" : "ticks";
	struct table_cell name;

	if (!subject_name(&splat->locks->locks, &lock->subject, &splat->names, &name))
		return false;
	outbuf_printf(splat->out, "\n[%s]  NAME: %.*s  ADDRESS: %016" PRIx64 "\n",
		lock->subject.entity.kind ? lock->subject.entity.kind : "lock",
		name.is_there ? (int)name.text.n_bytes : 0, name.is_there ? name.text.bytes : "",
		lock->subject.entity.id);
	put_rule(splat, '=');
	outbuf_printf(splat->out,
		"  Acqui- |    Miss     Wait |  %-13s|  Percent Held\n"
		" sitions |    Rate    Count |       Elapsed |  Elapsed     Wait\n",
		splat->hz ? "Secs Held" : "Ticks Held");
	outbuf_printf(splat->out, "%8" PRIu64 " | %7.3f %8" PRIu64 " |", figures->n_acquired,
		percent_of((double)figures->n_contended, (double)figures->n_acquired), figures->n_contended);
	splat_put_bounded(splat, (double)figures->holds.total, 1, lock->unknown, 14);
	outbuf_puts(splat->out, " | ");
	put_least(splat->out, percent_of((double)figures->holds.total, splat->window), 2, lock->unknown, 8);
	outbuf_puts(splat->out, " ");
	put_least(splat->out, percent_of((double)figures->waits.total, splat->window), 2,
		splat->locks->unknown, 8);
	outbuf_puts(splat->out, "\n");
	put_rule(splat, '-');
	outbuf_printf(splat->out,
		"                         Lock Activity (%s)\n\n"
		"              Count        Minimum        Maximum        Average          Total\n"
		"  +++++++  ++++++++ ++++++++++++++ ++++++++++++++ ++++++++++++++ ++++++++++++++\n",
		unit);
	put_activity(splat, "LOCK", &figures->holds, lock->unknown);
	put_activity(splat, "WAIT", &figures->waits, splat->locks->unknown);
	if (lock->unknown) {
		outbuf_puts(splat->out, "\n  owner not known: ");
		splat_put_time(splat, (double)lock->unknown, 1000, 0);
		outbuf_printf(splat->out, " %s\n", unit);
	}
	return !splat->choice->has_threads || splat_put_threads(splat, lock);
}

/* --- the report ----------------------------------------------------------------------------------------- */

static bool may_be_larger(const struct splat *splat)
{
	bool is_unknown = splat->locks->unknown;

	for (size_t i = 0; i < splat->locks->locks.n && !is_unknown; i++)
		is_unknown = lock_at(splat, i)->unknown;
	return is_unknown;
}

static void splat_put_head(
	const struct splat *splat, const struct scan *scan, const struct table_output *output)
{
	const struct rst_metadata *metadata = rst_trace_metadata(scan->trace);

	outbuf_printf(
		splat->out, "%srastrum splat: lock usage\n\nTrace file name: ", output->n_begun ? "\n" : "");
	outbuf_clean(splat->out, metadata->path);
	outbuf_printf(splat->out,
		"\nDialect: %s\nEvents: %" PRIu64 "\nElapsed time (%s): ", metadata->dialect,
		scan->n_selected, splat->hz ? "sec" : "ticks");
	splat_put_time(splat, splat->window, 1, 0);
	outbuf_puts(splat->out, "\n");
	if (splat->locks->locks.n && may_be_larger(splat))
		outbuf_puts(splat->out,
			"A figure with \xe2\x89\xa5 may be larger: the recording does not tell all.\n");
	if (scan->n_rows_lost)
		outbuf_printf(splat->out, "Losses and damaged places: %" PRIu64 "\n", scan->n_rows_lost);
	outbuf_puts(splat->out, "\n");
}

enum rst_status splat_put(struct locks *locks, const struct scan *scan, const struct splat_choice *choice,
	const struct table_output *output, struct rst_error *err)
{
	struct splat splat = { .out = output->out,
		.locks = locks,
		.choice = choice,
		.hz = output->times ? output->times->hz : 0,
		.window = scan->is_started ? (double)(scan->to - scan->from) : 0 };
	bool is_done = true;

	if (locks->locks.n)
		qsort(locks->locks.all, locks->locks.n, sizeof(*locks->locks.all),
			orders[choice->order].compare);
	splat_put_head(&splat, scan, output);
	put_gross(&splat);
	if (locks->locks.n)
		is_done = put_locks(&splat);
	put_rule(&splat, '*');
	for (size_t i = 0, n = 0; i < locks->locks.n && n < choice->n_max && is_done; i++)
		if (is_chosen(&splat, lock_at(&splat, i))) {
			is_done = splat_put_detail(&splat, lock_at(&splat, i));
			n++;
		}
	table_done(&splat.names);
	return is_done ? RST_OK : error_nomem(err);
}
