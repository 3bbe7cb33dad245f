/*
 * SPDX-License-Identifier: MIT
 *
 * image.c - modules and assemblies of the runtime as images, from load to unload.
 *
 * Order of events as in Mono: image_loading, image_loaded (no assembly yet), assembly_loading, assembly_loaded. The runtime
 * knows a module's base address only when it has finished loading, so image_loading is raised there, just before.
 * Images form a list that only grows and is read without a lock; an unloaded image stays in it as a tombstone (id 0).
 */
#include <stdlib.h>
#include <string.h>
#include "clr.h"

static monocle__clr_image *_Atomic images;
static monocle__clr_image *_Atomic corlib;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static atomic_bool main_seen;

monocle__clr_image *
monocle__clr_corlib (void)
{
	return atomic_load_explicit (&corlib, memory_order_acquire);
}

monocle__clr_image *
monocle__clr_image_find (ModuleID id)
{
	return monocle_id_find (MONOCLE_ID_IMAGE, id);
}

monocle__clr_image *
monocle__clr_image_of (MonoImage *record)
{
	return record ? monocle_image_data (record) : NULL;
}

static bool
is_assembly_named (const monocle__clr_image *image, const char *name)
{
	monocle__ecma_assembly assembly;
	return image->readable && monocle__ecma_get_assembly (&image->ecma, &assembly) == 0 && assembly.name
		&& strcmp (assembly.name, name) == 0;
}

monocle__clr_image *
monocle__clr_image_named (const char *assembly_name)
{
	for (monocle__clr_image *i = atomic_load_explicit (&images, memory_order_acquire); i; i = atomic_load (&i->next))
		if (i->id && is_assembly_named (i, assembly_name))
			return i;
	return NULL;
}

/*
 * Called from probes too, where the thread is in cooperative mode: `ids_lock` is a leaf that nobody holds across a call of
 * the runtime, or a collection would wait for ever.
 */
void
monocle__clr_bind (monocle__clr_image *image, monocle_id_space space, uintptr_t id, void *record)
{
	pthread_mutex_lock (&image->ids_lock);
	uint32_t capacity = image->bound_count == image->bound_capacity ? image->bound_capacity * 2 + 64 : 0;
	void *grown = capacity ? realloc (image->bound, capacity * sizeof *image->bound) : image->bound;
	bool room = grown != NULL;
	if (room) {
		image->bound = grown;
		image->bound_capacity = capacity ? capacity : image->bound_capacity;
		image->bound[image->bound_count++] = (struct monocle__clr_id) { space, id };
	}
	pthread_mutex_unlock (&image->ids_lock);
	if (room)
		monocle_id_bind (space, id, record);
}

/* UTF-16 of the runtime to UTF-8; never longer than size. Lone surrogates become U+FFFD. */
static void
to_utf8 (const WCHAR *from, char *to, size_t size)
{
	char *end = to + size - 1;
	while (*from && end - to >= 4) {
		uint32_t c = *from++;
		if (c >= 0xD800 && c < 0xDC00 && *from >= 0xDC00 && *from < 0xE000)
			c = 0x10000 + ((c - 0xD800) << 10) + (*from++ - 0xDC00);
		else if (c >= 0xD800 && c < 0xE000)
			c = 0xFFFD;
		if (c < 0x80) {
			*to++ = (char) c;
		} else if (c < 0x800) {
			*to++ = (char) (0xC0 | c >> 6);
			*to++ = (char) (0x80 | (c & 0x3F));
		} else if (c < 0x10000) {
			*to++ = (char) (0xE0 | c >> 12);
			*to++ = (char) (0x80 | (c >> 6 & 0x3F));
			*to++ = (char) (0x80 | (c & 0x3F));
		} else {
			*to++ = (char) (0xF0 | c >> 18);
			*to++ = (char) (0x80 | (c >> 12 & 0x3F));
			*to++ = (char) (0x80 | (c >> 6 & 0x3F));
			*to++ = (char) (0x80 | (c & 0x3F));
		}
	}
	*to = 0;
}

typedef struct {
	const uint8_t *base;
	AssemblyID assembly;
	DWORD flags;
	WCHAR name[4096];
	char filename[3 * 4096];
} module_facts;

static bool
ask_module (ModuleID id, module_facts *facts)
{
	ULONG length = 0;
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	HRESULT hr = info->vtbl->GetModuleInfo2 (info, id, &facts->base, 4096, &length, facts->name, &facts->assembly, &facts->flags);
	if (hr < 0) {
		monocle__clr_complain_hr ("GetModuleInfo2", hr);
		return false;
	}
	facts->name[length ? 4095 : 0] = 0;
	to_utf8 (facts->name, facts->filename, sizeof facts->filename);
	return true;
}

/* A flat layout is the file as it lies on disk; its size is not told, so the headers must vouch for it. */
static bool
open_metadata (monocle__clr_image *image, const module_facts *facts)
{
	if (!facts->base || facts->flags & COR_PRF_MODULE_DYNAMIC)
		return false;
	bool flat = facts->flags & COR_PRF_MODULE_FLAT_LAYOUT;
	size_t size = flat ? monocle__ecma_flat_size (facts->base) : monocle__ecma_mapped_size (facts->base);
	return size && monocle__ecma_open_pe (&image->ecma, facts->base, size, !flat) == 0;
}

static bool
allocate_tables (monocle__clr_image *image)
{
	image->method_rows = monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_MethodDef);
	image->typeref_rows = monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_TypeRef);
	image->methods = calloc (image->method_rows + 1, sizeof *image->methods);
	image->typerefs = calloc (image->typeref_rows + 1, sizeof *image->typerefs);
	return image->methods && image->typerefs;
}

static uint32_t
image_flags (monocle__clr_image *image, const module_facts *facts)
{
	uint32_t flags = facts->flags & COR_PRF_MODULE_DYNAMIC ? MONOCLE_IMAGE_DYNAMIC : 0;
	if (image->is_corlib)
		return flags | MONOCLE_IMAGE_CORLIB;
	/* The host opens the program's assembly before anything else that is not corlib. */
	if (monocle__clr_corlib () && !atomic_exchange (&main_seen, true))
		flags |= MONOCLE_IMAGE_MAIN;
	return flags;
}

static void
publish (monocle__clr_image *image)
{
	pthread_mutex_lock (&list_lock);
	atomic_store (&image->next, atomic_load (&images));
	atomic_store_explicit (&images, image, memory_order_release);
	if (image->is_corlib)
		atomic_store_explicit (&corlib, image, memory_order_release);
	pthread_mutex_unlock (&list_lock);
	monocle_id_bind (MONOCLE_ID_IMAGE, image->id, image);
}

static monocle__clr_image *
image_from (ModuleID id, const module_facts *facts)
{
	monocle__clr_image *image = calloc (1, sizeof *image);
	if (!image)
		return NULL;
	image->id = id;
	image->assembly = facts->assembly;
	atomic_init (&image->wanted, -1);
	pthread_mutex_init (&image->lock, NULL);
	pthread_mutex_init (&image->ids_lock, NULL);
	image->readable = open_metadata (image, facts) && allocate_tables (image);
	image->is_corlib = !monocle__clr_corlib () && is_assembly_named (image, "System.Private.CoreLib");
	uint32_t classes = image->readable ? monocle__ecma_rows (&image->ecma, MONOCLE__TABLE_TypeDef) : 0;
	image->record = monocle_image_new (facts->filename, image_flags (image, facts), classes, image->method_rows, image);
	if (!image->record) {
		free (image);
		return NULL;
	}
	publish (image);
	return image;
}

static monocle__clr_image *
image_new (ModuleID id)
{
	module_facts *facts = malloc (sizeof *facts);
	monocle__clr_image *image = facts && ask_module (id, facts) ? image_from (id, facts) : NULL;
	free (facts);
	return image;
}

HRESULT
monocle__callback_ModuleLoadFinished (ICorProfilerCallback11 *self, ModuleID id, HRESULT status)
{
	if (status < 0)
		return S_OK;
	if (monocle__clr_corlib ())
		monocle__clr_reach_initialized ();
	monocle__clr_image *image = image_new (id);
	if (!image)
		return S_OK;
	if (monocle__clr_listened (MONOCLE_EVENT_image_loading))
		monocle_raise_image_loading (image->record);
	if (monocle__clr_listened (MONOCLE_EVENT_image_loaded))
		monocle_raise_image_loaded (image->record);
	return S_OK;
}

HRESULT
monocle__callback_ModuleAttachedToAssembly (ICorProfilerCallback11 *self, ModuleID id, AssemblyID assembly)
{
	monocle__clr_image *image = monocle__clr_image_find (id);
	if (image) {
		image->assembly = assembly;
		monocle_image_set_assembly_visible (image->record);
	}
	return S_OK;
}

static monocle__clr_image *
image_of_assembly (AssemblyID assembly)
{
	for (monocle__clr_image *i = atomic_load_explicit (&images, memory_order_acquire); i; i = atomic_load (&i->next))
		if (i->assembly == assembly)
			return i;
	return NULL;
}

HRESULT
monocle__callback_AssemblyLoadFinished (ICorProfilerCallback11 *self, AssemblyID assembly, HRESULT status)
{
	monocle__clr_image *image = status < 0 ? NULL : image_of_assembly (assembly);
	if (!image)
		return S_OK;
	monocle_image_set_assembly_visible (image->record);
	MonoAssembly *record = monocle_image_assembly (image->record);
	if (monocle__clr_listened (MONOCLE_EVENT_assembly_loading))
		monocle_raise_assembly_loading (record);
	if (monocle__clr_listened (MONOCLE_EVENT_assembly_loaded))
		monocle_raise_assembly_loaded (record);
	return S_OK;
}

HRESULT
monocle__callback_AssemblyUnloadStarted (ICorProfilerCallback11 *self, AssemblyID assembly)
{
	monocle__clr_image *image = image_of_assembly (assembly);
	if (image && monocle__clr_listened (MONOCLE_EVENT_assembly_unloading))
		monocle_raise_assembly_unloading (monocle_image_assembly (image->record));
	return S_OK;
}

HRESULT
monocle__callback_AssemblyUnloadFinished (ICorProfilerCallback11 *self, AssemblyID assembly, HRESULT status)
{
	monocle__clr_image *image = status < 0 ? NULL : image_of_assembly (assembly);
	if (!image)
		return S_OK;
	if (monocle__clr_listened (MONOCLE_EVENT_assembly_unloaded))
		monocle_raise_assembly_unloaded (monocle_image_assembly (image->record));
	image->assembly = 0;
	return S_OK;
}

/* From here on nothing may read the mapping, and the ids of what was in it may name other things. */
static void
forget (monocle__clr_image *image)
{
	monocle_image_unload (image->record);
	image->readable = false;
	pthread_mutex_lock (&image->ids_lock);
	for (uint32_t i = 0; i < image->bound_count; i++)
		monocle_id_drop (image->bound[i].space, image->bound[i].id);
	image->bound_count = 0;
	pthread_mutex_unlock (&image->ids_lock);
	pthread_mutex_lock (&image->lock);
	if (image->emit)
		image->emit->vtbl->Release (image->emit);
	image->emit = NULL;
	pthread_mutex_unlock (&image->lock);
}

HRESULT
monocle__callback_ModuleUnloadStarted (ICorProfilerCallback11 *self, ModuleID id)
{
	monocle__clr_image *image = monocle__clr_image_find (id);
	if (!image)
		return S_OK;
	if (monocle__clr_listened (MONOCLE_EVENT_image_unloading))
		monocle_raise_image_unloading (image->record);
	forget (image);
	return S_OK;
}

HRESULT
monocle__callback_ModuleUnloadFinished (ICorProfilerCallback11 *self, ModuleID id, HRESULT status)
{
	monocle__clr_image *image = monocle__clr_image_find (id);
	if (!image)
		return S_OK;
	image->id = 0;
	monocle_id_drop (MONOCLE_ID_IMAGE, id);
	if (monocle__clr_listened (MONOCLE_EVENT_image_unloaded))
		monocle_raise_image_unloaded (image->record);
	return S_OK;
}
