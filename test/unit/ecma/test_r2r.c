/*
 * SPDX-License-Identifier: MIT
 *
 * test_r2r.c - the ReadyToRun tables of real framework images, and of bytes made for it.
 *
 *   test-ecma-r2r [FOLDER...]     besides the runtime on PATH, those in the folders: each holds shared/...
 */
#include <fcntl.h>
#include <glob.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "r2r.h"
#include "r2r_builder.h"
#include "runtime_image.h"

/* --- every image of a framework ----------------------------------------------------------------------------------- */

typedef struct {
	monocle__r2r *r2r;
	uint32_t *entries;   /* by function: 1 + the row of its method, UINT32_MAX of an instance; 0: none */
	uint32_t *functions; /* by row - 1: 1 + the function; 0: none */
	uint32_t methods, instances, twice, generic_methods, plain_instances, odd_counts, bad_rows;
} tables;

static void
method_seen (uint32_t row, uint32_t function, void *data)
{
	tables *t = data;
	monocle__ecma_methoddef method;
	const monocle__ecma_image *image = t->r2r->image;
	t->methods++;
	t->twice += t->entries[function] != 0;
	t->entries[function] = row + 1;
	if (monocle__ecma_get_methoddef (image, 0x06000000 | row, &method)) {
		t->bad_rows++;
		return;
	}
	t->functions[row - 1] = function + 1;
	uint32_t owner = monocle__ecma_method_owner (image, 0x06000000 | row);
	t->generic_methods +=
	    monocle__ecma_generic_params (image, 0x06000000 | row) || monocle__ecma_generic_params (image, owner);
}

/* How many type arguments the class of an instance has. */
static uint32_t
owner_arguments (const monocle__r2r_signature *signature)
{
	monocle__ecma_cursor cursor = signature->owner;
	if (monocle__ecma_read_byte (&cursor) != MONOCLE__ET_GENERICINST)
		return 0;
	monocle__ecma_read_byte (&cursor);
	monocle__ecma_read_type_token (&cursor);
	return monocle__ecma_read_u (&cursor);
}

static void
instance_seen (uint32_t offset, uint32_t function, void *data)
{
	tables *t = data;
	monocle__ecma_methoddef method;
	monocle__r2r_signature signature;
	const monocle__ecma_image *image = t->r2r->image;
	monocle__ecma_cursor cursor =
	    monocle__ecma_cursor_over (t->r2r->instances + offset, t->r2r->instances_size - offset);
	t->instances++;
	t->twice += t->entries[function] != 0;
	t->entries[function] = UINT32_MAX;
	assert_int_equal (monocle__r2r_read_signature (&cursor, &signature), 0);
	bool is_own = !(signature.flags & (MONOCLE__R2R_METHOD_CONTEXT | MONOCLE__R2R_METHOD_MEMBERREF)) &&
	              monocle__ecma_peek_byte (&signature.owner) != MONOCLE__R2R_ET_MODULE;
	if (!is_own)
		return;
	if (monocle__ecma_get_methoddef (image, 0x06000000 | signature.row, &method)) {
		t->bad_rows++;
		return;
	}
	uint32_t token = 0x06000000 | signature.row;
	uint32_t of_class = monocle__ecma_generic_params (image, monocle__ecma_method_owner (image, token));
	uint32_t of_method = monocle__ecma_generic_params (image, token);
	t->plain_instances += !of_method && !of_class;
	t->odd_counts += signature.argument_count != of_method || owner_arguments (&signature) != of_class;
}

/* --- the same array, asked as the runtime asks: by index ---------------------------------------------------------- */

static uint32_t
number (const uint8_t **at)
{
	const uint8_t *p = *at;
	uint32_t length = p[0] & 1 ? p[0] & 2 ? p[0] & 4 ? p[0] & 8 ? 5 : 4 : 3 : 2 : 1;
	uint64_t value = 0;
	for (uint32_t i = 0; i < length; i++)
		value |= (uint64_t) p[i] << 8 * i;
	*at += length;
	return (uint32_t) (value >> (length == 5 ? 8 : length));
}

/* The function of a row, UINT32_MAX: none. */
static uint32_t
look_up (const monocle__r2r *r2r, uint32_t index)
{
	const uint8_t *base = r2r->methods, *at;
	uint32_t head = number (&base), width = 1u << (head & 3), offset = 0;
	if (index >= head >> 2)
		return UINT32_MAX;
	memcpy (&offset, base + index / 16 * width, width);
	at = base + offset;
	for (uint32_t bit = 8; bit; bit >>= 1) {
		const uint8_t *next = at;
		uint32_t node = number (&next);
		if (index & bit && node & 2)
			at += node >> 2;
		else if (!(index & bit) && node & 1)
			at = next;
		else if (!(node & 3) && node >> 2 == (index & 15)) {
			at = next;
			break;
		} else
			return UINT32_MAX;
	}
	uint32_t id = number (&at);
	return id & 1 ? id >> 2 : id >> 1;
}

/* --- checks ------------------------------------------------------------------------------------------------------- */

static void
check_functions (const monocle__r2r *r2r)
{
	uint32_t end = 0;
	for (uint32_t i = 0; i < r2r->function_count; i++) {
		monocle__r2r_function f = monocle__r2r_get (r2r, i);
		assert_true (f.begin >= end && f.end > f.begin);
		assert_int_equal (monocle__r2r_find (r2r, f.begin, 0, r2r->function_count - 1), i);
		assert_int_equal (monocle__r2r_find (r2r, f.end - 1, 0, r2r->function_count - 1), i);
		assert_int_not_equal (monocle__r2r_find (r2r, f.end, 0, r2r->function_count - 1), i);
		if (f.begin > end)
			assert_int_equal (monocle__r2r_find (r2r, f.begin - 1, 0, r2r->function_count - 1), UINT32_MAX);
		end = f.end;
		const uint8_t *unwind = monocle__r2r_unwind (r2r, &f);
		assert_non_null (unwind);
		assert_int_equal (unwind[0] & 7, 1); /* the version */
		assert_true (unwind[1] <= f.end - f.begin);
	}
	assert_int_equal (monocle__r2r_find (r2r, 0, 0, r2r->function_count - 1), UINT32_MAX);
	assert_int_equal (monocle__r2r_find (r2r, UINT32_MAX, 0, r2r->function_count - 1), UINT32_MAX);
}

static double
milliseconds (void)
{
	struct timespec now;
	clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
	return (double) now.tv_sec * 1e3 + (double) now.tv_nsec / 1e6;
}

static void
count_one (uint32_t a, uint32_t b, void *data)
{
	++*(uint32_t *) data;
}

static void
report_time (const char *path, const monocle__r2r *r2r)
{
	uint32_t count = 0;
	double begin = milliseconds ();
	monocle__r2r_each_method (r2r, count_one, &count);
	double middle = milliseconds ();
	monocle__r2r_each_instance (r2r, count_one, &count);
	print_message ("%s: version %u.%u, %u functions, %u entries: %.2f ms methods, %.2f ms instances\n", path,
	               r2r->major, r2r->minor, r2r->function_count, count, middle - begin, milliseconds () - middle);
}

static void
check_tables (tables *t)
{
	uint32_t rows = monocle__ecma_rows (t->r2r->image, MONOCLE__TABLE_MethodDef);
	monocle__r2r_each_method (t->r2r, method_seen, t);
	monocle__r2r_each_instance (t->r2r, instance_seen, t);
	assert_int_equal (t->bad_rows, 0);
	assert_int_equal (t->twice, 0);
	assert_int_equal (t->generic_methods, 0);
	assert_int_equal (t->plain_instances, 0);
	assert_int_equal (t->odd_counts, 0);
	assert_true (t->entries[0] || !t->r2r->function_count);
	for (uint32_t row = 0; row < rows && t->r2r->methods; row++)
		assert_int_equal (look_up (t->r2r, row), t->functions[row] - 1);
}

static void
check_image (const char *path, bool *ret_is_readytorun)
{
	static monocle__ecma_image image;
	monocle__r2r r2r;
	struct stat status;
	int file = open (path, O_RDONLY | O_CLOEXEC);
	assert_true (file >= 0 && fstat (file, &status) == 0);
	void *data = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
	assert_true (data != MAP_FAILED);
	*ret_is_readytorun = monocle__ecma_open_pe (&image, data, (size_t) status.st_size, false) == 0 &&
	                     monocle__r2r_open (&r2r, &image) == 0;
	if (*ret_is_readytorun) {
		uint32_t rows = monocle__ecma_rows (&image, MONOCLE__TABLE_MethodDef);
		tables t = { .r2r = &r2r,
			         .entries = calloc (r2r.function_count + 1u, sizeof (uint32_t)),
			         .functions = calloc (rows + 1u, sizeof (uint32_t)) };
		check_functions (&r2r);
		check_tables (&t);
		if (r2r.function_count > 30000)
			report_time (path, &r2r);
		free (t.entries);
		free (t.functions);
	}
	munmap (data, (size_t) status.st_size);
	close (file);
}

static char **folders;
static char corlib_path[4096];

/* The images beside a core library. */
static uint32_t
check_framework (const char *folder)
{
	char pattern[4200];
	glob_t found;
	uint32_t count = 0;
	bool is_readytorun;
	snprintf (pattern, sizeof pattern, "%s/*.dll", folder);
	assert_int_equal (glob (pattern, 0, NULL, &found), 0);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		check_image (found.gl_pathv[i], &is_readytorun);
		count += is_readytorun;
	}
	globfree (&found);
	return count;
}

static void
every_function_of_every_framework_image_is_found_and_owned (void **state)
{
	*strrchr (corlib_path, '/') = 0;
	assert_true (check_framework (corlib_path) > 50);
	for (char **folder = folders; *folder; folder++) {
		char pattern[4200];
		glob_t found;
		snprintf (pattern, sizeof pattern, "%s/shared/Microsoft.NETCore.App/*", *folder);
		if (glob (pattern, GLOB_ONLYDIR, NULL, &found))
			continue;
		for (size_t i = 0; i < found.gl_pathc; i++)
			assert_true (check_framework (found.gl_pathv[i]) > 50);
		globfree (&found);
	}
}

/* --- a small image ------------------------------------------------------------------------------------------------ */

typedef struct {
	char text[1024];
} story;

static void
tell_method (uint32_t row, uint32_t function, void *data)
{
	story *s = data;
	snprintf (s->text + strlen (s->text), sizeof s->text - strlen (s->text), "%u:%u ", row, function);
}

static void
opens_what_was_built (struct bytes *pe, monocle__ecma_image *image, monocle__r2r *r2r)
{
	*pe = build_r2r ();
	assert_int_equal (monocle__ecma_open_pe (image, pe->data, pe->size, false), 0);
	assert_int_equal (monocle__r2r_open (r2r, image), 0);
}

static void
methods_instances_and_cold_parts_are_told (void **state)
{
	monocle__ecma_image image;
	monocle__r2r r2r;
	struct bytes pe;
	story s = { "" };
	opens_what_was_built (&pe, &image, &r2r);
	assert_int_equal (r2r.function_count, 6);
	monocle__r2r_each_method (&r2r, tell_method, &s);
	assert_string_equal (s.text, "1:0 3:2 20:3 ");
	s.text[0] = 0;
	monocle__r2r_each_instance (&r2r, tell_method, &s);
	assert_string_equal (s.text, "9:4 ");
	s.text[0] = 0;
	monocle__r2r_each_cold (&r2r, tell_method, &s);
	assert_string_equal (s.text, "5:2 ");
	bytes_free (&pe);
}

static void
a_signature_gives_its_parts (void **state)
{
	/* Dictionary<canon, int>.M<canon[]> as (owner, method instance), row 7 */
	static const uint8_t bytes[] = { 0x44, 0x15, 0x12, 0x08, 2, 0x3E, 0x08, 7, 1, 0x1D, 0x3E, 0xAA };
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (bytes, sizeof bytes);
	monocle__r2r_signature s;
	assert_int_equal (monocle__r2r_read_signature (&cursor, &s), 0);
	assert_int_equal (s.row, 7);
	assert_int_equal (s.argument_count, 1);
	assert_int_equal (s.owner.end - s.owner.at, 6);
	assert_int_equal (s.arguments.end - s.arguments.at, 2);
	assert_int_equal (*cursor.at, 0xAA);
	for (uint32_t size = 0; size < sizeof bytes - 1; size++) {
		cursor = monocle__ecma_cursor_over (bytes, size);
		assert_true (monocle__r2r_read_signature (&cursor, &s) < 0);
	}
}

static void
types_nest_only_so_deep (void **state)
{
	uint8_t bytes[1000];
	monocle__r2r_signature s;
	memset (bytes, 0x1D, sizeof bytes);
	bytes[0] = 0x40;
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (bytes, sizeof bytes);
	assert_true (monocle__r2r_read_signature (&cursor, &s) < 0);
}

static void
other_processors_and_images_without_code_are_refused (void **state)
{
	monocle__ecma_image image;
	monocle__r2r r2r;
	struct bytes pe;
	opens_what_was_built (&pe, &image, &r2r);
	image.machine = 0xAA64 ^ 0x7B79;
	assert_int_equal (monocle__r2r_open (&r2r, &image), MONOCLE__ECMA_E_RANGE);
	image.machine = 0x8664;
	assert_int_equal (monocle__r2r_open (&r2r, &image), 0);
	image.is_readytorun = false;
	assert_int_equal (monocle__r2r_open (&r2r, &image), MONOCLE__ECMA_E_RANGE);
	bytes_free (&pe);
}

int
main (int argc, char **argv)
{
	static struct runtime_image corlib;
	const struct CMUnitTest made[] = {
		cmocka_unit_test (methods_instances_and_cold_parts_are_told),
		cmocka_unit_test (a_signature_gives_its_parts),
		cmocka_unit_test (types_nest_only_so_deep),
		cmocka_unit_test (other_processors_and_images_without_code_are_refused),
	};
	const struct CMUnitTest real[] = {
		cmocka_unit_test (every_function_of_every_framework_image_is_found_and_owned),
	};
	folders = argv + 1;
	int failed = cmocka_run_group_tests_name ("made", made, NULL, NULL);
	int missing = runtime_image_open (&corlib, "coreclr");
	if (missing)
		return failed ? failed : missing;
	memcpy (corlib_path, corlib.path, sizeof corlib_path);
	runtime_image_close (&corlib);
	return failed + cmocka_run_group_tests_name ("real", real, NULL, NULL);
}
