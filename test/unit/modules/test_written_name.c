/*
 * SPDX-License-Identifier: MIT
 *
 * test_written_name.c - what a closure is called, and how much is read for that, on a scripted runtime.
 *
 * The runtime has one class without parents. Each method of it calls the one before.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <mono/metadata/class.h>
#include <mono/metadata/debug-helpers.h>
#include <mono/metadata/image.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/metadata.h>
#include <mono/utils/mono-publib.h>

#include "written-name.h"

enum { METHODS = 900, BODY = 64 << 10, CALL = 0x28, METHOD = 0x06000000 };

struct _MonoMethod {
	char name[16];
	uint32_t token;
};

static char a_class, a_header;
static struct _MonoMethod methods[METHODS];
static size_t method_count, size_of_body, read_bytes;
static uint8_t body[BODY];

/* --- the runtime -------------------------------------------------------------------------------------------------- */

const char *
mono_method_get_name (MonoMethod *method)
{
	return method->name;
}

MonoClass *
mono_method_get_class (MonoMethod *method)
{
	return (MonoClass *) &a_class;
}

uint32_t
mono_method_get_token (MonoMethod *method)
{
	return method->token;
}

MonoMethodHeader *
mono_method_get_header (MonoMethod *method)
{
	uint32_t before = method->token - 1;
	body[0] = CALL;
	memcpy (body + 1, &before, sizeof before);
	return (MonoMethodHeader *) &a_header;
}

const unsigned char *
mono_method_header_get_code (MonoMethodHeader *header, uint32_t *code_size, uint32_t *max_stack)
{
	*code_size = (uint32_t) size_of_body;
	read_bytes += size_of_body;
	return body;
}

void
mono_metadata_free_mh (MonoMethodHeader *mh)
{
}

const char *
mono_class_get_name (MonoClass *klass)
{
	return "Chain";
}

MonoMethod *
mono_class_get_methods (MonoClass *klass, void **iter)
{
	MonoMethod *next = *iter ? (MonoMethod *) *iter + 1 : methods;
	*iter = next;
	return next < methods + method_count ? next : NULL;
}

uint32_t
mono_class_get_type_token (MonoClass *klass)
{
	return 0x02000002;
}

/* What this class has none of. */
#define NONE(type, name, ...) \
	type name (__VA_ARGS__) \
	{ \
		return 0; \
	}

NONE (MonoClass *, mono_class_get, MonoImage *image, uint32_t type_token)
NONE (int, mono_image_get_table_rows, MonoImage *image, int table_id)
NONE (MonoClass *, mono_class_from_name, MonoImage *image, const char *name_space, const char *name)
NONE (MonoMethod *, mono_class_get_method_from_name, MonoClass *klass, const char *name, int param_count)
NONE (MonoClassField *, mono_class_get_fields, MonoClass *klass, void **iter)
NONE (MonoClass *, mono_class_get_interfaces, MonoClass *klass, void **iter)
NONE (MonoClass *, mono_class_get_nested_types, MonoClass *klass, void **iter)
NONE (MonoClass *, mono_class_get_nesting_type, MonoClass *klass)
NONE (MonoClass *, mono_class_get_parent, MonoClass *klass)
NONE (const char *, mono_class_get_namespace, MonoClass *klass)
NONE (MonoImage *, mono_class_get_image, MonoClass *klass)
NONE (uint32_t, mono_class_get_flags, MonoClass *klass)
NONE (uint32_t, mono_class_get_field_token, MonoClassField *field)
NONE (uint32_t, mono_field_get_flags, MonoClassField *field)
NONE (MonoMethod *, mono_get_method, MonoImage *image, uint32_t token, MonoClass *klass)
NONE (MonoMethodSignature *, mono_method_signature, MonoMethod *method)
NONE (MonoType *, mono_signature_get_return_type, MonoMethodSignature *sig)
NONE (char *, mono_type_get_name, MonoType *type)
NONE (const char *, mono_image_get_name, MonoImage *image)
NONE (const MonoTableInfo *, mono_image_get_table_info, MonoImage *image, int table_id)
NONE (int, mono_table_info_get_rows, const MonoTableInfo *table)
NONE (uint32_t, mono_metadata_decode_row_col, const MonoTableInfo *t, int idx, unsigned int col)
NONE (const char *, mono_metadata_string_heap, MonoImage *meta, uint32_t table_index)

void
mono_free (void *memory)
{
}

/* --- the tests ---------------------------------------------------------------------------------------------------- */

static void
make_class (size_t count, size_t size)
{
	method_count = count;
	size_of_body = size;
	read_bytes = 0;
	for (size_t i = 0; i < count; i++) {
		methods[i].token = METHOD + 1 + (uint32_t) i;
		snprintf (methods[i].name, sizeof methods[i].name, "c@%zu", i);
	}
}

static void
check_name (size_t method, const char *expected)
{
	char full_name[64];
	snprintf (full_name, sizeof full_name, "Chain:%s (int)", methods[method].name);
	char *name = written_name (&methods[method], full_name);
	assert_non_null (name);
	assert_string_equal (name, expected);
	free (name);
}

static void
a_closure_is_named_for_the_method_that_a_chain_of_closures_ends_in (void **state)
{
	make_class (8, 16);
	strcpy (methods[7].name, "Work");
	check_name (0, "Chain:Work.c (int)");
	assert_in_range (read_bytes, 1, (size_t) 8 * 8 * 16);
}

/* Sixteen times the half of 900 methods of 64 KB would be 480 MB. */
static void
of_long_methods_that_mention_one_another_few_are_read (void **state)
{
	make_class (METHODS, BODY);
	check_name (METHODS / 2, "Chain:c (int)");
	assert_in_range (read_bytes, BODY, 4 << 20);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_closure_is_named_for_the_method_that_a_chain_of_closures_ends_in),
		cmocka_unit_test (of_long_methods_that_mention_one_another_few_are_read),
	};
	return cmocka_run_group_tests_name ("written name", tests, NULL, NULL);
}
