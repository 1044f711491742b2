/* SPDX-License-Identifier: MIT */
/*
 * The ThreadX dialect: dumps of the event trace buffer that TraceX calls TXTB. The format, with its doubts,
 * is in README.md beside this file. A dump goes through the files in this order:
 *
 *	image.c         where the header, registry and ring lie
 *	order.c         which stretches of slots to read in which order, over one or several dumps
 *	survey.c        one pass over all slots before the first row: clock, births and deaths of objects
 *	stamps.c        what its stamps show about the clock
 *	marks.c         the parts that the survey records, if a part is wanted
 *	objects.c       the registry's names, corrected by the events
 *	rows.c          slots to rows of a batch
 *	parts.c         which rows need not be read when a part of a large dump is wanted
 *	events.c        the tables of events; custom.c adds the user's own
 *	threadx.c       the contract, and what the header states for `info`
 */
#ifndef THREADX_THREADX_H
#define THREADX_THREADX_H

#include "dialect/dialect.h"
#include "dialect/threadx/events.h"
#include "dialect/threadx/image.h"

extern const struct dialect dialect_threadx;

/*
 * tx_trace.h: values of an entry's thread pointer that are not threads. They have 32 bits in wide entries,
 * too.
 */
#define TX_CONTEXT_INIT 0xf0f0f0f0U
#define TX_CONTEXT_ISR	0xffffffffU

/* Words of an entry. */
enum { TX_ENTRY_THREAD, TX_ENTRY_PRIORITY, TX_ENTRY_ID, TX_ENTRY_STAMP, TX_ENTRY_INFO };

/* The clocks that the survey tries at once, because it learns only at its end which one is right. */
enum { TX_CLOCK_UP, TX_CLOCK_DOWN, TX_CLOCK_SECOND, TX_N_CLOCKS };

/* Slots that follow each other in time, or a gap between such runs (n_slots 0). */
struct tx_run {
	size_t image;
	uint64_t first, n_slots;
	bool is_gap;
	struct rst_gap gap;
	/*
	 * For a gap in front of a dump that shares no event with the previous dump: by which clocks this
	 * dump's time begins before the end of the previous one. By such a clock the dump is a new run, and
	 * there is no gap. Set by the survey.
	 */
	bool may_be_anew, is_anew[TX_N_CLOCKS];
	uint64_t seq;			  /* of its first event, set by the survey */
	struct clock clocks[TX_N_CLOCKS]; /* their state before it, set by the survey */
};

/* An input of a joined trace that cannot be read, and its position among the images. */
struct tx_refusal {
	size_t n_images; /* number of images before it */
	struct rst_gap gap;
};

enum { TX_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH | BATCH_PRIORITY | BATCH_THRESHOLD };

/* Where reading stands. */
struct tx_place {
	uint64_t n_all, n_rises, largest; /* of all slots, by the survey; other dumps refuse the place */
	size_t run;			  /* of runs, or of their order in the file */
	uint64_t slot;			  /* within the run */
	bool has_entered;		  /* the run's clock and place are set */
	bool has_written;		  /* the run has had an event */
	uint64_t n_empty;		  /* slots without one since then */
	struct clock ticking;
	uint64_t seq;
	uint8_t depth[256]; /* nesting of interrupts on each core */
};

/* A part has the rows of this many whole batches; the last part may have fewer. */
enum { TX_PART_EVENTS = LIMIT(4, 2) * RST_BATCH_EVENTS };

struct tx_part {
	struct tx_place place; /* where reading stands in front of it */
	uint64_t n_events, least_ticks, greatest_ticks, last_ticks;
	bool is_needed;	  /* it has something new that a report shows from there on */
	bool is_left_out; /* and is not wanted */
};

struct tx_parts {
	struct tx_marking *marking; /* while the survey makes parts; else NULL */
	struct tx_part *items;	    /* n parts cover all rows of the trace; n 0: the trace has no parts */
	size_t n, room;
	struct tx_place end; /* behind the last one */
	size_t next;	     /* the first part that reading has not reached */
	bool is_narrowed;    /* some may be left out */
	struct passed passed;
	bool is_taken; /* what was passed over */
};

struct threadx {
	/* The user's settings. */
	struct tx_wanted wanted;
	enum {
		TX_PRIORITIES_UNKNOWN,
		TX_PRIORITIES_BARE,
		TX_PRIORITIES_MARKED
	} priorities;							 /* of the kernel */
	bool has_told_priorities;					 /* there is a note about bare ones */
	enum tx_netx { TX_NETX_UNKNOWN, TX_NETX_DUO, TX_NETX_OLD } netx; /* unknown: ids are Duo's */
	bool in_file_order;
	uint64_t wrap; /* 0 if it is not given */
	enum { TX_FIND_OUT, TX_GOES_UP, TX_GOES_DOWN } direction;
	uint32_t n_listed_ids; /* the table has all ids below; others are users', unknown, or --opt custom */
	struct map custom;     /* id to struct tx_event of --opt custom=FILE */

	/* The dumps that were found. */
	struct tx_image *images;
	size_t n_images, images_room;
	struct tx_refusal *refusals; /* inputs that could not be joined */
	size_t n_refusals, refusals_room;
	struct tx_run *runs; /* in the order of time */
	size_t n_runs, runs_room;
	struct map registered; /* address to the newest registry's object there */
	unsigned clock;	       /* which of the clocks is right */
	uint64_t modulus;      /* of that clock */
	bool is_wrap_guessed;
	const struct rst_layout *layouts[TX_IDS];
	const struct rst_layout
		*packet_layouts[2]; /* of event 384 of an unknown NetX: Duo's, the old one's */

	bool is_surveyed, lacks_memory; /* lacks_memory: the survey stopped for lack of memory */
	struct tx_place start, place;	/* where reading begins, if is_surveyed; where it stands */
	struct tx_parts parts;
};

enum { TX_ISR_ENTER = 3, TX_ISR_EXIT = 4 };

/*
 * The first exception of Cortex-M whose handler may record events: 14 PendSV, 15 SysTick, 16 and up
 * interrupts.
 */
enum { TX_EXCEPTION_FIRST = 14 };

/*
 * Returns the depth of an event. *depth is the depth of its core: before the event, then behind it (see
 * rows.c).
 */
static inline uint8_t tx_depth(uint8_t *depth, uint32_t id, uint64_t thread, uint64_t state)
{
	uint8_t now;

	if (thread != TX_CONTEXT_ISR)
		return *depth = 0;
	if ((id == TX_ISR_ENTER || id == TX_ISR_EXIT) && state > 0 && state < TX_EXCEPTION_FIRST)
		*depth = (uint8_t)state;
	else if (id == TX_ISR_ENTER && *depth < UINT8_MAX)
		++*depth;
	else if (*depth == 0)
		*depth = 1;
	now = *depth;
	*depth = (uint8_t)(now - (id == TX_ISR_EXIT));
	return now;
}

/* custom.c: reads TraceX's custom event file into threadx->custom. RST_E_USAGE names the line. */
enum rst_status tx_custom_load(
	struct threadx *tx, struct model *model, const char *path, struct rst_error *err);
enum rst_status tx_custom_parse(
	struct threadx *tx, struct model *model, const uint8_t *bytes, size_t n_bytes, struct rst_error *err);

/* order.c: makes the runs of all images. Returns false if memory ran out. */
bool tx_order(struct threadx *tx, struct model *model);

/* The n-th run in the order in which it is to be read. */
struct tx_run *tx_run_at(const struct threadx *tx, size_t n);

/* survey.c: fills in the fields of the runs and decides on the clock. Returns false if memory ran out. */
bool tx_survey(struct threadx *tx, struct model *model);

/* Where a clock wraps, except on the Linux ports; 0: at 2^64. */
uint64_t tx_modulus(const struct threadx *tx);

/*
 * marks.c: makes the survey record parts; the runs must be known. Returns false if the trace cannot have
 * parts, or memory ran out.
 */
bool tx_parts_begin(struct threadx *tx);

/* Ends the parts, when the survey has decided on the clock. */
void tx_parts_end(struct threadx *tx, const struct model *model);

/* parts.c: narrow() and take_passed() of the contract. */
void tx_parts_narrow(void *state, const struct dialect_window *window);
const struct passed *tx_parts_take_passed(void *state);

/* Called before each batch: makes reading go on behind the parts that are left out. */
void tx_parts_pass(struct threadx *tx);

void tx_parts_done(struct tx_parts *parts);

/* objects.c */
bool tx_objects_register(struct threadx *tx, struct model *model, const struct tx_image *image, uint64_t seq);
bool tx_objects_born(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq);
bool tx_objects_dead(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq);

/* rows.c: fills the batch from where reading stands. Returns RST_OK, RST_END or RST_E_NOMEM. */
enum rst_status tx_rows(struct threadx *tx, struct model *model, struct batch *batch, struct rst_error *err);

#endif
