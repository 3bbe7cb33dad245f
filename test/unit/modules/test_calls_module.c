/*
 * SPDX-License-Identifier: MIT
 *
 * test_calls_module.c - the module `calls` on a host with a script: which methods it wants, and what its profile holds.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <pthread.h>
#include <mono/metadata/profiler.h>
#include <monocle/host.h>
#include "../core/child.h"

enum { METHODS = 16, CLASSES = 16, CLASS = 0x02000000, METHOD = 0x06000000 };

static char path[] = "/tmp/monocle-calls-XXXXXX";
static char profile[4096];
static char raw[8192]; /* the profile as it is: its comments are in there */
static MonoImage *image;

/* --- the host ----------------------------------------------------------------------------------------------------- */

/* A method's number is its place here. */
static const struct {
	const char *name_space, *type, *method;
	uint32_t klass;
} methods[] = {
	[1] = { "App", "Program", "Main", 1 },          [2] = { "App", "Program", "GetItem", 1 },
	[3] = { "App.Data", "ItemService", "Load", 2 }, [4] = { "App.Data", "ItemService", "GetAll", 2 },
	[5] = { "App.Data", "Logger", "Write", 3 },
};

static MonoMethod *
method (uint32_t number)
{
	return monocle_method_def (image, METHOD + number);
}

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	for (size_t i = 1; i < sizeof methods / sizeof *methods; i++)
		if (methods[i].klass == monocle_class_token (klass) - CLASS) {
			ret->name = methods[i].type;
			ret->name_space = methods[i].name_space;
			ret->element_type = MONO_TYPE_CLASS;
			return 0;
		}
	return MONOCLE_E_UNKNOWN;
}

static int
describe_method (void *host, MonoMethod *one, monocle_method_info *ret)
{
	uint32_t number = monocle_method_token (one) - METHOD;
	ret->name = methods[number].method;
	ret->klass = monocle_class_def (image, CLASS + methods[number].klass);
	return 0;
}

static int
describe_signature (void *host, MonoMethod *one, monocle_signature_info *ret)
{
	ret->ret = monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	return 0;
}

static MonoClass *
object_class (void *host, MonoObject *object)
{
	return *(MonoClass **) object;
}

static void
start (const char *options)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "script",
		.runtime_version = "script 1",
		.describe_class = describe_class,
		.describe_method = describe_method,
		.describe_signature = describe_signature,
		.object_class = object_class,
	};
	char desc[300];
	int fd = mkstemp (path);
	CHECK (fd >= 0);
	close (fd);
	snprintf (desc, sizeof desc, "calls:time=none,output=%s,%s", path, options);
	setenv ("MONOCLE_MODULE_PATH", MODULE_FOLDER, 1);
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	CHECK (monocle_host_load (desc) == MONOCLE_OK);
	image = monocle_image_new ("/bin/app.exe", 0, CLASSES, METHODS, NULL);
	monocle_host_startup_done ();
}

static size_t
read_command (const char *words, char *text, size_t size)
{
	char command[200];
	snprintf (command, sizeof command, "%s %s", words, path);
	FILE *pipe = popen (command, "r");
	CHECK (pipe);
	size_t length = fread (text, 1, size - 1, pipe);
	text[length] = '\0';
	CHECK (pclose (pipe) == 0);
	return length;
}

static void
finish (void)
{
	monocle_raise_runtime_shutdown_begin ();
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
	read_command (MONOCLE " convert --to=collapsed --names=mono --all-frames --value=calls -o -", profile,
	              sizeof profile);
	size_t length = read_command ("gzip -dc <", raw, sizeof raw);
	for (size_t i = 0; i < length; i++)
		if (!raw[i])
			raw[i] = ' ';
	unlink (path);
}

/* Does the profile say so of itself? `*` stands for digits and points. */
static bool
says (const char *comment)
{
	for (const char *at = raw; *at; at++) {
		const char *word = comment, *here = at;
		for (; *word && *here; word++)
			if (*word == '*')
				here += strspn (here, "0123456789.");
			else if (*here++ != *word)
				break;
		if (!*word)
			return true;
	}
	return false;
}

/* --- tests, each in a process of its own -------------------------------------------------------------------------- */

/* The numbers of the methods that the module wants. */
static const char *
wanted (void)
{
	static char numbers[METHODS + 1];
	char *out = numbers;
	for (uint32_t i = 1; i < sizeof methods / sizeof *methods; i++)
		if (monocle_call_flags (method (i)))
			*out++ = (char) ('0' + i);
	*out = '\0';
	unlink (path);
	return numbers;
}

static void
globs_choose_methods (void)
{
	start ("callspec='T:*Service,M:*:GetI*'");
	CHECK_STRING (wanted (), "234");
}

static void
a_glob_chooses_namespaces (void)
{
	start ("callspec=N:App.*");
	CHECK_STRING (wanted (), "345");
}

static void
several_callspecs_are_one_list (void)
{
	start ("callspec=app,callspec=-T:Logger,callspec='-M:*:Get*'");
	CHECK_STRING (wanted (), "13");
}

static void
include_and_exclude_take_effect_in_their_order (void)
{
	start ("include='T:App.*',exclude='M:*:Get*,T:Logger',include=M:Program:Get*");
	CHECK_STRING (wanted (), "123");
}

static void
what_is_excluded_alone_is_missing_from_the_program (void)
{
	start ("exclude=N:App.Data");
	CHECK_STRING (wanted (), "12");
}

static void
a_method_that_nobody_has_is_guessed (void)
{
	static char guess[] = "counted: nothing: no method matches callspec=M:ItemService:Laod; did you mean "
	                      "M:ItemService:Load?";
	start ("callspec=M:ItemService:Laod");
	for (uint32_t i = 1; i < sizeof methods / sizeof *methods; i++)
		CHECK (!monocle_call_flags (method (i)));
	finish ();
	CHECK (says (guess));
}

static void
what_is_there_and_was_not_called_is_no_guess (void)
{
	start ("callspec=M:ItemService:Load");
	for (uint32_t i = 1; i < sizeof methods / sizeof *methods; i++)
		monocle_call_flags (method (i));
	finish ();
	CHECK (!says ("did you mean"));
}

static void
chosen_calls_are_counted (void)
{
	start ("include=T:Program");
	monocle_raise_method_enter (method (1), NULL);
	for (int i = 0; i < 3; i++) {
		monocle_raise_method_enter (method (2), NULL);
		monocle_raise_method_leave (method (2), NULL);
	}
	monocle_raise_method_leave (method (1), NULL);
	finish ();
	CHECK_STRING (profile, "App.Program:Main () 1\nApp.Program:Main ();App.Program:GetItem () 3\n");
}

/* --- triggers ----------------------------------------------------------------------------------------------------- */

/* Calls those methods, each from the one before it; a method of 0 ends them. */
static void
call (const uint32_t *numbers)
{
	if (!*numbers)
		return;
	monocle_raise_method_enter (method (*numbers), NULL);
	call (numbers + 1);
	monocle_raise_method_leave (method (*numbers), NULL);
}

static void
counting_lasts_as_long_as_the_call_of_the_trigger (void)
{
	start ("trigger=M:ItemService:L*");
	call ((uint32_t[]) { 1, 2, 0 });
	call ((uint32_t[]) { 1, 3, 2, 3, 5, 0 });
	call ((uint32_t[]) { 3, 2, 0 });
	finish ();
	CHECK_STRING (profile, "App.Data.ItemService:Load () 1\n"
	                       "App.Data.ItemService:Load ();App.Program:GetItem () 1\n"
	                       "App.Data.ItemService:Load ();App.Program:GetItem ();App.Data.ItemService:Load () 1\n"
	                       "App.Data.ItemService:Load ();App.Program:GetItem ();App.Data.ItemService:Load ();"
	                       "App.Data.Logger:Write () 1\n");
	CHECK (says ("counted: from the first call of App.Data.ItemService:Load () at * s to its end at * s"));
	CHECK (!says ("lost: "));
}

static void
a_trigger_that_throws_ends_too (void)
{
	start ("trigger=M:ItemService:Load,include=T:Program");
	monocle_raise_method_enter (method (3), NULL);
	monocle_raise_method_exception_leave (method (3), NULL);
	call ((uint32_t[]) { 1, 0 });
	finish ();
	CHECK_STRING (profile, "App.Data.ItemService:Load () 1\n");
}

static void *
call_elsewhere (void *data)
{
	call (data);
	return NULL;
}

static void
a_trigger_counts_all_threads_and_ends_on_its_own (void)
{
	static uint32_t elsewhere[] = { 3, 5, 0 };
	pthread_t thread;
	start ("trigger=M:ItemService:Load");
	monocle_raise_method_enter (method (3), NULL);
	CHECK (pthread_create (&thread, NULL, call_elsewhere, elsewhere) == 0);
	pthread_join (thread, NULL);
	call ((uint32_t[]) { 2, 0 });
	monocle_raise_method_leave (method (3), NULL);
	call ((uint32_t[]) { 2, 0 });
	finish ();
	CHECK_STRING (profile, "App.Data.ItemService:Load () 2\n"
	                       "App.Data.ItemService:Load ();App.Data.Logger:Write () 1\n"
	                       "App.Data.ItemService:Load ();App.Program:GetItem () 1\n");
}

static void
throw_it (uint32_t class_number)
{
	MonoClass *object[4] = { monocle_class_def (image, CLASS + class_number) };
	monocle_raise_exception_throw ((MonoObject *) object);
}

static void
an_exception_begins_what_lasts_to_the_end (void)
{
	start ("trigger=exception:App.*Log*");
	monocle_raise_method_enter (method (1), NULL);
	throw_it (2);
	call ((uint32_t[]) { 2, 0 });
	throw_it (3);
	call ((uint32_t[]) { 2, 5, 0 });
	monocle_raise_method_leave (method (1), NULL);
	finish ();
	CHECK_STRING (profile, "App.Program:GetItem () 1\nApp.Program:GetItem ();App.Data.Logger:Write () 1\n");
	CHECK (says ("counted: from the throw of App.Data.Logger at * s to the end of the program"));
	CHECK (!says ("lost: "));
}

static void
a_trigger_that_never_happens_is_told (void)
{
	start ("trigger=M:Logger:Write");
	call ((uint32_t[]) { 1, 2, 0 });
	finish ();
	CHECK_STRING (profile, "");
	CHECK (says ("counted: nothing: the trigger M:Logger:Write never happened"));
}

#define TESTS(T) \
	T (globs_choose_methods) \
	T (a_glob_chooses_namespaces) \
	T (several_callspecs_are_one_list) \
	T (a_method_that_nobody_has_is_guessed) \
	T (what_is_there_and_was_not_called_is_no_guess) \
	T (include_and_exclude_take_effect_in_their_order) \
	T (what_is_excluded_alone_is_missing_from_the_program) \
	T (chosen_calls_are_counted) \
	T (counting_lasts_as_long_as_the_call_of_the_trigger) \
	T (a_trigger_that_throws_ends_too) \
	T (a_trigger_counts_all_threads_and_ends_on_its_own) \
	T (an_exception_begins_what_lasts_to_the_end) \
	T (a_trigger_that_never_happens_is_told)

#define IN_A_CHILD(name) \
	static void name##_test (void **state) \
	{ \
		child_passes (name); \
	}
TESTS (IN_A_CHILD)

int
main (void)
{
#define ROW(name) cmocka_unit_test (name##_test),
	static const struct CMUnitTest tests[] = { TESTS (ROW) };
	return cmocka_run_group_tests (tests, NULL, NULL);
}
