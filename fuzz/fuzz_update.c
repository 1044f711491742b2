/* SPDX-License-Identifier: MIT */
/*
 * Update files: the input is a file of templates, a NUL, and an update file. What is changed is a file of
 * templates again, what is not has its bytes, and the undo file brings back the stanzas in force.
 */
#include <stdlib.h>
#include <string.h>

#include "template/update/update.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
	if (!holds)
		abort();
}

struct texts {
	struct outbuf master, undo;
	bool has_changed;
};

/* false: the update file, or with *ret_has_faults the master, has errors. */
static bool change(
	struct text master, struct text input, bool is_forced, bool *ret_has_faults, struct texts *ret)
{
	struct template_set *alone = template_set_new("aix");
	struct diags diags = { 0 }, faults = { 0 };
	struct update update = { .set = NULL };
	struct rst_error err;
	bool is_good;

	require(template_set_add(alone, template_file_of("m", master.bytes, master.n_bytes), &faults) ==
		RST_OK);
	*ret_has_faults = faults.n_errors > 0;
	require(update_read(&update, "aix", template_file_of("m", master.bytes, master.n_bytes),
			template_file_of("i", input.bytes, input.n_bytes), &diags, &err) == RST_OK);
	is_good = diags.n_errors == 0;
	if (is_good) {
		require(update_apply(&update, is_forced, &err) == RST_OK);
		require(outbuf_init(&ret->master, OUTBUF_MEMORY) && outbuf_init(&ret->undo, OUTBUF_MEMORY));
		update_put_master(&update, &ret->master);
		update_put_undo(&update, &ret->undo);
		ret->has_changed = update_has_changed(&update);
	}
	diags_done(&diags);
	diags_done(&faults);
	update_done(&update);
	template_set_free(alone);
	return is_good;
}

static struct text text_of(const struct outbuf *out)
{
	return (struct text){ out->start, (size_t)(out->at - out->start) };
}

/* Each stanza in force of one is that of the other. */
static void require_same(struct text one, struct text other)
{
	struct template_set *a = template_set_new("aix"), *b = template_set_new("aix");
	struct diags diags = { 0 };

	template_set_add(a, template_file_of("a", one.bytes, one.n_bytes), &diags);
	template_set_add(b, template_file_of("b", other.bytes, other.n_bytes), &diags);
	for (size_t i = 0; i < a->n_stanzas; i++) {
		const struct text key = a->stanzas[i]->key;
		struct outbuf first, second;
		bool has_first, has_second;

		require(outbuf_init(&first, OUTBUF_MEMORY) && outbuf_init(&second, OUTBUF_MEMORY));
		has_first = update_put_stanza(a, key, &first);
		has_second = update_put_stanza(b, key, &second);
		require(has_first == has_second && text_is_same(text_of(&first), text_of(&second)));
		outbuf_done(&first);
		outbuf_done(&second);
	}
	diags_done(&diags);
	template_set_free(a);
	template_set_free(b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = size ? memchr(data, 0, size) : NULL;
	struct text master, input;
	struct texts changed, undone;
	bool has_faults, has_others;

	/* A byte order mark is not kept. */
	if (!nul || (size >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0))
		return 0;
	master = (struct text){ (const char *)data, (size_t)(nul - data) };
	input = (struct text){ (const char *)nul + 1, size - master.n_bytes - 1 };
	if (!change(master, input, size & 1, &has_faults, &changed))
		return 0;
	if (!changed.has_changed)
		require(text_is_same(text_of(&changed.master), master));
	if (!has_faults) {
		require(change(text_of(&changed.master), text_of(&changed.undo), true, &has_others, &undone));
		require(!has_others);
		require_same(text_of(&undone.master), master);
		require_same(master, text_of(&undone.master));
		outbuf_done(&undone.master);
		outbuf_done(&undone.undo);
	}
	outbuf_done(&changed.master);
	outbuf_done(&changed.undo);
	return 0;
}
