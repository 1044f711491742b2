// SPDX-License-Identifier: MIT
// The tab of what is chosen: the interval with all that is known of it, and its events.
import { element, table } from "./dom.js";
import { wordsOf } from "./looks.js";
import { eventTable } from "./events.js";

export class Details {
	name = "Details";
	shows = ["chosen", "pane"];

	constructor(page) {
		this.page = page;
	}

	async draw(body, pane) {
		const chosen = pane.chosen;
		if (!chosen) {
			body.replaceChildren(element("p", { class: "quiet" }, "Click an interval to see what it is; ? shows all keys."));
			return;
		}
		try {
			const answer = await pane.api.details(chosen.track, Math.round(chosen.at));
			if (pane.chosen === chosen && this.page.panel.current === this)
				body.replaceChildren(...this.parts(pane, answer));
		} catch (error) {
			body.replaceChildren(element("p", {}, error.message));
		}
	}

	parts(pane, { track, interval, events }) {
		const { clock } = pane, label = pane.rows.byId.get(track.id)?.label ?? track.name;
		const heading = element("h3", {}, `${track.object ?? track.kind} ${track.kind === "core" ? track.name : label}`);
		if (!interval)
			return [heading, element("p", { class: "quiet" }, "Nothing is recorded of it here.")];
		const rows = [
			["state", wordsOf(interval)],
			[{ core: "thread", lock: "owner", machine: "state", span: "what" }[track.kind] ?? "object", interval.object],
			["value", interval.value_text ?? interval.value?.toString()],
			["core", interval.core?.toString()],
			["by", interval.by],
			["from", clock.moment(interval.from)],
			["to", clock.moment(interval.to)],
			["length", clock.length(interval.to - interval.from)],
			["certainty", interval.certainty],
			["process", track.process?.toString()],
		].filter(([, value]) => value);
		const zoom = element("button", { onclick: () => pane.showInterval(interval.from, interval.to) }, "Zoom to it");
		return [heading, table(null, rows), element("p", {}, zoom),
			element("h3", {}, events.length ? "Its events" : "No event of its own"), events.length ? eventTable(this.page, pane, events) : ""];
	}
}
