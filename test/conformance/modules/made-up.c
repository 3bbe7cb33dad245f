/*
 * SPDX-License-Identifier: MIT
 *
 * made-up.c - a host that makes up what it tells: what a module makes of it can be held against the numbers here.
 *
 *   made-up DESC
 *
 * Loads one module by mono_profiler_load () and raises what figures[] says, which it prints as "NAME COUNT" lines.
 */
#include <pthread.h>
#include <stdio.h>
#include <monocle/host.h>

enum { OUTER = 0x06000001, INNER, THROWER, METHODS = 3, CLASS_TOKEN = 0x02000001, SIZE = 40 };
enum { OUTER_CALLS = 1000, INNER_CALLS = 4, THROWS = 10, OBJECTS = 700, COLLECTIONS = 3, CONTENTIONS = 6 };

static const char *const names[METHODS] = { "Outer", "Inner", "Thrower" };
static const struct {
	const char *name;
	int count;
} figures[] = { { "Made.Up:Outer ()", OUTER_CALLS },
	            { "Made.Up:Inner ()", OUTER_CALLS *INNER_CALLS - 2 * THROWS },
	            { "Made.Up:Thrower ()", 2 * THROWS },
	            { "Throws", THROWS },
	            { "Executed catch clauses", THROWS },
	            { "Executed finally clauses", 2 * THROWS },
	            { "Made.Up", OBJECTS },
	            { "bytes", OBJECTS *SIZE },
	            { "collections", COLLECTIONS },
	            { "Lock contentions", CONTENTIONS },
	            { "Lock acquired", CONTENTIONS - 1 },
	            { "Lock failures", 1 } };

static struct {
	MonoClass *klass;
	char rest[SIZE - sizeof (MonoClass *)];
} objects[OBJECTS];
static MonoMethod *methods[METHODS];
static MonoClass *up;

/* --- what the core asks ------------------------------------------------------------------------------------------- */

static int
describe_class (void *host, MonoClass *klass, monocle_class_info *ret_info)
{
	ret_info->name = "Up";
	ret_info->name_space = "Made";
	ret_info->element_type = MONO_TYPE_CLASS;
	return MONOCLE_OK;
}

static int
describe_method (void *host, MonoMethod *method, monocle_method_info *ret_info)
{
	ret_info->name = names[monocle_method_token (method) - OUTER];
	ret_info->flags = 0x0016; /* public static, as in ECMA-335 II.23.1.10 */
	ret_info->klass = up;
	return MONOCLE_OK;
}

static int
describe_signature (void *host, MonoMethod *method, monocle_signature_info *ret_info)
{
	ret_info->ret = monocle_type (monocle_class_primitive (MONO_TYPE_VOID));
	return MONOCLE_OK;
}

static MonoClass *
object_class (void *host, MonoObject *object)
{
	return *(MonoClass **) object;
}

static uint64_t
object_size (void *host, MonoObject *object)
{
	return SIZE;
}

static int
enable (void *host, monocle_feature feature)
{
	return 1;
}

/* --- what is made up ---------------------------------------------------------------------------------------------- */

static MonoObject *
object (int number)
{
	return (MonoObject *) &objects[number % OBJECTS];
}

/* Thrower calls Thrower, which throws; the outer one's caller catches. */
static void throw (int number)
{
	monocle_raise_method_enter (methods[2], NULL);
	monocle_raise_method_enter (methods[2], NULL);
	monocle_raise_exception_throw (object (number));
	for (int i = 0; i < 2; i++) {
		monocle_raise_exception_clause (methods[2], 0, MONO_EXCEPTION_CLAUSE_FINALLY, object (number));
		monocle_raise_method_exception_leave (methods[2], object (number));
	}
	monocle_raise_exception_clause (methods[0], 0, MONO_EXCEPTION_CLAUSE_NONE, object (number));
}

static void
call (int number)
{
	int throws = number < THROWS, plain = INNER_CALLS - (throws ? 2 : 0);
	monocle_raise_method_enter (methods[0], NULL);
	for (int i = 0; i < plain; i++) {
		monocle_raise_method_enter (methods[1], NULL);
		monocle_raise_method_leave (methods[1], NULL);
	}
	if (throws)
		throw (number);
	monocle_raise_method_leave (methods[0], NULL);
}

static void
collect (void)
{
	static const MonoProfilerGCEvent order[] = { MONO_GC_EVENT_PRE_STOP_WORLD,
		                                         MONO_GC_EVENT_PRE_STOP_WORLD_LOCKED,
		                                         MONO_GC_EVENT_POST_STOP_WORLD,
		                                         MONO_GC_EVENT_START,
		                                         MONO_GC_EVENT_END,
		                                         MONO_GC_EVENT_PRE_START_WORLD,
		                                         MONO_GC_EVENT_POST_START_WORLD,
		                                         MONO_GC_EVENT_POST_START_WORLD_UNLOCKED };
	for (size_t i = 0; i < sizeof order / sizeof *order; i++)
		monocle_raise_gc_event (order[i], 1, 1);
}

static void
make_up_all (void)
{
	for (int i = 0; i < OBJECTS; i++) {
		objects[i].klass = up;
		monocle_raise_gc_allocation (object (i));
	}
	for (int i = 0; i < OUTER_CALLS; i++)
		call (i);
	for (int i = 0; i < CONTENTIONS; i++) {
		monocle_raise_monitor_contention (object (i));
		if (i)
			monocle_raise_monitor_acquired (object (i));
		else
			monocle_raise_monitor_failed (object (i));
	}
	for (int i = 0; i < COLLECTIONS; i++)
		collect ();
}

/* --- a life of a runtime ------------------------------------------------------------------------------------------ */

/* Filters are asked when a method is compiled: this runtime does it all at once. */
static void
compile_all (MonoImage *image)
{
	for (uint32_t i = 0; i < METHODS; i++) {
		methods[i] = monocle_method_def (image, OUTER + i);
		monocle_raise_jit_begin (methods[i]);
		monocle_call_flags (methods[i]);
		monocle_raise_jit_done (methods[i], monocle_jit_info_new (methods[i], names[i], 4));
	}
}

static void
start (void)
{
	uintptr_t self = (uintptr_t) pthread_self ();
	monocle_host_startup_done ();
	monocle_thread_attach (self);
	monocle_raise_thread_started (self);
	monocle_raise_runtime_initialized ();
	MonoImage *image = monocle_image_new ("/made/up.exe", MONOCLE_IMAGE_MAIN, 1, METHODS, NULL);
	up = monocle_class_def (image, CLASS_TOKEN);
	monocle_raise_image_loaded (image);
	monocle_image_set_assembly_visible (image);
	monocle_raise_assembly_loaded (monocle_image_assembly (image));
	monocle_raise_class_loaded (up);
	monocle_class_set_up (up);
	compile_all (image);
}

int
main (int argc, char **argv)
{
	static const monocle_host_ops ops = {
		.size = sizeof ops,
		.api_version = MONOCLE_HOST_API_VERSION,
		.name = "made-up",
		.runtime_version = "1.0",
		.enable = enable,
		.describe_class = describe_class,
		.describe_method = describe_method,
		.describe_signature = describe_signature,
		.object_class = object_class,
		.object_size = object_size,
	};
	if (argc != 2 || monocle_host_init (&ops) != MONOCLE_OK)
		return 2;
	mono_profiler_load (argv[1]);
	start ();
	make_up_all ();
	for (size_t i = 0; i < sizeof figures / sizeof *figures; i++)
		printf ("%s\t%d\n", figures[i].name, figures[i].count);
	monocle_raise_runtime_shutdown_begin ();
	monocle_raise_runtime_shutdown_end ();
	monocle_host_shutdown ();
	return monocle_host_has_handles () ? 0 : 3;
}
