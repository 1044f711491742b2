/* SPDX-License-Identifier: MIT */
#include "template/dump/dump.h"

#include <inttypes.h>
#include <string.h>

/* --- tokens --------------------------------------------------------------------------------------------- */

/* A dumped file may be one that no compiler would accept: bytes that are not printable UTF-8 become \xNN. */
void dump_text(struct text text, FILE *out)
{
	const char *at = text.bytes, *end = at + text.n_bytes;

	putc('"', out);
	while (at < end) {
		const char *mark = at;

		while (mark < end && !memchr("\"\\\n\t", *mark, 4))
			mark++;
		diag_print_bytes(at, (size_t)(mark - at), out);
		if (mark < end)
			fprintf(out, "\\%c", *mark == '\n' ? 'n' : *mark == '\t' ? 't' : *mark);
		at = mark + 1;
	}
	putc('"', out);
}

const char *const token_names[N_TOKEN_KINDS] = {
	[TOKEN_END] = "END",
	[TOKEN_WORD] = "WORD",
	[TOKEN_STRING] = "STRING",
	[TOKEN_BACKQUOTE] = "BACKQUOTE",
	[TOKEN_MACRO] = "MACRO",
	[TOKEN_CAST] = "CAST",
	[TOKEN_COMMA] = "COMMA",
	[TOKEN_OPEN] = "OPEN",
	[TOKEN_CLOSE] = "CLOSE",
	[TOKEN_NEWLINE] = "NEWLINE",
	[TOKEN_TAB] = "TAB",
	[TOKEN_WILD] = "WILD",
	[TOKEN_BEGIN] = "BEGIN",
	[TOKEN_FINISH] = "FINISH",
	[TOKEN_TIMER] = "TIMER",
	[TOKEN_NUMBER] = "NUMBER",
	[TOKEN_OPERATOR] = "OPERATOR",
	[TOKEN_BAD] = "BAD",
};

/* A position that moves on through a file, counting lines. */
struct dump_position {
	const char *at, *line;
	unsigned n_lines;
};

static void move_to(struct dump_position *position, const char *at)
{
	for (; position->at < at; position->at++)
		if (*position->at == '\n') {
			position->n_lines++;
			position->line = position->at + 1;
		}
}

static void dump_token(const struct token *token, struct dump_position *position, FILE *out)
{
	move_to(position, token->at);
	fprintf(out, "%u:%u %s%s", position->n_lines, (unsigned)(token->at - position->line) + 1,
		token->is_spaced ? "_" : "", token_names[token->kind]);
	if (token->text.n_bytes || token->kind == TOKEN_STRING || token->kind == TOKEN_BACKQUOTE) {
		putc(' ', out);
		dump_text(token->text, out);
	}
	putc('\n', out);
}

void dump_lex(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out)
{
	struct diags diags = { 0 };
	struct dump_position position = { file->text, file->text, 1 };
	struct lexer lexer;

	(void)set;
	(void)binding;
	lexer_init(&lexer, file, &diags);
	while (lexer_line(&lexer) == RST_OK) {
		for (size_t i = 0; i < lexer.n_tokens; i++)
			dump_token(&lexer.tokens[i], &position, out);
		putc('\n', out);
	}
	lexer_done(&lexer);
	diags_done(&diags);
}

/* --- trees ---------------------------------------------------------------------------------------------- */

static void dump_nodes(const struct node *node, unsigned depth, FILE *out);

/* The start of a line: its depth, white space before the node, its name. */
static void dump_name(const struct node *node, unsigned depth, const char *name, FILE *out)
{
	fprintf(out, "%*s%s%s", (int)(2 * depth), "", node->is_spaced ? "_" : "", name);
}

static void dump_macro_name(const struct node_macro *macro, FILE *out)
{
	char code[16];

	fprintf(out, " $%.*s", (int)macro->name.n_bytes, macro->name.bytes);
	if (macro->has_cast)
		fprintf(out, "%%%s", code_put(code, &macro->cast));
	putc('\n', out);
}

static void dump_literal(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "TEXT ", out);
	dump_text(node->text, out);
	putc('\n', out);
}

static void dump_code(const struct node *node, unsigned depth, FILE *out)
{
	char code[16];

	dump_name(node, depth, "CODE", out);
	fprintf(out, " %s\n", code_put(code, &node->code));
}

static void dump_macro_node(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "MACRO", out);
	dump_macro_name(&node->macro, out);
}

static void dump_newline(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "NEWLINE\n", out);
}

static void dump_tab(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "TAB\n", out);
}

static void dump_quoted(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "QUOTED\n", out);
	dump_nodes(node->parts, depth + 1, out);
}

static void dump_switch(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "SWITCH\n", out);
	dump_nodes(node->select.selector, depth + 1, out);
	for (const struct switch_case *one = node->select.cases; one; one = one->next) {
		fprintf(out, "%*scase ", (int)(2 * depth + 2), "");
		if (one->is_wild)
			putc('*', out);
		else
			dump_text(one->match, out);
		fputs(one->is_quoted ? " quoted\n" : "\n", out);
		dump_nodes(one->body, depth + 2, out);
	}
}

static void dump_loop(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "LOOP\n", out);
	dump_nodes(node->loop.count, depth + 1, out);
	fprintf(out, "%*sbody\n", (int)(2 * depth + 2), "");
	dump_nodes(node->loop.body, depth + 2, out);
}

static void dump_flags(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, "BITFLAGS\n", out);
	dump_nodes(node->bits.selector, depth + 1, out);
	for (const struct flag *flag = node->bits.flags; flag; flag = flag->next) {
		fprintf(out, "%*sflag ", (int)(2 * depth + 2), "");
		if (flag->has_mask)
			fprintf(out, "& 0x%" PRIx64 " ", flag->mask);
		fprintf(out, "0x%" PRIx64 " ", flag->value);
		dump_text(flag->text, out);
		if (flag->otherwise.bytes) {
			fputs(" else ", out);
			dump_text(flag->otherwise, out);
		}
		putc('\n', out);
	}
}

static void dump_assign(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, node->assign.value ? "ASSIGN" : "DECLARE", out);
	dump_macro_name(&node->assign.macro, out);
	dump_nodes(node->assign.value, depth + 1, out);
}

static void dump_timer(const struct node *node, unsigned depth, FILE *out)
{
	dump_name(node, depth, node->timer.is_start ? "STARTTIMER\n" : "ENDTIMER\n", out);
	dump_nodes(node->timer.first, depth + 1, out);
	dump_nodes(node->timer.second, depth + 1, out);
}

static void dump_number(const struct node *node, unsigned depth, FILE *out)
{
	fprintf(out, "%*sNUMBER %" PRId64 "\n", (int)(2 * depth), "", node->number);
}

static void dump_negate(const struct node *node, unsigned depth, FILE *out)
{
	fprintf(out, "%*sNEGATE\n", (int)(2 * depth), "");
	dump_nodes(node->binary.left, depth + 1, out);
}

static void dump_binary(const struct node *node, unsigned depth, FILE *out)
{
	fprintf(out, "%*sBINARY %c\n", (int)(2 * depth), "", node->binary.sign);
	dump_nodes(node->binary.left, depth + 1, out);
	dump_nodes(node->binary.right, depth + 1, out);
}

static void (*const node_dumpers[])(const struct node *node, unsigned depth, FILE *out) = {
	[NODE_TEXT] = dump_literal,
	[NODE_CODE] = dump_code,
	[NODE_MACRO] = dump_macro_node,
	[NODE_NEWLINE] = dump_newline,
	[NODE_TAB] = dump_tab,
	[NODE_QUOTED] = dump_quoted,
	[NODE_SWITCH] = dump_switch,
	[NODE_LOOP] = dump_loop,
	[NODE_BITFLAGS] = dump_flags,
	[NODE_ASSIGN] = dump_assign,
	[NODE_TIMER] = dump_timer,
	[NODE_NUMBER] = dump_number,
	[NODE_NEGATE] = dump_negate,
	[NODE_BINARY] = dump_binary,
};

static void dump_nodes(const struct node *node, unsigned depth, FILE *out)
{
	for (; node; node = node->next)
		node_dumpers[node->kind](node, depth, out);
}

static void dump_stanza(const struct stanza *stanza, FILE *out)
{
	fprintf(out, "STANZA %.*s", (int)stanza->key.n_bytes, stanza->key.bytes);
	if (stanza->is_bad) {
		fputs(" bad\n\n", out);
		return;
	}
	fprintf(out, " %u.%u %s", stanza->version, stanza->release, level_names[stanza->level]);
	if (stanza->has_label) {
		putc(' ', out);
		dump_text(stanza->label, out);
	}
	fputs(stanza->is_label_hidden ? " hidden\n" : "\n", out);
	dump_nodes(stanza->body, 1, out);
	for (unsigned i = 0; i < stanza->n_macros; i++)
		fprintf(out, "  slot %u $%.*s\n", i, (int)stanza->macros[i].n_bytes, stanza->macros[i].bytes);
	putc('\n', out);
}

void dump_parse(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out)
{
	(void)binding;
	for (size_t i = 0; i < set->n_stanzas; i++)
		if (set->stanzas[i]->file == file)
			dump_stanza(set->stanzas[i], out);
}
