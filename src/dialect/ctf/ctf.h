/* SPDX-License-Identifier: MIT */
/*
 * Reads traces in the Common Trace Format, version 1.8: a folder with `metadata`, which describes events, and
 * with files of streams, which hold them. README.md describes the format in our words. Files, in the order of
 * their work:
 *
 *	ctf.c		the dialect: gathers the files of the folder, then gives out rows
 *	tar.c		the files of a folder that was packed with tar
 *	metadata.c	takes the packets of metadata apart
 *	words.c		text of the description to words
 *	scalars.c	words to classes of numbers and strings
 *	types.c		words to classes of all other fields
 *	blocks.c	words to clocks, streams and events
 *	labels.c	values of enumerations to labels
 *	bind.c		finds what lengths and tags refer to, and the role of each field
 *	layout.c	a class of events to the fields of the model
 *	meaning.c	what events do, for tracers that are known
 *	value.c		bits to values
 *	packets.c	where the packets of a file are
 *	stream.c	the packets of one stream, event by event
 *	follow.c	which thread has each core
 *	rows.c		the streams of all traces, merged by time, to rows
 */
#ifndef CTF_CTF_H
#define CTF_CTF_H

#include "dialect/dialect.h"

enum { CTF_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH };

enum {
	CTF_DEPTH_MAX = 128,			 /* of nested types */
	CTF_CLASSES_MAX = LIMIT(1 << 20, 1024),	 /* nodes of bound types in one trace */
	CTF_EVENTS_MAX = LIMIT(1 << 16, 64),	 /* classes of events in one trace */
	CTF_STREAMS_MAX = LIMIT(1 << 12, 16),	 /* classes of streams in one trace */
	CTF_FIELDS_MAX = LIMIT(1 << 10, 32),	 /* of one event, with its contexts */
	CTF_LOOKS_MAX = LIMIT(1 << 26, 1 << 12), /* names that lengths and tags are compared with */
	CTF_HELD_MAX = LIMIT(1 << 8, 8), /* values of headers and contexts that lengths and tags refer to */
	CTF_VALUES_MAX = LIMIT(1 << 12, 32),	     /* the same with those of one event */
	CTF_STEPS_FREE = LIMIT(128, 32),	     /* elements of an event … */
	CTF_STEPS_BIT = 4,			     /* … and so many more for each of its bits */
	CTF_PACKETS_MAX = LIMIT(1 << 20, 256),	     /* of all traces */
	CTF_MERGED_MAX = LIMIT(1 << 14, 32),	     /* streams of all traces */
	CTF_SCRATCH_BYTES = LIMIT(1 << 20, 1 << 12), /* of the values of a batch, and so of an event */
	CTF_TRACES_MAX = LIMIT(1 << 12, 8),
	CTF_CORES_MAX = LIMIT(1 << 8, 4), /* whose threads are followed */
	CTF_NESTING_MAX = 8,		  /* of interrupts; of more, the innermost ones */
	CTF_SOFTIRQS = 1 << 16,		  /* the number of the first softirq among interrupts */
};
#define CTF_METADATA_MAX ((size_t)LIMIT(64 << 10, 16) << 10)
#define CTF_ARENA_MAX	 ((size_t)LIMIT(256, 1) << 20) /* of all descriptions */

/* --- the description of a trace ------------------------------------------------------------------------- */

enum ctf_kind {
	CTF_INTEGER,
	CTF_ENUMERATION, /* an integer with labels */
	CTF_REAL,
	CTF_STRING,
	CTF_STRUCTURE,
	CTF_ARRAY,
	CTF_SEQUENCE,
	CTF_VARIANT,
};

enum ctf_order { CTF_NATIVE, CTF_LITTLE, CTF_BIG };

/* The purpose of a field. */
enum ctf_role {
	CTF_PLAIN,
	CTF_MAGIC,
	CTF_UUID,
	CTF_STREAM_ID,
	CTF_INSTANCE_ID,
	CTF_PACKET_SIZE,
	CTF_CONTENT_SIZE,
	CTF_BEGIN,
	CTF_END,
	CTF_DISCARDED,
	CTF_PACKET_NUMBER,
	CTF_CPU,
	CTF_EVENT_ID,
	CTF_N_ROLES
};

struct ctf_clock {
	const char *name;
	uint64_t hz;		  /* 0 if it is not known */
	int64_t offset_s, offset; /* of its zero from 1970, in seconds and ticks */
	bool is_absolute;	  /* the offset counts, even if it is 0 */
	struct ctf_clock *next;
};

struct ctf_label {
	const char *name;
	uint64_t from, to; /* both included; as signed numbers if the enumeration is */
};

/* Which label each value has: the one of the last start that is not greater. */
struct ctf_starts {
	size_t n;
	uint64_t *from;	 /* ascending; of signed numbers the highest bit is inverted */
	uint32_t *label; /* its index; CTF_NO_LABEL */
};

enum { CTF_NO_LABEL = UINT32_MAX };

struct ctf_member {
	const char *name;
	const struct ctf_class *class;
	int keep;      /* the place of its value among the kept ones; -1: no other field refers to it */
	bool is_early; /* it lies in a header, or in a context of a packet or stream */
	enum ctf_role role;
};

struct ctf_class {
	enum ctf_kind kind;
	uint32_t align; /* bits, a power of two */

	uint32_t n_bits; /* of a number */
	bool is_signed, is_text;
	uint8_t base;
	enum ctf_order order;
	bool is_big; /* from `order`, when it is bound */
	const char *clock_name;
	const struct ctf_clock *clock;

	size_t n_labels;
	const struct ctf_label *labels;
	struct ctf_starts starts; /* of the labels; of a variant, of those that have an option */

	size_t n_members; /* of a structure, or options of a variant */
	struct ctf_member *members;

	const struct ctf_class *item; /* of an array */
	uint64_t n_items;

	const char *of;			   /* the path of the length or tag */
	int from;			   /* the place of its value among the kept ones */
	const struct ctf_class *selector;  /* the enumeration of a tag */
	const struct ctf_member **options; /* for each label of it, or NULL */
};

/* The parts of packets and events, in their order. */
enum ctf_part {
	CTF_PACKET_HEADER,
	CTF_PACKET_CONTEXT,
	CTF_EVENT_HEADER,
	CTF_STREAM_CONTEXT,
	CTF_EVENT_CONTEXT,
	CTF_PAYLOAD,
	CTF_N_PARTS
};

/* How a field of an event becomes a field of a row. */
enum ctf_form { CTF_AS_NUMBER, CTF_AS_TEXT, CTF_AS_CHARACTERS, CTF_AS_ITEMS, CTF_AS_JSON };

struct ctf_column {
	const struct ctf_member *member;
	enum ctf_form form;
	unsigned slot;	    /* its field in the row */
	uint8_t item_bytes; /* CTF_AS_ITEMS */
};

/* How an event changes its core. */
enum ctf_act {
	CTF_ACT_NONE,
	CTF_ACT_IN,	   /* the thread of the first field gets it */
	CTF_ACT_OUT,	   /* the thread of the first field leaves it */
	CTF_ACT_SWITCH,	   /* from the thread of the first field to that of the second; 0 is idle */
	CTF_ACT_ISR_IN,	   /* an interrupt begins; the first field is its number, if there is one */
	CTF_ACT_SOFT_IN,   /* a softirq begins */
	CTF_ACT_ISR_OUT,   /* the innermost interrupt ends */
	CTF_ACT_ASKS,	   /* the thread of the first field may have to wait from here on */
	CTF_ACT_ASKS_SELF, /* the thread of the event may */
	CTF_ACT_READY,	   /* the thread of the first field is ready */
	CTF_ACT_CREATE,	   /* the object of the first field begins to exist */
};

enum { CTF_MEANING_FIELDS = 5, CTF_MEANING_NAMES = 2 };

struct ctf_meaning_name {
	enum rst_object_kind kind;
	uint8_t id, name; /* fields, from 1 */
};

/* The meaning of all events of one name. */
struct ctf_meaning {
	const char *name;
	const char *fields[CTF_MEANING_FIELDS];
	enum ctf_act act;
	struct ctf_meaning_name names[CTF_MEANING_NAMES];
	const struct rst_effect *effects[2]; /* of its two forms; the second is NULL if it has one */
};

struct ctf_trace;

struct ctf_tracer {
	const char *name;
	bool (*is_it)(const struct ctf_trace *trace);
	const struct ctf_meaning *rows;
	size_t n_rows;
	bool has_streams_of_cores; /* packets tell the core, else a field of the event may */
};

struct ctf_event {
	uint64_t id, stream_id;
	bool has_stream_id;
	const char *name;
	const struct ctf_class *parts[CTF_N_PARTS];
	struct ctf_event *next; /* in the order of the text */

	/* Set when the first event comes (layout.c): */
	struct rst_field *fields;
	const struct rst_layout *layouts[2]; /* of its two forms */
	unsigned n_slots, n_columns[CTF_N_PARTS];
	struct ctf_column *columns[CTF_N_PARTS];
	int thread_slot, process_slot, name_slot; /* -1 if the event lacks it */
	const struct ctf_meaning *meaning;	  /* NULL if it is not known */
	const char *span_name;
	int8_t field_of[CTF_MEANING_FIELDS];  /* the slots of the meaning's fields … */
	int8_t number_of[CTF_MEANING_FIELDS]; /* … and of those that are numbers */
	int8_t core_slot;
	bool has_names[CTF_MEANING_NAMES];
};

struct ctf_stream_class {
	uint64_t id;
	bool has_id;
	const struct ctf_class *parts[CTF_N_PARTS];
	struct map events;	/* by id */
	uint32_t index;		/* from 1 */
	struct ctf_event *only; /* if it has one class of events */
	size_t n_events;
	struct ctf_stream_class *next;
};

struct ctf_file {
	const char *name; /* with the folder */
	const uint8_t *bytes;
	size_t n_bytes;
};

struct ctf_interrupt {
	bool has_number;
	uint64_t number;
};

struct ctf_core {
	bool has_thread, is_idle;
	bool is_asking; /* its thread has asked for something, and nothing has shown that it got it */
	uint64_t thread;
	unsigned n_interrupts;
	struct ctf_interrupt interrupts[CTF_NESTING_MAX];
};

/* One folder with metadata. */
struct ctf_trace {
	struct ctf_file metadata;
	struct ctf_file *files;
	size_t n_files, files_room;

	struct arena arena;
	enum ctf_order order;
	bool has_uuid;
	uint8_t uuid[16];
	const struct ctf_class *packet_header;
	struct ctf_clock *clocks;
	struct ctf_clock *plain_clock; /* of stamps in a description without clocks */
	struct ctf_stream_class *streams;
	struct map stream_ids; /* to struct ctf_stream_class, by id */
	size_t n_streams, n_events, n_classes;
	uint64_t n_looks;	       /* names that were compared */
	int n_held;		       /* values of headers and contexts that are kept */
	const struct ctf_clock *clock; /* of its stamps, or NULL */
	bool is_scaled;		       /* its ticks become nanoseconds */
	struct ctf_event *events, **last_event;
	const char *hostname, *domain, *tracer, *process_name;
	uint64_t process;		       /* of the environment; 0 if it is not known */
	int64_t shift;			       /* ticks that its clock is behind the clock of the rows */
	const char *fault;		       /* why it cannot be read */
	const struct ctf_tracer *tracer_table; /* NULL if the meaning of its events is not known */
	struct ctf_core *cores;		       /* CTF_CORES_MAX, if it is */
};

/* --- reading the description ---------------------------------------------------------------------------- */

struct ctf_text {
	const char *bytes;
	size_t n_bytes;
};

/* A description that is not understood: where, and why. */
struct ctf_fault {
	uint64_t line; /* from 1; 0 if it is not known */
	char what[160];
};

/* tar.c: how sure it is that a file is a trace that tar has packed, 0 to 100. */
unsigned ctf_rate_tar(const uint8_t *bytes, size_t n_bytes);

/* tar.c: the next regular file of a tar file, behind *at. Returns false if no file follows. */
bool ctf_tar_next(
	const uint8_t *bytes, size_t n_bytes, size_t *at, struct ctf_file *ret, char *ret_name, size_t room);

/* tar.c: whether the end mark of a tar file stands where ctf_tar_next() found no further file. */
bool ctf_tar_is_whole(const uint8_t *bytes, size_t n_bytes, size_t at);

/* metadata.c: how sure it is that a file is metadata, 0 to 100. */
unsigned ctf_rate_metadata(const uint8_t *bytes, size_t n_bytes);

/*
 * metadata.c: the text of a metadata file, from the trace's arena if it was in packets. *ret_cut: a packet is
 * broken, and the text ends before it. Returns false if memory ran out.
 */
bool ctf_metadata_text(struct ctf_trace *trace, struct ctf_text *ret, bool *ret_cut);

/* blocks.c: takes the description of a trace. Returns RST_E_DAMAGED with the fault, or RST_E_NOMEM. */
enum rst_status ctf_describe(struct ctf_trace *trace, struct ctf_text text, struct ctf_fault *fault);

/* bind.c: finds what the description refers to. Returns as ctf_describe(). */
enum rst_status ctf_bind(struct ctf_trace *trace, struct ctf_fault *fault);

/* Writes the fault, and returns RST_E_DAMAGED. */
enum rst_status ctf_refuse(struct ctf_fault *fault, uint64_t line, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * labels.c: finds the label of each value: the first one that contains it, and that is_used, which may be
 * NULL, has. Returns false if memory ran out.
 */
bool ctf_index_labels(struct arena *arena, const struct ctf_class *class,
	const struct ctf_member *const *is_used, struct ctf_starts *ret);

/* labels.c: the index of the label of a value, or CTF_NO_LABEL. */
uint32_t ctf_find_label(const struct ctf_starts *starts, bool is_signed, uint64_t number);

/* Whether two names are the same but for one leading underscore of either. */
bool ctf_is_name(const char *a, const char *b);

/* A name without its leading underscore. */
static inline const char *ctf_bare_name(const char *name)
{
	return name[0] == '_' && name[1] ? name + 1 : name;
}

/* --- values --------------------------------------------------------------------------------------------- */

/* Bits that are read, of one packet. */
struct ctf_bits {
	const uint8_t *bytes;
	uint64_t at, end; /* in bits */
};

/* A stream's clock, which is as wide as its widest stamp. */
struct ctf_time {
	bool is_known;
	uint64_t ticks;
};

/* Where values go, as JSON or as bytes; `is_full` if they do not fit. */
struct ctf_out {
	char *at, *end;
	bool is_full;
};

struct ctf_reader {
	struct ctf_bits bits;
	struct ctf_out *out;   /* is NULL if values are only kept */
	struct ctf_time *time; /* or NULL */
	uint64_t *kept;
	uint64_t *roles; /* by role, or NULL; the event's id may come twice, and the last one counts */
	uint64_t has_roles;
	unsigned counter_bits;
	uint64_t n_steps, from; /* elements since the bit where the reader began */
	const char *fault;	/* why the last value could not be read */
};

/* value.c: reads an integer or a real, with its sign extended. Returns false at the end of the bits. */
bool ctf_read_number(struct ctf_reader *reader, const struct ctf_class *class, uint64_t *ret);

/*
 * value.c: reads a value of a class, and keeps, or writes as JSON, what is wanted. Returns false with a
 * fault.
 */
bool ctf_read_value(
	struct ctf_reader *reader, const struct ctf_class *class, const struct ctf_member *member);

/*
 * value.c: counts an element. Elements without bits would take time without end, so they are bounded by the
 * bits that were read. Returns false with a fault.
 */
bool ctf_count_step(struct ctf_reader *reader);

/* value.c: how many elements an array or a sequence has here, and where its bits begin. */
uint64_t ctf_n_items(const struct ctf_reader *reader, const struct ctf_class *class);

/* value.c: moves to a multiple of so many bits. Returns false behind the end. */
bool ctf_align(struct ctf_reader *reader, uint32_t align);

/* value.c: the characters of a string, in place; the reader goes behind its NUL. */
bool ctf_read_string(struct ctf_reader *reader, struct ctf_text *ret);

/* value.c: keeps a number that another field or the stream needs. */
void ctf_keep_number(struct ctf_reader *reader, const struct ctf_member *member,
	const struct ctf_class *class, uint64_t number);

/* layout.c: the fields of an event and of its contexts. */
size_t ctf_count_fields(const struct ctf_event *event);

/* layout.c: makes the layout and columns of a class of events. Returns false if memory ran out. */
bool ctf_make_layout(struct ctf_trace *trace, struct ctf_event *event, struct model *model);

/* layout.c: the layout of one form of the event. Returns NULL if memory ran out. */
const struct rst_layout *ctf_layout(struct ctf_event *event, bool is_other, struct model *model);

/* meaning.c: the tracer whose events the trace has, or NULL. */
const struct ctf_tracer *ctf_tracer_of(const struct ctf_trace *trace);

/* meaning.c: finds the meaning of an event, when its columns are known. */
void ctf_find_meaning(struct ctf_trace *trace, struct ctf_event *event);

/* meaning.c: gives the layout of one form of the event its effects. Returns false if memory ran out. */
bool ctf_give_meaning(
	const struct ctf_event *event, bool is_other, struct rst_layout *layout, struct model *model);

/*
 * layout.c: reads one part of an event into the slots of a payload, whose further bytes are at reader->out.
 */
bool ctf_read_columns(
	struct ctf_reader *reader, const struct ctf_event *event, enum ctf_part part, uint8_t *payload);

/* --- packets and streams -------------------------------------------------------------------------------- */

struct ctf_packet {
	const struct ctf_file *file;
	const struct ctf_stream_class *class; /* is NULL if the bytes are no packet */
	uint64_t at, n_bytes;		      /* in the file */
	uint64_t begins_bits, content_bits;   /* of its events, from `at` */
	uint64_t roles[CTF_N_ROLES];
	uint64_t has_roles;
	unsigned counter_bits; /* of the counter of discarded events */
	bool is_cut;
	const char *damage; /* shown behind its events; NULL if it is whole */
	uint64_t damage_at, damage_bytes;
	uint64_t number; /* its place among all */
	uint32_t trace_index;
};

/* A stream, which may have several files, or share one. */
struct ctf_stream {
	struct ctf_trace *trace;
	const struct ctf_packet *packets;
	size_t n_packets, n_opened;
	const struct ctf_packet *packet; /* that is being read */
	struct ctf_bits bits;
	struct ctf_time time;
	const struct ctf_event *event; /* the next one; its header is read */
	uint64_t event_at;	       /* bit of its header */
	uint64_t ticks, stamp, *kept;
	uint16_t core;
	bool has_counter, has_number;
	uint64_t counter, number;
	unsigned phase; /* of the packet that is being opened */
	uint32_t index;
};

/* The gap that a step of a stream has met. */
enum ctf_step { CTF_STEP_EVENT, CTF_STEP_GAP, CTF_STEP_END, CTF_STEP_NOMEM };

struct ctf {
	struct ctf_trace **traces;
	size_t n_traces, traces_room;
	struct ctf_packet *packets;
	size_t n_packets, packets_room;
	bool is_full; /* packets were left out */
	struct ctf_stream *streams;
	size_t n_streams;
	struct ctf_stream **heap;
	size_t n_heap;
	uint64_t *held; /* the kept values of all streams' packets */
	uint64_t *kept; /* CTF_VALUES_MAX values of the event that is being read */
	uint64_t seq, n_back, last_ticks;
	bool is_built;
	size_t n_begun;	     /* streams whose first event was looked for */
	struct rst_gap *due; /* gaps whose rows are still to come */
	size_t n_due, due_room, n_put;
	struct ctf_file *files; /* all, before they are divided into traces */
	size_t n_files, files_room;
};

/* packets.c: finds the packets of a file. *ret_is_stream: it has one. Returns false if memory ran out. */
bool ctf_find_packets(
	struct ctf *ctf, struct ctf_trace *trace, const struct ctf_file *file, bool *ret_is_stream);

/*
 * stream.c: goes to the next event of a stream, over as many packets as it takes. Each loss or damage on the
 * way is a gap by itself: call it again. Writes the gap to *ret_gap.
 */
enum ctf_step ctf_next_event(
	struct ctf *ctf, struct ctf_stream *stream, struct model *model, struct rst_gap *ret_gap);

/* stream.c: gives up the rest of a packet, from a bit on, which is damage for a reason. */
void ctf_give_up(struct ctf_stream *stream, uint64_t from_bit, const char *what, struct rst_gap *gap);

/* clocks.c: finds how far each clock is behind that of the rows. Returns false if memory ran out. */
bool ctf_join_clocks(struct ctf *ctf, struct model *model);

/* clocks.c: a stamp of a trace's clock in ticks of the rows. */
uint64_t ctf_row_ticks(const struct ctf_trace *trace, uint64_t stamp);

/* rows.c: puts a row for the gap in front of the next event. Returns false if memory ran out. */
bool ctf_owe(struct ctf *ctf, const struct rst_gap *gap);

/* rows.c: makes the streams of all packets, when all files have come. */
enum rst_status ctf_make_streams(struct ctf *ctf, struct model *model, struct rst_error *err);

/* rows.c: fills the batch. Returns RST_OK, RST_END or a failure. */
enum rst_status ctf_rows(struct ctf *ctf, struct model *model, struct batch *batch, struct rst_error *err);

/*
 * rows.c: names an object when its name is first recorded; is_new: there is another object with the id from
 * here on. Returns false if memory ran out.
 */
bool ctf_name_object(struct model *model, enum rst_object_kind kind, uint64_t id, struct ctf_text name,
	bool is_new, uint64_t seq);

/* How an event is shown. */
struct ctf_shown {
	const struct rst_context *context; /* that the event names; follow.c replaces it if it names none */
	const struct rst_context *interrupted;
	uint16_t core;
	uint8_t depth;
	bool is_other; /* the event has its other form */
};

/* follow.c: finds the context of the stream's event, and what it changes. Returns false if memory ran out. */
bool ctf_follow(struct ctf *ctf, struct model *model, const struct ctf_stream *stream, const uint8_t *payload,
	struct ctf_shown *ret);

/* follow.c: after a loss nothing is known of any core. */
void ctf_forget_cores(struct ctf *ctf);

extern const struct dialect dialect_ctf;

#endif
