/*
 * SPDX-License-Identifier: MIT
 *
 * code.c - machine code of methods: which of its bodies is the newest, and which IL its instructions come from.
 *
 * A method has many bodies: precompiled, tier 0, with counters, replaced on the stack, tier 1. Native offsets are meant
 * in the newest. Everything here calls the runtime, which is legal in normal context only: not in probes, not while the
 * world is stopped.
 */
#include "code.h"
#include <stdlib.h>
#include <monocle/host.h>
#include "codemap.h"
#include "images/editable.h"
#include "images/image.h"
#include "images/resolve.h"
#include "inlined.h"
#include "state.h"

enum { BODIES_MAX = 32 };

/* Values in place of an IL offset. */
enum { NO_MAPPING = -1, PROLOG = -2, EPILOG = -3 };

/* One body with its map, by ascending native offset. */
typedef struct {
	COR_DEBUG_IL_TO_NATIVE_MAP *map;
	ULONG32 count;
	UINT_PTR start;
	uint32_t size;
} body;

void
monocle__clr_code_seen (FunctionID function, MonoMethod *method)
{
	__atomic_store_n ((uintptr_t *) monocle_method_slot (method), (uintptr_t) function, __ATOMIC_RELAXED);
}

/*
 * The function that was last seen under this method's name: shared instances have many. An id that no longer means this
 * method may mean nothing. 0: none is known; generic methods cannot be found by their token.
 */
static FunctionID
function_of (MonoMethod *method)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = __atomic_load_n ((uintptr_t *) monocle_method_slot (method), __ATOMIC_RELAXED);
	monocle__clr_image *image = monocle__clr_image_of (monocle_method_image (method));
	if (!image || !image->id)
		return 0;
	if (function && monocle_id_find (MONOCLE_ID_METHOD, function) == method)
		return function;
	if (monocle_method_definition (method) != method ||
	    info->vtbl->GetFunctionFromToken (info, image->id, monocle_method_token (method), &function) < 0)
		return 0;
	return function;
}

/*
 * The runtime lists the body that it made (or found precompiled) first, then the others, newest first. 0: there is
 * none. Older runtimes know one body of a method.
 */
static UINT_PTR
newest_start (FunctionID function)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	UINT_PTR starts[BODIES_MAX];
	ULONG32 count = 0;
	if (monocle__clr_state.info_version < 9 ||
	    info->vtbl->GetNativeCodeStartAddresses (info, function, 0, BODIES_MAX, &count, starts) < 0 || !count)
		return 0;
	return starts[count > 1];
}

static int
by_native_offset (const void *a, const void *b)
{
	const COR_DEBUG_IL_TO_NATIVE_MAP *x = a, *y = b;
	if (x->nativeStartOffset != y->nativeStartOffset)
		return x->nativeStartOffset < y->nativeStartOffset ? -1 : 1;
	/* What begins and ends here says less than what goes on from here. */
	return x->nativeEndOffset < y->nativeEndOffset ? -1 : x->nativeEndOffset > y->nativeEndOffset;
}

static bool
read_map (body *b)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ULONG32 count = 0;
	if (info->vtbl->GetILToNativeMapping3 (info, b->start, 0, &count, NULL) < 0)
		return false;
	b->map = calloc (count + 1u, sizeof *b->map);
	if (!b->map || info->vtbl->GetILToNativeMapping3 (info, b->start, count, &b->count, b->map) < 0)
		return false;
	if (b->count > count)
		b->count = count;
	qsort (b->map, b->count, sizeof *b->map, by_native_offset);
	return true;
}

static UINT_PTR
newest_start_of (MonoMethod *method)
{
	FunctionID function = function_of (method);
	return function ? newest_start (function) : 0;
}

/* Of the code that begins at `start`; the runtime does not keep a map of every body. False: there is no code. */
static bool
open_body (UINT_PTR start, body *ret)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	COR_PRF_CODE_INFO code[2];
	ULONG32 parts = 0;
	*ret = (body) { .start = start };
	if (!start || monocle__clr_state.info_version < 9 ||
	    info->vtbl->GetCodeInfo4 (info, ret->start, 2, &parts, code) < 0 || !parts)
		return false;
	ret->size = (uint32_t) code[0].size;
	if (!read_map (ret))
		ret->count = 0;
	return true;
}

/* Where the bodies of a function begin; how many there are. */
static uint32_t
find_starts (FunctionID function, UINT_PTR ret_starts[BODIES_MAX])
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ULONG32 count = 0;
	if (monocle__clr_state.info_version < 9 ||
	    info->vtbl->GetNativeCodeStartAddresses (info, function, 0, BODIES_MAX, &count, ret_starts) < 0)
		return 0;
	return count < BODIES_MAX ? count : BODIES_MAX;
}

/* The body of a function that an address lies in, with its map: the last that begins at or before it. */
static bool
find_body (FunctionID function, uintptr_t address, body *ret)
{
	UINT_PTR starts[BODIES_MAX];
	uint32_t count = find_starts (function, starts);
	*ret = (body) { .start = 0 };
	for (uint32_t i = 0; i < count; i++)
		if (starts[i] <= address && starts[i] > ret->start)
			ret->start = starts[i];
	return ret->start && read_map (ret);
}

static bool
is_il (const COR_DEBUG_IL_TO_NATIVE_MAP *entry)
{
	return (LONG) entry->ilOffset >= 0;
}

/*
 * The last IL that began at or before the offset: an epilogue, and what belongs to no IL, is counted to what precedes
 * it, as on Mono. A prologue belongs to nothing. What the compiler puts between it and the first statement, such as
 * the run of a static constructor, is counted to the latter.
 */
static uint32_t
il_offset_at (const body *b, uint32_t native_offset)
{
	uint32_t found = UINT32_MAX;
	for (ULONG32 i = 0; i < b->count && b->map[i].nativeStartOffset <= native_offset; i++)
		if (is_il (&b->map[i]))
			found = b->map[i].ilOffset;
		else if ((LONG) b->map[i].ilOffset == NO_MAPPING && found == UINT32_MAX)
			found = 0;
		else if ((LONG) b->map[i].ilOffset == PROLOG && native_offset < b->map[i].nativeEndOffset)
			return UINT32_MAX;
	return found;
}

uint32_t
monocle__clr_code_il_offset (FunctionID function, uintptr_t ip)
{
	body b;
	uint32_t found = find_body (function, ip, &b) ? il_offset_at (&b, (uint32_t) (ip - b.start)) : UINT32_MAX;
	free (b.map);
	return found;
}

/* Every handler has a prologue of its own; the first one is the method's. */
static bool
handler_in (const body *b, uint32_t begin, monocle__clr_code_handler *ret)
{
	uint32_t prologues = 0;
	ULONG32 at = b->count;
	for (ULONG32 i = 0; i < b->count; i++)
		if ((LONG) b->map[i].ilOffset == PROLOG && prologues++ && b->map[i].nativeStartOffset == begin) {
			ret->place = prologues - 2;
			at = i;
		}
	if (at == b->count)
		return false;
	ret->count = prologues - 1;
	ret->il_offset = UINT32_MAX;
	for (ULONG32 i = at + 1; i < b->count && (LONG) b->map[i].ilOffset != PROLOG; i++)
		if (is_il (&b->map[i]) && ret->il_offset == UINT32_MAX)
			ret->il_offset = b->map[i].ilOffset;
	return true;
}

bool
monocle__clr_code_handler_at (FunctionID function, uintptr_t begin, monocle__clr_code_handler *ret)
{
	body b;
	bool found = find_body (function, begin, &b) && handler_in (&b, (uint32_t) (begin - b.start), ret);
	free (b.map);
	return found;
}

static int
il_offset_of (void *host, MonoMethod *method, const void *start, uint32_t native_offset, uint32_t *ret_il_offset)
{
	body b;
	monocle__clr_image *image = monocle__clr_image_of (monocle_method_image (method));
	if (!monocle__editable_has_symbols (image, monocle_method_token (method)))
		return MONOCLE_E_UNKNOWN;
	bool found_body = open_body (start ? (UINT_PTR) start : newest_start_of (method), &b);
	uint32_t found = found_body ? il_offset_at (&b, native_offset) : UINT32_MAX;
	free (b.map);
	if (found == UINT32_MAX)
		return MONOCLE_E_UNKNOWN;
	*ret_il_offset = found;
	return MONOCLE_OK;
}

static void
fill_points (const body *b, monocle_code_point *points, uint32_t capacity)
{
	for (ULONG32 i = 0; i < b->count && i < capacity; i++)
		points[i] =
		    (monocle_code_point) { b->map[i].nativeStartOffset, is_il (&b->map[i]) ? b->map[i].ilOffset : UINT32_MAX };
}

static int
describe_code (void *host, MonoMethod *method, monocle_code_info *ret, monocle_code_point *points, uint32_t capacity)
{
	body b;
	bool found = open_body (newest_start_of (method), &b);
	if (found) {
		ret->start = (const void *) b.start;
		ret->code_size = b.size;
		ret->point_count = b.count;
		for (ULONG32 i = 0; i < b.count; i++)
			if ((LONG) b.map[i].ilOffset == PROLOG)
				ret->prologue_end = b.map[i].nativeEndOffset;
			else if ((LONG) b.map[i].ilOffset == EPILOG)
				ret->epilogue_begin = b.map[i].nativeStartOffset;
		fill_points (&b, points, capacity);
	}
	free (b.map);
	return found ? MONOCLE_OK : MONOCLE_E_UNKNOWN;
}

MonoJitInfo *
monocle__clr_code_at (FunctionID function, uintptr_t address)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	UINT_PTR starts[BODIES_MAX];
	COR_PRF_CODE_INFO code[2];
	ULONG32 parts = 0;
	MonoMethod *method = monocle__resolve_method (function);
	uint32_t count = method ? find_starts (function, starts) : 0;
	for (uint32_t i = 0; i < count; i++)
		if (info->vtbl->GetCodeInfo4 (info, starts[i], 2, &parts, code) >= 0 && parts &&
		    address - code[0].startAddress < code[0].size)
			return monocle_jit_info_new (method, (const void *) code[0].startAddress, (uint32_t) code[0].size);
	return NULL;
}

static MonoJitInfo *
find_code (void *host, const void *address)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	FunctionID function = 0;
	if (info->vtbl->GetFunctionFromIP (info, (LPCBYTE) address, &function) < 0 || !function)
		return NULL;
	return monocle__clr_code_at (function, (uintptr_t) address);
}

void
monocle__clr_code_ops (monocle_host_ops *ops)
{
	ops->find_code = find_code;
	ops->code_at = monocle__codemap_jit_info;
	ops->code_awaited = monocle__codemap_awaited;
	ops->il_offset_of = il_offset_of;
	ops->describe_code = describe_code;
	ops->inlined_at = monocle__inlined_at;
}
