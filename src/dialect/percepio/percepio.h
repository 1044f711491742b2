/* SPDX-License-Identifier: MIT */
/*
 * The Percepio dialect: streams of Percepio's TraceRecorder (PSF), formats 10 to 14, of 32-bit and 64-bit
 * targets in either byte order. README.md beside this file has the format. A byte goes through these files:
 *
 *	stream.c    where events, headers and damage begin; what is lost
 *	header.c    the header of a run, and its table of entries
 *	rows.c      an event to a row: time, core, context
 *	names.c     names and kinds of objects
 *	events.c    the tables of events (*.def), and their layouts
 *	percepio.c  the contract
 */
#ifndef PERCEPIO_PERCEPIO_H
#define PERCEPIO_PERCEPIO_H

#include "base/load.h"
#include "dialect/dialect.h"

extern const struct dialect dialect_percepio;

enum {
	PERCEPIO_IDS = 4096, /* an id has 12 bits */
	PERCEPIO_CORES = 16,
	PERCEPIO_NESTING = 8, /* interrupts in interrupts; deeper ones count as the eighth */
	PERCEPIO_HEAD_BYTES = 8,
	PERCEPIO_WORDS = 15,
	PERCEPIO_EVENT_BYTES = PERCEPIO_HEAD_BYTES + 8 * PERCEPIO_WORDS,
	PERCEPIO_SYMBOL_BYTES = 1024,	       /* a header with longer symbols is damage */
	PERCEPIO_NAMES_MAX = LIMIT(65536, 32), /* objects with a name or a kind; later ones are numbers */
	PERCEPIO_EXTENSIONS = 16,
	PERCEPIO_LAYOUTS_MAX = LIMIT(8192, 64),
	PERCEPIO_STARTUP = 2, /* the "task" that runs before the first one */
};

/* The events that the reader itself follows. */
enum percepio_role {
	PERCEPIO_PLAIN,
	PERCEPIO_START,
	PERCEPIO_ACTIVATE,
	PERCEPIO_READY,
	PERCEPIO_SUSPEND,
	PERCEPIO_ISR_BEGIN,
	PERCEPIO_ISR_RESUME,
	PERCEPIO_ISR_EXIT,
	PERCEPIO_NAME,
	PERCEPIO_NAME_ISR,
	PERCEPIO_EXTENSION,
	PERCEPIO_CREATE,
	PERCEPIO_DELETE,
	PERCEPIO_MUTEX_CREATE,
	PERCEPIO_MUTEX_GIVE,
	PERCEPIO_USER,
	PERCEPIO_USER_FIXED,
};

/* How the words of an event read besides its id: part of the key of a layout. */
enum {
	PERCEPIO_OUTS = 0xf, /* so many interrupts end */
	PERCEPIO_IS_FIRST_GIVE = 0x10,
	PERCEPIO_LEAVES_WAITING = 0x20, /* the task that leaves the core waits */
	PERCEPIO_IS_OF_IDLE = 0x40,	/* the task in the first word is the idle task */
};

/* The effect of an event's call on the task that makes it. */
enum percepio_call { PERCEPIO_NO_CALL, PERCEPIO_ASKS, PERCEPIO_ENDS };

struct percepio_extension {
	const char *name; /* in the model's arena */
	uint32_t first, n;
};

struct percepio_core {
	bool has_counter, has_task, is_idle;
	bool is_asking;	  /* its task has asked for something, and nothing has shown that it got it */
	uint16_t counter; /* of the last event */
	uint64_t task;
	unsigned n_interrupts;
	uint64_t interrupts[PERCEPIO_NESTING];
	uint64_t fresh_mutex; /* created, and not yet given for the first time; 0: none */
};

/* The name of an address, until and while an object has it. */
struct percepio_name {
	uint8_t *text;
	size_t n_text, room;
	uint64_t run;		    /* in which it was told */
	bool is_live;		    /* an object has it */
	bool is_idle;		    /* it is that of the idle task */
	bool is_new;		    /* it was told behind the last creation and deletion */
	struct percepio_name *next; /* of all names, in no order */
};

struct percepio_event_row;
struct percepio_port;

/* The header of the present run. */
struct percepio_header {
	bool is_big;
	unsigned word; /* bytes of a word: 4 or 8 */
	uint16_t version, platform;
	uint32_t options, n_cores, streams, timer, tick_hz;
	uint64_t hz;
	uint64_t n_entries, symbol_bytes, n_states;
	const struct percepio_port *port;
};

struct percepio {
	struct percepio_header header;
	bool has_header;
	uint64_t n_entries_left; /* of the table that is being read */
	uint64_t n_runs;
	struct percepio_core cores[PERCEPIO_CORES];
	struct percepio_extension extensions[PERCEPIO_EXTENSIONS];
	size_t n_extensions;
	struct clock clock;
	uint64_t seq;
	struct map layouts; /* see layout_key() in events.c */
	size_t n_layouts;
	const struct rst_layout *plain; /* of events behind PERCEPIO_LAYOUTS_MAX */
	struct map names;		/* address to struct percepio_name */
	size_t n_names;
	struct percepio_name *all_names;
	struct rst_gap damage; /* open while n_bytes is not 0 */
	const struct percepio_event_row *row_of[PERCEPIO_IDS];
	uint8_t role_of[PERCEPIO_IDS], call_of[PERCEPIO_IDS];
};

struct percepio_event {
	unsigned id, n_words, core, counter;
	uint32_t stamp;
	const uint8_t *words;
	size_t n_bytes; /* of the whole event */
};

enum percepio_step { PERCEPIO_DONE, PERCEPIO_MORE, PERCEPIO_BAD, PERCEPIO_NO_MEMORY };

/* --- header.c ------------------------------------------------------------------------------------------- */

/* Whether the bytes begin with the header of a known format. At least 8 bytes are needed. */
bool percepio_is_header(const uint8_t *bytes, size_t n_bytes);

/*
 * Reads a header up to its table of entries. Sets *ret_n_bytes. PERCEPIO_MORE: more bytes are needed.
 * PERCEPIO_BAD: it states what cannot be.
 */
enum percepio_step percepio_header_load(
	struct percepio_header *ret, const uint8_t *bytes, size_t n_bytes, size_t *ret_n_bytes);

/* Reads one entry of the table: its name, or an extension. The caller has checked the size. */
size_t percepio_entry_bytes(const struct percepio_header *header);
bool percepio_entry(struct percepio *percepio, struct model *model, const uint8_t *bytes);

/* Adds the details that `info` shows. Returns false if memory ran out. */
bool percepio_header_details(struct model *model, const struct percepio_header *header);

/* --- events.c ------------------------------------------------------------------------------------------- */

/* Returns the port of a platform number, or NULL. */
const struct percepio_port *percepio_port_find(uint16_t platform);
const char *percepio_port_name(const struct percepio_port *port);

/* Fills row_of and role_of for the header's port. */
void percepio_use_port(struct percepio *percepio);

/* Whether an id is of the port or of an extension. */
bool percepio_is_known(const struct percepio *percepio, unsigned id);

/* Returns the layout of an event; NULL if memory ran out. variant: PERCEPIO_OUTS … */
const struct rst_layout *percepio_layout(
	struct percepio *percepio, struct model *model, const struct percepio_event *event, unsigned variant);

/* Returns the kind of the object in an event's first word; RST_OBJECT_UNKNOWN if it is no object. */
enum rst_object_kind percepio_first_kind(const struct percepio *percepio, unsigned id);

bool percepio_catalogue(struct model *model);

/* --- names.c -------------------------------------------------------------------------------------------- */

/* All return false if memory ran out. text ends at its first NUL or at n_text. */
bool percepio_name_set(
	struct percepio *percepio, struct model *model, uint64_t id, const uint8_t *text, size_t n_text);
bool percepio_name_isr(
	struct percepio *percepio, struct model *model, uint64_t id, const uint8_t *text, size_t n_text);
/* An event names an object of this kind. is_new: the event creates it. */
bool percepio_object_met(
	struct percepio *percepio, struct model *model, uint64_t id, enum rst_object_kind kind, bool is_new);
/* Whether the address has the name of the kernel's idle task. */
bool percepio_is_idle(const struct percepio *percepio, uint64_t id);
void percepio_object_gone(struct percepio *percepio, uint64_t id);
void percepio_names_done(struct percepio *percepio);

/* --- rows.c --------------------------------------------------------------------------------------------- */

/* Adds the row of an event. The batch must not be full. Returns false if memory ran out. */
bool percepio_add_row(struct percepio *percepio, struct model *model, struct batch *batch,
	const struct percepio_event *event);

/* Forgets what runs: after a loss or damage it may be another task. */
void percepio_forget(struct percepio_core *core);

/* --- stream.c ------------------------------------------------------------------------------------------- */

enum rst_status percepio_read(
	void *state, struct model *model, struct chunk *chunk, struct batch *batch, struct rst_error *err);

/* Bits of an event's counter: 12 where the upper bits are the core. */
static inline uint16_t percepio_counter_mask(const struct percepio_header *header)
{
	return header->n_cores > 1 ? 0xfff : 0xffff;
}

static inline uint64_t percepio_word(
	const struct percepio_header *header, const struct percepio_event *event, unsigned n)
{
	return load_word(event->words + (size_t)n * header->word, header->word, header->is_big);
}

#endif
