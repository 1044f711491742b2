/* SPDX-License-Identifier: MIT */
/*
 * Runs compiled templates over entries. An entry is bytes and where they came from. Its host gives the values
 * outside its bytes (context, core, time) when a template uses them, so that an event costs nothing for
 * values that its template leaves out. Running allocates nothing but room in the output for names and texts.
 */
#ifndef TEMPLATE_MACHINE_RUN_H
#define TEMPLATE_MACHINE_RUN_H

#include <rastrum/trace.h>

#include "base/outbuf.h"
#include "template/set/set.h"
#include "trace/value/value.h"

struct entry;

/* Gives what is not in the bytes of an entry. All three functions use the entry's host_data. */
struct entry_host {
	/* Built-in macros that are numbers and not in the bytes (MACRO_TRACEID … MACRO_NOW). */
	int64_t (*number)(const struct entry *entry, enum macro_id macro);

	/* Built-in macros that are texts (MACRO_SVC, MACRO_LOGFILE); each is valid until the next call. */
	struct text (*text)(const struct entry *entry, enum macro_id macro);

	/* The path of a process; its bytes are NULL if it is not known. */
	struct text (*process)(const struct entry *entry, uint64_t pid);
};

struct entry {
	const uint8_t *bytes;  /* hook word and data, big-endian; or the payload as recorded */
	size_t n_bytes;	       /* what a template may see (D2) */
	unsigned start;	       /* where the data pointer starts */
	uint64_t seq, process; /* sequence number, number of the process: names are looked up by them */
	struct text path;      /* $EXECPATH: it is ready, since many templates begin with it */
	bool has_bare_path;    /* it is no name: an id, or a word such as "isr" */
	const struct entry_host *host;
	const void *host_data;

	/* The values of AIX entries; for other events see docs/TEMPLATES-REFERENCE.md. */
	bool is_generic;
	uint16_t hook_type;  /* HT */
	uint16_t hook_data;  /* $HD */
	uint32_t hook_bytes; /* $HL */
	uint32_t n_variable; /* HB */
};

struct timer_slot {
	int64_t first, second;
	int64_t start; /* nanoseconds, or ticks */
	bool is_used;
};

enum {
	RUN_CALLS_MAX = 10,   /* subroutines in subroutines */
	RUN_LOOP_MAX = 65536, /* turns of one LOOP; it ends, and the entry goes on (D15) */
	/* Loops in loops, and calls: beyond these the entry ends. */
	RUN_TURNS_MAX = 1 << 20, /* turns and calls of one entry … */
	RUN_WORK_MAX = 16 << 20, /* … the instructions in them */
	RUN_TEXT_MAX = 1 << 20,	 /* … and bytes of its text */
	RUN_TIMERS = 4096,	 /* pairs that are remembered; beyond, the oldest of a few is forgotten */
};

enum run_outcome {
	RUN_DONE,
	RUN_SKIP, /* $SKIP: the entry is not to be shown at all */
	RUN_STOP, /* $STOP: the report ends behind this entry */
};

struct run_call {
	const struct insn *back;
	const struct unit *unit;
};

struct runner {
	/* Set by the caller. */
	struct outbuf *out;
	struct rst_trace *trace;       /* where names of objects are; NULL: nowhere */
	size_t room_after;	       /* bytes that the caller needs behind the text */
	const struct set_off *set_off; /* around names; NULL: set_off_quotes */
	unsigned margin;	       /* blanks in front of every line but the first (\n) */
	/* a blank stands in front of the text, and $EXECPATH at its beginning stands elsewhere on the line */
	bool omits_subject;
	struct value_names *names; /* of objects, as they were put before; zeroed; NULL if none are kept */
	bool counts_ticks;	   /* MACRO_NOW is in ticks: no frequency is known */
	struct timer_slot *timers; /* RUN_TIMERS of them, zeroed; NULL: timers print nothing */

	/* Counts over all entries. */
	uint64_t n_truncated, n_nesting, n_limit, n_div0; /* R01 to R04 */

	/* Of the entry. */
	enum run_outcome outcome;
	const struct entry *entry;
	const struct unit *unit;
	const struct insn *next;
	const struct insn *resumed;	  /* where to go on when the runner has turned careful */
	const uint8_t *run;		  /* where the current run of reads starts */
	size_t run_left;		  /* bytes there are, while careful */
	bool is_careful;		  /* something is cut off: every read is checked */
	uint8_t glue, asked, marked_glue; /* code.h */
	int64_t pointer;		  /* the data pointer, in bits */
	int64_t base;			  /* $BASEPOINTER, in bytes */
	size_t start;			  /* offset in out of the text */
	size_t line;			  /* … of its last line, behind the margin */
	size_t stop;			  /* … of the last column in that line that a tab can go to */
	size_t mark;			  /* … of a text that is only compared */
	bool has_mark;
	unsigned n_turns, n_work;
	unsigned n_slots; /* slots to clear for the next entry */
	unsigned n_calls, n_loops;
	int64_t *top;		    /* one past the top value of the stack */
	struct value_source values; /* room_after: of all units that are running, and of the caller */
	int64_t stack[TREE_STACK_MAX];
	int64_t slots[TREE_MACROS_MAX + 1];
	struct run_call calls[RUN_CALLS_MAX + 1];
	uint64_t loops[(RUN_CALLS_MAX + 1) * TREE_NESTING_MAX]; /* turns left */
};

/*
 * Appends the text of entry at p, which is runner->out->at, and returns its end; the line may move within
 * out, so only offsets hold across the call. runner->outcome has what to do with it.
 */
char *run_unit(struct runner *runner, const struct unit *unit, const struct entry *entry, char *p);

/* As if starttimer(first, second) had run at that time, of MACRO_NOW; runner->timers must be there. */
void run_start_timer(struct runner *runner, int64_t first, int64_t second, int64_t now);

/* A hook id as reports print it: hexadecimal digits in upper case, three or more, 16 at the most. */
char *run_put_id(char *p, uint64_t id);

/* --- AIX entries (entry_aix.c) -------------------------------------------------------------------------- */

/* How an AIX entry is read; what is negative or 0 is taken from its hook word. */
struct aix_hook_spec {
	bool is_64;
	int hook_type, hook_data, hook_id; /* -1: from the hook word */
};

struct aix_hook {
	char name[5]; /* as printed and looked up: "010", "134", "1345" */
	size_t n_name;
};

/*
 * Sees bytes (hook word, data; big-endian) as an entry: fills in everything but sequence number and host.
 * false when there is not even a hook word; *ret_hook is its id. Returns NULL if it is not needed.
 */
bool entry_of_aix(struct entry *entry, struct aix_hook *ret_hook, const uint8_t *bytes, size_t n_bytes,
	const struct aix_hook_spec *spec);

#endif
