/* SPDX-License-Identifier: MIT
 *
 * picture.js - the picture: only the rows that are on the screen, only frames of half a pixel and more.
 */
const ROW = 18, FONT = 12;
const canvas = $("canvas"), view = $("view"), room = $("room"), pen = canvas.getContext("2d");
let startOf = new Float64Array(1), drawn = new Map(), screenWidth = 0, screenHeight = 0, charWidth = 7;
let metric = profile.metric, zoomed = ROOT, selected = ROOT, hovered = -1, matches = null, pattern = null;

const dark = () => document.documentElement.dataset.theme === "dark";
/* Types of one class differ a little in lightness, so that neighbours can be told apart and those of one type look alike. */
const shades = new Map();
function shadeOf(name) {
	let shade = shades.get(name);
	if (shade === undefined) {
		const { method } = partsOf(names[name]), key = method > 0 ? names[name].slice(0, method) : names[name];
		let hash = 2166136261;
		for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 16777619);
		shades.set(name, shade = ((hash ^ hash >>> 15) >>> 0) % 7 - 3);
	}
	return shade;
}
const COLOURS = {
	own: (shade, night) => night ? `hsl(${27 + shade} 82% ${39 + shade}%)` : `hsl(${27 + 2 * shade} 94% ${62 + 1.6 * shade}%)`,
	framework: (shade, night) => night ? `hsl(211 33% ${28 + shade}%)` : `hsl(209 52% ${87 + shade}%)`,
	runtime: (shade, night) => night ? `hsl(220 5% ${35 + shade / 2}%)` : `hsl(220 6% ${76 + shade / 2}%)`,
};
/* What grew is red, what shrank is blue, the deeper the more of the whole that is: a tenth is of the deepest. */
function changeColour(i, night) {
	const { totals } = shown, change = totals[1][i] - totals[0][i], whole = Math.max(totals[0][ROOT], totals[1][ROOT], 1);
	if (change === 0) return night ? "#3f4148" : "#e9eaee";
	const strength = 0.1 + 0.9 * Math.min(1, 10 * Math.abs(change) / whole);
	return `hsl(${change > 0 ? 4 : 215} ${night ? 25 + 45 * strength : 85}% ${night ? 26 + 22 * strength : 94 - 34 * strength}%)`;
}
const isMarked = i => matches ? matches[i] : state.view !== "sandwich" && i !== ROOT && shown.name[i] === state.method;
function colour(i, night) {
	const name = shown.name[i];
	if (isMarked(i)) return night ? "#a238c9" : "#d873f5";
	if (profile.diff) return changeColour(i, night);
	if (name === ALL_NAME) return night ? "#3b3e45" : "#e4e6ea";
	return COLOURS[classOf(name)](shadeOf(name), night);
}

/* The runtime's frames are hatched: one's own are told from them without colours, too. */
const HATCH = { width: 6, light: "hsl(220 6% 66%)", dark: "hsl(220 5% 45%)" }, hatches = {};
function hatch(night) {
	const key = night ? "dark" : "light";
	if (!hatches[key]) {
		const tile = document.createElement("canvas"), area = tile.getContext("2d"), w = HATCH.width;
		tile.width = tile.height = w;
		area.strokeStyle = HATCH[key];
		for (const x of [-w, 0, w]) { area.moveTo(x, w); area.lineTo(x + w, 0); }
		area.stroke();
		hatches[key] = pen.createPattern(tile, "repeat");
	}
	return hatches[key];
}
const isHatched = i => !profile.diff && !isMarked(i) && shown.name[i] !== ALL_NAME && classOf(shown.name[i]) === "runtime";

/* The root is on top of what it called, and its callers in a sandwich are above it; or the other way round. */
function rowOf(i) {
	const row = shown.up + (i < shown.upper ? shown.depth[i] : -shown.depth[i]);
	return state.icicle ? row : shown.up + shown.down - row;
}
function place() {
	const total = shown.totals[metric], self = shown.selfs[metric], next = new Float64Array(shown.count);
	startOf = new Float64Array(shown.count);
	next[ROOT] = self[ROOT];
	for (let i = 1; i < shown.count; i++) {
		const parent = shown.parent[i];
		if (i === shown.upper) next[ROOT] = 0;
		startOf[i] = next[parent];
		next[parent] += total[i];
		next[i] = startOf[i] + self[i];
	}
}
function resize() {
	const ratio = window.devicePixelRatio || 1;
	screenWidth = view.clientWidth;
	screenHeight = view.clientHeight;
	canvas.width = Math.max(1, Math.floor(screenWidth * ratio));
	canvas.height = Math.max(1, Math.floor(screenHeight * ratio));
	canvas.style.height = screenHeight + "px";
	room.style.height = Math.max((shown.up + shown.down + 1) * ROW, screenHeight) + "px";
	pen.setTransform(ratio, 0, 0, ratio, 0, 0);
	pen.font = FONT + "px ui-monospace, 'DejaVu Sans Mono', monospace";
	charWidth = pen.measureText("m").width;
}
function box(i, left, right, night) {
	const row = rowOf(i), y = row * ROW - view.scrollTop;
	if (y > screenHeight || y + ROW < 0) return;
	const space = Math.max(right - left, 0.5);
	const around = zoomed !== ROOT && shown.depth[i] < shown.depth[zoomed];
	pen.globalAlpha = around ? 0.45 : 1;
	pen.fillStyle = colour(i, night);
	pen.fillRect(left, y, space > 2 ? space - 0.6 : space, ROW - 1);
	if (isHatched(i)) {
		pen.fillStyle = hatch(night);
		pen.fillRect(left, y, space > 2 ? space - 0.6 : space, ROW - 1);
	}
	const text = fit(nameAt(i), Math.floor((space - 6) / charWidth));
	if (text) {
		pen.fillStyle = night ? "#f1f1f3" : "#17181b";
		pen.fillText(text, left + 3, y + ROW - 6);
	}
	pen.globalAlpha = 1;
	if (i === selected || i === hovered) {
		pen.strokeStyle = i === selected ? "#2563eb" : night ? "#ffffff" : "#000000";
		pen.lineWidth = i === selected ? 2 : 1;
		pen.strokeRect(left + 0.5, y + 0.5, Math.max(space - 1.6, 1), ROW - 2);
	}
	if (!drawn.has(row)) drawn.set(row, []);
	drawn.get(row).push(left, left + space, i);
}
function draw() {
	const night = dark(), total = shown.totals[metric], base = startOf[zoomed], scale = total[zoomed] > 0 ? screenWidth / total[zoomed] : 0;
	drawn = new Map();
	pen.clearRect(0, 0, screenWidth, screenHeight);
	for (let i = shown.parent[zoomed]; i >= 0; i = shown.parent[i]) box(i, 0, screenWidth, night);
	for (let i = zoomed; i < shown.end[zoomed];) {
		const space = total[i] * scale;
		if (space < 0.5 && i !== zoomed) { i = shown.end[i]; continue; }
		const left = (startOf[i] - base) * scale;
		box(i, left, i === zoomed ? screenWidth : left + space, night);
		i++;
	}
}
let pending = false;
function redraw() {
	if (pending) return;
	pending = true;
	requestAnimationFrame(() => { pending = false; draw(); });
}
function reveal(i) {
	const y = rowOf(i) * ROW;
	if (y < view.scrollTop) view.scrollTop = y - 2 * ROW;
	else if (y + ROW > view.scrollTop + screenHeight) view.scrollTop = y + 3 * ROW - screenHeight;
}
