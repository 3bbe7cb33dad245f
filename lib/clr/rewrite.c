/*
 * SPDX-License-Identifier: MIT
 *
 * rewrite.c - call probes as IL.
 *
 *   entry:        ldc.i8 METHOD; ldc.i8 enter; conv.i; calli void (int64)     in front of the first instruction; jumps to
 *                                                                             it do not run the probe again
 *   each ret:     ldc.i8 METHOD; ldc.i8 leave; conv.i; calli void (int64)     in front, the result stays on the stack below
 *   tail. call:   ldc.i8 METHOD; ldc.i8 TARGET; ldc.i8 tail; conv.i; calli    in front of the prefix, arguments stay below;
 *                                                                             the prefix must stay, or deep recursion dies
 *   generic:      ldc.i8 GENERIC; {ldtoken T; call RuntimeTypeHandle.ToIntPtr}*; ldc.i8 enter; conv.i; calli
 *
 * The stand-alone signature is unmanaged and carries modopt(CallConvSuppressGCTransition): no stub, no transition. One body
 * serves all instances of a generic method, so its probes pass the type handles of the instance that runs.
 *
 * With MONOCLE_CLR_ORACLE a body is put into try/fault instead of using the shadow stack for exceptional exits: slower, not
 * inlinable, and right by construction; tests compare the two.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "clr.h"
#include "il.h"

enum { PROBE_MAX = 5 + 2 * MONOCLE__KEYS_MAX };

typedef struct {
	monocle__clr_image *image;
	mdToken token;
	MonoProfilerCallInstrumentationFlags flags;
	monocle__ecma_methoddef row;
	int64_t record;              /* MonoMethod, or monocle__clr_generic */
	bool generic;
	uint32_t key_count, key_tokens[MONOCLE__KEYS_MAX];
	monocle__il_body body;
} job;

/* --- tokens the probes need, made once per image ------------------------------------------------------------------- */

static bool
open_for_writing (monocle__clr_image *image)
{
	if (image->emit)
		return true;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	IUnknown *emit = NULL;
	HRESULT hr = info->vtbl->GetModuleMetaData (info, image->id, ofRead | ofWrite, &IID_IMetaDataEmit2, &emit);
	if (hr < 0)
		monocle__clr_complain_hr ("GetModuleMetaData", hr);
	image->emit = hr < 0 ? NULL : (IMetaDataEmit2 *) emit;
	return image->emit != NULL;
}

static uint32_t
find_corlib_reference (monocle__clr_image *image)
{
	uint32_t rows = monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_AssemblyRef);
	monocle__ecma_assembly assembly;
	for (uint32_t rid = 1; rid <= rows; rid++)
		if (monocle__ecma_get_assemblyref (&image->ecma, rid, &assembly) == 0 && strcmp (assembly.name, "System.Private.CoreLib") == 0)
			return 0x23000000 | rid;
	return 0;
}

static uint32_t
define_corlib_reference (monocle__clr_image *image)
{
	IMetaDataAssemblyEmit *emit = NULL;
	const ASSEMBLYMETADATA any_version = { 0 };
	uint32_t token = 0;
	HRESULT hr = image->emit->vtbl->QueryInterface (image->emit, &IID_IMetaDataAssemblyEmit, (void **) &emit);
	if (hr >= 0) {
		hr = emit->vtbl->DefineAssemblyRef (emit, NULL, 0, (const WCHAR *) u"System.Private.CoreLib", &any_version, NULL, 0, 0, &token);
		emit->vtbl->Release (emit);
	}
	if (hr < 0)
		monocle__clr_complain_hr ("DefineAssemblyRef", hr);
	return hr < 0 ? 0 : token;
}

/*
 * Corlib itself as the scope of what probes name: facades do not forward everything (mscorlib's knows no
 * CallConvSuppressGCTransition), and the runtime resolves the modifier when it unwinds through a method.
 */
static uint32_t
corlib_scope (monocle__clr_image *image)
{
	if (!image->corlib_token)
		image->corlib_token = find_corlib_reference (image);
	if (!image->corlib_token)
		image->corlib_token = define_corlib_reference (image);
	return image->corlib_token;
}

static uint32_t
type_reference (monocle__clr_image *image, const char *name_space, const char *name, const WCHAR *full_name)
{
	uint32_t token = 0;
	if (image->is_corlib)
		return monocle__ecma_find_typedef (&image->ecma, name_space, name);
	if (!corlib_scope (image))
		return 0;
	HRESULT hr = image->emit->vtbl->DefineTypeRefByName (image->emit, corlib_scope (image), full_name, &token);
	if (hr < 0)
		monocle__clr_complain_hr ("DefineTypeRefByName", hr);
	return hr < 0 ? 0 : token;
}

static bool
append_token (uint8_t *blob, uint32_t *size, uint32_t token)
{
	uint32_t written = monocle__ecma_write_type_token (blob + *size, token);
	*size += written;
	return written != 0;
}

/* void (int64, native int * keys), unmanaged, no transition. */
static uint32_t
calli_token (monocle__clr_image *image, uint32_t keys)
{
	if (image->calli_token[keys])
		return image->calli_token[keys];
	uint32_t convention = type_reference (image, "System.Runtime.CompilerServices", "CallConvSuppressGCTransition",
	                                      (const WCHAR *) u"System.Runtime.CompilerServices.CallConvSuppressGCTransition");
	uint8_t blob[32] = { 0x09, (uint8_t) (keys + 1), MONOCLE__ET_CMOD_OPT };
	uint32_t size = 3;
	if (!convention || !append_token (blob, &size, convention))
		return 0;
	blob[size++] = MONOCLE__ET_VOID;
	blob[size++] = MONOCLE__ET_I8;
	for (uint32_t i = 0; i < keys; i++)
		blob[size++] = MONOCLE__ET_I;
	HRESULT hr = image->emit->vtbl->GetTokenFromSig (image->emit, blob, size, &image->calli_token[keys]);
	if (hr < 0) {
		monocle__clr_complain_hr ("GetTokenFromSig", hr);
		image->calli_token[keys] = 0;
	}
	return image->calli_token[keys];
}

/* Corlib's own definition of RuntimeTypeHandle.ToIntPtr; other images refer to it by name. */
static uint32_t
corlib_to_int_ptr (monocle__clr_image *image, uint32_t owner)
{
	monocle__ecma_typedef type;
	monocle__ecma_methoddef method;
	if (monocle__ecma_get_typedef (&image->ecma, owner, &type))
		return 0;
	for (uint32_t rid = type.first_method; rid < type.end_method; rid++)
		if (monocle__ecma_get_methoddef (&image->ecma, 0x06000000 | rid, &method) == 0 && strcmp (method.name, "ToIntPtr") == 0)
			return 0x06000000 | rid;
	return 0;
}

static uint32_t
to_int_ptr_token (monocle__clr_image *image)
{
	if (image->to_int_ptr_token)
		return image->to_int_ptr_token;
	uint32_t handle = type_reference (image, "System", "RuntimeTypeHandle", (const WCHAR *) u"System.RuntimeTypeHandle");
	if (!handle)
		return 0;
	if (handle >> 24 == 0x02)
		return image->to_int_ptr_token = corlib_to_int_ptr (image, handle);
	uint8_t blob[16] = { 0x00, 1, MONOCLE__ET_I, MONOCLE__ET_VALUETYPE };
	uint32_t size = 4;
	if (!append_token (blob, &size, handle))
		return 0;
	HRESULT hr = image->emit->vtbl->DefineMemberRef (image->emit, handle, (const WCHAR *) u"ToIntPtr", blob, size, &image->to_int_ptr_token);
	if (hr < 0) {
		monocle__clr_complain_hr ("DefineMemberRef", hr);
		image->to_int_ptr_token = 0;
	}
	return image->to_int_ptr_token;
}

static uint32_t
type_spec (monocle__clr_image *image, const uint8_t *blob, uint32_t size)
{
	uint32_t token = 0;
	HRESULT hr = image->emit->vtbl->GetTokenFromTypeSpec (image->emit, blob, size, &token);
	if (hr < 0)
		monocle__clr_complain_hr ("GetTokenFromTypeSpec", hr);
	return hr < 0 ? 0 : token;
}

/* Gen<!0,!1,...>: the class itself as its own code sees it. */
static uint32_t
own_class_spec (monocle__clr_image *image, uint32_t owner, uint32_t params)
{
	uint8_t blob[16 + 2 * 64] = { MONOCLE__ET_GENERICINST };
	MonoClass *klass = monocle_class_def (image->record, owner);
	uint32_t size = 1;
	blob[size++] = mono_class_is_valuetype (klass) ? MONOCLE__ET_VALUETYPE : MONOCLE__ET_CLASS;
	if (params > 64 || !append_token (blob, &size, owner))
		return 0;
	blob[size++] = (uint8_t) params;
	for (uint32_t i = 0; i < params; i++) {
		blob[size++] = MONOCLE__ET_VAR;
		blob[size++] = (uint8_t) i;
	}
	return type_spec (image, blob, size);
}

/* --- which instance runs ------------------------------------------------------------------------------------------- */

static bool
collect_keys (job *j, uint32_t class_params)
{
	if (class_params) {
		j->key_tokens[j->key_count] = own_class_spec (j->image, j->row.declaring_token, class_params);
		if (!j->key_tokens[j->key_count++])
			return false;
	}
	for (uint32_t i = 0; i < j->row.generic_params; i++) {
		uint8_t blob[] = { MONOCLE__ET_MVAR, (uint8_t) i };
		j->key_tokens[j->key_count] = type_spec (j->image, blob, sizeof blob);
		if (!j->key_tokens[j->key_count++])
			return false;
	}
	return to_int_ptr_token (j->image) != 0;
}

/* With more keys than a probe can pass in registers the method goes by its definition, as doc/differences.md says. */
static bool
identify (job *j)
{
	MonoMethod *method = monocle_method_def (j->image->record, j->token);
	uint32_t class_params = monocle__ecma_generic_params (&j->image->ecma, j->row.declaring_token);
	uint32_t keys = (class_params != 0) + j->row.generic_params;
	j->record = (int64_t) (uintptr_t) method;
	if (!keys || keys > MONOCLE__KEYS_MAX || monocle__clr_state.oracle)
		return method != NULL;
	monocle__clr_generic *generic = calloc (1, sizeof *generic);
	if (!generic || !method || !collect_keys (j, class_params)) {
		free (generic);
		return false;
	}
	generic->definition = method;
	generic->key_count = keys;
	generic->class_key = class_params != 0;
	j->generic = true;
	j->record = (int64_t) (uintptr_t) generic;
	return true;
}

/* --- the instructions ---------------------------------------------------------------------------------------------- */

static uint32_t
call_native (monocle__il_instruction *out, monocle__probe function, uint32_t signature)
{
	out[0] = monocle__il_op (MONOCLE__IL_LDC_I8, (int64_t) (uintptr_t) function);
	out[1] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	out[2] = monocle__il_op (MONOCLE__IL_CALLI, signature);
	return 3;
}

/*
 * Does control run from the first instruction straight into a throw? The compiler takes such a block for rare, and in rare
 * blocks it calls native code through a stub with a frame of its own. A branch to the next instruction ends the probe's block
 * before that.
 */
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

static int
insert_enter (job *j, monocle__il_edit *edit)
{
	monocle__probe function = monocle__probe_enter (j->flags, j->generic);
	monocle__il_instruction code[PROBE_MAX];
	uint32_t n = 0;
	if (!function)
		return 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	for (uint32_t i = 0; j->generic && i < j->key_count; i++) {
		code[n++] = monocle__il_op (MONOCLE__IL_LDTOKEN, j->key_tokens[i]);
		code[n++] = monocle__il_op (MONOCLE__IL_CALL, j->image->to_int_ptr_token);
	}
	n += call_native (code + n, function, calli_token (j->image, j->generic ? j->key_count : 0));
	if (begins_with_throw (&j->body)) {
		code[n] = monocle__il_op (MONOCLE__IL_BR, 0);
		code[n++].operand.target = 0;
	}
	return monocle__il_insert (edit, 0, MONOCLE__IL_JUMPS_SKIP, code, n);
}

static int
insert_leave (job *j, monocle__il_edit *edit, uint32_t at)
{
	monocle__probe function = monocle__probe_leave (j->flags, j->generic);
	monocle__il_instruction code[PROBE_MAX];
	if (!function)
		return 0;
	code[0] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	uint32_t n = 1 + call_native (code + 1, function, calli_token (j->image, 0));
	return monocle__il_insert (edit, at, MONOCLE__IL_JUMPS_HIT, code, n);
}

/* The callee as a record where its token names a definition of this image; NULL for calli and other images, as Mono's calli. */
static int64_t
tail_target (job *j, const monocle__il_instruction *call)
{
	uint32_t token = (uint32_t) call->operand.i;
	if (call->opcode == MONOCLE__IL_CALLI || token >> 24 != 0x06)
		return 0;
	return (int64_t) (uintptr_t) monocle_method_def (j->image->record, token);
}

static int
insert_tail (job *j, monocle__il_edit *edit, uint32_t at, const monocle__il_instruction *call)
{
	monocle__probe function = monocle__probe_tail (j->flags, j->generic);
	monocle__il_instruction code[PROBE_MAX];
	if (!function)
		return 0;
	code[0] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	code[1] = monocle__il_op (MONOCLE__IL_LDC_I8, tail_target (j, call));
	code[2] = monocle__il_op (MONOCLE__IL_CONV_I, 0);
	uint32_t n = 3 + call_native (code + 3, function, calli_token (j->image, 1));
	return monocle__il_insert (edit, at, MONOCLE__IL_JUMPS_HIT, code, n);
}

/* `tail.` in front of instruction i: the call it belongs to, else NULL. Other prefixes may stand between. */
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
insert_probes (job *j)
{
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	if (!edit)
		return MONOCLE_E_NO_MEMORY;
	int result = insert_enter (j, edit);
	if (result == 0)
		result = insert_exits (j, edit);
	if (result == 0)
		return monocle__il_edit_apply (edit);
	monocle__il_edit_free (edit);
	return result;
}

/* --- the oracle: the whole body in try/fault ----------------------------------------------------------------------- */

/* The bytes of the return type in the method's signature; false: void, or malformed. */
static bool
return_type (job *j, const uint8_t **ret_type, uint32_t *ret_size)
{
	const uint8_t *data;
	uint32_t size;
	if (monocle__ecma_blob (&j->image->ecma, j->row.signature, &data, &size))
		return false;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (data, size);
	if (monocle__ecma_read_byte (&cursor) & 0x10)
		monocle__ecma_read_u (&cursor);
	monocle__ecma_read_u (&cursor);
	while (monocle__ecma_peek_byte (&cursor) == MONOCLE__ET_CMOD_REQD || monocle__ecma_peek_byte (&cursor) == MONOCLE__ET_CMOD_OPT) {
		monocle__ecma_read_byte (&cursor); /* `init` accessors return void modreq(IsExternalInit) */
		monocle__ecma_read_type_token (&cursor);
	}
	*ret_type = cursor.at;
	if (monocle__ecma_peek_byte (&cursor) == MONOCLE__ET_VOID)
		return false;
	monocle__ecma_skip_type (&cursor);
	*ret_size = (uint32_t) (cursor.at - *ret_type);
	return !cursor.error;
}

/* Adds a local of the return type; its number, or MONOCLE__IL_NONE. */
static uint32_t
add_local (job *j, const uint8_t *type, uint32_t type_size)
{
	const uint8_t *old = NULL;
	uint32_t old_size = 0, blob, count = 0;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over ((const uint8_t *) "", 0);
	if (j->body.local_signature_token) {
		if (monocle__ecma_column (&j->image->ecma, MONOCLE__TABLE_StandAloneSig, j->body.local_signature_token & 0xFFFFFF,
		                          MONOCLE__COL_StandAloneSig_Signature, &blob)
		    || monocle__ecma_blob (&j->image->ecma, blob, &old, &old_size))
			return MONOCLE__IL_NONE;
		cursor = monocle__ecma_cursor_over (old, old_size);
		monocle__ecma_read_byte (&cursor);
		count = monocle__ecma_read_u (&cursor);
	}
	uint32_t rest = (uint32_t) (cursor.end - cursor.at), size = 1;
	uint8_t *signature = malloc (8 + rest + type_size);
	if (!signature)
		return MONOCLE__IL_NONE;
	signature[0] = 0x07;
	size += monocle__ecma_write_u (signature + 1, count + 1);
	memcpy (signature + size, cursor.at, rest);
	memcpy (signature + size + rest, type, type_size);
	HRESULT hr = j->image->emit->vtbl->GetTokenFromSig (j->image->emit, signature, size + rest + type_size,
	                                                    &j->body.local_signature_token);
	free (signature);
	return hr < 0 ? MONOCLE__IL_NONE : count;
}

static bool
suits_oracle (const job *j)
{
	for (uint32_t i = 0; i < j->body.count; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_TAIL || j->body.code[i].opcode == MONOCLE__IL_JMP)
			return false;
	return true;
}

/* entry probe and, where there is a result, `stloc` in front of each ret. *ret_begin: where the try region starts. */
static int
oracle_entry (job *j, uint32_t local, uint32_t *ret_begin)
{
	uint32_t before = j->body.count, rets = 0;
	monocle__il_edit *edit = monocle__il_edit_new (&j->body);
	monocle__il_instruction store = monocle__il_op (MONOCLE__IL_STLOC, local);
	int result = edit ? insert_enter (j, edit) : MONOCLE_E_NO_MEMORY;
	for (uint32_t i = 0; i < before && local != MONOCLE__IL_NONE && result == 0; i++)
		if (j->body.code[i].opcode == MONOCLE__IL_RET) {
			result = monocle__il_insert (edit, i, MONOCLE__IL_JUMPS_HIT, &store, 1);
			rets++;
		}
	if (result == 0)
		result = monocle__il_edit_apply (edit);
	else if (edit)
		monocle__il_edit_free (edit);
	*ret_begin = j->body.count - before - rets; /* behind the entry probe */
	return result;
}

static int
oracle_exit (job *j, uint32_t local)
{
	monocle__il_instruction code[2 * PROBE_MAX];
	uint32_t n = 0;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	n += call_native (code + n, monocle__probe_fault (), calli_token (j->image, 0));
	code[n++] = monocle__il_op (MONOCLE__IL_ENDFINALLY, 0);
	uint32_t end = j->body.count + n;
	code[n++] = monocle__il_op (MONOCLE__IL_LDC_I8, j->record);
	n += call_native (code + n, monocle__probe_leave (j->flags, false), calli_token (j->image, 0));
	if (local != MONOCLE__IL_NONE)
		code[n++] = monocle__il_op (MONOCLE__IL_LDLOC, local);
	code[n++] = monocle__il_op (MONOCLE__IL_RET, 0);
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

static int
insert_oracle (job *j)
{
	const uint8_t *type;
	uint32_t size, local = MONOCLE__IL_NONE, begin;
	j->flags = (j->flags | MONO_PROFILER_CALL_INSTRUMENTATION_LEAVE) & ~MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
	if (return_type (j, &type, &size) && (local = add_local (j, type, size)) == MONOCLE__IL_NONE)
		return MONOCLE_E_INVALID;
	int result = oracle_entry (j, local, &begin);
	uint32_t handler = j->body.count;
	if (result == 0)
		result = oracle_exit (j, local);
	if (result)
		return result;
	uint32_t handler_end = handler + 5;
	return monocle__il_add_clause (&j->body, &(monocle__il_clause) { 4, begin, handler, handler, handler_end, 0, 0 });
}

/* --- handing the body over ----------------------------------------------------------------------------------------- */

static void *
allocate_body (void *context, size_t size)
{
	return malloc (size);
}

/* The runtime takes the array over and frees it with free (3). */
static void
set_line_map (FunctionID function, const monocle__il_map *map, uint32_t count)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	COR_IL_MAP *entries = count ? malloc (count * sizeof *entries) : NULL;
	if (!entries)
		return;
	for (uint32_t i = 0; i < count; i++)
		entries[i] = (COR_IL_MAP) { map[i].old_offset, map[i].new_offset, 1 };
	HRESULT hr = info->vtbl->SetILInstrumentedCodeMap (info, function, 1, count, entries);
	if (hr < 0) {
		monocle__clr_complain_hr ("SetILInstrumentedCodeMap", hr);
		free (entries);
	}
}

static bool
hand_over (job *j, FunctionID function)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	uint8_t *data = NULL;
	size_t size = 0;
	monocle__il_map *map = NULL;
	uint32_t count = 0;
	j->body.max_stack += 3 + j->key_count;
	if (monocle__il_write (&j->body, false, allocate_body, NULL, &data, &size, &map, &count))
		return false;
	HRESULT hr = info->vtbl->SetILFunctionBody (info, j->image->id, j->token, data);
	if (hr < 0)
		monocle__clr_complain_hr ("SetILFunctionBody", hr);
	else
		set_line_map (function, map, count);
	free (map);
	return hr >= 0;
}

/* The body as the runtime has it now: another profiler may have written it. False: nothing to put probes into. */
static bool
find_body (job *j, const uint8_t **ret_data, ULONG *ret_size)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	return monocle__ecma_get_methoddef (&j->image->ecma, j->token, &j->row) == 0
		&& info->vtbl->GetILFunctionBody (info, j->image->id, j->token, ret_data, ret_size) >= 0 && *ret_data;
}

/*
 * Methods of corlib that our own callbacks and probes run inside of: the second pass of .NET 9 and later, which is managed
 * code and stands above the frames that it unwinds. NULL: all methods of the type.
 */
static const struct { const char *type, *method; } own_ground[] = {
	{ "RuntimeTypeHandle",  "ToIntPtr"  }, /* probes find out with it which instance runs */
	{ "RuntimeTypeHandle",  "get_Value" },
	{ "EH",                 NULL        },
	{ "ExInfo",             NULL        },
	{ "StackFrameIterator", NULL        },
	{ "InternalCalls",      NULL        },
};

static bool
is_ours (const job *j)
{
	monocle__ecma_typedef type;
	if (!j->image->is_corlib || monocle__ecma_get_typedef (&j->image->ecma, j->row.declaring_token, &type))
		return false;
	for (size_t i = 0; i < sizeof own_ground / sizeof *own_ground; i++)
		if (strcmp (type.name, own_ground[i].type) == 0 && (!own_ground[i].method || strcmp (j->row.name, own_ground[i].method) == 0))
			return true;
	return false;
}

static int
write_probes (job *j)
{
	return monocle__clr_state.oracle && suits_oracle (j) ? insert_oracle (j) : insert_probes (j);
}

/* A method that is wanted and gets no probes is missing from the profile: the first is named, all are counted. */
static int
refuse (job *j)
{
	if (atomic_fetch_add (&monocle__clr_state.refused, 1) == 0) {
		char *name = mono_method_full_name (monocle_method_def (j->image->record, j->token), 1);
		monocle__clr_complain ("%s could not be given call probes; its calls are not counted", name ? name : "a method");
		mono_free (name);
	}
	return MONOCLE__METHOD_REFUSED;
}

/* Catch blocks and filters, of a method whose exceptional exits are wanted. */
static bool
catches (const job *j)
{
	for (uint32_t i = 0; i < j->body.clause_count; i++)
		if (!(j->body.clauses[i].flags & (MONOCLE__IL_CLAUSE_FINALLY | MONOCLE__IL_CLAUSE_FAULT)))
			return j->flags & MONO_PROFILER_CALL_INSTRUMENTATION_EXCEPTION_LEAVE;
	return false;
}

static int
rewrite (monocle__clr_image *image, mdToken token, MonoProfilerCallInstrumentationFlags flags, FunctionID function)
{
	job j = { .image = image, .token = token, .flags = flags };
	const uint8_t *data = NULL;
	ULONG size = 0;
	if (!find_body (&j, &data, &size) || is_ours (&j))
		return MONOCLE__METHOD_PLAIN;
	if (monocle__il_read (&j.body, data, size, NULL) || !j.body.count)
		return refuse (&j);
	int state = catches (&j) ? MONOCLE__METHOD_CATCHING : MONOCLE__METHOD_PROBED;
	bool done = open_for_writing (image) && identify (&j) && calli_token (image, 0) && calli_token (image, 1)
		&& calli_token (image, j.key_count) && write_probes (&j) == 0 && hand_over (&j, function);
	monocle__il_free (&j.body);
	return done ? state : refuse (&j);
}

/* --- asking the filters -------------------------------------------------------------------------------------------- */

/* Filters may have changed: what was not wanted may be now. Probed bodies stay. */
static void
enter_epoch (monocle__clr_image *image)
{
	unsigned now = atomic_load (&monocle__clr_state.filter_epoch);
	if (atomic_exchange (&image->epoch, now) == now)
		return;
	atomic_store (&image->wanted, -1);
	for (uint32_t i = 0; i < image->method_rows; i++) {
		uint8_t plain = MONOCLE__METHOD_PLAIN;
		atomic_compare_exchange_strong (&image->methods[i], &plain, MONOCLE__METHOD_UNKNOWN);
	}
}

/* Asks the filters about the methods of one class until one is wanted. */
static bool
is_class_wanted (monocle__clr_image *image, uint32_t class_token)
{
	monocle__ecma_typedef row;
	MonoClass *klass = NULL;
	uint32_t rva;
	if (monocle__ecma_get_typedef (&image->ecma, class_token, &row))
		return false;
	for (uint32_t rid = row.first_method; rid < row.end_method; rid++) {
		if (monocle__ecma_column (&image->ecma, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_RVA, &rva) || !rva)
			continue;
		klass = klass ? klass : monocle_class_def (image->record, class_token);
		if (monocle_call_flags (monocle_method_def_in (klass, 0x06000000 | rid)))
			return true;
	}
	return false;
}

bool
monocle__clr_image_wanted (monocle__clr_image *image)
{
	if (!image->readable || !monocle_call_filter_installed ())
		return false;
	enter_epoch (image);
	int wanted = atomic_load (&image->wanted);
	if (wanted >= 0)
		return wanted;
	uint32_t classes = monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_TypeDef);
	wanted = 0;
	for (uint32_t rid = 1; !wanted && rid <= classes; rid++)
		wanted = is_class_wanted (image, 0x02000000 | rid);
	atomic_store (&image->wanted, wanted);
	return wanted;
}

int
monocle__clr_ensure_probed (monocle__clr_image *image, mdToken token, FunctionID function, bool *ret_new)
{
	uint32_t row = token & 0xFFFFFF;
	*ret_new = false;
	if (!image->readable || !row || row > image->method_rows)
		return MONOCLE__METHOD_REFUSED;
	enter_epoch (image);
	int state = atomic_load (&image->methods[row - 1]);
	if (state != MONOCLE__METHOD_UNKNOWN)
		return state;
	MonoProfilerCallInstrumentationFlags flags = monocle_call_flags (monocle_method_def (image->record, token));
	pthread_mutex_lock (&image->lock);
	state = atomic_load (&image->methods[row - 1]);
	if (state == MONOCLE__METHOD_UNKNOWN) {
		state = flags ? rewrite (image, token, flags, function) : MONOCLE__METHOD_PLAIN;
		atomic_store (&image->methods[row - 1], (uint8_t) state);
		*ret_new = monocle__clr_has_probes (state);
	}
	pthread_mutex_unlock (&image->lock);
	return state;
}
