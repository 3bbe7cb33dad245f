/*
 * SPDX-License-Identifier: MIT
 *
 * test_spool.c - the file: growing, limits, hostile programs, death, completing, and where the profile goes.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../seed.h"
#include "complete.h"
#include "spool-file.h"
#include "tree.h"

#include <cmocka.h>

#define enter(method) monocle_kit_calls_enter (spool, (void *) (method))
#define leave(method) monocle_kit_calls_leave (spool, (void *) (method))

static char main_[] = "main", a[] = "a", b[] = "b";

static char many_names[60000][8];

/* A tree of 60,000 paths: two megabytes of nodes and more. */
static void
grow_tree (monocle_kit_spool *spool)
{
	enter (main_);
	for (size_t i = 0; i < 60000; i++) {
		snprintf (many_names[i], sizeof many_names[i], "m%zu", i);
		enter (many_names[i]), leave (many_names[i]);
	}
	leave (main_);
}

static bool
exists (const char *name)
{
	return access (tree_file (name), F_OK) == 0;
}

static size_t
file_size (const char *path)
{
	struct stat status;
	return stat (path, &status) ? 0 : (size_t) status.st_size;
}

/* Runs `body` in a child and returns its wait status. */
static int
in_child (void (*body) (void))
{
	int status = -1;
	fflush (NULL);
	pid_t child = fork ();
	if (child == 0) {
		body ();
		_exit (0);
	}
	assert_int_equal (waitpid (child, &status, 0), child);
	return status;
}

/* --- growing ------------------------------------------------------------------------------------------------------ */

static void
the_file_grows_as_the_tree_does (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	grow_tree (spool);
	assert_true (spool->allocated > (2u << 20));
	assert_int_equal (file_size (spool->path), spool->allocated);
	assert_int_equal (tree_calls (spool, "main;m59999"), 1);
	assert_int_equal (tree_loss (spool, MONOCLE__LOSS_SPACE), 0);
}

static void
grow_without_descriptors_elsewhere (void)
{
	monocle_kit_spool *spool = tree_open_at (tree_file ("p.pb.gz"));
	for (int fd = 3; fd < 256; fd++)
		close (fd);
	if (!spool || chdir ("/") || open ("/dev/null", O_RDONLY) != 3)
		_exit (1);
	close (3);
	grow_tree (spool);
	/* What was opened while growing is closed again. */
	if (open ("/dev/null", O_RDONLY) != 3 || spool->allocated <= 2u << 20 || monocle_kit_spool_close (spool))
		_exit (2);
}

static void
a_program_may_close_descriptors_and_change_its_folder (void **state)
{
	assert_int_equal (in_child (grow_without_descriptors_elsewhere), 0);
	assert_true (exists ("p.pb.gz"));
}

static void
grow_in_another_file (void)
{
	monocle_kit_spool *spool = tree_open_at (tree_file ("p.pb.gz"));
	if (rename (spool->path, tree_file ("moved")))
		_exit (1);
	FILE *other = fopen (spool->path, "w");
	fputs ("precious", other);
	fclose (other);
	grow_tree (spool);
	if (file_size (spool->path) != 8 || tree_loss (spool, MONOCLE__LOSS_SPACE) == 0)
		_exit (2);
}

static void
another_file_of_the_same_name_is_left_alone (void **state)
{
	assert_int_equal (in_child (grow_in_another_file), 0);
}

static void
grow_beyond_the_limit (void)
{
	monocle_kit_spool *spool = tree_open_at (tree_file ("p.pb.gz"));
	struct rlimit limit = { (3 << 20) / 2, (3 << 20) / 2 };
	setrlimit (RLIMIT_FSIZE, &limit);
	enter (a), leave (a);
	grow_tree (spool);
	enter (a), leave (a);
	if (tree_calls (spool, "a") != 2 || tree_loss (spool, MONOCLE__LOSS_SPACE) == 0)
		_exit (1);
	if (spool->allocated > limit.rlim_cur || monocle_kit_spool_close (spool))
		_exit (2);
}

static void
a_file_size_limit_is_a_counted_loss_and_no_signal (void **state)
{
	setenv ("MONOCLE_LOG", tree_file ("log"), 1);
	assert_int_equal (in_child (grow_beyond_the_limit), 0);
	unsetenv ("MONOCLE_LOG");
	assert_true (exists ("p.pb.gz"));
	assert_true (file_size (tree_file ("log")) > 0);
}

static void
open_below_the_limit (void)
{
	struct rlimit limit = { 1000, 1000 };
	setrlimit (RLIMIT_FSIZE, &limit);
	_exit (tree_open_at (tree_file ("p.pb.gz")) ? 1 : 0);
}

static void
a_limit_that_allows_no_spool_leaves_the_program_unprofiled (void **state)
{
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	assert_int_equal (in_child (open_below_the_limit), 0);
	unsetenv ("MONOCLE_LOG");
	assert_false (exists ("p.pb.gz.spool"));
}

static void
open_in_little_space (void)
{
	struct rlimit limit = { 256 << 20, 256 << 20 };
	setrlimit (RLIMIT_AS, &limit);
	monocle_kit_spool *spool = tree_open_at (tree_file ("p.pb.gz"));
	if (!spool || spool->reserved > 16u << 20)
		_exit (1);
	enter (a), leave (a);
	_exit (tree_calls (spool, "a") == 1 && !monocle_kit_spool_close (spool) ? 0 : 2);
}

static void
little_address_space_is_respected (void **state)
{
#if defined __SANITIZE_ADDRESS__ || defined __SANITIZE_THREAD__
	return; /* A sanitizer takes terabytes of address space for itself. */
#endif
	assert_int_equal (in_child (open_in_little_space), 0);
}

/* --- death -------------------------------------------------------------------------------------------------------- */

static int die_pipe[2];

static void
call_until_killed (void)
{
	monocle_kit_spool *spool = tree_open_at (tree_file ("p.pb.gz"));
	enter (main_);
	for (unsigned long i = 1;; i++) {
		enter (a), enter (b), leave (b), leave (a);
		if (i % 1000 == 0 && write (die_pipe[1], &i, sizeof i) < 0)
			_exit (1);
	}
}

/*
 * Kills a child in the middle of its calls; returns how many it had told of, and that it can have made 1000 more at
 * most.
 */
static unsigned long
kill_a_caller (void)
{
	unsigned long told = 0, one;
	assert_int_equal (pipe (die_pipe), 0);
	fflush (NULL);
	pid_t child = fork ();
	if (child == 0)
		call_until_killed ();
	close (die_pipe[1]);
	while (told < 50000 && read (die_pipe[0], &one, sizeof one) == sizeof one)
		told = one;
	kill (child, SIGKILL);
	waitpid (child, NULL, 0);
	while (read (die_pipe[0], &one, sizeof one) == sizeof one)
		told = one;
	close (die_pipe[0]);
	return told;
}

static void
sigkill_loses_nothing (void **state)
{
	unsigned long told = kill_a_caller ();
	uint64_t calls = tree_file_calls (tree_file ("p.pb.gz.spool"), "main;a");
	uint64_t inner = tree_file_calls (tree_file ("p.pb.gz.spool"), "main;a;b");
	assert_in_range (calls, told, told + 1000);
	assert_in_range (inner, calls - 1, calls);
	assert_int_equal (tree_file_calls (tree_file ("p.pb.gz.spool"), "main"), 1);
}

/* --- sandboxes ---------------------------------------------------------------------------------------------------- */

/* From now on fallocate and madvise answer with `error`, in this process and its children. */
static bool
refuse_calls (int error)
{
	struct sock_filter filter[] = {
		BPF_STMT (BPF_LD | BPF_W | BPF_ABS, offsetof (struct seccomp_data, nr)),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_fallocate, 1, 0),
		BPF_JUMP (BPF_JMP | BPF_JEQ | BPF_K, SYS_madvise, 0, 1),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (unsigned) error),
		BPF_STMT (BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
	return !prctl (PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) && !prctl (PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
	       madvise (filter, 0, MADV_NORMAL) && errno == error;
}

/* Counts 60,000 paths and one more, with children that count as well; 77: there are no filters here. */
static void
count_in_a_sandbox (int error)
{
	if (!refuse_calls (error))
		_exit (77);
	monocle_kit_spool *spool = tree_open (true, false, 0);
	if (!spool)
		_exit (1);
	grow_tree (spool);
	enter (a);
	pid_t child = fork ();
	if (child == 0) {
		for (int i = 0; i < 1000; i++)
			enter (b), leave (b);
		_exit (monocle_kit_spool_close (spool));
	}
	int status = -1;
	waitpid (child, &status, 0);
	enter (b), leave (b), leave (a);
	if (status || tree_calls (spool, "a;b") != 1 || tree_calls (spool, "main;m59999") != 1)
		_exit (2);
	_exit (monocle_kit_spool_close (spool) ? 3 : 0);
}

static void
count_where_it_is_not_permitted (void)
{
	count_in_a_sandbox (EPERM);
}

static void
count_where_there_is_no_such_call (void)
{
	count_in_a_sandbox (ENOSYS);
}

static void
a_sandbox_that_refuses_calls_costs_nothing (void **state)
{
	void (*const bodies[]) (void) = { count_where_it_is_not_permitted, count_where_there_is_no_such_call };
	for (size_t i = 0; i < 2; i++) {
		int status = in_child (bodies[i]);
		if (status == 77 << 8) {
			print_message ("there are no seccomp filters here: nothing was tried\n");
			return;
		}
		assert_int_equal (status, 0);
		assert_true (exists ("p.pb.gz"));
		assert_false (exists ("p.pb.gz.spool"));
		assert_int_equal (unlink (tree_file ("p.pb.gz")), 0);
	}
}

/* --- what becomes of it ------------------------------------------------------------------------------------------- */

/* A folder as `monocle run` makes one; processes from now on keep their spools there. */
static const char *
make_run_folder (void)
{
	static char folder[256];
	strcpy (folder, tree_file ("run"));
	assert_int_equal (mkdir (folder, 0700), 0);
	setenv ("MONOCLE_RUN_DIR", folder, 1);
	return folder;
}

/* The name of the only spool in the folder of the run. */
static const char *
find_spool (const char *folder)
{
	static char name[256];
	struct dirent *entry;
	DIR *directory = opendir (folder);
	*name = '\0';
	while ((entry = readdir (directory)))
		if (strlen (entry->d_name) > 6 && !strcmp (entry->d_name + strlen (entry->d_name) - 6, ".spool")) {
			assert_string_equal (name, "");
			strcpy (name, entry->d_name);
		}
	closedir (directory);
	assert_string_not_equal (name, "");
	return name;
}

/* Changes the spool of a run as its process might have; `change` sees the header. */
static void
change_spool (const char *folder, const char *name, void (*change) (struct monocle__spool_header *header))
{
	char path[600];
	snprintf (path, sizeof path, "%s/%s", folder, name);
	int fd = open (path, O_RDWR);
	struct monocle__spool_header *header = mmap (NULL, sizeof *header, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true (header != MAP_FAILED);
	change (header);
	munmap (header, sizeof *header);
	close (fd);
}

static void
who_looks_at_a_spool_changes_nothing (void **state)
{
	void *data;
	size_t length;
	const char *error;
	kill_a_caller ();
	chmod (tree_file ("p.pb.gz.spool"), 0400);
	assert_int_equal (monocle_kit_spool_read (tree_file ("p.pb.gz.spool"), &data, &length, &error), 0);
	assert_true (length > 100 && !memcmp (data, "\x1f\x8b", 2));
	free (data);
	assert_false (exists ("p.pb.gz"));
	assert_true (exists ("p.pb.gz.spool"));
}

static void
the_run_collects_the_spool_of_its_dead_process (void **state)
{
	char *path;
	const char *error, *folder = make_run_folder ();
	kill_a_caller ();
	assert_int_equal (monocle_kit_spool_collect (folder, find_spool (folder), &path, &error), 0);
	assert_string_equal (path, tree_file ("p.pb.gz"));
	free (path);
	assert_true (exists ("p.pb.gz"));
	assert_int_equal (rmdir (folder), 0);
}

static void
the_spool_of_a_live_process_is_read_and_not_collected (void **state)
{
	char *path = NULL, name[256];
	const char *error = "", *folder = make_run_folder ();
	void *data;
	size_t length;
	monocle_kit_spool *spool = tree_open (true, false, 0);
	enter (a), leave (a);
	strcpy (name, find_spool (folder));
	assert_int_equal (monocle_kit_spool_read (spool->path, &data, &length, &error), 0);
	assert_true (length > 0);
	free (data);
	assert_int_equal (monocle_kit_spool_collect (folder, name, &path, &error), -1);
	assert_string_equal (error, "its process is still running; try again when it has ended");
	assert_string_equal (path, tree_file ("p.pb.gz"));
	free (path);
	assert_string_equal (find_spool (folder), name);
}

static void
a_spool_is_none_before_its_header_is_whole (void **state)
{
	static monocle_kit_spool spool;
	char *path = NULL, name[64], whole[300];
	const char *error = "", *folder = make_run_folder ();
	void *data;
	size_t length;
	snprintf (name, sizeof name, "my.calls.%d.1.spool", (int) getpid ());
	snprintf (whole, sizeof whole, "%s/%s", folder, name);
	assert_int_equal (monocle__spool_create (&spool, whole), 0);
	assert_int_equal (monocle_kit_spool_read (whole, &data, &length, &error), -1);
	assert_string_equal (error, monocle__spool_file_empty);
	/* It may still begin. */
	assert_int_equal (monocle_kit_spool_collect (folder, name, &path, &error), -1);
	assert_string_equal (find_spool (folder), name);
	monocle__spool_publish (&spool);
	assert_int_equal (monocle_kit_spool_read (whole, &data, &length, &error), 0);
	free (data);
	monocle__spool_unmap (&spool);
}

/* The note keeps `monocle run` from saying that a process left no profile. */
static void
only_a_failure_is_noted_for_the_run (void **state)
{
	char note[64];
	make_run_folder ();
	snprintf (note, sizeof note, "run/%d.told", (int) getpid ());
	monocle_kit_log ("test", "something to know");
	assert_false (exists (note));
	monocle_kit_log_failure ("test", "why there is no profile");
	assert_true (exists (note));
}

static void
a_process_that_was_gone_before_it_counted_leaves_nothing (void **state)
{
	char *path = NULL;
	const char *error = "", *folder = make_run_folder ();
	char whole[300];
	pid_t child = fork ();
	if (child == 0)
		_exit (0);
	waitpid (child, NULL, 0);
	for (size_t size = 0; size < 2000000; size += 1000000) {
		char name[64];
		snprintf (name, sizeof name, "calls.%d.1.spool", (int) child);
		snprintf (whole, sizeof whole, "%s/%s", folder, name);
		fclose (fopen (whole, "w"));
		assert_int_equal (truncate (whole, (off_t) size), 0);
		assert_int_equal (monocle_kit_spool_collect (folder, name, &path, &error), 1);
		assert_null (path);
	}
	assert_int_equal (rmdir (folder), 0);
}

/* --- what a spool says of other files ----------------------------------------------------------------------------- */

static char victim[256]; /* a file that must stay as it is */

static void
make_victim (void)
{
	strcpy (victim, tree_file ("victim"));
	fclose (fopen (victim, "w"));
}

static void
aim_from_elsewhere (struct monocle__spool_header *header)
{
	strcpy (header->output, victim);
	header->output_kind = MONOCLE__OUTPUT_FILE;
	strcpy (header->run_directory, "/elsewhere");
}

static void
aim_from_a_relative_run (struct monocle__spool_header *header)
{
	aim_from_elsewhere (header);
	strcpy (header->run_directory, ".");
}

static void
aim_by_a_relative_name (struct monocle__spool_header *header)
{
	strcpy (header->output, "victim");
	header->output_kind = MONOCLE__OUTPUT_FILE;
}

static void
aim_by_a_command (struct monocle__spool_header *header)
{
	snprintf (header->output, sizeof header->output, "cat > %s", victim);
	header->output_kind = MONOCLE__OUTPUT_COMMAND;
	strcpy (header->program, "../../../../tmp/\033[31mx");
	strcpy (header->module, "../m");
}

/* As a process that gave up its rights, and still has its spool mapped, may aim. */
static void
aim_by_an_absolute_name (struct monocle__spool_header *header)
{
	strcpy (header->output, victim);
	header->output_kind = MONOCLE__OUTPUT_FILE;
}

static void
aim_at_a_new_name (struct monocle__spool_header *header)
{
	snprintf (header->output, sizeof header->output, "%s-2", victim);
	header->output_kind = MONOCLE__OUTPUT_NEW;
}

/* Collects the changed spool; what is left of the run's folder is removed. */
static int
collect_changed (void (*change) (struct monocle__spool_header *header), char **ret_path, const char **ret_error)
{
	static char name[256];
	const char *folder = tree_file ("run");
	char *place = strdup (folder);
	make_run_folder ();
	kill_a_caller ();
	strcpy (name, find_spool (place));
	change_spool (place, name, change);
	int result = monocle_kit_spool_collect (place, name, ret_path, ret_error);
	free (place);
	return result;
}

static void
a_spool_that_is_not_of_the_run_is_refused (void **state)
{
	void (*const aims[]) (struct monocle__spool_header *) = { aim_from_elsewhere, aim_from_a_relative_run };
	for (size_t i = 0; i < sizeof aims / sizeof *aims; i++) {
		char *path = NULL, command[300];
		const char *error = "";
		make_victim ();
		assert_int_equal (collect_changed (aims[i], &path, &error), -1);
		assert_string_equal (error, "it is not of this run");
		assert_int_equal (file_size (victim), 0);
		snprintf (command, sizeof command, "rm -r %s", tree_file ("run"));
		assert_int_equal (system (command), 0);
	}
}

static void
what_is_no_file_of_its_own_goes_into_the_folder_of_the_run (void **state)
{
	void (*const aims[]) (struct monocle__spool_header *) = { aim_by_a_relative_name, aim_by_a_command,
		                                                      aim_by_an_absolute_name, aim_at_a_new_name };
	for (size_t i = 0; i < sizeof aims / sizeof *aims; i++) {
		char *path = NULL, command[300], *folder = strdup (tree_file ("run"));
		const char *error = "";
		make_victim ();
		assert_int_equal (chdir (tree_folder), 0);
		assert_int_equal (collect_changed (aims[i], &path, &error), 0);
		assert_int_equal (chdir ("/"), 0);
		assert_memory_equal (path, folder, strlen (folder));
		assert_null (strchr (path + strlen (folder) + 1, '/'));
		assert_null (strchr (path, '\033'));
		assert_int_equal (file_size (victim), 0);
		assert_false (exists ("victim-2"));
		snprintf (command, sizeof command, "rm -r %s", folder);
		assert_int_equal (system (command), 0);
		free (path);
		free (folder);
	}
}

static void
only_plain_files_of_an_absolute_folder_are_collected (void **state)
{
	char *path = NULL, whole[600], to[300];
	const char *error = "", *folder = make_run_folder ();
	kill_a_caller ();
	snprintf (whole, sizeof whole, "%s/%s", folder, find_spool (folder));
	snprintf (to, sizeof to, "%s/link.1.1.spool", folder);
	assert_int_equal (symlink (whole, to), 0);
	assert_int_equal (monocle_kit_spool_collect (folder, "link.1.1.spool", &path, &error), -1);
	assert_int_equal (unlink (to), 0);
	assert_int_equal (mkfifo (to, 0600), 0);
	assert_int_equal (monocle_kit_spool_collect (folder, "link.1.1.spool", &path, &error), -1);
	assert_int_equal (monocle_kit_spool_collect (folder, "../run/link.1.1.spool", &path, &error), -1);
	assert_int_equal (unlink (to), 0);
	assert_int_equal (chdir (tree_folder), 0);
	assert_int_equal (monocle_kit_spool_collect ("run", find_spool (folder), &path, &error), -1);
	assert_int_equal (chdir ("/"), 0);
	assert_int_equal (symlink (folder, tree_file ("to-run")), 0);
	assert_int_equal (monocle_kit_spool_collect (tree_file ("to-run"), find_spool (folder), &path, &error), -1);
	if (geteuid () == 0) {
		assert_int_equal (chown (whole, 65534, 65534), 0);
		assert_int_equal (monocle_kit_spool_collect (folder, find_spool (folder), &path, &error), -1);
		assert_string_equal (error, "it is not a file of this user");
	}
	assert_null (path);
	assert_false (exists ("p.pb.gz"));
}

static void
what_is_no_spool_is_refused (void **state)
{
	void *data = NULL;
	size_t length;
	const char *error = "";
	static char bytes[200000];
	memset (bytes, 1, sizeof bytes);
	FILE *file = fopen (tree_file ("ones"), "w");
	fwrite (bytes, 1, sizeof bytes, file);
	fclose (file);
	assert_int_equal (monocle_kit_spool_read (tree_file ("ones"), &data, &length, &error), -1);
	assert_string_equal (error, "it is not a spool");
	assert_int_equal (monocle_kit_spool_read (tree_file ("none"), &data, &length, &error), -1);
	assert_string_equal (error, strerror (ENOENT));
	assert_int_equal (monocle_kit_spool_read (tree_folder, &data, &length, &error), -1);
	assert_int_equal (mkfifo (tree_file ("pipe"), 0600), 0);
	assert_int_equal (monocle_kit_spool_read (tree_file ("pipe"), &data, &length, &error), -1);
	assert_null (data);
}

static void
claim_a_terabyte (struct monocle__spool_header *header)
{
	header->extent_count = UINT32_MAX;
}

static void
a_spool_takes_as_much_memory_as_it_has (void **state)
{
	void *data;
	size_t length;
	const char *error = "";
	char *path = strdup (tree_file ("p.pb.gz.spool"));
	kill_a_caller ();
	assert_int_equal (truncate (path, (off_t) 1 << 42), 0);
	assert_int_equal (monocle_kit_spool_read (path, &data, &length, &error), 0); /* The header counts. */
	free (data);
	change_spool (tree_folder, "p.pb.gz.spool", claim_a_terabyte);
	assert_int_equal (monocle_kit_spool_read (path, &data, &length, &error), -1);
	free (path);
}

/* Damages the spool at random and reads it: nothing may crash, sanitizers watch. */
static void
a_damaged_spool_is_read_as_far_as_it_is_whole (void **state)
{
	monocle_kit_spool *spool = tree_open (true, true, 0);
	monocle__heart_stop (spool); /* The copies below are plain. */
	enter (main_), enter (a), enter (b), leave (b), leave (a), leave (main_);
	size_t size = (size_t) spool->header->extent_count * MONOCLE__EXTENT_SIZE;
	uint8_t *copy = malloc (size);
	assert_non_null (copy);
	srand ((unsigned) seed_of (7));
	for (int round = 0; round < 300; round++) {
		memcpy (copy, spool->header, size);
		for (int i = 0; i < 60; i++) {
			size_t extent = (size_t) rand () % spool->header->extent_count;
			copy[extent * MONOCLE__EXTENT_SIZE + (size_t) rand () % (extent ? 512 : 64)] = (uint8_t) rand ();
		}
		memcpy (copy, spool->header, 16); /* Still a spool of this version. */
		struct monocle__spool_view view;
		struct monocle__call_paths paths;
		const char *error;
		if (monocle__spool_view_init (&view, copy, size - (size_t) rand () % size, &error))
			continue;
		assert_int_equal (monocle__call_paths_init (&paths, &view), 0);
		for (uint32_t i = 0; i < paths.path_count; i++)
			assert_true (paths.paths[i].parent == UINT32_MAX || paths.paths[i].parent < i);
		monocle__call_paths_done (&paths);
	}
	free (copy);
}

/* --- where the profile goes --------------------------------------------------------------------------------------- */

static void
close_leaves_the_profile_and_no_spool (void **state)
{
	monocle_kit_spool *spool = tree_open (true, false, 0);
	assert_true (exists ("p.pb.gz.spool"));
	assert_false (exists ("p.pb.gz"));
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_true (exists ("p.pb.gz"));
	assert_false (exists ("p.pb.gz.spool"));
	assert_int_equal (monocle_kit_spool_close (spool), 0);
}

static void
a_name_that_the_user_gave_is_overwritten (void **state)
{
	FILE *file = fopen (tree_file ("p.pb.gz"), "w");
	fputs ("old", file);
	fclose (file);
	monocle_kit_spool *spool = tree_open (true, false, 0);
	assert_int_equal (file_size (tree_file ("p.pb.gz")), 3);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_true (file_size (tree_file ("p.pb.gz")) > 100);
}

static void
a_default_name_that_is_taken_gets_a_number (void **state)
{
	char before[512], other[512];
	assert_non_null (getcwd (before, sizeof before));
	assert_int_equal (chdir (tree_folder), 0);
	monocle_kit_spool *spool = tree_open_at (NULL);
	assert_non_null (spool);
	FILE *file = fopen (spool->header->output, "w");
	fputs ("old", file);
	fclose (file);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_int_equal (file_size (spool->header->output), 3);
	char *suffix = strstr (spool->header->output, ".calls.pb.gz");
	assert_non_null (suffix);
	snprintf (other, sizeof other, "%.*s-2.calls.pb.gz", (int) (suffix - spool->header->output), spool->header->output);
	assert_true (file_size (other) > 100);
	assert_int_equal (chdir (before), 0);
}

static void
a_descriptor_receives_the_profile (void **state)
{
	char output[16];
	int fd = open (tree_file ("fd"), O_RDWR | O_CREAT, 0600);
	snprintf (output, sizeof output, "#%d", fd);
	monocle_kit_spool *spool = tree_open_at (output);
	assert_non_null (spool);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	close (fd);
	assert_true (file_size (tree_file ("fd")) > 100);
}

static void
close_into_a_reused_descriptor (void *data)
{
	assert_int_equal (monocle_kit_spool_close (data), -1);
}

static void
a_descriptor_that_was_reused_is_not_written (void **state)
{
	char output[16];
	int fd = open (tree_file ("fd"), O_RDWR | O_CREAT, 0600);
	snprintf (output, sizeof output, "#%d", fd);
	monocle_kit_spool *spool = tree_open_at (output);
	close (fd);
	assert_int_equal (open (tree_file ("other"), O_RDWR | O_CREAT, 0600), fd);
	free (tree_messages (close_into_a_reused_descriptor, spool));
	close (fd);
	assert_int_equal (file_size (tree_file ("other")), 0);
	assert_int_equal (access (spool->path, F_OK), 0);
	unlink (spool->path);
}

static void
close_at_the_limit (void)
{
	char output[16];
	struct rlimit limit = { 2 << 20, 2 << 20 };
	int fd = open (tree_file ("fd"), O_RDWR | O_CREAT, 0600);
	snprintf (output, sizeof output, "#%d", fd);
	setrlimit (RLIMIT_FSIZE, &limit);
	monocle_kit_spool *spool = tree_open_at (output);
	if (!spool || lseek (fd, (2 << 20) - 10, SEEK_SET) < 0)
		_exit (1);
	int result = monocle_kit_spool_close (spool);
	unlink (spool->path);
	_exit (result == -1 && file_size (tree_file ("fd")) == 0 ? 0 : 2);
}

static void
a_descriptor_at_the_file_size_limit_raises_no_signal (void **state)
{
	setenv ("MONOCLE_LOG", "/dev/null", 1);
	assert_int_equal (in_child (close_at_the_limit), 0);
	unsetenv ("MONOCLE_LOG");
}

static void
a_command_receives_the_profile (void **state)
{
	char output[256];
	snprintf (output, sizeof output, "|gzip -d > %s", tree_file ("plain"));
	monocle_kit_spool *spool = tree_open_at (output);
	assert_non_null (spool);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_true (file_size (tree_file ("plain")) > 100);
}

static void
close_into_a_dead_command (void *data)
{
	assert_int_equal (monocle_kit_spool_close (data), -1);
}

static void
a_command_that_reads_nothing_kills_nobody (void **state)
{
	monocle_kit_spool *spool = tree_open_at ("|exec true");
	assert_non_null (spool);
	grow_tree (spool);
	char *messages = tree_messages (close_into_a_dead_command, spool);
	assert_non_null (strstr (messages, "Broken pipe"));
	free (messages);
	unlink (spool->path);
}

static void
a_device_is_written_and_not_replaced (void **state)
{
	struct stat status;
	monocle_kit_spool *spool = tree_open_at ("/dev/null");
	assert_non_null (spool);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_int_equal (stat ("/dev/null", &status), 0);
	assert_true (S_ISCHR (status.st_mode));
	assert_int_equal (access ("/dev/null.spool", F_OK), -1);
}

static void
beside_a_device_lies_nothing_even_when_a_name_is_taken (void **state)
{
	char name[64];
	setenv ("TMPDIR", tree_folder, 1);
	snprintf (name, sizeof name, "calls.%d.spool", (int) getpid ());
	fclose (fopen (tree_file (name), "w"));
	monocle_kit_spool *spool = tree_open_at ("/dev/null");
	unsetenv ("TMPDIR");
	assert_non_null (spool);
	snprintf (name, sizeof name, "calls.%d.2.spool", (int) getpid ());
	assert_string_equal (spool->path, tree_file (name));
}

static void
open_nowhere (void *data)
{
	assert_null (tree_open_at (data));
}

static void
an_unwritable_output_is_one_line (void **state)
{
	char *messages = tree_messages (open_nowhere, "/nowhere/p.pb.gz");
	assert_string_equal (messages, "monocle: calls: cannot write /nowhere/p.pb.gz: No such file or directory; "
	                               "the program runs unprofiled\n");
	free (messages);
	messages = tree_messages (open_nowhere, "/proc/p.pb.gz");
	assert_non_null (strstr (messages, "/proc/p.pb.gz"));
	assert_ptr_equal (strchr (messages, '\n') + 1, messages + strlen (messages));
	free (messages);
}

/* As `monocle run` leaves one, typed in the folder `here`. */
static void
make_run_of (const char *here)
{
	char link[300];
	assert_int_equal (mkdir (tree_file ("run"), 0700), 0);
	setenv ("MONOCLE_RUN_DIR", tree_file ("run"), 1);
	snprintf (link, sizeof link, "%s/here", tree_file ("run"));
	assert_int_equal (symlink (here, link), 0);
}

/* Opens without a name and closes; how many files the folder has then. */
static int
count_files_made (const char *folder)
{
	struct dirent **entries;
	int count, profiles = 0;
	monocle_kit_spool *spool = tree_open_at (NULL);
	assert_non_null (spool);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	count = scandir (folder, &entries, NULL, alphasort);
	for (int i = 0; i < count; i++) {
		profiles += strstr (entries[i]->d_name, ".calls.pb.gz") != NULL;
		free (entries[i]);
	}
	free (entries);
	return profiles;
}

static void
what_has_no_name_goes_where_the_run_was_typed (void **state)
{
	char here[300];
	snprintf (here, sizeof here, "%s", tree_file ("typed"));
	assert_int_equal (mkdir (here, 0700), 0);
	make_run_of (here);
	assert_int_equal (count_files_made (here), 1);
}

static void
what_cannot_go_there_goes_into_the_folder_of_the_run (void **state)
{
	make_run_of ("/nowhere");
	assert_int_equal (count_files_made (tree_file ("run")), 1);
}

static void
open_in_a_folder_that_is_gone (void *data)
{
	monocle_kit_spool *spool = tree_open_at (NULL);
	assert_non_null (spool);
	assert_int_equal (monocle_kit_spool_close (spool), 0);
}

static void
without_a_run_it_goes_to_the_folder_for_temporary_files_and_that_is_said (void **state)
{
	char before[PATH_MAX], gone[300], temporary[300], *old = getenv ("TMPDIR");
	old = old ? strdup (old) : NULL;
	snprintf (gone, sizeof gone, "%s", tree_file ("gone"));
	snprintf (temporary, sizeof temporary, "%s", tree_file ("temporary"));
	assert_int_equal (mkdir (gone, 0700) || mkdir (temporary, 0700), 0);
	assert_non_null (getcwd (before, sizeof before));
	assert_int_equal (chdir (gone), 0);
	assert_int_equal (rmdir (gone), 0);
	setenv ("TMPDIR", temporary, 1);
	char *messages = tree_messages (open_in_a_folder_that_is_gone, NULL);
	assert_int_equal (chdir (before), 0);
	if (old)
		setenv ("TMPDIR", old, 1);
	else
		unsetenv ("TMPDIR");
	assert_non_null (strstr (messages, "No such file or directory; it will be "));
	assert_non_null (strstr (messages, temporary));
	assert_ptr_equal (strchr (messages, '\n') + 1, messages + strlen (messages));
	free (messages);
	free (old);
}

static void
open_again (void *data)
{
	assert_null (tree_open (true, false, 0));
}

static void
a_second_tree_is_refused (void **state)
{
	assert_non_null (tree_open (true, false, 0));
	char *messages = tree_messages (open_again, NULL);
	assert_non_null (strstr (messages, "call tree already"));
	free (messages);
}

/* --- under a parent that collects --------------------------------------------------------------------------------- */

static void
with_a_run_folder_the_spool_lies_there_and_a_note_is_left (void **state)
{
	char name[64], line[512];
	mkdir (tree_file ("run"), 0700);
	setenv ("MONOCLE_RUN_DIR", tree_file ("run"), 1);
	monocle_kit_spool *spool = tree_open (true, false, 0);
	snprintf (name, sizeof name, "run/calls.%d.1.spool", (int) getpid ());
	assert_true (exists (name));
	assert_int_equal (monocle_kit_spool_close (spool), 0);
	assert_false (exists (name));
	snprintf (name, sizeof name, "run/%d.1.done", (int) getpid ());
	FILE *note = fopen (tree_file (name), "r");
	assert_non_null (note);
	assert_non_null (fgets (line, sizeof line, note));
	fclose (note);
	line[strlen (line) - 1] = '\0';
	assert_string_equal (line, tree_file ("p.pb.gz"));
	assert_true (exists ("p.pb.gz"));
}

#define tree_test(name) cmocka_unit_test_setup_teardown (name, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		tree_test (the_file_grows_as_the_tree_does),
		tree_test (a_program_may_close_descriptors_and_change_its_folder),
		tree_test (another_file_of_the_same_name_is_left_alone),
		tree_test (a_file_size_limit_is_a_counted_loss_and_no_signal),
		tree_test (a_limit_that_allows_no_spool_leaves_the_program_unprofiled),
		tree_test (little_address_space_is_respected),
		tree_test (sigkill_loses_nothing),
		tree_test (a_sandbox_that_refuses_calls_costs_nothing),
		tree_test (who_looks_at_a_spool_changes_nothing),
		tree_test (the_run_collects_the_spool_of_its_dead_process),
		tree_test (the_spool_of_a_live_process_is_read_and_not_collected),
		tree_test (a_spool_is_none_before_its_header_is_whole),
		tree_test (a_process_that_was_gone_before_it_counted_leaves_nothing),
		tree_test (only_a_failure_is_noted_for_the_run),
		tree_test (a_spool_that_is_not_of_the_run_is_refused),
		tree_test (what_is_no_file_of_its_own_goes_into_the_folder_of_the_run),
		tree_test (only_plain_files_of_an_absolute_folder_are_collected),
		tree_test (what_is_no_spool_is_refused),
		tree_test (a_spool_takes_as_much_memory_as_it_has),
		tree_test (a_damaged_spool_is_read_as_far_as_it_is_whole),
		tree_test (close_leaves_the_profile_and_no_spool),
		tree_test (a_name_that_the_user_gave_is_overwritten),
		tree_test (a_default_name_that_is_taken_gets_a_number),
		tree_test (a_descriptor_receives_the_profile),
		tree_test (a_descriptor_that_was_reused_is_not_written),
		tree_test (a_descriptor_at_the_file_size_limit_raises_no_signal),
		tree_test (a_command_receives_the_profile),
		tree_test (a_command_that_reads_nothing_kills_nobody),
		tree_test (a_device_is_written_and_not_replaced),
		tree_test (beside_a_device_lies_nothing_even_when_a_name_is_taken),
		tree_test (an_unwritable_output_is_one_line),
		tree_test (what_has_no_name_goes_where_the_run_was_typed),
		tree_test (what_cannot_go_there_goes_into_the_folder_of_the_run),
		tree_test (without_a_run_it_goes_to_the_folder_for_temporary_files_and_that_is_said),
		tree_test (a_second_tree_is_refused),
		tree_test (with_a_run_folder_the_spool_lies_there_and_a_note_is_left),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
