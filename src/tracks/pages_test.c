/* SPDX-License-Identifier: MIT */
#include "tracks/pages.h"

#include <string.h>

#include "tests/tap.h"

static bool is_zero(const char *bytes, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		if (bytes[i])
			return false;
	return true;
}

/* Fills n_windows windows with ones; returns whether all pieces were zero before. */
static bool fill(struct pages *pages, size_t n_windows)
{
	bool was_zero = true;

	for (size_t i = 0; i < n_windows; i++) {
		char *piece = pages_alloc(pages, PAGES_WINDOW);

		was_zero = was_zero && piece && is_zero(piece, PAGES_WINDOW);
		if (piece)
			memset(piece, 1, PAGES_WINDOW);
	}
	return was_zero;
}

int main(void)
{
	struct pages pages = { 0 };

	ok(fill(&pages, 3), "pieces are zero");
	pages_clear(&pages);
	ok(pages.n_windows == 1, "a cleared file keeps one window");
	ok(fill(&pages, 3), "pieces are zero again behind pages_clear(), in the kept window and in new ones");
	pages_clear(&pages);
	ok(pages_alloc(&pages, 16) != NULL, "a small piece fits");
	pages_clear(&pages);
	ok(fill(&pages, 1), "what a small piece used is zero again");
	pages_done(&pages);
	pages_clear(&pages);
	ok(pages.n_windows == 0, "pages that were never used are cleared to nothing");
	return tap_done();
}
