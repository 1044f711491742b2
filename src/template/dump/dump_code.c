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
#include <string.h>

#include "template/dump/dump.h"
#include "template/machine/code.h"

static void put_name(struct text name, FILE *out)
{
	diag_print_bytes(name.bytes, name.n_bytes, out);
}

static const char *macro_name(enum macro_id id)
{
	for (const struct macro_row *row = macro_rows; row->name; row++)
		if (row->id == id)
			return row->name;
	return id == MACRO_HB ? "HB" : "(now)";
}

/* --- names ---------------------------------------------------------------------------------------------- */

static void put_target(const struct target *target, FILE *out)
{
	switch (target->kind) {
	case TARGET_ZERO:
		fputs("nothing: 0", out);
		break;
	case TARGET_FIELD:
		fprintf(out, "field at byte %u", target->field->offset);
		break;
	case TARGET_NUMBER:
		fprintf(out, "%lld of the type", (long long)target->number);
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

static void dump_macro(const struct node_macro *macro, FILE *out)
{
	fputs("  $", out);
	put_name(macro->name, out);
	fputs(" -> ", out);
	put_target(&macro->target, out);
	fputc('\n', out);
}

static void dump_node(void *context, const struct node *node)
{
	if (node->kind == NODE_MACRO)
		dump_macro(&node->macro, context);
	if (node->kind == NODE_ASSIGN)
		dump_macro(&node->assign.macro, context);
}

static void dump_match(void *context, const struct node *node, const struct switch_case *one)
{
	FILE *out = context;

	fputs("  case ", out);
	dump_text(one->match, out);
	if (one->is_wild)
		fputs(" -> anything\n", out);
	else if (node->select.is_text)
		fputs(" -> text\n", out);
	else if (one->constants)
		fprintf(out, " -> a name of %s\n", one->constants->name);
	else
		fprintf(out, " -> %" PRId64 "\n", one->value);
}

/* --- code ----------------------------------------------------------------------------------------------- */

static void put_a(const struct insn *insn, FILE *out)
{
	fprintf(out, " a=%" PRIu32, insn->a);
}

static void put_b(const struct insn *insn, FILE *out)
{
	fprintf(out, " b=%" PRIu32, insn->b);
}

static void put_need(const struct insn *insn, FILE *out)
{
	fprintf(out, " need=%" PRIu32, insn->need);
}

static void dump_code_put_number(const struct insn *insn, FILE *out)
{
	fprintf(out, " %" PRId64, insn->number);
}

static void put_text(const struct insn *insn, FILE *out)
{
	fputc(' ', out);
	dump_text((struct text){ insn->text, insn->a }, out);
}

static void put_field(const struct insn *insn, FILE *out)
{
	fprintf(out, " $%s need=%" PRIu32, insn->field->name, insn->need);
}

static void put_names(const struct insn *insn, FILE *out)
{
	fprintf(out, " $%s", insn->names->field->name);
}

static void put_macro(const struct insn *insn, FILE *out)
{
	fprintf(out, " $%s", macro_name((enum macro_id)insn->a));
}

static void put_unit(const struct insn *insn, FILE *out)
{
	fputc(' ', out);
	put_name(insn->unit->stanza->written_key, out);
}

static void put_target_of(const struct insn *insn, FILE *out)
{
	fprintf(out, " ->%" PRIu32, insn->a);
}

static void put_table(const struct insn *insn, FILE *out)
{
	const struct switch_table *table = insn->table;

	for (size_t i = 0; i < table->n_dense; i++)
		if (table->dense[i] != table->other)
			fprintf(out, " %" PRId64 "->%" PRIu32, table->low + (int64_t)i, table->dense[i]);
	for (size_t i = 0; i < table->n_sorted; i++)
		fprintf(out, " %" PRId64 "->%" PRIu32, table->values[i], table->targets[i]);
	fprintf(out, " else->%" PRIu32, table->other);
}

static void put_texts(const struct insn *insn, FILE *out)
{
	const struct text_table *table = insn->texts;

	for (size_t i = 0; i < table->n_rows; i++) {
		fputc(' ', out);
		dump_text(table->texts[i], out);
		fprintf(out, "->%" PRIu32, table->targets[i]);
	}
	fprintf(out, " else->%" PRIu32, table->other);
}

static void put_flags(const struct insn *insn, FILE *out)
{
	for (size_t i = 0; i < insn->flags->n_rows; i++) {
		const struct flag_row *row = &insn->flags->rows[i];

		fprintf(out, " %" PRIx64 "&%" PRIx64 ":", row->value, row->mask);
		dump_text(row->text, out);
		if (row->otherwise.n_bytes)
			dump_text(row->otherwise, out);
	}
}

static void put_glue(const struct insn *insn, FILE *out)
{
	static const char *const names[] = { "start", "gap", "text", "data", "tight" };

	if (insn->glue != GLUE_KEEP)
		fprintf(out, " glue=%s%s", names[insn->glue & GLUE_LAST],
			insn->glue & GLUE_WANTED ? "+blank" : "");
}

/* The words of op.operands. */
static const struct {
	const char *word;
	void (*put)(const struct insn *insn, FILE *out);
} operands[] = {
	{ "a", put_a },
	{ "b", put_b },
	{ "need", put_need },
	{ "number", dump_code_put_number },
	{ "text", put_text },
	{ "field", put_field },
	{ "names", put_names },
	{ "macro", put_macro },
	{ "unit", put_unit },
	{ "target", put_target_of },
	{ "table", put_table },
	{ "texts", put_texts },
	{ "flags", put_flags },
	{ "glue", put_glue },
};

static void put_operand(const struct insn *insn, struct text word, FILE *out)
{
	for (size_t i = 0; i < sizeof(operands) / sizeof(operands[0]); i++)
		if (text_is_word(word, operands[i].word))
			operands[i].put(insn, out);
}

static void dump_insn(const struct insn *insn, size_t index, FILE *out)
{
	enum { NAME_WIDTH = 12 };
	const char *word = insn->op->operands;

	fprintf(out, "%4zu  %-*s", index, word ? NAME_WIDTH : 0, insn->op->name);
	while (word && *word) {
		size_t n_word = strcspn(word, " ");

		put_operand(insn, (struct text){ word, n_word }, out);
		word += n_word + (word[n_word] == ' ');
	}
	fputc('\n', out);
}

static void dump_head(const struct unit *unit, FILE *out)
{
	put_name(unit->stanza->written_key, out);
	if (unit->binding.layout)
		fprintf(out, "  for %s", unit->binding.layout->type->name);
	else
		fprintf(out, "  %u bits", 8 * unit->binding.word_bytes);
	fputs(unit->is_called ? ", called" : "", out);
}

/* --- the passes ----------------------------------------------------------------------------------------- */

/*
 * The file's units for the wanted kind of entry: those of AIX by the size of the word, others by their type,
 * or all.
 */
static bool is_wanted(const struct template_set *set, const struct unit *unit,
	const struct template_file *file, const struct binding *binding)
{
	if (unit->stanza->file != file)
		return false;
	return set->is_aix ? unit->binding.word_bytes == binding->word_bytes
			   : !binding->layout || unit->binding.layout == binding->layout;
}

void dump_resolve(
	struct template_set *set, const struct template_file *file, const struct binding *binding, FILE *out)
{
	const struct tree_visitor visitor = { .node = dump_node, .match = dump_match, .context = out };
	struct diags diags = { 0 };

	for (size_t i = 0; i < set->n_units; i++) {
		struct unit *unit = set->units[i];

		if (!is_wanted(set, unit, file, binding) || unit->is_bad)
			continue;
		dump_head(unit, out);
		fputc('\n', out);
		if (resolve_stanza(set, unit->stanza, &unit->binding, &diags))
			tree_visit(&visitor, unit->stanza->body);
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
	{ "lex", dump_lex },
	{ "parse", dump_parse },
	{ "resolve", dump_resolve },
	{ "code", dump_program },
	{ NULL, NULL },
};
