// SPDX-License-Identifier: MIT
// The overview: the whole trace in one strip, with the window as a frame that can be dragged, findings and losses as ticks.
import { lookOf } from "./looks.js";
import { whole } from "./tiles.js";
import { NAMES, Window } from "./paint.js";

const LINES = 4, TOP = 10;

export function paintStrip(surface, { rows, tiles, window, full, read, losses, findings, clock }) {
	const { theme } = surface;
	const all = new Window(full.from, full.to, surface.width);
	const level = tiles.levelFor((full.to - full.from) / all.width);
	const busy = chosenTracks(rows);
	const height = (surface.height - TOP - 2) / Math.max(busy.length, 1);

	tiles.want(busy.map((track) => track.id), full.from, read, level);
	surface.text(8, surface.height / 2, read < full.to ? "read so far" : "whole trace", theme.quiet, { most: NAMES - 12 });
	surface.text(8, surface.height / 2 + 14, clock.length(read - full.from), theme.quiet, { most: NAMES - 12 });
	busy.forEach((track, n) => {
		for (const { from, to, tile } of whole(tiles.pieces(track.id, full.from, read, level))) {
			const look = lookOf(tile);
			if (look.fill && look.height >= 0.35)
				surface.rect(all.x(from), TOP + n * height, Math.max(all.x(to) - all.x(from), 1), height - 1, look.fill);
		}
	});
	for (const finding of findings) {
		const x = all.x(finding.from), colour = { error: theme.loss, warning: "#d08a00", note: theme.quiet }[finding.severity];
		surface.rect(x, 0, Math.max(all.x(finding.to) - x, 3), 6, colour);
	}
	for (const at of losses)
		surface.line([[all.x(at), 0], [all.x(at), surface.height]], theme.loss, 2, [4, 3]);
	const x = Math.max(all.x(window.from), NAMES), end = Math.min(all.x(window.to), surface.width - 1);
	surface.rect(NAMES, TOP - 2, Math.max(x - NAMES, 0), surface.height, `${theme.ground}b0`);
	surface.rect(end, TOP - 2, Math.max(surface.width - end, 0), surface.height, `${theme.ground}b0`);
	surface.line([[x, 8], [Math.max(end, x + 2), 8], [Math.max(end, x + 2), surface.height - 1], [x, surface.height - 1], [x, 8]], theme.accent, 1.5);
	if (read < full.to) {
		const unread = all.x(read), room = surface.width - unread;
		surface.rect(unread, TOP - 2, room, surface.height, theme.ground);
		surface.pattern(unread, TOP - 2, room, surface.height, "dots");
		surface.text(unread + 6, surface.height / 2 + 4, "not read yet", theme.quiet, { most: room - 8 });
	}
	return all;
}

// Cores say most in little room; without them, the first threads or state machines.
function chosenTracks(rows) {
	for (const kind of ["core", "thread", "machine"]) {
		const tracks = rows.tracks.filter((track) => track.kind === kind);
		if (tracks.length)
			return tracks.slice(0, LINES);
	}
	return [];
}
