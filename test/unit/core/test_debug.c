/*
 * SPDX-License-Identifier: MIT
 *
 * test_debug.c - what mono_debug_* () make of a host's answers; texts are those that real Mono prints.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-debug.h>
#include "model/records.h"

MONO_API char *mono_pmip (void *ip);

/* In Mono's debug-mono-symfile.h, which needs <glib.h>. */
MONO_API MonoDebugMethodInfo *mono_debug_symfile_lookup_method (MonoDebugHandle *handle, MonoMethod *method);
MONO_API MonoDebugSourceLocation *mono_debug_symfile_lookup_location (MonoDebugMethodInfo *minfo, uint32_t offset);
MONO_API void mono_debug_symfile_free_location (MonoDebugSourceLocation *location);

enum { RUN = 0x06000001, BARE = 0x06000002, OLD = 0x06000003 };

static MonoImage *image;
static MonoMethod *run, *bare, *old;

/* As Mono lays it out. */
struct line {
	uint32_t il_offset, native_offset;
};

/* --- a host with three methods: symbols and code, code alone, symbols that name no file --------------------------- */

static int
describe_image (void *host, MonoImage *record, monocle_image_info *ret)
{
	ret->assembly_name = "app";
	ret->guid = "99EC6EA4-650C-45C9-B24D-608C82E720BF";
	return 0;
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	ret->name = "Class";
	ret->name_space = "Space";
	ret->element_type = MONO_TYPE_CLASS;
	return 0;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret)
{
	static const char *const names[] = { "Run", ".ctor", "N.I<int>.Old" };
	ret->name = names[(monocle_method_token (method) & 0xFF) - 1];
	ret->klass = monocle_class_def (image, 0x02000002);
	return 0;
}

static int
describe_signature (void *host, MonoMethod *method, monocle_signature_info *ret)
{
	static MonoType *params[2];
	params[0] = monocle_type (monocle_class_primitive (MONO_TYPE_I4));
	params[1] = monocle_type (monocle_class_primitive (MONO_TYPE_STRING));
	ret->ret = monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	ret->params = params;
	ret->param_count = method == run ? 2 : 0;
	return 0;
}

static int
source_of (void *host, MonoMethod *method, uint32_t il_offset, monocle_source_info *ret)
{
	if (method == old)
		return MONOCLE_E_NOT_FOUND;
	if (method != run)
		return MONOCLE_E_UNKNOWN;
	ret->file = il_offset < 40 ? "/src/app.cs" : NULL;
	ret->row = 7 + il_offset / 10;
	ret->column = 3;
	ret->il_offset = il_offset / 10 * 10;
	return 0;
}

static const monocle_code_point points[] = { { 0, UINT32_MAX }, { 4, 0 }, { 9, 12 }, { 20, 30 }, { 29, UINT32_MAX } };
enum { POINTS = sizeof points / sizeof *points };
static uint32_t shown = POINTS; /* how many points the first question is told of */

static int
il_offset_of (void *host, MonoMethod *method, const void *start, uint32_t native_offset, uint32_t *ret_il_offset)
{
	uint32_t found = UINT32_MAX;
	for (uint32_t i = 0; method != bare && i < POINTS && points[i].native_offset <= native_offset; i++)
		found = points[i].il_offset == UINT32_MAX ? found : points[i].il_offset;
	*ret_il_offset = found;
	return found == UINT32_MAX ? MONOCLE_E_UNKNOWN : 0;
}

static int
describe_code (void *host, MonoMethod *method, monocle_code_info *ret, monocle_code_point *out, uint32_t capacity)
{
	if (method == old)
		return MONOCLE_E_UNKNOWN;
	ret->start = (const void *) 0x50001000;
	ret->code_size = 32;
	ret->point_count = shown;
	ret->prologue_end = 4;
	ret->epilogue_begin = 29;
	for (uint32_t i = 0; i < shown && i < capacity; i++)
		out[i] = points[i];
	shown = POINTS;
	return 0;
}

static int
start (void **state)
{
	monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "debug test",
		.describe_image = describe_image,
		.describe_class = describe_class,
		.describe_method = describe_method,
		.describe_signature = describe_signature,
		.source_of = source_of,
		.il_offset_of = il_offset_of,
		.describe_code = describe_code,
	};
	if (mono_debug_enabled ()) /* nobody serves lines yet */
		return -1;
	if (monocle_host_init (&ops))
		return -1;
	monocle_domain_set_name (monocle_domain_root (), "app.exe");
	image = monocle_image_new ("/bin/app.exe", 0, 2, 3, NULL);
	run = monocle_method_def (image, RUN);
	bare = monocle_method_def (image, BARE);
	old = monocle_method_def (image, OLD);
	return 0;
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

static void
lines_are_served_without_being_asked_for (void **state)
{
	assert_true (mono_debug_enabled ());
	mono_debug_init (MONO_DEBUG_FORMAT_MONO);
	mono_debug_init (MONO_DEBUG_FORMAT_NONE);
	assert_true (mono_debug_enabled ());
}

static void
a_method_with_symbols_has_locations (void **state)
{
	MonoDebugMethodInfo *info = mono_debug_lookup_method (run);
	MonoDebugSourceLocation *at = mono_debug_method_lookup_location (info, 25);
	assert_string_equal (at->source_file, "/src/app.cs");
	assert_int_equal (at->row, 9);
	assert_int_equal (at->column, 3);
	assert_int_equal (at->il_offset, 20);
	mono_debug_free_source_location (at);
	at = mono_debug_method_lookup_location (info, 41);
	assert_null (at->source_file);
	mono_debug_free_source_location (at);
	assert_null (mono_debug_method_lookup_location (info, -1));
}

static void
symbols_may_name_no_source (void **state)
{
	assert_null (mono_debug_lookup_method (bare));
	assert_null (mono_debug_lookup_method (NULL));
	assert_null (mono_debug_method_lookup_location (NULL, 0));
	assert_non_null (mono_debug_lookup_method (old));
	assert_null (mono_debug_method_lookup_location (mono_debug_lookup_method (old), 0));
	mono_debug_free_source_location (NULL);
}

static void
a_native_offset_has_the_line_of_its_il (void **state)
{
	MonoDomain *domain = mono_get_root_domain ();
	MonoDebugSourceLocation *at = mono_debug_lookup_source_location (run, 19, domain);
	assert_int_equal (at->row, 8);
	assert_int_equal (at->il_offset, 10);
	mono_debug_free_source_location (at);
	assert_int_equal (mono_debug_il_offset_from_address (run, domain, 19), 12);
	assert_int_equal (mono_debug_il_offset_from_address (run, domain, 3), -1);
	assert_int_equal (mono_debug_il_offset_from_address (bare, domain, 19), -1);
	assert_int_equal (mono_debug_il_offset_from_address (NULL, domain, 19), -1);
	assert_null (mono_debug_lookup_source_location (run, 3, domain));
}

/* --- code --------------------------------------------------------------------------------------------------------- */

static void
check_code (void)
{
	MonoDebugMethodJitInfo *jit = mono_debug_find_method (run, mono_get_root_domain ());
	const struct line *lines = (const struct line *) jit->line_numbers;
	assert_ptr_equal (jit->code_start, (void *) 0x50001000);
	assert_int_equal (jit->code_size, 32);
	assert_int_equal (jit->prologue_end, 4);
	assert_int_equal (jit->epilogue_begin, 29);
	assert_int_equal (jit->num_line_numbers, 3);
	assert_int_equal (lines[1].il_offset, 12);
	assert_int_equal (lines[1].native_offset, 9);
	assert_int_equal (jit->num_params | jit->num_locals | jit->has_var_info, 0);
	mono_debug_free_method_jit_info (jit);
}

static void
code_has_its_lines (void **state)
{
	check_code ();
	assert_null (mono_debug_find_method (old, NULL));
	assert_null (mono_debug_find_method (NULL, NULL));
	mono_debug_free_method_jit_info (NULL);
}

static void
code_that_grows_between_two_questions_is_read_whole (void **state)
{
	shown = 1;
	check_code ();
}

/* --- text --------------------------------------------------------------------------------------------------------- */

static void
check_frame (MonoMethod *method, uint32_t native_offset, const char *expected)
{
	char *text = mono_debug_print_stack_frame (method, native_offset, mono_get_root_domain ());
	assert_string_equal (text, expected);
	mono_free (text);
}

static void
frames_are_spelled_as_on_mono (void **state)
{
	check_frame (run, 19, "at Space.Class.Run (int,string) [0x0000a] in /src/app.cs:8");
	check_frame (run, 2, "at Space.Class.Run (int,string) <0x00002>");
	check_frame (bare, 10, "at Space.Class..ctor () <0x0000a>");
	check_frame (old, 20, "at Space.Class.N.I<int>.Old () [0x0001e] in <99ec6ea4650c45c9b24d608c82e720bf>:0");
	assert_null (mono_debug_print_stack_frame (NULL, 0, NULL));
}

static void
addresses_are_spelled_as_on_mono (void **state)
{
	char expected[256], *text;
	MonoDomain *domain = mono_get_root_domain ();
	monocle_jit_info_new (run, (void *) 0x50001000, 32);
	snprintf (expected, sizeof expected,
	          " Space.Class:Run (int,string) [{%p} + 0x13] [/src/app.cs :: 8u] (0x50001000 0x50001020) [%p - app.exe]",
	          (void *) run, (void *) domain);
	assert_string_equal (text = mono_pmip ((void *) 0x50001013), expected);
	mono_free (text);
	snprintf (expected, sizeof expected,
	          " Space.Class:Run (int,string) [{%p} + 0x2]  (0x50001000 0x50001020) [%p - app.exe]", (void *) run,
	          (void *) domain);
	assert_string_equal (text = mono_pmip ((void *) 0x50001002), expected);
	mono_free (text);
	assert_null (mono_pmip ((void *) 0x50001020));
}

static void
symbol_files_answer_as_methods_do (void **state)
{
	MonoDebugMethodInfo *minfo = mono_debug_symfile_lookup_method (mono_debug_get_handle (NULL), run);
	assert_ptr_equal (minfo, mono_debug_lookup_method (run));
	MonoDebugSourceLocation *location = mono_debug_symfile_lookup_location (minfo, 10);
	assert_non_null (location);
	assert_string_equal (location->source_file, "/src/app.cs");
	assert_int_equal (location->row, 8);
	mono_debug_symfile_free_location (location);
	assert_null (mono_debug_symfile_lookup_location (minfo, UINT32_MAX));
}

/* What modules read through their own copy of Mono's struct. */
static void
code_records_have_the_fields_of_monos (void **state)
{
	struct {
		MonoMethod *method;
		void *next;
		void *start;
		uint32_t unwind, size;
	} fields;
	MonoJitInfo *info = monocle_jit_info_new (bare, (void *) 0x50003000, 48);
	memcpy (&fields, info, sizeof fields);
	assert_ptr_equal (fields.method, bare);
	assert_ptr_equal (fields.start, (void *) 0x50003000);
	assert_int_equal (fields.size, 48);
}

static void
several_bodies_of_a_method_are_records_of_their_own (void **state)
{
	MonoDomain *domain = mono_get_root_domain ();
	MonoJitInfo *first = monocle_jit_info_new (run, (void *) 0x50005000, 64);
	MonoJitInfo *second = monocle_jit_info_new (run, (void *) 0x50006000, 32);
	assert_ptr_not_equal (first, second);
	assert_ptr_equal (mono_jit_info_table_find (domain, (char *) 0x5000503f), first);
	assert_ptr_equal (mono_jit_info_table_find (domain, (char *) 0x50006000), second);
	assert_ptr_equal (mono_jit_info_get_method (first), mono_jit_info_get_method (second));
	assert_int_equal (mono_jit_info_get_code_size (second), 32);
	assert_null (mono_jit_info_table_find (domain, (char *) 0x50005040));
	monocle_jit_info_free_code ((void *) 0x50005000);
	assert_null (mono_jit_info_table_find (domain, (char *) 0x50005000));
	assert_ptr_equal (mono_jit_info_get_code_start (first), (void *) 0x50005000);
}

static void
a_debugger_is_there_when_somebody_says_so (void **state)
{
	assert_false (mono_is_debugger_attached ());
	mono_set_is_debugger_attached (1);
	assert_true (mono_is_debugger_attached ());
	mono_set_is_debugger_attached (0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (lines_are_served_without_being_asked_for),
		cmocka_unit_test (a_method_with_symbols_has_locations),
		cmocka_unit_test (symbols_may_name_no_source),
		cmocka_unit_test (a_native_offset_has_the_line_of_its_il),
		cmocka_unit_test (code_has_its_lines),
		cmocka_unit_test (code_that_grows_between_two_questions_is_read_whole),
		cmocka_unit_test (frames_are_spelled_as_on_mono),
		cmocka_unit_test (addresses_are_spelled_as_on_mono),
		cmocka_unit_test (symbol_files_answer_as_methods_do),
		cmocka_unit_test (code_records_have_the_fields_of_monos),
		cmocka_unit_test (several_bodies_of_a_method_are_records_of_their_own),
		cmocka_unit_test (a_debugger_is_there_when_somebody_says_so),
	};
	return cmocka_run_group_tests (tests, start, NULL);
}
