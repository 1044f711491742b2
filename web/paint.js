// SPDX-License-Identifier: MIT
// The picture of one trace: axis, rows, arrows, marks. It paints what is in the window and nothing else.
import { lookOf } from "./looks.js";
import { whole } from "./tiles.js";

export const NAMES = 170, AXIS = 24;
const DENSE = 300; // tiles of a row from which on narrow ones are painted as columns

// A window onto the trace: which moments the pixels behind the names are.
export class Window {
	constructor(from, to, width) {
		Object.assign(this, { from, to, width: Math.max(width - NAMES, 1) });
	}

	x(at) {
		return NAMES + (at - this.from) * this.width / (this.to - this.from);
	}

	at(x) {
		return this.from + (x - NAMES) * (this.to - this.from) / this.width;
	}
}

export function paint(surface, scene) {
	const { rows, top, window, theme } = { ...scene, theme: surface.theme };
	const shown = rows.between(top, top + surface.height - AXIS);

	paintGrid(surface, scene);
	surface.clip(0, AXIS, surface.width, surface.height - AXIS, () => {
		for (const row of shown) {
			const y = AXIS + row.y - top;
			if (row.group)
				paintHead(surface, row, y, scene);
			else
				paintRow(surface, row, y, scene);
		}
		surface.columnsDone();
		if (scene.arrows)
			paintArrows(surface, scene);
	});
	for (const at of scene.losses)
		if (at >= window.from && at <= window.to)
			surface.line([[window.x(at), AXIS], [window.x(at), surface.height]], theme.loss, 2, [4, 3]);
	for (const at of scene.runs)
		if (at >= window.from && at <= window.to)
			surface.line([[window.x(at), AXIS], [window.x(at), surface.height]], theme.text, 2);
	paintArea(surface, scene);
	for (const { at, text } of scene.marks)
		paintMark(surface, scene, at, text);
}

function paintGrid(surface, { window, clock }) {
	const { theme } = surface;
	surface.rect(0, 0, surface.width, AXIS, theme.head);
	for (const { at, text } of clock.marks(window.from, window.to, window.width / 110)) {
		const x = window.x(at);
		if (x < NAMES - 1)
			continue;
		surface.line([[x, AXIS - 6], [x, surface.height]], theme.grid);
		if (x + 3 + surface.measure(text) < surface.width)
			surface.text(x + 3, 15, text, theme.quiet);
	}
}

function paintHead(surface, row, y, { rows }) {
	const { theme } = surface;
	const sign = !row.kind ? "" : rows.collapsed.has(row.kind) ? "▸ " : "▾ ";
	surface.rect(0, y, surface.width, row.height, theme.head);
	surface.text(8, y + 14, `${sign}${row.group}${row.kind ? ` (${row.n})` : ""}`, theme.text, { bold: true, most: NAMES - 12 });
}

function paintRow(surface, row, y, scene) {
	const { theme } = surface;
	const { window, tiles, level, chosen } = scene;
	const isChild = row.track.kind === "span" && row.track.parent !== undefined, indent = isChild ? 22 : 10;
	const pieces = tiles.pieces(row.track.id, window.from, window.to, level);
	const found = whole(pieces);

	scene.isDense = found.length > DENSE;
	if (chosen?.track === row.track.id)
		surface.rect(0, y, surface.width, row.height, theme.chosen);
	const isLevel = row.track.kind === "level", range = isLevel ? paintLevel(surface, row, y, scene, found) : "";
	if (!isLevel)
		for (const bar of found)
			paintBar(surface, row, y, scene, bar);
	// Names cover what is left of the window.
	surface.rect(0, y, NAMES - 1, row.height, chosen?.track === row.track.id ? theme.head : theme.ground);
	if (!(isChild && row.track.lane))
		surface.text(indent, y + row.height / 2 + (isLevel ? -2 : 4), `${row.isPinned ? "◆ " : ""}${isChild ? "spans" : row.track.label}`,
			isChild ? theme.quiet : theme.text, { most: NAMES - indent - 6 });
	if (isLevel)
		surface.text(indent, y + row.height / 2 + 12, range, theme.quiet);
}

function paintBar(surface, row, y, scene, { from, to, tile }) {
	const { window, chosen } = scene;
	const look = lookOf(tile), room = row.height - 4;
	const x = Math.max(Math.round(window.x(from)), NAMES), end = Math.min(Math.round(window.x(to)), surface.width);
	const width = Math.max(end - x, 1), height = room * look.height;

	if (end < NAMES)
		return;
	const put = width < 3 && scene.isDense ? "column" : "rect";
	// Of several intervals, how much of the time they take is how strong the colour is.
	if (look.fill)
		surface[put](x, y + 2 + room - height, width, height, look.fill, tile.count > 1 ? 0.25 + 0.75 * tile.share : 1);
	if (tile.running > 0.005) {
		const share = Math.max(room * tile.running, 2);
		surface[put](x, y + 2 + room - share, width, share, lookOf({ state: "running" }).fill);
	}
	if (look.pattern && width >= 3)
		surface.pattern(x, y + 2 + room - height, width, height, look.pattern);
	if (look.height >= 0.7 && width > 4 && tile.count === undefined && look.fill)
		surface.rect(x + width - 1, y + 2 + room - height, 1, height, surface.theme.ground);
	if (tile.certainty && tile.certainty !== "exact" && look.fill && width >= 4)
		surface.line([[x, y + 2], [x + width - 1, y + 2]], look.fill, 1, [2, 2]);
	if (width > 24 && tile.object !== undefined && (row.track.kind !== "thread" || tile.state === "waiting")) {
		const ink = look.ink === "light" ? "#ffffff" : look.ink === "black" ? "#101418" : surface.theme.text;
		surface.text(x + 3, y + row.height / 2 + (look.height < 0.5 ? 1 : 4), tile.object, ink, { most: width - 6 });
	}
	if (chosen && chosen.track === row.track.id && chosen.at >= tile.from && chosen.at < tile.to)
		surface.line([[x, y + 1], [x + width, y + 1], [x + width, y + row.height - 1], [x, y + row.height - 1], [x, y]], surface.theme.accent, 2);
}

// A step for each value from the line of 0; where several lie in a column, all of them between the least and the greatest. A tile
// without a number, as of NaN, stays empty. Returns what the row's label says.
function paintLevel(surface, row, y, { window, isDense }, found) {
	const known = found.map((bar) => ({ ...bar, least: bar.tile.least ?? bar.tile.value, most: bar.tile.most ?? bar.tile.value }))
		.filter(({ most }) => typeof most === "number");
	const low = known.reduce((low, { least }) => Math.min(low, least), 0), high = known.reduce((high, { most }) => Math.max(high, most), 0);
	const height = row.height - 8, top = y + 4, range = high / 2 - low / 2;
	const place = (value) => top + height - (range ? (value / 2 - low / 2) / range : 0) * height;

	for (const { from, to, least, most } of known) {
		const x = Math.max(window.x(from), NAMES), width = Math.max(Math.min(window.x(to), surface.width) - x, 1);
		const put = width < 3 && isDense ? "column" : "rect", upper = Math.min(place(most), place(0)), lower = Math.max(place(least), place(0));
		surface[put](x, upper, width, Math.max(lower - upper, 1), "#56b4e980");
		surface[put](x, place(most), width, Math.max(place(least) - place(most), 1.5), "#0072b2");
	}
	// Beyond 2^53 a number of JavaScript has digits that were not recorded.
	const shown = (value) => Number.isSafeInteger(value) || !Number.isInteger(value) ? value : value.toExponential(3);
	return low < 0 ? `${shown(low)} to ${shown(high)}` : `most ${shown(high)}`;
}

function paintArrows(surface, { arrows, rows, top, window, chosen }) {
	const middle = (id) => {
		const row = rows.rowOf(id);
		return row && AXIS + row.y - top + row.height / 2;
	};
	for (const { kind, from, to } of arrows) {
		const y0 = middle(from.track), y1 = middle(to.track);
		if (y0 === undefined || y1 === undefined || (y0 === y1 && from.at === to.at))
			continue;
		const x0 = window.x(from.at), x1 = window.x(to.at), towards = Math.sign(y1 - y0) || 1;
		if (Math.max(x0, x1) < NAMES)
			continue;
		const isOf = chosen && (chosen.track === from.track || chosen.track === to.track);
		const stroke = isOf ? surface.theme.accent : surface.theme.arrow, width = isOf ? 2 : 1;
		surface.line([[x0, y0], [x1, y1 - 4 * towards]], stroke, width, kind === "message" ? [5, 3] : []);
		surface.line([[x1 - 4, y1 - 7 * towards], [x1, y1], [x1 + 4, y1 - 7 * towards]], stroke, width);
	}
}

function paintArea(surface, { area, window, clock }) {
	if (!area)
		return;
	const x = Math.max(window.x(Math.min(area.from, area.to)), NAMES), end = Math.min(window.x(Math.max(area.from, area.to)), surface.width);
	if (end < NAMES || x > surface.width)
		return;
	surface.rect(x, AXIS, end - x, surface.height - AXIS, surface.theme.chosen);
	surface.line([[x, 0], [x, surface.height]], surface.theme.accent);
	surface.line([[end, 0], [end, surface.height]], surface.theme.accent);
	surface.line([[x, AXIS - 2], [end, AXIS - 2]], surface.theme.accent, 3);
	const text = clock.length(Math.abs(area.to - area.from)), width = surface.measure(text, true);
	const left = Math.min(Math.max((x + end - width) / 2, NAMES + 4), surface.width - width - 4);
	surface.rect(left - 4, 2, width + 8, AXIS - 6, surface.theme.ground);
	surface.text(left, 15, text, surface.theme.accent, { bold: true });
}

function paintMark(surface, { window }, at, text) {
	const x = window.x(at);
	if (x < NAMES || x > surface.width)
		return;
	surface.line([[x, 0], [x, surface.height]], surface.theme.accent, 1, [2, 3]);
	surface.text(x + 3, AXIS + 11, text, surface.theme.accent, { bold: true, most: 160 });
}
