// SPDX-License-Identifier: MIT
// Which tracks have a row, in which order, and where each lies. Groups can be collapsed, rows pinned, hidden and moved.

export const GROUPS = [
	["Cores", "core"], ["Interrupts", "interrupt"], ["Threads", "thread"], ["Spans", "span"],
	["State machines", "machine"], ["Locks", "lock"], ["Levels", "level"],
];
const HEIGHTS = { level: 34, span: 18 };
const HEIGHT = 22, HEAD = 20;

function nameOf(track) {
	if (track.kind === "core" || (track.kind === "interrupt" && /^\d/.test(track.name ?? "")))
		return `${track.kind} ${track.name}`;
	return track.name ?? track.kind;
}

export class Rows {
	constructor() {
		this.tracks = [];
		this.byId = new Map();
		this.collapsed = new Set();
		this.pinned = [];
		this.hidden = new Set();
		this.moved = new Map(); // number of a track: place among its group, from moving it
		this.filter = "";
		this.all = [];
		this.rowById = new Map();
	}

	take(tracks) {
		this.tracks = tracks;
		this.byId = new Map(tracks.map((track) => [track.id, track]));
		for (const track of tracks)
			track.label = nameOf(track);
		this.layOut();
	}

	isTaken(track) {
		return !this.hidden.has(track.id) && (this.filter ? track.label.toLowerCase().includes(this.filter) : track.known !== false);
	}

	place(track) {
		return this.moved.get(track.id) ?? track.id;
	}

	// Lanes of spans stand below their thread, others in a group of their own.
	lanesOf(thread) {
		return this.lanes.get(thread.id) ?? [];
	}

	// A thread is followed by its spans.
	ofGroup(kind) {
		const processes = new Set(this.tracks.filter((track) => track.kind === kind).map((track) => track.process));
		const isTaken = (track) => track.kind === kind && !(kind === "span" && this.byId.has(track.parent));
		const found = this.tracks.filter((track) => isTaken(track) && this.isTaken(track));
		// Cores by number, threads by process; the rest as they were met.
		found.sort((a, b) => (kind === "core" || kind === "interrupt" ? Number(a.name) - Number(b.name) || 0 : 0)
			|| (processes.size > 1 ? (a.process ?? 0) - (b.process ?? 0) : 0) || this.place(a) - this.place(b));
		return found.flatMap((track) => [track, ...(kind === "thread" ? this.lanesOf(track) : [])]);
	}

	layOut() {
		let y = 0;
		const add = (row) => {
			this.all.push({ ...row, y });
			y += row.height;
		};
		const addTrack = (track, isPinned) => add({ track, isPinned, height: HEIGHTS[track.kind] ?? HEIGHT });
		const pinned = this.pinned.map((id) => this.byId.get(id)).filter(Boolean);

		this.lanes = new Map();
		for (const track of this.tracks)
			if (track.kind === "span" && this.byId.has(track.parent))
				this.lanes.set(track.parent, [...(this.lanes.get(track.parent) ?? []), track]);
		this.all = [];
		if (pinned.length)
			add({ group: "Pinned", height: HEAD });
		for (const track of pinned)
			addTrack(track, true);
		for (const [name, kind] of GROUPS) {
			const tracks = this.ofGroup(kind).filter((track) => !this.pinned.includes(track.id));
			if (!tracks.length)
				continue;
			add({ group: name, kind, n: tracks.length, height: HEAD });
			if (!this.collapsed.has(kind))
				for (const track of tracks)
					addTrack(track, false);
		}
		this.height = y;
		this.rowById = new Map(this.all.filter((row) => row.track).map((row) => [row.track.id, row]));
	}

	// Rows between two heights. They lie one below the other, so that the first is found by halving.
	between(top, bottom) {
		let low = 0, high = this.all.length;
		while (low < high) {
			const middle = (low + high) >> 1;
			if (this.all[middle].y + this.all[middle].height <= top)
				low = middle + 1;
			else
				high = middle;
		}
		const found = [];
		for (; low < this.all.length && this.all[low].y < bottom; low++)
			found.push(this.all[low]);
		return found;
	}

	at(y) {
		return this.between(y, y + 1)[0];
	}

	rowOf(id) {
		return this.rowById.get(id);
	}

	// Shows a track wherever it may be hidden.
	reveal(id) {
		const track = this.byId.get(id);
		if (!track)
			return;
		this.hidden.delete(id);
		this.collapsed.delete(track.kind);
		if (!this.isTaken(track))
			this.filter = "";
		this.layOut();
	}

	togglePin(id) {
		this.pinned = this.pinned.includes(id) ? this.pinned.filter((one) => one !== id) : [...this.pinned, id];
		this.layOut();
	}

	toggleGroup(kind) {
		if (!this.collapsed.delete(kind))
			this.collapsed.add(kind);
		this.layOut();
	}

	hide(id) {
		this.hidden.add(id);
		this.pinned = this.pinned.filter((one) => one !== id);
		this.layOut();
	}

	// By so many places among those of its kind (or of the pinned ones).
	move(id, by) {
		const track = this.byId.get(id);
		const list = this.pinned.includes(id) ? this.pinned : this.ofGroup(track.kind).filter((one) => one.kind === track.kind).map((one) => one.id);
		const from = list.indexOf(id), to = Math.max(0, Math.min(list.length - 1, from + by));
		if (from === to)
			return;
		list.splice(to, 0, ...list.splice(from, 1));
		if (list !== this.pinned)
			list.forEach((one, n) => this.moved.set(one, n));
		this.layOut();
	}
}
