/* SPDX-License-Identifier: MIT */
/*
 * Cuts bytes into tokens, one logical line at a time, in one pass. A table gives the class of each byte, and
 * each class has a function that cuts the token that begins with it. In expressions words are operands and
 * operators. A backslash directly before the end of a line is a blank wherever it stands ("trcfmt File
 * Format", AIX Files Reference).
 */
#include "template/syntax/parse.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"

enum class {
	CLASS_WORD,
	CLASS_BLANK,
	CLASS_LINE, /* its end */
	CLASS_QUOTE,
	CLASS_BACKQUOTE,
	CLASS_OPEN,
	CLASS_CLOSE,
	CLASS_COMMA,
	CLASS_DOLLAR,
	CLASS_BACKSLASH,
	N_CLASSES,

	CLASS_MASK = 15,
	IS_OPERATOR = 16,
};

static const uint8_t classes[256] = {
	['\t'] = CLASS_BLANK,
	['\r'] = CLASS_BLANK,
	['\v'] = CLASS_BLANK,
	['\f'] = CLASS_BLANK,
	[' '] = CLASS_BLANK,
	['\n'] = CLASS_LINE,
	['"'] = CLASS_QUOTE,
	['`'] = CLASS_BACKQUOTE,
	['{'] = CLASS_OPEN,
	['}'] = CLASS_CLOSE,
	[','] = CLASS_COMMA,
	['$'] = CLASS_DOLLAR,
	['\\'] = CLASS_BACKSLASH,
	['+'] = IS_OPERATOR,
	['-'] = IS_OPERATOR,
	['*'] = IS_OPERATOR,
	['/'] = IS_OPERATOR,
	['&'] = IS_OPERATOR,
	['('] = IS_OPERATOR,
	[')'] = IS_OPERATOR,
	['='] = IS_OPERATOR,
};

static inline uint8_t class_of(const char *at)
{
	return classes[(uint8_t)*at];
}

/* Whether a name may contain this byte: letters, digits, _. */
static inline bool lex_is_name(const char *at)
{
	return text_is_of_name(*at);
}

/* Bytes of a backslash at the end of a line, with the end of the line; 0: at is something else. */
static size_t continuation_bytes(const struct lexer *lexer, const char *at)
{
	size_t left = (size_t)(lexer->end - at);

	if (*at != '\\' || !left)
		return 0;
	if (left == 1)
		return 1;
	if (at[1] == '\n')
		return 2;
	return left > 2 && at[1] == '\r' && at[2] == '\n' ? 3 : 0;
}

/* --- tokens --------------------------------------------------------------------------------------------- */

/*
 * Adds the token that begins at `at`; its text is the bytes from text to text_end. Returns false if memory
 * ran out.
 */
static bool push_token(
	struct lexer *lexer, enum token_kind kind, const char *at, const char *text, const char *text_end)
{
	struct token *tokens =
		array_room(lexer->tokens, lexer->n_tokens, &lexer->room, sizeof(*lexer->tokens));

	if (!tokens) {
		lexer->has_no_memory = true;
		return false;
	}
	lexer->tokens = tokens;
	tokens[lexer->n_tokens++] = (struct token){
		.kind = kind,
		.is_spaced = lexer->is_spaced,
		.at = at,
		.text = { text, (size_t)(text_end - text) },
	};
	lexer->is_spaced = false;
	return true;
}

/* A token of the next n_bytes bytes, as they are. */
static bool push_bytes(struct lexer *lexer, enum token_kind kind, size_t n_bytes)
{
	const char *at = lexer->at;

	lexer->at += n_bytes;
	return push_token(lexer, kind, at, at, lexer->at);
}

static struct diag_location lexer_location(const struct lexer *lexer, const char *at)
{
	return (struct diag_location){ .file = lexer->file, .at = at, .key = lexer->key };
}

static bool fail_line(struct lexer *lexer, const char *number, const char *at, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

static bool fail_line(struct lexer *lexer, const char *number, const char *at, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	diag_add_list(lexer->diags, number, lexer_location(lexer, at), format, args);
	va_end(args);
	push_token(lexer, TOKEN_BAD, at, at, at);
	return false;
}

/* --- what both texts and expressions have --------------------------------------------------------------- */

/* The end of what is quoted, or NULL when the line ends first. */
static const char *find_quote(struct lexer *lexer, const char *at, char quote)
{
	bool has_directive = false;

	for (;; at++) {
		if (*at == quote)
			return at;
		if (*at == '\n' || at == lexer->end)
			return NULL;
		if (*at != '\\')
			continue;
		size_t n = continuation_bytes(lexer, at);

		if (n) {
			at += n - 1;
		} else if ((at[1] == quote || at[1] == '\\') && !continuation_bytes(lexer, at + 1)) {
			at++;
		} else if ((at[1] == 'n' || at[1] == 't') && !has_directive) {
			has_directive = true;
			diag_add(lexer->diags, "W04", lexer_location(lexer, at),
				"\\%c is printed as it stands within quotes; put it outside", at[1]);
		}
	}
}

static bool cut_quoted(struct lexer *lexer, char quote, enum token_kind kind)
{
	const char *at = lexer->at, *end = find_quote(lexer, at + 1, quote);

	if (!end)
		return fail_line(
			lexer, "T04", at, "the string that begins here is not closed with %c", quote);
	lexer->at = end + 1;
	return push_token(lexer, kind, at, at + 1, end);
}

static bool cut_string(struct lexer *lexer)
{
	return cut_quoted(lexer, '"', TOKEN_STRING);
}

static bool cut_backquote(struct lexer *lexer)
{
	return cut_quoted(lexer, '`', TOKEN_BACKQUOTE);
}

static bool cut_cast(struct lexer *lexer)
{
	const char *at = lexer->at, *text = at + 1;
	struct code code;
	size_t n_bytes;

	if (code_parse_cast(text, (size_t)(lexer->end - text), &code, &n_bytes) == CODE_NONE)
		return true;
	lexer->at = text + n_bytes;
	return push_token(lexer, TOKEN_CAST, at, text, lexer->at);
}

static bool cut_macro(struct lexer *lexer)
{
	const char *at = lexer->at, *end = at + 1;

	while (lex_is_name(end))
		end++;
	if (end == at + 1)
		return fail_line(lexer, "T12", at, "name expected after $; a $ to print is quoted");
	lexer->at = end;
	return push_token(lexer, TOKEN_MACRO, at, at + 1, end) && (*end != '%' || cut_cast(lexer));
}

static bool cut_comma(struct lexer *lexer)
{
	return push_bytes(lexer, TOKEN_COMMA, 1);
}

static bool cut_open(struct lexer *lexer)
{
	/* The first of three braces in a row opens a group: an expression cannot begin with a brace. */
	if (lexer->at[1] != '{' || lexer->at[2] == '{')
		return push_bytes(lexer, TOKEN_OPEN, 1);
	lexer->is_expression = true;
	lexer->n_parens = 0;
	return push_bytes(lexer, TOKEN_BEGIN, 2);
}

static bool cut_close(struct lexer *lexer)
{
	if (!lexer->is_expression || lexer->n_parens || lexer->at[1] != '}')
		return push_bytes(lexer, TOKEN_CLOSE, 1);
	lexer->is_expression = false;
	return push_bytes(lexer, TOKEN_FINISH, 2);
}

static bool cut_directive(struct lexer *lexer)
{
	static const struct {
		char letter;
		enum token_kind kind;
	} directives[] = { { 'n', TOKEN_NEWLINE }, { 't', TOKEN_TAB }, { '*', TOKEN_WILD } };
	const char *at = lexer->at;

	for (size_t i = 0; i < sizeof(directives) / sizeof(*directives); i++)
		if (at[1] == directives[i].letter)
			return push_bytes(lexer, directives[i].kind, 2);
	if ((class_of(at + 1) & CLASS_MASK) == CLASS_BLANK)
		return fail_line(lexer, "T09", at,
			"\\ stands alone; to continue on the next line nothing may stand behind it, no "
			"blanks either");
	return fail_line(lexer, "T09", at, "\\ is known only in \\n, \\t, \\* and at the end of a line");
}

/* --- texts ---------------------------------------------------------------------------------------------- */

static void skip_blanks(struct lexer *lexer)
{
	const char *at = lexer->at;

	for (;;) {
		size_t n = (class_of(at) & CLASS_MASK) == CLASS_BLANK ? 1 : continuation_bytes(lexer, at);

		if (!n)
			break;
		at += n;
	}
	lexer->is_spaced |= at > lexer->at;
	lexer->at = at;
}

/* A timer's word; its arguments are an expression that the matching parenthesis ends. */
static bool cut_timer(struct lexer *lexer, const char *word, size_t n_word)
{
	lexer->at = word + n_word;
	if (!push_token(lexer, TOKEN_TIMER, word, word, lexer->at))
		return false;
	skip_blanks(lexer);
	lexer->is_spaced = false;
	if (*lexer->at != '(') {
		lexer->n_tokens--;
		return fail_line(
			lexer, "T15", word, "%.*s needs two arguments in parentheses", (int)n_word, word);
	}
	lexer->at++;
	lexer->is_expression = true;
	lexer->n_parens = 1;
	return true;
}

/*
 * The length of the timer's word that the word begins with, up to a parenthesis or its end; 0 if it is
 * another.
 */
static size_t timer_bytes(const char *word, size_t n_word)
{
	static const char *const timers[] = { "starttimer", "endtimer" };

	for (size_t i = 0; i < sizeof(timers) / sizeof(*timers); i++) {
		size_t n = strlen(timers[i]);

		if (n_word >= n && memcmp(word, timers[i], n) == 0 && (n_word == n || word[n] == '('))
			return n;
	}
	return 0;
}

static bool cut_word(struct lexer *lexer)
{
	const char *word = lexer->at, *at = word;
	size_t n_timer;

	/* The NUL behind the file has the class of a word's bytes. */
	while ((class_of(at) & CLASS_MASK) == CLASS_WORD && at < lexer->end)
		at++;
	n_timer = *word == 's' || *word == 'e' ? timer_bytes(word, (size_t)(at - word)) : 0;
	return n_timer ? cut_timer(lexer, word, n_timer) : push_bytes(lexer, TOKEN_WORD, (size_t)(at - word));
}

/* --- expressions ---------------------------------------------------------------------------------------- */

static bool cut_operator(struct lexer *lexer)
{
	char sign = *lexer->at;

	if (lexer->n_parens && sign == '(')
		lexer->n_parens++;
	if (lexer->n_parens && sign == ')' && --lexer->n_parens == 0)
		lexer->is_expression = false;
	return push_bytes(lexer, TOKEN_OPERATOR, 1);
}

static bool is_number(const char *at, size_t n_bytes)
{
	bool is_hex = n_bytes > 2 && at[0] == '0' && (at[1] == 'x' || at[1] == 'X');

	for (size_t i = is_hex ? 2 : 0; i < n_bytes; i++)
		if (text_digit(at[i]) >= (is_hex ? 16U : 10U))
			return false;
	return true;
}

static bool cut_operand(struct lexer *lexer)
{
	const char *word = lexer->at, *at = word;
	size_t n_bytes;

	if (class_of(at) & IS_OPERATOR)
		return cut_operator(lexer);
	while (lex_is_name(at) || *at == '.')
		at++;
	n_bytes = at > word ? (size_t)(at - word) : 1;
	return push_bytes(lexer, is_number(word, n_bytes) ? TOKEN_NUMBER : TOKEN_WORD, n_bytes);
}

/* --- lines ---------------------------------------------------------------------------------------------- */

/* A word outside expressions is an operand or an operator in them; all other classes are the same in both. */
static bool cut_plain(struct lexer *lexer)
{
	return lexer->is_expression ? cut_operand(lexer) : cut_word(lexer);
}

static bool (*const cutters[N_CLASSES])(struct lexer *lexer) = {
	[CLASS_WORD] = cut_plain,
	[CLASS_QUOTE] = cut_string,
	[CLASS_BACKQUOTE] = cut_backquote,
	[CLASS_OPEN] = cut_open,
	[CLASS_CLOSE] = cut_close,
	[CLASS_COMMA] = cut_comma,
	[CLASS_DOLLAR] = cut_macro,
	[CLASS_BACKSLASH] = cut_directive,
};

/* Returns false if the rest of the line is to be passed over, for an error or for lack of memory. */
static bool cut_line(struct lexer *lexer)
{
	for (;;) {
		skip_blanks(lexer);
		if (lexer->at == lexer->end || *lexer->at == '\n')
			return push_bytes(lexer, TOKEN_END, 0);
		if (!cutters[class_of(lexer->at) & CLASS_MASK](lexer))
			return false;
		if (lexer->n_tokens == 1)
			lexer->key = lexer->tokens[0].text;
	}
}

/* The end of the physical line that at is in. */
static const char *find_newline(const struct lexer *lexer, const char *at)
{
	const char *newline = at < lexer->end ? memchr(at, '\n', (size_t)(lexer->end - at)) : NULL;

	return newline ? newline : lexer->end;
}

static bool is_continued(const struct lexer *lexer, const char *newline)
{
	if (newline > lexer->line && newline[-1] == '\r')
		newline--;
	return newline > lexer->line && newline[-1] == '\\';
}

static void skip_line(struct lexer *lexer)
{
	lexer->at = find_newline(lexer, lexer->at);
	while (lexer->at < lexer->end && is_continued(lexer, lexer->at))
		lexer->at = find_newline(lexer, lexer->at + 1);
}

/*
 * Comments stand only between logical lines (D34), and end with their line. Returns false at the end of the
 * file.
 */
static bool skip_comments(struct lexer *lexer)
{
	while (lexer->at < lexer->end && (*lexer->at == '#' || *lexer->at == '*' || *lexer->at == '\n')) {
		lexer->at = find_newline(lexer, lexer->at);
		lexer->at += lexer->at < lexer->end;
	}
	return lexer->at < lexer->end;
}

enum rst_status lexer_line(struct lexer *lexer)
{
	do {
		if (!skip_comments(lexer))
			return RST_END;
		lexer->line = lexer->at;
		lexer->key = (struct text){ NULL, 0 };
		lexer->n_tokens = 0;
		lexer->is_spaced = lexer->is_expression = lexer->has_no_memory = false;
		lexer->n_parens = 0;
		if (!cut_line(lexer))
			skip_line(lexer);
		if (lexer->has_no_memory)
			return RST_E_NOMEM;
		lexer->line_end = lexer->at;
		lexer->at += lexer->at < lexer->end;
	} while (lexer->tokens[0].kind == TOKEN_END);
	return RST_OK;
}

void lexer_init(struct lexer *lexer, const struct template_file *file, struct diags *diags)
{
	*lexer = (struct lexer){
		.file = file, .diags = diags, .at = file->text, .end = file->text + file->n_bytes
	};
}

void lexer_done(struct lexer *lexer)
{
	free(lexer->tokens);
	*lexer = (struct lexer){ 0 };
}
