/* SPDX-License-Identifier: MIT */
/* VCD (vcd.h): keeps the signals of the trace, and writes the header of the file. */
#include "base/array.h"
#include "base/error.h"
#include "export/label.h"
#include "export/vcd.h"

const struct vcd_scope vcd_scopes[RST_N_INTERVAL_KINDS] = {
	[RST_INTERVAL_THREAD] = { "threads", "string", true, NULL, NULL },
	[RST_INTERVAL_CORE] = { "cores", "string", false, NULL, "core_" },
	[RST_INTERVAL_LOCK] = { "locks", "string", false, "free", NULL },
	[RST_INTERVAL_INTERRUPT] = { "interrupts", NULL, true, "0", "interrupt_" },
	[RST_INTERVAL_LEVEL] = { "levels", "integer", false, NULL, NULL },
	[RST_INTERVAL_MACHINE] = { "machines", "string", false, NULL, NULL },
};

/* --- keeping -------------------------------------------------------------------------------------------- */

static struct vcd_signal *lane_add(struct vcd *vcd, struct vcd_signal *last)
{
	struct vcd_signal *lane = arena_alloc(&vcd->names.arena, sizeof(*lane));

	if (!lane)
		return NULL;
	lane->subject.entity = last->subject.entity;
	lane->kind = last->kind;
	lane->lane = last->lane + 1;
	return last->next_lane = lane;
}

/* The signal of the thing that is free when the piece begins. */
static struct vcd_signal *signal_of(struct vcd *vcd, const struct piece *piece)
{
	const struct rst_interval *interval = piece->interval;
	struct subjects *subjects = &vcd->subjects[interval->kind];
	struct vcd_signal *signal;

	subjects->record_bytes = sizeof(*signal);
	signal = subject_of(subjects, &interval->subject);
	if (signal)
		signal->kind = interval->kind;
	while (signal && signal->to > piece->from)
		signal = signal->next_lane ? signal->next_lane : lane_add(vcd, signal);
	return signal;
}

/* The flags of a level's value; what the signal has then. */
static uint32_t level_flags(struct vcd_signal *signal, const struct rst_interval *interval)
{
	const bool is_signed = interval->value_type == RST_SIGNED, is_real = interval->value_type == RST_REAL;
	const bool is_high = !is_real && interval->value > INT64_MAX;

	signal->has_real |= is_real;
	signal->has_negative |= is_high && is_signed;
	signal->has_large |= is_high && !is_signed;
	return (is_signed ? VCD_IS_SIGNED : 0) | (is_real ? VCD_IS_REAL : 0);
}

static bool vcd_piece(void *context, const struct piece *piece)
{
	struct vcd *vcd = context;
	const struct rst_interval *interval = piece->interval;
	const bool is_level = interval->kind == RST_INTERVAL_LEVEL;
	const bool is_known = is_level ? interval->has_value : interval->state != RST_STATE_UNKNOWN;
	struct vcd_signal *signal = signal_of(vcd, piece);
	struct word *word = label_word(&vcd->words, interval);
	struct kept kept = { .from = piece->from, .to = piece->to, .value = interval->value };

	if (!signal || !word)
		return false;
	kept.word = word->number;
	kept.flags = is_known ? VCD_IS_KNOWN : 0;
	if (interval->kind == RST_INTERVAL_INTERRUPT || interval->state == RST_STATE_RUNNING)
		kept.flags |= VCD_IS_ON;
	if (is_level && is_known)
		kept.flags |= level_flags(signal, interval);
	signal->to = piece->to;
	return chain_add(&signal->chain, &vcd->pages, &kept);
}

/* --- the heading ---------------------------------------------------------------------------------------- */

/*
 * The unit of time: that of which a tick of the clock is a whole number, where there is one down to the
 * femtosecond.
 */
static void put_timescale(struct export *export)
{
	static const char *const units[] = { "s", "ms", "us", "ns", "ps", "fs" };
	static const unsigned parts[] = { 1, 100, 10 };
	struct vcd *vcd = export->state;
	const uint64_t hz = export->scan->times.hz;
	uint64_t per_second = 1;
	unsigned digits = 0;

	vcd->ticks_are = hz ? 0 : 1;
	for (; hz && digits <= 15 && per_second % hz; digits++)
		per_second *= 10;
	if (hz && digits <= 15)
		vcd->ticks_are = per_second / hz;
	else
		digits = 9;
	outbuf_printf(export->out, "$timescale %u %s $end\n", parts[digits % 3], units[(digits + 2) / 3]);
	if (!hz)
		outbuf_puts(
			export->out, "$comment the clock's frequency is not known: 1 ns is 1 tick $end\n");
}

static void variable_put(
	struct outbuf *out, const struct vcd_signal *signal, struct text name, bool is_wire, bool has_other)
{
	const struct vcd_scope *scope = &vcd_scopes[signal->kind];
	const bool is_number = !is_wire && *scope->type == 'i';
	const char *type = is_wire			      ? "wire"
			   : is_number && vcd_is_real(signal) ? "real"
			   : signal->has_large		      ? "reg"
							      : scope->type;

	if (!outbuf_reserve(out, name.n_bytes + 128))
		return;
	out->at = text_put_literal(out->at, "$var ");
	out->at = text_put(out->at, type, strlen(type));
	out->at = text_put_literal(out->at, " ");
	out->at = text_put_dec(out->at, is_number ? 64 : 1);
	*out->at++ = ' ';
	out->at = vcd_put_code(out->at, signal, is_wire);
	*out->at++ = ' ';
	if (scope->noun && !signal->subject.entity.name)
		out->at = text_put(out->at, scope->noun, strlen(scope->noun));
	out->at = vcd_put_word(out->at, name);
	if (signal->lane)
		out->at = text_put_dec(text_put_literal(out->at, "#"), signal->lane + 1);
	if (has_other)
		out->at = text_put_literal(out->at, "_state");
	out->at = text_put_literal(out->at, " $end\n");
}

/* Lists the signal, and puts it into the heap. */
static bool signal_begin(struct export *export, struct vcd_signal *signal, struct text name)
{
	struct vcd *vcd = export->state;
	const struct vcd_scope *scope = &vcd_scopes[signal->kind];
	struct vcd_signal **heap = array_room(vcd->heap, vcd->n_heap, &vcd->room, sizeof(*heap));

	if (!heap)
		return false;
	vcd->heap = heap;
	signal->number = vcd->n_signals++;
	signal->cursor = chain_begin(&signal->chain);
	if (chain_at(&signal->cursor)) {
		signal->at = chain_at(&signal->cursor)->from;
		heap[vcd->n_heap++] = signal;
	}
	if (scope->has_wire)
		variable_put(export->out, signal, name, true, false);
	if (scope->type)
		variable_put(export->out, signal, name, false, scope->has_wire);
	return true;
}

static bool scope_put(struct export *export, enum rst_interval_kind kind)
{
	struct vcd *vcd = export->state;
	struct subjects *subjects = &vcd->subjects[kind];

	if (!subjects->n)
		return true;
	outbuf_printf(export->out, "$scope module %s $end\n", vcd_scopes[kind].name);
	for (size_t i = 0; i < subjects->n; i++) {
		struct table_cell cell;

		if (!subject_name(subjects, subjects->all[i], &vcd->names, &cell))
			return false;
		for (struct vcd_signal *lane = (struct vcd_signal *)subjects->all[i]; lane;
			lane = lane->next_lane)
			if (!signal_begin(export, lane, cell.text))
				return false;
	}
	outbuf_puts(export->out, "$upscope $end\n");
	return true;
}

/* --- the file ------------------------------------------------------------------------------------------- */

static enum rst_status vcd_end(struct export *export, struct rst_error *err)
{
	outbuf_printf(export->out, "$version rastrum %s $end\n", rst_version());
	put_timescale(export);
	for (enum rst_interval_kind kind = 0; kind < RST_N_INTERVAL_KINDS; kind++)
		if (!scope_put(export, kind))
			return error_nomem(err);
	outbuf_puts(export->out, "$enddefinitions $end\n");
	vcd_put_changes(export);
	return RST_OK;
}

static void vcd_done(void *context)
{
	struct vcd *vcd = context;

	for (size_t i = 0; i < RST_N_INTERVAL_KINDS; i++)
		subjects_done(&vcd->subjects[i]);
	words_done(&vcd->words);
	pages_done(&vcd->pages);
	table_done(&vcd->names);
	free(vcd->heap);
}

const struct export_format export_format_vcd = {
	.observer = {
		.state_bytes = sizeof(struct vcd),
		.intervals = UINT32_MAX & ~SCAN_BIT(RST_INTERVAL_SPAN),
		.piece = vcd_piece,
		.done = vcd_done,
	},
	.name = "vcd",
	.extension = ".vcd",
	.about = "Value Change Dump: signals for GTKWave, Surfer, PulseView",
	.keeps = "states of threads, what cores ran, owners of locks, levels, interrupts, machines",
	.leaves = "events, spans, what woke what, wall clock; losses are x",
	.wants_clock = true,
	.end = vcd_end,
};
