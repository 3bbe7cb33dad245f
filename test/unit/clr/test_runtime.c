/*
 * SPDX-License-Identifier: MIT
 *
 * test_runtime.c - the adapter under a runtime that only answers: start and end, names, images that go, threads. The
 * images are shapes.exe and Mono's mscorlib.dll, which is called System.Private.CoreLib here, so that what real Mono
 * printed of them (../core/oracle/shapes.tsv) is what must come out.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <mono/jit/jit.h>
#include <monocle/embed.h>
#include <mono/metadata/threads.h>
#include "../core/child.h"
#include "../core/golden.h"
#include "../core/oracle/names.c"
#include "fake-runtime.h"
#include "images/image.h"
#include "images/resolve.h"
#include "probes/probe.h"
#include "wants.h"

static fake_module corlib = { .path = u"/fx/System.Private.CoreLib.dll" };
static fake_module app = { .path = u"/srv/\u00e4\U0001F600/shapes.exe" };
static MonoProfilerHandle handle;

/* --- the module that watches -------------------------------------------------------------------------------------- */

static char trace[1024];

static void
note (const char *word)
{
	if (trace[0])
		strcat (trace, " ");
	strcat (trace, word);
}

static void
on_cleanup (MonoProfiler *prof)
{
	note ("cleanup");
	printf ("cleanup\n");
}

static void
on_initialized (MonoProfiler *prof)
{
	note ("initialized");
}

static void
on_image (MonoProfiler *prof, MonoImage *image)
{
	note (mono_image_get_assembly (image) ? "image-with-assembly" : "image");
}

static void
on_assembly (MonoProfiler *prof, MonoAssembly *assembly)
{
	note (mono_assembly_name_get_name (mono_assembly_get_name (assembly)));
}

static void
on_image_unloaded (MonoProfiler *prof, MonoImage *image)
{
	note ("unloaded");
}

static void
on_thread_started (MonoProfiler *prof, uintptr_t tid)
{
	note ("started");
}

static void
on_thread_stopped (MonoProfiler *prof, uintptr_t tid)
{
	note ("stopped");
}

static void
on_jit (MonoProfiler *prof, MonoMethod *method)
{
	note ("jit");
}

static void
on_exception (MonoProfiler *prof, MonoObject *exception)
{
	note ("exception");
}

static void
on_class (MonoProfiler *prof, MonoClass *klass)
{
	note ("class");
}

static void
on_thread_name (MonoProfiler *prof, uintptr_t tid, const char *name)
{
	note (name);
}

static MonoProfilerCallInstrumentationFlags
want_nothing (MonoProfiler *prof, MonoMethod *method)
{
	return MONO_PROFILER_CALL_INSTRUMENTATION_NONE;
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	note ("init");
	handle = mono_profiler_create (NULL);
	if (strstr (desc, ":calls"))
		mono_profiler_set_call_instrumentation_filter_callback (handle, want_nothing);
	mono_profiler_set_cleanup_callback (handle, on_cleanup);
	mono_profiler_set_runtime_initialized_callback (handle, on_initialized);
	mono_profiler_set_image_loaded_callback (handle, on_image);
	mono_profiler_set_image_unloaded_callback (handle, on_image_unloaded);
	mono_profiler_set_assembly_loaded_callback (handle, on_assembly);
	mono_profiler_set_thread_started_callback (handle, on_thread_started);
	mono_profiler_set_thread_stopped_callback (handle, on_thread_stopped);
	mono_profiler_set_thread_name_callback (handle, on_thread_name);
}

static HRESULT
initialize (void)
{
	return monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime);
}

static void
start (void)
{
	setenv ("MONOCLE_PROFILE", "watch", 1);
	CHECK (initialize () == S_OK);
	fake_load (&corlib);
	fake_load (&app);
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

CHILD_PRINTS (a_program_lives_and_dies_as_on_mono, "cleanup\n")
{
	start ();
	CHECK (fake_mask == (COR_PRF_MONITOR_MODULE_LOADS | COR_PRF_MONITOR_ASSEMBLY_LOADS | COR_PRF_MONITOR_THREADS |
	                     COR_PRF_ENABLE_STACK_SNAPSHOT | COR_PRF_ENABLE_REJIT));
	CHECK_STRING (mono_domain_get_friendly_name (mono_get_root_domain ()), "shapes.exe");
	CHECK (mono_assembly_get_main () == mono_image_get_assembly (shapes ()));
	char *version = mono_get_runtime_build_info ();
	CHECK_STRING (version, "10.2.3 (CoreCLR)");
	mono_free (version);
	monocle__callback_Shutdown (NULL);
	monocle__callback_Shutdown (NULL);
	CHECK_STRING (trace, "init image System.Private.CoreLib initialized image shapes cleanup");
}

CHILD_PRINTS (a_module_that_the_program_loaded_is_served_without_the_environment, "cleanup\n")
{
	unsetenv ("MONOCLE_PROFILE");
	mono_profiler_load ("watch");
	CHECK (mono_profiler_enable_coverage () == 1 && mono_profiler_enable_allocations () == 1);
	CHECK (initialize () == S_OK);
	CHECK (fake_mask & COR_PRF_ENABLE_OBJECT_ALLOCATED);
	fake_load (&corlib);
	fake_load (&app);
	monocle__callback_Shutdown (NULL);
	CHECK_STRING (trace, "init image System.Private.CoreLib initialized image shapes cleanup");
}

CHILD_PRINTS (a_module_that_comes_after_the_adapter_declined_is_told_so,
              "monocle: profiler 'watch': too late, the runtime is not profiled, or has ended\n")
{
	setenv ("MONOCLE_PROFILE", "", 1);
	CHECK (initialize () == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
	mono_profiler_load ("watch");
	CHECK (!mono_profiler_enable_allocations ());
	CHECK_STRING (trace, "");
}

CHILD_PRINTS (a_declined_process_starts_no_module, "")
{
	setenv ("MONOCLE_PROFILE", "watch", 1);
	setenv ("MONOCLE_ENABLED", "0", 1);
	CHECK (initialize () == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
	CHECK_STRING (trace, "");
}

CHILD_PRINTS (modules_end_when_the_runtime_refuses_the_mask,
              "monocle: CoreCLR: SetEventMask2 failed: E_FAIL (0x80004005)\ncleanup\n")
{
	setenv ("MONOCLE_PROFILE", "watch", 1);
	fake_mask_answer = E_FAIL;
	CHECK (initialize () == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
	CHECK_STRING (trace, "init cleanup");
	mono_profiler_set_jit_begin_callback (handle, on_jit);
}

CHILD_PRINTS (a_child_of_an_embedder_is_left_alone_without_a_word, "")
{
	unsetenv ("MONOCLE_PROFILE");
	unsetenv ("MONO_ENV_OPTIONS");
	setenv ("MONOCLE_EMBED_PID", "1", 1);
	CHECK (initialize () == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
}

CHILD_PRINTS (a_program_that_names_no_module_is_told,
              "monocle: CoreCLR: no module is named: MONOCLE_PROFILE=NAME[:ARGUMENTS] says which to load; "
              "not profiling\n")
{
	char pid[16];
	unsetenv ("MONOCLE_PROFILE");
	unsetenv ("MONO_ENV_OPTIONS");
	snprintf (pid, sizeof pid, "%d", (int) getpid ());
	setenv ("MONOCLE_EMBED_PID", pid, 1);
	CHECK (initialize () == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
}

CHILD_PRINTS (the_end_comes_once_from_the_embedder_or_from_the_runtime, "cleanup\n")
{
	start ();
	monocle_runtime_end ();
	CHECK_STRING (trace, "init image System.Private.CoreLib initialized image shapes cleanup");
	monocle__callback_Shutdown (NULL);
	monocle_runtime_end ();
	CHECK_STRING (trace, "init image System.Private.CoreLib initialized image shapes cleanup");
}

CHILD_PRINTS (a_process_without_a_module_is_left_alone, "")
{
	setenv ("MONOCLE_PROFILE", "", 1);
	CHECK (initialize () == CORPROF_E_PROFILER_CANCEL_ACTIVATION);
}

/* --- the event mask ----------------------------------------------------------------------------------------------- */

static void *
listen_to_exceptions (void *data)
{
	mono_profiler_set_exception_throw_callback (data, on_exception);
	return NULL;
}

static void *
listen_to_classes (void *data)
{
	mono_profiler_set_class_loaded_callback (data, on_class);
	return NULL;
}

CHILD_TEST (listeners_that_come_late_and_at_once_are_all_asked_for)
{
	pthread_t threads[2];
	start ();
	pthread_create (&threads[0], NULL, listen_to_exceptions, handle);
	pthread_create (&threads[1], NULL, listen_to_classes, handle);
	mono_profiler_set_call_instrumentation_filter_callback (handle, want_nothing);
	pthread_join (threads[0], NULL);
	pthread_join (threads[1], NULL);
	DWORD wanted = COR_PRF_MONITOR_EXCEPTIONS | COR_PRF_MONITOR_CLASS_LOADS | COR_PRF_MONITOR_JIT_COMPILATION |
	               COR_PRF_MONITOR_CACHE_SEARCHES;
	CHECK ((fake_mask & wanted) == wanted);
	mono_profiler_set_exception_throw_callback (handle, NULL);
	CHECK ((fake_mask & wanted) == wanted);
}

/* --- beside another profiler -------------------------------------------------------------------------------------- */

static void
on_invoke (MonoProfiler *prof, MonoMethod *method)
{
}

static void
on_roots (MonoProfiler *prof, uint64_t count, const mono_byte *const *addresses, MonoObject *const *objects)
{
}

/* Does it want to be notified only, where the environment names this library as the main profiler's? */
static BOOL
notified_only (const char *enabled, const char *clsid, const char *path)
{
	BOOL answer = -1;
	setenv ("CORECLR_ENABLE_PROFILING", enabled, 1);
	setenv ("CORECLR_PROFILER", clsid, 1);
	setenv ("CORECLR_PROFILER_PATH", path, 1);
	CHECK (monocle__callback_LoadAsNotificationOnly (NULL, &answer) == S_OK);
	return answer;
}

CHILD_PRINTS (
    beside_a_main_profiler_what_it_alone_may_have_is_refused,
    "monocle: CoreCLR: calls cannot be had beside another profiler: the runtime lets only its main one "
    "rewrite methods\n"
    "monocle: CoreCLR: method_begin_invoke cannot be had beside another profiler: the runtime lets only its "
    "main one rewrite methods\n"
    "monocle: CoreCLR: gc_roots cannot be had beside another profiler: the runtime lets only its main one ask "
    "for roots\n")
{
	static const char other[] = "{11111111-2222-3333-4444-555555555555}", loaded[] = "libc.so.6";
	CHECK (!notified_only ("0", other, loaded));
	CHECK (!notified_only ("1", "{f5e0f6a1-5b3c-4c7e-9d64-6d6f6e6f636c}", loaded));
	CHECK (!notified_only ("1", other, "/opt/absent.so"));
	CHECK (notified_only ("1", other, loaded) == 1);
	setenv ("CORECLR_PROFILER_PATH_64", "/opt/absent.so", 1); /* goes before the plain one */
	CHECK (!notified_only ("1", other, loaded));
	unsetenv ("CORECLR_PROFILER_PATH_64");
	CHECK (notified_only ("1", other, loaded) == 1);
	start ();
	CHECK (!notified_only ("1", other, loaded)); /* the place is ours, or the runtime would not ask twice */
	for (int i = 0; i < 2; i++) {
		mono_profiler_set_call_instrumentation_filter_callback (handle, want_nothing);
		mono_profiler_set_method_begin_invoke_callback (handle, on_invoke);
		mono_profiler_set_gc_roots_callback (handle, on_roots);
	}
	CHECK (!(fake_mask & (COR_PRF_MONITOR_GC | COR_PRF_MONITOR_CACHE_SEARCHES | COR_PRF_MONITOR_JIT_COMPILATION)));
	CHECK (monocle__wants_support (NULL, MONOCLE_EVENT_method_enter) == MONOCLE_SUPPORT_NONE);
	CHECK (monocle__wants_support (NULL, MONOCLE_EVENT_gc_roots) == MONOCLE_SUPPORT_NONE);
	CHECK (monocle__wants_support (NULL, MONOCLE_EVENT_jit_done) != MONOCLE_SUPPORT_NONE);
	mono_profiler_set_jit_begin_callback (handle, on_jit);
	CHECK (fake_mask & COR_PRF_MONITOR_JIT_COMPILATION);
}

/* --- names -------------------------------------------------------------------------------------------------------- */

/* Mono's lines call its corlib by its own name. */
static void
call_it_mscorlib (char *text)
{
	static const char ours[] = "System.Private.CoreLib", theirs[] = "mscorlib";
	for (char *at; (at = strstr (text, ours));) {
		memcpy (at, theirs, sizeof theirs - 1);
		memmove (at + sizeof theirs - 1, at + sizeof ours - 1, strlen (at + sizeof ours - 1) + 1);
	}
}

static size_t
check (void (*print) (void))
{
	char *text = NULL;
	size_t size = 0, count = 0;
	out = open_memstream (&text, &size);
	print ();
	fclose (out);
	call_it_mscorlib (text);
	CHECK (golden_compare (text, &count) == 0);
	free (text);
	return count;
}

static void
print_all (void)
{
	definitions ();
	corlib_method ("System", "Int32", "ToString", 0);
	corlib_method ("System", "String", "Concat", 4);
	corlib_method ("System", "Object", ".ctor", 0);
	corlib_method ("System", "IntPtr", "ToInt32", 0);
	corlib_method ("System.Collections.Generic", "List`1", "Add", 1);
	print_image ("shapes", shapes ());
	print_image ("corlib", mono_get_corlib ());
}

CHILD_TEST (metadata_is_spelt_as_mono_spells_it)
{
	start ();
	CHECK_STRING (mono_image_get_filename (shapes ()), "/srv/\u00e4\U0001F600/shapes.exe");
	CHECK (check (print_all) > golden_lines ("def:") + golden_lines ("typedef:") + golden_lines ("param:"));
}

/* --- instances ---------------------------------------------------------------------------------------------------- */

static mdToken
method_token (const char *class_name, const char *name)
{
	int rows = mono_image_get_table_rows (shapes (), MONO_TABLE_METHOD);
	for (int row = 1; row <= rows; row++) {
		MonoMethod *method = mono_get_method (shapes (), MONO_TOKEN_METHOD_DEF | row, NULL);
		if (!strcmp (mono_method_get_name (method), name) &&
		    !strcmp (mono_class_get_name (mono_method_get_class (method)), class_name))
			return MONO_TOKEN_METHOD_DEF | row;
	}
	CHECK (!"the method exists");
	return 0;
}

static fake_class
class_in (MonoImage *image, fake_module *module, const char *name_space, const char *name)
{
	MonoClass *klass = mono_class_from_name (image, name_space, name);
	CHECK (klass);
	return (fake_class) { .module = module, .token = mono_class_get_type_token (klass) };
}

static fake_class
instance_of (fake_class definition, uint32_t count, const fake_class *a, const fake_class *b)
{
	definition.count = count;
	definition.arguments[0] = ID (a);
	definition.arguments[1] = ID (b);
	return definition;
}

static void
name_is (const fake_function *function, const char *should)
{
	char *name = mono_method_full_name (monocle__resolve_method (ID (function)), 1);
	CHECK_STRING (name, should);
	mono_free (name);
}

CHILD_TEST (instances_are_spelt_as_mono_spells_them)
{
	start ();
	fake_class number = class_in (mono_get_corlib (), &corlib, "System", "Int32");
	fake_class text = class_in (mono_get_corlib (), &corlib, "System", "String");
	fake_class pair = class_in (mono_get_corlib (), &corlib, "System.Collections.Generic", "KeyValuePair`2");
	fake_class outer = class_in (shapes (), &app, "N.S", "Outer`1");
	fake_class numbers = { .element = ELEMENT_TYPE_I4, .element_class = ID (&number), .rank = 1 };
	fake_class grid = { .element = ELEMENT_TYPE_I4, .rank = 2 };
	fake_class pair_of = instance_of (pair, 2, &text, &number);
	fake_class of_number = instance_of (outer, 1, &number, NULL), of_text = instance_of (outer, 1, &text, NULL);
	fake_class of_pair = instance_of (outer, 1, &pair_of, NULL);
	mdToken simple = method_token ("Outer`1", "Simple"), method = method_token ("Generics", "Method");
	mdToken two = method_token ("Generics", "Two");

	name_is (&(fake_function) { &app, simple, ID (&of_number), 0 }, "N.S.Outer`1<int>:Simple (int)");
	name_is (&(fake_function) { &app, simple, ID (&of_text), 0 }, "N.S.Outer`1<T_REF>:Simple (T_REF)");
	name_is (&(fake_function) { &app, simple, 0, 0 }, "N.S.Outer`1<T_REF>:Simple (T_REF)");
	name_is (&(fake_function) { &app, simple, ID (&of_pair), 0 },
	         "N.S.Outer`1<System.Collections.Generic.KeyValuePair`2<string, int>>:Simple "
	         "(System.Collections.Generic.KeyValuePair`2<string, int>)");
	name_is (&(fake_function) { &app, method, 0, 1, { ID (&number) } }, "N.S.Generics:Method<int> (int)");
	name_is (&(fake_function) { &app, method, 0, 1, { ID (&numbers) } }, "N.S.Generics:Method<A_REF> (A_REF)");
	name_is (&(fake_function) { &app, two, 0, 2, { ID (&grid), ID (&number) } },
	         "N.S.Generics:Two<int[,], int> (int[,],int,System.Collections.Generic.Dictionary`2<int[,], int>)");
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&numbers))), "Int32[]");
}

/* What the runtime of .NET 9 to 11 keeps of a pointer; its id has a bit set. */
typedef struct {
	uintptr_t kind, type_object, pointee;
} fake_pointer;

#define COMPOSITE_ID(record) (ID (record) | 2)

static void
class_is (ClassID id, const char *name, MonoImage *image)
{
	MonoClass *klass = monocle__resolve_class (id);
	CHECK_STRING (mono_class_get_name (klass), name);
	CHECK (mono_class_get_image (klass) == image);
}

CHILD_TEST (pointers_are_named_by_what_they_point_to)
{
	start ();
	fake_class number = class_in (mono_get_corlib (), &corlib, "System", "Int32");
	fake_class outer = class_in (shapes (), &app, "N.S", "Outer`1");
	fake_class of_number = instance_of (outer, 1, &number, NULL);
	_Alignas(8) fake_pointer one = { 0x2000 | ELEMENT_TYPE_PTR, 0, ID (&number) };
	_Alignas(8) fake_pointer two = { 0x2000 | ELEMENT_TYPE_PTR, 0x1234, COMPOSITE_ID (&one) };
	_Alignas(8) fake_pointer own = { ELEMENT_TYPE_PTR, 0, ID (&of_number) };
	_Alignas(8) fake_pointer function = { ELEMENT_TYPE_FNPTR, 0, 0 };
	_Alignas(8) fake_pointer other = { ELEMENT_TYPE_BYREF, 0, ID (&number) };
	fake_class list = { .element = ELEMENT_TYPE_PTR, .element_class = COMPOSITE_ID (&one), .rank = 1 };
	fake_class grid = { .element = ELEMENT_TYPE_PTR, .element_class = COMPOSITE_ID (&two), .rank = 2 };
	class_is (ID (&list), "Int32*[]", mono_get_corlib ());
	class_is (ID (&grid), "Int32**[,]", mono_get_corlib ());
	CHECK (monocle__resolve_class (COMPOSITE_ID (&two)) ==
	       mono_class_get_element_class (monocle__resolve_class (ID (&grid))));
	class_is (COMPOSITE_ID (&own), "Outer`1*", shapes ());
	CHECK (monocle__resolve_class (COMPOSITE_ID (&function)) == monocle_class_fnptr ());
	class_is (COMPOSITE_ID (&other), "?", mono_class_get_image (monocle_class_named ("", "", "?", 0)));
	monocle__clr_state.major = 12;
	_Alignas(8) fake_pointer later = { ELEMENT_TYPE_PTR, 0, ID (&number) };
	class_is (COMPOSITE_ID (&later), "?", mono_class_get_image (monocle_class_named ("", "", "?", 0)));
}

CHILD_TEST (the_runtime_is_asked_once_about_an_id)
{
	start ();
	fake_class number = class_in (mono_get_corlib (), &corlib, "System", "Int32");
	fake_class numbers = { .element = ELEMENT_TYPE_I4, .element_class = ID (&number), .rank = 1 };
	fake_function function = { &app, method_token ("NoNamespace", "Bare"), 0, 0 };
	MonoClass *klass = monocle__resolve_class (ID (&numbers));
	MonoMethod *method = monocle__resolve_method (ID (&function));
	unsigned before = fake_asked;
	CHECK (monocle__resolve_class (ID (&numbers)) == klass && monocle__resolve_class (ID (&number)) && klass);
	CHECK (monocle__resolve_method (ID (&function)) == method && method);
	CHECK (fake_asked == before);
}

/* An object whose first word is its class. */
CHILD_TEST (an_object_has_the_class_of_its_first_word)
{
	start ();
	fake_class text = class_in (mono_get_corlib (), &corlib, "System", "String");
	uintptr_t object[2] = { ID (&text) | 1, 0 };
	CHECK (mono_object_get_class ((MonoObject *) object) == mono_get_string_class ());
	CHECK (mono_object_get_class (NULL) == NULL);
}

/* --- images that go ----------------------------------------------------------------------------------------------- */

static void
scribble (fake_module *module)
{
	memset (module->data, 0xAA, module->size);
	free (module->data);
	module->data = NULL;
}

static char *entered;

static void
on_enter (MonoProfiler *prof, MonoMethod *method, MonoProfilerCallContext *context)
{
	mono_free (entered);
	entered = mono_method_full_name (method, 0);
}

/* What compiled code does on entering and leaving a method of a generic class. */
static const char *
run_probes (monocle__clr_generic *generic, ClassID klass)
{
	typedef void (*enter_probe) (monocle__clr_generic *, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);
	typedef void (*leave_probe) (monocle__clr_generic *);
	((enter_probe) monocle__probe_enter (MONO_PROFILER_CALL_INSTRUMENTATION_ENTER, true)) (generic, klass, 0, 0, 0, 0);
	((leave_probe) monocle__probe_leave (MONO_PROFILER_CALL_INSTRUMENTATION_ENTER, true)) (generic);
	return entered;
}

CHILD_TEST (ids_of_what_was_unloaded_name_what_they_name_next)
{
	start ();
	mono_profiler_set_method_enter_callback (handle, on_enter);
	fake_module guest = { .path = u"/srv/guest.exe", .flags = COR_PRF_MODULE_COLLECTIBLE, .size = app.size };
	guest.data = malloc (app.size);
	CHECK (guest.data);
	memcpy (guest.data, app.data, app.size);
	fake_load (&guest);
	MonoImage *image = monocle__clr_image_find (ID (&guest))->cli.record;
	fake_class color = class_in (image, &guest, "N.S", "Color"),
	           number = class_in (mono_get_corlib (), &corlib, "System", "Int32");
	fake_class outer = instance_of (class_in (shapes (), &app, "N.S", "Outer`1"), 1, &color, NULL);
	fake_class colors = { .element = ELEMENT_TYPE_VALUETYPE, .element_class = ID (&color), .rank = 1 };
	fake_function simple = { &app, method_token ("Outer`1", "Simple"), ID (&outer), 0 };
	fake_function bare = { &guest, method_token ("NoNamespace", "Bare"), 0, 0 };
	name_is (&simple, "N.S.Outer`1<N.S.Color>:Simple (N.S.Color)");
	name_is (&bare, "NoNamespace:Bare ()");
	monocle__clr_generic generic = { .definition = mono_get_method (shapes (), simple.token, NULL), .key_count = 1 };
	generic.class_key = true;
	CHECK_STRING (run_probes (&generic, ID (&outer)), "N.S.Outer`1<N.S.Color>:Simple");
	MonoMethod *old = monocle__resolve_method (ID (&bare));
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&colors))), "Color[]");

	fake_unload (&guest);
	scribble (&guest);
	CHECK (strstr (trace, "unloaded"));
	CHECK (!monocle__clr_image_find (ID (&guest)) && !monocle_image_data (image));
	char *name = mono_method_full_name (old, 1);
	CHECK_STRING (name, "NoNamespace:Bare ()");
	mono_free (name);

	/* The runtime uses the same addresses again, for things of images that stayed. */
	outer.arguments[0] = ID (&number);
	colors = (fake_class) { .element = ELEMENT_TYPE_I4, .element_class = ID (&number), .rank = 1 };
	bare = (fake_function) { &app, method_token ("NoNamespace", "Bare"), 0, 0 };
	CHECK_STRING (run_probes (&generic, ID (&outer)), "N.S.Outer`1<int>:Simple");
	CHECK_STRING (run_probes (&generic, ID (&outer)), "N.S.Outer`1<int>:Simple");
	name_is (&simple, "N.S.Outer`1<int>:Simple (int)");
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&colors))), "Int32[]");
	CHECK (monocle__resolve_method (ID (&bare)) && monocle__resolve_method (ID (&bare)) != old);
}

CHILD_PRINTS (a_module_that_cannot_be_looked_at_is_said_once_or_has_only_tokens,
              "monocle: CoreCLR: GetModuleInfo2 failed: CORPROF_E_DATAINCOMPLETE (0x80131351)\n")
{
	start ();
	fake_module ghost = { .path = u"/srv/ghost.dll" };
	fake_module emitted = { .path = u"", .flags = COR_PRF_MODULE_DYNAMIC, .data = (uint8_t *) "x" };
	fake_function lost = { &ghost, 0x06000001, 0, 0 };
	fake_load (&ghost);
	CHECK (!monocle__resolve_method (ID (&lost)));
	fake_unload (&ghost);
	CHECK (!monocle__clr_image_find (ID (&ghost)));
	fake_load (&emitted);
	monocle__clr_image *image = monocle__clr_image_find (ID (&emitted));
	CHECK (image && mono_image_is_dynamic (image->cli.record));
	fake_function third = { &emitted, 0x06000003, 0, 0 };
	MonoMethod *method = monocle__resolve_method (ID (&third));
	CHECK_STRING (mono_method_get_name (method), "<0x06000003>");
}

CHILD_PRINTS (a_module_whose_callback_is_under_way_while_we_leave_is_not_complained_of, "")
{
	start ();
	fake_module late = { .path = u"/srv/late.dll" };
	fake_module_answer = CORPROF_E_PROFILER_DETACHING;
	fake_load (&late);
	CHECK (!monocle__clr_image_find (ID (&late)));
	fake_unload (&late);
}

/* --- classes that come and go ------------------------------------------------------------------------------------- */

static MonoVTable *set_up; /* last */

static void
note_class (const char *what, MonoClass *klass)
{
	char *name = mono_type_get_name (mono_class_get_type (klass));
	note (what);
	note (name);
	mono_free (name);
}

static void
on_vtable_loading (MonoProfiler *prof, MonoVTable *vtable)
{
	note_class ("loading", mono_vtable_class (vtable));
}

static void
on_vtable_loaded (MonoProfiler *prof, MonoVTable *vtable)
{
	set_up = vtable;
	note_class ("loaded", mono_vtable_class (vtable));
}

static void
on_class_loaded (MonoProfiler *prof, MonoClass *klass)
{
	note_class ("class", klass);
}

static void
on_class_unloaded (MonoProfiler *prof, MonoClass *klass)
{
	note_class ("gone", klass);
}

static void
load_class (fake_class *klass)
{
	monocle__callback_ClassLoadFinished (NULL, ID (klass), S_OK);
}

CHILD_TEST (a_class_is_set_up_once_when_it_is_loaded)
{
	start ();
	fake_class color = class_in (shapes (), &app, "N.S", "Color"),
	           child = class_in (shapes (), &app, "", "NoNamespace"),
	           plain = class_in (shapes (), &app, "N.S", "IPlain"),
	           outer = class_in (shapes (), &app, "N.S", "Outer`1");
	fake_class inst = instance_of (outer, 1, &color, NULL);
	load_class (&color);
	mono_profiler_set_vtable_loading_callback (handle, on_vtable_loading);
	mono_profiler_set_vtable_loaded_callback (handle, on_vtable_loaded);
	CHECK (fake_mask & COR_PRF_MONITOR_CLASS_LOADS);
	trace[0] = 0;
	load_class (&child);
	load_class (&child);
	CHECK_STRING (trace, "loading NoNamespace loaded NoNamespace");
	CHECK (mono_vtable_class (set_up) == monocle__resolve_class (ID (&child)));
	load_class (&plain);
	load_class (&outer);
	CHECK_STRING (trace, "loading NoNamespace loaded NoNamespace");
	trace[0] = 0;
	load_class (&inst);
	CHECK_STRING (trace, "loading N.S.Outer<N.S.Color> loaded N.S.Outer<N.S.Color>");
}

/* Arrays, and what was loaded before anybody listened. */
CHILD_TEST (a_class_whose_load_was_not_told_is_set_up_with_its_first_object)
{
	start ();
	fake_class color = class_in (shapes (), &app, "N.S", "Color");
	fake_class colors = { .element = ELEMENT_TYPE_VALUETYPE, .element_class = ID (&color), .rank = 1 };
	uintptr_t object[2] = { ID (&colors), 0 };
	uint32_t before = fake_asked;
	monocle__callback_ObjectAllocated (NULL, ID (object), ID (&colors));
	CHECK (fake_asked == before);
	mono_profiler_set_class_loaded_callback (handle, on_class_loaded);
	mono_profiler_set_vtable_loaded_callback (handle, on_vtable_loaded);
	trace[0] = 0;
	monocle__callback_ObjectAllocated (NULL, ID (object), ID (&colors));
	monocle__callback_ObjectAllocated (NULL, ID (object), ID (&colors));
	CHECK_STRING (trace, "class N.S.Color[] loaded N.S.Color[]");
	CHECK (set_up == mono_object_get_vtable ((MonoObject *) object));
}

CHILD_TEST (a_class_goes_with_its_image_and_is_never_mixed_up_with_the_next)
{
	start ();
	fake_module guest = { .path = u"/srv/guest.exe", .flags = COR_PRF_MODULE_COLLECTIBLE, .size = app.size };
	guest.data = malloc (app.size);
	CHECK (guest.data);
	memcpy (guest.data, app.data, app.size);
	fake_load (&guest);
	MonoImage *image = monocle__clr_image_find (ID (&guest))->cli.record;
	fake_class color = class_in (image, &guest, "N.S", "Color"), unmet = class_in (image, &guest, "", "NoNamespace");
	fake_class outer = instance_of (class_in (image, &guest, "N.S", "Outer`1"), 1, &color, NULL);
	fake_class *going[] = { &outer, &color, &unmet };
	monocle_profiler_set_class_unloaded_callback (handle, on_class_unloaded);
	CHECK (fake_mask & COR_PRF_MONITOR_CLASS_LOADS);
	load_class (&color);
	load_class (&outer);
	MonoClass *old = monocle__resolve_class (ID (&color));
	trace[0] = 0;
	monocle__callback_ModuleUnloadStarted (NULL, ID (&guest));
	for (size_t i = 0; i < sizeof going / sizeof *going; i++) {
		monocle__callback_ClassUnloadStarted (NULL, ID (going[i]));
		monocle__callback_ClassUnloadFinished (NULL, ID (going[i]), S_OK);
	}
	CHECK (strstr (trace, "gone N.S.Outer<N.S.Color> gone N.S.Color") && !strstr (trace, "NoNamespace"));
	monocle__callback_ModuleUnloadFinished (NULL, ID (&guest), S_OK);
	scribble (&guest);
	CHECK_STRING (mono_class_get_name (old), "Color");

	/* The same ids mean something else. */
	color = class_in (shapes (), &app, "", "NoNamespace");
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&color))), "NoNamespace");
	outer = color;
	CHECK_STRING (mono_class_get_name (monocle__resolve_class (ID (&outer))), "NoNamespace");
}

/* --- threads ------------------------------------------------------------------------------------------------------ */

CHILD_TEST (a_thread_starts_once_is_named_and_stops_once)
{
	DWORD os_thread = (DWORD) gettid ();
	start ();
	trace[0] = 0;
	monocle__callback_ThreadNameChanged (NULL, 1, 3, (WCHAR *) u"\U0001F600!");
	CHECK_STRING (trace, "");
	monocle__callback_ThreadAssignedToOSThread (NULL, 1, os_thread + 1);
	CHECK_STRING (trace, "");
	monocle__callback_ThreadAssignedToOSThread (NULL, 1, os_thread);
	monocle__callback_ThreadAssignedToOSThread (NULL, 1, os_thread);
	CHECK_STRING (trace, "started \U0001F600!");
	monocle__callback_ThreadNameChanged (NULL, 1, 1, (WCHAR *) u"\xD83D");
	CHECK_STRING (trace, "started \U0001F600! \uFFFD");
	monocle__callback_ThreadNameChanged (NULL, 1, 0, NULL);
	CHECK (mono_thread_current () && !mono_thread_get_name_utf8 (mono_thread_current ()));
	trace[0] = 0;
	monocle__callback_ThreadDestroyed (NULL, 1);
	monocle__callback_ThreadDestroyed (NULL, 1);
	CHECK_STRING (trace, "stopped");
	CHECK (!mono_thread_current ());
}

CHILD_TEST (a_thread_that_is_buried_late_does_not_take_its_successor_along)
{
	DWORD os_thread = (DWORD) gettid ();
	start ();
	trace[0] = 0;
	monocle__callback_ThreadAssignedToOSThread (NULL, 1, os_thread);
	monocle__callback_ThreadAssignedToOSThread (NULL, 2, os_thread);
	CHECK_STRING (trace, "started stopped started");
	monocle__callback_ThreadDestroyed (NULL, 1);
	CHECK_STRING (trace, "started stopped started");
	CHECK (mono_thread_current ());
	monocle__callback_ThreadDestroyed (NULL, 2);
	CHECK_STRING (trace, "started stopped started stopped");
}

static MonoThread *spoken_for[3]; /* in thread_stopping, _stopped, _exited */
static uintptr_t spoken_tid;

static void
on_stopping_for (MonoProfiler *prof, uintptr_t tid)
{
	spoken_for[0] = mono_thread_current ();
	spoken_tid = monocle_thread_self ();
}

static void
on_stopped_for (MonoProfiler *prof, uintptr_t tid)
{
	spoken_for[1] = mono_thread_current ();
}

static void
on_exited_for (MonoProfiler *prof, uintptr_t tid)
{
	spoken_for[2] = mono_thread_current ();
}

static void *
bury_first_and_speak (void *ret_self)
{
	monocle__callback_ThreadDestroyed (NULL, 1);
	*(bool *) ret_self = monocle_thread_self () == (uintptr_t) pthread_self () && !mono_thread_current ();
	return NULL;
}

CHILD_TEST (who_tells_the_end_of_another_thread_stands_for_it)
{
	pthread_t finalizer;
	bool is_itself_again = false;
	start ();
	mono_profiler_set_thread_stopping_callback (handle, on_stopping_for);
	mono_profiler_set_thread_stopped_callback (handle, on_stopped_for);
	mono_profiler_set_thread_exited_callback (handle, on_exited_for);
	monocle__callback_ThreadAssignedToOSThread (NULL, 1, (DWORD) gettid ());
	MonoThread *own = mono_thread_current ();
	CHECK (own && !pthread_create (&finalizer, NULL, bury_first_and_speak, &is_itself_again));
	pthread_join (finalizer, NULL);
	CHECK (spoken_for[0] == own && spoken_for[1] == own && spoken_for[2] == own);
	CHECK (spoken_tid == (uintptr_t) pthread_self () && is_itself_again);
}

int
main (int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_program_lives_and_dies_as_on_mono),
		cmocka_unit_test (a_module_that_the_program_loaded_is_served_without_the_environment),
		cmocka_unit_test (a_module_that_comes_after_the_adapter_declined_is_told_so),
		cmocka_unit_test (a_declined_process_starts_no_module),
		cmocka_unit_test (a_child_of_an_embedder_is_left_alone_without_a_word),
		cmocka_unit_test (a_program_that_names_no_module_is_told),
		cmocka_unit_test (the_end_comes_once_from_the_embedder_or_from_the_runtime),
		cmocka_unit_test (modules_end_when_the_runtime_refuses_the_mask),
		cmocka_unit_test (a_process_without_a_module_is_left_alone),
		cmocka_unit_test (listeners_that_come_late_and_at_once_are_all_asked_for),
		cmocka_unit_test (beside_a_main_profiler_what_it_alone_may_have_is_refused),
		cmocka_unit_test (metadata_is_spelt_as_mono_spells_it),
		cmocka_unit_test (instances_are_spelt_as_mono_spells_them),
		cmocka_unit_test (pointers_are_named_by_what_they_point_to),
		cmocka_unit_test (the_runtime_is_asked_once_about_an_id),
		cmocka_unit_test (an_object_has_the_class_of_its_first_word),
		cmocka_unit_test (ids_of_what_was_unloaded_name_what_they_name_next),
		cmocka_unit_test (a_module_that_cannot_be_looked_at_is_said_once_or_has_only_tokens),
		cmocka_unit_test (a_module_whose_callback_is_under_way_while_we_leave_is_not_complained_of),
		cmocka_unit_test (a_class_is_set_up_once_when_it_is_loaded),
		cmocka_unit_test (a_class_whose_load_was_not_told_is_set_up_with_its_first_object),
		cmocka_unit_test (a_class_goes_with_its_image_and_is_never_mixed_up_with_the_next),
		cmocka_unit_test (a_thread_starts_once_is_named_and_stops_once),
		cmocka_unit_test (a_thread_that_is_buried_late_does_not_take_its_successor_along),
		cmocka_unit_test (who_tells_the_end_of_another_thread_stands_for_it),
	};
	if (argc != 4 || !fake_module_read (&app, argv[1]) || !fake_module_read (&corlib, argv[2])) {
		print_message ("skipped: SHAPES_EXE, MSCORLIB_DLL and SHAPES_TSV are needed\n");
		return getenv ("MONOCLE_REQUIRE") && strstr (getenv ("MONOCLE_REQUIRE"), "mono") ? 1 : 77;
	}
	fake_module_rename (&corlib, "System.Private.CoreLib");
	golden_read (argv[3]);
	return cmocka_run_group_tests (tests, NULL, NULL);
}
