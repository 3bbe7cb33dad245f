/*
 * SPDX-License-Identifier: MIT
 *
 * counter-probe.c - see counter-probe.h.
 *
 *   hits:        ldc ADDRESS; conv.u; ldc.i4.1; stind.i1
 *   executions:  ldc ADDRESS; conv.u; dup; ldind.i4; ldc.i4.1; add; stind.i4
 *   point:       in front of its first instruction: whoever comes there counts
 *   arms:        after the branch: {fall through: counter; br past}  {jump: counter; br where it went}*, and the branch
 *                jumps to these
 *
 *   values:      dup; brtrue past the first: {zero: counter; br past} {else: counter}
 *
 * No call, no object, no safe point: a probe may stand anywhere in any method, and a method with probes is compiled,
 * inlined and put on a stack replacement as any other. Addresses below 2 GiB make shorter IL and shorter code.
 */
#include "counter-probe.h"

#include <stdlib.h>
#include "images/image.h"

enum { PROBE_MAX = 8 };

static uint32_t
write_counter (const struct monocle__counting *c, uint32_t counter, monocle__il_instruction *out)
{
	uintptr_t at = c->at + (uintptr_t) counter * (uintptr_t) c->mode;
	uint32_t n = 0;
	out[n++] = monocle__il_op (at <= INT32_MAX ? MONOCLE__IL_LDC_I4 : MONOCLE__IL_LDC_I8, (int64_t) at);
	out[n++] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
	if (c->mode == MONOCLE_COVERAGE_COUNTS) {
		out[n++] = monocle__il_op (MONOCLE__IL_DUP, 0);
		out[n++] = monocle__il_op (MONOCLE__IL_LDIND_I4, 0);
	}
	out[n++] = monocle__il_op (MONOCLE__IL_LDC_I4_1, 0);
	if (c->mode == MONOCLE_COVERAGE_COUNTS)
		out[n++] = monocle__il_op (MONOCLE__IL_ADD, 0);
	out[n++] = monocle__il_op (c->mode == MONOCLE_COVERAGE_HITS ? MONOCLE__IL_STIND_I1 : MONOCLE__IL_STIND_I4, 0);
	return n;
}

static monocle__il_instruction
jump_to (uint32_t target)
{
	monocle__il_instruction jump = monocle__il_op (MONOCLE__IL_BR, 0);
	jump.operand.target = target;
	return jump;
}

static int
insert_point (const struct monocle__counting *c, monocle__il_edit *edit, const monocle__coverage_site *site)
{
	monocle__il_instruction code[PROBE_MAX];
	uint32_t n = write_counter (c, site->counter, code);
	return monocle__il_insert (edit, site->instruction, MONOCLE__IL_JUMPS_HIT, code, n);
}

/* The sites of one branch: `count` of them, ascending by path. */
static int
insert_arms (const monocle__rewriting *job, monocle__il_edit *edit, const monocle__coverage_site *sites, uint32_t count)
{
	const struct monocle__counting *c = job->counting;
	uint32_t n = 0, branch = sites->instruction, *begins = calloc (count, sizeof *begins);
	monocle__il_instruction *code = calloc ((size_t) count + 1, (PROBE_MAX + 1) * sizeof *code);
	int result = code && begins ? 0 : MONOCLE__IL_E_NO_MEMORY;
	if (!result && sites->path == 0)
		n = write_counter (c, sites->counter, code);
	uint32_t past = n++;
	for (uint32_t i = sites->path == 0; !result && i < count; i++) {
		begins[i] = n;
		n += write_counter (c, sites[i].counter, code + n);
		code[n++] = jump_to (monocle__il_jump_target (&job->body, branch, sites[i].path - 1));
	}
	if (!result) {
		code[past] = jump_to (MONOCLE__IL_INSERTED (n));
		result = monocle__il_insert (edit, branch + 1, MONOCLE__IL_JUMPS_SKIP, code, n);
	}
	for (uint32_t i = sites->path == 0; !result && i < count; i++)
		result = monocle__il_redirect (edit, branch, sites[i].path - 1, begins[i]);
	free (code);
	free (begins);
	return result;
}

/* In front of what takes the value from the stack: {zero: counter}, {else: counter}. */
static int
insert_value (const struct monocle__counting *c, monocle__il_edit *edit, const monocle__coverage_site *zero)
{
	monocle__il_instruction code[2 * PROBE_MAX + 3];
	uint32_t n = 2;
	code[0] = monocle__il_op (MONOCLE__IL_DUP, 0);
	code[1] = monocle__il_op (MONOCLE__IL_BRTRUE, 0);
	n += write_counter (c, zero->counter, code + n);
	uint32_t past = n++;
	code[1].operand.target = MONOCLE__IL_INSERTED (n);
	n += write_counter (c, zero[1].counter, code + n);
	code[past] = jump_to (MONOCLE__IL_INSERTED (n));
	return monocle__il_insert (edit, zero->instruction, MONOCLE__IL_JUMPS_HIT, code, n);
}

int
monocle__counter_probe_insert (monocle__rewriting *job, monocle__il_edit *edit)
{
	const monocle__describe_coverage *coverage = &job->counting->coverage;
	int result = 0;
	for (uint32_t i = 0, next; !result && i < coverage->site_count; i = next) {
		const monocle__coverage_site *site = &coverage->sites[i];
		next = i + 1;
		if (site->path == MONOCLE__IL_NONE) {
			result = insert_point (job->counting, edit, site);
			continue;
		}
		while (next < coverage->site_count && coverage->sites[next].instruction == site->instruction)
			next++;
		if (site->path == MONOCLE__COVERAGE_ZERO)
			result = insert_value (job->counting, edit, site);
		else
			result = insert_arms (job, edit, site, next - i);
	}
	return result;
}

/* --- planning ----------------------------------------------------------------------------------------------------- */

/* Symbols tell of the body that the image has: one that another tool has written has other offsets. */
static bool
is_of_image (const monocle__rewriting *job, const uint8_t *data)
{
	size_t size;
	return monocle__ecma_rva (&job->image->cli.ecma, job->row.rva, &size) == data;
}

bool
monocle__counter_probe_plan (monocle__rewriting *job, const uint8_t *data)
{
	MonoMethod *method = monocle_method_def (job->image->cli.record, job->token);
	struct monocle__counting *c = calloc (1, sizeof *c);
	job->counting = NULL;
	if (!c || !method || !is_of_image (job, data)) {
		free (c);
		return false;
	}
	c->mode = monocle_coverage_mode ();
	int error = monocle__describe_coverage_plan (&job->image->cli, method, &job->body, c->mode, &c->coverage);
	if (!error)
		c->at = (uintptr_t) monocle_coverage_counters (&c->coverage.plan);
	if (!error && c->at) {
		job->counting = c;
		return true;
	}
	if (!error)
		monocle__describe_coverage_free (&c->coverage);
	free (c);
	return error != MONOCLE__IL_E_NO_MEMORY;
}

void
monocle__counter_probe_end (monocle__rewriting *job)
{
	if (job->counting)
		monocle__describe_coverage_free (&job->counting->coverage);
	free (job->counting);
	job->counting = NULL;
}
