// SPDX-License-Identifier: MIT
// The page: one pane for each trace, the panel beside them, and what belongs to all. docs/VIEW.md has the interface of the server.
import { Api } from "./api.js";
import { element, download, table } from "./dom.js";
import { followKeys, helpRows } from "./keys.js";
import { drawLegend } from "./legend.js";
import { applyLink, readLink, writeLink } from "./link.js";
import { wordsOf } from "./looks.js";
import { Pane } from "./pane.js";
import { Panel } from "./panel.js";
import { followPointer } from "./pointer.js";
import { themes } from "./looks.js";

const at = (id) => document.getElementById(id);

class Page {
	constructor() {
		this.panes = [];
		this.search = at("search");
		this.panel = new Panel(at("panel"), this);
		this.followSystem(readLink().get("theme"));
		this.button("+", "Zoom in (w)", () => this.pane.zoom(0.5));
		this.button("−", "Zoom out (s)", () => this.pane.zoom(2));
		this.button("All", "The whole trace (0)", () => this.pane.show(this.pane.full.from, this.pane.full.to));
		this.button("PNG", "Save the picture (P)", () => this.save("png"));
		this.button("SVG", "Save the picture (V)", () => this.save("svg"));
		this.button("Theme", "Dark or light (t)", () => this.toggleTheme());
		this.button("?", "Help", () => this.showHelp());
		this.followFields();
		followKeys(this);
		this.applyTheme();
	}

	button(text, title, action) {
		at("buttons").append(element("button", { title, "aria-label": title, onclick: action }, text));
	}

	async load() {
		const { traces } = await new Api(0).info();
		const link = readLink();
		for (const { trace } of traces) {
			const pane = new Pane(new Api(trace), this.theme);
			this.panes.push(pane);
			at("panes").append(pane.element);
			followPointer(pane);
			this.follow(pane);
		}
		this.activate(this.panes[0]);
		await Promise.all(this.panes.map((pane, n) => pane.load().then(() => applyLink(link, pane, n), (error) => this.setState(error.message))));
		document.title = `${this.panes.map((pane) => pane.info?.file).join(", ")} - Rastrum`;
		this.activate(this.panes[0]);
		if (this.panes.some((pane) => pane.findings.length))
			this.panel.open("Findings");
	}

	follow(pane) {
		const tell = (what) => pane === this.pane && this.panel.tell(what);
		pane.element.addEventListener("pointerdown", () => this.activate(pane));
		pane.element.addEventListener("focusin", () => this.activate(pane));
		pane.addEventListener("chosen", () => {
			if (pane.chosen && pane === this.pane && this.panel.current.name !== "Findings")
				this.panel.open("Details");
		});
		pane.addEventListener("area", () => {
			if (pane.area && pane === this.pane && this.panel.current.name !== "Statistics")
				this.panel.open("Statistics");
			clearTimeout(this.areaLater);
			this.areaLater = setTimeout(() => tell("area"), 150);
		});
		pane.addEventListener("findings", () => {
			tell("findings");
			if (pane === this.pane && pane.wasActive)
				this.putFacts();
		});
		pane.addEventListener("window", () => {
			tell("window");
			clearTimeout(this.linkLater);
			this.linkLater = setTimeout(() => writeLink(this.panes, this.hasOwnTheme ? this.theme : null), 200);
		});
		pane.addEventListener("hover", ({ detail }) => (at("status").textContent = this.hoverText(pane, detail)));
		pane.addEventListener("state", ({ detail }) => this.setState(detail));
	}

	activate(pane) {
		if (this.pane === pane && pane.wasActive)
			return;
		this.pane = pane;
		pane.wasActive = Boolean(pane.clock);
		for (const one of this.panes)
			one.element.classList.toggle("active", one === pane && this.panes.length > 1);
		if (!pane.clock)
			return;
		this.putFacts();
		at("filter").value = pane.rows.filter;
		this.panel.tell("pane");
	}

	putFacts() {
		const { info, clock, full } = this.pane;
		at("facts").textContent = `${info.events.toLocaleString("en")} events in ${clock.length(full.to)}; ${info.losses ? `${info.losses} ${info.losses === 1 ? "loss" : "losses"}` : "nothing lost"}${info.damage ? "; damaged" : ""}`;
		this.setState(info.failure ?? (info.done ? "" : info.live ? "live" : info.percent === null ? "is being read" : `is being read: ${info.percent} %`));
	}

	setState(text) {
		at("state").textContent = text ?? "";
	}

	hoverText(pane, { row, at: moment, tile, x }) {
		if (!pane.clock || x === undefined)
			return "";
		const time = moment === undefined ? pane.clock.moment(pane.window().at(x)) : pane.clock.moment(moment);
		if (!row?.track)
			return x < 170 ? "" : time;
		if (!tile)
			return moment === undefined ? row.track.label : `${time}  ${row.track.label}`;
		const words = tile.count > 1 ? `mostly ${wordsOf(tile) || row.track.kind}, ${tile.count} intervals` : wordsOf(tile);
		const value = tile.value_text ?? tile.value ?? (tile.most === undefined ? undefined
			: `${tile.least_text ?? tile.least} to ${tile.most_text ?? tile.most}`);
		return [time, row.track.label, words, tile.object, value === undefined ? undefined : `level ${value}`, tile.by && `by ${tile.by}`,
			tile.count > 1 || tile.isCut ? undefined : pane.clock.length(tile.to - tile.from)].filter(Boolean).join("  ");
	}

	// Where something is done: at what is chosen, or in the middle.
	here() {
		const { pane } = this, chosen = pane.chosen?.at;
		return chosen >= pane.from && chosen <= pane.to ? chosen : (pane.from + pane.to) / 2;
	}

	// Brings a moment into the window; the track of an event's thread is chosen.
	goTo(pane, moment, event) {
		const length = pane.to - pane.from;
		if (moment < pane.from || moment > pane.to)
			pane.show(moment - length / 2, moment + length / 2);
		const name = event?.context?.name;
		const track = pane.rows.tracks.find((one) => one.kind === "thread" && name !== undefined && one.name === name);
		if (track) {
			pane.chosen = { track: track.id, at: moment };
			pane.rows.reveal(track.id);
			pane.scrollTo(track.id);
		}
		pane.paintSoon();
	}

	// --- keys -------------------------------------------------------------------------------------------------------------

	stepPane(by) {
		const n = this.panes.indexOf(this.pane) + by;
		this.panes[(n + this.panes.length) % this.panes.length].canvas.focus();
	}

	stepTrack(by) {
		const { pane } = this, rows = pane.rows.all.filter((row) => row.track);
		const now = rows.findIndex((row) => row.track.id === pane.chosen?.track);
		const row = rows[now < 0 ? 0 : Math.min(Math.max(now + by, 0), rows.length - 1)];
		if (row)
			pane.choose(row.track.id, this.here());
	}

	// To the neighbour of the chosen interval, whose exact ends the server knows.
	async stepInterval(by) {
		const { pane } = this;
		if (!pane.chosen)
			return this.stepTrack(0);
		const { interval } = await pane.api.details(pane.chosen.track, Math.round(pane.chosen.at)).catch(() => ({}));
		const moment = interval ? (by < 0 ? interval.from - 1 : interval.to) : pane.chosen.at + by * (pane.to - pane.from) / 100;
		if (moment < 0 || moment > pane.full.to)
			return;
		pane.choose(pane.chosen.track, moment);
		if (moment < pane.from || moment > pane.to)
			pane.show(moment - (pane.to - pane.from) / 2, moment + (pane.to - pane.from) / 2);
	}

	async zoomToChosen() {
		const { pane } = this;
		if (pane.area)
			return pane.showInterval(Math.min(pane.area.from, pane.area.to), Math.max(pane.area.from, pane.area.to));
		if (!pane.chosen)
			return;
		const { interval } = await pane.api.details(pane.chosen.track, Math.round(pane.chosen.at)).catch(() => ({}));
		if (interval)
			pane.showInterval(interval.from, interval.to);
	}

	measure() {
		const { pane } = this;
		if (pane.measuredFrom === undefined) {
			pane.measuredFrom = this.here();
			this.setState(`measuring from ${pane.clock.moment(pane.measuredFrom)}: choose the other end, and m again`);
			return;
		}
		pane.setArea({ from: pane.measuredFrom, to: this.here() });
		pane.measuredFrom = undefined;
		this.setState("");
	}

	toggleFollow() {
		this.pane.isFollowing = !this.pane.isFollowing;
		this.setState(this.pane.isFollowing ? "follows the end" : "");
		if (this.pane.isFollowing)
			this.pane.show(this.pane.full.to - (this.pane.to - this.pane.from), this.pane.full.to);
	}

	clear() {
		this.pane.measuredFrom = undefined;
		this.setState("");
		this.pane.setArea(null);
		this.pane.choose();
		this.panel.draw();
	}

	// The theme of the link, or that of the system until another one is chosen.
	followSystem(wanted) {
		const system = matchMedia("(prefers-color-scheme: dark)");
		this.hasOwnTheme = Boolean(themes[wanted]);
		this.theme = this.hasOwnTheme ? wanted : system.matches ? "dark" : "light";
		system.addEventListener("change", () => {
			if (this.hasOwnTheme)
				return;
			this.theme = system.matches ? "dark" : "light";
			this.applyTheme();
		});
	}

	toggleTheme() {
		this.theme = this.theme === "dark" ? "light" : "dark";
		this.hasOwnTheme = true;
		this.applyTheme();
		writeLink(this.panes, this.theme);
	}

	applyTheme() {
		document.documentElement.classList.toggle("dark", this.theme === "dark");
		for (const pane of this.panes) {
			pane.theme = this.theme;
			pane.paintSoon();
		}
		drawLegend(at("legend"), this.theme);
	}

	save(kind) {
		const { pane } = this, name = `${pane.info.file.split("/").at(-1)}.${kind}`;
		if (kind === "svg")
			download(name, pane.svg(), "image/svg+xml");
		else
			pane.canvas.toBlob((blob) => download(name, blob));
	}

	showHelp() {
		const help = at("help");
		const rows = helpRows().map(([key, words]) => [element("kbd", {}, key), words]), half = Math.ceil(rows.length / 2);
		help.replaceChildren(element("p", {}, element("button", { onclick: () => help.close() }, "Close")),
			element("div", { class: "columns" }, table(null, rows.slice(0, half)), table(null, rows.slice(half))));
		help.showModal();
	}

	followFields() {
		this.search.addEventListener("keydown", async (event) => {
			if (event.key !== "Enter")
				return;
			await this.panel.events.search(this.search.value.trim());
			this.panel.open("Events");
			if (this.search.value.trim())
				this.panel.stepHit(1);
			this.pane.canvas.focus();
		});
		this.search.addEventListener("search", () => {
			if (!this.search.value)
				this.panel.events.search("").then(() => this.panel.tell("search"));
		});
		at("filter").addEventListener("input", () => {
			this.pane.rows.filter = at("filter").value.trim().toLowerCase();
			this.pane.rows.layOut();
			this.pane.scroll(0);
			this.pane.emit("window");
		});
	}
}

export const page = new Page();
page.load().catch((error) => page.setState(error.message));
