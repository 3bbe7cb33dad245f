/*
 * SPDX-License-Identifier: MIT
 *
 * names.c - prints how the runtime it is loaded into spells the types and methods of shapes.exe, one "KEY<TAB>TEXT" a line.
 *
 * Built as libmono-profiler-shapenames.so and run by real Mono; its sorted output is shapes.tsv. Links nothing.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/metadata.h>
#include <mono/metadata/profiler.h>
#include <mono/metadata/tokentype.h>

static FILE *out;

static void
row (const char *kind, const char *key, const char *what, const char *text)
{
	fprintf (out, "%s:%s:%s\t%s\n", kind, key, what, text ? text : "(null)");
}

static void
row_free (const char *kind, const char *key, const char *what, char *text)
{
	row (kind, key, what, text);
	mono_free (text);
}

static void
row_hex (const char *kind, const char *key, const char *what, uint32_t value)
{
	char text[16];
	snprintf (text, sizeof text, "0x%x", value);
	row (kind, key, what, text);
}

static void
print_type (const char *kind, const char *key, MonoType *type)
{
	MonoClass *klass = mono_class_from_mono_type (type);
	row_free (kind, key, "type_name", mono_type_get_name (type));
	row_free (kind, key, "type_full_name", mono_type_full_name (type));
	row_hex (kind, key, "type_code", mono_type_get_type (type));
	row_hex (kind, key, "is_reference", mono_type_is_reference (type));
	row_hex (kind, key, "is_struct", mono_type_is_struct (type));
	row_hex (kind, key, "is_byref", mono_type_is_byref (type));
	row_hex (kind, key, "is_pointer", mono_type_is_pointer (type));
	row_hex (kind, key, "is_void", mono_type_is_void (type));
	row_hex (kind, key, "is_generic_parameter", mono_type_is_generic_parameter (type));
	row_free (kind, key, "underlying", mono_type_get_name (mono_type_get_underlying_type (type)));
	row (kind, key, "class_name", mono_class_get_name (klass));
	row (kind, key, "class_namespace", mono_class_get_namespace (klass));
	row_hex (kind, key, "class_rank", mono_class_get_rank (klass));
	row_hex (kind, key, "class_token", mono_class_get_type_token (klass));
	row (kind, key, "class_image", mono_image_get_name (mono_class_get_image (klass)));
	row_hex (kind, key, "class_is_valuetype", mono_class_is_valuetype (klass));
	row_hex (kind, key, "class_is_enum", mono_class_is_enum (klass));
	row_hex (kind, key, "class_is_delegate", mono_class_is_delegate (klass));
	row_hex (kind, key, "class_flags", mono_class_get_flags (klass));
	row (kind, key, "class_element", mono_class_get_name (mono_class_get_element_class (klass)));
	MonoClass *parent = mono_class_get_parent (klass);
	if (parent)
		row_free (kind, key, "class_parent", mono_type_full_name (mono_class_get_type (parent)));
	else
		row (kind, key, "class_parent", NULL);
	MonoClass *nesting = mono_class_get_nesting_type (klass);
	row (kind, key, "class_nesting", nesting ? mono_class_get_name (nesting) : NULL);
	/* For other codes Mono 6.8 returns whatever shares the union: not a class. */
	int code = mono_type_get_type (type);
	if (code == MONO_TYPE_CLASS || code == MONO_TYPE_VALUETYPE || code == MONO_TYPE_SZARRAY)
		row (kind, key, "type_class", mono_class_get_name (mono_type_get_class (type)));
	row_free (kind, key, "own_type", mono_type_get_name (mono_class_get_type (klass)));
}

static void
print_method (const char *kind, const char *key, MonoMethod *method)
{
	row_free (kind, key, "full_name", mono_method_full_name (method, 1));
	row_free (kind, key, "full_name_0", mono_method_full_name (method, 0));
	row_free (kind, key, "reflection_name", mono_method_get_reflection_name (method));
	row (kind, key, "name", mono_method_get_name (method));
	MonoClass *klass = mono_method_get_class (method);
	row_free (kind, key, "class", mono_type_get_name (mono_class_get_type (klass)));
	row_free (kind, key, "class_full", mono_type_full_name (mono_class_get_type (klass)));
	row (kind, key, "class_name", mono_class_get_name (klass));
	row (kind, key, "class_namespace", mono_class_get_namespace (klass));
	row_hex (kind, key, "token", mono_method_get_token (method));
	uint32_t iflags = 0, flags = mono_method_get_flags (method, &iflags);
	row_hex (kind, key, "flags", flags);
	row_hex (kind, key, "iflags", iflags);
	MonoMethodSignature *signature = mono_method_signature (method);
	row_free (kind, key, "desc_0", mono_signature_get_desc (signature, 0));
	row_free (kind, key, "desc_1", mono_signature_get_desc (signature, 1));
	row_hex (kind, key, "param_count", mono_signature_get_param_count (signature));
	row_hex (kind, key, "is_instance", mono_signature_is_instance (signature));
	row_hex (kind, key, "explicit_this", mono_signature_explicit_this (signature));
	row_hex (kind, key, "call_conv", mono_signature_get_call_conv (signature));
	row_free (kind, key, "return", mono_type_get_name (mono_signature_get_return_type (signature)));
}

static void
print_params (const char *key, MonoMethod *method)
{
	void *iter = NULL;
	MonoType *type;
	MonoMethodSignature *signature = mono_method_signature (method);
	for (int i = 0; (type = mono_signature_get_params (signature, &iter)); i++) {
		char name[256];
		snprintf (name, sizeof name, "%s.%d", key, i);
		print_type ("param", name, type);
	}
}

static MonoImage *
shapes (void)
{
	return mono_image_loaded ("shapes");
}

static void
definitions (void)
{
	MonoImage *image = shapes ();
	int rows = mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF);
	for (int i = 2; i <= rows; i++) {
		MonoClass *klass = mono_class_get (image, MONO_TOKEN_TYPE_DEF | i);
		void *iter = NULL;
		MonoMethod *method;
		print_type ("typedef", mono_class_get_name (klass), mono_class_get_type (klass));
		while ((method = mono_class_get_methods (klass, &iter))) {
			char key[256];
			snprintf (key, sizeof key, "%s.%s", mono_class_get_name (klass), mono_method_get_name (method));
			print_method ("def", key, method);
			print_params (key, method);
		}
	}
}

static void
print_image (const char *key, MonoImage *image)
{
	MonoAssembly *assembly = mono_image_get_assembly (image);
	MonoAssemblyName *name = mono_assembly_get_name (assembly);
	char text[64];
	uint16_t minor, build, revision, major = mono_assembly_name_get_version (name, &minor, &build, &revision);
	snprintf (text, sizeof text, "%d.%d.%d.%d", major, minor, build, revision);
	row ("image", key, "version", text);
	row ("image", key, "name", mono_image_get_name (image));
	row ("image", key, "assembly_name", mono_assembly_name_get_name (name));
	row ("image", key, "culture", mono_assembly_name_get_culture (name));
	row ("image", key, "token", (const char *) mono_assembly_name_get_pubkeytoken (name));
	row_free ("image", key, "stringify", mono_stringify_assembly_name (name));
	row_hex ("image", key, "dynamic", mono_image_is_dynamic (image));
}

static void
desc_match (const char *pattern, mono_bool include_namespace, const char *klass_name, const char *method_name)
{
	MonoImage *image = shapes ();
	int rows = mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF);
	for (int i = 2; i <= rows; i++) {
		MonoClass *klass = mono_class_get (image, MONO_TOKEN_TYPE_DEF | i);
		void *iter = NULL;
		MonoMethod *method;
		while (!strcmp (mono_class_get_name (klass), klass_name) && (method = mono_class_get_methods (klass, &iter))) {
			if (strcmp (mono_method_get_name (method), method_name))
				continue;
			MonoMethodDesc *desc = mono_method_desc_new (pattern, include_namespace);
			char answer[64] = "no desc", key[256];
			if (desc)
				snprintf (answer, sizeof answer, "match=%d full=%d is_full=%d", mono_method_desc_match (desc, method),
				          mono_method_desc_full_match (desc, method), mono_method_desc_is_full (desc));
			snprintf (key, sizeof key, "%s/%s/%d", method_name, pattern, include_namespace);
			row ("desc", key, "answer", answer);
			if (desc)
				mono_method_desc_free (desc);
		}
	}
}

static void
descs (void)
{
	static const char *const patterns[] = {
		"Bare", ":Bare", "NoNamespace:Bare", "NoNamespace:Bare()", "NoNamespace:Bare ()", "NoNamespace::Bare", "*:Bare",
		"No*:Bare", "NoNamespace:*", "NoNamespace:Ba*", "NoNamespace:B*re", "N.S.NoNamespace:Bare", "Bare()", "*:*", "NoNamespace.Bare", "*", "", "NoName:Bare",
		"X.*:Bare", "NoNamespaceX:Bare", "NoNamespace:Bar", "NoNamespace:Bare(", "NoNamespace: Bare", "NoNamespace :Bare", ".NoNamespace:Bare",
	};
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++) {
		desc_match (patterns[i], 1, "NoNamespace", "Bare");
		desc_match (patterns[i], 0, "NoNamespace", "Bare");
	}
	static const char *const others[] = {
		"Primitives:Jagged", "N.S.Primitives:Jagged", "N.S.Primitives:Jagged (int[][],int[,,],int[,][],int[][,],string[],object[])",
		"N.S.Primitives:Jagged(int[][],int[,,],int[][,],int[,][],string[],object[])", "S.Primitives:Jagged", "*Primitives:Jagged",
		"N.S.*:Jagged", "*.Primitives:Jagged", "*:Jagged(*)", "Primitives:Jagged(int[][],*)", "N.S.Primitives:Jagged(int[][])",
	};
	for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
		desc_match (others[i], 1, "Primitives", "Jagged");
		desc_match (others[i], 0, "Primitives", "Jagged");
	}
	desc_match ("N.S.Outer`1/Inner`1:NoArguments", 1, "Inner`1", "NoArguments");
	desc_match ("Outer`1/Inner`1:NoArguments", 0, "Inner`1", "NoArguments");
	desc_match ("Inner`1:NoArguments", 0, "Inner`1", "NoArguments");
	desc_match ("Inner`1:NoArguments", 1, "Inner`1", "NoArguments");
	desc_match ("/Inner`1:NoArguments", 1, "Inner`1", "NoArguments");
	desc_match ("Out/Inner`1:NoArguments", 0, "Inner`1", "NoArguments");
	desc_match ("X.Outer`1/Inner`1:NoArguments", 1, "Inner`1", "NoArguments");
	desc_match ("*/Inner`1:NoArguments", 1, "Inner`1", "NoArguments");
	desc_match ("Outer`1:NoArguments", 1, "Inner`1", "NoArguments");
	desc_match ("Operators:set_Item(int, int)", 0, "Operators", "set_Item");
	desc_match ("Operators:set_Item(int,int)", 0, "Operators", "set_Item");
	desc_match ("Operators:set_Item (int,int) ", 0, "Operators", "set_Item");
	desc_match ("Operators:set_Item (int,int", 0, "Operators", "set_Item");
	desc_match ("Operators:set_Item(Int32,Int32)", 0, "Operators", "set_Item");
	desc_match ("Operators:.ctor ( )", 0, "Operators", ".ctor");
	desc_match ("NoNamespace/Child:BareChild", 1, "Child", "BareChild");
	desc_match ("NoNamespace/Child:BareChild(NoNamespace/Child)", 1, "Child", "BareChild");
	desc_match ("NoNamespace/Child:BareChild(Child)", 0, "Child", "BareChild");
	desc_match ("Child:BareChild", 0, "Child", "BareChild");
	desc_match ("Operators:.ctor", 0, "Operators", ".ctor");
	desc_match ("Operators:.ctor(int)", 0, "Operators", ".ctor");
	desc_match ("N.S.Operators:.ctor()", 1, "Operators", ".ctor");
	desc_match ("N.S.Implementer:N.S.IPlain.Explicit", 1, "Implementer", "N.S.IPlain.Explicit");
	desc_match ("N.S.Primitives:References(int&,string&,int[]&,System.Collections.Generic.List`1<string>&,N.S.Color&)", 1, "Primitives", "References");
	desc_match ("N.S.Primitives:References(int&,string&,int[]&,List`1&,Color&)", 0, "Primitives", "References");
}

static void
runtime_initialized (MonoProfiler *prof)
{
	out = fopen (getenv ("SHAPES_OUT") ? getenv ("SHAPES_OUT") : "/dev/stdout", "w");
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	const char *name = mono_image_get_name (mono_class_get_image (mono_method_get_class (method)));
	return name && !strcmp (name, "shapes") ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : 0;
}

static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	char key[512];
	snprintf (key, sizeof key, "%s", mono_method_get_name (method));
	if (out) {
		print_method ("enter", key, method);
		print_params (key, method);
	}
}

static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	const char *image = mono_image_get_name (mono_class_get_image (mono_method_get_class (method)));
	if (out && image && !strcmp (image, "shapes") && !strstr (mono_method_get_name (method), "runtime_invoke"))
		print_method ("jit", mono_method_get_name (method), method);
}

static void
corlib_method (const char *name_space, const char *class_name, const char *name, int params)
{
	MonoClass *klass = mono_class_from_name (mono_get_corlib (), name_space, class_name);
	MonoMethod *method = mono_class_get_method_from_name (klass, name, params);
	char key[256];
	snprintf (key, sizeof key, "%s.%s/%d", class_name, name, params);
	print_method ("corlib", key, method);
}

static void
corlib_methods (void)
{
	corlib_method ("System", "Int32", "ToString", 0);
	corlib_method ("System", "String", "Concat", 2);
	corlib_method ("System", "Object", ".ctor", 0);
	corlib_method ("System", "IntPtr", "ToInt32", 0);
	corlib_method ("System", "Math", "Abs", 1);
	corlib_method ("System.Collections.Generic", "List`1", "Add", 1);
	MonoClass *array = mono_array_class_get (mono_get_int32_class (), 2);
	MonoMethod *set = mono_class_get_method_from_name (array, "Set", 3);
	print_method ("corlib", "Int32[,].Set", set);
	row_free ("null", "signature", "desc", mono_signature_get_desc (NULL, 1));
}

static void
shutdown_end (MonoProfiler *prof)
{
	definitions ();
	descs ();
	corlib_methods ();
	print_image ("shapes", shapes ());
	print_image ("corlib", mono_get_corlib ());
	print_type ("wellknown", "void", mono_class_get_type (mono_get_void_class ()));
	print_type ("wellknown", "array", mono_class_get_type (mono_get_array_class ()));
	fclose (out);
}

void mono_profiler_init_shapenames (const char *desc);

void
mono_profiler_init_shapenames (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	mono_profiler_set_runtime_initialized_callback (handle, runtime_initialized);
	mono_profiler_set_call_instrumentation_filter_callback (handle, filter);
	mono_profiler_set_method_enter_callback (handle, method_enter);
	mono_profiler_set_jit_done_callback (handle, jit_done);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}
