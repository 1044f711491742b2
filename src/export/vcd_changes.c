/* SPDX-License-Identifier: MIT */
/* VCD (vcd.h): the changes of all signals, merged in the order of time. */
#include <inttypes.h>
#include <string.h>

#include "base/number.h"
#include "export/vcd.h"

/* The short name of a variable in the changes: of a signal's wire, or of its text or number. */
char *vcd_put_code(char *p, const struct vcd_signal *signal, bool is_wire)
{
	enum { FIRST = 33, N_SIGNS = 94 }; /* of ASCII */
	uint64_t code = 2 * signal->number + is_wire;

	do {
		*p++ = (char)(FIRST + code % N_SIGNS);
		code /= N_SIGNS;
	} while (code);
	return p;
}

/* Blanks end a word, brackets are ranges of bits, and a backslash begins an escape. */
char *vcd_put_word(char *p, struct text text)
{
	for (size_t i = 0; i < text.n_bytes;) {
		const char c = text.bytes[i];
		const unsigned n = text_utf8_bytes((const uint8_t *)text.bytes + i, text.n_bytes - i);

		if (n > 1)
			p = text_put(p, text.bytes + i, n);
		else
			*p++ = c > ' ' && c < 0x7f && !strchr("[]$\\", c) ? c : '_';
		i += n ? n : 1;
	}
	return p;
}

static void wire_put(struct outbuf *out, const struct vcd_signal *signal, const struct kept *kept)
{
	const bool is_known = kept ? kept->flags & VCD_IS_KNOWN : vcd_scopes[signal->kind].idle != NULL;

	if (!outbuf_reserve(out, 32))
		return;
	*out->at++ = !is_known ? 'x' : kept && kept->flags & VCD_IS_ON ? '1' : '0';
	out->at = vcd_put_code(out->at, signal, true);
	*out->at++ = '\n';
}

static char *put_binary(char *p, uint64_t value)
{
	unsigned n_bits = 64 - (unsigned)__builtin_clzll(value | 1);

	*p++ = 'b';
	while (n_bits--)
		*p++ = (char)('0' + (value >> n_bits & 1));
	return p;
}

static struct number number_of_kept(const struct kept *kept)
{
	return number_as(kept->value, kept->flags & VCD_IS_REAL	    ? RST_REAL
				      : kept->flags & VCD_IS_SIGNED ? RST_SIGNED
								    : RST_UNSIGNED);
}

/* If kept is NULL, the value is not known. A real variable has no x, so it gets NaN. */
static char *vcd_changes_put_level(char *p, const struct vcd_signal *signal, const struct kept *kept)
{
	if (!vcd_is_real(signal))
		return kept ? put_binary(p, kept->value) : text_put_literal(p, "bx");
	*p++ = 'r';
	return kept ? number_put(p, number_of_kept(kept)) : text_put_literal(p, "NAN");
}

static void other_put(
	const struct vcd *vcd, struct outbuf *out, const struct vcd_signal *signal, const struct kept *kept)
{
	const struct vcd_scope *scope = &vcd_scopes[signal->kind];
	const bool is_known = kept && kept->flags & VCD_IS_KNOWN;
	struct text text = { "x", 1 };

	if (is_known)
		text = vcd->words.all[kept->word]->text;
	else if (!kept && scope->idle)
		text = (struct text){ scope->idle, strlen(scope->idle) };
	if (!outbuf_reserve(out, text.n_bytes + 128))
		return;
	if (*scope->type == 's')
		out->at = vcd_put_word(text_put_literal(out->at, "s"), text);
	else
		out->at = vcd_changes_put_level(out->at, signal, is_known ? kept : NULL);
	*out->at++ = ' ';
	out->at = vcd_put_code(out->at, signal, false);
	*out->at++ = '\n';
}

/* If kept is NULL, the signal has no interval now. */
static void change_put(struct export *export, const struct vcd_signal *signal, const struct kept *kept)
{
	if (vcd_scopes[signal->kind].has_wire)
		wire_put(export->out, signal, kept);
	if (vcd_scopes[signal->kind].type)
		other_put(export->state, export->out, signal, kept);
}

/* --- the merge ------------------------------------------------------------------------------------------ */

static bool is_earlier(const struct vcd_signal *one, const struct vcd_signal *other)
{
	return one->at < other->at || (one->at == other->at && one->number < other->number);
}

/* Moves a signal down the heap until the signals above it are earlier. */
static void heap_sink(struct vcd *vcd, size_t at)
{
	struct vcd_signal *signal = vcd->heap[at];

	for (size_t child; (child = 2 * at + 1) < vcd->n_heap; at = child) {
		child += child + 1 < vcd->n_heap && is_earlier(vcd->heap[child + 1], vcd->heap[child]);
		if (!is_earlier(vcd->heap[child], signal))
			break;
		vcd->heap[at] = vcd->heap[child];
	}
	vcd->heap[at] = signal;
}

/* The next change: the interval that begins, or NULL if one ends and no other begins. */
static const struct kept *signal_take(struct vcd *vcd, struct vcd_signal *signal)
{
	const struct kept *next = chain_at(&signal->cursor);

	if (next && next->from == signal->at) {
		chain_forward(&signal->cursor);
		signal->at = next->to;
		return next;
	}
	if (next)
		signal->at = next->from;
	else
		vcd->heap[0] = vcd->heap[--vcd->n_heap];
	return NULL;
}

static void put_moment(struct export *export, uint64_t time)
{
	outbuf_printf(export->out, "#%" PRIu64 "\n", time);
}

/* Before their first interval, all signals have the value without an interval. */
static void put_first(struct export *export)
{
	const struct vcd *vcd = export->state;

	outbuf_puts(export->out, "#0\n$dumpvars\n");
	for (size_t i = 0; i < vcd->n_heap; i++)
		change_put(export, vcd->heap[i], NULL);
	outbuf_puts(export->out, "$end\n");
}

void vcd_put_changes(struct export *export)
{
	struct vcd *vcd = export->state;
	uint64_t time = 0;

	put_first(export);
	for (size_t i = vcd->n_heap; i-- > 0;)
		heap_sink(vcd, i);
	while (vcd->n_heap) {
		struct vcd_signal *signal = vcd->heap[0];
		const uint64_t at = vcd_time(export, signal->at);

		if (at != time)
			put_moment(export, at);
		time = at;
		change_put(export, signal, signal_take(vcd, signal));
		if (vcd->n_heap)
			heap_sink(vcd, 0);
	}
	if (export->scan->is_started && vcd_time(export, export->scan->to) > time)
		put_moment(export, vcd_time(export, export->scan->to));
}
