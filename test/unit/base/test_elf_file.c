/*
 * SPDX-License-Identifier: MIT
 *
 * test_elf_file.c - this program's own file, and the same with a damaged header.
 */
#include "elf-file.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#include "failing-memory.h"

static const char mark[] = "a text that is in the file once, where elf-file.c says";

/* The address that the linker gave to what is here now. */
static int
find_base (struct dl_phdr_info *info, size_t size, void *data)
{
	*(uint64_t *) data = info->dlpi_addr;
	return 1; /* The first one is the program. */
}

static void
an_address_is_found_where_its_bytes_are (void **state)
{
	int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	monocle__elf_file file;
	uint64_t base = 0, offset = 0;
	char text[sizeof mark];

	dl_iterate_phdr (find_base, &base);
	assert_true (monocle__elf_file_open (&file, fd));
	assert_true (monocle__elf_file_offset (&file, (uint64_t) (uintptr_t) mark - base, &offset));
	assert_int_equal (pread (fd, text, sizeof text, (off_t) offset), sizeof text);
	assert_string_equal (text, mark);
	assert_false (monocle__elf_file_offset (&file, UINT64_MAX, &offset));
	monocle__elf_file_close (&file);
	close (fd);
}

/* A file of a header and one program header, with one byte of the former changed. */
static bool
opens_with (size_t at, uint8_t value, size_t size)
{
	struct {
		ElfW (Ehdr) header;
		ElfW (Phdr) segment;
	} bytes = { { .e_phoff = sizeof (ElfW (Ehdr)), .e_phentsize = sizeof (ElfW (Phdr)), .e_phnum = 1 }, { 0 } };
	int fd = memfd_create ("elf", MFD_CLOEXEC), own = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	monocle__elf_file file = { .fd = -2 };

	assert_int_equal (pread (own, bytes.header.e_ident, EI_NIDENT, 0), EI_NIDENT);
	((uint8_t *) &bytes)[at] = value;
	assert_int_equal (write (fd, &bytes, size), size);
	bool result = monocle__elf_file_open (&file, fd);
	if (result)
		monocle__elf_file_close (&file);
	else
		assert_int_equal (file.fd, -2);
	close (own);
	close (fd);
	return result;
}

static void
what_is_not_of_this_machine_is_refused (void **state)
{
	enum { SIZE = sizeof (ElfW (Ehdr)) + sizeof (ElfW (Phdr)), COUNT = offsetof (ElfW (Ehdr), e_phnum) };

	assert_true (opens_with (EI_PAD, 0, SIZE));
	assert_false (opens_with (EI_MAG0, 'e', SIZE));
	assert_false (opens_with (EI_CLASS, ELFCLASSNONE, SIZE));
	assert_false (opens_with (EI_DATA, ELFDATANONE, SIZE));
	assert_false (opens_with (offsetof (ElfW (Ehdr), e_phentsize), 1, SIZE));
	assert_false (opens_with (COUNT, 2, SIZE));
	assert_false (opens_with (COUNT + 1, 0xff, SIZE));
	assert_false (opens_with (EI_PAD, 0, SIZE - 1));
	assert_false (opens_with (EI_PAD, 0, sizeof (ElfW (Ehdr)) - 1));
	assert_true (opens_with (COUNT, 0, sizeof (ElfW (Ehdr))));
}

static void
a_program_links_what_it_names_itself (void **state)
{
	int fd = open ("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	monocle__elf_file file;

	assert_true (monocle__elf_file_open (&file, fd));
	assert_true (monocle__elf_file_links (&file, "libcmocka.so*"));
	assert_true (monocle__elf_file_links (&file, "libcm*a.so.0"));
	assert_false (monocle__elf_file_links (&file, "libcmocka"));
	assert_false (monocle__elf_file_links (&file, "libmono*-2.0*.so*"));
	monocle__elf_file_close (&file);
	close (fd);
}

static void
a_file_without_libraries_links_nothing (void **state)
{
	struct {
		ElfW (Phdr) segments[2];
		ElfW (Dyn) entries[2];
	} bytes = { { { .p_type = PT_DYNAMIC, .p_filesz = sizeof bytes.entries, .p_offset = sizeof bytes.segments },
		          { .p_type = PT_LOAD, .p_filesz = sizeof bytes } },
		        { { .d_tag = DT_NEEDED, .d_un.d_val = 1000 }, { .d_tag = DT_STRSZ, .d_un.d_val = 100 } } };
	int fd = memfd_create ("elf", MFD_CLOEXEC);
	monocle__elf_file file = { .fd = fd, .header.e_phnum = 2, .segments = bytes.segments };

	assert_int_equal (write (fd, &bytes, sizeof bytes), sizeof bytes);
	assert_false (monocle__elf_file_links (&file, "*")); /* the name is outside the strings */
	bytes.segments[0].p_filesz = UINT32_MAX;
	assert_false (monocle__elf_file_links (&file, "*"));
	file.header.e_phnum = 0;
	assert_false (monocle__elf_file_links (&file, "*"));
	close (fd);
}

static void
no_memory_is_no_file (void **state)
{
	enum { SIZE = sizeof (ElfW (Ehdr)) + sizeof (ElfW (Phdr)) };

	failing_memory_allowed = 0;
	assert_false (opens_with (EI_PAD, 0, SIZE));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (an_address_is_found_where_its_bytes_are),
		cmocka_unit_test (what_is_not_of_this_machine_is_refused),
		cmocka_unit_test (a_program_links_what_it_names_itself),
		cmocka_unit_test (a_file_without_libraries_links_nothing),
		cmocka_unit_test (no_memory_is_no_file),
	};

	return cmocka_run_group_tests (tests, NULL, NULL);
}
