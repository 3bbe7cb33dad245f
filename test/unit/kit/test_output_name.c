/*
 * SPDX-License-Identifier: MIT
 *
 * test_output_name.c - what `output=` stands for, and how the program is named.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "output-name.h"
#include "text-output.h"
#include "tree.h"

#include <cmocka.h>

static const struct monocle__output_words words = { "fib", "calls", 4711, 1790000000, "pb.gz" };
static enum monocle__output_kind kind;

static const char *
expand (const char *output)
{
	static char path[PATH_MAX];
	assert_int_equal (monocle__output_expand (output, &words, path, sizeof path, &kind), 0);
	return path;
}

static void
letters_are_expanded (void **state)
{
	assert_string_equal (expand ("/d/%e-%p.%m.gz"), "/d/fib-4711.calls.gz");
	assert_string_equal (expand ("/d/100%%-%x-%"), "/d/100%-%x-%");
	assert_int_equal (kind, MONOCLE__OUTPUT_FILE);
	setenv ("TZ", "UTC", 1);
	tzset ();
	assert_string_equal (expand ("/%t"), "/20260921_141320");
}

static void
the_default_is_in_the_current_folder_and_new (void **state)
{
	char wanted[PATH_MAX], folder[PATH_MAX];
	snprintf (wanted, sizeof wanted, "%s/fib_20260921_141320_4711.calls.pb.gz", getcwd (folder, sizeof folder - 64));
	assert_string_equal (expand (NULL), wanted);
	assert_int_equal (kind, MONOCLE__OUTPUT_NEW);
	assert_string_equal (expand (""), wanted);
}

static void
what_ends_with_a_slash_is_a_folder_for_the_default_name (void **state)
{
	char before[PATH_MAX];
	assert_string_equal (expand ("/d%%/"), "/d%/fib_20260921_141320_4711.calls.pb.gz");
	assert_int_equal (kind, MONOCLE__OUTPUT_NEW);
	assert_non_null (getcwd (before, sizeof before));
	assert_int_equal (chdir ("/usr"), 0);
	assert_string_equal (expand ("x/"), "/usr/x/fib_20260921_141320_4711.calls.pb.gz");
	assert_int_equal (chdir (before), 0);
}

static void
relative_names_become_absolute (void **state)
{
	char before[PATH_MAX];
	assert_non_null (getcwd (before, sizeof before));
	assert_int_equal (chdir ("/usr"), 0);
	assert_string_equal (expand ("x/y"), "/usr/x/y");
	assert_int_equal (chdir (before), 0);
}

static void
a_plus_appends_the_process (void **state)
{
	assert_string_equal (expand ("+/d/file"), "/d/file.4711");
	assert_int_equal (kind, MONOCLE__OUTPUT_FILE);
}

static void
commands_and_descriptors_are_told_apart (void **state)
{
	assert_string_equal (expand ("|gzip > %e.%p"), "gzip > fib.4711");
	assert_int_equal (kind, MONOCLE__OUTPUT_COMMAND);
	assert_string_equal (expand ("#7"), "7");
	assert_int_equal (kind, MONOCLE__OUTPUT_FD);
}

static void
a_number_finds_a_free_name (void **state)
{
	char template[128], wanted[128];
	snprintf (template, sizeof template, "%s/x%%n", tree_folder);
	snprintf (wanted, sizeof wanted, "%s/x1", tree_folder);
	assert_string_equal (expand (template), wanted);
	fclose (fopen (wanted, "w"));
	snprintf (wanted, sizeof wanted, "%s/x2", tree_folder);
	assert_string_equal (expand (template), wanted);
	assert_int_equal (kind, MONOCLE__OUTPUT_NEW);
}

static void
names_that_are_too_long_are_refused (void **state)
{
	char longer[PATH_MAX + 10], path[PATH_MAX];
	memset (longer, 'x', sizeof longer);
	longer[sizeof longer - 1] = '\0';
	assert_int_equal (monocle__output_expand (longer, &words, path, sizeof path, &kind), -ENAMETOOLONG);
	assert_int_equal (monocle__output_expand ("/abc", &words, path, 4, &kind), -ENAMETOOLONG);
}

/* The command writes what it was given into a file. */
static void
a_command_is_not_profiled_itself (void **state)
{
	char path[] = "/tmp/monocle-env-XXXXXX", command[128], text[1 << 16];
	int fd = mkstemp (path);
	assert_true (fd >= 0);
	setenv ("MONOCLE_PROFILE", "events", 1);
	setenv ("CORECLR_ENABLE_PROFILING", "1", 1);
	setenv ("CORECLR_PROFILER_PATH", "/x.so", 1);
	setenv ("MONO_ENV_OPTIONS", "--profile=events", 1);
	setenv ("MONO_PROFILE", "events", 1);
	setenv ("MONOKEPT", "kept", 1);
	snprintf (command, sizeof command, "cat >/dev/null; env >%s", path);
	char output[sizeof command];
	strcpy (output, command);
	assert_int_equal (monocle__output_write (output, sizeof output, MONOCLE__OUTPUT_COMMAND, "x", 1), 0);
	ssize_t length = read (fd, text, sizeof text - 1);
	assert_true (length > 0);
	text[length] = 0;
	assert_non_null (strstr (text, "MONOKEPT=kept"));
	assert_non_null (strstr (text, "PATH="));
	assert_null (strstr (text, "MONOCLE_PROFILE"));
	assert_null (strstr (text, "CORECLR_"));
	assert_null (strstr (text, "--profile"));
	assert_null (strstr (text, "MONO_PROFILE"));
	assert_string_equal (getenv ("MONOCLE_PROFILE"), "events"); /* the program keeps its own */
	setenv ("MONO_ENV_OPTIONS", "--trace", 1);
	assert_int_equal (monocle__output_write (output, sizeof output, MONOCLE__OUTPUT_COMMAND, "x", 1), 0);
	length = pread (fd, text, sizeof text - 1, 0);
	text[length > 0 ? length : 0] = 0;
	assert_non_null (strstr (text, "MONO_ENV_OPTIONS=--trace"));
	close (fd);
	unlink (path);
}

/* --- what is there already ---------------------------------------------------------------------------------------- */

static void
write_to (const char *name, enum monocle__output_kind how, char written[PATH_MAX])
{
	snprintf (written, PATH_MAX, "%s", tree_file (name));
	assert_int_equal (monocle__output_write (written, PATH_MAX, how, "profile", 7), 0);
}

static void
make (const char *name, mode_t mode)
{
	FILE *file = fopen (tree_file (name), "w");
	fputs ("what was there before", file);
	fclose (file);
	assert_int_equal (chmod (tree_file (name), mode), 0);
}

static off_t
size_and_mode (const char *name, mode_t *ret_mode)
{
	struct stat status;
	assert_int_equal (lstat (tree_file (name), &status), 0);
	*ret_mode = status.st_mode;
	return status.st_size;
}

static void
a_new_file_is_its_users_only (void **state)
{
	char written[PATH_MAX];
	mode_t mode, mask = umask (0);
	write_to ("new", MONOCLE__OUTPUT_FILE, written);
	write_to ("numbered", MONOCLE__OUTPUT_NEW, written);
	umask (mask);
	assert_int_equal (size_and_mode ("new", &mode), 7);
	assert_int_equal (mode, S_IFREG | 0600);
	assert_int_equal (size_and_mode ("numbered", &mode), 7);
	assert_int_equal (mode, S_IFREG | 0600);
}

static void
a_file_that_was_there_keeps_its_modes (void **state)
{
	char written[PATH_MAX];
	mode_t mode;
	make ("old", 0664);
	write_to ("old", MONOCLE__OUTPUT_FILE, written);
	assert_int_equal (size_and_mode ("old", &mode), 7);
	assert_int_equal (mode, S_IFREG | 0664);
}

static void
a_link_is_written_through_and_stays (void **state)
{
	char written[PATH_MAX];
	mode_t mode;
	make ("target", 0640);
	assert_int_equal (symlink ("target", tree_file ("link")), 0);
	assert_int_equal (symlink ("later", tree_file ("dangling")), 0);
	write_to ("link", MONOCLE__OUTPUT_FILE, written);
	write_to ("dangling", MONOCLE__OUTPUT_FILE, written);
	assert_int_equal (size_and_mode ("target", &mode), 7);
	assert_int_equal (mode, S_IFREG | 0640);
	assert_int_equal (size_and_mode ("later", &mode), 7);
	assert_int_equal (mode, S_IFREG | 0600);
	size_and_mode ("link", &mode);
	assert_true (S_ISLNK (mode));
	size_and_mode ("dangling", &mode);
	assert_true (S_ISLNK (mode));
}

static void
a_default_name_follows_no_link (void **state)
{
	char written[PATH_MAX];
	mode_t mode;
	make ("target", 0640);
	assert_int_equal (symlink ("target", tree_file ("x.calls.pb.gz")), 0);
	write_to ("x.calls.pb.gz", MONOCLE__OUTPUT_NEW, written);
	assert_string_equal (written, tree_file ("x-2.calls.pb.gz"));
	assert_int_equal (size_and_mode ("target", &mode), 21);
}

static void
a_log_is_its_users_only (void **state)
{
	struct monocle__text_file file;
	mode_t mode, mask = umask (0);
	assert_int_equal (monocle__text_file_open (&file, tree_file ("log"), MONOCLE__OUTPUT_FILE), 0);
	monocle__text_file_close (&file);
	assert_int_equal (monocle__text_file_open (&file, tree_file ("numbered"), MONOCLE__OUTPUT_NEW), 0);
	monocle__text_file_close (&file);
	umask (mask);
	size_and_mode ("log", &mode);
	assert_int_equal (mode, S_IFREG | 0600);
	size_and_mode ("numbered", &mode);
	assert_int_equal (mode, S_IFREG | 0600);
}

/* --- pipes -------------------------------------------------------------------------------------------------------- */

static int
write_pipe (size_t length)
{
	char *bytes = calloc (length, 1), path[PATH_MAX];
	snprintf (path, sizeof path, "%s", tree_file ("pipe"));
	int error = monocle__output_write (path, sizeof path, MONOCLE__OUTPUT_FILE, bytes, length);
	free (bytes);
	return error;
}

static void
a_pipe_without_a_reader_is_not_waited_for (void **state)
{
	assert_int_equal (mkfifo (tree_file ("pipe"), 0600), 0);
	assert_int_equal (symlink ("pipe", tree_file ("link")), 0);
	assert_int_equal (write_pipe (7), -ENXIO);
	assert_string_equal (monocle__output_name_problem (tree_file ("pipe"), -ENXIO), "nobody reads this pipe");
	assert_string_equal (monocle__output_name_problem (tree_file ("link"), -ENXIO), "nobody reads this pipe");
	assert_string_equal (monocle__output_name_problem (tree_file ("pipe"), -EACCES), strerror (EACCES));
	assert_string_equal (monocle__output_name_problem (tree_file ("none"), -ENXIO), strerror (ENXIO));
}

static void
a_pipe_gets_what_it_has_room_for (void **state)
{
	char read_back[8];
	assert_int_equal (mkfifo (tree_file ("pipe"), 0600), 0);
	int reader = open (tree_file ("pipe"), O_RDONLY | O_NONBLOCK);
	assert_int_equal (write_pipe (7), 0);
	assert_int_equal (read (reader, read_back, sizeof read_back), 7);
	close (reader);
}

/* A child, since the signal would end this process. */
static void
a_reader_that_goes_ends_no_program (void **state)
{
	assert_int_equal (mkfifo (tree_file ("pipe"), 0600), 0);
	int reader = open (tree_file ("pipe"), O_RDONLY | O_NONBLOCK), writer, status;
	assert_true ((writer = open (tree_file ("pipe"), O_WRONLY)) >= 0);
	close (reader);
	pid_t child = fork ();
	if (child == 0)
		_exit (monocle__output_write_all (writer, "profile", 7) == -EPIPE ? 0 : 1);
	close (writer);
	assert_int_equal (waitpid (child, &status, 0), child);
	assert_int_equal (status, 0);
}

#ifdef MONOCLE_INVARIANTS
static void
a_reader_that_reads_no_more_is_given_up (void **state)
{
	setenv ("MONOCLE_TEST_PATIENCE", "1", 1);
	assert_int_equal (mkfifo (tree_file ("pipe"), 0600), 0);
	int reader = open (tree_file ("pipe"), O_RDONLY | O_NONBLOCK);
	assert_int_equal (write_pipe (1 << 22), -ETIMEDOUT);
	assert_string_equal (monocle__output_name_problem (tree_file ("pipe"), -ETIMEDOUT), "nobody reads this pipe");
	close (reader);
	unsetenv ("MONOCLE_TEST_PATIENCE");
}
#endif

#define tree_test(name) cmocka_unit_test_setup_teardown (name, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (letters_are_expanded),
		cmocka_unit_test (the_default_is_in_the_current_folder_and_new),
		cmocka_unit_test (what_ends_with_a_slash_is_a_folder_for_the_default_name),
		cmocka_unit_test (relative_names_become_absolute),
		cmocka_unit_test (a_plus_appends_the_process),
		cmocka_unit_test (commands_and_descriptors_are_told_apart),
		tree_test (a_number_finds_a_free_name),
		cmocka_unit_test (names_that_are_too_long_are_refused),
		cmocka_unit_test (a_command_is_not_profiled_itself),
		tree_test (a_new_file_is_its_users_only),
		tree_test (a_file_that_was_there_keeps_its_modes),
		tree_test (a_link_is_written_through_and_stays),
		tree_test (a_default_name_follows_no_link),
		tree_test (a_log_is_its_users_only),
		tree_test (a_pipe_without_a_reader_is_not_waited_for),
		tree_test (a_pipe_gets_what_it_has_room_for),
		tree_test (a_reader_that_goes_ends_no_program),
#ifdef MONOCLE_INVARIANTS
		tree_test (a_reader_that_reads_no_more_is_given_up),
#endif
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
