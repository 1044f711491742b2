/* SPDX-License-Identifier: MIT */
#include "export/mermaid.h"

#include <stdlib.h>

#include "base/error.h"

static const char *const diagrams[] = { "sequence", "state", NULL };
static const char *const limits[] = { "100", "30", "300", "1000", "10000", NULL };

enum { OPTION_DIAGRAM, OPTION_LIMIT };

static const struct export_option options[] = {
	[OPTION_DIAGRAM] = { "diagram", "sequence (default): messages; state: state machines", diagrams },
	[OPTION_LIMIT] = { "limit", "messages or transitions: 100 (default), 30, 300, 1000, 10000", limits },
	{ NULL, NULL, NULL },
};

static bool is_sequence(const struct export *export)
{
	return export->choices[OPTION_DIAGRAM] == MERMAID_SEQUENCE;
}

unsigned mermaid_limit(const struct export *export)
{
	return (unsigned)atoi(limits[export->choices[OPTION_LIMIT]]);
}

/* "#" begins the name of a character, ";" ends a statement, and "%%" begins a comment. */
void mermaid_put_text(struct outbuf *out, struct text text)
{
	static const char special[] = "#;\"<>{}%:";
	const size_t n_bytes = text_whole_bytes(text.bytes, text.n_bytes, MERMAID_LABEL_MAX);

	for (size_t i = 0; i < n_bytes && outbuf_reserve(out, 8); i++) {
		const unsigned char c = (unsigned char)text.bytes[i];

		if (c && strchr(special, c)) {
			*out->at++ = '#';
			out->at = text_put_dec(out->at, c);
			*out->at++ = ';';
		} else {
			*out->at++ = c < ' ' ? ' ' : (char)c;
		}
	}
	if (n_bytes < text.n_bytes)
		outbuf_puts(out, "...");
}

void mermaid_put_name(struct outbuf *out, const struct rst_entity *entity)
{
	const struct text name = { entity->name, entity->name_bytes };

	if (!entity->name)
		outbuf_printf(out,
			entity->is_number || entity->form == RST_ENTITY_NUMBER ? "%s %llu" : "%s 0x%llx",
			entity->kind ? entity->kind : "", (unsigned long long)entity->id);
	else if (name.n_bytes == 3 && memcmp(name.bytes, "end", 3) == 0)
		outbuf_puts(out, "(end)"); /* the bare word ends a block */
	else
		mermaid_put_text(out, name);
}

static bool mermaid_row(void *context, const struct rst_batch *batch, size_t row, uint64_t at)
{
	struct export *export = ((struct export_state *)context)->export;
	const struct rst_gap *gap = rst_batch_gap(batch, row);

	if (gap && is_sequence(export))
		return sequence_gap(export, gap);
	if (gap)
		machines_lose(export, at);
	return true;
}

static bool mermaid_effect(void *context, const struct occurrence *occurrence)
{
	struct export *export = ((struct export_state *)context)->export;

	return !is_sequence(export) || sequence_effect(export, occurrence);
}

static bool mermaid_piece(void *context, const struct piece *piece)
{
	struct export *export = ((struct export_state *)context)->export;

	return is_sequence(export) || machine_piece(export, piece);
}

static enum rst_status mermaid_begin(struct export *export, struct rst_error *err)
{
	(void)err;
	outbuf_puts(export->out, is_sequence(export) ? "sequenceDiagram\n" : "stateDiagram-v2\n");
	return RST_OK;
}

static enum rst_status mermaid_end(struct export *export, struct rst_error *err)
{
	if (is_sequence(export) && !sequence_end(export))
		return error_nomem(err);
	if (!is_sequence(export))
		machines_end(export);
	return RST_OK;
}

static void mermaid_done(void *context)
{
	struct mermaid *mermaid = context;

	for (size_t i = 0; i < mermaid->machines.n; i++)
		subjects_done(&((struct mermaid_machine *)(void *)mermaid->machines.all[i])->states);
	subjects_done(&mermaid->machines);
	subjects_done(&mermaid->participants);
	subjects_done(&mermaid->askers);
	requests_done(&mermaid->requests);
	arena_done(&mermaid->arena);
}

const struct export_format export_format_mermaid = {
	.observer = {
		.state_bytes = sizeof(struct mermaid),
		.effects = SCAN_BIT(RST_EFFECT_SEND) | SCAN_BIT(RST_EFFECT_RECEIVE) | SCAN_BIT(RST_EFFECT_WAKE),
		.intervals = SCAN_BIT(RST_INTERVAL_MACHINE),
		.row = mermaid_row,
		.effect = mermaid_effect,
		.piece = mermaid_piece,
		.done = mermaid_done,
	},
	.name = "mermaid",
	.extension = ".mmd",
	.about = "Mermaid: sequence and state diagrams for wikis and documents",
	.keeps = "the first messages of queues, semaphores and machines; or states and transitions",
	.leaves = "everything else",
	.options = options,
	.begin = mermaid_begin,
	.end = mermaid_end,
};
