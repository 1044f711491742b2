/* SPDX-License-Identifier: MIT */
/*
 * The ThreadX dialect: dumps of the event trace buffer that TraceX calls TXTB. The format, with its doubts, is in
 * README.md beside this file. The way of a dump through the room:
 *
 *	image.c     where the header, registry and ring lie
 *	order.c     which stretches of slots to read in which order, over one or several dumps
 *	survey.c    one look at all slots before the first row: clock, births and deaths of objects
 *	stamps.c    what its stamps say of the clock
 *	marks.c     the parts of a dump that it leaves, if a part is wanted
 *	objects.c   the registry's names, corrected by what the events show
 *	rows.c      slots to rows of a batch
 *	parts.c     which rows need not be read when a part of a large dump is wanted
 *	events.c    the tables of events; custom.c adds the user's own
 *	threadx.c   the contract, and what the header states for `info`
 */
#ifndef THREADX_THREADX_H
#define THREADX_THREADX_H

#include "dialect/dialect.h"
#include "dialect/threadx/events.h"
#include "dialect/threadx/image.h"

extern const struct dialect dialect_threadx;

/* tx_trace.h: values of an entry's thread pointer that are no thread. They are 32 bits wide in wide entries, too. */
#define TX_CONTEXT_INIT 0xf0f0f0f0U
#define TX_CONTEXT_ISR	0xffffffffU

/* Words of an entry. */
enum { TX_ENTRY_THREAD, TX_ENTRY_PRIORITY, TX_ENTRY_ID, TX_ENTRY_STAMP, TX_ENTRY_INFO };

/* The clocks that the survey tries at once, because it learns only at its end which one is right. */
enum { TX_CLOCK_UP, TX_CLOCK_DOWN, TX_CLOCK_SECOND, TX_N_CLOCKS };

/* Slots that follow each other in time, or (n_slots 0) a gap between such runs. */
struct tx_run {
	size_t image;
	uint64_t first, n_slots;
	bool is_gap;
	struct rst_gap gap;
	/*
	 * In front of a dump that has no event of the one before: by which clocks its time begins in front of the end of that
	 * one, so that it is a new run. Then it is one, and no gap. Set by the survey.
	 */
	bool may_be_anew, is_anew[TX_N_CLOCKS];
	uint64_t seq;			  /* of its first event, set by the survey */
	struct clock clocks[TX_N_CLOCKS]; /* as they stand before it, set by the survey */
};

/* An input of a joined trace that cannot be read, and where it would have been. */
struct tx_refusal {
	size_t n_images; /* so many were there before it */
	struct rst_gap gap;
};

enum { TX_COLUMNS = BATCH_CORE | BATCH_INTERRUPTED | BATCH_DEPTH | BATCH_PRIORITY | BATCH_THRESHOLD };

/* Where reading stands. */
struct tx_place {
	uint64_t n_all, n_rises, largest; /* of all slots, by the survey: in another dump it is no place */
	size_t run;			  /* of runs, or of their order in the file */
	uint64_t slot;			  /* within the run */
	bool has_entered;		  /* the run's clock and place are set */
	bool has_written;		  /* the run has had an event */
	uint64_t n_empty;		  /* slots without one since then */
	struct clock ticking;
	uint64_t seq;
	uint8_t depth[256]; /* nesting of interrupts on each core */
};

/* Rows of so many whole batches; the last part may have fewer. */
enum { TX_PART_EVENTS = LIMIT(4, 2) * RST_BATCH_EVENTS };

struct tx_part {
	struct tx_place place; /* where reading stands in front of it */
	uint64_t n_events, least_ticks, greatest_ticks, last_ticks;
	bool is_needed;	  /* it has what a report shows from its first event on */
	bool is_left_out; /* and is not wanted */
};

struct tx_parts {
	struct tx_marking *marking; /* while the survey leaves them; else NULL */
	struct tx_part *items; /* n of them are all rows of the trace; n 0: there is no telling them apart */
	size_t n, room;
	struct tx_place end; /* behind the last one */
	size_t next;	     /* that reading has not come to */
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
	enum tx_netx { TX_NETX_UNKNOWN, TX_NETX_DUO, TX_NETX_OLD } netx; /* unknown: ids are Duo's */
	bool in_file_order;
	uint64_t wrap; /* 0 if it is not given */
	enum { TX_FIND_OUT, TX_GOES_UP, TX_GOES_DOWN } direction;
	uint32_t
		n_listed_ids; /* those below are the table's; others are users', unknown, or of --opt custom */
	struct map custom;    /* id to struct tx_event of --opt custom=FILE */

	/* What was found. */
	struct tx_image *images;
	size_t n_images, images_room;
	struct tx_refusal *refusals; /* inputs that could not be joined */
	size_t n_refusals, refusals_room;
	struct tx_run *runs; /* in the order of time */
	size_t n_runs, runs_room;
	struct map registered; /* address to the object that the newest registry has there */
	unsigned clock;	       /* which of the clocks is right */
	uint64_t modulus;      /* of that clock */
	bool is_wrap_guessed;
	const struct rst_layout *layouts[TX_IDS];
	const struct rst_layout
		*packet_layouts[2]; /* of event 384 of an unknown NetX: Duo's, the old one's */

	bool is_surveyed, lacks_memory; /* lacks_memory: the survey has not come to its end */
	struct tx_place start, place;	/* where reading begins, with is_surveyed; where it stands */
	struct tx_parts parts;
};

enum { TX_ISR_ENTER = 3, TX_ISR_EXIT = 4 };

/* The first exception of Cortex-M whose handler may record events: 14 PendSV, 15 SysTick, 16 and up interrupts. */
enum { TX_EXCEPTION_FIRST = 14 };

/* The depth of an event, and in *depth that of its core, before and behind it; rows.c says how. */
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

/* order.c: the runs of all images. false when memory ran out. */
bool tx_order(struct threadx *tx, struct model *model);

/* The n-th run in the order in which it is to be read. */
struct tx_run *tx_run_at(const struct threadx *tx, size_t n);

/* survey.c: fills in what the runs need and decides on the clock. false when memory ran out. */
bool tx_survey(struct threadx *tx, struct model *model);

/* Where a clock wraps that is not one of the Linux ports; 0: at 2^64. */
uint64_t tx_modulus(const struct threadx *tx);

/*
 * marks.c: begins to leave parts in the survey of a trace whose runs are known. Returns false if this one has
 * none, or memory ran out.
 */
bool tx_parts_begin(struct threadx *tx);

/* The survey is over, and has decided on the clock. */
void tx_parts_end(struct threadx *tx, const struct model *model);

/* parts.c: of the contract, narrow() and take_passed(). */
void tx_parts_narrow(void *state, const struct dialect_window *window);
const struct passed *tx_parts_take_passed(void *state);

/* In front of each batch: reading goes on behind the parts that are left out. */
void tx_parts_pass(struct threadx *tx);

void tx_parts_done(struct tx_parts *parts);

/* objects.c */
bool tx_objects_register(struct threadx *tx, struct model *model, const struct tx_image *image, uint64_t seq);
bool tx_objects_born(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq);
bool tx_objects_dead(
	struct threadx *tx, struct model *model, uint64_t address, enum rst_object_kind kind, uint64_t seq);

/* rows.c: fills the batch from where reading stands. RST_OK, RST_END, RST_E_NOMEM. */
enum rst_status tx_rows(struct threadx *tx, struct model *model, struct batch *batch, struct rst_error *err);

#endif
