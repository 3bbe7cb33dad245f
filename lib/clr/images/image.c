/*
 * SPDX-License-Identifier: MIT
 *
 * image.c - modules and assemblies of the runtime as images, from load to unload.
 *
 * Order of events as in Mono: image_loading, image_loaded (no assembly yet), assembly_loading, assembly_loaded. The
 * runtime knows a module's base address only when it has finished loading, so image_loading is raised there, just
 * before. Images form a list that is read without a lock: nothing ever leaves it, but an image that has gone (id 0) is
 * used again for one that comes, so that the list is as long as images were alive at one time.
 */
#include "image.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <monocle/host.h>
#include "code/codemap.h"
#include "editable.h"
#include "emitted.h"
#include "path.h"
#include "pause.h"
#include "resolve.h"
#include "state.h"
#include "thread-memory.h"
#include "unloads.h"
#include "utf16.h"

static monocle__clr_image *_Atomic images;
static monocle__clr_image *_Atomic corlib;
static pthread_mutex_t list_lock = PTHREAD_MUTEX_INITIALIZER;
static monocle__clr_image *retired; /* what may be used again */
static atomic_bool main_seen;
static pthread_mutex_t ids_lock = PTHREAD_MUTEX_INITIALIZER;
static monocle__clr_ids made_over_others; /* arrays and generic instances, since there are collectible images */

monocle__clr_image *
monocle__clr_image_corlib (void)
{
	return atomic_load_explicit (&corlib, memory_order_acquire);
}

monocle__clr_image *
monocle__clr_image_next (monocle__clr_image *image)
{
	return atomic_load_explicit (image ? &image->next : &images, memory_order_acquire);
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

/* --- what lib/describe asks --------------------------------------------------------------------------------------- */

static bool
is_named (const monocle__clr_image *image, const char *name)
{
	return image->id && image->cli.name && strcmp (image->cli.name, name) == 0;
}

/* "" for what was loaded from memory. */
static size_t
folder_length (const char *filename)
{
	const char *slash = filename ? strrchr (filename, '/') : NULL;
	return slash ? (size_t) (slash - filename) : 0;
}

/*
 * The runtime does not report which load context an image is in. Images of one context mostly lie in one folder, and
 * are collectible together.
 */
static unsigned
closeness (const monocle__clr_image *from, const monocle__clr_image *to)
{
	const char *a = mono_image_get_filename (from->cli.record), *b = mono_image_get_filename (to->cli.record);
	size_t length = folder_length (a);
	bool same_folder = length == folder_length (b) && (!length || memcmp (a, b, length) == 0);
	return 2 * same_folder + (from->is_collectible == to->is_collectible);
}

/* How many images of this name, as close to `from` as `image` is, came before it. */
static unsigned
rank_of (const monocle__clr_image *from, const monocle__clr_image *image)
{
	unsigned rank = 0, close = closeness (from, image);
	for (monocle__clr_image *i = atomic_load_explicit (&images, memory_order_acquire); i; i = atomic_load (&i->next))
		rank += is_named (i, image->cli.name) && i->sequence < image->sequence && closeness (from, i) == close;
	return rank;
}

/* The one that has the same place among its like as `from` has among those of its name; else the newest. */
static monocle__clr_image *
partner_of (const monocle__clr_image *from, const char *assembly, unsigned close)
{
	unsigned rank = from->cli.name ? rank_of (from, from) : 0;
	monocle__clr_image *newest = NULL;
	for (monocle__clr_image *i = atomic_load_explicit (&images, memory_order_acquire); i; i = atomic_load (&i->next)) {
		if (!is_named (i, assembly) || closeness (from, i) != close)
			continue;
		if (rank_of (from, i) == rank)
			return i;
		if (!newest || newest->sequence < i->sequence)
			newest = i;
	}
	return newest;
}

/*
 * Several load contexts may hold images of one name. Of those that are as close to `from` as any, the first belongs to
 * the first image called as `from` is, the second to the second: contexts load their images in the same order.
 */
static monocle__describe_image *
image_named (monocle__describe_image *from_cli, const char *assembly)
{
	const monocle__clr_image *from = (const monocle__clr_image *) from_cli;
	monocle__clr_image *closest = NULL;
	unsigned close = 0, rivals = 0;
	for (monocle__clr_image *i = atomic_load_explicit (&images, memory_order_acquire); i; i = atomic_load (&i->next)) {
		unsigned this_close = is_named (i, assembly) ? closeness (from, i) + 1 : 0;
		rivals += this_close && this_close == close;
		if (this_close <= close)
			continue;
		closest = i;
		close = this_close;
		rivals = 0;
	}
	if (rivals)
		closest = partner_of (from, assembly, close - 1);
	return closest ? &closest->cli : NULL;
}

static monocle__describe_image *
corlib_image (void)
{
	monocle__clr_image *image = monocle__clr_image_corlib ();
	return image ? &image->cli : NULL;
}

const monocle__describe_owner monocle__clr_image_owner = {
	image_named, corlib_image, monocle__thread_memory_scratch, monocle__resolve_class, &monocle__emitted_unreadable,
};

/* --- ids that the runtime will use again -------------------------------------------------------------------------- */

static bool
remember (monocle__clr_ids *ids, monocle_id_space space, uintptr_t id)
{
	if (ids->count == ids->capacity) {
		uint32_t capacity = ids->capacity * 2 + 64;
		void *grown = realloc (ids->list, capacity * sizeof *ids->list);
		if (!grown)
			return false;
		ids->list = grown;
		ids->capacity = capacity;
	}
	ids->list[ids->count].space = space;
	ids->list[ids->count++].id = id;
	return true;
}

static void
drop_all (monocle__clr_ids *ids)
{
	for (uint32_t i = 0; i < ids->count; i++)
		monocle_id_drop (ids->list[i].space, ids->list[i].id);
	free (ids->list);
	*ids = (monocle__clr_ids) { NULL, 0, 0 };
}

/*
 * Called from probes too, where the thread is in cooperative mode: `ids_lock` is a leaf that is not held across a call
 * of the runtime, or a collection would wait for ever. Programs without collectible assemblies never take it.
 */
void
monocle__clr_image_bind (monocle__clr_image *image, monocle_id_space space, uintptr_t id, void *record)
{
	bool room = true;
	if (image ? image->is_collectible : atomic_load (&monocle__clr_state.instance_epoch)) {
		pthread_mutex_lock (&ids_lock);
		room = remember (image ? &image->bound : &made_over_others, space, id);
		pthread_mutex_unlock (&ids_lock);
	}
	if (room)
		monocle_id_bind (space, id, record);
}

/* --- loading ------------------------------------------------------------------------------------------------------ */

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
	facts->name[0] = 0;
	HRESULT hr = info->vtbl->GetModuleInfo2 (info, id, &facts->base, 4096, &length, facts->name, &facts->assembly,
	                                         &facts->flags);
	if (hr < 0) {
		monocle__clr_complain_hr ("GetModuleInfo2", hr);
		return false;
	}
	length = 0;
	while (length < 4096 && facts->name[length])
		length++;
	monocle__utf16_to_utf8 (facts->name, length, facts->filename, sizeof facts->filename);
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
	return size && monocle__ecma_open_pe (&image->cli.ecma, facts->base, size, !flat) == 0;
}

static bool
allocate_tables (monocle__clr_image *image)
{
	uint32_t methods = monocle__ecma_rows (&image->cli.ecma, MONOCLE__TABLE_MethodDef);
	image->methods = calloc (methods + 1, sizeof *image->methods);
	image->flags = calloc (methods + 1, sizeof *image->flags);
	if (!image->methods || !image->flags || !monocle__describe_image_init (&image->cli))
		return false;
	image->method_rows = methods;
	return true;
}

/* Whoever looks into the smaller table still may, and sees what was there. */
static bool
grow_table (monocle__clr_image *image, _Atomic (uint8_t) *_Atomic *table, uint32_t rows)
{
	_Atomic (uint8_t) *old = *table, *grown = calloc (rows, sizeof *grown);
	if (!grown)
		return false;
	for (uint32_t i = 0; i < image->method_rows; i++)
		atomic_init (&grown[i], atomic_load (&old[i]));
	atomic_store (table, grown);
	if (old)
		monocle__clr_image_own (image, (void *) old, free);
	return true;
}

static bool
grow_bodies (monocle__clr_image *image, uint32_t rows)
{
	monocle__clr_body *old = atomic_load (&image->bodies), *grown = old ? calloc (rows, sizeof *grown) : NULL;
	if (!old || !grown)
		return !old;
	for (uint32_t i = 0; i < image->method_rows; i++) {
		atomic_init (&grown[i].replaced, atomic_load (&old[i].replaced));
		atomic_init (&grown[i].ours, atomic_load (&old[i].ours));
	}
	atomic_store (&image->bodies, grown);
	monocle__clr_image_own (image, old, free);
	return true;
}

bool
monocle__clr_image_grow (monocle__clr_image *image, uint32_t rows)
{
	enum { LEAST = 64 };
	uint32_t room = image->method_rows ? image->method_rows : LEAST;
	while (room < rows)
		room *= 2;
	if (rows <= image->method_rows)
		return true;
	if (!grow_table (image, &image->methods, room) || !grow_table (image, &image->flags, room) ||
	    !grow_bodies (image, room))
		return false;
	atomic_store (&image->method_rows, room);
	return true;
}

/* What is of no use to a tombstone. */
static void
free_tables (monocle__clr_image *image)
{
	image->method_rows = 0;
	free ((void *) image->methods);
	free ((void *) image->flags);
	free (atomic_load (&image->bodies));
	image->methods = NULL;
	image->flags = NULL;
	image->bodies = NULL;
	monocle__describe_image_done (&image->cli);
}

static uint32_t
image_flags (monocle__clr_image *image, const module_facts *facts)
{
	uint32_t flags = facts->flags & COR_PRF_MODULE_DYNAMIC ? MONOCLE_IMAGE_DYNAMIC : 0;
	if (image->cli.is_corlib)
		return flags | MONOCLE_IMAGE_CORLIB;
	/* The host opens the program's assembly before anything else that is not corlib. */
	if (monocle__clr_image_corlib () && !atomic_exchange (&main_seen, true))
		flags |= MONOCLE_IMAGE_MAIN;
	return flags;
}

/* Mono calls its root domain by the file name of the program. */
static void
name_domain (const char *filename)
{
	const char *name = monocle__path_base_name (filename);
	monocle_domain_set_name (monocle_domain_root (), name);
	monocle_raise_domain_name (monocle_domain_root (), name);
}

static void
tell_failure (ModuleID id, HRESULT status)
{
	module_facts *facts = monocle__clr_listened (MONOCLE_EVENT_load_failed) ? malloc (sizeof *facts) : NULL;
	if (facts)
		monocle_raise_load_failed (MONOCLE_LOAD_IMAGE, ask_module (id, facts) ? facts->filename : "", status);
	free (facts);
}

/*
 * One that nothing uses any more, or a fresh one. Who walks the list may still look at it: `readers` and `next` are
 * left alone, and `id` stays 0 until it is published.
 */
static monocle__clr_image *
image_take (void)
{
	pthread_mutex_lock (&list_lock);
	monocle__clr_image *image = retired;
	if (image)
		retired = image->retired;
	pthread_mutex_unlock (&list_lock);
	if (image)
		return image;
	image = calloc (1, sizeof *image);
	if (!image)
		return NULL;
	pthread_mutex_init (&image->lock, NULL);
	pthread_mutex_lock (&list_lock);
	atomic_store (&image->next, atomic_load (&images));
	atomic_store_explicit (&images, image, memory_order_release);
	pthread_mutex_unlock (&list_lock);
	return image;
}

/* When the runtime has told its last of the module and of its assembly, whichever comes second. */
static void
image_retire (monocle__clr_image *image)
{
	pthread_mutex_lock (&list_lock);
	image->cli.record = NULL;
	image->assembly = 0;
	image->retired = retired;
	retired = image;
	pthread_mutex_unlock (&list_lock);
}

static void
reset (monocle__clr_image *image, const module_facts *facts)
{
	static atomic_uint sequence;
	image->assembly = facts->assembly;
	image->is_collectible = facts->flags & COR_PRF_MODULE_COLLECTIBLE;
	image->is_emitted = facts->flags & COR_PRF_MODULE_DYNAMIC;
	image->is_mapped = image->is_assembly_told = false;
	image->sequence = atomic_fetch_add (&sequence, 1);
	image->cli.name = NULL;
	image->cli.is_corlib = false;
	image->cli.ecma = (monocle__ecma_image) { 0 };
	image->method_rows = image->to_int_ptr_token = image->corlib_token = image->gate_token = 0;
	image->is_editable = false;
	memset (image->calli_token, 0, sizeof image->calli_token);
	memset (image->calli_returning_token, 0, sizeof image->calli_returning_token);
	atomic_store (&image->wanted, -1);
	atomic_store (&image->epoch, 0);
}

static void
publish (ModuleID id, monocle__clr_image *image)
{
	atomic_store (&image->id, id);
	if (image->cli.is_corlib)
		atomic_store_explicit (&corlib, image, memory_order_release);
	monocle_id_bind (MONOCLE_ID_IMAGE, id, image);
}

static monocle__clr_image *
image_from (ModuleID id, const module_facts *facts)
{
	monocle__clr_image *image = image_take ();
	unsigned none_yet = 0;
	if (!image)
		return NULL;
	reset (image, facts);
	if (image->is_collectible)
		atomic_compare_exchange_strong (&monocle__clr_state.instance_epoch, &none_yet, 1);
	bool readable = open_metadata (image, facts) && allocate_tables (image);
	const char *name = image->cli.name;
	image->cli.is_corlib = !monocle__clr_image_corlib () && name && strcmp (name, "System.Private.CoreLib") == 0;
	image->is_editable =
	    readable && !image->cli.is_corlib && monocle__editable_is (&image->cli.ecma, &image->gate_token);
	uint32_t flags = image_flags (image, facts);
	uint32_t classes = readable ? monocle__ecma_rows (&image->cli.ecma, MONOCLE__TABLE_TypeDef) : 0;
	image->cli.record = monocle_image_new (facts->filename, flags, classes, image->method_rows, image);
	if (!image->cli.record) {
		free_tables (image);
		image_retire (image);
		return NULL;
	}
	/* The record is in the core's list already: a thread that finds it there waits for `readable`. */
	atomic_store (&image->cli.readable, readable);
	if (flags & MONOCLE_IMAGE_MAIN)
		name_domain (facts->filename);
	publish (id, image);
	monocle__codemap_image (image);
	if (flags & MONOCLE_IMAGE_DYNAMIC || image->is_editable)
		monocle__emitted_image (image);
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

static void
tell_image (monocle__clr_image *image)
{
	if (!image->cli.is_corlib)
		monocle__clr_reach_initialized ();
	if (monocle__clr_listened (MONOCLE_EVENT_image_loading))
		monocle_raise_image_loading (image->cli.record);
	if (monocle__clr_listened (MONOCLE_EVENT_image_loaded))
		monocle_raise_image_loaded (image->cli.record);
}

/*
 * While we catch up an image may be told by the runtime and be found by us. The first one takes it. `ids` are of images
 * and assemblies; both are addresses.
 */
static struct {
	pthread_mutex_t lock;
	atomic_bool is_on;
	uintptr_t *ids;
	size_t count, room;
} catching = { .lock = PTHREAD_MUTEX_INITIALIZER };

/* Under the lock. */
static bool
is_claimed (uintptr_t id)
{
	for (size_t i = 0; i < catching.count; i++)
		if (catching.ids[i] == id)
			return true;
	return false;
}

/* Under the lock. Without memory it is told again. */
static void
note_claim (uintptr_t id)
{
	if (catching.count == catching.room) {
		size_t room = 2 * catching.room + 256;
		uintptr_t *grown = realloc (catching.ids, room * sizeof *grown);
		if (!grown)
			return;
		catching.ids = grown;
		catching.room = room;
	}
	catching.ids[catching.count++] = id;
}

/*
 * False: another thread tells the image, or has told it. The runtime both lists an image and calls back about it, and
 * the thread that is called back may come when the whole list is told already.
 */
static bool
claim (uintptr_t id)
{
	if (!atomic_load (&catching.is_on))
		return !monocle__clr_state.attached || !monocle__clr_image_find (id);
	pthread_mutex_lock (&catching.lock);
	bool is_first = !is_claimed (id);
	if (is_first)
		note_claim (id);
	pthread_mutex_unlock (&catching.lock);
	MONOCLE__PAUSE (image_claimed);
	return is_first;
}

static _Atomic (void (*) (monocle__clr_image *)) watcher;

void
monocle__images_watch (void (*tell) (monocle__clr_image *image))
{
	atomic_store (&watcher, tell);
}

static _Atomic (void (*) (ModuleID)) tell_unloading;

void
monocle__images_watch_unloads (void (*tell) (ModuleID module))
{
	atomic_store (&tell_unloading, tell);
}

HRESULT
monocle__callback_ModuleLoadFinished (ICorProfilerCallback11 *self, ModuleID id, HRESULT status)
{
	if (status < 0) {
		tell_failure (id, status);
		return S_OK;
	}
	monocle__clr_image *image = claim (id) ? image_new (id) : NULL;
	if (image)
		tell_image (image);
	void (*tell) (monocle__clr_image *) = atomic_load (&watcher);
	if (image && tell)
		tell (image);
	return S_OK;
}

HRESULT
monocle__callback_ModuleAttachedToAssembly (ICorProfilerCallback11 *self, ModuleID id, AssemblyID assembly)
{
	monocle__clr_image *image = monocle__clr_image_find (id);
	if (image) {
		image->assembly = assembly;
		monocle_image_set_assembly_visible (image->cli.record);
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

static void
tell_assembly (monocle__clr_image *image)
{
	image->is_assembly_told = monocle__clr_state.attached;
	monocle_image_set_assembly_visible (image->cli.record);
	MonoAssembly *record = monocle_image_assembly (image->cli.record);
	if (monocle__clr_listened (MONOCLE_EVENT_assembly_loading))
		monocle_raise_assembly_loading (record);
	if (monocle__clr_listened (MONOCLE_EVENT_assembly_loaded))
		monocle_raise_assembly_loaded (record);
}

HRESULT
monocle__callback_AssemblyLoadFinished (ICorProfilerCallback11 *self, AssemblyID assembly, HRESULT status)
{
	if (status < 0)
		monocle_raise_load_failed (MONOCLE_LOAD_ASSEMBLY, "", status);
	monocle__clr_image *image = status < 0 ? NULL : image_of_assembly (assembly);
	if (image && claim (assembly) && !image->is_assembly_told)
		tell_assembly (image);
	return S_OK;
}

HRESULT
monocle__callback_AssemblyUnloadStarted (ICorProfilerCallback11 *self, AssemblyID assembly)
{
	monocle__unloads_await ();
	monocle__clr_image *image = image_of_assembly (assembly);
	if (image && monocle__clr_listened (MONOCLE_EVENT_assembly_unloading))
		monocle_raise_assembly_unloading (monocle_image_assembly (image->cli.record));
	return S_OK;
}

HRESULT
monocle__callback_AssemblyUnloadFinished (ICorProfilerCallback11 *self, AssemblyID assembly, HRESULT status)
{
	monocle__clr_image *image = status < 0 ? NULL : image_of_assembly (assembly);
	if (!image)
		return S_OK;
	if (monocle__clr_listened (MONOCLE_EVENT_assembly_unloaded))
		monocle_raise_assembly_unloaded (monocle_image_assembly (image->cli.record));
	image->assembly = 0;
	if (!image->id)
		image_retire (image);
	return S_OK;
}

/* Waits for those who look into the image right now. Bounded, since a thread may be stopped in the middle of it. */
static void
wait_for_readers (monocle__clr_image *image)
{
	for (int tries = 0; tries < 2000 && atomic_load (&image->cli.readers); tries++)
		nanosleep (&(struct timespec) { .tv_nsec = 500000 }, NULL);
}

/* From here on nothing may read the mapping, and the ids of what was in it, or made over it, may name other things. */
static void
forget (monocle__clr_image *image, bool is_there)
{
	monocle__emitted_unload (image, is_there);
	atomic_store (&image->cli.readable, false);
	wait_for_readers (image);
	if (image->is_collectible)
		atomic_fetch_add (&monocle__clr_state.instance_epoch, 1);
	pthread_mutex_lock (&ids_lock);
	drop_all (&image->bound);
	drop_all (&made_over_others);
	pthread_mutex_unlock (&ids_lock);
	pthread_mutex_lock (&image->lock);
	if (image->emit)
		image->emit->vtbl->Release (image->emit);
	image->emit = NULL;
	free_tables (image);
	pthread_mutex_unlock (&image->lock);
}

/* --- memory that the image's code refers to ----------------------------------------------------------------------- */

/* Images that stay until the end need no list. */
void
monocle__clr_image_own (monocle__clr_image *image, void *block, void (*release) (void *block))
{
	monocle__clr_memory *memory = image->is_collectible ? malloc (sizeof *memory) : NULL;
	if (!memory)
		return;
	*memory = (monocle__clr_memory) { image->memory, release, block };
	image->memory = memory;
}

/* The runtime has freed the code. */
static void
release_memory (monocle__clr_image *image)
{
	pthread_mutex_lock (&image->lock);
	monocle__clr_memory *memory = image->memory;
	image->memory = NULL;
	pthread_mutex_unlock (&image->lock);
	while (memory) {
		monocle__clr_memory *next = memory->next;
		memory->release (memory->block);
		free (memory);
		memory = next;
	}
}

/* `is_there`: the runtime still has it, and waits. */
static void
begin_to_unload (monocle__clr_image *image, bool is_there)
{
	if (monocle__clr_listened (MONOCLE_EVENT_image_unloading))
		monocle_raise_image_unloading (image->cli.record);
	monocle__codemap_unloading (image);
	forget (image, is_there);
}

HRESULT
monocle__callback_ModuleUnloadStarted (ICorProfilerCallback11 *self, ModuleID id)
{
	void (*tell) (ModuleID) = atomic_load (&tell_unloading);
	MONOCLE__PAUSE (image_goes);
	if (tell)
		tell (id);
	MONOCLE__PAUSE (image_off_the_list);
	monocle__unloads_await ();
	monocle__clr_image *image = monocle__clr_image_find (id);
	if (image)
		begin_to_unload (image, true);
	return S_OK;
}

HRESULT
monocle__callback_ModuleUnloadFinished (ICorProfilerCallback11 *self, ModuleID id, HRESULT status)
{
	monocle__clr_image *image = monocle__clr_image_find (id);
	if (!image)
		return S_OK;
	release_memory (image);
	image->id = 0;
	monocle_id_drop (MONOCLE_ID_IMAGE, id);
	monocle__codemap_unloaded (image);
	if (monocle__clr_listened (MONOCLE_EVENT_image_unloaded))
		monocle_raise_image_unloaded (image->cli.record);
	if (!image->assembly)
		image_retire (image);
	return S_OK;
}

/* --- what was there before us, and what stays behind -------------------------------------------------------------- */

void
monocle__images_catch_up_begin (void)
{
	atomic_store (&catching.is_on, true);
}

/* The runtime does not tell of an assembly that was complete before we came. */
static void
catch_up_assembly (monocle__clr_image *image, ModuleID id, module_facts *facts)
{
	if (!ask_module (id, facts) || !facts->assembly)
		return;
	image->assembly = facts->assembly;
	if (claim (facts->assembly))
		tell_assembly (image);
}

/* One that an earlier attach has met has its record already. */
static void
catch_up_image (ModuleID id, module_facts *facts)
{
	if (!claim (id))
		return;
	monocle__clr_image *known = monocle__clr_image_find (id), *image = known ? known : image_new (id);
	if (!image)
		return;
	monocle__codemap_image (image);
	monocle__emitted_catch_up (image);
	tell_image (image);
	catch_up_assembly (image, id, facts);
}

void
monocle__images_catch_up (void)
{
	ICorProfilerInfo15 *info = monocle__clr_state.info;
	ICorProfilerModuleEnum *modules = NULL;
	module_facts *facts = malloc (sizeof *facts);
	ModuleID id;
	ULONG got = 0;
	HRESULT hr = facts ? info->vtbl->EnumModules (info, &modules) : E_OUTOFMEMORY;
	while (hr >= 0 && modules->vtbl->Next (modules, 1, &id, &got) >= 0 && got == 1)
		catch_up_image (id, facts);
	if (hr < 0)
		monocle__clr_complain_hr ("EnumModules", hr);
	else
		modules->vtbl->Release (modules);
	free (facts);
	pthread_mutex_lock (&catching.lock);
	atomic_store (&catching.is_on, false);
	free (catching.ids);
	catching.ids = NULL;
	catching.count = catching.room = 0;
	pthread_mutex_unlock (&catching.lock);
}

void
monocle__images_leave (void)
{
	for (monocle__clr_image *i = monocle__clr_image_next (NULL); i; i = monocle__clr_image_next (i)) {
		ModuleID id = i->id;
		AssemblyID assembly = i->assembly;
		if (!id || !i->is_collectible)
			continue;
		begin_to_unload (i, false);
		monocle__callback_ModuleUnloadFinished (NULL, id, S_OK);
		if (assembly)
			monocle__callback_AssemblyUnloadFinished (NULL, assembly, S_OK);
	}
}
