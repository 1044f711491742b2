// SPDX-License-Identifier: MIT
// The tab of bookmarks and notes. They are kept in the link, nowhere else.
import { element } from "./dom.js";

export class Notes {
	name = "Notes";
	shows = ["notes", "pane"];

	constructor(page) {
		this.page = page;
	}

	count() {
		return this.page.pane?.marks.length;
	}

	add(at) {
		const { pane } = this.page;
		pane.marks.push({ at: Math.round(at), text: `note ${pane.marks.length + 1}` });
		pane.marks.sort((a, b) => a.at - b.at);
		this.changed();
	}

	changed() {
		this.page.pane.paintSoon();
		this.page.pane.emit("window");
	}

	draw(body, pane) {
		const lines = pane.marks.map((mark) => element("p", { class: "buttons" },
			element("button", { onclick: () => this.page.goTo(pane, mark.at) }, pane.clock.moment(mark.at)),
			element("input", { value: mark.text, "aria-label": "Note", oninput: (event) => {
				mark.text = event.target.value;
				this.changed();
			} }),
			element("button", { "aria-label": "Remove", onclick: () => {
				pane.marks = pane.marks.filter((one) => one !== mark);
				this.changed();
				this.page.panel.draw();
			} }, "×")));
		body.replaceChildren(element("p", { class: "quiet" }, "b sets a bookmark. Window, pins and notes are in the link: copy it to keep or to send them."), ...lines);
	}
}
