/* SPDX-License-Identifier: MIT */
#include "model/clock.h"

#include "tests/tap.h"

enum { N_STAMPS_MAX = 8 };

struct run {
	const char *sentence;
	uint64_t modulus;
	bool is_down;
	unsigned n;
	uint64_t stamps[N_STAMPS_MAX], ticks[N_STAMPS_MAX];
	uint64_t n_back;
};

#define BIT24 ((uint64_t)1 << 24)
#define BIT32 ((uint64_t)1 << 32)
#define MAX   UINT64_MAX

static const struct run runs[] = {
	{ "the first stamp is its own time", BIT32, false, 1, { 7 }, { 7 }, 0 },
	{ "time may stand still", BIT32, false, 3, { 7, 7, 8 }, { 7, 7, 8 }, 0 },
	{ "so may the time of a counter of 64 bits", 0, false, 3, { 0, 0, 1 }, { 0, 0, 1 }, 0 },
	{ "a rising counter of 32 bits wraps", BIT32, false, 4, { 0xfffffff0, 0xffffffff, 0, 5 },
		{ 0xfffffff0, 0xffffffff, BIT32, BIT32 + 5 }, 0 },
	{ "it wraps again and again", BIT32, false, 4, { 0, 0xc0000000, 0x80000000, 0x40000000 },
		{ 0, 0xc0000000, 0x180000000, 0x240000000 }, 0 },
	{ "a falling counter rises in time", BIT32, true, 3, { 100, 90, 0 }, { 100, 110, 200 }, 0 },
	{ "a falling counter wraps at 0", BIT32, true, 3, { 1, 0, 0xffffffff }, { 1, 2, 3 }, 0 },
	{ "a step back of a falling counter is a small rise", BIT32, true, 3, { 100, 103, 90 },
		{ 100, 97, 110 }, 1 },
	{ "nanoseconds of the second wrap at 10^9", 1000000000, false, 3, { 999999999, 0, 1 },
		{ 999999999, 1000000000, 1000000001 }, 0 },
	{ "a step back of 3906249 of 10^9 is none round the second", 1000000000, false, 2,
		{ 500000000, 496093751 }, { 500000000, 496093751 }, 1 },
	{ "one more is", 1000000000, false, 2, { 500000000, 496093750 }, { 500000000, 1496093750 }, 0 },
	{ "a counter of 16 bits wraps up", 65536, false, 4, { 65535, 0, 65535, 65534 },
		{ 65535, 65536, 131071, 196606 }, 0 },
	{ "a counter of 16 bits wraps down", 65536, true, 4, { 0, 65535, 0, 1 }, { 0, 1, 65536, 131071 }, 0 },
	{ "one of 24 bits may step back by 65535", BIT24, false, 3, { 70000, 4465, 4466 },
		{ 70000, 4465, 4466 }, 1 },
	{ "but not by 65536", BIT24, false, 2, { 70000, 4464 }, { 70000, BIT24 + 4464 }, 0 },
	{ "one just below 24 bits may not step back", BIT24 - 1, false, 2, { 70000, 69999 },
		{ 70000, BIT24 - 1 + 69999 }, 0 },
	{ "a counter of 64 bits may step back", 0, false, 3, { 1000, 999, 2000 }, { 1000, 999, 2000 }, 1 },
	{ "a counter of 64 bits goes on at 2^64", 0, false, 2, { MAX, 3 }, { MAX, 3 }, 0 },
	{ "a falling counter of 64 bits rises in time", 0, true, 3, { 10, 4, 0 }, { 10, 16, 20 }, 0 },
	{ "a step back never goes below 0", BIT32, true, 2, { 5, 11 }, { 5, 0 }, 1 },
	{ "but may go to it", BIT32, true, 2, { 5, 10 }, { 5, 0 }, 1 },
	{ "a step back across the wrap is a step back", BIT32, false, 4, { 0xfffffffe, 1, 0xffffffff, 2 },
		{ 0xfffffffe, BIT32 + 1, BIT32 - 1, BIT32 + 2 }, 1 },
	{ "a modulus of 2 is the least", 2, false, 4, { 0, 1, 0, 0 }, { 0, 1, 2, 2 }, 0 },
};

static void check_runs(void)
{
	for (size_t i = 0; i < sizeof(runs) / sizeof(runs[0]); i++) {
		struct clock clock;
		bool is_right = true;

		clock_init(&clock, runs[i].modulus, runs[i].is_down);
		for (unsigned k = 0; k < runs[i].n; k++)
			is_right &= clock_ticks(&clock, runs[i].stamps[k]) == runs[i].ticks[k];
		ok(is_right && clock.n_back == runs[i].n_back, "%s", runs[i].sentence);
	}
}

static void check_units(void)
{
	static const struct {
		uint64_t ticks, hz, ns;
	} rows[] = {
		{ 0, 1, 0 },
		{ 1, 1, 1000000000 },
		{ 1, 3, 333333333 },
		{ MAX, 1000000000, MAX },
		{ MAX, 1, MAX },
		{ 18446744073, 1, 18446744073000000000U },
		{ 18446744074, 1, MAX },
		{ 168000000, 168000000, 1000000000 },
		{ 1, MAX, 0 },
		{ MAX, MAX, 1000000000 },
		{ MAX, 4000000000U, 4611686018427387903 },
		{ 999, 1000000000000U, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		ok(clock_ns(rows[i].ticks, rows[i].hz) == rows[i].ns, "%llu ticks at %llu Hz are %llu ns",
			(unsigned long long)rows[i].ticks, (unsigned long long)rows[i].hz,
			(unsigned long long)rows[i].ns);
	is_number(clock_ticks_of_ns(999999999, 1), 0, "a moment falls into the tick that has begun");
	is_number(clock_ticks_of_ns(1000000000, 1), 1, "and into the next one at its start");
	is_number(clock_ticks_of_ns(MAX, MAX), MAX, "more ticks than there are is the last one");
	is_number(clock_ticks_of_ns(MAX, 1000000000), MAX, "a clock of nanoseconds needs no scaling");
}

static void check_new_runs(void)
{
	struct run_clock shifted = { 0 };
	struct clock clock;

	clock_init(&clock, BIT32, false);
	clock_ticks(&clock, 900);
	clock_begin_run(&clock, 901);
	is_number(clock_ticks(&clock, 100), 901, "a new run begins where it is put, whatever its stamp");
	is_number(clock_ticks(&clock, 110), 911, "and goes on from there");
	ok(clock_is_behind(&clock, 100) && !clock_is_behind(&clock, 110) && !clock_is_behind(&clock, 111),
		"a stamp is behind the last one if it is nearer in front of it");
	ok(!clock_is_behind(&clock, 110 + BIT32 / 2) && clock_is_behind(&clock, 111 + BIT32 / 2),
		"half of the counter forward is no step back");
	is_number(run_clock_ticks(&shifted, 7), 7, "stamps of the first run are its time");
	run_clock_begin(&shifted, 1000);
	is_number(run_clock_ticks(&shifted, 50), 1000, "a clock of 64 bits begins anew, too");
	is_number(run_clock_ticks(&shifted, 45), 995, "its stamps may step back");
	is_number(run_clock_ticks(&shifted, MAX), MAX, "its time ends where time ends");
	run_clock_begin(&shifted, 10);
	run_clock_ticks(&shifted, 100);
	is_number(run_clock_ticks(&shifted, 0), 0, "and begins where time begins");
}

int main(void)
{
	check_runs();
	check_new_runs();
	check_units();
	return tap_done();
}
