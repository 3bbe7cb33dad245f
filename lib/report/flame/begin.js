/* SPDX-License-Identifier: MIT
 *
 * begin.js - the head, and the first picture.
 */
/* What is of no use to a reader of the picture is behind "i". */
const isRoutine = text => /^(desc|version|runtime|program|arguments|frames|rate|engine|slow|part): /.test(text);
function fact(key) {
	const found = profile.comments.filter(text => text.startsWith(key + ": ")).map(text => text.slice(key.length + 2));
	return found.length === 1 ? found : [];
}
function fillHead() {
	const folded = profile.folded > 0 ? `; ${grouped(profile.folded)} frames narrower than ${profile.minShare} % are folded` : "";
	const size = `${grouped(profile.frames)} frames, ${grouped(source.depthMost)} deep${folded}`;
	const when = [];
	if (profile.time) when.push(new Date(profile.time / 1e6).toLocaleString());
	if (profile.duration) when.push("ran " + scaled(profile.duration, ["ns", "us", "ms", "s"], 1000));
	const program = fact("program").map(text => text.split(", ")).map(([name, ...rest]) => [name, ...fact("arguments")].join(" ") + (rest.length ? ` (${rest.join(", ")})` : ""));
	const parts = profile.comments.filter(text => text.startsWith("part: ")).length;
	$("title").textContent = profile.title;
	$("about").textContent = [...(profile.diff ? ["red grew, blue shrank"] : []), ...program, ...(parts > 1 ? [`${parts} processes`] : []), ...fact("runtime"), ...when,
		...profile.comments.filter(text => !isRoutine(text)), ...(folded ? [size] : [])].join(" · ");
	const table = $("fact-rows");
	for (const [key, ...rest] of [["file", profile.title], ...profile.comments.map(text => text.split(": ")), ["tree", size]]) {
		const row = table.insertRow();
		row.insertCell().textContent = rest.length ? key : "";
		row.insertCell().textContent = rest.length ? rest.join(": ") : key;
	}
}
source.depthMost = 0;
for (let i = 1, depth = new Int32Array(source.count); i < source.count; i++) {
	depth[i] = depth[source.parent[i]] + 1;
	if (depth[i] > source.depthMost) source.depthMost = depth[i];
}
metrics.forEach((value, m) => $("metric").append(new Option(`${value.type}: ${amount(costs.values[m].reduce((sum, n) => sum + n, 0), m)}`, m)));
$("collapse").hidden = !canCollapse;
$("methods").classList.toggle("diff", profile.diff === true);
fillHead();
restore();
/* For tests: what a person would see, as numbers. */
window.monocle = {
	colour, nameAt, zoom, search, select, draw, linkText,
	get count() { return shown.count; }, get totals() { return shown.totals; }, get selfs() { return shown.selfs; }, get endOf() { return shown.end; },
	get parentOf() { return shown.parent; }, get depthOf() { return shown.depth; }, get upper() { return shown.upper; }, startOf: () => startOf,
	state: () => ({ ...state, zoomed, selected, matched: $("matched").textContent, status: $("status").textContent, drawn: [...drawn.values()].reduce((n, list) => n + list.length / 3, 0) }),
};
