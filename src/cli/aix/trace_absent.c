/* SPDX-License-Identifier: MIT */
/* Letters of AIX's trace that sessions here have not: named so that each can be refused with the reason. */
#include "cli/aix/trace.h"
#include "cli/cli.h"

const struct opt trace_absent_opts[] = {
	{ OPT_TEXT, 't', "threads", "LIST", offsetof(struct trace_args, threads),
		.help = "threads: a stream has whole processes; use trcrpt -T" },
	{ OPT_TEXT, 'C', "cpus", "LIST|all", offsetof(struct trace_args, cores),
		.help = "a file for each processor: the log has their order; use trcrpt -C" },
	{ OPT_FLAG, 'p', "processor", NULL, offsetof(struct trace_args, has_cores),
		.help = "the processor of each entry, which is there anyway" },
	{ OPT_FLAG, 'n', "names", NULL, offsetof(struct trace_args, has_names),
		.help = "names of the kernel's symbols; use trcrpt -n" },
	{ OPT_FLAG, 'M', "maps", NULL, offsetof(struct trace_args, has_maps),
		.help = "dumps of AIX's address maps: logs have the modules of processes" },
	{ OPT_TEXT, 'r', "registers", "LIST", offsetof(struct trace_args, registers),
		.help = "registers of AIX's processors" },
	{ OPT_FLAG, 'I', "interrupts", NULL, offsetof(struct trace_args, has_interrupts),
		.help = "interrupts of AIX's kernel" },
	{ OPT_TEXT, 'e', "components", "COMMAND", offsetof(struct trace_args, components),
		.help = "components of AIX's kernel" },
	{ OPT_FLAG, 'b', "heap", NULL, offsetof(struct trace_args, is_in_heap),
		.help = "buffers in the heap of AIX's kernel" },
	{ OPT_FLAG, 'B', "segments", NULL, offsetof(struct trace_args, is_in_segments),
		.help = "buffers in memory segments of AIX" },
	{ OPT_FLAG, 'W', "partition-ids", NULL, offsetof(struct trace_args, has_partition_ids),
		.help = "the workload partition of AIX in each entry" },
	{ OPT_TEXT, '@', "partitions", "LIST", offsetof(struct trace_args, partitions),
		.help = "workload partitions of AIX" },
	{ .kind = OPT_END },
};

static const struct absent {
	char letter;
	bool is_flag;
	size_t offset;
	const char *why, *advice;
} absent[] = {
	{ 't', false, offsetof(struct trace_args, threads), "sessions record whole processes",
		"choose threads in the report, with trcrpt -T" },
	{ 'C', false, offsetof(struct trace_args, cores),
		"one log has the entries of all processors in the order of time",
		"choose processors with trcrpt -C" },
	{ 'p', true, offsetof(struct trace_args, has_cores), "entries have their processor anyway",
		"leave it out; trcrpt -O cpuid=on shows it" },
	{ 'n', true, offsetof(struct trace_args, has_names),
		"names of symbols are looked for when a report is made", "give trcrpt -n the program" },
	{ 'M', true, offsetof(struct trace_args, has_maps), "the log has the modules of each process anyway",
		"leave it out" },
	{ 'r', false, offsetof(struct trace_args, registers),
		"entries of programs have no registers of the processor", "leave it out" },
	{ 'I', true, offsetof(struct trace_args, has_interrupts),
		"sessions record hooks of programs, and no interrupts of the kernel", "leave it out" },
	{ 'e', false, offsetof(struct trace_args, components),
		"components of AIX's kernel are not there to be traced", "leave it out" },
	{ 'b', true, offsetof(struct trace_args, is_in_heap), "buffers are in memory of the session's own",
		"give their size with -T" },
	{ 'B', true, offsetof(struct trace_args, is_in_segments),
		"buffers are in memory of the session's own", "give their size with -T" },
	{ 'W', true, offsetof(struct trace_args, has_partition_ids), "workload partitions are a part of AIX",
		"leave it out" },
	{ '@', false, offsetof(struct trace_args, partitions), "workload partitions are a part of AIX",
		"choose processes with -A" },
};

enum rst_status trace_refuse_absent(const struct trace_args *args, struct rst_error *err)
{
	for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
		const void *at = (const char *)args + absent[i].offset;

		if (absent[i].is_flag ? *(const bool *)at : *(const char *const *)at != NULL)
			return common_refuse(
				err, absent[i].advice, "-%c: %s", absent[i].letter, absent[i].why);
	}
	return RST_OK;
}
