/*
 * SPDX-License-Identifier: MIT
 *
 * test_dynamic_method.c - functions without metadata: what modules are told when one is compiled and when it is gone,
 * and that an id or an address that is used again means the newer one.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/appdomain.h>
#include <mono/metadata/debug-helpers.h>
#include "../core/child.h"
#include "fake-runtime.h"
#include "images/resolve.h"

static char trace[4096];

static void
note (const char *what, MonoMethod *method)
{
	char *name = mono_method_full_name (method, 1);
	strcat (strcat (strcat (strcat (trace, what), " "), name), "\n");
	mono_free (name);
}

static void
check_trace (const char *should)
{
	CHECK_STRING (trace, should);
	trace[0] = 0;
}

/* --- the module that watches -------------------------------------------------------------------------------------- */

static MonoMethod *_Atomic last;
static bool is_silent;

static void
on_begin (MonoProfiler *prof, MonoMethod *method)
{
	if (!is_silent)
		note ("begin", method);
}

static void
on_done (MonoProfiler *prof, MonoMethod *method, MonoJitInfo *info)
{
	last = method;
	if (!is_silent)
		note (info ? "done" : "done without code", method);
}

static void
on_failed (MonoProfiler *prof, MonoMethod *method)
{
	note ("failed", method);
}

static void
on_free (MonoProfiler *prof, MonoMethod *method)
{
	if (!is_silent)
		note ("free", method);
}

__attribute__ ((visibility ("default"))) void mono_profiler_init_watch (const char *desc);

void
mono_profiler_init_watch (const char *desc)
{
	MonoProfilerHandle handle = mono_profiler_create (NULL);
	if (strstr (desc, ":nothing"))
		return;
	mono_profiler_set_method_free_callback (handle, on_free);
	mono_profiler_set_jit_begin_callback (handle, on_begin);
	mono_profiler_set_jit_done_callback (handle, on_done);
	mono_profiler_set_jit_failed_callback (handle, on_failed);
}

/* --- the runtime's functions: an id is the address of one of these ------------------------------------------------ */

typedef struct {
	const char16_t *name;
	const uint8_t *signature;
	ULONG size;
	const uint8_t *code;        /* NULL: not compiled */
	pthread_barrier_t *meeting; /* of the threads that ask for its name; NULL: none waits */
} fake_dynamic;

static HRESULT
is_function_dynamic (ICorProfilerInfo15 *self, FunctionID function, BOOL *ret)
{
	*ret = function != 0;
	return S_OK;
}

static HRESULT
get_dynamic_function_info (ICorProfilerInfo15 *self, FunctionID function, ModuleID *ret_module,
                           PCCOR_SIGNATURE *ret_signature, ULONG *ret_size, ULONG room, ULONG *ret_length, WCHAR *name)
{
	const fake_dynamic *f = (const fake_dynamic *) function;
	size_t length = 0;
	if (f->meeting)
		pthread_barrier_wait (f->meeting);
	while (f->name[length] && length + 1 < room) {
		name[length] = f->name[length];
		length++;
	}
	name[length] = 0;
	*ret_length = (ULONG) length + 1;
	*ret_module = 0;
	*ret_signature = f->signature;
	*ret_size = f->size;
	return S_OK;
}

static HRESULT
get_starts (ICorProfilerInfo15 *self, FunctionID function, ReJITID version, ULONG32 room, ULONG32 *ret_count,
            UINT_PTR *starts)
{
	const fake_dynamic *f = (const fake_dynamic *) function;
	*ret_count = f->code != NULL;
	if (f->code)
		starts[0] = (UINT_PTR) f->code;
	return S_OK;
}

static HRESULT
get_code (ICorProfilerInfo15 *self, UINT_PTR start, ULONG32 room, ULONG32 *ret_count, COR_PRF_CODE_INFO *ret)
{
	*ret_count = 1;
	*ret = (COR_PRF_CODE_INFO) { start, 16 };
	return S_OK;
}

static const uint8_t nothing[] = { 0x00, 0, 0x01 }, number[] = { 0x00, 1, 0x08, 0x08 };
static uint8_t machine_code[64];

static void
start (const char *modules)
{
	static ICorProfilerInfo15Vtbl slots;
	slots = *fake_runtime.vtbl;
	slots.IsFunctionDynamic = is_function_dynamic;
	slots.GetDynamicFunctionInfo = get_dynamic_function_info;
	slots.GetNativeCodeStartAddresses = get_starts;
	slots.GetCodeInfo4 = get_code;
	fake_runtime.vtbl = &slots;
	setenv ("MONOCLE_PROFILE", modules, 1);
	CHECK (monocle__callback_Initialize (NULL, (IUnknown *) &fake_runtime) == S_OK);
}

static void
compile (fake_dynamic *f, HRESULT status)
{
	monocle__callback_DynamicMethodJITCompilationStarted (NULL, ID (f), 1, NULL, 0);
	monocle__callback_DynamicMethodJITCompilationFinished (NULL, ID (f), status, 1);
}

static MonoMethod *
method_at (const void *address)
{
	return mono_jit_info_get_method (mono_jit_info_table_find (NULL, (void *) (uintptr_t) address));
}

CHILD_TEST (a_dynamic_method_comes_and_goes_as_on_mono)
{
	fake_dynamic f = { u"Add", number, sizeof number, machine_code };
	start ("watch");
	CHECK (fake_high_mask & COR_PRF_HIGH_MONITOR_DYNAMIC_FUNCTION_UNLOADS);
	compile (&f, S_OK);
	check_trace ("begin (wrapper dynamic-method) object:Add (int)\n"
	             "done (wrapper dynamic-method) object:Add (int)\n");
	CHECK (method_at (machine_code + 8) == last);
	CHECK (monocle__resolve_method (ID (&f)) == last);
	monocle__callback_DynamicMethodUnloaded (NULL, ID (&f));
	check_trace ("free (wrapper dynamic-method) object:Add (int)\n");
	CHECK (!method_at (machine_code + 8));
	monocle__callback_DynamicMethodUnloaded (NULL, ID (&f)); /* nobody knows it any more */
	check_trace ("");
}

CHILD_TEST (an_id_and_an_address_that_come_again_mean_the_newer_one)
{
	fake_dynamic f = { u"One", number, sizeof number, machine_code };
	start ("watch");
	is_silent = true;
	compile (&f, S_OK);
	MonoMethod *one = last;
	monocle__callback_DynamicMethodUnloaded (NULL, ID (&f));
	f = (fake_dynamic) { u"Two", nothing, sizeof nothing, machine_code };
	compile (&f, S_OK);
	CHECK (last != one && method_at (machine_code) == last && monocle__resolve_method (ID (&f)) == last);
	CHECK (strcmp (mono_method_get_name (one), "One") == 0);
}

CHILD_TEST (what_cannot_be_compiled_fails)
{
	fake_dynamic f = { u"Bad", nothing, sizeof nothing, NULL }, g = { u"None", nothing, sizeof nothing, NULL };
	start ("watch");
	compile (&f, E_FAIL);
	compile (&g, S_OK);
	check_trace ("begin (wrapper dynamic-method) object:Bad ()\nfailed (wrapper dynamic-method) object:Bad ()\n"
	             "begin (wrapper dynamic-method) object:None ()\n"
	             "done without code (wrapper dynamic-method) object:None ()\n");
}

CHILD_TEST (stubs_have_their_kind_and_malformed_signatures_are_empty)
{
	static const uint8_t cut[] = { 0x00, 3, 0x01, 0x08 }, handle[] = { 0x00, 1, 0x01, 0x21, 1, 2, 3 };
	fake_dynamic f = { u"IL_STUB_PInvoke", number, sizeof number, NULL };
	fake_dynamic g = { u"Cut", cut, sizeof cut, NULL }, h = { u"Handle", handle, sizeof handle, NULL };
	start ("watch");
	compile (&f, E_FAIL);
	compile (&g, E_FAIL);
	compile (&h, E_FAIL);
	check_trace ("begin (wrapper managed-to-native) object:IL_STUB_PInvoke (int)\n"
	             "failed (wrapper managed-to-native) object:IL_STUB_PInvoke (int)\n"
	             "begin (wrapper dynamic-method) object:Cut ()\nfailed (wrapper dynamic-method) object:Cut ()\n"
	             "begin (wrapper dynamic-method) object:Handle ()\nfailed (wrapper dynamic-method) object:Handle ()\n");
}

CHILD_TEST (who_does_not_listen_gets_no_records)
{
	fake_dynamic f = { u"Nobody", nothing, sizeof nothing, machine_code };
	start ("watch:nothing");
	uint64_t size = monocle_records_size ();
	compile (&f, S_OK);
	CHECK (monocle_records_size () == size && !(fake_mask & COR_PRF_MONITOR_JIT_COMPILATION));
}

static void *
come_and_go (void *data)
{
	uint8_t *code = machine_code + 16 * (uintptr_t) data;
	for (int i = 0; i < 2000; i++) {
		fake_dynamic f = { i % 2 ? u"Even" : u"Odd", nothing, sizeof nothing, code };
		compile (&f, S_OK);
		CHECK (strcmp (mono_method_get_name (method_at (code)), i % 2 ? "Even" : "Odd") == 0);
		monocle__callback_DynamicMethodUnloaded (NULL, ID (&f));
	}
	return NULL;
}

CHILD_TEST (threads_compile_and_drop_at_once)
{
	enum { THREADS = 4 };
	pthread_t all[THREADS];
	start ("watch");
	is_silent = true;
	for (uintptr_t i = 0; i < THREADS; i++)
		CHECK (!pthread_create (&all[i], NULL, come_and_go, (void *) i));
	for (int i = 0; i < THREADS; i++)
		pthread_join (all[i], NULL);
}

static void *
compile_and_find (void *function)
{
	fake_dynamic *f = function;
	compile (f, S_OK);
	return method_at (f->code);
}

/* Each has made a record before the other one has kept its own. */
CHILD_TEST (threads_that_meet_a_function_at_once_have_one_record)
{
	pthread_t thread;
	pthread_barrier_t both;
	void *others;
	fake_dynamic f = { u"Both", nothing, sizeof nothing, machine_code, &both };
	start ("watch");
	is_silent = true;
	pthread_barrier_init (&both, NULL, 2);
	CHECK (!pthread_create (&thread, NULL, compile_and_find, &f));
	void *own = compile_and_find (&f);
	pthread_join (thread, &others);
	CHECK (own && own == others);
	monocle__callback_DynamicMethodUnloaded (NULL, ID (&f));
	CHECK (!mono_jit_info_table_find (NULL, machine_code));
}

int
main (void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test (a_dynamic_method_comes_and_goes_as_on_mono),
		cmocka_unit_test (an_id_and_an_address_that_come_again_mean_the_newer_one),
		cmocka_unit_test (what_cannot_be_compiled_fails),
		cmocka_unit_test (stubs_have_their_kind_and_malformed_signatures_are_empty),
		cmocka_unit_test (who_does_not_listen_gets_no_records),
		cmocka_unit_test (threads_compile_and_drop_at_once),
		cmocka_unit_test (threads_that_meet_a_function_at_once_have_one_record),
	};
	return cmocka_run_group_tests (tests, NULL, NULL);
}
