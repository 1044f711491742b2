/* SPDX-License-Identifier: MIT */
/* The files of web/, as they are, in the program. */
#include "view/server/server.h"

/* clang-format off */
#define FILES(each) \
	each(index, html) \
	each(style, css) \
	each(api, js) \
	each(app, js) \
	each(details, js) \
	each(dom, js) \
	each(events, js) \
	each(findings, js) \
	each(keys, js) \
	each(legend, js) \
	each(link, js) \
	each(looks, js) \
	each(notes, js) \
	each(paint, js) \
	each(pane, js) \
	each(panel, js) \
	each(pointer, js) \
	each(rows, js) \
	each(statistics, js) \
	each(strip, js) \
	each(surface, js) \
	each(tiles, js) \
	each(time, js)
/* clang-format on */

#define TYPE_html "text/html; charset=utf-8"
#define TYPE_css  "text/css; charset=utf-8"
#define TYPE_js	  "text/javascript; charset=utf-8"

/* The assembler reads the file; its path is that from the top of the source tree, where make runs. */
#define EMBED(name, ending)                               \
	__asm__(".section .rodata\n"                      \
		"asset_" #name ":\n"                      \
		".incbin \"web/" #name "." #ending "\"\n" \
		"asset_" #name "_end:\n"                  \
		".byte 0\n"                               \
		".previous\n");                           \
	extern const char asset_##name[], asset_##name##_end[];

#define ASSET(name, ending) { "/" #name "." #ending, TYPE_##ending, asset_##name, asset_##name##_end },

FILES(EMBED)

const struct asset assets[] = { FILES(ASSET) };

const size_t n_assets = sizeof(assets) / sizeof(assets[0]);
