/*
 * SPDX-License-Identifier: MIT
 *
 * tokens.c - what probes name, as metadata of the image they are in: the signature of the call, the assembly and
 * types that it leads to, the handles of generic arguments. Made once per image, under its lock; adding such rows to a
 * loaded module is legal at any time, and nothing of the program refers to them.
 */
#include "tokens.h"
#include <stdlib.h>
#include <string.h>
#include <monocle/host.h>
#include "images/emitted.h"
#include "images/image.h"
#include "invariant.h"
#include "rewrite.h"
#include "state.h"

bool
monocle__tokens_open (monocle__clr_image *image)
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
	uint32_t rows = monocle__ecma_rows (&image->cli.ecma, MONOCLE__TABLE_AssemblyRef);
	monocle__ecma_assembly assembly;
	for (uint32_t rid = 1; rid <= rows; rid++)
		if (monocle__ecma_get_assemblyref (&image->cli.ecma, rid, &assembly) == 0 &&
		    strcmp (assembly.name, "System.Private.CoreLib") == 0)
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
		hr = emit->vtbl->DefineAssemblyRef (emit, NULL, 0, (const WCHAR *) u"System.Private.CoreLib", &any_version,
		                                    NULL, 0, 0, &token);
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
	if (image->cli.is_corlib)
		return monocle__ecma_find_typedef (&image->cli.ecma, name_space, name);
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

/* *made: the token, 0: not made yet. */
static uint32_t
calli (monocle__clr_image *image, uint8_t result, uint32_t count, uint32_t *made)
{
	MONOCLE__INVARIANT (count <= MONOCLE__CALLI_MAX);
	if (*made)
		return *made;
	uint32_t convention =
	    type_reference (image, "System.Runtime.CompilerServices", "CallConvSuppressGCTransition",
	                    (const WCHAR *) u"System.Runtime.CompilerServices.CallConvSuppressGCTransition");
	uint8_t blob[16 + MONOCLE__CALLI_MAX] = { 0x09, (uint8_t) (count + 1), MONOCLE__ET_CMOD_OPT };
	uint32_t size = 3;
	if (!convention || !append_token (blob, &size, convention))
		return 0;
	blob[size++] = result;
	blob[size++] = MONOCLE__ET_I8;
	for (uint32_t i = 0; i < count; i++)
		blob[size++] = MONOCLE__ET_I;
	MONOCLE__INVARIANT (size <= sizeof blob);
	HRESULT hr = image->emit->vtbl->GetTokenFromSig (image->emit, blob, size, made);
	if (hr < 0) {
		monocle__clr_complain_hr ("GetTokenFromSig", hr);
		*made = 0;
	}
	return *made;
}

uint32_t
monocle__tokens_calli (monocle__clr_image *image, uint32_t count)
{
	return calli (image, MONOCLE__ET_VOID, count, &image->calli_token[count]);
}

uint32_t
monocle__tokens_calli_returning (monocle__clr_image *image, uint32_t count)
{
	return calli (image, MONOCLE__ET_I8, count, &image->calli_returning_token[count]);
}

/* Corlib's own definition of RuntimeTypeHandle.ToIntPtr; other images refer to it by name. */
static uint32_t
corlib_to_int_ptr (monocle__clr_image *image, uint32_t owner)
{
	monocle__ecma_typedef type;
	monocle__ecma_methoddef method;
	if (monocle__ecma_get_typedef (&image->cli.ecma, owner, &type))
		return 0;
	for (uint32_t rid = type.first_method; rid < type.end_method; rid++)
		if (monocle__ecma_get_methoddef (&image->cli.ecma, 0x06000000 | rid, &method) == 0 &&
		    strcmp (method.name, "ToIntPtr") == 0)
			return 0x06000000 | rid;
	return 0;
}

uint32_t
monocle__tokens_to_int_ptr (monocle__clr_image *image)
{
	if (image->to_int_ptr_token)
		return image->to_int_ptr_token;
	uint32_t handle =
	    type_reference (image, "System", "RuntimeTypeHandle", (const WCHAR *) u"System.RuntimeTypeHandle");
	if (!handle)
		return 0;
	if (handle >> 24 == 0x02)
		return image->to_int_ptr_token = corlib_to_int_ptr (image, handle);
	uint8_t blob[16] = { 0x00, 1, MONOCLE__ET_I, MONOCLE__ET_VALUETYPE };
	uint32_t size = 4;
	if (!append_token (blob, &size, handle))
		return 0;
	HRESULT hr = image->emit->vtbl->DefineMemberRef (image->emit, handle, (const WCHAR *) u"ToIntPtr", blob, size,
	                                                 &image->to_int_ptr_token);
	if (hr < 0) {
		monocle__clr_complain_hr ("DefineMemberRef", hr);
		image->to_int_ptr_token = 0;
	}
	return image->to_int_ptr_token;
}

uint32_t
monocle__tokens_type_spec (monocle__clr_image *image, const uint8_t *blob, uint32_t size)
{
	uint32_t token = 0;
	HRESULT hr = image->emit->vtbl->GetTokenFromTypeSpec (image->emit, blob, size, &token);
	if (hr < 0)
		monocle__clr_complain_hr ("GetTokenFromTypeSpec", hr);
	return hr < 0 ? 0 : token;
}

/* Gen<!0,!1,...>: the class itself as its own code sees it. */
uint32_t
monocle__tokens_own_class (monocle__clr_image *image, uint32_t owner, uint32_t params)
{
	enum { HEAD = 16, PARAM = 5 }; /* the most bytes of what comes first, and of a type parameter */
	MonoClass *klass = monocle_class_def (image->cli.record, owner);
	uint8_t *blob = malloc (HEAD + (size_t) params * PARAM);
	uint32_t size = 0, token = 0;
	if (!blob)
		return 0;
	blob[size++] = MONOCLE__ET_GENERICINST;
	blob[size++] = mono_class_is_valuetype (klass) ? MONOCLE__ET_VALUETYPE : MONOCLE__ET_CLASS;
	if (append_token (blob, &size, owner)) {
		size += monocle__ecma_write_u (blob + size, params);
		for (uint32_t i = 0; i < params; i++) {
			blob[size++] = MONOCLE__ET_VAR;
			size += monocle__ecma_write_u (blob + size, i);
		}
		token = monocle__tokens_type_spec (image, blob, size);
	}
	free (blob);
	return token;
}

/* --- locals ------------------------------------------------------------------------------------------------------- */

static bool
find_locals (const monocle__rewriting *j, const uint8_t **ret_data, uint32_t *ret_size)
{
	const monocle__ecma_image *image = &j->image->cli.ecma;
	uint32_t token = j->body.local_signature_token, blob;
	if (j->image->is_emitted)
		return monocle__emitted_signature (j->image, token, ret_data, ret_size);
	return !monocle__ecma_column (image, MONOCLE__TABLE_StandAloneSig, token & 0xFFFFFF,
	                              MONOCLE__COL_StandAloneSig_Signature, &blob) &&
	       !monocle__ecma_blob (image, blob, ret_data, ret_size);
}

bool
monocle__tokens_open_locals (monocle__rewriting *j)
{
	const uint8_t *data = (const uint8_t *) "";
	uint32_t size = 0;
	if (j->locals.types)
		return true;
	if (j->body.local_signature_token && !find_locals (j, &data, &size))
		return false;
	monocle__ecma_cursor types = monocle__ecma_cursor_over (data, size);
	if (j->body.local_signature_token) {
		monocle__ecma_read_byte (&types);
		j->locals.count = monocle__ecma_read_u (&types);
	}
	j->locals.size = (uint32_t) (types.end - types.at);
	j->locals.types = types.error ? NULL : malloc (j->locals.size + 1);
	if (!j->locals.types)
		return false;
	memcpy (j->locals.types, types.at, j->locals.size);
	return true;
}

uint32_t
monocle__tokens_add_locals (monocle__rewriting *j, const uint8_t *type, uint32_t type_size, uint32_t count)
{
	if (!monocle__tokens_open_locals (j) || j->locals.count + count > UINT16_MAX)
		return MONOCLE__IL_NONE;
	uint8_t *types = realloc (j->locals.types, j->locals.size + count * type_size + 1);
	if (!types)
		return MONOCLE__IL_NONE;
	j->locals.types = types;
	for (uint32_t i = 0; i < count; i++, j->locals.size += type_size)
		memcpy (types + j->locals.size, type, type_size);
	MONOCLE__INVARIANT (count == 0 || type_size != 0);
	j->locals.count += count;
	j->locals.added = true;
	return j->locals.count - count;
}

bool
monocle__tokens_close_locals (monocle__rewriting *j)
{
	if (!j->locals.added)
		return true;
	uint8_t *signature = malloc (8 + j->locals.size);
	uint32_t size = 1;
	if (!signature)
		return false;
	signature[0] = MONOCLE__SIG_LOCALS;
	size += monocle__ecma_write_u (signature + 1, j->locals.count);
	memcpy (signature + size, j->locals.types, j->locals.size);
	IMetaDataEmit2 *emit = j->image->emit;
	HRESULT hr = emit->vtbl->GetTokenFromSig (emit, signature, size + j->locals.size, &j->body.local_signature_token);
	free (signature);
	if (hr < 0)
		monocle__clr_complain_hr ("GetTokenFromSig", hr);
	return hr >= 0;
}
