/*
 * SPDX-License-Identifier: MIT
 *
 * names.c - prints how the runtime spells the types and methods of shapes.exe: one line for each thing, "KIND:KEY"
 * and then a column "WHAT=TEXT" for each question.
 *
 * It is a profiler module that links nothing, libmono-profiler-shapenames.so. Run by real Mono it gives shapes.tsv (see
 * oracle.py); the unit test includes it and compares, line by line, what the core says of the same shapes.
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
begin (const char *kind, const char *key)
{
	fprintf (out, "%s:%s", kind, key);
}

static void
end (void)
{
	fputc ('\n', out);
}

static void
column (const char *what, const char *text)
{
	fprintf (out, "\t%s=%s", what, text ? text : "(null)");
}

static void
column_free (const char *what, char *text)
{
	column (what, text);
	mono_free (text);
}

static void
column_hex (const char *what, uint32_t value)
{
	fprintf (out, "\t%s=0x%x", what, value);
}

static MonoImage *
shapes (void)
{
	return mono_image_loaded ("shapes");
}

static void
print_type (const char *kind, const char *key, MonoType *type)
{
	MonoClass *klass = mono_class_from_mono_type (type);
	MonoImage *image = mono_class_get_image (klass);
	begin (kind, key);
	column_free ("type_name", mono_type_get_name (type));
	column_free ("type_full_name", mono_type_full_name (type));
	column_hex ("type_code", mono_type_get_type (type));
	column_hex ("is_reference", mono_type_is_reference (type));
	column_hex ("is_struct", mono_type_is_struct (type));
	column_hex ("is_byref", mono_type_is_byref (type));
	column_hex ("is_pointer", mono_type_is_pointer (type));
	column_hex ("is_void", mono_type_is_void (type));
	column_hex ("is_generic_parameter", mono_type_is_generic_parameter (type));
	column_free ("underlying", mono_type_get_name (mono_type_get_underlying_type (type)));
	column ("class_name", mono_class_get_name (klass));
	column ("class_namespace", mono_class_get_namespace (klass));
	column_hex ("class_rank", mono_class_get_rank (klass));
	column ("class_image", mono_image_get_name (image));
	/* What corlib's own rows are differs from build to build. */
	if (image == shapes () || mono_class_get_type_token (klass) == 0) {
		column_hex ("class_token", mono_class_get_type_token (klass));
		column_hex ("class_flags", mono_class_get_flags (klass));
	}
	column_hex ("class_is_valuetype", mono_class_is_valuetype (klass));
	column_hex ("class_is_enum", mono_class_is_enum (klass));
	column_hex ("class_is_delegate", mono_class_is_delegate (klass));
	column ("class_element", mono_class_get_name (mono_class_get_element_class (klass)));
	/* A parameter's base class follows from its constraints, which hosts do not tell. */
	MonoClass *parent = mono_class_get_parent (klass);
	if (mono_type_is_generic_parameter (mono_class_get_type (klass)))
		column ("class_parent", "-");
	else if (parent)
		column_free ("class_parent", mono_type_full_name (mono_class_get_type (parent)));
	else
		column ("class_parent", NULL);
	MonoClass *nesting = mono_class_get_nesting_type (klass);
	column ("class_nesting", nesting ? mono_class_get_name (nesting) : NULL);
	/* For other codes Mono 6.8 returns whatever shares the union: not a class. */
	int code = mono_type_get_type (type);
	if (code == MONO_TYPE_CLASS || code == MONO_TYPE_VALUETYPE || code == MONO_TYPE_SZARRAY)
		column ("type_class", mono_class_get_name (mono_type_get_class (type)));
	column_free ("own_type", mono_type_get_name (mono_class_get_type (klass)));
	end ();
}

static void
print_method (const char *kind, const char *key, MonoMethod *method)
{
	begin (kind, key);
	column_free ("full_name", mono_method_full_name (method, 1));
	column_free ("full_name_0", mono_method_full_name (method, 0));
	column_free ("reflection_name", mono_method_get_reflection_name (method));
	column ("name", mono_method_get_name (method));
	MonoClass *klass = mono_method_get_class (method);
	column_free ("class", mono_type_get_name (mono_class_get_type (klass)));
	column_free ("class_full", mono_type_full_name (mono_class_get_type (klass)));
	column ("class_name", mono_class_get_name (klass));
	column ("class_namespace", mono_class_get_namespace (klass));
	uint32_t iflags = 0, flags = mono_method_get_flags (method, &iflags);
	if (mono_class_get_image (klass) == shapes ()) {
		column_hex ("token", mono_method_get_token (method));
		column_hex ("iflags", iflags);
		column_hex ("flags", flags);
	}
	MonoMethodSignature *signature = mono_method_signature (method);
	column_free ("desc_0", mono_signature_get_desc (signature, 0));
	column_free ("desc_1", mono_signature_get_desc (signature, 1));
	column_hex ("param_count", mono_signature_get_param_count (signature));
	column_hex ("is_instance", mono_signature_is_instance (signature));
	column_hex ("explicit_this", mono_signature_explicit_this (signature));
	column_hex ("call_conv", mono_signature_get_call_conv (signature));
	column_free ("return", mono_type_get_name (mono_signature_get_return_type (signature)));
	end ();
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

static void
print_image (const char *key, MonoImage *image)
{
	MonoAssemblyName *name = mono_assembly_get_name (mono_image_get_assembly (image));
	char text[64];
	uint16_t minor, build, revision, major = mono_assembly_name_get_version (name, &minor, &build, &revision);
	snprintf (text, sizeof text, "%d.%d.%d.%d", major, minor, build, revision);
	begin ("image", key);
	column ("version", text);
	column ("name", mono_image_get_name (image));
	column ("assembly_name", mono_assembly_name_get_name (name));
	column ("culture", mono_assembly_name_get_culture (name));
	column ("token", (const char *) mono_assembly_name_get_pubkeytoken (name));
	column_free ("stringify", mono_stringify_assembly_name (name));
	column_hex ("dynamic", mono_image_is_dynamic (image));
	end ();
}

/* --- patterns of methods ------------------------------------------------------------------------------------------ */

static const struct {
	const char *klass, *method, *pattern;
} patterns[] = {
	{ "NoNamespace", "Bare", "Bare" },
	{ "NoNamespace", "Bare", "Bare()" },
	{ "NoNamespace", "Bare", "*" },
	{ "NoNamespace", "Bare", "" },
	{ "NoNamespace", "Bare", ":Bare" },
	{ "NoNamespace", "Bare", "*:Bare" },
	{ "NoNamespace", "Bare", "*:*" },
	{ "NoNamespace", "Bare", "X.*:Bare" },
	{ "NoNamespace", "Bare", "No*:Bare" },
	{ "NoNamespace", "Bare", "NoName:Bare" },
	{ "NoNamespace", "Bare", "NoNamespaceX:Bare" },
	{ "NoNamespace", "Bare", ".NoNamespace:Bare" },
	{ "NoNamespace", "Bare", "N.S.NoNamespace:Bare" },
	{ "NoNamespace", "Bare", "NoNamespace.Bare" },
	{ "NoNamespace", "Bare", "NoNamespace:Bare" },
	{ "NoNamespace", "Bare", "NoNamespace::Bare" },
	{ "NoNamespace", "Bare", "NoNamespace :Bare" },
	{ "NoNamespace", "Bare", "NoNamespace: Bare" },
	{ "NoNamespace", "Bare", "NoNamespace:Bare()" },
	{ "NoNamespace", "Bare", "NoNamespace:Bare ()" },
	{ "NoNamespace", "Bare", "NoNamespace:Bare(" },
	{ "NoNamespace", "Bare", "NoNamespace:Bar" },
	{ "NoNamespace", "Bare", "NoNamespace:Ba*" },
	{ "NoNamespace", "Bare", "NoNamespace:B*re" },
	{ "NoNamespace", "Bare", "NoNamespace:*" },
	{ "Child", "BareChild", "NoNamespace/Child:BareChild" },
	{ "Child", "BareChild", "NoNamespace/Child:BareChild(NoNamespace/Child)" },
	{ "Child", "BareChild", "NoNamespace/Child:BareChild(Child)" },
	{ "Child", "BareChild", "Child:BareChild" },
	{ "Primitives", "Jagged", "Primitives:Jagged" },
	{ "Primitives", "Jagged", "S.Primitives:Jagged" },
	{ "Primitives", "Jagged", "*Primitives:Jagged" },
	{ "Primitives", "Jagged", "*.Primitives:Jagged" },
	{ "Primitives", "Jagged", "N.S.*:Jagged" },
	{ "Primitives", "Jagged", "N.S.Primitives:Jagged" },
	{ "Primitives", "Jagged", "*:Jagged(*)" },
	{ "Primitives", "Jagged", "Primitives:Jagged(int[][],*)" },
	{ "Primitives", "Jagged", "N.S.Primitives:Jagged(int[][])" },
	{ "Primitives", "References", "Primitives:References(int&,string&,int[]&,List`1<string>&,Color&)" },
	{ "Primitives", "References",
	  "Primitives:References(int&,string&,int[]&,System.Collections.Generic.List`1<string>&,N.S.Color&)" },
	{ "Inner`1", "NoArguments", "N.S.Outer`1/Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "X.Outer`1/Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "Outer`1/Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "Out/Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "*/Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "/Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "Inner`1:NoArguments" },
	{ "Inner`1", "NoArguments", "Outer`1:NoArguments" },
	{ "Operators", "set_Item", "Operators:set_Item(int,int)" },
	{ "Operators", "set_Item", "Operators:set_Item (int,int) " },
	{ "Operators", "set_Item", "Operators:set_Item(int, int)" },
	{ "Operators", "set_Item", "Operators:set_Item (int,int" },
	{ "Operators", "set_Item", "Operators:set_Item(Int32,Int32)" },
	{ "Operators", ".ctor", "Operators:.ctor" },
	{ "Operators", ".ctor", "Operators:.ctor ( )" },
	{ "Operators", ".ctor", "Operators:.ctor(int)" },
	{ "Operators", ".ctor", "N.S.Operators:.ctor()" },
	{ "Implementer", "N.S.IPlain.Explicit", "N.S.Implementer:N.S.IPlain.Explicit" },
};

static void
print_match (MonoMethod *method, const char *pattern, mono_bool include_namespace)
{
	char key[512];
	MonoMethodDesc *desc = mono_method_desc_new (pattern, include_namespace);
	snprintf (key, sizeof key, "%s|%s|%d", mono_method_get_name (method), pattern, include_namespace);
	begin ("pattern", key);
	column_hex ("is_desc", desc != NULL);
	if (desc) {
		column_hex ("match", mono_method_desc_match (desc, method));
		column_hex ("full_match", mono_method_desc_full_match (desc, method));
		column_hex ("is_full", mono_method_desc_is_full (desc));
		mono_method_desc_free (desc);
	}
	end ();
}

static void
print_patterns (MonoClass *klass, MonoMethod *method)
{
	for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
		if (!strcmp (patterns[i].klass, mono_class_get_name (klass)) &&
		    !strcmp (patterns[i].method, mono_method_get_name (method))) {
			print_match (method, patterns[i].pattern, 0);
			print_match (method, patterns[i].pattern, 1);
		}
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
			print_patterns (klass, method);
		}
	}
}

/* --- what the runtime runs ---------------------------------------------------------------------------------------- */

static void
runtime_initialized (MonoProfiler *prof)
{
	const char *path = getenv ("SHAPES_OUT");
	out = fopen (path ? path : "/dev/stdout", "w");
}

static MonoProfilerCallInstrumentationFlags
filter (MonoProfiler *prof, MonoMethod *method)
{
	const char *name = mono_image_get_name (mono_class_get_image (mono_method_get_class (method)));
	return name && !strcmp (name, "shapes") ? MONO_PROFILER_CALL_INSTRUMENTATION_ENTER : 0;
}

/* Of shared bodies this shows the stand-ins: A_REF and the like. */
static void
method_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	if (!out)
		return;
	print_method ("enter", mono_method_get_name (method), method);
	if (!strcmp (mono_method_get_name (method), "Simple"))
		print_params ("Simple", method);
}

static void
print_jit (MonoMethod *method)
{
	begin ("jit", mono_method_get_name (method));
	column_free ("full_name", mono_method_full_name (method, 1));
	column_free ("reflection_name", mono_method_get_reflection_name (method));
	end ();
}

/* And this the instances themselves, before they are shared. */
static void
jit_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	const char *image = mono_image_get_name (mono_class_get_image (mono_method_get_class (method)));
	if (out && image && !strcmp (image, "shapes") && mono_method_get_token (method))
		print_jit (method);
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
shutdown_end (MonoProfiler *prof)
{
	definitions ();
	corlib_method ("System", "Int32", "ToString", 0);
	corlib_method ("System", "String", "Concat", 4);
	corlib_method ("System", "Object", ".ctor", 0);
	corlib_method ("System", "IntPtr", "ToInt32", 0);
	corlib_method ("System.Collections.Generic", "List`1", "Add", 1);
	print_image ("shapes", shapes ());
	print_image ("corlib", mono_get_corlib ());
	begin ("no", "signature");
	column_free ("desc", mono_signature_get_desc (NULL, 1));
	end ();
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
