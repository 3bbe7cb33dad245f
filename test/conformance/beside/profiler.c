/*
 * SPDX-License-Identifier: MIT
 *
 * profiler.c - somebody else's profiler, as small as one can be: it writes down what it is told, gives one method
 * another body, and forbids the inlining of another one. It knows nothing of Monocle.
 *
 * BESIDE_OUTPUT is the folder where each copy of this library writes a file with its own name at the end, BESIDE_HOW
 * words for all copies, or COPY:WORD for one:
 *
 *   notify    asks to be loaded as a notification profiler
 *   decline   declines when it is initialised
 *   collector listens to the runtime's events of collections as well
 *   probe     tries each flag of the mask alone, and the calls that only the main profiler may make
 *
 * The program's methods are known by their names: Answer gets a body that returns 2 where it returned 1, when
 * GiveAnotherBody is compiled; Tiny must not be inlined. To give Catch the body that it has is one of the calls that
 * are tried.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "com.h"

enum { NAME_SIZE = 128, METHODS = 256 };

static ICorProfilerInfo15 *info;
static ModuleID program;     /* 0 until it is loaded */
static mdToken answer_token; /* 0 until it is compiled */
static ModuleID answer_module;
static pthread_t asker;
static atomic_uint thrown, caught, rejitted, failed, forbidden, collections, started;

typedef struct {
	char name[NAME_SIZE];
	unsigned compiled;
} method;

static method methods[METHODS];
static size_t method_count;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char report_path[4096];
static FILE *report;

/* --- which copy this is ------------------------------------------------------------------------------------------- */

static const char *
own_name (void)
{
	static char name[256];
	Dl_info about;
	if (!*name && dladdr ((void *) own_name, &about))
		snprintf (name, sizeof name, "%s", strrchr (about.dli_fname, '/') + 1);
	name[strcspn (name, ".")] = '\0';
	return name;
}

/* Is the word among those of BESIDE_HOW, for all copies or for this one? */
static bool
is_told (const char *word)
{
	const char *how = getenv ("BESIDE_HOW");
	char *copy = strdup (how ? how : ""), *left = copy, *one, mine[512];
	bool found = false;
	snprintf (mine, sizeof mine, "%s:%s", own_name (), word);
	while ((one = strsep (&left, " ")))
		found |= strcmp (one, word) == 0 || strcmp (one, mine) == 0;
	free (copy);
	return found;
}

/* --- names -------------------------------------------------------------------------------------------------------- */

static IMetaDataImport2 *
metadata_of (ModuleID module)
{
	IUnknown *import = NULL;
	const DWORD read = 0;
	return info->vtbl->GetModuleMetaData (info, module, read, &IID_IMetaDataImport2, &import) == S_OK
	         ? (IMetaDataImport2 *) import
	         : NULL;
}

/* The name of a method of the program; false: it is another's. */
static bool
name_of (FunctionID function, char *ret_name, ModuleID *ret_module, mdToken *ret_token)
{
	WCHAR wide[NAME_SIZE];
	ULONG length = 0;
	ClassID klass;
	if (info->vtbl->GetFunctionInfo (info, function, &klass, ret_module, ret_token) < 0 || *ret_module != program)
		return false;
	IMetaDataImport2 *metadata = metadata_of (*ret_module);
	if (!metadata || metadata->vtbl->GetMethodProps (metadata, *ret_token, NULL, wide, NAME_SIZE, &length, NULL, NULL,
	                                                 NULL, NULL, NULL) < 0)
		return false;
	for (ULONG i = 0; i < length; i++)
		ret_name[i] = (char) wide[i];
	metadata->vtbl->Release (metadata);
	return true;
}

HRESULT
monocle__callback_ModuleLoadFinished (ICorProfilerCallback11 *self, ModuleID module, HRESULT status)
{
	WCHAR wide[1024] = { 0 };
	char name[1024] = "";
	ULONG length = 0;
	LPCBYTE base;
	AssemblyID assembly;
	if (info->vtbl->GetModuleInfo (info, module, &base, 1024, &length, wide, &assembly) < 0)
		return S_OK;
	for (ULONG i = 0; i < length; i++)
		name[i] = (char) wide[i];
	if (strstr (name, "beside.exe"))
		program = module;
	return S_OK;
}

/* --- code --------------------------------------------------------------------------------------------------------- */

/* The runtime's locks are held where a method is compiled; its own thread asks for the new body. */
static void *
ask_body (void *nothing)
{
	HRESULT hr = info->vtbl->RequestReJIT (info, 1, &answer_module, &answer_token);
	if (hr < 0)
		atomic_fetch_add (&failed, 1);
	return NULL;
}

HRESULT
monocle__callback_JITCompilationStarted (ICorProfilerCallback11 *self, FunctionID function, BOOL safe)
{
	char name[NAME_SIZE];
	ModuleID module;
	mdToken token;
	size_t i;
	if (!name_of (function, name, &module, &token))
		return S_OK;
	pthread_mutex_lock (&lock);
	for (i = 0; i < method_count && strcmp (methods[i].name, name) != 0; i++)
		;
	if (i == method_count && method_count < METHODS)
		strcpy (methods[method_count++].name, name);
	if (i < METHODS)
		methods[i].compiled++;
	pthread_mutex_unlock (&lock);
	if (strcmp (name, "Catch") == 0 && is_told ("probe")) {
		LPCBYTE body;
		ULONG size;
		if (info->vtbl->GetILFunctionBody (info, module, token, &body, &size) == S_OK)
			fprintf (report, "SetILFunctionBody %08X\n",
			         (unsigned) info->vtbl->SetILFunctionBody (info, module, token, body));
	}
	if (strcmp (name, "Answer") == 0) {
		answer_module = module;
		answer_token = token;
	}
	if (strcmp (name, "GiveAnotherBody") == 0 && answer_token && !is_told ("notify"))
		pthread_create (&asker, NULL, ask_body, NULL);
	return S_OK;
}

/* A tiny body, "ldc.i4.1; ret", which may have a nop or a local before: its one ldc.i4.1 becomes ldc.i4.2. */
HRESULT
monocle__callback_GetReJITParameters (ICorProfilerCallback11 *self, ModuleID module, mdToken token,
                                      ICorProfilerFunctionControl *control)
{
	enum { LDC_1 = 0x17, LDC_2 = 0x18 };
	LPCBYTE body = NULL;
	ULONG size = 0;
	static BYTE changed[64];
	if (info->vtbl->GetILFunctionBody (info, module, token, &body, &size) < 0 || size > sizeof changed)
		return E_FAIL;
	memcpy (changed, body, size);
	BYTE *one = memchr (changed, LDC_1, size);
	if (!one)
		return E_FAIL;
	*one = LDC_2;
	return control->vtbl->SetILFunctionBody (control, size, changed);
}

HRESULT
monocle__callback_ReJITCompilationFinished (ICorProfilerCallback11 *self, FunctionID function, ReJITID version,
                                            HRESULT status, BOOL safe)
{
	atomic_fetch_add (status < 0 ? &failed : &rejitted, 1);
	return S_OK;
}

HRESULT
monocle__callback_JITInlining (ICorProfilerCallback11 *self, FunctionID caller, FunctionID callee, BOOL *ret_inline)
{
	char name[NAME_SIZE];
	ModuleID module;
	mdToken token;
	bool is_tiny = name_of (callee, name, &module, &token) && strcmp (name, "Tiny") == 0;
	if (is_tiny)
		atomic_fetch_add (&forbidden, 1);
	*ret_inline = !is_tiny;
	return S_OK;
}

/* --- what happens ------------------------------------------------------------------------------------------------- */

HRESULT
monocle__callback_ExceptionThrown (ICorProfilerCallback11 *self, ObjectID object)
{
	atomic_fetch_add (&thrown, 1);
	return S_OK;
}

HRESULT
monocle__callback_ExceptionCatcherEnter (ICorProfilerCallback11 *self, FunctionID function, ObjectID object)
{
	atomic_fetch_add (&caught, 1);
	return S_OK;
}

HRESULT
monocle__callback_GarbageCollectionStarted (ICorProfilerCallback11 *self, int count, BOOL generations[],
                                            COR_PRF_GC_REASON reason)
{
	if (reason == COR_PRF_GC_INDUCED)
		atomic_fetch_add (&collections, 1);
	return S_OK;
}

/* GCStart, of the session below. */
HRESULT
monocle__callback_EventPipeEventDelivered (ICorProfilerCallback11 *self, EVENTPIPE_PROVIDER from, DWORD id,
                                           DWORD version, ULONG metadata_size, LPCBYTE metadata, ULONG size,
                                           LPCBYTE data, const GUID *activity, const GUID *related, ThreadID thread,
                                           ULONG frame_count, UINT_PTR *frames)
{
	enum { RUNTIME_METADATA = 26, GC_START = 1 };
	if (metadata_size == RUNTIME_METADATA && id == GC_START)
		atomic_fetch_add (&started, 1);
	return S_OK;
}

/* --- start and end ------------------------------------------------------------------------------------------------ */

/* One line for each flag that is refused alone, and for each call that is. */
static void
try_all (void)
{
	for (int bit = 0; bit < 64; bit++) {
		DWORD low = bit < 32 ? 1u << bit : 0, high = bit < 32 ? 0 : 1u << (bit - 32);
		HRESULT hr = info->vtbl->SetEventMask2 (info, low, high);
		if (bit < 32 + 9 && hr < 0)
			fprintf (report, "refused %08X/%08X %08X\n", (unsigned) low, (unsigned) high, (unsigned) hr);
	}
	mdToken token = 0x06000001;
	ModuleID module = 1;
	HRESULT status;
	fprintf (report, "ReJIT %08X\n", (unsigned) info->vtbl->RequestReJIT (info, 1, &module, &token));
	fprintf (report, "Revert %08X\n", (unsigned) info->vtbl->RequestRevert (info, 1, &module, &token, &status));
}

/* What goes wrong in here must be seen: a session that another profiler has too. */
static void
start_session (void)
{
	static const WCHAR runtime[] = u"Microsoft-Windows-DotNETRuntime";
	COR_PRF_EVENTPIPE_PROVIDER_CONFIG config = { runtime, 0x1 | 0x2 | 0x400000, 5, NULL };
	EVENTPIPE_SESSION session;
	if (info->vtbl->EventPipeStartSession (info, 1, &config, 0, &session) < 0)
		atomic_fetch_add (&failed, 1);
}

HRESULT
monocle__callback_Initialize (ICorProfilerCallback11 *self, IUnknown *unknown)
{
	DWORD low = COR_PRF_MONITOR_MODULE_LOADS | COR_PRF_MONITOR_JIT_COMPILATION | COR_PRF_MONITOR_EXCEPTIONS;
	DWORD high = COR_PRF_HIGH_BASIC_GC;
	const char *folder = getenv ("BESIDE_OUTPUT");
	if (is_told ("decline") || !folder)
		return CORPROF_E_PROFILER_CANCEL_ACTIVATION;
	if (unknown->vtbl->QueryInterface (unknown, &IID_ICorProfilerInfo12, (void **) &info) < 0)
		return E_FAIL;
	snprintf (report_path, sizeof report_path, "%s/%s", folder, own_name ());
	report = fopen (report_path, "we");
	if (!report)
		return E_FAIL;
	if (is_told ("probe"))
		try_all ();
	if (!is_told ("notify"))
		low |= COR_PRF_ENABLE_REJIT;
	if (is_told ("collector")) {
		high |= COR_PRF_HIGH_MONITOR_EVENT_PIPE;
		start_session ();
	}
	return info->vtbl->SetEventMask2 (info, low, high);
}

HRESULT
monocle__callback_LoadAsNotificationOnly (ICorProfilerCallback11 *self, BOOL *ret_notification)
{
	*ret_notification = is_told ("notify");
	return S_OK;
}

static int
compare (const void *a, const void *b)
{
	return strcmp (((const method *) a)->name, ((const method *) b)->name);
}

HRESULT
monocle__callback_Shutdown (ICorProfilerCallback11 *self)
{
	if (asker)
		pthread_join (asker, NULL);
	pthread_mutex_lock (&lock);
	qsort (methods, method_count, sizeof *methods, compare);
	for (size_t i = 0; i < method_count; i++)
		fprintf (report, "compiled %s %u\n", methods[i].name, methods[i].compiled);
	pthread_mutex_unlock (&lock);
	fprintf (report, "thrown %u\ncaught %u\nrejitted %u\nfailed %u\nforbidden %u\ncollections %u\nstarted %u\n", thrown,
	         caught, rejitted, failed, forbidden, collections, started);
	fclose (report);
	return S_OK;
}

/* --- COM ---------------------------------------------------------------------------------------------------------- */

static bool
is_guid (const GUID *iid, const GUID *wanted)
{
	return memcmp (iid, wanted, sizeof *iid) == 0;
}

static ICorProfilerCallback11 callback = { &monocle__callback_vtbl };

HRESULT
monocle__com_QueryInterface (ICorProfilerCallback11 *self, const GUID *iid, void **ret_object)
{
	for (const GUID *const *known = monocle__callback_iids; *known; known++) {
		if (is_guid (iid, *known)) {
			*ret_object = self;
			return S_OK;
		}
	}
	*ret_object = NULL;
	return E_NOINTERFACE;
}

ULONG
monocle__com_AddRef (ICorProfilerCallback11 *self)
{
	return 1;
}

ULONG
monocle__com_Release (ICorProfilerCallback11 *self)
{
	return 1;
}

static HRESULT
factory_query (IClassFactory *self, const GUID *iid, void **ret_object)
{
	*ret_object = self;
	return S_OK;
}

static ULONG
factory_count (IClassFactory *self)
{
	return 1;
}

static HRESULT
factory_create (IClassFactory *self, IUnknown *outer, const GUID *iid, void **ret_object)
{
	return monocle__com_QueryInterface (&callback, iid, ret_object);
}

static HRESULT
factory_lock (IClassFactory *self, BOOL is_locked)
{
	return S_OK;
}

static const IClassFactoryVtbl factory_vtbl = {
	.QueryInterface = factory_query,
	.AddRef = factory_count,
	.Release = factory_count,
	.CreateInstance = factory_create,
	.LockServer = factory_lock,
};
static IClassFactory factory = { &factory_vtbl };

__attribute__ ((visibility ("default"))) HRESULT DllGetClassObject (const GUID *clsid, const GUID *iid,
                                                                    void **ret_object);

HRESULT
DllGetClassObject (const GUID *clsid, const GUID *iid, void **ret_object)
{
	*ret_object = &factory;
	return S_OK;
}
