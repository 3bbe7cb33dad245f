/*
 * SPDX-License-Identifier: MIT
 *
 * test_il_images.c - every method body of real images: Mono's and CoreCLR's core libraries and a compiler.
 *
 * Each is read, written back byte for byte from its decoded form, laid out wide and read again, and edited all over.
 * Then the same bodies with bytes flipped and cut short, which may be refused but must not do harm.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../seed.h"
#include "il_check.h"
#include "il_text.h"

static const char *const mono_images[] = { "/usr/lib/mono/4.5/mscorlib.dll", "/usr/lib/mono/4.5/mcs.exe" };
static const char *const clr_images[] = {
	"/usr/share/dotnet/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll",
	"/usr/lib/dotnet/shared/Microsoft.NETCore.App/*/System.Private.CoreLib.dll",
	"/usr/share/dotnet/sdk/*/Roslyn/bincore/Microsoft.CodeAnalysis.CSharp.dll",
	"/usr/lib/dotnet/sdk/*/Roslyn/bincore/Microsoft.CodeAnalysis.CSharp.dll",
};

#define COUNT(array) (sizeof (array) / sizeof *(array))

typedef struct {
	uint32_t methods, instructions;
} tally;

/* Calls `visit` for each body that is IL and has an RVA; `available` is what follows it in its section. */
static void
for_each_body (const monocle__ecma_image *image, tally *total,
               void (*visit) (const uint8_t *, size_t, uint32_t, tally *))
{
	for (uint32_t rid = 1; rid <= monocle__ecma_rows (image, MONOCLE__TABLE_MethodDef); rid++) {
		uint32_t rva = 0, flags = 0;
		size_t available;
		const uint8_t *data;

		assert_int_equal (monocle__ecma_column (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_RVA, &rva),
		                  0);
		assert_int_equal (
		    monocle__ecma_column (image, MONOCLE__TABLE_MethodDef, rid, MONOCLE__COL_MethodDef_ImplFlags, &flags), 0);
		if (rva == 0 || (flags & 3) != 0) /* II.23.1.10: 0 is IL */
			continue;
		data = monocle__ecma_rva (image, rva, &available);
		assert_non_null (data);
		visit (data, available, rid, total);
	}
}

static tally
visit_images (const char *const *patterns, size_t count, void (*visit) (const uint8_t *, size_t, uint32_t, tally *))
{
	tally total = { 0 };
	glob_t found = { 0 };

	for (size_t i = 0; i < count; i++)
		glob (patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc; i++) {
		int file = open (found.gl_pathv[i], O_RDONLY | O_CLOEXEC);
		monocle__ecma_image image;
		struct stat status;
		void *base;

		assert_int_equal (fstat (file, &status), 0);
		base = mmap (NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
		assert_ptr_not_equal (base, MAP_FAILED);
		close (file);
		assert_int_equal (monocle__ecma_open_pe (&image, base, (size_t) status.st_size, false), 0);
		for_each_body (&image, &total, visit);
		munmap (base, (size_t) status.st_size);
	}
	globfree (&found);
	return total;
}

/* --- as they are ------------------------------------------------------------------------------------------------ */

static void
check_whole (const uint8_t *data, size_t available, uint32_t rid, tally *total)
{
	int was_read;
	const char *wrong = il_check (data, available, rid, &was_read);

	if (!was_read)
		wrong = "cannot be read";
	if (wrong)
		fail_msg ("method 0x06%06x: %s", rid, wrong);
	total->methods++;
}

static void
every_body_of_mono_comes_back_and_can_be_edited (void **state)
{
	tally total = visit_images (mono_images, COUNT (mono_images), check_whole);

	print_message ("%u methods\n", total.methods);
}

static void
every_body_of_coreclr_comes_back_and_can_be_edited (void **state)
{
	tally total = visit_images (clr_images, COUNT (clr_images), check_whole);

	print_message ("%u methods\n", total.methods);
}

/* --- damaged ---------------------------------------------------------------------------------------------------- */

/* Of each fourth body: one cut at a random place, three with bytes changed, in memory that ends with them. */
static void
check_damaged (const uint8_t *data, size_t available, uint32_t rid, tally *total)
{
	uint32_t random = (uint32_t) seed_of (rid * 2654435761u);
	monocle__il_body body;
	size_t size;

	if (rid % 4 || monocle__il_read (&body, data, available, &size))
		return;
	monocle__il_free (&body);
	for (int round = 0; round < 4; round++) {
		size_t kept = round == 0 ? random % size : size;
		uint8_t *copy = malloc (kept ? kept : 1);
		const char *wrong;
		int was_read;

		memcpy (copy, data, kept);
		for (int i = 0; i <= round && kept; i++) {
			random = random * 1664525 + 1013904223;
			copy[(random >> 8) % kept] ^= (uint8_t) (round == 3 ? random : 1u << (random & 7));
		}
		wrong = il_check (copy, kept, random, &was_read);
		free (copy);
		if (wrong)
			fail_msg ("method 0x06%06x, round %d: %s", rid, round, wrong);
		total->methods += (uint32_t) was_read;
		total->instructions++;
	}
}

static void
damaged_bodies_are_refused_or_hold_all_promises (void **state)
{
	tally mono = visit_images (mono_images, COUNT (mono_images), check_damaged);
	tally clr = visit_images (clr_images, COUNT (clr_images), check_damaged);

	print_message ("%u of %u could still be read\n", mono.methods + clr.methods, mono.instructions + clr.instructions);
}

static int
present (const char *const *patterns, size_t count, const char *name)
{
	const char *required = getenv ("MONOCLE_REQUIRE");
	glob_t found = { 0 };
	int there;

	for (size_t i = 0; i < count; i++)
		glob (patterns[i], i ? GLOB_APPEND : 0, NULL, &found);
	there = found.gl_pathc > 0;
	globfree (&found);
	if (!there && required && strstr (required, name)) {
		fprintf (stderr, "no images of %s, which MONOCLE_REQUIRE names\n", name);
		exit (1);
	}
	return there;
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (every_body_of_mono_comes_back_and_can_be_edited),
		cmocka_unit_test (every_body_of_coreclr_comes_back_and_can_be_edited),
		cmocka_unit_test (damaged_bodies_are_refused_or_hold_all_promises),
	};
	int there =
	    present (mono_images, COUNT (mono_images), "mono") | present (clr_images, COUNT (clr_images), "coreclr");

	if (!there) {
		fprintf (stderr, "skipped: neither Mono's nor CoreCLR's images are here\n");
		return 77;
	}
	return cmocka_run_group_tests (tests, NULL, NULL);
}
