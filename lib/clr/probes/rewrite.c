/*
 * SPDX-License-Identifier: MIT
 *
 * rewrite.c - call probes as IL.
 *
 *   entry:        ldc.i8 METHOD; ldc.i8 enter; conv.i; calli void (int64)   in front of the first instruction; jumps to
 *                                                                           it do not run the probe again
 *   each ret:     ldc.i8 METHOD; ldc.i8 leave; conv.i; calli void (int64)   in front; the result stays on the stack
 *   tail. call:   ldc.i8 METHOD; ldc.i8 TARGET; ldc.i8 tail; conv.i; calli  in front of the prefix, arguments stay; the
 *                                                                           prefix too, or deep recursion dies
 *   invoked:      ldc.i8 METHOD; ldc.i8 FLAGS; conv.i; ldc.i8 begin; conv.i; calli   instead of enter and leave, which
 *                                                                           they include; reflection: ldarga 0; conv.u
 *   generic:      ldc.i8 GENERIC; {ldtoken T; call RuntimeTypeHandle.ToIntPtr}*; ldc.i8 enter; conv.i; calli
 *
 *   clauses:      see clause-probe.c
 *   coverage:     see counter-probe.c
 *   called by native code, each ret: see fence.c
 *   only one module listens:  ldc.i8 PROF; ldc.i8 METHOD; conv.i; ldc.i4.0; conv.i; ldc.i8 CELL; conv.i; ldind.i; calli
 *                                                         in a plain method without exceptional exits: see direct.c
 *   suspended by the runtime: see segment.c
 *   may be edited while it runs: see gate.c
 *   in a method with a loop that has floating-point values, probes are passed more: see spill.c; for call contexts,
 *   the values of the call: see capture.c
 *
 * The stand-alone signature is unmanaged and carries modopt(CallConvSuppressGCTransition): no stub, no transition. One
 * body serves all instances of a generic method, so its probes pass the type handles of the instance that runs.
 */
#include "rewrite.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/debug-helpers.h>
#include <monocle/host.h>
#include "capture.h"
#include "clause-probe.h"
#include "counter-probe.h"
#include "direct.h"
#include "fence.h"
#include "gate.h"
#include "images/corlib-name.h"
#include "images/editable.h"
#include "images/emitted.h"
#include "images/image.h"
#include "invariant.h"
#include "invoke.h"
#include "probe.h"
#include "probing.h"
#include "segment.h"
#include "spill.h"
#include "state.h"
#include "tokens.h"
#include "try-fault.h"

typedef monocle__rewriting job;

/* --- which instance runs ------------------------------------------------------------------------------------------ */

static bool
collect_keys (job *j)
{
	if (j->class_params) {
		j->key_tokens[j->key_count] = monocle__tokens_own_class (j->image, j->owner, j->class_params);
		if (!j->key_tokens[j->key_count++])
			return false;
	}
	for (uint32_t i = 0; i < j->method_params; i++) {
		uint8_t blob[] = { MONOCLE__ET_MVAR, (uint8_t) i };
		j->key_tokens[j->key_count] = monocle__tokens_type_spec (j->image, blob, sizeof blob);
		if (!j->key_tokens[j->key_count++])
			return false;
	}
	return monocle__tokens_to_int_ptr (j->image) != 0;
}

/* Counters alone name nothing. */
static bool
calls_functions (const job *j)
{
	return j->flags || j->invoke || j->clauses || j->to_native || j->part;
}

/* With more keys than a probe can pass in registers the method goes by its definition, as doc/differences.md says. */
static bool
identify (job *j)
{
	MonoMethod *method = monocle_method_def (j->image->cli.record, j->token);
	uint32_t keys = (j->class_params != 0) + j->method_params;
	j->record = (int64_t) (uintptr_t) method;
	bool is_part_alone = j->part && !j->flags;
	if (!keys || keys > MONOCLE__KEYS_MAX || monocle__clr_state.try_fault || is_part_alone || j->gated ||
	    !calls_functions (j))
		return method != NULL;
	monocle__clr_generic *generic = calloc (1, sizeof *generic);
	if (!generic || !method || !collect_keys (j)) {
		free (generic);
		return false;
	}
	generic->definition = method;
	generic->key_count = keys;
	generic->class_key = j->class_params != 0;
	j->generic = true;
	j->record = (int64_t) (uintptr_t) generic;
	return true;
}

/* --- the instructions --------------------------------------------------------------------------------------------- */

uint32_t
monocle__rewrite_keys (const job *j, monocle__il_instruction *out)
{
	uint32_t n = 0;
	MONOCLE__INVARIANT (j->key_count <= MONOCLE__KEYS_MAX && (!j->generic || j->key_count));
	for (uint32_t i = 0; j->generic && i < j->key_count; i++) {
		out[n++] = monocle__il_op (MONOCLE__IL_LDTOKEN, j->key_tokens[i]);
		out[n++] = monocle__il_op (MONOCLE__IL_CALL, j->image->to_int_ptr_token);
	}
	return n;
}

uint32_t
monocle__rewrite_call (monocle__il_instruction *out, monocle__probe function, uint32_t signature)
{
	out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) function);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	out[2] = monocle__il_op (MONOCLE__IL_CALLI, signature);
	return 3;
}

/* Where an event is raised: by a probe of ours, or by the function in a cell (direct.h). */
typedef struct {
	monocle__probe function;
	void *const *cell;
} target;

static target
target_of_enter (const job *j)
{
	if (j->invoke)
		return (target) { monocle__probe_begin_invoke (j->invoke, j->generic), NULL };
	return (target) { monocle__probe_enter (j->flags, j->generic), j->direct.enter };
}

static target
target_of_leave (const job *j)
{
	return (target) { monocle__probe_leave (j->flags, j->generic), j->direct.leave };
}

/* The function in a cell takes what a callback does: whose it is, the method, and no context. */
static uint32_t
push_record (const job *j, target to, monocle__il_instruction *out)
{
	if (!to.cell) {
		out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
		return 1;
	}
	out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) j->direct.prof);
	out[1] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	out[2] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	out[3] = monocle__il_op (MONOCLE__IL_LDC_I4_0, 0);
	out[4] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	return 5;
}

/* `arguments`: how many come after the record. */
static uint32_t
write_call (const job *j, target to, uint32_t arguments, monocle__il_instruction *out)
{
	uint32_t signature = monocle__tokens_calli (j->image, arguments + (to.cell ? 2 : 0));
	if (!to.cell)
		return monocle__rewrite_call (out, to.function, signature);
	out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) to.cell);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	out[2] = monocle__il_op (MONOCLE__IL_LDIND_I, 0);
	out[3] = monocle__il_op (MONOCLE__IL_CALLI, signature);
	return 4;
}

/* Only a method that needs no entry on the shadow stack can do without our own functions. */
static void
plan_direct (job *j)
{
	if (monocle__clr_state.late || j->generic || j->invoke ||
	    j->flags & MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE)
		return;
	if (j->flags & MONO_PROFILER_CALL_INSTRUMENTATION_ENTER)
		monocle__direct_cell (MONOCLE_EVENT_method_enter, &j->direct.prof, &j->direct.enter);
	if (j->flags & MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE)
		monocle__direct_cell (MONOCLE_EVENT_method_leave, &j->direct.prof, &j->direct.leave);
}

static uint32_t
arguments_of_enter (const job *j)
{
	return (j->generic ? j->key_count : 0) + (j->invoke ? 1 : 0) + monocle__spill_enter_count (j);
}

/* Does control run from the first instruction straight into a throw? */
static bool
begins_with_throw (const monocle__il_body *body)
{
	for (uint32_t i = 0; i < body->count; i++) {
		uint16_t opcode = body->code[i].opcode;
		if (opcode == MONOCLE__IL_THROW)
			return true;
		if (opcode == MONOCLE__IL_RET || opcode == MONOCLE__IL_SWITCH || monocle__il_is_branch (opcode))
			return false;
	}
	return false;
}

/*
 * The compiler takes a block with a throw for rare, and in rare blocks it calls native code through a stub with a frame
 * of its own. A branch to the next instruction ends the probe's block before that.
 */
uint32_t
monocle__rewrite_end_block (const job *j, monocle__il_instruction *out)
{
	if (!begins_with_throw (&j->body))
		return 0;
	out[0] = monocle__il_op (MONOCLE__IL_BR, 0);
	out[0].operand.target = 0;
	return 1;
}

/* What an invoked method passes last: where `this` of one that reflects is, else what filters ask of it. */
static uint32_t
push_last (const job *j, MonoProfilerCallInstrumentationFlags flags, bool begins, monocle__il_instruction *out)
{
	if (begins && j->invoke == MONOCLE__REFLECTS) {
		out[0] = monocle__il_op (MONOCLE__IL_LDARGA, 0);
		out[1] = monocle__il_op (MONOCLE__IL_CONV_U, 0);
		return 2;
	}
	out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, flags);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	return 2;
}

int
monocle__rewrite_enter (job *j, monocle__il_edit *edit)
{
	target to = target_of_enter (j);
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	uint32_t n = 0;
	if (j->gated)
		return monocle__gate_insert (j, edit, 0, MONOCLE__GATE_ENTER, NULL);
	if (monocle__capture_enters (j))
		return monocle__capture_insert_enter (j, edit);
	if (!to.function)
		return 0;
	n += monocle__spill_before_enter (j, code);
	n += push_record (j, to, code + n);
	n += monocle__rewrite_keys (j, code + n);
	if (j->invoke)
		n += push_last (j, j->flags, true, code + n);
	n += monocle__spill_enter_addresses (j, code + n);
	n += write_call (j, to, arguments_of_enter (j), code + n);
	n += monocle__spill_after_enter (j, n, code + n);
	n += monocle__rewrite_end_block (j, code + n);
	MONOCLE__INVARIANT (n <= MONOCLE__PROBE_MAX);
	return monocle__il_insert (edit, 0, MONOCLE__IL_JUMPS_SKIP, code, n);
}

static int
insert_end (job *j, monocle__il_edit *edit, uint32_t at, MonoProfilerCallInstrumentationFlags flags)
{
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	code[0] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	uint32_t n = 1 + push_last (j, flags, false, code + 1);
	n += monocle__rewrite_call (code + n, monocle__probe_end_invoke (j->generic), monocle__tokens_calli (j->image, 1));
	return monocle__il_insert (edit, at, MONOCLE__IL_JUMPS_HIT, code, n);
}

static int
insert_leave (job *j, monocle__il_edit *edit, uint32_t at)
{
	if (j->gated)
		return monocle__gate_insert (j, edit, at, MONOCLE__GATE_LEAVE, NULL);
	if (monocle__capture_leaves (j))
		return monocle__capture_insert_leave (j, edit, at);
	if (j->invoke)
		return insert_end (j, edit, at, j->flags);
	target to = target_of_leave (j);
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	if (!to.function)
		return 0;
	uint32_t n = 0;
	if (monocle__spill_has_result (j))
		code[n++] = monocle__il_op (MONOCLE__IL_STLOC, j->spills.result.local);
	n += push_record (j, to, code + n);
	n += monocle__spill_result_address (j, code + n);
	n += write_call (j, to, j->spills.result_in_memory, code + n);
	n += monocle__spill_load_result (j, code + n);
	MONOCLE__INVARIANT (n <= MONOCLE__PROBE_MAX);
	return monocle__il_insert (edit, at, MONOCLE__IL_JUMPS_HIT, code, n);
}

/*
 * The callee as a record where its token names a definition of this image; NULL for calli and other images, as Mono's
 * calli.
 */
static int64_t
tail_target (job *j, const monocle__il_instruction *call)
{
	uint32_t token = (uint32_t) call->operand.i;
	if (call->opcode == MONOCLE__IL_CALLI || token >> 24 != 0x06)
		return 0;
	return (int64_t) (uintptr_t) monocle_method_def (j->image->cli.record, token);
}

static int
insert_tail (job *j, monocle__il_edit *edit, uint32_t at, const monocle__il_instruction *call)
{
	monocle__probe function = monocle__probe_tail (j->flags, j->generic);
	monocle__il_instruction code[MONOCLE__PROBE_MAX];
	if (j->gated)
		return monocle__gate_insert (j, edit, at, MONOCLE__GATE_TAIL, (MonoMethod *) (uintptr_t) tail_target (j, call));
	if (j->invoke) /* none of them has a tail call worth telling */
		return insert_end (j, edit, at, j->flags & ~MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE);
	if (!function)
		return 0;
	code[0] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	code[1] = monocle__il_op (MONOCLE__IL_LDC_I8, tail_target (j, call));
	code[2] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	uint32_t n = 3 + monocle__rewrite_call (code + 3, function, monocle__tokens_calli (j->image, 1));
	return monocle__il_insert (edit, at, MONOCLE__IL_JUMPS_HIT, code, n);
}

/* `tail.` before instruction i: the call it belongs to, else NULL. Other prefixes may come between. */
static const monocle__il_instruction *
tail_call_at (const monocle__il_body *body, uint32_t i)
{
	if (body->code[i].opcode != MONOCLE__IL_TAIL)
		return NULL;
	while (i < body->count && monocle__il_is_prefix (body->code[i].opcode))
		i++;
	return i < body->count ? &body->code[i] : NULL;
}

static int
insert_exits (job *j, monocle__il_edit *edit)
{
	const monocle__il_body *body = &j->body;
	int result = 0;
	bool after_tail_call = false;
	for (uint32_t i = 0; i < body->count && result == 0; i++) {
		const monocle__il_instruction *tail_call = tail_call_at (body, i);
		uint16_t opcode = body->code[i].opcode;
		if (tail_call) {
			uint32_t first = monocle__il_first_prefix (body, i);
			result = insert_tail (j, edit, first, tail_call);
			i = (uint32_t) (tail_call - body->code);
			after_tail_call = true;
			continue;
		}
		if (opcode == MONOCLE__IL_JMP)
			result = insert_tail (j, edit, i, &body->code[i]);
		else if (opcode == MONOCLE__IL_RET && !after_tail_call)
			result = insert_leave (j, edit, i);
		after_tail_call = false;
	}
	return result;
}

static int
insert_gate (job *j)
{
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	int result = edit ? monocle__gate_insert_own (j, edit) : MONOCLE_E_NO_MEMORY;
	if (!result)
		return monocle__il_edit_apply (edit);
	monocle__il_edit_free (edit);
	return result;
}

static int
insert_probes (job *j)
{
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	if (!edit)
		return MONOCLE_E_NO_MEMORY;
	int result = j->counting ? monocle__counter_probe_insert (j, edit) : 0;
	if (result == 0)
		result = monocle__segment_insert_part (j, edit, true);
	if (result == 0)
		result = j->segments ? monocle__segment_insert (j, edit) : monocle__rewrite_enter (j, edit);
	if (result == 0 && j->clauses)
		result = monocle__clause_probe_insert (j, edit);
	if (result == 0 && !j->segments)
		result = insert_exits (j, edit);
	if (result == 0)
		result = monocle__segment_insert_part (j, edit, false);
	if (result == 0 && j->to_native)
		result = monocle__fence_insert (j, edit);
	if (result) {
		monocle__il_edit_free (edit);
		return result;
	}
	result = monocle__il_edit_apply (edit);
	return result || !j->segments ? result : monocle__segment_add_faults (j);
}

/* --- handing the body over ---------------------------------------------------------------------------------------- */

static void *
allocate_body (void *context, size_t size)
{
	return malloc (size);
}

static COR_IL_MAP *
new_line_map (const monocle__il_map *map, uint32_t count)
{
	COR_IL_MAP *entries = count ? malloc (count * sizeof *entries) : NULL;
	for (uint32_t i = 0; entries && i < count; i++)
		entries[i] = (COR_IL_MAP) { map[i].old_offset, map[i].new_offset, 1 };
	return entries;
}

/* The runtime takes the array over and frees it with free (3). */
static void
set_line_map (FunctionID function, const monocle__il_map *map, uint32_t count)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	COR_IL_MAP *entries = function ? new_line_map (map, count) : NULL;
	if (!entries)
		return;
	HRESULT hr = info->vtbl->SetILInstrumentedCodeMap (info, function, 1, count, entries);
	if (hr < 0) {
		monocle__clr_complain_hr ("SetILInstrumentedCodeMap", hr);
		free (entries);
	}
}

/* The runtime copies the body, and the map. */
static bool
give_further (ICorProfilerFunctionControl *control, const uint8_t *data, size_t size, const monocle__il_map *map,
              uint32_t count)
{
	COR_IL_MAP *entries = new_line_map (map, count);
	HRESULT hr = control->vtbl->SetILFunctionBody (control, (ULONG) size, data);
	if (hr >= 0 && entries)
		hr = control->vtbl->SetILInstrumentedCodeMap (control, count, entries);
	free (entries);
	if (hr < 0)
		monocle__clr_complain_hr ("ICorProfilerFunctionControl::SetILFunctionBody", hr);
	return hr >= 0;
}

/*
 * The runtime reads the body as long as the image lives, and never frees it. Nothing keeps an edit from coming between
 * the last look and the call; so the look is the last thing before it.
 */
static bool
give_first (job *j, FunctionID function, uint8_t *data, const monocle__il_map *map, uint32_t count)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	size_t size;
	j->raced = j->gated && monocle__editable_body (j->image, j->token, &size) != j->replaces;
	HRESULT hr = j->raced ? S_FALSE : info->vtbl->SetILFunctionBody (info, j->image->id, j->token, data);
	if (hr < 0)
		monocle__clr_complain_hr ("SetILFunctionBody", hr);
	if (hr != S_OK) {
		free (data);
		return false;
	}
	if (j->gated)
		monocle__editable_note (j->image, j->token, data, j->replaces);
	monocle__clr_image_own (j->image, data, free);
	set_line_map (function, map, count);
	return true;
}

static bool
hand_over (job *j, FunctionID function)
{
	uint8_t *data = NULL;
	size_t size = 0;
	monocle__il_map *map = NULL;
	uint32_t count = 0;
	/*
	 * A probe adds to what is on the stack at its place: nothing, a result, the arguments of a call. A body that claims
	 * all that a header can say does not fill it there.
	 */
	uint32_t depth = j->body.max_stack + (j->clauses ? 6 : 5) + j->key_count + monocle__spill_enter_count (j) +
	                 monocle__capture_depth (j);
	j->body.max_stack = depth < UINT16_MAX ? depth : UINT16_MAX;
	if (monocle__il_write (&j->body, false, allocate_body, NULL, &data, &size, &map, &count))
		return false;
	bool done =
	    j->further ? give_further (j->further, data, size, map, count) : give_first (j, function, data, map, count);
	if (j->further)
		free (data);
	free (map);
	return done;
}

static bool
find_row (job *j)
{
	const monocle__ecma_image *image = &j->image->cli.ecma;
	if (monocle__ecma_get_methoddef (image, j->token, &j->row))
		return false;
	j->owner = monocle__ecma_method_owner (image, j->token);
	j->class_params = monocle__ecma_generic_params (image, j->owner);
	j->method_params = monocle__ecma_generic_params (image, j->token);
	if (monocle__ecma_blob (image, j->row.signature, &j->signature, &j->signature_size))
		j->signature = NULL;
	j->to_native = monocle__fence_is_needed (j->image, j->token);
	return true;
}

static bool
find_emitted_row (job *j)
{
	monocle__emitted_facts facts;
	if (!monocle__emitted_method_facts (j->image, j->token, &facts))
		return false;
	j->row = (monocle__ecma_methoddef) { .name = "", .iflags = (uint16_t) facts.iflags };
	j->owner = facts.owner;
	j->class_params = facts.class_params;
	j->method_params = facts.method_params;
	j->signature = facts.signature;
	j->signature_size = facts.signature_size;
	j->to_native = facts.is_called_by_native;
	return true;
}

/*
 * The body as the runtime has it now: another profiler may have written it. Where it has ours, the image's own, which
 * an image that is being written does not keep. False: nothing to put probes into.
 */
static bool
find_body (job *j, bool is_ours, const uint8_t **ret_data, size_t *ret_size)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ULONG size = 0;
	if (!(j->is_runtimes ? find_emitted_row (j) : find_row (j)) || (is_ours && j->is_runtimes))
		return false;
	if (is_ours)
		return (*ret_data = monocle__ecma_rva (&j->image->cli.ecma, j->row.rva, ret_size)) != NULL;
	bool found = info->vtbl->GetILFunctionBody (info, j->image->id, j->token, ret_data, &size) >= 0 && *ret_data;
	*ret_size = size;
	return found;
}

/*
 * Methods of corlib that our own callbacks and probes run inside of. The collector's poll after each probe is managed
 * code on .NET 9 and later: a probe in it would poll again, until the stack ends. So are the look-ups of generic
 * arguments, and the second pass of exceptions, which is above the frames that it unwinds. Where these have other names
 * it may be any method.
 */
static bool
is_ours (const job *j)
{
	if (!j->image->cli.is_corlib)
		return false;
	bool is_wanted = j->flags || j->invoke;
	return !(is_wanted ? monocle__corlib_name_serves (MONOCLE__PRIVATE_GROUND)
	                   : monocle__corlib_name_has (MONOCLE__PRIVATE_GROUND)) ||
	       monocle__corlib_name_of (&j->image->cli.ecma, j->token, MONOCLE__PRIVATE_GROUND) != MONOCLE__NAMES;
}

static bool
has_tokens (const job *j)
{
	uint32_t keys = j->generic ? j->key_count : 0;
	return monocle__tokens_calli (j->image, 0) && monocle__tokens_calli (j->image, 1) &&
	       monocle__tokens_calli (j->image, keys) && monocle__tokens_calli (j->image, keys + 2) &&
	       monocle__tokens_calli (j->image, arguments_of_enter (j)) &&
	       ((!j->direct.enter && !j->direct.leave) ||
	        (monocle__tokens_calli (j->image, 2 + arguments_of_enter (j)) &&
	         monocle__tokens_calli (j->image, 2 + j->spills.result_in_memory)));
}

static int
write_probes (job *j)
{
	if (j->gated || !calls_functions (j))
		return insert_probes (j);
	bool by_try_fault = monocle__clr_state.try_fault && !j->invoke && !j->segments && !j->part && !j->counting &&
	                    !j->image->is_emitted && monocle__try_fault_suits (j);
	if (!by_try_fault && !monocle__capture_plan (j) && !j->segments)
		monocle__spill_plan (j);
	if (!by_try_fault && !j->segments && !j->part)
		plan_direct (j);
	if (!has_tokens (j) || (j->segments && !monocle__segment_has_tokens (j)))
		return MONOCLE_E_INVALID;
	return by_try_fault ? monocle__try_fault_insert (j) : insert_probes (j);
}

/* A method that is wanted and gets no probes is missing from the profile: the first is named, all are counted. */
static int
refuse (job *j)
{
	if (atomic_fetch_add (&monocle__clr_state.refused, 1) == 0) {
		char *name = mono_method_full_name (monocle_method_def (j->image->cli.record, j->token), 1);
		monocle__clr_complain ("%.400s could not be given probes; %s not counted", name ? name : "a method",
		                       j->flags || j->invoke ? "its calls are" : "its coverage is");
		mono_free (name);
	}
	return MONOCLE__METHOD_REFUSED;
}

/* Nothing is missing from the profile, but what should have a fence and has none must have no probes inlined. */
static int
unwanted (const job *j)
{
	return j->to_native ? MONOCLE__METHOD_REFUSED : MONOCLE__METHOD_PLAIN;
}

/* What a body with probes is to the compiler's inlining decisions. */
static int
probed_state (const job *j)
{
	if (j->invoke)
		return MONOCLE__METHOD_CATCHING;
	if (!j->flags)
		return MONOCLE__METHOD_HANDLED;
	if (j->part || monocle__runtime_async_is (&j->row))
		return MONOCLE__METHOD_CATCHING;
	if (!(j->flags & MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE))
		return MONOCLE__METHOD_PROBED;
	for (uint32_t i = 0; i < j->body.clause_count; i++)
		if (!(j->body.clauses[i].flags & (MONOCLE__IL_CLAUSE_FINALLY | MONOCLE__IL_CLAUSE_FAULT)))
			return MONOCLE__METHOD_CATCHING;
	return MONOCLE__METHOD_TRACED;
}

static bool
write_body (job *j, FunctionID function)
{
	bool done = write_probes (j) == 0 && monocle__tokens_close_locals (j) && hand_over (j, function);
	monocle__capture_end (j, done);
	free (j->locals.types);
	return done;
}

/* Is there anything to be written into it? */
static bool
is_wanted (const job *j)
{
	return calls_functions (j) || j->counting;
}

static bool
is_suspended (const job *j)
{
	return j->flags && monocle__runtime_async_is (&j->row);
}

/* The shapes, segments and instances that probes name live as long as the image's code. */
static bool
write_wanted (job *j, FunctionID function)
{
	if (j->to_native)
		monocle__fence_drop_tail_calls (&j->body);
	bool done = (!calls_functions (j) || j->gated || monocle__tokens_open (j->image)) && identify (j) &&
	            (!is_suspended (j) || monocle__segment_plan (j) == 0) && write_body (j, function);
	monocle__counter_probe_end (j);
	if (j->segments && done)
		monocle__clr_image_own (j->image, j->segments, free);
	else
		free (j->segments);
	if (j->generic && done)
		monocle__clr_image_own (j->image, (void *) (uintptr_t) j->record, monocle__probe_generic_free);
	else if (j->generic)
		monocle__probe_generic_free ((void *) (uintptr_t) j->record);
	return done;
}

/* Reads the body, and what is to be written into it. False: nothing can be, and *ret_state is the method's state. */
static bool
open_job (job *j, bool anew, const uint8_t **ret_data, size_t *ret_used, int *ret_state)
{
	size_t size = 0;
	bool found = find_body (j, anew, ret_data, &size);
	bool on_ours = found && is_ours (j);
	if (on_ours) { /* counters call nothing, and may stand there */
		j->flags = MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
		j->invoke = MONOCLE__NOT_INVOKED;
	}
	if (!found || (on_ours && !j->covered)) {
		*ret_state = j->is_runtimes && anew && j->flags ? refuse (j) : unwanted (j);
		return false;
	}
	if (is_suspended (j) && !monocle__runtime_async_is_known ()) { /* which has been said */
		atomic_fetch_add (&monocle__clr_state.refused, 1);
		*ret_state = MONOCLE__METHOD_REFUSED;
		return false;
	}
	if (is_suspended (j) && (j->image->is_emitted || j->gated || monocle__clr_state.late)) {
		*ret_state = refuse (j);
		return false;
	}
	j->part = monocle__clr_state.late ? MONOCLE__ASYNC_NO_PART : monocle__runtime_async_part (j->image, j->token);
	if (monocle__il_read (&j->body, *ret_data, size, ret_used) || !j->body.count) {
		*ret_state = j->flags || j->invoke || j->covered ? refuse (j) : unwanted (j);
		return false;
	}
	if (j->covered && !monocle__counter_probe_plan (j, *ret_data))
		refuse (j);
	j->clauses = !on_ours && j->body.clause_count && monocle__probing_wants_clauses (j->image);
	return true;
}

static bool
is_runtimes (const monocle__clr_image *image, mdToken token)
{
	return image->is_emitted || monocle__editable_is_added (image, token);
}

static job
job_of (monocle__clr_image *image, mdToken token, const monocle__wish *wish)
{
	return (job) {
		.image = image,
		.token = token,
		.flags = wish->flags,
		.invoke = wish->invoke,
		.covered = wish->covered,
		.spills = MONOCLE__SPILLS_NONE,
		.gated = image->is_editable,
		.is_runtimes = is_runtimes (image, token),
		.way = MONOCLE__IL_NONE,
	};
}

static int
rewrite (monocle__clr_image *image, mdToken token, const monocle__wish *wish, int state, FunctionID function)
{
	job j = job_of (image, token, wish);
	bool edited = monocle__editable_is_replaced (image, token), rewritten = state == MONOCLE__METHOD_STALE && !edited;
	const uint8_t *data = NULL;
	size_t size;
	j.covered &= !edited; /* symbols tell of the body before */
	j.replaces = j.gated ? monocle__editable_body (image, token, &size) : NULL;
	if (!open_job (&j, rewritten, &data, NULL, &state))
		return state;
	if (!is_wanted (&j)) {
		monocle__il_free (&j.body);
		return MONOCLE__METHOD_PLAIN;
	}
	state = probed_state (&j);
	bool done = write_wanted (&j, function);
	monocle__il_free (&j.body);
	if (done)
		return state;
	if (j.raced)
		return rewrite (image, token, wish, MONOCLE__METHOD_UNKNOWN, function);
	if (rewritten)
		return MONOCLE__METHOD_HANDLED;
	return wish->flags || wish->covered ? refuse (&j) : unwanted (&j);
}

/* The runtime keeps the map of our body until it gets another one. */
void
monocle__rewrite_leave (monocle__clr_image *image, mdToken token, FunctionID function)
{
	monocle__il_body body = { 0 };
	size_t size = 0;
	const uint8_t *data = monocle__editable_body (image, token, &size);
	bool read = data && monocle__il_read (&body, data, size, NULL) == 0;
	monocle__il_map *map = read ? calloc (body.count + 1u, sizeof *map) : NULL;
	for (uint32_t i = 0; map && i < body.count; i++)
		map[i].old_offset = map[i].new_offset = body.code[i].offset;
	if (map)
		set_line_map (function, map, body.count);
	monocle__editable_note (image, token, NULL, NULL);
	free (map);
	monocle__il_free (&body);
}

bool
monocle__rewrite_as_gate (monocle__clr_image *corlib, mdToken token)
{
	job j = job_of (corlib, token, &(monocle__wish) { .flags = MONO_PROFILER_CALL_INSTRUMENTATION_NONE });
	const uint8_t *data = NULL;
	size_t size = 0;
	pthread_mutex_lock (&corlib->lock);
	bool done = find_body (&j, false, &data, &size) && monocle__il_read (&j.body, data, size, NULL) == 0;
	if (done) {
		done = monocle__tokens_open (corlib) && monocle__tokens_calli (corlib, 1) && insert_gate (&j) == 0 &&
		       hand_over (&j, 0);
		monocle__il_free (&j.body);
	}
	if (done) /* it gets nothing else, and no further body */
		atomic_store (&corlib->methods[(token & 0xFFFFFF) - 1], MONOCLE__METHOD_REFUSED);
	pthread_mutex_unlock (&corlib->lock);
	return done;
}

/* What only the runtime reads it answers for while the image is open. */
int
monocle__rewrite (monocle__clr_image *image, mdToken token, const monocle__wish *wish, int state, FunctionID function)
{
	if (!is_runtimes (image, token))
		return rewrite (image, token, wish, state, function);
	monocle__emitted_capture *capture = monocle__emitted_open (image);
	if (!capture) {
		job j = job_of (image, token, wish);
		return wish->flags ? refuse (&j) : MONOCLE__METHOD_REFUSED;
	}
	state = rewrite (image, token, wish, state, function);
	monocle__emitted_close (capture);
	return state;
}

int
monocle__rewrite_further (monocle__clr_image *image, mdToken token, const monocle__wish *wish,
                          ICorProfilerFunctionControl *control)
{
	job j = job_of (image, token, wish);
	j.further = control;
	const uint8_t *data = NULL;
	size_t used = 0;
	int state;
	/* After an attach no first body is ours; the runtime's is what an update of the image may have put there. */
	if (!open_job (&j, !monocle__clr_state.late, &data, &used, &state))
		return state;
	state = probed_state (&j);
	bool wanted = is_wanted (&j), done = wanted && write_wanted (&j, 0);
	monocle__il_free (&j.body);
	if (done)
		return state;
	give_further (control, data, used, NULL, 0);
	return wanted && (wish->flags || wish->covered) ? refuse (&j) : unwanted (&j);
}
