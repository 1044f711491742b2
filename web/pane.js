// SPDX-License-Identifier: MIT
// One trace on the page: its window, rows and marks, and when they are painted. What else is on the page listens to its events:
// "chosen", "window", "area", "findings", "hover", "state".
import { Clock } from "./time.js";
import { CanvasSurface, SvgSurface, scale } from "./surface.js";
import { themes } from "./looks.js";
import { AXIS, NAMES, Window, paint } from "./paint.js";
import { paintStrip } from "./strip.js";
import { Rows } from "./rows.js";
import { Tiles, whole } from "./tiles.js";

const INTERRUPTS = 8, ARROWS = 300, ARROWS_DELAY = 150 /* ms */, LEAST = 4 /* ticks of a window */;

export class Pane extends EventTarget {
	constructor(api, theme) {
		super();
		Object.assign(this, { api, theme, top: 0, losses: [], runs: [], marks: [], arrows: null, hasArrows: true, findings: [], area: null, chosen: null });
		this.rows = new Rows();
		this.tiles = new Tiles(api, () => this.paintSoon(), (error) => this.emit("state", error.message));
		this.element = document.createElement("section");
		this.element.className = "pane";
		this.element.innerHTML = '<h2></h2><canvas class="strip" aria-label="Overview"></canvas><div class="rows"><canvas tabindex="0" aria-label="Timeline"></canvas></div>';
		[this.strip, this.canvas] = this.element.querySelectorAll("canvas");
		new ResizeObserver(() => this.paintSoon()).observe(this.element);
	}

	emit(name, detail) {
		this.dispatchEvent(new CustomEvent(name, { detail }));
	}

	async load() {
		this.info = await this.api.info();
		this.element.querySelector("h2").textContent = `${this.info.file} (${this.info.dialect ?? "not known yet"})`;
		this.clock = new Clock(this.info.hz, this.api.base, this.api.zero);
		this.full = { from: 0, to: Math.max(this.info.last, 1) };
		this.from ??= this.full.from;
		this.to ??= this.full.to;
		await this.loadMore();
		if (!this.info.done)
			this.api.live((message) => this.grow(message));
		this.emit("window");
	}

	// What may have grown: tracks, losses, findings.
	async loadMore() {
		this.losses = this.info.loss_places.map((at) => this.api.moment(at));
		this.runs = this.info.run_places.map((at) => this.api.moment(at));
		this.rows.take(await this.api.tracks());
		if (!this.hasLoaded && this.rows.tracks.filter((track) => track.kind === "interrupt").length > INTERRUPTS)
			this.rows.toggleGroup("interrupt"); // they would leave no room for threads
		this.hasLoaded = true;
		const { findings } = await this.api.findings();
		this.findings = findings;
		this.emit("findings");
		this.loadArrows();
		this.paintSoon();
	}

	// What comes while the last growth is being loaded is loaded behind it.
	async grow() {
		this.hasGrown = true;
		if (this.isGrowing)
			return;
		this.isGrowing = true;
		while (this.hasGrown) {
			this.hasGrown = false;
			await this.growOnce();
		}
		this.isGrowing = false;
	}

	// A window that shows the end, or the whole, goes on doing so.
	async growOnce() {
		const before = this.full.to, wasWhole = this.from <= this.full.from && this.to >= before, wasAtEnd = this.to >= before;
		try {
			const wasEmpty = this.info.first_ts === null;
			this.info = await this.api.info();
			if (wasEmpty && this.info.first_ts !== null)
				this.clock = new Clock(this.info.hz, this.api.base, this.api.zero);
			this.full.to = Math.max(this.info.last, 1);
			this.tiles.grown(before);
			await this.loadMore();
			if (wasWhole)
				this.show(this.full.from, this.full.to);
			else if (wasAtEnd && this.isFollowing)
				this.show(this.from + this.full.to - before, this.full.to);
		} catch (error) {
			this.emit("state", error.message);
		}
	}

	// --- the window ---------------------------------------------------------------------------------------------------

	show(from, to) {
		const whole = this.full.to - this.full.from, length = Math.min(Math.max(to - from, LEAST), whole * 1.1);
		const middle = (from + to) / 2, least = this.full.from - whole * 0.05, most = this.full.to + whole * 0.05;
		this.from = Math.min(Math.max(middle - length / 2, least), Math.max(most - length, least));
		this.to = this.from + length;
		this.arrows = null;
		this.emit("window");
		this.loadArrows();
		this.paintSoon();
	}

	zoom(factor, at = (this.from + this.to) / 2) {
		this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
	}

	pan(share) {
		const by = (this.to - this.from) * share;
		this.show(this.from + by, this.to + by);
	}

	// With some room on both sides.
	showInterval(from, to) {
		const room = Math.max((to - from) * 0.15, LEAST);
		this.show(from - room, to + room);
	}

	scroll(by) {
		const most = Math.max(0, this.rows.height + AXIS - this.height);
		this.top = Math.min(Math.max(this.top + by, 0), most);
		this.paintSoon();
	}

	scrollTo(id) {
		const row = this.rows.rowOf(id), room = this.height - AXIS;
		if (row && row.y < this.top)
			this.scroll(row.y - this.top);
		else if (row && row.y + row.height > this.top + room)
			this.scroll(row.y + row.height - room - this.top);
	}

	get width() {
		return this.canvas.clientWidth / scale();
	}

	get height() {
		return this.canvas.clientHeight / scale();
	}

	window() {
		return new Window(this.from, this.to, this.width);
	}

	loadArrows() {
		clearTimeout(this.arrowsLater);
		if (!this.hasArrows)
			return;
		const { from, to } = this;
		this.arrowsLater = setTimeout(async () => {
			const answer = await this.api.arrows(Math.max(from, this.full.from), Math.max(to, this.full.from), ARROWS).catch(() => null);
			if (!answer || this.from !== from || this.to !== to)
				return;
			this.arrows = answer.cut ? null : answer.arrows; // too many to be told apart
			this.paintSoon();
		}, ARROWS_DELAY);
	}

	// --- what is chosen ------------------------------------------------------------------------------------------------

	choose(track, at) {
		this.chosen = track === undefined ? null : { track, at };
		if (this.chosen) {
			this.rows.reveal(track);
			this.scrollTo(track);
		}
		this.emit("chosen");
		this.paintSoon();
	}

	setArea(area) {
		this.area = area;
		this.emit("area");
		this.paintSoon();
	}

	// The tile below a point of the canvas.
	hit(x, y) {
		const row = y > AXIS ? this.rows.at(y - AXIS + this.top) : undefined;
		if (!row?.track || x < NAMES)
			return { row };
		const window = this.window(), at = window.at(x), near = 3 * (this.to - this.from) / window.width;
		const level = this.tiles.levelFor((this.to - this.from) / window.width);
		let found = null;
		for (const { from, to, tile } of whole(this.tiles.pieces(row.track.id, this.from, this.to, level))) {
			if (from > at + near)
				break;
			if ((from <= at && at < to) || Math.abs(from - at) < near)
				found = { ...tile, from, to, isCut: from <= this.from || to >= this.to };
			if (from <= at && at < to)
				break;
		}
		return { row, at, tile: found };
	}

	// --- painting ------------------------------------------------------------------------------------------------------

	paintSoon() {
		this.pending ??= requestAnimationFrame(() => {
			this.pending = undefined;
			if (this.clock && this.width)
				this.paint();
		});
	}

	// What is read, and as much behind it as is likely to come, by the bytes of the file that are read.
	overview() {
		const { done, percent } = this.info;
		return { from: this.full.from, to: done || !percent ? this.full.to : Math.max(this.full.to * 100 / percent, this.full.to) };
	}

	scene(window, top) {
		const { rows, tiles, clock, losses, runs, area, marks, chosen } = this;
		const level = tiles.levelFor((this.to - this.from) / window.width);
		return { rows, tiles, clock, losses, runs, area, marks, chosen, window, top, level, arrows: this.hasArrows ? this.arrows : null };
	}

	paint() {
		const began = performance.now(), theme = themes[this.theme], window = this.window();
		const scene = this.scene(window, this.top);
		const ids = this.rows.between(this.top, this.top + this.height).map((row) => row.track?.id).filter((id) => id !== undefined);
		paint(new CanvasSurface(this.canvas, theme), scene);
		paintStrip(new CanvasSurface(this.strip, theme), { ...scene, full: this.overview(), read: this.full.to, findings: this.findings });
		this.tiles.want(ids, this.from, this.to, scene.level);
		this.paintMs = performance.now() - began;
	}

	// All rows of the window, also those that the page has no room for.
	svg() {
		const surface = new SvgSurface(Math.max(this.width, 400), this.rows.height + AXIS + 4, themes[this.theme]);
		paint(surface, this.scene(this.window(), 0));
		return surface.toString();
	}
}
