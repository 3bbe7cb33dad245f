/*
 * SPDX-License-Identifier: MIT
 *
 * module-ask.c - see module-ask.h.
 *
 * The kit's modules read their arguments in order, complain of the first wrong one and come back; at `help` they print
 * all of them and end the process. So with a `help` put behind the arguments the way in which the process ends is the
 * answer, and the complaint is the one that the profiled program would have seen. Nothing is profiled meanwhile: there
 * is no runtime in the process, only libmonocle, from which the module has its functions.
 */
#include "module-ask.h"

#include "command/command.h"
#include "log-place.h"
#include "path.h"
#include "trust.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CAME_BACK = 2, COULD_NOT = 3 };

/* Is there a quote that is not closed? That is wrong by itself, and `help` would be taken for a part of the value. */
static bool
is_open (const char *desc)
{
	char quote = '\0';
	for (; *desc; desc++) {
		if (*desc == '\\' && desc[1])
			desc++;
		else if (quote ? *desc == quote : *desc == '\'' || *desc == '"')
			quote = quote ? '\0' : *desc;
	}
	return quote != '\0';
}

/* What Mono's own modules need, where it is installed or built. That it is missing is told elsewhere. */
static void
open_internals (const char *core)
{
	static const char *const places[] = { "internals", "monocle/internals", "../internals" };
	for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
		char *path = monocle__format ("%.*s%s/libmonocle-internals.so", (int) (monocle__path_base_name (core) - core),
		                              core, places[i]);
		dlopen (path, RTLD_NOW | RTLD_GLOBAL);
		free (path);
	}
}

/* In the child. A path's symbols are bound at once: one that is missing ends nothing but this. */
static void
ask (const char *core, const char *path, const char *desc)
{
	char *symbol = monocle__format ("mono_profiler_init_%.*s", (int) strcspn (desc, ":"), desc);
	char *with_help = monocle__format ("%s%s", desc, is_open (desc) ? "" : strchr (desc, ':') ? ",help" : ":help");
	void (*init) (const char *desc) = NULL;
	void *module = dlopen (core, RTLD_NOW | RTLD_GLOBAL) ? dlopen (path, RTLD_NOW) : NULL;
	if (!module) {
		open_internals (core);
		module = dlopen (path, RTLD_NOW);
	}
	if (module)
		*(void **) &init = dlsym (module, symbol);
	if (!init)
		_exit (COULD_NOT);
	init (with_help);
	_exit (CAME_BACK);
}

static monocle__ask_answer
wait_for (pid_t child)
{
	int status = 0;
	while (waitpid (child, &status, 0) < 0) {
		if (errno != EINTR)
			return MONOCLE__ASK_UNKNOWN;
	}
	if (!WIFEXITED (status))
		return MONOCLE__ASK_UNKNOWN;
	return WEXITSTATUS (status) == 0         ? MONOCLE__ASK_RIGHT
	     : WEXITSTATUS (status) == CAME_BACK ? MONOCLE__ASK_WRONG
	                                         : MONOCLE__ASK_UNKNOWN;
}

/* The variables that would have the module write into the folder of a run that this one is in. It answers on stderr. */
static void
forget_the_run (void)
{
	unsetenv ("MONOCLE_RUN_DIR");
	setenv ("MONOCLE_LOG", MONOCLE__LOG_PLACE_STDERR, 1);
}

/* -1 for `out`: nowhere; for `error`: where this process's goes. */
static monocle__ask_answer
ask_into (const monocle__layout *layout, const char *path, const char *desc, int out, int error)
{
	size_t length = strlen (desc);
	struct stat status;
	pid_t child;
	/* Behind a backslash the comma before `help` would be a part of the last value; a pipe would be waited for. */
	if (!layout->core || (length > 0 && desc[length - 1] == '\\') || stat (path, &status) != 0 ||
	    !S_ISREG (status.st_mode))
		return MONOCLE__ASK_UNKNOWN;
	fflush (NULL);
	child = fork ();
	if (child == 0) {
		if (out < 0)
			out = open ("/dev/null", O_WRONLY | O_CLOEXEC);
		if (out >= 0)
			dup2 (out, STDOUT_FILENO);
		if (error >= 0)
			dup2 (error, STDERR_FILENO);
		forget_the_run ();
		ask (layout->core, path, desc);
	}
	return child < 0 ? MONOCLE__ASK_UNKNOWN : wait_for (child);
}

monocle__ask_answer
monocle__module_ask (const monocle__layout *layout, const char *path, const char *desc, int out)
{
	return ask_into (layout, path, desc, out, -1);
}

char *
monocle__module_ask_unknown (const monocle__layout *layout, const char *path, const char *desc)
{
	static const char words[] = "Could not parse argument";
	char reason[2 * PATH_MAX], line[1024], *unknown = NULL;
	FILE *said = monocle__trust_path (path, reason, sizeof reason) == 0 ? tmpfile () : NULL;
	if (!said)
		return NULL;
	ask_into (layout, path, desc, -1, fileno (said));
	rewind (said);
	while (!unknown && fgets (line, sizeof line, said)) {
		const char *argument = line + strlen (words);
		if (strncmp (line, words, strlen (words)) != 0)
			continue;
		argument += strspn (argument, ": '");
		unknown = monocle__format ("%.*s", (int) strcspn (argument, "'\n"), argument);
	}
	fclose (said);
	return unknown;
}

static bool
is_in_folder (const char *folders, const char *path)
{
	size_t end = (size_t) (strrchr (path, '/') - path);
	for (; *folders; folders += *folders == ':') {
		size_t length = strcspn (folders, ":");
		if (length == end && memcmp (folders, path, length) == 0)
			return true;
		folders += length;
	}
	return false;
}

bool
monocle__module_ask_is_ours (const monocle__layout *layout, const char *path)
{
	char reason[2 * PATH_MAX];
	return is_in_folder (layout->module_path, path) && monocle__trust_path (path, reason, sizeof reason) == 0;
}
