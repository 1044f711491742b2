/* SPDX-License-Identifier: MIT */
/*
 * Mermaid diagrams, as wikis and code hosts draw them from text:
 *
 *	sequence   what goes into queues, semaphores, … and comes out of them, in the order of events (mermaid_sequence.c)
 *	state      the states that each state machine was in, and how often it went from one to another (mermaid_state.c)
 *
 * A diagram that is too large is useless: only the first messages are drawn, and a note has the number of
 * those left out.
 */
#ifndef EXPORT_MERMAID_H
#define EXPORT_MERMAID_H

#include "analysis/stats/requests.h"
#include "analysis/subjects.h"
#include "base/text.h"
#include "export/export.h"

enum mermaid_diagram { MERMAID_SEQUENCE, MERMAID_STATE };

enum { MERMAID_LABEL_MAX = 80 }; /* bytes of a name; only the beginning of a longer name is shown */

/* A sender or receiver, or an object that messages go through. */
struct mermaid_participant {
	struct subject subject;
	unsigned number; /* from 1 on; 0 if it has not been in the diagram yet */
};

struct mermaid_transition {
	struct subject *from, *to;
	uint64_t n;
	struct mermaid_transition *next;
};

struct mermaid_machine {
	struct subject subject;
	struct subjects states;
	struct subject *now; /* NULL if it is not known */
	uint64_t until;	     /* now lasts until then */
	struct mermaid_transition *transitions, *last;
};

struct mermaid_message {
	uint64_t seq;
	struct rst_entity thread, through;
	enum rst_object_kind kind; /* of what it goes through */
	bool is_send, is_asked, has_failed, has_signal;
	uint64_t amount; /* 0 if it is not known */
	uint64_t signal;
	struct text signal_name; /* without bytes: the number */
};

/* The request of a thread, until its outcome is known. */
struct mermaid_asker {
	struct subject subject;
	bool is_open;
	enum rst_reason reason;
	struct mermaid_message message;
};

enum { MERMAID_LOSSES = 64 };

struct mermaid {
	struct export *export;
	struct subjects participants, machines;
	struct arena arena; /* of transitions */
	unsigned n_participants, n_messages;
	uint64_t n_left_out;
	struct requests requests;
	struct subjects askers;
	struct mermaid_message held; /* which the next effect may replace */
	bool has_held;
	uint64_t losses[MERMAID_LOSSES]; /* ticks of the last ones */
	uint64_t n_losses;
};

/* How many messages or transitions are drawn: the option limit. */
unsigned mermaid_limit(const struct export *export);

/* Writes a text of a diagram, without the characters that would end it. */
void mermaid_put_text(struct outbuf *out, struct text text);

/* Writes the name of a thing. */
void mermaid_put_name(struct outbuf *out, const struct rst_entity *entity);

/* Returns false if memory ran out. */
bool sequence_effect(struct export *export, const struct occurrence *occurrence);
bool sequence_gap(struct export *export, const struct rst_gap *gap);
bool sequence_end(struct export *export);

void machines_lose(struct export *export, uint64_t at);
bool machine_piece(struct export *export, const struct piece *piece);
void machines_end(struct export *export);

#endif
