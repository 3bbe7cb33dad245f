/*
 * SPDX-License-Identifier: MIT
 *
 * calls.c - calls that take more than an expression: what they take is given back, what they answer is a number or a
 * pointer that may be compared.
 */
#include <string.h>
#include "calls.h"

/* --- the runtime, images, patterns -------------------------------------------------------------------------------- */

size_t
text_length (const char *text)
{
	return text ? strlen (text) : 0;
}

const char *
base_name (const char *path)
{
	const char *slash = path ? strrchr (path, '/') : NULL;

	return slash ? slash + 1 : path;
}

size_t
build_info_length (void)
{
	char *info = mono_get_runtime_build_info ();
	size_t length = text_length (info);

	free (info);
	return length;
}

/* ceq, which has two bytes. */
int
first_opcode (void)
{
	static const mono_byte code[] = { 0xFE, 0x01, 0x2A };
	const mono_byte *at = code;
	int number = mono_opcode_value (&at, code + sizeof code);

	return number * 10 + (int) (at - code);
}

static void
count_assembly (void *assembly, void *count)
{
	++*(int *) count;
}

int
assemblies_counted (void)
{
	int count = 0;

	mono_assembly_foreach (count_assembly, &count);
	return count;
}

static void
count_domain (MonoDomain *domain, void *count)
{
	++*(int *) count;
}

int
domains_counted (void)
{
	int count = 0;

	mono_domain_foreach (count_domain, &count);
	return count;
}

const void *
header_of (MonoMethod *method)
{
	MonoMethodHeader *header = mono_method_get_header (method);

	if (header)
		mono_metadata_free_mh (header);
	return header;
}

int
matches (const char *pattern, MonoMethod *method)
{
	MonoMethodDesc *desc = mono_method_desc_new (pattern, 1);
	int matched = desc && mono_method_desc_full_match (desc, method);

	if (desc)
		mono_method_desc_free (desc);
	return matched;
}

int
matches_name (const char *pattern, MonoMethod *method)
{
	MonoMethodDesc *desc = mono_method_desc_new (pattern, 0);
	int matched = desc && mono_method_desc_match (desc, method);

	if (desc)
		mono_method_desc_free (desc);
	return matched;
}

int
pattern_is_full (const char *pattern)
{
	MonoMethodDesc *desc = mono_method_desc_new (pattern, 1);
	int full = desc && mono_method_desc_is_full (desc);

	if (desc)
		mono_method_desc_free (desc);
	return full;
}

MonoMethod *
found_in_class (const char *pattern, MonoClass *klass)
{
	MonoMethodDesc *desc = mono_method_desc_new (pattern, 0);
	MonoMethod *method = desc ? mono_method_desc_search_in_class (desc, klass) : NULL;

	if (desc)
		mono_method_desc_free (desc);
	return method;
}

MonoMethod *
found_in_image (const char *pattern, MonoImage *image)
{
	MonoMethodDesc *desc = mono_method_desc_new (pattern, 1);
	MonoMethod *method = desc ? mono_method_desc_search_in_image (desc, image) : NULL;

	if (desc)
		mono_method_desc_free (desc);
	return method;
}

int
empty_error_is_ok (void)
{
	MonoError error;

	mono_error_init (&error);
	int ok = mono_error_ok (&error);
	mono_error_cleanup (&error);
	return ok;
}

int
referenced_and_closed (MonoImage *image)
{
	mono_image_addref (image);
	mono_image_close (image);
	return 1;
}

const void *
code_owner (const subject *s)
{
	MonoJitInfo *ji = mono_jit_info_table_find (s->domain, (char *) mono_jit_info_get_code_start (s->ji) + 1);

	return ji ? mono_jit_info_get_method (ji) : NULL;
}

/* --- assemblies and images ---------------------------------------------------------------------------------------- */

/* Room for Mono's struct as well, which is bigger than ours. */
typedef struct {
	_Alignas(16) char bytes[512];
} name_buffer;

const char *
own_assembly_name (MonoImage *image)
{
	static name_buffer room;

	memset (&room, 0, sizeof room);
	mono_assembly_fill_assembly_name (image, (MonoAssemblyName *) &room);
	return mono_assembly_name_get_name ((MonoAssemblyName *) &room);
}

const char *
first_reference (MonoImage *image)
{
	static name_buffer room;

	memset (&room, 0, sizeof room);
	mono_assembly_get_assemblyref (image, 0, (MonoAssemblyName *) &room);
	return mono_assembly_name_get_name ((MonoAssemblyName *) &room);
}

int
parsed_version (const char *name)
{
	MonoAssemblyName *parsed = mono_assembly_name_new (name);
	uint16_t minor = 0, build = 0, revision = 0;

	if (!parsed)
		return -1;
	int major = mono_assembly_name_get_version (parsed, &minor, &build, &revision);
	mono_assembly_name_free (parsed);
	mono_free (parsed);
	return major * 1000 + minor * 100 + build * 10 + revision;
}

MonoAssembly *
opened_assembly (MonoImage *image)
{
	MonoImageOpenStatus status;

	return mono_assembly_open (mono_image_get_filename (image), &status);
}

MonoAssembly *
opened_assembly_full (MonoImage *image)
{
	MonoImageOpenStatus status;

	return mono_assembly_open_full (mono_image_get_filename (image), &status, 0);
}

MonoAssembly *
loaded_assembly (MonoAssembly *assembly)
{
	MonoImageOpenStatus status;

	return mono_assembly_load (mono_assembly_get_name (assembly), NULL, &status);
}

MonoAssembly *
loaded_assembly_full (MonoAssembly *assembly)
{
	MonoImageOpenStatus status;

	return mono_assembly_load_full (mono_assembly_get_name (assembly), NULL, &status, 0);
}

/* From an image that has its assembly already. */
MonoAssembly *
made_assembly (MonoImage *image)
{
	MonoImageOpenStatus status;

	return mono_assembly_load_from (image, mono_image_get_filename (image), &status);
}

MonoAssembly *
made_assembly_full (MonoImage *image)
{
	MonoImageOpenStatus status;

	return mono_assembly_load_from_full (image, mono_image_get_filename (image), &status, 0);
}

MonoAssembly *
loaded_partially (const char *name)
{
	MonoImageOpenStatus status;

	return mono_assembly_load_with_partial_name (name, &status);
}

static MonoImage *
closed (MonoImage *image)
{
	if (image)
		mono_image_close (image);
	return image;
}

MonoImage *
opened_image (MonoImage *image)
{
	MonoImageOpenStatus status;

	return closed (mono_image_open (mono_image_get_filename (image), &status));
}

MonoImage *
opened_image_full (MonoImage *image)
{
	MonoImageOpenStatus status;

	return closed (mono_image_open_full (mono_image_get_filename (image), &status, 0));
}

MonoImage *
opened_file (MonoImage *image)
{
	MonoImageOpenStatus status;

	return closed (mono_pe_file_open (mono_image_get_filename (image), &status));
}

MonoImage *
opened_nonsense (void)
{
	static char bytes[] = "this is not a portable executable, whatever its length may be";
	MonoImageOpenStatus status;

	return closed (mono_image_open_from_data (bytes, sizeof bytes, 1, &status));
}

/* --- classes and members ------------------------------------------------------------------------------------------ */

MonoClass *
first_typeref_checked (MonoImage *image)
{
	MonoError error;

	mono_error_init (&error);
	MonoClass *klass = mono_class_from_typeref_checked (image, 0x01000001, &error);
	mono_error_cleanup (&error);
	return klass;
}

MonoClassField *
field_of_token (MonoImage *image, MonoClassField *field)
{
	MonoClass *klass = NULL;

	return mono_field_from_token (image, mono_class_get_field_token (field), &klass, NULL);
}

int
static_number (const subject *s)
{
	int value = -1;

	mono_field_static_get_value (mono_class_vtable (s->domain, s->klass), s->static_field, &value);
	return value;
}

MonoMethodHeader *
checked_header_of (MonoMethod *method)
{
	MonoError error;

	mono_error_init (&error);
	MonoMethodHeader *header = mono_method_get_header_checked (method, &error);
	mono_error_cleanup (&error);
	if (header)
		mono_metadata_free_mh (header);
	return header;
}

const char *
first_parameter (MonoMethod *method)
{
	const char *names[8] = { NULL };

	mono_method_get_param_names (method, names);
	return names[0];
}

MonoMethod *
constrained_method (const subject *s)
{
	MonoMethod *named = NULL;

	return mono_get_method_constrained (s->image, mono_method_get_token (s->method), s->klass, NULL, &named);
}

void *
token_loaded (const subject *s)
{
	MonoClass *klass = NULL;

	return mono_ldtoken (s->image, mono_method_get_token (s->method), &klass, NULL);
}

int
matches_itself (MonoMethod *method)
{
	MonoMethodDesc *desc = mono_method_desc_from_method (method);
	int matched = desc && mono_method_desc_full_match (desc, method);

	if (desc)
		mono_method_desc_free (desc);
	return matched;
}

int
marshalled_parameters (MonoMethod *method)
{
	MonoMarshalSpec *specs[8] = { NULL };
	int count = 0;

	mono_method_get_marshal_info (method, specs);
	for (int i = 0; i < 8; i++)
		if (specs[i]) {
			mono_metadata_free_marshal_spec (specs[i]);
			count++;
		}
	return count;
}

uint32_t
code_size (MonoMethodHeader *header)
{
	uint32_t size = 0, max_stack = 0;

	return mono_method_header_get_code (header, &size, &max_stack) ? size : 0;
}

/* Length of the text that the code disassembles to; of its first instruction. */
int
disassembled (const subject *s)
{
	uint32_t size = 0;
	const mono_byte *code = mono_method_header_get_code (s->header, &size, NULL);
	char *text = code ? mono_disasm_code (NULL, s->method, code, code + size) : NULL;
	int length = (int) text_length (text);

	mono_free (text);
	return length;
}

int
disassembled_one (const subject *s)
{
	const mono_byte *code = mono_method_header_get_code (s->header, NULL, NULL), *end = code;
	char *text = code ? mono_disasm_code_one (NULL, s->method, code, &end) : NULL;
	int length = (int) text_length (text);

	mono_free (text);
	return length * 100 + (int) (end - code);
}

uint32_t
local_count (MonoMethodHeader *header)
{
	uint32_t count = 0;
	mono_bool clear = 0;

	mono_method_header_get_locals (header, &count, &clear);
	return count;
}

int
first_clause (const subject *s)
{
	MonoExceptionClause clause;
	void *iter = NULL;

	return mono_method_header_get_clauses (s->header, s->method, &iter, &clause) ? (int) clause.flags : -1;
}

/* --- custom attributes -------------------------------------------------------------------------------------------- */

int
counted (MonoCustomAttrInfo *info)
{
	int count = info ? info->num_attrs : 0;

	if (info)
		mono_custom_attrs_free (info);
	return count;
}

int
has_marker (const subject *s)
{
	MonoCustomAttrInfo *info = mono_custom_attrs_from_class (s->klass);
	int has = info && mono_custom_attrs_has_attr (info, mono_class_from_name (s->image, "Space", "MarkedAttribute"));

	if (info)
		mono_custom_attrs_free (info);
	return has;
}

/* --- source lines ------------------------------------------------------------------------------------------------- */

static int
row_of (MonoDebugSourceLocation *location)
{
	int row = location ? (int) location->row : -1;

	mono_debug_free_source_location (location);
	return row;
}

int
row_of_code (const subject *s)
{
	return row_of (mono_debug_lookup_source_location (s->method, 0, s->domain));
}

int
row_of_il (MonoMethod *method)
{
	MonoDebugMethodInfo *info = mono_debug_lookup_method (method);

	return info ? row_of (mono_debug_method_lookup_location (info, 0)) : -1;
}

int
frame_names_method (const subject *s)
{
	char *text = mono_debug_print_stack_frame (s->method, 0, s->domain);
	int names = text && strstr (text, "Space.Subject.Method");

	mono_free (text);
	return names;
}

const void *
compiled_method (const subject *s)
{
	MonoDebugMethodJitInfo *info = mono_debug_find_method (s->method, s->domain);

	if (info)
		mono_debug_free_method_jit_info (info);
	return info;
}

/* Exported, but in no header. */
void mono_debug_free_locals (MonoDebugLocalsInfo *info);
char *mono_pmip (void *ip);

const void *
locals_of (MonoMethod *method)
{
	MonoDebugLocalsInfo *info = mono_debug_lookup_locals (method);

	if (info)
		mono_debug_free_locals (info);
	return info;
}

int
pointer_is_named (MonoJitInfo *ji)
{
	char *text = mono_pmip ((char *) mono_jit_info_get_code_start (ji) + 1);
	int named = text && strstr (text, "Method");

	mono_free (text);
	return named;
}

/* --- objects ------------------------------------------------------------------------------------------------------ */

int
strong_handle_holds (MonoObject *object)
{
	uint32_t handle = mono_gchandle_new (object, 0);
	int holds = handle && mono_gchandle_get_target (handle) == object;

	if (handle)
		mono_gchandle_free (handle);
	return holds;
}

int
weak_handle_holds (MonoObject *object)
{
	uint32_t handle = mono_gchandle_new_weakref (object, 1);
	int holds = handle && mono_gchandle_get_target (handle) == object;

	if (handle)
		mono_gchandle_free (handle);
	return holds;
}

/* Of the ToString that a call would reach. */
const char *
called_class (MonoObject *object)
{
	MonoMethod *method = mono_class_get_method_from_name (mono_get_object_class (), "ToString", 0);
	MonoMethod *called = mono_object_get_virtual_method (object, method);

	return called ? mono_class_get_name (mono_method_get_class (called)) : NULL;
}

MonoObject *
read_reference (MonoObject *object, const char *name)
{
	MonoClassField *field = mono_class_get_field_from_name (mono_object_get_class (object), name);
	MonoObject *value = NULL;

	if (field)
		mono_field_get_value (object, field, &value);
	return value;
}

MonoObject *
boxed_reference (const subject *s, const char *name)
{
	MonoClassField *field = mono_class_get_field_from_name (mono_object_get_class (s->object), name);

	return field ? mono_field_get_value_object (s->domain, field, s->object) : NULL;
}

int
first_utf16 (MonoString *text)
{
	mono_unichar2 *copy = mono_string_to_utf16 (text);
	int unit = copy ? copy[0] : -1;

	mono_free (copy);
	return unit;
}

int
first_utf32 (MonoString *text)
{
	mono_unichar4 *copy = mono_string_to_utf32 (text);
	int point = copy ? (int) copy[0] : -1;

	mono_free (copy);
	return point;
}

char *
checked_utf8 (MonoString *text)
{
	MonoError error;

	mono_error_init (&error);
	char *copy = mono_string_to_utf8_checked (text, &error);
	mono_error_cleanup (&error);
	return copy;
}
