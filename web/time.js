// SPDX-License-Identifier: MIT
// Moments and lengths of time as text: in seconds where the clock's frequency is known, else in ticks.

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];

export class Clock {
	constructor(hz, base, zero) {
		this.hz = hz;
		this.base = base; // ticks of the first event, which is moment 0
		this.zero = Number(base - zero); // ticks from where seconds count to the first event
	}

	ns(ticks) {
		return ticks * 1e9 / this.hz;
	}

	// A moment as `rastrum report` has it.
	moment(at) {
		if (!this.hz)
			return String(this.base + BigInt(Math.round(at)));
		const ns = Math.round(this.ns(at + this.zero)), sign = ns < 0 ? "-" : "";
		return `${sign}${Math.floor(Math.abs(ns) / 1e9)}.${String(Math.abs(ns) % 1e9).padStart(9, "0")}`;
	}

	length(ticks) {
		if (!this.hz)
			return `${Math.round(ticks)} tick${Math.round(ticks) === 1 ? "" : "s"}`;
		const ns = this.ns(ticks);
		const [size, unit] = UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3];
		return `${Number((ns / size).toPrecision(4))} ${unit}`;
	}

	// Moments for the axis, about so many of them, and what stands at each.
	marks(from, to, most) {
		const scale = this.hz ? 1e9 / this.hz : 1; // of a tick
		const least = (to - from) * scale / Math.max(most, 1);
		const power = 10 ** Math.floor(Math.log10(least));
		const step = Math.max([1, 2, 5, 10].map((n) => n * power).find((n) => n >= least), this.hz ? 1e-3 : 1);
		const offset = this.hz ? this.zero * scale : Number(this.base % BigInt(Math.max(Math.round(step), 1)));
		const marks = [], first = Math.ceil((from * scale + offset) / step);
		// Counted, because far from 0 a number and the next one may be the same to a double.
		for (let i = 0; i <= most + 1 && (first + i) * step - offset <= to * scale; i++) {
			const n = first + i, at = (n * step - offset) / scale;
			marks.push({ at, text: this.hz ? this.mark(n * step, step) : this.moment(at) });
		}
		return marks;
	}

	// As few digits as tell a mark from its neighbours.
	mark(ns, step) {
		const [size, unit] = UNITS.find(([size]) => Math.max(Math.abs(ns), step) >= size) ?? UNITS[3];
		const digits = Math.max(0, Math.ceil(Math.log10(size / step) - 1e-9));
		return `${(ns / size).toFixed(Math.min(digits, 12))} ${unit}`;
	}
}
