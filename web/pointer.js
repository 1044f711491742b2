// SPDX-License-Identifier: MIT
// Mouse, touch and wheel on a pane. Drag moves; with Shift it selects an area; the wheel zooms where the pointer is, over names it
// scrolls; two fingers zoom and move.
import { AXIS, NAMES } from "./paint.js";
import { scale } from "./surface.js";

const STILL = 4; // pixels that a click may move

export function followPointer(pane) {
	const { canvas, strip } = pane;
	const fingers = new Map();
	let drag = null;

	const point = (event) => {
		const box = event.currentTarget.getBoundingClientRect();
		return { x: (event.clientX - box.left) / scale(), y: (event.clientY - box.top) / scale() };
	};

	canvas.addEventListener("wheel", (event) => {
		event.preventDefault();
		const { x } = point(event), unit = event.deltaMode ? 30 : 1;
		if (x < NAMES)
			pane.scroll(event.deltaY * unit);
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			pane.pan((event.shiftKey && !event.deltaX ? event.deltaY : event.deltaX) * unit / pane.window().width);
		else
			pane.zoom(Math.exp(event.deltaY * unit * 0.002), pane.window().at(x));
	}, { passive: false });

	canvas.addEventListener("pointerdown", (event) => {
		canvas.setPointerCapture(event.pointerId);
		canvas.focus();
		const at = point(event);
		fingers.set(event.pointerId, at);
		if (fingers.size === 2)
			drag = pinchBegin(pane, [...fingers.values()]);
		else if (event.button === 0)
			drag = dragBegin(pane, at, event.shiftKey);
	});

	canvas.addEventListener("pointermove", (event) => {
		const at = point(event);
		if (fingers.has(event.pointerId))
			fingers.set(event.pointerId, at);
		if (drag)
			drag.move(fingers.size === 2 ? [...fingers.values()] : at);
		else
			pane.emit("hover", { ...pane.hit(at.x, at.y), x: at.x });
		canvas.style.cursor = at.x < NAMES || at.y < AXIS ? "default" : drag ? "grabbing" : "crosshair";
	});

	const end = (event) => {
		fingers.delete(event.pointerId);
		drag?.end?.(point(event));
		drag = null;
	};
	canvas.addEventListener("pointerup", end);
	canvas.addEventListener("pointercancel", end);
	canvas.addEventListener("pointerleave", () => pane.emit("hover", {}));
	canvas.addEventListener("dblclick", (event) => {
		const { tile } = pane.hit(point(event).x, point(event).y);
		if (tile)
			pane.showInterval(tile.from, tile.to);
	});
	followStrip(pane, strip, point);
}

function dragBegin(pane, start, isArea) {
	const { from, to, top } = pane, window = pane.window();
	let hasMoved = false;

	if (start.x < NAMES)
		return nameDrag(pane, start);
	return {
		move({ x, y }) {
			hasMoved ||= Math.hypot(x - start.x, y - start.y) > STILL;
			if (!hasMoved)
				return;
			if (isArea)
				pane.setArea({ from: window.at(start.x), to: window.at(Math.max(x, NAMES)) });
			else {
				const by = (start.x - x) * (to - from) / window.width;
				pane.show(from + by, to + by);
				pane.scroll(top + start.y - y - pane.top);
			}
		},
		end({ x, y }) {
			if (!hasMoved)
				click(pane, pane.hit(x, y));
		},
	};
}

function click(pane, { row, at, tile }) {
	if (tile)
		pane.choose(row.track.id, Math.min(Math.max(at, tile.from), Math.max(tile.to - 1, tile.from)));
	else if (row?.track && at !== undefined)
		pane.choose(row.track.id, at);
	else {
		pane.setArea(null);
		pane.choose();
	}
}

// A name moves its row; a click on a heading collapses the group.
function nameDrag(pane, start) {
	const row = pane.rows.at(start.y - AXIS + pane.top);
	let y = start.y, hasMoved = false;

	return {
		move(at) {
			if (!row?.track)
				return;
			const rows = Math.round((at.y - y) / row.height);
			if (rows) {
				hasMoved = true;
				pane.rows.move(row.track.id, rows);
				y += rows * row.height;
				pane.paintSoon();
			}
		},
		end() {
			if (hasMoved || !row)
				return;
			if (row.kind)
				pane.rows.toggleGroup(row.kind);
			else if (row.track)
				pane.choose(row.track.id, (pane.from + pane.to) / 2);
			pane.scroll(0);
		},
	};
}

function pinchBegin(pane, [a, b]) {
	const window = pane.window(), middle = window.at((a.x + b.x) / 2), apart = Math.max(Math.abs(a.x - b.x), 10);
	const length = pane.to - pane.from;

	return {
		move(fingers) {
			if (!Array.isArray(fingers))
				return;
			const [a, b] = fingers, now = length * apart / Math.max(Math.abs(a.x - b.x), 10);
			const from = middle - ((a.x + b.x) / 2 - NAMES) * now / window.width;
			pane.show(from, from + now);
		},
	};
}

// The frame is dragged; a click elsewhere brings it there.
function followStrip(pane, strip, point) {
	let grip = null;
	const at = (event) => pane.full.from + (point(event).x - NAMES) * (pane.overview().to - pane.full.from) / Math.max(strip.clientWidth / scale() - NAMES, 1);

	strip.addEventListener("pointerdown", (event) => {
		strip.setPointerCapture(event.pointerId);
		const where = at(event), length = pane.to - pane.from;
		if (where < pane.from || where > pane.to)
			pane.show(where - length / 2, where + length / 2);
		grip = where - pane.from;
	});
	strip.addEventListener("pointermove", (event) => {
		if (grip !== null)
			pane.show(at(event) - grip, at(event) - grip + pane.to - pane.from);
	});
	strip.addEventListener("pointerup", () => (grip = null));
	strip.addEventListener("wheel", (event) => {
		event.preventDefault();
		pane.zoom(Math.exp(event.deltaY * 0.002), at(event));
	}, { passive: false });
}
