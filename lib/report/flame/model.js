/* SPDX-License-Identifier: MIT
 *
 * model.js - the stacks of the profile, and the trees that are made of them.
 *
 * The page has all frames, in one tree ("nodes": name, how many levels up from the node before), and what was spent at
 * the end of each stack ("costs": how many nodes further, group, then the amount of each value). A group is a thread of
 * a process; what it waited while it had nothing to do is one of its own ("idle"). What is shown is made anew of these for each choice of thread, view, and so on, so that its sums are exact.
 */
const $ = id => document.getElementById(id);
const profile = JSON.parse($("profile").textContent);
/* Control characters and those that turn the writing direction would let a name pretend to be another. */
const printable = text => text.replace(/[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, "\ufffd");
profile.names = profile.names.map(printable);
profile.files = profile.files.map(printable);
profile.sources = (profile.sources || []).map(printable);
profile.lines = profile.lines || [];
profile.comments = profile.comments.map(printable);
profile.title = printable(profile.title);
for (const value of profile.values) value.type = printable(value.type);
for (const group of profile.groups) for (const key of ["process", "thread"]) group[key] = printable(group[key]);

const ROOT = 0, metrics = profile.values, width = metrics.length;
/* What a name is: lib/report/view/origin.h, and two of our own. */
const OTHER = 0, OWN = 1, FRAMEWORK = 2, GLUE = 3, START = 4, RESUME = 5, NATIVE = 6, NARROW = 7;
const names = profile.names, kinds = profile.kinds;
const grouped = n => Math.round(n).toString().replace(/\B(?=(\d{3})+(?!\d))/g, ",");

function addName(name, kind) {
	names.push(name);
	kinds.push(kind);
	return names.length - 1;
}
const known = names.length; /* those that come after are made up, and cannot be asked for */
const FRAMEWORK_NAME = addName("[framework]", FRAMEWORK), ASYNC_NAME = addName("[async]", FRAMEWORK), ALL_NAME = addName("all", OTHER);

/* A name below zero stands for -name frames that were too narrow to be written. */
function readNodes() {
	const list = profile.nodes, count = list.length / 2, narrow = new Map();
	const tree = { count, name: new Int32Array(count), parent: new Int32Array(count) };
	for (let i = 0; i < count; i++) {
		let parent = i - 1, name = i === ROOT ? ALL_NAME : list[2 * i];
		for (let up = list[2 * i + 1]; up > 0; up--) parent = tree.parent[parent];
		if (name < 0) {
			if (!narrow.has(name)) narrow.set(name, addName(`(${grouped(-name)} narrow frame${name === -1 ? "" : "s"})`, NARROW));
			name = narrow.get(name);
		}
		tree.name[i] = name;
		tree.parent[i] = parent;
	}
	return tree;
}
function readCosts() {
	const list = profile.costs, step = 2 + width, count = list.length / step;
	const costs = { count, node: new Int32Array(count), group: new Int32Array(count), values: metrics.map(() => new Float64Array(count)) };
	for (let i = 0, node = 0; i < count; i++) {
		costs.node[i] = node += list[i * step];
		costs.group[i] = list[i * step + 1];
		for (let m = 0; m < width; m++) costs.values[m][i] = list[i * step + 2 + m];
	}
	return costs;
}
const source = readNodes(), costs = readCosts();
profile.nodes = profile.costs = null;

/* The order of siblings. */
const rankOf = new Int32Array(names.length);
names.map((name, i) => [kinds[i] === NARROW ? "\uffff" : name, i]).sort((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1])).forEach((pair, rank) => { rankOf[pair[1]] = rank; });

/* --- folding: what lib/report/view/view.c does --- */

const isOwn = name => kinds[name] === OWN;
const isFoldable = name => kinds[name] >= FRAMEWORK && kinds[name] <= NATIVE;
/* Without any managed code what has a name is the program. */
const hasManaged = kinds.slice(0, known).some(kind => kind >= OWN && kind <= RESUME);
/* "own", "framework" or "runtime": what its colour is. */
function classOf(name) {
	if (kinds[name] === OWN || (!hasManaged && kinds[name] !== NARROW && names[name][0] !== "[")) return "own";
	return kinds[name] === FRAMEWORK || kinds[name] === START || kinds[name] === RESUME ? "framework" : "runtime";
}

/* What stands for the frames from `outer` to `inner`; -1: nothing. */
function standIn(frames, outer, inner) {
	const isCalled = outer + 1 < frames.length && isOwn(frames[outer + 1]);
	let innermost = inner;
	while (innermost < outer && kinds[frames[innermost]] === GLUE) innermost++;
	if (kinds[frames[innermost]] === GLUE) return -1;
	if (kinds[frames[isCalled ? outer : innermost]] === RESUME) return ASYNC_NAME;
	if (!isCalled) return FRAMEWORK_NAME;
	return kinds[frames[outer]] === START ? -1 : frames[outer];
}
/* `frames` are leaf first; the result begins at the root. */
function fold(frames, hasType) {
	const shown = [];
	let own = hasType ? 1 : 0;
	while (own < frames.length && !isOwn(frames[own])) own++;
	for (let i = frames.length; i > 0;) {
		let inner = i - 1, name = frames[inner];
		if (own < inner && isFoldable(name)) {
			while (inner > own + 1 && isFoldable(frames[inner - 1])) inner--;
			name = standIn(frames, i - 1, inner);
		} else if (names[name][0] === "[" && name === frames[inner + 1]) name = -1;
		if (name >= 0) shown.push(name);
		i = inner;
	}
	return shown;
}

/* --- trees --- */

function framesOf(tree, node) {
	const frames = [];
	for (let i = node; i > ROOT; i = tree.parent[i]) frames.push(tree.name[i]);
	return frames;
}
/* A tree that grows by paths; parents come before children. */
class Growing {
	constructor(root) { this.name = [root]; this.parent = [-1]; this.slots = new Map(); }
	child(parent, name) {
		const key = parent * names.length + name;
		let node = this.slots.get(key);
		if (node === undefined) {
			node = this.name.length;
			this.name.push(name);
			this.parent.push(parent);
			this.slots.set(key, node);
		}
		return node;
	}
	path(frames) { return frames.reduce((node, name) => this.child(node, name), ROOT); }
}

/* The innermost frame of an exception's stack is its type, and no code. */
const typeValues = metrics.flatMap((value, m) => (value.type === "exceptions" || value.type === "rethrown" ? [m] : []));
/* The whole tree with the framework collapsed, and the node in it of each cost. */
function collapse() {
	const tree = new Growing(ALL_NAME), at = new Int32Array(costs.count), plain = new Int32Array(source.count).fill(-1);
	plain[ROOT] = ROOT;
	/* Where a path has nothing to fold it stays, and needs no walk of its own. */
	for (let i = 1; i < source.count; i++) {
		const parent = source.parent[i], name = source.name[i];
		if (plain[parent] >= 0 && !isFoldable(name) && names[name][0] !== "[") plain[i] = tree.child(plain[parent], name);
	}
	for (let c = 0; c < costs.count; c++) {
		const node = costs.node[c];
		at[c] = plain[node] >= 0 ? plain[node] : tree.path(fold(framesOf(source, node), typeValues.some(m => costs.values[m][c] !== 0)));
	}
	return { tree, at };
}
const whole = { tree: source, at: costs.node };
let collapsedWhole = null;
const base = () => state.collapsed ? collapsedWhole = collapsedWhole || collapse() : whole;

/* Depth first, siblings by name; `keep` says which nodes. Adds to `out`, whose root is there already if `isUpper`. */
function arrange(tree, keep, out, isUpper) {
	const count = tree.name.length, first = new Int32Array(count).fill(-1), next = new Int32Array(count).fill(-1);
	const heads = new Int32Array(names.length).fill(-1), chain = new Int32Array(count).fill(-1), place = new Int32Array(count).fill(-1);
	for (let i = 1; i < count; i++) {
		if (keep && !keep[i]) continue;
		const rank = rankOf[tree.name[i]];
		chain[i] = heads[rank];
		heads[rank] = i;
	}
	for (let rank = names.length - 1; rank >= 0; rank--) {
		for (let i = heads[rank]; i >= 0; i = chain[i]) {
			next[i] = first[tree.parent[i]];
			first[tree.parent[i]] = i;
		}
	}
	for (let i = ROOT; i >= 0;) {
		if (i === ROOT && isUpper) place[i] = ROOT;
		else {
			place[i] = out.name.length;
			out.name.push(tree.name[i]);
			out.parent.push(i === ROOT ? -1 : place[tree.parent[i]]);
		}
		let k = first[i];
		while (k < 0 && i > ROOT) { k = next[i]; i = tree.parent[i]; }
		i = k;
	}
	return place;
}

/* What threads waited that had nothing to do is left out, unless that is wanted. */
const isShownGroup = group => state.idle || !group.idle;
/* Which costs count: by thread, process and what was removed. */
function liveCosts() {
	const gone = new Uint8Array(source.count), live = [];
	const isWanted = profile.groups.map(group => isShownGroup(group) && (state.thread === null || group.thread === state.thread) && (state.process === null || group.process === state.process));
	if (state.removed.length) {
		const removed = new Set(state.removed);
		for (let i = 1; i < source.count; i++) gone[i] = gone[source.parent[i]] || removed.has(source.name[i]) ? 1 : 0;
	}
	for (let c = 0; c < costs.count; c++) if (isWanted[costs.group[c]] && !gone[costs.node[c]]) live.push(c);
	return live;
}

/* Turned stacks share little: very many very deep ones are cut, which is told. */
const TURNED_MOST = 2e6;
function depthLimit(tree, live, at) {
	const depth = new Int32Array(tree.name.length);
	let sum = 0;
	for (let i = 1; i < depth.length; i++) depth[i] = depth[tree.parent[i]] + 1;
	for (const c of live) sum += depth[at[c]];
	return sum > TURNED_MOST ? Math.max(32, Math.floor(TURNED_MOST / live.length)) : Infinity;
}

function graph(live, out, where) {
	const { tree, at } = base(), keep = new Uint8Array(tree.name.length);
	for (const c of live) for (let i = at[c]; i > ROOT && !keep[i]; i = tree.parent[i]) keep[i] = 1;
	const place = arrange(tree, keep, out, false);
	for (const c of live) where.push(place[at[c]]);
}
function reversed(live, out, where) {
	const { tree, at } = base(), turned = new Growing(ALL_NAME);
	out.limit = depthLimit(tree, live, at);
	const ends = live.map(c => turned.path(framesOf(tree, at[c]).slice(0, out.limit)));
	const place = arrange(turned, null, out, false);
	for (const end of ends) where.push(place[end]);
}
/* Below the method what it called, above it its callers; recursion counts once, from the outermost call on. */
function sandwich(live, out, where, above) {
	const { tree, at } = base(), down = new Growing(state.method), up = new Growing(state.method), ends = [];
	out.limit = depthLimit(tree, live, at);
	for (const c of live) {
		let frames = framesOf(tree, at[c]), outer = frames.lastIndexOf(state.method);
		if (outer < 0 && tree !== source) { /* where it is collapsed itself its stacks are not */
			frames = framesOf(source, costs.node[c]);
			outer = frames.lastIndexOf(state.method);
		}
		ends.push(outer < 0 ? null : [down.path(frames.slice(0, outer).reverse().slice(0, out.limit)), up.path(frames.slice(outer + 1).slice(0, out.limit))]);
	}
	const placeDown = arrange(down, null, out, false);
	out.upper = out.name.length;
	const placeUp = arrange(up, null, out, true);
	for (const end of ends) {
		where.push(end ? placeDown[end[0]] : -1);
		above.push(end ? placeUp[end[1]] : -1);
	}
}

/* What is shown. `upper`: nodes from there on are callers of the root, which lie on the other side of it. */
let shown = null;
function build() {
	const out = { name: [], parent: [], upper: Infinity, limit: Infinity }, where = [], above = [], live = liveCosts();
	({ graph, reversed, sandwich })[state.view](live, out, where, above);
	const count = out.name.length;
	shown = { count, upper: Math.min(out.upper, count), limit: out.limit, live, name: Int32Array.from(out.name), parent: Int32Array.from(out.parent),
		depth: new Int32Array(count), end: new Int32Array(count), whole: [], selfs: [], totals: [], down: 0, up: 0 };
	for (let i = 0; i < count; i++) {
		shown.end[i] = i + 1;
		if (i > ROOT) shown.depth[i] = shown.depth[shown.parent[i]] + 1;
		const side = i < shown.upper ? "down" : "up";
		shown[side] = Math.max(shown[side], shown.depth[i]);
	}
	for (let m = 0; m < width; m++) {
		const self = new Float64Array(count);
		live.forEach((c, k) => {
			if (where[k] >= 0) self[where[k]] += costs.values[m][c];
			if (above[k] > ROOT) self[above[k]] += costs.values[m][c];
		});
		shown.whole.push(live.reduce((sum, c) => sum + costs.values[m][c], 0));
		shown.selfs.push(self);
		shown.totals.push(self.slice());
	}
	for (let i = count - 1; i > 0; i--) {
		const parent = shown.parent[i];
		if (shown.end[parent] < shown.end[i]) shown.end[parent] = shown.end[i];
		if (parent !== ROOT || i < shown.upper)
			for (let m = 0; m < width; m++) shown.totals[m][parent] += shown.totals[m][i];
	}
}

/* --- sums --- */

/* By name: self and total of each value. A stack counts once however often a method is on it. */
function methodSums(live) {
	const sums = { self: metrics.map(() => new Float64Array(names.length)), total: metrics.map(() => new Float64Array(names.length)) };
	const total = metrics.map(() => new Float64Array(source.count)), open = new Int32Array(names.length), isOutermost = new Uint8Array(source.count);
	for (const c of live) {
		const node = costs.node[c];
		for (let m = 0; m < width; m++) {
			total[m][node] += costs.values[m][c];
			if (node !== ROOT) sums.self[m][source.name[node]] += costs.values[m][c];
		}
	}
	for (let i = 1, path = []; i < source.count; i++) {
		while (path.length && path[path.length - 1] !== source.parent[i]) open[source.name[path.pop()]]--;
		isOutermost[i] = open[source.name[i]]++ === 0 ? 1 : 0;
		path.push(i);
	}
	for (let i = source.count - 1; i > 0; i--) {
		for (let m = 0; m < width; m++) {
			if (isOutermost[i]) sums.total[m][source.name[i]] += total[m][i];
			total[m][source.parent[i]] += total[m][i];
		}
	}
	return sums;
}
/* What each group of a kind spent, of all stacks: [["main", [amounts]], ...] */
function groupSums(key) {
	const sums = new Map();
	for (let c = 0; c < costs.count; c++) {
		const group = profile.groups[costs.group[c]], name = group[key];
		if (!isShownGroup(group)) continue;
		if (!sums.has(name)) sums.set(name, new Array(width).fill(0));
		for (let m = 0; m < width; m++) sums.get(name)[m] += costs.values[m][c];
	}
	return [...sums];
}
