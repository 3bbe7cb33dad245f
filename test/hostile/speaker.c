/* SPDX-License-Identifier: MIT */
/*
 * speaker.c - a module that speaks wherever a module can: while it starts, in a signal handler, on a thread, in a child
 * of a fork, in another folder, without a free descriptor, at the end. Its argument "die" kills the process there.
 */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <mono/metadata/profiler.h>
#include <monocle/kit.h>

MONO_API void mono_profiler_init_speaker (const char *desc);

struct _MonoProfiler {
	int dies;
};

static void
speak_in_handler (int number)
{
	monocle_kit_log ("speaker", "in a signal handler");
}

/* A thread of ours that loads a module later blocks all signals. */
static void
raise_one (void)
{
	struct sigaction before, action = { .sa_handler = speak_in_handler };
	sigset_t one, mask;
	sigemptyset (&one);
	sigaddset (&one, SIGURG);
	sigaction (SIGURG, &action, &before);
	pthread_sigmask (SIG_UNBLOCK, &one, &mask);
	raise (SIGURG);
	pthread_sigmask (SIG_SETMASK, &mask, NULL);
	sigaction (SIGURG, &before, NULL);
}

static void *
speak_on_thread (void *nothing)
{
	monocle_kit_log ("speaker", "on a thread");
	return NULL;
}

static void
speak_in_child (void)
{
	pid_t child = fork ();
	if (child == 0) {
		monocle_kit_log ("speaker", "in a child");
		_exit (0);
	}
	waitpid (child, NULL, 0);
}

/* What cannot be said now is counted, and told with the next line. */
static void
speak_without_descriptor (void)
{
	struct rlimit before, none = { 0, 0 };
	getrlimit (RLIMIT_NOFILE, &before);
	none.rlim_max = before.rlim_max;
	setrlimit (RLIMIT_NOFILE, &none);
	monocle_kit_log ("speaker", "without a descriptor");
	setrlimit (RLIMIT_NOFILE, &before);
}

static void
at_end (MonoProfiler *profiler)
{
	monocle_kit_log_failure ("speaker", "at the end");
	if (profiler->dies)
		kill (getpid (), SIGKILL);
}

void
mono_profiler_init_speaker (const char *desc)
{
	static MonoProfiler profiler;
	char folder[4096];
	pthread_t thread;
	monocle_kit_log ("speaker", "at the start");
	raise_one ();
	if (pthread_create (&thread, NULL, speak_on_thread, NULL) == 0)
		pthread_join (thread, NULL);
	if (!strstr (desc, ":late"))
		speak_in_child ();
	if (getcwd (folder, sizeof folder) && chdir ("/") == 0) {
		monocle_kit_log ("speaker", "in another folder");
		if (chdir (folder) != 0)
			monocle_kit_log ("speaker", "and nowhere");
	}
	speak_without_descriptor ();
	monocle_kit_log ("speaker", "and two\nlines \033[31m");
	profiler.dies = strstr (desc, ":die") != NULL;
	mono_profiler_set_runtime_shutdown_begin_callback (mono_profiler_create (&profiler), at_end);
}
