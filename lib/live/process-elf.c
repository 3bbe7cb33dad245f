/*
 * SPDX-License-Identifier: MIT
 *
 * process-elf.c - see process-elf.h. Both kinds of programs export a table for debuggers, under names of their own.
 */
#include "process-elf.h"

#include "elf-file.h"
#include "path.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

monocle__live_host
monocle__live_process_elf_host (int fd)
{
	monocle__live_host host = MONOCLE__LIVE_HOST_NONE;
	monocle__elf_file file;
	if (!monocle__elf_file_open (&file, fd))
		return host;
	if (monocle__elf_file_names (&file, "DotNetRuntimeDebugHeader"))
		host = MONOCLE__LIVE_HOST_NATIVE_AOT;
	else if (monocle__elf_file_names (&file, "DotNetRuntimeInfo"))
		host = MONOCLE__LIVE_HOST_CORECLR;
	monocle__elf_file_close (&file);
	return host;
}

/*
 * musl's linker and its C library are one file, which has the name of either: ld-musl-x86_64.so.1,
 * libc.musl-x86_64.so.1, or, where a system has both libraries, libc.so in a folder of musl's. That of glibc has a
 * number behind it.
 */
bool
monocle__live_process_elf_is_musl (const char *path)
{
	static const char linker[] = "ld-musl-", library[] = "libc.musl-";
	const char *name = monocle__path_base_name (path);
	return strncmp (name, linker, sizeof linker - 1) == 0 || strncmp (name, library, sizeof library - 1) == 0 ||
	       strcmp (name, "libc.so") == 0;
}

/* The header of a file of any class. */
static bool
is_of_another_cpu (int fd)
{
#if defined(__x86_64__)
	const unsigned machine = EM_X86_64;
#elif defined(__aarch64__)
	const unsigned machine = EM_AARCH64;
#else
	const unsigned machine = EM_NONE;
#endif
	Elf64_Ehdr header;
	return pread (fd, &header, sizeof header, 0) == (ssize_t) sizeof header &&
	       memcmp (header.e_ident, ELFMAG, SELFMAG) == 0 &&
	       (header.e_ident[EI_CLASS] != ELFCLASS64 || (machine != EM_NONE && header.e_machine != machine));
}

monocle__live_system
monocle__live_process_elf_system (int fd)
{
	char interpreter[PATH_MAX];
	monocle__elf_file file;
	if (is_of_another_cpu (fd))
		return MONOCLE__LIVE_SYSTEM_CPU;
	if (!monocle__elf_file_open (&file, fd))
		return MONOCLE__LIVE_SYSTEM_OURS;
	monocle__elf_file_interpreter (&file, interpreter, sizeof interpreter);
	monocle__elf_file_close (&file);
	return monocle__live_process_elf_is_musl (interpreter) ? MONOCLE__LIVE_SYSTEM_MUSL : MONOCLE__LIVE_SYSTEM_OURS;
}
