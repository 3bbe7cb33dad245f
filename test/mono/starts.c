/*
 * SPDX-License-Identifier: MIT
 *
 * starts.c - a program that is linked with Mono and starts it in one way or another, or never.
 *
 *   starts WAY PROGRAM
 *
 * It prints nothing itself, and ends with the program's exit code.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <mono/jit/jit.h>
#include <mono/metadata/assembly.h>
#include <mono/metadata/mono-config.h>
#include <mono/metadata/profiler.h>

/* What `mono` itself does. Both are exported and in no header. */
extern void mono_parse_env_options (int *ref_argc, char **ref_argv[]);
extern int mono_main (int argc, char **argv);

static int
execute (MonoDomain *domain, char *program)
{
	MonoAssembly *assembly = mono_domain_assembly_open (domain, program);
	return assembly ? mono_jit_exec (domain, assembly, 1, &program) : 1;
}

static int
start (MonoDomain *domain, char *program)
{
	int code = execute (domain, program);
	mono_jit_cleanup (domain);
	return code;
}

static void *
start_in_thread (void *program)
{
	return (void *) (intptr_t) start (mono_jit_init ("starts"), program);
}

static int
in_thread (char *program)
{
	pthread_t thread;
	void *code;
	pthread_create (&thread, NULL, start_in_thread, program);
	pthread_join (thread, &code);
	return (int) (intptr_t) code;
}

/* The parent never starts it. */
static int
in_child (char *program)
{
	int status;
	pid_t child = fork ();
	if (child == 0)
		exit (start (mono_jit_init ("starts"), program));
	waitpid (child, &status, 0);
	return WEXITSTATUS (status);
}

/* As a program does that reads MONOCLE_PROFILE by itself. */
static int
with_umbrella (char *program)
{
	mono_profiler_load ("monocle");
	return start (mono_jit_init ("starts"), program);
}

static int
as_mono (char *program)
{
	char *words[] = { "starts", program, NULL }, **argv = words;
	int argc = 2;
	mono_parse_env_options (&argc, &argv);
	return mono_main (argc, argv);
}

int
main (int argc, char **argv)
{
	const char *way = argc == 3 ? argv[1] : "";

	if (strcmp (way, "never") == 0)
		return 7;
	if (strcmp (way, "exec") == 0)
		return execl ("/proc/self/exe", argv[0], "version", argv[2], NULL);
	mono_config_parse (NULL);
	if (strcmp (way, "cleared") == 0)
		unsetenv ("MONOCLE_PROFILE");
	if (strcmp (way, "version") == 0 || strcmp (way, "cleared") == 0)
		return start (mono_jit_init_version ("starts", "v4.0.30319"), argv[2]);
	if (strcmp (way, "main") == 0)
		return as_mono (argv[2]);
	if (strcmp (way, "umbrella") == 0)
		return with_umbrella (argv[2]);
	if (strcmp (way, "thread") == 0)
		return in_thread (argv[2]);
	if (strcmp (way, "fork") == 0)
		return in_child (argv[2]);
	if (strcmp (way, "endless") == 0)
		_exit (execute (mono_jit_init ("starts"), argv[2]));
	return fprintf (stderr, "usage: starts version|main|umbrella|thread|fork|exec|endless|cleared|never PROGRAM\n"), 2;
}
