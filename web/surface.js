// SPDX-License-Identifier: MIT
// What a picture is painted on: a canvas, or the text of an SVG. Both take the same few calls, so that a saved picture is the one
// that was seen.
import { patterns } from "./looks.js";

// Very wide pages are shown larger, because they are looked at from further away: coordinates of pictures are pixels of this size.
export function scale() {
	return window.innerWidth >= 2600 ? 1.5 : 1;
}

// The pixels of columns, shared by all canvases because they are painted one after the other.
const layer = { canvas: new OffscreenCanvas(1, 1), pixels: null, image: null, top: 0, bottom: 0 };

function layerOf(width, height) {
	if (!layer.image || layer.image.width !== width || layer.image.height !== height) {
		layer.canvas.width = width;
		layer.canvas.height = height;
		layer.image = new ImageData(width, height);
		layer.pixels = new Uint32Array(layer.image.data.buffer);
	} else
		layer.pixels.fill(0);
	layer.top = height;
	layer.bottom = 0;
	return layer.pixels;
}

// "#rrggbb" or "#rrggbbaa" as the bytes r, g, b, a of a pixel, of which the first is the lowest.
function pixelOf(colour) {
	const [r, g, b, a = 255] = colour.match(/[0-9a-f]{2}/gi).map((digits) => parseInt(digits, 16));
	return ((a << 24) | (b << 16) | (g << 8) | r) >>> 0;
}

const FONT = '11px system-ui, "DejaVu Sans", sans-serif';

// As much of a text as fits, with an ellipsis where it is cut; "" where not even two letters do.
function fitted(measure, text, most) {
	if (most === undefined || measure(text) <= most)
		return text;
	let n = Math.min(text.length, Math.floor(most / 4));
	while (n > 1 && measure(`${text.slice(0, n)}…`) > most)
		n--;
	return n > 1 ? `${text.slice(0, n)}…` : "";
}

const widths = new Map();

function measureBy(context, bold) {
	return (text) => {
		const key = bold ? `b${text}` : text;
		let width = widths.get(key);
		if (width === undefined) {
			if (widths.size > 20000)
				widths.clear();
			context.font = bold ? `bold ${FONT}` : FONT;
			width = context.measureText(text).width;
			widths.set(key, width);
		}
		return width;
	};
}

export class CanvasSurface {
	constructor(canvas, theme) {
		const ratio = (window.devicePixelRatio || 1) * scale();
		this.width = canvas.clientWidth / scale();
		this.height = canvas.clientHeight / scale();
		if (canvas.width !== Math.round(this.width * ratio) || canvas.height !== Math.round(this.height * ratio)) {
			canvas.width = Math.round(this.width * ratio);
			canvas.height = Math.round(this.height * ratio);
		}
		this.context = canvas.getContext("2d", { alpha: false });
		this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
		this.theme = theme;
		this.ratio = ratio;
		this.pixelsOf = new Map(); // by colour: the pixel without its strength
		this.brushes = new Map();
		this.fill = "";
		this.rect(0, 0, this.width, this.height, theme.ground);
	}

	// Setting a canvas's colour costs more than a small rectangle.
	brush(fill, alpha) {
		if (alpha !== this.alpha)
			this.context.globalAlpha = this.alpha = alpha;
		if (fill !== this.fill)
			this.context.fillStyle = this.fill = fill;
	}

	rect(x, y, width, height, fill, alpha = 1) {
		this.brush(this.theme[fill] ?? fill, alpha);
		this.context.fillRect(x, y, width, height);
	}

	// One of very many narrow rectangles: ten times cheaper than rect(). columnsDone() paints all, those that came last on top.
	column(x, y, width, height, fill, alpha = 1) {
		const { ratio } = this, n = this.context.canvas.width, colour = this.theme[fill] ?? fill;
		const pixels = this.pixels ??= layerOf(n, this.context.canvas.height);
		const left = Math.max(Math.round(x * ratio), 0), right = Math.min(Math.max(Math.round((x + width) * ratio), left + 1), n);
		const top = Math.max(Math.round(y * ratio), 0), bottom = Math.min(Math.round((y + height) * ratio), this.context.canvas.height);
		layer.top = Math.min(layer.top, top);
		layer.bottom = Math.max(layer.bottom, bottom);
		let full = this.pixelsOf.get(colour);
		if (full === undefined)
			this.pixelsOf.set(colour, full = pixelOf(colour));
		const pixel = alpha === 1 ? full : ((full & 0xffffff) | (Math.round((full >>> 24) * alpha) << 24)) >>> 0;
		for (let row = top; row < bottom; row++)
			for (let at = row * n + left, end = row * n + right; at < end; at++)
				pixels[at] = pixel;
	}

	columnsDone() {
		if (!this.pixels)
			return;
		this.pixels = null;
		const { top, bottom, canvas: { width } } = layer, height = bottom - top;
		if (height <= 0)
			return;
		layer.canvas.getContext("2d").putImageData(layer.image, 0, 0, 0, top, width, height);
		this.brush(this.fill, 1);
		this.context.save();
		this.context.setTransform(1, 0, 0, 1, 0, 0);
		this.context.drawImage(layer.canvas, 0, top, width, height, 0, top, width, height);
		this.context.restore();
	}

	pattern(x, y, width, height, name) {
		let brush = this.brushes.get(name);
		if (!brush) {
			const { size, path, stroke } = patterns[name];
			const tile = new OffscreenCanvas(size, size), context = tile.getContext("2d");
			context.strokeStyle = stroke;
			context.beginPath();
			for (const [x0, y0, x1, y1] of path) {
				context.moveTo(x0, y0);
				context.lineTo(x1, y1);
			}
			context.stroke();
			brush = this.context.createPattern(tile, "repeat");
			this.brushes.set(name, brush);
		}
		this.brush(brush, 1);
		this.context.fillRect(x, y, width, height);
	}

	line(points, stroke, width = 1, dash = []) {
		const { context } = this;
		this.brush(this.fill, 1);
		context.strokeStyle = stroke;
		context.lineWidth = width;
		context.setLineDash(dash);
		context.beginPath();
		points.forEach(([x, y], n) => (n ? context.lineTo(x, y) : context.moveTo(x, y)));
		context.stroke();
	}

	text(x, y, text, fill, { most, bold = false, end = false } = {}) {
		const measure = measureBy(this.context, bold), shown = fitted(measure, text, most);
		if (!shown)
			return 0;
		this.context.font = bold ? `bold ${FONT}` : FONT;
		this.brush(this.theme[fill] ?? fill, 1);
		this.context.fillText(shown, end ? x - measure(shown) : x, y);
		return measure(shown);
	}

	measure(text, bold) {
		return measureBy(this.context, bold)(text);
	}

	clip(x, y, width, height, paint) {
		this.context.save();
		this.context.beginPath();
		this.context.rect(x, y, width, height);
		this.context.clip();
		paint();
		this.context.restore();
		this.fill = this.alpha = undefined; // what they were before is set again
	}
}

const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

export class SvgSurface {
	constructor(width, height, theme) {
		this.width = width;
		this.height = height;
		this.theme = theme;
		this.parts = [];
		this.n_clips = 0;
		this.measuring = new OffscreenCanvas(1, 1).getContext("2d");
		this.rect(0, 0, width, height, theme.ground);
	}

	rect(x, y, width, height, fill, alpha = 1) {
		this.parts.push(`<rect x="${x.toFixed(2)}" y="${y.toFixed(2)}" width="${Math.max(width, 0).toFixed(2)}" height="${height.toFixed(2)}" fill="${this.theme[fill] ?? fill}"${alpha < 1 ? ` fill-opacity="${alpha.toFixed(2)}"` : ""}/>`);
	}

	column(...how) {
		this.rect(...how);
	}

	columnsDone() {}

	pattern(x, y, width, height, name) {
		this.rect(x, y, width, height, `url(#${name})`);
	}

	line(points, stroke, width = 1, dash = []) {
		const path = points.map(([x, y], n) => `${n ? "L" : "M"}${x.toFixed(2)} ${y.toFixed(2)}`).join("");
		this.parts.push(`<path d="${path}" fill="none" stroke="${stroke}" stroke-width="${width}"${dash.length ? ` stroke-dasharray="${dash.join(" ")}"` : ""}/>`);
	}

	text(x, y, text, fill, { most, bold = false, end = false } = {}) {
		const measure = measureBy(this.measuring, bold), shown = fitted(measure, text, most);
		if (!shown)
			return 0;
		const at = end ? x - measure(shown) : x;
		this.parts.push(`<text x="${at.toFixed(1)}" y="${y.toFixed(1)}" fill="${fill}"${bold ? ' font-weight="bold"' : ""}>${shown.replace(/[&<>"]/g, (c) => marks[c])}</text>`);
		return measure(shown);
	}

	measure(text, bold) {
		return measureBy(this.measuring, bold)(text);
	}

	clip(x, y, width, height, paint) {
		const name = `clip${this.n_clips++}`;
		this.parts.push(`<clipPath id="${name}"><rect x="${x}" y="${y}" width="${width}" height="${height}"/></clipPath><g clip-path="url(#${name})">`);
		paint();
		this.parts.push("</g>");
	}

	toString() {
		const defs = Object.entries(patterns).map(([name, { size, path, stroke }]) =>
			`<pattern id="${name}" width="${size}" height="${size}" patternUnits="userSpaceOnUse"><path d="${path.map(([x0, y0, x1, y1]) => `M${x0} ${y0}L${x1} ${y1}`).join("")}" stroke="${stroke}"/></pattern>`);
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${this.height}" font-family="sans-serif" font-size="11">\n<defs>${defs.join("")}</defs>\n${this.parts.join("\n")}\n</svg>\n`;
	}
}
