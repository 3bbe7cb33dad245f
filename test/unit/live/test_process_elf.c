/*
 * SPDX-License-Identifier: MIT
 *
 * test_process_elf.c - what a program's file tells of what it runs on. The files are made up.
 */
#include "process-elf.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct {
	Elf64_Ehdr header;
	Elf64_Phdr segment;
	char interpreter[64];
} program;

static program
program_of (const char *interpreter)
{
	program made = { .header = { .e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB },
		                         .e_phoff = offsetof (program, segment),
		                         .e_phentsize = sizeof (Elf64_Phdr),
		                         .e_phnum = 1 },
		             .segment = { .p_type = PT_INTERP,
		                          .p_offset = offsetof (program, interpreter),
		                          .p_filesz = strlen (interpreter) + 1 } };
#if defined(__aarch64__)
	made.header.e_machine = EM_AARCH64;
#else
	made.header.e_machine = EM_X86_64;
#endif
	strcpy (made.interpreter, interpreter);
	return made;
}

static monocle__live_system
system_of (const void *bytes, size_t size)
{
	int fd = memfd_create ("program", MFD_CLOEXEC);
	assert_int_equal (write (fd, bytes, size), (ssize_t) size);
	monocle__live_system system = monocle__live_process_elf_system (fd);
	close (fd);
	return system;
}

static void
musl_is_known_by_the_linker_that_a_program_asks_for (void **state)
{
	program musl = program_of ("/lib/ld-musl-x86_64.so.1"), glibc = program_of ("/lib64/ld-linux-x86-64.so.2");
	assert_int_equal (system_of (&musl, sizeof musl), MONOCLE__LIVE_SYSTEM_MUSL);
	assert_int_equal (system_of (&glibc, sizeof glibc), MONOCLE__LIVE_SYSTEM_OURS);
}

static void
musl_is_known_by_the_files_that_are_mapped (void **state)
{
	static const char *const musl[] = { "/lib/ld-musl-x86_64.so.1", "/lib/libc.musl-x86_64.so.1",
		                                "/usr/lib/x86_64-linux-musl/libc.so", "/lib/ld-musl-aarch64.so.1" };
	static const char *const others[] = { "/lib/x86_64-linux-gnu/libc.so.6", "/lib64/ld-linux-x86-64.so.2",
		                                  "/opt/my-ld-musl-x86_64.so.1", "/srv/libc.sobig", "" };
	for (size_t i = 0; i < sizeof musl / sizeof *musl; i++)
		assert_true (monocle__live_process_elf_is_musl (musl[i]));
	for (size_t i = 0; i < sizeof others / sizeof *others; i++)
		assert_false (monocle__live_process_elf_is_musl (others[i]));
}

static void
a_program_for_another_cpu_is_known_by_its_header (void **state)
{
	program narrow = program_of ("/lib/ld-linux.so.2"), other = program_of ("/lib/ld64.so.2");
	narrow.header.e_ident[EI_CLASS] = ELFCLASS32;
	other.header.e_machine = EM_S390;
	assert_int_equal (system_of (&narrow, sizeof narrow), MONOCLE__LIVE_SYSTEM_CPU);
	assert_int_equal (system_of (&other, sizeof other), MONOCLE__LIVE_SYSTEM_CPU);
}

static void
a_damaged_file_tells_nothing (void **state)
{
	program cut = program_of ("/lib/ld-musl-x86_64.so.1"), endless = cut, far = cut;
	memset (endless.interpreter, 'x', sizeof endless.interpreter);
	endless.segment.p_filesz = sizeof endless.interpreter;
	far.segment.p_offset = UINT64_MAX - 8;
	assert_int_equal (system_of (&cut, 20), MONOCLE__LIVE_SYSTEM_OURS);
	assert_int_equal (system_of (&cut, sizeof cut.header), MONOCLE__LIVE_SYSTEM_OURS);
	assert_int_equal (system_of (&endless, sizeof endless), MONOCLE__LIVE_SYSTEM_OURS);
	assert_int_equal (system_of (&far, sizeof far), MONOCLE__LIVE_SYSTEM_OURS);
	assert_int_equal (system_of ("#!/bin/sh\n", 10), MONOCLE__LIVE_SYSTEM_OURS);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (musl_is_known_by_the_linker_that_a_program_asks_for),
		cmocka_unit_test (musl_is_known_by_the_files_that_are_mapped),
		cmocka_unit_test (a_program_for_another_cpu_is_known_by_its_header),
		cmocka_unit_test (a_damaged_file_tells_nothing),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
