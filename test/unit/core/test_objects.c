/*
 * SPDX-License-Identifier: MIT
 *
 * test_objects.c - strings, arrays, boxes, handles and the collector over a scripted host, whose objects are structs of
 * this file. The texts and hashes are what real Mono 6.8 answered.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <pthread.h>
#include <mono/metadata/mono-gc.h>
#include <mono/metadata/object.h>
#include <mono/metadata/appdomain.h>
#include "model/records.h"

enum { HEADER = sizeof (MonoClass *), REFERENCES = 4096 };

/* An object: its class, then what it is. */
typedef struct {
	MonoClass *klass;
	uint32_t length;
	uint16_t units[16];
} text;

typedef struct {
	MonoClass *klass;
	uint64_t length;
	int32_t elements[8];
} numbers;

typedef struct {
	MonoClass *klass;
	int32_t value;
} box;

static struct {
	MonoObject *target;
	monocle_ref_kind kind;
	bool taken;
} references[REFERENCES];
static pthread_mutex_t references_lock = PTHREAD_MUTEX_INITIALIZER;
static int live;
static bool refuses;
static int64_t counts[] = { 70, 20, 3 };

/* --- the host ----------------------------------------------------------------------------------------------------- */

static MonoClass *
object_class (void *host, MonoObject *object)
{
	return *(MonoClass **) object;
}

static const uint16_t *
string_chars (void *host, MonoObject *object, uint32_t *ret_length)
{
	text *string = (text *) object;
	if (refuses)
		return NULL;
	*ret_length = string->length;
	return string->units;
}

static void *
array_data (void *host, MonoObject *object, uint64_t *ret_length)
{
	numbers *array = (numbers *) object;
	*ret_length = array->length;
	return array->elements;
}

static int
object_generation (void *host, MonoObject *object)
{
	return 2;
}

static int
gc_max_generation (void *host)
{
	return 2;
}

static int64_t
gc_collection_count (void *host, int generation)
{
	return refuses ? -1 : counts[generation];
}

static int64_t
gc_heap_size (void *host, int used)
{
	return refuses ? MONOCLE_E_UNKNOWN : used ? 1000 : 4096;
}

static int walk_answer, walked;

static int
gc_walk_heap (void *host, MonoGCReferences callback, void *data)
{
	MonoObject *reference = data;
	uintptr_t offset = 8;
	if (!walk_answer)
		callback (data, mono_get_object_class (), 24, 1, &reference, &offset, data);
	return walk_answer;
}

static void *
ref_new (void *host, MonoObject *object, monocle_ref_kind kind)
{
	void *reference = NULL;
	pthread_mutex_lock (&references_lock);
	for (int i = 0; i < REFERENCES && !reference && !refuses; i++)
		if (!references[i].taken) {
			references[i].taken = true;
			references[i].target = object;
			references[i].kind = kind;
			reference = &references[i];
			live++;
		}
	pthread_mutex_unlock (&references_lock);
	return reference;
}

static MonoObject *
ref_target (void *host, void *reference)
{
	return references[(size_t) ((char *) reference - (char *) references) / sizeof *references].target;
}

static void
ref_free (void *host, void *reference)
{
	size_t i = (size_t) ((char *) reference - (char *) references) / sizeof *references;
	pthread_mutex_lock (&references_lock);
	references[i].taken = false;
	live--;
	pthread_mutex_unlock (&references_lock);
}

static const monocle_host_ops ops = {
	.size = sizeof ops,
	.api_version = MONOCLE_HOST_API_VERSION,
	.name = "test",
	.object_class = object_class,
	.string_chars = string_chars,
	.array_data = array_data,
	.object_generation = object_generation,
	.gc_max_generation = gc_max_generation,
	.gc_collection_count = gc_collection_count,
	.gc_heap_size = gc_heap_size,
	.gc_walk_heap = gc_walk_heap,
	.ref_new = ref_new,
	.ref_target = ref_target,
	.ref_free = ref_free,
	.object_header = HEADER,
};

/* --- strings ------------------------------------------------------------------------------------------------------ */

static MonoString *
make (text *string, uint32_t length, const uint16_t *units)
{
	string->klass = monocle_class_primitive (MONO_TYPE_STRING);
	string->length = length;
	memcpy (string->units, units, length * sizeof *units);
	return (MonoString *) string;
}

#define MAKE(string, ...) \
	make (string, sizeof (const uint16_t[]) { __VA_ARGS__ } / sizeof (uint16_t), (const uint16_t[]) { __VA_ARGS__ })

static void
a_string_is_read_where_it_lies (void **state)
{
	text own;
	MonoString *hello = MAKE (&own, 'h', 'e', 'l', 'l', 'o');
	assert_int_equal (mono_string_length (hello), 5);
	assert_ptr_equal (mono_string_chars (hello), own.units);
	assert_null (mono_string_chars (NULL));
	assert_int_equal (mono_string_length (NULL), 0);
}

static void
string_hashes_are_monos (void **state)
{
	text own;
	assert_int_equal (mono_string_hash (MAKE (&own, 'h', 'e', 'l', 'l', 'o')), 99162322);
	assert_int_equal (mono_string_hash (MAKE (&own, 'l', 'i', 't', 'e', 'r', 'a', 'l')), 182460591);
	assert_int_equal (mono_string_hash (MAKE (&own, 'a', 0, 'b')), 93315);
	assert_int_equal (mono_string_hash (MAKE (&own, 'x', 0xD800, 'y')), 1829617);
	assert_int_equal (mono_string_hash (MAKE (&own, 0xD83D, 0xDE00, 0xE9)), 54960102);
	assert_int_equal (mono_string_hash (NULL), 0);
}

static void
copies_are_terminated_and_in_the_asked_encoding (void **state)
{
	text own;
	MonoString *string = MAKE (&own, 0xD83D, 0xDE00, 0xE9, 0x20AC, 'z');
	char *utf8 = mono_string_to_utf8 (string);
	mono_unichar2 *utf16 = mono_string_to_utf16 (string);
	mono_unichar4 *utf32 = mono_string_to_utf32 (string);
	assert_string_equal (utf8, "\xF0\x9F\x98\x80\xC3\xA9\xE2\x82\xACz");
	assert_memory_equal (utf16, own.units, 5 * sizeof *utf16);
	assert_int_equal (utf16[5], 0);
	assert_memory_equal (utf32, ((const mono_unichar4[]) { 0x1F600, 0xE9, 0x20AC, 'z', 0 }), 5 * sizeof *utf32);
	mono_free (utf8);
	mono_free (utf16);
	mono_free (utf32);
	char *empty = mono_string_to_utf8 (make (&own, 0, own.units));
	assert_string_equal (empty, "");
	mono_free (empty);
	assert_null (mono_string_to_utf8 (NULL));
	assert_null (mono_string_to_utf16 (NULL));
	assert_null (mono_string_to_utf32 (NULL));
}

static void
expect_no_utf8 (MonoString *string)
{
	MonoError error;
	assert_null (mono_string_to_utf8_checked (string, &error));
	assert_false (mono_error_ok (&error));
	assert_int_equal (mono_error_get_error_code (&error), MONO_ERROR_ARGUMENT);
	assert_non_null (strstr (mono_error_get_message (&error), "surrogate"));
	mono_error_cleanup (&error);
	assert_null (mono_string_to_utf8 (string));
	assert_null (mono_string_to_utf32 (string));
}

static void
half_a_surrogate_pair_is_an_error (void **state)
{
	text own;
	MonoError error;
	expect_no_utf8 (MAKE (&own, 'x', 0xD800, 'y'));
	expect_no_utf8 (MAKE (&own, 'x', 0xDBFF));
	expect_no_utf8 (MAKE (&own, 0xDC00, 0xD800));
	char *good = mono_string_to_utf8_checked (MAKE (&own, 0xD7FF, 0xE000, 0xDBFF, 0xDFFF), &error);
	assert_string_equal (good, "\xED\x9F\xBF\xEE\x80\x80\xF4\x8F\xBF\xBF");
	assert_true (mono_error_ok (&error));
	mono_free (good);
}

static void
strings_are_equal_by_their_characters (void **state)
{
	text a, b;
	assert_true (mono_string_equal (MAKE (&a, 'o', 'n', 'e'), MAKE (&b, 'o', 'n', 'e')));
	assert_false (mono_string_equal (MAKE (&a, 'o', 'n', 'e'), MAKE (&b, 'o', 'n', 'f')));
	assert_false (mono_string_equal (MAKE (&a, 'o', 'n'), MAKE (&b, 'o', 'n', 'e')));
	assert_false (mono_string_equal (MAKE (&a, 'o'), NULL));
	assert_true (mono_string_equal (NULL, NULL));
}

static void
a_string_that_cannot_be_read_is_as_long_as_none (void **state)
{
	text own;
	MonoString *string = MAKE (&own, 'a');
	refuses = true;
	char *copy = mono_string_to_utf8 (string);
	assert_string_equal (copy, "");
	assert_int_equal (mono_string_length (string), 0);
	assert_null (mono_string_chars (string));
	refuses = false;
	mono_free (copy);
}

/* --- arrays and boxes --------------------------------------------------------------------------------------------- */

static void
elements_stand_behind_each_other (void **state)
{
	numbers array = { NULL, 3, { 7, 8, 9 } };
	assert_int_equal (mono_array_length ((MonoArray *) &array), 3);
	assert_int_equal (mono_array_get ((MonoArray *) &array, int32_t, 2), 9);
	assert_ptr_equal (mono_array_addr_with_size ((MonoArray *) &array, 1, 5), (char *) array.elements + 5);
	assert_int_equal (mono_array_length (NULL), 0);
	assert_null (mono_array_addr_with_size (NULL, 4, 0));
}

static void
only_boxes_are_unboxed (void **state)
{
	box number = { monocle_class_primitive (MONO_TYPE_I4), 77 };
	text own;
	assert_int_equal (*(int32_t *) mono_object_unbox ((MonoObject *) &number), 77);
	assert_null (mono_object_unbox ((MonoObject *) MAKE (&own, 'a')));
	assert_null (mono_object_unbox (NULL));
}

/* --- handles ------------------------------------------------------------------------------------------------------ */

static char trace[1024];

static void
handle_created (MonoProfiler *prof, uint32_t handle, MonoGCHandleType type, MonoObject *object)
{
	size_t length = strlen (trace);
	snprintf (trace + length, sizeof trace - length, "+%x:%d%s ", handle, (int) type, object ? "" : ":null");
}

static void
handle_deleted (MonoProfiler *prof, uint32_t handle, MonoGCHandleType type)
{
	size_t length = strlen (trace);
	snprintf (trace + length, sizeof trace - length, "-%x:%d ", handle, (int) type);
}

/* Each type counts for itself, and says in the lowest bits which it is. */
static void
handles_are_numbered_as_on_mono (void **state)
{
	box own;
	MonoObject *object = (MonoObject *) &own;
	uint32_t normal = mono_gchandle_new (object, 0), pinned = mono_gchandle_new (object, 1);
	uint32_t weak = mono_gchandle_new_weakref (object, 0), tracking = mono_gchandle_new_weakref (NULL, 1);
	uint32_t second = mono_gchandle_new (object, 0);
	assert_int_equal (normal, 0 << 3 | (MONO_GC_HANDLE_NORMAL + 1));
	assert_int_equal (pinned, 0 << 3 | (MONO_GC_HANDLE_PINNED + 1));
	assert_int_equal (weak, 0 << 3 | (MONO_GC_HANDLE_WEAK + 1));
	assert_int_equal (tracking, 0 << 3 | (MONO_GC_HANDLE_WEAK_TRACK_RESURRECTION + 1));
	assert_int_equal (second, 1 << 3 | (MONO_GC_HANDLE_NORMAL + 1));
	assert_int_equal (references[0].kind, MONOCLE_REF_STRONG);
	assert_int_equal (references[1].kind, MONOCLE_REF_PINNED);
	assert_int_equal (references[2].kind, MONOCLE_REF_WEAK);
	assert_int_equal (references[3].kind, MONOCLE_REF_WEAK_TRACKING);
	assert_ptr_equal (mono_gchandle_get_target (weak), object);
	assert_null (mono_gchandle_get_target (tracking));
	const uint32_t all[] = { normal, pinned, weak, tracking, second };
	for (int i = 0; i < 5; i++)
		mono_gchandle_free (all[i]);
	assert_string_equal (trace, "+3:2 +4:3 +1:0 +2:1:null +b:2 -3:2 -4:3 -1:0 -2:1 -b:2 ");
	assert_int_equal (live, 0);
}

/* As Unity's Mono calls them; in no public header. */
MONO_API void *mono_gchandle_new_v2 (MonoObject *object, mono_bool pinned);
MONO_API MonoObject *mono_gchandle_get_target_v2 (void *handle);
MONO_API void mono_gchandle_free_v2 (void *handle);

static void
handles_are_pointers_under_the_newer_names (void **state)
{
	box own;
	void *handle = mono_gchandle_new_v2 ((MonoObject *) &own, 0);
	assert_ptr_equal (mono_gchandle_get_target_v2 (handle), &own);
	assert_ptr_equal (mono_gchandle_get_target ((uint32_t) (uintptr_t) handle), &own);
	assert_null (mono_gchandle_get_target_v2 ((void *) ((uintptr_t) handle | (uintptr_t) 1 << 32)));
	mono_gchandle_free_v2 ((void *) ((uintptr_t) handle | (uintptr_t) 1 << 32));
	assert_ptr_equal (mono_gchandle_get_target_v2 (handle), &own);
	mono_gchandle_free_v2 (handle);
	assert_null (mono_gchandle_get_target_v2 (handle));
}

static void
a_freed_handle_has_no_target_and_its_number_is_used_again (void **state)
{
	box own;
	uint32_t handle = mono_gchandle_new ((MonoObject *) &own, 0);
	mono_gchandle_free (handle);
	assert_null (mono_gchandle_get_target (handle));
	trace[0] = 0;
	mono_gchandle_free (handle);
	mono_gchandle_free (0);
	assert_string_equal (trace, "");
	assert_int_equal (mono_gchandle_new ((MonoObject *) &own, 0), handle);
	mono_gchandle_free (handle);
}

static void
numbers_that_are_no_handles_do_nothing (void **state)
{
	const uint32_t wrong[] = { 0, 5, 6, 7, 8, 0x7FFFFFFB, 0xFFFFFFFF, 0xFFFFFFFC, 99 << 3 | 3 };
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		assert_null (mono_gchandle_get_target (wrong[i]));
		mono_gchandle_free (wrong[i]);
	}
	assert_int_equal (live, 0);
}

static void
a_refused_reference_is_no_handle (void **state)
{
	box own;
	refuses = true;
	assert_int_equal (mono_gchandle_new ((MonoObject *) &own, 0), 0);
	assert_int_equal (mono_gchandle_new_weakref ((MonoObject *) &own, 0), 0);
	refuses = false;
}

static void *
take_and_free (void *data)
{
	uint32_t handles[32];
	box own[32];
	for (int round = 0; round < 2000; round++) {
		for (int i = 0; i < 32; i++)
			handles[i] = mono_gchandle_new ((MonoObject *) &own[i], i & 1);
		for (int i = 0; i < 32; i++)
			if (mono_gchandle_get_target (handles[i]) != (MonoObject *) &own[i])
				return "a handle was given to two";
		for (int i = 0; i < 32; i++)
			mono_gchandle_free (handles[i]);
	}
	return NULL;
}

static void
threads_never_get_the_same_handle (void **state)
{
	pthread_t threads[4];
	mono_profiler_set_gc_handle_created_callback (*state, NULL);
	mono_profiler_set_gc_handle_deleted_callback (*state, NULL);
	for (int i = 0; i < 4; i++)
		assert_int_equal (pthread_create (&threads[i], NULL, take_and_free, NULL), 0);
	for (int i = 0; i < 4; i++) {
		void *problem = NULL;
		pthread_join (threads[i], &problem);
		assert_null (problem);
	}
	assert_int_equal (live, 0);
	/* No more numbers than were ever in use at once. */
	uint32_t next = mono_gchandle_new (NULL, 0);
	assert_true (next >> 3 < 4 * 32);
	mono_gchandle_free (next);
}

/* --- the collector ------------------------------------------------------------------------------------------------ */

static void
what_is_above_the_oldest_generation_counts_as_the_oldest (void **state)
{
	assert_int_equal (mono_gc_collection_count (0), 70);
	assert_int_equal (mono_gc_collection_count (2), 3);
	assert_int_equal (mono_gc_collection_count (7), 3);
	assert_int_equal (mono_gc_collection_count (-1), 0);
	counts[0] = INT64_C (1) << 40;
	assert_int_equal (mono_gc_collection_count (0), INT32_MAX);
	refuses = true;
	assert_int_equal (mono_gc_collection_count (0), 0);
	refuses = false;
}

static void
an_unknown_heap_is_empty (void **state)
{
	assert_int_equal (mono_gc_get_used_size (), 1000);
	assert_int_equal (mono_gc_get_heap_size (), 4096);
	refuses = true;
	assert_int_equal (mono_gc_get_used_size (), 0);
	refuses = false;
}

static void
no_object_is_in_no_generation (void **state)
{
	box own;
	assert_int_equal (mono_gc_get_generation ((MonoObject *) &own), 2);
	assert_int_equal (mono_gc_get_generation (NULL), -1);
}

static int
on_object (MonoObject *object, MonoClass *klass, uintptr_t size, uintptr_t count, MonoObject **to, uintptr_t *offsets,
           void *data)
{
	assert_true (object == data && klass == mono_get_object_class ());
	assert_true (size == 24 && count == 1 && to[0] == data && offsets[0] == 8);
	walked++;
	return 0;
}

static void
the_host_walks_its_heap (void **state)
{
	const int failures[] = { MONOCLE_E_REFUSED, MONOCLE_E_BUSY, MONOCLE_E_UNKNOWN };
	int data;
	walked = walk_answer = 0;
	assert_int_equal (mono_gc_walk_heap (0, on_object, &data), 0);
	assert_int_equal (walked, 1);
	assert_int_equal (mono_gc_walk_heap (0, NULL, &data), 1);
	for (int i = 0; i < 3; i++) {
		walk_answer = failures[i];
		assert_int_equal (mono_gc_walk_heap (0, on_object, &data), 1);
	}
	assert_int_equal (walked, 1);
}

static const struct CMUnitTest tests[] = {
	cmocka_unit_test (a_string_is_read_where_it_lies),
	cmocka_unit_test (string_hashes_are_monos),
	cmocka_unit_test (copies_are_terminated_and_in_the_asked_encoding),
	cmocka_unit_test (half_a_surrogate_pair_is_an_error),
	cmocka_unit_test (strings_are_equal_by_their_characters),
	cmocka_unit_test (a_string_that_cannot_be_read_is_as_long_as_none),
	cmocka_unit_test (elements_stand_behind_each_other),
	cmocka_unit_test (only_boxes_are_unboxed),
	cmocka_unit_test (handles_are_numbered_as_on_mono),
	cmocka_unit_test (a_freed_handle_has_no_target_and_its_number_is_used_again),
	cmocka_unit_test (numbers_that_are_no_handles_do_nothing),
	cmocka_unit_test (handles_are_pointers_under_the_newer_names),
	cmocka_unit_test (a_refused_reference_is_no_handle),
	cmocka_unit_test (threads_never_get_the_same_handle),
	cmocka_unit_test (what_is_above_the_oldest_generation_counts_as_the_oldest),
	cmocka_unit_test (an_unknown_heap_is_empty),
	cmocka_unit_test (no_object_is_in_no_generation),
	cmocka_unit_test (the_host_walks_its_heap),
};

static int
start (void **state)
{
	if (monocle_host_init (&ops))
		return -1;
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	mono_profiler_set_gc_handle_created_callback (handle, handle_created);
	mono_profiler_set_gc_handle_deleted_callback (handle, handle_deleted);
	monocle_host_startup_done ();
	*state = handle;
	return 0;
}

int
main (void)
{
	return cmocka_run_group_tests (tests, start, NULL);
}
