/*
 * SPDX-License-Identifier: MIT
 *
 * process-elf.c - see process-elf.h. Both kinds of programs export a table for debuggers, under names of their own.
 */
#include "process-elf.h"

#include "elf-file.h"

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
