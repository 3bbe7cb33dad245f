/*
 * SPDX-License-Identifier: MIT
 *
 * debug.c - source lines and IL offsets of code, as Mono tells them to people who called it with --debug.
 *
 * What the symbols and the runtime know comes from the host, which looks for symbols when the first question comes. The
 * answers are copies that the caller frees. Normal context, but for the three functions at the end.
 */
#include "debug.h"

#include <mono/metadata/loader.h>
#include <mono/metadata/mono-debug.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "dispatch/host.h"
#include "image.h"
#include "log.h"

/* Not in public headers, but exported by Mono and used by modules that declare it themselves. */
MONO_API char *mono_pmip (void *ip);
MONO_API void mono_debug_free_locals (MonoDebugLocalsInfo *info);

/* Of debug-mono-symfile.h, which needs <glib.h>. */
MONO_API mono_bool mono_debug_symfile_is_loaded (MonoSymbolFile *symfile);
MONO_API MonoDebugMethodInfo *mono_debug_symfile_lookup_method (MonoDebugHandle *handle, MonoMethod *method);
MONO_API MonoDebugSourceLocation *mono_debug_symfile_lookup_location (MonoDebugMethodInfo *minfo, uint32_t offset);
MONO_API void mono_debug_symfile_free_location (MonoDebugSourceLocation *location);
MONO_API MonoDebugLocalsInfo *mono_debug_symfile_lookup_locals (MonoDebugMethodInfo *minfo);

/* --- questions to the host ---------------------------------------------------------------------------------------- */

/* 0, MONOCLE_E_NOT_FOUND when the method has symbols but no source there, or MONOCLE_E_UNKNOWN. */
static int
ask_source (MonoMethod *method, uint32_t il_offset, monocle_source_info *ret)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret = (monocle_source_info) { .size = sizeof *ret };
	if (!method || !ops->source_of || !monocle__image_ask_begin (method->image))
		return MONOCLE_E_UNKNOWN;
	int result = ops->source_of (ops->host, method, il_offset, ret);
	if (result == MONOCLE_OK && ret->file) {
		/* The host's text lives as long as the image, which may go from here on. */
		ret->file = strdup (ret->file);
		result = ret->file ? MONOCLE_OK : MONOCLE_E_NO_MEMORY;
	}
	monocle__image_ask_end (method->image);
	return result;
}

uint32_t
monocle__debug_il_offset (MonoMethod *method, const void *start, uint32_t native_offset)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	uint32_t il_offset = UINT32_MAX;
	if (!method || !ops->il_offset_of || !monocle__image_ask_begin (method->image))
		return UINT32_MAX;
	if (ops->il_offset_of (ops->host, method, start, native_offset, &il_offset))
		il_offset = UINT32_MAX;
	monocle__image_ask_end (method->image);
	return il_offset;
}

static bool
ask_code (MonoMethod *method, monocle_code_info *ret, monocle_code_point *points, uint32_t capacity)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret = (monocle_code_info) { .size = sizeof *ret };
	if (!method || !ops->describe_code || !monocle__image_ask_begin (method->image))
		return false;
	int result = ops->describe_code (ops->host, method, ret, points, capacity);
	monocle__image_ask_end (method->image);
	return result == MONOCLE_OK;
}

/* --- symbols ------------------------------------------------------------------------------------------------------ */

/* Lines cost nothing before they are asked for, so that a host which serves them always does. */
mono_bool
mono_debug_enabled (void)
{
	return monocle__host_ops ()->source_of != NULL;
}

void
mono_debug_init (MonoDebugFormat format)
{
	const char *host = monocle_host_name ();
	if (format != MONO_DEBUG_FORMAT_NONE && !mono_debug_enabled ())
		MONOCLE__LOG_ONCE ("a module asks for source lines, which the host %s does not serve",
		                   host ? host : "of nobody");
}

void
mono_debug_open_image_from_memory (MonoImage *image, const mono_byte *raw_contents, int size)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	if (!image || !raw_contents || size <= 0 || !ops->set_symbols || !monocle__image_ask_begin (image))
		return;
	ops->set_symbols (ops->host, image, raw_contents, (uint32_t) size);
	monocle__image_ask_end (image);
}

/* Symbols stay until their image goes. */
void
mono_debug_close_image (MonoImage *image)
{
}

static bool
has_symbols (MonoImage *image)
{
	monocle_source_info info;
	bool found = false;
	for (uint32_t row = 1; row <= image->method_rows && !found; row++) {
		int result = ask_source (monocle_method_def (image, row), 0, &info);
		if (result == MONOCLE_OK)
			free ((char *) info.file);
		found = result == MONOCLE_OK || result == MONOCLE_E_NOT_FOUND;
	}
	return found;
}

/* A list that only grows at its head: few modules ask for handles, and of few images. */
typedef struct handle_node handle_node;
struct handle_node {
	MonoDebugHandle handle;
	handle_node *next;
};

static _Atomic (handle_node *) handles;

static MonoDebugHandle *
find_handle (handle_node *head, MonoImage *image)
{
	while (head && head->handle.image != image)
		head = head->next;
	return head ? &head->handle : NULL;
}

/* Its file is opaque: what counts is whether there is one. */
MonoDebugHandle *
mono_debug_get_handle (MonoImage *image)
{
	handle_node *head = atomic_load_explicit (&handles, memory_order_acquire);
	MonoDebugHandle *known = find_handle (head, image);
	if (known || !image || !mono_debug_enabled ())
		return known;
	handle_node *node = monocle__arena_alloc (sizeof *node);
	if (!node)
		return NULL;
	node->handle.image = image;
	if (has_symbols (image))
		node->handle.ppdb = (MonoPPDBFile *) node;
	do {
		node->next = head;
		if ((known = find_handle (head, image)))
			return known;
	} while (!atomic_compare_exchange_weak (&handles, &head, node));
	return &node->handle;
}

/* --- locations ---------------------------------------------------------------------------------------------------- */

/* The symbols of a method are known by the method: they are its record under another name. */
MonoDebugMethodInfo *
mono_debug_lookup_method (MonoMethod *method)
{
	monocle_source_info info;
	int result = ask_source (method, 0, &info);
	if (result == MONOCLE_OK)
		free ((char *) info.file);
	return result == MONOCLE_OK || result == MONOCLE_E_NOT_FOUND ? (MonoDebugMethodInfo *) method : NULL;
}

MonoDebugSourceLocation *
mono_debug_method_lookup_location (MonoDebugMethodInfo *minfo, int il_offset)
{
	monocle_source_info info;
	if (il_offset < 0 || ask_source ((MonoMethod *) minfo, (uint32_t) il_offset, &info))
		return NULL;
	MonoDebugSourceLocation *location = malloc (sizeof *location);
	if (location)
		*location = (MonoDebugSourceLocation) { (char *) info.file, info.row, info.column, info.il_offset };
	else
		free ((char *) info.file);
	return location;
}

void
mono_debug_free_source_location (MonoDebugSourceLocation *location)
{
	if (location)
		free (location->source_file);
	free (location);
}

int32_t
mono_debug_il_offset_from_address (MonoMethod *method, MonoDomain *domain, uint32_t native_offset)
{
	return (int32_t) monocle__debug_il_offset (method, NULL, native_offset);
}

MonoDebugSourceLocation *
mono_debug_lookup_source_location (MonoMethod *method, uint32_t address, MonoDomain *domain)
{
	uint32_t il_offset = monocle__debug_il_offset (method, NULL, address);
	if (il_offset == UINT32_MAX)
		return NULL;
	return mono_debug_method_lookup_location ((MonoDebugMethodInfo *) method, (int) il_offset);
}

/* --- machine code ------------------------------------------------------------------------------------------------- */

/* As Mono lays it out. */
struct _MonoDebugLineNumberEntry {
	uint32_t il_offset, native_offset;
};

static monocle_code_point *
read_points (MonoMethod *method, monocle_code_info *ret_code)
{
	uint32_t capacity = 0;
	monocle_code_point *points = NULL;
	/* The newest code may be another one by the time its points are read. */
	do {
		free (points);
		capacity = ret_code->point_count;
		points = calloc (capacity + 1u, sizeof *points);
	} while (points && ask_code (method, ret_code, points, capacity) && ret_code->point_count > capacity);
	return points;
}

MonoDebugMethodJitInfo *
mono_debug_find_method (MonoMethod *method, MonoDomain *domain)
{
	monocle_code_info code;
	if (!ask_code (method, &code, NULL, 0))
		return NULL;
	monocle_code_point *points = read_points (method, &code);
	MonoDebugMethodJitInfo *jit = points ? calloc (1, sizeof *jit) : NULL;
	MonoDebugLineNumberEntry *lines = jit ? calloc (code.point_count + 1u, sizeof *lines) : NULL;
	uint32_t count = 0;
	for (uint32_t i = 0; lines && i < code.point_count; i++)
		if (points[i].il_offset != UINT32_MAX)
			lines[count++] = (MonoDebugLineNumberEntry) { points[i].il_offset, points[i].native_offset };
	free (points);
	if (!lines || !code.start) {
		free (lines);
		free (jit);
		return NULL;
	}
	jit->code_start = code.start;
	jit->code_size = code.code_size;
	jit->prologue_end = code.prologue_end;
	jit->epilogue_begin = code.epilogue_begin;
	jit->num_line_numbers = count;
	jit->line_numbers = lines;
	return jit;
}

void
mono_debug_free_method_jit_info (MonoDebugMethodJitInfo *jit)
{
	if (jit)
		free (jit->line_numbers);
	free (jit);
}

/* --- locals ------------------------------------------------------------------------------------------------------- */

/* As Mono lays them out; what a module that declares these itself may read. */
typedef struct {
	int parent, type, start_offset, end_offset;
} code_block;

typedef struct {
	char *name;
	int index; /* in the signature of the locals */
	code_block *block;
} local_variable;

struct _MonoDebugLocalsInfo {
	int num_locals;
	local_variable *locals;
	int num_blocks;
	code_block *code_blocks;
};

static bool
ask_scope (MonoMethod *method, uint32_t index, monocle_scope_info *ret)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret = (monocle_scope_info) { .size = sizeof *ret };
	return ops->describe_scope && ops->describe_scope (ops->host, method, index, ret) == 0;
}

static bool
ask_local (MonoMethod *method, uint32_t index, monocle_local_info *ret)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	*ret = (monocle_local_info) { .size = sizeof *ret };
	return ops->describe_local && ops->describe_local (ops->host, method, index, ret) == 0;
}

static bool
read_blocks (MonoMethod *method, MonoDebugLocalsInfo *info)
{
	monocle_scope_info scope;
	uint32_t count = 0;
	while (count < INT32_MAX && ask_scope (method, count, &scope))
		count++;
	info->code_blocks = calloc (count + 1u, sizeof *info->code_blocks);
	for (uint32_t i = 0; info->code_blocks && i < count && ask_scope (method, i, &scope); i++)
		info->code_blocks[info->num_blocks++] =
		    (code_block) { (int) scope.parent, (int) scope.kind, (int) scope.start, (int) scope.end };
	return info->code_blocks != NULL;
}

static bool
read_locals (MonoMethod *method, MonoDebugLocalsInfo *info)
{
	monocle_local_info local;
	uint32_t count = 0;
	while (count < INT32_MAX && ask_local (method, count, &local))
		count++;
	info->locals = calloc (count + 1u, sizeof *info->locals);
	for (uint32_t i = 0; info->locals && i < count && ask_local (method, i, &local); i++) {
		local_variable *at = &info->locals[info->num_locals];
		if (!(at->name = strndup (local.name, local.name_length)))
			return false;
		at->index = (int) local.slot;
		at->block = local.scope < (uint32_t) info->num_blocks ? &info->code_blocks[local.scope] : NULL;
		info->num_locals++;
	}
	return info->locals != NULL;
}

void
mono_debug_free_locals (MonoDebugLocalsInfo *info)
{
	if (!info)
		return;
	for (int i = 0; i < info->num_locals; i++)
		free (info->locals[i].name);
	free (info->locals);
	free (info->code_blocks);
	free (info);
}

MonoDebugLocalsInfo *
mono_debug_lookup_locals (MonoMethod *method)
{
	if (!method || !monocle__image_ask_begin (method->image))
		return NULL;
	MonoDebugLocalsInfo *info = calloc (1, sizeof *info);
	bool complete = info && read_blocks (method, info) && read_locals (method, info);
	monocle__image_ask_end (method->image);
	if (complete && (info->num_locals || info->num_blocks))
		return info;
	mono_debug_free_locals (info);
	return NULL;
}

/* --- by symbol file: the same answers, whatever the symbols are in ------------------------------------------------ */

/* No host gives one away. */
mono_bool
mono_debug_symfile_is_loaded (MonoSymbolFile *symfile)
{
	return 0;
}

MonoDebugMethodInfo *
mono_debug_symfile_lookup_method (MonoDebugHandle *handle, MonoMethod *method)
{
	return mono_debug_lookup_method (method);
}

MonoDebugSourceLocation *
mono_debug_symfile_lookup_location (MonoDebugMethodInfo *minfo, uint32_t offset)
{
	return offset <= INT32_MAX ? mono_debug_method_lookup_location (minfo, (int) offset) : NULL;
}

void
mono_debug_symfile_free_location (MonoDebugSourceLocation *location)
{
	mono_debug_free_source_location (location);
}

MonoDebugLocalsInfo *
mono_debug_symfile_lookup_locals (MonoDebugMethodInfo *minfo)
{
	return mono_debug_lookup_locals ((MonoMethod *) minfo);
}

/* --- text --------------------------------------------------------------------------------------------------------- */

/* "Namespace.Class.Method (args)". */
static char *
frame_name (MonoMethod *method)
{
	char *name = mono_method_full_name (method, 1);
	for (char *at = name; at && *at; at++)
		if (*at == ':')
			*at = '.';
	return name;
}

/* The image's id in lower case without dashes, as Mono names a file that it does not know. */
static void
write_mvid (MonoMethod *method, char text[33])
{
	const char *guid = method->image ? mono_image_get_guid (method->image) : NULL;
	size_t length = 0;
	for (; guid && *guid && length < 32; guid++)
		if (*guid != '-')
			text[length++] = (char) tolower ((unsigned char) *guid);
	while (length < 32)
		text[length++] = '0';
	text[32] = 0;
}

char *
monocle__debug_frame_text (MonoMethod *method, const void *start, uint32_t native_offset)
{
	char *name = method ? frame_name (method) : NULL, *text = NULL, mvid[33];
	if (!name)
		return NULL;
	uint32_t il_offset = monocle__debug_il_offset (method, start, native_offset);
	MonoDebugMethodInfo *minfo = (MonoDebugMethodInfo *) method;
	MonoDebugSourceLocation *location = mono_debug_method_lookup_location (minfo, (int) il_offset);
	int length;
	if (location) {
		length = asprintf (&text, "at %s [0x%05x] in %s:%u", name, location->il_offset,
		                   location->source_file ? location->source_file : "", location->row);
	} else if (il_offset != UINT32_MAX) {
		write_mvid (method, mvid);
		length = asprintf (&text, "at %s [0x%05x] in <%s>:0", name, il_offset, mvid);
	} else {
		length = asprintf (&text, "at %s <0x%05x>", name, native_offset);
	}
	mono_debug_free_source_location (location);
	free (name);
	return length < 0 ? NULL : text;
}

char *
mono_debug_print_stack_frame (MonoMethod *method, uint32_t native_offset, MonoDomain *domain)
{
	return monocle__debug_frame_text (method, NULL, native_offset);
}

/* Hosts make records of code that a module listens for; here there is time to ask about other code. */
static MonoJitInfo *
code_at (void *ip)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoJitInfo *known = mono_jit_info_table_find (mono_get_root_domain (), ip);
	return known || !ops->find_code ? known : ops->find_code (ops->host, ip);
}

mono_bool
monocle_il_offset_at (const void *ip, MonoMethod **ret_method, uint32_t *ret_il_offset)
{
	MonoJitInfo *code = code_at ((void *) ip);
	MonoMethod *method = mono_jit_info_get_method (code);
	if (!method)
		return 0;
	const char *start = mono_jit_info_get_code_start (code);
	*ret_method = method;
	*ret_il_offset = monocle__debug_il_offset (method, start, (uint32_t) ((const char *) ip - start));
	return 1;
}

uint32_t
monocle_inlined_at (const void *ip, monocle_inlined *ret, uint32_t capacity)
{
	const monocle_host_ops *ops = monocle__host_ops ();
	MonoJitInfo *code = ops->inlined_at ? mono_jit_info_table_find (mono_get_root_domain (), (void *) ip) : NULL;
	MonoMethod *method = monocle_jit_info_has_inlined (code) ? mono_jit_info_get_method (code) : NULL;
	if (!method || !monocle__image_ask_begin (method->image))
		return 0;
	const char *start = mono_jit_info_get_code_start (code);
	uint32_t count = ops->inlined_at (ops->host, method, start, (uint32_t) ((const char *) ip - start), ret, capacity);
	monocle__image_ask_end (method->image);
	return count;
}

/* " METHOD [{record} + offset] [file :: line u] (start end) [domain - name]". */
char *
mono_pmip (void *ip)
{
	MonoDomain *domain = mono_get_root_domain ();
	MonoJitInfo *code = code_at (ip);
	MonoMethod *method = mono_jit_info_get_method (code);
	char *name = method ? mono_method_full_name (method, 1) : NULL, *text, line[4096] = "";
	if (!name)
		return NULL;
	char *start = mono_jit_info_get_code_start (code), *end = start + mono_jit_info_get_code_size (code);
	uint32_t offset = (uint32_t) ((char *) ip - start);
	MonoDebugSourceLocation *location = mono_debug_lookup_source_location (method, offset, domain);
	if (location)
		snprintf (line, sizeof line, "[%s :: %uu]", location->source_file ? location->source_file : "", location->row);
	const char *domain_name = mono_domain_get_friendly_name (domain);
	int length = asprintf (&text, " %s [{%p} + 0x%x] %s (%p %p) [%p - %s]", name, (void *) method, offset, line,
	                       (void *) start, (void *) end, (void *) domain, domain_name ? domain_name : "");
	mono_debug_free_source_location (location);
	free (name);
	return length < 0 ? NULL : text;
}

/* --- debuggers: any context --------------------------------------------------------------------------------------- */

static _Atomic (mono_bool) attached;

void
mono_set_is_debugger_attached (mono_bool is_attached)
{
	atomic_store_explicit (&attached, is_attached, memory_order_relaxed);
}

mono_bool
mono_is_debugger_attached (void)
{
	return atomic_load_explicit (&attached, memory_order_relaxed);
}
