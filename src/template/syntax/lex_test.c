/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "template/dump/dump.h"
#include "tests/tap.h"

/* The tokens of the first line, as "_WORD:text CODE:…", and the numbers of the diagnoses behind them. */
static const char *tokens_of_bytes(const char *text, size_t n_bytes)
{
	static char words[2000];
	struct diags diags = { 0 };
	struct template_file *file = template_file_of("test", text, n_bytes);
	struct lexer lexer;
	char *p = words;

	lexer_init(&lexer, file, &diags);
	*p = '\0';
	if (lexer_line(&lexer) == RST_OK)
		for (size_t i = 0; i < lexer.n_tokens; i++) {
			const struct token *token = &lexer.tokens[i];

			p += sprintf(p, "%s%s%s%s%.*s", i ? " " : "", token->is_spaced ? "_" : "",
				token_names[token->kind], token->text.n_bytes ? ":" : "",
				(int)token->text.n_bytes, token->text.bytes);
		}
	for (size_t i = 0; i < diags.n_items; i++)
		p += sprintf(p, " %s", diags.items[i].number);
	lexer_done(&lexer);
	diags_done(&diags);
	template_file_free(file);
	return words;
}

static const char *tokens_of(const char *text)
{
	return tokens_of_bytes(text, strlen(text));
}

static void check_words(void)
{
	is_text(tokens_of("010 1.0 L=KERN"), "WORD:010 _WORD:1.0 _WORD:L=KERN END",
		"words end at white space");
	is_text(tokens_of("a\"b\"c"), "WORD:a STRING:b WORD:c END", "words end at a quote");
	is_text(tokens_of("a{b}c,d"), "WORD:a OPEN:{ WORD:b CLOSE:} WORD:c COMMA:, WORD:d END",
		"words end at braces and commas");
	is_text(tokens_of("rv=$x"), "WORD:rv= MACRO:x END", "words end at a $");
	is_text(tokens_of("a`b`"), "WORD:a BACKQUOTE:b END", "words end at a backquote");
	is_text(tokens_of("a\\nb\\t\\*"), "WORD:a NEWLINE:\\n WORD:b TAB:\\t WILD:\\* END",
		"words end at a backslash");
	is_text(tokens_of("\xc3\xa9t\xc3\xa9"), "WORD:\xc3\xa9t\xc3\xa9 END", "words hold any other byte");
	is_number(strlen(tokens_of_bytes("a\0b", 3)), strlen("WORD:a END"), "a NUL is a byte of a word");
}

static void check_lines(void)
{
	is_text(tokens_of("# c\n* c\n\n \t\r\nx"), "WORD:x END", "comments and blank lines are passed over");
	is_text(tokens_of("a \\\nb"), "WORD:a _WORD:b END", "a backslash at the end of a line is a blank");
	is_text(tokens_of("a\\\nb"), "WORD:a _WORD:b END", "… also with nothing before it");
	is_text(tokens_of("a\\\r\nb\r\n"), "WORD:a _WORD:b _END", "lines may end in CR LF");
	is_text(tokens_of("a \\\n# b"), "WORD:a _WORD:# _WORD:b END", "a continued line holds no comments");
	is_text(tokens_of("a \\\n* b"), "WORD:a _WORD:* _WORD:b END", "… of either kind");
	is_text(tokens_of("# c \\\nx"), "WORD:x END", "a comment ends with its line");
	is_text(tokens_of("a \\"), "WORD:a _END", "the end of the file ends a continued line");
	is_text(tokens_of("\\\n\\\n\nx"), "WORD:x END", "a continued line of nothing is blank");
	is_text(tokens_of("a\\n\\\nb"), "WORD:a NEWLINE:\\n _WORD:b END",
		"\\n\\ is a new line and a continuation");
	is_text(tokens_of(""), "", "an empty file has no lines");
	is_text(tokens_of("\xef\xbb\xbf# c\nx"), "WORD:x END", "a byte order mark is no text");
}

static void check_strings(void)
{
	is_text(tokens_of("\"a  b\""), "STRING:a  b END", "a string holds what is between its quotes");
	is_text(tokens_of("\"\""), "STRING END", "… which may be nothing");
	is_text(tokens_of("\"a\\\"b\\\\\""), "STRING:a\\\"b\\\\ END", "\\\" and \\\\ do not end it");
	is_text(tokens_of("\"a\\qb\""), "STRING:a\\qb END", "any other backslash stays");
	is_text(tokens_of("\"a\\\nb\" c"), "STRING:a\\\nb _WORD:c END",
		"strings go on behind a continuation");
	is_text(tokens_of("\"a\\\\\nb\" c"), "STRING:a\\\\\nb _WORD:c END",
		"the last backslash of a line continues it, whatever stands before");
	is_text(tokens_of("\"a\nb\""), "BAD T04", "a string ends in its line");
	is_text(tokens_of("`a"), "BAD T04", "… and so does what is in backquotes");
	is_text(tokens_of("\"a\\\""), "BAD T04", "an escaped quote does not end it");
	is_text(tokens_of("\"a\\nb\\tc\""), "STRING:a\\nb\\tc END W04",
		"a directive within quotes is warned of, once");
	is_text(tokens_of("`a\\`b`"), "BACKQUOTE:a\\`b END", "\\` is escaped in backquotes");
	is_text(tokens_of("x \"a \\\n\"\n b"), "WORD:x _STRING:a \\\n END",
		"a string may end behind a continuation");
}

static void check_macros(void)
{
	is_text(tokens_of("$a$b_1"), "MACRO:a MACRO:b_1 END", "a macro's name ends where a name does");
	is_text(tokens_of("$a%X4"), "MACRO:a CAST:X4 END", "a cast stands right behind it");
	is_text(tokens_of("$a%D4ms"), "MACRO:a CAST:D4 WORD:ms END", "what follows a cast is text");
	is_text(tokens_of("$a%d"), "MACRO:a WORD:%d END", "a % without a code is text");
	is_text(tokens_of("$a %X4"), "MACRO:a _WORD:%X4 END", "… and so is one that stands apart");
	is_text(tokens_of("$a%X17"), "MACRO:a CAST:X17 END", "a bad width is the parser's");
	is_text(tokens_of("a $ b"), "WORD:a _BAD T12", "a $ needs a name");
	is_text(tokens_of("\\q"), "BAD T09", "an unknown directive is an error");
	is_text(tokens_of("a \\  \nb"), "WORD:a _BAD T09", "blanks behind the last backslash are an error");
}

static void check_expressions(void)
{
	is_text(tokens_of("{{ $a=X2+0x1F }}b"),
		"BEGIN:{{ _MACRO:a OPERATOR:= WORD:X2 OPERATOR:+ NUMBER:0x1F _FINISH:}} WORD:b END",
		"expressions have numbers and operators");
	is_text(tokens_of("{{ 12 1x 0x B0.5"), "BEGIN:{{ _NUMBER:12 _WORD:1x _WORD:0x _WORD:B0.5 END",
		"what is no number is a word");
	is_text(tokens_of("{a}} {{1}}}"),
		"OPEN:{ WORD:a CLOSE:} CLOSE:} _BEGIN:{{ NUMBER:1 FINISH:}} CLOSE:} END",
		"}} ends an expression only within one");
	is_text(tokens_of("{{{ $a }} }"), "OPEN:{ BEGIN:{{ _MACRO:a _FINISH:}} _CLOSE:} END",
		"three braces are a group that begins with an expression");
	is_text(tokens_of("endtimer(0x010,(1)) x"),
		"TIMER:endtimer NUMBER:0x010 COMMA:, OPERATOR:( NUMBER:1 OPERATOR:) OPERATOR:) _WORD:x END",
		"a timer's parentheses hold expressions");
	is_text(tokens_of("starttimer ( 1 )"), "TIMER:starttimer _NUMBER:1 _OPERATOR:) END",
		"blanks may stand before them");
	is_text(tokens_of("starttimer x"), "BAD T15", "a timer without them is an error");
	is_text(tokens_of("starttimers endtimer. xendtimer(1)"),
		"WORD:starttimers _WORD:endtimer. _WORD:xendtimer(1) END", "other words are text");
	is_text(tokens_of("{{ $a = \\\n 1 }}"), "BEGIN:{{ _MACRO:a _OPERATOR:= _NUMBER:1 _FINISH:}} END",
		"expressions go on behind a continuation");
}

/* After an error, the next logical line is cut as if nothing had been. */
static void check_recovery(void)
{
	static const char text[] = "a \\q \\\n b \\\r\n c\nx {{ $\ny\n";
	struct diags diags = { 0 };
	struct template_file *file = template_file_of("test", text, sizeof(text) - 1);
	struct lexer lexer;

	lexer_init(&lexer, file, &diags);
	ok(lexer_line(&lexer) == RST_OK && lexer.tokens[1].kind == TOKEN_BAD && lexer.line == file->text &&
			lexer.line_end == strstr(file->text, "\nx"),
		"a bad line is passed over with its continuations");
	ok(lexer_line(&lexer) == RST_OK && lexer.tokens[2].kind == TOKEN_BAD && *lexer.line == 'x',
		"and so is the next bad one");
	ok(lexer_line(&lexer) == RST_OK && lexer.n_tokens == 2 && lexer.tokens[0].kind == TOKEN_WORD,
		"a good line behind them is a good line");
	ok(lexer_line(&lexer) == RST_END && lexer_line(&lexer) == RST_END, "the end stays the end");
	is_number(diags.n_errors, 2, "each bad line has one diagnosis");
	lexer_done(&lexer);
	diags_done(&diags);
	template_file_free(file);
}

static void check_no_memory(void)
{
	static const char text[] = "a \"b\" $c \\q\n";
	struct template_file *file = template_file_of("test", text, sizeof(text) - 1);
	bool is_clean = true;
	long n = 0;

	for (;; n++) {
		struct diags diags = { 0 };
		struct lexer lexer;
		enum rst_status status;

		lexer_init(&lexer, file, &diags);
		tap_fail_alloc_after(n);
		status = lexer_line(&lexer);
		tap_fail_alloc_after(-1);
		is_clean &= status == RST_OK || status == RST_E_NOMEM;
		is_clean &= diags.n_errors == (status == RST_OK);
		lexer_done(&lexer);
		is_clean &= status != RST_OK || diags.has_no_memory == (diags.n_items == 0);
		diags_done(&diags);
		if (status == RST_OK && n > 1)
			break;
	}
	ok(is_clean && n == 2, "without memory for tokens or diagnoses, the lexer says so");
	template_file_free(file);
}

/* The dump of the pass, which goldens compare. */
static void check_dump(void)
{
	static const char text[] = "# c\n010 1.0 \"a\\\"\tb\"\n\n  x\n";
	struct template_file *file = template_file_of("test", text, sizeof(text) - 1);
	char *dump = NULL;
	size_t n_dump = 0;
	FILE *out = open_memstream(&dump, &n_dump);

	dump_lex(NULL, file, NULL, out);
	fclose(out);
	is_text(dump,
		"2:1 WORD \"010\"\n2:5 _WORD \"1.0\"\n2:9 _STRING \"a\\\\\\\"\\tb\"\n2:16 END\n\n"
		"4:3 _WORD \"x\"\n4:4 END\n\n",
		"the dump has a token on each line, with its position");
	free(dump);
	template_file_free(file);
}

int main(void)
{
	check_words();
	check_lines();
	check_strings();
	check_macros();
	check_expressions();
	check_recovery();
	check_no_memory();
	check_dump();
	return tap_done();
}
