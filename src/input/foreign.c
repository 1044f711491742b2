/* SPDX-License-Identifier: MIT */
#include "input/foreign.h"

#include <string.h>

#define UNPACK(command) "unpack it first: " command " FILE | rastrum report -", true

static const char own_reader[] = "it has a reader of its own, and rastrum reads none of these";

static const struct row {
	const char *magic;
	size_t n_magic;
	struct foreign foreign;
} rows[] = {
#define MAGIC(text) text, sizeof(text) - 1
	{ MAGIC("\xfd\x37zXZ\0"), { "an xz file", UNPACK("xz -dc") } },
	{ MAGIC("BZh"), { "a bzip2 file", UNPACK("bzip2 -dc") } },
	{ MAGIC("\x04\x22\x4d\x18"), { "an lz4 file", UNPACK("lz4 -dc") } },
	{ MAGIC("PK\x03\x04"), { "a zip file", UNPACK("unzip -p") } },
	{ MAGIC("\x7f"
		"ELF"),
		{ "an ELF file, a program or core",
			"dump the trace buffer out of it, as docs/CAPTURE.md says", false } },
	{ MAGIC("\xd4\xc3\xb2\xa1"), { "a pcap file of network packets", own_reader, false } },
	{ MAGIC("\xa1\xb2\xc3\xd4"), { "a pcap file of network packets", own_reader, false } },
	{ MAGIC("\x0a\x0d\x0d\x0a"), { "a pcapng file of network packets", own_reader, false } },
	{ MAGIC("\xc1\x1f\xfc\xc1"), { "a CTF trace, as LTTng writes it", "babeltrace2 reads it", false } },
	{ MAGIC("\xc1\xfc\x1f\xc1"), { "a CTF trace, as LTTng writes it", "babeltrace2 reads it", false } },
	{ MAGIC("PERFILE2"), { "a recording of perf", "perf script reads it", false } },
	{ MAGIC("\x17\x08\x44tracing"), { "a recording of trace-cmd", "trace-cmd report reads it", false } },
	{ MAGIC("SQLite format 3"), { "an SQLite database", own_reader, false } },
	{ MAGIC("{\"traceEvents\""),
		{ "a trace for Chrome or Perfetto", "ui.perfetto.dev shows it", false } },
	{ MAGIC("\xef\xdf\x11\x14"),
		{ "a log of AIX's trace daemon", "those of embed/aix are read; these are not yet", false } },
#undef MAGIC
};

const struct foreign *foreign_find(const uint8_t *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (n_bytes >= rows[i].n_magic && memcmp(bytes, rows[i].magic, rows[i].n_magic) == 0)
			return &rows[i].foreign;
	return NULL;
}
