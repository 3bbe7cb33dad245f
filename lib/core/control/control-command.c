/*
 * SPDX-License-Identifier: MIT
 *
 * control-command.c - see control-command.h. What modules of ours can do with themselves they have told their toolkit,
 * which is looked for in the process: neither the core nor the umbrella is linked to it, and other modules do without.
 *
 * The server's thread fills `asked` and moves IDLE to POSTED; this one fills `answer` and moves that to DONE; the
 * server's takes it and moves that to IDLE. So each is written by one thread at a time. The server of a session that is
 * over may look once more when the next one has begun: posting and taking know the session, under `posting`.
 */
#include "control-command.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "background.h"
#include "control-stacks.h"
#include "load/roster.h"
#include "log.h"
#include "nanoseconds.h"
#include "pause.h"

enum { STACK = 1 << 20 };
enum { IDLE, POSTED, DONE };

static const monocle__control_host *the_host;
static _Atomic int state;
static atomic_uint session; /* goes up at each begin and end: the thread of another one ends */
static pthread_mutex_t working = PTHREAD_MUTEX_INITIALIZER; /* held while a module's code may run */
static pthread_mutex_t posting = PTHREAD_MUTEX_INITIALIZER; /* the session and the state change together; a leaf */
static _Atomic (pthread_t) worker;                          /* the thread that holds it for what was asked */
static sem_t wake;
static char argument[MONOCLE__CONTROL_LINE];
static monocle__control_request asked;
static monocle__control_answer answer;
static uint64_t start_at, stop_at; /* of CLOCK_MONOTONIC; UINT64_MAX: never. Under `working` */

/* --- the toolkit -------------------------------------------------------------------------------------------------- */

typedef int (*control_fn) (const char *verb, const char *module, void (*say) (void *data, const char *line),
                           void *data);

/* NULL: no module of the process uses it. */
static control_fn
find_toolkit (void)
{
	void *library = dlopen ("libmonocle-kit.so.0", RTLD_LAZY | RTLD_NOLOAD);
	control_fn function = library ? (control_fn) dlsym (library, "monocle_kit_control_do") : NULL;
	if (library)
		dlclose (library); /* It was there before, and is never unloaded. */
	return function;
}

/* --- answers ------------------------------------------------------------------------------------------------------ */

/* A line that does not fit is left out; room for the last one is kept. */
static __attribute__ ((format (printf, 3, 4))) void
put (monocle__control_answer *to, size_t kept, const char *format, ...)
{
	size_t room = sizeof to->text - kept - to->length;
	va_list arguments;
	va_start (arguments, format);
	int length = vsnprintf (to->text + to->length, room, format, arguments);
	va_end (arguments);
	if (length < 0 || (size_t) length >= room)
		return;
	for (char *at = to->text + to->length; *at; at++)
		if ((unsigned char) *at < ' ')
			*at = '?';
	to->length += (size_t) length;
	to->text[to->length++] = '\n';
}

enum { LAST_LINE = 512 };

static void
say (void *data, const char *line)
{
	put (data, LAST_LINE, "%s", line);
}

static void
finish (monocle__control_answer *to, const char *error)
{
	if (error)
		put (to, 0, MONOCLE__CONTROL_ERROR " %.400s", error);
	else
		put (to, 0, MONOCLE__CONTROL_OK);
}

/* --- what can be asked -------------------------------------------------------------------------------------------- */

struct listing {
	monocle__control_answer *answer;
	const char *module;
	unsigned found;
};

/* Of a module that did not tell the toolkit of itself, no more is known than that it was started. */
static void
list_other (void *data, const char *name)
{
	struct listing *listing = data;
	char known[160];
	if (*listing->module && strcmp (listing->module, name))
		return;
	listing->found++;
	snprintf (known, sizeof known, "module %.128s ", name);
	for (const char *line = listing->answer->text; line && *line;
	     line = strchr (line, '\n') ? strchr (line, '\n') + 1 : NULL)
		if (!strncmp (line, known, strlen (known)))
			return;
	put (listing->answer, LAST_LINE, "module %.128s uncontrolled", name);
}

/* What each does, or the one that is named. How many there are. */
static unsigned
list_modules (const char *module, monocle__control_answer *to)
{
	control_fn toolkit = find_toolkit ();
	struct listing listing = { to, module, 0 };
	if (toolkit)
		toolkit ("status", module, say, to);
	to->text[to->length] = '\0';
	monocle__roster_each (list_other, &listing);
	return listing.found;
}

/* --- stacks ------------------------------------------------------------------------------------------------------- */

static unsigned working_session; /* under `working` */
static atomic_bool is_wanted;    /* a thread waits to hold this one */

static mono_bool
is_over (void)
{
	return session != working_session || is_wanted || monocle__control_stacks_is_wanted ();
}

static void
say_note (void *data, const char *line)
{
	put (data, LAST_LINE, "note %s", line);
}

static const char *
do_stacks (const monocle__control_request *request, monocle__control_answer *to)
{
	bool is_async = false;
	const char *output = monocle__control_words_stacks (request->argument, &is_async);
	MonocleStacks wish = {
		.size = sizeof wish, .output = output, .is_async = is_async, .is_over = is_over, .say = say_note, .data = to
	};
	return the_host && the_host->stacks ? the_host->stacks (&wish) : "its threads cannot be looked at";
}

/* --- what else can be asked --------------------------------------------------------------------------------------- */

static const char *
do_status (const monocle__control_request *request, monocle__control_answer *to)
{
	put (to, LAST_LINE, "process %d", (int) getpid ());
	put (to, LAST_LINE, "runtime %s", the_host && the_host->runtime ? the_host->runtime : "unknown");
	if (the_host && the_host->load)
		put (to, LAST_LINE, "standby %s", the_host->is_loaded () ? "loaded" : "idle");
	to->text[to->length] = '\0';
	unsigned found = list_modules (request->argument, to);
	return *request->argument && !found ? "there is no such module in the process" : NULL;
}

static bool
is_loaded (const char *name)
{
	monocle__control_answer none = { .length = 0 };
	struct listing listing = { &none, name, 0 };
	monocle__roster_each (list_other, &listing);
	return listing.found > 0;
}

/* start, stop, reset, snapshot: of one module, or of all that know how. */
static const char *
do_modules (const monocle__control_request *request, monocle__control_answer *to)
{
	control_fn toolkit = find_toolkit ();
	int done = toolkit ? toolkit (monocle__control_words_verb (request->verb), request->argument, say, to) : 0;
	if (done > 0)
		return NULL;
	if (done < 0)
		return "it failed; see the lines above, or the process's messages";
	if (!*request->argument)
		return "no module in the process can do that";
	return is_loaded (request->argument) ? "this module cannot do that" : "there is no such module in the process";
}

/* The settings are cut out of a copy: what was asked stays as it is. */
static const char *
do_load (const monocle__control_request *request, monocle__control_answer *to)
{
	static char words[MONOCLE__CONTROL_LINE];
	monocle__attach_block settings;
	snprintf (words, sizeof words, "%s", request->argument);
	const char *error = monocle__control_words_settings (words, &settings);
	if (!error && (!the_host || !the_host->load))
		error = "this process loads no more modules: it was not started to stand by";
	if (!error)
		error = the_host->load (&settings);
	if (!error)
		list_modules ("", to);
	return error;
}

static atomic_bool is_unloading; /* this thread waits for the host, which may call in here meanwhile */

static const char *
do_unload (const monocle__control_request *request, monocle__control_answer *to)
{
	if (!the_host || !the_host->unload)
		return "modules stay in this process; stop them";
	is_unloading = true;
	const char *error = the_host->unload ();
	is_unloading = false;
	return error;
}

void
monocle__control_command_do (const monocle__control_request *request, monocle__control_answer *ret_answer)
{
	ret_answer->length = 0;
	switch (request->verb) {
	case MONOCLE__CONTROL_STATUS: finish (ret_answer, do_status (request, ret_answer)); break;
	case MONOCLE__CONTROL_LOAD: finish (ret_answer, do_load (request, ret_answer)); break;
	case MONOCLE__CONTROL_UNLOAD: finish (ret_answer, do_unload (request, ret_answer)); break;
	case MONOCLE__CONTROL_STACKS: finish (ret_answer, do_stacks (request, ret_answer)); break;
	default: finish (ret_answer, do_modules (request, ret_answer)); break;
	}
}

/* --- the thread --------------------------------------------------------------------------------------------------- */

static void
do_all (monocle__control_verb verb)
{
	static monocle__control_answer unread;
	monocle__control_command_do (&(monocle__control_request) { verb, "" }, &unread);
}

static void
do_what_is_due (uint64_t now)
{
	if (now >= start_at) {
		start_at = UINT64_MAX;
		do_all (MONOCLE__CONTROL_START);
	}
	if (now >= stop_at) {
		stop_at = UINT64_MAX;
		do_all (MONOCLE__CONTROL_STOP);
	}
}

static void
wait_for_work (uint64_t until)
{
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	if (until == UINT64_MAX)
		while (sem_wait (&wake) && errno == EINTR)
			;
	else if (until > now)
		monocle__background_sleep (&wake, until - now);
}

/* False: the end has come, and nothing more is done. It waits for what was begun. */
static bool
work (unsigned mine, uint64_t *ret_until)
{
	pthread_mutex_lock (&working);
	bool is_mine = session == mine;
	MONOCLE__PAUSE (control_session_known);
	if (is_mine) {
		worker = pthread_self ();
		working_session = mine;
		do_what_is_due (monocle__nanoseconds (CLOCK_MONOTONIC));
		if (state == POSTED) {
			monocle__control_command_do (&asked, &answer);
			state = DONE;
		}
	}
	*ret_until = start_at < stop_at ? start_at : stop_at;
	pthread_mutex_unlock (&working);
	return is_mine;
}

/* What woke a thread whose time is over may have been meant for the next one. */
static void *
run (void *data)
{
	unsigned mine = (unsigned) (uintptr_t) data;
	uint64_t until;
	MONOCLE__PAUSE (control_begins);
	while (work (mine, &until))
		wait_for_work (until);
	sem_post (&wake);
	return NULL;
}

static void
make_semaphore (void)
{
	sem_init (&wake, 0, 0);
}

bool
monocle__control_command_begin (const monocle__control_host *host, uint64_t start_after, uint64_t stop_after)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_t thread;
	uint64_t now = monocle__nanoseconds (CLOCK_MONOTONIC);
	pthread_once (&once, make_semaphore);
	pthread_mutex_lock (&working);
	the_host = host;
	/* What is later than can be told never comes. */
	if (__builtin_add_overflow (now, start_after, &start_at))
		start_at = UINT64_MAX;
	if (__builtin_add_overflow (start_at, stop_after, &stop_at))
		stop_at = UINT64_MAX;
	pthread_mutex_lock (&posting);
	state = IDLE;
	void *mine = (void *) (uintptr_t) ++session;
	pthread_mutex_unlock (&posting);
	pthread_mutex_unlock (&working);
	if (!monocle__background_start (&thread, run, mine, STACK))
		return false;
	pthread_detach (thread);
	return true;
}

void
monocle__control_command_end (void)
{
	struct timespec until;
	session++;
	MONOCLE__PAUSE (control_session_over);
	sem_post (&wake);
	clock_gettime (CLOCK_REALTIME, &until);
	until.tv_sec += 2;
	if (pthread_mutex_timedlock (&working, &until) == 0)
		pthread_mutex_unlock (&working);
}

void
monocle__control_command_hold (bool hold)
{
	static bool is_held;
	if (hold && !is_held && !is_unloading && !pthread_equal (worker, pthread_self ())) {
		is_wanted = true;
		is_held = pthread_mutex_lock (&working) == 0;
		is_wanted = false;
	} else if (!hold && is_held) {
		is_held = false;
		pthread_mutex_unlock (&working);
	}
}

unsigned
monocle__control_command_session (void)
{
	return session;
}

bool
monocle__control_command_post (unsigned of_session, const monocle__control_request *request)
{
	pthread_mutex_lock (&posting);
	bool is_free = session == of_session && state == IDLE;
	if (is_free) {
		snprintf (argument, sizeof argument, "%s", request->argument);
		asked = (monocle__control_request) { request->verb, argument };
		state = POSTED;
	}
	pthread_mutex_unlock (&posting);
	if (is_free)
		sem_post (&wake);
	return is_free;
}

size_t
monocle__control_command_take (unsigned of_session, char *ret_text)
{
	size_t length = 0;
	pthread_mutex_lock (&posting);
	if (session == of_session && state == DONE) {
		length = answer.length;
		memcpy (ret_text, answer.text, length);
		state = IDLE;
	}
	pthread_mutex_unlock (&posting);
	return length;
}
