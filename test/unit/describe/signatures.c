/*
 * SPDX-License-Identifier: MIT
 *
 * signatures.c - prints every method of some images: "IMAGE TOKEN NAME | SIGNATURE", the name as
 * mono_method_full_name () writes it and the signature as mono_signature_get_desc () does.
 *
 * It is a profiler module that links nothing, libmono-profiler-signatures.so. Run by real Mono it opens the files that
 * SIGNATURES_OF lists (colons between), and writes to SIGNATURES_OUT when the runtime ends. file_signatures.c includes
 * it and prints the same with our own object model. Of odd.dll (odd_image.py) it prints all about every type as well.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/tokentype.h>

static FILE *out;

static void
print_method (const char *image, MonoMethod *method, uint32_t token)
{
	MonoMethodSignature *signature = method ? mono_method_signature (method) : NULL;
	if (!signature) {
		fprintf (out, "%s %08x unknown\n", image, token);
		return;
	}
	char *name = mono_method_full_name (method, 1), *desc = mono_signature_get_desc (signature, 1);
	char *result = mono_type_full_name (mono_signature_get_return_type (signature));
	fprintf (out, "%s %08x %s | %s | %s\n", image, token, name, desc, result);
	mono_free (name);
	mono_free (desc);
	mono_free (result);
}

/* --- all about a type --------------------------------------------------------------------------------------------- */

static void
print_text (const char *what, char *text)
{
	fprintf (out, "\t%s=%s", what, text ? text : "(null)");
	mono_free (text);
}

static void
print_shape (MonoArrayType *array)
{
	fprintf (out, "\trank=%d\telement=%s\tsizes=", array->rank, mono_class_get_name (array->eklass));
	for (int i = 0; i < array->numsizes; i++)
		fprintf (out, "%d,", array->sizes[i]);
	fprintf (out, "\tbounds=");
	for (int i = 0; i < array->numlobounds; i++)
		fprintf (out, "%d,", array->lobounds[i]);
}

static void
print_modifiers (MonoType *type)
{
	mono_bool required = 0;
	void *iter = NULL;
	MonoClass *modifier;
	while ((modifier = mono_type_get_modifiers (type, &required, &iter)))
		fprintf (out, "\t%s=%s", required ? "modreq" : "modopt", mono_class_get_name (modifier));
}

static void
print_pointed (MonoType *type)
{
	MonoMethodSignature *signature = mono_type_get_signature (type);
	print_text ("takes", mono_signature_get_desc (signature, 1));
	print_text ("returns", mono_type_full_name (mono_signature_get_return_type (signature)));
	fprintf (out, "\tconvention=%u", mono_signature_get_call_conv (signature));
}

static void
print_class (MonoMethod *method, MonoType *type)
{
	MonoClass *klass = mono_class_from_mono_type (type), *element = mono_class_get_element_class (klass);
	fprintf (out, "\tclass=%s\tspace=%s\town=%d\trank=%d", mono_class_get_name (klass),
	         mono_class_get_namespace (klass), klass == mono_method_get_class (method), mono_class_get_rank (klass));
	fprintf (out, "\telement_class=%s\town_element=%d", mono_class_get_name (element),
	         element == mono_method_get_class (method));
	print_text ("class_type", mono_type_full_name (mono_class_get_type (klass)));
	print_text ("class_il", mono_type_get_name (mono_class_get_type (klass)));
}

/* Asked for the size of void and of what is open Mono would end the process; without a runtime structs have none. */
static int
has_size (MonoType *type, int code)
{
	return mono_type_is_byref (type) || (code != MONO_TYPE_VOID && code != MONO_TYPE_VAR && code != MONO_TYPE_MVAR &&
	                                     code != MONO_TYPE_GENERICINST && !mono_type_is_struct (type));
}

static void
print_type (MonoMethod *method, int number, MonoType *type)
{
	int code = mono_type_get_type (type), alignment = 0;
	fprintf (out, "%s %d:\tcode=%x\tbyref=%d\tpointer=%d\treference=%d\tstruct=%d\tparameter=%d",
	         mono_method_get_name (method), number, code, mono_type_is_byref (type), mono_type_is_pointer (type),
	         mono_type_is_reference (type), mono_type_is_struct (type), mono_type_is_generic_parameter (type));
	print_text ("desc", mono_type_full_name (type));
	print_text ("il", mono_type_get_name (type));
	print_text ("underlying", mono_type_full_name (mono_type_get_underlying_type (type)));
	print_class (method, type);
	print_modifiers (type);
	if (code == MONO_TYPE_ARRAY)
		print_shape (mono_type_get_array_type (type));
	if (code == MONO_TYPE_PTR)
		print_text ("pointee", mono_type_full_name (mono_type_get_ptr_type (type)));
	if (code == MONO_TYPE_FNPTR)
		print_pointed (type);
	if (code == MONO_TYPE_GENERICINST)
		fprintf (out, "\tvaluetype=%d", mono_type_generic_inst_is_valuetype (type));
	if (has_size (type, code))
		fprintf (out, "\tstack=%d", mono_type_stack_size (type, &alignment));
	fprintf (out, "\talign=%d\n", alignment);
}

static void
print_types (MonoMethod *method)
{
	MonoMethodSignature *signature = mono_method_signature (method);
	void *iter = NULL;
	MonoType *type;
	fprintf (out, "%s:\tvararg=%d\tconvention=%u\n", mono_method_get_name (method),
	         mono_signature_vararg_start (signature), mono_signature_get_call_conv (signature));
	print_type (method, 0, mono_signature_get_return_type (signature));
	for (int i = 1; (type = mono_signature_get_params (signature, &iter)); i++)
		print_type (method, i, type);
}

/* --- images ------------------------------------------------------------------------------------------------------- */

static void
print_image (MonoImage *image, MonoMethod *(*method_of) (MonoImage *image, uint32_t token))
{
	int rows = mono_image_get_table_rows (image, MONO_TABLE_METHOD);
	for (int i = 1; i <= rows; i++) {
		uint32_t token = MONO_TOKEN_METHOD_DEF | (uint32_t) i;
		MonoMethod *method = method_of (image, token);
		print_method (mono_image_get_name (image), method, token);
		if (method && strcmp (mono_image_get_name (image), "odd") == 0)
			print_types (method);
	}
}

#ifndef SIGNATURES_OF_FILES

static MonoMethod *
get_method (MonoImage *image, uint32_t token)
{
	return mono_get_method (image, token, NULL);
}

static MonoImage *
open_image (const char *path)
{
	MonoImageOpenStatus status;
	MonoImage *image = mono_image_open (path, &status);
	if (image)
		mono_assembly_load_from (image, path, &status);
	return image;
}

static void
shutdown_end (MonoProfiler *prof)
{
	char *rest = NULL;
	out = fopen (getenv ("SIGNATURES_OUT"), "w");
	setlinebuf (out);
	for (char *path = strtok_r (getenv ("SIGNATURES_OF"), ":", &rest); path; path = strtok_r (NULL, ":", &rest)) {
		MonoImage *image = strstr (path, "/mscorlib.dll") ? mono_get_corlib () : open_image (path);
		if (image)
			print_image (image, get_method);
		else
			fprintf (out, "%s cannot be opened\n", path);
	}
	fclose (out);
}

void mono_profiler_init_signatures (const char *desc);

void
mono_profiler_init_signatures (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}

#endif
