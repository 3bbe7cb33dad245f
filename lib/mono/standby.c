/*
 * SPDX-License-Identifier: MIT
 *
 * standby.c - `monocle:standby`: Mono starts with nothing loaded, and takes modules later, for a while.
 *
 *   Mono's main thread        before it starts: sampling is made possible; then nothing, until it ends
 *   the thread of commands    load, unload: what can be known is checked, the rest is left to the next one
 *   a thread of ours          one for each load: settings, modules, what is there already as events; it waits for the
 *                             time, the file "stop" or unload; then the modules' end, as a module knows it, and no
 *                             callback any more; when nobody is inside, the modules are closed
 *
 * It is the protocol of an attach to CoreCLR (lib/clr/attach.c), with the same notes in the folder of the run. Mono's
 * own end may come at any moment of it: whoever is first tells the modules, and the other one waits.
 */
#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>
#include "attach-block.h"
#include "background.h"
#include "control-words.h"
#include "control/control-stacks.h"
#include "environment.h"
#include "late-handle.h"
#include "late-module.h"
#include "load/roster.h"
#include "load/words.h"
#include "log.h"
#include "nanoseconds.h"
#include "run-note.h"
#include "umbrella.h"

static const monocle__late_handle_mono *mono;
static pthread_mutex_t ending = PTHREAD_MUTEX_INITIALIZER; /* held where modules begin or end, and Mono must not */
static atomic_bool is_over;                                /* Mono's own end was told; under `ending` */
static pid_t self;                                         /* not a forked child, which has none of the threads */

/* One load. The thread of commands writes it before it makes the thread, and reads it when that has said so. */
static struct {
	atomic_bool is_there;         /* from a load until all of it is gone */
	atomic_bool is_asked_to_stop; /* by unload */
	sem_t is_decided;             /* whether anything runs */
	const char *error;            /* NULL: it runs */
	uint64_t end;                 /* as CLOCK_MONOTONIC has it; UINT64_MAX: never */
	char folder[PATH_MAX];        /* of the run that asked; "": nobody looks for notes */
	monocle__late_module *modules;
} session;

static monocle__late_module *stayed; /* what could not be closed, and so cannot be started again */

/* --- Mono's functions --------------------------------------------------------------------------------------------- */

/*
 * As what Mono calls a tools thread, which is not stopped, hit, or waited for. Until Mono knows it as such a one, a
 * collection waits for it to answer a signal.
 */
static void
become_known (void)
{
	void (*attach) (void) = (void (*) (void)) dlsym (RTLD_DEFAULT, "mono_threads_attach_tools_thread");
	sigset_t suspends, before;
	sigemptyset (&suspends);
	for (int number = SIGRTMIN; number <= SIGRTMAX; number++)
		sigaddset (&suspends, number);
	sigaddset (&suspends, SIGPWR);
	pthread_sigmask (SIG_UNBLOCK, &suspends, &before);
	if (attach)
		attach ();
	pthread_sigmask (SIG_SETMASK, &before, NULL);
}

static void
see_assembly (void *assembly, void *image_of)
{
	MonoImage *image = (*(MonoImage * (**) (void *) ) image_of) (assembly);
	monocle__late_handle_raise_assembly (assembly, image);
}

static void
raise_what_is_there (void)
{
	MonoDomain *(*root) (void) = (MonoDomain * (*) (void) ) dlsym (RTLD_DEFAULT, "mono_get_root_domain");
	void (*each) (void (*) (void *, void *), void *) =
	    (void (*) (void (*) (void *, void *), void *)) dlsym (RTLD_DEFAULT, "mono_assembly_foreach");
	MonoImage *(*image) (void *) = (MonoImage * (*) (void *) ) dlsym (RTLD_DEFAULT, "mono_assembly_get_image");
	if (root && root ())
		monocle__late_handle_raise_domain (root ());
	if (each && image)
		each (see_assembly, &image);
	monocle__late_handle_raise_initialized ();
}

/* --- modules ------------------------------------------------------------------------------------------------------ */

static const monocle__late_module *
find_module (const monocle__late_module *list, const char *name)
{
	while (list && strcmp (list->name, name))
		list = list->next;
	return list;
}

static void
see_name (void *data, const char *name)
{
	const char **wanted = data;
	if (*wanted && !strcmp (*wanted, name))
		*wanted = NULL;
}

/* The name has been checked, as far as it is known beforehand. */
static void
start_module (const places *list, const char *desc)
{
	monocle__late_module *one = calloc (1, sizeof *one);
	if (!one)
		return;
	snprintf (one->name, sizeof one->name, "%.*s", (int) strcspn (desc, ":"), desc);
	if (find_module (session.modules, one->name)) {
		monocle_log ("profiler '%s' is loaded already; '%s' has no effect", one->name, desc);
		free (one);
		return;
	}
	if (!monocle__umbrella_start (list, desc, one)) {
		free (one);
		return;
	}
	one->next = session.modules;
	session.modules = one;
}

static void
start_modules (void)
{
	char **words = NULL;
	places list;
	monocle__late_handle_reach_toolkit ();
	int count = monocle__words_split (monocle__variable ("MONOCLE_PROFILE"), &words);
	monocle__place_find_all (&list);
	for (int i = 0; i < count; i++)
		start_module (&list, words[i]);
	monocle__place_free_all (&list);
	free (words);
}

/* False: its code is still there, and may not be started a second time. */
static bool
close_module (const monocle__late_module *one)
{
	char symbol[sizeof "monocle_profiler_leave_" + MONOCLE__NAME_LIMIT], path[PATH_MAX];
	Dl_info info;
	snprintf (symbol, sizeof symbol, "monocle_profiler_leave_%s", one->name);
	void (*leave) (void) = one->library ? (void (*) (void)) dlsym (one->library, symbol) : NULL;
	if (!leave || !dladdr ((void *) leave, &info))
		return false;
	snprintf (path, sizeof path, "%s", info.dli_fname);
	leave ();
	dlclose (one->library);
	void *still = dlopen (path, RTLD_LAZY | RTLD_NOLOAD);
	if (still)
		dlclose (still);
	return !still;
}

static void
close_modules (bool are_free)
{
	while (session.modules) {
		monocle__late_module *one = session.modules;
		session.modules = one->next;
		monocle__roster_remove (one->name);
		if (are_free && close_module (one)) {
			free (one);
			continue;
		}
		one->next = stayed;
		stayed = one;
	}
}

/* --- the thread of a load ----------------------------------------------------------------------------------------- */

/* Also when the folder has gone: then nobody waits for us. */
static bool
is_asked_to_stop (void)
{
	char stop[PATH_MAX + sizeof "/" MONOCLE__ATTACH_BLOCK_STOP];
	if (atomic_load (&session.is_asked_to_stop))
		return true;
	if (!session.folder[0])
		return false;
	snprintf (stop, sizeof stop, "%s/" MONOCLE__ATTACH_BLOCK_STOP, session.folder);
	return access (stop, F_OK) == 0 || (access (session.folder, F_OK) != 0 && errno == ENOENT);
}

static bool
mono_is_over (void)
{
	pthread_mutex_lock (&ending);
	bool over = is_over;
	pthread_mutex_unlock (&ending);
	return over;
}

static void
await_end (void)
{
	enum { LOOK_NS = 20000000 };
	for (;;) {
		uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
		if (now >= session.end || is_asked_to_stop () || mono_is_over ())
			return;
		uint64_t wait = session.end - now < LOOK_NS ? session.end - now : LOOK_NS;
		nanosleep (&(struct timespec) { 0, (long) wait }, NULL);
	}
}

/* What Mono has told, or is about to, is not told again; it then ends with the modules in it. */
static void
leave (void)
{
	pthread_mutex_lock (&ending);
	bool is_free = false;
	if (!is_over) {
		monocle__late_handle_raise_end_begin ();
		is_free = monocle__late_handle_stop ();
		if (is_free)
			monocle__late_handle_forget ();
		close_modules (is_free);
	}
	bool over = is_over;
	pthread_mutex_unlock (&ending);
	if (is_free)
		monocle__run_note ("detached", "");
	else if (!over)
		monocle__run_note ("asleep", "a thread is in a callback of a module, and does not come back");
}

static void
decide (const char *error)
{
	session.error = error;
	sem_post (&session.is_decided);
}

static void
begin (void)
{
	pthread_mutex_lock (&ending);
	if (!is_over) {
		become_known ();
		start_modules ();
	}
	if (session.modules)
		raise_what_is_there ();
	pthread_mutex_unlock (&ending);
}

/* Mono takes a thread out of its tables when it ends, which must not be while the tables go. */
static void
become_unknown (void)
{
	void (*detach) (void) = (void (*) (void)) dlsym (RTLD_DEFAULT, "mono_thread_info_detach");
	pthread_mutex_lock (&ending);
	bool is_there = !is_over;
	if (is_there && detach)
		detach ();
	pthread_mutex_unlock (&ending);
	while (!is_there)
		pause ();
}

static void *
run (void *nothing)
{
	prctl (PR_SET_NAME, "monocle-attach");
	begin ();
	bool was_loaded = session.modules;
	if (was_loaded) {
		monocle__run_note ("loaded", "Mono");
		if (session.end != UINT64_MAX)
			session.end += monocle__nanoseconds (CLOCK_MONOTONIC);
		decide (NULL);
		await_end ();
	}
	monocle__control_stacks_hold (true); /* the library of a module that goes may be the one that is asked */
	leave ();
	monocle__control_stacks_hold (mono_is_over ());
	if (!was_loaded)
		decide ("none was loaded; the process's messages say why (monocle.1, MESSAGES)");
	become_unknown ();
	monocle_host_settings (NULL);
	atomic_store (&session.is_there, false);
	return NULL;
}

/* --- what the socket asks for ------------------------------------------------------------------------------------- */

static char refusal[512];

/* NULL: it may be tried. */
static const char *
refuse (const char *desc)
{
	char name[MONOCLE__NAME_LIMIT];
	const char *absent = name, *reason = monocle__late_module_refusal (desc, true);
	snprintf (name, sizeof name, "%.*s", (int) strcspn (desc, ":"), desc);
	monocle__roster_each (see_name, &absent);
	if (!strcmp (name, "standby"))
		reason = "it is not loaded, it waits";
	else if (!absent)
		reason = "it is in the process already";
	else if (find_module (stayed, name))
		reason = "it was loaded before, and stays in the process";
	else if (strstr (desc, ":help"))
		reason = "a module's help ends the process";
	if (!reason)
		return NULL;
	snprintf (refusal, sizeof refusal, "the module %s cannot be loaded into a program that runs: %s", name, reason);
	return refusal;
}

static const char *
refuse_any (const char *profiles)
{
	char **words = NULL;
	const char *error = NULL;
	int count = monocle__words_split (profiles, &words);
	if (count <= 0)
		return count < 0 ? "MONOCLE_PROFILE is not words as a shell has them" : "no module is named";
	for (int i = 0; i < count && !error; i++)
		error = refuse (words[i]);
	free (words);
	return error;
}

static bool
is_loaded (void)
{
	return atomic_load (&session.is_there);
}

/* One that has said it is done may have a last step to go. */
static bool
await_absence (unsigned milliseconds)
{
	for (unsigned i = 0; i < milliseconds && is_loaded () && !is_over; i++)
		nanosleep (&(struct timespec) { 0, 1000000 }, NULL);
	return !is_loaded ();
}

static const char *
load (const monocle__attach_block *settings)
{
	enum { LAST_STEP_MS = 500 };
	pthread_t thread;
	const char *folder = monocle__attach_block_find (settings, "MONOCLE_RUN_DIR");
	const char *error = refuse_any (monocle__attach_block_find (settings, "MONOCLE_PROFILE"));
	if (error)
		return error;
	if (mono_is_over ())
		return "the program is ending";
	if (!await_absence (LAST_STEP_MS))
		return MONOCLE__CONTROL_BUSY ": another attach is at work, or monocle ctl has loaded them";
	if (monocle_host_settings (settings->texts))
		return "out of memory";
	session.end = settings->milliseconds ? settings->milliseconds * UINT64_C (1000000) : UINT64_MAX;
	snprintf (session.folder, sizeof session.folder, "%s", folder ? folder : "");
	session.is_asked_to_stop = false;
	session.is_there = true;
	if (!monocle__background_start (&thread, run, NULL, 0)) {
		session.is_there = false;
		monocle_host_settings (NULL);
		return "no thread can be made";
	}
	pthread_detach (thread);
	while (sem_wait (&session.is_decided) && errno == EINTR)
		;
	return session.error;
}

static const char *
unload (void)
{
	enum { PATIENCE_MS = 30000 };
	if (!is_loaded ())
		return "nothing is loaded that could go";
	session.is_asked_to_stop = true;
	return await_absence (PATIENCE_MS) ? NULL : "they have been told, and are not gone yet";
}

/* --- Mono's beginning and end ------------------------------------------------------------------------------------- */

static sem_t sampler_began;
static MonoProfilerHandle handle;

static void
listen_to (monocle_event event, void *callback)
{
	if (mono->set[event])
		mono->set[event](handle, callback);
}

static void
on_thread_name (MonoProfiler *profiler, uintptr_t tid, const char *name)
{
	if (tid == (uintptr_t) pthread_self () && !strcmp (name, "Profiler Sampler"))
		sem_post (&sampler_began);
}

/*
 * Mono's sampler waits from now on for somebody to choose a mode. At its own end Mono waits for each thread that is not
 * marked as one of its own; its sampler marks itself, and when the program ends before that, Mono waits for ever.
 */
static void
on_initialized (MonoProfiler *profiler)
{
	struct timespec end;
	clock_gettime (CLOCK_MONOTONIC, &end);
	end.tv_sec++;
	while (sem_clockwait (&sampler_began, CLOCK_MONOTONIC, &end) && errno == EINTR)
		;
	listen_to (MONOCLE_EVENT_thread_name, NULL);
	listen_to (MONOCLE_EVENT_runtime_initialized, NULL);
}

/*
 * Modules have been told, since their handles are newer; but those that have just come have not. Handles are freed
 * after this, so nobody may be about to use one.
 */
static void
on_shutdown (MonoProfiler *profiler)
{
	struct timespec until;
	if (getpid () != self)
		return;
	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += 10;
	bool is_mine = pthread_mutex_timedlock (&ending, &until) == 0;
	monocle__late_handle_raise_end_begin ();
	is_over = true;
	if (is_mine && session.modules)
		monocle__run_note ("ended", "");
	if (is_mine)
		pthread_mutex_unlock (&ending);
}

void
monocle__standby_begin (monocle__control_host *host)
{
	const char *reason, *control = monocle__variable ("MONOCLE_CONTROL");
	if (mono)
		return;
	if (!monocle__environment_is_believed ()) {
		monocle__log_failure ("standby: nothing can be loaded later: the program has rights that are not its user's");
		return;
	}
	if (control && !strcmp (control, "0")) {
		monocle__log_failure ("standby: nothing can be loaded later: MONOCLE_CONTROL=0 forbids the control socket");
		return;
	}
	if (!(mono = monocle__late_handle_begin (&reason))) {
		monocle__log_failure ("standby: nothing can be loaded later: %s", reason);
		return;
	}
	self = getpid ();
	sem_init (&sampler_began, 0, 0);
	sem_init (&session.is_decided, 0, 0);
	handle = mono->create (NULL);
	listen_to (MONOCLE_EVENT_thread_name, (void *) on_thread_name);
	listen_to (MONOCLE_EVENT_runtime_initialized, (void *) on_initialized);
	listen_to (MONOCLE_EVENT_runtime_shutdown_begin, (void *) on_shutdown);
	host->load = load;
	host->is_loaded = is_loaded;
	host->unload = unload;
}
