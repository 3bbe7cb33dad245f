/*
 * SPDX-License-Identifier: MIT
 *
 * dynamic-method.c - functions that no image lists: DynamicMethods (compiled expressions and regular expressions
 * among them) and the runtime's own stubs. They have no token; the runtime gives a name and a signature, and tells
 * when one is compiled and when it is gone.
 *
 * To modules they are what Mono calls wrappers: "(wrapper dynamic-method) object:lambda_method1 (int)". The type that
 * a program made the owner of its method is not told, so all belong to System.Object, as Mono's of a module do.
 *
 * The one place where such code comes and goes is here: a function id means its record from the first word about it
 * until DynamicMethodUnloaded. The runtime uses ids and addresses again at once. The list is a leaf lock.
 */
#include "dynamic-method.h"
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <mono/metadata/debug-helpers.h>
#include <monocle/host.h>
#include "code/codemap.h"
#include "image.h"
#include "state.h"
#include "utf16.h"

enum {
	NAME_SIZE = 512,
	BYTES_PER_UNIT = 3, /* of UTF-8, for one of UTF-16 */
	BUCKETS = 1 << 10,
	PUBLIC_STATIC = 0x16, /* ECMA-335 II.23.1.10: what Mono gives all of them */
};

typedef struct function {
	struct function *next;
	FunctionID id;
	MonoMethod *method;
	const void *start; /* of its code, NULL: not compiled yet */
} function;

static function *functions[BUCKETS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static function **
bucket_of (FunctionID id)
{
	return &functions[(id >> 4) * 0x9E3779B97F4A7C15u >> 54];
}

/* Under the lock. */
static function **
find (FunctionID id)
{
	function **at = bucket_of (id);
	while (*at && (*at)->id != id)
		at = &(*at)->next;
	return at;
}

/* --- what it is --------------------------------------------------------------------------------------------------- */

/* The runtime's stubs are known by their names. */
/* clang-format off */
static const struct { const char *begins, *wrapper; } stubs[] = {
	{ "IL_STUB_PInvoke",                  "managed-to-native" },
	{ "IL_STUB_CLRtoCOM",                 "managed-to-native" },
	{ "IL_STUB_ReversePInvoke",           "native-to-managed" },
	{ "IL_STUB_COMtoCLR",                 "native-to-managed" },
	{ "IL_STUB_Delegate",                 "delegate-invoke"   },
	{ "IL_STUB_MulticastDelegate_Invoke", "delegate-invoke"   },
	{ "IL_STUB_UnboxingStub",             "unbox"             },
	{ "IL_STUB",                          "other"             },
};
/* clang-format on */

static const char *
wrapper_of (const char *name)
{
	for (size_t i = 0; i < sizeof stubs / sizeof *stubs; i++)
		if (strncmp (name, stubs[i].begins, strlen (stubs[i].begins)) == 0)
			return stubs[i].wrapper;
	return "dynamic-method";
}

bool
monocle__dynamic_method_is (FunctionID id)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	BOOL is = 0;
	return info->vtbl->IsFunctionDynamic (info, id, &is) >= 0 && is;
}

typedef struct {
	ModuleID module;
	const uint8_t *signature;
	ULONG signature_size;
	char name[BYTES_PER_UNIT * NAME_SIZE];
} facts;

static bool
ask (FunctionID id, facts *ret)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	WCHAR wide[NAME_SIZE] = { 0 };
	ULONG length = 0;
	size_t used = 0;
	if (!monocle__dynamic_method_is (id) ||
	    info->vtbl->GetDynamicFunctionInfo (info, id, &ret->module, &ret->signature, &ret->signature_size, NAME_SIZE,
	                                        &length, wide) < 0)
		return false;
	while (used < NAME_SIZE && wide[used])
		used++;
	monocle__utf16_to_utf8 (wide, used, ret->name, sizeof ret->name);
	return true;
}

/* Without a signature that can be read it takes nothing. */
static MonoMethod *
make (FunctionID id)
{
	facts f = { .module = 0 };
	if (!ask (id, &f))
		return NULL;
	monocle__clr_image *image = monocle__clr_image_find (f.module);
	monocle__ecma_cursor cursor = monocle__ecma_cursor_over (f.signature, f.signature_size);
	monocle_signature_info signature = { .size = sizeof signature };
	bool known = monocle__describe_read_runtime_signature (image ? &image->cli : NULL, &cursor, &signature) == 0;
	monocle_wrapper_info info = {
		.size = sizeof info,
		.wrapper = wrapper_of (f.name),
		.name = f.name,
		.flags = PUBLIC_STATIC,
		.klass = monocle_class_primitive (MONO_TYPE_OBJECT),
		.signature = known ? &signature : NULL,
	};
	return monocle_method_wrapper_new (&info);
}

/* --- coming and going --------------------------------------------------------------------------------------------- */

/* Another thread may have been faster: then its record is the function's. */
static MonoMethod *
keep (FunctionID id, MonoMethod *method)
{
	function *fresh = calloc (1, sizeof *fresh);
	pthread_mutex_lock (&lock);
	function **at = find (id), *known = *at;
	if (!known && fresh) {
		*fresh = (function) { NULL, id, method, NULL };
		*at = fresh;
		monocle_id_bind (MONOCLE_ID_METHOD, id, method);
	}
	pthread_mutex_unlock (&lock);
	if (known)
		free (fresh);
	if (known || !fresh)
		monocle_method_wrapper_free (method);
	return known ? known->method : fresh ? method : NULL;
}

static MonoMethod *
known_method (FunctionID id)
{
	pthread_mutex_lock (&lock);
	function *known = *find (id);
	MonoMethod *method = known ? known->method : NULL;
	pthread_mutex_unlock (&lock);
	return method;
}

/*
 * The record of a DynamicMethod or a stub of the runtime. Made when it is first met, given back when the runtime frees
 * the function. NULL: it is not such a function, or the runtime does not say.
 */
static MonoMethod *
dynamic_function (FunctionID id)
{
	MonoMethod *method = known_method (id);
	if (!method && (method = make (id)))
		method = keep (id, method);
	return method;
}

MonoMethod *
monocle__dynamic_method_glance (FunctionID id, BOOL *ret_is_stub)
{
	static const char dynamic[] = "(wrapper dynamic-method)";
	MonoMethod *method = known_method (id);
	if (!method && (method = make (id)))
		monocle_method_wrapper_free (method);
	char *name = method ? mono_method_full_name (method, 0) : NULL;
	*ret_is_stub = name && strncmp (name, dynamic, sizeof dynamic - 1) != 0;
	free (name);
	return method;
}

MonoJitInfo *
monocle__dynamic_method_code (FunctionID id)
{
	MonoMethod *method = dynamic_function (id);
	MonoJitInfo *code = method ? monocle__codemap_compiled (id, 0, method) : NULL;
	pthread_mutex_lock (&lock);
	function *known = *find (id);
	if (known && code)
		known->start = mono_jit_info_get_code_start (code);
	pthread_mutex_unlock (&lock);
	return code;
}

/* Takes it out of the list; *ret is what it was. False: it was not reported. */
static bool
take_out (FunctionID id, function *ret)
{
	pthread_mutex_lock (&lock);
	function **at = find (id), *gone = *at;
	if (gone) {
		*ret = *gone;
		*at = gone->next;
		monocle_id_drop (MONOCLE_ID_METHOD, id);
	}
	pthread_mutex_unlock (&lock);
	free (gone);
	return gone != NULL;
}

/* --- the runtime's callbacks -------------------------------------------------------------------------------------- */

static bool
is_anybody_listening (void)
{
	return monocle__codemap_wanted () || monocle__clr_listened (MONOCLE_EVENT_jit_begin) ||
	       monocle__clr_listened (MONOCLE_EVENT_jit_done) || monocle__clr_listened (MONOCLE_EVENT_jit_failed) ||
	       monocle__clr_listened (MONOCLE_EVENT_jit_code_buffer) || monocle__clr_listened (MONOCLE_EVENT_method_free);
}

HRESULT
monocle__callback_DynamicMethodJITCompilationStarted (ICorProfilerCallback11 *self, FunctionID id, BOOL safe_to_block,
                                                      LPCBYTE il, ULONG il_size)
{
	MonoMethod *method = is_anybody_listening () ? dynamic_function (id) : NULL;
	if (method && monocle__clr_listened (MONOCLE_EVENT_jit_begin))
		monocle_raise_jit_begin (method);
	return S_OK;
}

HRESULT
monocle__callback_DynamicMethodJITCompilationFinished (ICorProfilerCallback11 *self, FunctionID id, HRESULT status,
                                                       BOOL safe_to_block)
{
	MonoMethod *method = is_anybody_listening () ? dynamic_function (id) : NULL;
	if (!method)
		return S_OK;
	if (status < 0) {
		monocle_raise_jit_failed (method);
		return S_OK;
	}
	monocle_raise_jit_done (method, monocle__dynamic_method_code (id));
	return S_OK;
}

HRESULT
monocle__callback_DynamicMethodUnloaded (ICorProfilerCallback11 *self, FunctionID id)
{
	function gone;
	monocle__codemap_unloading (NULL);
	bool was_known = take_out (id, &gone);
	if (was_known && gone.start)
		monocle_jit_info_free_code (gone.start);
	monocle__codemap_unloaded (NULL);
	if (!was_known)
		return S_OK;
	if (monocle__clr_listened (MONOCLE_EVENT_method_free))
		monocle_raise_method_free (gone.method);
	monocle_method_wrapper_free (gone.method);
	return S_OK;
}

/* Without an event: nobody listens any more. */
void
monocle__dynamic_methods_leave (void)
{
	for (size_t i = 0; i < BUCKETS; i++)
		while (functions[i])
			monocle__callback_DynamicMethodUnloaded (NULL, functions[i]->id);
}
