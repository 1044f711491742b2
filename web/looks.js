// SPDX-License-Identifier: MIT
// How states look: colour, pattern and height, so that they differ without colour vision, too. The same as in `rastrum draw`.

// A fill of one word is a colour of the theme.
const GREY = { fill: "grey", height: 0.25, word: "waiting", ink: "dark" };

const looks = {
	unknown: { fill: null, pattern: "dots", height: 1, word: "not known" },
	running: { fill: "#0072b2", height: 1, word: "running", ink: "light" },
	ready: { fill: "#f0b040", pattern: "right", height: 0.7, word: "ready", ink: "dark" },
	waiting: GREY,
	interrupted: { fill: "#cc79a7", pattern: "upright", height: 1, word: "interrupted", ink: "dark" },
	created: { fill: "grey", height: 0.12, word: "created" },
	ended: { fill: "grey", height: 0.12, word: "ended" },
	idle: { fill: "grey", height: 0.25, word: "idle" },
	interrupt: { fill: "#cc79a7", pattern: "upright", height: 1, word: "interrupt", ink: "dark" },
	held: { fill: "#009e73", height: 0.8, word: "held", ink: "light" },
	on: { fill: "#56b4e9", height: 0.8, ink: "black" },
	"waiting/sleep": { fill: "grey", height: 0.12, word: "asleep" },
	"waiting/suspended": { fill: "grey", height: 0.12, word: "suspended" },
	"waiting/lock": { fill: "#d55e00", pattern: "left", height: 0.35, word: "waiting for a lock" },
};

export function lookOf(tile) {
	return looks[`${tile.state}/${tile.reason}`] ?? looks[tile.state ?? "on"] ?? looks.on;
}

// A state in words: "waiting for a lock".
export function wordsOf(tile) {
	if (tile.state === "waiting" && tile.reason && tile.reason !== "none")
		return { sleep: "asleep", suspended: "suspended", lock: "waiting for a lock" }[tile.reason] ?? `waiting: ${tile.reason}`;
	return tile.state === "unknown" ? "not known" : tile.state ?? "";
}

// A pattern is strokes in a square that is repeated.
export const patterns = {
	right: { size: 6, path: [[0, 6, 6, 0]], stroke: "#8a5a00" },
	left: { size: 5, path: [[0, 0, 5, 5], [0, 5, 5, 0]], stroke: "#ffffff" },
	upright: { size: 4, path: [[2, 0, 2, 4]], stroke: "#5c2a48" },
	dots: { size: 5, path: [[2, 2, 3, 2]], stroke: "#999999" },
};

export const themes = {
	light: { grey: "#c4c7cb", ground: "#ffffff", text: "#1c1e21", quiet: "#5f6670", grid: "#e4e7ea", head: "#eef0f3", accent: "#0060a8", loss: "#cc0000", chosen: "#0060a81f", arrow: "#333333" },
	dark: { grey: "#5d6670", ground: "#14171b", text: "#e3e6ea", quiet: "#9aa3ad", grid: "#2a3037", head: "#20252b", accent: "#6db7ff", loss: "#ff5a5a", chosen: "#6db7ff2b", arrow: "#dddddd" },
};
