/* SPDX-License-Identifier: MIT */
/*
 * Aggregates of questions that SQLite 3.40 does not have: percentile(x, p) and histogram(x). SQLite gives
 * each group of rows a state, and calls a function for each row and one at the end. percentile() keeps the
 * numbers in memory of SQLite, whose limit therefore holds for them. It does not sort them. It finds the
 * number of a rank byte by byte: eight passes need no further memory. histogram() needs one counter for each
 * power of two.
 */
#include "database/aggregates.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"

/*
 * SQLite hands a function only its own context, and sqlite3_user_data() leads from there to the database. The
 * library is opened late, so the linker does not know the address of that call. It is the same for all
 * databases of a process, and aggregates_add() keeps it here.
 */
static _Atomic(__typeof__(&sqlite3_user_data)) user_data;

static const struct sqlite *sqlite_of_call(sqlite3_context *context)
{
	return &((const struct database *)user_data(context))->sqlite;
}

static void aggregates_fail(const struct sqlite *sqlite, sqlite3_context *context, const char *what)
{
	sqlite->result_error(context, what, -1);
}

/* --- percentile() --------------------------------------------------------------------------------------- */

struct percentile {
	uint64_t *keys; /* memory of SQLite; unsigned numbers in the order of the group's numbers */
	size_t n, capacity;
	double p;
	bool is_real; /* one number is REAL, so all are */
};

static const uint64_t sign_bit = UINT64_C(1) << 63;

static uint64_t key_of_whole(int64_t number)
{
	return (uint64_t)number ^ sign_bit;
}

static int64_t whole_of_key(uint64_t key)
{
	return (int64_t)(key ^ sign_bit);
}

/* IEEE 754 orders the bits of numbers of one sign as the numbers. There is only one 0: -0.0 + 0.0 is 0.0. */
static uint64_t key_of_real(double number)
{
	uint64_t bits;

	number += 0.0;
	memcpy(&bits, &number, sizeof(bits));
	return bits & sign_bit ? ~bits : bits | sign_bit;
}

static double real_of_key(uint64_t key)
{
	const uint64_t bits = key & sign_bit ? key ^ sign_bit : ~key;
	double number;

	memcpy(&number, &bits, sizeof(number));
	return number;
}

enum { STEP = 1 << 17 }; /* by so many numbers the memory grows if there is not enough for twice as many */

static bool percentile_grow(const struct sqlite *sqlite, struct percentile *state, size_t capacity)
{
	uint64_t *keys = sqlite->realloc64(state->keys, capacity * sizeof(*keys));

	if (!keys)
		return false;
	state->keys = keys;
	state->capacity = capacity;
	return true;
}

static bool percentile_reserve(const struct sqlite *sqlite, struct percentile *state)
{
	return state->n < state->capacity ||
	       percentile_grow(sqlite, state, state->capacity ? 2 * state->capacity : 64) ||
	       percentile_grow(sqlite, state, state->capacity + STEP);
}

static void percentile_make_real(struct percentile *state)
{
	for (size_t i = 0; i < state->n && !state->is_real; i++)
		state->keys[i] = key_of_real((double)whole_of_key(state->keys[i]));
	state->is_real = true;
}

/* Returns NULL, or the reason for which the arguments are wrong. */
static const char *percentile_judge(
	const struct sqlite *sqlite, struct percentile *state, sqlite3_value **values)
{
	const int type = sqlite->value_type(values[1]);
	const double p = sqlite->value_double(values[1]);

	if ((type != SQLITE_INTEGER && type != SQLITE_FLOAT) || !(p >= 0 && p <= 100))
		return "percentile(x, p): p is a number from 0 to 100";
	if (state->n && state->p != p)
		return "percentile(x, p): p is the same for all rows of a group";
	state->p = p;
	return NULL;
}

static void percentile_step(sqlite3_context *context, int n_values, sqlite3_value **values)
{
	const struct sqlite *sqlite = sqlite_of_call(context);
	struct percentile *state = sqlite->aggregate_context(context, sizeof(*state));
	const int type = sqlite->value_type(values[0]);
	const char *why;

	(void)n_values;
	if (type == SQLITE_NULL)
		return;
	if (!state || !percentile_reserve(sqlite, state)) {
		sqlite->result_error_nomem(context);
		return;
	}
	why = percentile_judge(sqlite, state, values);
	if (!why && type != SQLITE_INTEGER && type != SQLITE_FLOAT)
		why = "percentile(x, p): x is a number";
	if (why) {
		aggregates_fail(sqlite, context, why);
		return;
	}
	if (type == SQLITE_FLOAT)
		percentile_make_real(state);
	if (state->is_real)
		state->keys[state->n++] = key_of_real(sqlite->value_double(values[0]));
	else
		state->keys[state->n++] = key_of_whole(sqlite->value_int64(values[0]));
}

/*
 * The key that `rank` others stand before. Each pass counts the next byte of the keys that have the bytes
 * found so far.
 */
static uint64_t percentile_select(const struct percentile *state, size_t rank)
{
	uint64_t found = 0, known = 0;

	for (int shift = 56; shift >= 0; shift -= 8) {
		size_t counts[256] = { 0 };
		unsigned byte = 0;

		for (size_t i = 0; i < state->n; i++)
			if ((state->keys[i] & known) == found)
				counts[state->keys[i] >> shift & 0xff]++;
		while (rank >= counts[byte])
			rank -= counts[byte++];
		found |= (uint64_t)byte << shift;
		known |= UINT64_C(0xff) << shift;
	}
	return found;
}

/* The nearest rank: the least number that p percent of all do not exceed. */
static void percentile_finish(sqlite3_context *context)
{
	const struct sqlite *sqlite = sqlite_of_call(context);
	struct percentile *state = sqlite->aggregate_context(context, 0);
	uint64_t key;
	size_t rank;

	if (!state || !state->n) {
		sqlite->result_null(context);
	} else {
		rank = (size_t)ceil(state->p * (double)state->n / 100);
		rank = rank < 1 ? 1 : rank > state->n ? state->n : rank;
		key = percentile_select(state, rank - 1);
		if (state->is_real)
			sqlite->result_double(context, real_of_key(key));
		else
			sqlite->result_int64(context, whole_of_key(key));
	}
	if (state)
		sqlite->free(state->keys);
}

/* --- histogram() ---------------------------------------------------------------------------------------- */

enum { BITS = 63 };

/* Range n > 0 has the numbers from 2^(n - 1) to 2^n - 1; range -n has the same below 0; range 0 has 0. */
struct powers {
	int64_t counts[2 * BITS + 1];
};

static int range_of(int64_t number)
{
	const uint64_t size = number < 0 ? -(uint64_t)number : (uint64_t)number;
	const int n = size ? 64 - __builtin_clzll(size) : 0;

	return number < 0 ? -n : n;
}

/* A real belongs to the range of the whole number below it. */
static bool whole_of(const struct sqlite *sqlite, sqlite3_value *value, int64_t *ret)
{
	const double real = floor(sqlite->value_double(value));
	const int type = sqlite->value_type(value);

	*ret = type == SQLITE_INTEGER ? sqlite->value_int64(value) : 0;
	if (type == SQLITE_FLOAT && fabs(real) < 9.2e18)
		*ret = (int64_t)real;
	else if (type != SQLITE_INTEGER)
		return false;
	return *ret != INT64_MIN;
}

static void histogram_step(sqlite3_context *context, int n_values, sqlite3_value **values)
{
	const struct sqlite *sqlite = sqlite_of_call(context);
	struct powers *state = sqlite->aggregate_context(context, sizeof(*state));
	int64_t number;

	(void)n_values;
	if (sqlite->value_type(values[0]) == SQLITE_NULL)
		return;
	if (!state)
		sqlite->result_error_nomem(context);
	else if (!whole_of(sqlite, values[0], &number))
		aggregates_fail(sqlite, context, "histogram(x): x is a number less than 2^63");
	else
		state->counts[BITS + range_of(number)]++;
}

static void range_put(struct json *json, int n, int64_t count)
{
	const int64_t least = n ? (int64_t)(UINT64_C(1) << (abs(n) - 1)) : 0;
	const int64_t most = n ? least + (least - 1) : 0;

	json_object(json, NULL);
	json_signed(json, "from", n < 0 ? -most : least);
	json_signed(json, "to", n < 0 ? -least : most);
	json_signed(json, "count", count);
	json_end(json);
}

static void histogram_finish(sqlite3_context *context)
{
	const struct sqlite *sqlite = sqlite_of_call(context);
	const struct powers *state = sqlite->aggregate_context(context, 0);
	struct outbuf out;
	struct json json = { .out = &out };

	if (!state) {
		sqlite->result_null(context);
		return;
	}
	if (!outbuf_init(&out, OUTBUF_MEMORY)) {
		sqlite->result_error_nomem(context);
		return;
	}
	json_array(&json, NULL);
	for (int n = -BITS; n <= BITS; n++)
		if (state->counts[BITS + n])
			range_put(&json, n, state->counts[BITS + n]);
	json_end(&json);
	if (out.error)
		sqlite->result_error_nomem(context);
	else
		sqlite->result_text(context, out.start, (int)(out.at - out.start), SQLITE_TRANSIENT);
	outbuf_done(&out);
}

/* --- all of them ---------------------------------------------------------------------------------------- */

static const struct aggregate {
	const char *name;
	int n_values;
	void (*step)(sqlite3_context *context, int n_values, sqlite3_value **values);
	void (*finish)(sqlite3_context *context);
} aggregates[] = {
	{ "percentile", 2, percentile_step, percentile_finish },
	{ "histogram", 1, histogram_step, histogram_finish },
};

enum rst_status aggregates_add(struct database *database, struct rst_error *err)
{
	const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;

	user_data = database->sqlite.user_data;
	for (size_t i = 0; i < sizeof(aggregates) / sizeof(aggregates[0]); i++)
		if (database->sqlite.create_function_v2(database->handle, aggregates[i].name,
			    aggregates[i].n_values, flags, database, NULL, aggregates[i].step,
			    aggregates[i].finish, NULL) != SQLITE_OK)
			return database_fault(database, err);
	return RST_OK;
}
