/*
 * SPDX-License-Identifier: MIT
 *
 * fake-runtime.c - see fake-runtime.h.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "ecma.h"
#include "fake-runtime.h"
#include "pause.h"

_Atomic DWORD fake_mask, fake_high_mask;
HRESULT fake_mask_answer;
HRESULT fake_module_answer = CORPROF_E_DATAINCOMPLETE;
DWORD fake_refused_flags;
_Atomic uint64_t fake_keywords;
atomic_uint fake_level, fake_sessions;
atomic_uint fake_asked;

/* --- ICorProfilerInfo --------------------------------------------------------------------------------------------- */

static HRESULT
query_interface (ICorProfilerInfo15 *self, const GUID *iid, void **ret_object)
{
	bool known = memcmp (iid, &IID_ICorProfilerInfo15, sizeof *iid) == 0;
	*ret_object = known ? self : NULL;
	return known ? S_OK : E_NOINTERFACE;
}

static ULONG
reference (ICorProfilerInfo15 *self)
{
	return 1;
}

static HRESULT
get_runtime_information (ICorProfilerInfo15 *self, USHORT *instance, COR_PRF_RUNTIME_TYPE *type, USHORT *major,
                         USHORT *minor, USHORT *build, USHORT *qfe, ULONG size, ULONG *length, WCHAR *text)
{
	static const WCHAR version[] = u"10.2.3";
	*instance = 0;
	*length = sizeof version / sizeof *version;
	if (size < *length) /* as .NET Core 3.1 does, which tells nothing else either */
		return HRESULT_ERROR_INSUFFICIENT_BUFFER;
	memcpy (text, version, sizeof version);
	*type = COR_PRF_CORE_CLR;
	*major = 10;
	*minor = 2;
	*build = 3;
	*qfe = 0;
	return S_OK;
}

static HRESULT
set_event_mask2 (ICorProfilerInfo15 *self, DWORD low, DWORD high)
{
	if (low & fake_refused_flags)
		return E_FAIL;
	if (fake_mask_answer >= 0) {
		fake_mask = low;
		fake_high_mask = high;
	}
	return fake_mask_answer;
}

static HRESULT
start_session (ICorProfilerInfo15 *self, UINT32 count, COR_PRF_EVENTPIPE_PROVIDER_CONFIG *providers, BOOL rundown,
               EVENTPIPE_SESSION *ret_session)
{
	assert_int_equal (count, 1);
	assert_int_equal (fake_keywords, 0);
	*ret_session = ++fake_sessions;
	fake_level = providers->loggingLevel;
	fake_keywords = providers->keywords; /* last: tests wait for them */
	return S_OK;
}

static HRESULT
stop_session (ICorProfilerInfo15 *self, EVENTPIPE_SESSION session)
{
	assert_int_equal (session, fake_sessions);
	fake_keywords = 0;
	return S_OK;
}

void
fake_touch (const fake_module *module)
{
	if (!module || (!atomic_load (&module->is_going) && !atomic_load (&module->is_gone)))
		return;
	fprintf (stderr, "the runtime is asked about a module that has gone\n");
	abort ();
}

static HRESULT
get_module_info2 (ICorProfilerInfo15 *self, ModuleID id, LPCBYTE *ret_base, ULONG size, ULONG *ret_length, WCHAR *name,
                  AssemblyID *ret_assembly, DWORD *ret_flags)
{
	const fake_module *module = (const fake_module *) id;
	ULONG length = 0;
	fake_touch (module);
	if (!module->data)
		return fake_module_answer;
	while (length + 1 < size && module->path[length]) {
		name[length] = module->path[length];
		length++;
	}
	name[length] = 0;
	*ret_length = length + 1;
	*ret_base = module->data;
	*ret_assembly = id + 1;
	*ret_flags = module->flags | COR_PRF_MODULE_DISK | (module->is_mapped ? 0 : COR_PRF_MODULE_FLAT_LAYOUT);
	return S_OK;
}

static HRESULT
is_array_class (ICorProfilerInfo15 *self, ClassID id, CorElementType *ret_element, ClassID *ret_class, ULONG *ret_rank)
{
	const fake_class *klass = (const fake_class *) id;
	fake_touch (klass->module);
	fake_asked++;
	if (klass->module)
		return S_FALSE;
	*ret_element = klass->element;
	*ret_class = klass->element_class;
	*ret_rank = klass->rank;
	return S_OK;
}

static HRESULT
get_class_id_info2 (ICorProfilerInfo15 *self, ClassID id, ModuleID *ret_module, mdToken *ret_token, ClassID *ret_parent,
                    ULONG32 size, ULONG32 *ret_count, ClassID *arguments)
{
	const fake_class *klass = (const fake_class *) id;
	fake_touch (klass->module);
	*ret_module = ID (klass->module);
	*ret_token = klass->token;
	*ret_parent = 0;
	*ret_count = klass->count;
	memcpy (arguments, klass->arguments, klass->count * sizeof *arguments);
	return S_OK;
}

static HRESULT
get_class_id_info (ICorProfilerInfo15 *self, ClassID id, ModuleID *ret_module, mdToken *ret_token)
{
	const fake_class *klass = (const fake_class *) id;
	fake_touch (klass->module);
	*ret_module = ID (klass->module);
	*ret_token = klass->token;
	return S_OK;
}

static HRESULT
get_module_metadata (ICorProfilerInfo15 *self, ModuleID module, DWORD flags, const GUID *iid, IUnknown **ret_import)
{
	fake_touch ((const fake_module *) module);
	return CORPROF_E_DATAINCOMPLETE;
}

static HRESULT
get_function_info2 (ICorProfilerInfo15 *self, FunctionID id, COR_PRF_FRAME_INFO frame, ClassID *ret_class,
                    ModuleID *ret_module, mdToken *ret_token, ULONG32 size, ULONG32 *ret_count, ClassID *arguments)
{
	const fake_function *function = (const fake_function *) id;
	fake_touch (function->module);
	fake_asked++;
	*ret_class = function->owner;
	*ret_module = ID (function->module);
	*ret_token = function->token;
	*ret_count = function->count;
	memcpy (arguments, function->arguments, function->count * sizeof *arguments);
	return S_OK;
}

fake_function *fake_found;

static HRESULT
get_function_from_token (ICorProfilerInfo15 *self, ModuleID module, mdToken token, FunctionID *ret_function)
{
	fake_asked++;
	if (!fake_found || ID (fake_found->module) != module || fake_found->token != token)
		return CORPROF_E_DATAINCOMPLETE;
	*ret_function = ID (fake_found);
	return S_OK;
}

static HRESULT
get_native_code_start_addresses (ICorProfilerInfo15 *self, FunctionID id, ReJITID rejit, ULONG32 size,
                                 ULONG32 *ret_count, UINT_PTR *starts)
{
	const fake_function *function = (const fake_function *) id;
	fake_touch (function->module);
	fake_asked++;
	*ret_count = function->body_count;
	memcpy (starts, function->bodies, function->body_count * sizeof *starts);
	return S_OK;
}

static HRESULT
get_function_from_ip (ICorProfilerInfo15 *self, LPCBYTE address, FunctionID *ret_function)
{
	fake_asked++;
	if (fake_found && atomic_load (&fake_found->module->is_gone)) /* code that has gone is no code */
		return E_FAIL;
	fake_touch (fake_found ? fake_found->module : NULL);
	for (uint32_t i = 0; fake_found && i < fake_found->body_count; i++)
		if ((uintptr_t) address - ID (fake_found->bodies[i]) < fake_found->bodies[i]->size) {
			*ret_function = ID (fake_found);
			return S_OK;
		}
	return E_FAIL;
}

static HRESULT
get_function_from_ip3 (ICorProfilerInfo15 *self, LPCBYTE address, FunctionID *ret_function, ReJITID *ret_version)
{
	*ret_version = 0;
	return get_function_from_ip (self, address, ret_function);
}

FunctionID fake_frame;
_Thread_local bool fake_collects;

static HRESULT
get_current_thread_id (ICorProfilerInfo15 *self, ThreadID *ret_thread)
{
	*ret_thread = fake_collects ? 0 : 1;
	return fake_collects ? CORPROF_E_NOT_MANAGED_THREAD : S_OK;
}

static HRESULT
do_stack_snapshot (ICorProfilerInfo15 *self, ThreadID thread, void *visit, ULONG32 flags, void *data, BYTE *context,
                   ULONG32 context_size)
{
	HRESULT (*visitor) (FunctionID, UINT_PTR, COR_PRF_FRAME_INFO, ULONG32, BYTE *, void *) = visit;
	if (fake_frame)
		visitor (fake_frame, 0, 0, 0, NULL, data);
	return fake_frame ? S_OK : E_FAIL;
}

static HRESULT
get_code_info4 (ICorProfilerInfo15 *self, UINT_PTR start, ULONG32 size, ULONG32 *ret_count, COR_PRF_CODE_INFO *infos)
{
	*ret_count = 1;
	infos[0] = (COR_PRF_CODE_INFO) { start, ((const fake_body *) start)->size };
	return S_OK;
}

static HRESULT
get_il_to_native_mapping3 (ICorProfilerInfo15 *self, UINT_PTR start, ULONG32 size, ULONG32 *ret_count,
                           COR_DEBUG_IL_TO_NATIVE_MAP *map)
{
	const fake_body *body = (const fake_body *) start;
	if (!body->map)
		return CORPROF_E_DEBUGGING_DISABLED;
	for (ULONG32 i = 0; i < size && i < body->count; i++)
		map[i] = body->map[i];
	*ret_count = body->count;
	return S_OK;
}

static HRESULT
get_string_layout2 (ICorProfilerInfo15 *self, ULONG *ret_length, ULONG *ret_characters)
{
	*ret_length = 8;
	*ret_characters = 12;
	return S_OK;
}

atomic_uint fake_forced;

/* It has no code, so no thread is ever in some. */
static HRESULT
suspend_runtime (ICorProfilerInfo15 *self)
{
	return S_OK;
}

static HRESULT
resume_runtime (ICorProfilerInfo15 *self)
{
	return S_OK;
}

static HRESULT
force_gc (ICorProfilerInfo15 *self)
{
	fake_forced++;
	return S_OK;
}

static HRESULT
create_handle (ICorProfilerInfo15 *self, ObjectID object, COR_PRF_HANDLE_TYPE type, ObjectHandleID *ret_handle)
{
	return E_FAIL;
}

/* --- lists of modules, and further bodies ------------------------------------------------------------------------- */

fake_module *fake_modules[FAKE_MODULES];
atomic_uint fake_requested, fake_reverted;

static struct {
	fake_module *modules[FAKE_MODULES];
	unsigned count, next;
} listed;

static void
list_modules (void)
{
	listed.count = listed.next = 0;
	for (unsigned i = 0; i < FAKE_MODULES; i++) {
		fake_module *module = fake_modules[i];
		if (module && !atomic_load (&module->is_unlisted) && !atomic_load (&module->is_gone))
			listed.modules[listed.count++] = module;
	}
}

static ULONG
release_list (ICorProfilerModuleEnum *self)
{
	return 0;
}

static HRESULT
next_module (ICorProfilerModuleEnum *self, ULONG count, ModuleID *ids, ULONG *ret_count)
{
	*ret_count = listed.next < listed.count;
	if (*ret_count)
		*ids = ID (listed.modules[listed.next++]);
	return *ret_count ? S_OK : S_FALSE;
}

static HRESULT
enum_modules (ICorProfilerInfo15 *self, ICorProfilerModuleEnum **ret_list)
{
	static const ICorProfilerModuleEnumVtbl of_list = { .Release = release_list, .Next = next_module };
	static ICorProfilerModuleEnum list = { &of_list };
	list_modules ();
	MONOCLE__PAUSE (fake_modules_listed);
	*ret_list = &list;
	return S_OK;
}

/* It goes through methods that hold copies, which may be of any module, by a list that it makes first. */
static HRESULT
request_bodies (ICorProfilerInfo15 *self, DWORD flags, ULONG count, ModuleID *modules, uint32_t *methods)
{
	list_modules ();
	MONOCLE__PAUSE (fake_copies_listed);
	for (unsigned i = 0; i < listed.count; i++)
		fake_touch (listed.modules[i]);
	fake_requested += count;
	return S_OK;
}

static HRESULT
request_own_bodies (ICorProfilerInfo15 *self, ULONG count, ModuleID *modules, uint32_t *methods)
{
	return S_OK;
}

static HRESULT
request_revert (ICorProfilerInfo15 *self, ULONG count, ModuleID *modules, uint32_t *methods, HRESULT *results)
{
	for (ULONG i = 0; i < count; i++) {
		fake_touch ((const fake_module *) modules[i]);
		MONOCLE__PAUSE (fake_reverts);
	}
	fake_reverted += count;
	return S_OK;
}

static const ICorProfilerInfo15Vtbl slots = {
	.QueryInterface = query_interface,
	.AddRef = reference,
	.Release = reference,
	.GetRuntimeInformation = get_runtime_information,
	.GetStringLayout2 = get_string_layout2,
	.SetEventMask2 = set_event_mask2,
	.EventPipeStartSession = start_session,
	.EventPipeStopSession = stop_session,
	.EnumModules = enum_modules,
	.RequestReJITWithInliners = request_bodies,
	.RequestReJIT = request_own_bodies,
	.RequestRevert = request_revert,
	.GetModuleInfo2 = get_module_info2,
	.GetModuleMetaData = get_module_metadata,
	.IsArrayClass = is_array_class,
	.GetClassIDInfo = get_class_id_info,
	.GetClassIDInfo2 = get_class_id_info2,
	.GetFunctionInfo2 = get_function_info2,
	.GetFunctionFromIP = get_function_from_ip,
	.GetFunctionFromIP3 = get_function_from_ip3,
	.GetFunctionFromToken = get_function_from_token,
	.GetNativeCodeStartAddresses = get_native_code_start_addresses,
	.GetCodeInfo4 = get_code_info4,
	.DoStackSnapshot = do_stack_snapshot,
	.GetCurrentThreadID = get_current_thread_id,
	.CreateHandle = create_handle,
	.ForceGC = force_gc,
	.SuspendRuntime = suspend_runtime,
	.ResumeRuntime = resume_runtime,
	.GetILToNativeMapping3 = get_il_to_native_mapping3,
};

ICorProfilerInfo15 fake_runtime = { &slots };

/* --- modules ------------------------------------------------------------------------------------------------------ */

bool
fake_module_read (fake_module *ret_module, const char *path)
{
	FILE *file = fopen (path, "rb");
	if (!file)
		return false;
	fseek (file, 0, SEEK_END);
	ret_module->size = (size_t) ftell (file);
	rewind (file);
	ret_module->data = malloc (ret_module->size);
	bool done = ret_module->data && fread (ret_module->data, 1, ret_module->size, file) == ret_module->size;
	fclose (file);
	return done;
}

void
fake_module_rename (fake_module *module, const char *name)
{
	static const char victim[] = "<PrivateImplementationDetails>";
	monocle__ecma_image ecma;
	assert_true (strlen (name) < sizeof victim);
	assert_int_equal (monocle__ecma_open_pe (&ecma, module->data, module->size, false), 0);
	char *at = memmem (ecma.strings, ecma.strings_size, victim, sizeof victim);
	assert_non_null (at);
	strcpy (at, name);
	const monocle__ecma_table *table = &ecma.tables[MONOCLE__TABLE_Assembly];
	uint8_t *column = (uint8_t *) table->data + table->column_offset[MONOCLE__COL_Assembly_Name];
	uint32_t offset = (uint32_t) (at - ecma.strings);
	memcpy (column, &offset, table->column_size[MONOCLE__COL_Assembly_Name]);
}

void
fake_load (fake_module *module)
{
	atomic_store (&module->is_gone, false);
	atomic_store (&module->is_unlisted, false);
	monocle__callback_ModuleLoadFinished (NULL, ID (module), S_OK);
	monocle__callback_ModuleAttachedToAssembly (NULL, ID (module), ID (module) + 1);
	monocle__callback_AssemblyLoadFinished (NULL, ID (module) + 1, S_OK);
}

void
fake_unload (fake_module *module)
{
	atomic_store (&module->is_unlisted, true);
	monocle__callback_AssemblyUnloadStarted (NULL, ID (module) + 1);
	monocle__callback_ModuleUnloadStarted (NULL, ID (module));
	atomic_store (&module->is_going, true);
	MONOCLE__PAUSE (fake_unloads);
	atomic_store (&module->is_gone, true);
	atomic_store (&module->is_going, false);
	monocle__callback_ModuleUnloadFinished (NULL, ID (module), S_OK);
	monocle__callback_AssemblyUnloadFinished (NULL, ID (module) + 1, S_OK);
}
