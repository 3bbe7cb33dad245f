/*
 * SPDX-License-Identifier: MIT
 *
 * try-fault.c - exceptional exits without a shadow stack: the whole body is in a try, and a fault block announces
 * them.
 *
 *     enter probe; try { body, each ret a leave } fault { fault probe }; leave probe; ret
 *
 * Slower, never inlined, and correct by construction: with MONOCLE_CLR_TRY_FAULT in the environment tests compare the
 * two ways. Generic methods go by their definition here.
 */
#include "try-fault.h"
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "fence.h"
#include "invariant.h"
#include "probe.h"
#include "rewrite.h"
#include "runtime-async.h"
#include "tokens.h"

typedef monocle__rewriting job;

bool
monocle__try_fault_suits (const job *j)
{
	for (uint32_t i = 0; i < j->body.count; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_TAIL || j->body.code[i].opcode == MONOCLE__IL_JMP)
			return false;
	return true;
}

/* entry probe and, where there is a result, `stloc` before each ret. *ret_begin: where the try region starts. */
static int
insert_entry (job *j, uint32_t local, uint32_t *ret_begin)
{
	uint32_t before = j->body.count, rets = 0;
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	monocle__il_instruction store = monocle__il_op (MONOCLE__IL_STLOC, local);
	int result = edit ? monocle__rewrite_enter (j, edit) : MONOCLE_E_NO_MEMORY;
	for (uint32_t i = 0; i < before && local != MONOCLE__IL_NONE && result == 0; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_RET) {
			result = monocle__il_insert (edit, i, MONOCLE__IL_JUMPS_HIT, &store, 1);
			rets++;
		}
	if (result == 0)
		result = monocle__il_edit_apply (edit);
	else if (edit)
		monocle__il_edit_free (edit);
	*ret_begin = j->body.count - before - rets; /* after the entry probe */
	return result;
}

static int
insert_exit (job *j, uint32_t local)
{
	monocle__il_instruction code[2 * MONOCLE__PROBE_MAX];
	uint32_t n = 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	n += monocle__rewrite_call (code + n, monocle__probe_fault (), monocle__tokens_calli (j->image, 0));
	code[n++] = monocle__il_op (MONOCLE__IL_ENDFINALLY, 0);
	uint32_t end = j->body.count + n;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	n += monocle__rewrite_call (code + n, monocle__probe_leave (j->flags, false), monocle__tokens_calli (j->image, 0));
	if (local != MONOCLE__IL_NONE)
		code[n++] = monocle__il_op (MONOCLE__IL_LDLOC, local);
	if (j->to_native)
		n += monocle__fence_write (code + n, n);
	code[n++] = monocle__il_op (MONOCLE__IL_RET, 0);
	MONOCLE__INVARIANT (n <= 2 * MONOCLE__PROBE_MAX && end < j->body.count + n);
	uint32_t handler = j->body.count;
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	int result = edit ? monocle__il_insert (edit, handler, MONOCLE__IL_JUMPS_SKIP, code, n) : MONOCLE_E_NO_MEMORY;
	result = result == 0 ? monocle__il_edit_apply (edit) : result;
	for (uint32_t i = 0; i < handler && result == 0; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_RET) {
			j->body.code[i].opcode = MONOCLE__IL_LEAVE;
			j->body.code[i].operand.target = end;
		}
	return result;
}

int
monocle__try_fault_insert (job *j)
{
	const uint8_t *type;
	uint32_t size, local = MONOCLE__IL_NONE, begin;
	j->flags =
	    (j->flags | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE) & ~MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
	if (monocle__runtime_async_result (&j->image->cli.ecma, &j->row, &type, &size) &&
	    (local = monocle__tokens_add_locals (j, type, size, 1)) == MONOCLE__IL_NONE)
		return MONOCLE_E_INVALID;
	int result = insert_entry (j, local, &begin);
	uint32_t handler = j->body.count;
	if (result == 0)
		result = insert_exit (j, local);
	if (result)
		return result;
	uint32_t handler_end = handler + 5;
	return monocle__il_add_clause (&j->body, &(monocle__il_clause) { 4, begin, handler, handler, handler_end, 0, 0 });
}
