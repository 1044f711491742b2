// SPDX-License-Identifier: MIT
// The server's answers (docs/VIEW.md). Ticks may be above 2^53, where numbers lose digits: the page counts them from the first
// event on, as numbers, and Api turns them into the ticks of the recording and back.

const ticks = /("(?:from|to|ts|first_ts|last_ts|zero_ts)":)(\d+)/g;

function parse(text) {
	return JSON.parse(text.replace(ticks, '$1"$2"'));
}

export class Failure extends Error {}

export class Api {
	constructor(trace) {
		this.trace = trace;
		this.base = this.zero = 0n;
	}

	// Ticks as the recording has them, of a moment of the page; and back.
	ticks(moment) {
		const at = this.base + BigInt(Math.round(moment));
		return at < 0n ? 0n : at;
	}

	moment(text) {
		return Number(BigInt(text) - this.base);
	}

	async get(path, parameters = {}) {
		const query = new URLSearchParams({ trace: this.trace });
		for (const [key, value] of Object.entries(parameters))
			if (value !== undefined && value !== null)
				query.set(key, key === "from" || key === "to" || key === "at" ? this.ticks(value) : value);
		let response, answer;
		try {
			response = await fetch(`api/${path}?${query}`);
			answer = parse(await response.text());
		} catch {
			throw new Failure("the server does not answer any more");
		}
		if (!response.ok)
			throw new Failure(answer.error);
		return answer;
	}

	async info() {
		const info = await this.get("info");
		if (info.first_ts !== null && info.first_ts !== undefined) {
			this.base = BigInt(info.first_ts);
			this.zero = BigInt(info.zero_ts);
			info.last = this.moment(info.last_ts);
		} else
			info.last = 0;
		return info;
	}

	async tracks() {
		const all = [];
		for (let offset = 0; offset !== null;) {
			const answer = await this.get("tracks", { offset });
			all.push(...answer.tracks);
			offset = answer.next;
		}
		return all;
	}

	// Tiles by number of the track, with moments.
	async tiles(from, to, width, tracks) {
		const answer = await this.get("tiles", { from, to, width, tracks: tracks.join(",") });
		const found = new Map();
		for (const track of answer.tracks) {
			for (const tile of track.tiles)
				this.momentsOf(tile);
			found.set(track.id, track.tiles);
		}
		return found;
	}

	momentsOf(thing) {
		thing.from = this.moment(thing.from);
		thing.to = this.moment(thing.to);
		return thing;
	}

	async arrows(from, to, limit) {
		const answer = await this.get("arrows", { from, to, limit });
		for (const arrow of answer.arrows)
			for (const end of [arrow.from, arrow.to])
				end.at = this.moment(end.ts);
		return answer;
	}

	async findings() {
		const all = [];
		let done = false;
		for (let offset = 0; offset !== null;) {
			const answer = await this.get("findings", { offset });
			all.push(...answer.findings.map((finding) => this.momentsOf(finding)));
			offset = answer.next;
			done = answer.done;
		}
		return { findings: all, done };
	}

	eventsOf(answer) {
		answer.events.forEach((event, n) => {
			event.at = this.moment(event.ts ?? event.from ?? this.base);
			event.number = answer.seqs?.[n];
		});
		return answer;
	}

	async events(parameters) {
		return this.eventsOf(await this.get("events", parameters));
	}

	async search(q) {
		return this.eventsOf(await this.get("search", { q }));
	}

	async details(track, at) {
		const answer = await this.get("details", { track, at });
		if (answer.interval)
			this.momentsOf(answer.interval);
		return answer.events ? this.eventsOf(answer) : { ...answer, events: [] };
	}

	stats(table, from, to) {
		return this.get(`stats/${table}`, { from, to });
	}

	// Calls what for each message while the trace grows.
	live(what) {
		const source = new EventSource(`api/live?trace=${this.trace}`);
		const take = (message) => what(parse(message.data));
		source.addEventListener("grew", take);
		source.addEventListener("done", (message) => {
			source.close();
			take(message);
		});
		return source;
	}
}
