/* SPDX-License-Identifier: MIT */
/*
 * The bytes of a Rastrum log; docs/LOG.md is the reference. Numbers are in the order and width of the machine
 * that wrote the log (the header has both). A log is a header and blocks. In a log with a ring area (policy
 * LOOP), the area follows the header. It holds only blocks of events and losses, in cells of one size; all
 * other blocks come behind it.
 */
#ifndef LOG_FORMAT_H
#define LOG_FORMAT_H

#include <stdint.h>

#define LOG_MAGIC	"RASTRUM\n"
#define LOG_VERSION	1
#define LOG_BLOCK_MAGIC 0x4b4c4252u /* "RBLK" in memory of a little-endian machine */
#define LOG_BLOCK_MAX	(1u << 20)  /* of a block with its head; a longer one is damage */

enum log_content {
	LOG_CONTENT_POSIX = 1,
};

enum log_clock {
	LOG_CLOCK_MONOTONIC = 1, /* ticks are nanoseconds of CLOCK_MONOTONIC */
	LOG_CLOCK_TSC = 2,	 /* ticks of the processor's counter; the clock pairs give their length */
};

struct log_header {
	char magic[8];
	uint16_t version;
	uint8_t byte_order; /* 1: little endian, 2: big */
	uint8_t word_bytes; /* 4 or 8 */
	uint32_t header_bytes;
	uint32_t compatible;   /* features that a reader may ignore */
	uint32_t incompatible; /* features that a reader must know: LOG_NEEDS_* */
	uint32_t content;      /* enum log_content */
	uint32_t clock;	       /* enum log_clock */
	uint64_t clock_hz;     /* as far as it was known at the start; 0 if it is not known */
	uint64_t area_bytes;   /* of the ring area that follows the header; 0: none */
	uint64_t cell_bytes; /* of one cell in it: blocks, then eight zero bytes, then nothing that counts */
	int64_t start_seconds; /* CLOCK_REALTIME */
	uint32_t start_nanoseconds;
	uint32_t pid; /* of the process that made the stream */
	char host[64];
	char command[128]; /* arguments, with a blank between them; cut if longer */
	uint32_t reserved;
	uint32_t crc; /* CRC-32C of all bytes before; a longer header goes on behind it */
};
#define LOG_NEEDS_AREA	 1u
#define LOG_NEEDS_ZSTD	 2u /* events of some blocks are zstd frames (LOG_BLOCK_ZSTD) */
#define LOG_NEEDS_PACKED 4u /* events of some blocks are packed (LOG_BLOCK_PACKED) */

enum log_kind {
	LOG_ATTRIBUTES = 1, /* struct log_attributes */
	LOG_TYPE = 2,	    /* struct log_type and its fields */
	LOG_MODULE = 3,	    /* struct log_module and a path */
	LOG_CLOCK_PAIR = 4, /* struct log_clock_pair */
	LOG_EVENTS = 5,	    /* struct log_events and events */
	LOG_LOSS = 6,	    /* struct log_loss */
	LOG_TASK = 7,	    /* struct log_task, perhaps struct log_priority: a process or thread */
	LOG_END = 8,	    /* struct log_end: what a complete log ends with */
	LOG_RAW = 9,	    /* bytes of another dialect, as captured */
	LOG_SESSION = 10,   /* struct log_session: what a session of AIX's trace records */
};

/* In front of every block; length bytes of body follow, then zeros up to a multiple of 8. */
struct log_block {
	uint32_t magic;
	uint16_t kind;
	uint16_t flags; /* LOG_BLOCK_* */
	uint32_t length;
	uint32_t crc;	   /* CRC-32C of this head with crc = 0, and the body */
	uint64_t sequence; /* 0, 1, 2 … in the order begun; the order of events in a ring area */
};
#define LOG_BLOCK_ZSTD	 1u /* of LOG_EVENTS: one zstd frame (RFC 8878) follows struct log_events */
#define LOG_BLOCK_PACKED 2u /* of LOG_EVENTS: events as log_pack() writes them (pack.h) */

/*
 * One event, in memory and in a block that is not packed. It is followed by length bytes of data, then by
 * zeros up to a multiple of 8.
 */
struct log_event {
	uint16_t type;
	uint16_t flags;
	uint16_t length;
	uint16_t cpu; /* LOG_NO_CPU: not known */
	uint64_t ticks;
	uint64_t address; /* of the call, in the process's own memory; 0: none */
	uint32_t pid;	  /* 0 if it has no process */
	uint32_t tid;	  /* 0 if it has no thread */
	uint64_t thread;  /* the bits of its pthread_t; 0: none */
};
#define LOG_EVENT_CUT 1u /* the stream's max-data-size cut the data */
#define LOG_NO_CPU    0xffffu
#define LOG_DATA_MAX  0xfff8u

static inline uint64_t log_event_bytes(uint64_t length)
{
	return sizeof(struct log_event) + ((length + 7) & ~7ull);
}

/* In front of the events of a LOG_EVENTS block, which are in order of time. */
struct log_events {
	uint64_t first_ticks;
	uint64_t last_ticks;
	uint32_t n_events;
	uint16_t core;	/* the first processor of an event; LOG_NO_CPU if it is not known */
	uint16_t flags; /* LOG_EVENTS_*; 0, and core too, in older logs */
};
#define LOG_EVENTS_HAS_CORE	 1u /* core counts */
#define LOG_EVENTS_SEVERAL_CORES 2u /* events were on other processors, too */

struct log_attributes {
	uint64_t stream_size;
	uint64_t log_size;
	uint64_t data_size;
	int64_t created_seconds;
	uint32_t created_nanoseconds;
	uint32_t resolution_nanoseconds;
	uint32_t stream_policy; /* numbers of <trace.h> */
	uint32_t log_policy;
	uint32_t inheritance;
	uint32_t pid; /* traced */
	char version[64];
	char name[64];
};

/*
 * An event type, followed by n_fields times struct log_field. The block is repeated if the type is described
 * later.
 */
struct log_type {
	uint32_t id;
	uint32_t n_fields;
	char name[64];
};
struct log_field {
	char name[32];
	uint32_t kind; /* POSIX_TRACE_SIGNED_NP … of <trace.h> */
	uint32_t size; /* 0 for the rest of the data */
};
#define LOG_FIELDS_MAX 32

/* A piece of a program or library in a process's memory; its path follows, length bytes. */
struct log_module {
	uint32_t pid;
	uint32_t length;
	uint64_t address;
	uint64_t size;
	uint64_t file_offset; /* what lies at address */
	uint32_t n_build_id;  /* bytes */
	uint8_t build_id[28];
};

/* The readings of the clocks at one instant. */
struct log_clock_pair {
	uint64_t ticks;
	int64_t monotonic; /* nanoseconds */
	int64_t realtime;  /* nanoseconds since 1970 */
	uint64_t error;	   /* at most so many nanoseconds from one instant; 0 if it is not known */
};

/* The length of a pair in logs without its error. */
enum { LOG_CLOCK_PAIR_BYTES_MIN = 24 };

/*
 * n_events were lost in front of the first event of the next LOG_EVENTS block. If the log has a ring area,
 * this block is in it, like events.
 */
struct log_loss {
	uint64_t n_events;
	uint64_t first_ticks; /* of the first one; 0 if it is not known */
};

struct log_task {
	uint32_t pid;
	uint32_t tid;
	char name[16];
};

/*
 * Follows a task: its priority at that time, as in the kernel's sched_switch. Lower is more urgent; 0 to 98
 * is real-time.
 */
struct log_priority {
	int32_t priority;
	uint32_t reserved;
};

/* The last session block is valid. If no bit is set, reports print `all hooks`, whatever the channels. */
struct log_session {
	uint32_t mode;	       /* enum log_session_mode */
	uint32_t channels;     /* bit n: channel n */
	uint64_t left_out[64]; /* hooks by the first three digits of their ids: bit n % 64 of word n / 64 */
};
enum log_session_mode {
	LOG_SESSION_ALTERNATE = 1,
	LOG_SESSION_CIRCULAR = 2,
	LOG_SESSION_SINGLE = 3,
};

/* The last block of a complete log. */
struct log_end {
	uint64_t n_events;	/* written, including those overwritten in a ring area */
	uint64_t n_lost;	/* never written */
	uint64_t n_overwritten; /* in a ring area */
	uint32_t stream_status; /* of struct posix_trace_status_info, as accumulated */
	uint32_t stream_full;
	uint32_t stream_overrun;
	uint32_t flush_error;
	uint32_t log_overrun;
	uint32_t log_full;
	uint32_t reason;    /* enum log_end_reason */
	uint32_t n_unnamed; /* event types, or their fields, that had no room */
};

/*
 * A span: consecutive blocks up to the next span or to LOG_END. The spans of a log follow struct log_end in
 * its body, in front of struct log_spans. With them, a reader that looks for a few events need not read the
 * heads of all blocks.
 */
struct log_span {
	uint64_t offset;		  /* of the first block */
	uint64_t first_ticks, last_ticks; /* of the events */
	uint64_t n_events;
	uint32_t n_blocks;
	uint16_t core, flags; /* as in struct log_events, for all blocks together; and LOG_SPAN_MIXED */
};
#define LOG_SPAN_MIXED 0x8000u /* not all blocks are blocks of events */

/* The last bytes of a log with spans. */
struct log_spans {
	uint32_t n_spans;
	uint32_t n_bytes; /* of the last block, with its head */
};

enum log_end_reason {
	LOG_END_SHUTDOWN = 0,
	LOG_END_EXIT = 1, /* the controller ended or called exec */
	LOG_END_SNAPSHOT = 2,
};

_Static_assert(sizeof(struct log_header) == 272, "the header has no holes");
_Static_assert(sizeof(struct log_block) == 24, "heads of blocks have no holes");
_Static_assert(sizeof(struct log_event) == 40, "events have no holes");
_Static_assert(sizeof(struct log_events) == 24, "the head of events has no holes");
_Static_assert(sizeof(struct log_attributes) == 184, "attributes have no holes");
_Static_assert(sizeof(struct log_type) == 72, "types have no holes");
_Static_assert(sizeof(struct log_field) == 40, "fields have no holes");
_Static_assert(sizeof(struct log_module) == 64, "modules have no holes");
_Static_assert(sizeof(struct log_clock_pair) == 32, "clock pairs have no holes");
_Static_assert(sizeof(struct log_loss) == 16, "losses have no holes");
_Static_assert(sizeof(struct log_task) == 24, "tasks have no holes");
_Static_assert(sizeof(struct log_priority) == 8, "priorities have no holes");
_Static_assert(sizeof(struct log_session) == 520, "sessions have no holes");
_Static_assert(sizeof(struct log_end) == 56, "the end has no holes");
_Static_assert(sizeof(struct log_span) == 40, "spans have no holes");
_Static_assert(sizeof(struct log_spans) == 8, "the end of spans has no holes");

#endif
