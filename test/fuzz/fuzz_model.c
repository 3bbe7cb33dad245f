/*
 * SPDX-License-Identifier: MIT
 *
 * fuzz_model.c - any bytes as an image, through the whole object model: every row is described and named, every token
 * resolved, every source line asked for. Then the image goes, and what was named must be called the same.
 *
 * Records are never freed. When they take too much memory the process ends without a word; start it again.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/mono-debug.h>
#include <mono/metadata/tokentype.h>
#include "file-host.h"

int LLVMFuzzerTestOneInput (const uint8_t *data, size_t size);

enum { KEPT_MAX = 48, MEMORY_MAX = 1 << 30 };

typedef struct {
	MonoMethod *method;
	MonoClass *klass;
	char *method_name, *class_name;
} kept;

static int
row_count (MonoImage *image, int table)
{
	int rows = mono_image_get_table_rows (image, table);
	return rows < KEPT_MAX ? rows : KEPT_MAX;
}

static char *
name_class (MonoClass *klass)
{
	return klass ? mono_type_get_name (mono_class_get_type (klass)) : NULL;
}

static uint32_t
keep_some (MonoImage *image, kept *list)
{
	int classes = row_count (image, MONO_TABLE_TYPEDEF), methods = row_count (image, MONO_TABLE_METHOD);
	int count = classes > methods ? classes : methods;
	for (int i = 0; i < count; i++) {
		list[i].klass = i < classes ? mono_class_get (image, MONO_TOKEN_TYPE_DEF | (uint32_t) (i + 1)) : NULL;
		list[i].method = i < methods ? mono_get_method (image, MONO_TOKEN_METHOD_DEF | (uint32_t) (i + 1), NULL) : NULL;
	}
	return (uint32_t) count;
}

static void
name_all (kept *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		list[i].class_name = name_class (list[i].klass);
		list[i].method_name = list[i].method ? mono_method_full_name (list[i].method, 1) : NULL;
	}
}

static void
locate (const kept *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		MonoDebugSourceLocation *at =
		    list[i].method ? mono_debug_lookup_source_location (list[i].method, i, mono_domain_get ()) : NULL;
		mono_debug_free_source_location (at);
	}
}

static void
must_be (char *text, char *earlier)
{
	if (!text != !earlier || (text && strcmp (text, earlier)))
		abort ();
	mono_free (text);
	mono_free (earlier);
}

static void
ask_again (const kept *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		must_be (name_class (list[i].klass), list[i].class_name);
		must_be (list[i].method ? mono_method_full_name (list[i].method, 1) : NULL, list[i].method_name);
	}
}

static void
ask_members (const kept *list, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		void *methods = NULL, *fields = NULL, *properties = NULL, *nested = NULL, *interfaces = NULL;
		MonoClass *klass = list[i].klass;
		for (MonoClassField *field; klass && (field = mono_class_get_fields (klass, &fields));)
			mono_free (mono_type_get_name (mono_field_get_type (field)));
		for (MonoMethod *method; klass && (method = mono_class_get_methods (klass, &methods));)
			mono_free (mono_method_full_name (method, 1));
		for (MonoProperty *property; klass && (property = mono_class_get_properties (klass, &properties));)
			mono_property_get_name (property);
		while (klass && mono_class_get_nested_types (klass, &nested))
			;
		while (klass && mono_class_get_interfaces (klass, &interfaces))
			;
		if (klass)
			mono_class_is_assignable_from (klass, list[0].klass);
	}
}

static void
run (const uint8_t *data, size_t size, bool mapped)
{
	kept list[KEPT_MAX] = { { NULL } };
	file_host_counts counts;
	MonoImage *image = file_host_open_bytes ("hostile.dll", data, size, mapped);
	if (!image)
		return;
	uint32_t count = keep_some (image, list);
	file_host_walk (image, &counts, NULL);
	ask_members (list, count);
	locate (list, count);
	name_all (list, count);
	file_host_close (image);
	ask_again (list, count);
	ask_members (list, count);
}

int
LLVMFuzzerTestOneInput (const uint8_t *data, size_t size)
{
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	file_host_start ();
	run (data, size, false);
	run (data, size, true);
	if (monocle_records_size () > MEMORY_MAX)
		_exit (0);
	return 0;
}
