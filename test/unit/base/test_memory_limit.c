/*
 * SPDX-License-Identifier: MIT
 *
 * test_memory_limit.c - limits of memory: of control groups of both versions, in given files, and of the process.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "memory-limit.h"

#include <cmocka.h>

#define MIB (UINT64_C (1) << 20)

static char root[64];

static int
setup (void **state)
{
	strcpy (root, "/tmp/monocle-limit-XXXXXX");
	return mkdtemp (root) ? 0 : -1;
}

static int
teardown (void **state)
{
	char command[128];
	snprintf (command, sizeof command, "rm -rf %s", root);
	return system (command);
}

/* Makes ROOT/FOLDER/NAME. */
static void
put (const char *folder, const char *name, const char *text)
{
	char command[512], path[256];
	snprintf (command, sizeof command, "mkdir -p %s/%s", root, folder);
	assert_int_equal (system (command), 0);
	snprintf (path, sizeof path, "%s/%s/%s", root, folder, name);
	FILE *file = fopen (path, "w");
	assert_non_null (file);
	fputs (text, file);
	fclose (file);
}

static uint64_t
limit (const char **ret_whose)
{
	*ret_whose = "nobody's";
	return monocle__memory_limit (root, ret_whose);
}

static void
without_groups_there_is_no_limit (void **state)
{
	const char *whose;
	assert_true (limit (&whose) == UINT64_MAX);
	put ("proc/self", "cgroup", "0::/a\n");
	assert_true (limit (&whose) == UINT64_MAX);
	assert_string_equal (whose, "nobody's");
}

static void
a_group_of_version_2_has_a_limit (void **state)
{
	const char *whose;
	put ("proc/self", "cgroup", "0::/a/b\n");
	put ("sys/fs/cgroup/a/b", "memory.max", "314572800\n");
	put ("sys/fs/cgroup/a", "memory.max", "max\n");
	assert_int_equal (limit (&whose), 300 * MIB);
	assert_string_equal (whose, "the control group's memory limit");
}

static void
the_lowest_of_the_groups_above_counts (void **state)
{
	const char *whose;
	put ("proc/self", "cgroup", "0::/a/b/c\n");
	put ("sys/fs/cgroup/a/b/c", "memory.max", "max\n");
	put ("sys/fs/cgroup/a/b", "memory.max", "209715200\n");
	put ("sys/fs/cgroup/a", "memory.max", "104857600\n");
	assert_int_equal (limit (&whose), 100 * MIB);
}

static void
a_group_of_version_1_is_the_one_with_memory (void **state)
{
	const char *whose;
	put ("proc/self", "cgroup", "9:cpu,cpuacct:/c\n4:hugetlb,memory:/m/n\n3:memoryless:/x\n0::/\n");
	put ("sys/fs/cgroup/memory/m/n", "memory.limit_in_bytes", "67108864\n");
	put ("sys/fs/cgroup/memory/x", "memory.limit_in_bytes", "1\n");
	put ("sys/fs/cgroup/memory/c", "memory.limit_in_bytes", "2\n");
	put ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "9223372036854771712\n");
	assert_int_equal (limit (&whose), 64 * MIB);
}

static void
what_stands_for_no_limit_is_none (void **state)
{
	const char *whose;
	put ("proc/self", "cgroup", "4:memory:/m\n");
	put ("sys/fs/cgroup/memory/m", "memory.limit_in_bytes", "9223372036854771712\n");
	assert_true (limit (&whose) == UINT64_MAX);
}

/* There the path is one of outside, and what is mounted is the container's own group. */
static void
inside_a_container_the_folder_of_groups_is_asked (void **state)
{
	const char *whose;
	put ("proc/self", "cgroup", "0::/../../docker/0123\n");
	put ("sys/fs/cgroup", "memory.max", "134217728\n");
	assert_int_equal (limit (&whose), 128 * MIB);
	put ("proc/self", "cgroup", "4:memory:/docker/0123\n");
	put ("sys/fs/cgroup/memory", "memory.limit_in_bytes", "33554432\n");
	assert_int_equal (limit (&whose), 32 * MIB);
}

static void
damaged_files_say_nothing (void **state)
{
	const char *whose;
	put ("proc/self", "cgroup", "\n0\n0:\n::\n4:memory:/m\n0::/v\n");
	put ("sys/fs/cgroup/memory/m", "memory.limit_in_bytes", "lots\n");
	put ("sys/fs/cgroup/v", "memory.max", "");
	assert_true (limit (&whose) == UINT64_MAX);
}

static void
the_process_has_limits_of_its_own (void **state)
{
	static const struct {
		__rlimit_resource_t resource;
		const char *whose;
	} rows[] = {
		{ RLIMIT_AS, "the process's limit of address space" },
		{ RLIMIT_DATA, "the process's limit of data" },
	};
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
		struct rlimit before, lower;
		const char *whose;
		assert_int_equal (getrlimit (rows[i].resource, &before), 0);
		lower = before;
		lower.rlim_cur = (rlim_t) 1 << 45;
		assert_int_equal (setrlimit (rows[i].resource, &lower), 0);
		assert_int_equal (limit (&whose), UINT64_C (1) << 45);
		assert_string_equal (whose, rows[i].whose);
		put ("proc/self", "cgroup", "0::/a\n");
		put ("sys/fs/cgroup/a", "memory.max", "314572800\n");
		assert_int_equal (limit (&whose), 300 * MIB);
		put ("sys/fs/cgroup/a", "memory.max", "max\n");
		assert_int_equal (setrlimit (rows[i].resource, &before), 0);
	}
}

int
main (void)
{
#define TEST(name) cmocka_unit_test_setup_teardown (name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST (without_groups_there_is_no_limit),
		TEST (a_group_of_version_2_has_a_limit),
		TEST (the_lowest_of_the_groups_above_counts),
		TEST (a_group_of_version_1_is_the_one_with_memory),
		TEST (what_stands_for_no_limit_is_none),
		TEST (inside_a_container_the_folder_of_groups_is_asked),
		TEST (damaged_files_say_nothing),
		TEST (the_process_has_limits_of_its_own),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
