/* SPDX-License-Identifier: MIT
 *
 * page.js - what a person does, with the mouse, keys and buttons.
 */
const state = {
	view: "graph", icicle: profile.icicle !== false, collapsed: profile.collapsed === true, idle: profile.idle === true, thread: null, process: null,
	method: -1, removed: [], table: false, sort: FIRST_SORT, theme: "",
};
const canCollapse = profile.collapsed !== undefined;
const hasIdle = profile.groups.some(group => group.idle);

/* What has changed makes another picture; what was selected and zoomed stays where it is there. */
function rebuild() {
	const paths = shown ? [pathTo(zoomed), pathTo(selected)] : [[], []];
	if (state.view === "sandwich" && state.method < 0) state.view = "graph";
	build();
	sums = null;
	tableRows = ROWS;
	[zoomed, selected] = paths.map(follow);
	hovered = -1;
	for (const id of ["graph", "reversed"]) $(id).setAttribute("aria-pressed", state.view === id);
	$("both").setAttribute("aria-pressed", state.view === "sandwich");
	$("collapse").setAttribute("aria-pressed", state.collapsed);
	$("idle").setAttribute("aria-pressed", state.idle);
	fillRemoved();
	place();
	resize();
	search($("search").value);
	fillLegend();
	if (zoomed === ROOT && selected === ROOT) showRoot();
	select(selected);
}
/* The names from the root to a node; a path of callers begins with -1. */
function pathTo(node) {
	const path = framesOf(shown, node).reverse();
	return node >= shown.upper ? [-1, ...path] : path;
}
/* ROOT where there is no such node. */
function follow(path) {
	let node = ROOT, k = path[0] === -1 ? 1 : 0;
	let from = k ? shown.upper : 1, end = k ? shown.count : shown.upper;
	for (; k < path.length; k++) {
		let i = from;
		while (i < end && shown.name[i] !== path[k]) i = shown.end[i];
		if (i >= end) return ROOT;
		[node, from, end] = [i, i + 1, shown.end[i]];
	}
	return node;
}
function showRoot() {
	const y = rowOf(ROOT) * ROW;
	view.scrollTop = shown.up && shown.down ? y - screenHeight / 2 : state.icicle ? (shown.up ? 1e9 : 0) : (shown.up ? 0 : 1e9);
}

/* --- selection, zoom, search --- */

const hasSelf = i => state.view === "graph" || (state.view === "sandwich" && i < shown.upper);
/* In a sandwich all is of one method. */
function shares(i) {
	const part = shown.totals[metric][i], text = percent(part, shown.totals[metric][ROOT]);
	return state.view === "sandwich" ? `${text} of the method, ${percent(part, shown.whole[metric])} of all` : text;
}
function describe(i) {
	const { totals } = shown;
	const parts = metrics.map((value, m) => `${value.type} ${amount(totals[m][i], m)}` + (m === metric ? ` (${shares(i)})` : ""));
	if (profile.diff) parts.push(`change ${change(i)}`);
	return `${nameAt(i)}: ${parts.join(", ")}`;
}
function select(i) {
	const name = shown.name[i], link = editorLink(name);
	selected = i;
	$("status").textContent = describe(i);
	$("source").hidden = !sourceOf(name);
	$("source").textContent = "\u2066" + sourceOf(name) + "\u2069";
	if (link) $("source").href = link; else $("source").removeAttribute("href");
	$("sandwich").disabled = $("remove").disabled = name >= known;
	reveal(i);
	redraw();
}
function zoom(i) {
	zoomed = i;
	select(i);
	writeLink();
}
const inside = (i, outer) => i >= outer && i < shown.end[outer];
function search(text) {
	pattern = null;
	$("search").classList.remove("wrong");
	if (text) {
		try {
			pattern = new RegExp(text, text === text.toLowerCase() ? "iu" : "u");
		} catch {
			try { pattern = new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i"); } catch { pattern = null; }
			$("search").classList.add("wrong");
		}
	}
	matches = null;
	if (pattern) {
		const hits = names.map((name, i) => kinds[i] !== NARROW && pattern.test(name));
		matches = new Uint8Array(shown.count);
		for (let i = 1; i < shown.count; i++) matches[i] = hits[shown.name[i]] ? 1 : 0;
	}
	tell();
	fillTable();
	writeLink();
	redraw();
}
/* What is below a match is not counted again. */
function tell() {
	const cut = shown.limit < Infinity ? `stacks are cut at ${grouped(shown.limit)} frames` : "";
	if (!matches) { $("matched").textContent = cut; return; }
	const total = shown.totals[metric];
	let share = 0, frames = 0;
	for (let i = 1; i < shown.upper;) {
		if (matches[i]) { share += total[i]; i = shown.end[i]; } else i++;
	}
	for (let i = 1; i < shown.count; i++) frames += matches[i];
	$("matched").textContent = `${grouped(frames)} frame${frames === 1 ? "" : "s"}, ${amount(share, metric)}, ${percent(share, total[ROOT])} matched${cut && "; " + cut}`;
}
function hop(direction) {
	if (!matches) return;
	for (let n = 1; n <= shown.count; n++) {
		const i = (selected + direction * n + shown.count * 2) % shown.count;
		if (matches[i]) {
			if (!inside(i, zoomed)) zoomed = ROOT;
			select(i);
			return;
		}
	}
}
/* Of the matches the one that cost most. */
function hopToWidest() {
	const total = shown.totals[metric];
	let widest = ROOT;
	for (let i = 1; i < shown.count; i++) {
		if (matches[i] && (widest === ROOT || total[i] > total[widest])) widest = i;
	}
	if (widest === ROOT) return;
	if (!inside(widest, zoomed)) zoomed = ROOT;
	select(widest);
}
function sibling(i, direction) {
	const parent = shown.parent[i], isUpper = i >= shown.upper;
	if (parent < 0) return i;
	let before = i;
	for (let k = isUpper && parent === ROOT ? shown.upper : parent + 1; k < (isUpper ? shown.end[parent] : Math.min(shown.end[parent], shown.upper)); k = shown.end[k]) {
		if (direction < 0 && k === i) return before;
		if (direction > 0 && k > i) return k;
		before = k;
	}
	return i;
}
/* Of the nodes from `from` to `end` that are beside each other; -1: there is none. */
function widest(from, end) {
	let best = -1;
	for (let k = from; k < end; k = shown.end[k])
		if (best < 0 || shown.totals[metric][k] > shown.totals[metric][best]) best = k;
	return best;
}
/* One row away from the root, or towards it; from the root of a sandwich to either side. */
function step(i, down) {
	if (i === ROOT) return Math.max(down ? widest(1, shown.upper) : widest(shown.upper, shown.count), ROOT);
	return down === i < shown.upper ? (k => (k < 0 ? i : k))(widest(i + 1, shown.end[i])) : Math.max(shown.parent[i], ROOT);
}
function move(i) {
	if (!inside(i, zoomed) && !inside(zoomed, i)) zoomed = ROOT;
	select(i);
}

/* --- what is shown --- */

function setMetric(m) {
	metric = m;
	$("metric").value = m;
	place();
	tell();
	fillGroups();
	fillIdle();
	fillLegend();
	fillTable();
	writeLink();
	select(selected);
}
function setTheme(name) {
	document.documentElement.dataset.theme = name;
	$("theme").textContent = name === "dark" ? "Light" : "Dark";
	redraw();
}
/* The root is in sight, at the top or at the bottom. */
function turn(down) {
	state.icicle = down;
	$("flip").textContent = down ? "Flame" : "Icicle";
	showRoot();
	writeLink();
	select(selected);
}
const flip = () => turn(!state.icicle);
function setView(name) {
	state.view = name;
	rebuild();
}
function showSandwich(name) {
	if (name === undefined) name = shown.name[selected] < known ? shown.name[selected] : state.method;
	if (name < 0) name = hottest();
	if (name < 0) return;
	state.method = name;
	setView("sandwich");
}
/* Of the program's own methods, or of all. */
function hottest() {
	if (!sums) sums = methodSums(shown.live);
	const total = sums.self[metric], list = listed(), own = list.filter(isOwn);
	return (own.length ? own : list).reduce((best, name) => (best < 0 || total[name] > total[best] ? name : best), -1);
}
function toggleTable() {
	state.table = !state.table;
	fillTable();
	resize();
	writeLink();
	redraw();
}
function toggleCollapse() {
	if (!canCollapse) return;
	state.collapsed = !state.collapsed;
	rebuild();
}
function toggleIdle() {
	if (!hasIdle) return;
	state.idle = !state.idle;
	fillGroups();
	rebuild();
}
/* What threads with nothing to do waited. */
function fillIdle() {
	let waited = 0;
	for (let c = 0; c < costs.count; c++) if (profile.groups[costs.group[c]].idle) waited += costs.values[metric][c];
	$("idle").hidden = !hasIdle;
	$("idle").textContent = `Idle threads: ${amount(waited, metric)}`;
}
/* Names that were made up stand for several, and stay. */
function remove(name) {
	if (name >= known || state.removed.includes(name)) return;
	state.removed.push(name);
	if (state.view === "sandwich" && state.method === name) state.view = "graph";
	rebuild();
}
function undo(name) {
	if (!state.removed.length) return;
	state.removed = name === undefined ? state.removed.slice(0, -1) : state.removed.filter(other => other !== name);
	rebuild();
}
function fillRemoved() {
	$("removed").hidden = state.removed.length === 0;
	$("removed").replaceChildren("removed:", ...state.removed.map(name => button(names[name], "show again: " + names[name], () => undo(name))));
}
/* What each kind of code spent itself. */
function fillLegend() {
	if (profile.diff) return;
	const spent = { own: 0, framework: 0, runtime: 0 };
	for (const c of shown.live) {
		const node = costs.node[c];
		if (node !== ROOT) spent[classOf(source.name[node])] += costs.values[metric][c];
	}
	const texts = { own: "own code", framework: "framework", runtime: "runtime, native" };
	$("legend").replaceChildren("self:", ...Object.keys(texts).filter(key => spent[key] > 0).map(key => {
		const item = document.createElement("span"), swatch = document.createElement("i");
		swatch.className = key;
		item.title = "what this code spent itself, without what it called";
		item.append(swatch, `${texts[key]} ${percent(spent[key], shown.whole[metric])}`);
		return item;
	}));
}
/* A choice of threads, and of processes, where there are several: the busiest first. */
function fillGroups() {
	for (const key of ["process", "thread"]) {
		const list = groupSums(key).sort((a, b) => b[1][metric] - a[1][metric]);
		$(key).hidden = list.length < 2;
		$(key).replaceChildren(new Option(`all ${grouped(list.length)} ${key === "thread" ? "threads" : "processes"}`, "*"),
			...list.map(([name, spent]) => new Option(`${name || "(no name)"}: ${amount(spent[metric], metric)}`, "=" + name)));
		$(key).value = state[key] === null ? "*" : "=" + state[key];
	}
}
function chooseGroup(key) {
	state[key] = $(key).value === "*" ? null : $(key).value.slice(1);
	rebuild();
}

/* --- the mouse --- */

function frameAt(event) {
	const area = canvas.getBoundingClientRect(), x = event.clientX - area.left;
	const row = Math.floor((event.clientY - area.top + view.scrollTop) / ROW), list = drawn.get(row);
	for (let k = 0; list && k < list.length; k += 3)
		if (x >= list[k] && x < list[k + 1]) return list[k + 2];
	return -1;
}
function tipRow(table, i, m) {
	const { selfs, totals } = shown, row = table.insertRow(), isCalls = metrics[m].type === "calls" && hasSelf(i);
	row.insertCell().textContent = metrics[m].type;
	if (!isCalls) row.insertCell().textContent = "total " + amount(totals[m][i], m);
	if (hasSelf(i)) row.insertCell().textContent = (isCalls ? "" : "self ") + amount(selfs[m][i], m);
	if (!isCalls) row.insertCell().textContent = percent(totals[m][i], totals[m][ROOT]) + (state.view === "sandwich" ? " of the method" : " of all");
	if (zoomed !== ROOT && !isCalls) row.insertCell().textContent = percent(totals[m][i], totals[m][zoomed]) + " of the zoom";
}
function showTip(event, i) {
	const tip = $("tip"), table = document.createElement("table"), title = document.createElement("b"), name = shown.name[i];
	title.textContent = nameAt(i);
	for (let m = 0; m < width; m++) tipRow(table, i, m);
	if (profile.diff) {
		const row = table.insertRow();
		row.insertCell().textContent = "change";
		row.insertCell().textContent = change(i);
	}
	tip.replaceChildren(title, table);
	for (const text of [sourceOf(name), profile.files[name]]) {
		if (!text || text === profile.sources[name]) continue;
		const line = document.createElement("div");
		line.textContent = text;
		tip.append(line);
	}
	tip.style.display = "block";
	const x = event.clientX + 14, y = event.clientY + 18;
	tip.style.left = Math.max(0, Math.min(x, innerWidth - tip.offsetWidth - 6)) + "px";
	tip.style.top = (y + tip.offsetHeight > innerHeight ? Math.max(0, event.clientY - tip.offsetHeight - 8) : y) + "px";
}
canvas.addEventListener("mousemove", event => {
	const i = frameAt(event);
	if (i !== hovered) { hovered = i; redraw(); }
	canvas.style.cursor = i < 0 ? "default" : "pointer";
	if (i < 0) $("tip").style.display = "none"; else showTip(event, i);
});
canvas.addEventListener("mouseleave", () => { hovered = -1; $("tip").style.display = "none"; redraw(); });
canvas.addEventListener("click", event => {
	const i = frameAt(event);
	if (i < 0) return;
	if (event.altKey) remove(shown.name[i]); else zoom(i);
});
view.addEventListener("scroll", redraw);
window.addEventListener("resize", () => { resize(); fillTable(); redraw(); });

/* --- keys and buttons --- */

function escape() {
	if (matches) { $("search").value = ""; search(""); } else if (zoomed !== ROOT) zoom(ROOT); else if (selected !== ROOT) select(ROOT); else if (state.view === "sandwich") setView("graph");
}
const keys = {
	"/": () => $("search").focus(),
	"?": () => $("keys").showModal(),
	Escape: escape,
	Enter: () => zoom(selected),
	Backspace: () => zoom(zoomed === ROOT ? ROOT : shown.parent[zoomed]),
	ArrowUp: () => move(step(selected, !state.icicle)),
	ArrowDown: () => move(step(selected, state.icicle)),
	ArrowLeft: () => move(sibling(selected, -1)),
	ArrowRight: () => move(sibling(selected, 1)),
	n: () => hop(1),
	N: () => hop(-1),
	g: () => setView("graph"),
	r: () => setView(state.view === "reversed" ? "graph" : "reversed"),
	s: () => showSandwich(),
	t: toggleTable,
	c: toggleCollapse,
	w: toggleIdle,
	x: () => remove(shown.name[selected]),
	u: () => undo(),
	e: () => { if ($("source").href) $("source").click(); },
	i: flip,
	d: () => { setTheme(state.theme = dark() ? "light" : "dark"); writeLink(); },
	m: () => setMetric((metric + 1) % width),
};
document.addEventListener("keydown", event => {
	if ($("keys").open || $("facts").open) return;
	if ((event.ctrlKey || event.metaKey) && event.key === "f") { event.preventDefault(); $("search").select(); return; }
	if (event.ctrlKey || event.metaKey || event.altKey) return;
	const typing = event.target === $("search");
	if (typing && event.key === "Enter") {
		if (matches && !matches[selected]) hopToWidest();
		else hop(event.shiftKey ? -1 : 1);
		return;
	}
	if (typing && event.key === "Escape") { escape(); canvas.focus(); return; }
	if (typing || event.target.tagName === "SELECT" || (["BUTTON", "A"].includes(event.target.tagName) && event.key === "Enter")) return;
	const action = keys[event.key];
	if (action) { event.preventDefault(); action(); }
});
$("search").addEventListener("input", event => search(event.target.value));
$("reset").addEventListener("click", () => zoom(ROOT));
$("flip").addEventListener("click", flip);
$("metric").addEventListener("change", event => setMetric(Number(event.target.value)));
for (const key of ["process", "thread"]) $(key).addEventListener("change", () => chooseGroup(key));
const buttons = { theme: keys.d, help: keys["?"], info: () => $("facts").showModal(), graph: keys.g, reversed: () => setView("reversed"), both: keys.s,
	table: toggleTable, collapse: toggleCollapse, idle: toggleIdle, sandwich: keys.s, remove: keys.x };
for (const id in buttons) $(id).addEventListener("click", () => buttons[id]());
