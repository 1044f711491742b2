/* SPDX-License-Identifier: MIT */
/*
 * The metadata of the profile lttng-kernel. Names and types are those of LTTng's kernel tracer; texts have
 * any length.
 */
#include <ctype.h>

#include "export/ctf.h"

#define TASK(prefix)                                                                                  \
	"\t\tstring { encoding = UTF8; } _" prefix "comm;\n\t\ti32 _" prefix "tid;\n\t\ti32 _" prefix \
	"prio;\n"
#define PARTY(prefix)                                                                                   \
	"\t\tstring { encoding = UTF8; } _" prefix "_comm;\n\t\ti32 _" prefix "_tid;\n\t\ti32 _" prefix \
	"_pid;\n"

static const struct {
	const char *name, *fields;
} events[KERNEL_N_EVENTS] = {
	[KERNEL_SWITCH] = { "sched_switch", TASK("prev_") "\t\ti64 _prev_state;\n" TASK("next_") },
	[KERNEL_WAKING] = { "sched_waking", TASK("") "\t\ti32 _target_cpu;\n" },
	[KERNEL_WAKEUP] = { "sched_wakeup", TASK("") "\t\ti32 _target_cpu;\n" },
	[KERNEL_FORK] = { "sched_process_fork", PARTY("parent") PARTY("child") },
	[KERNEL_EXIT] = { "sched_process_exit", TASK("") },
	[KERNEL_FREE] = { "sched_process_free", TASK("") },
	[KERNEL_IRQ_ENTRY] = { "irq_handler_entry",
		"\t\ti32 _irq;\n\t\tstring { encoding = UTF8; } _name;\n" },
	[KERNEL_IRQ_EXIT] = { "irq_handler_exit", "\t\ti32 _irq;\n\t\ti32 _ret;\n" },
};

static void put_service(struct outbuf *out, const struct rst_type *type, bool is_entry)
{
	outbuf_printf(out, "event {\n\tid = %u;\n\tstream_id = 0;\n\tname = \"syscall_%s_",
		KERNEL_SERVICES + 2 * type->index + !is_entry, is_entry ? "entry" : "exit");
	for (size_t i = 0; i < type->name_bytes && outbuf_reserve(out, 1); i++) {
		const unsigned char c = (unsigned char)type->name[i];

		*out->at++ = (char)(isalnum(c) ? tolower(c) : '_');
	}
	outbuf_printf(out, "\";\n\tfields := struct {\n%s\t};\n};\n\n", is_entry ? "" : "\t\ti64 _ret;\n");
}

static void put_env(struct export *export, struct outbuf *out)
{
	outbuf_puts(out, "env {\n\tdomain = \"kernel\";\n\tsysname = ");
	ctf_put_string(out, rst_trace_metadata(export->trace)->dialect);
	outbuf_puts(out, ";\n\tkernel_release = \"\";\n\tkernel_version = \"\";\n\ttracer_name = "
			 "\"lttng-modules\";\n\ttracer_major = 2;\n\ttracer_minor = 12;\n"
			 "\ttracer_patchlevel = 0;\n\ttrace_buffering_scheme = \"global\";\n");
	ctf_put_env(export, out);
	outbuf_puts(out, "};\n\n");
}

void kernel_put_metadata(struct export *export, struct outbuf *out)
{
	const struct kernel *kernel = &((struct ctf *)export->state)->kernel;

	ctf_put_trace(export, out);
	put_env(export, out);
	ctf_put_clock(export, out);
	outbuf_puts(out, "stream {\n\tid = 0;\n\tpacket.context := struct {\n\t\tticks_t timestamp_begin;\n"
			 "\t\tticks_t timestamp_end;\n\t\tu64 content_size;\n\t\tu64 packet_size;\n"
			 "\t\tu64 packet_seq_num;\n\t\tu64 events_discarded;\n\t\tu32 cpu_id;\n\t};\n"
			 "\tevent.header := struct {\n\t\tu32 id;\n\t\tticks_t timestamp;\n\t};\n};\n\n");
	for (unsigned i = 0; i < KERNEL_N_EVENTS; i++)
		outbuf_printf(out,
			"event {\n\tid = %u;\n\tstream_id = 0;\n\tname = \"%s\";\n\tfields := struct "
			"{\n%s\t};\n"
			"};\n\n",
			i, events[i].name, events[i].fields);
	for (size_t i = 0; i < kernel->services_room; i++) {
		if (!kernel->services[i])
			continue;
		put_service(out, rst_trace_type(export->trace, i), true);
		put_service(out, rst_trace_type(export->trace, i), false);
	}
}
