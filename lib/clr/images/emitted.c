/*
 * SPDX-License-Identifier: MIT
 *
 * emitted.c - images that a program writes while it runs (Reflection.Emit): no file, and metadata that only the runtime
 * reads. What an edit adds to an image that runs (editable.h) is of this kind, too.
 *
 * The runtime may be asked for it in its own callbacks and on plain threads of ours, not where modules want names. So
 * when a method is compiled, a class was loaded, or the image goes, all that the core asks about a record is asked for
 * it here, once: while a `capture` is open on a thread, the core's questions about that image are answered from
 * IMetaDataImport. The core keeps the answers. Fields, properties and attributes of such images stay unknown. Bodies
 * are the runtime's: what writes probes into them asks for the facts that it needs.
 *
 * An attach finds images of whose classes nothing was told. They are asked about on the thread that attaches, while the
 * program may be writing more: the runtime's reader takes the lock of the image for each answer, holds it in no
 * callback, and its texts stay where they are. Of a class that is not finished yet the parent or the parameters may be
 * missing, and an answer is kept for good. So only classes are asked about that the runtime has loaded, which it does
 * with finished ones; the others come with their methods, or as they are loaded. Whether a class without methods is
 * loaded the runtime does not say.
 */
#include "emitted.h"
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/debug-helpers.h>
#include <monocle/host.h>
#include "editable.h"
#include "image.h"
#include "resolve.h"
#include "state.h"
#include "thread-memory.h"
#include "utf16.h"

enum {
	NAME_MAX_LENGTH = 1024,
	BYTES_PER_UNIT = 3, /* of UTF-8, for one of UTF-16 */
	FIELDS_MAX = 64,
	PARAMS_MAX = 64,
	SOME = 64,             /* rows that are asked for at once */
	NO_CLASS = 0x02000000, /* the runtime says so of methods that are in no class */
	MODULE_CLASS,          /* where they are all the same: "<Module>", ECMA-335 II.22.37 */
	FLAG_INTERFACE = 0x20, /* ECMA-335 II.23.1.15 */
	FIELD_STATIC = 0x10,   /* ECMA-335 II.23.1.5 */
};

struct monocle__emitted_capture {
	monocle__clr_image *image;
	IMetaDataImport2 *import;
	WCHAR wide[NAME_MAX_LENGTH];
	char text[BYTES_PER_UNIT * NAME_MAX_LENGTH]; /* what an answer points to; the core copies it before it asks again */
};

typedef monocle__emitted_capture capture;

static atomic_bool any; /* there was such an image */

/* The capture that is open on this thread over this image; NULL: do not ask now. */
static capture *
capture_of (MonoImage *record)
{
	if (!atomic_load_explicit (&any, memory_order_relaxed))
		return NULL;
	capture *c = *monocle__thread_memory_capture ();
	return c && record && c->image->cli.record == record ? c : NULL;
}

/* What the runtime wrote into `wide`, as UTF-8 in `text`. */
static const char *
take_text (capture *c)
{
	size_t length = 0;
	while (length < NAME_MAX_LENGTH && c->wide[length])
		length++;
	monocle__utf16_to_utf8 (c->wide, length, c->text, sizeof c->text);
	return c->text;
}

/* Cuts "N.S.Name" into two; "" is the namespace of what has none. */
static const char *
split_name (char *full, const char **ret_name_space)
{
	char *dot = strrchr (full, '.');
	*ret_name_space = dot && dot != full ? full : "";
	if (!dot || dot == full)
		return full;
	*dot = 0;
	return dot + 1;
}

/* --- references --------------------------------------------------------------------------------------------------- */

static bool
reference_name (capture *c, uint32_t assemblyref, char *name, size_t size)
{
	IMetaDataAssemblyImport *import = NULL;
	WCHAR wide[NAME_MAX_LENGTH] = { 0 };
	ULONG length = 0;
	if (c->import->vtbl->QueryInterface (c->import, &IID_IMetaDataAssemblyImport, (void **) &import) < 0)
		return false;
	HRESULT hr = import->vtbl->GetAssemblyRefProps (import, assemblyref, NULL, NULL, wide, NAME_MAX_LENGTH, &length,
	                                                NULL, NULL, NULL, NULL);
	import->vtbl->Release (import);
	while (length && !wide[length - 1])
		length--;
	monocle__utf16_to_utf8 (wide, length, name, size);
	return hr >= 0;
}

static MonoClass *
find_nested (MonoClass *outer, const char *name)
{
	void *iter = NULL;
	for (MonoClass *inner; (inner = mono_class_get_nested_types (outer, &iter));)
		if (strcmp (mono_class_get_name (inner), name) == 0)
			return inner;
	return NULL;
}

static MonoClass *
class_in_assembly (capture *c, uint32_t assemblyref, const char *name_space, const char *name, int valuetype)
{
	char assembly[NAME_MAX_LENGTH];
	if (!reference_name (c, assemblyref, assembly, sizeof assembly))
		return NULL;
	monocle__describe_image *target = monocle__clr_image_owner.image_named (&c->image->cli, assembly);
	MonoClass *klass = target ? monocle__describe_find_class (target, name_space, name) : NULL;
	return klass ? klass : monocle_class_named (assembly, name_space, name, valuetype);
}

static MonoClass *
referenced_class (capture *c, uint32_t token, int valuetype, int depth)
{
	char full[BYTES_PER_UNIT * NAME_MAX_LENGTH];
	const char *name_space;
	mdToken scope = 0;
	ULONG length = 0;
	c->wide[0] = 0;
	if (c->import->vtbl->GetTypeRefProps (c->import, token, &scope, c->wide, NAME_MAX_LENGTH, &length) < 0)
		return NULL;
	strcpy (full, take_text (c));
	const char *name = split_name (full, &name_space);
	if (scope >> 24 == MONOCLE__TABLE_AssemblyRef)
		return class_in_assembly (c, scope, name_space, name, valuetype);
	if (scope >> 24 != MONOCLE__TABLE_TypeRef || !depth)
		return NULL;
	MonoClass *outer = referenced_class (c, scope, 0, depth - 1);
	return outer ? find_nested (outer, name) : NULL;
}

static MonoClass *
class_of_token (monocle__describe_image *image, uint32_t token, MonoClass *owner, MonoMethod *method, int valuetype)
{
	capture *c = capture_of (image->record);
	const uint8_t *blob = NULL;
	ULONG size = 0;
	if (!c)
		return NULL;
	if (token >> 24 == MONOCLE__TABLE_TypeDef)
		return monocle_class_def (image->record, token);
	if (token >> 24 == MONOCLE__TABLE_TypeRef)
		return referenced_class (c, token, valuetype, 8);
	if (token >> 24 != MONOCLE__TABLE_TypeSpec ||
	    c->import->vtbl->GetTypeSpecFromToken (c->import, token, &blob, &size) < 0)
		return NULL;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (blob, size);
	MonoType *type = monocle__describe_read_type (image, &cursor, owner, method);
	return type ? mono_class_from_mono_type (type) : NULL;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

static uint32_t
generic_params (capture *c, uint32_t token)
{
	HCORENUM list = NULL;
	mdToken params[PARAMS_MAX];
	ULONG count = 0;
	if (c->import->vtbl->EnumGenericParams (c->import, &list, token, params, PARAMS_MAX, &count) < 0)
		count = 0;
	c->import->vtbl->CloseEnum (c->import, list);
	return count;
}

static uint32_t
extends_of (capture *c, uint32_t token, DWORD *ret_flags)
{
	mdToken extends = 0;
	ULONG length;
	c->wide[0] = 0;
	HRESULT hr =
	    c->import->vtbl->GetTypeDefProps (c->import, token, c->wide, NAME_MAX_LENGTH, &length, ret_flags, &extends);
	if (hr < 0)
		return UINT32_MAX;
	return extends & 0xFFFFFF ? extends : 0;
}

/* Of the one instance field of an enum. */
static uint32_t
enum_base (capture *c, uint32_t token)
{
	HCORENUM list = NULL;
	mdToken fields[FIELDS_MAX];
	ULONG count = 0, size = 0;
	uint32_t base = 0;
	c->import->vtbl->EnumFields (c->import, &list, token, fields, FIELDS_MAX, &count);
	c->import->vtbl->CloseEnum (c->import, list);
	for (ULONG i = 0; i < count && !base; i++) {
		const uint8_t *blob = NULL;
		DWORD flags = 0;
		HRESULT hr = c->import->vtbl->GetFieldProps (c->import, fields[i], NULL, NULL, 0, NULL, &flags, &blob, &size,
		                                             NULL, NULL, NULL);
		if (hr >= 0 && !(flags & FIELD_STATIC) && size >= 2)
			base = blob[1];
	}
	return base;
}

static void
describe_kind (capture *c, MonoClass *klass, uint32_t extends, monocle_class_info *ret)
{
	MonoClass *parent = extends ? class_of_token (&c->image->cli, extends, klass, NULL, 0) : NULL;
	monocle__describe_base base = MONOCLE__BASE_OTHER;
	if (parent)
		base = monocle__describe_base_named (mono_class_get_namespace (parent), mono_class_get_name (parent));
	ret->element_type = base == MONOCLE__BASE_OTHER ? MONO_TYPE_CLASS : MONO_TYPE_VALUETYPE;
	ret->enum_base = base == MONOCLE__BASE_ENUM ? enum_base (c, monocle_class_token (klass)) : 0;
}

static int
describe_class (MonoClass *klass, monocle_class_info *ret)
{
	capture *c = capture_of (mono_class_get_image (klass));
	uint32_t token = monocle_class_token (klass);
	mdToken outer = 0;
	DWORD flags = 0;
	if (!c)
		return MONOCLE_E_UNKNOWN;
	uint32_t extends = extends_of (c, token, &flags);
	if (extends == UINT32_MAX)
		return MONOCLE_E_UNKNOWN;
	describe_kind (c, klass, extends, ret);
	if (c->import->vtbl->GetNestedClassProps (c->import, token, &outer) >= 0 && outer)
		ret->nesting = monocle_class_def (c->image->cli.record, outer);
	ret->flags = flags;
	ret->generic_params = generic_params (c, token);
	extends_of (c, token, &flags); /* once more, for the name: other answers passed through `wide` */
	take_text (c);
	ret->name_space = "";
	ret->name = ret->nesting ? c->text : split_name (c->text, &ret->name_space);
	return MONOCLE_OK;
}

static MonoClass *
class_parent (MonoClass *klass)
{
	capture *c = capture_of (mono_class_get_image (klass));
	DWORD flags;
	if (!c)
		return NULL;
	uint32_t extends = extends_of (c, monocle_class_token (klass), &flags);
	return extends && extends != UINT32_MAX ? class_of_token (&c->image->cli, extends, klass, NULL, 0) : NULL;
}

typedef struct {
	mdToken owner;
	DWORD flags, iflags;
	const uint8_t *signature;
	ULONG signature_size;
} method_facts;

static bool
ask_method (capture *c, MonoMethod *method, method_facts *ret)
{
	ULONG length, rva;
	c->wide[0] = 0;
	if (c->import->vtbl->GetMethodProps (c->import, monocle_method_token (method), &ret->owner, c->wide,
	                                     NAME_MAX_LENGTH, &length, &ret->flags, &ret->signature, &ret->signature_size,
	                                     &rva, &ret->iflags) < 0)
		return false;
	if (ret->owner == NO_CLASS)
		ret->owner = MODULE_CLASS;
	return true;
}

static int
describe_method (MonoMethod *method, monocle_method_info *ret)
{
	capture *c = capture_of (monocle_method_image (method));
	method_facts facts = { 0 };
	if (!c || !ask_method (c, method, &facts))
		return MONOCLE_E_UNKNOWN;
	ret->name = take_text (c);
	ret->flags = facts.flags;
	ret->iflags = facts.iflags;
	ret->klass = monocle_class_def (c->image->cli.record, facts.owner);
	ret->generic_params = generic_params (c, monocle_method_token (method));
	return MONOCLE_OK;
}

static int
describe_signature (MonoMethod *method, monocle_signature_info *ret)
{
	capture *c = capture_of (monocle_method_image (method));
	method_facts facts = { 0 };
	if (!c || !ask_method (c, method, &facts))
		return MONOCLE_E_UNKNOWN;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (facts.signature, facts.signature_size);
	return monocle__describe_read_signature (&c->image->cli, &cursor, mono_method_get_class (method), method, ret);
}

static const char *
generic_param_name (MonoClass *klass, MonoMethod *method, uint32_t index)
{
	capture *c = capture_of (method ? monocle_method_image (method) : mono_class_get_image (klass));
	HCORENUM list = NULL;
	mdToken params[PARAMS_MAX];
	ULONG count = 0, length;
	if (!c)
		return NULL;
	uint32_t token = method ? monocle_method_token (method) : monocle_class_token (klass);
	c->import->vtbl->EnumGenericParams (c->import, &list, token, params, PARAMS_MAX, &count);
	c->import->vtbl->CloseEnum (c->import, list);
	for (ULONG i = 0, number; i < count; i++) {
		c->wide[0] = 0;
		if (c->import->vtbl->GetGenericParamProps (c->import, params[i], &number, NULL, NULL, NULL, c->wide,
		                                           NAME_MAX_LENGTH, &length) >= 0 &&
		    number == index)
			return take_text (c);
	}
	return NULL;
}

static HRESULT
assembly_props (capture *c, ASSEMBLYMETADATA *ret_version, DWORD *ret_flags)
{
	IMetaDataAssemblyImport *import = NULL;
	mdToken assembly = 0;
	ULONG length;
	c->wide[0] = 0;
	HRESULT hr = c->import->vtbl->QueryInterface (c->import, &IID_IMetaDataAssemblyImport, (void **) &import);
	if (hr < 0)
		return hr;
	hr = import->vtbl->GetAssemblyFromScope (import, &assembly);
	if (hr >= 0)
		hr = import->vtbl->GetAssemblyProps (import, assembly, NULL, NULL, NULL, c->wide, NAME_MAX_LENGTH, &length,
		                                     ret_version, ret_flags);
	import->vtbl->Release (import);
	return hr;
}

static int
describe_image (MonoImage *record, monocle_image_info *ret)
{
	capture *c = capture_of (record);
	ASSEMBLYMETADATA version = { 0 };
	DWORD flags = 0;
	if (!c || assembly_props (c, &version, &flags) < 0)
		return MONOCLE_E_UNKNOWN;
	ret->assembly_name = take_text (c);
	ret->version[0] = version.usMajorVersion;
	ret->version[1] = version.usMinorVersion;
	ret->version[2] = version.usBuildNumber;
	ret->version[3] = version.usRevisionNumber;
	ret->flags = flags;
	return MONOCLE_OK;
}

const monocle__describe_unreadable monocle__emitted_unreadable = {
	.describe_image = describe_image,
	.describe_class = describe_class,
	.describe_method = describe_method,
	.describe_signature = describe_signature,
	.generic_param_name = generic_param_name,
	.class_parent = class_parent,
	.class_of_token = class_of_token,
};

/* --- when to ask -------------------------------------------------------------------------------------------------- */

static bool
capture_begin (capture *c, monocle__clr_image *image)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	IUnknown *import = NULL;
	/* Without memory of its own a thread cannot say that it asks. */
	if (!monocle__thread_memory_scratch () || *monocle__thread_memory_capture () ||
	    info->vtbl->GetModuleMetaData (info, image->id, ofRead, &IID_IMetaDataImport2, &import) != S_OK || !import)
		return false;
	c->image = image;
	c->import = (IMetaDataImport2 *) import;
	*monocle__thread_memory_capture () = c;
	return true;
}

static void
capture_end (capture *c)
{
	*monocle__thread_memory_capture () = NULL;
	c->import->vtbl->Release (c->import);
}

monocle__emitted_capture *
monocle__emitted_open (monocle__clr_image *image)
{
	capture *c = malloc (sizeof *c);
	if (c && capture_begin (c, image))
		return c;
	free (c);
	return NULL;
}

void
monocle__emitted_close (monocle__emitted_capture *c)
{
	capture_end (c);
	free (c);
}

static bool
has_attribute (capture *c, uint32_t token, const WCHAR *name)
{
	const void *data;
	ULONG size;
	return c->import->vtbl->GetCustomAttributeByName (c->import, token, name, &data, &size) == S_OK;
}

bool
monocle__emitted_method_facts (monocle__clr_image *image, mdToken token, monocle__emitted_facts *ret_facts)
{
	capture *c = capture_of (image->cli.record);
	method_facts facts = { 0 };
	if (!c || !ask_method (c, monocle_method_def (image->cli.record, token), &facts))
		return false;
	*ret_facts = (monocle__emitted_facts) {
		.iflags = facts.iflags,
		.owner = facts.owner,
		.class_params = generic_params (c, facts.owner),
		.method_params = generic_params (c, token),
		.signature = facts.signature,
		.signature_size = facts.signature_size,
		.is_called_by_native =
		    has_attribute (c, token, (const WCHAR *) u"System.Runtime.InteropServices.UnmanagedCallersOnlyAttribute"),
	};
	return true;
}

bool
monocle__emitted_signature (monocle__clr_image *image, mdToken token, const uint8_t **ret_data, uint32_t *ret_size)
{
	capture *c = capture_of (image->cli.record);
	ULONG size = 0;
	if (!c || c->import->vtbl->GetSigFromToken (c->import, token, ret_data, &size) < 0)
		return false;
	*ret_size = size;
	return true;
}

/* Their names, as they are and as those of any reference. */
static void
ask_params (capture *c, MonoClass *klass, MonoMethod *method)
{
	uint32_t count = generic_params (c, method ? monocle_method_token (method) : monocle_class_token (klass));
	for (uint32_t i = 0; i < 2 * count; i++) {
		MonoClass *param = monocle_class_param (klass, method, i / 2, i % 2);
		if (param)
			mono_class_get_name (param);
	}
}

static void
ask_class (capture *c, MonoClass *klass)
{
	for (; klass; klass = mono_class_get_nesting_type (klass)) {
		mono_class_get_name (klass);
		mono_class_get_parent (klass);
		ask_params (c, klass, NULL);
	}
}

void
monocle__emitted_image (monocle__clr_image *image)
{
	capture c;
	atomic_store (&any, true);
	if (image->is_editable || !capture_begin (&c, image))
		return;
	mono_image_get_name (image->cli.record);
	capture_end (&c);
}

/* Its full name asks for everything: class, parameters, signature and their types. */
static void
ask_all_of_method (capture *c, mdToken token)
{
	MonoMethod *method = monocle_method_def (c->image->cli.record, token);
	ask_params (c, NULL, method);
	ask_class (c, mono_method_get_class (method));
	mono_free (mono_method_full_name (method, 1));
}

/* Must the runtime be asked about the method? */
static bool
is_runtimes (const monocle__clr_image *image, mdToken method)
{
	return mono_image_is_dynamic (image->cli.record) || monocle__editable_is_added (image, method);
}

void
monocle__emitted_method (FunctionID function)
{
	ModuleID module;
	mdToken token;
	capture c;
	if (!atomic_load_explicit (&any, memory_order_relaxed) || !monocle__resolve_function (function, &module, &token))
		return;
	monocle__clr_image *image = monocle__clr_image_find (module);
	if (!image || !is_runtimes (image, token) || !capture_begin (&c, image))
		return;
	ask_all_of_method (&c, token);
	capture_end (&c);
}

void
monocle__emitted_class_loaded (MonoClass *klass)
{
	monocle__clr_image *image =
	    atomic_load_explicit (&any, memory_order_relaxed) ? monocle__clr_image_of (mono_class_get_image (klass)) : NULL;
	capture c;
	if (!image || !mono_image_is_dynamic (image->cli.record) || !capture_begin (&c, image))
		return;
	ask_class (&c, klass);
	capture_end (&c);
}

/* --- what was there before an attach ------------------------------------------------------------------------------ */

/* It has the methods of a class as soon as it has loaded that, and loads nothing for this question. */
static bool
is_loaded (capture *c, mdToken method)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function;
	HRESULT hr = info->vtbl->GetFunctionFromToken (info, c->image->id, method, &function);
	return hr >= 0 || hr == CORPROF_E_FUNCTION_IS_PARAMETERIZED;
}

/* Of the class, or (NO_CLASS) of the image itself. False: it has no methods. */
static bool
ask_methods (capture *c, mdToken klass)
{
	HCORENUM list = NULL;
	mdToken methods[SOME];
	ULONG count = 0;
	bool has_some = false;
	while (c->import->vtbl->EnumMethods (c->import, &list, klass, methods, SOME, &count) >= 0 && count) {
		has_some = true;
		for (ULONG i = 0; i < count; i++)
			if (is_loaded (c, methods[i]))
				ask_all_of_method (c, methods[i]);
	}
	c->import->vtbl->CloseEnum (c->import, list);
	return has_some;
}

/* One without methods shows whether it is finished by its parent, which all but interfaces have then. */
static void
ask_plain_class (capture *c, mdToken klass)
{
	DWORD flags = 0;
	uint32_t extends = extends_of (c, klass, &flags);
	if (extends != UINT32_MAX && (extends || flags & FLAG_INTERFACE))
		ask_class (c, monocle_class_def (c->image->cli.record, klass));
}

/* What edits have added by now, of which only methods matter: the classes come with them. */
static void
catch_up_edits (monocle__clr_image *image)
{
	capture *c = monocle__emitted_open (image);
	mdToken method = 0x06000000 | monocle__ecma_rows (&image->cli.ecma, MONOCLE__TABLE_MethodDef);
	if (!c)
		return;
	while (c->import->vtbl->IsValidToken (c->import, ++method))
		if (is_loaded (c, method))
			ask_all_of_method (c, method);
	monocle__emitted_close (c);
}

void
monocle__emitted_catch_up (monocle__clr_image *image)
{
	if (image->is_editable) {
		catch_up_edits (image);
		return;
	}
	capture *c = mono_image_is_dynamic (image->cli.record) ? monocle__emitted_open (image) : NULL;
	HCORENUM list = NULL;
	mdToken classes[SOME];
	ULONG count = 0;
	if (!c)
		return;
	ask_methods (c, NO_CLASS);
	while (c->import->vtbl->EnumTypeDefs (c->import, &list, classes, SOME, &count) >= 0 && count)
		for (ULONG i = 0; i < count; i++)
			if (!ask_methods (c, classes[i]))
				ask_plain_class (c, classes[i]);
	c->import->vtbl->CloseEnum (c->import, list);
	monocle__emitted_close (c);
}

void
monocle__emitted_unload (monocle__clr_image *image, bool is_there)
{
	capture c;
	bool open = is_there && mono_image_is_dynamic (image->cli.record) && capture_begin (&c, image);
	monocle_image_unload (image->cli.record);
	if (open)
		capture_end (&c);
}
