/*
 * SPDX-License-Identifier: MIT
 *
 * coverage.c - see coverage.h. Arms are counted of branches that a person wrote: the last point at or before the
 * branch, in the same filter or handler, is a visible one, and the branch is none of those that a compiler adds to a
 * visible line (coverage-branch.c).
 */
#include "coverage-priv.h"

#include <stdlib.h>
#include <string.h>
#include "describe-priv.h"
#include "il-stack.h"
#include "source.h"

/* So many instructions back the point is looked for whose counter will do. */
enum { WAY_MAX = 96 };
/* Instructions of a body in which loops are looked at: it takes time for each of them. */
enum { LOOP_MAX = 8192 };

typedef monocle__coverage_place place;
typedef monocle__coverage_work work;

/* --- instructions ------------------------------------------------------------------------------------------------- */

uint32_t
monocle__coverage_instruction_at (const monocle__il_body *body, uint32_t offset)
{
	uint32_t low = 0, high = body->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (body->code[middle].offset < offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low < body->count && body->code[low].offset == offset ? low : MONOCLE__IL_NONE;
}

/* Does control never go on to the next instruction? */
static bool
ends_flow (uint16_t opcode)
{
	switch (monocle__il_flow_of (opcode)) {
	case MONOCLE__IL_FLOW_RETURN:
	case MONOCLE__IL_FLOW_BRANCH:
	case MONOCLE__IL_FLOW_THROW: return true;
	default: return opcode == MONOCLE__IL_JMP;
	}
}

/* Neither throws nor calls nor jumps: loads and stores of arguments and locals, constants, plain arithmetic. */
static bool
is_quiet (uint16_t opcode)
{
	if (opcode <= MONOCLE__IL_LDC_R8 && opcode != MONOCLE__IL_BREAK)
		return true; /* nop, ldarg*, ldloc*, stloc*, starg, ldnull, ldc* */
	switch (opcode) {
	case MONOCLE__IL_DUP:
	case MONOCLE__IL_POP:
	case MONOCLE__IL_ADD:
	case MONOCLE__IL_SUB:
	case MONOCLE__IL_MUL:
	case MONOCLE__IL_AND:
	case MONOCLE__IL_OR:
	case MONOCLE__IL_XOR:
	case MONOCLE__IL_SHL:
	case MONOCLE__IL_SHR:
	case MONOCLE__IL_SHR_UN:
	case MONOCLE__IL_NEG:
	case MONOCLE__IL_NOT:
	case MONOCLE__IL_CONV_I1:
	case MONOCLE__IL_CONV_I2:
	case MONOCLE__IL_CONV_I4:
	case MONOCLE__IL_CONV_I8:
	case MONOCLE__IL_CONV_R4:
	case MONOCLE__IL_CONV_R8:
	case MONOCLE__IL_CONV_U4:
	case MONOCLE__IL_CONV_U8:
	case MONOCLE__IL_CONV_U2:
	case MONOCLE__IL_CONV_U1:
	case MONOCLE__IL_CEQ:
	case MONOCLE__IL_CGT:
	case MONOCLE__IL_CGT_UN:
	case MONOCLE__IL_CLT:
	case MONOCLE__IL_CLT_UN:
	case MONOCLE__IL_LDARG:
	case MONOCLE__IL_LDARGA:
	case MONOCLE__IL_STARG:
	case MONOCLE__IL_LDLOC:
	case MONOCLE__IL_LDLOCA:
	case MONOCLE__IL_STLOC: return true;
	default: return false;
	}
}

/* --- points ------------------------------------------------------------------------------------------------------- */

static void
mark_clauses (work *w)
{
	for (uint32_t i = 0; i < w->body->clause_count; i++) {
		const monocle__il_clause *c = &w->body->clauses[i];
		w->places[c->try_begin].is_border = w->places[c->try_end].is_border = true;
		w->places[c->handler_begin].is_border = w->places[c->handler_end].is_border = true;
		if (c->flags == MONOCLE__IL_CLAUSE_FILTER)
			w->places[c->filter_begin].is_border = true;
	}
}

static void
mark_jumps (work *w)
{
	for (uint32_t i = 0; i < w->body->count; i++)
		for (uint32_t j = 0, count = monocle__il_jump_count (w->body, i); j < count; j++) {
			place *to = &w->places[monocle__il_jump_target (w->body, i, j)];
			to->first_source = to->predecessor++ ? to->first_source : i;
			to->last_source = i;
		}
}

/* The return after an explicit tail call is the call's: nothing may come between them. */
static bool
follows_tail_call (const monocle__il_body *body, uint32_t i)
{
	if (!i || body->code[i].opcode != MONOCLE__IL_RET)
		return false;
	uint32_t first = monocle__il_first_prefix (body, i - 1);
	for (uint32_t j = first; j < i; j++)
		if (body->code[j].opcode == MONOCLE__IL_TAIL)
			return true;
	return false;
}

static void
keep_point (work *w, const MonocleCoveragePoint *point, uint32_t at)
{
	monocle__describe_coverage *out = w->out;
	if (w->places[at].point == MONOCLE__IL_NONE)
		w->places[at].point = out->plan.point_count;
	w->at[out->plan.point_count] = at;
	out->points[out->plan.point_count++] = *point;
}

/* Offsets that are no instruction's are a damaged file's, or that of the end. What has prefixes begins with them. */
static void
keep_points (work *w)
{
	for (uint32_t i = 0; i < w->all_count; i++) {
		uint32_t at = monocle__coverage_instruction_at (w->body, w->all[i].il_offset);
		if (w->all[i].document && at != MONOCLE__IL_NONE && !follows_tail_call (w->body, at))
			keep_point (w, &w->all[i], monocle__il_first_prefix (w->body, at));
	}
}

/* Without symbols: where the stack is empty, as Mono has it. */
static int
keep_offsets (work *w)
{
	bool *empty = malloc (w->body->count + 1u);
	int error = empty ? monocle__il_stack_empty (&w->image->ecma, w->body, empty) : MONOCLE__IL_E_NO_MEMORY;
	for (uint32_t i = 0; !error && i < w->body->count; i++)
		if (empty[i] && !follows_tail_call (w->body, i))
			keep_point (w, &(MonocleCoveragePoint) { .il_offset = w->body->code[i].offset },
			            monocle__il_first_prefix (w->body, i));
	free (empty);
	return error == MONOCLE__IL_E_NO_MEMORY ? error : 0;
}

static bool
add_site (work *w, uint32_t instruction, uint32_t path, uint32_t counter)
{
	monocle__describe_coverage *out = w->out;
	if (out->site_count == w->site_capacity) {
		uint32_t capacity = w->site_capacity ? 2 * w->site_capacity : 32;
		monocle__coverage_site *sites = realloc (out->sites, capacity * sizeof *sites);
		if (!sites)
			return false;
		out->sites = sites;
		w->site_capacity = capacity;
	}
	out->sites[out->site_count++] = (monocle__coverage_site) { instruction, path, counter };
	return true;
}

/* Of the jumps of instruction `i`, do all lead forward, and not past `end`? */
static bool
jumps_within (const work *w, uint32_t i, uint32_t end)
{
	for (uint32_t j = 0, count = monocle__il_jump_count (w->body, i); j < count; j++) {
		uint32_t target = monocle__il_jump_target (w->body, i, j);
		if (target <= i || target > end)
			return false;
	}
	return true;
}

static bool
is_quiet_or_jumps (uint16_t opcode)
{
	return is_quiet (opcode) || monocle__coverage_is_conditional (opcode) || opcode == MONOCLE__IL_BR ||
	       opcode == MONOCLE__IL_BR_S;
}

/*
 * Where does control come from that reaches `to`? The nearest point before it, of those with a counter of their own,
 * that is always on the way, and from which it always comes here: on the way nothing throws, calls, or jumps back or
 * past, and nothing jumps into it from elsewhere. MONOCLE__IL_NONE: there is none.
 */
static uint32_t
owner_of (const work *w, uint32_t to)
{
	uint32_t from_elsewhere = 0; /* jumps to what was passed, less those that are on the way themselves */
	uint32_t first = to > WAY_MAX ? to - WAY_MAX : 0;
	for (uint32_t i = to; i > first;) {
		from_elsewhere += w->places[i].predecessor;
		if (w->places[i].is_border || !is_quiet_or_jumps (w->body->code[--i].opcode) || !jumps_within (w, i, to))
			return MONOCLE__IL_NONE;
		from_elsewhere -= monocle__il_jump_count (w->body, i);
		if (w->places[i].owns && !from_elsewhere)
			return w->places[i].point;
	}
	return MONOCLE__IL_NONE;
}

/* Does any jump but that from `entry` lead into what is after it, up to `end`, from elsewhere? */
static bool
is_entered_otherwise (const work *w, uint32_t entry, uint32_t end)
{
	for (uint32_t i = 0; i < w->body->count; i++) {
		bool is_inside = i > entry && i <= end;
		for (uint32_t j = 0, count = is_inside || i == entry ? 0 : monocle__il_jump_count (w->body, i); j < count;
		     j++) {
			uint32_t target = monocle__il_jump_target (w->body, i, j);
			if (target > entry && target <= end)
				return true;
		}
	}
	for (uint32_t i = 0; i < w->body->clause_count; i++) {
		const monocle__il_clause *c = &w->body->clauses[i];
		bool is_try = c->try_begin > entry && c->try_begin <= end;
		bool is_handler = c->handler_begin > entry && c->handler_begin <= end;
		if (is_try != is_handler)
			return true;
	}
	return false;
}

/*
 * Compilers test the condition of a loop at its end, and jump there first: it is hit when that jump is, and not later.
 * How often is another matter. MONOCLE__IL_NONE: `to` is no such condition.
 */
static uint32_t
owner_of_loop (const work *w, uint32_t to)
{
	uint32_t entry = w->places[to].first_source;
	if (!w->hits || w->places[to].predecessor == 0 || entry >= to || w->body->count > LOOP_MAX ||
	    w->body->code[entry].opcode != MONOCLE__IL_BR)
		return MONOCLE__IL_NONE;
	uint32_t end = to;
	for (uint32_t i = entry + 1; i <= to; i++)
		if (w->places[i].predecessor && w->places[i].last_source > end)
			end = w->places[i].last_source;
	if (is_entered_otherwise (w, entry, end))
		return MONOCLE__IL_NONE;
	return w->places[entry].owns ? w->places[entry].point : owner_of (w, entry);
}

static bool
count_points (work *w)
{
	monocle__describe_coverage *out = w->out;
	for (uint32_t i = 0; i < out->plan.point_count; i++) {
		uint32_t at = w->at[i];
		if (w->places[at].point != i) {
			out->points[i].counter = out->points[w->places[at].point].counter;
			continue;
		}
		uint32_t owner = owner_of (w, at);
		if (owner == MONOCLE__IL_NONE)
			owner = owner_of_loop (w, at);
		w->places[at].owns = owner == MONOCLE__IL_NONE;
		out->points[i].counter = w->places[at].owns ? out->plan.counter_count : out->points[owner].counter;
		if (w->places[at].owns && !add_site (w, at, MONOCLE__IL_NONE, out->plan.counter_count++))
			return false;
	}
	return true;
}

/* --- arms --------------------------------------------------------------------------------------------------------- */

uint32_t
monocle__coverage_last_of_all (const work *w, uint32_t offset)
{
	uint32_t low = 0, high = w->all_count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		if (w->all[middle].il_offset <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? low - 1 : MONOCLE__IL_NONE;
}

/* The instruction of a visible point, MONOCLE__IL_NONE for another one and what a damaged file says. */
static uint32_t
visible_at (const work *w, uint32_t last)
{
	uint32_t at =
	    w->all[last].document ? monocle__coverage_instruction_at (w->body, w->all[last].il_offset) : MONOCLE__IL_NONE;
	return at == MONOCLE__IL_NONE ? at : monocle__il_first_prefix (w->body, at);
}

/*
 * A hidden point is where an async method prepares to give way, in the middle of what a person wrote; that goes on
 * after it, still hidden. Did it go on before `offset`?
 */
static bool
is_of_await (const work *w, uint32_t hidden, uint32_t offset)
{
	for (uint32_t i = 0; i < w->await_count; i++)
		if (w->awaits[i].resume <= offset && w->awaits[i].resume > w->awaits[i].yield &&
		    monocle__coverage_last_of_all (w, w->awaits[i].yield) == hidden)
			return true;
	return false;
}

/* Does a filter or a handler begin after `from` and not after `to`? */
static bool
handler_between (const work *w, uint32_t from, uint32_t to)
{
	for (uint32_t i = 0; i < w->body->clause_count; i++) {
		const monocle__il_clause *c = &w->body->clauses[i];
		uint32_t begin = c->flags == MONOCLE__IL_CLAUSE_FILTER ? c->filter_begin : c->handler_begin;
		if ((from < begin && begin <= to) || (from < c->handler_begin && c->handler_begin <= to))
			return true;
	}
	return false;
}

/* The next instruction from `i` on that is no `nop`; those that are not needed come from encoding others too long. */
static uint32_t
skip_nops (const monocle__il_body *body, uint32_t i)
{
	while (i < body->count && body->code[i].opcode == MONOCLE__IL_NOP)
		i++;
	return i;
}

/* Does another branch belong to the same point? Then a `switch` looks for its case there. */
static bool
branches_again (const work *w, uint32_t last, uint32_t branch)
{
	uint32_t end = last + 1 < w->all_count ? w->all[last + 1].il_offset : w->body->original_code_size;
	for (uint32_t i = branch + 1; i < w->body->count && w->body->code[i].offset < end; i++)
		if (monocle__coverage_is_conditional (w->body->code[i].opcode))
			return true;
	return false;
}

/*
 * Without optimisation a condition is stored, and a hidden point hides that it is loaded again to be branched on:
 * `stloc X; (hidden) ldloc X; brfalse`. Roslyn writes the number of a local from the 255th on two bytes too long, which
 * makes two `nop` of it.
 */
static bool
is_of_stored (const work *w, uint32_t hidden, uint32_t branch)
{
	const monocle__il_instruction *code = w->body->code;
	uint32_t at = monocle__coverage_instruction_at (w->body, w->all[hidden].il_offset), before = at;
	if (at == MONOCLE__IL_NONE || skip_nops (w->body, at + 1) != branch)
		return false;
	while (before && code[before - 1].opcode == MONOCLE__IL_NOP)
		before--;
	uint32_t local = monocle__coverage_loaded_local (&code[at]);
	return local != MONOCLE__IL_NONE && before && monocle__coverage_stored_local (&code[before - 1]) == local &&
	       !branches_again (w, hidden, branch);
}

/* The visible point that a branch belongs to, or MONOCLE__IL_NONE: a compiler's. */
static uint32_t
point_of_branch (const work *w, uint32_t branch)
{
	uint32_t offset = w->body->code[branch].offset, last = monocle__coverage_last_of_all (w, offset);
	while (last != MONOCLE__IL_NONE && last && !w->all[last].document &&
	       (is_of_await (w, last, offset) || is_of_stored (w, last, branch) ||
	        monocle__coverage_branch_is_of_joined (w, branch)))
		last--;
	uint32_t at = last == MONOCLE__IL_NONE || monocle__coverage_branch_is_of_compiler (w, branch)
	                ? MONOCLE__IL_NONE
	                : visible_at (w, last);
	return at == MONOCLE__IL_NONE || handler_between (w, at, branch) ? MONOCLE__IL_NONE : w->places[at].point;
}

/* The counter of the point that only this way leads to, or MONOCLE__IL_NONE. Callers lead to the first instruction. */
static uint32_t
shared_counter (const work *w, uint32_t branch, uint32_t path, uint32_t target)
{
	const place *p = &w->places[target];
	bool falls = path == 0;
	if (target == 0 || target >= w->body->count || p->point == MONOCLE__IL_NONE || !p->owns || p->is_border)
		return MONOCLE__IL_NONE;
	if (falls ? p->predecessor != 0 : p->predecessor != 1 || !ends_flow (w->body->code[target - 1].opcode))
		return MONOCLE__IL_NONE;
	return w->out->points[p->point].counter;
}

static MonocleCoverageArm *
new_arm (work *w)
{
	monocle__describe_coverage *out = w->out;
	if (out->plan.arm_count == w->arm_capacity) {
		uint32_t capacity = w->arm_capacity ? 2 * w->arm_capacity : 16;
		MonocleCoverageArm *arms = realloc (out->arms, capacity * sizeof *arms);
		if (!arms)
			return NULL;
		out->arms = arms;
		w->arm_capacity = capacity;
	}
	return &out->arms[out->plan.arm_count++];
}

/* The branch is at `at` for those who read: the last operand of a condition has no branch of its own. */
static bool
add_arm (work *w, uint32_t at, uint32_t branch, uint32_t path, uint32_t point, uint32_t counter)
{
	MonocleCoverageArm *arm = new_arm (w);
	uint32_t target = path ? monocle__il_jump_target (w->body, branch, path - 1) : branch + 1;
	if (!arm)
		return false;
	*arm = (MonocleCoverageArm) {
		.il_offset = w->body->code[at].offset,
		.target_offset = target < w->body->count ? w->body->code[target].offset : w->body->original_code_size,
		.point = point,
		.path = path,
		.counter = counter,
	};
	return true;
}

static bool
count_arm (work *w, uint32_t branch, uint32_t path, uint32_t point)
{
	monocle__describe_coverage *out = w->out;
	uint32_t target = path ? monocle__il_jump_target (w->body, branch, path - 1) : branch + 1;
	uint32_t counter = shared_counter (w, branch, path, target);
	if (counter == MONOCLE__IL_NONE) {
		counter = out->plan.counter_count++;
		if (!add_site (w, branch, path, counter))
			return false;
	}
	return add_arm (w, branch, branch, path, point, counter);
}

/* The ways of a branch on a stored condition are those of its last operand. */
static bool
count_operand (work *w, uint32_t operand, bool negated, uint32_t branch, uint32_t point)
{
	bool jumps_if_true = (w->body->code[branch].opcode == MONOCLE__IL_BRTRUE) != negated;
	for (uint32_t path = 0; path < 2; path++) {
		uint32_t counter = w->out->plan.counter_count++;
		bool is_true = jumps_if_true == (path == 1);
		if (!add_site (w, operand, is_true ? MONOCLE__COVERAGE_NONZERO : MONOCLE__COVERAGE_ZERO, counter) ||
		    !add_arm (w, operand, branch, path, point, counter))
			return false;
	}
	return true;
}

/* MONOCLE__IL_NONE: the branch is what it looks like. */
static uint32_t
operand_of (const work *w, uint32_t branch, bool *ret_negated)
{
	uint16_t opcode = w->body->code[branch].opcode;
	uint32_t last = monocle__coverage_last_of_all (w, w->body->code[branch].offset);
	if ((opcode != MONOCLE__IL_BRTRUE && opcode != MONOCLE__IL_BRFALSE) || last == MONOCLE__IL_NONE ||
	    w->all[last].document || !is_of_stored (w, last, branch))
		return MONOCLE__IL_NONE;
	uint32_t loaded = monocle__coverage_instruction_at (w->body, w->all[last].il_offset);
	return monocle__coverage_last_operand (w, loaded, ret_negated);
}

static bool
count_branch (work *w, uint32_t branch, uint32_t point)
{
	bool negated = false;
	uint32_t operand = operand_of (w, branch, &negated);
	if (operand != MONOCLE__IL_NONE)
		return count_operand (w, operand, negated, branch, point);
	for (uint32_t path = 0, count = monocle__il_jump_count (w->body, branch); path <= count; path++)
		if (!count_arm (w, branch, path, point))
			return false;
	return true;
}

/* A branch to the next instruction decides nothing. */
static bool
leads_elsewhere (const work *w, uint32_t branch)
{
	for (uint32_t j = 0, count = monocle__il_jump_count (w->body, branch); j < count; j++)
		if (monocle__il_jump_target (w->body, branch, j) != branch + 1)
			return true;
	return false;
}

static bool
count_arms (work *w)
{
	for (uint32_t i = 0; i < w->body->count; i++) {
		if (!monocle__coverage_is_conditional (w->body->code[i].opcode) || !leads_elsewhere (w, i))
			continue;
		uint32_t point = point_of_branch (w, i);
		if (point == MONOCLE__IL_NONE)
			continue;
		if (!count_branch (w, i, point))
			return false;
	}
	return true;
}

/* --- the plan ----------------------------------------------------------------------------------------------------- */

static int
compare_sites (const void *a, const void *b)
{
	const monocle__coverage_site *x = a, *y = b;
	if (x->instruction != y->instruction)
		return x->instruction < y->instruction ? -1 : 1;
	return x->path + 1 < y->path + 1 ? -1 : x->path + 1 > y->path + 1; /* a point, which is NONE, comes first */
}

static int
plan_body (work *w)
{
	monocle__describe_coverage *out = w->out;
	for (uint32_t i = 0; i <= w->body->count; i++)
		w->places[i].point = MONOCLE__IL_NONE;
	mark_clauses (w);
	mark_jumps (w);
	int error = 0;
	if (w->all)
		keep_points (w);
	else
		error = keep_offsets (w);
	if (error || !out->plan.point_count)
		return error ? error : MONOCLE__ECMA_E_RANGE;
	if ((w->all && !monocle__coverage_mark_beyond (w)) || !count_points (w) || !count_arms (w))
		return MONOCLE__IL_E_NO_MEMORY;
	qsort (out->sites, out->site_count, sizeof *out->sites, compare_sites);
	out->plan.points = out->points;
	out->plan.arms = out->arms;
	return 0;
}

/* A damaged file may go back: offsets that do are left out. */
static void
drop_descending (work *w)
{
	uint32_t kept = 0;
	for (uint32_t i = 0; i < w->all_count; i++)
		if (!kept || w->all[i].il_offset > w->all[kept - 1].il_offset)
			w->all[kept++] = w->all[i];
	w->all_count = kept;
}

/* Reads the points of the method, hidden ones too. */
static int
read_points (work *w, monocle__describe_source *source, uint32_t token)
{
	int count = monocle__describe_source_points (source, token, NULL, 0);
	if (count <= 0)
		return MONOCLE__ECMA_E_RANGE;
	w->all = calloc ((size_t) count, sizeof *w->all);
	int again = w->all ? monocle__describe_source_points (source, token, w->all, (uint32_t) count) : 0;
	w->all_count = again < 0 ? 0 : (uint32_t) (again < count ? again : count);
	drop_descending (w);
	return !w->all ? MONOCLE__IL_E_NO_MEMORY : again < 0 ? MONOCLE__ECMA_E_RANGE : 0;
}

static int
read_awaits (work *w, const monocle__describe_source *source, uint32_t token)
{
	uint32_t count = w->is_machine ? monocle__describe_source_awaits (source, token, NULL, 0) : 0;
	w->awaits = count ? calloc (count, sizeof *w->awaits) : NULL;
	if (w->awaits)
		w->await_count = monocle__describe_source_awaits (source, token, w->awaits, count);
	return !count || w->awaits ? 0 : MONOCLE__IL_E_NO_MEMORY;
}

static int
read_symbols (work *w, monocle__describe_source *source, MonoMethod *method)
{
	uint32_t token = monocle_method_token (method);
	w->out->plan.kickoff = monocle__describe_source_kickoff (source, token);
	w->is_machine = w->out->plan.kickoff || monocle__coverage_branch_is_machine (method);
	int error = read_points (w, source, token);
	return error ? error : read_awaits (w, source, token);
}

static int
allocate (work *w)
{
	size_t capacity = w->all ? w->all_count : w->body->count;
	w->out->points = calloc (capacity + 1, sizeof *w->out->points);
	w->at = calloc (capacity + 1, sizeof *w->at);
	w->places = calloc ((size_t) w->body->count + 1, sizeof *w->places);
	return w->out->points && w->at && w->places ? 0 : MONOCLE__IL_E_NO_MEMORY;
}

int
monocle__describe_coverage_plan (monocle__describe_image *image, MonoMethod *method, const monocle__il_body *body,
                                 MonocleCoverageMode mode, monocle__describe_coverage *ret)
{
	monocle__describe_source *source = monocle__describe_source_of (image);
	work w = { .image = image, .body = body, .hits = mode == MONOCLE_COVERAGE_HITS, .out = ret };
	*ret = (monocle__describe_coverage) { .plan.method = method };
	if (!source)
		return MONOCLE__IL_E_NO_MEMORY;
	int error = monocle__describe_source_is_there (source) ? read_symbols (&w, source, method) : 0;
	if (!error)
		error = allocate (&w);
	if (!error)
		error = plan_body (&w);
	free (w.all);
	free (w.at);
	free (w.awaits);
	free (w.places);
	if (error)
		monocle__describe_coverage_free (ret);
	return error;
}

void
monocle__describe_coverage_free (monocle__describe_coverage *coverage)
{
	free (coverage->points);
	free (coverage->arms);
	free (coverage->sites);
	*coverage = (monocle__describe_coverage) { 0 };
}

/* --- the operation ------------------------------------------------------------------------------------------------ */

static int
coverage_plan (void *host, MonoMethod *method, MonocleCoverageMode mode,
               void (*show) (void *data, const MonocleCoveragePlan *plan), void *data)
{
	monocle__describe_image *image = monocle__describe_image_of (monocle_method_image (method));
	monocle__describe_coverage coverage;
	monocle__il_body body = { 0 };
	size_t size;
	const uint8_t *bytes = monocle__describe_body_bytes (image, method, &size);
	if (!bytes)
		return MONOCLE_E_INVALID;
	if (monocle__il_read (&body, bytes, size, NULL))
		return MONOCLE_E_UNKNOWN;
	int error = monocle__describe_coverage_plan (image, method, &body, mode, &coverage);
	if (!error) {
		show (data, &coverage.plan);
		monocle__describe_coverage_free (&coverage);
	}
	monocle__il_free (&body);
	return error ? MONOCLE_E_UNKNOWN : MONOCLE_OK;
}

void
monocle__describe_coverage_ops (monocle_host_ops *ops)
{
	ops->coverage_plan = coverage_plan;
}
