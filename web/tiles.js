// SPDX-License-Identifier: MIT
// Tiles that the server gave, kept by scale. A chunk is COLUMNS columns of a power of two of ticks; what is missing is asked for, and
// until it comes a coarser chunk stands in for it. Memory is bounded: chunks that were not looked at for longest go first.

const COLUMNS = 512, TRACKS = 8 /* of one request */, REQUESTS = 6, TILES_MAX = 400000;

export class Tiles {
	constructor(api, changed, failed) {
		Object.assign(this, { api, changed, failed });
		this.chunks = new Map(); // "level/index": { tracks: Map(number: tiles), asked: Set, n, used }
		this.waiting = [];
		this.n_running = 0;
		this.n_tiles = 0;
		this.clock = 0;
	}

	levelFor(ticksPerPixel) {
		return Math.max(0, Math.min(52, Math.ceil(Math.log2(Math.max(ticksPerPixel, 1)))));
	}

	span(level) {
		return COLUMNS * 2 ** level;
	}

	chunk(level, index) {
		const key = `${level}/${index}`;
		let chunk = this.chunks.get(key);
		if (!chunk) {
			chunk = { key, level, index, tracks: new Map(), asked: new Set(), n: 0 };
			this.chunks.set(key, chunk);
		}
		chunk.used = ++this.clock;
		return chunk;
	}

	// What is there of a track in a window: [from, to, tiles] for each chunk, coarser ones where finer ones are missing.
	pieces(id, from, to, level) {
		const pieces = [];
		for (let index = Math.floor(from / this.span(level)); index * this.span(level) < to; index++) {
			const begin = index * this.span(level), end = begin + this.span(level);
			for (let coarse = level; coarse <= 52; coarse++) {
				const tiles = this.chunks.get(`${coarse}/${Math.floor(begin / this.span(coarse))}`)?.tracks.get(id);
				if (!tiles)
					continue;
				if (pieces.at(-1)?.[2] === tiles)
					pieces.at(-1)[1] = Math.min(end, to);
				else
					pieces.push([Math.max(begin, from), Math.min(end, to), tiles]);
				break;
			}
		}
		return pieces;
	}

	// Asks for what is missing of these tracks in a window; what was asked for before and is not needed any more is forgotten.
	want(ids, from, to, level) {
		for (const wish of this.waiting)
			for (const id of wish.ids)
				wish.chunk.asked.delete(id);
		this.waiting = [];
		for (let index = Math.floor(from / this.span(level)); index * this.span(level) < to; index++) {
			const chunk = this.chunk(level, index);
			const missing = ids.filter((id) => !chunk.tracks.has(id) && !chunk.asked.has(id));
			for (let n = 0; n < missing.length; n += TRACKS) {
				const some = missing.slice(n, n + TRACKS);
				some.forEach((id) => chunk.asked.add(id));
				this.waiting.push({ chunk, ids: some });
			}
		}
		this.ask();
	}

	ask() {
		while (this.n_running < REQUESTS && this.waiting.length) {
			this.n_running++;
			this.fetch(this.waiting.shift()).finally(() => {
				this.n_running--;
				this.ask();
			});
		}
	}

	async fetch({ chunk, ids }) {
		const span = this.span(chunk.level), from = chunk.index * span;
		try {
			// The recording's ticks end at 0: what is before has no tiles.
			const found = from + span <= -Number(this.api.base) ? new Map()
				: await this.api.tiles(Math.max(from, -Number(this.api.base)), from + span, COLUMNS, ids);
			if (this.chunks.get(chunk.key) !== chunk)
				return;
			for (const id of ids) {
				const tiles = found.get(id) ?? [];
				chunk.tracks.set(id, tiles);
				chunk.n += tiles.length + 1;
				this.n_tiles += tiles.length + 1;
			}
			this.trim();
			this.changed();
		} catch (error) {
			this.failed(error);
		} finally {
			ids.forEach((id) => chunk.asked.delete(id));
		}
	}

	trim() {
		if (this.n_tiles <= TILES_MAX)
			return;
		for (const chunk of [...this.chunks.values()].sort((a, b) => a.used - b.used)) {
			this.forget(chunk);
			if (this.n_tiles <= TILES_MAX / 2)
				return;
		}
	}

	forget(chunk) {
		this.n_tiles -= chunk.n;
		this.chunks.delete(chunk.key);
	}

	// The trace has grown behind this moment.
	grown(at) {
		for (const chunk of [...this.chunks.values()])
			if ((chunk.index + 1) * this.span(chunk.level) > at)
				this.forget(chunk);
	}
}

// The number of the first tile that ends behind a moment.
function firstBehind(tiles, moment) {
	let low = 0, high = tiles.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (tiles[middle].to <= moment)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// Tiles of one interval that chunks have cut stand together again.
export function whole(pieces) {
	const found = [];
	for (const [from, to, tiles] of pieces)
		for (let n = firstBehind(tiles, from); n < tiles.length && tiles[n].from < to; n++) {
			const tile = tiles[n];
			const last = found.at(-1);
			const begin = Math.max(tile.from, from), end = Math.min(tile.to, to);
			if (last && last.tile.count === undefined && tile.count === undefined && last.to >= begin && last.tile.state === tile.state
				&& last.tile.object === tile.object && last.tile.value === tile.value
				&& last.tile.from_seq === tile.from_seq && last.tile.to_seq === tile.to_seq)
				last.to = Math.max(last.to, end);
			else
				found.push({ from: begin, to: end, tile });
		}
	return found;
}
