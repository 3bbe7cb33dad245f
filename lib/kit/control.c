/*
 * SPDX-License-Identifier: MIT
 *
 * control.c - what the modules of this process can do with themselves, and having them do it.
 *
 * Modules are registered while they are loaded, and stay unless their library is closed. One command runs at a time,
 * under the lock; a module's code runs under it, and has no reason to call back in here.
 */
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <monocle/kit.h>

enum { MODULES_MOST = 32 };

struct module {
	monocle_kit_control control;
	bool is_stopped;
};

struct talk {
	void (*say) (void *data, const char *line);
	void *data;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct module modules[MODULES_MOST];
static unsigned module_count;

/* Under the lock. The others keep their order. */
static void
forget (const char *name)
{
	unsigned kept = 0;
	for (unsigned i = 0; i < module_count; i++)
		if (strcmp (modules[i].control.module, name))
			modules[kept++] = modules[i];
	module_count = kept;
}

void
monocle_kit_control_forget (const char *module)
{
	pthread_mutex_lock (&lock);
	forget (module);
	pthread_mutex_unlock (&lock);
}

void
monocle_kit_control_register (const monocle_kit_control *control)
{
	pthread_mutex_lock (&lock);
	forget (control->module);
	if (module_count < MODULES_MOST) {
		/* An older module's struct is shorter; what it does not know is NULL. */
		struct module *module = &modules[module_count++];
		memset (module, 0, sizeof *module);
		memcpy (&module->control, control,
		        control->size < sizeof module->control ? control->size : sizeof module->control);
	}
	pthread_mutex_unlock (&lock);
}

/* --- the verbs: 1 it is done, 0 the module cannot, -1 it failed --------------------------------------------------- */

static int
report (struct module *module, const struct talk *talk)
{
	char line[160];
	snprintf (line, sizeof line, "module %.128s %s", module->control.module,
	          module->is_stopped ? "stopped" : "running");
	talk->say (talk->data, line);
	return 1;
}

static int
start (struct module *module, const struct talk *talk)
{
	if (!module->control.start)
		return 0;
	if (module->is_stopped && !module->control.start (module->control.data))
		return -1;
	module->is_stopped = false;
	return report (module, talk);
}

static int
stop (struct module *module, const struct talk *talk)
{
	if (!module->control.stop)
		return 0;
	if (!module->is_stopped && !module->control.stop (module->control.data))
		return -1;
	module->is_stopped = true;
	return report (module, talk);
}

static int
reset (struct module *module, const struct talk *talk)
{
	if (!module->control.reset)
		return 0;
	return module->control.reset (module->control.data) ? report (module, talk) : -1;
}

static int
snapshot (struct module *module, const struct talk *talk)
{
	char path[PATH_MAX], line[PATH_MAX + 160];
	if (!module->control.snapshot)
		return 0;
	if (!module->control.snapshot (module->control.data, path, sizeof path))
		return -1;
	snprintf (line, sizeof line, "file %.128s %s", module->control.module, path);
	talk->say (talk->data, line);
	return 1;
}

/* clang-format off */
static const struct {
	const char *word;
	int (*run) (struct module *module, const struct talk *talk);
} verbs[] = {
	{ "status",   report },
	{ "start",    start },
	{ "stop",     stop },
	{ "reset",    reset },
	{ "snapshot", snapshot },
};
/* clang-format on */

/* --- all of them -------------------------------------------------------------------------------------------------- */

static int
do_each (int (*run) (struct module *module, const struct talk *talk), const char *name, const struct talk *talk)
{
	int done = 0;
	bool is_failed = false;
	for (unsigned i = 0; i < module_count; i++) {
		if (*name && strcmp (name, modules[i].control.module))
			continue;
		int result = run (&modules[i], talk);
		done += result > 0;
		is_failed |= result < 0;
	}
	return is_failed ? -1 : done;
}

int
monocle_kit_control_do (const char *verb, const char *module, void (*say) (void *data, const char *line), void *data)
{
	const struct talk talk = { say, data };
	int result = 0;
	pthread_mutex_lock (&lock);
	for (size_t i = 0; i < sizeof verbs / sizeof *verbs; i++)
		if (!strcmp (verbs[i].word, verb))
			result = do_each (verbs[i].run, module, &talk);
	pthread_mutex_unlock (&lock);
	return result;
}
