/*
 * SPDX-License-Identifier: MIT
 *
 * start-hint.c - see start-hint.h.
 */
#include "start-hint.h"

#include "command/command.h"
#include "path.h"
#include "program-file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* As shells tell: a zero byte in what would be the first lines. */
enum { LOOKED_AT = 256 };

bool
monocle__start_hint_is_binary (const char *name)
{
	monocle__program_file file;
	if (!strchr (name, '/'))
		return false;
	monocle__program_file_open (&file, name);
	bool is_binary = file.bytes && memchr (file.bytes, '\0', file.size < LOOKED_AT ? file.size : LOOKED_AT);
	monocle__program_file_close (&file);
	return is_binary;
}

static bool
has_ending (const char *name, const char *ending)
{
	size_t length = strlen (name), size = strlen (ending);
	return length > size && strcmp (name + length - size, ending) == 0;
}

/* What the compiler of .NET leaves beside a program says that it is one of .NET. */
static const char *
runtime_of (const char *path)
{
	const char *dot = strrchr (path, '.');
	char *config = monocle__format ("%.*s.runtimeconfig.json", (int) (dot ? dot - path : 0), path);
	bool is_dotnet = has_ending (path, ".dll") || access (config, F_OK) == 0;
	free (config);
	return is_dotnet ? "dotnet" : "mono";
}

/* The signature of metadata (ECMA-335 II.24.2.1) behind that of a PE file. */
static bool
is_assembly (const char *path)
{
	monocle__program_file file;
	monocle__program_file_open (&file, path);
	bool is = file.size > 2 && memcmp (file.bytes, "MZ", 2) == 0 && monocle__program_file_contains (&file, "BSJB");
	monocle__program_file_close (&file);
	return is;
}

char *
monocle__start_hint (const char *name)
{
	bool is_path = strchr (name, '/') != NULL;
	char *path = monocle__format ("%s%s", is_path ? "" : "./", name), *hint;
	if (is_assembly (path))
		hint = monocle__format ("; %s is an assembly, and is started so: -- %s %s", path, runtime_of (path), name);
	else if (has_ending (path, "proj") && access (path, F_OK) == 0)
		hint = monocle__format ("; %s is a project, and is started so: -- dotnet run --project %s", path, name);
	else
		hint = monocle__format ("%s%s", !is_path && access (path, X_OK) == 0 ? "; the file that is here is " : "",
		                        !is_path && access (path, X_OK) == 0 ? path : "");
	free (path);
	return hint;
}
