/* SPDX-License-Identifier: MIT
 *
 * words.js - amounts, names and sources in words.
 */
function scaled(n, units, by) {
	let i = 0;
	while (i + 1 < units.length && n >= by) { n /= by; i++; }
	return (i === 0 ? Math.round(n).toString() : n.toPrecision(4)) + " " + units[i];
}
const TIME = { nanoseconds: 1, microseconds: 1e3, milliseconds: 1e6, seconds: 1e9 };
function amount(n, m) {
	const unit = metrics[m].unit;
	if (unit in TIME) return scaled(n * TIME[unit], ["ns", "us", "ms", "s"], 1000);
	if (unit === "bytes") return scaled(n, ["B", "KiB", "MiB", "GiB", "TiB"], 1024);
	return grouped(n);
}
const signed = (n, text) => (n > 0 ? "+" : n < 0 ? "-" : "") + text;
function percent(part, whole) { return part === 0 ? "0 %" : whole > 0 ? (100 * part / whole).toFixed(part < whole * 0.001 ? 3 : 1) + " %" : "-"; }
function change(i) {
	const { totals } = shown, difference = totals[1][i] - totals[0][i];
	const points = m => totals[m][ROOT] > 0 ? 100 * totals[m][i] / totals[m][ROOT] : 0, share = points(1) - points(0);
	return `${signed(difference, amount(Math.abs(difference), 1))} (${share < 0 ? "" : "+"}${share.toFixed(2)} points)`;
}
const nameAt = i => names[shown.name[i]];

/* Names are "(wrapper) Namespace.Type<args>.Method<args> (parameters)", in either spelling; see short-name.c. */

/* Where the last part of text before `end` begins: what separates is outside of brackets, and a constructor has a dot. */
function lastPart(text, from, end) {
	for (let i = end, depth = 0; i > from; i--) {
		const letter = text[i - 1];
		depth += ">])".includes(letter) - "<[(".includes(letter);
		if (depth === 0 && ".:/!".includes(letter)) return i - 1 > from && letter === "." && ".:".includes(text[i - 2]) ? i - 1 : i;
	}
	return from;
}
function partsOf(text) {
	let open = text.endsWith(")") ? text.lastIndexOf(" (") : -1;
	if (open < 0 && /^[^(<]+![^!]+\)$/.test(text)) open = text.indexOf("("); /* "Assembly!Type.Method(class Type)" of other tools */
	const end = open > 0 ? open : text.length;
	const from = (text.match(/^\(wrapper [^)]*\) /) || [""])[0].length;
	let method = lastPart(text, from, end);
	if (/^lambda\d*$/.test(text.slice(method, end))) method = lastPart(text, from, Math.max(method - 1, from));
	return { type: lastPart(text, from, Math.max(method - 1, from)), method, end };
}
/* The longest form that has so many letters: all, without arguments, without namespace, the method alone, and that cut in the middle. */
function fit(text, room) {
	if (room < 2) return "";
	if (text.length <= room) return text;
	const parts = partsOf(text), mark = (text.slice(parts.end).match(/^ \((async|iterator)\)$/) || [""])[0];
	const method = text.slice(parts.method, parts.end);
	for (const form of [text.slice(0, parts.end) + mark, text.slice(parts.type, parts.end) + mark, method + mark, method])
		if (form.length <= room) return form;
	return room < 6 ? method.slice(0, room - 1) + "…" : middle(method, room);
}
/* So many letters, without those in the middle. */
const middle = (text, room) => text.length <= room ? text : text.slice(0, Math.ceil((room - 1) / 2)) + "…" + text.slice(text.length - Math.floor((room - 1) / 2));
/* The same in a list, where a method alone says little: where the type does not fit, its arguments go, and its middle. */
function fitInList(text, room) {
	const LEAST = 6, parts = partsOf(text), whole = text.slice(parts.type, parts.end), space = room - (parts.end - parts.method);
	const mark = (text.slice(parts.end).match(/^ \((async|iterator)\)$/) || [""])[0];
	if (text.length <= room || whole.length <= room || space - mark.length < LEAST || parts.method <= parts.type) return fit(text, room);
	return middle(text.slice(parts.type, parts.method).replace(/<.*>/, ""), space - mark.length) + text.slice(parts.method, parts.end) + mark;
}
/* What tells those apart that look alike: their parameters, cut in their middle. */
function fitApart(text, room) {
	const LEAST = 6, { type, end } = partsOf(text), form = text.slice(type, end), space = room - form.length;
	return end === text.length || space < LEAST ? "" : form + middle(text.slice(end), space);
}

/* --- sources --- */

/* "Orders.cs:12"; "" where it is not known. */
function sourceOf(name) {
	const file = profile.sources[name];
	return file ? file + (profile.lines[name] > 0 ? ":" + profile.lines[name] : "") : "";
}
/* What opens it in an editor; "" where the file has no whole path. */
function editorLink(name) {
	let file = (profile.sources[name] || "").replace(/\\/g, "/");
	if (/^[A-Za-z]:\//.test(file)) file = "/" + file;
	if (file[0] !== "/" || !profile.editor) return "";
	const words = { "{file}": encodeURI(file).replace(/[?#]/g, encodeURIComponent), "{line}": Math.max(profile.lines[name] || 1, 1) };
	return profile.editor.replace(/\{file\}|\{line\}/g, word => words[word]);
}
