/* SPDX-License-Identifier: MIT
 *
 * link.js - what a person has chosen, in the address, so that it can be passed on.
 */
/*
 * #KEY=VALUE&...; only what is not as at the beginning is written. Names are written out; a zoom is the numbers of the
 * names from the root on, and begins with "-" among the callers of a sandwich.
 */
const atFirst = { icicle: state.icicle, collapsed: state.collapsed, idle: state.idle, metric };
let isRestoring = false, writing = 0;

function linkText() {
	const parts = [], add = (key, value) => parts.push(key + "=" + encodeURIComponent(value));
	if (state.view !== "graph") add("view", state.view);
	if (state.method >= 0) add("method", names[state.method]);
	if ($("search").value) add("q", $("search").value);
	if (state.process !== null) add("process", state.process);
	if (state.thread !== null) add("thread", state.thread);
	for (const name of state.removed) add("removed", names[name]);
	if (state.collapsed !== atFirst.collapsed) add("collapsed", state.collapsed ? 1 : 0);
	if (state.idle !== atFirst.idle) add("idle", state.idle ? 1 : 0);
	if (state.icicle !== atFirst.icicle) add("icicle", state.icicle ? 1 : 0);
	if (metric !== atFirst.metric) add("value", metrics[metric].type);
	if (state.table) add("table", state.sort);
	if (state.theme) add("theme", state.theme);
	if (zoomed !== ROOT) add("zoom", pathTo(zoomed).map(name => (name < 0 ? "-" : name)).join("."));
	return parts.length ? "#" + parts.join("&") : "";
}
/* Soon: browsers refuse to have it written too often. */
function writeLink() {
	if (isRestoring || writing) return;
	writing = setTimeout(() => {
		writing = 0;
		if (linkText() !== location.hash) history.replaceState(null, "", linkText() || location.pathname + location.search);
	}, 200);
}
function decoded(text) {
	try { return decodeURIComponent(text); } catch { return text; }
}
/* What means nothing in this profile is passed over. */
function readLink() {
	const found = { removed: [] }, one = name => names.indexOf(name) < known ? names.indexOf(name) : -1;
	for (const part of location.hash.slice(1).split("&")) {
		const at = part.indexOf("="), key = part.slice(0, at), value = decoded(part.slice(at + 1));
		if (key === "removed") found.removed.push(value); else if (at > 0) found[key] = value;
	}
	const flag = (value, otherwise) => (value === "1" ? true : value === "0" ? false : otherwise);
	const group = key => profile.groups.some(group => group[key] === found[key]) && found[key] !== undefined ? found[key] : null;
	state.method = found.method === undefined ? -1 : one(found.method);
	state.view = found.view === "reversed" || (found.view === "sandwich" && state.method >= 0) ? found.view : "graph";
	state.process = group("process");
	state.thread = group("thread");
	state.removed = [...new Set(found.removed.map(one).filter(name => name >= 0))];
	state.collapsed = canCollapse && flag(found.collapsed, atFirst.collapsed);
	state.idle = flag(found.idle, atFirst.idle);
	state.icicle = flag(found.icicle, atFirst.icicle);
	state.table = found.table !== undefined;
	state.sort = found.table === "name" || Object.hasOwn(COLUMNS, found.table || "") ? found.table : FIRST_SORT;
	state.theme = found.theme === "dark" || found.theme === "light" ? found.theme : "";
	$("search").value = found.q || "";
	const value = metrics.findIndex(value => value.type === found.value);
	metric = value < 0 ? atFirst.metric : value;
	return found.zoom ? found.zoom.split(".").map(name => (name === "-" ? -1 : Number(name))) : [];
}
function restore() {
	isRestoring = true;
	const path = readLink();
	shown = null;
	$("metric").value = metric;
	setTheme(state.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
	fillGroups();
	fillIdle();
	$("flip").textContent = state.icicle ? "Flame" : "Icicle";
	$("methods").hidden = !state.table; /* before the picture is measured */
	rebuild();
	if (path.length) zoom(follow(path));
	draw();
	isRestoring = false;
}
window.addEventListener("hashchange", restore);
