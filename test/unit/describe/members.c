/*
 * SPDX-License-Identifier: MIT
 *
 * members.c - prints what the runtime says of the members, relations and layouts of an image's classes: one line for
 * each thing, "KIND:KEY" and then a column "WHAT=TEXT" for each question.
 *
 * It is a profiler module that links nothing, libmono-profiler-members.so. Real Mono runs it over members.exe and its
 * core library; file_members.c includes it and asks the core about the same files (see test_members.py).
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

static void
column_class (const char *what, MonoClass *klass)
{
	if (klass)
		column_free (what, mono_type_full_name (mono_class_get_type (klass)));
	else
		column (what, NULL);
}

static void
column_method (const char *what, MonoMethod *method)
{
	if (method)
		column_free (what, mono_method_full_name (method, 1));
	else
		column (what, NULL);
}

static void
begin_member (const char *kind, MonoClass *klass, const char *name)
{
	char *text = mono_type_full_name (mono_class_get_type (klass));
	fprintf (out, "%s:%s::%s", kind, text, name);
	mono_free (text);
}

static void
column_bytes (const char *what, const char *data, size_t size)
{
	fprintf (out, "\t%s=", what);
	if (!data)
		fputs ("(null)", out);
	for (size_t i = 0; data && i < size; i++)
		fprintf (out, "%02x", data[i] & 0xff);
}

/* --- members ------------------------------------------------------------------------------------------------------ */

static void
print_field (MonoClass *klass, MonoClassField *field)
{
	uint32_t flags = mono_field_get_flags (field);
	begin_member ("field", klass, mono_field_get_name (field));
	column_free ("full_name", mono_field_full_name (field));
	column_free ("type", mono_type_full_name (mono_field_get_type (field)));
	column_class ("parent", mono_field_get_parent (field));
	column_hex ("flags", flags);
	column_hex ("token", mono_class_get_field_token (field));
	column_hex ("found", mono_class_get_field (klass, mono_class_get_field_token (field)) == field);
	const char *data = mono_field_get_data (field);
	/* A constant's length stands in front of it. Of other data only the first byte is sure to be there. */
	column_bytes ("data", data, data && flags & 0x8000 ? (size_t) (data[0] & 0x7f) + 1 : 1);
	end ();
}

static void
print_property (MonoClass *klass, MonoProperty *property)
{
	begin_member ("property", klass, mono_property_get_name (property));
	column_class ("parent", mono_property_get_parent (property));
	column_hex ("flags", mono_property_get_flags (property));
	column_hex ("token", mono_class_get_property_token (property));
	column_method ("get", mono_property_get_get_method (property));
	column_method ("set", mono_property_get_set_method (property));
	end ();
}

static void
print_event (MonoClass *klass, MonoEvent *event)
{
	begin_member ("event", klass, mono_event_get_name (event));
	column_class ("parent", mono_event_get_parent (event));
	column_hex ("flags", mono_event_get_flags (event));
	column_hex ("token", mono_class_get_event_token (event));
	column_method ("add", mono_event_get_add_method (event));
	column_method ("remove", mono_event_get_remove_method (event));
	column_method ("raise", mono_event_get_raise_method (event));
	end ();
}

static void
print_marshalling (MonoMethod *method, uint32_t count)
{
	MonoMarshalSpec *specs[64] = { NULL };
	mono_method_get_marshal_info (method, specs);
	for (uint32_t i = 0; i < count; i++)
		if (specs[i]) {
			fprintf (out, "\tmarshal%u=0x%x", i, specs[i]->native);
			mono_metadata_free_marshal_spec (specs[i]);
		}
}

static void
print_method (MonoClass *klass, MonoMethod *method)
{
	char *name = mono_method_full_name (method, 1);
	uint32_t iflags = 0, flags = mono_method_get_flags (method, &iflags);
	uint32_t count = mono_signature_get_param_count (mono_method_signature (method));
	const char *params[64] = { NULL };
	begin_member ("method", klass, name);
	mono_free (name);
	column_class ("class", mono_method_get_class (method));
	column_hex ("flags", flags);
	column_hex ("iflags", iflags);
	column_hex ("token", mono_method_get_token (method));
	if (mono_method_get_token (method))
		column_hex ("index", mono_method_get_index (method));
	if (count <= 64)
		mono_method_get_param_names (method, params);
	for (uint32_t i = 0; i < count && i < 64; i++)
		fprintf (out, "\tparam%u=%s,0x%x", i, params[i] ? params[i] : "(null)",
		         mono_method_get_param_token (method, (int) i));
	column_hex ("has_marshal", mono_method_has_marshal_info (method));
	if (count < 64)
		print_marshalling (method, count + 1);
	column_method ("inflated", mono_get_inflated_method (method));
	end ();
}

static void
print_lists (MonoClass *klass)
{
	void *iter = NULL;
	MonoMethod *method;
	MonoClassField *field;
	MonoProperty *property;
	MonoEvent *event;
	while ((method = mono_class_get_methods (klass, &iter)))
		print_method (klass, method);
	for (iter = NULL; (field = mono_class_get_fields (klass, &iter));)
		print_field (klass, field);
	for (iter = NULL; (property = mono_class_get_properties (klass, &iter));)
		print_property (klass, property);
	for (iter = NULL; (event = mono_class_get_events (klass, &iter));)
		print_event (klass, event);
}

static void
print_names (MonoClass *klass)
{
	void *iter = NULL;
	MonoClass *other;
	fputs ("\tinterfaces=", out);
	while ((other = mono_class_get_interfaces (klass, &iter))) {
		char *name = mono_type_full_name (mono_class_get_type (other));
		fprintf (out, "%s;", name);
		mono_free (name);
	}
	fputs ("\tnested=", out);
	for (iter = NULL; (other = mono_class_get_nested_types (klass, &iter));) {
		char *name = mono_type_full_name (mono_class_get_type (other));
		fprintf (out, "%s;", name);
		mono_free (name);
	}
}

/* What a type parameter is constrained to shows in its base class and its interfaces. */
static void
print_parameter (MonoClass *klass, const char *member, MonoType *type)
{
	MonoClass *other, *param = mono_class_from_mono_type (type);
	void *iter = NULL;
	if (!mono_type_is_generic_parameter (mono_class_get_type (param)))
		return;
	begin_member ("parameter", klass, member);
	column ("name", mono_class_get_name (param));
	column_class ("parent", mono_class_get_parent (param));
	fputs ("\tinterfaces=", out);
	while ((other = mono_class_get_interfaces (param, &iter))) {
		char *name = mono_type_full_name (mono_class_get_type (other));
		fprintf (out, "%s;", name);
		mono_free (name);
	}
	end ();
}

static void
print_parameters (MonoClass *klass)
{
	void *iter = NULL;
	MonoClassField *field;
	MonoMethod *method;
	while ((field = mono_class_get_fields (klass, &iter)))
		print_parameter (klass, mono_field_get_name (field), mono_field_get_type (field));
	for (iter = NULL; (method = mono_class_get_methods (klass, &iter));) {
		void *params = NULL;
		MonoType *type;
		while ((type = mono_signature_get_params (mono_method_signature (method), &params)))
			print_parameter (klass, mono_method_get_name (method), type);
	}
}

/* Files do not tell the sizes of structs. */
static mono_bool
has_plain_statics (MonoClass *klass)
{
	void *iter = NULL;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter)))
		if (mono_field_get_flags (field) & 0x10 && mono_type_is_struct (mono_field_get_type (field)))
			return 0;
	return 1;
}

static void
print_class (MonoClass *klass)
{
	char *name = mono_type_full_name (mono_class_get_type (klass));
	begin ("class", name);
	mono_free (name);
	column_hex ("flags", mono_class_get_flags (klass));
	column_hex ("methods", mono_class_num_methods (klass));
	column_hex ("fields", mono_class_num_fields (klass));
	column_hex ("properties", mono_class_num_properties (klass));
	column_hex ("events", mono_class_num_events (klass));
	column_hex ("delegate", mono_class_is_delegate (klass));
	column_hex ("min_align", (uint32_t) mono_class_min_align (klass));
	column_hex ("nullable", mono_class_is_nullable (klass));
	if (has_plain_statics (klass))
		column_hex ("data_size", (uint32_t) mono_class_data_size (klass));
	column_class ("parent", mono_class_get_parent (klass));
	column_class ("element", mono_class_get_element_class (klass));
	if (mono_class_is_nullable (klass))
		column_class ("nullable_param", mono_class_get_nullable_param (klass));
	print_names (klass);
	end ();
	print_lists (klass);
	print_parameters (klass);
}

/* --- relations ---------------------------------------------------------------------------------------------------- */

enum { SUBJECTS = 512 };
static MonoClass *subjects[SUBJECTS];
static int subject_count;

static void
add_subject (MonoClass *klass)
{
	for (int i = 0; i < subject_count; i++)
		if (subjects[i] == klass)
			return;
	if (klass && subject_count < SUBJECTS)
		subjects[subject_count++] = klass;
}

/* Mono dies of a parameter and a pointer. */
static mono_bool
is_deadly (MonoClass *klass, MonoClass *other)
{
	MonoType *type = mono_class_get_type (klass), *against = mono_class_get_type (other);
	if (mono_type_is_generic_parameter (against))
		return mono_type_get_type (type) == MONO_TYPE_PTR;
	return mono_type_is_generic_parameter (type) && mono_type_get_type (against) == MONO_TYPE_PTR;
}

static void
print_relation (const char *what, MonoClass *klass, mono_bool (*is_related) (MonoClass *, MonoClass *))
{
	char *name = mono_type_full_name (mono_class_get_type (klass));
	begin (what, name);
	mono_free (name);
	fputc ('\t', out);
	for (int i = 0; i < subject_count; i++)
		if (!is_deadly (klass, subjects[i]) && is_related (klass, subjects[i])) {
			name = mono_type_full_name (mono_class_get_type (subjects[i]));
			fprintf (out, "%s;", name);
			mono_free (name);
		}
	end ();
}

static mono_bool
is_subclass (MonoClass *klass, MonoClass *other)
{
	return mono_class_is_subclass_of (klass, other, 0);
}

static mono_bool
is_subclass_or_implements (MonoClass *klass, MonoClass *other)
{
	return mono_class_is_subclass_of (klass, other, 1);
}

static void
print_relations (void)
{
	for (int i = 0; i < subject_count; i++) {
		print_relation ("subclass", subjects[i], is_subclass);
		print_relation ("subclass_or_implements", subjects[i], is_subclass_or_implements);
		print_relation ("implements", subjects[i], mono_class_implements_interface);
		print_relation ("assignable", subjects[i], mono_class_is_assignable_from);
	}
}

/* --- look-ups ----------------------------------------------------------------------------------------------------- */

static const char *const names[][2] = {
	{ "", "Dog" },
	{ "", "dog" },
	{ "", "Animal/Inner" },
	{ "", "Animal/Inner/Innermost" },
	{ "", "Animal/inner" },
	{ "", "Inner" },
	{ "", "Animal/Nothing" },
	{ "", "Nothing/Inner" },
	{ "", "Animal/" },
	{ "", "/Inner" },
	{ "", "" },
	{ "", "Animal+Inner" },
	{ "", "Animal.Inner" },
	{ "Access", "Owner" },
	{ "access", "owner" },
	{ "Access", "OWNER" },
	{ "", "Access.Owner" },
	{ "Access", "Owner/Nested" },
	{ "access", "owner/nested" },
	{ "", "Box`1" },
	{ "", "Box" },
	{ "", "Box`1/Nested/Deep`1" },
	{ "", "Int32" },
	{ "System", "Int32" },
	{ "", "<Module>" },
	{ "", "int" },
	{ "", "Dog[]" },
};
static const char *const member_names[] = {
	"age", "Age",     "Name", "Item",  "Total",   "Alive", "toy",   "Legs",   "value",   "counter", "Value",
	"x",   "value__", "A",    "Count", "missing", "",      "_size", "Length", "m_value", "friend",  "AGE",
};

static void
print_look_ups (MonoImage *image)
{
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		char key[128];
		snprintf (key, sizeof key, "%s|%s", names[i][0], names[i][1]);
		begin ("lookup", key);
		column_class ("exact", mono_class_from_name (image, names[i][0], names[i][1]));
		column_class ("case", mono_class_from_name_case (image, names[i][0], names[i][1]));
		end ();
	}
}

static void
print_member_look_ups (MonoClass *klass)
{
	char *name = mono_type_full_name (mono_class_get_type (klass));
	begin ("member_lookup", name);
	mono_free (name);
	for (size_t i = 0; i < sizeof member_names / sizeof *member_names; i++) {
		MonoClassField *field = mono_class_get_field_from_name (klass, member_names[i]);
		MonoProperty *property = mono_class_get_property_from_name (klass, member_names[i]);
		char what[64];
		snprintf (what, sizeof what, "field.%s", member_names[i]);
		if (field)
			column_free (what, mono_field_full_name (field));
		snprintf (what, sizeof what, "property.%s", member_names[i]);
		if (property)
			column_class (what, mono_property_get_parent (property));
	}
	column_method ("ToString", mono_class_get_method_from_name (klass, "ToString", 0));
	column_method (".ctor", mono_class_get_method_from_name (klass, ".ctor", -1));
	column_method ("Do", mono_class_get_method_from_name (klass, "Do", 0));
	end ();
}

static void
print_tokens (MonoImage *image)
{
	static const struct {
		uint32_t table, type;
	} tables[] = {
		{ MONO_TABLE_TYPEDEF, MONO_TOKEN_TYPE_DEF },
		{ MONO_TABLE_TYPEREF, MONO_TOKEN_TYPE_REF },
		{ MONO_TABLE_TYPESPEC, MONO_TOKEN_TYPE_SPEC },
	};
	for (int t = 0; t < 3; t++)
		for (int row = 1; row <= mono_image_get_table_rows (image, tables[t].table); row++) {
			uint32_t token = tables[t].type | row;
			begin ("token", "");
			column_hex ("value", token);
			column_free ("name", mono_class_name_from_token (image, token));
			MonoClass *klass = mono_class_get (image, token);
			column ("class", klass ? mono_class_get_name (klass) : NULL);
			column_hex ("same", mono_class_get_full (image, token, NULL) == klass);
			if (tables[t].type == MONO_TOKEN_TYPE_REF)
				column_hex ("typeref", mono_class_from_typeref (image, token) == klass);
			end ();
		}
}

/* Mono dies of naming a type parameter that a token leaves open, so only names without arguments are printed. */
static void
print_referred (MonoMethod *method, MonoMethodSignature *signature)
{
	column ("class", mono_class_get_name (mono_method_get_class (method)));
	column ("method", mono_method_get_name (method));
	column_hex ("token", mono_method_get_token (method));
	column_hex ("params", mono_signature_get_param_count (signature));
	column_hex ("return", mono_type_get_type (mono_signature_get_return_type (signature)));
}

static void
print_member_tokens (MonoImage *image)
{
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_MEMBERREF); row++) {
		uint32_t token = MONO_TOKEN_MEMBER_REF | row;
		begin ("memberref", "");
		column_hex ("value", token);
		MonoMethod *method = mono_get_method (image, token, NULL);
		MonoClass *klass = NULL;
		MonoClassField *field = method ? NULL : mono_field_from_token (image, token, &klass, NULL);
		if (method)
			print_referred (method, mono_method_get_signature (method, image, token));
		if (field) {
			column_free ("field", mono_field_full_name (field));
			column ("class", mono_class_get_name (klass));
		}
		end ();
	}
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_METHODSPEC); row++) {
		begin ("methodspec", "");
		column_hex ("value", MONO_TOKEN_METHOD_SPEC | row);
		MonoMethod *method = mono_get_method (image, MONO_TOKEN_METHOD_SPEC | row, NULL);
		if (method)
			print_referred (method, mono_method_get_signature (method, image, MONO_TOKEN_METHOD_SPEC | row));
		end ();
	}
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_FIELD); row++) {
		MonoClass *klass = NULL;
		MonoClassField *field = mono_field_from_token (image, MONO_TOKEN_FIELD_DEF | row, &klass, NULL);
		begin ("fielddef", "");
		column_hex ("value", MONO_TOKEN_FIELD_DEF | row);
		if (field)
			column_free ("field", mono_field_full_name (field));
		column_class ("class", klass);
		end ();
	}
}

/* --- constrained calls ------------------------------------------------------------------------------------------- */

static const char *const receivers[] = { "Speaker", "Talker", "Whisperer", "Point", "Dog", "Usual", "Puppy" };

static void
print_constrained (MonoImage *image, uint32_t token, const char *name)
{
	MonoClass *klass = mono_class_from_name (image, "", name);
	MonoMethod *named = NULL, *method = mono_get_method_constrained (image, token, klass, NULL, &named);
	begin ("constrained", name);
	column_hex ("token", token);
	column_method ("named", named);
	column_method ("method", method);
	end ();
}

/* What a receiver does not implement is not asked about: Mono dies of it. */
static void
print_all_constrained (MonoImage *image, uint32_t token)
{
	MonoMethod *method = mono_get_method (image, token, NULL);
	MonoClass *klass = method ? mono_method_get_class (method) : NULL;
	uint32_t flags = method ? mono_method_get_flags (method, NULL) : 0;
	const char *wanted = klass ? mono_class_get_name (klass) : "";
	if (strcmp (wanted, "Object") && strcmp (wanted, "ISpeaks") && strcmp (wanted, "ISpeaks`1"))
		return;
	for (size_t i = 0; flags & 0x40 && i < sizeof receivers / sizeof *receivers; i++)
		if (mono_class_is_assignable_from (klass, mono_class_from_name (image, "", receivers[i])))
			print_constrained (image, token, receivers[i]);
}

static void
print_constraints (MonoImage *image)
{
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_MEMBERREF); row++)
		print_all_constrained (image, MONO_TOKEN_MEMBER_REF | row);
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_METHOD); row++)
		print_all_constrained (image, MONO_TOKEN_METHOD_DEF | row);
}

/* --- access ------------------------------------------------------------------------------------------------------- */

static int
is_access (MonoClass *klass)
{
	while (mono_class_get_nesting_type (klass))
		klass = mono_class_get_nesting_type (klass);
	return !strcmp (mono_class_get_namespace (klass), "Access");
}

static void
print_accessible (MonoMethod *from, MonoClass *klass)
{
	void *iter = NULL;
	MonoMethod *method;
	MonoClassField *field;
	while ((field = mono_class_get_fields (klass, &iter)))
		if (mono_method_can_access_field (from, field)) {
			char *name = mono_field_full_name (field);
			fprintf (out, "\t%s", name);
			mono_free (name);
		}
	for (iter = NULL; (method = mono_class_get_methods (klass, &iter));)
		if (mono_method_can_access_method (from, method)) {
			char *name = mono_method_full_name (method, 1);
			fprintf (out, "\t%s", name);
			mono_free (name);
		}
}

static void
print_access (void)
{
	void *iter;
	MonoMethod *method;
	for (int i = 0; i < subject_count; i++)
		for (iter = NULL; is_access (subjects[i]) && (method = mono_class_get_methods (subjects[i], &iter));) {
			begin_member ("access", subjects[i], mono_method_get_name (method));
			for (int k = 0; k < subject_count; k++)
				if (is_access (subjects[k]) || !strcmp (mono_class_get_name (subjects[k]), "Animal"))
					print_accessible (method, subjects[k]);
			end ();
		}
}

/* --- everything --------------------------------------------------------------------------------------------------- */

/* All members of an image's own classes. Who includes this file need not ask everything. */
__attribute__ ((unused)) static void
print_definitions (MonoImage *image)
{
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF); row++) {
		MonoClass *klass = mono_class_get (image, MONO_TOKEN_TYPE_DEF | row);
		if (klass)
			print_class (klass);
	}
}

/* The type parameters of the methods of Constraints. */
static void
add_parameters (MonoClass *klass)
{
	void *iter = NULL;
	MonoMethod *method;
	while ((method = mono_class_get_methods (klass, &iter))) {
		void *params = NULL;
		MonoType *type;
		while ((type = mono_signature_get_params (mono_method_signature (method), &params)))
			add_subject (mono_class_from_mono_type (type));
	}
}

__attribute__ ((unused)) static void
print_program (MonoImage *image)
{
	MonoClassField *field;
	void *iter = NULL;
	for (int row = 1; row <= mono_image_get_table_rows (image, MONO_TABLE_TYPEDEF); row++)
		add_subject (mono_class_get (image, MONO_TOKEN_TYPE_DEF | row));
	MonoClass *list = mono_class_from_name (image, "", "Subjects");
	while ((field = mono_class_get_fields (list, &iter)))
		add_subject (mono_class_from_mono_type (mono_field_get_type (field)));
	add_parameters (mono_class_from_name (image, "", "Constraints"));
	for (int i = 0; i < subject_count; i++) {
		if (mono_class_get_image (subjects[i]) == image || mono_class_get_rank (subjects[i]))
			print_class (subjects[i]);
		print_member_look_ups (subjects[i]);
	}
	print_relations ();
	print_look_ups (image);
	print_tokens (image);
	print_member_tokens (image);
	print_constraints (image);
	print_access ();
}

#ifndef MEMBERS_NO_MODULE
static void
runtime_initialized (MonoProfiler *prof)
{
	const char *path = getenv ("MEMBERS_OUT");
	out = fopen (path ? path : "/dev/stdout", "w");
	begin ("corlib", mono_image_get_filename (mono_get_corlib ()));
	end ();
}

static void
shutdown_end (MonoProfiler *prof)
{
	print_program (mono_image_loaded ("members"));
	print_definitions (mono_get_corlib ());
	fclose (out);
}

void mono_profiler_init_members (const char *desc);

void
mono_profiler_init_members (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	mono_profiler_set_runtime_initialized_callback (handle, runtime_initialized);
	mono_profiler_set_runtime_shutdown_end_callback (handle, shutdown_end);
}
#endif
