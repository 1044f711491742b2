/* SPDX-License-Identifier: MIT */
#include "base/real.h"

#include <float.h>
#include <locale.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/tap.h"

struct row {
	double number;
	bool is_short;
	const char *text;
};

static const struct row rows[] = {
	{ 0, false, "0" },
	{ -0.0, false, "-0" },
	{ 1, false, "1" },
	{ 2.5, false, "2.5" },
	{ 0.1, false, "0.1" },
	{ -0.00001, false, "-0.00001" },
	{ 0.000001, false, "1E-06" },
	{ 1e15, false, "1000000000000000" },
	{ 1e16, false, "1E+16" },
	{ 123456789012, false, "123456789012" },
	{ 0.1 + 0.2, false, "0.30000000000000004" },
	{ 1.7976931348623157e308, false, "1.7976931348623157E+308" },
	{ 5e-324, false, "4.94065645841247E-324" },
	{ (double)0.1f, true, "0.1" },
	{ (double)16777216.0f, true, "16777216" },
	{ (double)3.4028235e38f, true, "3.4028235E+38" },
	{ INFINITY, false, "INF" },
	{ -INFINITY, true, "-INF" },
	{ NAN, false, "NAN" },
};

static void shortest_is_right(const char *where)
{
	char text[REAL_MAX + 1];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char *end = real_put(text, rows[i].number, rows[i].is_short);

		*end = '\0';
		ok(strcmp(text, rows[i].text) == 0 && end - text <= REAL_MAX, "a number reads as %s (%s)%s",
			rows[i].text, text, where);
	}
}

static const char *scientific(double number, unsigned n_decimals)
{
	static char text[REAL_MAX + 1];

	*real_put_scientific(text, number, n_decimals) = '\0';
	return text;
}

static void scientific_is_right(void)
{
	is_text(scientific(1, 4), "1.0000E+00", "one has a leading digit and zeros");
	is_text(scientific(-2.5, 4), "-2.5000E+00", "a minus stands in front");
	is_text(scientific(0, 8), "0.00000000E+00", "nothing has the power zero");
	is_text(scientific(-0.0, 0), "-0E+00",
		"without decimals there is no point, and nothing may have a minus");
	is_text(scientific(9.99996, 4), "1.0000E+01", "rounding may add a digit");
	is_text(scientific(DBL_MAX, 8), "1.79769313E+308", "the largest number has three digits of power");
	is_text(scientific(DBL_TRUE_MIN, 8), "4.94065646E-324", "so has the smallest");
	is_text(scientific(-INFINITY, 4), "-INF", "what is no number has a name");
}

/* Tests random bits, because all bits are a number. */
static bool all_read_back(unsigned n_numbers)
{
	uint64_t bits = 88172645463325252U;
	char text[REAL_MAX + 1];
	bool is_good = true;

	for (unsigned i = 0; i < n_numbers; i++) {
		double number;
		float single;

		bits ^= bits << 13;
		bits ^= bits >> 7;
		bits ^= bits << 17;
		memcpy(&number, &bits, sizeof(number));
		memcpy(&single, &bits, sizeof(single));
		*real_put(text, number, false) = '\0';
		is_good = is_good && (isnan(number) || strtod(text, NULL) == number);
		*real_put(text, (double)single, true) = '\0';
		is_good = is_good && (isnan(single) || strtof(text, NULL) == single);
	}
	return is_good;
}

/* Makes a locale whose decimal point is a comma, with the C library's own tool, and sets it. */
static bool enter_comma(char *folder)
{
	static const char source[] =
		"LC_NUMERIC\ndecimal_point \"<U002C>\"\nthousands_sep \"\"\ngrouping -1\n"
		"END LC_NUMERIC\n";
	char path[64], command[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/comma.src", folder);
	file = fopen(path, "w");
	if (!file || fputs(source, file) < 0 || fclose(file))
		return false;
	snprintf(command, sizeof(command), "localedef --no-archive -c -i %s %s/comma 2>%s/words", path,
		folder, folder);
	return WEXITSTATUS(system(command)) <= 1 && setenv("LOCPATH", folder, 1) == 0 &&
	       setlocale(LC_NUMERIC, "comma") != NULL;
}

/* Tests a program that calls setlocale(), as programs with windows do, and uses the library. */
static void locale_changes_nothing(void)
{
	char folder[] = "/tmp/real_test.XXXXXX", command[64], half[8];

	if (system("command -v localedef >/dev/null") != 0) {
		printf("# no localedef here, which makes a locale with a comma\n");
		return;
	}
	ok(mkdtemp(folder) && enter_comma(folder), "there is a locale of its own");
	snprintf(half, sizeof(half), "%.1f", 0.5);
	is_text(half, "0,5", "there the C library writes a comma");
	shortest_is_right(" where numbers have a comma");
	is_text(scientific(-2.5, 4), "-2.5000E+00", "with decimals there is a point, too");
	setlocale(LC_NUMERIC, "C");
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	ok(system(command) == 0, "the locale is gone");
}

int main(void)
{
	shortest_is_right("");
	scientific_is_right();
	ok(all_read_back(20000), "twenty thousand numbers of any bits read back as they were");
	locale_changes_nothing();
	return tap_done();
}
