// SPDX-License-Identifier: MIT
// Elements, made in one expression. Text is always text: names of a trace may look like markup.

export function element(name, properties = {}, ...children) {
	const made = document.createElement(name);
	for (const [key, value] of Object.entries(properties)) {
		if (key === "class")
			made.className = value;
		else if (key.startsWith("on"))
			made.addEventListener(key.slice(2), value);
		else if (key in made)
			made[key] = value;
		else
			made.setAttribute(key, value);
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));
	return made;
}

// Rows of cells; a heading where there are names. figures: columns that are numbers.
export function table(names, rows, figures = new Set()) {
	const cell = (tag, text, n) => element(tag, { class: figures.has(n) ? "figure" : "" }, text ?? "");
	return element("div", { class: "wide" }, element("table", {},
		names ? element("thead", {}, element("tr", {}, ...names.map((name, n) => cell("th", name, n)))) : null,
		element("tbody", {}, ...rows.map((row) => element("tr", {}, ...row.map((text, n) => cell("td", text, n)))))));
}

export function download(name, content, type) {
	const link = element("a", { href: URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type })), download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
