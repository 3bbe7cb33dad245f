/*
 * SPDX-License-Identifier: MIT
 *
 * image.c - images and their assemblies.
 *
 * Images are in one list that only grows at its head. An image that is unloaded stays in it as a tombstone: its names
 * answer, its host data is forgotten. Any thread, any context, except where host.h or the function says otherwise.
 */
#include "image.h"

#include <string.h>
#include <time.h>
#include "arena.h"
#include "class.h"
#include "dispatch/host.h"
#include "invariant.h"
#include "jit-info.h"
#include "method.h"
#include "path.h"
#include "publish.h"
#include "shown.h"
#include "table.h"

enum { PASSES_LIMIT = 64 };

static _Atomic (MonoImage *) first, corlib, main_image;
static _Atomic (MonoImage *) absent; /* a list by itself */

/* --- making, describing, unloading -------------------------------------------------------------------------------- */

static const char unknown_name[] = "<unknown>";

/* "/a/b/program.exe" is called "program" until its metadata says otherwise. */
static const char *
simple_name_of (const char *filename)
{
	if (!*filename)
		return unknown_name;
	const char *base = monocle__path_base_name (filename), *dot = strrchr (base, '.');
	size_t length = dot && (!strcmp (dot, ".dll") || !strcmp (dot, ".exe")) ? (size_t) (dot - base) : strlen (base);
	char *copy = monocle__arena_alloc (length + 1);
	if (copy)
		memcpy (copy, base, length);
	return copy;
}

/* "/a/b/" of "/a/b/program.exe". */
static const char *
folder_of (const char *filename)
{
	size_t length = (size_t) (monocle__path_base_name (filename) - filename);
	char *copy = monocle__arena_alloc (length + 1);
	return copy ? memcpy (copy, filename, length) : NULL;
}

static void
image_publish (MonoImage *image)
{
	MonoImage *head = atomic_load_explicit (&first, memory_order_relaxed);
	MONOCLE__INVARIANT (head != image);
	do
		image->next = head;
	while (!atomic_compare_exchange_weak_explicit (&first, &head, image, memory_order_release, memory_order_relaxed));
	if (image->flags & MONOCLE_IMAGE_CORLIB) {
		atomic_store_explicit (&corlib, image, memory_order_release);
		monocle__class_corlib_is (image);
	}
	if (image->flags & MONOCLE_IMAGE_MAIN)
		atomic_store_explicit (&main_image, image, memory_order_release);
}

static MonoImage *
absent_find (MonoImage *head, const char *name)
{
	while (head && strcmp (head->simple_name, name) != 0)
		head = head->next;
	return head;
}

static MonoImage *
absent_new (const char *name)
{
	MonoImage *image = monocle__arena_alloc (sizeof *image);
	if (!image || !(image->simple_name = monocle__arena_string (name)))
		return NULL;
	image->filename = image->filename_again = "";
	image->references = 1;
	image->assembly = (MonoAssembly) { .references = 1, .folder = "", .image = image };
	image->assembly.name = (MonoAssemblyName) { .name = image->simple_name, .culture = "" };
	atomic_init (&image->assembly_name, image->simple_name);
	atomic_init (&image->shown_assembly, &image->assembly);
	atomic_init (&image->unloaded, true);
	return monocle__table_init (&image->classes, 0) && monocle__table_init (&image->methods, 0) ? image : NULL;
}

MonoImage *
monocle__image_absent (const char *assembly)
{
	const char *name = assembly && *assembly ? assembly : unknown_name;
	MonoImage *head = atomic_load_explicit (&absent, memory_order_acquire), *known = absent_find (head, name);
	MonoImage *fresh = known ? NULL : absent_new (name);
	while (fresh && !known) {
		fresh->next = head;
		if (atomic_compare_exchange_strong_explicit (&absent, &head, fresh, memory_order_acq_rel, memory_order_acquire))
			return fresh;
		known = absent_find (head, name);
	}
	return known;
}

MonoImage *
monocle_image_new (const char *filename, uint32_t flags, uint32_t class_rows, uint32_t method_rows, void *data)
{
	MonoImage *image = monocle__arena_alloc (sizeof *image);
	if (!image)
		return NULL;
	image->filename = image->filename_again = monocle__arena_string (filename ? filename : "");
	image->simple_name = simple_name_of (filename ? filename : "");
	image->flags = flags;
	image->class_rows = class_rows;
	image->method_rows = method_rows;
	image->is_dynamic = flags & MONOCLE_IMAGE_DYNAMIC;
	image->references = 1;
	image->assembly =
	    (MonoAssembly) { .references = 1, .folder = folder_of (filename ? filename : ""), .image = image };
	atomic_init (&image->data, data);
	if (!image->filename || !image->simple_name || !image->assembly.folder ||
	    !monocle__table_init (&image->classes, class_rows) || !monocle__table_init (&image->methods, method_rows))
		return NULL;
	monocle__shown_begin ();
	image->assembly.name = (MonoAssemblyName) { .name = image->simple_name, .culture = "" };
	image_publish (image);
	return image;
}

bool
monocle__image_ask_begin (MonoImage *image)
{
	if (!image)
		return true;
	/* Sequentially consistent on both sides: either the unloader sees us, or we see that it began. */
	atomic_fetch_add (&image->describing, 1);
	if (!atomic_load (&image->unloaded))
		return true;
	atomic_fetch_sub (&image->describing, 1);
	return false;
}

void
monocle__image_ask_end (MonoImage *image)
{
	if (!image)
		return;
	uint32_t asking = atomic_fetch_sub (&image->describing, 1);
	MONOCLE__INVARIANT (asking != 0);
}

MonoImage *
monocle__image_hold (MonoImage *image)
{
	return image && monocle__image_ask_begin (image) ? image : NULL;
}

void
monocle__image_let_go (MonoImage **held)
{
	monocle__image_ask_end (*held);
}

static void
token_to_text (const uint8_t token[8], char text[17])
{
	static const char digits[] = "0123456789abcdef";
	for (int i = 0; i < 8; i++) {
		text[2 * i] = digits[token[i] >> 4];
		text[2 * i + 1] = digits[token[i] & 15];
	}
	text[16] = 0;
}

static void
copy_public_key (monocle__image_desc *desc, const uint8_t *key, uint32_t size)
{
	uint8_t *copy = key && size ? monocle__arena_alloc (size) : NULL;
	if (!copy)
		return;
	desc->public_key = memcpy (copy, key, size);
	desc->public_key_size = size;
}

static void
fill_tables (monocle__image_desc *desc, MonoImage *image, const uint32_t *rows)
{
	for (uint32_t table = 0; table < MONOCLE__TABLES; table++)
		desc->tables[table] = (MonoTableInfo) { image, table, rows ? rows[table] : 0 };
	if (rows)
		return;
	MONOCLE__INVARIANT (desc->tables[MONO_TABLE_TYPEDEF].table == MONO_TABLE_TYPEDEF);
	desc->tables[MONO_TABLE_TYPEDEF].rows = image->class_rows;
	desc->tables[MONO_TABLE_METHOD].rows = image->method_rows;
}

static monocle__image_desc *
desc_from_info (MonoImage *image, const monocle_image_info *info)
{
	monocle__image_desc *desc = monocle__arena_alloc (sizeof *desc);
	if (!desc)
		return NULL;
	desc->name.name = info->assembly_name ? monocle__arena_string (info->assembly_name) : image->simple_name;
	desc->name.culture = monocle__arena_string (info->culture ? info->culture : "");
	desc->guid = monocle__arena_string (info->guid);
	desc->module_name = monocle__arena_string (info->module_name);
	desc->entry_point = info->entry_point;
	memcpy (desc->name.version, info->version, sizeof desc->name.version);
	desc->name.flags = info->flags;
	if (info->has_public_key_token)
		token_to_text (info->public_key_token, desc->name.public_key_token);
	copy_public_key (desc, info->public_key, info->public_key_size);
	fill_tables (desc, image, info->table_rows);
	return desc->name.name && desc->name.culture && (desc->guid || !info->guid) ? desc : NULL;
}

const monocle__image_desc *
monocle__image_describe (MonoImage *image)
{
	monocle__image_desc *desc = atomic_load_explicit (&image->desc, memory_order_acquire);
	const monocle_host_ops *ops = monocle__host_ops ();
	if (desc && !atomic_load_explicit (&image->assembly_name, memory_order_relaxed))
		monocle__shown_image_is (image, desc);
	if (desc || !ops->describe_image || !monocle__image_ask_begin (image))
		return desc;
	monocle_image_info info = { .size = sizeof info };
	if (ops->describe_image (ops->host, image, &info) == 0)
		desc = desc_from_info (image, &info);
	monocle__image_ask_end (image);
	desc = MONOCLE__PUBLISH (&image->desc, desc);
	if (desc)
		monocle__shown_image_is (image, desc);
	return desc;
}

/* The record in a row, or NULL. */
static void *
record_at (monocle__table *table, uint32_t row)
{
	_Atomic (void *) *slot = monocle__table_slot (table, row, false);
	return slot ? atomic_load_explicit (slot, memory_order_acquire) : NULL;
}

/* Waits for those who ask right now. Bounded, since a thread may be stopped in the middle of its question. */
static bool
wait_for_askers (MonoImage *image)
{
	for (int tries = 0; tries < 2000; tries++) {
		if (!atomic_load (&image->describing))
			return true;
		nanosleep (&(struct timespec) { .tv_nsec = 500000 }, NULL);
	}
	return false;
}

/*
 * Describes all records of the image. Describing one may make others (the class of a method, the class around a class,
 * a base class), so classes are gone over until a pass finds nothing new: as often as the image nests at most.
 */
static void
complete_records (MonoImage *image)
{
	bool found_new = true;
	monocle__image_describe (image);
	for (uint32_t row = 1, end = monocle__table_end (&image->methods); row < end; row++)
		monocle__method_complete (record_at (&image->methods, row));
	for (int pass = 0; found_new && pass < PASSES_LIMIT; pass++) {
		found_new = false;
		for (uint32_t row = 1, end = monocle__table_end (&image->classes); row < end; row++)
			found_new |= monocle__class_complete (record_at (&image->classes, row));
	}
}

void
monocle_image_unload (MonoImage *image)
{
	if (!image || atomic_load (&image->unloaded))
		return;
	complete_records (image);
	atomic_store (&image->unloaded, true);
	if (!wait_for_askers (image))
		monocle_log ("an image was unloaded while a thread was reading it: %s", image->filename);
	atomic_store (&image->data, NULL);
	monocle__jit_info_forget_image (image);
}

void *
monocle_image_data (MonoImage *image)
{
	return image ? atomic_load_explicit (&image->data, memory_order_acquire) : NULL;
}

MonoAssembly *
monocle_image_assembly (MonoImage *image)
{
	return image ? &image->assembly : NULL;
}

void
monocle_image_set_assembly_visible (MonoImage *image)
{
	if (image)
		atomic_store_explicit (&image->shown_assembly, &image->assembly, memory_order_release);
}

MonoImage *
monocle__image_first (void)
{
	return atomic_load_explicit (&first, memory_order_acquire);
}

bool
monocle__image_is_loaded (MonoImage *image)
{
	return image && !atomic_load (&image->unloaded);
}

MonoImage *
monocle__image_corlib (void)
{
	return atomic_load_explicit (&corlib, memory_order_acquire);
}

/* --- mono_image_* ------------------------------------------------------------------------------------------------- */

const char *
mono_image_get_name (MonoImage *image)
{
	if (!image)
		return NULL;
	const monocle__image_desc *desc = monocle__image_describe (image);
	return desc ? desc->name.name : image->simple_name;
}

const char *
mono_image_get_filename (MonoImage *image)
{
	return image ? image->filename : NULL;
}

const char *
mono_image_get_guid (MonoImage *image)
{
	const monocle__image_desc *desc = image ? monocle__image_describe (image) : NULL;
	return desc ? desc->guid : NULL;
}

MonoAssembly *
mono_image_get_assembly (MonoImage *image)
{
	return image ? atomic_load_explicit (&image->shown_assembly, memory_order_acquire) : NULL;
}

mono_bool
mono_image_is_dynamic (MonoImage *image)
{
	return image && image->flags & MONOCLE_IMAGE_DYNAMIC ? 1 : 0;
}

int
mono_image_get_table_rows (MonoImage *image, int table_id)
{
	const monocle__image_desc *desc = image ? monocle__image_describe (image) : NULL;
	return desc && table_id >= 0 && table_id < MONOCLE__TABLES ? (int) desc->tables[table_id].rows : 0;
}

static bool
is_called (MonoImage *image, const char *name)
{
	return !strcmp (mono_image_get_name (image), name) || !strcmp (image->filename, name);
}

MonoImage *
mono_image_loaded (const char *name)
{
	for (MonoImage *image = name ? monocle__image_first () : NULL; image; image = image->next)
		if (!atomic_load (&image->unloaded) && is_called (image, name))
			return image;
	return NULL;
}

MonoImage *
mono_image_loaded_by_guid (const char *guid)
{
	for (MonoImage *image = guid ? monocle__image_first () : NULL; image; image = image->next) {
		const char *own = atomic_load (&image->unloaded) ? NULL : mono_image_get_guid (image);
		if (own && !strcmp (own, guid))
			return image;
	}
	return NULL;
}

/* Records outlive everything, so there are no references to count. */
void
mono_image_addref (MonoImage *image)
{
}

void
mono_image_close (MonoImage *image)
{
}

MonoImage *
mono_get_corlib (void)
{
	return monocle__image_corlib ();
}

/* --- mono_assembly_* ---------------------------------------------------------------------------------------------- */

MonoImage *
mono_assembly_get_image (MonoAssembly *assembly)
{
	return assembly ? assembly->image : NULL;
}

MonoAssemblyName *
mono_assembly_get_name (MonoAssembly *assembly)
{
	if (!assembly)
		return NULL;
	/* The name is never written after it is published; only the prototype lacks a const. */
	monocle__image_desc *desc = (monocle__image_desc *) monocle__image_describe (assembly->image);
	return desc ? &desc->name : &assembly->name;
}

MonoAssembly *
mono_assembly_get_main (void)
{
	return mono_image_get_assembly (atomic_load_explicit (&main_image, memory_order_acquire));
}

/* As of images. Mono exports the first, though no header of its declares it, and its coverage module uses the two. */
MONO_API void mono_assembly_addref (MonoAssembly *assembly);

void
mono_assembly_addref (MonoAssembly *assembly)
{
}

void
mono_assembly_close (MonoAssembly *assembly)
{
}

/* Newest first, as Mono's own list is kept. */
void
mono_assembly_foreach (MonoFunc func, void *user_data)
{
	for (MonoImage *image = monocle__image_first (); image; image = image->next) {
		MonoAssembly *assembly = atomic_load (&image->unloaded) ? NULL : mono_image_get_assembly (image);
		if (assembly)
			func (assembly, user_data);
	}
}
