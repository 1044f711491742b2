/* SPDX-License-Identifier: MIT */
/*
 * The LiteOS dialect: the trace of three kernels (OpenHarmony's liteos_a and liteos_m, Huawei LiteOS 5) in
 * three forms. The formats, with their doubts, are in README.md beside this file. A recording goes through
 * these files:
 *
 *	liteos.c        the contract: settings, and which form the input has
 *	offline.c       a buffer as LOS_TraceRecordGet() returns it: header, objects, layout
 *	offline_rows.c  its frames
 *	layout.c        how frames are laid out: settings say it, or candidates are scored
 *	slots.c         finds the slots that hold a frame
 *	order.c         the order in which slots are read
 *	stream.c        messages as an online trace sends them: found among the bytes
 *	stream_block.c  put in order
 *	stream_rows.c   to frames
 *	tlv.c           the elements of one message and its checksum
 *	text.c          the text that LOS_TraceRecordDump(FALSE) prints: dumps, and their rows
 *	text_gather.c   lines to rows
 *	text_line.c     one line
 *	text_order.c    rows in order
 *	losses.c        lost events, by the event counts of a stream or text
 *	rows.c          frames, from wherever they are, to rows of a batch
 *	objects.c       names of tasks
 *	events.c        the table of events
 *	types.c         types made of it for each layout
 *
 * All forms become one: the frame of the target's struct TraceEventFrame. Streams and texts are put together
 * into such frames (in the batch's scratch), so events have the same fields at the same places in all forms.
 */
#ifndef LITEOS_LITEOS_H
#define LITEOS_LITEOS_H

#include "base/load.h"
#include "dialect/dialect.h"

extern const struct dialect dialect_liteos;

enum liteos_variant { LITEOS_UNSURE, LITEOS_A, LITEOS_M, LITEOS_H5, LITEOS_N_VARIANTS };

/* los_trace.h, los_trace_pri.h */
#define LITEOS_ENDIAN_WORD 0x12345678U
/* The bits of an id that name the task. Offline, the other bits count its records (BITS_NUM_FOR_TASK_ID). */
#define LITEOS_TASK_MASK   0xffffU

enum { LITEOS_NAME_BYTES = 32, LITEOS_OBJECT_BYTES = 40, LITEOS_BUFFER_HEAD_BYTES = 24, LITEOS_LR_MAX = 5 };
enum { LITEOS_PARAMS_MAX = 63, LITEOS_FRAME_MAX = 24 + 8 + 8 + 40 + 8 * 63 + 8 };

/*
 * The layout of frames that results from a target's configuration. The first group of members is given or
 * found; liteos_layout_offsets() derives the second group from it.
 */
struct liteos_layout {
	enum liteos_variant variant;
	unsigned ptr; /* bytes of UINTPTR: 4 or 8 */
	bool is_big;
	bool has_pid, has_core, has_count;
	bool is_printed; /* frames are made from text, which lacks parts of the core word */
	unsigned n_lr;	 /* 0 or LITEOS_LR_MAX */
	unsigned n_params;

	/* Offsets in a frame. A part that the frame lacks has the offset at which it would be. */
	uint16_t pid_at, time_at, identity_at, core_at, count_at, lr_at, params_at, frame_bytes;
};

/* A frame that was read. bytes holds n_bytes of it in the layout's form; params may be cut at the end. */
struct liteos_frame {
	uint32_t type, task, pid;
	uint64_t time, identity;
	uint32_t core_word, count; /* 0 if the layout lacks it */
	const uint8_t *bytes;	   /* valid as long as the row */
	uint32_t n_bytes;
};

/* The user's settings; 0 if it is not set. */
struct liteos_wanted {
	enum liteos_variant variant;
	unsigned ptr;
	enum liteos_choice { LITEOS_FIND_OUT, LITEOS_NO, LITEOS_YES } core, count;
	bool has_lr, has_params;
	unsigned n_lr, n_params;
};

/* Whether the setting of an optional part allows that the part is there (has) or absent. */
static inline bool liteos_choice_allows(enum liteos_choice choice, bool has)
{
	return choice == LITEOS_FIND_OUT || (choice == LITEOS_YES) == has;
}

/* Settings that have no effect for some inputs. */
enum {
	LITEOS_SETTING_PTR = 1,
	LITEOS_SETTING_CORE = 2,
	LITEOS_SETTING_COUNT = 4,
	LITEOS_SETTING_LR = 8,
	LITEOS_SETTING_PARAMS = 16,
};

enum liteos_form { LITEOS_FORM_UNKNOWN, LITEOS_OFFLINE, LITEOS_STREAM, LITEOS_TEXT };
enum { LITEOS_N_FORMS = 3 };

/* Interrupts that have begun and not ended. */
enum { LITEOS_OPEN_MAX = 32 };

struct liteos_open {
	uint64_t number;
	uint32_t task; /* the interrupted task: if the core is unknown, it tells interrupts apart */
	uint16_t core;
};

/*
 * Limits: layouts in use, one after the other; types for numbers that are in no table. Beyond the second
 * limit one type serves for all such numbers.
 */
enum { LITEOS_SHAPES_MAX = 16, LITEOS_UNLISTED_MAX = LIMIT(1024, 16) };

/* A number of an event: the bit of its module, and four bits of its own. All module bits: a user event. */
#define LITEOS_USER_FIRST 0xfffffff0U
enum { LITEOS_NUMBER_BITS = 4, LITEOS_MODULES = 28, LITEOS_ANY_NUMBER = 0 };

/* Limits: bytes of a buffer or text that comes in pieces; rows and damaged places of one dump in a text. */
enum { LITEOS_GATHERED_MAX = LIMIT(32 << 20, 4096), LITEOS_TEXT_ITEMS_MAX = LIMIT(131072, 64) };

/* Limits: definitions of names; contexts. Beyond the second limit, tasks without a name share one context. */
enum { LITEOS_NAMES_MAX = LIMIT(32768, 32), LITEOS_TASKS_MAX = LIMIT(16384, 16) };

struct liteos_offline;
struct liteos_stream;
struct liteos_text;

enum { LITEOS_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH };

struct liteos {
	struct liteos_wanted wanted;
	uint64_t wanted_hz;
	bool in_file_order;

	/* liteos.c: the input that is being read. */
	enum liteos_form form;
	uint64_t n_good;	      /* buffers whose header could be read */
	size_t buffer_at;	      /* where the present buffer begins in its chunk */
	bool is_whole;		      /* it is there as a whole */
	bool is_reading;	      /* the form's reader is in the middle of a chunk */
	bool is_cut, has_told_cut;    /* more bytes came than are read, and that is reported */
	bool has_met[LITEOS_N_FORMS]; /* as liteos.c lists the forms */
	size_t n_ended;		      /* forms that have been ended */
	bool has_told;		      /* the model has the details of one form */
	bool has_other_clock;	      /* the note about a second clock is given */

	/* The forms' own; NULL until the form is met. */
	struct liteos_offline *offline;
	struct liteos_stream *stream;
	struct liteos_text *text;

	/* rows.c: the layout in use, set by liteos_use_layout(). */
	struct liteos_layout layout;
	struct liteos_layout shapes[LITEOS_SHAPES_MAX];
	unsigned n_shapes, shape; /* shape: the one in use */
	struct map rows; /* type, shape, and how many params where that varies, to struct rst_layout */
	struct liteos_recent {
		uint64_t key; /* as in rows, 0: none */
		const struct rst_layout *row;
	} recent[256];
	unsigned n_unlisted;		/* types of numbers that are in no table */
	bool has_doubted;		/* one of these may be damage, and a note was given */
	uint16_t fixed[LITEOS_MODULES]; /* see liteos_events_fixed(), of the layout in use */
	const struct rst_constants *states[LITEOS_N_VARIANTS];
	struct liteos_open open[LITEOS_OPEN_MAX];
	unsigned n_open;
	uint64_t seq;
	struct run_clock clock; /* of the recorded times */
	uint64_t greatest_time; /* of the rows of the present run, as recorded */

	/* objects.c */
	unsigned n_names;
	bool has_passed_names;
};

/* --- liteos.c ------------------------------------------------------------------------------------------- */

/*
 * Takes the clock of an input; hz is 0 if the input states none. The user's clock has priority; otherwise the
 * first clock is valid for all inputs. A different clock gives one note. Returns false if memory ran out.
 */
bool liteos_take_clock(struct liteos *liteos, struct model *model, uint64_t hz);

/*
 * Notes which of these settings were given, and that they have no effect here; why is a clause. Returns false
 * if memory ran out.
 */
bool liteos_warn_idle(const struct liteos *liteos, struct model *model, unsigned settings, const char *why);

/* --- layout.c ------------------------------------------------------------------------------------------- */

void liteos_layout_offsets(struct liteos_layout *layout);

/* "liteos_a", "liteos_m", "huawei_v5", "unknown" */
const char *liteos_variant_name(enum liteos_variant variant);

/* Adds the details variant, ptr, endian, pid, core, count, lr and params. Returns false if memory ran out. */
bool liteos_layout_details(struct model *model, const struct liteos_layout *layout);

/* The result of a search for a layout. Scores are sums over the frames of the sample. */
struct liteos_found {
	struct liteos_layout layout;
	int64_t score, second; /* of the best, and of the next best that reads frames differently */
	uint64_t n_frames, n_candidates;
};

/*
 * Finds the layout of n_slots slots of frame_bytes each that agrees with the user's settings and fits the
 * frames best. Returns false if no layout has this size.
 */
bool liteos_layout_find(const struct liteos_wanted *wanted, const uint8_t *slots, uint64_t n_slots,
	unsigned frame_bytes, bool is_big, struct liteos_found *ret_found);

/* --- rows.c --------------------------------------------------------------------------------------------- */

/*
 * Sets the layout of the frames from now on. Each layout has types of its own. Returns false and keeps the
 * layout in use if there are more than LITEOS_SHAPES_MAX different layouts, which no target sends.
 */
bool liteos_use_layout(struct liteos *liteos, const struct liteos_layout *layout);

/* Reads a frame of n_bytes bytes, at least layout->params_at, laid out as the layout in use. */
void liteos_load_frame(
	const struct liteos_layout *layout, const uint8_t *bytes, uint32_t n_bytes, struct liteos_frame *ret);

/*
 * Adds the frame as a row: type, context, core, payload (frame->bytes). The batch must not be full, and the
 * layout must be in use. Leaves out params beyond the core word's paramCount. Returns false if memory ran
 * out.
 */
bool liteos_add_row(
	struct liteos *liteos, struct model *model, struct batch *batch, const struct liteos_frame *frame);

/*
 * Adds the marker of a new run, when the target was restarted with another clock; times go on from the
 * marker. `what` is static. The batch must not be full. Returns false if memory ran out.
 */
bool liteos_begin_run(struct liteos *liteos, struct model *model, struct batch *batch, const char *source,
	uint64_t offset, const char *what);

/*
 * Counts a gap and adds its row. Forgets open interrupts, because they may have ended in the gap. The batch
 * must not be full. Returns false if memory ran out.
 */
bool liteos_put_gap(
	struct liteos *liteos, struct model *model, struct batch *batch, const struct rst_gap *gap);

/* Stores an integer of 1 to 8 bytes in the target's order, to put a frame together. */
static inline void liteos_store(uint8_t *at, unsigned n_bytes, bool is_big, uint64_t value)
{
	for (unsigned i = 0; i < n_bytes; i++)
		at[is_big ? n_bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* los_trace_pri.h, struct CoreStatus. Bit fields begin at the top of a big-endian target's word. */
struct liteos_core {
	unsigned cpu, interrupts, lock, n_params;
	unsigned reserved; /* must be 0 */
};

static inline struct liteos_core liteos_core_of(uint32_t word, bool is_big)
{
	if (is_big)
		return (struct liteos_core){ word >> 24, word >> 20 & 15, word >> 16 & 15, word >> 12 & 15,
			word & 0xfff };
	return (struct liteos_core){ word & 0xff, word >> 8 & 15, word >> 12 & 15, word >> 16 & 15,
		word >> 20 };
}

/* The inverse of liteos_core_of(). */
static inline uint32_t liteos_core_word(struct liteos_core core, bool is_big)
{
	if (is_big)
		return core.cpu << 24 | core.interrupts << 20 | core.lock << 16 | core.n_params << 12 |
		       core.reserved;
	return core.cpu | core.interrupts << 8 | core.lock << 12 | core.n_params << 16 | core.reserved << 20;
}

/* Forgets open interrupts: after a gap or a restart they may be over. */
void liteos_forget_interrupts(struct liteos *liteos);

/* --- objects.c ------------------------------------------------------------------------------------------ */

/*
 * Names the task with this id in frames (tid, offline with the generation in the upper 16 bits) from this
 * event on. name has at most LITEOS_NAME_BYTES bytes up to a NUL. A repeated definition changes nothing;
 * definitions beyond LITEOS_NAMES_MAX are ignored. Returns false if memory ran out.
 */
bool liteos_add_object(struct liteos *liteos, struct model *model, uint32_t id, uint32_t priority,
	const uint8_t *name, size_t name_bytes);

/* --- events.c ------------------------------------------------------------------------------------------- */

/*
 * types.c: makes the type for events of this number in a layout. n_params matters only if the number does not
 * decide how many params there are (user events, unlisted numbers). states: see liteos_states(). Returns NULL
 * if memory ran out.
 */
const struct rst_layout *liteos_bind_type(struct model *model, uint32_t type, unsigned n_params,
	const struct liteos_layout *layout, const struct rst_constants *states);

/*
 * Makes names for the possible combinations of a task's status bits, which differ between kernels. Returns
 * NULL if memory ran out.
 */
const struct rst_constants *liteos_states(struct model *model, enum liteos_variant variant);

/*
 * Makes the type of a stream's notice (SYS_START, SYS_STOP, or another command). Its payload is the message's
 * body.
 */
const struct rst_layout *liteos_bind_notice(struct model *model, uint32_t command, bool is_big);

/* Whether this kernel has an event of this number; all have the sixteen user events. */
bool liteos_is_listed(uint32_t type, enum liteos_variant variant);

/*
 * Whether this is a usual number of an event: a user event, or one module's bit. This is no proof: an unusual
 * number is an event, too, if the rest of its frame makes sense.
 */
bool liteos_is_likely(uint32_t type);

/* Finds which numbers of each module have a fixed number of params: one bit for each number. */
void liteos_events_fixed(enum liteos_variant variant, uint16_t fixed[LITEOS_MODULES]);

/*
 * How many params the table gives an event of this variant; UINT_MAX if that varies (user events, unlisted
 * ones).
 */
unsigned liteos_event_params(uint32_t type, enum liteos_variant variant);

/*
 * Which words of an event are numbers of 32 bits or less: bit 0 is the identity, bit 1 the first param.
 * Returns 0 if it is not known.
 */
unsigned liteos_event_numbers(uint32_t type, enum liteos_variant variant);

/*
 * Whether only huawei_v5 records the event. The other kernels' hooks only record that an interrupt begins or
 * ends.
 */
static inline bool liteos_event_is_huawei(uint32_t type)
{
	enum { FIRST = 0x20, IN = 0x24, OUT = 0x25, LAST = 0x2c };

	return type >= FIRST && type <= LAST && type != IN && type != OUT;
}

bool liteos_catalogue(struct model *model);

/* --- the three forms ------------------------------------------------------------------------------------ */

/*
 * Each probe looks at the first bytes, 0 (no) to 100 (certain). Each read works as that of struct dialect:
 * offline and text get each input as one chunk; a stream gets whole files, or chunks as they come. Then all
 * get the chunk with CHUNK_ENDS. Each done frees what the form owns and sets its pointer to NULL, even if no
 * input had the form.
 */
unsigned liteos_offline_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole);
enum rst_status liteos_offline_read(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err);
double liteos_offline_share(const struct liteos *liteos, const struct chunk *chunk);
void liteos_offline_done(struct liteos *liteos);

unsigned liteos_stream_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole);
enum rst_status liteos_stream_read(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err);

/*
 * Ends a stream whose last message is cut: the chunk begins with the rest of the stream, and goes on with a
 * file of another form.
 */
enum rst_status liteos_stream_cut(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err);
double liteos_stream_share(const struct liteos *liteos, const struct chunk *chunk);
void liteos_stream_done(struct liteos *liteos);

unsigned liteos_text_probe(const uint8_t *bytes, size_t n_bytes, bool is_whole);
enum rst_status liteos_text_read(struct liteos *liteos, struct model *model, struct chunk *chunk,
	struct batch *batch, struct rst_error *err);
double liteos_text_share(const struct liteos *liteos, const struct chunk *chunk);
void liteos_text_done(struct liteos *liteos);

#endif
