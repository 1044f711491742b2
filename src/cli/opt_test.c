/* SPDX-License-Identifier: MIT */
#include "cli/opt.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/tap.h"

enum { N_WORDS_MAX = 16 };

struct args {
	bool is_quiet, is_joined;
	const char *output;
	uint64_t limit;
	unsigned format;
	struct text_list types, settings;
};

static const char *const formats[] = { NULL, "text", "jsonl" };

static const struct opt own[] = {
	{ OPT_FLAG, 'q', "quiet", NULL, offsetof(struct args, is_quiet), .help = "say less" },
	{ OPT_TEXT, 'o', "output", "FILE", offsetof(struct args, output), .help = "write to FILE" },
	{ OPT_NUMBER, 'n', "limit", "N", offsetof(struct args, limit), .help = "stop after N" },
	{ OPT_CHOICE, 'f', "format", "text|jsonl|other", offsetof(struct args, format), .help = "how",
		.choices = formats, .n_choices = 3 },
	{ .kind = OPT_END },
};

static const struct opt common[] = {
	{ OPT_LIST, 't', "type", "LIST", offsetof(struct args, types), .help = "which" },
	{ OPT_PAIRS, 0, "opt", "KEY=VALUE", offsetof(struct args, settings), .help = "a setting" },
	{ OPT_FLAG, 'j', "join", NULL, offsetof(struct args, is_joined), .help = "as one" },
	{ .kind = OPT_END },
};

static const struct opt_group groups[] = { { .title = "Own", .opts = own },
	{ .title = "Common", .opts = common }, { .opts = NULL } };

/* Words and operands are written into one line each. */
struct parsed {
	struct args args;
	struct opt_parsed parsed;
	enum rst_status status;
	struct rst_error err;
	char operands[64];
	char text[256];
	char *words[N_WORDS_MAX];
};

static void parse(struct parsed *parsed, const char *line)
{
	int n_words = 0;
	char *rest = parsed->text;

	memset(parsed, 0, sizeof(*parsed));
	strncat(parsed->text, line, sizeof(parsed->text) - 1);
	while (*line && (parsed->words[n_words] = strsep(&rest, " ")) != NULL)
		n_words++;
	parsed->status = opt_parse(
		groups, false, &parsed->args, n_words, parsed->words, &parsed->parsed, &parsed->err);
	for (int i = 0; i < parsed->parsed.n_operands; i++)
		strcat(strcat(parsed->operands, i ? "|" : ""), parsed->words[i]);
}

static const char *joined(const struct text_list *list, char text[128])
{
	text[0] = '\0';
	for (size_t i = 0; i < list->n_items; i++)
		strcat(strcat(text, i ? "|" : ""), list->items[i]);
	return text;
}

static void check_operands(void)
{
	static const struct {
		const char *line, *operands;
	} rows[] = {
		{ "", "" },
		{ "a", "a" },
		{ "a -q b", "a|b" },
		{ "-", "-" },
		{ "-o - -", "-" },
		{ "--", "" },
		{ "-- -q --help --", "-q|--help|--" },
		{ "a -- -o b", "a|-o|b" },
		{ "-o -- a", "a" },
	};
	struct parsed parsed;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(&parsed, rows[i].line);
		ok(parsed.status == RST_OK && strcmp(parsed.operands, rows[i].operands) == 0,
			"the operands of '%s' are '%s'", rows[i].line, rows[i].operands);
		opt_done(groups, &parsed.args);
	}
}

static void check_values(void)
{
	static const char *const lines[] = { "-q -o out -n 5 -f jsonl -j", "-qjo out -n5 -fjsonl",
		"--quiet --join --output out --limit 5 --format jsonl",
		"--output=out --limit=0x5 --format=jsonl -jq", "--quie --jo --out out --l 5 --f=jsonl",
		"-n 9 -n 5 -f text -f jsonl -o x -o out -qqj" };
	static const char *const helps[] = { "-h", "-qh", "--h", "a --hel" };
	struct parsed parsed;

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		parse(&parsed, lines[i]);
		const struct args *args = &parsed.args;

		ok(parsed.status == RST_OK && args->is_quiet && args->is_joined && args->limit == 5 &&
				args->format == 2 && args->output && strcmp(args->output, "out") == 0,
			"'%s' means what the other spellings mean", lines[i]);
		opt_done(groups, &parsed.args);
	}
	parse(&parsed, "--output= --limit 18446744073709551615 -o");
	ok(parsed.status == RST_E_USAGE, "a letter at the end of the line lacks its value");
	parse(&parsed, "--output= --limit 18446744073709551615");
	ok(parsed.args.output && !parsed.args.output[0] && parsed.args.limit == UINT64_MAX,
		"a text may be empty, a number as large as it goes");
	parse(&parsed, "-o --help");
	ok(parsed.status == RST_OK && strcmp(parsed.args.output, "--help") == 0,
		"a value may look like an option");
	parse(&parsed, "-q --help --nonsense");
	ok(parsed.status == RST_END, "help is help, whatever follows");
	for (size_t i = 0; i < sizeof(helps) / sizeof(helps[0]); i++) {
		parse(&parsed, helps[i]);
		ok(parsed.status == RST_END, "'%s' asks for help", helps[i]);
	}
}

static void check_lists(void)
{
	static const struct {
		const char *line, *types, *settings;
	} rows[] = {
		{ "-t a", "a", "" },
		{ "-t a,b,c", "a|b|c", "" },
		{ "-ta --type=b,c", "a|b|c", "" },
		{ "-t ,a,,b,", "a|b", "" },
		{ "-t ,", "", "" },
		{ "--type=", "", "" },
		{ "--opt k=v", "", "k=v" },
		{ "--opt custom=a,b=c,d", "", "custom=a,b=c,d" },
		{ "--opt=k=v", "", "k=v" },
		{ "--opt k= --opt k==", "", "k=|k==" },
		{ "-t 1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17", "1|2|3|4|5|6|7|8|9|10|11|12|13|14|15|16|17",
			"" },
	};
	struct parsed parsed;
	char text[128];

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(&parsed, rows[i].line);
		is_text(joined(&parsed.args.types, text), rows[i].types, "a list is parted at its commas");
		is_text(joined(&parsed.args.settings, text), rows[i].settings,
			"a setting keeps commas and '='");
		opt_done(groups, &parsed.args);
	}
}

static void check_errors(void)
{
	static const struct {
		const char *line, *what;
	} rows[] = {
		{ "--nonsense", "there is no option '--nonsense'" },
		{ "--quiets", "there is no option '--quiets'" },
		{ "--o", "the option '--o' is ambiguous" },
		{ "--o=x", "the option '--o' is ambiguous" },
		{ "--=x", "there is no option '--=x'" },
		{ "-qx", "there is no option '-qx'" },
		{ "--quiet=yes", "--quiet takes no value ('yes')" },
		{ "--output", "--output needs a value: FILE" },
		{ "-qo", "--output needs a value: FILE" },
		{ "-n", "--limit needs a value: N" },
		{ "-n many", "--limit needs a number, not 'many'" },
		{ "--limit=", "--limit needs a number, not ''" },
		{ "-n -1", "--limit needs a number, not '-1'" },
		{ "-n 18446744073709551616", "--limit: 18446744073709551616 is too large, the largest number "
					     "is 18446744073709551615" },
		{ "-f xml", "--format cannot be 'xml'" },
		{ "-f=text", "--format cannot be '=text'" },
		{ "--opt k", "--opt needs key=value, not 'k'" },
		{ "--opt =v", "--opt needs key=value, not '=v'" },
		{ "--opt a=b --opt", "--opt needs a value: KEY=VALUE" },
	};
	struct parsed parsed;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(&parsed, rows[i].line);
		ok(parsed.status == RST_E_USAGE && parsed.err.status == RST_E_USAGE, "'%s' is refused",
			rows[i].line);
		is_text(parsed.err.what, rows[i].what, "and with the reason");
		opt_done(groups, &parsed.args);
	}
}

static void check_advice(void)
{
	static const struct {
		const char *line, *advice;
	} rows[] = {
		{ "-f xml", "it is one of text, jsonl" },
		{ "-f jsno", "it is one of text, jsonl" },
		{ "-f json", "did you mean jsonl?" },
		{ "--o", "it could be --output, --opt" },
		{ "--quiets", "did you mean --quiet?" },
		{ "--fromat=text", "did you mean --format?" },
		{ "-quite", "did you mean --quiet?" },
		{ "--hepl", "did you mean --help?" },
		{ "--mat", "did you mean --format?" },
		{ "--nonsense", "" },
		{ "--=x", "" },
		{ "-qx", "" },
	};
	struct parsed parsed;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(&parsed, rows[i].line);
		is_text(parsed.err.advice, rows[i].advice, rows[i].line);
		opt_done(groups, &parsed.args);
	}
}

/* So that a command can refuse those that are not for its subcommand. */
static void check_given(void)
{
	static const struct {
		const char *line, *first, *second;
	} rows[] = {
		{ "a b", NULL, NULL },
		{ "-q -n5", "limit", NULL },
		{ "--jo", NULL, "join" },
		{ "-qj -t x --quiet", "quiet", "type" },
	};
	struct parsed parsed;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		parse(&parsed, rows[i].line);
		const struct opt *const *given = parsed.parsed.given;

		is_text(given[0] ? given[0]->name : NULL, rows[i].first,
			"the last option of a group is known");
		is_text(given[1] ? given[1]->name : NULL, rows[i].second, "of each group");
		opt_done(groups, &parsed.args);
	}
}

static void check_no_memory(void)
{
	for (long n = 0;; n++) {
		struct parsed parsed;

		tap_fail_alloc_after(n);
		parse(&parsed, "-t a,b --opt k=v -t c");
		tap_fail_alloc_after(-1);
		ok(parsed.status == RST_E_NOMEM || parsed.args.types.n_items == 3,
			"after %ld allocations lists are whole or memory has run out", n);
		opt_done(groups, &parsed.args);
		if (parsed.status == RST_OK)
			break;
	}
}

int main(void)
{
	check_operands();
	check_values();
	check_lists();
	check_errors();
	check_advice();
	check_given();
	check_no_memory();
	return tap_done();
}
