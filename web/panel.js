// SPDX-License-Identifier: MIT
// The panel beside the timeline: one tab for each question. Each tab is an object with a name and draw(body, pane).
import { element } from "./dom.js";
import { Details } from "./details.js";
import { Events } from "./events.js";
import { Findings } from "./findings.js";
import { Notes } from "./notes.js";
import { Statistics } from "./statistics.js";

export class Panel {
	constructor(root, page) {
		this.page = page;
		this.findings = new Findings(page);
		this.events = new Events(page);
		this.notes = new Notes(page);
		this.tabs = [new Details(page), this.findings, this.events, new Statistics(page), this.notes];
		this.list = element("div", { role: "tablist" });
		this.body = element("div", { class: "body", role: "tabpanel", tabIndex: 0 });
		root.append(this.list, this.body);
		this.buttons = this.tabs.map((tab) => {
			const button = element("button", { role: "tab", onclick: () => this.open(tab.name) }, tab.name);
			this.list.append(button);
			return button;
		});
		this.current = this.tabs[0];
	}

	open(name) {
		this.current = this.tabs.find((tab) => tab.name === name);
		this.draw();
	}

	// What has happened on the page; tabs that show it are drawn anew.
	tell(what) {
		this.label();
		if (this.current.shows.includes(what))
			this.draw();
	}

	label() {
		this.tabs.forEach((tab, n) => {
			this.buttons[n].textContent = tab.count?.() === undefined ? tab.name : `${tab.name} (${tab.count()})`;
			this.buttons[n].setAttribute("aria-selected", String(tab === this.current));
		});
	}

	draw() {
		this.label();
		this.current.draw(this.body, this.page.pane);
	}

	stepFinding(by) {
		this.current = this.findings;
		this.findings.step(by);
		this.draw();
	}

	stepHit(by) {
		this.current = this.events;
		this.events.step(by);
	}

	bookmark(at) {
		this.current = this.notes;
		this.notes.add(at);
		this.draw();
	}
}
