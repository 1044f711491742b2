// SPDX-License-Identifier: MIT
// The tab of events: those around what is chosen or from the window's begin on, or what the search has found. It follows the window.
import { element } from "./dom.js";

const LIMIT = 200, DELAY = 200; // ms

export function eventTable(page, pane, events, hit) {
	const rows = events.map((event) => {
		const isGap = event.text === undefined;
		return element("tr", { class: `jump${hit === event ? " near" : ""}`, onclick: () => page.goTo(pane, event.at, event) },
			element("td", { class: "time" }, pane.clock.moment(event.at)),
			element("td", {}, isGap ? gapText(event) : event.text));
	});
	return element("table", {}, element("tbody", {}, ...rows));
}

function gapText(event) {
	return `*** ${event.what ?? event.marker ?? "loss"}`;
}

export class Events {
	name = "Events";
	shows = ["window", "pane", "search"];

	constructor(page) {
		this.page = page;
		this.found = null;
		this.hit = -1;
	}

	draw(body, pane) {
		clearTimeout(this.later);
		if (this.found)
			this.put(body, pane, this.found, `${this.found.events.length}${this.found.cut ? " or more" : ""} events with “${this.query}”`);
		else
			this.later = setTimeout(() => this.follow(body, pane), DELAY);
	}

	async follow(body, pane) {
		const from = Math.max(pane.from, 0), to = Math.max(pane.to, 0);
		try {
			const answer = await pane.api.events({ from: Math.floor(from), to: Math.ceil(to), limit: LIMIT });
			if (this.page.panel.current === this && !this.found)
				this.put(body, pane, answer, answer.cut ? `the first ${answer.events.length} events of the window` : `${answer.events.length} events in the window`);
		} catch (error) {
			body.replaceChildren(element("p", {}, error.message));
		}
	}

	put(body, pane, answer, words) {
		const tracks = (answer.tracks ?? []).map((id) => element("button", { onclick: () => pane.choose(id, (pane.from + pane.to) / 2) },
			pane.rows.byId.get(id)?.label ?? String(id)));
		body.replaceChildren(element("p", { class: "quiet" }, words),
			tracks.length ? element("p", { class: "buttons" }, "Tracks: ", ...tracks) : "",
			eventTable(this.page, pane, answer.events, answer.events[this.hit]));
		body.querySelector(".near")?.scrollIntoView({ block: "nearest" });
	}

	async search(query) {
		const { pane } = this.page;
		this.query = query;
		this.hit = -1;
		this.found = query ? await pane.api.search(query).catch((error) => ({ events: [], tracks: [], error })) : null;
		if (this.found?.error)
			this.page.setState(this.found.error.message);
	}

	step(by) {
		const { pane, panel } = this.page;
		if (!this.found?.events.length)
			return;
		this.hit = (this.hit + by + this.found.events.length) % this.found.events.length;
		const event = this.found.events[this.hit];
		this.page.goTo(pane, event.at, event);
		this.draw(panel.body, pane);
	}
}
