/*
 * SPDX-License-Identifier: MIT
 *
 * begin.c - what is done once, before the first module is sought.
 *
 * Compiled into the core and into Mono's umbrella. A process that declines never comes here: it is not looked at.
 */
#include "begin.h"

#include <pthread.h>
#include <string.h>
#include <monocle/host.h>
#include "environment.h"
#include "log-level.h"
#include "wait.h"

/* clang-format off */
/* What decides about loading, for a person who wonders. Others are read where they are used. */
static const char *const variables[] = {
	"MONOCLE_PROFILE", "MONO_ENV_OPTIONS", "MONO_PROFILE", "MONOCLE_MODULE_PATH", "LD_LIBRARY_PATH",
	"MONOCLE_ENABLED", "MONOCLE_PROCESS", "MONOCLE_RUN_ALL", "MONOCLE_STRICT", "MONOCLE_CHECK", "MONOCLE_SAMPLER",
	"MONOCLE_CONTROL", "MONOCLE_WAIT", "MONOCLE_LOG", "MONOCLE_LOG_LEVEL", "MONOCLE_RUN_DIR", "MONOCLE_RUN_PID", "MONOCLE_EMBED_PID",
	"CORECLR_ENABLE_PROFILING", "CORECLR_PROFILER", "CORECLR_PROFILER_PATH", "CORECLR_NOTIFICATION_PROFILERS",
};
/* clang-format on */

/* clang-format off */
/* What is neither 0 nor 1 there, and what that counts as. (MONOCLE_ENABLED was asked before.) */
static const struct {
	const char *name;
	int taken_as;
} switches[] = {
	{ "MONOCLE_STRICT",  0 },
	{ "MONOCLE_CHECK",   1 },
	{ "MONOCLE_RUN_ALL", 0 },
};
/* clang-format on */

static void
check_switches (void)
{
	for (size_t i = 0; i < sizeof switches / sizeof *switches; i++) {
		const char *text = monocle__variable (switches[i].name);
		if (text && *text && strcmp (text, "0") && strcmp (text, "1"))
			monocle_log ("%s=%s is neither 0 nor 1; taken as %d", switches[i].name, text, switches[i].taken_as);
	}
}

static void
check_level (void)
{
	const char *text = monocle__variable ("MONOCLE_LOG_LEVEL");
	monocle__log_level level;
	if (text && !monocle__log_level_read (text, &level))
		monocle_log ("MONOCLE_LOG_LEVEL=%s is none of error, info, debug; taken as error", text);
}

static void
begin (void)
{
	check_level ();
	check_switches ();
	for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
		if (monocle__variable (variables[i]))
			MONOCLE__LOG_DEBUG ("the environment has %s=%s", variables[i], monocle__variable (variables[i]));
	monocle__wait_for_debugger ();
}

void
monocle__begin_loading (void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	pthread_once (&once, begin);
}
