/*
 * SPDX-License-Identifier: MIT
 *
 * embed-coreclr.c - a program that starts CoreCLR itself and has profiler modules loaded, as an embedder of Mono has.
 *
 *   embed-coreclr coreclr|hostfxr DOTNET-ROOT PROGRAM [MODULE[:ARGS]]...
 *
 * The first word says by which of .NET's two hosting interfaces the runtime is started. DOTNET-ROOT is the folder of
 * the `dotnet` command; the newest runtime in it is taken. PROGRAM is hosted.exe (hosted.cs).
 *
 * What concerns profiling is main (): modules are loaded before the runtime is started, and the adapter is named to it.
 * The rest is hosting as .NET documents it. Its headers are in packages of the SDK; the few types that are needed of
 * them are declared here.
 */
#define _GNU_SOURCE /* strverscmp () */
#include <dlfcn.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <monocle/embed.h>

/* --- files -------------------------------------------------------------------------------------------------------- */

/* The last of those that ROOT/PATTERN matches, as versions are ordered. */
static int
find_newest (const char *root, const char *pattern, char *ret_path, size_t size)
{
	char full[PATH_MAX];
	glob_t found;

	snprintf (full, sizeof full, "%s/%s", root, pattern);
	if (glob (full, 0, NULL, &found))
		return fprintf (stderr, "embed-coreclr: there is no %s\n", full), 0;
	const char *newest = found.gl_pathv[0];
	for (size_t i = 1; i < found.gl_pathc; i++)
		if (strverscmp (found.gl_pathv[i], newest) > 0)
			newest = found.gl_pathv[i];
	snprintf (ret_path, size, "%s", newest);
	globfree (&found);
	return 1;
}

static void *
find_function (void *library, const char *name)
{
	void *function = library ? dlsym (library, name) : NULL;

	if (!function)
		fprintf (stderr, "embed-coreclr: %s\n", dlerror ());
	return function;
}

/* --- coreclr_initialize () ---------------------------------------------------------------------------------------- */

typedef int (*coreclr_initialize_fn) (const char *exe, const char *domain, int count, const char **keys,
                                      const char **values, void **ret_host, unsigned *ret_domain);
typedef int (*coreclr_execute_assembly_fn) (void *host, unsigned domain, int argc, const char **argv,
                                            const char *assembly, unsigned *ret_code);
typedef int (*coreclr_shutdown_fn) (void *host, unsigned domain);

/* Every assembly that the program may use, with colons between them. The caller frees. */
static char *
list_assemblies (const char *folder, const char *program)
{
	char pattern[PATH_MAX];
	glob_t found;
	size_t size = strlen (program) + 1;

	snprintf (pattern, sizeof pattern, "%s/*.dll", folder);
	if (glob (pattern, 0, NULL, &found))
		return strdup (program);
	for (size_t i = 0; i < found.gl_pathc; i++)
		size += strlen (found.gl_pathv[i]) + 1;
	char *list = malloc (size), *end = stpcpy (list, program);
	for (size_t i = 0; i < found.gl_pathc; i++)
		end = stpcpy (stpcpy (end, ":"), found.gl_pathv[i]);
	globfree (&found);
	return list;
}

static int
run_coreclr (const char *root, const char *program)
{
	char path[PATH_MAX];
	void *host;
	unsigned domain, code = 1;

	if (!find_newest (root, "shared/Microsoft.NETCore.App/*/libcoreclr.so", path, sizeof path))
		return 1;
	void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
	coreclr_initialize_fn initialize = (coreclr_initialize_fn) find_function (library, "coreclr_initialize");
	coreclr_execute_assembly_fn execute =
	    (coreclr_execute_assembly_fn) find_function (library, "coreclr_execute_assembly");
	coreclr_shutdown_fn end = (coreclr_shutdown_fn) find_function (library, "coreclr_shutdown");
	if (!initialize || !execute || !end)
		return 1;
	*strrchr (path, '/') = '\0';
	char *assemblies = list_assemblies (path, program);
	const char *keys[] = { "TRUSTED_PLATFORM_ASSEMBLIES", "NATIVE_DLL_SEARCH_DIRECTORIES" };
	const char *values[] = { assemblies, path };
	int result = initialize (program, "embed-coreclr", 2, keys, values, &host, &domain);
	free (assemblies);
	if (result < 0)
		return fprintf (stderr, "embed-coreclr: coreclr_initialize: 0x%08X\n", (unsigned) result), 1;
	result = execute (host, domain, 0, NULL, program, &code);
	if (result < 0)
		fprintf (stderr, "embed-coreclr: coreclr_execute_assembly: 0x%08X\n", (unsigned) result);
	end (host, domain); /* here modules see the end of the runtime */
	return result < 0 ? 1 : (int) code;
}

/* --- hostfxr ------------------------------------------------------------------------------------------------------ */

typedef struct {
	size_t size;
	const char *host_path, *dotnet_root;
} hostfxr_parameters;

enum { HDT_LOAD_ASSEMBLY_AND_GET_FUNCTION_POINTER = 5 };

typedef int (*hostfxr_initialize_fn) (const char *config, const hostfxr_parameters *parameters, void **ret_handle);
typedef int (*hostfxr_get_delegate_fn) (void *handle, int kind, void **ret_delegate);
typedef int (*hostfxr_close_fn) (void *handle);
typedef int (*load_assembly_fn) (const char *assembly, const char *type, const char *method, const char *delegate_type,
                                 void *reserved, void **ret_function);
typedef int (*entry_fn) (void *arguments, int size);

/* The runtime is started by the first delegate that is asked for. */
static int
call_entry (hostfxr_get_delegate_fn get_delegate, void *handle, const char *program)
{
	void *delegate, *function;
	int result = get_delegate (handle, HDT_LOAD_ASSEMBLY_AND_GET_FUNCTION_POINTER, &delegate);

	if (result == 0)
		result = ((load_assembly_fn) delegate) (program, "Hosted, hosted", "Enter", NULL, NULL, &function);
	if (result == 0)
		return ((entry_fn) function) (NULL, 0);
	fprintf (stderr, "embed-coreclr: %s cannot be run: 0x%08X\n", program, (unsigned) result);
	return 1;
}

static int
run_hostfxr (const char *root, const char *program)
{
	char path[PATH_MAX], config[PATH_MAX];
	void *handle = NULL;

	if (!find_newest (root, "host/fxr/*/libhostfxr.so", path, sizeof path))
		return 1;
	void *library = dlopen (path, RTLD_NOW | RTLD_LOCAL);
	hostfxr_initialize_fn initialize =
	    (hostfxr_initialize_fn) find_function (library, "hostfxr_initialize_for_runtime_config");
	hostfxr_get_delegate_fn get_delegate =
	    (hostfxr_get_delegate_fn) find_function (library, "hostfxr_get_runtime_delegate");
	hostfxr_close_fn end = (hostfxr_close_fn) find_function (library, "hostfxr_close");
	if (!initialize || !get_delegate || !end)
		return 1;
	hostfxr_parameters parameters = { sizeof parameters, program, root };
	snprintf (config, sizeof config, "%.*s.runtimeconfig.json", (int) (strrchr (program, '.') - program), program);
	int result = initialize (config, &parameters, &handle);
	if (result < 0)
		fprintf (stderr, "embed-coreclr: hostfxr_initialize_for_runtime_config: 0x%08X\n", (unsigned) result);
	int code = result < 0 ? 1 : call_entry (get_delegate, handle, program);
	monocle_runtime_end (); /* the runtime never ends; here modules see the end */
	if (handle)
		end (handle);
	return code;
}

/* --- profiling ---------------------------------------------------------------------------------------------------- */

int
main (int argc, char **argv)
{
	char program[PATH_MAX];

	if (argc < 4 || (strcmp (argv[1], "coreclr") && strcmp (argv[1], "hostfxr")))
		return fprintf (stderr, "usage: embed-coreclr coreclr|hostfxr DOTNET-ROOT PROGRAM [MODULE[:ARGS]]...\n"), 2;
	if (!realpath (argv[3], program) || !strrchr (program, '.'))
		return fprintf (stderr, "embed-coreclr: there is no program %s\n", argv[3]), 1;
	for (int i = 4; i < argc; i++)
		mono_profiler_load (argv[i]);
	if (argc > 4)
		monocle_coreclr_environment (NULL, NULL);
	return strcmp (argv[1], "coreclr") == 0 ? run_coreclr (argv[2], program) : run_hostfxr (argv[2], program);
}
