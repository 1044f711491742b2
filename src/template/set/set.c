/* SPDX-License-Identifier: MIT */
/* A set: files, their stanzas, and a hash table by key. */
#include "template/set/set.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

struct template_set *template_set_new(const char *dialect)
{
	struct template_set *set = calloc(1, sizeof(*set));

	if (!set)
		return NULL;
	set->dialect = dialect;
	set->is_aix = strcmp(dialect, "aix") == 0;
	return set;
}

bool template_set_join(struct template_set *set, struct template_set *other)
{
	struct template_set **others =
		realloc(set->others, (set->n_others + 1) * sizeof(struct template_set *));

	if (!others)
		return false;
	set->others = others;
	others[set->n_others++] = other;
	return true;
}

struct template_set *template_set_of(struct template_set *set, const char *dialect)
{
	for (size_t i = 0; dialect && i < set->n_others; i++)
		if (strcmp(set->others[i]->dialect, dialect) == 0)
			return set->others[i];
	return set;
}

struct template_set *template_set_free(struct template_set *set)
{
	if (!set)
		return NULL;
	for (size_t i = 0; i < set->n_files; i++)
		template_file_free(set->files[i]);
	free(set->files);
	free(set->others);
	free(set->stanzas);
	free(set->names);
	free(set->units);
	arena_done(&set->bound);
	arena_done(&set->arena);
	free(set);
	return NULL;
}

/* --- names: open addressing, linear probing, at most half full; nothing is removed ---------------------- */

/*
 * Multiply and fold, eight bytes at a time. The address of the set is mixed in, so that no file can be
 * written whose keys all collide.
 */
static size_t hash_key(const struct template_set *set, const char *key, size_t n_key)
{
	uint64_t hash = (uintptr_t)set + n_key;

	while (n_key) {
		uint64_t word = 0;
		size_t n = n_key < sizeof(word) ? n_key : sizeof(word);

		memcpy(&word, key, n);
		hash = (hash ^ word) * 0x9e3779b97f4a7c15U;
		hash ^= hash >> 32;
		key += n;
		n_key -= n;
	}
	return (size_t)hash;
}

/* The slot of a key, or the free one where it belongs. The table is never full. */
static struct stanza **find_name(const struct template_set *set, const char *key, size_t n_key)
{
	size_t mask = set->names_room - 1;

	for (size_t i = hash_key(set, key, n_key) & mask;; i = (i + 1) & mask) {
		const struct stanza *stanza = set->names[i];

		if (!stanza || text_is_same(stanza->key, (struct text){ key, n_key }))
			return &set->names[i];
	}
}

static bool reserve_name(struct template_set *set)
{
	enum { ROOM_FIRST = 64 };
	struct stanza **old = set->names, **names;
	size_t old_room = set->names_room, room = old_room ? 2 * old_room : ROOM_FIRST;

	if (2 * (set->n_names + 1) <= old_room)
		return true;
	names = calloc(room, sizeof(*names));
	if (!names)
		return false;
	set->names = names;
	set->names_room = room;
	for (size_t i = 0; i < old_room; i++)
		if (old[i])
			*find_name(set, old[i]->key.bytes, old[i]->key.n_bytes) = old[i];
	free(old);
	return true;
}

struct stanza *template_set_find(const struct template_set *set, const char *key, size_t n_key)
{
	return set->n_names ? *find_name(set, key, n_key) : NULL;
}

struct stanza *template_set_callee(const struct template_set *set, struct text name)
{
	char key[5];

	if (key_is_hook(name.bytes, name.n_bytes))
		return template_set_find(set, key, key_normalise(key, name.bytes, name.n_bytes));
	return set->is_aix ? NULL : template_set_find(set, name.bytes, name.n_bytes);
}

struct stanza *stanza_good(struct stanza *stanza)
{
	while (stanza && stanza->is_bad)
		stanza = stanza->replaced;
	return stanza;
}

struct stanza *template_set_find_event(const struct template_set *set, const char *name, size_t n_name)
{
	const char *plus = n_name ? memrchr(name, '+', n_name) : NULL;
	struct stanza *stanza = template_set_callee(set, (struct text){ name, n_name });

	if (!stanza && plus)
		stanza = template_set_find(set, name, (size_t)(plus - name));
	return stanza_good(stanza);
}

struct search {
	const char *macro; /* NULL: a timer */
	bool is_found;
};

static void look_at_macro(void *context, const struct node *node)
{
	struct search *search = context;

	search->is_found |=
		search->macro ? node->kind == NODE_MACRO && text_is_word(node->macro.name, search->macro)
			      : node->kind == NODE_TIMER;
}

bool template_set_uses(const struct template_set *set, const char *macro)
{
	struct search search = { .macro = macro };
	const struct tree_visitor visitor = { .node = look_at_macro, .context = &search };

	for (size_t i = 0; i < set->n_stanzas && !search.is_found; i++)
		tree_visit(&visitor, set->stanzas[i]->body);
	return search.is_found;
}

enum { CALLS_MAX = 64 }; /* deeper than templates call each other when they run: machine/code.h */

struct memory_search {
	const struct template_set *set;
	const char *const *macros; /* that count, too; NULL ends them */
	unsigned n_calls;
	bool is_found;
};

static void look_for_memory(void *context, const struct node *node)
{
	struct memory_search *search = context;
	const struct tree_visitor visitor = { .node = look_for_memory, .context = search };
	const bool is_macro = node->kind == NODE_MACRO && !search->is_found;
	const struct stanza *callee =
		is_macro ? stanza_good(template_set_callee(search->set, node->macro.name)) : NULL;

	search->is_found |= node->kind == NODE_TIMER || search->n_calls > CALLS_MAX;
	for (size_t i = 0; is_macro && search->macros[i]; i++)
		search->is_found |= text_is_word(node->macro.name, search->macros[i]);
	if (!callee || search->is_found)
		return;
	search->n_calls++;
	tree_visit(&visitor, callee->body);
	search->n_calls--;
}

static bool has_memory(const struct template_set *set, const struct stanza *stanza, const char *const *macros)
{
	struct memory_search search = { .set = set, .macros = macros };
	const struct tree_visitor visitor = { .node = look_for_memory, .context = &search };

	if (stanza)
		tree_visit(&visitor, stanza->body);
	return search.is_found;
}

bool template_set_times(const struct template_set *set, const char *name, size_t n_name)
{
	static const char *const none[] = { NULL };

	return has_memory(set, template_set_find_event(set, name, n_name), none);
}

bool template_set_counts(const struct template_set *set, const struct stanza *stanza)
{
	static const char *const macros[] = { "SKIP", "STOP", "RELLINENO", "TOTALCPUS", "TRACEDCPUS",
		"REPORTEDCPUS", NULL };

	return has_memory(set, stanza, macros);
}

/* --- files ---------------------------------------------------------------------------------------------- */

static bool add_stanza(struct template_set *set, struct stanza *stanza, struct diags *diags)
{
	struct stanza **stanzas =
		array_room(set->stanzas, set->n_stanzas, &set->stanzas_room, sizeof(struct stanza *));
	struct stanza **slot;

	if (!stanzas)
		return false;
	set->stanzas = stanzas;
	if (!reserve_name(set))
		return false;
	slot = find_name(set, stanza->key.bytes, stanza->key.n_bytes);
	stanza->replaced = *slot;
	stanza->index = set->n_stanzas;
	set->n_names += !*slot;
	*slot = stanza;
	stanzas[set->n_stanzas++] = stanza;
	if (stanza->replaced && stanza->replaced->file == stanza->file)
		diag_add(diags, "T16",
			(struct diag_location){ .file = stanza->file, .at = stanza->at, .key = stanza->key },
			"the file has a template of this key further up; this one takes its place");
	return true;
}

static bool take_file(struct template_set *set, struct template_file *file)
{
	struct template_file **files =
		array_room(set->files, set->n_files, &set->files_room, sizeof(struct template_file *));

	if (!files) {
		template_file_free(file);
		return false;
	}
	set->files = files;
	files[set->n_files++] = file;
	return true;
}

/* With the effects that the comments in front of it give to its events. */
static enum rst_status take_stanza(
	struct template_set *set, struct stanza *stanza, const char *comments, struct diags *diags)
{
	if (!parse_effects(&stanza->effects, stanza->file, comments, stanza->at, stanza->written_key,
		    &set->arena, diags) ||
		!add_stanza(set, stanza, diags))
		return RST_E_NOMEM;
	set->has_effects |= stanza->effects != NULL;
	return RST_OK;
}

enum rst_status template_set_add(struct template_set *set, struct template_file *file, struct diags *diags)
{
	const enum key_kind keys = set->is_aix ? KEY_HOOK : KEY_NAME;
	const char *comments = file->text; /* behind the stanza before */
	struct effect_line *lines;
	struct lexer lexer;
	struct stanza *stanza;
	enum rst_status status;

	if (!take_file(set, file))
		return RST_E_NOMEM;
	lexer_init(&lexer, file, diags);
	while ((status = lexer_line(&lexer)) == RST_OK) {
		status = parse_stanza(&stanza, &lexer, keys, &set->arena, diags);
		if (status == RST_OK && stanza)
			status = take_stanza(set, stanza, comments, diags);
		if (status != RST_OK)
			break;
		comments = lexer.at;
	}
	if (status == RST_END &&
		!parse_effects(&lines, file, comments, lexer.end, (struct text){ "", 0 }, &set->arena, diags))
		status = RST_E_NOMEM;
	lexer_done(&lexer);
	return status < 0 ? status : RST_OK;
}
