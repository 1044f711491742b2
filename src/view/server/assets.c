/* SPDX-License-Identifier: MIT */
/* The files of web/, as they are, in the program. Each needs a line in both lists. */
#include "view/server/server.h"

/* The assembler reads the file; its path is that from the top of the source tree, where make runs. */
#define EMBED(name, path)                \
	__asm__(".section .rodata\n"     \
		"asset_" #name ":\n"     \
		".incbin \"" path "\"\n" \
		"asset_" #name "_end:\n" \
		".byte 0\n"              \
		".previous\n");          \
	extern const char asset_##name[], asset_##name##_end[]

EMBED(index, "web/index.html");
EMBED(style, "web/style.css");
EMBED(api, "web/api.js");
EMBED(app, "web/app.js");
EMBED(details, "web/details.js");
EMBED(dom, "web/dom.js");
EMBED(events, "web/events.js");
EMBED(findings, "web/findings.js");
EMBED(keys, "web/keys.js");
EMBED(legend, "web/legend.js");
EMBED(link, "web/link.js");
EMBED(looks, "web/looks.js");
EMBED(notes, "web/notes.js");
EMBED(paint, "web/paint.js");
EMBED(pane, "web/pane.js");
EMBED(panel, "web/panel.js");
EMBED(pointer, "web/pointer.js");
EMBED(rows, "web/rows.js");
EMBED(statistics, "web/statistics.js");
EMBED(strip, "web/strip.js");
EMBED(surface, "web/surface.js");
EMBED(tiles, "web/tiles.js");
EMBED(time, "web/time.js");
#define SCRIPT(name)                                                                                \
	{                                                                                           \
		"/" #name ".js", "text/javascript; charset=utf-8", asset_##name, asset_##name##_end \
	}

const struct asset assets[] = {
	{ "/index.html", "text/html; charset=utf-8", asset_index, asset_index_end },
	{ "/style.css", "text/css; charset=utf-8", asset_style, asset_style_end },
	SCRIPT(api),
	SCRIPT(app),
	SCRIPT(details),
	SCRIPT(dom),
	SCRIPT(events),
	SCRIPT(findings),
	SCRIPT(keys),
	SCRIPT(legend),
	SCRIPT(link),
	SCRIPT(looks),
	SCRIPT(notes),
	SCRIPT(paint),
	SCRIPT(pane),
	SCRIPT(panel),
	SCRIPT(pointer),
	SCRIPT(rows),
	SCRIPT(statistics),
	SCRIPT(strip),
	SCRIPT(surface),
	SCRIPT(tiles),
	SCRIPT(time),
};

const size_t n_assets = sizeof(assets) / sizeof(assets[0]);
