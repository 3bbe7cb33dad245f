/*
 * SPDX-License-Identifier: MIT
 *
 * test_direct.c - what is in the cells through which IL calls the one module that listens: lib/clr's direct.c alone,
 * over a list of handles as the core shows it. The choice of the module is made once in a process, so each test is one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include "probes/direct.h"
#include "probes/raise.h"
#include "state.h"

monocle__clr monocle__clr_state;
static struct _MonoProfilerDesc first = { .prof = (MonoProfiler *) 0x11 }, second = { .prof = (MonoProfiler *) 0x22 };
static struct _MonoProfilerDesc *shown = &first;
static char told[200];

void
monocle__raise_many (struct _MonoProfilerDesc *h, monocle_event event, MonoMethod *method,
                     MonoProfilerCallContext *context)
{
	for (; h; h = h->next) {
		MonoProfilerMethodEnterCallback cb = (MonoProfilerMethodEnterCallback) monocle__raise_callback (h, event);
		if (cb)
			cb (h->prof, method, context);
	}
}

static void
tell (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	sprintf (told + strlen (told), "%x:%x ", (unsigned) (uintptr_t) prof, (unsigned) (uintptr_t) method);
}

static void
tell_otherwise (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	strcat (told, "otherwise ");
}

static void
set (struct _MonoProfilerDesc *handle, MonoProfilerMethodEnterCallback callback)
{
	handle->callbacks[MONOCLE_EVENT_method_enter] = (void *) callback;
	monocle__direct_changed (NULL, MONOCLE_EVENT_method_enter);
}

/* As the IL of a method that was compiled when the cell was chosen. */
static MonoProfiler *prof;
static void *const *cell;

static const char *
call (void)
{
	told[0] = '\0';
	((MonoProfilerMethodEnterCallback) *cell) (prof, (MonoMethod *) 0x33, NULL);
	return told;
}

static int
in_child (void (*body) (void))
{
	int status = -1;
	pid_t child = fork ();
	if (child == 0) {
		monocle__clr_state.handles = &shown;
		body ();
		_exit (0);
	}
	waitpid (child, &status, 0);
	return status;
}

/* Fails the child with the line's number. */
#define CHECK(condition) \
	do { \
		if (!(condition)) \
			_exit (__LINE__ & 0xFF); \
	} while (0)

static void
one_module (void)
{
	CHECK (!monocle__direct_cell (MONOCLE_EVENT_method_enter, &prof, &cell));
	set (&first, tell);
	CHECK (monocle__direct_cell (MONOCLE_EVENT_method_enter, &prof, &cell) && prof == first.prof);
	CHECK (*cell == (void *) tell && !strcmp (call (), "11:33 "));
	set (&first, tell_otherwise);
	CHECK (*cell == (void *) tell_otherwise);
	set (&first, NULL);
	CHECK (*cell != NULL && !strcmp (call (), ""));
	set (&first, tell);
	CHECK (!strcmp (call (), "11:33 "));
}

static void
the_one_module_is_called_without_a_probe (void **state)
{
	assert_int_equal (in_child (one_module), 0);
}

static void
a_second_module (void)
{
	set (&first, tell);
	CHECK (monocle__direct_cell (MONOCLE_EVENT_method_enter, &prof, &cell));
	second.next = &first;
	shown = &second;
	CHECK (*cell == (void *) tell);
	set (&second, tell);
	CHECK (*cell != (void *) tell && !strcmp (call (), "22:33 11:33 "));
	set (&first, NULL);
	CHECK (*cell != (void *) tell && !strcmp (call (), "22:33 "));
	set (&first, tell);
	set (&second, NULL);
	CHECK (*cell == (void *) tell && !strcmp (call (), "11:33 "));
}

static void
another_module_goes_through_all_handles_and_gets_its_own_prof (void **state)
{
	assert_int_equal (in_child (a_second_module), 0);
}

static void
several_modules (void)
{
	second.next = &first;
	shown = &second;
	set (&first, tell);
	set (&second, tell);
	CHECK (!monocle__direct_cell (MONOCLE_EVENT_method_enter, &prof, &cell));
	set (&second, NULL);
	CHECK (!monocle__direct_cell (MONOCLE_EVENT_method_enter, &prof, &cell));
}

static void
where_several_listen_from_the_beginning_there_is_no_cell (void **state)
{
	assert_int_equal (in_child (several_modules), 0);
}

static void
the_end (void)
{
	set (&first, tell);
	CHECK (monocle__direct_cell (MONOCLE_EVENT_method_enter, &prof, &cell));
	shown = NULL;
	set (&first, NULL);
	CHECK (*cell && !strcmp (call (), ""));
}

static void
nothing_is_called_after_the_end (void **state)
{
	assert_int_equal (in_child (the_end), 0);
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (the_one_module_is_called_without_a_probe),
		cmocka_unit_test (another_module_goes_through_all_handles_and_gets_its_own_prof),
		cmocka_unit_test (where_several_listen_from_the_beginning_there_is_no_cell),
		cmocka_unit_test (nothing_is_called_after_the_end),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
