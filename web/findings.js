// SPDX-License-Identifier: MIT
// The tab of findings: what `rastrum explain` says, each of which jumps to its place.
import { element } from "./dom.js";

export class Findings {
	name = "Findings";
	shows = ["findings", "pane"];

	constructor(page) {
		this.page = page;
		this.chosen = -1;
	}

	count() {
		return this.page.pane?.findings.length;
	}

	draw(body, pane) {
		if (!pane.findings.length) {
			body.replaceChildren(element("p", { class: "quiet" }, pane.info?.done ? "Nothing is wrong, as far as this trace shows." : "Nothing so far."));
			return;
		}
		body.replaceChildren(...pane.findings.map((finding, n) => element("button", {
			class: `finding ${finding.severity}${n === this.chosen ? " chosen" : ""}`,
			onclick: () => this.go(n),
		}, element("strong", {}, `${finding.severity}: ${finding.finding.replaceAll("_", " ")}`),
		element("div", { class: "quiet" }, `${pane.clock.moment(finding.from)}, ${pane.clock.length(finding.to - finding.from)}`),
		element("div", {}, finding.text + (finding.certain ? "" : " (not certain)")))));
		body.querySelector(".chosen")?.scrollIntoView({ block: "nearest" });
	}

	go(n) {
		const { pane, panel } = this.page, finding = pane.findings[n];
		if (!finding)
			return;
		this.chosen = n;
		pane.showInterval(finding.from, finding.to);
		const track = finding.subjects.map((subject) => pane.rows.tracks.find(({ kind, name }) => kind === "thread" && name === (subject.name ?? subject))).find(Boolean);
		if (track)
			pane.choose(track.id, (finding.from + finding.to) / 2);
		panel.open(this.name);
	}

	step(by) {
		const n = this.page.pane.findings.length;
		if (n)
			this.go((this.chosen + by + n) % n);
	}
}
