// SPDX-License-Identifier: MIT
// The tab of statistics: the tables of `rastrum stats`, of the selected area or of the whole trace.
import { element, table } from "./dom.js";

const SUBJECTS = new Set(["core", "process", "thread", "interrupt", "lock", "queue", "pool", "service", "span", "machine"]);

export class Statistics {
	name = "Statistics";
	shows = ["area", "pane"];
	chosen = "load";

	constructor(page) {
		this.page = page;
	}

	async draw(body, pane) {
		const { area, api, clock, info } = pane;
		const from = area && Math.round(Math.min(area.from, area.to)), to = area && Math.round(Math.max(area.from, area.to));
		const choice = element("select", { "aria-label": "Table", onchange: (event) => {
			this.chosen = event.target.value;
			this.draw(body, pane);
		} }, ...info.tables.map((name) => element("option", { value: name, selected: name === this.chosen }, name)));
		const what = area ? `of ${clock.length(to - from)}, from ${clock.moment(from)} to ${clock.moment(to)}` : "of the whole trace; drag with Shift to select an area";
		const head = element("p", {}, choice, " ", element("span", { class: "quiet" }, what));

		body.replaceChildren(head);
		try {
			const answer = await (area ? api.stats(this.chosen, from, to) : api.stats(this.chosen));
			if (this.page.panel.current !== this || pane.area !== area)
				return;
			body.replaceChildren(head, ...this.parts(answer, clock));
			this.drawn = area;
		} catch (error) {
			body.replaceChildren(head, element("p", {}, error.message));
		}
	}

	// What a row is about stands in one column; columns without any figure are left out.
	parts({ table: name, columns, rows, unknown }, clock) {
		// NAME_max, the most that fits the recording, stands behind NAME, which it proves.
		const most = new Map(columns.flatMap((column, n) => (column.most_of ? [[n - 1, n]] : [])));
		const isSubject = (n) => SUBJECTS.has(columns[n].name);
		const subject = (row) => columns.map((column, n) => (isSubject(n) && row[n] !== null ? (/^\d/.test(row[n]) ? `${column.name} ${row[n]}` : row[n]) : null)).findLast(Boolean);
		const shown = columns.map((column, n) => n).filter((n) => !isSubject(n) && !columns[n].most_of && columns[n].name !== "kind"
			&& rows.some((row) => row[n] !== null && row[n] !== 0 && typeof row[n] !== "object"));
		const figures = new Set(shown.map((n, place) => (rows.some((row) => typeof row[n] === "string") ? -1 : place + 1)));
		const text = (value, { name, unit }) => (value === null || typeof value === "object" ? ""
			: name.endsWith("_at") ? clock.moment(Number(BigInt(value) - clock.base))
				: unit === "%" ? `${value.toFixed(1)} %` : unit === "ns" ? clock.length(value * clock.hz / 1e9) : String(value));
		const bounded = (row, n) => {
			const least = text(row[n], columns[n]), largest = most.has(n) ? text(row[most.get(n)], columns[n]) : least;

			return least === largest ? least : columns[n].unit === "%" ? `${Math.floor(row[n])}\u2013${Math.ceil(row[most.get(n)])} %` : `\u2265 ${least}`;
		};

		return [
			rows.length ? table([name, ...shown.map((n) => columns[n].name.replaceAll("_", " "))],
				rows.map((row) => [subject(row), ...shown.map((n) => bounded(row, n))]), figures)
				: element("p", { class: "quiet" }, "No rows."),
			unknown > 0 ? element("p", { class: "quiet" }, `Unknown: ${(unknown * 100).toFixed(1)} % of the time.`) : "",
		];
	}
}
