/* SPDX-License-Identifier: MIT */
/*
 * The last two passes in words: what names were resolved to, and the code.
 *
 *	010  32 bits, 5 instructions, room 85
 *	   0  text         "LBL "
 *	   1  run          a=2 b=16
 *	   2  hex          a=0 b=2 need=2
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "template/dump.h"
#include "template/lower.h"
#include "template/ops.h"

static void put_name(struct text name, FILE *out)
{
	fwrite(name.bytes, 1, name.n_bytes, out);
}

static const char *macro_name(enum macro_id id)
{
	for (const struct macro_row *row = macro_rows; row->name; row++)
		if (row->id == id)
			return row->name;
	return id == MACRO_HB ? "HB" : "(now)";
}

/* --- names ------------------------------------------------------------------------------------------------------------ */

static void put_target(const struct target *target, FILE *out)
{
	switch (target->kind) {
	case TARGET_ZERO:
		fputs("nothing: 0", out);
		break;
	case TARGET_FIELD:
		fprintf(out, "field at byte %u", target->field->offset);
		break;
	case TARGET_BUILTIN:
		fputs("built in", out);
		break;
	case TARGET_SLOT:
		fprintf(out, "slot %u", target->slot);
		break;
	case TARGET_STANZA:
		fputs(target->stanza ? "template" : "a template that is not there", out);
		break;
	}
}

static void dump_names(const struct node *node, FILE *out);

static void dump_macro(const struct node_macro *macro, FILE *out)
{
	fputs("  $", out);
	put_name(macro->name, out);
	fputs(" -> ", out);
	put_target(&macro->target, out);
	fputc('\n', out);
}

static void dump_expression_names(const struct node *node, FILE *out)
{
	if (!node)
		return;
	if (node->kind == NODE_MACRO)
		dump_macro(&node->macro, out);
	if (node->kind == NODE_BINARY || node->kind == NODE_NEGATE)
		dump_expression_names(node->binary.left, out);
	if (node->kind == NODE_BINARY)
		dump_expression_names(node->binary.right, out);
}

static void dump_switch_names(const struct node_switch *select, FILE *out)
{
	dump_expression_names(select->selector, out);
	for (const struct switch_case *one = select->cases; one; one = one->next) {
		fputs("  case ", out);
		dump_text(one->match, out);
		if (one->is_wild)
			fputs(" -> anything\n", out);
		else if (select->is_text)
			fputs(" -> text\n", out);
		else if (one->constants)
			fprintf(out, " -> a name of %s\n", one->constants->name);
		else
			fprintf(out, " -> %" PRId64 "\n", one->value);
		dump_names(one->body, out);
	}
}

static void dump_names(const struct node *node, FILE *out)
{
	for (; node; node = node->next) {
		if (node->kind == NODE_SWITCH) {
			dump_switch_names(&node->select, out);
		} else if (node->kind == NODE_LOOP) {
			dump_expression_names(node->loop.count, out);
			dump_names(node->loop.body, out);
		} else if (node->kind == NODE_QUOTED) {
			dump_names(node->pieces, out);
		} else if (node->kind == NODE_BITFLAGS) {
			dump_expression_names(node->bits.selector, out);
		} else if (node->kind == NODE_ASSIGN) {
			dump_macro(&node->assign.macro, out);
			dump_expression_names(node->assign.value, out);
		} else if (node->kind == NODE_TIMER) {
			dump_expression_names(node->timer.first, out);
			dump_expression_names(node->timer.second, out);
		} else {
			dump_expression_names(node, out);
		}
	}
}

/* --- code --------------------------------------------------------------------------------------------------------------- */

static void put_table(const struct switch_table *table, FILE *out)
{
	for (size_t i = 0; i < table->n_dense; i++)
		if (table->dense[i] != table->other)
			fprintf(out, " %" PRId64 "->%" PRIu32, table->low + (int64_t)i, table->dense[i]);
	for (size_t i = 0; i < table->n_sorted; i++)
		fprintf(out, " %" PRId64 "->%" PRIu32, table->values[i], table->targets[i]);
	fprintf(out, " else->%" PRIu32, table->other);
}

static void put_texts(const struct text_table *table, FILE *out)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		fputc(' ', out);
		dump_text(table->texts[i], out);
		fprintf(out, "->%" PRIu32, table->targets[i]);
	}
	fprintf(out, " else->%" PRIu32, table->other);
}

static void put_flags(const struct flag_table *table, FILE *out)
{
	for (size_t i = 0; i < table->n_rows; i++) {
		const struct flag_row *row = &table->rows[i];

		fprintf(out, " %" PRIx64 "&%" PRIx64 ":", row->value, row->mask);
		dump_text(row->text, out);
		if (row->otherwise.n_bytes)
			dump_text(row->otherwise, out);
	}
}

static void put_glue(uint8_t glue, FILE *out)
{
	static const char *const names[] = { "start", "gap", "text", "data", "tight" };

	if (glue != GLUE_KEEP)
		fprintf(out, " glue=%s%s", names[glue & GLUE_LAST], glue & GLUE_WANTED ? "+blank" : "");
}

static void put_operand(const struct insn *insn, const char *word, size_t n_word, FILE *out)
{
	const struct text name = { word, n_word };
	static const char words[][8] = { "a", "b", "need", "number", "text", "field", "macro", "unit",
		"target", "table", "texts", "flags", "names", "glue" };
	size_t i = 0;

	while (strlen(words[i]) != name.n_bytes || memcmp(words[i], name.bytes, name.n_bytes) != 0)
		i++;
	switch (i) {
	case 0:
		fprintf(out, " a=%" PRIu32, insn->a);
		break;
	case 1:
		fprintf(out, " b=%" PRIu32, insn->b);
		break;
	case 2:
		fprintf(out, " need=%" PRIu32, insn->need);
		break;
	case 3:
		fprintf(out, " %" PRId64, insn->number);
		break;
	case 4:
		fputc(' ', out);
		dump_text((struct text){ insn->text, insn->a }, out);
		break;
	case 5:
		fprintf(out, " $%s need=%" PRIu32, insn->field->name, insn->need);
		break;
	case 6:
		fprintf(out, " $%s", macro_name((enum macro_id)insn->a));
		break;
	case 7:
		fputc(' ', out);
		put_name(insn->unit->stanza->written_key, out);
		break;
	case 8:
		fprintf(out, " ->%" PRIu32, insn->a);
		break;
	case 9:
		put_table(insn->table, out);
		break;
	case 10:
		put_texts(insn->texts, out);
		break;
	case 11:
		put_flags(insn->flags, out);
		break;
	case 12:
		fprintf(out, " $%s", insn->names->field->name);
		break;
	default:
		put_glue(insn->glue, out);
		break;
	}
}

static void dump_insn(const struct insn *insn, size_t index, FILE *out)
{
	const char *word = insn->op->operands;

	fprintf(out, "%4zu  %-12s", index, insn->op->name);
	while (word && *word) {
		size_t n_word = strcspn(word, " ");

		put_operand(insn, word, n_word, out);
		word += n_word + (word[n_word] == ' ');
	}
	fputc('\n', out);
}

static void dump_head(const struct unit *unit, FILE *out)
{
	put_name(unit->stanza->written_key, out);
	if (unit->binding.type)
		fprintf(out, "  for %s", unit->binding.type->name);
	else
		fprintf(out, "  %u bits", 8 * unit->binding.word_bytes);
	fputs(unit->is_called ? ", called" : "", out);
}

/* --- the passes ----------------------------------------------------------------------------------------------------------- */

/* What was compiled of the file for the wanted kind of entry: of AIX by the word, else by the type, or all. */
static bool is_wanted(const struct template_set *set, const struct unit *unit,
	const struct template_file *file, const struct binding *binding)
{
	if (unit->stanza->file != file)
		return false;
	return set->is_aix ? unit->binding.word_bytes == binding->word_bytes
			   : !binding->type || unit->binding.type == binding->type;
}

void dump_resolve(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out)
{
	struct diags diags = { 0 };

	for (size_t i = 0; i < set->n_units; i++) {
		struct unit *unit = set->units[i];

		if (!is_wanted(set, unit, file, binding) || unit->is_bad)
			continue;
		dump_head(unit, out);
		fputc('\n', out);
		if (resolve_stanza(set, unit->stanza, &unit->binding, &diags))
			dump_names(unit->stanza->body, out);
	}
	diags_done(&diags);
}

void dump_program(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out)
{
	for (size_t i = 0; i < set->n_units; i++) {
		const struct unit *unit = set->units[i];

		if (!is_wanted(set, unit, file, binding) || !unit->code)
			continue;
		dump_head(unit, out);
		fprintf(out, ", %zu instructions, room %zu\n", unit->n_code, unit->room);
		for (size_t n = 0; n < unit->n_code; n++)
			dump_insn(&unit->code[n], n, out);
	}
}

const struct dump_pass dump_passes[] = {
	{ "lex", "the tokens of each line", dump_lex },
	{ "parse", "the tree of each template", dump_parse },
	{ "resolve", "what its names and match values mean", dump_resolve },
	{ "code", "the instructions that run", dump_program },
	{ NULL, NULL, NULL },
};
