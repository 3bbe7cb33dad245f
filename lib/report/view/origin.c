/*
 * SPDX-License-Identifier: MIT
 *
 * origin.c - see origin.h.
 */
#include "origin.h"

#include <stdio.h>
#include <string.h>

#include "cmdline.h"
#include "image-origin.h"
#include "path.h"

enum { FILE_SIZE = 256 };

/* clang-format off */
/* Libraries and programs that runtimes are made of, and what they run on. */
static const char *const native_names[] = {
	"libcoreclr", "libclr", "libhostfxr", "libhostpolicy", "libSystem.", "libmono", "mono", "dotnet", "apphost",
	"libc.so", "libc-", "libm.so", "libpthread", "libstdc++", "libgcc_s", "ld-linux", "ld-musl", "libc.musl", "[vdso]",
	"[kernel", "libcoreclrtraceptprovider",
};
/* Namespaces whose code is no program's, where there is no image to ask. */
static const char *const namespaces[] = { "System.", "Microsoft.", "Mono.", "Internal.", "Interop:", "Interop/", "Interop.",
	                                      "object:", "string:" };
/* Types by which async methods begin and go on. */
static const char async_types[] = "System.Runtime.CompilerServices.Async";
/* clang-format on */

static bool
begins_with (const char *text, const char *what)
{
	return strncmp (text, what, strlen (what)) == 0;
}

static bool
begins_with_one (const char *text, const char *const *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (begins_with (text, list[i]))
			return true;
	}
	return false;
}

/* "Namespace.Type:Method (...)", as Mono writes it. */
static bool
is_full_name (const char *name)
{
	const char *colon = strchr (name, ':');
	return colon && colon > name && colon[1] != ':' && strstr (colon, " (");
}

/* Other tools write "Assembly!Namespace.Type.Method (...)": the length of the assembly, 0: there is none. */
static size_t
assembly_length (const char *name)
{
	size_t length = strcspn (name, "!( <[");
	return name[length] == '!' ? length : 0;
}

static monocle__origin
origin_by_name (const char *name)
{
	char assembly[FILE_SIZE];
	size_t length = assembly_length (name);
	const char *member = length ? name + length + 1 : name;
	if (length) {
		if (*name == '?') /* "?!?", where nothing is known */
			return MONOCLE__ORIGIN_OTHER;
		snprintf (assembly, sizeof assembly, "%.*s", (int) (length < sizeof assembly ? length : 0), name);
		if (monocle__image_origin_is_foreign_name (assembly))
			return MONOCLE__ORIGIN_FRAMEWORK;
	} else if (!is_full_name (name)) {
		return MONOCLE__ORIGIN_OTHER;
	}
	return begins_with_one (member, namespaces, sizeof namespaces / sizeof *namespaces) ? MONOCLE__ORIGIN_FRAMEWORK
	                                                                                    : MONOCLE__ORIGIN_OWN;
}

static bool
is_program (const char *file, const char *program)
{
	size_t length = strlen (program);
	return length && strlen (file) == length + 4 && memcmp (file, program, length) == 0;
}

static monocle__origin
origin_by_image (const monocle__function *function, const char *file, const char *program)
{
	if (!monocle__cmdline_is_assembly (file))
		return begins_with_one (file, native_names, sizeof native_names / sizeof *native_names)
		         ? MONOCLE__ORIGIN_FRAMEWORK
		         : MONOCLE__ORIGIN_OTHER;
	if (is_program (file, program))
		return MONOCLE__ORIGIN_OWN;
	if (function->image && monocle__image_origin_is_foreign_path (function->image))
		return MONOCLE__ORIGIN_FRAMEWORK;
	return monocle__image_origin_is_foreign_name (file) ? MONOCLE__ORIGIN_FRAMEWORK : MONOCLE__ORIGIN_OWN;
}

/* Some of the framework's code is how async methods begin and go on. */
static monocle__origin
refine (const char *name)
{
	if (!begins_with (name, async_types))
		return MONOCLE__ORIGIN_FRAMEWORK;
	return strstr (name, ":Start") ? MONOCLE__ORIGIN_START : MONOCLE__ORIGIN_RESUME;
}

/* Of any kind, as the module sample names them. */
static bool
is_stub (const char *name)
{
	static const char *const names[] = { "[stub]",    "[write barrier]", "[virtual call]",   "[interface call]",
		                                 "[precode]", "[call counting]", "[generic lookup]", "[ReadyToRun helper]" };
	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		if (strcmp (name, names[i]) == 0)
			return true;
	}
	return false;
}

monocle__origin
monocle__origin_of (const monocle__function *function, const char *program)
{
	const char *file =
	    function->image && *function->image ? monocle__path_base_name (function->image) : function->filename;
	monocle__origin origin;
	if (begins_with (function->name, "(wrapper ") || is_stub (function->name))
		return MONOCLE__ORIGIN_GLUE;
	if (!*file && *function->name == '[' &&
	    begins_with_one (function->name + 1, native_names, sizeof native_names / sizeof *native_names))
		return MONOCLE__ORIGIN_FRAMEWORK;
	if (function->is_package)
		origin = MONOCLE__ORIGIN_FRAMEWORK;
	else
		origin = *file ? origin_by_image (function, file, program) : origin_by_name (function->name);
	return origin == MONOCLE__ORIGIN_FRAMEWORK ? refine (function->name) : origin;
}

void
monocle__origin_program (const monocle__profile *profile, char *buffer, size_t size)
{
	static const char key[] = "program: ";
	*buffer = '\0';
	for (size_t i = 0; i < profile->comment_count; i++) {
		const char *name = profile->comments[i], *end = strstr (name, ", pid ");
		if (begins_with (name, key) && end)
			snprintf (buffer, size, "%.*s", (int) (end - name - (int) strlen (key)), name + strlen (key));
	}
}

bool
monocle__origin_is_native (const monocle__function *function, monocle__origin origin)
{
	if (origin != MONOCLE__ORIGIN_FRAMEWORK)
		return false;
	if (*function->name == '[')
		return strcmp (function->name, "[framework]") != 0;
	return *function->filename && !monocle__cmdline_is_assembly (function->filename);
}
