/*
 * SPDX-License-Identifier: MIT
 *
 * test_exceptions_module.c - the module `exceptions` on a host with a script: what is thrown at which stack, and what
 * the text says of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <limits.h>
#include <stdlib.h>
#include <pthread.h>
#include <monocle/host.h>
#include "../core/child.h"

enum { METHODS = 20000, CLASSES = 6000, CLASS = 0x02000000, METHOD = 0x06000000 };

static char path[] = "/tmp/monocle-exceptions-XXXXXX";
static char *text; /* what the module wrote */
static MonoImage *image;

/* --- the host: objects begin with their class, stacks are lists of methods ---------------------------------------- */

static _Thread_local const uint32_t *stack;
static _Thread_local uint32_t stack_depth;
static bool has_wrapper;

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret)
{
	static _Thread_local char name[32];
	snprintf (name, sizeof name, "Oops%u", monocle_class_token (klass) - CLASS);
	ret->name = name;
	ret->name_space = "App";
	ret->element_type = MONO_TYPE_CLASS;
	return 0;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret)
{
	static _Thread_local char name[32];
	snprintf (name, sizeof name, "M%u", monocle_method_token (method) - METHOD);
	ret->name = name;
	ret->klass = monocle_class_def (image, CLASS + 1);
	return 0;
}

static int
describe_signature (void *host, MonoMethod *method, monocle_signature_info *ret)
{
	ret->ret = monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	return 0;
}

static MonoClass *
object_class (void *host, MonoObject *object)
{
	return *(MonoClass **) object;
}

static int
walk_stack (void *host, const void *context, uint32_t flags, monocle_frame_visitor visit, void *data)
{
	monocle_frame wrapper = { .method = monocle_method_def (image, METHOD + 1), .kind = MONOCLE_FRAME_STUB };
	if (has_wrapper && visit (&wrapper, data))
		return 1;
	for (uint32_t i = 0; i < stack_depth; i++) {
		monocle_frame frame = { .method = monocle_method_def (image, METHOD + stack[i]) };
		if (visit (&frame, data))
			return 1;
	}
	return 0;
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
		.walk_stack = walk_stack,
	};
	char desc[300];
	int fd = mkstemp (path);
	CHECK (fd >= 0);
	close (fd);
	snprintf (desc, sizeof desc, "exceptions:%s,output=%s", options, path);
	setenv ("MONOCLE_MODULE_PATH", MODULE_FOLDER, 1);
	CHECK (monocle_host_init (&ops) == MONOCLE_OK);
	CHECK (monocle_host_load (desc) == MONOCLE_OK);
	image = monocle_image_new ("/bin/app.exe", 0, CLASSES, METHODS, NULL);
	monocle_host_startup_done ();
}

static void
finish (void)
{
	monocle_raise_runtime_shutdown_begin ();
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
	FILE *file = fopen (path, "r");
	text = calloc (1, 1 << 24);
	CHECK (file && text);
	text[fread (text, 1, (1 << 24) - 1, file)] = 0;
	fclose (file);
	unlink (path);
}

static void
throw_at (uint32_t class_number, const uint32_t *methods, uint32_t depth)
{
	MonoClass *object[4] = { monocle_class_def (image, CLASS + class_number) };
	stack = methods;
	stack_depth = depth;
	monocle_raise_exception_throw ((MonoObject *) object);
}

/* --- tests, each in a process of its own -------------------------------------------------------------------------- */

static const uint32_t short_stack[] = { 2, 3 }, other_stack[] = { 4, 3 };

static void
throws_are_counted_by_type_and_stack (void)
{
	start ("text");
	has_wrapper = true;
	for (int i = 0; i < 3; i++)
		throw_at (1, short_stack, 2);
	throw_at (1, other_stack, 2);
	throw_at (2, short_stack, 2);
	finish ();
	CHECK (strstr (text, "# 5 thrown, 0 rethrown; 2 types, 3 stacks\n"));
	char *first = strstr (text, "       4 App.Oops1\n"
	                            "           3 \n"
	                            "                App.Oops1:M2 ()\n"
	                            "                App.Oops1:M3 ()\n"
	                            "           1 \n"
	                            "                App.Oops1:M4 ()\n"
	                            "                App.Oops1:M3 ()\n");
	char *second = strstr (text, "       1 App.Oops2\n"
	                             "           1 \n"
	                             "                App.Oops1:M2 ()\n");
	CHECK (first && second && first < second);
}

static void
deep_stacks_are_cut_and_say_so (void)
{
	uint32_t deep[30];
	for (uint32_t i = 0; i < 30; i++)
		deep[i] = i + 2;
	start ("text,depth=5");
	throw_at (1, deep, 5);
	throw_at (1, deep, 30);
	throw_at (1, deep, 0);
	finish ();
	CHECK (strstr (text, "# 3 thrown, 0 rethrown; 1 types, 3 stacks\n"));
	char *cut = strstr (text, "M6 ()\n                [truncated]\n");
	CHECK (cut && !strstr (cut + 40, "[truncated]") && !strstr (text, "M7 ()"));
	CHECK (strstr (text, "           1 \n                [native]\n"));
}

static void
a_filter_chooses_types (void)
{
	start ("text,filter=App.Oops1+*2");
	throw_at (1, short_stack, 2);
	throw_at (2, short_stack, 2);
	throw_at (3, short_stack, 2);
	finish ();
	CHECK (strstr (text, "# 2 thrown, 0 rethrown; 2 types, 2 stacks\n"));
	CHECK (!strstr (text, "Oops3"));
}

static void
stacks_and_types_without_room_are_counted (void)
{
	start ("text,depth=1");
	for (uint32_t i = 1; i <= METHODS; i++)
		throw_at (1, &i, 1);
	for (uint32_t i = 2; i <= CLASSES; i++)
		throw_at (i, short_stack, 1);
	finish ();
	char *line = strstr (text, "thrown, 0 rethrown; ");
	unsigned long thrown = strtoul (strchr (text, '\n') + 3, NULL, 10), homeless;
	CHECK (line && thrown == METHODS + CLASSES - 1);
	CHECK (strstr (line, " stacks\n# ") && sscanf (strstr (line, " stacks\n# ") + 10, "%lu", &homeless) == 1);
	CHECK (homeless == METHODS + CLASSES - 1 - 16384);
	CHECK (strstr (text, " [other types]\n"));
}

static void *
throw_much (void *data)
{
	for (int i = 0; i < 5000; i++)
		throw_at (1 + (uint32_t) (uintptr_t) data, short_stack, 2);
	return NULL;
}

static void
threads_throw_at_once (void)
{
	pthread_t threads[4];
	start ("text");
	for (uintptr_t i = 0; i < 4; i++)
		CHECK (pthread_create (&threads[i], NULL, throw_much, (void *) (i / 2)) == 0);
	for (int i = 0; i < 4; i++)
		pthread_join (threads[i], NULL);
	finish ();
	CHECK (strstr (text, "# 20000 thrown, 0 rethrown; 2 types, 2 stacks\n"));
	CHECK (strstr (text, "   10000 App.Oops1\n") && strstr (text, "   10000 App.Oops2\n"));
}

static void
the_log_has_each_throw_before_its_way (void)
{
	MonoClass *object[4];
	start ("log");
	object[0] = monocle_class_def (image, CLASS + 1);
	throw_at (1, short_stack, 2);
	monocle_raise_exception_phase (MONOCLE_EXCEPTION_SEARCH_ENTER, monocle_method_def (image, METHOD + 2), NULL);
	monocle_raise_exception_phase (MONOCLE_EXCEPTION_SEARCH_LEAVE, NULL, NULL);
	monocle_raise_exception_phase (MONOCLE_EXCEPTION_CATCHER_ENTER, monocle_method_def (image, METHOD + 3),
	                               (MonoObject *) object);
	finish ();
	char *thrown = strstr (text, " throw App.Oops1\n"), *search = strstr (text, "   search App.Oops1:M2 ()\n");
	char *caught = strstr (text, "   catch App.Oops1:M3 ()\n");
	CHECK (thrown && search && caught && thrown < search && search < caught);
	CHECK (strstr (text, "# time thread what\n") && !strstr (text, "types,"));
}

/* A thread is told from others by its number then, and what it throws is indented by its own throws alone. */
static void *
throw_and_nest (void *data)
{
	throw_at (1, short_stack, 2);
	monocle_raise_exception_phase (MONOCLE_EXCEPTION_SEARCH_ENTER, monocle_method_def (image, METHOD + 2), NULL);
	return data;
}

static void
the_log_follows_threads_without_a_key (void)
{
	pthread_t thread;
	pthread_key_t key;
	while (pthread_key_create (&key, NULL) == 0)
		;
	pthread_key_delete (PTHREAD_KEYS_MAX - 1); /* the text's own */
	start ("log");
	throw_and_nest (NULL);
	CHECK (pthread_create (&thread, NULL, throw_and_nest, NULL) == 0);
	pthread_join (thread, NULL);
	throw_and_nest (NULL);
	finish ();
	char *first = strstr (text, " throw App.Oops1\n"),
	     *second = first ? strstr (first + 1, " throw App.Oops1\n") : NULL;
	CHECK (first && second && strstr (second + 1, " throw App.Oops1\n"));
	CHECK (strncmp (first - 7, second - 7, 7) != 0); /* two numbers */
	CHECK (!strstr (text, "  throw") && strstr (text, "   search App.Oops1:M2 ()\n"));
}

#define TESTS(T) \
	T (throws_are_counted_by_type_and_stack) \
	T (deep_stacks_are_cut_and_say_so) \
	T (a_filter_chooses_types) \
	T (stacks_and_types_without_room_are_counted) \
	T (threads_throw_at_once) \
	T (the_log_has_each_throw_before_its_way) \
	T (the_log_follows_threads_without_a_key)

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
