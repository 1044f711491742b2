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
EMBED(app, "web/app.js");

const struct asset assets[] = {
	{ "/index.html", "text/html; charset=utf-8", asset_index, asset_index_end },
	{ "/style.css", "text/css; charset=utf-8", asset_style, asset_style_end },
	{ "/app.js", "text/javascript; charset=utf-8", asset_app, asset_app_end },
};

const size_t n_assets = sizeof(assets) / sizeof(assets[0]);
