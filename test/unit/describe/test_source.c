/*
 * SPDX-License-Identifier: MIT
 *
 * test_source.c - symbols of images: where they are found, which are taken, and what broken ones do (nothing).
 *
 * Images and symbols are those of symbols_builder.h, in a folder of their own; questions go through mono_debug_* ().
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <mono/metadata/loader.h>
#include <mono/metadata/mono-debug.h>
#include "file-host.h"
#include "symbols_builder.h"

MONO_API void mono_debug_free_locals (MonoDebugLocalsInfo *info);

enum { RUN = 0x06000001, STOP = 0x06000002, MAIN = 0x06000003 };

static char folder[64], log_path[96];
static int number; /* of images: each has a folder of its own */

/* --- files -------------------------------------------------------------------------------------------------------- */

static const char *
path_of (const char *name)
{
	static char paths[4][256];
	static int next;
	char *path = paths[next++ % 4];
	snprintf (path, sizeof paths[0], "%s/%d/%s", folder, number, name);
	return path;
}

static void
write_file (const char *name, const void *data, size_t size)
{
	FILE *file = fopen (path_of (name), "w");
	assert_non_null (file);
	assert_int_equal (fwrite (data, 1, size, file), size);
	fclose (file);
}

static void
write_bytes (const char *name, struct bytes bytes)
{
	write_file (name, bytes.data, bytes.size);
	bytes_free (&bytes);
}

static int
new_folder (void **state)
{
	number++;
	return mkdir (path_of (""), 0700);
}

/* Lines that were logged since the last question; the last of them in `text`. */
static int
logged (char text[1024])
{
	static long seen;
	int lines = 0;
	FILE *file = fopen (log_path, "r");
	text[0] = 0;
	if (!file)
		return 0;
	fseek (file, seen, SEEK_SET);
	while (fgets (text, 1024, file))
		lines++;
	seen = ftell (file);
	fclose (file);
	return lines;
}

/* "house" with a debug directory that names `path`; NULL: without one. */
static struct bytes
house (const char *path)
{
	struct bytes metadata = build_house ();
	struct bytes pe = build_pe (&metadata, (struct pe_options) { 0 });
	if (path) {
		struct debug_row row = codeview_row (path);
		add_debug_directory (&pe, &row, 1);
	}
	bytes_free (&metadata);
	return pe;
}

static MonoImage *
open_house (const char *codeview)
{
	write_bytes ("house.exe", house (codeview));
	MonoImage *image = file_host_open (path_of ("house.exe"));
	assert_non_null (image);
	return image;
}

/* --- questions ---------------------------------------------------------------------------------------------------- */

static MonoMethod *
method_of (MonoImage *image, uint32_t token)
{
	return monocle_method_def (image, token);
}

static void
check_location (MonoImage *image, uint32_t token, int offset, const char *file, uint32_t row, uint32_t column,
                uint32_t il)
{
	MonoDebugMethodInfo *info = mono_debug_lookup_method (method_of (image, token));
	assert_non_null (info);
	MonoDebugSourceLocation *at = mono_debug_method_lookup_location (info, offset);
	assert_non_null (at);
	assert_string_equal (at->source_file, file);
	assert_int_equal (at->row, row);
	assert_int_equal (at->column, column);
	assert_int_equal (at->il_offset, il);
	mono_debug_free_source_location (at);
}

static void
check_pdb (MonoImage *image)
{
	char text[1024];
	check_location (image, RUN, 0, "/src/a.cs", 10, 5, 0);
	check_location (image, RUN, 8, "/src/a.cs", 12, 3, 7);
	check_location (image, RUN, 9, "b.cs", 1, 1, 9);
	check_location (image, MAIN, 5, "b.cs", 4, 1, 5);
	assert_int_equal (logged (text), 0);
	file_host_close (image);
}

/* No source, and so many lines that name `reason`. */
static void
check_none (MonoImage *image, int lines, const char *reason)
{
	char text[1024];
	for (int again = 0; again < 2; again++)
		for (uint32_t token = RUN; token <= MAIN; token++)
			assert_null (mono_debug_lookup_method (method_of (image, token)));
	assert_int_equal (logged (text), lines);
	if (lines)
		assert_non_null (strstr (text, reason));
	file_host_close (image);
}

/* --- where symbols are -------------------------------------------------------------------------------------------- */

static void
symbols_stand_beside_the_image_by_the_name_in_it (void **state)
{
	write_bytes ("named.pdb", build_pdb ());
	check_pdb (open_house ("C:\\build\\named.pdb"));
}

static void
symbols_stand_beside_the_image_by_its_own_name (void **state)
{
	write_bytes ("house.pdb", build_pdb ());
	check_pdb (open_house ("/nowhere/else.pdb"));
}

static void
symbols_stand_where_the_compiler_put_them (void **state)
{
	char compiled[256];
	assert_int_equal (mkdir (path_of ("obj"), 0700), 0);
	write_bytes ("obj/compiled.pdb", build_pdb ());
	snprintf (compiled, sizeof compiled, "%s", path_of ("obj/compiled.pdb"));
	check_pdb (open_house (compiled));
}

static void
an_unrelated_file_does_not_hide_a_good_one (void **state)
{
	write_bytes ("named.pdb", build_mdb ());
	write_bytes ("house.pdb", build_pdb ());
	check_pdb (open_house ("named.pdb"));
}

static void
embedded_symbols_need_no_file (void **state)
{
	struct bytes pe = build_pe_with_symbols ();
	MonoImage *image = file_host_open_bytes ("", pe.data, pe.size, false);
	assert_non_null (image);
	check_pdb (image);
	bytes_free (&pe);
}

/* An image of a program in one file has a bare name. It is read where `pe` is. */
static MonoImage *
open_bundled (const char *name, const struct bytes *pe)
{
	MonoImage *image = file_host_open_bytes (name, pe->data, pe->size, false);
	assert_non_null (image);
	return image;
}

static void
symbols_of_a_bundled_image_stand_beside_the_program (void **state)
{
	char program[256], symbols[512], name[64];
	ssize_t length = readlink ("/proc/self/exe", program, sizeof program - 1);
	assert_true (length > 0);
	program[length] = 0;
	*strrchr (program, '/') = 0;
	snprintf (name, sizeof name, "bundled-%d.exe", (int) getpid ());
	snprintf (symbols, sizeof symbols, "%s/bundled-%d.pdb", program, (int) getpid ());
	struct bytes pdb = build_pdb (), pe = house ("/nowhere/else.pdb");
	FILE *file = fopen (symbols, "w");
	assert_non_null (file);
	assert_int_equal (fwrite (pdb.data, 1, pdb.size, file), pdb.size);
	fclose (file);
	bytes_free (&pdb);
	check_pdb (open_bundled (name, &pe));
	unlink (symbols);
	bytes_free (&pe);
}

static void
symbols_in_the_current_folder_are_nobodys (void **state)
{
	char *before = getcwd (NULL, 0);
	struct bytes pe = house ("/nowhere/else.pdb");
	assert_non_null (before);
	write_bytes ("house.pdb", build_pdb ());
	assert_int_equal (chdir (path_of ("")), 0);
	check_none (open_bundled ("house.exe", &pe), 0, "");
	assert_int_equal (chdir (before), 0);
	bytes_free (&pe);
	free (before);
}

static void
an_mdb_stands_beside_the_image (void **state)
{
	char text[1024];
	write_bytes ("house.exe.mdb", build_mdb ());
	MonoImage *image = open_house (NULL);
	check_location (image, RUN, 5, "/src/a.cs", 11, 0, 4);
	check_location (image, RUN, 40, "b.cs", 5, 0, 38);
	check_location (image, MAIN, 3, "/src/a.cs", 7, 0, 3);
	assert_null (mono_debug_lookup_method (method_of (image, STOP)));
	assert_int_equal (logged (text), 0);
	file_host_close (image);
}

static void
an_image_without_symbols_says_nothing (void **state)
{
	check_none (open_house ("/nowhere/named.pdb"), 0, "");
	number++;
	assert_int_equal (mkdir (path_of (""), 0700), 0);
	check_none (open_house (NULL), 0, "");
}

/* --- broken symbols ----------------------------------------------------------------------------------------------- */

static void
symbols_of_another_build_are_not_taken (void **state)
{
	struct bytes pdb = build_pdb ();
	for (size_t i = 0; i + sizeof symbols_id <= pdb.size; i++)
		if (!memcmp (pdb.data + i, symbols_id, sizeof symbols_id))
			pdb.data[i + 3] ^= 1;
	write_bytes ("house.pdb", pdb);
	check_none (open_house ("house.pdb"), 1, "house.pdb: belongs to another build");
}

static void
what_is_no_file_is_not_taken (void **state)
{
	assert_int_equal (mkdir (path_of ("house.pdb"), 0700), 0);
	check_none (open_house ("house.pdb"), 1, "house.pdb: is not a file");
	new_folder (NULL);
	assert_int_equal (mkfifo (path_of ("house.pdb"), 0600), 0);
	check_none (open_house ("house.pdb"), 1, "house.pdb: is not a file");
	new_folder (NULL);
	assert_int_equal (symlink ("house.pdb", path_of ("house.pdb")), 0);
	check_none (open_house ("house.pdb"), 1, "house.pdb: ");
}

static void
the_older_format_is_named (void **state)
{
	static const char windows[64] = "Microsoft C/C++ MSF 7.00\r\n\x1A"
	                                "DS";
	write_file ("house.pdb", windows, sizeof windows);
	check_none (open_house ("house.pdb"), 1, "older format");
}

/* Asks everything; answers whatever, but does not die. */
static void
ask_all (MonoImage *image)
{
	for (uint32_t token = RUN; token <= MAIN + 1; token++) {
		MonoMethod *method = method_of (image, token);
		MonoDebugMethodInfo *info = mono_debug_lookup_method (method);
		for (int offset = -1; info && offset < 50; offset++)
			mono_debug_free_source_location (mono_debug_method_lookup_location (info, offset));
		mono_debug_free_locals (mono_debug_lookup_locals (method));
	}
	file_host_close (image);
}

static void
a_file_that_is_cut_off_anywhere_has_one_line (void **state)
{
	char text[1024];
	for (int is_mdb = 0; is_mdb < 2; is_mdb++) {
		struct bytes whole = is_mdb ? build_mdb () : build_pdb ();
		for (size_t size = 0; size < whole.size; size += 1 + size / 64) {
			new_folder (NULL);
			write_file (is_mdb ? "house.exe.mdb" : "house.pdb", whole.data, size);
			ask_all (open_house (is_mdb ? NULL : "house.pdb"));
			assert_int_equal (logged (text), 1);
		}
		bytes_free (&whole);
	}
}

static void
a_file_with_any_byte_changed_has_one_line_at_most (void **state)
{
	char text[1024];
	for (int is_mdb = 0; is_mdb < 2; is_mdb++) {
		struct bytes whole = is_mdb ? build_mdb () : build_pdb ();
		new_folder (NULL);
		for (size_t at = 0; at < whole.size; at++) {
			whole.data[at] ^= 0xFF;
			write_file (is_mdb ? "house.exe.mdb" : "house.pdb", whole.data, whole.size);
			ask_all (open_house (is_mdb ? NULL : "house.pdb"));
			assert_true (logged (text) <= 1);
			whole.data[at] ^= 0xFF;
		}
		bytes_free (&whole);
	}
}

static void
a_damaged_method_leaves_the_others (void **state)
{
	char text[1024];
	write_bytes ("house.pdb", build_pdb_with_points ("\0\xFF", 2));
	MonoImage *image = open_house ("house.pdb");
	MonoDebugMethodInfo *run = mono_debug_lookup_method (method_of (image, RUN));
	assert_non_null (run);
	for (int again = 0; again < 3; again++)
		assert_null (mono_debug_method_lookup_location (run, again));
	check_location (image, MAIN, 5, "b.cs", 4, 1, 5);
	assert_int_equal (logged (text), 1);
	assert_non_null (strstr (text, "house.pdb is damaged at method 0x06000001"));
	file_host_close (image);
}

/* --- symbols that are handed over --------------------------------------------------------------------------------- */

static void
handed_over_symbols_are_taken (void **state)
{
	struct bytes pdb = build_pdb ();
	MonoImage *image = open_house ("/nowhere/named.pdb");
	assert_null (mono_debug_lookup_method (method_of (image, RUN)));
	mono_debug_open_image_from_memory (image, pdb.data, (int) pdb.size);
	bytes_free (&pdb);
	check_pdb (image);
}

static void
handed_over_symbols_of_another_image_are_refused (void **state)
{
	char text[1024];
	struct bytes pdb = build_pdb ();
	write_file ("house.pdb", pdb.data, pdb.size);
	MonoImage *image = open_house ("house.pdb");
	mono_debug_open_image_from_memory (image, pdb.data, (int) pdb.size / 2);
	assert_int_equal (logged (text), 1);
	mono_debug_open_image_from_memory (image, pdb.data, 0);
	mono_debug_open_image_from_memory (image, NULL, 12);
	mono_debug_open_image_from_memory (NULL, pdb.data, 12);
	bytes_free (&pdb);
	check_pdb (image);
}

/* --- locals, ends, handles ---------------------------------------------------------------------------------------- */

/* As Mono lays it out. */
struct block {
	int parent, type, start, end;
};

struct local {
	char *name;
	int slot;
	struct block *block;
};

struct locals {
	int count;
	struct local *locals;
	int block_count;
	struct block *blocks;
};

static void
locals_have_names_and_scopes (void **state)
{
	write_bytes ("house.pdb", build_pdb ());
	MonoImage *image = open_house ("house.pdb");
	MonoDebugLocalsInfo *info = mono_debug_lookup_locals (method_of (image, RUN));
	const struct locals *all = (const struct locals *) info;
	assert_non_null (all);
	assert_int_equal (all->count, 3);
	assert_int_equal (all->block_count, 2);
	assert_string_equal (all->locals[0].name, "x");
	assert_string_equal (all->locals[2].name, "z");
	assert_int_equal (all->locals[2].slot, 0);
	assert_ptr_equal (all->locals[0].block, &all->blocks[0]);
	assert_ptr_equal (all->locals[2].block, &all->blocks[1]);
	assert_int_equal (all->blocks[0].parent, -1);
	assert_int_equal (all->blocks[1].parent, 0);
	assert_int_equal (all->blocks[1].start, 5);
	assert_int_equal (all->blocks[1].end, 10);
	mono_debug_free_locals (info);
	assert_null (mono_debug_lookup_locals (method_of (image, STOP)));
	file_host_close (image);
}

static void
a_point_has_an_end (void **state)
{
	const monocle_host_ops *ops = file_host_ops ();
	monocle_source_info info = { .size = sizeof info };
	write_bytes ("house.pdb", build_pdb ());
	MonoImage *image = open_house ("house.pdb");
	assert_int_equal (ops->source_of (ops->host, method_of (image, RUN), 7, &info), 0);
	assert_int_equal (info.end_row, 14);
	assert_int_equal (info.end_column, 1);
	assert_int_equal (ops->source_of (ops->host, method_of (image, STOP), 0, &info), MONOCLE_E_NOT_FOUND);
	file_host_close (image);
}

static void
a_handle_tells_whether_there_are_symbols (void **state)
{
	write_bytes ("house.pdb", build_pdb ());
	MonoImage *image = open_house ("house.pdb");
	MonoDebugHandle *handle = mono_debug_get_handle (image);
	assert_non_null (handle);
	assert_ptr_equal (handle, mono_debug_get_handle (image));
	assert_ptr_equal (handle->image, image);
	assert_non_null (handle->ppdb);
	new_folder (NULL);
	MonoImage *other = open_house (NULL);
	assert_non_null (mono_debug_get_handle (other));
	assert_null (mono_debug_get_handle (other)->ppdb);
	assert_null (mono_debug_get_handle (NULL));
	file_host_close (image);
	file_host_close (other);
}

static void
an_unloaded_image_has_no_sources (void **state)
{
	write_bytes ("house.pdb", build_pdb ());
	MonoImage *image = open_house ("house.pdb");
	MonoMethod *run = method_of (image, RUN);
	MonoDebugMethodInfo *info = mono_debug_lookup_method (run);
	MonoDebugSourceLocation *kept = mono_debug_method_lookup_location (info, 0);
	file_host_close (image);
	assert_null (mono_debug_lookup_method (run));
	assert_null (mono_debug_method_lookup_location (info, 0));
	assert_string_equal (kept->source_file, "/src/a.cs");
	mono_debug_free_source_location (kept);
}

static int
start (void **state)
{
	snprintf (folder, sizeof folder, "/tmp/monocle-source-XXXXXX");
	if (!mkdtemp (folder))
		return -1;
	snprintf (log_path, sizeof log_path, "%s/log", folder);
	setenv ("MONOCLE_LOG", log_path, 1);
	file_host_start ();
	return 0;
}

static int
end (void **state)
{
	char command[128];
	snprintf (command, sizeof command, "rm -r %s", folder);
	return system (command);
}

#define IN_A_FOLDER(test) cmocka_unit_test_setup (test, new_folder)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		IN_A_FOLDER (symbols_stand_beside_the_image_by_the_name_in_it),
		IN_A_FOLDER (symbols_stand_beside_the_image_by_its_own_name),
		IN_A_FOLDER (symbols_stand_where_the_compiler_put_them),
		IN_A_FOLDER (an_unrelated_file_does_not_hide_a_good_one),
		IN_A_FOLDER (embedded_symbols_need_no_file),
		IN_A_FOLDER (symbols_of_a_bundled_image_stand_beside_the_program),
		IN_A_FOLDER (symbols_in_the_current_folder_are_nobodys),
		IN_A_FOLDER (an_mdb_stands_beside_the_image),
		IN_A_FOLDER (an_image_without_symbols_says_nothing),
		IN_A_FOLDER (symbols_of_another_build_are_not_taken),
		IN_A_FOLDER (what_is_no_file_is_not_taken),
		IN_A_FOLDER (the_older_format_is_named),
		IN_A_FOLDER (a_file_that_is_cut_off_anywhere_has_one_line),
		IN_A_FOLDER (a_file_with_any_byte_changed_has_one_line_at_most),
		IN_A_FOLDER (a_damaged_method_leaves_the_others),
		IN_A_FOLDER (handed_over_symbols_are_taken),
		IN_A_FOLDER (handed_over_symbols_of_another_image_are_refused),
		IN_A_FOLDER (locals_have_names_and_scopes),
		IN_A_FOLDER (a_point_has_an_end),
		IN_A_FOLDER (a_handle_tells_whether_there_are_symbols),
		IN_A_FOLDER (an_unloaded_image_has_no_sources),
	};
	return cmocka_run_group_tests (tests, start, end);
}
