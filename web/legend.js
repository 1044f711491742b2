// SPDX-License-Identifier: MIT
// What the colours and patterns mean: each look that the tracks can have.
import { element } from "./dom.js";
import { lookOf } from "./looks.js";
import { CanvasSurface } from "./surface.js";
import { themes } from "./looks.js";

const SHOWN = [
	["running"], ["ready"], ["waiting", "lock"], ["waiting"], ["waiting", "sleep"], ["interrupted"], ["held"], [null], ["idle"], ["unknown"],
];

export function drawLegend(root, theme) {
	const items = SHOWN.map(([state, reason]) => {
		const canvas = element("canvas", {}), look = lookOf({ state, reason });
		return { canvas, look, item: element("span", {}, canvas, look.word ?? "interrupt, level, span") };
	});
	root.replaceChildren(...items.map(({ item }) => item));
	for (const { canvas, look } of items) {
		const surface = new CanvasSurface(canvas, themes[theme]), height = surface.height * look.height;
		if (look.fill)
			surface.rect(0, surface.height - height, surface.width, height, look.fill);
		if (look.pattern)
			surface.pattern(0, surface.height - height, surface.width, height, look.pattern);
	}
	for (const [word, colour, dashes] of [["events lost", "loss", [4, 3]], ["recording begins anew", "text"]]) {
		const canvas = element("canvas", {});
		root.append(element("span", {}, canvas, word));
		const surface = new CanvasSurface(canvas, themes[theme]);
		surface.line([[11, 0], [11, 14]], surface.theme[colour], 2, dashes);
	}
}
