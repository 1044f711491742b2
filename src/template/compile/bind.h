/* SPDX-License-Identifier: MIT */
/*
 * The passes behind parsing. A stanza is bound to one kind of entry (AIX of 32 or 64 bits, or an event type):
 * its names are resolved, it is checked, and lowered to code. The templates that it calls are bound with it.
 *
 *	resolve.c   names to fields, built-ins, slots, stanzas; match values to numbers
 *	check.c     W01 calls of nothing, W02 cycles, advice
 *	lower*.c    trees to code (machine/code.h)
 */
#ifndef TEMPLATE_COMPILE_BIND_H
#define TEMPLATE_COMPILE_BIND_H

#include "template/set/set.h"

/*
 * Resolves the names of a stanza for a binding; the tree holds the results until the next resolve. Returns
 * false with diagnoses (T07, T10 to T13) if a name cannot be resolved, or with has_no_memory.
 */
bool resolve_stanza(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, struct diags *diags);

/*
 * The code of a stanza for a binding, compiled on first use, with all that it calls; it lives until
 * bind_forget(). Layouts whose fields are the same share it. Returns NULL with diagnoses if it has errors, or
 * with has_no_memory.
 */
const struct unit *bind_stanza(
	struct template_set *set, struct stanza *stanza, const struct binding *binding, struct diags *diags);

/*
 * Forgets all code, and the stanzas that generate_stanza() made. It must be called before the layouts that
 * stanzas were bound to are freed, as those of a trace are. Templates of the set's files stay and can be
 * bound anew.
 */
void bind_forget(struct template_set *set);

/*
 * Adds the effects of lines "# effect:" of the stanza of the layout's type to the layout's own, which go
 * where the first line is "none". A line with a field that the layout lacks adds nothing. This is diagnosed
 * (T21, T22) unless the stanza is the program's own, or the event is an entry of AIX: each entry has its own
 * number of words. The effects live as long as the set. Returns false if memory ran out.
 */
bool bind_effects(struct template_set *set, struct rst_layout *layout, struct diags *diags);

/*
 * Adds diagnoses (T21, T22) of the stanza's effects for events of a layout, or for entries of AIX if layout
 * is NULL.
 */
void check_effects(const struct stanza *stanza, const struct rst_layout *layout, struct diags *diags);

/* Warnings over the whole set (W01, W02) and, when wanted, advice. Bad stanzas are passed over. */
void check_set(struct template_set *set, bool wants_advice, struct diags *diags);

/*
 * Makes a template from the fields of a layout whose type has no template: "queue_ptr=$queue_ptr, …". It
 * lives until bind_forget(), and is not found by its key. Returns NULL if memory ran out.
 */
struct stanza *generate_stanza(struct template_set *set, const struct rst_layout *layout);

/* Makes the text of such a template, terminated, in arena. Returns NULL if memory ran out. */
const char *generate_text(struct arena *arena, const struct rst_layout *layout);

/*
 * Returns the template 007 of a set of AIX, for hooks without a template. If the set lacks 007, it adds the
 * program's own. Returns NULL if memory ran out.
 */
struct stanza *generate_unknown(struct template_set *set);

#endif
