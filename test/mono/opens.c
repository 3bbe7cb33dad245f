/*
 * SPDX-License-Identifier: MIT
 *
 * opens.c - a program that opens Mono's library where no other library sees it, and starts it.
 *
 *   opens PROGRAM [LIBRARY]
 *
 * LIBRARY has a name and functions like Mono's, too; the program looks at one of them, and decides against it.
 */
#include <dlfcn.h>
#include <stddef.h>

typedef void (*config_fn) (const char *file);
typedef void *(*init_fn) (const char *name);
typedef void *(*open_fn) (void *domain, const char *file);
typedef int (*exec_fn) (void *domain, void *assembly, int argc, char **argv);
typedef void (*cleanup_fn) (void *domain);

int
main (int argc, char **argv)
{
	void *library = dlopen ("libmonosgen-2.0.so.1", RTLD_NOW | RTLD_LOCAL);

	if (!library || argc < 2)
		return 2;
	init_fn init = (init_fn) dlsym (library, "mono_jit_init");
	if (argc > 2) {
		void *other = dlopen (argv[2], RTLD_NOW | RTLD_LOCAL);
		if (!other || !dlsym (other, "mono_jit_init") || dlclose (other))
			return 3;
	}
	((config_fn) dlsym (library, "mono_config_parse")) (NULL);
	void *domain = init ("opens");
	void *assembly = ((open_fn) dlsym (library, "mono_domain_assembly_open")) (domain, argv[1]);
	int code = ((exec_fn) dlsym (library, "mono_jit_exec")) (domain, assembly, 1, argv + 1);
	((cleanup_fn) dlsym (library, "mono_jit_cleanup")) (domain);
	return code;
}
