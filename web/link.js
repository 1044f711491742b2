// SPDX-License-Identifier: MIT
// What the link keeps behind its #: of each trace the window, pinned tracks, filter and notes. Ticks are those of the recording.

export function writeLink(panes, theme) {
	const link = new URLSearchParams();
	panes.forEach((pane, n) => {
		if (!pane.clock)
			return;
		const put = (key, value) => link.set(n ? `${key}${n}` : key, value);
		if (pane.from > pane.full.from || pane.to < pane.full.to)
			put("window", `${pane.api.ticks(pane.from)}-${pane.api.ticks(pane.to)}`);
		if (pane.rows.pinned.length)
			put("pin", pane.rows.pinned.join(","));
		if (pane.rows.filter)
			put("filter", pane.rows.filter);
		if (pane.marks.length)
			put("notes", JSON.stringify(pane.marks.map(({ at, text }) => [pane.api.ticks(at).toString(), text])));
	});
	if (theme)
		link.set("theme", theme);
	history.replaceState(null, "", `#${link}`);
}

export function readLink() {
	return new URLSearchParams(location.hash.slice(1));
}

// What the link says of a trace; what makes no sense is left out.
export function applyLink(link, pane, n) {
	const get = (key) => link.get(n ? `${key}${n}` : key);
	const [from, to] = (get("window") ?? "").split("-").map((text) => (/^\d{1,20}$/.test(text) ? pane.api.moment(text) : NaN));

	pane.rows.filter = (get("filter") ?? "").toLowerCase();
	pane.rows.pinned = (get("pin") ?? "").split(",").filter((text) => /^\d+$/.test(text)).map(Number);
	try {
		const notes = JSON.parse(get("notes") ?? "[]");
		pane.marks = notes.map(([at, text]) => ({ at: pane.api.moment(at), text: String(text) }));
	} catch {
		pane.marks = [];
	}
	pane.rows.layOut();
	if (to > from)
		pane.show(from, to);
	pane.paintSoon();
}
