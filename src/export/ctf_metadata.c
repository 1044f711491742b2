/* SPDX-License-Identifier: MIT */
/*
 * The metadata of CTF: TSDL 1.8. Names of fields begin with _, which readers remove, since a name without it
 * may be a keyword of TSDL.
 */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "export/ctf.h"

/* --- words ---------------------------------------------------------------------------------------------- */

static void put_string(struct outbuf *out, const char *text, size_t n_bytes)
{
	outbuf_puts(out, "\"");
	for (size_t n; n_bytes && outbuf_reserve(out, 8); text += n, n_bytes -= n) {
		n = text_utf8_bytes((const uint8_t *)text, n_bytes);
		if (n == 0 || *text == '"' || *text == '\\')
			*out->at++ = '\\'; /* the backslash of \xNN is also a character of the string */
		out->at = n ? text_put(out->at, text, n) : text_clean(out->at, (const uint8_t *)text, 1);
		n += !n;
	}
	outbuf_puts(out, "\"");
}

/*
 * Writes the name of a field as letters, digits and _; if an earlier field has the same name, the number
 * follows.
 */
static void ctf_metadata_put_name(struct outbuf *out, const struct rst_layout *layout, unsigned n)
{
	const char *name = layout->fields[n].name;

	outbuf_puts(out, "_");
	for (const char *p = name; *p && outbuf_reserve(out, 1); p++)
		*out->at++ = isalnum((unsigned char)*p) ? *p : '_';
	for (unsigned i = 0; i < n; i++) {
		const char *a = layout->fields[i].name, *b = name;

		while (*a && *b && (*a == *b || (!isalnum((unsigned char)*a) && !isalnum((unsigned char)*b))))
			a++, b++;
		if (!*a && !*b) {
			outbuf_printf(out, "_%u", n);
			return;
		}
	}
}

/* --- fields --------------------------------------------------------------------------------------------- */

static void put_integer(struct outbuf *out, const struct rst_field *field)
{
	const bool is_hex = field->type == RST_HEX || field->type == RST_ADDRESS || field->type == RST_IPV4 ||
			    (field->type == RST_OBJECT && !field->is_number);

	outbuf_printf(out, "integer { size = %u; align = 8; signed = %s; base = %u; }", 8 * ctf_bytes(field),
		field->type == RST_SIGNED ? "true" : "false", is_hex ? 16 : 10);
}

static bool ctf_metadata_fits(const struct rst_field *field, uint64_t value)
{
	return ctf_bytes(field) == 8 || value >> 8 * ctf_bytes(field) == 0;
}

static void put_enum(struct outbuf *out, const struct rst_field *field)
{
	const struct rst_constants *constants = field->constants;
	bool has_one = false;

	for (size_t i = 0; constants && i < constants->n_rows; i++) {
		const struct rst_constant *row = &constants->rows[i];

		if (!row->name || !ctf_metadata_fits(field, row->value))
			continue;
		outbuf_puts(out, has_one ? ", " : "enum : ");
		if (!has_one) {
			put_integer(out, field);
			outbuf_puts(out, " { ");
		}
		has_one = true;
		put_string(out, row->name, strlen(row->name));
		outbuf_printf(out, " = %" PRIu64, row->value);
	}
	if (has_one)
		outbuf_puts(out, " }");
	else
		put_integer(out, field);
}

static void put_number_type(struct outbuf *out, const struct rst_field *field)
{
	if (field->type == RST_ENUM)
		put_enum(out, field);
	else if (field->type == RST_REAL)
		outbuf_puts(out, field->n_bytes == 4
					 ? "floating_point { exp_dig = 8; mant_dig = 24; align = 8; }"
					 : "floating_point { exp_dig = 11; mant_dig = 53; align = 8; }");
	else
		put_integer(out, field);
}

static void ctf_metadata_put_field(struct outbuf *out, const struct rst_layout *layout, unsigned n)
{
	const struct rst_field *field = &layout->fields[n];
	struct rst_field item = *field;

	outbuf_puts(out, "\t\t");
	if (rst_field_is_number(field)) {
		put_number_type(out, field);
		outbuf_puts(out, " ");
		ctf_metadata_put_name(out, layout, n);
	} else if (field->type == RST_TEXT) {
		outbuf_puts(out, "string { encoding = UTF8; } ");
		ctf_metadata_put_name(out, layout, n);
	} else {
		item.type = field->type == RST_BYTES ? RST_HEX : field->item_type;
		item.n_bytes = field->type == RST_BYTES ? 1 : field->item_bytes;
		item.n_bits = 0;
		outbuf_printf(out, "u32 __length_%u;\n\t\t", n);
		put_number_type(out, &item);
		outbuf_puts(out, " ");
		ctf_metadata_put_name(out, layout, n);
		outbuf_printf(out, "[__length_%u]", n);
	}
	outbuf_puts(out, ";\n");
}

/* --- events --------------------------------------------------------------------------------------------- */

static void put_event_head(struct outbuf *out, enum ctf_stream_kind kind, uint32_t id)
{
	outbuf_printf(out, "event {\n\tid = %" PRIu32 ";\n\tstream_id = %u;\n\tname = ", id, kind);
}

static void put_class(struct outbuf *out, const struct ctf_class *class, enum ctf_stream_kind kind)
{
	const struct rst_layout *layout = class->layout;

	put_event_head(out, kind, class->id);
	put_string(out, layout->type->name, layout->type->name_bytes);
	outbuf_puts(out, ";\n\tfields := struct {\n");
	for (unsigned i = 0; i < layout->n_fields; i++)
		if (class->has[i])
			ctf_metadata_put_field(out, layout, i);
	outbuf_puts(out, "\t};\n};\n\n");
}

static void put_gaps(struct outbuf *out, const struct ctf *ctf, enum ctf_stream_kind kind)
{
	static const uint32_t ids[N_CTF_MARKERS] = {
		[CTF_LOST] = CTF_ID_LOST, [CTF_DAMAGE] = CTF_ID_DAMAGE, [CTF_RUN] = CTF_ID_RUN
	};
	static const char *const texts[N_CTF_MARKERS] = {
		"\"LOST\";\n\tfields := struct {\n\t\tu64 _events;\n\t\tstring _reason;\n\t};\n};\n\n",
		"\"DAMAGE\";\n\tfields := struct {\n\t\tu64 _offset;\n\t\tu64 _bytes;\n\t\tstring "
		"_reason;\n\t};\n};\n\n",
		"\"RUN\";\n\tfields := struct {\n\t\tu64 _run;\n\t\tstring _reason;\n\t};\n};\n\n",
	};

	for (unsigned i = 0; i < N_CTF_MARKERS; i++) {
		if (!ctf->has_lost[i][kind])
			continue;
		put_event_head(out, kind, ids[i]);
		outbuf_puts(out, texts[i]);
	}
}

/* --- the trace ------------------------------------------------------------------------------------------ */

/*
 * Writes an id for the trace, the same in each conversion: readers must not combine traces of different
 * clocks.
 */
static void put_uuid(struct outbuf *out, const struct export *export)
{
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	uint64_t high = 0xcbf29ce484222325, low;

	for (const char *p = metadata->path; *p; p++)
		high = (high ^ (unsigned char)*p) * 0x100000001b3;
	low = (high ^ metadata->first_ticks) * 0x9e3779b97f4a7c15;
	high = (high ^ low >> 29) * 0xbf58476d1ce4e5b9;
	outbuf_printf(out, "\"%08x-%04x-4%03x-8%03x-%012" PRIx64 "\"", (unsigned)(high >> 32),
		(unsigned)(high >> 16) & 0xffff, (unsigned)high & 0xfff, (unsigned)(low >> 48) & 0xfff,
		low & 0xffffffffffff);
}

static uint64_t clock_hz(const struct rst_metadata *metadata)
{
	return metadata->clock.rate_ticks && metadata->clock_hz ? metadata->clock_hz : 1000000000;
}

/* Half of the range of nanoseconds that readers have is left for the time of day of the first event. */
static const int64_t half_ns = (int64_t)1 << 62;

uint64_t ctf_ticks_max(const struct export *export)
{
	uint64_t most;

	return __builtin_mul_overflow(
		       clock_hz(rst_trace_metadata(export->trace)), (uint64_t)half_ns / 1000000000, &most)
		       ? UINT64_MAX
		       : most;
}

/* Ticks count from the first event. Its time of day is the offset, if the recording has it. */
void ctf_put_clock(struct export *export, struct outbuf *out)
{
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);
	const bool has_rate = metadata->clock.rate_ticks && metadata->clock_hz;
	const uint64_t hz = clock_hz(metadata);
	int64_t wall;

	outbuf_puts(out, "clock {\n\tname = ticks;\n\tuuid = ");
	put_uuid(out, export);
	outbuf_printf(out, ";\n\tdescription = \"%s\";\n\tfreq = %" PRIu64 ";\n",
		has_rate ? "the clock of the recording"
			 : "ticks: their length is not known, a nanosecond stands for one",
		hz);
	if (has_rate && rst_clock_wall_ns(&metadata->clock, metadata->first_ticks, &wall) && wall >= 0 &&
		wall < half_ns)
		outbuf_printf(out, "\toffset_s = %" PRId64 ";\n\toffset = %" PRIu64 ";\n\tabsolute = TRUE;\n",
			wall / 1000000000, (uint64_t)((double)(wall % 1000000000) * (double)hz / 1e9));
	outbuf_puts(out, "};\n\ntypealias integer { size = 64; align = 8; signed = false; map = "
			 "clock.ticks.value; } := "
			 "ticks_t;\n\n");
}

void ctf_put_string(struct outbuf *out, const char *text)
{
	put_string(out, text, strlen(text));
}

void ctf_put_env(struct export *export, struct outbuf *out)
{
	const struct rst_metadata *metadata = rst_trace_metadata(export->trace);

	outbuf_puts(out, "\tdialect = ");
	ctf_put_string(out, metadata->dialect);
	outbuf_puts(out, ";\n\tpath = ");
	ctf_put_string(out, metadata->path);
	if (metadata->target) {
		outbuf_puts(out, ";\n\thostname = ");
		ctf_put_string(out, metadata->target);
	}
	if (export->fault) {
		outbuf_puts(out, ";\n\tfault = ");
		ctf_put_string(out, export->fault);
	}
	outbuf_printf(out, ";\n\tfirst_ts = \"%" PRIu64 "\";\n", metadata->first_ticks);
}

/*
 * An enumeration names threads. Readers look through all names of an enumeration for each event: babeltrace2
 * takes seconds for 4,000 names and has no end for 28,000. So with many names the contexts of events are
 * plain numbers, and the names stand beside them.
 */
static void put_contexts(struct outbuf *out, const struct export *export)
{
	const struct rst_context *context;
	size_t n = 0;

	outbuf_puts(out, "typealias enum : u32 {\n\t\"none\" = 4294967295");
	for (; (context = rst_trace_context(export->trace, n)); n++) {
		outbuf_puts(out, ",\n\t");
		put_string(out, context->name, context->name_bytes);
		outbuf_printf(out, " = %" PRIu32, context->index);
	}
	outbuf_puts(out, n > CTF_ENUM_NAMES_MAX ? "\n} := context_names_t;\n\ntypealias u32 := context_t;\n\n"
						: "\n} := context_t;\n\n");
}

static void put_stream(struct outbuf *out, enum ctf_stream_kind kind)
{
	outbuf_printf(out,
		"stream {\n\tid = %u;\n\tpacket.context := struct {\n\t\tticks_t timestamp_begin;\n"
		"\t\tticks_t timestamp_end;\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
		"\t\tu64 packet_seq_num;\n\t\tu64 events_discarded;\n%s\t};\n"
		"\tevent.header := struct {\n\t\tu32 id;\n\t\tticks_t timestamp;\n\t};\n"
		"\tevent.context := struct {\n\t\tu64 _seq;\n\t\tcontext_t _context;\n\t\tcontext_t "
		"_interrupted;\n"
		"\t\tu8 _depth;\n\t\ti16 _priority;\n\t\ti16 _threshold;\n\t};\n};\n\n",
		kind, kind == CTF_CORE ? "\t\tu32 cpu_id;\n" : "");
}

static bool is_kind_used(const struct ctf *ctf, enum ctf_stream_kind kind)
{
	bool is_used = kind == CTF_NO_CORE && ctf->streams[CTF_STREAMS_MAX].is_used;

	for (size_t i = 0; kind == CTF_CORE && i < CTF_STREAMS_MAX; i++)
		is_used |= ctf->streams[i].is_used;
	return is_used;
}

void ctf_put_trace(struct export *export, struct outbuf *out)
{
	outbuf_puts(out, "/* CTF 1.8 */\n\n"
			 "typealias integer { size = 8; align = 8; signed = false; } := u8;\n"
			 "typealias integer { size = 16; align = 8; signed = true; } := i16;\n"
			 "typealias integer { size = 32; align = 8; signed = false; } := u32;\n"
			 "typealias integer { size = 32; align = 8; signed = true; } := i32;\n"
			 "typealias integer { size = 64; align = 8; signed = false; } := u64;\n"
			 "typealias integer { size = 64; align = 8; signed = true; } := i64;\n\n"
			 "trace {\n\tmajor = 1;\n\tminor = 8;\n\tuuid = ");
	put_uuid(out, export);
	outbuf_puts(out,
		";\n\tbyte_order = le;\n\tpacket.header := struct {\n\t\tu32 magic;\n\t\tu32 stream_id;\n"
		"\t};\n};\n\n");
}

void ctf_put_metadata(struct export *export, struct outbuf *out)
{
	const struct ctf *ctf = export->state;

	ctf_put_trace(export, out);
	outbuf_puts(out, "env {\n\ttracer_name = \"rastrum\";\n");
	ctf_put_env(export, out);
	outbuf_puts(out, "};\n\n");
	ctf_put_clock(export, out);
	put_contexts(out, export);
	for (unsigned kind = 0; kind < N_CTF_STREAM_KINDS; kind++) {
		if (!is_kind_used(ctf, kind))
			continue;
		put_stream(out, kind);
		put_gaps(out, ctf, kind);
		for (const struct ctf_class *class = ctf->first; class; class = class->next)
			if (class->is_used[kind])
				put_class(out, class, kind);
	}
}
