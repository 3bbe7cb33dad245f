/*
 * SPDX-License-Identifier: MIT
 *
 * embed-mono.c - a program that starts Mono itself and has profiler modules loaded.
 *
 *   embed-mono PROGRAM [MODULE[:ARGS]]...
 *
 * A module is a file, libmono-profiler-NAME.so, or a part of this program: Mono looks for mono_profiler_init_NAME () in
 * the program before it looks for a file. For that the program exports the function:
 *
 *   cc -o embed-mono embed-mono.c ../embed-coreclr/greeter.c $(pkg-config --cflags --libs mono-2) -rdynamic
 *
 * PROGRAM is hosted.exe (../embed-coreclr/hosted.cs).
 */
#include <stdio.h>
#include <mono/jit/jit.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/mono-config.h>
#include <mono/metadata/profiler.h>

static int
run (MonoDomain *domain, int argc, char **argv)
{
	MonoAssembly *assembly = mono_domain_assembly_open (domain, argv[0]);

	if (!assembly)
		return fprintf (stderr, "embed-mono: there is no program %s\n", argv[0]), 1;
	return mono_jit_exec (domain, assembly, argc, argv);
}

int
main (int argc, char **argv)
{
	if (argc < 2)
		return fprintf (stderr, "usage: embed-mono PROGRAM [MODULE[:ARGS]]...\n"), 2;
	mono_config_parse (NULL);
	for (int i = 2; i < argc; i++)
		mono_profiler_load (argv[i]);
	MonoDomain *domain = mono_jit_init ("embed-mono");
	int code = run (domain, 1, argv + 1);
	mono_jit_cleanup (domain); /* here modules see the end of the runtime */
	return code;
}
