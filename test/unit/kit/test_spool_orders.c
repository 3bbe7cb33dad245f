/*
 * SPDX-License-Identifier: MIT
 *
 * test_spool_orders.c - who reads the spool of a process that makes it and counts into it, in every order: the reader
 * may come at any instant.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "orders.h"
#include "spool-file.h"
#include "tree.h"

#include <cmocka.h>

static char a[] = "a", b[] = "b";
static monocle_kit_spool *spool;
static char profile[128], spool_file[128];

static void
call (char *method, char *callee)
{
	monocle_kit_calls_enter (spool, method);
	if (callee)
		call (callee, NULL);
	monocle_kit_calls_leave (spool, method);
}

static void
name_files (void)
{
	snprintf (profile, sizeof profile, "%s", tree_file ("p.pb.gz"));
	snprintf (spool_file, sizeof spool_file, "%s", tree_file ("p.pb.gz.spool"));
}

static void
make_and_count (void)
{
	spool = tree_open_at (profile);
	CHECK (spool);
	call (a, b);
}

static void
close_tree (void)
{
	CHECK (monocle_kit_spool_close (spool) == 0);
	monocle_kit_spool_free (spool);
	unlink (profile);
}

static bool
is_named (const struct monocle__function *function, const char *name)
{
	return function->name_length == strlen (name) && !memcmp (function->name, name, function->name_length);
}

/* What it has is whole: a header with all that was said of the profile, and paths with names. */
static void
look_at (const struct monocle__spool_view *view)
{
	struct monocle__call_paths paths;
	const struct monocle__spool_header *header = view->header;
	CHECK (!strcmp (header->module, "calls") && !strcmp (header->desc, "calls:test"));
	CHECK (!strcmp (header->output, profile) && header->value_count == 2 && header->max_depth);
	CHECK (monocle__call_paths_init (&paths, view) == 0);
	for (uint32_t i = 0; i < paths.path_count; i++) {
		const struct monocle__path *path = &paths.paths[i];
		const struct monocle__function *function = &paths.functions[path->function];
		CHECK (path->calls <= 1);
		CHECK (path->parent == UINT32_MAX ? is_named (function, "a") : is_named (function, "b"));
	}
	monocle__call_paths_done (&paths);
}

static void
read_file (void)
{
	struct monocle__spool_file file;
	const char *error = NULL;
	int fd = open (spool_file, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	if (monocle__spool_file_load (&file, fd, &error) == 0) {
		look_at (&file.view);
		monocle__spool_file_free (&file);
	} else {
		CHECK (error == monocle__spool_file_empty);
	}
	close (fd);
}

static void
a_spool_is_whole_at_every_instant (void **state)
{
	orders_run (&(orders) {
	    .name = "read_against_count",
	    .prepare = name_files,
	    .check = read_file,
	    .clean_up = close_tree,
	    .threads = { { "counts", make_and_count }, { "reads", read_file } },
	    .switches = 3,
	    .meets = "spool_header_begun spool_unpublished spool_extent_made spool_name_written call_thread_node_written "
	             "spool_file_header_read spool_file_nodes_read",
	});
}

#define tree_test(test) cmocka_unit_test_setup_teardown (test, tree_setup, tree_teardown)

int
main (void)
{
	const struct CMUnitTest tests[] = {
		tree_test (a_spool_is_whole_at_every_instant),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
