/* SPDX-License-Identifier: MIT
 *
 * table.js - the methods, their own time and the whole.
 */
const ROWS = 300;
let sums = null, tableRows = ROWS;
const COLUMNS = profile.diff ? {
	before: ["Before", name => sums.total[0][name], name => amount(sums.total[0][name], 0)],
	after: ["After", name => sums.total[1][name], name => amount(sums.total[1][name], 1)],
	change: ["Change", name => Math.abs(sums.total[1][name] - sums.total[0][name]),
		name => signed(sums.total[1][name] - sums.total[0][name], amount(Math.abs(sums.total[1][name] - sums.total[0][name]), 1))],
} : {
	self: ["Self", name => sums.self[metric][name], name => withShare(sums.self[metric][name])],
	total: ["Total", name => sums.total[metric][name], name => withShare(sums.total[metric][name])],
};
const FIRST_SORT = Object.keys(COLUMNS).pop() === "change" ? "change" : "self";
/* Narrow screens have no room for the amount. */
function withShare(n) {
	return [amount(n, metric) + " ", percent(n, shown.whole[metric]).padStart(8, "\u2007")].map(text => {
		const part = document.createElement("span");
		part.textContent = text;
		return part;
	});
}

/* With the framework collapsed, those that are seen; what is hidden of them counts in their totals. */
function listed() {
	const isSeen = new Uint8Array(names.length), tree = base().tree;
	for (let i = 1; i < tree.name.length; i++) isSeen[tree.name[i]] = 1;
	const list = [];
	for (let name = 0; name < known; name++) {
		const isAny = metrics.some((_, m) => sums.total[m][name] !== 0);
		if (isSeen[name] && isAny && (!pattern || pattern.test(names[name]))) list.push(name);
	}
	return list;
}
function sorted(list) {
	if (state.sort === "name") return list.sort((a, b) => rankOf[a] - rankOf[b]);
	const key = COLUMNS[state.sort][1], other = sums.total[metric];
	return list.sort((a, b) => key(b) - key(a) || other[b] - other[a] || rankOf[a] - rankOf[b]);
}
function button(text, title, act) {
	const made = document.createElement("button");
	made.textContent = text;
	if (title) { made.title = title; made.setAttribute("aria-label", title); }
	made.addEventListener("click", act);
	return made;
}
/* By name: what there is room for, and told apart where two are the same then. */
function fitAll(list, room) {
	const texts = new Map(list.map(name => [name, fitInList(names[name], room)])), seen = new Map();
	for (const text of texts.values()) seen.set(text, (seen.get(text) || 0) + 1);
	for (const [name, text] of texts) if (seen.get(text) > 1) texts.set(name, fitApart(names[name], room) || text);
	return texts;
}
/* The label has the whole name; what is seen of it is no text of the page, which would have to be a part of the label. */
function tableRow(name, text) {
	const row = document.createElement("tr"), cell = row.insertCell();
	cell.className = "name " + classOf(name);
	cell.append(button("", "", () => pick(name)));
	cell.firstChild.setAttribute("aria-label", names[name]);
	cell.firstChild.dataset.text = text;
	cell.title = [names[name], sourceOf(name) || profile.files[name]].join("\n");
	row.addEventListener("dblclick", () => showSandwich(name));
	for (const id in COLUMNS) row.insertCell().append(...[COLUMNS[id][2](name)].flat());
	row.insertCell().append(button("", `callers and callees of ${names[name]}`, () => showSandwich(name)));
	row.lastChild.firstChild.dataset.text = "⇅";
	row.dataset.name = name;
	if (name === state.method) row.setAttribute("aria-selected", "true");
	return row;
}
function tableHead(id, text) {
	const head = document.createElement("th");
	head.scope = "col";
	if (state.sort === id) head.setAttribute("aria-sort", id === "name" ? "ascending" : "descending");
	head.append(button(text + (state.sort !== id ? "" : id === "name" ? " ▲" : " ▼"), "", () => { state.sort = id; fillTable(); writeLink(); }));
	return head;
}
function fillTable() {
	$("methods").hidden = !state.table;
	$("table").setAttribute("aria-pressed", state.table);
	if (!state.table) return;
	if (!sums) sums = methodSums(shown.live);
	$("columns").replaceChildren(tableHead("name", "Method"), ...Object.keys(COLUMNS).map(id => tableHead(id, COLUMNS[id][0])), document.createElement("td"));
	/* Names have the letters that their column has room for. */
	const space = $("columns").firstChild.clientWidth, room = Math.max(Math.floor((space - 24) / charWidth), 8);
	const list = sorted(listed()), seen = list.slice(0, tableRows), texts = fitAll(seen, room), rows = seen.map(name => tableRow(name, texts.get(name)));
	if (list.length > tableRows) {
		const row = document.createElement("tr");
		row.insertCell().append(button(`${grouped(list.length - tableRows)} more`, "", () => { tableRows = Infinity; fillTable(); }));
		rows.push(row);
	}
	$("rows").replaceChildren(...rows);
}
/* Where a method is in the graph; once more: nowhere. */
function pick(name) {
	state.method = state.view !== "sandwich" && state.method === name ? -1 : name;
	for (const row of $("rows").children) row.toggleAttribute("aria-selected", false);
	for (const row of $("rows").children) if (Number(row.dataset.name) === state.method) row.setAttribute("aria-selected", "true");
	if (state.view === "sandwich") { rebuild(); return; }
	writeLink();
	const first = state.method < 0 ? -1 : shown.name.indexOf(state.method);
	if (first > ROOT) { if (!inside(first, zoomed)) zoomed = ROOT; select(widestOf(state.method)); } else redraw();
}
function widestOf(name) {
	let best = -1;
	for (let i = 1; i < shown.count; i++)
		if (shown.name[i] === name && (best < 0 || shown.totals[metric][i] > shown.totals[metric][best])) best = i;
	return best;
}
