// SPDX-License-Identifier: MIT
// What each key does: one table, from which the help is made, too. `rastrum timeline` has the same keys.

const PAN = 0.2, ZOOM = 0.7;

export const keys = [
	["w", "zoom in", ({ pane }) => pane.zoom(ZOOM, focus(pane))],
	["s", "zoom out", ({ pane }) => pane.zoom(1 / ZOOM, focus(pane))],
	["a", "back in time", ({ pane }) => pane.pan(-PAN)],
	["d", "on in time", ({ pane }) => pane.pan(PAN)],
	["0", "the whole trace", ({ pane }) => pane.show(pane.full.from, pane.full.to)],
	["Home", "to the begin", ({ pane }) => pane.show(pane.full.from, pane.full.from + pane.to - pane.from)],
	["End", "to the end", ({ pane }) => pane.show(pane.full.to - pane.to + pane.from, pane.full.to)],
	["ArrowUp", "the track above", (page) => page.stepTrack(-1)],
	["ArrowDown", "the track below", (page) => page.stepTrack(1)],
	["ArrowLeft", "the interval before", (page) => page.stepInterval(-1)],
	["ArrowRight", "the next interval", (page) => page.stepInterval(1)],
	["Enter", "details of the interval", (page) => page.panel.open("Details")],
	["f", "zoom to the interval, or to the selected area", (page) => page.zoomToChosen()],
	["PageUp", "scroll up", ({ pane }) => pane.scroll(-pane.height / 2)],
	["PageDown", "scroll down", ({ pane }) => pane.scroll(pane.height / 2)],
	["/", "search", (page) => page.search.focus()],
	["n", "the next event that was found", (page) => page.panel.stepHit(1)],
	["N", "the one before", (page) => page.panel.stepHit(-1)],
	["]", "the next finding", (page) => page.panel.stepFinding(1)],
	["[", "the finding before", (page) => page.panel.stepFinding(-1)],
	["m", "measure: from here, and again: to here", (page) => page.measure()],
	["b", "a bookmark here, with a note", (page) => page.panel.bookmark(page.here())],
	["p", "pin the track, or let it go", ({ pane }) => onTrack(pane, (id) => pane.rows.togglePin(id))],
	["h", "hide the track", ({ pane }) => onTrack(pane, (id) => pane.rows.hide(id))],
	["H", "show all that is hidden", ({ pane }) => showAll(pane)],
	["J", "move the track down", ({ pane }) => onTrack(pane, (id) => pane.rows.move(id, 1))],
	["K", "move the track up", ({ pane }) => onTrack(pane, (id) => pane.rows.move(id, -1))],
	["c", "collapse the group of the track, or open all groups", ({ pane }) => collapse(pane)],
	["g", "arrows: shown or not", ({ pane }) => toggleArrows(pane)],
	["F", "follow what grows", (page) => page.toggleFollow()],
	[">", "the next trace, where there are several", (page) => page.stepPane(1)],
	["<", "the trace before", (page) => page.stepPane(-1)],
	["t", "dark or light", (page) => page.toggleTheme()],
	["P", "save the picture as PNG", (page) => page.save("png")],
	["V", "save the picture as SVG", (page) => page.save("svg")],
	["?", "this help", (page) => page.showHelp()],
	["Escape", "nothing is chosen any more", (page) => page.clear()],
];

const names = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const actions = new Map(keys.map(([key, , action]) => [key, action]));

// Zoom keeps what is chosen, or measured last, where it is.
function focus(pane) {
	const at = pane.chosen?.at;
	return at > pane.from && at < pane.to ? at : (pane.from + pane.to) / 2;
}

function onTrack(pane, action) {
	if (!pane.chosen)
		return;
	action(pane.chosen.track);
	pane.scroll(0);
	pane.emit("window");
}

function showAll(pane) {
	pane.rows.hidden.clear();
	pane.rows.layOut();
	pane.paintSoon();
}

function collapse(pane) {
	const track = pane.rows.byId.get(pane.chosen?.track);
	if (track && !pane.rows.collapsed.has(track.kind))
		pane.rows.toggleGroup(track.kind);
	else {
		pane.rows.collapsed.clear();
		pane.rows.layOut();
	}
	pane.scroll(0);
}

function toggleArrows(pane) {
	pane.hasArrows = !pane.hasArrows;
	pane.loadArrows();
	pane.paintSoon();
}

export function followKeys(page) {
	document.addEventListener("keydown", (event) => {
		const isTyping = event.target.matches("input, textarea, select");
		if (event.ctrlKey || event.metaKey || event.altKey || !page.pane?.clock || document.querySelector("dialog[open]"))
			return;
		if (isTyping) {
			if (event.key === "Escape")
				event.target.blur();
			return;
		}
		const action = actions.get(event.key);
		if (!action || (event.key === "Enter" && event.target.matches("button")))
			return;
		event.preventDefault();
		action(page);
	});
}

export function helpRows() {
	return keys.map(([key, words]) => [names[key] ?? key, words]).concat([
		["wheel", "zoom where the pointer is; over names: scroll; with Shift: move"],
		["drag", "move; with Shift: select an area; a name: move its track"],
		["double click", "zoom to the interval"],
	]);
}
